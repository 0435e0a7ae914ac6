/* SPDX-License-Identifier: MIT */
#include "registry/common/common_machine.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- control groups --------------------------------------------------------------------------------------------- */

/* Is the memory controller among these, as version 1 lists them? */
static bool has_memory(const char *list)
{
	for (const char *at = list; (at = strstr(at, "memory")); at += strlen("memory"))
		if ((at == list || at[-1] == ',') && (!at[6] || at[6] == ',' || at[6] == '\n'))
			return true;
	return false;
}

/* The next line that is about memory; version 2: each is. */
static bool line_find(FILE *file, int version, char *line, int room)
{
	while (file && fgets(line, room, file)) {
		char controllers[256] = "", *last = strrchr(line, ' ');

		if (version == 2 ? !strncmp(line, "0::/", 4) || strstr(line, " - cgroup2 ")
				 : (sscanf(line, "%*u:%255[^:]:/", controllers) == 1 && has_memory(controllers)) ||
					   (strstr(line, " - cgroup ") && last && has_memory(last + 1)))
			return true;
	}
	return false;
}

/* The folder where the process' group of that version lies: its path in the hierarchy, below the root of what is mounted. */
static bool group_find(const char *proc, int version, char *path, size_t room)
{
	char text[PATH_MAX + 256], line[2 * PATH_MAX + 256], name[PATH_MAX + 16], root[PATH_MAX], point[PATH_MAX], *at;
	FILE *groups, *mounts;
	bool found;

	snprintf(name, sizeof(name), "%.4000s/self/cgroup", proc);
	groups = fopen(name, "re");
	snprintf(name, sizeof(name), "%.4000s/self/mountinfo", proc);
	mounts = fopen(name, "re");
	found = line_find(groups, version, text, sizeof(text)) && line_find(mounts, version, line, sizeof(line)) &&
		sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) == 2;
	if (groups)
		fclose(groups);
	if (mounts)
		fclose(mounts);
	if (!found)
		return false;
	text[strcspn(text, "\n")] = '\0';
	at = strchr(strchr(text, ':') + 1, ':') + 1;
	if (strcmp(root, "/") && !strncmp(at, root, strlen(root)))
		at += strlen(root);
	return snprintf(path, room, "%s%s", point, strcmp(at, "/") ? at : "") < (int)room;
}

bool common_machine_group(char *path, size_t room)
{
	return group_find("/proc", 2, path, room);
}

/* The least number of a group and those above it; folders without such a file end the way up. */
static uint64_t group_most(const char *proc, int version, const char *name)
{
	char group[PATH_MAX], path[PATH_MAX + 32];
	uint64_t most = UINT64_MAX;
	unsigned long long here;
	FILE *file;

	if (!group_find(proc, version, group, sizeof(group)))
		return most;
	while (*group && snprintf(path, sizeof(path), "%s/%s", group, name) > 0 && (file = fopen(path, "re"))) {
		if (fscanf(file, "%llu", &here) == 1 && here < most) /* else "max" */
			most = here;
		fclose(file);
		*strrchr(group, '/') = '\0';
	}
	return most;
}

uint64_t common_machine_bound(const char *proc)
{
	const uint64_t one = group_most(proc, 1, "memory.limit_in_bytes"), two = group_most(proc, 2, "memory.max");

	return one < two ? one : two;
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
	most = common_machine_bound("/proc");
	return free < most ? free : most;
}
