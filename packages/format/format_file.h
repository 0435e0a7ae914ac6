/* SPDX-License-Identifier: MIT */
/* format_file.h - whole files: the one way in which files that a user, a source or a package names are read. */
#ifndef FORMAT_FILE_H
#define FORMAT_FILE_H

#include <stddef.h>

#include "ptowsp/base.h"

struct ptowsp_error;

/* The largest size of one file of each sort, in bytes. */
#define PKG_FILE_SOURCE (UINT64_C(16) << 20)
#define PKG_FILE_NAMED  (UINT64_C(1) << 28) /* by a source: sample data, payloads */
#define PKG_FILE_TEXT   (UINT64_C(1) << 30) /* JSON forms, saved graphs */
#define PKG_FILE_MOST   (UINT64_C(1) << 31) /* packages and plugins to be signed, logs of calls */

/* Opens a regular file and nothing else: a FIFO is not waited for, a device has no end. path is seen from the open folder `at` (AT_FDCWD: the process's).
 * name: what messages call it. *fd_out is the caller's, -1 after an error; *size_out in bytes. Errors: IO, TOO_BIG (more than `most` bytes); each with a
 * sentence. Any thread. */
ptowsp_status pkg_file_open(int at, const char *path, const char *name, uint64_t most, int *fd_out, uint64_t *size_out, struct ptowsp_error *error);
/* pkg_file_check does the checks of pkg_file_open for a descriptor that is open already. */
ptowsp_status pkg_file_check(int fd, const char *name, uint64_t most, uint64_t *size_out, struct ptowsp_error *error);
/* size bytes of an open file. *bytes_out is malloc'd, with a NUL behind it, also of an empty file. Errors: IO (it became shorter), NO_MEMORY. */
ptowsp_status pkg_file_read(int fd, const char *name, uint64_t size, void **bytes_out, struct ptowsp_error *error);
/* Both: all of a regular file of at most `most` bytes. */
ptowsp_status pkg_file_load(const char *path, uint64_t most, void **bytes_out, size_t *size_out, struct ptowsp_error *error);

#endif
