/* SPDX-License-Identifier: MIT */
#include "registry/common/common_machine.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- control groups --------------------------------------------------------------------------------------------- */

/* The hierarchy of version 2 is mounted at the path that mount_find writes; false: nowhere. */
static bool mount_find(char *path, size_t room)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char line[PATH_MAX + 256], point[PATH_MAX];
	bool found = false;

	while (file && !found && fgets(line, sizeof(line), file)) {
		found = strstr(line, " - cgroup2 ") && sscanf(line, "%*s %*s %*s %*s %4095s", point) == 1 && strlen(point) < room;
		if (found)
			strcpy(path, point);
	}
	if (file)
		fclose(file);
	return found;
}

bool common_machine_group(char *path, size_t room)
{
	char text[PATH_MAX + 64], *at, mount[PATH_MAX];
	FILE *file = fopen("/proc/self/cgroup", "re");
	bool found = false;

	while (file && !found && fgets(text, sizeof(text), file)) {
		found = !strncmp(text, "0::/", 4);
		text[strcspn(text, "\n")] = '\0';
	}
	if (file)
		fclose(file);
	if (!found || !mount_find(mount, sizeof(mount)))
		return false;
	at = text + 3;
	return snprintf(path, room, "%s%s", mount, strcmp(at, "/") ? at : "") < (int)room;
}

/* Of a group and those above it; folders without such a file end the way up. */
static uint64_t group_most(void)
{
	char group[PATH_MAX], path[PATH_MAX + 16];
	uint64_t most = UINT64_MAX;
	unsigned long long here;
	FILE *file;

	if (!common_machine_group(group, sizeof(group)))
		return most;
	while (*group && snprintf(path, sizeof(path), "%s/memory.max", group) > 0 && (file = fopen(path, "re"))) {
		if (fscanf(file, "%llu", &here) == 1 && here < most) /* else "max" */
			most = here;
		fclose(file);
		*strrchr(group, '/') = '\0';
	}
	return most;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

uint64_t common_machine_memory(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kib;
	uint64_t free = UINT64_MAX, most;
	char line[128];

	while (file && free == UINT64_MAX && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
			free = kib * 1024;
	if (file)
		fclose(file);
	most = group_most();
	return free < most ? free : most;
}
