/* SPDX-License-Identifier: MIT */
/* policy.h - dispatch policies: one row of a table each, {name, timed, pick()}. Adding one is a row here and a rule in schedule.c. */
#ifndef RT_POLICY_H
#define RT_POLICY_H

#include <stdbool.h>
#include "rt/schedule.h"

/* What a policy may look at. */
struct rt_pick {
	const struct rt_dispatch *dispatch;
	uint64_t task;        /* number */
	uint64_t count;       /* earlier tasks of the pool */
	int64_t value;        /* of the policy's expression or affinity axis, 0 where there is none */
	int64_t grid[2];      /* values of the two outermost parallel loops */
	const uint64_t *free; /* when each executor of the pool is free; timed policies only */
};
struct rt_policy {
	uint32_t id; /* rt_dispatch.policy */
	bool timed;  /* reads free[]: needs the clock to have seen all earlier tasks */
	uint32_t (*pick)(const struct rt_pick *pick); /* 0 .. executors - 1 */
};
/* Never NULL for what schedule.c made. */
const struct rt_policy *rt_policy_find(uint32_t id);
/* The first executor with the least free time. */
uint32_t rt_free_least(const uint64_t *free, uint32_t count);

/* True if the core has a rule for the policy (schedule.c). */
bool rt_schedule_obeys(unsigned directive, unsigned policy);

#endif
