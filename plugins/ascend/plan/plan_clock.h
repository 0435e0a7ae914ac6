/* SPDX-License-Identifier: MIT */
/* plan_clock.h - times of a plan: each task starts when what it waits for in the plan has ended, and a place of the window is there, as if there were a core for each. The
 * runtime tells no times; this is what its order alone makes of the cycles of the kernels, the same in every run. One thread. */
#ifndef ASCEND_PLAN_CLOCK_H
#define ASCEND_PLAN_CLOCK_H

#include "ascend/plan/plan_build.h"
#include "base/walk.h"

/* The clock of a run, however many plans it has; zeroed before the first. */
struct ascend_plan_clock {
	uint64_t *ends, *left; /* owned, of the latest `kept` steps and tasks, a power of two: when they end; when all tasks up to one have */
	uint64_t kept;
	uint64_t first; /* tasks and time before all that edges name */
	uint64_t began;
	uint64_t end;    /* of all tasks so far, in cycles */
	uint64_t issued; /* of the latest task */
	uint64_t gone;   /* tasks whose places are free by then */
	uint64_t used;   /* places at most so far */
	uint64_t executors;
};
/* Edges lead back so many steps at most, and not beyond what has been told so far, which has ended; first: tasks of that. False: no memory. */
bool ascend_plan_clock_begin(struct ascend_plan_clock *clock, uint64_t steps, uint64_t first);
/* Tells start and end of every task of the walk, whose cycles are there, stalls and use of the window. window: places, 0: any number. */
void ascend_plan_clock_tell(struct ascend_plan_clock *clock, const struct ascend_plan_head *plan, const struct base_walk *walk, uint64_t window,
			    struct rt_feed *feed);
void ascend_plan_clock_finish(struct ascend_plan_clock *clock);

#endif
