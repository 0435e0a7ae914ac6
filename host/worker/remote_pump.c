/* SPDX-License-Identifier: MIT */
/* remote_pump.c - asking a worker and reading what it says. Everything read here comes from a process that may be hostile: a message is looked at in its copy, and one that is
 * not as the worker's library writes it ends the worker. */
#include <stdlib.h>
#include <string.h>

#include "host/worker/remote_own.h"

enum { AT_ONCE = 256 }; /* messages */

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
static void line_keep(struct host_remote *r, const char *text, uint64_t length)
{
	const size_t room = sizeof(r->said[0]) - 1;

	pthread_mutex_lock(&r->lock);
	memcpy(r->said[1], r->said[0], sizeof(r->said[0]));
	memset(r->said[0], 0, sizeof(r->said[0]));
	memcpy(r->said[0], text ? text : "", text ? (size_t)(length < room ? length : room) : 0);
	host_line(r->said[0], sizeof(r->said[0]));
	pthread_mutex_unlock(&r->lock);
}

/* A service or a callback of the host, by the description. message: what the call lies in, NULL: nowhere that stays. true: it is kept. */
static bool call_take(struct host_remote *r, const struct host_frame *frame, struct host_unwire *wire, unsigned char *message)
{
	struct host_call call = {.operation = &host_operations[frame->operation], .table = r->host};
	struct host_rooms none = {0};
	const struct ptowsp_done *done;

	if (!host_unmarshal_in(wire, &call, &none))
		return false;
	if (call.operation->table == HOST_STRUCT_COUNT) {
		if (remote_callback_find(r, frame->call, &call))
			host_call_local(NULL, &call);
		return false;
	}
	if (frame->operation == HOST_OPERATION_done) {
		done = call.values[1].data;
		if (message && remote_run_keep(r, done, message))
			return true;
		remote_run_done(r, done);
		return false;
	}
	if (frame->operation == HOST_OPERATION_log)
		line_keep(r, call.values[2].data, call.values[3].number);
	if (host_table_has(r->host, frame->operation, r->host->minor)) {
		call.values[0].pointer = r->host->context;
		host_call_local(NULL, &call);
	}
	return false;
}

static void upcall_take(struct host_remote *r, const struct host_frame *frame, struct host_unwire *wire)
{
	unsigned char *copy = NULL;

	if (frame->operation >= HOST_OPERATION_COUNT || !host_marshal_goes_up(&host_operations[frame->operation])) {
		wire->forged = true;
		return;
	}
	if (frame->operation == HOST_OPERATION_done && (copy = malloc(r->up.size)))
		wire->bytes = memcpy(copy, r->up.message, r->up.size);
	if (!call_take(r, frame, wire, copy))
		free(copy);
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
	case HOST_UP_CALL: upcall_take(r, &frame, &wire); break;
	case HOST_UP_ASK: remote_asked(r, &frame); break;
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

/* So many, and so much, at most: a plugin may say more, and faster, than anybody can hear, and who waits has a time. false: there is no more. */
static bool read_some(struct host_remote *r)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < AT_ONCE && bytes < HOST_RING_BYTES && !is_deaf(r); i++) {
		switch (host_ring_read(&r->up)) {
		case HOST_RING_READY:
			bytes += r->up.size;
			message_take(r);
			break;
		case HOST_RING_NOTHING: return false;
		default: remote_kill(r, REMOTE_FORGED); return false;
		}
	}
	return !is_deaf(r);
}

/* A process that has the ring from the worker may write on, faster than it is read. */
void remote_read(struct host_remote *r)
{
	const uint32_t begin = r->up.at;

	while (r->up.at - begin < HOST_RING_BYTES && read_some(r))
		;
}

void remote_turn(struct host_remote *r, uint64_t until_ns)
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
	host_ring_wait(&r->up, until_ns, &r->attention);
	read_some(r);
	remote_waits_look(r);
	pthread_mutex_lock(&r->lock);
	r->pumping = false;
	pthread_cond_broadcast(&r->turned);
}

void remote_pump(struct host_remote *r, uint64_t completions, uint64_t until_ns)
{
	remote_runs_early(r);
	pthread_mutex_lock(&r->lock);
	while (!r->reaped && r->completions == completions && host_now_ns() < until_ns)
		remote_turn(r, until_ns);
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
		read_some(r);
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
	while (!call->answered && !r->reaped)
		remote_turn(r, UINT64_MAX);
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
	call->kill_ns = remote_until_ns(r, frame->operation, call->kill_ns);
	call->next = r->calls;
	r->calls = call;
	remote_alarm(r, call->kill_ns);
	pthread_mutex_unlock(&r->lock);
}

/* The worker's sentence about a failure is copied as far as it is one. */
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

ptowsp_status remote_ask(struct host_remote *r, int channel, struct host_wire *request, struct remote_call *call, struct host_unwire *wire_out,
			 struct ptowsp_error *error)
{
	*wire_out = (struct host_unwire){0};
	if (request->failed)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory to send the call to its worker, or more than 256 MiB of it", r->name);
	call_begin(r, call, (struct host_frame *)(void *)request->bytes);
	remote_send(r, channel, request->bytes, request->size, call->kill_ns); /* or the worker ends */
	if (!answer_wait(r, call))
		return remote_dead(r, error);
	if (!call->reply)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory for what its worker answered", r->name);
	*wire_out = (struct host_unwire){.bytes = call->reply, .size = call->size, .at = sizeof(struct host_frame)};
	return status_take(r, (const struct host_frame *)(void *)call->reply, error);
}
