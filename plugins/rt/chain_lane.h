/* SPDX-License-Identifier: MIT */
/* chain_lane.h - what the files of chains share: a lane while its chains are looked for. */
#ifndef RT_CHAIN_LANE_H
#define RT_CHAIN_LANE_H

#include "rt/arithmetic.h"
#include "rt/chain.h"

/* A use of the lane, from the first iteration to come on: names name + step * iteration. */
struct rt_moving {
	uint64_t name, step, low, high;
	uint32_t task;
	uint8_t access;
	bool loose;     /* not part of any chain */
	uint8_t before; /* of its chain, the one before it in the list; its own place: the first */
};
struct rt_chain_lane {
	struct rt_run *run;
	struct rt_chains *chains;
	uint32_t tasks, use_count, iterations;
	bool full;
	uint64_t most; /* tasks of the window before one */
	struct rt_moving uses[RT_CHAIN_USES];
};

static inline uint64_t rt_size_of(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Names that begin at a and b and go on by these steps: do they never meet, however far they go? */
static inline bool rt_names_disjoint(uint64_t name_a, uint64_t step_a, uint64_t name_b, uint64_t step_b)
{
	uint64_t common = rt_common(rt_size_of((int64_t)step_a), rt_size_of((int64_t)step_b));

	return common && rt_size_of((int64_t)(name_a - name_b)) % common;
}

/* chain_edges.c: adds the edges of a chain, with what strands say of its keys, or else with all of that in the map. False: there are too many. */
bool rt_chain_follow(struct rt_chain_lane *lane, const struct rt_strand *strand);

#endif
