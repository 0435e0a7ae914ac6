/* SPDX-License-Identifier: MIT */
/* graph.c - collecting a graph, and reading a saved one. */
#include "tools/graph.h"

#include "format/fail.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void graph_finish(struct graph *g)
{
	free(g->tasks);
	free(g->edges);
	json_decref(g->document);
	memset(g, 0, sizeof(*g));
}

/* Room for one more element; 0 without memory. */
static int array_grow(void **array, size_t count, size_t *room, size_t each)
{
	size_t wanted = *room ? *room * 2 : 256;
	void *more;

	if (count < *room)
		return 1;
	more = realloc(*array, wanted * each);
	if (!more)
		return 0;
	*array = more;
	*room = wanted;
	return 1;
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

/* Members that are not what they should be are told by their place. */
static ptowsp_status tasks_read(struct graph *g, const json_t *list, const char *path, struct ptowsp_error *error)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *task = json_array_get(list, i), *id = json_object_get(task, "id");
		const char *kernel = json_string_value(json_object_get(task, "kernel"));
		json_int_t bytes = json_integer_value(json_object_get(task, "bytes"));

		if (!json_is_integer(id) || json_integer_value(id) < 0 || !kernel)
			return pkg_fail(error, PTOWSP_INVALID, "%s: tasks[%zu] must be {\"id\": number, \"kernel\": name}", path, i);
		graph_task_add(g, (uint64_t)json_integer_value(id), kernel, bytes > 0 ? (uint64_t)bytes : 0);
	}
	return PTOWSP_OK;
}

static ptowsp_status edges_read(struct graph *g, const json_t *list, const char *path, struct ptowsp_error *error)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *edge = json_array_get(list, i), *from = json_array_get(edge, 0), *to = json_array_get(edge, 1);

		if (json_array_size(edge) != 2 || !json_is_integer(from) || !json_is_integer(to) || json_integer_value(from) < 0 ||
		    json_integer_value(to) < 0)
			return pkg_fail(error, PTOWSP_INVALID, "%s: edges[%zu] must be [producer, consumer]", path, i);
		graph_edge_add(g, (uint64_t)json_integer_value(from), (uint64_t)json_integer_value(to));
	}
	return PTOWSP_OK;
}

ptowsp_status graph_read(struct graph *g, const char *path, struct ptowsp_error *error)
{
	FILE *file = fopen(path, "r");
	json_error_t wrong;
	json_t *root, *tasks, *edges;
	ptowsp_status st;

	if (!file)
		return pkg_fail_errno(error, path, "cannot be opened");
	root = json_loadf(file, JSON_REJECT_DUPLICATES, &wrong);
	fclose(file);
	if (!root)
		return pkg_fail(error, PTOWSP_INVALID, "%s is no saved graph: line %d, column %d: %s", path, wrong.line, wrong.column,
				wrong.text);
	g->document = root;
	tasks = json_object_get(root, "tasks");
	edges = json_object_get(root, "edges");
	if (!json_is_array(tasks) || !json_is_array(edges))
		return pkg_fail(error, PTOWSP_INVALID, "%s is no saved graph: it has no lists \"tasks\" and \"edges\"", path);
	st = tasks_read(g, tasks, path, error);
	return st ? st : edges_read(g, edges, path, error);
}
