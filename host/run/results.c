/* SPDX-License-Identifier: MIT */
/* results.c - what can be asked about a program and its runs; trace and graph sinks. */
#include "host/host_error.h"
#include "host/run/host_program.h"

double ptowsp_compile_ms(const struct ptowsp_program *p)
{
	return (double)p->compile_ns / 1e6;
}

double ptowsp_elapsed_ms(struct ptowsp_program *p)
{
	struct host_runs *runs = &p->backend->services.runs;
	uint64_t end;

	pthread_mutex_lock(&runs->lock);
	end = p->run.in_flight ? host_now_ns() : p->run.end_ns;
	end -= p->run.begin_ns;
	pthread_mutex_unlock(&runs->lock);
	return (double)end / 1e6;
}

const struct ptowsp_run_stats *ptowsp_stats(const struct ptowsp_program *p)
{
	return &p->run.report.stats;
}

const struct ptowsp_deadlock *ptowsp_deadlock(const struct ptowsp_program *p)
{
	return p->run.report.status == PTOWSP_DEADLOCK ? &p->run.report.deadlock : NULL;
}

ptowsp_status ptowsp_stats_live(struct ptowsp_program *p, struct ptowsp_run_stats *stats_out, struct ptowsp_error *error)
{
	ptowsp_status status;

	error = host_error_enter(error);
	*stats_out = (struct ptowsp_run_stats){.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	status = host_call_stats(&p->backend->caller, p->object, stats_out, error);
	return host_error_leave(status, error);
}

int ptowsp_diagnostic_row(const struct ptowsp_program *p, uint32_t index, struct ptowsp_diagnostic *row_out)
{
	struct host_services *services = &p->backend->services;
	int found;

	pthread_mutex_lock(&services->lock);
	found = index < p->diagnostics.count;
	if (found)
		*row_out = (struct ptowsp_diagnostic){p->diagnostics.rows[index].feature, p->diagnostics.rows[index].state, p->diagnostics.rows[index].text};
	pthread_mutex_unlock(&services->lock);
	return found;
}

static ptowsp_status not_offered(const struct ptowsp_program *p, const char *what, struct ptowsp_error *error)
{
	return host_error_leave(host_fail(error, PTOWSP_UNSUPPORTED, "%s offers no task %s", ptowsp_backend_name(p->backend), what), error);
}

ptowsp_status ptowsp_trace_attach(struct ptowsp_program *p, void (*sink)(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride),
				  void *context, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	if (!host_caller_offers(&p->backend->caller, p->backend->instance, HOST_OPERATION_trace_attach))
		return not_offered(p, "trace", error);
	return host_error_leave(host_call_trace_attach(&p->backend->caller, p->object, sink, context, error), error);
}

ptowsp_status ptowsp_trace_events_attach(struct ptowsp_program *p,
					 void (*sink)(void *context, const struct ptowsp_trace_event *events, uint32_t count, uint32_t stride), void *context,
					 struct ptowsp_error *error)
{
	error = host_error_enter(error);
	if (!host_caller_offers(&p->backend->caller, p->backend->instance, HOST_OPERATION_trace_attach_events))
		return not_offered(p, "events", error);
	return host_error_leave(host_call_trace_attach_events(&p->backend->caller, p->object, sink, context, error), error);
}

ptowsp_status ptowsp_graph_attach(struct ptowsp_program *p, void (*sink)(void *context, const struct ptowsp_graph_edge *edges, uint32_t count, uint32_t stride),
				  void *context, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	if (!host_caller_offers(&p->backend->caller, p->backend->instance, HOST_OPERATION_graph_attach))
		return not_offered(p, "graph", error);
	return host_error_leave(host_call_graph_attach(&p->backend->caller, p->object, sink, context, error), error);
}
