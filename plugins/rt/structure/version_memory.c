/* SPDX-License-Identifier: MIT */
#include "rt/structure/version_memory.h"

#include "registry/common/common_grow.h"
#include "rt/access/mirror.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
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

void rt_store_drop(struct rt_store *store, uint32_t size, char *block)
{
	rt_mirror_arena(store->mirror, block, 0);
	free(block);
	store->held -= store->sizes[size].bytes;
}

static char *free_pop(struct rt_store *store, uint32_t size)
{
	char *block = store->sizes[size].free;

	if (block)
		memcpy(&store->sizes[size].free, block, sizeof(store->sizes[size].free));
	return block;
}

/* Frees unused blocks. */
static void free_drop(struct rt_store *store)
{
	char *block;

	for (uint32_t i = 0; i < store->size_count; i++)
		while ((block = free_pop(store, i)))
			rt_store_drop(store, i, block);
}

void rt_store_finish(struct rt_store *store)
{
	rt_store_settle(store, UINT64_MAX);
	free_drop(store);
	free(store->leaving);
	free(store->sizes);
	memset(store, 0, sizeof(*store));
}

static bool fits(const struct rt_store *store, uint64_t bytes)
{
	return !store->capacity || (store->held <= store->capacity && bytes <= store->capacity - store->held);
}

char *rt_store_take(struct rt_store *store, uint32_t size, bool *failed_out)
{
	uint64_t bytes = store->sizes[size].bytes;
	char *block = free_pop(store, size);

	*failed_out = false;
	if (block)
		return block;
	if (!fits(store, bytes))
		free_drop(store);
	if (!fits(store, bytes))
		return NULL;
	block = bytes > SIZE_MAX ? NULL : aligned_alloc(ALIGNMENT, (size_t)bytes);
	*failed_out = !block;
	if (!block)
		return NULL;
	store->held += bytes;
	rt_mirror_arena(store->mirror, block, bytes);
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

/* ---- windows into them ------------------------------------------------------------------------------------------- */

/* Tasks before it have really ended. A graph that is built first has not begun. */
static uint64_t ended(const struct rt_run *run)
{
	if (run->program->planned)
		return run->engine && run->engine->ended ? run->engine->ended(run->engine->device) : run->phased;
	return run->record ? 0 : run->crew.sharing ? run->crew.ring.frontier : run->tasks;
}

/* Structure has seen that the bytes of all that is in use leave room. */
static ptowsp_status block_take(struct rt_run *run, struct rt_version *version)
{
	struct rt_store *store = &run->versions.store;
	uint32_t size = rt_version_tensor(version);
	ptowsp_status status = PTOWSP_OK;
	bool failed;

	rt_store_settle(store, ended(run));
	version->block = rt_store_take(store, size, &failed);
	if (!version->block && !failed) { /* tasks that have not really ended hold it */
		run->reason = PTOWSP_RESOURCE_HEAP;
		status = rt_wait_tasks(run, run->tasks);
		if (status)
			return status;
		rt_store_settle(store, run->tasks);
		version->block = rt_store_take(store, size, &failed);
	}
	return version->block ? PTOWSP_OK : rt_no_memory(run->error, "versions of temp tensors; state less with --schedule heap=BYTES");
}

/* A key shows the tensor itself again: the barrier orders its tasks behind earlier ones. */
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

void rt_versions_clear(const struct rt_run *run, const struct rt_plan *plan)
{
	for (uint32_t i = 0; i < plan->io_count; i++)
		rt_window_clear(run->program->kernels.mirror, plan->accesses[i].io, &run->tensors, plan->accesses[i].length, &plan->windows[i]);
}
