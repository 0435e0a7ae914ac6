/* SPDX-License-Identifier: MIT */
/* flow.h - who may be issued: the structural side of the bounded resources.
 *
 * Tasks give back in task order, so "there is room for task i" always means "all tasks before some j have given back". This file finds
 * j from counts alone. Without an open scope there always is such a j, so with ample pools what tasks need is counted from the outermost open scope on. If j lies behind the first task that an open scope holds, no time exists at which there is room: a deadlock, found at once. The real
 * side waits until the tasks before j have retired; the semantic clock moves to the moment at which they have. */
#ifndef RT_FLOW_H
#define RT_FLOW_H

#include "ptowsp/run.h"
#include "ptowsp/workload.h"
#include "rt/rt_feed.h"
#include <stdbool.h>

struct rt_flow {
	uint64_t window, map_capacity, deps_capacity; /* 0: unbounded */
	uint64_t ring;                                /* 0, or the window is unbounded and a ring per scope depth, of ring - 1 places, is the engine's */
	uint64_t in_ring[RT_RINGS];                   /* tasks of each from the first on that an open scope keeps there */
	uint64_t map_most, deps_most;                 /* the same, UINT64_MAX: unbounded */
	uint64_t issued;                              /* tasks so far */
	uint64_t tail;                                /* counted: all tasks before it have given back, or must have before the next one is issued */
	bool counts;                  /* needs are counted also without an open scope: a pool is small, or nothing gives back before all is there */
	bool counting;                /* it is counted: for that reason, or a scope is open */
	uint64_t from;                /* counted: the first task that has not given back */
	uint64_t map_held, deps_held; /* counted: by tasks from .. issued - 1 */
	struct rt_need *needs;        /* counted: of these, at task & mask; NULL until then */
	uint64_t mask;
	uint64_t map_kept, deps_kept;             /* of what is held: by tasks that open scopes keep */
	uint64_t first[PTOWSP_NESTING_LIMIT + 1]; /* per open scope: its first own task + 1, 0: none yet */
	uint32_t scopes;
};
/* Why a task cannot be issued, ever. */
struct rt_block {
	enum ptowsp_resource resource;
	uint64_t capacity, used, need;
	uint64_t proposed; /* the least capacity with which this task or alloc could proceed: held and needed places */
};

ptowsp_status rt_flow_init(struct rt_flow *flow, uint64_t window, uint64_t map_capacity, uint64_t deps_capacity);
void rt_flow_finish(struct rt_flow *flow);
/* Reserves for the next task. OK: rt_flow_ended tells how many tasks must have retired; where it is more than the window asks for,
 * *reason_out says which resource does.
 * Errors: TOO_SMALL, DEADLOCK (*block_out says why), NO_MEMORY. */
static inline ptowsp_status rt_flow_reserve(struct rt_flow *flow, struct rt_need need, enum ptowsp_resource *reason_out, struct rt_block *block_out);
/* The same, where an open scope or a capacity that may be too small for the task has a say. */
ptowsp_status rt_flow_reserve_slow(struct rt_flow *flow, struct rt_need need, enum ptowsp_resource *reason, struct rt_block *block);
void rt_flow_scope_begin(struct rt_flow *flow);
void rt_flow_scope_end(struct rt_flow *flow);
/* The first task that an open scope keeps from leaving; flow->issued without one. */
uint64_t rt_flow_held_from(const struct rt_flow *flow);

/* All tasks before it have given back, or must have before the next one is issued. */
static inline uint64_t rt_flow_tail(const struct rt_flow *flow)
{
	uint64_t left = flow->window && flow->issued > flow->window ? flow->issued - flow->window : 0;

	return flow->tail > left ? flow->tail : left;
}

/* Tasks before it have to have ended for real before the task is issued: those whose places are used again. */
static inline uint64_t rt_flow_ended(const struct rt_flow *flow, uint64_t task)
{
	uint64_t left = flow->window && task >= flow->window ? task - flow->window + 1 : 0;

	return flow->tail > left ? flow->tail : left;
}

static inline ptowsp_status rt_flow_reserve(struct rt_flow *flow, struct rt_need need, enum ptowsp_resource *reason_out, struct rt_block *block_out)
{
	if (flow->counting || need.map > flow->map_most || need.deps > flow->deps_most)
		return rt_flow_reserve_slow(flow, need, reason_out, block_out);
	flow->issued++;
	return PTOWSP_OK;
}

#endif
