/* SPDX-License-Identifier: MIT
 * random_loops.h - random programs of nested loops over axes of every kind, branches, scopes and dispatch filters. */
#ifndef TESTS_RANDOM_LOOPS_H
#define TESTS_RANDOM_LOOPS_H

#include "tests/rt/builder/rt_builder.h"

struct random_loops {
	uint64_t state;
	struct builder *b; /* of the caller */
	int loops, depth, budget;
	bool filters, tensors;
};
/* The program of a seed. filters: with dispatch filters; tensors: tasks touch some. Kernel n has n tensors; four tensors of 8 x 4. */
struct random_loops random_loops_make(uint64_t seed, bool filters, bool tensors);
/* A number below n. */
uint32_t random_pick(struct random_loops *r, uint32_t n);

#endif
