/* SPDX-License-Identifier: MIT */
/* hints.h - what a program of the instruction form wishes for its kernels: priorities of launches, kernels that stay resident, cores that they share, or get for their blocks. Read from section GRPH,
 * found again by the task instructions that the packer made of the launches. Constant after make; any thread. */
#ifndef BASE_HINTS_H
#define BASE_HINTS_H

#include "ptowsp/run.h"
#include "rt/rt.h"
#include <stdbool.h>

/* A hint has all wishes for the tasks of one task instruction. */
struct base_hint {
	struct rt_wish
		wish;    /* priority: TG_SET_PRIORITY that is in force at the launch, 0 without one; home: CA_AFFINITY, each core that it speaks of is one */
	uint32_t kernel; /* KREG row */
	uint32_t cubes, vectors; /* CA_REQUEST; 0: none */
	uint32_t blocks;         /* of the kernel, at least 1; 0: there is no hint */
	uint64_t invocations;    /* TG_PERSISTENT: for which it stays on its core, 0: for all */
	bool resident;
};
struct base_hints {
	struct base_hint *rows; /* owned; per instruction of WORK */
	uint32_t count;
	bool priorities, homes; /* there are some */
};

/* NULL in *hints_out: the entry has none, or more than 512 instructions. Bytes that are not as FORMAT.md says are no hints. Errors: NO_MEMORY. */
ptowsp_status base_hints_make(struct base_hints **hints_out, const struct ptowsp_load_args *args, struct ptowsp_error *error);
void base_hints_destroy(struct base_hints *hints); /* NULL is allowed */
static inline const struct base_hint *base_hint_of(const struct base_hints *hints, uint32_t instruction)
{
	return hints && instruction < hints->count ? &hints->rows[instruction] : NULL;
}

#endif
