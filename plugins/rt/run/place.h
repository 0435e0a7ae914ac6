/* SPDX-License-Identifier: MIT */
/* place.h - pool, executor and stream of a task. */
#ifndef RT_PLACE_H
#define RT_PLACE_H

#include "rt/program/policy.h"
#include "rt/program/rt_program.h"
#include "rt/time/clock.h"

struct rt_places {
	bool one; /* whatever the task: pool, executor and stream 0, without a value to look at */
	const struct rt_program *program;
	uint32_t pools;                 /* that there are; custom: so far */
	int32_t pool_of_unit[16];       /* -1: vector or cube */
	bool timed;                     /* placing reads the clock, which must have seen all earlier tasks */
	char names[RT_POOL_LIMIT][24];  /* of the ready queues that there are */
	uint64_t counts[RT_POOL_LIMIT]; /* of their tasks so far */
};
void rt_places_init(struct rt_places *places, const struct rt_program *program);
/* Fills pool, executor and stream of *task. Errors: RUN_FAILED for a pool outside 0 .. 255, NO_MEMORY. */
ptowsp_status rt_place(struct rt_places *places, struct rt_clock *clock, struct rt_env *env, const struct rt_site *site, struct rt_clock_task *task,
		       struct ptowsp_error *error);

#endif
