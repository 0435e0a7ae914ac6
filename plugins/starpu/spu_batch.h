/* SPDX-License-Identifier: MIT */
/* spu_batch.h - the tasks of a walk, submitted to StarPU and waited for. Handles order what touches the same elements; orders that no handle implies
 * are stated. Barriers, loops in order, scopes, the task window and elements that travel with tokens hold up the submission itself. */
#ifndef SPU_BATCH_H
#define SPU_BATCH_H

#include "spu_program.h"

/* Arguments that are the same for all batches of a run. */
struct spu_batch_args {
	struct spu_program *program;
	const struct rt_run_args *run;
	struct ptowsp_deadlock *deadlock;
	struct base_patience *patience;
	uint64_t *now;           /* on the clock of the run: cycles until all batches so far have ended */
	struct spu_model *model; /* that gets its batches; count 0: does not */
	bool last;               /* no walk follows in this run */
	bool broken;             /* the walk ended by an error */
};
/* Runs the walk of the program, and tells the feed. Runner thread. Errors: of kernels, the task with the lowest number first; CANCELLED, DEADLINE, DEADLOCK, NO_MEMORY; then
 * nothing of the walk is left in StarPU. */
ptowsp_status spu_batch_run(const struct spu_batch_args *args, struct rt_feed *feed, struct ptowsp_error *error);

#endif
