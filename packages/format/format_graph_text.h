/* SPDX-License-Identifier: MIT */
/* format_graph_text.h - a task graph binary as the source that it came from. */
#ifndef FORMAT_GRAPH_TEXT_H
#define FORMAT_GRAPH_TEXT_H

#include "graph_read.h"

#include <stdio.h>

/* `graph @name { ... }`, an instruction a line; operands at the end that have their defaults are left out. Packing the text gives the same
 * binary, comments, line breaks and constant expressions apart, if the names are words of the language. */
void pkg_graph_print(const struct pkg_graph *graph, const struct pkg_tables *tables, FILE *to);

#endif
