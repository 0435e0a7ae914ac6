/* SPDX-License-Identifier: MIT */
/* plan.h - what a task instruction comes to in one run at one tile level: its kernel, and per tensor argument two affine forms and the range in which
 * they may lie. What does not change from task to task is worked out when the instruction is reached for the second time. While the innermost loop
 * goes on, everything moves on by a constant per step of its value, and if the last iteration stays inside its tensors, so do those before it.
 * One thread. */
#ifndef RT_PLAN_H
#define RT_PLAN_H

#include "rt/access.h"
#include "rt/expand.h"

/* Values low .. low + span are allowed, as one unsigned comparison. */
struct rt_limit {
	int64_t low;
	uint64_t span;
};
/* How an access is found from the loop values. */
struct rt_plan_io {
	uint64_t row_step, column_step, start_step, hash_step; /* per 1 of the innermost loop; they wrap */
	struct rt_form row, column;
	int64_t pitch; /* start = row * pitch + column */
	struct rt_limit row_limit, column_limit, start_limit;
	uint64_t end;  /* open: of the tensor, in elements */
	bool open;     /* the window goes on to the end of its tensor, else its length is always the same */
};
struct rt_plan {
	uint32_t kernel;
	uint32_t io_count;
	uint32_t inner; /* depth of the innermost loop */
	bool affine;   /* there is one, and all accesses move on by constants */
	uint64_t round; /* of that loop, in which the accesses were found and its rest was proved; 0: none */
	int64_t at;    /* its value then */
	bool args;     /* arguments have to be evaluated: a kernel wants them, or one of them can fail */
	struct rt_access *accesses; /* of the latest task; what never changes is filled in */
	struct rt_plan_io ios[];
};
/* One per task instruction and level. */
struct rt_plans {
	struct rt_plan **rows; /* site * levels + level; NULL until it is reached twice */
	uint8_t *met;
	uint32_t levels;
	uint32_t count;
};
bool rt_plans_init(struct rt_plans *plans, const struct rt_program *program);
void rt_plans_finish(struct rt_plans *plans);
/* After a task of the instruction has been resolved without a plan, which left `accesses`. Makes a plan from the second call on; whether there is
 * one makes no difference to any result. */
void rt_plan_make(struct rt_plans *plans, const struct rt_program *program, const struct rt_tensors *tensors, const struct rt_env *env,
		  const struct rt_site *site, uint32_t level, uint32_t kernel, const struct rt_access *accesses);
/* Accesses of the next task into plan->accesses. False: one of them lies outside its tensor or divides by zero; resolving it without the plan finds the words. */
bool rt_plan_resolve(struct rt_plan *plan, struct rt_env *env, const struct rt_expand *expand);

static inline struct rt_plan **rt_plan_at(const struct rt_plans *plans, const struct rt_program *program, const struct rt_site *site,
					  uint32_t level)
{
	return &plans->rows[(size_t)(site - program->sites) * plans->levels + level];
}

#endif
