/* SPDX-License-Identifier: MIT */
/* version_memory.c - where versions lie, and the windows of tasks into them. */
#include <stdlib.h>
#include "rt/error.h"
#include "rt/run.h"

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
		live[i]->block = rt_store_place(&versions->store, rt_version_tensor(live[i]), live[i]->block);
	free(live);
	return true;
}

/* Structure has seen that the bytes of all that is in use leave room. */
static ptowsp_status block_take(struct rt_run *run, struct rt_version *version)
{
	struct rt_versions *versions = &run->versions;
	struct rt_store *store = &versions->store;
	uint32_t size = rt_version_tensor(version);
	ptowsp_status st = PTOWSP_OK;
	bool failed;

	rt_store_settle(store, ended(run));
	version->block = rt_store_take(store, size, &failed);
	if (version->block || failed)
		return failed ? rt_fail(run->error, PTOWSP_NO_MEMORY, "no memory for the heap arena of %llu bytes; state less with --schedule heap=BYTES",
					(unsigned long long)store->capacity)
			      : PTOWSP_OK;
	run->reason = PTOWSP_RESOURCE_HEAP;
	st = rt_wait_tasks(run, run->tasks);
	if (st)
		return st;
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
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; !st && i < versions->making_count; i++)
		st = block_take(run, &versions->rows[rt_version_find(versions, versions->making[i].name)]);
	for (uint32_t i = 0; !st && i < site->io_count; i++)
		if (versions->renamed[accesses[i].io->tensor])
			window_place(run, &accesses[i]);
	return st;
}
