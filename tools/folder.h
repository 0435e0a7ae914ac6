/* SPDX-License-Identifier: MIT */
/* folder.h - where files go that are made of files: below the output folder as the others lie below the folder that holds them all. */
#ifndef TOOLS_FOLDER_H
#define TOOLS_FOLDER_H

#include "ptowsp/base.h"

/* For each folder its path from the deepest folder that holds all of them: "" or "sub/deep/". A folder that is not there counts with its
 * text. The array and its texts are owned by the caller; NULL: no memory. */
char **folder_prefixes(char *const *folders, size_t count);
void folder_prefixes_free(char **prefixes, size_t count);

/* Gives every file below a folder whose name ends so to `take`, in the order of names, links followed: its path, and the path below the folder. A link to nowhere is given, too.
 * Returns the first code that is not 0, of `take` or 2 for what cannot be read, which is told on stderr for the tool; the walk goes on behind it. */
int folder_walk(const char *tool, const char *folder, const char *ending, int (*take)(void *context, const char *path, const char *below), void *context);

/* Makes a folder unless it is there. Errors: IO naming it, also where something else has its name. */
ptowsp_status folder_make(const char *path, struct ptowsp_error *error);
/* Makes the folders of a path that ends in a file's name; path is as it was afterwards. */
ptowsp_status folder_make_for(char *path, struct ptowsp_error *error);
/* folder_drop_empty removes the folders that a call made and that are empty, because the call failed or a signal ends it. Async-signal-safe. */
void folder_drop_empty(void);

#endif
