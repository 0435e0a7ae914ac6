/* SPDX-License-Identifier: MIT */
/* memory_limit.h - what a run holds of the memory of its process, against a limit: what was made for it before, and by how much more the process has allocated
 * since. So it is what is really there: rings, maps, plans, designs, simulators, what sinks of a run in the host's process keep, and what other runs of
 * the same process take meanwhile. Some tens of KB of it may be chunks that were freed and that the C library keeps for their thread. Where the C library does not tell (not glibc), only what was made before counts. */
#ifndef RT_MEMORY_LIMIT_H
#define RT_MEMORY_LIMIT_H

#include "ptowsp/base.h"

/* Read only between begin and end of a run: any thread. */
struct rt_memory_limit {
	uint64_t limit;  /* bytes, 0: none */
	uint64_t given;  /* bytes made before the run: its tensors, tiles of threads */
	uint64_t before; /* bytes of the process when it began */
	int machine;     /* nobody stated the limit: so much the machine had left when it began */
};
void rt_memory_limit_begin(struct rt_memory_limit *held, uint64_t limit, uint64_t given);
/* By what the machine has left now: for a run that may take more with each task and has no limit. Some tens of microseconds. */
void rt_memory_limit_of_machine(struct rt_memory_limit *held);
/* Bytes now. */
uint64_t rt_memory_limit_bytes(const struct rt_memory_limit *held);
/* TOO_BIG beyond the limit. held: NULL or without a limit is fine, and costs nothing; task: how many there are so far. Else some microseconds. */
ptowsp_status rt_memory_limit_check(const struct rt_memory_limit *held, uint64_t task, struct ptowsp_error *error);

enum { RT_MEMORY_LIMIT_TASKS = 4096 }; /* issued between two looks of a run */

#endif
