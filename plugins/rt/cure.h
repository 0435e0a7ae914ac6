/* SPDX-License-Identifier: MIT */
/* cure.h - capacities with which a blocked workload ends. The one that it lacks first is known from a look ahead; which others it would lack then is tried: the
 * program runs again from its beginning, quietly and without kernels, with what is proposed so far. One thread. */
#ifndef RT_CURE_H
#define RT_CURE_H

#include "rt/run.h"

struct rt_cures {
	uint64_t values[PTOWSP_RESOURCE_COUNT]; /* 0: as it is */
	char behind[160]; /* what the program comes to with these that no capacity cures, or empty */
};

/* Adds what is missing besides the capacities that are there. What cannot be tried is left: slots loaded from what tasks write, several
 * devices, and where no report is wanted. */
void rt_cures_find(const struct rt_run *run, struct rt_cures *cures);

#endif
