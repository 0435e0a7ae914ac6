/* SPDX-License-Identifier: MIT */
/* outline.h - how many tasks the statements of a program make, without making them.
 *
 * A statement (statement.h) is closed where its count follows from the loops around it: dense
 * axes, tile levels, and axes whose running sums are in the package; nothing inside that only running tells. Then whole subtrees, and whole ranges
 * of iterations, are counted by arithmetic; where iterations differ, by the difference of two running sums. Made for one run; read by
 * one thread at a time, because counting looks at the values of loops. */
#ifndef RT_OUTLINE_H
#define RT_OUTLINE_H

#include "rt/program/rt_program.h"

/* The statement that begins at an instruction. Bit d: it reads the value of the loop at depth d around it. */
struct rt_outline_row {
	uint64_t bounds; /* by its count */
	uint64_t claims; /* by the owner's expression of its tasks; loops inside it count too */
	uint64_t count;  /* of its tasks; known only */
	uint64_t body;   /* loops: tasks of one iteration; body_known only */
	uint32_t end;    /* of the body or branch that it stands in */
	uint32_t site;   /* its first task instruction, PTOWSP_NONE: none */
	bool closed, known;
	bool body_closed, body_known; /* loops */
	bool mixed;                   /* its tasks do not all ask the same expression whose they are */
	bool loose;                   /* or it reads the task's number, or slots that the program changes */
	bool filtered;                /* has a dispatch filter inside */
};
struct rt_outline {
	const struct rt_program *program;
	struct rt_env *env;          /* values of loops that are counted over are put there and taken back */
	struct rt_outline_row *rows; /* one per instruction; only those where statements begin mean something */
};
/* env: with forms and values in place; values of loops are cleared. Errors: NO_MEMORY. */
ptowsp_status rt_outline_init(struct rt_outline *outline, const struct rt_program *program, struct rt_env *env, struct ptowsp_error *error);
void rt_outline_finish(struct rt_outline *outline);
/* outline.c: tasks of the statements from `at` to `end`, with the loops around them as they stand. False: they have to be walked, for instance because a bound is
 * an error. */
bool rt_outline_count(const struct rt_outline *outline, uint32_t at, uint32_t end, uint64_t *count_out);
/* The same for `trips` iterations of the loop at `depth`, whose body that is; its value begins with `first`. */
bool rt_outline_range(const struct rt_outline *outline, uint32_t at, uint32_t end, uint32_t depth, int64_t first, int64_t step, uint64_t trips,
		      uint64_t *count_out);

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* Statements of a lowered program: a task, or a loop, condition, scope, sequential or combine with its body. */
static inline bool rt_statement_loops(unsigned op)
{
	return op == PTOWSP_OP_PARALLEL_FOR || op == PTOWSP_OP_FOR_EACH || op == PTOWSP_OP_SELECT;
}

/* The instruction behind the statement. */
static inline uint32_t rt_statement_end(const struct rt_program *program, uint32_t at)
{
	switch (program->code[at].op) {
	case PTOWSP_OP_TASK:
	case PTOWSP_OP_PARALLEL_FOR:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_SELECT:
	case PTOWSP_OP_WHILE:
	case PTOWSP_OP_COND:
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL:
	case PTOWSP_OP_SCOPE: return program->code[at].end;
	}
	return at + 1;
}

/* The first statement inside. */
static inline uint32_t rt_statement_inside(const struct rt_program *program, uint32_t at)
{
	const struct rt_ins *in = &program->code[at];

	switch (in->op) {
	case PTOWSP_OP_COND: return at + 3;
	case PTOWSP_OP_WHILE: return at + 2;
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL: return at + 1 + in->count;
	}
	return at + 1;
}

/* Running sums of the loop's rows are in the package. */
static inline bool rt_loop_sums(const struct rt_loop *loop)
{
	return loop->line != PTOWSP_NONE && loop->count;
}

#endif
