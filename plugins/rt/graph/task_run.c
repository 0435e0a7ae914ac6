/* SPDX-License-Identifier: MIT */
/* task_run.c - runs of the C interface of tasks: an orchestration function called, its graph built or its tasks in flight, and what came of it. */
#include "registry/common/common_grow.h"
#include "rt/graph/tasks.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORKSPACE_MOST (UINT64_C(1) << 44) /* bytes of one; as many as workers do not wrap */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

bool rt_tasks_cancelled(const struct rt_tasks *tasks)
{
	/* Relaxed: nothing else is learnt from it. */
	return tasks->config.cancel && atomic_load_explicit((const volatile _Atomic uint32_t *)tasks->config.cancel, memory_order_relaxed);
}

static ptowsp_status look(void *context, struct ptowsp_error *error)
{
	return rt_tasks_cancelled(context) ? rt_fail(error, PTOWSP_CANCELLED, "the run was cancelled") : PTOWSP_OK;
}

/* Threads are kept while their number stays the same. */
static ptowsp_status pool_make(struct rt_tasks *tasks, uint32_t workers)
{
	ptowsp_status status = PTOWSP_OK;

	if (!workers || workers > 4096)
		return rt_fail(&tasks->error, PTOWSP_INVALID, "%u workers: there are 1 to 4096", workers);
	if (workers == tasks->workers)
		return PTOWSP_OK;
	rt_pool_destroy(tasks->pool);
	free(tasks->windows);
	free(tasks->workspace);
	tasks->pool = NULL;
	tasks->workspace = NULL;
	tasks->workspace_stride = 0;
	tasks->workers = 0;
	tasks->windows = calloc((size_t)workers * tasks->config.most_tensors, sizeof(*tasks->windows));
	status = tasks->windows ? rt_pool_create(&tasks->pool, workers, &tasks->error) : rt_no_memory(&tasks->error, "workers");
	if (!status)
		tasks->workers = workers;
	return status;
}

/* Memory per worker for the largest workspace, kept while it suffices. */
static ptowsp_status workspaces_make(struct rt_tasks *tasks)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < tasks->tables.kernel_count; i++)
		if (tasks->functions[i].workspace > most)
			most = tasks->functions[i].workspace;
	if (most <= tasks->workspace_stride)
		return PTOWSP_OK;
	free(tasks->workspace);
	tasks->workspace_stride = 0;
	tasks->workspace = most > WORKSPACE_MOST ? NULL : aligned_alloc(64, (most + 63) / 64 * 64 * tasks->workers);
	if (!tasks->workspace)
		return rt_fail(&tasks->error, PTOWSP_NO_MEMORY, "no memory for workspaces of %llu bytes on %u workers", (unsigned long long)most,
			       tasks->workers);
	tasks->workspace_stride = (most + 63) / 64 * 64;
	return PTOWSP_OK;
}

static ptowsp_status workers_make(struct rt_tasks *tasks, uint32_t workers)
{
	const ptowsp_status status = pool_make(tasks, workers);

	return status ? status : workspaces_make(tasks);
}

/* A new run: errors of the last one are forgotten, errors of kernels or tensors are not. */
static ptowsp_status begin(struct rt_tasks *tasks, uint64_t window)
{
	if (tasks->running)
		return rt_fail(&tasks->error, PTOWSP_INVALID, "a run inside an orchestration function");
	if (tasks->refused)
		return rt_fail(&tasks->error, tasks->refused, "%s", tasks->refused_error.text);
	if (tasks->tables.failed)
		return rt_no_memory(&tasks->error, "kernels and tensors");
	rt_graph_state_finish(&tasks->state);
	free(tasks->block);
	tasks->block = NULL;
	tasks->next = tasks->edges = tasks->barrier = 0;
	rt_task_moves_finish(&tasks->moves);
	free(tasks->events);
	tasks->events = NULL;
	tasks->event_count = 0;
	rt_task_channels_reset(tasks);
	tasks->scopes = 0;
	tasks->open = false;
	rt_graph_build_clear(&tasks->tables);
	tasks->tables.max_tasks = tasks->config.max_tasks;
	tasks->tables.max_bytes = tasks->config.max_bytes;
	tasks->tables.rules = tasks->config.rules;
	if (!rt_task_deps_init(&tasks->deps, tasks->config.rules, window, tasks->tables.tensor_count))
		return rt_no_memory(&tasks->error, "the tensor map");
	return PTOWSP_OK;
}

static ptowsp_status orchestrate(struct rt_tasks *tasks, rt_orchestration_fn function, void *context, struct rt_tasks_result *result)
{
	uint64_t began = now_ns();
	ptowsp_status status;

	tasks->running = true;
	status = function(tasks, context);
	tasks->running = false;
	result->build_ns = now_ns() - began;
	result->tasks = rt_tasks_count(tasks);
	result->edges = tasks->edges;
	if (tasks->status)
		return tasks->status;
	if (status)
		return rt_fail(&tasks->error, status, "the orchestration function failed with status %d", (int)status);
	if (tasks->open)
		return rt_fail_at(&tasks->error, PTOWSP_INVALID, tasks->next, UINT64_MAX, "task %llu: it was allocated and not submitted",
				  (unsigned long long)tasks->next);
	if (tasks->scopes)
		return rt_fail(&tasks->error, PTOWSP_INVALID, "%u scopes are open at the end of the orchestration function", tasks->scopes);
	return PTOWSP_OK;
}

static ptowsp_status build(struct rt_tasks *tasks, rt_orchestration_fn function, void *context, struct rt_tasks_result *result)
{
	uint64_t size;
	ptowsp_status status = begin(tasks, 0);

	if (!status)
		status = orchestrate(tasks, function, context, result);
	rt_task_deps_finish(&tasks->deps);
	if (!status)
		status = rt_graph_block_make(&tasks->tables, &tasks->block, &size, &tasks->error);
	rt_graph_build_clear(&tasks->tables);
	if (!status) {
		rt_graph_open(&tasks->graph, tasks->block);
		result->bytes = size;
	}
	return status;
}

static ptowsp_status graph_task(void *context, uint32_t number, uint32_t worker, struct ptowsp_error *error)
{
	struct rt_tasks *tasks = context;
	const struct rt_graph_task *task = &tasks->graph.tasks[number];

	return rt_task_call(tasks, task, number, tasks->graph.args + task->args_begin, tasks->graph.ios + task->io_begin, worker, error);
}

static ptowsp_status graph_run(struct rt_tasks *tasks, struct rt_tasks_result *result)
{
	const struct rt_graph_how how = {.pool = tasks->pool, .context = tasks, .task = graph_task, .look = look};
	ptowsp_status status = tasks->state.graph ? PTOWSP_OK : rt_graph_state_init(&tasks->state, &tasks->graph, &tasks->error);

	if (!status)
		status = rt_graph_run(&tasks->state, &how, &tasks->error);
	else
		rt_graph_state_finish(&tasks->state);
	result->started_at = result->in_flight = tasks->graph.task_count;
	result->tasks = tasks->graph.task_count - tasks->moves.count;
	result->edges = tasks->graph.edge_count;
	result->bytes = tasks->graph.head->bytes;
	return status;
}

/* ---- pipelined mode ------------------------------------------------------------------------------------------------ */

enum { TASK_WORDS = sizeof(struct rt_graph_task) / sizeof(uint64_t), IO_WORDS = sizeof(struct rt_graph_io) / sizeof(uint64_t) };

static ptowsp_status slot_call(void *context, const struct rt_slot *slot, uint32_t worker, struct ptowsp_error *error)
{
	const struct rt_graph_task *task = (const struct rt_graph_task *)(const void *)slot->words;
	const uint64_t *args = slot->words + TASK_WORDS;

	return rt_task_call(context, task, slot->number, args, (const struct rt_graph_io *)(const void *)(args + task->arg_count), worker, error);
}

static void slot_fill(const struct rt_tasks *tasks, struct rt_slot *slot)
{
	const struct rt_graph_task *row = &tasks->row;

	memcpy(slot->words, row, sizeof(*row));
	memcpy(slot->words + TASK_WORDS, tasks->args, row->arg_count * sizeof(*tasks->args));
	memcpy(slot->words + TASK_WORDS + row->arg_count, tasks->ios, row->io_count * sizeof(*tasks->ios));
}

/* Until the tasks have ended whose places in the window it takes. */
static ptowsp_status places_find(struct rt_tasks *tasks)
{
	struct rt_tasks_aloft *aloft = tasks->aloft;
	enum ptowsp_resource reason;
	struct rt_block block;
	ptowsp_status status = rt_flow_reserve(&aloft->flow, (struct rt_need){0}, &reason, &block);

	if (status == PTOWSP_NO_MEMORY)
		return rt_no_memory(&tasks->error, "tasks in flight");
	if (status)
		return rt_fail_at(&tasks->error, status, tasks->next, tasks->row.kernel,
				  "task %llu can never be submitted: open scopes hold the whole window of %llu tasks; a window of %llu lets it in, or end a "
				  "scope before",
				  (unsigned long long)tasks->next, (unsigned long long)block.capacity, (unsigned long long)block.proposed);
	return rt_flight_wait(&aloft->flight, rt_later(tasks->barrier, rt_flow_tail(&aloft->flow)), &tasks->error);
}

/* *before_out: the latest task of its stream, + 1. False when out of memory. */
static bool stream_follow(struct rt_tasks *tasks, uint64_t *before_out)
{
	struct rt_tasks_aloft *aloft = tasks->aloft;

	*before_out = 0;
	if (!tasks->streamed)
		return true;
	while (aloft->stream_count <= tasks->row.stream) {
		if (!COMMON_GROW(aloft->stream_last, aloft->stream_room, aloft->stream_count))
			return false;
		aloft->stream_last[aloft->stream_count++] = 0;
	}
	*before_out = aloft->stream_last[tasks->row.stream];
	aloft->stream_last[tasks->row.stream] = tasks->next + 1;
	return true;
}

ptowsp_status rt_task_fly(struct rt_tasks *tasks)
{
	const struct rt_preds *preds = &tasks->deps.preds;
	struct rt_slot *slot;
	uint64_t before;
	ptowsp_status status = places_find(tasks);

	if (!status && !stream_follow(tasks, &before))
		status = rt_no_memory(&tasks->error, "streams");
	if (!status)
		status = rt_flight_add(&tasks->aloft->flight, (uint64_t)preds->count + 1, &slot, &tasks->error);
	if (status)
		return status;
	slot_fill(tasks, slot);
	return rt_flight_submit(&tasks->aloft->flight, preds->list, preds->count, before, &tasks->error);
}

/* Memory of ring, edges and queues. */
static uint64_t bytes_of(const struct rt_flight *flight)
{
	const struct rt_ring *ring = &flight->ring;

	return (ring->mask + 1) * ring->stride + ((uint64_t)ring->rest_mask + 1) * sizeof(*ring->rests) +
	       (ring->mask + 1) * sizeof(uint32_t) * (1 + (uint64_t)flight->workers.threads);
}

static ptowsp_status pipeline(struct rt_tasks *tasks, rt_orchestration_fn function, void *context, uint32_t threshold, struct rt_tasks_result *result)
{
	struct rt_tasks_aloft aloft = {.flight = {.context = tasks, .task = slot_call, .look = look, .threshold = threshold}};
	const uint64_t words = TASK_WORDS + tasks->config.most_args + (uint64_t)tasks->config.most_tensors * IO_WORDS;
	ptowsp_status status = begin(tasks, tasks->config.window);

	if (!status)
		status = rt_flight_init(&aloft.flight, tasks->pool, tasks->config.window, words, &tasks->error);
	if (!status && rt_flow_init(&aloft.flow, tasks->config.window, 0, 0))
		status = rt_no_memory(&tasks->error, "tasks in flight");
	if (!status) {
		tasks->aloft = &aloft;
		status = orchestrate(tasks, function, context, result);
		tasks->aloft = NULL;
		result->bytes = bytes_of(&aloft.flight);
	}
	status = rt_flight_end(&aloft.flight, status, &tasks->error);
	result->started_at = aloft.flight.started_at;
	result->in_flight = aloft.flight.most_aloft;
	rt_flight_finish(&aloft.flight);
	rt_flow_finish(&aloft.flow);
	free(aloft.stream_last);
	rt_task_deps_finish(&tasks->deps);
	return status;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

/* Gives the sentence away; the next run begins without it. */
static ptowsp_status end(struct rt_tasks *tasks, ptowsp_status status, struct ptowsp_error *error)
{
	if (status && error)
		rt_fail_at(error, status, tasks->error.where[0], tasks->error.where[1], "%s", tasks->error.text);
	if (!tasks->running)
		tasks->status = PTOWSP_OK;
	return status;
}

ptowsp_status rt_tasks_run(struct rt_tasks *tasks, rt_orchestration_fn function, void *context, uint32_t workers, uint32_t threshold,
			   struct rt_tasks_result *result_out, struct ptowsp_error *error)
{
	struct rt_tasks_result result = {0};
	uint64_t began = now_ns();
	ptowsp_status status = tasks->running ? begin(tasks, 0) : workers_make(tasks, workers);

	rt_task_board_run(tasks, false);
	if (!status && threshold)
		status = pipeline(tasks, function, context, threshold, &result);
	else if (!status)
		status = build(tasks, function, context, &result);
	if (!status && !threshold)
		status = graph_run(tasks, &result);
	rt_task_board_run(tasks, true);
	result.total_ns = now_ns() - began;
	if (result_out)
		*result_out = result;
	return end(tasks, status, error);
}

ptowsp_status rt_tasks_build(struct rt_tasks *tasks, rt_orchestration_fn function, void *context, struct ptowsp_error *error)
{
	struct rt_tasks_result result = {0};

	return end(tasks, tasks->running ? begin(tasks, 0) : build(tasks, function, context, &result), error);
}

ptowsp_status rt_tasks_rerun(struct rt_tasks *tasks, uint32_t workers, struct rt_tasks_result *result_out, struct ptowsp_error *error)
{
	struct rt_tasks_result result = {0};
	uint64_t began = now_ns();
	ptowsp_status status = tasks->block && !tasks->running ? workers_make(tasks, workers)
							       : rt_fail(&tasks->error, PTOWSP_INVALID, "there is no graph that could run again");

	if (!status)
		status = graph_run(tasks, &result);
	result.total_ns = now_ns() - began;
	if (result_out)
		*result_out = result;
	return end(tasks, status, error);
}

const struct rt_graph *rt_tasks_graph(const struct rt_tasks *tasks)
{
	return tasks->block ? &tasks->graph : NULL;
}
