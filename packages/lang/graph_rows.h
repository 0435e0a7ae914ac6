/* SPDX-License-Identifier: MIT */
/* graph_rows.h - what the files share that declare the rows of graph programs. */
#ifndef LANG_GRAPH_ROWS_H
#define LANG_GRAPH_ROWS_H

#include "lang/graph_lower.h"

int lang_graph_row_taken(struct lang_lower *lower, uint32_t section, const char *name);
/* A free name, as short as it can be: K, graph.K, program.graph.K */
const char *lang_graph_row_name(struct lang_lower *lower, uint32_t section, const char *program, const char *graph, const char *name);
/* A row that the compiler makes; write: once all rows have their places. */
void lang_graph_row_add(struct lang_lower *lower, uint32_t section, const char *name, struct lang_made *made,
			void (*write)(struct lang_lower *lower, struct lang_made *made, uint64_t id, uint32_t name));

/* graph_memory.c: tensors, those of checkpoints too. */
void lang_graph_memories_declare(struct lang_lower *lower, struct lang_graph_lowering *lowering);

#endif
