/* SPDX-License-Identifier: MIT */
/* handles.c - a few objects, looked for one by one. */
#include "host/call/handles.h"
#include "registry/common/common_grow.h"

#include <stdlib.h>

void host_handles_init(struct host_handles *h)
{
	*h = (struct host_handles){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void host_handles_finish(struct host_handles *h)
{
	free(h->rows);
	pthread_mutex_destroy(&h->lock);
}

/* With the lock held. */
static struct host_handle_row *row_of(struct host_handles *h, uint32_t sort, uint64_t id)
{
	for (uint32_t i = h->count; i-- > 0;)
		if (h->rows[i].sort == sort && h->rows[i].id == id)
			return &h->rows[i];
	return NULL;
}

/* The row, in the lock, which the caller gives back. */
static struct host_handle_row *row_lock(struct host_handles *h, uint32_t sort, uint64_t id)
{
	pthread_mutex_lock(&h->lock);
	return row_of(h, sort, id);
}

bool host_handles_add(struct host_handles *h, uint32_t sort, uint64_t id, uint64_t parent)
{
	bool fresh;

	pthread_mutex_lock(&h->lock);
	fresh = !row_of(h, sort, id);
	if (fresh && COMMON_GROW(h->rows, h->room, h->count))
		h->rows[h->count++] = (struct host_handle_row){.id = id, .parent = parent, .sort = sort, .thread = pthread_self()};
	pthread_mutex_unlock(&h->lock);
	return fresh;
}

bool host_handles_take(struct host_handles *h, uint32_t sort, uint64_t id, struct host_handle_row *row_out)
{
	struct host_handle_row *row = row_lock(h, sort, id);

	if (row && row_out)
		*row_out = *row;
	if (row)
		*row = h->rows[--h->count];
	pthread_mutex_unlock(&h->lock);
	return row != NULL;
}

bool host_handles_find(struct host_handles *h, uint32_t sort, uint64_t id, struct host_handle_row *row_out)
{
	struct host_handle_row *row = row_lock(h, sort, id);

	if (row && row_out)
		*row_out = *row;
	pthread_mutex_unlock(&h->lock);
	return row != NULL;
}

bool host_handles_take_run(struct host_handles *h, uint64_t device, struct host_handle_row *row_out)
{
	bool found = false;

	pthread_mutex_lock(&h->lock);
	for (uint32_t i = 0; i < h->count && !found; i++) {
		const struct host_handle_row *program = h->rows[i].sort == HOST_HANDLE_RUN ? row_of(h, HOST_HANDLE_PROGRAM, h->rows[i].parent) : NULL;

		found = program && program->parent == device;
		if (found) {
			*row_out = h->rows[i];
			h->rows[i] = h->rows[--h->count];
		}
	}
	pthread_mutex_unlock(&h->lock);
	return found;
}

void host_handles_deadline(struct host_handles *h, uint64_t token, uint64_t deadline_ns)
{
	struct host_handle_row *row = row_lock(h, HOST_HANDLE_RUN, token);

	if (row)
		row->deadline_ns = deadline_ns;
	pthread_mutex_unlock(&h->lock);
}

bool host_handles_late(struct host_handles *h, uint64_t then_ns, struct host_handle_row *row_out)
{
	bool found = false;

	pthread_mutex_lock(&h->lock);
	for (uint32_t i = 0; i < h->count && !found; i++) {
		found = h->rows[i].deadline_ns && h->rows[i].deadline_ns < then_ns;
		if (found) {
			*row_out = h->rows[i];
			h->rows[i].deadline_ns = 0;
		}
	}
	pthread_mutex_unlock(&h->lock);
	return found;
}

uint32_t host_handles_children(struct host_handles *h, uint32_t sort, uint64_t parent)
{
	uint32_t count = 0;

	pthread_mutex_lock(&h->lock);
	for (uint32_t i = 0; i < h->count; i++)
		count += h->rows[i].sort == sort && (!parent || h->rows[i].parent == parent);
	pthread_mutex_unlock(&h->lock);
	return count;
}

bool host_handles_enter(struct host_handles *h, uint32_t sort, uint64_t id)
{
	struct host_handle_row *row = row_lock(h, sort, id);
	bool first;

	first = !row || !row->busy;
	if (row) {
		row->busy++;
		row->thread = pthread_self();
	}
	pthread_mutex_unlock(&h->lock);
	return first;
}

void host_handles_leave(struct host_handles *h, uint32_t sort, uint64_t id)
{
	struct host_handle_row *row = row_lock(h, sort, id);

	if (row && row->busy)
		row->busy--;
	pthread_mutex_unlock(&h->lock);
}
