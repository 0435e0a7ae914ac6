/* SPDX-License-Identifier: MIT */
/* task_run.c - runs of the C interface of tasks: an orchestration function called, its graph built or its tasks in flight, and what came of it. */
#include "rt/graph/task_flight.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

#define WORKSPACE_MOST (UINT64_C(1) << 44) /* bytes of one; as many as workers do not wrap */

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

/* A new run: what was wrong with the last one is forgotten, what is wrong with kernels or tensors is not. */
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
	tasks->next = tasks->edges = 0;
	tasks->scopes = 0;
	tasks->open = false;
	rt_graph_build_finish(&tasks->build);
	tasks->build.max_tasks = tasks->config.max_tasks;
	tasks->build.max_bytes = tasks->config.max_bytes;
	tasks->build.rules = tasks->config.rules;
	if (!rt_task_deps_init(&tasks->deps, tasks->config.rules, window, tasks->tables.tensor_count))
		return rt_no_memory(&tasks->error, "the tensor map");
	return PTOWSP_OK;
}

/* Kernels and tensors go into each graph as they are. */
static ptowsp_status tables_copy(struct rt_tasks *tasks)
{
	struct rt_graph_build *to = &tasks->build, *from = &tasks->tables;

	to->kernels = calloc(from->kernel_count + 1u, sizeof(*to->kernels));
	to->tensors = calloc(from->tensor_count + 1u, sizeof(*to->tensors));
	to->text = calloc(from->text_size + 1u, 1);
	if (!to->kernels || !to->tensors || !to->text)
		return rt_no_memory(&tasks->error, "the graph");
	if (from->kernel_count)
		memcpy(to->kernels, from->kernels, from->kernel_count * sizeof(*to->kernels));
	if (from->tensor_count)
		memcpy(to->tensors, from->tensors, from->tensor_count * sizeof(*to->tensors));
	if (from->text_size)
		memcpy(to->text, from->text, from->text_size);
	to->kernel_count = to->kernel_room = from->kernel_count;
	to->tensor_count = to->tensor_room = from->tensor_count;
	to->text_size = to->text_room = from->text_size;
	return PTOWSP_OK;
}

static ptowsp_status orchestrate(struct rt_tasks *tasks, rt_orchestration_fn function, void *context, struct rt_tasks_result *result)
{
	uint64_t began = rt_tasks_now_ns();
	ptowsp_status status;

	tasks->running = true;
	status = function(tasks, context);
	tasks->running = false;
	result->build_ns = rt_tasks_now_ns() - began;
	result->tasks = tasks->next;
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
		status = tables_copy(tasks);
	if (!status)
		status = orchestrate(tasks, function, context, result);
	rt_task_deps_finish(&tasks->deps);
	if (!status)
		status = rt_graph_block_make(&tasks->build, &tasks->block, &size, &tasks->error);
	rt_graph_build_finish(&tasks->build);
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

static ptowsp_status graph_look(void *context, struct ptowsp_error *error)
{
	return rt_tasks_look(context, error);
}

static ptowsp_status graph_run(struct rt_tasks *tasks, struct rt_tasks_result *result)
{
	const struct rt_graph_how how = {.pool = tasks->pool, .context = tasks, .task = graph_task, .look = graph_look};
	ptowsp_status status = tasks->state.graph ? PTOWSP_OK : rt_graph_state_init(&tasks->state, &tasks->graph, &tasks->error);

	if (!status)
		status = rt_graph_run(&tasks->state, &how, &tasks->error);
	else
		rt_graph_state_finish(&tasks->state);
	result->tasks = result->started_at = result->in_flight = tasks->graph.task_count;
	result->edges = tasks->graph.edge_count;
	result->bytes = tasks->graph.head->bytes;
	return status;
}

static ptowsp_status pipeline(struct rt_tasks *tasks, rt_orchestration_fn function, void *context, uint32_t threshold, struct rt_tasks_result *result)
{
	struct rt_flight flight = {0};
	ptowsp_status status = begin(tasks, tasks->config.window);

	if (!status)
		status = rt_flight_init(&flight, tasks, tasks->config.window, threshold, &tasks->error);
	if (!status) {
		tasks->flight = &flight;
		status = orchestrate(tasks, function, context, result);
		tasks->flight = NULL;
	}
	if (!status)
		status = rt_flight_end(&flight, &tasks->error);
	result->started_at = flight.started_at;
	result->in_flight = flight.in_flight;
	result->bytes = flight.tasks ? rt_flight_bytes(&flight) : 0;
	rt_flight_finish(&flight);
	rt_task_deps_finish(&tasks->deps);
	return status;
}

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
	uint64_t began = rt_tasks_now_ns();
	ptowsp_status status = tasks->running ? begin(tasks, 0) : workers_make(tasks, workers);

	if (!status && threshold)
		status = pipeline(tasks, function, context, threshold, &result);
	else if (!status)
		status = build(tasks, function, context, &result);
	if (!status && !threshold)
		status = graph_run(tasks, &result);
	result.total_ns = rt_tasks_now_ns() - began;
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
	uint64_t began = rt_tasks_now_ns();
	ptowsp_status status = tasks->block && !tasks->running ? workers_make(tasks, workers)
							       : rt_fail(&tasks->error, PTOWSP_INVALID, "there is no graph that could run again");

	if (!status)
		status = graph_run(tasks, &result);
	result.total_ns = rt_tasks_now_ns() - began;
	if (result_out)
		*result_out = result;
	return end(tasks, status, error);
}

const struct rt_graph *rt_tasks_graph(const struct rt_tasks *tasks)
{
	return tasks->block ? &tasks->graph : NULL;
}
