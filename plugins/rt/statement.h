/* SPDX-License-Identifier: MIT */
/* statement.h - statements of a lowered program: a task, or a loop, condition, scope, sequential or combine with its body. */
#ifndef RT_STATEMENT_H
#define RT_STATEMENT_H

#include "rt/program.h"

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

/* Where the statements inside begin. */
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
