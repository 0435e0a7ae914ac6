/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include "registry/common/common_grow.h"
#include "rt/process/vector_clock.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

/* A walk, and what follows. */
struct pulling {
	struct base_walk *walk;
	const struct base_walk_then *then;
};

/* ---- tasks ----------------------------------------------------------------------------------------------------------- */

static const char tasks_planned[] = "the tasks of a planned program";

/* Rows up to task `number`; those between are not there yet. */
static bool rows_make(struct base_walk *walk, uint64_t number)
{
	while (walk->rows <= number) {
		if (!COMMON_GROW(walk->tasks, walk->task_room, walk->rows))
			return false;
		walk->tasks[walk->rows++] = (struct base_walk_task){0};
	}
	return true;
}

/* NULL: no memory. */
static inline struct base_walk_task *row_of(struct base_walk *walk, uint64_t number)
{
	return number < walk->rows || rows_make(walk, number) ? &walk->tasks[number] : NULL;
}

static bool arg_add(struct base_walk *walk, uint64_t value)
{
	if (!COMMON_GROW(walk->args, walk->arg_room, walk->arg_count))
		return false;
	walk->args[walk->arg_count++] = value;
	return true;
}

static inline bool tensor_add(struct base_walk *walk, const struct ptowsp_tensor_arg *tensor)
{
	if (!COMMON_GROW(walk->tensors, walk->tensor_room, walk->tensor_count))
		return false;
	walk->tensors[walk->tensor_count++] = *tensor;
	return true;
}

static bool task_told(struct base_walk *walk, const struct ptowsp_task *task)
{
	struct base_walk_task *row = row_of(walk, task->number - walk->first);
	bool ok = true;

	if (!row)
		return false;
	row->there = true;
	walk->told = task->number - walk->first + 1;
	row->args = walk->arg_count;
	row->tensors = walk->tensor_count;
	row->arg_count = task->arg_count;
	row->tensor_count = task->tensor_count;
	row->kernel = task->kernel;
	row->unit = task->unit;
	for (uint32_t i = 0; ok && i < task->arg_count; i++)
		ok = arg_add(walk, task->args[i]);
	for (uint32_t i = 0; ok && i < task->tensor_count; i++)
		ok = tensor_add(walk, (const void *)((const char *)task->tensors + (size_t)i * task->tensor_stride));
	return ok;
}

ptowsp_status base_walk_task_run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	(void)worker;
	struct base_walk *walk = context;

	walk->exhausted |= !task_told(walk, task);
	return walk->exhausted ? rt_no_memory(out->error, tasks_planned) : PTOWSP_OK;
}

ptowsp_status base_walk_moved(void *context, const struct rt_moved *moved, struct ptowsp_error *error)
{
	struct base_walk *walk = context;

	if (!COMMON_GROW(walk->moves, walk->move_room, walk->move_count))
		return rt_no_memory(error, "the moves of a planned program");
	walk->moves[walk->move_count++] = (struct base_walk_move){moved->process, moved->channel, moved->sends, moved->window};
	if (!walk->batched && !tensor_add(walk, &moved->window))
		return rt_no_memory(error, "the moves of a planned program");
	return PTOWSP_OK;
}

/* ---- items ----------------------------------------------------------------------------------------------------------- */

/* Tasks before the walk have run; those of earlier batches may run still. */
static uint64_t before_of(const struct base_walk *walk)
{
	return walk->batched ? 0 : walk->first;
}

static bool list_take(struct base_walk *walk, const struct rt_item *item)
{
	const uint64_t before = before_of(walk);

	for (uint32_t i = 0; i < item->count; i++) {
		if (item->list[i] < before)
			continue;
		if (!COMMON_GROW(walk->preds, walk->pred_room, walk->pred_count))
			return false;
		walk->preds[walk->pred_count++] = item->list[i] - before;
	}
	return true;
}

static bool task_add(struct base_walk *walk, const struct rt_item *item)
{
	const uint64_t number = item->number - walk->first;
	struct base_walk_task *row = row_of(walk, number);

	if (!row)
		return false;
	row->preds = walk->pred_count;
	row->executor = item->executor;
	row->stream = item->stream;
	row->pool = item->pool;
	row->process = item->process;
	row->depth_loops = item->depth_loops;
	row->cycles = item->cycles;
	row->kernel = item->kernel;
	row->unit = item->unit;
	if (item->count && !list_take(walk, item))
		return false;
	row->pred_count = (uint32_t)(walk->pred_count - row->preds);
	walk->edges += row->pred_count;
	walk->task_count = number + 1;
	return true;
}

static ptowsp_status task_take(void *context, const struct rt_item *item)
{
	struct base_walk *walk = ((const struct pulling *)context)->walk;

	walk->exhausted |= !task_add(walk, item);
	return walk->exhausted ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

static bool event_add(struct base_walk *walk, const struct base_walk_event *event)
{
	if (!COMMON_GROW(walk->events, walk->event_room, walk->event_count))
		return false;
	walk->events[walk->event_count++] = *event;
	return true;
}

/* Tokens and closings have numbers of their own. */
static bool counts_tasks(unsigned kind)
{
	return kind != RT_ITEM_SEND && kind != RT_ITEM_TAKE && kind != RT_ITEM_FINISH;
}

static bool event_take(struct base_walk *walk, const struct rt_item *item)
{
	const uint64_t before = counts_tasks(item->kind) ? before_of(walk) : 0;
	struct base_walk_event event = {.kind = item->kind,
					.row = item->row,
					.process = item->process,
					.number = item->number > before ? item->number - before : 0,
					.at = walk->task_count,
					.preds = walk->pred_count};

	if (item->kind == RT_ITEM_FOLLOW && !list_take(walk, item))
		return false;
	event.pred_count = (uint32_t)(walk->pred_count - event.preds);
	return event_add(walk, &event);
}

/* ---- batches ---------------------------------------------------------------------------------------------------------- */

/* A task that was told ahead of its item stays, with what it was told with. */
static bool ahead_keep(struct base_walk *walk, const struct base_walk *from, uint64_t number)
{
	const struct base_walk_task *task = &from->tasks[number];
	struct base_walk_task *row = row_of(walk, number - from->task_count);
	bool ok = true;

	if (!row)
		return false;
	*row = *task;
	row->args = walk->arg_count;
	row->tensors = walk->tensor_count;
	for (uint32_t i = 0; ok && i < task->arg_count; i++)
		ok = arg_add(walk, from->args[task->args + i]);
	for (uint32_t i = 0; ok && i < task->tensor_count; i++)
		ok = tensor_add(walk, &from->tensors[task->tensors + i]);
	return ok;
}

bool base_walk_take(struct base_walk *walk, struct base_walk *taken)
{
	const struct base_walk room = *taken;
	bool ok = true;

	*taken = *walk;
	taken->moves = NULL;
	taken->capacities = NULL;
	taken->move_count = taken->move_room = 0;
	walk->first += walk->task_count;
	walk->tasks = room.tasks;
	walk->args = room.args;
	walk->tensors = room.tensors;
	walk->preds = room.preds;
	walk->events = room.events;
	walk->task_room = room.task_room;
	walk->arg_room = room.arg_room;
	walk->tensor_room = room.tensor_room;
	walk->pred_room = room.pred_room;
	walk->event_room = room.event_room;
	walk->task_count = walk->rows = walk->arg_count = walk->tensor_count = walk->pred_count = walk->event_count = 0;
	for (uint64_t number = taken->task_count; ok && number < taken->told; number++)
		ok = ahead_keep(walk, taken, number);
	walk->told = taken->told > taken->task_count ? taken->told - taken->task_count : 0;
	return ok;
}

/* ---- phases ---------------------------------------------------------------------------------------------------------- */

/* Scopes and orders that are open at the end of the walk, at most `room` of them, in their order. */
static uint32_t open_find(const struct base_walk *walk, struct base_walk_event *open, uint32_t room)
{
	uint32_t count = 0, deeper = 0;

	for (uint32_t e = 0; e < walk->event_count; e++) {
		const struct base_walk_event *event = &walk->events[e];

		if (event->kind == RT_ITEM_SCOPE_BEGIN || event->kind == RT_ITEM_ORDER_BEGIN) {
			if (count < room)
				open[count++] = *event;
			else
				deeper++;
		} else if (event->kind == RT_ITEM_SCOPE_END || event->kind == RT_ITEM_ORDER_END) {
			if (deeper)
				deeper--;
			else
				count -= count > 0;
		}
	}
	return deeper ? UINT32_MAX : count;
}

enum { OPEN = 256 }; /* more than blocks of a program nest */

/* Open events go on in the next phase. */
static ptowsp_status phase_next(struct base_walk *walk, struct ptowsp_error *error)
{
	struct base_walk_event open[OPEN];
	const uint32_t count = open_find(walk, open, OPEN);
	const uint64_t first = walk->first + walk->task_count;
	struct base_walk next = {.first = first, .limits = walk->limits, .capacities = walk->capacities, .edges = walk->edges};
	bool ok = true;

	if (count == UINT32_MAX)
		return rt_fail(error, PTOWSP_UNSUPPORTED, "a slot is loaded within more than %d loops and scopes", OPEN);
	walk->capacities = NULL;
	base_walk_finish(walk);
	*walk = next;
	for (uint32_t o = 0; ok && o < count; o++) {
		open[o].at = open[o].number = 0;
		ok = event_add(walk, &open[o]);
	}
	return ok ? PTOWSP_OK : rt_no_memory(error, tasks_planned);
}

static bool limits_take(struct base_walk *walk, const struct rt_feed *feed)
{
	uint64_t latency;

	walk->limits = *rt_feed_limits(feed);
	walk->capacities = calloc((size_t)walk->limits.channels + 1, sizeof(*walk->capacities));
	for (uint32_t c = 0; walk->capacities && c < walk->limits.channels; c++)
		walk->capacities[c] = rt_feed_capacity(feed, c, &latency);
	return walk->capacities;
}

/* A caller that would have to wait for all of them waits no longer. */
static ptowsp_status most_check(const struct pulling *pulling, const struct rt_item *item, struct ptowsp_error *error)
{
	const struct base_walk *walk = pulling->walk;
	struct base_patience *patience = pulling->then->patience;

	if (patience)
		patience->tasks = walk->task_count;
	if (base_patience_over(patience, item->kind == RT_ITEM_TASKS ? (uint32_t)item->bytes : 1 + item->count / 64))
		return base_patience_told(patience, PTOWSP_NO_MEMORY, error);
	if (!pulling->then->most || walk->task_count + walk->event_count < pulling->then->most)
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_UNSUPPORTED,
		       "the program has more than %llu tasks and other events (tokens, rounds), the most that this engine plans as a whole before they run; "
		       "let each task do more, or "
		       "take another backend, such as cpu_sim",
		       (unsigned long long)pulling->then->most);
}

static ptowsp_status phase_run(const struct pulling *pulling, struct rt_feed *feed, const struct rt_item *item, struct ptowsp_error *error)
{
	const struct base_walk_phase phase = {item->row, item->bytes - 1};
	ptowsp_status status = pulling->then->phase(pulling->then->context, feed, &phase, error);

	return status ? status : phase_next(pulling->walk, error);
}

/* But for what ends a run at once. */
static ptowsp_status walk_broken(const struct pulling *pulling, struct rt_feed *feed, ptowsp_status status, struct ptowsp_error *error)
{
	const bool at_once = status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE || status == PTOWSP_NO_MEMORY;
	const ptowsp_status before = at_once || !pulling->then->broken ? PTOWSP_OK : pulling->then->broken(pulling->then->context, feed, error);

	return before ? before : status;
}

static bool is_batch(const struct pulling *pulling)
{
	const struct base_walk *walk = pulling->walk;

	return pulling->then->batch && (walk->task_count >= pulling->then->batch_tasks || walk->event_count >= pulling->then->batch_tasks);
}

static ptowsp_status pull(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	const struct pulling *pulling = context;
	struct base_walk *walk = pulling->walk;
	const struct rt_item *item;
	bool ok = limits_take(walk, feed);
	ptowsp_status status;

	if (ok && pulling->then->batch && (status = pulling->then->batch(pulling->then->context, feed, error)))
		return status;
	while (ok) {
		if (is_batch(pulling) && (status = pulling->then->batch(pulling->then->context, feed, error)))
			return status;
		status = rt_feed_next(feed, &item);
		if (status)
			return walk_broken(pulling, feed, status, error);
		if (item->kind == RT_ITEM_END)
			return pulling->then->walked(pulling->then->context, feed, error);
		if (item->kind == RT_ITEM_NOTIFY || item->kind == RT_ITEM_NOTICE)
			return rt_fail(
				error, PTOWSP_UNSUPPORTED,
				"the program waits for other devices or tells them, which this engine has no way for; take another backend, such as cpu_sim");
		status = item->kind == RT_ITEM_PHASE ? phase_run(pulling, feed, item, error) : most_check(pulling, item, error);
		if (status)
			return status;
		if (item->kind == RT_ITEM_PHASE || item->kind == RT_ITEM_TASKS)
			continue;
		ok = item->kind == RT_ITEM_TASK ? task_add(walk, item) : event_take(walk, item);
	}
	return rt_no_memory(error, tasks_planned);
}

ptowsp_status base_walk_fill(struct base_walk *walk, struct rt_program *planned, const struct rt_run_args *args, const struct base_walk_then *then,
			     struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct pulling pulling = {walk, then};
	struct rt_engine engine = then->engine ? *then->engine : (struct rt_engine){0};
	struct rt_run_args with = *args;
	struct rt_pool *pool;
	ptowsp_status status = rt_pool_create(&pool, 1, error);

	if (status)
		return status;
	engine.context = &pulling;
	engine.run = pull;
	engine.task = then->batch ? task_take : NULL;
	engine.phases = then->phase != NULL;
	base_walk_finish(walk);
	walk->batched = then->batch;
	with.pool = pool;
	with.engine = &engine;
	with.schedulers = 1;
	status = rt_run(planned, &with, stats_out, deadlock_out, error);
	rt_pool_destroy(pool);
	return walk->exhausted ? rt_no_memory(error, tasks_planned) : status; /* told as a kernel's failure until here */
}

void base_walk_finish(struct base_walk *walk)
{
	free(walk->tasks);
	free(walk->args);
	free(walk->tensors);
	free(walk->preds);
	free(walk->events);
	free(walk->moves);
	free(walk->capacities);
	memset(walk, 0, sizeof(*walk));
}

/* ---- orders of processes ----------------------------------------------------------------------------------------------- */

bool base_walk_clocks_init(struct rt_vector_clocks *clocks, const struct base_walk *walk)
{
	bool ok = rt_vector_clocks_init(clocks, walk->limits.processes, 0, 0, walk->limits.channels);

	for (uint32_t c = 0; ok && c < walk->limits.channels; c++)
		clocks->channels[c].capacity = walk->capacities[c];
	return ok;
}

void base_walk_clocks_take(struct rt_vector_clocks *clocks, const struct base_walk_event *event)
{
	switch (event->kind) {
	case RT_ITEM_SEND: rt_vector_clock_send(clocks, event->row, event->process, NULL, 0); return;
	case RT_ITEM_TAKE: rt_vector_clock_take(clocks, event->row, event->process, NULL, 0); return;
	case RT_ITEM_CLOSED: rt_vector_clock_closed(clocks, event->row, event->process); return;
	case RT_ITEM_FINISH: rt_vector_clock_end(clocks, event->row, event->number, event->process); return;
	default: return;
	}
}
