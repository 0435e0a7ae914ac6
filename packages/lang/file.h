/* SPDX-License-Identifier: MIT */
/* file.h - whole files for the library's users: sources and payloads. */
#ifndef LANG_FILE_H
#define LANG_FILE_H

#include <stddef.h>

#include "ptowsp/base.h"

struct ptowsp_error;

/* A regular file of at most `most` bytes. *bytes_out is malloc'd, with a NUL behind it, also of an empty file. Errors: IO (what is wrong with the
 * file), TOO_BIG, NO_MEMORY; each with a sentence. Any thread. */
ptowsp_status lang_file_load(const char *path, uint64_t most, void **bytes_out, size_t *size_out, struct ptowsp_error *error);

#endif
