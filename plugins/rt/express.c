/* SPDX-License-Identifier: MIT */
#include "rt/express.h"

#include "rt/error.h"
#include "rt/graph_record.h"
#include "rt/steady.h"

/* ---- may it? ------------------------------------------------------------------------------------------------------ */

void rt_express_init(struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	const struct rt_clock *clock = &run->clock;
	bool told = run->sinks && (run->sinks->task || run->sinks->edge);

	if (run->survey) { /* nothing but edges can be short, and nobody is told */
		run->express = run->window && !run->watch;
		return;
	}
	/* With room for an edge to every task of the window no task can need more than there is. */
	run->express = clock->plain && (!clock->deps_capacity || clock->deps_capacity >= clock->window) &&
		       schedule->pools == PTOWSP_POOLS_SINGLE && !schedule->built && !schedule->interleaved && !schedule->batch && !run->quiet && !run->watch && !run->race.on &&
		       !told;
}

bool rt_express_site(const struct rt_run *run, const struct rt_site *site, uint32_t kernel, uint32_t map_need)
{
	const struct rt_known *known = &run->known[kernel];

	return run->express && !site->read_count && !site->allocated && !site->renamed && !site->after_count && kernel != run->program->copy_kernel &&
	       site->dispatch == PTOWSP_NONE && map_need != UINT32_MAX &&
	       (!run->clock.map_capacity || map_need <= run->clock.map_capacity) && !(run->kernels && known->later);
}

/* ---- a task ------------------------------------------------------------------------------------------------------- */

/* Moves the uses on and enters them, one of which at least is not by name. */
static ptowsp_status uses_enter_slowly(struct rt_run *run, struct rt_plan *plan, uint64_t steps)
{
	for (uint32_t i = 0; i < plan->use_count; i++)
		plan->uses[i].name += plan->uses[i].step * steps;
	run->plan = plan; /* whose accesses are asked for */
	return rt_infer_uses(run, plan->uses, plan->use_count);
}

RT_INLINE void uses_all(struct rt_preds *preds, struct rt_track *track, const struct rt_plan *plan, struct rt_cells *cells, uint64_t steps,
			bool full)
{
	struct rt_sight sight = rt_sight_begin(preds);

	for (struct rt_use *use = plan->uses, *end = use + plan->use_count; use < end; use++) {
		uint64_t name = use->name + use->step * steps;

		use->name = name;
		rt_sight_access(&sight, cells, track, name, use->access, full);
	}
	rt_sight_end(&sight);
}

/* Under overlap a tensor that is divided meanwhile shows in the count. */
static inline ptowsp_status uses_enter(struct rt_run *run, struct rt_plan *plan, struct rt_cells *cells, uint64_t steps)
{
	if (plan->steady && run->track.full)
		rt_steady_enter(&run->preds, &run->track, plan->steady, cells, steps, true);
	else if (plan->steady)
		rt_steady_enter(&run->preds, &run->track, plan->steady, cells, steps, false);
	else if (!plan->named || plan->divided != run->overlap.divided)
		return uses_enter_slowly(run, plan, steps);
	else if (run->track.full)
		uses_all(&run->preds, &run->track, plan, cells, steps, true);
	else
		uses_all(&run->preds, &run->track, plan, cells, steps, false);
	return PTOWSP_OK;
}

static void args_find(struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		run->task_args[i] = (uint64_t)rt_value(&run->env, run->program->args[site->first_arg + i]);
}

static inline ptowsp_status kernel_run(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), plan->cycles, run->error};
	ptowsp_status st;

	rt_plan_windows_move(plan, &run->tensors);
	if (site->arg_count)
		args_find(run, site);
	plan->task.number = run->tasks;
	plan->task.args = run->task_args;
	run->error->text[0] = 0;
	st = rt_crew_invoke(run->program, &plan->task, &out, 0);
	return st ? rt_crew_failure(run->program, plan->kernel, run->tasks, st, run->error) : PTOWSP_OK;
}

static inline ptowsp_status kernel_call(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	ptowsp_status st = kernel_run(run, plan, site);

	if (st)
		return st;
	return run->cancel || run->args->deadline_ns || run->sample_left ? rt_look_after_kernel(run) : PTOWSP_OK;
}

/* The same on whichever thread comes to it. What a task holds is given back by task number, so the tasks before the window have to have ended. */
static ptowsp_status kernel_share(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	struct rt_clock_task task = {.cycles = plan->cycles, .kernel = plan->kernel, .preds = run->preds.list, .pred_count = run->preds.count};
	ptowsp_status st;

	run->plan = plan;
	run->kernel = plan->kernel;
	if (run->tasks >= run->window)
		run->flow.tail = run->tasks - run->window + 1;
	st = rt_dispatch_begin(run);
	if (st)
		return st;
	if (rt_dispatch_keep(run))
		return rt_dispatch_kept(run, kernel_run(run, plan, site));
	args_find(run, site);
	return rt_dispatch(run, site, &task);
}

/* ---- task after task ---------------------------------------------------------------------------------------------- */

/* Tasks that the clock has not been told yet. */
enum { TOLD_AT_ONCE = 64 };
struct untold {
	struct rt_cells *cells; /* of the run's rule */
	uint32_t count, span;   /* span: most tasks that are live */
	struct rt_clock_brief tasks[TOLD_AT_ONCE];
};

static ptowsp_status clock_tell(struct rt_run *run, struct untold *untold)
{
	uint32_t count = untold->count;

	untold->count = 0;
	return count && !run->survey ? rt_clock_failed(run, rt_clock_tasks(&run->clock, untold->tasks, count)) : PTOWSP_OK;
}

/* One task: its plan is of it, but for the uses, which lie `steps` behind. A kernel that fails has been told to the clock all the same. */
RT_INLINE ptowsp_status task_issue(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site, uint64_t steps, struct untold *untold)
{
	struct rt_clock_brief *brief = &untold->tasks[untold->count];
	ptowsp_status st = plan->use_count ? uses_enter(run, plan, untold->cells, steps) : PTOWSP_OK;

	if (run->preds.out_of_memory)
		st = rt_no_memory(run->error, "the tensor map");
	if (st)
		return st;
	brief->cycles = plan->cycles;
	brief->need = (struct rt_need){plan->map_need, run->preds.count};
	if (++untold->count == TOLD_AT_ONCE && (st = clock_tell(run, untold)))
		return st;
	if (run->kernels && (st = run->known[plan->kernel].here ? kernel_call(run, plan, site) : kernel_share(run, plan, site)))
		return st;
	run->edges += run->preds.count;
	run->env.task = ++run->tasks;
	rt_preds_step(&run->preds, untold->span);
	return PTOWSP_OK;
}

static void stats_add(const struct rt_plan *plan, uint64_t tasks)
{
	plan->stats->tasks += tasks;
	plan->stats->cycles += tasks * plan->cycles;
}

static ptowsp_status one_issue(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site, uint64_t steps, struct untold *untold)
{
	stats_add(plan, 1);
	return task_issue(run, plan, site, steps, untold);
}

/* The plan of the task that the expander stands behind; NULL: it cannot go this way, or not yet. *steps_out: how far its uses are behind. */
static inline struct rt_plan *plan_ready(struct rt_run *run, uint64_t *steps_out)
{
	const struct rt_expand *expand = &run->expand;
	struct rt_plan *plan = run->plans.rows[(size_t)expand->site * run->plans.levels + expand->level];
	int64_t value;

	if (!plan || !plan->express || run->tasks >= run->max_tasks)
		return NULL;
	*steps_out = 0;
	if (!plan->round || plan->round != expand->rounds[plan->inner].number)
		return rt_plan_find(run, plan) ? plan : NULL;
	value = expand->loops[plan->inner];
	*steps_out = (uint64_t)value - (uint64_t)plan->at;
	plan->at = value;
	return plan;
}

/* The next iteration of the innermost body, where the expander stands at its end. */
static inline bool iteration_next(struct rt_expand *expand)
{
	struct rt_frame *top = &expand->frames[expand->depth - 1];

	if (top->op != PTOWSP_OP_PARALLEL_FOR || top->walk.set || !top->left)
		return rt_expand_again(expand);
	top->left--;
	expand->loops[top->depth] += top->step;
	expand->at = top->at + 1;
	return true;
}

/* The next task of the same body or iteration; NULL: something else comes. */
static inline const struct rt_site *site_next(struct rt_expand *expand)
{
	const struct rt_ins *in;

	if (expand->budget < 2 || (expand->at == expand->frames[expand->depth - 1].end && !iteration_next(expand)))
		return NULL;
	in = &expand->program->code[expand->at];
	if (in->op != PTOWSP_OP_TASK)
		return NULL;
	expand->budget--;
	expand->site = in->row;
	expand->at = in->end;
	return &expand->program->sites[in->row];
}

/* ---- lanes -------------------------------------------------------------------------------------------------------- */

/* A body of nothing but tasks whose plans are all of this round: until it ends, an iteration is what it was, moved on. */
enum { LANE_MOST = 24 };
struct lane {
	struct rt_plan *plans[LANE_MOST];
	uint32_t sites[LANE_MOST];
	uint32_t count, uses;
	uint32_t level;
	uint64_t round; /* that was looked at */
	struct rt_steady *steady; /* NULL: each task looks up all its uses */
};

/* At the end of the first iteration of a round at a level. */
static bool lane_find(const struct rt_run *run, struct lane *lane)
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

		if (!plan || !plan->express || lane->count == LANE_MOST || plan->round != expand->rounds[top->depth].number || !plan->round ||
		    plan->inner != top->depth)
			return false;
		lane->plans[lane->count] = plan;
		lane->sites[lane->count] = code[at].row;
		lane->uses += plan->use_count;
	}
	return lane->count > 0;
}

RT_INLINE ptowsp_status lane_iterate(struct rt_run *run, const struct lane *lane, uint64_t steps, struct untold *untold)
{
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t k = 0; !st && k < lane->count; k++) {
		struct rt_plan *plan = lane->plans[k];

		plan->at = (int64_t)((uint64_t)plan->at + steps);
		st = task_issue(run, plan, &run->program->sites[lane->sites[k]], steps, untold);
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

static bool lane_here(const struct rt_run *run, const struct lane *lane)
{
	bool here = true;

	for (uint32_t k = 0; run->kernels && k < lane->count; k++)
		here &= run->known[lane->plans[k]->kernel].here;
	return here;
}

/* Moves the expander on, by `most` iterations at most, within a block of tile levels. At another level than the lane's: none. */
static uint32_t block_begin(struct rt_expand *expand, const struct lane *lane, uint32_t most, struct block *block)
{
	struct rt_frame *top = &expand->frames[expand->depth - 1];
	int64_t *value = &expand->loops[top->depth];
	uint64_t was = (uint64_t)*value;
	uint32_t more;

	if (!iteration_next(expand) || expand->level != lane->level)
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
	const struct lane *lane;
	uint32_t k;
	uint64_t steps, step; /* by which the loop moved to this iteration, to each later one */
};

RT_INLINE struct place place_first(const struct lane *lane, const struct block *block)
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

/* No task of the lane can have an edge. */
static void block_pass(struct rt_run *run, const struct lane *lane, const struct block *block, struct untold *untold)
{
	uint64_t steps = block->first + (block->iterations - 1) * block->step;
	struct rt_clock_brief *brief = &untold->tasks[untold->count];

	for (uint32_t k = 0; k < lane->count; k++) {
		struct rt_plan *plan = lane->plans[k];
		const struct rt_clock_brief same = {plan->cycles, {plan->map_need, 0}};

		plan->at = (int64_t)((uint64_t)plan->at + steps);
		for (uint32_t i = 0; i < block->iterations; i++)
			brief[i * lane->count + k] = same;
	}
	untold->count += block->iterations * lane->count;
	rt_preds_next(&run->preds, run->tasks + (uint64_t)block->iterations * lane->count, run->window);
}

static ptowsp_status block_enter(struct rt_run *run, const struct lane *lane, const struct block *block, struct untold *untold)
{
	struct rt_clock_brief *brief = &untold->tasks[untold->count], *end = brief + block->iterations * lane->count;
	struct place place = place_first(lane, block);
	ptowsp_status st = PTOWSP_OK;

	if (lane->steady) {
		rt_steady_block(lane->steady, run, untold->cells, &(struct rt_steady_way){block->first, block->step, block->iterations}, untold->span, brief);
		brief = end;
	}
	for (; !st && brief < end; brief++, place_next(&place)) {
		struct rt_plan *plan = place_plan(&place);

		if (plan->use_count)
			st = uses_enter(run, plan, untold->cells, place.steps);
		brief->cycles = plan->cycles;
		brief->need = (struct rt_need){plan->map_need, run->preds.count};
		rt_preds_step(&run->preds, untold->span);
	}
	untold->count = (uint32_t)(end - untold->tasks);
	return !st && run->preds.out_of_memory ? rt_no_memory(run->error, "the tensor map") : st;
}

/* Back to the values before the block. */
static void block_rewind(struct rt_run *run, const struct lane *lane, const struct block *block)
{
	uint64_t steps = block->first + (block->iterations - 1) * block->step;
	int64_t *value = &run->expand.loops[run->expand.frames[run->expand.depth - 1].depth];

	for (uint32_t k = 0; k < lane->count; k++)
		lane->plans[k]->at = (int64_t)((uint64_t)lane->plans[k]->at - steps);
	*value = (int64_t)((uint64_t)*value - steps);
}

static ptowsp_status block_run(struct rt_run *run, const struct lane *lane, const struct block *block)
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

		st = kernel_run(run, plan, &run->program->sites[lane->sites[place.k]]);
		if (!st && look)
			st = rt_look_after_kernel(run);
		run->env.task = run->tasks += !st;
		if (place_next(&place) && run->tasks < end)
			*value = (int64_t)((uint64_t)*value + place.step);
	}
	return st;
}

/* The clock will hear of those that ran; of the one that failed too. */
static ptowsp_status block_end(struct rt_run *run, const struct lane *lane, const struct block *block, struct untold *untold, uint64_t began, bool failed)
{
	uint32_t ran = (uint32_t)(run->tasks - began);

	for (uint32_t i = 0; lane->uses && i < ran; i++)
		run->edges += untold->tasks[block->told + i].need.deps;
	untold->count = block->told + ran + failed;
	return untold->count > TOLD_AT_ONCE / 2 ? clock_tell(run, untold) : PTOWSP_OK;
}

static ptowsp_status block_go(struct rt_run *run, const struct lane *lane, struct block *block, struct untold *untold)
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

/* At most `room` iterations, in blocks as long as kernels run here. */
static ptowsp_status lane_go(struct rt_run *run, const struct lane *lane, uint32_t room, struct untold *untold)
{
	struct block block;
	uint32_t done, most;
	ptowsp_status st = PTOWSP_OK;

	for (; !st && room; room -= done) {
		bool here = lane_here(run, lane);

		if (here && untold->count + lane->count > TOLD_AT_ONCE && (st = clock_tell(run, untold)))
			break;
		most = here ? (TOLD_AT_ONCE - untold->count) / lane->count : 1;
		done = block_begin(&run->expand, lane, most < room ? most : room, &block);
		if (!done)
			break;
		st = here ? block_go(run, lane, &block, untold) : lane_iterate(run, lane, block.first, untold);
	}
	return st;
}

/* As many iterations as can be. The expander then stands at the end of the latest, or before the first task of one at another level. */
static ptowsp_status lane_run(struct rt_run *run, struct lane *lane, struct untold *untold)
{
	struct rt_expand *expand = &run->expand;
	struct rt_frame *top = &expand->frames[expand->depth - 1];
	uint64_t began = run->tasks, left = run->max_tasks - began;
	uint32_t room = (uint32_t)((left < expand->budget ? left : expand->budget) / lane->count);
	struct rt_steady steady;
	ptowsp_status st = room > 1 ? lane_go(run, lane, 1, untold) : PTOWSP_OK;

	steady.task_count = 0;
	if (!st && room > RT_STEADY_LEAST && expand->level == lane->level)
		rt_steady_begin(&steady, run, lane->plans, lane->count, untold->cells, &expand->rounds[top->depth]);
	lane->steady = steady.task_count ? &steady : NULL;
	if (!st && room > 2 && expand->level == lane->level)
		st = lane_go(run, lane, room - 2, untold);
	rt_steady_end(&steady, run, untold->cells);
	lane->steady = NULL;
	expand->site = lane->sites[lane->count - 1];
	expand->at = expand->level != lane->level ? top->at + 1 : top->end;
	expand->budget -= (uint32_t)(run->tasks - began);
	for (uint32_t k = 0; k < lane->count; k++) /* after a failure: those told, as elsewhere */
		stats_add(lane->plans[k], (run->tasks - began + (st != PTOWSP_OK) + lane->count - 1 - k) / lane->count);
	return st;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static void untold_init(const struct rt_run *run, struct untold *untold)
{
	uint64_t most = run->window - 1;

	untold->count = 0;
	untold->span = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
	untold->cells = run->overlap.lattices ? (struct rt_cells *)&run->overlap.cells : (struct rt_cells *)&run->exact;
}

static ptowsp_status tasks_issue(struct rt_run *run, struct untold *untold, const struct rt_site **site)
{
	struct rt_expand *expand = &run->expand;
	struct rt_plan *plan;
	struct lane lane = {.round = 0, .steady = NULL};
	uint64_t steps;
	ptowsp_status st = PTOWSP_OK;

	while (!st && *site && (plan = plan_ready(run, &steps))) {
		st = one_issue(run, plan, *site, steps, untold);
		if (!st && lane_find(run, &lane))
			st = lane_run(run, &lane, untold);
		if (!st)
			*site = site_next(expand);
	}
	return st;
}

/* The long way. */
static ptowsp_status site_issue(struct rt_run *run, const struct rt_site *site)
{
	return run->survey ? rt_survey_task(run, site) : rt_issue(run, site, run->expand.level);
}

ptowsp_status rt_express(struct rt_run *run)
{
	const struct rt_site *site = &run->program->sites[run->expand.site];
	uint64_t began = run->tasks;
	struct untold untold;
	ptowsp_status st, told;

	if (!run->express || run->clock.scopes || !rt_lag_empty(&run->lag))
		return site_issue(run, site);
	if (run->tasks >= run->fresh_until)
		rt_infer_freshen(run);
	untold_init(run, &untold);
	rt_preds_next(&run->preds, run->tasks, run->window);
	st = tasks_issue(run, &untold, &site);
	told = clock_tell(run, &untold);
	rt_flow_skip(&run->flow, run->tasks - began);
	run->places.counts[0] += run->tasks - began;
	if (st || told)
		return st ? st : told;
	return site ? site_issue(run, site) : PTOWSP_OK;
}
