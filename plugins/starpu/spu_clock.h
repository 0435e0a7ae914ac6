/* SPDX-License-Identifier: MIT */
/* spu_clock.h - times of a run in cycles, the same on every machine: each task begins when all that it comes behind has ended, as StarPU was told. How long tasks really took
 * is beside that in the statistics, as time on the device, and in a trace with trace=real. */
#ifndef SPU_CLOCK_H
#define SPU_CLOCK_H

#include "spu_orders.h"

struct spu_clock_args {
	const struct spu_orders *orders;
	const uint64_t *cycles; /* per task */
	uint64_t window;        /* places of the ring, 0: any number */
	uint64_t *now;          /* when the batch begins; then when its last task has ended */
};
/* Tells the feed. Errors: NO_MEMORY. */
ptowsp_status spu_clock_tell(const struct spu_clock_args *args, struct rt_feed *feed, struct ptowsp_error *error);

#endif
