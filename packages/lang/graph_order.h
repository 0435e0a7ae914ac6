/* SPDX-License-Identifier: MIT */
/* graph_order.h - what comes before what among the kernels of one graph. */
#ifndef LANG_GRAPH_ORDER_H
#define LANG_GRAPH_ORDER_H

#include "lang/graph.h"

#define LANG_GRAPH_REACH_LIMIT 4096u /* kernels up to which it is known of every two which comes first */

struct lang_graph_edge {
	uint32_t from, to;                  /* nodes */
	uint8_t type;                       /* PTOWSP_dep_type_x; AFTER for events and barriers */
	const struct lang_graph_inst *inst; /* that says so */
};
/* Nodes are the kernels of a graph in the order of its array; behind them events and barriers have nodes of their own. */
struct lang_graph_order {
	struct lang_graph *graph;
	uint32_t *segment;         /* by kernel node: kernels of one segment may be sorted, others stay in program text */
	uint32_t *fences;          /* by kernel node: MC_FENCE above it in this graph */
	uint32_t *position;        /* by kernel node: where it is issued, 0 first */
	struct lang_graph_edge *edges;
	uint32_t edge_count, edge_capacity;
	uint32_t kernel_count, node_count;
	uint32_t ready, barriers;  /* with barriers: first node in front of the kernels, first barrier; else 0 */
	uint64_t *before, *visible; /* node_count words of 64 each: bit j of row i: i ends before j starts; and a DATA or BARRIER edge lies on
	                             * the way. NULL beyond the limit */
	uint32_t words;
	uint8_t broken;            /* 1: a cycle, or an edge that leads back */
};

/* Makes the edges of a graph, refuses cycles and edges against program text, and sorts the body. */
void lang_graph_order_make(struct lang_unit *unit, struct lang_graph *graph, struct lang_graph_order *order_out);
/* 1 if a ends before b starts. Only up to the limit. */
static inline int lang_graph_is_before(const struct lang_graph_order *order, uint32_t a, uint32_t b)
{
	return (int)(order->before[(size_t)a * order->words + b / 64] >> (b % 64) & 1);
}
static inline int lang_graph_is_visible(const struct lang_graph_order *order, uint32_t a, uint32_t b)
{
	return (int)(order->visible[(size_t)a * order->words + b / 64] >> (b % 64) & 1) || order->fences[a] != order->fences[b];
}

#endif
