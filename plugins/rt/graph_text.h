/* SPDX-License-Identifier: MIT */
/* graph_text.h - a task graph as text, in the form of the PTO-ISA seed's runtime dump (section 5.1 there). One writer for everybody who has a graph of some
 * sort: a head, a line per task, a line per edge. */
#ifndef RT_GRAPH_TEXT_H
#define RT_GRAPH_TEXT_H

#include <stdint.h>
#include <stdio.h>

struct rt_graph;

/* Parts in this order; errors of the file stay in the file. ready: tasks that wait for nobody. */
void rt_graph_text_begin(FILE *to, uint64_t tasks, uint64_t ready);
/* bytes: of what it writes. Followed by its successors, each with first = 0 but the first one. */
void rt_graph_text_task(FILE *to, uint64_t number, const char *kernel, uint64_t fanin, uint64_t bytes);
void rt_graph_text_successor(FILE *to, uint64_t number, int first);
void rt_graph_text_task_end(FILE *to);
void rt_graph_text_edges(FILE *to);
void rt_graph_text_edge(FILE *to, uint64_t from, uint64_t number);

/* A built graph. */
void rt_graph_dump(FILE *to, const struct rt_graph *graph);

#endif
