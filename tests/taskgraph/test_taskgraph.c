/* SPDX-License-Identifier: MIT
 * test_taskgraph.c - the task graphs of the corpus, edge for edge, in process and through ptowsp-run. */
#include "tests/check.h"

#include "tests/corpus.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRAPH, PTO, FUNCTION, SCALARS, TASKS, SUM_FANIN, EDGES, READY, DEPTH, FANOUT, FULL_EDGES, FULL_READY, FULL_DEPTH, KERNELS };

/* What a run showed: kernels in task order, edges as consumer << 32 | producer. */
struct graph {
	const struct ptowsp_plan *plan;
	const char **kernels;
	uint32_t tasks, task_room, out_of_order;
	uint64_t *edges;
	uint32_t edge_count, edge_room;
};

static void graph_finish(struct graph *g)
{
	free(g->kernels);
	free(g->edges);
	*g = (struct graph){0};
}

static void kernel_add(struct graph *g, const char *kernel)
{
	if (g->tasks == g->task_room) {
		g->task_room = g->task_room ? 2 * g->task_room : 1024;
		g->kernels = realloc(g->kernels, g->task_room * sizeof(*g->kernels));
	}
	g->kernels[g->tasks++] = kernel;
}

static void edge_add(struct graph *g, uint64_t producer, uint64_t consumer)
{
	if (g->edge_count == g->edge_room) {
		g->edge_room = g->edge_room ? 2 * g->edge_room : 1024;
		g->edges = realloc(g->edges, g->edge_room * sizeof(*g->edges));
	}
	g->edges[g->edge_count++] = consumer << 32 | producer;
}

static void on_tasks(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	struct graph *g = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_task *task = (const void *)((const char *)tasks + (size_t)i * stride);

		g->out_of_order += task->task != g->tasks; /* on the plugin's thread: no check here */
		kernel_add(g, ptowsp_plan_kernel(g->plan, task->kernel));
	}
}

static void on_edges(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_graph_edge *edge = (const void *)((const char *)edges + (size_t)i * stride);

		edge_add(context, edge->producer, edge->consumer);
	}
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts; gives how many pairs were there more than once. */
static uint32_t edges_sort(struct graph *g)
{
	uint32_t kept = 0, all = g->edge_count;

	if (all)
		qsort(g->edges, all, sizeof(*g->edges), ascending);
	for (uint32_t i = 0; i < all; i++)
		if (!kept || g->edges[kept - 1] != g->edges[i])
			g->edges[kept++] = g->edges[i];
	g->edge_count = kept;
	return all - kept;
}

/* Tasks without predecessor, tasks on the longest path, most successors of one task. Edges sorted by consumer. */
static void figures(const struct graph *g, uint32_t *ready_out, uint32_t *depth_out, uint32_t *fanout_out)
{
	uint32_t *level = calloc(g->tasks + 1, sizeof(*level)), *fanout = calloc(g->tasks + 1, sizeof(*fanout)), e = 0;

	*ready_out = *depth_out = *fanout_out = 0;
	for (uint32_t t = 0; t < g->tasks; t++) {
		uint32_t first = e;

		level[t] = 1;
		for (; e < g->edge_count && g->edges[e] >> 32 == t; e++) {
			uint32_t p = (uint32_t)g->edges[e];

			level[t] = level[p] + 1 > level[t] ? level[p] + 1 : level[t];
			*fanout_out = ++fanout[p] > *fanout_out ? fanout[p] : *fanout_out;
		}
		*ready_out += first == e;
		*depth_out = level[t] > *depth_out ? level[t] : *depth_out;
	}
	free(level);
	free(fanout);
}

/* Runs the row without kernels in process. */
static bool graph_make(struct graph *g, const struct corpus_row *row, const char *hazards)
{
	const char *schedule[] = {"deps=tensor_map_exact", check_fmt("hazards=%s", hazards), "task_window=0"};
	struct ptowsp_execute_options options = {.flags = PTOWSP_RUN_NO_KERNELS};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_plan *plan;
	struct ptowsp_program *program = corpus_load(row->columns[PTO], row->columns[FUNCTION], schedule, 3, row->columns[SCALARS], &plan);
	ptowsp_status status;

	*g = (struct graph){.plan = plan};
	if (!program)
		return false;
	status = ptowsp_trace_attach(program, on_tasks, g, &error);
	if (!status)
		status = ptowsp_graph_attach(program, on_edges, g, &error);
	if (!status)
		status = ptowsp_execute(program, &options, &error);
	if (status)
		CHECK_FAIL("%s: %s", row->columns[GRAPH], error.text);
	CHECK_UINT(g->out_of_order, 0);
	CHECK_UINT(edges_sort(g), 0); /* each pair comes once */
	CHECK_UINT(ptowsp_stats(program)->tasks, g->tasks);
	CHECK_UINT(ptowsp_stats(program)->edges, g->edge_count);
	ptowsp_program_unload(program);
	return status == 0;
}

/* Leaves kernel names dangling: after they have been compared. */
static void plan_free(struct graph *g)
{
	ptowsp_plan_destroy((struct ptowsp_plan *)(uintptr_t)g->plan);
	graph_finish(g);
}

static uint32_t number(const struct corpus_row *row, unsigned column)
{
	return (uint32_t)strtoul(row->columns[column], NULL, 10);
}

/* "name=count,..." and nothing else. */
static void kernels_compare(const struct graph *g, const char *wanted)
{
	char *text = strdup(wanted), *at = text, *item;
	uint32_t sum = 0;

	while ((item = strsep(&at, ","))) {
		char *equals = strchr(item, '=');
		uint32_t count = 0;

		*equals++ = 0;
		for (uint32_t t = 0; t < g->tasks; t++)
			count += !strcmp(g->kernels[t], item);
		if (count != strtoul(equals, NULL, 10))
			CHECK_FAIL("%u tasks of %s, wanted %s", count, item, equals);
		sum += count;
	}
	CHECK_UINT(sum, g->tasks);
	free(text);
}

static void counts_compare(const struct graph *g, const struct corpus_row *row, bool full)
{
	uint32_t ready, depth, fanout;

	figures(g, &ready, &depth, &fanout);
	CHECK_UINT(g->tasks, number(row, TASKS));
	CHECK_UINT(g->edge_count, number(row, full ? FULL_EDGES : EDGES));
	CHECK_UINT(ready, number(row, full ? FULL_READY : READY));
	CHECK_UINT(depth, number(row, full ? FULL_DEPTH : DEPTH));
	if (!full)
		CHECK_UINT(fanout, number(row, FANOUT));
}

/* The stored lists of a graph; false if the corpus has only its counts. */
static bool stored_read(const char *name, const char *what, struct corpus_table *table)
{
	return corpus_table_read(table, check_fmt("%s/corpus/taskgraph/%s.%s.tsv", check_shared(), name, what)) ||
	       corpus_table_read(table, check_fmt("%s/corpus/taskgraph/%s.%s.tsv.gz", check_shared(), name, what));
}

static void tasks_compare(const struct graph *g, const char *name)
{
	struct corpus_table stored;
	uint32_t wrong = 0;

	if (!stored_read(name, "tasks", &stored))
		return;
	CHECK_UINT(stored.count, g->tasks);
	for (uint32_t t = 0; t < stored.count && t < g->tasks; t++)
		wrong += strcmp(stored.rows[t].columns[1], g->kernels[t]) != 0;
	CHECK_UINT(wrong, 0);
	corpus_table_free(&stored);
}

static void edges_compare(const struct graph *g, const char *name)
{
	struct graph wanted = {0};
	struct corpus_table stored;

	if (!stored_read(name, "edges", &stored))
		return;
	for (uint32_t i = 0; i < stored.count; i++)
		edge_add(&wanted, strtoull(stored.rows[i].columns[0], NULL, 10), strtoull(stored.rows[i].columns[1], NULL, 10));
	edges_sort(&wanted);
	CHECK_UINT(g->edge_count, wanted.edge_count);
	for (uint32_t i = 0; i < wanted.edge_count && i < g->edge_count; i++)
		if (wanted.edges[i] != g->edges[i]) {
			CHECK_FAIL("edge %u is %u -> %u, wanted %u -> %u", i, (uint32_t)g->edges[i], (uint32_t)(g->edges[i] >> 32), (uint32_t)wanted.edges[i],
				   (uint32_t)(wanted.edges[i] >> 32));
			break;
		}
	graph_finish(&wanted);
	corpus_table_free(&stored);
}

static bool summary_read(struct corpus_table *summary)
{
	return corpus_table_read(summary, check_fmt("%s/corpus/taskgraph/summary.tsv", check_shared()));
}

TEST(graphs_equal_the_stored_ones_edge_for_edge)
{
	struct corpus_table summary;

	CHECK_NEED_SHARED();
	REQUIRE(summary_read(&summary));
	CHECK_UINT(summary.count, 5);
	for (uint32_t i = 0; i < summary.count; i++) {
		struct graph g;

		if (graph_make(&g, &summary.rows[i], "raw")) {
			counts_compare(&g, &summary.rows[i], false);
			kernels_compare(&g, summary.rows[i].columns[KERNELS]);
			tasks_compare(&g, summary.rows[i].columns[GRAPH]);
			edges_compare(&g, summary.rows[i].columns[GRAPH]);
		}
		plan_free(&g);
	}
	corpus_table_free(&summary);
}

TEST(full_hazards_give_the_counts_of_the_summary)
{
	struct corpus_table summary;

	CHECK_NEED_SHARED();
	REQUIRE(summary_read(&summary));
	for (uint32_t i = 0; i < summary.count; i++) {
		struct graph g;

		if (graph_make(&g, &summary.rows[i], "full"))
			counts_compare(&g, &summary.rows[i], true);
		plan_free(&g);
	}
	corpus_table_free(&summary);
}

/* ---- through the tools ---------------------------------------------------------------------------------------- */

/* {"tasks":[{"id","kernel"}],"edges":[[producer,consumer],...]} */
static bool graph_file_read(struct graph *g, json_t *root)
{
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(root, "tasks"), i, item)
	{
		CHECK_INT(json_integer_value(json_object_get(item, "id")), i);
		kernel_add(g, json_string_value(json_object_get(item, "kernel")));
	}
	json_array_foreach(json_object_get(root, "edges"), i, item)
		edge_add(g, (uint64_t)json_integer_value(json_array_get(item, 0)), (uint64_t)json_integer_value(json_array_get(item, 1)));
	return g->tasks > 0;
}

static void graph_through_the_tools(const struct corpus_row *row)
{
	const char *dir = check_tmp();
	char *text = strdup(row->columns[SCALARS]), *at = text, *item, *command = NULL, *err = NULL;
	struct graph g = {0};
	json_t *root;
	size_t size;
	FILE *f = open_memstream(&command, &size);

	fprintf(f, "'%s/bin/ptowsp-pack' '%s/corpus/%s' -o '%s/g.pkg.zst' && ", check_build(), check_shared(), row->columns[PTO], dir);
	fprintf(f, "'%s/bin/ptowsp-run' '%s/g.pkg.zst' --entry %s --no-kernels --schedule deps=tensor_map_exact --schedule hazards=raw", check_build(), dir,
		row->columns[FUNCTION]);
	while ((item = strsep(&at, ",")))
		fprintf(f, " --set %s", item);
	fprintf(f, " --graph '%s/g.json'", dir);
	fclose(f);
	if (check_run(command, NULL, &err))
		CHECK_FAIL("%s: %s", row->columns[GRAPH], err);
	root = json_load_file(check_fmt("%s/g.json", dir), 0, NULL);
	if (root && graph_file_read(&g, root)) {
		CHECK_UINT(edges_sort(&g), 0);
		counts_compare(&g, row, false);
		tasks_compare(&g, row->columns[GRAPH]);
		edges_compare(&g, row->columns[GRAPH]);
	} else {
		CHECK_FAIL("%s: no graph in the file", row->columns[GRAPH]);
	}
	json_decref(root);
	graph_finish(&g);
	free(err);
	free(command);
	free(text);
}

TEST(ptowsp_run_writes_the_stored_graphs)
{
	struct corpus_table summary;

	CHECK_NEED_SHARED();
	REQUIRE(summary_read(&summary));
	for (uint32_t i = 0; i < summary.count; i++)
		graph_through_the_tools(&summary.rows[i]);
	corpus_table_free(&summary);
}
