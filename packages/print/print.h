/* SPDX-License-Identifier: MIT */
/* print.h - a package as source text again: from its tables, nothing of the source is stored. */
#ifndef PRINT_PRINT_H
#define PRINT_PRINT_H

#include "format/package.h"

/* The text, NUL-terminated, to be freed. What the language has no words for is one comment line each, "// cannot be said: ...", and counts in
 * *unsaid_out; without such lines the text packs to a package that says the same. Names of helper scalars are new, comments of the source are
 * gone; positions stand behind the lines as the source says them itself ("// @12:5"). Errors: NO_MEMORY. */
ptowsp_status print_source(struct pkg *package, char **text_out, uint32_t *unsaid_out, struct ptowsp_error *error);

/* Packs the text and compares: PTOWSP_OK if the package has the same digest; MISMATCH with the first section that differs in error,
 * BAD_PACKAGE with the first message if the text is refused. */
ptowsp_status print_compare(const struct pkg *package, const char *text, struct ptowsp_error *error);

#endif
