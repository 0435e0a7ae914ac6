/* SPDX-License-Identifier: MIT */
/* remote_tensors.c - tensors of a run in memory that the worker maps, too: shared buffers, and places there for memory that is none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/worker/remote_own.h"
#include "registry/common/common_grow.h"

enum { OFFSET_BITS = 40, UNREAD = 64 /* files that may wait on the socket, which has room for a few hundred of all requests */ };

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

/* A request that names more buffers than the socket has room for would never be written: the worker takes them off as they come. */
static bool file_send(struct host_remote *r, const struct host_buffer *buffer, uint64_t until_ns)
{
	const struct host_frame frame = {.operation = HOST_FRAME_FILES, .values = {buffer->number}};
	const struct host_frame_file file = {HOST_FILE_BUFFER, buffer->number, buffer->size};

	if (!remote_send_file_held(r, &file, buffer->fd, until_ns))
		return false;
	if (++r->unread < UNREAD)
		return true;
	r->unread = 0;
	return remote_send_held(r, 0, &frame, sizeof(frame), until_ns);
}

/* The worker learns of a buffer once, and forgets it with the request that follows its end. */
static bool buffer_send(struct host_remote *r, const struct host_buffer *buffer, uint64_t until_ns)
{
	bool known = false, grown = true;

	pthread_mutex_lock(&r->lock);
	for (uint32_t i = 0; i < r->sent_count && !known; i++)
		known = r->sent[i].number == buffer->number;
	if (!known)
		grown = COMMON_GROW(r->sent, r->sent_room, r->sent_count);
	if (!known && grown) {
		r->sent[r->sent_count++] = (struct remote_sent){buffer->number, buffer->size};
		r->shared_bytes += buffer->size;
	}
	pthread_mutex_unlock(&r->lock);
	return known || (grown && file_send(r, buffer, until_ns));
}

/* Whether runs of the program leave that tensor as it is. */
static bool is_kept(struct host_remote *r, const struct host_away *away, const struct ptowsp_object *program)
{
	const uint32_t tensor = away->id == HOST_STRUCT_binding ? ((const struct ptowsp_binding *)away->at)->tensor : UINT32_MAX;
	const struct remote_program *p;
	bool kept;

	pthread_mutex_lock(&r->lock);
	p = remote_program_find(r, program);
	kept = p && tensor < p->tensor_count && p->kept[tensor];
	pthread_mutex_unlock(&r->lock);
	return kept;
}

/* Shared memory with a copy. NULL: no memory. */
static void *stage_make(struct remote_crossing *c, const struct host_away *away, const struct ptowsp_object *program)
{
	struct remote_run *run = &c->run;
	void *ours = COMMON_RESIZE(run->stages, run->stage_count + 1u) ? spare_take(c->remote, away->size) : NULL;

	if (!ours)
		return NULL;
	memcpy(ours, away->memory, away->size);
	atomic_fetch_add_explicit(&c->remote->copied, away->size, memory_order_relaxed); /* a counter, orders nothing */
	run->stages[run->stage_count++] = (struct remote_stage){away->memory, ours, away->size, !is_kept(c->remote, away, program)};
	return ours;
}

bool remote_elements_put(struct remote_crossing *c, const struct host_away *away, const struct ptowsp_object *program, uint64_t *place_out)
{
	struct host_remote *r = c->remote;
	unsigned char *memory = away->memory;
	struct host_buffer buffer;
	bool sent = false;

	if (!host_buffer_find(memory, away->size, &buffer)) {
		if (c->run.joined && !is_kept(r, away, program)) {
			c->status = host_fail(c->error, PTOWSP_UNSUPPORTED,
					      "a tensor of %llu bytes lies in memory that is not shared, and each device of the run would have a copy of it; "
					      "ptowsp_buffer_alloc gives memory that isolated plugins share",
					      (unsigned long long)away->size);
			return false;
		}
		memory = stage_make(c, away, program);
		if (!memory || !host_buffer_find(memory, away->size, &buffer)) {
			c->status = host_fail(c->error, PTOWSP_NO_MEMORY,
					      "no shared memory for a tensor of %llu bytes (%s); each takes a descriptor of this process",
					      (unsigned long long)away->size, strerror(errno));
			return false;
		}
	}
	if (remote_down_begin(r, 0, c->kill_ns)) {
		sent = !(buffer.number >> (64 - OFFSET_BITS)) && buffer_send(r, &buffer, c->kill_ns);
		remote_down_end(r, 0);
	}
	if (!sent && !remote_ending(r)) { /* a dead worker says so when asked */
		c->status = host_fail(c->error, PTOWSP_NO_MEMORY, "%s: a tensor's memory could not be handed to its worker", r->name);
		return false;
	}
	*place_out = (uint64_t)buffer.number << OFFSET_BITS | (uint64_t)(memory - buffer.bytes);
	return true;
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
		const struct remote_sent gone = r->sent[i];

		if (gone.number != number)
			continue;
		r->sent[i] = r->sent[--r->sent_count];
		if (COMMON_GROW(r->gone, r->gone_room, r->gone_count)) /* without memory the worker keeps it mapped, which does no harm */
			r->gone[r->gone_count++] = gone;
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
