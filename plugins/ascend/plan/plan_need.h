/* SPDX-License-Identifier: MIT */
/* plan_need.h - what the rings of a task buffer have to hold so that a plan comes to its end.
 *
 * A ring takes the tasks of one scope depth, the last one those of all deeper ones. Places come back in the order of tasks, and those of an open scope stay: the oldest of them
 * keeps all behind it, and the runtime gives up where that fills the slots. It has a pool of edges to tasks that have not ended, too, and gives up when that is full: a task that
 * waits for room there keeps those it depends on, so nothing behind them comes back. So the pool is made as large as the slots need. */
#ifndef ASCEND_PLAN_NEED_H
#define ASCEND_PLAN_NEED_H

#include "ascend/ascend_plan.h"
#include "ascend/engine/pod.h"
#include <stdbool.h>

/* PTO2_MAX_SCOPE_DEPTH, less the scope around the orchestration. One more ends the process. */
#define ASCEND_SCOPE_DEPTH 63

struct ascend_plan_need {
	uint64_t slots[ASCEND_RINGS]; /* most steps that open scopes keep, the one that is submitted included; 0: no step comes here */
	uint32_t depth;               /* scopes inside each other */
};
void ascend_plan_need_find(struct ascend_plan_need *need, const struct ascend_plan_head *plan);
/* Do rings alone not keep tasks in flight below `window`: because open scopes need more slots, or because several rings have tasks? Then edges have to. */
bool ascend_plan_need_crowds(const struct ascend_plan_need *need, uint64_t window);
/* Slots and entries of each ring. window: of tasks in flight, which the package states, 0: none. Zeros, the runtime's own sizes, where they are enough. Errors: TOO_SMALL
 * naming need and limit. */
ptowsp_status ascend_plan_need_rings(const struct ascend_plan_need *need, const struct ascend_plan_head *plan, uint64_t window,
				     struct ascend_call_config *config, struct ptowsp_error *error);

#endif
