/* SPDX-License-Identifier: MIT */
/* graph_order.h - what comes before what among the kernels of one graph. */
#ifndef LANG_GRAPH_ORDER_H
#define LANG_GRAPH_ORDER_H

#include "lang/lang_graph.h"

struct lang_graph_edge {
	uint32_t from, to;                  /* nodes */
	uint8_t type;                       /* PTOWSP_dep_type_x; AFTER for events and barriers */
	const struct lang_graph_inst *inst; /* that says so */
};
/* Nodes are the kernels of a graph in the order of its array; behind them events and barriers have nodes of their own. */
struct lang_graph_order {
	struct lang_graph *graph;
	uint32_t *segment;         /* by kernel node: kernels of one segment may be sorted, others stay in program text */
	const struct lang_graph_inst **fences; /* MC_FENCE of the graph, in program text */
	uint32_t fence_count, fence_capacity;
	uint32_t *position;        /* by kernel node: where it is issued, 0 first */
	struct lang_graph_edge *edges;
	uint32_t edge_count, edge_capacity;
	uint32_t kernel_count, node_count;
	uint32_t ready, barriers;  /* with barriers: first node in front of the kernels, first barrier; else 0 */
	uint32_t *sorted, *rank;   /* all nodes so that every edge leads forward; and by node its place there */
	uint32_t *first, *next;    /* edges from a node, as lists: place in edges plus 1 */
	uint8_t broken;            /* 1: a cycle, or an edge that leads back */
};

/* Makes the edges of a graph, refuses cycles and edges against program text, and sorts the body. */
void lang_graph_order_make(struct lang_unit *unit, struct lang_graph *graph, struct lang_graph_order *order_out);
/* graph_sort.c: the part that sorts, once there are edges. Refuses cycles, and kernels that would have to pass what has a fixed place. */
void lang_graph_sort(struct lang_unit *unit, struct lang_graph_order *order);
const char *lang_graph_node_name(const struct lang_graph_order *order, uint32_t node);
/* 1 if an MC_FENCE stands between the two instructions that is reached whenever the second one is, or the first. */
int lang_graph_is_fenced(const struct lang_graph_order *order, const struct lang_graph_inst *a, const struct lang_graph_inst *b);

#endif
