/* SPDX-License-Identifier: MIT */
/* worker_notify.c - "ptowsp.notify/1" in a worker: a run's group is on the host's side. Each question has a number, and its answer comes on the ring for what may come at any time, so that it is heard
 * while the plugin's thread that asked waits in a poll. A run on one device is known to be one, and asks nothing. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/host_error.h"
#include "host/worker/worker.h"

#define SECOND UINT64_C(1000000000)

/* A question; one about a notification that was not there in time stays, and who asks the same again goes on waiting for it. */
struct question {
	uint64_t number, token;
	uint32_t device, notification;
	bool waited, answered; /* waited: by a thread right now */
	struct host_frame answer;
	struct question *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* taken in front of the ring's */
static pthread_cond_t answered;                          /* on the host's clock: see begin */
static struct question *questions;                       /* owned */
static uint64_t latest, joined[HOST_RUNS_IN_FLIGHT];     /* tokens of runs on several devices, by slot */

void worker_notify_begin(void)
{
	pthread_condattr_t monotonic;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&answered, &monotonic);
	pthread_condattr_destroy(&monotonic);
}

static uint64_t *joined_place(uint64_t token)
{
	return &joined[(uint32_t)token % HOST_RUNS_IN_FLIGHT];
}

void worker_notify_run(uint64_t token, bool is_joined)
{
	pthread_mutex_lock(&lock);
	*joined_place(token) = is_joined ? token : 0;
	pthread_mutex_unlock(&lock);
}

static bool is_joined(uint64_t token)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = *joined_place(token) == token;
	pthread_mutex_unlock(&lock);
	return is;
}

void worker_notify_done(uint64_t token)
{
	pthread_mutex_lock(&lock);
	if (*joined_place(token) == token)
		*joined_place(token) = 0;
	for (struct question **at = &questions; *at;) {
		struct question *q = *at;

		if (q->token != token || q->waited) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		free(q);
	}
	pthread_mutex_unlock(&lock);
}

void worker_notify_answer(const struct host_frame *frame)
{
	pthread_mutex_lock(&lock);
	for (struct question *q = questions; q; q = q->next)
		if (q->number == frame->call) {
			q->answer = *frame;
			q->answered = true;
			pthread_cond_broadcast(&answered);
		}
	pthread_mutex_unlock(&lock);
}

/* With the lock held. */
static struct question *question_find(const struct question *like)
{
	struct question *q = questions;

	while (q && (q->waited || q->token != like->token || q->device != like->device || q->notification != like->notification))
		q = q->next;
	return q;
}

/* With the lock held; sent before anybody else can be answered. NULL: no memory. */
static struct question *question_make(uint32_t operation, const struct question *like, uint64_t cycles)
{
	struct question *q = malloc(sizeof(*q));
	struct host_wire wire;
	struct host_frame *frame;

	if (!q)
		return NULL;
	*q = *like;
	q->number = ++latest;
	q->next = questions;
	questions = q;
	worker_frame(&wire, operation);
	frame = (struct host_frame *)(void *)wire.bytes;
	frame->call = q->number;
	frame->values[0] = q->token;
	frame->values[1] = q->device;
	frame->values[2] = q->notification;
	frame->values[3] = cycles;
	worker_send(HOST_UP_ASK, &wire);
	return q;
}

static void question_end(struct question *gone)
{
	for (struct question **at = &questions; *at; at = &(*at)->next)
		if (*at == gone) {
			*at = gone->next;
			break;
		}
	free(gone);
}

/* AGAIN at until_ns. answer_out: its values. */
static ptowsp_status ask(uint32_t operation, const struct question *like, uint64_t cycles, uint64_t until_ns, struct host_frame *answer_out,
			 struct ptowsp_error *error)
{
	const struct timespec until = {(time_t)(until_ns / SECOND), (long)(until_ns % SECOND)};
	struct question *q;
	int rc = 0;

	pthread_mutex_lock(&lock);
	q = operation == HOST_OPERATION_notify_take ? question_find(like) : NULL;
	q = q ? q : question_make(operation, like, cycles);
	if (!q) {
		pthread_mutex_unlock(&lock);
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for a notification");
	}
	q->waited = true;
	while (!q->answered && !rc)
		rc = until_ns < UINT64_MAX / 2 ? pthread_cond_timedwait(&answered, &lock, &until) : pthread_cond_wait(&answered, &lock);
	q->waited = false;
	*answer_out = (struct host_frame){.status = PTOWSP_AGAIN};
	if (q->answered) {
		*answer_out = q->answer;
		question_end(q);
	}
	pthread_mutex_unlock(&lock);
	if (answer_out->status && answer_out->status != PTOWSP_AGAIN)
		return host_fail(error, answer_out->status, "%s", answer_out->error.text);
	return answer_out->status;
}

static void place(struct host_call *call)
{
	const struct question like = {.token = call->values[1].number};
	struct host_frame answer = {.values = {0, 1}};

	call->status = is_joined(like.token) ? ask(HOST_OPERATION_notify_place, &like, 0, UINT64_MAX, &answer, call->error) : PTOWSP_OK;
	*(uint32_t *)call->values[2].pointer = (uint32_t)answer.values[0];
	*(uint32_t *)call->values[3].pointer = (uint32_t)answer.values[1];
}

static void take(struct host_call *call, const struct question *like)
{
	struct host_frame answer;

	call->status = ask(HOST_OPERATION_notify_take, like, 0, call->values[4].number, &answer, call->error);
	if (!call->status)
		*(uint64_t *)call->values[5].pointer = answer.values[0];
}

void worker_notify(struct host_call *call)
{
	const struct question like = {
		.token = call->values[1].number, .device = (uint32_t)call->values[2].number, .notification = (uint32_t)call->values[3].number};
	const enum host_operation_id id = (enum host_operation_id)(call->operation - host_operations);
	struct host_frame answer;

	if (id == HOST_OPERATION_notify_place)
		place(call);
	else if (!is_joined(like.token))
		call->status = host_fail(call->error, PTOWSP_INVALID, "this run has one device; give it more with --device=SEL,SEL");
	else if (id == HOST_OPERATION_notify_take)
		take(call, &like);
	else
		call->status = ask(HOST_OPERATION_notify_send, &like, call->values[4].number, UINT64_MAX, &answer, call->error);
}
