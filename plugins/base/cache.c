/* SPDX-License-Identifier: MIT */
#include "cache.h"

#include "error.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ptowsp_status too_long(struct ptowsp_error *error)
{
	return base_fail(error, PTOWSP_INVALID, "cache=DIR: the path is longer than %d bytes; use a shorter one", BASE_CACHE_PATH);
}

/* mkdir -p */
static bool folder_make(const char *path)
{
	char part[BASE_CACHE_PATH + 1];
	struct stat there;

	for (const char *at = path + 1;; at++)
		if (*at == '/' || !*at) {
			snprintf(part, sizeof(part), "%.*s", (int)(at - path), path);
			if (mkdir(part, 0755) && errno != EEXIST)
				return false;
			if (!*at)
				return !stat(path, &there) && (S_ISDIR(there.st_mode) || (errno = ENOTDIR, false));
		}
}

/* Compilers run in a folder below it: what is relative to ours has to be said from the root. */
static ptowsp_status path_complete(char *path, struct ptowsp_error *error)
{
	char *whole = realpath(path, NULL);
	int length = whole ? snprintf(path, BASE_CACHE_PATH + 1, "%s", whole) : 0;

	free(whole);
	if (!length)
		return base_fail(error, PTOWSP_IO, "cache=%.120s cannot be opened: %s; name another folder, --opt cache=DIR", path, strerror(errno));
	return length <= BASE_CACHE_PATH ? PTOWSP_OK : too_long(error);
}

ptowsp_status base_cache_find(char path_out[BASE_CACHE_PATH + 1], const char *stated, struct ptowsp_error *error)
{
	const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	int length;

	if (stated && *stated)
		length = snprintf(path_out, BASE_CACHE_PATH + 1, "%s", stated);
	else if (xdg && *xdg == '/')
		length = snprintf(path_out, BASE_CACHE_PATH + 1, "%s/ptowsp", xdg);
	else if (home && *home == '/')
		length = snprintf(path_out, BASE_CACHE_PATH + 1, "%s/.cache/ptowsp", home);
	else
		length = snprintf(path_out, BASE_CACHE_PATH + 1, "/tmp/ptowsp-%u", (unsigned)getuid());
	if (length > BASE_CACHE_PATH)
		return too_long(error);
	if (!folder_make(path_out))
		return base_fail(error, PTOWSP_IO, "cache=%.120s cannot be made: %s; name another folder, --opt cache=DIR", path_out, strerror(errno));
	return path_complete(path_out, error);
}
