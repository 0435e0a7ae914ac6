/* SPDX-License-Identifier: MIT */
/* remote_notify.c - what the devices of one run tell each other, where the plugin of one of them is in a worker. The worker asks, the host asks the run's group and answers; what is not there yet is
 * looked for again when the group has moved. */
#include <string.h>

#include "host/call/services.h"
#include "host/worker/remote_own.h"

_Static_assert(HOST_OPERATION_notify_send == HOST_OPERATION_notify_place + 1 && HOST_OPERATION_notify_take == HOST_OPERATION_notify_send + 1,
	       "they are one extension");

static const struct ptowsp_notify_extension *table_of(const struct host_remote *r)
{
	return r->host->extension(r->host->context, PTOWSP_EXTENSION_NOTIFY);
}

bool remote_is_joined(struct host_remote *r, uint64_t token)
{
	uint32_t member;

	return r->services && host_runs_group(&r->services->runs, token, &member);
}

/* ---- answers ---------------------------------------------------------------------------------------------------- */

/* A worker that does not read its answers would keep the host waiting for room. */
static void answer(struct host_remote *r, uint64_t number, const struct host_frame *what)
{
	struct host_frame frame = *what;
	const uint64_t until_ns = host_now_ns() + remote_limit_ns(r, HOST_FRAME_ANSWER);

	frame.operation = HOST_FRAME_ANSWER;
	frame.call = number;
	if (!remote_down_begin(r, 1, until_ns))
		return;
	if (host_ring_fits(&r->down[1], sizeof(frame)))
		remote_send_held(r, 1, &frame, sizeof(frame), until_ns);
	else if (!atomic_load(&r->dead))
		remote_kill(r, REMOTE_FORGED);
	remote_down_end(r, 1);
}

/* The group is there until this is taken back. */
static bool run_hold(struct host_remote *r, uint64_t token, bool hold)
{
	bool found = false;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && !found; i++)
		if (r->runs[i].used && r->runs[i].joined && r->runs[i].token == token) {
			r->runs[i].asking = hold;
			found = true;
		}
	if (!hold)
		pthread_cond_broadcast(&r->turned);
	pthread_mutex_unlock(&r->lock);
	return found;
}

/* True: it was answered, or nobody waits for an answer any more. */
static bool take(struct host_remote *r, const struct remote_wait *wait)
{
	struct host_frame frame = {.error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};

	if (!run_hold(r, wait->token, true))
		return true;
	frame.status = table_of(r)->take(r->host->context, wait->token, wait->device, wait->notification, 0, &frame.values[0], &frame.error);
	run_hold(r, wait->token, false);
	if (frame.status == PTOWSP_AGAIN)
		return false;
	answer(r, wait->number, &frame);
	return true;
}

static void wait_add(struct host_remote *r, const struct remote_wait *wait)
{
	for (uint32_t i = 0; i < REMOTE_WAITS; i++)
		if (!r->waits[i].number) {
			r->waits[i] = *wait;
			return;
		}
	remote_kill(r, REMOTE_FORGED);
}

void remote_asked(struct host_remote *r, const struct host_frame *asked)
{
	const struct remote_wait wait = {asked->call, asked->values[0], (uint32_t)asked->values[1], (uint32_t)asked->values[2]};
	struct host_frame frame = {.error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};
	uint32_t device = 0, count = 0;

	if (!wait.number || !r->host || asked->operation < HOST_OPERATION_notify_place || asked->operation > HOST_OPERATION_notify_take) {
		remote_kill(r, REMOTE_FORGED);
		return;
	}
	if (asked->operation == HOST_OPERATION_notify_take) {
		if (!take(r, &wait))
			wait_add(r, &wait);
		return;
	}
	if (!run_hold(r, wait.token, true))
		return; /* it is over */
	if (asked->operation == HOST_OPERATION_notify_place)
		frame.status = table_of(r)->place(r->host->context, wait.token, &device, &count, &frame.error);
	else
		frame.status = table_of(r)->send(r->host->context, wait.token, wait.device, wait.notification, asked->values[3], &frame.error);
	run_hold(r, wait.token, false);
	frame.values[0] = device;
	frame.values[1] = count;
	answer(r, wait.number, &frame);
}

/* Cleared first: what moves while this looks is looked for in the next turn. */
void remote_waits_look(struct host_remote *r)
{
	if (!atomic_exchange(&r->attention, 0))
		return;
	if (atomic_load(&r->dead)) {
		atomic_store(&r->attention, 1);
		return;
	}
	for (uint32_t i = 0; i < REMOTE_WAITS; i++)
		if (r->waits[i].number && take(r, &r->waits[i]))
			r->waits[i].number = 0;
}

/* ---- a reader ----------------------------------------------------------------------------------------------------- */

static void group_moved(void *context)
{
	struct host_remote *r = context;

	atomic_store(&r->attention, 1);
	host_ring_wake(&r->shared->up);
}

/* Others wait for what this worker says, and whoever waits for its run may wait for another one first. */
static void *listen(void *context)
{
	struct host_remote *r = context;

	pthread_mutex_lock(&r->lock);
	while (!r->reaped) {
		if (r->joined)
			remote_turn(r, UINT64_MAX);
		else
			pthread_cond_wait(&r->turned, &r->lock);
		pthread_mutex_unlock(&r->lock);
		remote_runs_early(r);
		pthread_mutex_lock(&r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

ptowsp_status remote_joined_begin(struct host_remote *r, uint64_t token, struct ptowsp_error *error)
{
	uint32_t member;
	struct host_group *group = host_runs_group(&r->services->runs, token, &member);
	bool starts;

	pthread_mutex_lock(&r->lock);
	starts = !r->listens;
	r->listens = r->listens || !remote_thread(&r->listener, listen, r);
	starts = starts && !r->listens;
	pthread_mutex_unlock(&r->lock);
	if (starts)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no thread to hear what its devices tell others", r->name);
	host_group_watch(group, member, group_moved, r);
	return PTOWSP_OK;
}

void remote_joined_end(struct host_remote *r)
{
	if (r->listens)
		pthread_join(r->listener, NULL);
}
