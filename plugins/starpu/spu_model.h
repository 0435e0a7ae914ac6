/* SPDX-License-Identifier: MIT */
/* spu_model.h - what a run would be on so many ranks, by a model of their network: the same tasks, homes and messages as spu_ranks.h has them, on ranks that are not there. The network is LogGP's (Alexandrov,
 * Ionescu, Schauser, Scheiman 1995): a message of k bytes takes the sender o, is under way for L + (k - 1) G, and takes the receiver o; two messages of one rank are max(o, g) apart, and the bytes of the earlier one times G.
 * Each rank runs one task after the other, in the order of their numbers; windows, streams and barriers across ranks are not modelled, as they are not enforced there. One thread. */
#ifndef SPU_MODEL_H
#define SPU_MODEL_H

#include "ptowsp/report.h"
#include "starpu/spu_orders.h"
#include "starpu/spu_ranks.h"

enum { SPU_MODEL_MOST = 16384 /* ranks */, SPU_MODEL_FIGURES = 10 };

/* All in nanoseconds; gap_byte: of a byte, in picoseconds. */
struct spu_network {
	uint64_t latency, overhead, gap, gap_byte;
};
struct spu_model {
	struct spu_network network;
	uint64_t task_ns; /* that each task takes; 0: as long as it took here */
	uint32_t count;   /* ranks; 0: nothing is modelled */
	uint64_t *free;   /* owned, per rank: when it begins its next task */
	uint64_t *busy;   /* owned, per rank */
	uint64_t *leave;  /* owned, per rank: when it can send */
	uint64_t *enter;  /* owned, per rank: when it can receive */
	uint64_t messages, bytes, tasks, work;
	uint64_t result_messages, result_bytes; /* of them, behind the last task */
	uint64_t ended, gathered;               /* the last task; the last message */
	uint64_t chain;                         /* the longest one of tasks with edges from each to the next */
};
/* A batch that has run here. */
struct spu_model_batch {
	const struct spu_orders *orders; /* as the run told them */
	struct spu_blocks *blocks;
	const uint64_t *task_ns; /* per task of the walk */
	const bool *kept;        /* as for spu_ranks_gather */
	uint32_t context;        /* of StarPU */
};

/* Before a run. count 0: none. path: of a file with lines "L ns", "o ns", "g ns", "G ns", which may have a point; "": 2,500, 1,500, 1,000 and 6, those of LogGOPSim (github spcl/LogGOPSim, loggopsim_cmdline.ggo).
 * To be finished in any case. Errors: NO_MEMORY, IO, INVALID: the line. */
ptowsp_status spu_model_begin(struct spu_model *model, uint32_t count, uint64_t task_ns, const char *path, struct ptowsp_error *error);
void spu_model_finish(struct spu_model *model);
/* Adds a batch. The content of blocks is not touched; where ranks have it is. Errors: NO_MEMORY. */
ptowsp_status spu_model_add(struct spu_model *model, const struct spu_model_batch *batch, struct ptowsp_error *error);
/* A message: *at is when it can leave, then when it is there. */
void spu_model_message(struct spu_model *model, uint64_t bytes, uint32_t from, uint32_t to, uint64_t *at);
/* What all of it was, SPU_MODEL_FIGURES rows. */
void spu_model_tell(const struct spu_model *model, struct ptowsp_figure *rows);

#endif
