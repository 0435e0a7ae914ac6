/* SPDX-License-Identifier: MIT */
#include "plan_make.h"

#include <stdlib.h>
#include <string.h>
#include "plan_fronts.h"
#include "pod.h"
#include "rt/dtype.h"
#include "rt/error.h"
#include "rt/grow.h"
#include "rt/schedule.h"

#define SCOPE_TASKS 256u

/* The d latest steps of a domain, round and round. */
struct lane {
	uint32_t *steps;
	uint64_t count;
};
struct maker {
	struct ascend_plan_build *build;
	const struct ascend_walk *walk;
	const struct ascend_plan_rules *rules;
	struct ptowsp_error *error;
	uint32_t *steps;          /* per task */
	uint64_t *heirs;          /* per task: its first successor, UINT64_MAX without one */
	uint64_t made;            /* tasks that have steps */
	uint32_t *preds;          /* of the step that is put together */
	uint32_t pred_count, pred_room;
	uint64_t barrier_number;  /* tasks before it come before barrier_step */
	uint32_t barrier_step;
	uint32_t gate;            /* step before all that comes, of the workload */
	struct ascend_fronts fronts;
	struct lane *executors, *streams, *depths[RT_DEPTH_LIMIT];
	uint32_t executor_count, stream_count, depth_count;
	uint32_t depth_keys;
	uint32_t open, filled;    /* scopes of the package; tasks in the scope around those outside, 0: none is open */
	bool failed;
};

/* ---- predecessors ---------------------------------------------------------------------------------------------------- */

static void pred_add(struct maker *maker, uint32_t step)
{
	if (step == ASCEND_STEP_NONE || maker->failed)
		return;
	if (!rt_grow((void **)&maker->preds, &maker->pred_room, maker->pred_count, sizeof(*maker->preds)))
		maker->failed = true;
	else
		maker->preds[maker->pred_count++] = step;
}

static int by_step(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Each once, in order. */
static void preds_tidy(struct maker *maker)
{
	uint32_t kept = 0;

	if (maker->pred_count > 1)
		qsort(maker->preds, maker->pred_count, sizeof(*maker->preds), by_step);
	for (uint32_t i = 0; i < maker->pred_count; i++)
		if (!kept || maker->preds[kept - 1] != maker->preds[i])
			maker->preds[kept++] = maker->preds[i];
	maker->pred_count = kept;
}

/* In the ring of the task buffer a step has to stand in a scope that ends. */
static void scope_hold(struct maker *maker)
{
	uint64_t window = maker->rules->window, most = window && window / 2 < SCOPE_TASKS ? window / 2 : SCOPE_TASKS;

	if (!maker->rules->scopes || maker->open)
		return;
	most = most ? most : 1;
	if (maker->filled >= most) {
		ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_SCOPE_END});
		maker->filled = 0;
	}
	if (!maker->filled++)
		ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_SCOPE_BEGIN});
}

static void scope_release(struct maker *maker)
{
	if (maker->filled)
		ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_SCOPE_END});
	maker->filled = 0;
}

static uint32_t dummy_add(struct maker *maker, const uint32_t *preds, uint32_t count)
{
	uint32_t step;

	scope_hold(maker);
	step = ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_DUMMY, .blocks = 1});
	for (uint32_t i = 0; i < count; i++)
		ascend_plan_edge_add(maker->build, preds[i]);
	return step;
}

/* As many as one step takes: groups of them become steps without a kernel. */
static void preds_narrow(struct maker *maker)
{
	preds_tidy(maker);
	while (maker->pred_count > ASCEND_FAN_IN && !maker->failed) {
		uint32_t kept = 0;

		for (uint32_t at = 0; at < maker->pred_count; at += ASCEND_FAN_IN) {
			uint32_t left = maker->pred_count - at, count = left < ASCEND_FAN_IN ? left : ASCEND_FAN_IN;

			maker->preds[kept++] = dummy_add(maker, maker->preds + at, count);
		}
		maker->pred_count = kept;
	}
}

/* A step behind the first `number` tasks. Those that have a successor among them are behind it anyway. */
static uint32_t barrier_at(struct maker *maker, uint64_t number)
{
	if (number <= maker->barrier_number)
		return maker->barrier_step;
	maker->pred_count = 0;
	pred_add(maker, maker->barrier_step);
	for (uint64_t task = maker->barrier_number; task < number; task++)
		if (maker->heirs[task] >= number)
			pred_add(maker, maker->steps[task]);
	preds_narrow(maker);
	maker->barrier_number = number;
	maker->barrier_step = dummy_add(maker, maker->preds, maker->pred_count);
	maker->pred_count = 0;
	return maker->barrier_step;
}

/* ---- lanes ----------------------------------------------------------------------------------------------------------- */

/* The step `depth` before in the lane becomes a predecessor. */
static void lane_follow(struct maker *maker, const struct lane *lane, uint64_t depth)
{
	if (lane->count >= depth)
		pred_add(maker, lane->steps[lane->count % depth]);
}

static void lane_put(struct maker *maker, struct lane *lane, uint64_t depth, uint32_t step)
{
	if (!lane->steps)
		lane->steps = malloc(depth * sizeof(*lane->steps));
	if (lane->steps)
		lane->steps[lane->count++ % depth] = step;
	else
		maker->failed = true;
}

/* Whose place does not depend on when something happens. */
static bool policy_static(uint32_t policy)
{
	return policy == PTOWSP_DISPATCH_ROUND_ROBIN || policy == PTOWSP_DISPATCH_AFFINITY || policy == PTOWSP_DISPATCH_HASH ||
	       policy == PTOWSP_DISPATCH_STATIC_PARTITION || policy == PTOWSP_DISPATCH_CUSTOM || policy == PTOWSP_DISPATCH_AUTO || policy == RT_POLICY_GRID;
}

/* A kernel of no unit joins the pool that is free first. */
static struct lane *executor_of(struct maker *maker, const struct ascend_walk_task *task)
{
	const struct rt_limits *limits = &maker->walk->limits;
	bool wanders = task->unit == PTOWSP_UNIT_ANY && limits->pools > 1;

	return task->process == PTOWSP_NONE && policy_static(limits->policy) && !wanders ? &maker->executors[task->executor] : NULL;
}

static struct lane *stream_of(struct maker *maker, const struct ascend_walk_task *task)
{
	return maker->walk->limits.streams && task->process == PTOWSP_NONE ? &maker->streams[task->stream] : NULL;
}

static struct lane *depth_of(struct maker *maker, uint32_t k, const struct ascend_walk_task *task)
{
	switch (maker->walk->limits.depths[k].domain) {
	case RT_DOMAIN_STREAM: return &maker->depths[k][task->stream];
	case RT_DOMAIN_POOL: return &maker->depths[k][task->pool];
	case RT_DOMAIN_LOOP: return task->depth_loops >> k & 1 ? &maker->depths[k][0] : NULL;
	default: return &maker->depths[k][0];
	}
}

/* ---- tasks ----------------------------------------------------------------------------------------------------------- */

static void preds_find(struct maker *maker, uint64_t number)
{
	const struct ascend_walk_task *task = &maker->walk->tasks[number];
	const struct rt_limits *limits = &maker->walk->limits;
	const uint64_t *preds = maker->walk->preds + task->preds;
	const struct lane *lane;

	maker->pred_count = 0;
	for (uint32_t i = 0; i < task->pred_count; i++) {
		pred_add(maker, maker->steps[preds[i]]);
		if (maker->heirs[preds[i]] > number)
			maker->heirs[preds[i]] = number;
	}
	if ((lane = executor_of(maker, task)))
		lane_follow(maker, lane, 1);
	if ((lane = stream_of(maker, task)))
		lane_follow(maker, lane, 1);
	for (uint32_t k = 0; k < limits->depth_count; k++)
		if ((lane = depth_of(maker, k, task)))
			lane_follow(maker, lane, limits->depths[k].depth);
	if (maker->rules->window_edges && number >= maker->rules->window)
		pred_add(maker, maker->steps[number - maker->rules->window]);
	if (task->process == PTOWSP_NONE)
		pred_add(maker, maker->gate);
	else
		for (uint32_t i = 0; i < maker->fronts.width; i++)
			pred_add(maker, ascend_front(&maker->fronts, task->process)[i]);
}

static void lanes_put(struct maker *maker, uint64_t number, uint32_t step)
{
	const struct ascend_walk_task *task = &maker->walk->tasks[number];
	const struct rt_limits *limits = &maker->walk->limits;
	struct lane *lane;

	if ((lane = executor_of(maker, task)))
		lane_put(maker, lane, 1, step);
	if ((lane = stream_of(maker, task)))
		lane_put(maker, lane, 1, step);
	for (uint32_t k = 0; k < limits->depth_count; k++)
		if ((lane = depth_of(maker, k, task)))
			lane_put(maker, lane, limits->depths[k].depth, step);
	if (task->process != PTOWSP_NONE)
		ascend_front_task(&maker->fronts, task->process, step);
}

uint8_t ascend_dtype_of(uint16_t dtype)
{
	static const uint8_t codes[] = {[PTOWSP_F32] = ASCEND_F32, [PTOWSP_F16] = ASCEND_F16, [PTOWSP_BF16] = ASCEND_BF16, [PTOWSP_F64] = ASCEND_U64,
					[PTOWSP_I8] = ASCEND_I8, [PTOWSP_I16] = ASCEND_I16, [PTOWSP_I32] = ASCEND_I32, [PTOWSP_I64] = ASCEND_I64,
					[PTOWSP_U8] = ASCEND_U8, [PTOWSP_U16] = ASCEND_U16, [PTOWSP_U32] = ASCEND_U32, [PTOWSP_U64] = ASCEND_U64,
					[PTOWSP_BOOL] = ASCEND_BOOL};

	return dtype < sizeof(codes) ? codes[dtype] : ASCEND_U8;
}

/* One that is not touched may begin anywhere: it has an element of its tensor. */
static ptowsp_status window_add(struct maker *maker, uint64_t number, uint32_t place, const struct ptowsp_tensor_arg *arg)
{
	const char *base = maker->rules->bindings[arg->tensor].data;
	struct ascend_plan_window window = {.entry = maker->rules->entries[arg->tensor], .dtype = ascend_dtype_of(arg->dtype), .access = (uint8_t)arg->access,
					    .ndims = 1, .contiguous = 1, .shapes = {1, 1}, .strides = {1, 1}};
	bool flat = arg->rows == 1;

	if (arg->rows && arg->columns && base) {
		if (arg->rows > UINT32_MAX || arg->columns > UINT32_MAX || arg->row_stride > UINT32_MAX || arg->column_stride > UINT32_MAX)
			return rt_fail_at(maker->error, PTOWSP_TOO_SMALL, number, UINT64_MAX,
					  "task %llu: tensor argument %u is %llu x %llu elements, rows %llu apart; the pto-runtime takes 2^32 - 1 of each: cut it",
					  (unsigned long long)number, place, (unsigned long long)arg->rows, (unsigned long long)arg->columns,
					  (unsigned long long)arg->row_stride);
		window.start = (uint64_t)((const char *)arg->data - base) / rt_dtype_bytes(arg->dtype);
		window.ndims = flat ? 1 : 2;
		window.contiguous = arg->column_stride == 1 && (flat || arg->row_stride == arg->columns);
		window.shapes[0] = (uint32_t)(flat ? arg->columns : arg->rows);
		window.strides[0] = (uint32_t)(flat ? arg->column_stride : arg->row_stride);
		window.shapes[1] = (uint32_t)arg->columns;
		window.strides[1] = (uint32_t)arg->column_stride;
		window.strides[0] = window.strides[0] ? window.strides[0] : 1;
		window.strides[1] = window.strides[1] ? window.strides[1] : 1;
	}
	ascend_plan_window_add(maker->build, &window);
	return PTOWSP_OK;
}

static uint8_t shape_of(uint16_t unit)
{
	return unit == PTOWSP_UNIT_AIC ? ASCEND_SHAPE_CUBE : unit == PTOWSP_UNIT_AIC_AIV ? ASCEND_SHAPE_MIX : ASCEND_SHAPE_VECTOR;
}

/* What it says is only that many numbers wide. */
static ptowsp_status counts_check(struct maker *maker, uint64_t number, uint32_t hidden)
{
	const struct ascend_walk_task *task = &maker->walk->tasks[number];

	if (task->tensor_count + hidden > ASCEND_TASK_TENSORS)
		return rt_fail_at(maker->error, PTOWSP_TOO_SMALL, number, task->kernel,
				  "task %llu has %u tensor arguments; the pto-runtime takes %d per task%s: pass fewer, wider ones", (unsigned long long)number,
				  task->tensor_count, ASCEND_TASK_TENSORS, hidden ? ", one of them the simulation's own" : "");
	if (task->arg_count > ASCEND_TASK_SCALARS)
		return rt_fail_at(maker->error, PTOWSP_TOO_SMALL, number, task->kernel,
				  "task %llu has %u scalar arguments; the pto-runtime takes %d per task: put them into a tensor", (unsigned long long)number,
				  task->arg_count, ASCEND_TASK_SCALARS);
	return PTOWSP_OK;
}

static ptowsp_status task_add(struct maker *maker, uint64_t number)
{
	const struct ascend_walk_task *task = &maker->walk->tasks[number];
	const struct ascend_plan_rules *rules = maker->rules;
	ptowsp_status st = counts_check(maker, number, rules->simulated);
	uint32_t step;

	if (st)
		return st;
	preds_find(maker, number);
	preds_narrow(maker);
	scope_hold(maker);
	step = ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = number, .function = task->kernel, .shape = shape_of(task->unit),
									     .blocks = rules->blocks ? rules->blocks[task->kernel] : 1});
	for (uint32_t i = 0; i < maker->pred_count; i++)
		ascend_plan_edge_add(maker->build, maker->preds[i]);
	if (rules->simulated)
		ascend_plan_window_add(maker->build, &(struct ascend_plan_window){.start = number * rules->call_bytes, .entry = ASCEND_ENTRY_CALLS, .dtype = ASCEND_U8,
										  .access = ASCEND_WINDOW_READ, .ndims = 1, .contiguous = 1,
										  .shapes = {rules->call_bytes, 1}, .strides = {1, 1}});
	for (uint32_t i = 0; !st && i < task->tensor_count; i++)
		st = window_add(maker, number, i, &maker->walk->tensors[task->tensors + i]);
	for (uint32_t i = 0; i < task->arg_count; i++)
		ascend_plan_scalar_add(maker->build, maker->walk->args[task->args + i]);
	maker->steps[number] = step;
	maker->heirs[number] = UINT64_MAX;
	lanes_put(maker, number, step);
	maker->made = number + 1;
	return st;
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

/* A workload goes on when these have ended, or a process does. */
static void gate_set(struct maker *maker, const struct ascend_walk_event *event, uint64_t number)
{
	uint32_t step = barrier_at(maker, number);

	if (event->process == PTOWSP_NONE)
		maker->gate = step;
	else
		ascend_front_gate(&maker->fronts, event->process, step);
}

/* Scopes of processes lie across each other: their tasks stand in scopes as if there were none. */
static void scope_step(struct maker *maker, const struct ascend_walk_event *event)
{
	bool begin = event->kind == RT_ITEM_SCOPE_BEGIN;

	if (event->process != PTOWSP_NONE || !maker->rules->scopes)
		return;
	scope_release(maker);
	ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = maker->made, .kind = begin ? ASCEND_STEP_SCOPE_BEGIN : ASCEND_STEP_SCOPE_END});
	maker->open += begin ? 1 : UINT32_MAX;
}

static void event_take(struct maker *maker, const struct ascend_walk_event *event)
{
	switch (event->kind) {
	case RT_ITEM_SCOPE_BEGIN:
	case RT_ITEM_SCOPE_END: scope_step(maker, event); return;
	case RT_ITEM_ORDER_STEP: gate_set(maker, event, maker->made); return;
	case RT_ITEM_BARRIER:
	case RT_ITEM_FENCE:
	case RT_ITEM_WAIT:
	case RT_ITEM_FOLLOW: gate_set(maker, event, event->number); return;
	case RT_ITEM_PIPELINE:
		ascend_fronts_begin(&maker->fronts, barrier_at(maker, maker->made));
		return;
	default: ascend_fronts_take(&maker->fronts, event); return;
	}
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static uint32_t most(const struct ascend_walk *walk, size_t field)
{
	uint32_t most = 0, value;

	for (uint64_t t = 0; t < walk->task_count; t++) {
		memcpy(&value, (const char *)&walk->tasks[t] + field, sizeof(value));
		most = value > most && value != PTOWSP_NONE ? value : most;
	}
	return most + 1;
}

static bool maker_init(struct maker *maker)
{
	const struct ascend_walk *walk = maker->walk;
	bool ok = ascend_fronts_init(&maker->fronts, walk);
	uint32_t pools = most(walk, offsetof(struct ascend_walk_task, pool));

	maker->executor_count = most(walk, offsetof(struct ascend_walk_task, executor));
	maker->stream_count = most(walk, offsetof(struct ascend_walk_task, stream));
	maker->depth_keys = pools > maker->stream_count ? pools : maker->stream_count;
	maker->steps = calloc(walk->task_count + 1, sizeof(*maker->steps));
	maker->heirs = calloc(walk->task_count + 1, sizeof(*maker->heirs));
	maker->executors = calloc(maker->executor_count, sizeof(*maker->executors));
	maker->streams = calloc(maker->stream_count, sizeof(*maker->streams));
	for (; ok && maker->depth_count < walk->limits.depth_count; maker->depth_count++)
		ok = (maker->depths[maker->depth_count] = calloc(maker->depth_keys, sizeof(struct lane)));
	maker->gate = maker->barrier_step = ASCEND_STEP_NONE;
	return ok && maker->steps && maker->heirs && maker->executors && maker->streams;
}

static void lanes_free(struct lane *lanes, uint32_t count)
{
	for (uint32_t i = 0; lanes && i < count; i++)
		free(lanes[i].steps);
	free(lanes);
}

static void maker_finish(struct maker *maker)
{
	lanes_free(maker->executors, maker->executor_count);
	lanes_free(maker->streams, maker->stream_count);
	for (uint32_t k = 0; k < maker->depth_count; k++)
		lanes_free(maker->depths[k], maker->depth_keys);
	ascend_fronts_finish(&maker->fronts);
	free(maker->steps);
	free(maker->heirs);
	free(maker->preds);
}

ptowsp_status ascend_plan_make(struct ascend_plan_build *build, const struct ascend_walk *walk, const struct ascend_plan_rules *rules, struct ptowsp_error *error)
{
	struct maker maker = {.build = build, .walk = walk, .rules = rules, .error = error};
	bool ok = maker_init(&maker);
	uint32_t event = 0;
	ptowsp_status st = PTOWSP_OK;

	for (uint64_t task = 0; ok && !st && task <= walk->task_count; task++) {
		for (; event < walk->event_count && walk->events[event].at <= task; event++)
			event_take(&maker, &walk->events[event]);
		if (task < walk->task_count)
			st = task_add(&maker, task);
	}
	if (ok)
		scope_release(&maker);
	if (!st && (!ok || maker.failed || maker.fronts.failed || build->failed))
		st = rt_no_memory(error, "the plan of the pto-runtime");
	maker_finish(&maker);
	return st;
}
