/* SPDX-License-Identifier: MIT */
/* plan_clock.h - times of a plan: each task starts when what it waits for in the plan has ended, and a place of the ring is there, as if there were a core for each. The
 * runtime tells no times; this is what its order alone makes of the cycles of the kernels, the same in every run. One thread. */
#ifndef ASCEND_PLAN_CLOCK_H
#define ASCEND_PLAN_CLOCK_H

#include "ascend/plan/plan_build.h"
#include "base/walk.h"

/* Where a run stands that takes several walks; zeroed before the first. */
struct ascend_plan_times {
	uint64_t end; /* of all tasks so far, in cycles */
	uint64_t executors;
};
/* Tells start and end of every task of the walk, stalls and use of the ring; so_far goes on. cycles: per task. ring: places, 0: any number. Errors: NO_MEMORY. */
ptowsp_status ascend_plan_clock(const struct ascend_plan_head *plan, const struct base_walk *walk, const uint64_t *cycles, uint64_t ring,
				struct ascend_plan_times *so_far, struct rt_feed *feed, struct ptowsp_error *error);

#endif
