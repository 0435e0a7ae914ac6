/* SPDX-License-Identifier: MIT */
/* cgroup.c - finding a place for a control group, and its files. */
#include "host/sandbox/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "registry/common/common_machine.h"

static const char prefix[] = "ptowsp-"; /* and the number of the process that made it */
enum { END_TRIES = 200 };               /* of a millisecond: what was killed leaves the group a moment later */

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool text_write(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX + 32];
	bool written;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return written;
}

static bool number_write(const char *folder, const char *name, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return text_write(folder, name, text);
}

static bool text_read(const char *folder, const char *name, char *text, size_t room)
{
	char path[PATH_MAX + 32];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n >= 0;
}

static bool has_word(const char *text, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += length)
		if ((at == text || at[-1] == ' ') && (!at[length] || at[length] == ' ' || at[length] == '\n'))
			return true;
	return false;
}

/* ---- its place -------------------------------------------------------------------------------------------------- */

/* A group is left behind where its maker was killed, and has the number of a process that is no more; left_remove removes such groups. */
static void left_remove(const char *parent)
{
	char path[PATH_MAX + 300];
	struct dirent *entry;
	DIR *folder = opendir(parent);

	while (folder && (entry = readdir(folder))) {
		const int maker = strncmp(entry->d_name, prefix, sizeof(prefix) - 1) ? 0 : atoi(entry->d_name + sizeof(prefix) - 1);

		if (maker <= 0 || !kill(maker, 0) || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name);
		rmdir(path);
	}
	if (folder)
		closedir(folder);
}

/* A process may be moved only by a process that may write to cgroup.procs of the group in which both groups are. */
static bool may_move(const char *parent)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/cgroup.procs", parent);
	return !faccessat(AT_FDCWD, path, W_OK, AT_EACCESS);
}

/* A parent must give memory and pids to its children; what it does not give is not taken from whoever runs this machine. */
static bool make_in(struct host_cgroup *group, const char *parent, const struct host_limits *limits)
{
	char given[512];

	if (!text_read(parent, "cgroup.subtree_control", given, sizeof(given)) || !has_word(given, "memory") || !has_word(given, "pids") || !may_move(parent))
		return false;
	left_remove(parent);
	if (snprintf(group->path, sizeof(group->path), "%s/%s%d", parent, prefix, (int)getpid()) >= (int)sizeof(group->path) || mkdir(group->path, 0755)) {
		group->path[0] = '\0';
		return false;
	}
	if (number_write(group->path, "memory.max", limits->memory) && number_write(group->path, "pids.max", limits->threads)) {
		text_write(group->path, "memory.swap.max", "0"); /* where there is swap */
		text_write(group->path, "memory.oom.group", "1");
		return true;
	}
	host_cgroup_end(group);
	return false;
}

bool host_cgroup_make(struct host_cgroup *group, const struct host_limits *limits)
{
	char own[PATH_MAX], *end;

	group->path[0] = '\0';
	if (!common_machine_group(own, sizeof(own)))
		return false;
	if (make_in(group, own, limits))
		return true;
	end = strrchr(own, '/');
	if (!end || end == own)
		return false;
	*end = '\0';
	return make_in(group, own, limits);
}

/* ---- its life --------------------------------------------------------------------------------------------------- */

void host_cgroup_enter(const struct host_cgroup *group)
{
	if (*group->path)
		text_write(group->path, "cgroup.procs", "0");
}

void host_cgroup_share(const struct host_cgroup *group, const struct host_limits *limits, uint64_t shared)
{
	if (*group->path)
		number_write(group->path, "memory.max", limits->memory < UINT64_MAX - shared ? limits->memory + shared : UINT64_MAX);
}

bool host_cgroup_met(const struct host_cgroup *group)
{
	char events[512];
	const char *at;

	if (!*group->path || !text_read(group->path, "memory.events", events, sizeof(events)))
		return false;
	at = strstr(events, "oom_kill ");
	return at && atoll(at + sizeof("oom_kill ") - 1) > 0;
}

void host_cgroup_kill(const struct host_cgroup *group)
{
	if (*group->path)
		text_write(group->path, "cgroup.kill", "1");
}

void host_cgroup_end(struct host_cgroup *group)
{
	const struct timespec pause = {.tv_nsec = 1000000};

	for (int i = 0; *group->path && rmdir(group->path) && errno == EBUSY && i < END_TRIES; i++)
		nanosleep(&pause, NULL);
	group->path[0] = '\0';
}

bool host_cgroup_there(void)
{
	const struct host_limits limits = {.memory = 1 << 30, .threads = 64};
	struct host_cgroup group;
	const bool there = host_cgroup_make(&group, &limits);

	host_cgroup_end(&group);
	return there;
}
