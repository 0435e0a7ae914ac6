/* SPDX-License-Identifier: MIT */
/* spu_same.h - ranks hold against each other what they are about to do, before they do it: messages of one that runs another program, or no more, would go nowhere, or into the wrong elements. */
#ifndef SPU_SAME_H
#define SPU_SAME_H

#include "base/digest.h"
#include "starpu/spu_ranks.h"

/* What a rank is about to do: a run, whose members are the same on all ranks, or the end of its device. */
struct spu_next {
	struct base_digest package, values, shapes, inputs;
	uint64_t entry, flags, whole, opencl, all, deadline, tasks; /* opencl: nopencl and where; deadline: there is one; tasks: --max-tasks */
	bool leaves, alone;                                         /* it closes its device; without having come to the end of a run with the others */
};
/* Contents of large tensors are held against each other by their beginning and end: a rank reads of a large file what its tasks touch. */
void spu_same_content(struct base_digest *digest, const void *bytes, uint64_t size);
/* Waits for all ranks. Errors, on all of them: INVALID: one is about to do something else. Behind one that has ended alone it first gives that time to say why. */
ptowsp_status spu_same_check(const struct spu_world *world, const struct spu_next *next, struct ptowsp_error *error);
/* Waits for all ranks. False: others do not close their devices. alone: as above. */
bool spu_same_leave(const struct spu_world *world, bool alone);

#endif
