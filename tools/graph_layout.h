/* SPDX-License-Identifier: MIT */
/* graph_layout.h - who waits for whom, by rows, and on which level a task stands: 0 without predecessors, else one more than
 * the highest of them. */
#ifndef TOOLS_GRAPH_LAYOUT_H
#define TOOLS_GRAPH_LAYOUT_H

#include "tools/tools_graph.h"

/* The graph with rows instead of ids. Successors of row t: next[first[t]] .. next[first[t + 1] - 1], predecessors alike. */
struct graph_layout {
	const struct graph *graph;
	uint32_t *order;             /* all rows, level by level, in their own order inside a level */
	uint32_t *from, *to;         /* rows of each edge */
	uint32_t *first, *next;      /* first: task_count + 1 */
	uint32_t *back_first, *back; /* predecessors */
	uint32_t *level, *missing;   /* missing: while levels are found */
	uint32_t level_count;
};

/* *layout must be finished in any case; graph must outlive it. Errors: NO_MEMORY, INVALID (two tasks with one id, an edge to
 * nowhere, a cycle). */
ptowsp_status graph_layout_init(struct graph_layout *layout, const struct graph *graph, struct ptowsp_error *error);
void graph_layout_finish(struct graph_layout *layout);

#endif
