/* SPDX-License-Identifier: MIT */
/* lang_bytes.h - bytes that a source names: a file beside it, or base64 text. */
#ifndef LANG_BYTES_H
#define LANG_BYTES_H

#include "lang/ast.h"

/* Bytes of a file that the source names at `at`, in the arena, or of base64 text. NULL after an error. */
void *lang_file_read(struct lang_module *module, const char *file, struct lang_span at, uint64_t most, size_t *size_out);
void *lang_base64_read(struct lang_module *module, const char *text, struct lang_span at, size_t *size_out);

#endif
