/* SPDX-License-Identifier: MIT */
/* plan_lanes.h - tasks that follow each other although no edge of the package says so: those of an executor whose policy does not ask about time, those of a stream, and
 * each behind the d-th before it in a domain of pipeline_depth d. One thread. */
#ifndef ASCEND_PLAN_LANES_H
#define ASCEND_PLAN_LANES_H

#include "ascend/plan/plan_preds.h"
#include "base/walk.h"
#include "rt/program/rt_schedule.h"

/* The d latest steps, round and round. */
struct ascend_lane {
	uint32_t *steps; /* owned; NULL: there was none yet */
	uint64_t count;  /* of all that there were */
};
struct ascend_lanes {
	const struct base_walk *walk; /* borrowed */
	struct ascend_lane *executors, *streams, *depths[RT_DEPTH_LIMIT];
	uint32_t executor_count, stream_count, depth_count;
	uint32_t depth_keys; /* lanes of a depth: streams or pools, whichever are more */
	bool failed;         /* no memory */
};
/* False: no memory. To be finished in any case. */
bool ascend_lanes_init(struct ascend_lanes *lanes, const struct base_walk *walk);
void ascend_lanes_finish(struct ascend_lanes *lanes);
/* The tasks that the task comes behind. */
void ascend_lanes_follow(const struct ascend_lanes *lanes, const struct base_walk_task *task, struct ascend_preds *preds);
/* The task is that step. */
void ascend_lanes_put(struct ascend_lanes *lanes, const struct base_walk_task *task, uint32_t step);

#endif
