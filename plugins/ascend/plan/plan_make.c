/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_make.h"

#include "ascend/engine/pod.h"
#include "ascend/plan/plan_moves.h"
#include "ascend/plan/plan_preds.h"
#include "ascend/plan/plan_window.h"
#include "base/fronts.h"
#include "base/lanes.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/rt_feed.h"
#include <stdlib.h>

#define SCOPE_TASKS 256u

struct maker {
	struct ascend_plan_build *build;
	const struct base_walk *walk;
	const struct ascend_plan_rules *rules;
	struct ptowsp_error *error;
	uint32_t *steps;            /* per task */
	uint64_t *first_successors; /* per task: its first successor, UINT64_MAX without one */
	uint64_t made;              /* tasks that have steps */
	struct ascend_preds preds;  /* of the step that is put together */
	uint64_t barrier_number;    /* tasks before it come before barrier_step */
	uint32_t barrier_step;
	uint32_t gate; /* step before all that comes, of the workload */
	struct base_fronts fronts;
	struct base_lanes lanes;
	struct ascend_moves moves;
	uint32_t open, filled; /* scopes of the package; tasks in the scope around those outside, 0: none is open */
};

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

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

/* Where more walks of the run follow, scopes of the package may be open. */
static void scopes_close(struct maker *maker)
{
	scope_release(maker);
	for (; maker->open; maker->open--)
		ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_SCOPE_END});
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
	ascend_preds_tidy(&maker->preds);
	while (maker->preds.count > ASCEND_FAN_IN && !maker->build->failed) {
		uint32_t kept = 0;

		for (uint32_t at = 0; at < maker->preds.count; at += ASCEND_FAN_IN) {
			uint32_t left = maker->preds.count - at, count = left < ASCEND_FAN_IN ? left : ASCEND_FAN_IN;

			maker->preds.steps[kept++] = dummy_add(maker, maker->preds.steps + at, count);
		}
		maker->preds.count = kept;
	}
}

/* A step behind the first `number` tasks. Those that have a successor among them are behind it anyway. */
static uint32_t barrier_at(struct maker *maker, uint64_t number)
{
	if (number <= maker->barrier_number)
		return maker->barrier_step;
	maker->preds.count = 0;
	ascend_preds_add(&maker->preds, maker->barrier_step);
	for (uint64_t task = maker->barrier_number; task < number; task++)
		if (maker->first_successors[task] >= number)
			ascend_preds_add(&maker->preds, maker->steps[task]);
	preds_narrow(maker);
	maker->barrier_number = number;
	maker->barrier_step = dummy_add(maker, maker->preds.steps, maker->preds.count);
	maker->preds.count = 0;
	return maker->barrier_step;
}

/* ---- tasks ----------------------------------------------------------------------------------------------------------- */

static void front_add(struct maker *maker, uint32_t process)
{
	for (uint32_t i = 0; i < maker->fronts.width; i++)
		ascend_preds_add(&maker->preds, base_front(&maker->fronts, process)[i]);
}

static void preds_find(struct maker *maker, uint64_t number)
{
	const struct base_walk_task *task = &maker->walk->tasks[number];
	const uint64_t *preds = maker->walk->preds + task->preds;
	uint32_t lanes[BASE_LANES_MOST];

	maker->preds.count = 0;
	for (uint32_t i = 0; i < task->pred_count; i++) {
		ascend_preds_add(&maker->preds, maker->steps[preds[i]]);
		if (maker->first_successors[preds[i]] > number)
			maker->first_successors[preds[i]] = number;
	}
	for (uint32_t i = 0; i < task->tensor_count; i++)
		ascend_moves_follow(&maker->moves, &maker->walk->tensors[task->tensors + i], &maker->preds);
	for (uint32_t i = 0, count = base_lanes_follow(&maker->lanes, task, lanes); i < count; i++)
		ascend_preds_add(&maker->preds, lanes[i]);
	if (maker->rules->window_edges && number >= maker->rules->window)
		ascend_preds_add(&maker->preds, maker->steps[number - maker->rules->window]);
	if (task->process == PTOWSP_NONE)
		ascend_preds_add(&maker->preds, maker->gate);
	else
		front_add(maker, task->process);
}

static uint8_t shape_of(uint16_t unit)
{
	return unit == PTOWSP_UNIT_AIC ? ASCEND_SHAPE_CUBE : unit == PTOWSP_UNIT_AIC_AIV ? ASCEND_SHAPE_MIX : ASCEND_SHAPE_VECTOR;
}

/* What it says is only that many numbers wide. */
static ptowsp_status counts_check(struct maker *maker, uint64_t number, uint32_t hidden)
{
	const struct base_walk_task *task = &maker->walk->tasks[number];

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

static void call_add(struct maker *maker, uint64_t record)
{
	ascend_plan_window_add(maker->build, &(struct ascend_plan_window){.start = record * maker->rules->call_bytes,
									  .entry = ASCEND_ENTRY_CALLS,
									  .dtype = ASCEND_U8,
									  .access = ASCEND_WINDOW_READ,
									  .ndims = 1,
									  .contiguous = 1,
									  .shapes = {maker->rules->call_bytes, 1},
									  .strides = {1, 1}});
}

static ptowsp_status windows_add(struct maker *maker, uint64_t number)
{
	const struct base_walk_task *task = &maker->walk->tasks[number];
	const struct ascend_plan_rules *rules = maker->rules;
	struct ascend_plan_window window;

	if (rules->simulated)
		call_add(maker, number);
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *arg = &maker->walk->tensors[task->tensors + i];

		if (!ascend_plan_window_of(&window, arg, rules->entries[arg->tensor], rules->bindings[arg->tensor].data))
			return rt_fail_at(
				maker->error, PTOWSP_TOO_SMALL, number, UINT64_MAX,
				"task %llu: tensor argument %u is %llu x %llu elements, rows %llu apart; the pto-runtime takes 2^32 - 1 of each: cut it",
				(unsigned long long)number, i, (unsigned long long)arg->rows, (unsigned long long)arg->columns,
				(unsigned long long)arg->row_stride);
		ascend_plan_window_add(maker->build, &window);
	}
	return PTOWSP_OK;
}

static uint32_t step_add(struct maker *maker, uint64_t number)
{
	const struct base_walk_task *task = &maker->walk->tasks[number];
	uint32_t step = ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = number,
										      .function = task->kernel,
										      .shape = shape_of(task->unit),
										      .blocks = maker->rules->blocks ? maker->rules->blocks[task->kernel] : 1});

	for (uint32_t i = 0; i < maker->preds.count; i++)
		ascend_plan_edge_add(maker->build, maker->preds.steps[i]);
	for (uint32_t i = 0; i < task->arg_count; i++)
		ascend_plan_scalar_add(maker->build, maker->walk->args[task->args + i]);
	return step;
}

static ptowsp_status task_add(struct maker *maker, uint64_t number)
{
	const struct base_walk_task *task = &maker->walk->tasks[number];
	ptowsp_status status = counts_check(maker, number, maker->rules->simulated);
	uint32_t step;

	if (status)
		return status;
	preds_find(maker, number);
	preds_narrow(maker);
	scope_hold(maker);
	step = step_add(maker, number);
	status = windows_add(maker, number);
	maker->steps[number] = step;
	maker->first_successors[number] = UINT64_MAX;
	base_lanes_put(&maker->lanes, task, step);
	if (task->process != PTOWSP_NONE)
		base_front_task(&maker->fronts, task->process, step);
	maker->made = number + 1;
	return status;
}

/* ---- payload of channels --------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct ptowsp_tensor_arg *region)
{
	return region->rows * region->columns * rt_dtype_bytes(region->dtype);
}

/* So many copies of a tensor are kept apart. */
static void copies_gather(struct maker *maker, const struct ptowsp_tensor_arg *region)
{
	struct ascend_copies *copies = ascend_moves_crowd(&maker->moves, region);

	if (!copies)
		return;
	maker->preds.count = 0;
	for (uint32_t i = 0; i < copies->count; i++)
		ascend_preds_add(&maker->preds, copies->rows[i].step);
	preds_narrow(maker);
	ascend_moves_gathered(copies, dummy_add(maker, maker->preds.steps, maker->preds.count));
}

/* Behind the whole front of the instance, which goes on behind it; and behind who had the block before. */
static uint32_t copy_add(struct maker *maker, uint32_t process, uint32_t move, const struct ascend_block *block)
{
	const struct ptowsp_tensor_arg *region = &maker->walk->tensors[maker->walk->moves[move].tensor];
	const uint64_t bytes = bytes_of(region);
	struct ascend_plan_window window;
	uint32_t step;

	const bool arrives = !maker->walk->moves[move].sends;
	struct ptowsp_tensor_arg touched = *region;

	touched.access = arrives ? PTOWSP_WRITE : PTOWSP_READ;
	copies_gather(maker, region);
	maker->preds.count = 0;
	front_add(maker, process);
	ascend_moves_follow(&maker->moves, &touched, &maker->preds);
	ascend_preds_add(&maker->preds, block->after);
	preds_narrow(maker);
	scope_hold(maker);
	step = ascend_plan_step_add(maker->build,
				    &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_COPY, .shape = ASCEND_SHAPE_VECTOR, .blocks = 1});
	for (uint32_t i = 0; i < maker->preds.count; i++)
		ascend_plan_edge_add(maker->build, maker->preds.steps[i]);
	call_add(maker, maker->walk->task_count + move);
	maker->build->failed |= !ascend_plan_window_of(&window, region, maker->rules->entries[region->tensor], maker->rules->bindings[region->tensor].data);
	ascend_plan_window_add(maker->build, &window);
	ascend_plan_window_add(maker->build, &(struct ascend_plan_window){.start = block->start,
									  .entry = maker->rules->blocks_entry,
									  .dtype = ASCEND_U8,
									  .access = ASCEND_WINDOW_READ | ASCEND_WINDOW_WRITE,
									  .ndims = 1,
									  .contiguous = 1,
									  .shapes = {(uint32_t)bytes, 1},
									  .strides = {1, 1}});
	base_front_task(&maker->fronts, process, step);
	ascend_moves_copied(&maker->moves, region, arrives, step);
	return step;
}

/* The elements of a token are copied before it is sent. */
static void send_copy(struct maker *maker, const struct base_walk_event *event)
{
	const uint32_t move = ascend_moves_next(&maker->moves, event->process, event->row, true);
	struct ascend_block *block;

	if (move == UINT32_MAX)
		return;
	block = ascend_moves_send(&maker->moves, event->row, bytes_of(&maker->walk->tensors[maker->walk->moves[move].tensor]));
	if (block)
		copy_add(maker, event->process, move, block);
}

/* The consumer has waited for those who touch the region. */
static void arrive_copy(struct maker *maker, uint32_t process)
{
	uint32_t channel = 0;
	struct ascend_block *block = ascend_moves_arrive(&maker->moves, process, &channel);
	const uint32_t move = block ? ascend_moves_next(&maker->moves, process, channel, false) : UINT32_MAX;

	if (move != UINT32_MAX)
		ascend_moves_give_back(&maker->moves, channel, block, copy_add(maker, process, move, block));
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

/* A workload goes on when these have ended, or a process does. */
static void gate_set(struct maker *maker, const struct base_walk_event *event, uint64_t number)
{
	uint32_t step = barrier_at(maker, number);

	if (event->process == PTOWSP_NONE)
		maker->gate = step;
	else
		base_front_gate(&maker->fronts, event->process, step);
}

/* A process goes on when tasks have ended, which are named, or all before a number. */
static void follow(struct maker *maker, const struct base_walk_event *event)
{
	const uint32_t gate = base_front(&maker->fronts, event->process)[maker->fronts.width - 1];

	if (!event->pred_count) {
		if (event->number)
			gate_set(maker, event, event->number);
		return;
	}
	maker->preds.count = 0;
	ascend_preds_add(&maker->preds, gate);
	for (uint32_t i = 0; i < event->pred_count; i++)
		ascend_preds_add(&maker->preds, maker->steps[maker->walk->preds[event->preds + i]]);
	preds_narrow(maker);
	base_front_gate(&maker->fronts, event->process, dummy_add(maker, maker->preds.steps, maker->preds.count));
}

/* Scopes of processes lie across each other, which the runtime's cannot: their tasks stand in scopes as if there were none. What they hold of a window the walk has minded:
 * whose turn it is, and that nobody's is (rt.h). */
static void scope_step(struct maker *maker, const struct base_walk_event *event)
{
	bool begin = event->kind == RT_ITEM_SCOPE_BEGIN;

	if (event->process != PTOWSP_NONE || !maker->rules->scopes)
		return;
	scope_release(maker);
	ascend_plan_step_add(maker->build, &(struct ascend_plan_step){.number = maker->made, .kind = begin ? ASCEND_STEP_SCOPE_BEGIN : ASCEND_STEP_SCOPE_END});
	maker->open += begin ? 1 : UINT32_MAX;
}

static void event_take(struct maker *maker, const struct base_walk_event *event)
{
	switch (event->kind) {
	case RT_ITEM_SCOPE_BEGIN:
	case RT_ITEM_SCOPE_END: scope_step(maker, event); return;
	case RT_ITEM_ORDER_STEP: gate_set(maker, event, maker->made); return;
	case RT_ITEM_BARRIER:
	case RT_ITEM_FENCE:
	case RT_ITEM_WAIT: gate_set(maker, event, event->number); return;
	case RT_ITEM_FOLLOW:
		follow(maker, event);
		arrive_copy(maker, event->process);
		return;
	case RT_ITEM_SEND:
		send_copy(maker, event);
		base_fronts_take(&maker->fronts, event);
		return;
	case RT_ITEM_TAKE:
		base_fronts_take(&maker->fronts, event);
		ascend_moves_take(&maker->moves, event->process, event->row);
		return;
	case RT_ITEM_PIPELINE: base_fronts_begin(&maker->fronts, barrier_at(maker, maker->made)); return;
	default: base_fronts_take(&maker->fronts, event); return;
	}
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static bool maker_init(struct maker *maker)
{
	const struct base_walk *walk = maker->walk;
	bool fronts = base_fronts_init(&maker->fronts, walk), lanes = base_lanes_init(&maker->lanes, walk), moves = ascend_moves_init(&maker->moves, walk);

	maker->steps = calloc(walk->task_count + 1, sizeof(*maker->steps));
	maker->first_successors = calloc(walk->task_count + 1, sizeof(*maker->first_successors));
	maker->gate = maker->barrier_step = ASCEND_STEP_NONE;
	return fronts && lanes && moves && maker->steps && maker->first_successors;
}

static bool maker_failed(const struct maker *maker)
{
	return maker->preds.failed || maker->moves.failed || maker->lanes.failed || maker->fronts.failed || maker->build->failed;
}

static void maker_finish(struct maker *maker)
{
	base_lanes_finish(&maker->lanes);
	base_fronts_finish(&maker->fronts);
	ascend_moves_finish(&maker->moves);
	ascend_preds_finish(&maker->preds);
	free(maker->steps);
	free(maker->first_successors);
}

ptowsp_status ascend_plan_make(struct ascend_plan_build *build, const struct base_walk *walk, const struct ascend_plan_rules *rules, uint64_t *block_bytes_out,
			       struct ptowsp_error *error)
{
	struct maker maker = {.build = build, .walk = walk, .rules = rules, .error = error};
	bool ok = maker_init(&maker);
	uint32_t event = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint64_t task = 0; ok && !status && task <= walk->task_count; task++) {
		for (; event < walk->event_count && walk->events[event].at <= task; event++)
			event_take(&maker, &walk->events[event]);
		if (task < walk->task_count)
			status = task_add(&maker, task);
	}
	if (ok)
		scopes_close(&maker);
	if (!status && (!ok || maker_failed(&maker)))
		status = rt_no_memory(error, "the plan of the pto-runtime");
	*block_bytes_out = maker.moves.bytes;
	maker_finish(&maker);
	return status;
}
