/* SPDX-License-Identifier: MIT */
/* tools_graph.h - a task graph as text, Graphviz source, picture or JSON; text and JSON can be read again. */
#ifndef TOOLS_GRAPH_H
#define TOOLS_GRAPH_H

#include "ptowsp/base.h"

#define GRAPH_SCHEMA  "ptowsp.graph/1"
#define GRAPH_MOST    (UINT64_C(1) << 22) /* tasks and edges of a run that are collected: 180 MB, and some seconds to write them */

#define GRAPH_DRAW_MS UINT64_C(120000) /* that Graphviz may take for a picture, where nobody says otherwise */

struct graph_task {
	uint64_t id;        /* its number */
	const char *kernel; /* borrowed: lives as long as the graph */
	uint64_t bytes;     /* size of what it writes, 0: not shown */
};
struct graph_edge {
	uint64_t from, to; /* ids: producer, consumer */
};

/* Grows task by task; a zeroed struct is an empty graph. After a failed allocation it keeps what it has and the writer
 * reports it. */
struct graph {
	struct graph_task *tasks; /* owned */
	struct graph_edge *edges; /* owned */
	uint32_t task_count, task_room, edge_count, edge_room;
	void *document;       /* owned: what a graph that was read borrows its names from, */
	char *text;           /* owned: as JSON or as text */
	uint64_t graphviz_ms; /* that Graphviz may take, 0: GRAPH_DRAW_MS */
	int failed;
	int rounded; /* sizes have one digit of a kilobyte, as they were read from text */
};
void graph_finish(struct graph *graph);
void graph_task_add(struct graph *graph, uint64_t id, const char *kernel, uint64_t bytes);
void graph_edge_add(struct graph *graph, uint64_t from, uint64_t to);

/* Is the ending of path one that graph_save knows (or path "-")? To be asked before a run. INVALID with the list if not. */
ptowsp_status graph_path_check(const char *path, struct ptowsp_error *error);

/* Writes path by its ending: .txt .dot .svg .pdf .json; "-" is text on stdout. A file is either what it was or the whole new
 * one. Errors: INVALID (ending, or an edge names no task, or there is a cycle), IO, NO_MEMORY, NO_DEVICE: the program `dot` of
 * Graphviz, which makes svg and pdf, was not found, failed, took too long or made none. */
ptowsp_status graph_save(const struct graph *graph, const char *path, struct ptowsp_error *error);
/* The same without putting the file in its place: *out_file is what output_publish (output.h) takes, or empty for "-"; the caller drops it. */
struct output;
ptowsp_status graph_file(const struct graph *graph, const char *path, struct output *out_file, struct ptowsp_error *error);

/* graph_read.c: reads the JSON form, or the text form, in which sizes have one digit of a kilobyte, into an empty graph. Errors: IO, INVALID with file,
 * line and column or what is missing, NO_MEMORY. */
ptowsp_status graph_read(struct graph *graph, const char *path, struct ptowsp_error *error);

#endif
