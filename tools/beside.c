/* SPDX-License-Identifier: MIT */
/* beside.c - folders beside the bin/ of the running program. */
#include "tools/beside.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

bool beside_find(const char *built, const char *installed, char *path_out, size_t room)
{
	const char *const names[] = {built, installed};
	char program[PATH_MAX] = "", path[2 * PATH_MAX], *slash;
	struct stat there;

	if (getauxval(AT_SECURE) || readlink("/proc/self/exe", program, sizeof(program) - 1) < 0)
		return false;
	for (int up = 0; up < 2; up++)
		if ((slash = strrchr(program, '/')))
			*slash = 0;
	for (int i = 0; i < 2; i++) {
		const int length = snprintf(path, sizeof(path), "%s/%s", program, names[i]);

		if (length < (int)sizeof(path) && (size_t)length < room && !stat(path, &there) && S_ISDIR(there.st_mode)) {
			memcpy(path_out, path, (size_t)length + 1);
			return true;
		}
	}
	return false;
}
