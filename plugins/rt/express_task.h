/* SPDX-License-Identifier: MIT */
/* express_task.h - one task of the short way: its uses, its kernel, what is counted; inlined into those who issue many. */
#ifndef RT_EXPRESS_TASK_H
#define RT_EXPRESS_TASK_H

#include "rt/rt_error.h"
#include "rt/feed.h"
#include "rt/cells.h"
#include "rt/untold.h"

/* express.c: moves the uses on and enters them, one of which at least is not by name. */
ptowsp_status rt_express_uses_slowly(struct rt_run *run, struct rt_plan *plan, uint64_t steps);
/* express.c: the kernel, on whichever thread comes to it. What a task holds is given back by task number, so the tasks before the window have to have ended. */
ptowsp_status rt_express_share(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site);

/* All are by name. */
RT_INLINE void rt_express_uses_named(struct rt_preds *preds, struct rt_track *track, const struct rt_plan *plan, struct rt_cells *cells, uint64_t steps,
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
static inline ptowsp_status rt_express_uses(struct rt_run *run, struct rt_plan *plan, struct rt_cells *cells, uint64_t steps)
{
	if (!plan->named || plan->divided != run->overlap.divided)
		return rt_express_uses_slowly(run, plan, steps);
	if (run->track.full)
		rt_express_uses_named(&run->preds, &run->track, plan, cells, steps, true);
	else
		rt_express_uses_named(&run->preds, &run->track, plan, cells, steps, false);
	return PTOWSP_OK;
}

static inline void rt_express_args(struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		run->task_args[i] = (uint64_t)rt_value(&run->env, run->program->args[site->first_arg + i]);
}

RT_INLINE ptowsp_status rt_express_kernel(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), plan->cycles, run->error};
	ptowsp_status st;

	rt_plan_windows_move(plan, &run->tensors);
	if (site->arg_count)
		rt_express_args(run, site);
	plan->task.number = run->tasks;
	plan->task.args = run->task_args;
	run->error->text[0] = 0;
	st = rt_crew_invoke(run->program, &plan->task, &out, 0);
	return st ? rt_crew_failure(run->program, plan->kernel, run->tasks, st, run->error) : PTOWSP_OK;
}

static inline ptowsp_status rt_express_call(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	ptowsp_status st = rt_express_kernel(run, plan, site);

	if (st)
		return st;
	return run->cancel || run->args->deadline_ns || run->sample_left ? rt_look_after_kernel(run) : PTOWSP_OK;
}

static inline ptowsp_status rt_express_told(struct rt_run *run, const struct rt_plan *plan, struct rt_untold *untold)
{
	untold->tasks[untold->count] = (struct rt_clock_brief){plan->cycles, {plan->map_need, run->preds.count}};
	return ++untold->count == RT_TOLD_AT_ONCE ? rt_untold_tell(run, untold) : PTOWSP_OK;
}

/* One task: its plan is of it, but for the uses, which lie `steps` behind. A kernel that fails has been told to the clock all the same. */
RT_INLINE ptowsp_status rt_express_task(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site, uint64_t steps, struct rt_untold *untold)
{
	ptowsp_status st = plan->use_count ? rt_express_uses(run, plan, untold->cells, steps) : PTOWSP_OK;

	if (run->preds.out_of_memory)
		st = rt_no_memory(run->error, "the tensor map");
	if (!st)
		st = run->lag.feed ? rt_feed_put_plan(run->lag.feed, plan, site) : rt_express_told(run, plan, untold);
	if (st)
		return st;
	if (run->kernels && (st = run->known[plan->kernel].here ? rt_express_call(run, plan, site) : rt_express_share(run, plan, site)))
		return st;
	run->edges += run->preds.count;
	run->env.task = ++run->tasks;
	rt_preds_step(&run->preds, untold->span);
	return PTOWSP_OK;
}

static inline void rt_express_count(const struct rt_plan *plan, uint64_t tasks)
{
	plan->stats->tasks += tasks;
	plan->stats->cycles += tasks * plan->cycles;
}

#endif
