/* SPDX-License-Identifier: MIT */
/* remote_runs.c - programs and their runs: the end of a run is told once. */
#include <stdlib.h>
#include <string.h>

#include "host/worker/remote_own.h"

struct remote_program *remote_program_find(struct host_remote *r, const struct ptowsp_object *object)
{
	struct remote_program *p = r->programs;

	while (p && p->object != object)
		p = p->next;
	return p;
}

/* ---- programs ------------------------------------------------------------------------------------------------- */

/* Tensors that no run writes need not be copied back. */
static void kept_fill(struct remote_program *p, const struct ptowsp_load_args *args)
{
	for (uint32_t i = 0; i < args->section_count; i++) {
		const struct ptowsp_section *s = (const void *)((const char *)args->sections + (size_t)i * args->section_stride);

		if (s->type != PTOWSP_SECTION_TENS || p->kept || s->stride < sizeof(struct ptowsp_tensor_record) || s->count > UINT32_MAX)
			continue;
		p->kept = calloc(s->count + 1, 1);
		p->tensor_count = p->kept ? (uint32_t)s->count : 0;
		for (uint32_t t = 0; t < p->tensor_count; t++) {
			const struct ptowsp_tensor_record *row = (const void *)((const char *)s->data + (size_t)t * s->stride);

			p->kept[t] = row->role == PTOWSP_ROLE_IN || row->role == PTOWSP_ROLE_CONST;
		}
	}
}

void remote_program_load(struct host_remote *r, struct host_call *call)
{
	struct remote_program *p = calloc(1, sizeof(*p));
	struct remote_crossing crossing = {0};

	if (!p) {
		call->status = host_fail(call->error, PTOWSP_NO_MEMORY, "no memory for a program of %s", r->name);
		return;
	}
	remote_cross(r, call, &crossing);
	if (call->status) {
		free(p);
		return;
	}
	p->object = *(struct ptowsp_object *const *)call->values[2].data;
	p->section_bytes = crossing.shared;
	kept_fill(p, call->values[1].data);
	pthread_mutex_lock(&r->lock);
	p->next = r->programs;
	r->programs = p;
	pthread_mutex_unlock(&r->lock);
}

void remote_program_unload(struct host_remote *r, struct host_call *call)
{
	struct remote_crossing crossing = {0};
	struct remote_program *gone = NULL;

	remote_cross(r, call, &crossing);
	pthread_mutex_lock(&r->lock);
	for (struct remote_program **at = &r->programs; *at; at = &(*at)->next)
		if ((*at)->object == call->values[0].data) {
			gone = *at;
			*at = gone->next;
			break;
		}
	pthread_mutex_unlock(&r->lock);
	if (gone) {
		remote_shared_take(r, gone->section_bytes);
		free(gone->kept);
	}
	free(gone);
}

/* ---- runs ----------------------------------------------------------------------------------------------------- */

static bool run_add(struct host_remote *r, const struct remote_run *run)
{
	bool added = false;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && !added; i++)
		if (!r->runs[i].used) {
			r->runs[i] = *run;
			r->runs[i].used = added = true;
			r->joined += run->joined;
		}
	remote_alarm(r, run->kill_ns ? run->kill_ns : UINT64_MAX);
	pthread_mutex_unlock(&r->lock);
	return added;
}

static bool run_take(struct host_remote *r, uint64_t token, struct remote_run *run_out)
{
	bool found = false;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && !found; i++)
		if (r->runs[i].used && r->runs[i].token == token) {
			while (r->runs[i].asking)
				pthread_cond_wait(&r->turned, &r->lock);
			*run_out = r->runs[i];
			r->runs[i] = (struct remote_run){0};
			r->joined -= run_out->joined;
			if (run_out->joined)
				atomic_store(&r->attention, 1); /* it waits for nothing any more */
			found = true;
		}
	pthread_mutex_unlock(&r->lock);
	return found;
}

static struct remote_run *run_find(struct host_remote *r, uint64_t token)
{
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT; i++)
		if (r->runs[i].used && r->runs[i].token == token)
			return &r->runs[i];
	return NULL;
}

static void run_submitted(struct host_remote *r, uint64_t token)
{
	struct remote_run *run;

	pthread_mutex_lock(&r->lock);
	run = run_find(r, token);
	if (run)
		run->submitted = true;
	pthread_mutex_unlock(&r->lock);
}

bool remote_run_keep(struct host_remote *r, const struct ptowsp_done *done, unsigned char *message)
{
	struct remote_early *row = malloc(sizeof(*row)), **at = &r->early;
	const struct remote_run *run;
	bool kept;

	pthread_mutex_lock(&r->lock);
	run = run_find(r, done->token);
	kept = row && run && !run->submitted;
	if (kept) {
		*row = (struct remote_early){message, done, NULL};
		while (*at)
			at = &(*at)->next;
		*at = row;
	}
	pthread_mutex_unlock(&r->lock);
	if (!kept)
		free(row);
	return kept;
}

/* Buffers that went away since: told in front of what comes next, whose answer says that the worker has given them back. Their bytes. */
static uint64_t gone_send(struct host_remote *r, uint64_t until_ns)
{
	struct remote_sent *gone;
	uint64_t bytes = 0;
	uint32_t count;

	pthread_mutex_lock(&r->lock);
	gone = r->gone;
	count = r->gone_count;
	r->gone = NULL;
	r->gone_count = r->gone_room = 0;
	pthread_mutex_unlock(&r->lock);
	for (uint32_t i = 0; i < count && !remote_ending(r); i++) {
		const struct host_frame frame = {.operation = HOST_FRAME_FORGET, .values = {gone[i].number}};

		remote_send(r, 0, &frame, sizeof(frame), until_ns);
		bytes += gone[i].size;
	}
	free(gone);
	return bytes;
}

/* In the list before the worker can say that it is done. */
static ptowsp_status run_begin(struct host_remote *r, struct remote_crossing *c)
{
	if (!run_add(r, &c->run))
		return host_fail(c->error, PTOWSP_AGAIN, "%s has as many runs in flight as there may be", r->name);
	c->run = (struct remote_run){0};
	c->begun = true;
	return PTOWSP_OK;
}

void remote_run_submit(struct host_remote *r, struct host_call *call)
{
	const struct ptowsp_run_args *args = call->values[1].data;
	const uint64_t now = host_now_ns(), kill_ns = args->deadline_ns ? (args->deadline_ns > now ? args->deadline_ns : now) + HOST_REMOTE_GRACE_NS : 0;
	struct remote_crossing c = {.kill_ns = kill_ns, .run = {.token = args->token, .kill_ns = kill_ns}, .ready = run_begin};
	uint64_t gone;

	c.run.joined = remote_is_joined(r, args->token);
	if (c.run.joined && (call->status = remote_joined_begin(r, args->token, call->error)))
		return;
	c.kill_ns = remote_until_ns(r, HOST_OPERATION_submit, c.kill_ns);
	gone = gone_send(r, c.kill_ns);
	remote_cross(r, call, &c);
	remote_shared_take(r, gone);
	if (call->status && c.begun && !run_take(r, args->token, &c.run))
		call->status = PTOWSP_OK; /* the end of the worker has completed it already */
	else if (!call->status)
		run_submitted(r, args->token);
	remote_run_finish(r, &c.run);
}

static void run_end(struct host_remote *r, const struct ptowsp_done *done, bool copies)
{
	struct remote_run run;

	if (run_take(r, done->token, &run)) {
		for (uint32_t i = 0; copies && i < run.stage_count; i++)
			if (run.stages[i].back) {
				memcpy(run.stages[i].theirs, run.stages[i].ours, run.stages[i].size);
				atomic_fetch_add_explicit(&r->copied, run.stages[i].size, memory_order_relaxed);
			}
		remote_run_finish(r, &run);
	}
	if (r->host)
		r->host->done(r->host->context, done);
	pthread_mutex_lock(&r->lock);
	r->completions++;
	pthread_cond_broadcast(&r->turned);
	pthread_mutex_unlock(&r->lock);
}

void remote_run_done(struct host_remote *r, const struct ptowsp_done *done)
{
	run_end(r, done, true);
}

/* With the lock held: the first of a run whose submit has returned, or that is over. */
static struct remote_early *early_take(struct host_remote *r)
{
	for (struct remote_early **at = &r->early; *at; at = &(*at)->next) {
		const struct remote_run *run = run_find(r, (*at)->done->token);
		struct remote_early *row = *at;

		if (run && !run->submitted)
			continue;
		*at = row->next;
		return row;
	}
	return NULL;
}

void remote_runs_early(struct host_remote *r)
{
	struct remote_early *row;

	do {
		pthread_mutex_lock(&r->lock);
		row = early_take(r);
		pthread_mutex_unlock(&r->lock);
		if (row) {
			remote_run_done(r, row->done);
			free(row->message);
			free(row);
		}
	} while (row);
}

void remote_runs_fail(struct host_remote *r)
{
	const struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR), .where = {UINT64_MAX, UINT64_MAX}};
	struct ptowsp_done done = {.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .stats = &stats, .error = &error};

	remote_runs_early(r);
	done.status = remote_dead(r, &error);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT; i++) {
		bool used;

		pthread_mutex_lock(&r->lock);
		used = r->runs[i].used;
		done.token = r->runs[i].token;
		pthread_mutex_unlock(&r->lock);
		if (used)
			run_end(r, &done, false);
	}
}
