/* SPDX-License-Identifier: MIT */
#include "base/trace/trace.h"

#include "base/backend.h"
#include "base/base_compiled.h"
#include "base/base_support.h"
#include "base/error.h"
#include "base/memory/base_buffer.h"
#include "base/memory/base_fence.h"
#include "base/program.h"
#include "base/queue.h"
#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/buffers.h"
#include "ptowsp/compiled.h"
#include "ptowsp/fences.h"
#include "ptowsp/profile.h"
#include "ptowsp/support.h"
#endif
#include <string.h>

static void tasks_flush(struct base_trace *trace)
{
	if (trace->task_count)
		trace->task_sink(trace->task_context, trace->tasks, trace->task_count, sizeof(*trace->tasks));
	trace->task_count = 0;
}

static void edges_flush(struct base_trace *trace)
{
	if (trace->edge_count)
		trace->edge_sink(trace->edge_context, trace->edges, trace->edge_count, sizeof(*trace->edges));
	trace->edge_count = 0;
}

static void events_flush(struct base_trace *trace)
{
	if (trace->event_count)
		trace->event_sink(trace->event_context, trace->events, trace->event_count, sizeof(*trace->events));
	trace->event_count = 0;
}

static void task_add(void *context, const struct ptowsp_trace_task *task)
{
	struct base_trace *trace = context;

	if (!trace->task_sink)
		return;
	trace->tasks[trace->task_count++] = *task;
	if (trace->task_count == BASE_TRACE_BATCH)
		tasks_flush(trace);
}

static void edge_add(void *context, uint64_t producer, uint64_t consumer)
{
	struct base_trace *trace = context;

	trace->edges[trace->edge_count++] = (struct ptowsp_graph_edge){producer, consumer};
	if (trace->edge_count == BASE_TRACE_BATCH)
		edges_flush(trace);
}

static void event_add(void *context, const struct ptowsp_trace_event *event)
{
	struct base_trace *trace = context;

	trace->events[trace->event_count++] = *event;
	if (trace->event_count == BASE_TRACE_BATCH)
		events_flush(trace);
}

struct rt_sinks base_trace_sinks(struct base_trace *trace, enum base_times times)
{
	const bool semantic = times != BASE_TIMES_REAL;

	return (struct rt_sinks){.context = trace,
				 .task = semantic && (trace->task_sink || trace->event_sink) ? task_add : NULL,
				 .edge = trace->edge_sink ? edge_add : NULL,
				 .event = semantic && trace->event_sink ? event_add : NULL};
}

void base_trace_flush(struct base_trace *trace)
{
	tasks_flush(trace);
	edges_flush(trace);
	events_flush(trace);
}

static ptowsp_status resting(struct base_program *program, const char *what, struct ptowsp_error *error)
{
	if (base_in_flight(program->device, program))
		return base_fail(error, PTOWSP_INVALID, "%s: a run of this program is going on; drain first", what);
	return PTOWSP_OK;
}

/* `which` sink of a program's trace; rows: what it is told. */
#define ATTACH(name, rows, which, extension)                                                                                                                   \
	static ptowsp_status name(struct ptowsp_object *object, void (*sink)(void *, const struct rows *, uint32_t, uint32_t), void *context,                  \
				  struct ptowsp_error *error)                                                                                                  \
	{                                                                                                                                                      \
		struct base_program *program = (struct base_program *)object;                                                                                  \
		ptowsp_status status = resting(program, extension, error);                                                                                     \
                                                                                                                                                               \
		if (!status) {                                                                                                                                 \
			program->trace.which##_sink = sink;                                                                                                    \
			program->trace.which##_context = context;                                                                                              \
		}                                                                                                                                              \
		return status;                                                                                                                                 \
	}
ATTACH(trace_attach, ptowsp_trace_task, task, PTOWSP_EXTENSION_TRACE)
ATTACH(events_attach, ptowsp_trace_event, event, PTOWSP_EXTENSION_TRACE)
ATTACH(graph_attach, ptowsp_graph_edge, edge, PTOWSP_EXTENSION_GRAPH)

static ptowsp_status extents_measure(struct ptowsp_object *object, const struct ptowsp_run_args *args, uint64_t *elements_out, uint32_t count,
				     struct ptowsp_error *error)
{
	struct base_program *program = (struct base_program *)object;
	ptowsp_status status = base_args_check(&args->head, PTOWSP_STRUCT_RUN_ARGS, PTOWSP_RUN_ARGS_FLOOR_10_0, "extents", error);

	if (!status)
		status = resting(program, PTOWSP_EXTENSION_EXTENTS, error);
	if (status)
		return status;
	base_kernels_watch(&program->kernels, NULL, args->deadline_ns);
	status = rt_extents(program->rt, args, elements_out, count, error);
	status = base_kernels_watched(&program->kernels, status, error);
	base_kernels_watch(&program->kernels, NULL, 0);
	return status;
}

#if PTOWSP_ABI_TARGET >= 1
static ptowsp_status profile_rows(struct ptowsp_object *object, const struct ptowsp_profile_row **rows_out, uint32_t *count_out, uint32_t *stride_out,
				  struct ptowsp_error *error)
{
	struct base_program *program = (struct base_program *)object;
	ptowsp_status status = resting(program, PTOWSP_EXTENSION_PROFILE, error);

	*rows_out = NULL;
	*count_out = status ? 0 : base_profile_rows(&program->kernels.profile, &program->kernels, rows_out);
	*stride_out = sizeof(**rows_out);
	return status;
}

static const struct ptowsp_profile_extension profile_table = {.head = PTOWSP_HEAD(profile_table, EXTENSION), .rows = profile_rows};
#endif

static const struct ptowsp_trace_extension trace_table = {.head = PTOWSP_HEAD(trace_table, EXTENSION), .attach = trace_attach, .attach_events = events_attach};
static const struct ptowsp_graph_extension graph_table = {.head = PTOWSP_HEAD(graph_table, EXTENSION), .attach = graph_attach};
static const struct ptowsp_extents_extension extents_table = {.head = PTOWSP_HEAD(extents_table, EXTENSION), .measure = extents_measure};

static const struct {
	const char *id;
	const void *table;
} extensions[] = {
	{PTOWSP_EXTENSION_TRACE, &trace_table},
	{PTOWSP_EXTENSION_GRAPH, &graph_table},
	{PTOWSP_EXTENSION_EXTENTS, &extents_table},
};

const void *base_extension(const struct base_backend *backend, struct ptowsp_object *instance, const char *id)
{
	const void *own = backend->extension ? backend->extension(instance, id) : NULL;

	if (own)
		return own;
#if PTOWSP_ABI_TARGET >= 1
	if (!strcmp(id, PTOWSP_EXTENSION_SUPPORT))
		return base_support_table(backend, instance);
	if (!strcmp(id, PTOWSP_EXTENSION_BUFFERS))
		return base_buffers_table(backend, instance);
	if (!strcmp(id, PTOWSP_EXTENSION_FENCES))
		return base_fences_table(backend, instance);
	if (!strcmp(id, PTOWSP_EXTENSION_COMPILED))
		return base_compiled_table(backend, instance);
	if (!strcmp(id, PTOWSP_EXTENSION_PROFILE))
		return base_minor_of(instance) >= 1 ? &profile_table : NULL;
#endif
	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++)
		if (!strcmp(extensions[i].id, id))
			return extensions[i].table;
	return NULL;
}
