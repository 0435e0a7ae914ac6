/* SPDX-License-Identifier: MIT */
/* apart.h - the files of one call are apart: no output takes the place of what the call reads, or of another of its outputs. */
#ifndef TOOLS_APART_H
#define TOOLS_APART_H

#include <stdbool.h>

#include "ptowsp/base.h"

/* Paths that the call names so far are kept until the process ends. Two paths are one file if device and number are the same, by whatever links; where
 * nothing is there yet, if their folders are one and the names in them the same. A path that is no plain file, such as a pipe that is read, is never in the way. One thread.
 *
 * what: as it stands in a sentence, "the package", "--trace"; copied, up to 80 characters. Errors: INVALID naming both, NO_MEMORY. */
ptowsp_status apart_input(const char *path, const char *what, struct ptowsp_error *error);
ptowsp_status apart_output(const char *path, const char *what, struct ptowsp_error *error);
/* An output whose path is "-" alone: INVALID, because no tool but --graph writes to stdout there; apart_output and apart_check look, too. */
ptowsp_status apart_named(const char *path, const char *what, struct ptowsp_error *error);
/* Whether two paths are one file; false without memory. */
bool apart_same(const char *path, const char *other);
/* apart_check is for code that opens an output: INVALID if the path is an input. Keeps nothing. */
ptowsp_status apart_check(const char *path, struct ptowsp_error *error);

#endif
