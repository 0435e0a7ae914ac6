/* SPDX-License-Identifier: MIT */
/* remote_calls.c - the carrier of an isolated plugin: every operation of the description crosses in the same way; a few mean more to this side than their data. */
#include <stdlib.h>
#include <string.h>

#include "host/call/marshal.h"
#include "host/find/host_plugin.h"
#include "host/find/normalise.h"
#include "host/worker/isolate.h"
#include "host/worker/remote_own.h"

static ptowsp_status forged(struct host_remote *r, struct ptowsp_error *error)
{
	remote_kill(r, REMOTE_FORGED);
	return host_fail(error, PTOWSP_DEVICE_LOST, "%s: its worker answered with what no worker answers, and was killed", r->name);
}

/* Operations that may be called at any time go a way of their own, unless they hand over memory: files come in one order only. */
static int channel_of(const struct host_operation *o)
{
	int channel = o->thread == HOST_THREAD_ANY;

	for (unsigned i = 0; i < o->parameter_count; i++)
		if (o->parameters[i].kind == HOST_PARAMETER_ONE && o->parameters[i].direction == HOST_DIRECTION_IN)
			channel = 0;
	return channel;
}

static bool away_put(struct host_wire *wire, const struct host_away *away, uint64_t *place_out)
{
	struct remote_crossing *c = wire->context;

	return away->field->kind == HOST_FIELD_RECORDS ? remote_records_put(c, away, place_out)
						       : remote_elements_put(c, away, wire->handles[HOST_HANDLE_PROGRAM], place_out);
}

/* Tables stay as long as a plugin's would, until its end; what else is lent until the next call of that operation. */
static void reply_keep(struct host_remote *r, const struct host_operation *o, unsigned char *bytes)
{
	const size_t i = (size_t)(o - host_operations);
	struct remote_reply *reply = NULL;

	for (unsigned k = 0; k < o->parameter_count && !reply; k++)
		if (o->parameters[k].kind == HOST_PARAMETER_TABLES)
			reply = malloc(sizeof(*reply));
	pthread_mutex_lock(&r->lock);
	if (reply) {
		*reply = (struct remote_reply){bytes, r->replies};
		r->replies = reply;
	} else {
		free(r->lent[i]);
		r->lent[i] = bytes;
	}
	pthread_mutex_unlock(&r->lock);
}

static void answer_take(struct host_remote *r, struct host_call *call, struct host_unwire *wire)
{
	const struct host_frame *frame = (const struct host_frame *)(const void *)wire->bytes;

	call->answer.number = frame->answer;
	if (!host_unmarshal_out(wire, call))
		call->status = forged(r, call->error);
	if (call->status || !host_marshal_lends(call->operation))
		free(wire->bytes);
	else
		reply_keep(r, call->operation, wire->bytes);
}

void remote_cross(struct host_remote *r, struct host_call *call, struct remote_crossing *crossing)
{
	struct host_wire request = {.minor = PTOWSP_HOST_MINOR, .away = away_put, .context = crossing};
	struct remote_call waiting = {0};
	struct host_unwire wire = {0};

	crossing->remote = r;
	crossing->error = call->error;
	if (!host_marshal_goes_down(call->operation)) {
		call->status = host_fail(call->error, PTOWSP_UNIMPLEMENTED, "\"%s\" does not reach an isolated plugin; --isolate=none", call->operation->name);
		return;
	}
	waiting.kill_ns = crossing->kill_ns = remote_until_ns(r, (uint32_t)(call->operation - host_operations), crossing->kill_ns);
	host_marshal_begin(&request, (uint32_t)(call->operation - host_operations));
	host_marshal_in(&request, call);
	if (!request.failed)
		((struct host_frame *)(void *)request.bytes)->joined = crossing->run.joined;
	call->status = crossing->status;
	if (!call->status)
		call->status = remote_records_send(crossing, &request);
	if (!call->status)
		call->status = remote_callbacks_give(r, call, &request);
	if (!call->status && crossing->ready)
		call->status = crossing->ready(r, crossing);
	remote_shared_tell(r);
	if (!call->status)
		call->status = remote_ask(r, channel_of(call->operation), &request, &waiting, &wire, call->error);
	remote_callbacks_end(r, call);
	if (wire.bytes)
		answer_take(r, call, &wire);
	if (call->status || call->operation != &host_operations[HOST_OPERATION_load]) { /* else it keeps its sections */
		remote_shared_take(r, crossing->shared);
		crossing->shared = 0;
	}
	remote_records_finish(crossing);
	host_wire_finish(&request);
}

static void cross(struct host_remote *r, struct host_call *call, uint64_t kill_ns)
{
	struct remote_crossing crossing = {.kill_ns = kill_ns};

	remote_cross(r, call, &crossing);
	remote_run_finish(r, &crossing.run);
}

/* A run that was told to end has as long for it as one whose deadline came. */
static void cancel(struct host_remote *r, struct host_call *call)
{
	const uint64_t kill_ns = host_now_ns() + HOST_REMOTE_GRACE_NS, token = call->values[1].number;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT; i++)
		if (r->runs[i].used && r->runs[i].token == token && (!r->runs[i].kill_ns || r->runs[i].kill_ns > kill_ns)) {
			r->runs[i].kill_ns = kill_ns;
			remote_alarm(r, kill_ns);
		}
	pthread_mutex_unlock(&r->lock);
	cross(r, call, 0);
}

/* The worker polls by itself: this waits until some run is done. One that was done in front of this call has been told; one that is in flight ends behind it. */
static ptowsp_status poll(struct host_remote *r, uint64_t until_ns, struct ptowsp_error *error)
{
	bool busy = false, reaped;
	uint64_t so_far;

	pthread_mutex_lock(&r->lock);
	so_far = r->completions;
	reaped = r->reaped;
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && !busy; i++)
		busy = r->runs[i].used;
	pthread_mutex_unlock(&r->lock);
	if (busy)
		remote_pump(r, so_far, until_ns);
	return reaped ? remote_dead(r, error) : PTOWSP_OK;
}

static void carry(struct host_caller *caller, struct host_call *call)
{
	struct host_remote *r = caller->carrier;
	uint64_t until_ns;

	switch ((enum host_operation_id)(call->operation - host_operations)) {
	case HOST_OPERATION_init:
		r->host = call->values[0].data;
		cross(r, call, 0);
		break;
	case HOST_OPERATION_extension: remote_extension(r, call); break;
	case HOST_OPERATION_load: remote_program_load(r, call); break;
	case HOST_OPERATION_unload: remote_program_unload(r, call); break;
	case HOST_OPERATION_submit: remote_run_submit(r, call); break;
	case HOST_OPERATION_cancel: cancel(r, call); break;
	case HOST_OPERATION_poll: call->status = poll(r, call->values[1].number, call->error); break;
	case HOST_OPERATION_drain:
		until_ns = call->values[1].number;
		cross(r, call, until_ns < UINT64_MAX / 2 ? until_ns + remote_limit_ns(r, HOST_OPERATION_drain) : UINT64_MAX);
		remote_runs_early(r); /* of which it was told before submit had returned */
		break;
#if PTOWSP_ABI_MINOR >= 1
	case HOST_OPERATION_buffers_import:
	case HOST_OPERATION_fences_import: remote_import(r, call); break;
	case HOST_OPERATION_buffers_expose:
	case HOST_OPERATION_fences_expose: remote_expose(r, call); break;
#endif
	default: cross(r, call, 0);
	}
}

/* A table with every operation, none of which is called by its address: whether the plugin has one is known over there. */
static struct ptowsp_ops operations;

static void operations_fill(void)
{
	static const struct ptowsp_ops none = {.head = {sizeof(none.head), PTOWSP_STRUCT_OPS, 0}};

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
