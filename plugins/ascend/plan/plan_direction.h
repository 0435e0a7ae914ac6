/* SPDX-License-Identifier: MIT */
/* plan_direction.h - is a tensor used as it is declared? One that is `out` comes back from a device as tasks have left it, and what none of them wrote is nobody's: a task
 * that reads such elements needs `inout`. The runtime does not look (a tensor that it took for an output came back as -1.4e24), so it is told before. One thread. */
#ifndef ASCEND_PLAN_DIRECTION_H
#define ASCEND_PLAN_DIRECTION_H

#include "base/walk.h"

struct ascend_direction_args {
	uint32_t tensor_count;
	const uint8_t *outs;                   /* per TENS row: 1, it is declared as out */
	const struct ptowsp_binding *bindings; /* per TENS row; one without data is not looked at */
	uint32_t copy_kernel;                  /* its tasks may read anything: a checkpoint keeps what is there */
	const char *(*name)(const void *context, uint32_t tensor);
	const void *context;
};
/* Tasks in the order of their numbers, which is that of a run without anything beside. A bit per element of a tensor that is both out and read. Errors: UNSUPPORTED naming the
 * first task, its argument, and how many of how many elements nobody wrote; NO_MEMORY. */
ptowsp_status ascend_direction_check(const struct base_walk *walk, const struct ascend_direction_args *args, struct ptowsp_error *error);

#endif
