/* SPDX-License-Identifier: MIT */
/* engine_run.h - a run of the engine while it goes on, as its files share it: engine_entry.c what the runtime gets, engine_batch.c tasks on their way to it, engine_run.c the run. Of
 * the thread of the run, but for the client's, which runs the runtime. */
#ifndef ASCEND_ENGINE_RUN_H
#define ASCEND_ENGINE_RUN_H

#include "ascend/engine/engine_own.h"
#include "ascend/engine/records.h"
#include "ascend/engine/stream.h"
#include "ascend/plan/plan_clock.h"
#include <pthread.h>

/* Bytes of payload channels: nobody knows before how many, and memory that is not used is none. */
enum { ASCEND_BLOCKS_ROOM = 1 << 30 };

/* The client's thread, where the runtime runs while the walk goes on. */
struct ascend_launched {
	pthread_t thread;
	bool there;
	ptowsp_status status;
	struct ptowsp_error error;
};
struct ascend_run {
	struct ascend_loaded *loaded;
	const struct rt_run_args *args;
	struct ptowsp_error *error;
	struct ptowsp_deadlock *deadlock;
	bool streamed, kernels;
	struct ascend_maker *maker;
	struct ascend_batch *batch; /* that is made; of a whole run, its only one */
	struct ascend_batch *spare; /* those that are over */
	struct ascend_stream *stream;
	struct ascend_launched launched;
	struct ascend_entry_args *entry;
	struct ascend_call_config config;
	struct ascend_calls calls;
	char *blocks; /* of payload channels; owned */
	uint64_t block_bytes;
	struct ascend_plan_clock clock;
	struct rt_feed *feed;               /* NULL: no batch has come yet */
	uint64_t ended;                     /* tasks */
	struct ascend_submitted *submitted; /* where it writes records */
	uint32_t submitted_count, submitted_room;
	uint64_t edges; /* that its map found */
	bool recorded;  /* the runtime has written down what it did */
	bool gave_up;   /* the runtime, in what it takes for a deadlock */
};

bool ascend_run_is_host_graph(const struct ascend_run *run);

/* ---- what the runtime gets ---- */

/* Bindings by TENS row. Errors: TOO_SMALL for a tensor of 2^32 elements. */
ptowsp_status ascend_run_bind(struct ascend_run *run);
/* run->entry: the arguments of the orchestration, to be freed. Errors: NO_MEMORY. */
ptowsp_status ascend_run_entry(struct ascend_run *run);
/* Tasks that may be in flight, as the schedule states it; 0: as many as there are. */
uint64_t ascend_run_window(const struct ascend_run *run);
/* Sizes of the runtime's rings, for the task buffer; of its graph, for host_build_graph. Errors: TOO_SMALL naming what does not fit. */
ptowsp_status ascend_run_rings(struct ascend_run *run);
ptowsp_status ascend_run_graph(struct ascend_run *run);

/* ---- batches ---- */

/* Once per run of the runtime: bindings, maker, clock, stream. Errors: of those above; NO_MEMORY. */
ptowsp_status ascend_run_begin(struct ascend_run *run);
/* The times of a batch, whose tasks have ended, go to the feed. */
void ascend_run_tell(struct ascend_run *run, struct ascend_batch *batch, struct rt_feed *feed);
/* All that has ended is told, and forgotten; all: whether or not it has. */
void ascend_run_take_back(struct ascend_run *run, struct rt_feed *feed, bool all);
/* The tasks of the walk so far; last: no more will come. */
ptowsp_status ascend_run_flush(struct ascend_run *run, struct rt_feed *feed, bool last);
/* base_walk_then.batch, rt_engine.wait and rt_engine.ended; context: the run. */
ptowsp_status ascend_run_come(void *context, struct rt_feed *feed, struct ptowsp_error *error);
ptowsp_status ascend_run_wait(void *context, uint64_t tasks, struct ptowsp_error *error);
uint64_t ascend_run_ended(void *context);

/* ---- the runtime ---- */

/* Tasks that the runtime is given, for its records. Errors: NO_MEMORY. */
ptowsp_status ascend_run_note(struct ascend_run *run, const struct ascend_batch *batch);
/* Starts the runtime on the client's thread; waits until it is done, where it was started: what it failed with. */
ptowsp_status ascend_run_launch(struct ascend_run *run);
ptowsp_status ascend_run_land(struct ascend_run *run);

#endif
