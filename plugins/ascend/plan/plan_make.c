/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_make.h"

#include "ascend/engine/pod.h"
#include "ascend/plan/plan_check.h"
#include "ascend/plan/plan_moves.h"
#include "ascend/plan/plan_window.h"
#include "base/lanes.h"
#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include "rt/process/vector_clock.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/rt_feed.h"
#include <stdlib.h>

#define SCOPE_TASKS 256u
/* Steps that may run at a time, where tasks come in batches. A task keeps its place in a ring until those have ended that came behind it before it ended, so a ring of 16,384 is never
 * full for long. */
#define STEPS_RUN 4096u
/* And edges to them, for the same reason: a ring's pool has 16,384 entries, of which those of 64 tasks come back late. */
#define EDGES_RUN 4096u

struct maker_task {
	uint32_t step;
	uint64_t first_successor; /* UINT64_MAX: none yet */
};
struct ascend_maker {
	struct ascend_plan_rules rules;
	const struct base_walk *walk; /* limits and moves */
	struct ascend_plan_part *part;
	struct ascend_plan_build *build; /* of the part */
	struct ptowsp_error *error;
	struct maker_task *tasks;  /* the latest ones, or all */
	uint64_t kept;             /* of them, a power of two */
	uint64_t made;             /* tasks that have steps */
	uint32_t steps;            /* of earlier parts */
	uint64_t *edges, edge_sum; /* per step, modulo ASCEND_STEPS_KEPT: edges of the run up to it; of all. Where tasks come in batches */
	uint32_t over;             /* steps before it no longer run when the latest one is submitted */
	struct ascend_preds preds; /* of the step that is put together */
	uint64_t barrier_number;   /* tasks before it come before barrier_step */
	uint32_t barrier_step;
	uint32_t gate; /* step before all that comes, of the workload */
	struct rt_vector_clocks clocks;
	struct base_lanes lanes;
	struct ascend_moves moves;
	uint32_t open, filled; /* scopes of the package; tasks in the scope around those outside, 0: none is open */
};

static struct maker_task *task_of(const struct ascend_maker *maker, uint64_t number)
{
	return &maker->tasks[number & (maker->kept - 1)];
}

/* Tasks further back have ended. */
static uint64_t oldest_of(const struct ascend_maker *maker, uint64_t number)
{
	return number > maker->kept / 2 ? number - maker->kept / 2 : 0;
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

static uint64_t *edges_at(const struct ascend_maker *maker, uint32_t step)
{
	return &maker->edges[step & (ASCEND_STEPS_KEPT - 1)];
}

/* Steps that may still run when the next one is submitted, which has so many edges. within: its own limit. */
static uint32_t room_find(struct ascend_maker *maker, uint32_t step, uint32_t edges, uint32_t within)
{
	uint32_t first = step > within ? step - within : 0;

	first = first > maker->over ? first : maker->over;
	maker->edge_sum += edges;
	while (first < step && maker->edge_sum - (first ? *edges_at(maker, first - 1) : 0) > EDGES_RUN)
		first++;
	maker->over = first;
	*edges_at(maker, step) = maker->edge_sum;
	return step - first;
}

/* within: so many steps may still run when it is submitted. */
static uint32_t step_make(struct ascend_maker *maker, struct ascend_plan_step *step, const uint32_t *preds, uint32_t count, uint32_t within)
{
	const uint32_t number = maker->build->first + maker->build->step_count;

	step->room = maker->rules.comes ? room_find(maker, number, count, within) : ASCEND_ROOM_ANY;
	ascend_plan_step_add(maker->build, step);
	for (uint32_t i = 0; i < count; i++)
		ascend_plan_edge_add(maker->build, preds[i]);
	return number;
}

static void scope_make(struct ascend_maker *maker, bool begin)
{
	step_make(maker, &(struct ascend_plan_step){.number = maker->made, .kind = begin ? ASCEND_STEP_SCOPE_BEGIN : ASCEND_STEP_SCOPE_END}, NULL, 0,
		  STEPS_RUN);
}

/* In the ring of the task buffer a step has to stand in a scope that ends. */
static void scope_hold(struct ascend_maker *maker)
{
	if (!maker->rules.scopes || maker->open)
		return;
	if (maker->filled >= SCOPE_TASKS) {
		scope_make(maker, false);
		maker->filled = 0;
	}
	if (!maker->filled++)
		scope_make(maker, true);
}

static void scope_release(struct ascend_maker *maker)
{
	if (maker->filled)
		scope_make(maker, false);
	maker->filled = 0;
}

/* Scopes may be open from one walk of a run to the next: the last one closes them. */
static void scopes_close(struct ascend_maker *maker)
{
	scope_release(maker);
	for (; maker->open; maker->open--)
		scope_make(maker, false);
}

static uint32_t dummy_add(struct ascend_maker *maker, const uint32_t *preds, uint32_t count)
{
	scope_hold(maker);
	return step_make(maker, &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_DUMMY, .blocks = 1}, preds, count, STEPS_RUN);
}

/* As many as one step takes: groups of them become steps without a kernel. */
static void preds_narrow(struct ascend_maker *maker)
{
	if (maker->preds.count > 1)
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

/* A step behind the first `number` tasks. Tasks that have a successor among them are behind it anyway. */
static uint32_t barrier_at(struct ascend_maker *maker, uint64_t number)
{
	if (number <= maker->barrier_number)
		return maker->barrier_step;
	maker->preds.count = 0;
	ascend_preds_add(&maker->preds, maker->barrier_step);
	if (maker->barrier_number < oldest_of(maker, maker->made))
		maker->barrier_number = oldest_of(maker, maker->made);
	for (uint64_t task = maker->barrier_number; task < number; task++)
		if (task_of(maker, task)->first_successor >= number)
			ascend_preds_add(&maker->preds, task_of(maker, task)->step);
	preds_narrow(maker);
	maker->barrier_number = number;
	maker->barrier_step = dummy_add(maker, maker->preds.steps, maker->preds.count);
	maker->preds.count = 0;
	return maker->barrier_step;
}

/* ---- tasks ----------------------------------------------------------------------------------------------------------- */

/* Steps that gather tasks of all instances stand behind those of the instances. */
static void gate_add(struct ascend_maker *maker, uint32_t process, uint32_t step)
{
	if (step != ASCEND_STEP_NONE)
		rt_vector_clock_follow(&maker->clocks, process, maker->clocks.instance_count, step);
}

static void clock_add(struct ascend_maker *maker, uint32_t process)
{
	const struct rt_vector_clock *clock = &maker->clocks.instances[process];

	for (uint32_t i = 0; i < clock->count; i++)
		ascend_preds_add(&maker->preds, (uint32_t)clock->rows[i].step);
}

/* Edges of the package. */
static void edges_add(struct ascend_maker *maker, uint64_t number, const uint64_t *preds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (preds[i] < oldest_of(maker, number))
			continue;
		ascend_preds_add(&maker->preds, task_of(maker, preds[i])->step);
		if (task_of(maker, preds[i])->first_successor > number)
			task_of(maker, preds[i])->first_successor = number;
	}
}

static bool window_holds(const struct ascend_maker *maker, uint64_t number)
{
	return maker->rules.window && number >= maker->rules.window && number - maker->rules.window >= oldest_of(maker, number);
}

static void preds_find(struct ascend_maker *maker, const struct base_walk_task *task, uint64_t number)
{
	uint32_t lanes[BASE_LANES_MOST];

	maker->preds.count = 0;
	if (task->pred_count)
		edges_add(maker, number, maker->part->walk->preds + task->preds, task->pred_count);
	for (uint32_t i = 0; maker->rules.moved_tensors && i < task->tensor_count; i++)
		ascend_moves_follow(&maker->moves, &maker->part->walk->tensors[task->tensors + i], &maker->preds);
	for (uint32_t i = 0, count = maker->lanes.any ? base_lanes_follow(&maker->lanes, task, lanes) : 0; i < count; i++)
		ascend_preds_add(&maker->preds, lanes[i]);
	if (!maker->rules.comes && window_holds(maker, number))
		ascend_preds_add(&maker->preds, task_of(maker, number - maker->rules.window)->step);
	if (task->process != PTOWSP_NONE)
		clock_add(maker, task->process);
	else if (maker->gate != ASCEND_STEP_NONE)
		ascend_preds_add(&maker->preds, maker->gate);
}

/* Steps that may still run when it is submitted: those behind the task a window before it. */
static uint32_t room_of(const struct ascend_maker *maker, uint64_t number)
{
	const uint32_t here = maker->build->first + maker->build->step_count;

	return window_holds(maker, number) ? here - task_of(maker, number - maker->rules.window)->step - 1 : STEPS_RUN;
}

static uint32_t step_add(struct ascend_maker *maker, const struct base_walk_task *task, uint64_t number)
{
	const uint32_t room = room_of(maker, number);
	struct ascend_plan_step step = maker->rules.kernels[task->kernel].step;

	step.number = number;
	return step_make(maker, &step, maker->preds.steps, maker->preds.count, room < STEPS_RUN ? room : STEPS_RUN);
}

static ptowsp_status task_add(struct ascend_maker *maker, const struct base_walk_task *task)
{
	const bool is_wide = task->tensor_count > ASCEND_TASK_TENSORS - 2 || task->arg_count > ASCEND_TASK_SCALARS;
	const uint64_t number = maker->made;
	ptowsp_status status = is_wide ? ascend_args_check(&maker->rules, task, number, maker->error) : PTOWSP_OK;
	uint32_t step;

	if (status)
		return status;
	preds_find(maker, task, number);
	preds_narrow(maker);
	scope_hold(maker);
	step = step_add(maker, task, number);
	if (!maker->rules.bare)
		status = ascend_args_add(&maker->rules, maker->part, task, number, maker->error);
	*task_of(maker, number) = (struct maker_task){step, UINT64_MAX};
	if (maker->lanes.any)
		base_lanes_put(&maker->lanes, task, step);
	if (task->process != PTOWSP_NONE)
		rt_vector_clock_task(&maker->clocks, task->process, step);
	maker->made = number + 1;
	return status;
}

/* ---- payload of channels --------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(const struct ptowsp_tensor_arg *region)
{
	return region->rows * region->columns * rt_dtype_bytes(region->dtype);
}

/* So many copies of a tensor are kept apart. */
static void copies_gather(struct ascend_maker *maker, const struct ptowsp_tensor_arg *region)
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

static bool copy_keep(struct ascend_plan_part *part, const struct base_walk_move *move)
{
	if (!COMMON_GROW(part->copies, part->copy_room, part->copy_count))
		return false;
	part->copies[part->copy_count++] = *move;
	return true;
}

static void copy_windows_add(struct ascend_maker *maker, const struct base_walk_move *move, const struct ascend_block *block)
{
	struct ascend_plan_window window;

	maker->build->failed |= !ascend_window_of(&window, &maker->rules, &move->window) || !copy_keep(maker->part, move);
	ascend_plan_window_add(maker->build, &window);
	ascend_plan_window_add(maker->build, &(struct ascend_plan_window){.start = block->start,
									  .entry = maker->rules.blocks_entry,
									  .dtype = ASCEND_U8,
									  .access = ASCEND_WINDOW_READ | ASCEND_WINDOW_WRITE,
									  .ndims = 1,
									  .contiguous = 1,
									  .shapes = {(uint32_t)bytes_of(&move->window), 1},
									  .strides = {1, 1}});
}

/* Behind the whole clock of the instance, which goes on behind it; and behind who had the block before. */
static uint32_t copy_add(struct ascend_maker *maker, uint32_t process, uint32_t at, const struct ascend_block *block)
{
	const struct base_walk_move *move = &maker->walk->moves[at];
	struct ptowsp_tensor_arg touched = move->window;
	uint32_t step;

	touched.access = move->sends ? PTOWSP_READ : PTOWSP_WRITE;
	copies_gather(maker, &move->window);
	maker->preds.count = 0;
	clock_add(maker, process);
	ascend_moves_follow(&maker->moves, &touched, &maker->preds);
	ascend_preds_add(&maker->preds, block->after);
	preds_narrow(maker);
	scope_hold(maker);
	step = step_make(maker, &(struct ascend_plan_step){.number = maker->made, .kind = ASCEND_STEP_COPY, .shape = ASCEND_SHAPE_VECTOR, .blocks = 1},
			 maker->preds.steps, maker->preds.count, STEPS_RUN);
	copy_windows_add(maker, move, block);
	rt_vector_clock_task(&maker->clocks, process, step);
	ascend_moves_copied(&maker->moves, &move->window, !move->sends, step);
	return step;
}

/* The elements of a token are copied before it is sent. */
static void send_copy(struct ascend_maker *maker, const struct base_walk_event *event)
{
	const uint32_t move = ascend_moves_next(&maker->moves, event->process, event->row, true);
	struct ascend_block *block;

	if (move == UINT32_MAX)
		return;
	block = ascend_moves_send(&maker->moves, event->row, bytes_of(&maker->walk->moves[move].window));
	if (block)
		copy_add(maker, event->process, move, block);
}

/* The consumer has waited for those who touch the region. */
static void arrive_copy(struct ascend_maker *maker, uint32_t process)
{
	uint32_t channel = 0;
	struct ascend_block *block = ascend_moves_arrive(&maker->moves, process, &channel);
	const uint32_t move = block ? ascend_moves_next(&maker->moves, process, channel, false) : UINT32_MAX;

	if (move != UINT32_MAX)
		ascend_moves_give_back(&maker->moves, channel, block, copy_add(maker, process, move, block));
}

/* ---- events ---------------------------------------------------------------------------------------------------------- */

/* A workload goes on when these have ended, or a process does. */
static void gate_set(struct ascend_maker *maker, const struct base_walk_event *event, uint64_t number)
{
	uint32_t step = barrier_at(maker, number);

	if (event->process == PTOWSP_NONE)
		maker->gate = step;
	else
		gate_add(maker, event->process, step);
}

/* A process goes on when tasks have ended, which are named, or all before a number. */
static void follow(struct ascend_maker *maker, const struct base_walk_event *event)
{
	const uint64_t gate = rt_vector_clock_step(&maker->clocks.instances[event->process], maker->clocks.instance_count);

	if (!event->pred_count) {
		if (event->number)
			gate_set(maker, event, event->number);
		return;
	}
	maker->preds.count = 0;
	ascend_preds_add(&maker->preds, (uint32_t)gate);
	for (uint32_t i = 0; i < event->pred_count; i++)
		if (maker->part->walk->preds[event->preds + i] >= oldest_of(maker, maker->made))
			ascend_preds_add(&maker->preds, task_of(maker, maker->part->walk->preds[event->preds + i])->step);
	preds_narrow(maker);
	gate_add(maker, event->process, dummy_add(maker, maker->preds.steps, maker->preds.count));
}

/* Scopes of processes lie across each other, which the runtime's cannot: their tasks stand in scopes as if there were none. The walk has minded their part of a window:
 * whose turn it is, and that nobody's is (rt.h). */
static ptowsp_status scope_step(struct ascend_maker *maker, const struct base_walk_event *event)
{
	bool begin = event->kind == RT_ITEM_SCOPE_BEGIN;

	if (event->process != PTOWSP_NONE || !maker->rules.scopes)
		return PTOWSP_OK;
	if (begin && maker->open == ASCEND_SCOPE_DEPTH)
		return rt_fail(maker->error, PTOWSP_TOO_SMALL,
			       "scopes lie %d deep inside each other; tensormap_and_ringbuffer takes %d: use variant=host_build_graph, or fewer",
			       ASCEND_SCOPE_DEPTH + 1, ASCEND_SCOPE_DEPTH);
	scope_release(maker);
	scope_make(maker, begin);
	maker->open += begin ? 1 : UINT32_MAX;
	return PTOWSP_OK;
}

static void pipeline_begin(struct ascend_maker *maker, uint32_t step)
{
	for (uint32_t i = 0; i < maker->clocks.instance_count; i++)
		gate_add(maker, i, step);
}

static ptowsp_status event_take(struct ascend_maker *maker, const struct base_walk_event *event)
{
	switch (event->kind) {
	case RT_ITEM_SCOPE_BEGIN:
	case RT_ITEM_SCOPE_END: return scope_step(maker, event);
	case RT_ITEM_ORDER_STEP: gate_set(maker, event, maker->made); break;
	case RT_ITEM_BARRIER:
	case RT_ITEM_FENCE:
	case RT_ITEM_WAIT: gate_set(maker, event, event->number); break;
	case RT_ITEM_FOLLOW:
		follow(maker, event);
		arrive_copy(maker, event->process);
		break;
	case RT_ITEM_SEND:
		send_copy(maker, event);
		base_walk_clocks_take(&maker->clocks, event);
		break;
	case RT_ITEM_TAKE:
		base_walk_clocks_take(&maker->clocks, event);
		ascend_moves_take(&maker->moves, event->process, event->row);
		break;
	case RT_ITEM_PIPELINE: pipeline_begin(maker, barrier_at(maker, maker->made)); break;
	default: base_walk_clocks_take(&maker->clocks, event);
	}
	return PTOWSP_OK;
}

/* ---- making ---------------------------------------------------------------------------------------------------------- */

static uint64_t kept_of(const struct base_walk *walk, bool comes)
{
	return comes ? ASCEND_STEPS_KEPT : rt_power_above(2 * walk->task_count + 2);
}

ptowsp_status ascend_maker_create(struct ascend_maker **maker_out, const struct base_walk *walk, const struct ascend_plan_rules *rules,
				  struct ptowsp_error *error)
{
	struct ascend_maker *maker = calloc(1, sizeof(*maker));
	bool ok = maker;

	*maker_out = NULL;
	if (ok) {
		maker->rules = *rules;
		maker->walk = walk;
		maker->kept = kept_of(walk, rules->comes);
		maker->tasks = calloc(maker->kept, sizeof(*maker->tasks));
		maker->edges = calloc(ASCEND_STEPS_KEPT, sizeof(*maker->edges));
		maker->gate = maker->barrier_step = ASCEND_STEP_NONE;
		base_lanes_init(&maker->lanes, walk, maker->kept);
		ok = base_walk_clocks_init(&maker->clocks, walk) && ascend_moves_init(&maker->moves, walk, rules->moved_tensors) && maker->tasks &&
		     maker->edges;
	}
	if (!ok) {
		ascend_maker_destroy(maker);
		return rt_no_memory(error, "the plan of the pto-runtime");
	}
	*maker_out = maker;
	return PTOWSP_OK;
}

void ascend_maker_destroy(struct ascend_maker *maker)
{
	if (!maker)
		return;
	base_lanes_finish(&maker->lanes);
	rt_vector_clocks_finish(&maker->clocks);
	ascend_moves_finish(&maker->moves);
	ascend_preds_finish(&maker->preds);
	free(maker->tasks);
	free(maker->edges);
	free(maker);
}

static bool maker_failed(const struct ascend_maker *maker)
{
	return maker->preds.failed || maker->moves.failed || maker->lanes.failed || maker->clocks.lost || maker->build->failed;
}

ptowsp_status ascend_maker_take(struct ascend_maker *maker, struct ascend_plan_part *part, bool last, struct ptowsp_error *error)
{
	const struct base_walk *walk = part->walk;
	ptowsp_status status = PTOWSP_OK;
	uint32_t event = 0;

	maker->part = part;
	part->called = maker->rules.simulated;
	part->copy_count = 0;
	maker->build = &part->build;
	ascend_plan_build_empty(maker->build, maker->steps);
	maker->error = error;
	for (uint64_t task = 0; !status && task <= walk->task_count; task++) {
		for (; !status && event < walk->event_count && walk->events[event].at <= task; event++)
			status = event_take(maker, &walk->events[event]);
		if (!status && task < walk->task_count)
			status = task_add(maker, &walk->tasks[task]);
	}
	if (last)
		scopes_close(maker);
	maker->steps += maker->build->step_count;
	return !status && maker_failed(maker) ? rt_no_memory(error, "the plan of the pto-runtime") : status;
}

uint64_t ascend_maker_block_bytes(const struct ascend_maker *maker)
{
	return maker->moves.bytes;
}

uint64_t ascend_maker_tasks(const struct ascend_maker *maker)
{
	return maker->made;
}

uint64_t ascend_maker_steps(const struct ascend_maker *maker, uint64_t task)
{
	return task < oldest_of(maker, maker->made) ? 0 : task_of(maker, task)->step + UINT64_C(1);
}

void ascend_plan_part_finish(struct ascend_plan_part *part)
{
	ascend_plan_build_finish(&part->build);
	free(part->copies);
	*part = (struct ascend_plan_part){0};
}
