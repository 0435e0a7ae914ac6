/* SPDX-License-Identifier: MIT
 * rt_tap.h - hears of the predecessors of tasks in runs that tell nobody: the calls of rt_dispatch_begin and of rt_clock_task are
 * wrapped when ptowsp-test is linked. One run at a time, by the thread that runs it. */
#ifndef TESTS_RT_TAP_H
#define TESTS_RT_TAP_H

#include "tests/rt/builder/rt_builder.h"

/* What is compared: the edges of a run that told them, by consumer and producer. */
struct rt_tap {
	const struct outcome *told; /* borrowed */
	uint32_t *first;            /* of each task, its first edge; stats.tasks + 1 entries; owned */
	uint64_t lists, counts;     /* tasks whose predecessors were heard before they were handed over; when the clock was told */
	uint64_t wrong;             /* the first task that has others, UINT64_MAX: none */
	uint64_t *sorted;           /* owned */
	uint32_t room;
};
/* From now on until rt_tap_end what runs is compared. told: of the same program, a run with sinks. */
void rt_tap_begin(struct rt_tap *tap, const struct outcome *told);
void rt_tap_end(struct rt_tap *tap);

#endif
