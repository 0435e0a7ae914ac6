/* SPDX-License-Identifier: MIT */
/* plan_check.h - is a plan within the limits of the variant that shall run it? Before anything is given to the runtime, and with numbers. */
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
	ASCEND_WINDOW_LIMIT = 1 << 24 /* host_build_graph keeps 5 KiB per slot: what fits into the memory of a machine */
};
/* window: slots, 0: the runtime's own; host_graph: the whole graph has to fit, else a ring gives back. Errors: TOO_SMALL naming need and limit. */
ptowsp_status ascend_plan_check(const struct ascend_plan_head *plan, bool host_graph, uint64_t window, struct ptowsp_error *error);
/* Slots with which a host graph holds the plan: a power of two, all tasks and one. */
uint64_t ascend_plan_window(const struct ascend_plan_head *plan);

#endif
