/* SPDX-License-Identifier: MIT
 * rt_nests.h - random nests of loops: keys that move, stay, or do either, several of them on one lattice, loops that meet each other's keys at their edges, tile
 * levels and tails, and between the loops slots and whatever else is no ordinary task. */
#ifndef TESTS_RT_NESTS_H
#define TESTS_RT_NESTS_H

#include "tests/rt/builder/rt_loops.h"

enum { RT_NESTS_TENSORS = 5, RT_NESTS_DEEP = 4 };
struct rt_nests {
	struct rt_loops r;
	int64_t low[RT_NESTS_DEEP], high[RT_NESTS_DEEP]; /* values of the open loops */
	int64_t steps[RT_NESTS_TENSORS];                 /* by which most keys of a tensor move with the innermost loop */
	uint32_t pure;                                   /* one in so many keys moves otherwise */
	uint32_t around;                                 /* iterations of the loops around */
	uint32_t tile;                                   /* rows of a region */
	uint32_t extras;                                 /* tensors of which few are used: classes of keys that share a mark */
	bool after;                                      /* stated edges count */
	bool temp;                                       /* the last tensor is a temp tensor, which may be renamed */
	bool heavy;                                      /* bodies of many tasks with many keys */
	bool slots, disturb;                             /* keys read slots; something other than loops stands between */
};
/* budget: about so many tasks at most. */
void rt_nests_make(struct rt_nests *n, uint64_t seed, uint32_t budget);

#endif
