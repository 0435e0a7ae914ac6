/* SPDX-License-Identifier: MIT */
/* spu_ranks.h - a run on several processes that mpirun started: each walks the same program, each task runs on one of them, and blocks go from where they were written last to where they are
 * touched next, by StarPU's MPI layer. Which rank that is follows from the walk alone, so all ranks find the same without asking. That layer and OpenMPI are opened when the option rank is given,
 * and needed for nothing else. */
#ifndef SPU_RANKS_H
#define SPU_RANKS_H

#include "spu_blocks.h"
#include "spu_orders.h"

enum { SPU_RANKS_MOST = 64 };

/* This process among those of the run; count 1: there are no others. */
struct spu_world {
	uint32_t rank, count;
};
/* The work of a batch, shared by ranks. */
struct spu_ranks {
	struct spu_world world;
	uint8_t *of;                                                /* owned, per task: where it runs */
	int64_t tag;                                                /* of the next message: the same on all ranks */
	uint64_t tasks, sent, received, bytes_sent, bytes_received; /* of this one */
};
/* The end of a batch on a rank. */
struct spu_verdict {
	uint64_t task; /* the lowest that failed, UINT64_MAX: none */
	struct ptowsp_error why;
};

/* "I/N" as the option has it. "": one rank. Errors: INVALID. */
ptowsp_status spu_world_read(struct spu_world *world_out, const char *text, struct ptowsp_error *error);
/* Behind starpu_init, once in a process, and before starpu_shutdown. Errors: NO_DEVICE: a library is not there, or mpirun says otherwise. */
ptowsp_status spu_world_begin(const struct spu_world *world, struct ptowsp_error *error);
void spu_world_end(void);

/* Says where tasks run: of a policy that places them, by executor; else where the first block that they write is at home. Homes are stretches of rows or of columns, tensor by tensor whichever moves
 * fewer bytes. Errors: NO_MEMORY. */
ptowsp_status spu_ranks_plan(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct spu_orders *orders, struct ptowsp_error *error);
void spu_ranks_finish(struct spu_ranks *ranks);
/* The rank at which a block is at home. */
uint32_t spu_ranks_home(const struct spu_ranks *ranks, const struct spu_blocks *blocks, const struct spu_block *block);
/* What `rank` is going to touch comes there; what it writes is nowhere else then. On all ranks, in the same order. Errors: RUN_FAILED. */
ptowsp_status spu_ranks_touch(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct spu_uses *uses, uint32_t rank, struct ptowsp_error *error);
/* Data that are no block, from rank to rank. */
ptowsp_status spu_ranks_pass(struct spu_ranks *ranks, struct _starpu_data_state *handle, uint64_t bytes, uint32_t from, uint32_t to,
			     struct ptowsp_error *error);
/* All that was written comes to all ranks; waits for it, and for what else is under way. */
ptowsp_status spu_ranks_gather(struct spu_ranks *ranks, struct spu_blocks *blocks, struct ptowsp_error *error);
/* The verdict of the lowest task that failed on any rank becomes that of all. Waits. */
void spu_ranks_agree(const struct spu_ranks *ranks, struct spu_verdict *verdict);

#endif
