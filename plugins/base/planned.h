/* SPDX-License-Identifier: MIT */
/* planned.h - kernels of a program that is walked: what they cost and touch is asked as ever, what they would do is written down. */
#ifndef BASE_PLANNED_H
#define BASE_PLANNED_H

#include "walk.h"

struct base_planned {
	struct rt_kernels served; /* those that are asked */
	struct base_walk *walk;   /* where tasks and moves go */
};
/* With planned as their context, which outlives the program. Any thread. */
struct rt_kernels base_planned_table(struct base_planned *planned);

#endif
