/* SPDX-License-Identifier: MIT */
/* remote_runs.c - what a program and its runs take along to a worker: sections in a sealed file, tensors in shared buffers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/remote_own.h"
#include "registry/names.h"

enum { OFFSET_BITS = 40, ALIGNMENT = 64 };

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
		place = host_wire_struct(request, &host_wire_load_args, &copy);
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

/* ---- tensors ------------------------------------------------------------------------------------------------- */

/* Shared memory of at least that size that no run uses: the smallest there is, else new. */
static void *spare_take(struct host_remote *r, uint64_t size)
{
	struct remote_spare *best = NULL;

	pthread_mutex_lock(&r->lock);
	for (struct remote_spare *s = r->spares; s; s = s->next)
		if (!s->lent && s->size >= size && (!best || s->size < best->size))
			best = s;
	if (best)
		best->lent = true;
	pthread_mutex_unlock(&r->lock);
	if (best)
		return best->memory;
	best = calloc(1, sizeof(*best));
	if (best)
		*best = (struct remote_spare){.memory = host_buffer_take(size), .size = size, .lent = true};
	if (!best || !best->memory) {
		free(best);
		return NULL;
	}
	pthread_mutex_lock(&r->lock);
	best->next = r->spares;
	r->spares = best;
	pthread_mutex_unlock(&r->lock);
	return best->memory;
}

/* With the lock held. */
static void spare_give(struct host_remote *r, const void *memory)
{
	for (struct remote_spare *s = r->spares; s; s = s->next)
		if (s->memory == memory)
			s->lent = false;
}

static void stages_finish(struct host_remote *r, struct remote_stage *stages, uint32_t count)
{
	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < count; i++)
		spare_give(r, stages[i].ours);
	pthread_mutex_unlock(&r->lock);
	free(stages);
}

/* The worker learns of a buffer once, and forgets it with the request that follows its end. */
static bool buffer_send(struct host_remote *r, const struct host_buffer *buffer)
{
	bool known = false, grown = true;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < r->sent_count && !known; i++)
		known = r->sent[i] == buffer->number;
	if (!known && r->sent_count == r->sent_room) {
		const uint32_t room = r->sent_room ? r->sent_room * 2 : 16;
		uint32_t *more = realloc(r->sent, room * sizeof(*more));

		grown = more != NULL;
		r->sent = more ? more : r->sent;
		r->sent_room = more ? room : r->sent_room;
	}
	if (!known && grown)
		r->sent[r->sent_count++] = buffer->number;
	pthread_mutex_unlock(&r->lock);
	return known || (grown && remote_send_file(r, HOST_FILE_BUFFER, buffer->number, buffer->size, buffer->fd));
}

/* binding->data becomes its place. With down_lock[0]. */
static ptowsp_status place_make(struct host_remote *r, const struct remote_program *p, struct ptowsp_binding *binding, struct remote_run *run, struct ptowsp_error *error)
{
	const struct reg_dtype *dtype = reg_dtype(binding->dtype);
	const uint64_t size = binding->elements * (dtype ? dtype->bytes : 1);
	struct host_buffer buffer;
	void *data = binding->data;

	if (!data)
		return PTOWSP_OK;
	if (!host_buffer_find(data, size, &buffer)) {
		void *ours = spare_take(r, size);
		const bool kept = p && binding->tensor < p->tensor_count && p->kept[binding->tensor];

		if (!ours || !host_buffer_find(ours, size, &buffer))
			return host_fail(error, PTOWSP_NO_MEMORY, "no shared memory for tensor %u (%llu bytes); ptowsp_buffer_alloc gives memory that is not copied",
					 binding->tensor, (unsigned long long)size);
		memcpy(ours, data, size);
		atomic_fetch_add_explicit(&r->copied, size, memory_order_relaxed); /* a counter, orders nothing */
		run->stages[run->stage_count++] = (struct remote_stage){data, ours, size, !kept};
		data = ours;
	}
	if (buffer.number >> (64 - OFFSET_BITS) || !buffer_send(r, &buffer))
		return atomic_load(&r->dead) ? PTOWSP_OK : host_fail(error, PTOWSP_NO_MEMORY, "%s: a tensor's memory could not be handed to its worker", r->name);
	binding->data = (void *)(uintptr_t)((uint64_t)buffer.number << OFFSET_BITS | (uint64_t)((unsigned char *)data - buffer.bytes));
	return PTOWSP_OK;
}

static ptowsp_status bindings_make(struct host_remote *r, const struct ptowsp_run_args *args, struct ptowsp_binding *rows, struct remote_run *run, struct ptowsp_error *error)
{
	struct remote_program *found, p = {0};
	ptowsp_status st = PTOWSP_OK;

	pthread_mutex_lock(&r->lock);
	found = remote_program_find(r, args->program);
	if (found)
		p = *found;
	pthread_mutex_unlock(&r->lock);
	for (uint32_t i = 0; i < args->binding_count && !st; i++) {
		rows[i] = *(const struct ptowsp_binding *)(const void *)((const char *)args->bindings + (size_t)i * args->binding_stride);
		st = place_make(r, &p, &rows[i], run, error);
	}
	return st;
}

ptowsp_status remote_run_args(struct host_remote *r, struct host_wire *request, uint32_t value, const struct ptowsp_run_args *args, struct remote_run *run,
			      struct ptowsp_error *error)
{
	struct ptowsp_run_args copy = *args;
	struct ptowsp_binding *rows = calloc(args->binding_count + 1u, sizeof(*rows));
	ptowsp_status st;

	run->stages = calloc(args->binding_count + 1u, sizeof(*run->stages));
	if (!rows || !run->stages) {
		free(rows);
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory to hand a run to %s's worker", r->name);
	}
	pthread_mutex_lock(&r->down_lock[0]);
	st = bindings_make(r, args, rows, run, error);
	pthread_mutex_unlock(&r->down_lock[0]);
	copy.bindings = rows;
	copy.binding_stride = sizeof(*rows);
	if (!st) {
		const uint64_t place = host_wire_struct(request, &host_wire_run_args, &copy);

		if (!request->failed)
			REMOTE_VALUE(request, value) = place;
	}
	free(rows);
	return st;
}

void remote_run_finish(struct host_remote *r, struct remote_run *run)
{
	if (run->stages)
		stages_finish(r, run->stages, run->stage_count);
	*run = (struct remote_run){0};
}

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

static void buffer_gone(struct host_buffer_watch *watch, uint32_t number)
{
	struct host_remote *r = (struct host_remote *)(void *)((char *)watch - offsetof(struct host_remote, watch));

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < r->sent_count; i++) {
		if (r->sent[i] != number)
			continue;
		r->sent[i] = r->sent[--r->sent_count];
		if (r->gone_count == r->gone_room) {
			const uint32_t room = r->gone_room ? r->gone_room * 2 : 16;
			uint32_t *more = realloc(r->gone, room * sizeof(*more));

			r->gone = more ? more : r->gone;
			r->gone_room = more ? room : r->gone_room;
		}
		if (r->gone_count < r->gone_room) /* without memory the worker keeps it mapped, which does no harm */
			r->gone[r->gone_count++] = number;
		break;
	}
	pthread_mutex_unlock(&r->lock);
}

void remote_buffers_begin(struct host_remote *r)
{
	r->watch.gone = buffer_gone;
	host_buffer_watch(&r->watch);
}

void remote_buffers_finish(struct host_remote *r)
{
	struct remote_spare *s = r->spares;

	if (r->watch.gone)
		host_buffer_unwatch(&r->watch);
	while (s) {
		struct remote_spare *next = s->next;

		host_buffer_give(s->memory);
		free(s);
		s = next;
	}
	while (r->early) {
		struct remote_early *next = r->early->next;

		free(r->early->message);
		free(r->early);
		r->early = next;
	}
	free(r->sent);
	free(r->gone);
	while (r->programs) {
		struct remote_program *next = r->programs->next;

		free(r->programs->kept);
		free(r->programs);
		r->programs = next;
	}
}
