/* SPDX-License-Identifier: MIT */
/* graph_read.c - reading a saved graph: the JSON form, and the text of a runtime dump, whoever wrote it. */
#include "tools/tools_graph.h"

#include "format/fail.h"
#include "format/format_file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

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

		if (json_array_size(edge) != 2 || !json_is_integer(from) || !json_is_integer(to) || json_integer_value(from) < 0 || json_integer_value(to) < 0)
			return pkg_fail(error, PTOWSP_INVALID, "%s: edges[%zu] must be [producer, consumer]", path, i);
		graph_edge_add(g, (uint64_t)json_integer_value(from), (uint64_t)json_integer_value(to));
	}
	return PTOWSP_OK;
}

static ptowsp_status json_read(struct graph *g, const char *path, struct ptowsp_error *error)
{
	json_error_t wrong;
	json_t *root = json_loads(g->text, JSON_REJECT_DUPLICATES, &wrong), *tasks, *edges;
	ptowsp_status status;

	if (!root)
		return pkg_fail(error, PTOWSP_INVALID, "%s is no saved graph: line %d, column %d: %s", path, wrong.line, wrong.column, wrong.text);
	g->document = root;
	tasks = json_object_get(root, "tasks");
	edges = json_object_get(root, "edges");
	if (!json_is_array(tasks) || !json_is_array(edges))
		return pkg_fail(error, PTOWSP_INVALID, "%s is no saved graph: it has no lists \"tasks\" and \"edges\"", path);
	status = tasks_read(g, tasks, path, error);
	return status ? status : edges_read(g, edges, path, error);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

/* Reads `word` and the number behind it; where it ends, NULL if it is not so. */
static char *numbered_read(char *at, const char *word, uint64_t *number_out)
{
	size_t length = strlen(word);
	char *end;

	if (strncmp(at, word, length) || at[length] < '0' || at[length] > '9')
		return NULL;
	*number_out = strtoull(at + length, &end, 10);
	return end;
}

/* The end of the name: before the last state of the line, as a name may hold anything. */
static char *state_find(char *line)
{
	static const char *const states[] = {" [READY] fanin=", " [WAIT]  fanin="};
	char *last = NULL;

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		for (char *at = line; (at = strstr(at, states[i])); at++)
			last = !last || at > last ? at : last;
	return last;
}

/* Kilobytes with one digit behind the point, which is all that the form has. */
static uint64_t bytes_read(const char *at)
{
	const char *size = strstr(at, " buf=");
	double kilobytes = size ? strtod(size + 5, NULL) : 0;

	return kilobytes > 0 && kilobytes < 1e15 ? (uint64_t)(kilobytes * 1024 + 0.5) : 0;
}

/* "  Task 3: name           [READY] fanin=0 buf=0.5KB fanout=[4]"; 0 if the line is not so. */
static int task_line_read(struct graph *g, char *line)
{
	uint64_t number;
	char *name = numbered_read(line, "  Task ", &number), *end = name ? state_find(name) : NULL;
	uint64_t bytes = end ? bytes_read(end) : 0;

	if (!end || strncmp(name, ": ", 2) || end < name + 2)
		return 0;
	while (end > name + 2 && end[-1] == ' ')
		end--;
	*end = 0;
	graph_task_add(g, number, name + 2, bytes);
	return 1;
}

/* "  Task 3 -> Task 4" */
static int edge_line_read(struct graph *g, char *line)
{
	uint64_t from, to;
	char *at = numbered_read(line, "  Task ", &from);

	at = at ? numbered_read(at, " -> Task ", &to) : NULL;
	if (!at || *at)
		return 0;
	graph_edge_add(g, from, to);
	return 1;
}

/* Rows follow a title in capitals, up to the next title; of other parts nothing is read. */
static ptowsp_status dump_read(struct graph *g, const char *path, struct ptowsp_error *error)
{
	int (*row)(struct graph *, char *) = NULL;
	size_t number = 0;
	int known = 0;

	g->rounded = 1;
	for (char *line = g->text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		number++;
		if (*line >= 'A' && *line <= 'Z') {
			row = !strcmp(line, "TASK TABLE") ? task_line_read : !strcmp(line, "DEPENDENCY GRAPH") ? edge_line_read : NULL;
			known |= row == task_line_read;
		} else if (*line == ' ' && row && !row(g, line)) {
			return pkg_fail(error, PTOWSP_INVALID, "%s, line %zu, is no %s of a runtime dump: \"%.60s\"", path, number,
					row == task_line_read ? "task" : "edge", line);
		}
	}
	return known ? PTOWSP_OK : pkg_fail(error, PTOWSP_INVALID, "%s is no saved graph: it is neither JSON nor a dump with a TASK TABLE", path);
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

/* The whole file as text is g's; neither form has a 0. */
static ptowsp_status text_take(struct graph *g, const char *path, struct ptowsp_error *error)
{
	void *text;
	size_t size;
	ptowsp_status status = pkg_file_load(path, PKG_FILE_TEXT, &text, &size, error);

	g->text = text;
	return !status && !size ? pkg_fail(error, PTOWSP_INVALID, "%s is no saved graph: it is empty", path) : status;
}

ptowsp_status graph_read(struct graph *g, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status = text_take(g, path, error);

	if (status)
		return status;
	return g->text[strspn(g->text, "= \t\r\n")] == 'P' ? dump_read(g, path, error) : json_read(g, path, error);
}
