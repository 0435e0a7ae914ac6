/* SPDX-License-Identifier: MIT */
/* fake_run.h - one run: its arguments on the device, its graph, the thread that goes through it.
 *
 *   FAKE_POLLS=N      a run is not ready for N polls
 *   FAKE_SEED=N       order among ready tasks */
#ifndef FAKE_RUN_H
#define FAKE_RUN_H

#include "fake_program.h"
#include "fake_tasks.h"
#include <pthread.h>

extern const bool fake_host_graph; /* fake_host_graph.c, fake_task_buffer.c */

#define FAKE_RUN_MAGIC UINT64_C(0x46414B4552554E31)

struct fake_copy {
	void *host, *device;
	size_t size;
	bool back;
};
enum fake_run_state { FAKE_RUN_NONE, FAKE_RUN_PREPARED, FAKE_RUN_GOING, FAKE_RUN_OVER };
/* What a client's storage holds while a run is prepared. */
struct fake_run {
	uint64_t magic;
	enum fake_run_state state;
	int *blocks; /* of device memory that its context has */
	struct fake_program *program;
	struct fake_graph graph;
	struct fake_entry entry;
	struct ascend_tensor tensors[ASCEND_ENTRY_TENSORS];
	struct fake_copy copies[ASCEND_ENTRY_TENSORS];
	uint32_t copy_count;
	pthread_t thread;
	int polls;
};
#pragma GCC visibility push(hidden)
bool fake_run_config_valid(const struct ascend_call_config *config);
/* run: zeroed. 0, or an error that was written: then it is zeroed again. */
int fake_run_prepare(struct fake_run *run, struct fake_program *program, int *blocks, const struct ascend_entry_args *args,
		     const struct ascend_call_config *config);
int fake_run_launch(struct fake_run *run);
bool fake_run_ready(struct fake_run *run);
void fake_run_join(struct fake_run *run);
/* What comes back, if it was launched and rc is 0, and its end. rc, or the first error. */
int fake_run_finalize(struct fake_run *run, int rc);
#pragma GCC visibility pop

#endif
