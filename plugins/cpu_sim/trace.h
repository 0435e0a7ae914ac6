/* SPDX-License-Identifier: MIT */
/* trace.h - extensions that show what a run did: tasks, edges, touched extents. */
#ifndef CPU_SIM_TRACE_H
#define CPU_SIM_TRACE_H

#include "ptowsp/plugin.h"
#include "rt/rt.h"

#define CPU_TRACE_BATCH 256u

/* Sinks of one program and the batches on their way to them. Attached between runs, used by the runner thread. */
struct cpu_trace {
	void (*task_sink)(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride);
	void *task_context;
	void (*edge_sink)(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride);
	void *edge_context;
	void (*event_sink)(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride);
	void *event_context;
	uint32_t task_count, edge_count, event_count;
	struct ptowsp_trace_task tasks[CPU_TRACE_BATCH];
	struct ptowsp_graph_edge edges[CPU_TRACE_BATCH];
	struct ptowsp_trace_event events[CPU_TRACE_BATCH];
};

/* The sinks for rt_run; nothing is recorded for what is not attached. */
struct rt_sinks cpu_trace_sinks(struct cpu_trace *trace);
/* Hands over what is left. */
void cpu_trace_flush(struct cpu_trace *trace);

/* The op `extension`. */
const void *cpu_extension(struct ptowsp_object *instance, const char *id);

#endif
