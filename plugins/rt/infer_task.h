/* SPDX-License-Identifier: MIT */
/* infer_task.h - rt_infer, to be inlined where most tasks are issued. */
#ifndef RT_INFER_TASK_H
#define RT_INFER_TASK_H

#include "rt/error.h"
#include "rt/run.h"

/* infer.c: a task without a plan, or one that is rare; uses of a plan that are not sure. */
ptowsp_status rt_infer_slowly(struct rt_run *run, const struct rt_site *site);
ptowsp_status rt_infer_placed(struct rt_run *run, struct rt_plan *plan);

/* All uses are sure. full: of the track. */
RT_INLINE void rt_infer_sure(struct rt_run *run, const struct rt_plan *plan, struct rt_cells *cells, bool full)
{
	struct rt_sight sight = rt_sight_begin(&run->preds);

	for (const struct rt_use *use = plan->uses, *end = use + plan->use_count; use < end; use++)
		rt_sight_access(&sight, cells, &run->track, use->base + (uint64_t)plan->accesses[use->argument].start, use->access, full);
	rt_sight_end(&sight);
}

RT_INLINE ptowsp_status rt_infer_plan(struct rt_run *run, struct rt_plan *plan)
{
	struct rt_cells *cells = run->overlap.lattices ? &run->overlap.cells : &run->exact;

	if (!plan->sure || plan->divided != run->overlap.divided)
		return rt_infer_placed(run, plan);
	if (run->track.full)
		rt_infer_sure(run, plan, cells, true);
	else
		rt_infer_sure(run, plan, cells, false);
	return PTOWSP_OK;
}

RT_INLINE ptowsp_status rt_infer_task(struct rt_run *run, const struct rt_site *site, struct rt_need *need_out)
{
	struct rt_plan *plan = run->plan;
	ptowsp_status st;

	rt_preds_next(&run->preds, run->tasks, run->window);
	if (run->tasks >= run->fresh_until)
		rt_infer_freshen(run);
	st = plan && !plan->rare ? rt_infer_plan(run, plan) : rt_infer_slowly(run, site);
	need_out->map = plan && !plan->sorted ? plan->map_need : rt_infer_map(run, site);
	need_out->deps = run->preds.count;
	return !st && run->preds.out_of_memory ? rt_no_memory(run->error, "the tensor map") : st;
}

#endif
