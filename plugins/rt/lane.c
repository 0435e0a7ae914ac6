/* SPDX-License-Identifier: MIT */
#include "rt/lane.h"

bool rt_lane_find(const struct rt_run *run, struct rt_lane *lane)
{
	const struct rt_expand *expand = &run->expand;
	const struct rt_frame *top = &expand->frames[expand->depth - 1];
	const struct rt_ins *code = run->program->code;

	if (expand->at != top->end || top->op != PTOWSP_OP_PARALLEL_FOR ||
	    (lane->round == expand->rounds[top->depth].number && lane->level == expand->level))
		return false;
	lane->round = expand->rounds[top->depth].number;
	lane->level = expand->level;
	lane->count = lane->uses = 0;
	for (uint32_t at = top->at + 1; at < top->end; at = code[at].end, lane->count++) {
		struct rt_plan *plan = code[at].op == PTOWSP_OP_TASK ? run->plans.rows[(size_t)code[at].row * run->plans.levels + expand->level] : NULL;

		if (!plan || !plan->express || plan->varying || lane->count == RT_LANE_MOST || plan->round != expand->rounds[top->depth].number)
			return false;
		lane->plans[lane->count] = plan;
		lane->sites[lane->count] = code[at].row;
		lane->uses += plan->use_count;
	}
	return lane->count > 0;
}

RT_INLINE ptowsp_status lane_iterate(struct rt_run *run, const struct rt_lane *lane, uint64_t steps, struct rt_untold *untold)
{
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t k = 0; !st && k < lane->count; k++) {
		struct rt_plan *plan = lane->plans[k];

		plan->at = (int64_t)((uint64_t)plan->at + steps);
		st = rt_express_task(run, plan, &run->program->sites[lane->sites[k]], steps, untold);
	}
	return st;
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

/* Iterations of a lane whose kernels all run here: the uses of all their tasks are entered first, then their kernels run, then the clock hears of
 * them. `first`: by how much the value of the loop moved to the first of them, `step`: to each other one. */
struct block {
	uint64_t first, step;
	uint32_t iterations;
	uint32_t told; /* tasks before those of the block that the clock has not been told */
};

static bool lane_here(const struct rt_run *run, const struct rt_lane *lane)
{
	bool here = true;

	for (uint32_t k = 0; run->kernels && k < lane->count; k++)
		here &= run->known[lane->plans[k]->kernel].here;
	return here;
}

/* Moves the expander on, by `most` iterations at most, within a block of tile levels. At another level than the lane's: none. */
static uint32_t block_begin(struct rt_expand *expand, struct rt_lane *lane, uint32_t most, struct block *block)
{
	struct rt_frame *top = &expand->frames[expand->depth - 1];
	int64_t *value = &expand->loops[top->depth];
	uint64_t was = (uint64_t)*value;
	uint32_t more;

	if (!rt_expand_iterate(expand) || expand->level != lane->level)
		return 0;
	block->first = (uint64_t)*value - was;
	block->step = top->walk.set ? top->walk.step : (uint64_t)top->step;
	if (top->walk.set) {
		more = rt_level_skip(&top->walk, most - 1);
	} else {
		more = top->left < most - 1 ? (uint32_t)top->left : most - 1;
		top->left -= more;
	}
	*value = (int64_t)((uint64_t)*value + more * block->step);
	block->iterations = 1 + more;
	return block->iterations;
}

/* The next task of a lane: its plan, in the order of the body, iteration after iteration. */
struct place {
	const struct rt_lane *lane;
	uint32_t k;
	uint64_t steps, step; /* by which the loop moved to this iteration, to each later one */
};

RT_INLINE struct place place_first(const struct rt_lane *lane, const struct block *block)
{
	return (struct place){lane, 0, block->first, block->step};
}

RT_INLINE struct rt_plan *place_plan(const struct place *place)
{
	struct rt_plan *plan = place->lane->plans[place->k];

	plan->at = (int64_t)((uint64_t)plan->at + place->steps);
	return plan;
}

/* True: a new iteration. */
RT_INLINE bool place_next(struct place *place)
{
	bool last = ++place->k == place->lane->count;

	place->k = last ? 0 : place->k;
	place->steps = last ? place->step : place->steps;
	return last;
}

static bool alike(const struct rt_clock_brief *brief, const struct rt_plan *plan)
{
	return brief->cycles == plan->cycles && brief->need.map == plan->map_need && !brief->need.deps;
}

/* No task of the lane can have an edge. */
static void block_pass(struct rt_run *run, const struct rt_lane *lane, const struct block *block, struct rt_untold *untold)
{
	uint64_t steps = block->first + (block->iterations - 1) * block->step;
	struct rt_clock_brief *brief = &untold->tasks[untold->count];

	untold->equal = lane->count == 1 && (!untold->count || (untold->count == 1 && alike(&untold->tasks[0], lane->plans[0])));
	for (uint32_t k = 0; k < lane->count; k++) {
		struct rt_plan *plan = lane->plans[k];
		const struct rt_clock_brief same = {plan->cycles, {plan->map_need, 0}};

		plan->at = (int64_t)((uint64_t)plan->at + steps);
		for (uint32_t i = 0; i < (untold->equal ? 1 : block->iterations); i++)
			brief[i * lane->count + k] = same;
	}
	untold->count += block->iterations * lane->count;
	rt_preds_next(&run->preds, run->tasks + (uint64_t)block->iterations * lane->count, run->window);
}

static ptowsp_status block_enter(struct rt_run *run, const struct rt_lane *lane, const struct block *block, struct rt_untold *untold)
{
	struct rt_clock_brief *brief = &untold->tasks[untold->count], *end = brief + block->iterations * lane->count;
	struct place place = place_first(lane, block);
	ptowsp_status st = PTOWSP_OK;

	for (; !st && brief < end; brief++, place_next(&place)) {
		struct rt_plan *plan = place_plan(&place);

		if (plan->use_count)
			st = rt_express_uses(run, plan, untold->cells, place.steps);
		brief->cycles = plan->cycles;
		brief->need = (struct rt_need){plan->map_need, run->preds.count};
		rt_preds_step(&run->preds, untold->span);
	}
	untold->count = (uint32_t)(end - untold->tasks);
	return !st && run->preds.out_of_memory ? rt_no_memory(run->error, "the tensor map") : st;
}

/* Back to the values before the block. */
static void block_rewind(struct rt_run *run, const struct rt_lane *lane, const struct block *block)
{
	uint64_t steps = block->first + (block->iterations - 1) * block->step;
	int64_t *value = &run->expand.loops[run->expand.frames[run->expand.depth - 1].depth];

	for (uint32_t k = 0; k < lane->count; k++)
		lane->plans[k]->at = (int64_t)((uint64_t)lane->plans[k]->at - steps);
	*value = (int64_t)((uint64_t)*value - steps);
}

static ptowsp_status block_run(struct rt_run *run, const struct rt_lane *lane, const struct block *block)
{
	const bool look = run->cancel || run->args->deadline_ns || run->sample_left;
	int64_t *value = &run->expand.loops[run->expand.frames[run->expand.depth - 1].depth];
	struct place place = place_first(lane, block);
	uint64_t end = run->tasks + (uint64_t)block->iterations * lane->count;
	ptowsp_status st = PTOWSP_OK;

	block_rewind(run, lane, block);
	*value = (int64_t)((uint64_t)*value + place.steps);
	while (!st && run->tasks < end) {
		struct rt_plan *plan = place_plan(&place);

		st = rt_express_kernel(run, plan, &run->program->sites[lane->sites[place.k]]);
		if (!st && look)
			st = rt_look_after_kernel(run);
		run->env.task = run->tasks += !st;
		if (place_next(&place) && run->tasks < end)
			*value = (int64_t)((uint64_t)*value + place.step);
	}
	return st;
}

/* The clock will hear of those that ran; of the one that failed too. */
static ptowsp_status block_end(struct rt_run *run, const struct rt_lane *lane, const struct block *block, struct rt_untold *untold, uint64_t began, bool failed)
{
	uint32_t ran = (uint32_t)(run->tasks - began);

	for (uint32_t i = 0; lane->uses && i < ran; i++)
		run->edges += untold->tasks[block->told + i].need.deps;
	untold->count = block->told + ran + failed;
	return untold->equal || untold->count > RT_TOLD_AT_ONCE / 2 ? rt_untold_tell(run, untold) : PTOWSP_OK;
}

static ptowsp_status block_go(struct rt_run *run, const struct rt_lane *lane, struct block *block, struct rt_untold *untold)
{
	uint64_t began = run->tasks;
	ptowsp_status st = PTOWSP_OK, told;

	block->told = untold->count;
	if (lane->uses)
		st = block_enter(run, lane, block, untold);
	else
		block_pass(run, lane, block, untold);
	if (st)
		return st;
	if (run->kernels)
		st = block_run(run, lane, block);
	else
		run->env.task = run->tasks += (uint64_t)block->iterations * lane->count;
	told = block_end(run, lane, block, untold, began, st != PTOWSP_OK);
	return st ? st : told;
}

/* ---- a lane -------------------------------------------------------------------------------------------------------- */

/* Iterations for which there is room whatever edges they have; open scopes keep what they hold. */
static uint32_t lane_sure(const struct rt_run *run, const struct rt_lane *lane, uint32_t most)
{
	uint64_t sure = most;
	uint32_t map_need = 0;

	if (!run->lag.feed || !run->flow.scopes)
		return most;
	for (uint32_t k = 0; k < lane->count; k++)
		map_need = lane->plans[k]->map_need > map_need ? lane->plans[k]->map_need : map_need;
	sure = rt_flow_sure(&run->flow, map_need) / lane->count;
	return sure < most ? (uint32_t)sure : most;
}

/* Task by task: an engine is given each with its predecessors, before its kernel runs. */
static ptowsp_status lane_fed(struct rt_run *run, const struct rt_lane *lane, const struct block *block, struct rt_untold *untold)
{
	int64_t *value = &run->expand.loops[run->expand.frames[run->expand.depth - 1].depth];
	uint64_t steps = block->first;
	ptowsp_status st = PTOWSP_OK;

	*value = (int64_t)((uint64_t)*value - (block->iterations - 1) * block->step);
	for (uint32_t i = 0; !st && i < block->iterations; i++, steps = block->step) {
		if (i)
			*value = (int64_t)((uint64_t)*value + block->step);
		st = lane_iterate(run, lane, steps, untold);
	}
	return st;
}

static ptowsp_status block_take(struct rt_run *run, struct rt_lane *lane, struct block *block, bool here, struct rt_untold *untold)
{
	if (run->lag.feed)
		return lane_fed(run, lane, block, untold);
	return here ? block_go(run, lane, block, untold) : lane_iterate(run, lane, block->first, untold);
}

/* At most `room` iterations, in blocks as long as kernels run here. */
static ptowsp_status lane_go(struct rt_run *run, struct rt_lane *lane, uint32_t room, struct rt_untold *untold)
{
	struct block block;
	uint32_t done, most;
	ptowsp_status st = PTOWSP_OK;

	for (; !st && room; room -= done) {
		bool here = run->lag.feed || lane_here(run, lane);

		if (here && untold->count + lane->count > RT_TOLD_AT_ONCE && (st = rt_untold_tell(run, untold)))
			break;
		most = lane_sure(run, lane, here ? (RT_TOLD_AT_ONCE - untold->count) / lane->count : 1);
		if (!most)
			break;
		done = block_begin(&run->expand, lane, most < room ? most : room, &block);
		if (!done)
			break;
		st = block_take(run, lane, &block, here, untold);
	}
	return st;
}

ptowsp_status rt_lane_run(struct rt_run *run, struct rt_lane *lane, struct rt_untold *untold)
{
	struct rt_expand *expand = &run->expand;
	struct rt_frame *top = &expand->frames[expand->depth - 1];
	uint64_t began = run->tasks, left = run->max_tasks - began;
	uint32_t room = (uint32_t)((left < expand->budget ? left : expand->budget) / lane->count);
	ptowsp_status st = room > 1 ? lane_go(run, lane, room - 1, untold) : PTOWSP_OK; /* the expander has a budget left for what comes behind */

	expand->site = lane->sites[lane->count - 1];
	expand->at = expand->level != lane->level ? top->at + 1 : top->end;
	expand->budget = run->tasks - began < expand->budget ? expand->budget - (uint32_t)(run->tasks - began) : 1;
	for (uint32_t k = 0; !run->lag.feed && k < lane->count; k++) /* after a failure: those told, as elsewhere */
		rt_express_count(lane->plans[k], (run->tasks - began + (st != PTOWSP_OK) + lane->count - 1 - k) / lane->count);
	return st;
}
