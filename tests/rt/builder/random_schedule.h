/* SPDX-License-Identifier: MIT
 * random_schedule.h - random programs with random schedules: regions of all kinds, scopes, orders, slots, every policy and bounded resource. */
#ifndef TESTS_RANDOM_SCHEDULE_H
#define TESTS_RANDOM_SCHEDULE_H

#include "tests/rt/builder/rt_builder.h"

enum { KERNELS = 6, TENSORS = 4, SLOTS = 3, PARAMS = 3, FIRST_SLOT = 1 };
extern const int64_t random_shapes[TENSORS][2]; /* rows, columns; 0: one dimension */

struct random {
	uint64_t state;
	struct builder *b;
	uint64_t window, streams; /* stated; 0: unbounded, none */
	bool abort, benchmark, by_unit, stream_by;
	uint32_t tensor_counts[KERNELS];
	bool flat[KERNELS];
	int loops, depth, orders, budget;
	bool loads, unsafe, later;
	bool synced; /* barriers, signals and waits */
	uint32_t event;
	bool plain; /* one executor, a window that stalls, no loads: what most programs are */
};

/* The program of a seed; r->b is the caller's. */
void random_schedule_make(struct random *r, uint64_t seed);
/* Another program, which may wait for what is issued. */
void random_schedule_make_synced(struct random *r, uint64_t seed);

#endif
