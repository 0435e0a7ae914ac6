/* SPDX-License-Identifier: MIT */
/* columns.h - a table for people: cells of text, each column as wide as its widest cell. */
#ifndef TOOLS_COLUMNS_H
#define TOOLS_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

/* Lines of cells; a zeroed struct is empty. A failed allocation leaves lines out. */
struct columns {
	char **lines; /* owned: cells separated by tabs */
	uint32_t count, room;
};

/* One line; cells are separated by \t. */
void columns_add(struct columns *columns, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts all lines but the first `skip` into the order of their text. */
void columns_sort(struct columns *columns, size_t skip);
/* Writes the lines, each indented by so many spaces, and empties the table; to may be NULL. */
void columns_print(struct columns *columns, FILE *to, unsigned indent);

#endif
