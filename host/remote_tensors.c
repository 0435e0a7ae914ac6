/* SPDX-License-Identifier: MIT */
/* remote_tensors.c - tensors of a run in memory that the worker maps, too: shared buffers, and places there for memory that is none. */
#include <stdlib.h>
#include <string.h>

#include "host/remote_own.h"
#include "registry/names.h"

enum { OFFSET_BITS = 40 };

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
		const uint64_t place = host_wire_struct(request, HOST_STRUCT_run_args, &copy);

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
