/* SPDX-License-Identifier: MIT */
/* lanes.h - tasks that follow each other although no edge of the package says so: those of an executor whose policy does not ask about time, those of a stream, and
 * each behind the d-th before it in a domain of pipeline_depth d. One thread. */
#ifndef BASE_LANES_H
#define BASE_LANES_H

#include "walk.h"
#include <stdbool.h>

enum { BASE_LANES_MOST = 2 + RT_DEPTH_LIMIT };

/* The d latest steps, round and round. A step is the number that the caller has for a task. */
struct base_lane {
	uint32_t *steps; /* owned; NULL: there was none yet */
	uint64_t count;  /* of all that there were */
};
struct base_lanes {
	const struct base_walk *walk; /* borrowed */
	struct base_lane *executors, *streams, *depths[RT_DEPTH_LIMIT];
	uint32_t executor_count, stream_count, depth_count;
	uint32_t depth_keys; /* lanes of a depth: streams or pools, whichever are more */
	bool failed;         /* no memory */
};
/* False: no memory. To be finished in any case. */
bool base_lanes_init(struct base_lanes *lanes, const struct base_walk *walk);
void base_lanes_finish(struct base_lanes *lanes);
/* Is the executor of the task, as the walk has it, that of a policy which does not ask about time? */
bool base_lanes_placed(const struct base_lanes *lanes, const struct base_walk_task *task);
/* The steps that the task comes behind; returns how many. */
uint32_t base_lanes_follow(const struct base_lanes *lanes, const struct base_walk_task *task, uint32_t steps_out[BASE_LANES_MOST]);
/* The task is that step. */
void base_lanes_put(struct base_lanes *lanes, const struct base_walk_task *task, uint32_t step);

#endif
