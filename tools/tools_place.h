/* SPDX-License-Identifier: MIT */
/* tools_place.h - where an output file goes: only what is a plain file, or not there yet, may be replaced by renaming. */
#ifndef TOOLS_PLACE_H
#define TOOLS_PLACE_H

#include "ptowsp/base.h"

/* The path to rename to, to be freed: path itself, or what it leads to if it is a symbolic link. Errors: IO if there is a folder, a
 * device or a pipe (renaming would put a plain file in its place), NO_MEMORY; *place_out is then NULL. */
ptowsp_status place_find(char **place_out, const char *path, struct ptowsp_error *error);

#endif
