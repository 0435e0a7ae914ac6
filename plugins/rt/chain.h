/* SPDX-License-Identifier: MIT */
/* chain.h - uses of a lane that move with its loop and are proved to have edges by offset: those of one chain come to each key in the same order, so many
 * iterations apart, and nothing else of the lane comes there. Between them edges lie so many tasks back; those to earlier loops that were replayed
 * lead to tasks whose numbers move by constants; where the map may know more of a key it is asked, and nothing is entered. What the chain
 * leaves behind is a strand. One thread. */
#ifndef RT_CHAIN_H
#define RT_CHAIN_H

#include "rt/plan.h"
#include "rt/strand.h"

enum { RT_CHAIN_TASKS = 24, RT_CHAIN_USES = 64, RT_CHAINS = 12, RT_CHAIN_EDGES = 96, RT_CHAIN_FINDS = 48, RT_CHAIN_NONE = 0xffff };

/* In iterations low .. high - 1 the task has this edge: to producer + slope * iteration. */
struct rt_chain_edge {
	uint64_t producer, slope;
	uint32_t low, high;
	uint16_t next; /* of the same task */
};
/* The same for a key that is looked up: name + step * iteration. */
struct rt_chain_find {
	uint64_t name, step;
	uint32_t low, high;
	uint16_t next;
	uint8_t access;
};
struct rt_chains {
	uint32_t count; /* 0: none */
	uint32_t iterations; /* at most */
	uint64_t step;  /* of the loop's value */
	uint64_t began; /* number of the first task */
	int64_t at;     /* value of the loop for which uses have their names */
	uint64_t used;  /* bit per use of the lane, task after task: it is part of a chain */
	uint32_t edge_count, find_count;
	uint16_t edge_first[RT_CHAIN_TASKS], find_first[RT_CHAIN_TASKS];
	struct rt_chain_edge edges[RT_CHAIN_EDGES];
	struct rt_chain_find finds[RT_CHAIN_FINDS];
	struct rt_strand strands[RT_CHAINS]; /* without iterations */
};
struct rt_run;
/* Of a lane of RT_CHAIN_TASKS tasks and RT_CHAIN_USES uses at most, all by name, whose iterations are still to come: step, not 0, is by how much the value of its loop moves from each to the next, `first` by how much to the first of
 * them. Other uses of the lane are met: rt_replay_meet. False: none. */
bool rt_chains_find(struct rt_chains *chains, struct rt_run *run, struct rt_plan *const *plans, uint32_t count, uint64_t first, uint64_t step, int64_t last);
/* Behind the latest iteration. */
void rt_chains_end(struct rt_chains *chains, struct rt_run *run, struct rt_plan *const *plans, uint32_t count);

#endif
