/* SPDX-License-Identifier: MIT */
/* tools_place.c - links followed, devices left alone. */
#include "tools/tools_place.h"

#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "format/fail.h"

/* A file that stdout or stderr goes to: replacing it would lose what they say. */
static bool is_stream(const struct stat *file)
{
	struct stat stream;

	for (int number = STDOUT_FILENO; number <= STDERR_FILENO; number++)
		if (!fstat(number, &stream) && stream.st_dev == file->st_dev && stream.st_ino == file->st_ino)
			return true;
	return false;
}

/* A link of /proc to an open file, itself or behind links, as /dev/fd/3 is. */
static bool is_descriptor(const char *path)
{
	char at[PATH_MAX], target[PATH_MAX];
	struct statfs system;

	if (snprintf(at, sizeof(at), "%s", path) >= (int)sizeof(at))
		return false;
	for (int links = 0; links < 40; links++) {
		const ssize_t length = readlink(at, target, sizeof(target) - 1);
		char *slash = strrchr(at, '/');

		if (length < 0)
			return false;
		target[length] = '\0';
		if (slash)
			slash[1] = '\0';
		if (!statfs(slash ? at : ".", &system) && system.f_type == PROC_SUPER_MAGIC)
			return true;
		if (!slash || *target == '/')
			*at = '\0';
		if (strlen(at) + strlen(target) >= sizeof(at))
			return false;
		strcat(at, target);
	}
	return false;
}

ptowsp_status place_find(char **place_out, const char *path, struct ptowsp_error *error)
{
	struct stat here;

	*place_out = NULL;
	if (!stat(path, &here) && (!S_ISREG(here.st_mode) || is_stream(&here) || is_descriptor(path)))
		return pkg_fail(error, PTOWSP_IO, "%.140s cannot be written: it is %s", path,
				S_ISDIR(here.st_mode) ? "a folder" : "no plain file; name one, which then appears whole or not at all");
	if (!lstat(path, &here) && S_ISLNK(here.st_mode))
		*place_out = realpath(path, NULL);
	if (!*place_out)
		*place_out = strdup(path);
	return *place_out ? PTOWSP_OK : pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.140s", path);
}
