/* SPDX-License-Identifier: MIT */
/* remote_carry.c - the carrier of an isolated plugin: from a record of a call to the operation of remote.h. */
#include "host/remote.h"

#include <pthread.h>

#include "host/isolate.h"
#include "host/error.h"
#include "host/normalise.h"

#define V(i) call->values[i]
#define STATUS(name, ...) call->status = host_remote_##name(r, __VA_ARGS__, call->error)

static void carry_extension_operation(struct host_remote *r, struct host_call *call, enum host_operation_id id)
{
	switch (id) {
	case HOST_OPERATION_trace_attach: STATUS(trace, V(0).pointer, (host_trace_sink)V(1).function, V(2).pointer); break;
	case HOST_OPERATION_trace_attach_events: STATUS(events, V(0).pointer, (host_event_sink)V(1).function, V(2).pointer); break;
	case HOST_OPERATION_graph_attach: STATUS(graph, V(0).pointer, (host_edge_sink)V(1).function, V(2).pointer); break;
	case HOST_OPERATION_extents_measure: STATUS(measure, V(0).pointer, V(1).data, V(2).pointer, (uint32_t)V(3).number); break;
	case HOST_OPERATION_artifact_emit: STATUS(artifact, V(0).pointer, V(1).data, V(2).data, (host_file_sink)V(3).function, V(4).pointer); break;
	case HOST_OPERATION_report_emit: STATUS(report, V(0).pointer, V(1).data, (host_file_sink)V(2).function, V(3).pointer); break;
	case HOST_OPERATION_report_figures: STATUS(figures, V(0).pointer, V(1).pointer, V(2).pointer, V(3).pointer); break;
	default: call->status = host_fail(call->error, PTOWSP_UNIMPLEMENTED, "\"%s\" does not reach an isolated plugin; --isolate=none", call->operation->name);
	}
}

static void carry(struct host_caller *caller, struct host_call *call)
{
	const enum host_operation_id id = (enum host_operation_id)(call->operation - host_operations);
	struct host_remote *r = caller->carrier;

	switch (id) {
	case HOST_OPERATION_init: STATUS(init, V(0).data, V(1).data, V(2).pointer); break;
	case HOST_OPERATION_fini: STATUS(fini, V(0).pointer); break;
	case HOST_OPERATION_extension: call->answer.data = host_remote_extension(r, V(0).pointer, V(1).data); break;
	case HOST_OPERATION_devices: STATUS(devices, V(0).pointer, V(1).pointer, V(2).pointer); break;
	case HOST_OPERATION_options: STATUS(options, V(0).pointer, V(1).pointer); break;
	case HOST_OPERATION_capabilities: STATUS(capabilities, V(0).pointer, V(1).data, V(2).pointer, (uint32_t)V(3).number, V(4).pointer); break;
	case HOST_OPERATION_open: STATUS(open, V(0).pointer, V(1).data, V(2).pointer); break;
	case HOST_OPERATION_close: STATUS(close, V(0).pointer); break;
	case HOST_OPERATION_load: STATUS(load, V(0).pointer, V(1).data, V(2).pointer); break;
	case HOST_OPERATION_unload: STATUS(unload, V(0).pointer); break;
	case HOST_OPERATION_submit: STATUS(submit, V(0).pointer, V(1).data); break;
	case HOST_OPERATION_cancel: STATUS(cancel, V(0).pointer, V(1).number); break;
	case HOST_OPERATION_poll: STATUS(poll, V(0).pointer, V(1).number); break;
	case HOST_OPERATION_drain: STATUS(drain, V(0).pointer, V(1).number); break;
	case HOST_OPERATION_stats: STATUS(stats, V(0).pointer, V(1).pointer); break;
	default: carry_extension_operation(r, call, id);
	}
}

/* A table with every operation, none of which is called by its address: whether the plugin has one is known over there. */
static struct ptowsp_ops operations;

static void operations_fill(void)
{
	static const struct ptowsp_ops none = {.head = {PTOWSP_OPS_FLOOR_10_0, PTOWSP_STRUCT_OPS, 0}};

	host_ops_normalise(&operations, &none, PTOWSP_ABI_MINOR);
}

void host_remote_caller(struct host_caller *caller, struct host_remote *remote)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, operations_fill);
	host_caller_init(caller, &operations);
	caller->carry = carry;
	caller->carrier = remote;
}
