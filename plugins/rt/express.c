/* SPDX-License-Identifier: MIT */
#include "rt/express.h"

#include "rt/feed.h"
#include "rt/graph_record.h"
#include "rt/lane.h"

/* ---- may it? ------------------------------------------------------------------------------------------------------ */

/* An engine bounds resources itself; where its tasks go is asked for each, unless there is one place. */
static bool fed(const struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;

	return run->lag.feed && schedule->window_mode == RT_WINDOW_STALL && !schedule->streams && (run->window || !run->kernels);
}

void rt_express_init(struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	const struct rt_clock *clock = &run->clock;
	bool told = !run->engine && run->sinks && (run->sinks->task || run->sinks->edge);

	/* With room for an edge to every task of the window no task can need more than there is. */
	run->express = (run->engine ? fed(run) : clock->plain) && (!clock->deps_capacity || (clock->window && clock->deps_capacity >= clock->window)) &&
		       (run->engine || schedule->pools == PTOWSP_POOLS_SINGLE) && !schedule->built && !schedule->interleaved && !schedule->batch && !run->quiet && !run->watch && !run->race.on &&
		       !told;
}

bool rt_express_site(const struct rt_run *run, const struct rt_site *site, uint32_t kernel, uint32_t map_most)
{
	const struct rt_known *known = &run->known[kernel];

	return run->express && !site->read_count && !site->allocated && !site->renamed && !site->after_count && kernel != run->program->copy_kernel &&
	       site->dispatch == PTOWSP_NONE && (!run->clock.map_capacity || map_most <= run->clock.map_capacity) && !(run->kernels && known->later);
}

/* ---- a task ------------------------------------------------------------------------------------------------------- */

ptowsp_status rt_express_uses_slowly(struct rt_run *run, struct rt_plan *plan, uint64_t steps)
{
	for (uint32_t i = 0; i < plan->use_count; i++)
		plan->uses[i].name += plan->uses[i].step * steps;
	run->plan = plan; /* whose accesses are asked for */
	return rt_infer_uses(run, plan->uses, plan->use_count);
}

/* Open scopes keep what tasks hold that go to an engine this way. */
static inline bool kept(const struct rt_run *run)
{
	return run->lag.feed && run->flow.scopes;
}

ptowsp_status rt_express_share(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	struct rt_clock_task task = {.cycles = plan->cycles, .kernel = plan->kernel, .executor = plan->task.executor, .preds = run->preds.list,
				     .pred_count = run->preds.count};
	ptowsp_status st;

	run->plan = plan;
	run->kernel = plan->kernel;
	st = rt_dispatch_begin(run);
	if (st)
		return st;
	if (rt_dispatch_keep(run))
		return rt_dispatch_kept(run, rt_express_kernel(run, plan, site));
	rt_express_args(run, site);
	return rt_dispatch(run, site, &task);
}

/* ---- task after task ---------------------------------------------------------------------------------------------- */

static ptowsp_status one_issue(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site, uint64_t steps, struct rt_untold *untold)
{
	if (!run->lag.feed)
		rt_express_count(plan, 1);
	return rt_express_task(run, plan, site, steps, untold);
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
	if (plan->round && plan->round == expand->rounds[plan->inner].number) {
		value = expand->loops[plan->inner];
		*steps_out = (uint64_t)value - (uint64_t)plan->at;
		plan->at = value;
	} else if (!rt_plan_find(run, plan)) {
		return NULL;
	}
	if (plan->varying)
		rt_plan_recount(plan, run->track.full);
	return plan;
}

/* Is there room for the task at which the expander stands, whatever edges it has? If there is none it is found out, and said, the long way. */
static inline bool sure(const struct rt_run *run)
{
	const struct rt_plan *plan = run->plans.rows[(size_t)run->expand.site * run->plans.levels + run->expand.level];

	return !kept(run) || (plan && rt_flow_sure(&run->flow, plan->map_most));
}

/* The next task of the same body or iteration; NULL: something else comes. */
static inline const struct rt_site *site_next(struct rt_expand *expand)
{
	const struct rt_ins *in;

	if (expand->budget < 2 || (expand->at == expand->frames[expand->depth - 1].end && !rt_expand_iterate(expand)))
		return NULL;
	in = &expand->program->code[expand->at];
	if (in->op != PTOWSP_OP_TASK)
		return NULL;
	expand->budget--;
	expand->site = in->row;
	expand->at = in->end;
	return &expand->program->sites[in->row];
}

/* An engine has enough to do for now. */
static bool plenty(const struct rt_run *run)
{
	return run->lag.feed && run->lag.feed->fill->head - run->lag.feed->fill->tail >= RT_FEED_PLENTY;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

static ptowsp_status tasks_issue(struct rt_run *run, struct rt_untold *untold, const struct rt_site **site)
{
	struct rt_expand *expand = &run->expand;
	struct rt_plan *plan;
	struct rt_lane lane = {.round = 0};
	uint64_t steps;
	ptowsp_status st = PTOWSP_OK;

	while (!st && *site) {
		if (!sure(run) || !(plan = plan_ready(run, &steps)))
			break;
		st = one_issue(run, plan, *site, steps, untold);
		if (!st && rt_lane_find(run, &lane))
			st = rt_lane_run(run, &lane, untold);
		if (!st)
			*site = plenty(run) ? NULL : site_next(expand);
	}
	return st;
}

/* The long way. */
static ptowsp_status site_issue(struct rt_run *run, const struct rt_site *site)
{
	return rt_issue(run, site, run->expand.level);
}

ptowsp_status rt_express(struct rt_run *run)
{
	const struct rt_site *site = &run->program->sites[run->expand.site];
	uint64_t began = run->tasks;
	struct rt_untold untold;
	ptowsp_status st, told;

	if (!run->express || (!run->lag.feed && run->clock.scopes) || !rt_lag_empty(&run->lag))
		return site_issue(run, site);
	if (run->tasks >= run->fresh_until)
		rt_infer_freshen(run);
	rt_untold_init(run, &untold);
	rt_preds_next(&run->preds, run->tasks, run->window);
	st = tasks_issue(run, &untold, &site);
	told = rt_untold_tell(run, &untold);
	if (!run->lag.feed || !run->flow.scopes)
		rt_flow_skip(&run->flow, run->tasks - began);
	if (!run->lag.feed || run->lag.feed->one_place)
		run->places.counts[0] += run->tasks - began;
	if (st || told)
		return st ? st : told;
	return site ? site_issue(run, site) : PTOWSP_OK;
}
