/* SPDX-License-Identifier: MIT */
/* remote_pump.c - asking a worker and reading what it says. Everything read here comes from a process that may be hostile: a message is looked at in its copy, and one that is
 * not as the worker's library writes it ends the worker. */
#include <stdlib.h>
#include <string.h>

#include "host/plugin.h"
#include "host/remote_own.h"

struct host_frame *remote_frame(struct host_wire *request, enum host_frame_operation operation)
{
	const struct host_frame frame = {.operation = operation, .error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};

	request->minor = PTOWSP_HOST_MINOR; /* made by this host, which zeroes what is behind the effective one */
	host_wire_bytes(request, &frame, sizeof(frame));
	return (struct host_frame *)(void *)request->bytes;
}

static void reply_take(struct host_remote *r, const struct host_frame *frame)
{
	struct remote_call *call;
	unsigned char *copy = malloc(r->up.size);

	if (copy)
		memcpy(copy, r->up.message, r->up.size);
	pthread_mutex_lock(&r->lock);
	for (call = r->calls; call && (call->number != frame->call || call->answered); call = call->next)
		;
	if (call) {
		call->reply = copy;
		call->size = r->up.size;
		call->answered = true;
		pthread_cond_broadcast(&r->turned);
	}
	pthread_mutex_unlock(&r->lock);
	if (!call) {
		free(copy);
		remote_kill(r, REMOTE_FORGED);
	}
}

/* The last lines are kept, to be told when it ends badly. */
static void line_take(struct host_remote *r, const struct host_frame *frame, struct host_unwire *wire)
{
	const char *text = host_unwire_text(wire, frame->values[1]);

	if (!text)
		return;
	pthread_mutex_lock(&r->lock);
	memcpy(r->said[1], r->said[0], sizeof(r->said[0]));
	memset(r->said[0], 0, sizeof(r->said[0]));
	strncpy(r->said[0], text, sizeof(r->said[0]) - 1);
	pthread_mutex_unlock(&r->lock);
	if (r->host)
		r->host->log(r->host->context, (int32_t)frame->values[0], text, strlen(text));
}

static void diagnosis_take(struct host_remote *r, const struct host_frame *frame, struct host_unwire *wire)
{
	const char *text = host_unwire_text(wire, frame->values[2]);

	if (text && r->host)
		r->host->diagnose(r->host->context, (uint32_t)frame->values[0], (uint8_t)frame->values[1], text, strlen(text));
}

static void done_take(struct host_remote *r, const struct host_frame *frame, struct host_unwire *wire)
{
	unsigned char *copy = malloc(r->up.size);
	const struct ptowsp_done *done;

	if (copy) {
		memcpy(copy, r->up.message, r->up.size);
		wire->bytes = copy;
	}
	done = host_unwire_struct(wire, HOST_STRUCT_done, frame->values[0]);
	wire->forged = wire->forged || !done;
	if (done && copy && remote_run_keep(r, done, copy))
		return;
	if (done)
		remote_run_done(r, done);
	free(copy);
}

static void rows_take(struct host_remote *r, const struct host_frame *frame, struct host_unwire *wire)
{
	enum host_struct_id type = r->up.kind == HOST_UP_TRACE ? HOST_STRUCT_trace_task : r->up.kind == HOST_UP_EVENTS ? HOST_STRUCT_trace_event
																: HOST_STRUCT_graph_edge;
	const uint32_t count = frame->values[2] <= UINT32_MAX ? (uint32_t)frame->values[2] : UINT32_MAX;
	const void *rows = host_unwire_rows(wire, type, frame->values[1], count);
	struct remote_program *found, program = {0};

	pthread_mutex_lock(&r->lock);
	found = remote_program_find(r, (const struct ptowsp_object *)(uintptr_t)frame->values[0]);
	if (found)
		program = *found;
	pthread_mutex_unlock(&r->lock);
	if (!rows)
		return;
	if (r->up.kind == HOST_UP_TRACE && program.trace)
		program.trace(program.trace_context, rows, count, sizeof(struct ptowsp_trace_task));
	else if (r->up.kind == HOST_UP_EVENTS && program.events)
		program.events(program.events_context, rows, count, sizeof(struct ptowsp_trace_event));
	else if (r->up.kind == HOST_UP_GRAPH && program.edges)
		program.edges(program.edges_context, rows, count, sizeof(struct ptowsp_graph_edge));
}

static void file_take(struct host_remote *r, const struct host_frame *frame, struct host_unwire *wire)
{
	const char *path = host_unwire_text(wire, frame->values[0]);
	const void *bytes = host_unwire_bytes(wire, frame->values[1], frame->values[2]);
	host_file_sink file = NULL;
	void *context = NULL;

	pthread_mutex_lock(&r->lock);
	for (struct remote_call *call = r->calls; call; call = call->next)
		if (call->number == frame->call) {
			file = call->file;
			context = call->file_context;
		}
	pthread_mutex_unlock(&r->lock);
	if (path && file && !wire->forged)
		file(context, path, bytes ? bytes : "", bytes ? frame->values[2] : 0);
}

static void message_take(struct host_remote *r)
{
	struct host_unwire wire = {.bytes = r->up.message, .size = r->up.size, .at = sizeof(struct host_frame)};
	struct host_frame frame;

	if (r->up.size < sizeof(frame)) {
		remote_kill(r, REMOTE_FORGED);
		return;
	}
	memcpy(&frame, r->up.message, sizeof(frame));
	switch (r->up.kind) {
	case HOST_UP_REPLY: reply_take(r, &frame); break;
	case HOST_UP_LOG: line_take(r, &frame, &wire); break;
	case HOST_UP_DIAGNOSE: diagnosis_take(r, &frame, &wire); break;
	case HOST_UP_DONE: done_take(r, &frame, &wire); break;
	case HOST_UP_TRACE:
	case HOST_UP_EVENTS:
	case HOST_UP_GRAPH: rows_take(r, &frame, &wire); break;
	case HOST_UP_FILE: file_take(r, &frame, &wire); break;
	default: wire.forged = true;
	}
	if (wire.forged)
		remote_kill(r, REMOTE_FORGED);
}

static bool is_deaf(struct host_remote *r)
{
	bool deaf;

	pthread_mutex_lock(&r->lock);
	deaf = r->verdict == REMOTE_FORGED;
	pthread_mutex_unlock(&r->lock);
	return deaf;
}

void remote_read(struct host_remote *r)
{
	while (!is_deaf(r)) {
		switch (host_ring_read(&r->up)) {
		case HOST_RING_READY: message_take(r); break;
		case HOST_RING_NOTHING: return;
		case HOST_RING_NO_MEMORY:
		case HOST_RING_FORGED: remote_kill(r, REMOTE_FORGED); return;
		}
	}
}

/* One turn of a thread that waits: it reads, or waits for the one that does. With the lock held on both ends. */
static void turn(struct host_remote *r, uint64_t until_ns)
{
	const struct timespec at = {(time_t)(until_ns / 1000000000u), (long)(until_ns % 1000000000u)};

	if (r->pumping || atomic_load(&r->dead)) {
		if (until_ns >= UINT64_MAX / 2)
			pthread_cond_wait(&r->turned, &r->lock);
		else
			pthread_cond_timedwait(&r->turned, &r->lock, &at);
		return;
	}
	r->pumping = true;
	pthread_mutex_unlock(&r->lock);
	host_ring_wait(&r->up, until_ns, &r->dead);
	remote_read(r);
	pthread_mutex_lock(&r->lock);
	r->pumping = false;
	pthread_cond_broadcast(&r->turned);
}

void remote_pump(struct host_remote *r, uint64_t dones, uint64_t until_ns)
{
	remote_runs_early(r);
	pthread_mutex_lock(&r->lock);
	while (!r->buried && r->dones == dones && host_now_ns() < until_ns)
		turn(r, until_ns);
	pthread_mutex_unlock(&r->lock);
	remote_runs_early(r);
}

void host_remote_look(struct host_remote *r)
{
	bool mine;

	pthread_mutex_lock(&r->lock);
	mine = !r->pumping && !atomic_load(&r->dead);
	r->pumping = r->pumping || mine;
	pthread_mutex_unlock(&r->lock);
	if (mine) {
		remote_read(r);
		pthread_mutex_lock(&r->lock);
		r->pumping = false;
		pthread_cond_broadcast(&r->turned);
		pthread_mutex_unlock(&r->lock);
	}
	remote_runs_early(r);
}

static bool answer_wait(struct host_remote *r, struct remote_call *call)
{
	pthread_mutex_lock(&r->lock);
	while (!call->answered && !r->buried)
		turn(r, UINT64_MAX);
	for (struct remote_call **at = &r->calls; *at; at = &(*at)->next)
		if (*at == call) {
			*at = call->next;
			break;
		}
	pthread_mutex_unlock(&r->lock);
	return call->answered;
}

static void call_begin(struct host_remote *r, struct remote_call *call, struct host_frame *frame)
{
	pthread_mutex_lock(&r->lock);
	frame->call = call->number = ++r->next_call;
	if (!call->kill_ns)
		call->kill_ns = host_now_ns() + remote_limit_ns(r, frame->operation);
	call->next = r->calls;
	r->calls = call;
	remote_alarm(r, call->kill_ns);
	pthread_mutex_unlock(&r->lock);
}

/* What the worker says of a failure is copied as far as it is one. */
static ptowsp_status status_take(const struct host_remote *r, const struct host_frame *frame, struct ptowsp_error *error)
{
	if (frame->status > 0)
		return host_fail(error, PTOWSP_PLUGIN_REFUSED, "%s answered with a positive status", r->name);
	if (frame->status && error) {
		const struct ptowsp_head head = error->head;

		*error = frame->error;
		error->head = head;
		error->code = frame->status;
		error->text[sizeof(error->text) - 1] = '\0';
	}
	return frame->status;
}

ptowsp_status remote_ask(struct host_remote *r, int channel, struct host_wire *request, struct remote_call *call, struct host_unwire *wire_out, struct ptowsp_error *error)
{
	bool written;

	*wire_out = (struct host_unwire){0};
	if (request->failed)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory to send the call to its worker, or more than 256 MiB of it", r->name);
	call_begin(r, call, (struct host_frame *)(void *)request->bytes);
	pthread_mutex_lock(&r->down_lock[channel]);
	written = host_ring_write(&r->down[channel], 0, request->bytes, request->size, &r->dead);
	pthread_mutex_unlock(&r->down_lock[channel]);
	if (!written && !atomic_load(&r->dead))
		remote_kill(r, REMOTE_FORGED); /* where the worker says that it has read to */
	if (!answer_wait(r, call))
		return remote_dead(r, error);
	if (!call->reply)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory for what its worker answered", r->name);
	*wire_out = (struct host_unwire){.bytes = call->reply, .size = call->size, .at = sizeof(struct host_frame)};
	return status_take(r, (const struct host_frame *)(void *)call->reply, error);
}

ptowsp_status remote_tell(struct host_remote *r, int channel, struct host_wire *request, uint64_t kill_ns, struct ptowsp_error *error)
{
	struct remote_call call = {.kill_ns = kill_ns};
	struct host_unwire wire;
	ptowsp_status st = remote_ask(r, channel, request, &call, &wire, error);

	free(wire.bytes);
	host_wire_finish(request);
	return st;
}
