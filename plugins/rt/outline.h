/* SPDX-License-Identifier: MIT */
/* outline.h - how many tasks the statements of a program make, without making them.
 *
 * A statement (statement.h) is closed where its count follows from the loops around it: dense
 * axes, tile levels, and axes whose running sums are in the package; nothing inside that only running tells. Then whole subtrees, and whole ranges
 * of iterations, are counted by arithmetic; where iterations differ, by the difference of two running sums. Made for one run; read by
 * one thread at a time, because counting looks at the values of loops. */
#ifndef RT_OUTLINE_H
#define RT_OUTLINE_H

#include "rt/program.h"

/* What is known of the statement that begins at an instruction. Bit d: reads the value of the loop at depth d around it. */
struct rt_outline_row {
	uint64_t bounds;   /* by its count */
	uint64_t claims;   /* by what decides whose its tasks are; loops inside it count too */
	uint64_t count;    /* of its tasks; known only */
	uint64_t body;     /* loops: tasks of one iteration; body_known only */
	uint32_t end;      /* of the body or branch that it stands in */
	uint32_t site;     /* its first task instruction, PTOWSP_NONE: none */
	bool closed, known;
	bool body_closed, body_known; /* loops */
	bool mixed;        /* its tasks do not all ask the same expression whose they are */
	bool loose;        /* or it reads the task's number, or slots that the program changes */
	bool filtered;     /* has a dispatch filter inside */
};
struct rt_outline {
	const struct rt_program *program;
	struct rt_env *env;
	int64_t *loops;    /* env->loops; values of loops that are counted over are put there and taken back */
	struct rt_outline_row *rows; /* one per instruction; only those where statements begin mean something */
};
/* env: with forms and values in place; loops may be set later. Errors: NO_MEMORY. */
ptowsp_status rt_outline_init(struct rt_outline *outline, const struct rt_program *program, struct rt_env *env, struct ptowsp_error *error);
void rt_outline_finish(struct rt_outline *outline);
/* outline_count.c: tasks of the statements from `at` to `end`, with the loops around them as they stand. False: they have to be walked, for instance because a bound is
 * an error. */
bool rt_outline_count(const struct rt_outline *outline, uint32_t at, uint32_t end, uint64_t *count_out);
/* The same for `trips` iterations of the loop at `depth`, whose body that is; its value begins with `first`. */
bool rt_outline_range(const struct rt_outline *outline, uint32_t at, uint32_t end, uint32_t depth, int64_t first, int64_t step, uint64_t trips,
		      uint64_t *count_out);

#endif
