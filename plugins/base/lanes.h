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
/* Lanes of a kind so far, by executor, stream or pool. */
struct base_lane_kind {
	struct base_lane *lanes;
	uint32_t count, room;
};
struct base_lanes {
	const struct base_walk *walk; /* borrowed, of which only limits are asked */
	struct base_lane_kind executors, streams, depths[RT_DEPTH_LIMIT];
	uint64_t most; /* tasks at a time */
	bool any;      /* tasks may be in one */
	bool failed;   /* no memory */
};
void base_lanes_init(struct base_lanes *lanes, const struct base_walk *walk, uint64_t most);
void base_lanes_finish(struct base_lanes *lanes);
/* Is the executor of the task, as the walk has it, that of a policy which does not ask about time? */
bool base_lanes_placed(const struct base_lanes *lanes, const struct base_walk_task *task);
/* The steps that the task comes behind; returns how many. */
uint32_t base_lanes_follow(struct base_lanes *lanes, const struct base_walk_task *task, uint32_t steps_out[BASE_LANES_MOST]);
/* The task is that step. */
void base_lanes_put(struct base_lanes *lanes, const struct base_walk_task *task, uint32_t step);

#endif
