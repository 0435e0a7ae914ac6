/* SPDX-License-Identifier: MIT */
/* worker_up.c - what a plugin says: what the host is told crosses by the description, the rest is answered here: memory, the clock, kernels and code. */
#include <string.h>
#include <unistd.h>

#include "host/call/marshal.h"
#include "host/call/upward.h"
#include "host/host_error.h"
#include "host/run/host_report.h"
#include "host/worker/worker.h"

void worker_frame(struct host_wire *wire, uint32_t operation)
{
	*wire = (struct host_wire){.minor = worker.caller.minor};
	if (!host_marshal_begin(wire, operation))
		_exit(1); /* without memory for a frame there is no way to say so */
}

void worker_send(uint16_t kind, struct host_wire *wire)
{
	bool written;

	pthread_mutex_lock(&worker.up_lock);
	written = !wire->failed && host_ring_write(&worker.up, kind, wire->bytes, wire->size, UINT64_MAX, &worker.stop) == HOST_RING_READY;
	pthread_mutex_unlock(&worker.up_lock);
	host_wire_finish(wire);
	if (!written)
		_exit(1);
}

/* A callback's context is its number. Its answer is not waited for: the host takes no more files after it refused one. */
static void call_send(const struct host_call *call)
{
	struct host_wire wire;

	worker_frame(&wire, (uint32_t)(call->operation - host_operations));
	((struct host_frame *)(void *)wire.bytes)->call = (uintptr_t)call->values[0].pointer;
	host_marshal_in(&wire, call);
	worker_send(HOST_UP_CALL, &wire);
}

/* A done that breaks the rules does not cross as it is: it may have more rows than any frame. Its run ends with the sentence of a plugin in the host's process. */
static void done_send(const struct host_call *call)
{
	const struct ptowsp_done *done = call->values[1].data;
	const char *breach = host_done_breach(done, worker.caller.minor);
	struct ptowsp_run_stats none = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_done refused = {.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .token = done->token, .stats = &none, .error = &error};
	struct host_call instead = *call;

	if (breach) {
		refused.status = host_done_refuse(breach, &error);
		instead.values[1].data = &refused;
	}
	call_send(&instead);
}

/* Functions of the embedding program are in its process. A plugin's own functions, and those of native payloads, are bound as everywhere. */
static void kernel_find(struct host_caller *caller, struct host_call *call)
{
	if (call->values[3].data) {
		host_call_local(caller, call);
		return;
	}
	*(struct ptowsp_kernel_ref *)call->values[4].pointer = (struct ptowsp_kernel_ref){0};
	call->status = host_fail(call->error, PTOWSP_NOT_FOUND, "no function \"%.40s\"; known: none that an isolated plugin can call; --isolate=none",
				 (const char *)call->values[1].data);
}

static void carry_up(struct host_caller *caller, struct host_call *call)
{
	switch ((enum host_operation_id)(call->operation - host_operations)) {
	case HOST_OPERATION_kernels_find: kernel_find(caller, call); break;
	case HOST_OPERATION_notify_place:
	case HOST_OPERATION_notify_send:
	case HOST_OPERATION_notify_take: worker_notify(call); break;
	case HOST_OPERATION_done:
		worker_notify_done(((const struct ptowsp_done *)call->values[1].data)->token);
		done_send(call);
		worker_run_end(((const struct ptowsp_done *)call->values[1].data)->token);
		break;
	default:
		if (host_marshal_goes_up(call->operation))
			call_send(call);
		else
			host_call_local(caller, call);
	}
}

/* The host's own part of the library speaks in here, too. */
static void own_log(void *context, int32_t level, const char *text)
{
	(void)context;
	worker.table->log(worker.table->context, level, text, strlen(text));
}

void worker_services_begin(void)
{
	struct host_caller *caller = &worker.caller;

	worker_notify_begin();
	if (host_services_init(&worker.services, worker.plugin->minor))
		_exit(1);
	host_caller_init(caller, &worker.plugin->ops);
	caller->name = worker.name;
	caller->minor = worker.plugin->minor;
	caller->carry_up = carry_up;
	caller->services = &worker.services.table;
	caller->upward = host_upward_create(caller);
	if (!caller->upward)
		_exit(1);
	worker.table = host_upward_services(caller->upward);
	worker.services.log = own_log;
}
