/* SPDX-License-Identifier: MIT */
/* drain.h - execution alone: a recorded graph is linked in the core's task ring as a whole, then drained through its ready
 * queue by tasks that do nothing. */
#ifndef TOOLS_BENCH_DRAIN_H
#define TOOLS_BENCH_DRAIN_H

#include "rt/rt.h"

/* Edges as a run's edge sink gives them: by consumer, ascending. */
struct bench_recording {
	uint64_t (*edges)[2]; /* producer, consumer */
	uint64_t count, room;
	uint64_t tasks;
};

/* For rt_sinks: context is the recording. A failed allocation leaves count above room. */
void bench_recording_add(void *recording, uint64_t producer, uint64_t consumer);
void bench_recording_finish(struct bench_recording *recording);

/* Links the graph (untimed), drains it with the pool's threads; *ns_out is the time of the draining. Errors: NO_MEMORY; RUN_FAILED
 * if a task did not run exactly once. */
ptowsp_status bench_drain(const struct bench_recording *recording, struct rt_pool *pool, double *ns_out);

#endif
