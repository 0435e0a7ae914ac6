/* SPDX-License-Identifier: MIT */
/* timeline.h - trace=real, both: when the kernels of a run really began and ended, and on which worker thread, in place of semantic time or beside it. */
#ifndef BASE_TIMELINE_H
#define BASE_TIMELINE_H

#include "base/instance.h"
#include "base/trace/trace.h"

struct base_lane;

/* Moments of one run at a time. Workers write a lane each; all else is the runner thread's, between runs. */
struct base_timeline {
	const struct base_instance *instance;
	struct base_lane *lanes; /* owned; one per worker */
	uint32_t workers;
	const struct base_trace *to; /* of the run that is going on; NULL: nobody listens */
	uint64_t began_ns;
};
/* Errors: NO_MEMORY. */
ptowsp_status base_timeline_init(struct base_timeline *timeline, const struct base_instance *instance, uint32_t workers, struct ptowsp_error *error);
void base_timeline_finish(struct base_timeline *timeline); /* a zeroed one, too */
/* Before a run; nothing is kept in one that was not initialised, or without a sink for tasks. */
void base_timeline_begin(struct base_timeline *timeline, const struct base_trace *to);
/* A kernel begins on a worker's thread, and ends there. NULL: nothing is kept of it. */
struct ptowsp_trace_task *base_timeline_enter(struct base_timeline *timeline, const struct ptowsp_task *task, uint32_t worker);
void base_timeline_leave(const struct base_timeline *timeline, struct ptowsp_trace_task *row);
/* Tells what was kept: threads as executors, which beside semantic time are others, then tasks in the order of their numbers, in nanoseconds since begin. */
void base_timeline_tell(struct base_timeline *timeline, enum base_times times);

#endif
