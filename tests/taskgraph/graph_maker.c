/* SPDX-License-Identifier: MIT */
#include "tests/taskgraph/graph_maker.h"

#include "tests/check.h"
#include "tests/draw.h"
#include <stdlib.h>
#include <string.h>

uint32_t graph_pick(uint64_t *state, uint32_t n)
{
	return (uint32_t)draw(state, n);
}

static uint32_t preds_pick(uint64_t *state, uint32_t task, uint32_t most, uint64_t *preds)
{
	uint32_t count = 0, wanted = task && most ? graph_pick(state, most + 1) : 0;

	while (wanted--) {
		uint64_t p = task - 1 - graph_pick(state, task < 40 ? task : 40);
		uint32_t i = 0;

		while (i < count && preds[i] != p)
			i++;
		if (i == count)
			preds[count++] = p;
	}
	return count;
}

static void task_make(struct rt_graph_build *build, uint64_t *state, uint32_t t, uint32_t most, unsigned with)
{
	uint64_t preds[16], args[2] = {t, *state};
	struct rt_graph_io io = {.start = t % 64, .tensor = t % 2, .access = 1 + t % 3};
	struct rt_graph_task task = {
		.kernel = t % build->kernel_count, .executor = t % 4, .instruction = RT_GRAPH_NONE, .arg_count = t % 3, .io_count = 1, .cycles = t};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint32_t count = preds_pick(state, t, most, preds);

	if (t % 5)
		io.rows = 1, io.columns = 8;
	else
		io.length = 3;
	if (with & GRAPH_STREAMS)
		task.stream = graph_pick(state, 3);
	if (with & GRAPH_POOLS)
		task.queue = (uint8_t)graph_pick(state, 2);
	if (with & GRAPH_ORDERS)
		task.order = t > 20 && !graph_pick(state, 9) ? t - graph_pick(state, 20) : 0;
	REQUIRE_INT(rt_graph_task_add(build, &task, args, &io, preds, count, with & GRAPH_STREAMS, &error), PTOWSP_OK);
}

void *graph_make(uint64_t seed, uint32_t tasks, uint32_t most, unsigned with, uint64_t *size_out)
{
	struct rt_graph_build build = {.rules = RT_GRAPH_RULE_EXPLICIT};
	uint64_t state = seed * 2654435761u + 88172645463325252u;
	uint32_t *counts = malloc(((size_t)tasks + 1) * sizeof(*counts));
	const char *why;
	void *block;

	rt_graph_kernel_add(&build, "first", PTOWSP_UNIT_AIV);
	rt_graph_kernel_add(&build, "second", PTOWSP_UNIT_AIC);
	rt_graph_tensor_add(&build, "x", PTOWSP_F32, 128, 16);
	rt_graph_tensor_add(&build, "y", PTOWSP_I8, 128, 128);
	for (uint32_t t = 0; t < tasks; t++)
		task_make(&build, &state, t, most, with);
	REQUIRE_INT(rt_graph_block_make(&build, &block, size_out, NULL), PTOWSP_OK);
	rt_graph_build_finish(&build);
	why = rt_graph_check(block, *size_out, counts, NULL);
	if (why)
		CHECK_FAIL("seed %llu: %s", (unsigned long long)seed, why);
	free(counts);
	return block;
}

/* ---- the diary ----------------------------------------------------------------------------------------------------- */

void graph_diary_init(struct graph_diary *diary, const struct rt_graph *graph)
{
	size_t n = (size_t)graph->task_count + 1;

	memset(diary, 0, sizeof(*diary));
	diary->graph = graph;
	diary->began = calloc(n, sizeof(*diary->began));
	diary->ended = calloc(n, sizeof(*diary->ended));
	diary->worker = calloc(n, sizeof(*diary->worker));
	diary->fail_at = RT_GRAPH_NONE;
	REQUIRE(diary->began && diary->ended && diary->worker);
}

void graph_diary_finish(struct graph_diary *diary)
{
	free(diary->began);
	free(diary->ended);
	free(diary->worker);
}

/* Plain stores: if order between tasks is not given, the thread sanitizer sees it in the checks below that read them. */
ptowsp_status graph_diary_task(void *context, uint32_t task, uint32_t worker, struct ptowsp_error *error)
{
	struct graph_diary *diary = context;
	const struct rt_graph *g = diary->graph;

	if (diary->began[task])
		atomic_fetch_add(&diary->twice, 1);
	diary->began[task] = atomic_fetch_add(&diary->now, 1) + 1;
	diary->worker[task] = worker;
	if (task == diary->fail_at) {
		memcpy(error->text, "it was told to", sizeof("it was told to"));
		return PTOWSP_KERNEL_FAILED;
	}
	for (uint32_t e = 0; e < g->tasks[task].fanout_count; e++)
		if (diary->began[g->edges[g->tasks[task].fanout_begin + e]])
			atomic_fetch_add(&diary->twice, 1); /* a successor was faster */
	diary->ended[task] = atomic_fetch_add(&diary->now, 1) + 1;
	return PTOWSP_OK;
}

static const char *behind(const struct graph_diary *diary, uint32_t from, uint32_t to)
{
	if (diary->ended[from] < diary->began[to])
		return NULL;
	return check_fmt("task %u began at %u, and task %u that it waits for ended at %u", to, diary->began[to], from, diary->ended[from]);
}

const char *graph_diary_check(const struct graph_diary *diary)
{
	const struct rt_graph *g = diary->graph;
	const char *why = NULL;

	if (diary->twice)
		return check_fmt("%u tasks ran twice or too early", diary->twice);
	for (uint32_t t = 0; !why && t < g->task_count; t++) {
		const struct rt_graph_task *task = &g->tasks[t];

		if (!diary->ended[t])
			return check_fmt("task %u did not run", t);
		for (uint32_t e = 0; !why && e < task->fanout_count; e++)
			why = behind(diary, t, g->edges[task->fanout_begin + e]);
		if (!why && task->stream_next != RT_GRAPH_NONE)
			why = behind(diary, t, task->stream_next);
		for (uint32_t before = 0; !why && before < task->order; before++)
			why = behind(diary, before, t);
	}
	return why;
}
