/* SPDX-License-Identifier: MIT */
/* policy.h - dispatch policies: one row of a table each, {timed, pick()}. Adding one is a row here and a rule in rt_schedule.c. */
#ifndef RT_POLICY_H
#define RT_POLICY_H

#include "rt/program/form.h"
#include "rt/program/rt_program.h"

#include "registry/common/common_hash.h"
#include <stdbool.h>

/* Operands of a policy. */
struct rt_pick {
	const struct rt_dispatch *dispatch;
	uint32_t n;           /* executors or scheduler instances to choose from, as the dispatch says or not */
	uint64_t task;        /* number */
	uint64_t count;       /* earlier tasks of the pool */
	int64_t value;        /* of the policy's expression or affinity axis, 0 where there is none */
	const int32_t *grid;  /* depths of the two outermost parallel loops, -1: none */
	const int64_t *loops; /* values by depth */
	const uint64_t *free; /* when each executor of the pool is free; timed policies only */
};
struct rt_policy {
	bool timed;                                   /* reads free[]: needs the clock to have seen all earlier tasks */
	uint32_t (*pick)(const struct rt_pick *pick); /* 0 .. n - 1 */
};
extern const struct rt_policy rt_policies[]; /* by rt_dispatch.policy */
/* 0 .. n - 1, also for negative v. */
static inline uint32_t rt_modulo(int64_t v, uint32_t n)
{
	int64_t rest = v % (int64_t)n;

	return (uint32_t)(rest < 0 ? rest + (int64_t)n : rest);
}

/* The mixing steps of splitmix64, without its increment. */
static inline uint64_t rt_mix64(uint64_t z)
{
	return common_mix(z);
}

/* The value that decides where a task goes: of an expression, or of a loop, or 0. */
static inline int64_t rt_value_deciding(struct rt_env *env, uint32_t expr, int32_t affinity)
{
	if (expr != PTOWSP_NONE)
		return rt_value(env, expr);
	return affinity >= 0 ? env->loops[affinity] : 0;
}

/* Threshold: dispatch and value of the policy that serves the value. */
void rt_pick_part(struct rt_pick *pick, const struct rt_program *program, struct rt_env *env, const struct rt_site *site);
/* Dispatch and value of a task of the site. */
static inline void rt_pick_site(struct rt_pick *pick, const struct rt_program *program, struct rt_env *env, const struct rt_site *site)
{
	pick->dispatch = &program->schedule.dispatch;
	pick->value = rt_value_deciding(env, site->dispatch, site->affinity);
	pick->grid = site->grid;
	pick->loops = env->loops;
	if (pick->dispatch->policy == PTOWSP_DISPATCH_THRESHOLD)
		rt_pick_part(pick, program, env, site);
}

/* The first executor with the least free time. */
uint32_t rt_free_least(const uint64_t *free, uint32_t count);

/* grid_out: rows, columns; 0, 0: tasks of this run go to no grid. Of a threshold: that of the policy that serves the run's value where it reads nothing but symbols; else
 * tasks of one run may take different policies, and all stand on its largest grid (most places, of equals the one behind the larger threshold).
 * args: checked as rt_run does. Any thread. Errors: NO_MEMORY. */
ptowsp_status rt_grid_find(const struct rt_program *program, const struct ptowsp_run_args *args, uint64_t grid_out[2], struct ptowsp_error *error);

#endif
