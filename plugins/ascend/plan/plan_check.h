/* SPDX-License-Identifier: MIT */
/* plan_check.h - limits of the variants; is a plan within those of host_build_graph? Before anything is given to the runtime, and with numbers. */
#ifndef ASCEND_PLAN_CHECK_H
#define ASCEND_PLAN_CHECK_H

#include "ascend/ascend_plan.h"
#include "ptowsp/base.h"
#include <stdbool.h>

/* Source: pto_runtime2_types.h and pto_constants.h of both variants. */
enum {
	ASCEND_READY_LIMIT = 8192,    /* host_build_graph: ready tasks per shape */
	ASCEND_HOST_FAN_IN = 128,     /* host_build_graph: predecessors of a task */
	ASCEND_WINDOW = 16384,        /* both: slots of a ring */
	ASCEND_SCOPE_DEPTH = 63,      /* PTO2_MAX_SCOPE_DEPTH, less the scope around the orchestration; one more ends the process */
	ASCEND_POOL = 1 << 19,        /* entries for dependencies of a ring: ASCEND_FAN_IN for as many tasks as may run, or are held by scopes */
	ASCEND_WINDOW_LIMIT = 1 << 24 /* host_build_graph keeps 5 KiB per slot: what fits into the memory of a machine */
};
/* Checks host_build_graph, which has to hold the whole graph. window: slots. Errors: TOO_SMALL naming need and limit. */
ptowsp_status ascend_plan_check(const struct ascend_plan_head *plan, uint64_t window, struct ptowsp_error *error);
/* Slots with which a host graph holds the plan: a power of two, all tasks and one. */
uint64_t ascend_plan_window(const struct ascend_plan_head *plan);

#endif
