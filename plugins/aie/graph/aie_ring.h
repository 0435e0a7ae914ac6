/* SPDX-License-Identifier: MIT */
/* aie_ring.h - the task window as the host keeps it: a task has a place from when the host hands it over, in the order of numbers, until it and all before it have ended. What
 * statistics say of it comes from the times of a run. One thread. */
#ifndef AIE_RING_H
#define AIE_RING_H

#include "aie/design/map.h"

struct aie_ring {
	const struct aie_map *map;
	const struct base_walk *walk;
	struct rt_feed *feed;
	uint64_t window;   /* 0: none is stated, and nothing else is there */
	uint32_t mode;     /* enum rt_window_mode */
	uint64_t before;   /* cycles of the run before these */
	uint64_t *issued;  /* per task: when it was handed over; UINT64_MAX: with the one before it */
	uint64_t *stalls;  /* per task: when the host began to wait for its place; UINT64_MAX: it had not to */
	uint64_t *stalled; /* per task: for how long */
};
/* ring: zeroed but for `before`. Errors: NO_MEMORY. */
ptowsp_status aie_ring_begin(struct aie_ring *ring, const struct aie_map *map, const struct base_walk *walk, struct rt_feed *feed, uint64_t window,
			     uint32_t mode, struct ptowsp_error *error);
/* As in aie_sim_args. RUN_FAILED, said by the feed: the window is full, and its mode is abort. */
ptowsp_status aie_ring_stepped(void *ring, uint32_t step, uint64_t begin, uint64_t end);
/* ends: per task. */
void aie_ring_tell(struct aie_ring *ring, const uint64_t *ends);
void aie_ring_finish(struct aie_ring *ring);

#endif
