/* SPDX-License-Identifier: MIT */
/* tools_graph.c - collecting a graph. */
#include "tools/tools_graph.h"

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

/* Room for one more element; 0 without memory. */
static bool array_grow(void **array, size_t count, size_t *room, size_t each)
{
	size_t wanted = *room ? *room * 2 : 256;
	void *more;

	if (count < *room)
		return true;
	more = realloc(*array, wanted * each);
	if (!more)
		return false;
	*array = more;
	*room = wanted;
	return true;
}

void graph_task_add(struct graph *g, uint64_t id, const char *kernel, uint64_t bytes)
{
	if (array_grow((void **)&g->tasks, g->task_count, &g->task_room, sizeof(*g->tasks)))
		g->tasks[g->task_count++] = (struct graph_task){id, kernel, bytes};
	else
		g->failed = 1;
}

void graph_edge_add(struct graph *g, uint64_t from, uint64_t to)
{
	if (array_grow((void **)&g->edges, g->edge_count, &g->edge_room, sizeof(*g->edges)))
		g->edges[g->edge_count++] = (struct graph_edge){from, to};
	else
		g->failed = 1;
}
