/* SPDX-License-Identifier: MIT
 * rt_loops.h - random workloads of loops over nothing but tasks, whose keys stay or move by constants, in a builder: what the suite of lanes runs. */
#ifndef TESTS_RT_LOOPS_H
#define TESTS_RT_LOOPS_H

#include "tests/rt/builder/rt_builder.h"

struct rt_loops {
	uint64_t state;
	struct builder *b; /* owned by who asked for a program */
	uint32_t loops;
	uint32_t spread; /* how far keys lie apart */
	uint32_t shift;  /* a row of its own for each iteration around */
	bool moving;     /* few keys stay */
	bool races;      /* edges do not order all that touches common elements */
};
/* A state of its own for each seed, and a new builder. */
void rt_loops_begin(struct rt_loops *r, uint64_t seed);
/* 0 .. n - 1 */
uint32_t rt_loops_pick(struct rt_loops *r, uint32_t n);
/* Rows of the expression table: a constant, the value of an open loop, the outermost being 0, an operation. */
uint32_t rt_loops_number(struct rt_loops *r, int64_t n);
uint32_t rt_loops_value(struct rt_loops *r, uint32_t depth);
uint32_t rt_loops_op(struct rt_loops *r, unsigned code, uint32_t a, uint32_t b);
/* A program of short loops, deps exact or overlap, with these hazards. */
void rt_loops_make(struct rt_loops *r, uint64_t seed, bool full);

#endif
