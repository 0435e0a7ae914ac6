/* SPDX-License-Identifier: MIT */
/* spu_ranks.h - a run on several processes that mpirun started: each walks the same program, each task runs on one of them, and blocks go from where they were written last to where they are
 * touched next, by StarPU's MPI layer. Which rank that is follows from the walk alone, so all ranks find the same without asking. That layer and OpenMPI are opened when the option rank is given,
 * and needed for nothing else. */
#ifndef SPU_RANKS_H
#define SPU_RANKS_H

#include "spu_blocks.h"
#include "spu_orders.h"

struct spu_model;
struct spu_part;
struct base_instance;

enum { SPU_RANKS_MOST = 64 };

/* This process among those of the run; count 1: there are no others. */
struct spu_world {
	uint32_t rank, count;
	bool all; /* results come to all ranks, not to rank 0 alone */
};
/* What a rank did: in a batch, or in the batches of a run. */
struct spu_share {
	uint64_t tasks, walked;  /* walked: that it has looked at, its own and others */
	uint64_t walk_ns;        /* on the host clock: the walk of its tasks, without what they do */
	uint64_t sent, received; /* messages */
	uint64_t bytes_sent, bytes_received;
	uint64_t idle_ns; /* of its workers together, on the host's clock: no task ran */
};
/* The work of a batch, shared by ranks. */
struct spu_ranks {
	struct spu_world world;
	uint16_t *of;    /* owned, per task: where it runs */
	uint32_t *steps; /* owned, per rank: when it can send the next block, in messages that follow each other */
	int64_t tag;     /* of the next message: the same on all ranks */
	struct spu_share share;
	struct spu_model *model; /* NULL, or takes the messages; no rank is this one then */
	/* NULL, or hears of blocks that would go from rank to rank, which stay. False: no memory. */
	bool (*moved)(void *context, const struct spu_blocks *blocks, const struct spu_block *block, uint32_t from, uint32_t to, int64_t tag);
	void *moved_context;
	const struct spu_part *part; /* NULL, or what of the run is this rank's: borrowed */
	uint32_t moves_done;         /* of the part */
	uint64_t came;               /* in a model: what spu_ranks_touch brought was there then */
	struct spu_share *shares;    /* borrowed, per rank: of the run so far. Rank 0 has all of them, another one none */
};
/* The end of a batch on a rank. */
struct spu_verdict {
	uint64_t order; /* the lowest holds for all; UINT64_MAX: nothing failed */
	struct ptowsp_error why;
	struct spu_share share;
};

/* "I/N" or "I/N/all" as the option has it. "": one rank. Errors: INVALID. */
ptowsp_status spu_world_read(struct spu_world *world_out, const char *text, struct ptowsp_error *error);
/* Behind starpu_init, once in a process, and before starpu_shutdown. Errors: NO_DEVICE: a library is not there, or mpirun says otherwise; NO_MEMORY. */
ptowsp_status spu_world_begin(const struct spu_world *world, struct ptowsp_error *error);
/* False: the others do not come to the end, one of them is gone or this one has failed alone. MPI is left as it is then, StarPU is not to be shut down, and this plugin stays in the process. */
bool spu_world_end(void);
/* A run begins, which goes on with all ranks alone, or is over (instance NULL). One at a time: messages of two could not be told apart. Meanwhile, when one of this machine is gone, a sentence in the log of the instance says so, and this process
 * ends with exit code 9. Errors: INVALID: another device runs. */
ptowsp_status spu_world_needed(const struct spu_world *world, const struct base_instance *instance, struct ptowsp_error *error);

/* Says where tasks run: of a policy that places them, by executor; else where the first block that they write is at home (spu_homes.h). Of tensors without a layout, homes are stretches of rows or of columns, tensor by tensor
 * whichever moves fewer bytes. Errors: NO_MEMORY. */
ptowsp_status spu_ranks_plan(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct spu_orders *orders, struct ptowsp_error *error);
void spu_ranks_finish(struct spu_ranks *ranks);
/* All ranks have all blocks, as before a run. */
void spu_ranks_forget(const struct spu_ranks *ranks, const struct spu_blocks *blocks);
/* Elements that `rank` is going to touch come there; those it writes are nowhere else then. On all ranks, in the same order. Errors: RUN_FAILED. */
ptowsp_status spu_ranks_touch(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct spu_uses *uses, uint32_t rank, struct ptowsp_error *error);
/* The moves of the part before task `number` of the program. Errors: RUN_FAILED. */
ptowsp_status spu_ranks_moves(struct spu_ranks *ranks, struct spu_blocks *blocks, uint64_t number, struct ptowsp_error *error);
/* A few bytes to another rank, or from it. Waits until they are there. */
void spu_ranks_bytes(void *bytes, size_t size, uint32_t other, bool sends);
/* The same for spu_same.h: a question that nobody waits for stands in the way of no other bytes. */
void spu_ranks_ask(void *bytes, size_t size, uint32_t other, bool sends);
/* Data that are no block, from rank to rank. *at: in a model when they can leave, then when they are there. */
ptowsp_status spu_ranks_pass(struct spu_ranks *ranks, struct _starpu_data_state *handle, uint64_t bytes, uint32_t from, uint32_t to, uint64_t *at,
			     struct ptowsp_error *error);
/* What was written comes to all ranks, or with `kept`, which has a bit per tensor, to rank 0, of those tensors alone; waits for it, and for all else under way. Errors: RUN_FAILED. */
ptowsp_status spu_ranks_gather(struct spu_ranks *ranks, struct spu_blocks *blocks, const bool *kept, struct ptowsp_error *error);
/* The verdict of the lowest task that failed on any rank becomes that of all, and rank 0 hears the share of each. Waits, as below. */
void spu_ranks_agree(const struct spu_ranks *ranks, struct spu_verdict *verdict);
/* Rank 0, or with world.all each, gets a value per task from the rank on which the task ran. Errors: NO_MEMORY; the others do not hear of it. */
ptowsp_status spu_ranks_collect(const struct spu_ranks *ranks, uint64_t *values, uint64_t count, struct ptowsp_error *error);

#endif
