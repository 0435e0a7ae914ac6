/* SPDX-License-Identifier: MIT */
#include "rt/structure/version_memory.h"

#include "registry/common/common_grow.h"
#include "rt/access/mirror.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the bytes --------------------------------------------------------------------------------------------------- */

#define ALIGNMENT 64u

bool rt_store_init(struct rt_store *store, uint32_t sizes, uint64_t capacity, const struct rt_mirror *mirror)
{
	memset(store, 0, sizeof(*store));
	store->capacity = capacity;
	store->mirror = mirror;
	store->size_count = sizes;
	store->sizes = calloc((size_t)sizes + 1, sizeof(*store->sizes));
	return store->sizes != NULL;
}

void rt_store_finish(struct rt_store *store)
{
	for (uint32_t i = 0; i < store->block_count; i++) {
		rt_mirror_arena(store->mirror, store->blocks[i], 0);
		free(store->blocks[i]);
	}
	if (store->memory)
		rt_mirror_arena(store->mirror, store->memory, 0);
	free(store->blocks);
	free(store->memory);
	free(store->leaving);
	free(store->sizes);
	memset(store, 0, sizeof(*store));
}

static char *block_own(struct rt_store *store, uint64_t bytes)
{
	char *block;

	if (bytes > SIZE_MAX || !COMMON_GROW(store->blocks, store->block_room, store->block_count))
		return NULL;
	block = aligned_alloc(ALIGNMENT, (size_t)bytes);
	if (!block)
		return NULL;
	store->blocks[store->block_count++] = block;
	rt_mirror_arena(store->mirror, block, bytes);
	return block;
}

/* Sizes are multiples of the alignment, so nothing behind the last multiple would ever be used. */
static bool memory_make(struct rt_store *store)
{
	uint64_t bytes = store->capacity / ALIGNMENT * ALIGNMENT;

	if (!store->memory && bytes <= SIZE_MAX) {
		store->memory = aligned_alloc(ALIGNMENT, (size_t)bytes);
		if (store->memory)
			rt_mirror_arena(store->mirror, store->memory, bytes);
	}
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
	if (!COMMON_GROW(store->leaving, store->leaving_room, store->leaving_count))
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

/* ---- windows into them ------------------------------------------------------------------------------------------- */

/* Tasks before it have really ended. A graph that is built first has not begun. */
static uint64_t ended(const struct rt_run *run)
{
	return run->record ? 0 : run->crew.sharing ? run->crew.ring.frontier : run->tasks;
}

static int block_compare(const void *a, const void *b)
{
	const struct rt_version *x = *(struct rt_version *const *)a, *y = *(struct rt_version *const *)b;

	return (x->block > y->block) - (x->block < y->block);
}

/* No task is running: versions may be moved. */
static bool pack(struct rt_versions *versions)
{
	struct rt_version **live = malloc(((size_t)versions->count + 1) * sizeof(*live));
	uint32_t count = 0;

	if (!live)
		return false;
	for (uint32_t i = 0; i < versions->count; i++)
		if (versions->rows[i].block)
			live[count++] = &versions->rows[i];
	qsort(live, count, sizeof(*live), block_compare);
	rt_store_pack(&versions->store);
	for (uint32_t i = 0; i < count; i++)
		rt_mirror_fetch(versions->store.mirror, live[i]->block, versions->store.sizes[rt_version_tensor(live[i])].bytes);
	for (uint32_t i = 0; i < count; i++) {
		live[i]->block = rt_store_place(&versions->store, rt_version_tensor(live[i]), live[i]->block);
		rt_mirror_push(versions->store.mirror, live[i]->block, versions->store.sizes[rt_version_tensor(live[i])].bytes);
	}
	free(live);
	return true;
}

/* Structure has seen that the bytes of all that is in use leave room. */
static ptowsp_status block_take(struct rt_run *run, struct rt_version *version)
{
	struct rt_versions *versions = &run->versions;
	struct rt_store *store = &versions->store;
	uint32_t size = rt_version_tensor(version);
	ptowsp_status status = PTOWSP_OK;
	bool failed;

	rt_store_settle(store, ended(run));
	version->block = rt_store_take(store, size, &failed);
	if (version->block || failed)
		return failed ? rt_fail(run->error, PTOWSP_NO_MEMORY, "no memory for the heap arena of %llu bytes; state less with --schedule heap=BYTES",
					(unsigned long long)store->capacity)
			      : PTOWSP_OK;
	run->reason = PTOWSP_RESOURCE_HEAP;
	status = rt_wait_tasks(run, run->tasks);
	if (status)
		return status;
	rt_store_settle(store, run->tasks);
	version->block = rt_store_take(store, size, &failed);
	if (!version->block && !pack(versions))
		return rt_no_memory(run->error, "the heap arena");
	if (!version->block)
		version->block = rt_store_take(store, size, &failed);
	return version->block ? PTOWSP_OK : rt_no_memory(run->error, "the heap arena");
}

/* Where a key shows the tensor itself again, tasks that used it before do not order those that do now. */
static void window_place(struct rt_run *run, struct rt_access *access)
{
	struct rt_versions *versions = &run->versions;
	uint32_t tensor = access->io->tensor, at = rt_version_find(versions, rt_version_name(access));

	access->length = 0;
	if (at == RT_NO_VERSION) {
		if (versions->ended[tensor] > run->barrier)
			run->barrier = versions->ended[tensor];
		return;
	}
	versions->rows[at].users = run->tasks + 1;
	access->length = (uint64_t)(uintptr_t)versions->rows[at].block;
	if (rt_versions_makes(run, tensor, access->start))
		access->length |= RT_WINDOW_FRESH;
}

ptowsp_status rt_versions_place(struct rt_run *run, const struct rt_site *site)
{
	struct rt_versions *versions = &run->versions;
	struct rt_access *accesses = run->plan ? run->plan->accesses : run->accesses;
	ptowsp_status status = PTOWSP_OK;

	rt_run_accesses(run);
	for (uint32_t i = 0; !status && i < versions->making_count; i++)
		status = block_take(run, &versions->rows[rt_version_find(versions, versions->making[i].name)]);
	for (uint32_t i = 0; !status && i < site->io_count; i++)
		if (versions->renamed[accesses[i].io->tensor])
			window_place(run, &accesses[i]);
	return status;
}
