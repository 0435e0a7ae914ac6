/* SPDX-License-Identifier: MIT */
/* json.h - a package as JSON text and back, from the same schema as the tables. FORMAT.md shows the form. */
#ifndef FORMAT_JSON_H
#define FORMAT_JSON_H

#include "format/format_package.h"
#include "format/writer.h"

#define PKG_JSON_SCHEMA "ptowsp.package/1"

/* The whole package (unknown sections left out) as text: NUL-terminated, ends in a newline, to be freed.
 * Errors: NO_MEMORY, BAD_PACKAGE if the sample data do not hold. */
ptowsp_status pkg_to_json(struct pkg *package, char **text_out, struct ptowsp_error *error);

/* Reads text into an empty writer, ready to be sealed. Rows of tables with ids may stand in any order: they are sorted and all
 * references follow. name is for messages. Errors: NO_MEMORY, BAD_PACKAGE with line and column or TABLE[row].key. */
ptowsp_status pkg_from_json(struct pkg_writer *writer, const char *text, size_t size, const char *name, struct ptowsp_error *error);

#endif
