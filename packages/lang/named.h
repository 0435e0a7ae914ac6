/* SPDX-License-Identifier: MIT */
/* named.h - files that sources name: sample data and payloads. */
#ifndef LANG_NAMED_H
#define LANG_NAMED_H

#include <stddef.h>

#include "ptowsp/base.h"

struct ptowsp_error;

/* Folders that sources may read from besides their own; borrowed. */
struct lang_roots {
	const char *const *folders;
	uint32_t count;
};

/* Reads what the source at the path `source` calls `file`: seen from the source's folder, and only if it lies below that folder or one of the roots once "..",
 * and links are followed. As pkg_file_load, with at most PKG_FILE_NAMED bytes. Errors: also INVALID for a file that lies elsewhere. */
ptowsp_status lang_named_load(const char *source, const char *file, const struct lang_roots *roots, void **bytes_out, size_t *size_out, struct ptowsp_error *error);

#endif
