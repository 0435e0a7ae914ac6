/* SPDX-License-Identifier: MIT */
#include "rt/store.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"

#define ALIGNMENT 64u

bool rt_store_init(struct rt_store *store, uint32_t sizes, uint64_t capacity)
{
	memset(store, 0, sizeof(*store));
	store->capacity = capacity;
	store->size_count = sizes;
	store->sizes = calloc((size_t)sizes + 1, sizeof(*store->sizes));
	return store->sizes != NULL;
}

void rt_store_finish(struct rt_store *store)
{
	for (uint32_t i = 0; i < store->block_count; i++)
		free(store->blocks[i]);
	free(store->blocks);
	free(store->memory);
	free(store->leaving);
	free(store->sizes);
	memset(store, 0, sizeof(*store));
}

static char *block_own(struct rt_store *store, uint64_t bytes)
{
	char *block;

	if (bytes > SIZE_MAX || !rt_grow((void **)&store->blocks, &store->block_room, store->block_count, sizeof(*store->blocks)))
		return NULL;
	block = aligned_alloc(ALIGNMENT, (size_t)bytes);
	if (block)
		store->blocks[store->block_count++] = block;
	return block;
}

/* Sizes are multiples of the alignment, so nothing behind the last multiple would ever be used. */
static bool memory_make(struct rt_store *store)
{
	uint64_t bytes = store->capacity / ALIGNMENT * ALIGNMENT;

	if (!store->memory && bytes <= SIZE_MAX)
		store->memory = aligned_alloc(ALIGNMENT, (size_t)bytes);
	return store->memory != NULL;
}

char *rt_store_take(struct rt_store *store, uint32_t size, bool *failed_out)
{
	struct rt_store_size *own = &store->sizes[size];
	char *block = own->free;

	*failed_out = false;
	if (block) {
		memcpy(&own->free, block, sizeof(own->free));
		return block;
	}
	if (!store->capacity) {
		block = block_own(store, own->bytes);
		*failed_out = !block;
		return block;
	}
	if (!memory_make(store)) {
		*failed_out = true;
		return NULL;
	}
	if (own->bytes > store->capacity - store->top)
		return NULL;
	block = store->memory + store->top;
	store->top += own->bytes;
	return block;
}

static void block_free(struct rt_store *store, uint32_t size, char *block)
{
	memcpy(block, &store->sizes[size].free, sizeof(char *));
	store->sizes[size].free = block;
}

bool rt_store_return(struct rt_store *store, uint32_t size, char *block, uint64_t tasks)
{
	if (store->leaving_head && store->leaving_head >= store->leaving_count / 2) {
		store->leaving_count -= store->leaving_head;
		memmove(store->leaving, store->leaving + store->leaving_head, store->leaving_count * sizeof(*store->leaving));
		store->leaving_head = 0;
	}
	if (!rt_grow((void **)&store->leaving, &store->leaving_room, store->leaving_count, sizeof(*store->leaving)))
		return false;
	store->leaving[store->leaving_count++] = (struct rt_leaving){tasks, block, size};
	return true;
}

/* One that waits for a later task keeps those behind it for a while: they were given back later, so they do not wait for much less. */
void rt_store_settle(struct rt_store *store, uint64_t tasks)
{
	for (; store->leaving_head < store->leaving_count && store->leaving[store->leaving_head].tasks <= tasks; store->leaving_head++)
		block_free(store, store->leaving[store->leaving_head].size, store->leaving[store->leaving_head].block);
}

void rt_store_pack(struct rt_store *store)
{
	assert(store->capacity && store->leaving_head == store->leaving_count);
	for (uint32_t i = 0; i < store->size_count; i++)
		store->sizes[i].free = NULL;
	store->top = 0;
}

char *rt_store_place(struct rt_store *store, uint32_t size, const char *block)
{
	char *place = store->memory + store->top;

	assert(place <= block);
	memmove(place, block, (size_t)store->sizes[size].bytes);
	store->top += store->sizes[size].bytes;
	return place;
}
