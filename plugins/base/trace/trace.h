/* SPDX-License-Identifier: MIT */
/* trace.h - extensions that show what a run did: tasks, edges, touched extents. */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include "ptowsp/plugin.h"
#include "rt/rt.h"

#define BASE_TRACE_BATCH 256u

/* The option trace: tasks in semantic time, or when their kernels really ran (timeline.h), or both. */
enum base_times { BASE_TIMES_SEMANTIC, BASE_TIMES_REAL, BASE_TIMES_BOTH };

/* Sinks of one program and the batches on their way to them. Attached between runs, used by the runner thread. */
struct base_trace {
	void (*task_sink)(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride);
	void *task_context;
	void (*edge_sink)(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride);
	void *edge_context;
	void (*event_sink)(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride);
	void *event_context;
	uint32_t task_count, edge_count, event_count;
	struct ptowsp_trace_task tasks[BASE_TRACE_BATCH];
	struct ptowsp_graph_edge edges[BASE_TRACE_BATCH];
	struct ptowsp_trace_event events[BASE_TRACE_BATCH];
};

/* The sinks for rt_run; nothing is recorded for what is not attached. TIMES_REAL: tasks come from elsewhere, and waits on the semantic clock are not for the same axis. */
struct rt_sinks base_trace_sinks(struct base_trace *trace, enum base_times times);
/* Hands over what is left. */
void base_trace_flush(struct base_trace *trace);

struct base_backend;
/* The op `extension`: the backend's own, then those of this library. */
const void *base_extension(const struct base_backend *backend, struct ptowsp_object *instance, const char *id);

#endif
