/* SPDX-License-Identifier: MIT */
/* remote_runs.c - programs and their runs: sections go to the worker in a sealed file, the end of a run is told once. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/remote_own.h"

enum { ALIGNMENT = 64 };

struct remote_program *remote_program_find(struct host_remote *r, const struct ptowsp_object *object)
{
	struct remote_program *p = r->programs;

	while (p && p->object != object)
		p = p->next;
	return p;
}

/* ---- sections ------------------------------------------------------------------------------------------------ */

static bool all_written(int fd, const unsigned char *bytes, uint64_t size, uint64_t at)
{
	while (size) {
		const ssize_t n = pwrite(fd, bytes, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (uint64_t)n;
		at += (uint64_t)n;
	}
	return true;
}

static const struct ptowsp_section *section_at(const struct ptowsp_load_args *args, uint32_t i)
{
	return (const struct ptowsp_section *)(const void *)((const char *)args->sections + (size_t)i * args->section_stride);
}

/* Copies of the rows with offsets into the file where their data was. *size_out: of the file, at least 1. */
static struct ptowsp_section *places_make(const struct ptowsp_load_args *args, uint64_t *size_out)
{
	struct ptowsp_section *rows = calloc(args->section_count + 1u, sizeof(*rows));
	uint64_t at = 0;

	for (uint32_t i = 0; rows && i < args->section_count; i++) {
		rows[i] = *section_at(args, i);
		rows[i].data = (const void *)(uintptr_t)at;
		at += (rows[i].count * rows[i].stride + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	}
	*size_out = at + ALIGNMENT;
	return rows;
}

static int sections_file(const struct ptowsp_load_args *args, const struct ptowsp_section *places, uint64_t size)
{
	const int fd = host_memory_file("ptowsp sections", size);
	bool good = fd >= 0;

	for (uint32_t i = 0; good && i < args->section_count; i++)
		good = all_written(fd, section_at(args, i)->data, places[i].count * places[i].stride, (uintptr_t)places[i].data);
	if (good && host_memory_file_seal(fd, true))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

ptowsp_status remote_load_args(struct host_remote *r, struct host_wire *request, uint32_t value, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct ptowsp_load_args copy = *args;
	uint64_t size, place;
	struct ptowsp_section *places = places_make(args, &size);
	const int fd = places ? sections_file(args, places, size) : -1;
	bool sent = false;

	if (fd >= 0) {
		copy.sections = places;
		copy.section_stride = sizeof(*places);
		place = host_wire_struct(request, HOST_STRUCT_load_args, &copy);
		pthread_mutex_lock(&r->down_lock[0]);
		sent = remote_send_file(r, HOST_FILE_SECTIONS, ++r->section_number, size, fd);
		if (!request->failed) {
			REMOTE_VALUE(request, value) = place;
			REMOTE_VALUE(request, value + 1) = r->section_number;
			REMOTE_VALUE(request, value + 2) = size;
		}
		pthread_mutex_unlock(&r->down_lock[0]);
		close(fd);
	}
	free(places);
	if (fd < 0)
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory for a sealed copy of the package's sections", r->name);
	if (!sent && !atomic_load(&r->dead))
		return host_fail(error, PTOWSP_NO_MEMORY, "%s: the package's sections could not be handed to its worker", r->name);
	return PTOWSP_OK; /* who is dead says so when it is asked */
}

/* Which tensors no run writes: they need not be copied back. */
static void kept_fill(struct remote_program *p, const struct ptowsp_load_args *args)
{
	for (uint32_t i = 0; i < args->section_count; i++) {
		const struct ptowsp_section *s = section_at(args, i);

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

ptowsp_status host_remote_load(struct host_remote *r, struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out,
			       struct ptowsp_error *error)
{
	struct remote_program *p = calloc(1, sizeof(*p));
	struct host_wire request = {0};
	struct remote_call call = {0};
	struct host_unwire wire = {0};
	ptowsp_status st = p ? PTOWSP_OK : host_fail(error, PTOWSP_NO_MEMORY, "no memory for a program of %s", r->name);

	remote_frame(&request, HOST_FRAME_LOAD);
	if (!st && !request.failed) {
		REMOTE_VALUE(&request, 0) = (uintptr_t)device;
		st = remote_load_args(r, &request, 1, args, error);
	}
	if (!st)
		st = remote_ask(r, 0, &request, &call, &wire, error);
	if (!st) {
		*program_out = p->object = (struct ptowsp_object *)(uintptr_t)((struct host_frame *)(void *)wire.bytes)->values[0];
		kept_fill(p, args);
		pthread_mutex_lock(&r->lock);
		p->next = r->programs;
		r->programs = p;
		pthread_mutex_unlock(&r->lock);
	} else {
		free(p);
	}
	free(wire.bytes);
	host_wire_finish(&request);
	return st;
}

ptowsp_status host_remote_unload(struct host_remote *r, struct ptowsp_object *program, struct ptowsp_error *error)
{
	struct remote_program *gone = NULL;
	struct host_wire request = {0};
	ptowsp_status st;

	remote_frame(&request, HOST_FRAME_UNLOAD);
	if (!request.failed)
		REMOTE_VALUE(&request, 0) = (uintptr_t)program;
	st = remote_tell(r, 0, &request, 0, error);
	pthread_mutex_lock(&r->lock);
	for (struct remote_program **at = &r->programs; *at; at = &(*at)->next)
		if ((*at)->object == program) {
			gone = *at;
			*at = gone->next;
			break;
		}
	pthread_mutex_unlock(&r->lock);
	if (gone)
		free(gone->kept);
	free(gone);
	return st;
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
		}
	if (run->kill_ns)
		remote_alarm(r, run->kill_ns);
	pthread_mutex_unlock(&r->lock);
	return added;
}

static bool run_take(struct host_remote *r, uint64_t token, struct remote_run *run_out)
{
	bool found = false;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < HOST_RUNS_IN_FLIGHT && !found; i++)
		if (r->runs[i].used && r->runs[i].token == token) {
			*run_out = r->runs[i];
			r->runs[i] = (struct remote_run){0};
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

/* Buffers that went away since: told in front of what comes next. */
static void gone_send(struct host_remote *r)
{
	uint32_t *gone, count;

	pthread_mutex_lock(&r->lock);
	gone = r->gone;
	count = r->gone_count;
	r->gone = NULL;
	r->gone_count = r->gone_room = 0;
	pthread_mutex_unlock(&r->lock);
	for (uint32_t i = 0; i < count; i++) {
		struct host_frame frame = {.operation = HOST_FRAME_FORGET, .values = {gone[i]}};

		pthread_mutex_lock(&r->down_lock[0]);
		host_ring_write(&r->down[0], 0, &frame, sizeof(frame), &r->dead);
		pthread_mutex_unlock(&r->down_lock[0]);
	}
	free(gone);
}

ptowsp_status host_remote_submit(struct host_remote *r, struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct remote_run run = {.token = args->token, .kill_ns = args->deadline_ns ? args->deadline_ns + HOST_REMOTE_GRACE_NS : 0};
	struct host_wire request = {0};
	ptowsp_status st;

	gone_send(r);
	remote_frame(&request, HOST_FRAME_SUBMIT);
	if (!request.failed)
		REMOTE_VALUE(&request, 0) = (uintptr_t)device;
	st = remote_run_args(r, &request, 1, args, &run, error);
	if (!st && !run_add(r, &run))
		st = host_fail(error, PTOWSP_AGAIN, "%s has as many runs in flight as there may be", r->name);
	if (st) {
		remote_run_finish(r, &run);
		host_wire_finish(&request);
		return st;
	}
	st = remote_tell(r, 0, &request, run.kill_ns, error);
	if (st && run_take(r, args->token, &run))
		remote_run_finish(r, &run);
	else if (st)
		st = PTOWSP_OK; /* the end of the worker has completed it already */
	else
		run_submitted(r, args->token);
	return st;
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
	r->dones++;
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
