/* SPDX-License-Identifier: MIT */
/* graph_layout.c - rows, neighbours and levels of a task graph. */
#include "tools/graph_layout.h"

#include "format/fail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void graph_layout_finish(struct graph_layout *l)
{
	uint32_t *const owned[] = {l->order, l->from, l->to, l->first, l->next, l->back_first, l->back, l->level, l->missing};

	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		free(owned[i]);
}

/* Tasks by id, to find the rows of an edge. */
struct place {
	uint64_t id;
	uint32_t row;
};

static int place_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct place *)a)->id, y = ((const struct place *)b)->id;

	return x < y ? -1 : x > y;
}

/* Row of the task with that id, or UINT32_MAX. */
static uint32_t row_of(const struct place *places, size_t count, uint64_t id)
{
	const struct place wanted = {id, 0}, *found = bsearch(&wanted, places, count, sizeof(*places), place_compare);

	return found ? found->row : UINT32_MAX;
}

static ptowsp_status edges_place(struct graph_layout *l, const struct place *places, struct ptowsp_error *error)
{
	const struct graph *g = l->graph;

	for (size_t i = 1; i < g->task_count; i++)
		if (places[i].id == places[i - 1].id)
			return pkg_fail(error, PTOWSP_INVALID, "the graph has two tasks %" PRIu64, places[i].id);
	for (size_t i = 0; i < g->edge_count; i++) {
		const struct graph_edge *e = &g->edges[i];

		l->from[i] = row_of(places, g->task_count, e->from);
		l->to[i] = row_of(places, g->task_count, e->to);
		if (l->from[i] == UINT32_MAX || l->to[i] == UINT32_MAX)
			return pkg_fail(error, PTOWSP_INVALID, "edge %zu goes from %" PRIu64 " to %" PRIu64 ": there is no such task", i, e->from, e->to);
	}
	return PTOWSP_OK;
}

static ptowsp_status rows_find(struct graph_layout *l, struct ptowsp_error *error)
{
	const struct graph *g = l->graph;
	struct place *places = malloc((g->task_count + 1) * sizeof(*places));
	ptowsp_status status;

	if (!places)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for a graph of %u tasks", g->task_count);
	for (uint32_t i = 0; i < g->task_count; i++)
		places[i] = (struct place){g->tasks[i].id, i};
	qsort(places, g->task_count, sizeof(*places), place_compare);
	status = edges_place(l, places, error);
	free(places);
	return status;
}

/* Lists of the other ends of edges by row: a counting sort by `key`. */
static void lists_fill(const struct graph_layout *l, const uint32_t *key, const uint32_t *value, uint32_t *first, uint32_t *list)
{
	size_t tasks = l->graph->task_count, edges = l->graph->edge_count;

	memset(first, 0, (tasks + 1) * sizeof(*first));
	for (size_t i = 0; i < edges; i++)
		first[key[i] + 1]++;
	for (size_t t = 0; t < tasks; t++)
		first[t + 1] += first[t];
	for (size_t i = edges; i-- > 0;) /* filled from behind, which leaves first[t + 1] at its beginning */
		list[--first[key[i] + 1]] = value[i];
	memmove(first, first + 1, tasks * sizeof(*first));
	first[tasks] = (uint32_t)edges;
}

static ptowsp_status levels_find(struct graph_layout *l, struct ptowsp_error *error)
{
	size_t tasks = l->graph->task_count, done = 0, seen = 0;
	uint32_t *queue = l->order;

	for (uint32_t t = 0; t < tasks; t++) {
		l->level[t] = 0;
		l->missing[t] = l->back_first[t + 1] - l->back_first[t];
		if (!l->missing[t])
			queue[seen++] = t;
	}
	for (; done < seen; done++) {
		uint32_t t = queue[done];

		if (l->level[t] >= l->level_count)
			l->level_count = l->level[t] + 1;
		for (uint32_t i = l->first[t]; i < l->first[t + 1]; i++) {
			uint32_t to = l->next[i];

			if (l->level[to] <= l->level[t])
				l->level[to] = l->level[t] + 1;
			if (!--l->missing[to])
				queue[seen++] = to;
		}
	}
	return done == tasks ? PTOWSP_OK : pkg_fail(error, PTOWSP_INVALID, "the edges of the graph form a cycle");
}

/* Fills order by counting: how many tasks each level has, then where it begins. */
static ptowsp_status order_fill(struct graph_layout *l, struct ptowsp_error *error)
{
	size_t tasks = l->graph->task_count;
	uint32_t *start = calloc((size_t)l->level_count + 1, sizeof(*start));

	if (!start)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for a graph of %zu tasks", tasks);
	for (size_t t = 0; t < tasks; t++)
		start[l->level[t] + 1]++;
	for (uint32_t i = 0; i < l->level_count; i++)
		start[i + 1] += start[i];
	for (uint32_t t = 0; t < tasks; t++)
		l->order[start[l->level[t]]++] = t;
	free(start);
	return PTOWSP_OK;
}

static int arrays_allocate(struct graph_layout *l)
{
	uint32_t **const per_task[] = {&l->order, &l->first, &l->back_first, &l->level, &l->missing};
	uint32_t **const per_edge[] = {&l->from, &l->to, &l->next, &l->back};
	int done = 1;

	for (size_t i = 0; i < sizeof(per_task) / sizeof(per_task[0]); i++)
		done &= (*per_task[i] = malloc((l->graph->task_count + 1) * sizeof(uint32_t))) != NULL;
	for (size_t i = 0; i < sizeof(per_edge) / sizeof(per_edge[0]); i++)
		done &= (*per_edge[i] = malloc((l->graph->edge_count + 1) * sizeof(uint32_t))) != NULL;
	return done;
}

ptowsp_status graph_layout_init(struct graph_layout *l, const struct graph *g, struct ptowsp_error *error)
{
	ptowsp_status status;

	memset(l, 0, sizeof(*l));
	l->graph = g;
	if (g->failed || g->task_count >= UINT32_MAX || g->edge_count >= UINT32_MAX || !arrays_allocate(l))
		return pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for a graph of %u tasks and %u edges", g->task_count, g->edge_count);
	status = rows_find(l, error);
	if (status)
		return status;
	lists_fill(l, l->from, l->to, l->first, l->next);
	lists_fill(l, l->to, l->from, l->back_first, l->back);
	status = levels_find(l, error);
	return status ? status : order_fill(l, error);
}
