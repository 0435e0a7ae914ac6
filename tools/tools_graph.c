/* SPDX-License-Identifier: MIT */
/* tools_graph.c - collecting a graph. */
#include "tools/tools_graph.h"
#include "registry/common/common_grow.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void graph_finish(struct graph *g)
{
	free(g->tasks);
	free(g->edges);
	json_decref(g->document);
	free(g->text);
	memset(g, 0, sizeof(*g));
}

void graph_task_add(struct graph *g, uint64_t id, const char *kernel, uint64_t bytes)
{
	if (COMMON_GROW(g->tasks, g->task_room, g->task_count))
		g->tasks[g->task_count++] = (struct graph_task){id, kernel, bytes};
	else
		g->failed = 1;
}

void graph_edge_add(struct graph *g, uint64_t from, uint64_t to)
{
	if (COMMON_GROW(g->edges, g->edge_room, g->edge_count))
		g->edges[g->edge_count++] = (struct graph_edge){from, to};
	else
		g->failed = 1;
}
