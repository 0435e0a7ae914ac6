/* SPDX-License-Identifier: MIT */
/* graph_reach.h - whether one kernel of a graph ends before another one starts, for many pairs at once. */
#ifndef LANG_GRAPH_REACH_H
#define LANG_GRAPH_REACH_H

#include "lang/graph_order.h"

struct lang_graph_question {
	uint32_t from, to;        /* nodes; from is issued first */
	uint32_t about;           /* the asker's */
	uint8_t before, visible;  /* answers: from ends before to starts; and an edge on the way makes what it wrote visible */
};

/* Fills in the answers and sorts the questions by the place of `from`. Time: edges of the graph times kernels asked for / 64. */
void lang_graph_reach(struct lang_unit *unit, const struct lang_graph_order *order, struct lang_graph_question *questions, uint32_t count);

#endif
