/* SPDX-License-Identifier: MIT */
/* trace.c - --trace as Chrome trace events, and the tasks and edges for --graph. Events are written while the run goes
 * on, on the plugin's thread, one batch at a time: a trace costs no memory. */
#include <jansson.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "registry/common/common_grow.h"
#include "registry/names.h"
#include "registry/text.h"
#include "tools/run/run_run.h"

/* The kernel's name as a JSON string; "?" without memory. */
static const char *name_json(struct run_trace *trace, uint32_t kernel)
{
	json_t *string;

	if (kernel >= trace->name_room) {
		uint32_t room = kernel < 1u << 20 ? kernel + 64 : 0;

		if (!room || !COMMON_RESIZE(trace->names, room))
			return "\"?\"";
		memset(trace->names + trace->name_room, 0, (room - trace->name_room) * sizeof(*trace->names));
		trace->name_room = room;
	}
	if (!trace->names[kernel]) {
		string = json_string(ptowsp_plan_kernel(trace->plan, kernel));
		trace->names[kernel] = json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
		json_decref(string);
	}
	return trace->names[kernel] ? trace->names[kernel] : "\"?\"";
}

static void event_write(struct run_trace *trace, const struct ptowsp_trace_task *task, unsigned pid)
{
	fprintf(trace->output.file, "%s\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu,\"name\":%s,\"args\":{\"task\":%llu,\"stream\":%u}}",
		trace->any ? "," : "", pid, task->executor, (unsigned long long)task->start, (unsigned long long)(task->end - task->start),
		name_json(trace, task->kernel), (unsigned long long)task->task, task->stream);
	trace->any = true;
}

/* Room for one more task or edge; where there is none nothing more is kept, and who waits for the run ends it. */
static bool graph_has_room(struct run *run)
{
	const bool room = run->graph.task_count + run->graph.edge_count < GRAPH_MOST;

	if (!room)
		atomic_store_explicit(&run->graph_full, true, memory_order_relaxed);
	return room;
}

/* A task in real time, which stands beside the same one in semantic time. */
static bool is_beside(const struct run *run, const struct ptowsp_trace_task *task)
{
#ifdef PTOWSP_TRACE_TASK_REAL /* headers of 10.0 have none */
	return task->flags & PTOWSP_TRACE_TASK_REAL && !run->times_real;
#else
	return run->times_real && !task;
#endif
}

static void on_tasks(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	struct run *run = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_task *task = (const void *)((const char *)tasks + (size_t)i * stride);

		if (is_beside(run, task)) {
			if (run->trace_wanted)
				event_write(&run->trace, task, RUN_PID_THREADS), run->trace.threads = true;
			if (run->report_wanted)
				run_report_real(&run->report, task);
			continue;
		}
		if (run->trace_wanted)
			event_write(&run->trace, task, RUN_PID_EXECUTORS);
		if (run->report_wanted)
			run_report_task(&run->report, task);
		if (run->graph_wanted && graph_has_room(run))
			graph_task_add(&run->graph, task->task, ptowsp_plan_kernel(run->plan, task->kernel), ptowsp_plan_kernel_bytes(run->plan, task->kernel));
	}
}

static void on_edges(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride)
{
	struct run *run = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_graph_edge *edge = (const void *)((const char *)edges + (size_t)i * stride);

		if (run->report_wanted)
			run_report_edge(&run->report, edge);
		if (run->graph_wanted && graph_has_room(run))
			graph_edge_add(&run->graph, edge->producer, edge->consumer);
	}
}

static void on_events(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride)
{
	struct run *run = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_event *event = (const void *)((const char *)events + (size_t)i * stride);

		if (run->trace_wanted)
			run_tracks_write(&run->trace, event);
		else if (event->kind == PTOWSP_TRACE_EXECUTOR)
			run_executor_told(&run->trace, event);
		if (run->report_wanted)
			run_report_event(&run->report, event);
	}
}

ptowsp_status run_sinks_attach(struct run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	run->trace.plan = run->plan;
	run->times_real = run_setting(run, "trace") && !strcmp(run_setting(run, "trace"), "real");
	run->trace.begun = run->trace_wanted;
	if (run->trace_wanted)
		fprintf(run->trace.output.file, "{\"schema\":\"ptowsp.trace/1\",\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	if (run->report_wanted)
		run_report_begin(&run->report);
	if (run->graph_wanted || run->report_wanted)
		status = ptowsp_graph_attach(run->program, on_edges, run, error);
	if (!status && (run->trace_wanted || run->graph_wanted || run->report_wanted))
		status = ptowsp_trace_attach(run->program, on_tasks, run, error);
	if (!status && (run->trace_wanted || run->report_wanted) && ptowsp_trace_events_attach(run->program, on_events, run, NULL) && run->trace_wanted &&
	    !run->options->quiet)
		fprintf(stderr, "ptowsp-run: --trace shows tasks only: %s tells nothing of stalls and channels\n", ptowsp_backend_name(run->backend));
	return status;
}

ptowsp_status run_trace_finish(struct run *run, const struct ptowsp_error *failure, struct ptowsp_error *error)
{
	FILE *file = run->trace.output.file;

	if (!run->trace_wanted)
		return PTOWSP_OK;
	run_tracks_finish(run, failure);
	fprintf(file, "\n]");
	if (failure)
		fprintf(file, ",\"status\":\"%s\"", reg_status_name(failure->code));
	fprintf(file, "}\n");
	return output_finish(&run->trace.output, error);
}

void run_trace_drop(struct run *run)
{
	for (uint32_t i = 0; i < run->trace.name_room; i++)
		free(run->trace.names[i]);
	free(run->trace.names);
	run->trace.names = NULL;
	run->trace.name_room = 0;
	free(run->trace.lanes);
	free(run->trace.executors);
	run->trace.executors = NULL;
	run->trace.executor_count = 0;
	run->trace.lanes = NULL;
	run->trace.lane_count = 0;
	if (run->trace_wanted)
		output_drop(&run->trace.output);
	run_report_drop(&run->report);
	graph_finish(&run->graph);
}
