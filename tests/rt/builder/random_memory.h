/* SPDX-License-Identifier: MIT
 * random_memory.h - random workloads that take bytes of the heap: versions of temp tensors, tensors that live between ALLOC and FREE; with copies, fences, barriers, events,
 * scopes, ordered constructs and loaded slots around them, and every directive that has a say in when a task is issued or starts. */
#ifndef TESTS_RANDOM_MEMORY_H
#define TESTS_RANDOM_MEMORY_H

#include "tests/lang/random_loops.h"

struct random_memory {
	struct random_loops r; /* r.b is the caller's */
	uint32_t event;
	bool alive[2]; /* tensors between ALLOC and FREE */
	bool filters;
};
/* The program of a seed; it has dispatch filters where `filters` is then set. Slots: 1. */
struct random_memory random_memory_make(uint64_t seed);

#endif
