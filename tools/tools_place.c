/* SPDX-License-Identifier: MIT */
/* tools_place.c - links followed, devices left alone. */
#include "tools/tools_place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "format/fail.h"

ptowsp_status place_find(char **place_out, const char *path, struct ptowsp_error *error)
{
	struct stat here;

	*place_out = NULL;
	if (!stat(path, &here) && !S_ISREG(here.st_mode))
		return pkg_fail(error, PTOWSP_IO, "%.140s cannot be written: it is %s", path,
				S_ISDIR(here.st_mode) ? "a folder" : "no plain file; name one, which then appears whole or not at all");
	if (!lstat(path, &here) && S_ISLNK(here.st_mode))
		*place_out = realpath(path, NULL);
	if (!*place_out)
		*place_out = strdup(path);
	return *place_out ? PTOWSP_OK : pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.140s", path);
}
