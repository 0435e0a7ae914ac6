/* SPDX-License-Identifier: MIT */
/* spu_part.h - what rank 0, which walks the whole program, tells another rank of it: the tasks that run there, as ranges of their numbers, how tensors are cut, and which blocks come and go. That rank then
 * passes over all tasks between the ranges that rt can count (rt_run_args.own), and sends and receives as if it had walked them. */
#ifndef SPU_PART_H
#define SPU_PART_H

#include "rt/rt.h"
#include "starpu/spu_ranks.h"

/* A block that comes, or goes, before task `before` is submitted: its number in the program, UINT64_MAX: behind all. */
struct spu_move {
	uint64_t before, block; /* block: of its tensor */
	int64_t tag;
	uint32_t tensor, other; /* other: the rank at the other end */
	bool sends;
};
struct spu_part {
	struct rt_range *ranges; /* owned, as all lists here */
	struct spu_move *moves;  /* in the order in which all ranks submit them */
	uint64_t *cuts;          /* spu_blocks_put */
	uint64_t *numbers;       /* on the rank itself: in the program, per task of its walk */
	uint64_t tasks;
	uint32_t range_count, range_room, move_count, move_room, cut_count;
	bool broken; /* the walk ends by an error behind the tasks; rank 0 says it when they have ended */
};

/* On rank 0, where homes and ranks of tasks are known: a part per rank. ranks is left as it was. Errors: NO_MEMORY. */
ptowsp_status spu_parts_make(struct spu_part **parts_out, struct spu_ranks *ranks, struct spu_blocks *blocks, const struct base_walk *walk, const bool *kept,
			     struct ptowsp_error *error);
/* Tells all other ranks theirs. */
void spu_parts_send(const struct spu_part *parts, uint32_t count);
/* Tells them instead that there is nothing to do, and why; or, where parts were broken, how the run ends. */
void spu_parts_fail(uint32_t count, ptowsp_status status, const struct ptowsp_error *error);
void spu_parts_free(struct spu_part *parts, uint32_t count);
/* On another rank: waits for its part, of *part zeroed. Errors: those of rank 0; NO_MEMORY. */
ptowsp_status spu_part_receive(struct spu_part *part, struct ptowsp_error *error);
/* Waits for how a broken run ends. */
ptowsp_status spu_part_end(struct ptowsp_error *error);
void spu_part_finish(struct spu_part *part);

#endif
