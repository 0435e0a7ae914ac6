/* SPDX-License-Identifier: MIT */
/* lane.h - a body of nothing but tasks whose plans are all of this round: until it ends, an iteration is what it was, moved on. Where all kernels run here,
 * iterations go in blocks: the uses of all tasks are entered, then the kernels run, then the clock hears of them. */
#ifndef RT_LANE_H
#define RT_LANE_H

#include "rt/express_task.h"

enum { RT_LANE_MOST = 24 };
struct rt_lane {
	struct rt_plan *plans[RT_LANE_MOST];
	uint32_t sites[RT_LANE_MOST];
	uint32_t count, uses;
	uint32_t level;
	uint64_t round; /* that was looked at */
};

/* At the end of the first iteration of a round at a level: is there one? */
bool rt_lane_find(const struct rt_run *run, struct rt_lane *lane);
/* As many iterations as can be. The expander then stands at the end of the latest, or before the first task of one at another level. */
ptowsp_status rt_lane_run(struct rt_run *run, struct rt_lane *lane, struct rt_untold *untold);

#endif
