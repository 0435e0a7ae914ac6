/* SPDX-License-Identifier: MIT */
#include "rt/task_api.h"

#include "registry/common/common_grow.h"
#include "rt/graph/tasks.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include "rt/structure/slot_element.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_DEFAULT = 8192, MOST_DEFAULT = 16, MOST_LIMIT = 4096, STREAM_LIMIT = 65536, EVENT_LIMIT = 65536 };

/* ---- making ------------------------------------------------------------------------------------------------------------ */

static ptowsp_status config_check(struct rt_tasks_config *config, struct ptowsp_error *error)
{
	uint32_t how = config->rules & (RT_GRAPH_RULE_EXACT | RT_GRAPH_RULE_OVERLAP | RT_GRAPH_RULE_EXPLICIT);

	if (!config->rules)
		config->rules = how = RT_GRAPH_RULE_OVERLAP, config->rules |= RT_GRAPH_RULE_FULL;
	if (config->rules & ~(uint32_t)RT_GRAPH_RULES || !how || how & (how - 1))
		return rt_fail(error, PTOWSP_INVALID, "rules %u: one of OVERLAP, EXACT and EXPLICIT, with or without FULL", config->rules);
	if (!config->window)
		config->window = WINDOW_DEFAULT;
	if (!config->most_args)
		config->most_args = MOST_DEFAULT;
	if (!config->most_tensors)
		config->most_tensors = MOST_DEFAULT;
	if (config->most_args > MOST_LIMIT || config->most_tensors > MOST_LIMIT || config->window > UINT32_C(1) << 30)
		return rt_fail(error, PTOWSP_INVALID, "a task has at most %d arguments of a kind, a window at most 2^30 tasks", (int)MOST_LIMIT);
	if (!config->max_tasks || config->max_tasks > RT_GRAPH_TASK_LIMIT)
		config->max_tasks = RT_GRAPH_TASK_LIMIT;
	return PTOWSP_OK;
}

ptowsp_status rt_tasks_create(struct rt_tasks **tasks_out, const struct rt_tasks_config *config, struct ptowsp_error *error)
{
	struct rt_tasks *tasks = calloc(1, sizeof(*tasks));
	ptowsp_status status;

	*tasks_out = NULL;
	if (!tasks)
		return rt_no_memory(error, "tasks");
	if (config)
		tasks->config = *config;
	tasks->error.head = tasks->refused_error.head = (struct ptowsp_head)PTOWSP_HEAD(tasks->error, ERROR);
	status = config_check(&tasks->config, error);
	if (!status) {
		tasks->args = calloc(tasks->config.most_args, sizeof(*tasks->args));
		tasks->ios = calloc(tasks->config.most_tensors, sizeof(*tasks->ios));
		if (!tasks->args || !tasks->ios)
			status = rt_no_memory(error, "tasks");
	}
	if (status)
		rt_tasks_destroy(tasks);
	else
		*tasks_out = tasks;
	return status;
}

void rt_tasks_destroy(struct rt_tasks *tasks)
{
	if (!tasks)
		return;
	rt_graph_build_finish(&tasks->tables);
	rt_pool_destroy(tasks->pool);
	free(tasks->functions);
	free(tasks->data);
	free(tasks->args);
	free(tasks->ios);
	free(tasks->windows);
	free(tasks->workspace);
	rt_graph_state_finish(&tasks->state);
	free(tasks->block);
	free(tasks->events);
	rt_task_moves_finish(&tasks->moves);
	rt_task_channels_finish(tasks);
	free(tasks);
}

/* The first error stays. */
static ptowsp_status keep(struct rt_tasks *tasks, ptowsp_status status)
{
	if (status && !tasks->status)
		tasks->status = status;
	return tasks->status;
}

ptowsp_status rt_tasks_fail(struct rt_tasks *tasks, ptowsp_status status, const char *what)
{
	if (!tasks->status)
		tasks->status = rt_fail_at(&tasks->error, status, tasks->next, UINT64_MAX, "before task %llu: %s", (unsigned long long)tasks->next, what);
	return tasks->status;
}

uint32_t rt_tasks_kernel(struct rt_tasks *tasks, const char *name, enum ptowsp_unit unit, ptowsp_kernel_fn fn)
{
	assert(fn);
	if (tasks->running) {
		keep(tasks, rt_fail(&tasks->error, PTOWSP_INVALID, "kernel %.60s: kernels are made known before a run", name));
		return 0;
	}
	if (!COMMON_GROW(tasks->functions, tasks->function_room, tasks->tables.kernel_count)) {
		tasks->tables.failed = true;
		return 0;
	}
	tasks->functions[tasks->tables.kernel_count] = (struct rt_task_kernel){.fn = fn, .blocks = 1};
	return rt_graph_kernel_add(&tasks->tables, name, unit);
}

/* The kernel that is told about, before a run; NULL: there is none, or it is too late. */
static struct rt_task_kernel *told(struct rt_tasks *tasks, uint32_t kernel, const char *what, const char *several)
{
	if (tasks->running)
		keep(tasks, rt_fail(&tasks->error, PTOWSP_INVALID, "kernel %lu: %s are made known before a run", (unsigned long)kernel, several));
	else if (kernel >= tasks->tables.kernel_count && !tasks->tables.failed)
		tasks->refused = rt_fail(&tasks->refused_error, PTOWSP_INVALID, "there is no kernel %lu that could have %s", (unsigned long)kernel, what);
	return !tasks->running && kernel < tasks->tables.kernel_count ? &tasks->functions[kernel] : NULL;
}

void rt_tasks_kernel_workspace(struct rt_tasks *tasks, uint32_t kernel, uint64_t bytes)
{
	struct rt_task_kernel *row = told(tasks, kernel, "a workspace", "workspaces");

	if (row)
		row->workspace = bytes;
}

void rt_tasks_kernel_blocks(struct rt_tasks *tasks, uint32_t kernel, uint32_t blocks)
{
	struct rt_task_kernel *row = told(tasks, kernel, "blocks", "blocks");

	if (row)
		row->blocks = blocks ? blocks : 1;
}

uint32_t rt_tasks_tensor(struct rt_tasks *tasks, const char *name, void *data, enum ptowsp_dtype dtype, uint64_t rows, uint64_t columns)
{
	if (tasks->running)
		keep(tasks, rt_fail(&tasks->error, PTOWSP_INVALID, "tensor %.60s: tensors are made known before a run", name));
	else if (!columns || rows > UINT64_C(1) << 40 || columns > UINT64_C(1) << 22)
		tasks->refused =
			rt_fail(&tasks->refused_error, PTOWSP_INVALID, "tensor %.60s: it needs columns, at most 2^22, and has at most 2^40 rows", name);
	if (tasks->running || tasks->refused)
		return 0;
	if (!COMMON_GROW(tasks->data, tasks->data_room, tasks->tables.tensor_count)) {
		tasks->tables.failed = true;
		return 0;
	}
	tasks->data[tasks->tables.tensor_count] = data;
	return rt_graph_tensor_add(&tasks->tables, name, (uint16_t)dtype, rows * columns, columns);
}

/* ---- one task ---------------------------------------------------------------------------------------------------------- */

static ptowsp_status wrong(struct rt_tasks *tasks, const char *what)
{
	return keep(tasks, rt_fail_at(&tasks->error, PTOWSP_INVALID, tasks->next, UINT64_MAX, "task %llu: %s", (unsigned long long)tasks->next, what));
}

/* Is this the task that is being made? */
static bool opened(struct rt_tasks *tasks, uint64_t task)
{
	if (tasks->status)
		return false;
	if (tasks->running && tasks->open && task == tasks->next)
		return true;
	keep(tasks, rt_fail_at(&tasks->error, PTOWSP_INVALID, task, UINT64_MAX, "task %llu is not the one that was allocated last and not yet submitted",
			       (unsigned long long)task));
	return false;
}

ptowsp_status rt_task_alloc(struct rt_tasks *tasks, uint32_t kernel, uint64_t *task_out)
{
	*task_out = tasks->next;
	if (tasks->status)
		return tasks->status;
	if (!tasks->running)
		return wrong(tasks, "tasks are allocated in an orchestration function");
	if (tasks->open)
		return wrong(tasks, "it was allocated and not submitted");
	if (kernel >= tasks->tables.kernel_count)
		return wrong(tasks, "there is no such kernel");
	if (tasks->next >= tasks->config.max_tasks)
		return keep(tasks, rt_fail_at(&tasks->error, PTOWSP_LIMIT, tasks->next, kernel, "there are more than %llu tasks",
					      (unsigned long long)tasks->config.max_tasks));
	tasks->open = true;
	tasks->streamed = false;
	tasks->row = (struct rt_graph_task){.kernel = kernel, .executor = RT_GRAPH_NONE, .instruction = RT_GRAPH_NONE, .order = (uint32_t)tasks->barrier};
	rt_task_deps_next(&tasks->deps, tasks->next);
	return PTOWSP_OK;
}

/* The tensor of the next argument; NULL: there is none, or no room for the argument, and an error is kept. */
static const struct rt_graph_tensor *argument_tensor(struct rt_tasks *tasks, uint64_t task, uint32_t tensor)
{
	if (!opened(tasks, task))
		return NULL;
	if (tensor >= tasks->tables.tensor_count)
		wrong(tasks, "there is no such tensor");
	else if (tasks->row.io_count == tasks->config.most_tensors)
		wrong(tasks, "it has too many tensor arguments; raise most_tensors");
	return tasks->status ? NULL : &tasks->tables.tensors[tensor];
}

static ptowsp_status region_add(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns,
				uint16_t access)
{
	const struct rt_graph_tensor *whole = argument_tensor(tasks, task, tensor);
	uint64_t height;

	if (!whole)
		return tasks->status;
	height = whole->elements / whole->columns;
	if (!rows || !columns || row > height || rows > height - row || column > whole->columns || columns > whole->columns - column)
		return keep(tasks, rt_fail_at(&tasks->error, PTOWSP_INVALID, task, tasks->row.kernel,
					      "task %llu: region [%llu, %llu] of %u x %u lies outside tensor %.60s of %llu x %llu", (unsigned long long)task,
					      (unsigned long long)row, (unsigned long long)column, rows, columns, tasks->tables.text + whole->name,
					      (unsigned long long)height, (unsigned long long)whole->columns));
	tasks->ios[tasks->row.io_count++] =
		(struct rt_graph_io){.start = row * whole->columns + column, .tensor = tensor, .rows = rows, .columns = columns, .access = access};
	return PTOWSP_OK;
}

ptowsp_status rt_task_add_input(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns)
{
	return region_add(tasks, task, tensor, row, column, rows, columns, PTOWSP_READ);
}

ptowsp_status rt_task_add_output(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns)
{
	return region_add(tasks, task, tensor, row, column, rows, columns, PTOWSP_WRITE);
}

ptowsp_status rt_task_add_inout(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns)
{
	return region_add(tasks, task, tensor, row, column, rows, columns, PTOWSP_READ | PTOWSP_WRITE);
}

ptowsp_status rt_task_add_bound(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t row, uint64_t column, uint32_t rows, uint32_t columns)
{
	return region_add(tasks, task, tensor, row, column, rows, columns, 0);
}

ptowsp_status rt_task_add_flat(struct rt_tasks *tasks, uint64_t task, uint32_t tensor, uint64_t element, uint64_t count, unsigned access)
{
	const struct rt_graph_tensor *whole = argument_tensor(tasks, task, tensor);

	if (!whole)
		return tasks->status;
	if (access & ~(unsigned)(PTOWSP_READ | PTOWSP_WRITE))
		return wrong(tasks, "an argument is read, written or both");
	if (element > whole->elements || count > whole->elements - element)
		return keep(tasks, rt_fail_at(&tasks->error, PTOWSP_INVALID, task, tasks->row.kernel,
					      "task %llu: %llu elements from %llu on lie outside tensor %.60s, which has %llu", (unsigned long long)task,
					      (unsigned long long)count, (unsigned long long)element, tasks->tables.text + whole->name,
					      (unsigned long long)whole->elements));
	tasks->ios[tasks->row.io_count++] = (struct rt_graph_io){.start = element, .length = count, .tensor = tensor, .access = (uint16_t)access};
	return PTOWSP_OK;
}

ptowsp_status rt_task_add_arg(struct rt_tasks *tasks, uint64_t task, uint64_t value)
{
	if (!opened(tasks, task))
		return tasks->status;
	if (tasks->row.arg_count == tasks->config.most_args)
		return wrong(tasks, "it has too many scalar arguments; raise most_args");
	tasks->args[tasks->row.arg_count++] = value;
	return PTOWSP_OK;
}

ptowsp_status rt_task_add_dep(struct rt_tasks *tasks, uint64_t task, uint64_t producer)
{
	if (!opened(tasks, task))
		return tasks->status;
	if (producer >= task)
		return wrong(tasks, "it can wait for earlier tasks only");
	rt_task_deps_add(&tasks->deps, producer);
	return PTOWSP_OK;
}

ptowsp_status rt_task_add_after(struct rt_tasks *tasks, uint64_t task, uint64_t producer)
{
	uint64_t number;

	if (!opened(tasks, task))
		return tasks->status;
	if (producer >= rt_tasks_count(tasks))
		return wrong(tasks, "it can wait for earlier tasks only");
	if (rt_task_moves_find(&tasks->moves, producer, &number))
		rt_task_deps_add(&tasks->deps, number);
	return PTOWSP_OK;
}

ptowsp_status rt_task_set_stream(struct rt_tasks *tasks, uint64_t task, uint32_t stream)
{
	if (!opened(tasks, task))
		return tasks->status;
	if (stream >= STREAM_LIMIT)
		return wrong(tasks, "streams are 0 to 65535");
	tasks->row.stream = stream;
	tasks->streamed = true;
	return PTOWSP_OK;
}

ptowsp_status rt_task_submit(struct rt_tasks *tasks, uint64_t task)
{
	struct rt_graph_task *row = &tasks->row;
	const struct rt_preds *preds = &tasks->deps.preds;
	ptowsp_status status;

	if (!opened(tasks, task))
		return tasks->status;
	if (!rt_task_deps_find(&tasks->deps, tasks->ios, row->io_count, tasks->tables.tensors))
		return keep(tasks, rt_no_memory(&tasks->error, "the tensor map"));
	if (tasks->moving && !rt_task_moves_add(&tasks->moves, rt_tasks_count(tasks), tasks->aloft ? tasks->config.window : 0))
		return keep(tasks, rt_no_memory(&tasks->error, "the tasks that go with tokens"));
	row->domain = tasks->tables.kernels[row->kernel].domain;
	row->pool = tasks->tables.kernels[row->kernel].pool;
	row->fanin = preds->count;
	status = tasks->aloft ? rt_task_fly(tasks)
			      : rt_graph_task_add(&tasks->tables, row, tasks->args, tasks->ios, preds->list, preds->count, tasks->streamed, &tasks->error);
	if (status)
		return keep(tasks, status);
	tasks->open = false;
	tasks->next++;
	tasks->edges += preds->count;
	if (!tasks->moving)
		rt_task_turn_over(tasks);
	return tasks->status;
}

/* ---- order ------------------------------------------------------------------------------------------------------------- */

uint64_t rt_tasks_count(const struct rt_tasks *tasks)
{
	return tasks->next - tasks->moves.count;
}

ptowsp_status rt_tasks_barrier(struct rt_tasks *tasks)
{
	if (tasks->status)
		return tasks->status;
	if (!tasks->running || tasks->open)
		return wrong(tasks, "a barrier stands between tasks");
	tasks->barrier = tasks->next;
	return PTOWSP_OK;
}

/* NULL: an error is kept. */
static struct rt_task_event *event_of(struct rt_tasks *tasks, uint32_t event)
{
	if (tasks->status)
		return NULL;
	if (!tasks->running || tasks->open || event >= EVENT_LIMIT) {
		wrong(tasks, "events are 0 to 65535, signalled and waited for between tasks");
		return NULL;
	}
	if (event < tasks->event_count)
		return &tasks->events[event];
	if (!COMMON_RESIZE(tasks->events, (size_t)event + 1)) {
		keep(tasks, rt_no_memory(&tasks->error, "events"));
		return NULL;
	}
	memset(tasks->events + tasks->event_count, 0, (event + 1 - tasks->event_count) * sizeof(*tasks->events));
	tasks->event_count = event + 1;
	return &tasks->events[event];
}

ptowsp_status rt_tasks_signal(struct rt_tasks *tasks, uint32_t event)
{
	struct rt_task_event *row = event_of(tasks, event);

	if (row)
		*row = (struct rt_task_event){row->count + 1, tasks->next};
	return tasks->status;
}

ptowsp_status rt_tasks_wait(struct rt_tasks *tasks, uint32_t event)
{
	struct rt_task_event *row = event_of(tasks, event);

	if (row && tasks->turns) { /* which may make more of them known */
		rt_task_event_await(tasks, event);
		row = event_of(tasks, event);
	}
	if (row && !row->count)
		return keep(tasks, rt_fail_at(&tasks->error, PTOWSP_DEADLOCK, tasks->next, UINT64_MAX,
					      "deadlock: event never signalled: %u, waited for before task %llu", event, (unsigned long long)tasks->next));
	if (row) {
		row->count--;
		tasks->barrier = rt_later(tasks->barrier, row->tasks);
	}
	return tasks->status;
}

ptowsp_status rt_scope_begin(struct rt_tasks *tasks)
{
	if (tasks->status)
		return tasks->status;
	if (!tasks->running || tasks->open || tasks->scopes == PTOWSP_NESTING_LIMIT)
		return wrong(tasks, "a scope begins between tasks, and at most 64 are open");
	tasks->scopes++;
	if (tasks->aloft)
		rt_flow_scope_begin(&tasks->aloft->flow);
	return PTOWSP_OK;
}

ptowsp_status rt_scope_end(struct rt_tasks *tasks)
{
	if (tasks->status)
		return tasks->status;
	if (!tasks->running || tasks->open || !tasks->scopes)
		return wrong(tasks, "no scope is open that could end here");
	tasks->scopes--;
	if (tasks->aloft)
		rt_flow_scope_end(&tasks->aloft->flow);
	return PTOWSP_OK;
}

/* ---- elements that decide what comes next ------------------------------------------------------------------------------ */

/* Until the element's writer has ended. */
static ptowsp_status writer_wait(struct rt_tasks *tasks, const struct rt_graph_tensor *whole, uint64_t element)
{
	uint64_t before;

	if (!rt_task_deps_writer(&tasks->deps, tasks->next, (uint32_t)(whole - tasks->tables.tensors), element, &before))
		return rt_no_memory(&tasks->error, "the tensor map");
	if (before && !tasks->aloft)
		return rt_fail_at(&tasks->error, PTOWSP_INVALID, before - 1, UINT64_MAX,
				  "element %llu of tensor %.60s is read, which a task up to %llu writes: in the safe mode none has run yet; give the run a "
				  "threshold of 1 or more",
				  (unsigned long long)element, tasks->tables.text + whole->name, (unsigned long long)before - 1);
	return before ? rt_flight_wait(&tasks->aloft->flight, before, &tasks->error) : PTOWSP_OK;
}

ptowsp_status rt_tasks_load(struct rt_tasks *tasks, uint32_t tensor, uint64_t element, bool bits, int64_t *value_out)
{
	const struct rt_graph_tensor *whole;
	const char *at;

	*value_out = 0;
	if (tasks->status)
		return tasks->status;
	if (!tasks->running || tasks->open)
		return wrong(tasks, "an element is read between tasks, in an orchestration function");
	if (tensor >= tasks->tables.tensor_count)
		return wrong(tasks, "there is no such tensor");
	whole = &tasks->tables.tensors[tensor];
	if (element >= whole->elements || !tasks->data[tensor])
		return keep(tasks, rt_fail_at(&tasks->error, PTOWSP_INVALID, tasks->next, UINT64_MAX, "element %llu of tensor %.60s is read, which has %llu%s",
					      (unsigned long long)element, tasks->tables.text + whole->name, (unsigned long long)whole->elements,
					      tasks->data[tensor] ? "" : " and no memory"));
	if (keep(tasks, writer_wait(tasks, whole, element)))
		return tasks->status;
	at = (const char *)tasks->data[tensor] + element * whole->size;
	*value_out = bits ? (int64_t)rt_element_bits(at, whole->size) : rt_element_value(at, whole->dtype);
	return PTOWSP_OK;
}

/* ---- calling kernels --------------------------------------------------------------------------------------------------- */

static struct ptowsp_tensor_arg window_of(const struct rt_tasks *tasks, const struct rt_graph_io *io)
{
	const struct rt_graph_tensor *tensor = &tasks->tables.tensors[io->tensor];
	char *data = tasks->data[io->tensor];

	return (struct ptowsp_tensor_arg){.data = data ? data + io->start * tensor->size : NULL,
					  .rows = io->rows ? io->rows : 1,
					  .columns = io->rows ? io->columns : io->length,
					  .row_stride = io->rows ? tensor->columns : io->length,
					  .column_stride = 1,
					  .dtype = tensor->dtype,
					  .access = io->access,
					  .tensor = io->tensor};
}

ptowsp_status rt_task_call(struct rt_tasks *tasks, const struct rt_graph_task *row, uint64_t number, const uint64_t *args, const struct rt_graph_io *ios,
			   uint32_t worker, struct ptowsp_error *error)
{
	struct ptowsp_tensor_arg *windows = tasks->windows + (size_t)worker * tasks->config.most_tensors;
	const struct rt_graph_kernel *kernel = &tasks->tables.kernels[row->kernel];
	const struct rt_task_kernel *function = &tasks->functions[row->kernel];
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, error};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK),
				   .args = args,
				   .tensors = windows,
				   .arg_count = row->arg_count,
				   .tensor_count = row->io_count,
				   .tensor_stride = sizeof(*windows),
				   .kernel = row->kernel,
				   .number = number,
				   .stream = row->stream,
				   .executor = row->executor,
				   .unit = kernel->unit,
				   .block_count = function->blocks,
				   .workspace = function->workspace ? tasks->workspace + worker * tasks->workspace_stride : NULL,
				   .workspace_size = function->workspace};
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < row->io_count; i++)
		windows[i] = window_of(tasks, &ios[i]);
	error->text[0] = 0;
	for (; !status && task.block < function->blocks; task.block++)
		status = function->fn(&task, &out);
	return status ? rt_kernel_fail(error, number, row->kernel, tasks->tables.text + kernel->name, status) : PTOWSP_OK;
}
