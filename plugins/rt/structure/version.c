/* SPDX-License-Identifier: MIT */
#include "rt/structure/version.h"

#include "registry/common/common_grow.h"
#include "registry/common/common_hash.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

enum { BUCKETS_FIRST = 64 };

/* ---- making and unmaking --------------------------------------------------------------------------------------- */

static bool buckets_make(struct rt_versions *versions, uint32_t count)
{
	uint32_t *buckets = malloc((size_t)count * sizeof(*buckets));

	if (!buckets)
		return false;
	memset(buckets, 0xFF, (size_t)count * sizeof(*buckets));
	free(versions->buckets);
	versions->buckets = buckets;
	versions->mask = count - 1;
	return true;
}

static uint64_t bytes_of(const struct rt_run *run, uint32_t tensor)
{
	const struct rt_renaming *renaming = &run->program->renamings[tensor];

	return ((uint64_t)renaming->rows * renaming->columns * run->tensors.rows[tensor].size + 63) / 64 * 64;
}

/* Names have a place for so many elements; a larger tensor is an ordinary one in this run. */
static void renamed_find(struct rt_run *run)
{
	for (uint32_t t = 0; t < run->program->tables.tensor.count; t++) {
		bool renamed = run->program->renamings[t].renamed, fits = run->tensors.rows[t].elements >> RT_PLACE_BITS == 0;

		run->versions.renamed[t] = renamed && fits;
		if (renamed && !fits && !run->quiet)
			rt_diagnose(run->program, PTOWSP_FEATURE_TEMP_RENAMED, "a temp tensor of more than 2^40 elements is not renamed but an ordinary one");
	}
}

ptowsp_status rt_versions_init(struct rt_run *run)
{
	struct rt_versions *versions = &run->versions;
	uint32_t tensors = run->program->tables.tensor.count;

	if (!run->program->renamed)
		return PTOWSP_OK;
	versions->on = true;
	versions->spare = RT_NO_VERSION;
	versions->renamed = common_take(run->arena, tensors, 1);
	versions->ended = common_take(run->arena, tensors, sizeof(*versions->ended));
	versions->scopes = calloc(1, sizeof(*versions->scopes));
	versions->scope_count = 1;
	versions->making = common_take(run->arena, (size_t)run->program->most_ios + 1, sizeof(*versions->making));
	if (!versions->renamed || !versions->ended || !versions->scopes || !versions->making || !buckets_make(versions, BUCKETS_FIRST) ||
	    !rt_store_init(&versions->store, tensors, run->heap_capacity, run->program->kernels.mirror))
		return rt_no_memory(run->error, "versions");
	renamed_find(run);
	for (uint32_t t = 0; t < tensors; t++)
		versions->store.sizes[t].bytes = versions->renamed[t] ? bytes_of(run, t) : 0;
	return PTOWSP_OK;
}

void rt_versions_finish(struct rt_run *run)
{
	struct rt_versions *versions = &run->versions;

	for (uint32_t i = 0; i < versions->count; i++)
		if (versions->rows[i].block)
			rt_store_drop(&versions->store, rt_version_tensor(&versions->rows[i]), versions->rows[i].block);
	if (versions->store.sizes)
		rt_store_finish(&versions->store);
	free(versions->scopes);
	free(versions->rows);
	free(versions->buckets);
	memset(versions, 0, sizeof(*versions));
}

bool rt_versions_instances(struct rt_run *run, uint32_t instances)
{
	struct rt_versions *versions = &run->versions;

	if (!versions->on)
		return true;
	if (!COMMON_RESIZE(versions->scopes, (size_t)instances + 1))
		return false;
	memset(versions->scopes + 1, 0, (size_t)instances * sizeof(*versions->scopes));
	versions->scope_count = instances + 1;
	return true;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static uint32_t *bucket_of(const struct rt_versions *versions, uint64_t name)
{
	return &versions->buckets[common_hash(0, name ^ name >> 32) >> 32 & versions->mask];
}

uint32_t rt_version_find(const struct rt_versions *versions, uint64_t name)
{
	uint32_t at = *bucket_of(versions, name);

	while (at != RT_NO_VERSION && versions->rows[at].name != name)
		at = versions->rows[at].next;
	return at;
}

/* Twice the buckets; all rows are in use when there are more of them than buckets. */
static bool buckets_grow(struct rt_versions *versions)
{
	if (versions->count <= versions->mask)
		return true;
	if (!buckets_make(versions, (versions->mask + 1) * 2))
		return false;
	for (uint32_t i = 0; i < versions->count; i++) {
		uint32_t *bucket = bucket_of(versions, versions->rows[i].name);

		versions->rows[i].next = *bucket;
		*bucket = i;
	}
	return true;
}

static uint32_t row_make(struct rt_versions *versions)
{
	uint32_t at = versions->spare;

	if (at != RT_NO_VERSION) {
		versions->spare = versions->rows[at].next;
		return at;
	}
	if (!buckets_grow(versions) || !COMMON_GROW(versions->rows, versions->room, versions->count))
		return RT_NO_VERSION;
	return versions->count++;
}

/* The row in front of it in its bucket, or the bucket, goes on behind it. */
static void bucket_leave(struct rt_versions *versions, uint32_t at)
{
	uint32_t *link = bucket_of(versions, versions->rows[at].name);

	while (*link != at)
		link = &versions->rows[*link].next;
	*link = versions->rows[at].next;
}

static uint32_t *newest_of(struct rt_versions *versions, uint32_t list)
{
	return &versions->scopes[list / (PTOWSP_NESTING_LIMIT + 1)].newest[list % (PTOWSP_NESTING_LIMIT + 1)];
}

static void scope_leave(struct rt_versions *versions, uint32_t at)
{
	struct rt_version *version = &versions->rows[at];

	if (version->scope == RT_NO_VERSION)
		return;
	if (version->newer != RT_NO_VERSION)
		versions->rows[version->newer].older = version->older;
	else
		*newest_of(versions, version->scope) = version->older;
	if (version->older != RT_NO_VERSION)
		versions->rows[version->older].newer = version->newer;
}

/* The list of the innermost open scope. */
static uint32_t list_of(const struct rt_versions *versions, uint32_t owner)
{
	const uint32_t depth = versions->scopes[owner].depth;

	return depth ? owner * (PTOWSP_NESTING_LIMIT + 1) + depth - 1 : RT_NO_VERSION;
}

static void scope_enter(struct rt_versions *versions, uint32_t at, uint32_t owner)
{
	struct rt_version *version = &versions->rows[at];
	uint32_t *newest;

	version->older = version->newer = RT_NO_VERSION;
	version->scope = list_of(versions, owner);
	if (version->scope == RT_NO_VERSION)
		return;
	newest = newest_of(versions, version->scope);
	version->older = *newest;
	if (version->older != RT_NO_VERSION)
		versions->rows[version->older].newer = at;
	*newest = at;
}

/* Its memory is free when its tasks have ended. False when out of memory: rt_versions_finish frees the block then. */
static bool block_leave(struct rt_versions *versions, struct rt_version *version)
{
	if (version->block && !rt_store_return(&versions->store, rt_version_tensor(version), version->block, version->users))
		return false;
	version->block = NULL;
	return true;
}

/* Nobody finds it any more. False when out of memory. */
static bool version_drop(struct rt_run *run, uint32_t at)
{
	struct rt_versions *versions = &run->versions;
	struct rt_version *version = &versions->rows[at];
	bool ok = block_leave(versions, version);

	bucket_leave(versions, at);
	scope_leave(versions, at);
	version->next = versions->spare;
	versions->spare = at;
	return ok;
}

/* False when out of memory. */
static bool version_make(struct rt_versions *versions, const struct rt_making *making, uint32_t owner)
{
	uint32_t at = row_make(versions), *bucket;

	if (at == RT_NO_VERSION)
		return false;
	bucket = bucket_of(versions, making->name);
	versions->rows[at] = (struct rt_version){.name = making->name, .bytes = making->bytes, .next = *bucket};
	*bucket = at;
	scope_enter(versions, at, owner);
	return true;
}

/* In place of the old one of that name. A loop makes one in every round: where the scope is that of the old one, its row stays where it is. */
static bool version_begin(struct rt_run *run, const struct rt_making *making, uint32_t owner)
{
	struct rt_versions *versions = &run->versions;
	struct rt_version *old = making->old == RT_NO_VERSION ? NULL : &versions->rows[making->old];

	if (!old || old->scope != list_of(versions, owner))
		return (!old || version_drop(run, making->old)) && version_make(versions, making, owner);
	old->users = block_leave(versions, old) ? 0 : old->users;
	return !old->block;
}

/* ---- what a task makes ----------------------------------------------------------------------------------------- */

bool rt_versions_makes(const struct rt_run *run, uint32_t tensor, int64_t start)
{
	const struct rt_versions *versions = &run->versions;
	uint64_t name = (uint64_t)tensor << RT_PLACE_BITS | (uint64_t)start;

	for (uint32_t i = 0; i < versions->making_count; i++)
		if (versions->making[i].name == name)
			return true;
	return false;
}

/* The task reads the key that access `at` writes, through whatever argument. */
static bool reads_too(const struct rt_run *run, const struct rt_site *site, const struct rt_access *accesses, uint32_t at)
{
	for (uint32_t i = 0; i < site->io_count; i++)
		if (accesses[i].io->access & PTOWSP_READ && run->versions.renamed[accesses[i].io->tensor] &&
		    rt_version_name(&accesses[i]) == rt_version_name(&accesses[at]))
			return true;
	return false;
}

static void making_add(struct rt_versions *versions, uint64_t name)
{
	struct rt_making *making = &versions->making[versions->making_count++];

	*making = (struct rt_making){.name = name, .bytes = versions->store.sizes[name >> RT_PLACE_BITS].bytes};
	making->old = rt_version_find(versions, making->name);
	versions->need += making->bytes;
	if (making->old != RT_NO_VERSION)
		versions->replaced += making->bytes;
}

static bool lies_on(struct rt_values values, int64_t place)
{
	return values.modulus ? ((uint64_t)place - values.residue) % values.modulus == 0 || (values.residue - (uint64_t)place) % values.modulus == 0
			      : (uint64_t)place == values.residue;
}

/* The proof holds for numbers that do not wrap; on a lattice of a power of two it holds for all. */
static ptowsp_status lattice_check(struct rt_run *run, const struct rt_access *access)
{
	const struct rt_renaming *renaming = &run->program->renamings[access->io->tensor];

	if (!renaming->odd || (lies_on(renaming->row, access->key.row) && lies_on(renaming->column, access->key.column)))
		return PTOWSP_OK;
	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, run->kernel,
			  "task %llu, kernel %.40s: an index into temp tensor %.40s went beyond 64 bits, and its regions would overlap in part",
			  (unsigned long long)run->tasks, rt_kernel_name(run->program, run->kernel), rt_tensor_name(run->program, access->io->tensor));
}

ptowsp_status rt_versions_look(struct rt_run *run, const struct rt_site *site)
{
	const struct rt_access *accesses = rt_run_accesses(run);
	struct rt_versions *versions = &run->versions;
	ptowsp_status status = PTOWSP_OK;

	versions->making_count = 0;
	versions->need = versions->replaced = 0;
	for (uint32_t i = 0; !status && i < site->io_count; i++) {
		const struct rt_io *io = accesses[i].io;

		if (!versions->renamed[io->tensor])
			continue;
		status = lattice_check(run, &accesses[i]);
		if (!status && io->access == PTOWSP_WRITE && !rt_versions_makes(run, io->tensor, accesses[i].start) && !reads_too(run, site, accesses, i))
			making_add(versions, rt_version_name(&accesses[i]));
	}
	return status;
}

bool rt_versions_begins(const struct rt_run *run, const struct rt_site *site, const struct rt_io *io)
{
	const struct rt_io *ios = &run->program->ios[site->first_io];
	bool begins = io->access == PTOWSP_WRITE && run->versions.on && run->versions.renamed[io->tensor];

	for (uint32_t i = 0; begins && i < site->io_count; i++)
		begins = &ios[i] == io || ios[i].tensor != io->tensor;
	return begins;
}

bool rt_versions_planned(const struct rt_run *run, const struct rt_site *site)
{
	const struct rt_io *ios = &run->program->ios[site->first_io];
	bool planned = !run->program->schedule.built;

	for (uint32_t i = 0; planned && i < site->io_count; i++)
		planned = !run->versions.renamed[ios[i].tensor] ||
			  (!run->program->renamings[ios[i].tensor].odd && (ios[i].access != PTOWSP_WRITE || rt_versions_begins(run, site, &ios[i])));
	return planned;
}

void rt_versions_name(struct rt_run *run, const struct rt_plan *plan)
{
	struct rt_versions *versions = &run->versions;

	versions->making_count = 0;
	versions->need = versions->replaced = 0;
	for (const struct rt_plan_io *io = plan->ios, *end = io + plan->io_count; io < end; io++)
		if (io->begins)
			making_add(versions,
				   (uint64_t)plan->accesses[io - plan->ios].io->tensor << RT_PLACE_BITS | (uint64_t)rt_form_sum(run->env.loops, &io->start));
}

/* ---- bytes ----------------------------------------------------------------------------------------------------- */

ptowsp_status rt_versions_room(struct rt_run *run, uint64_t held_from, struct rt_block *block)
{
	struct rt_versions *versions = &run->versions;
	struct rt_arena *arena = &run->sync.arena;
	uint64_t used;

	*block = (struct rt_block){PTOWSP_RESOURCE_HEAP, arena->capacity, 0, versions->need, versions->need};
	if (!versions->need)
		return PTOWSP_OK;
	if (arena->capacity && versions->need > arena->capacity)
		return PTOWSP_TOO_SMALL;
	if (!run->program->schedule.built) /* else nothing is given back before everything is there */
		rt_arena_settle(arena, held_from);
	used = arena->used;
	if (held_from >= run->tasks && !run->program->schedule.built)
		used -= versions->replaced;
	block->used = used;
	block->proposed = used + versions->need;
	return arena->capacity && block->proposed > arena->capacity ? PTOWSP_AGAIN : PTOWSP_OK;
}

static ptowsp_status bytes_return(struct rt_run *run, uint64_t tasks, uint64_t bytes, bool told)
{
	if (!bytes)
		return PTOWSP_OK;
	if (!rt_arena_return(&run->sync.arena, tasks, bytes))
		return rt_no_memory(run->error, "the heap arena");
	return told ? rt_clock_failed(run, rt_lag_sync(&run->lag, PTOWSP_OP_FREE, tasks, bytes)) : PTOWSP_OK;
}

ptowsp_status rt_versions_take(struct rt_run *run, uint32_t owner, bool told)
{
	struct rt_versions *versions = &run->versions;
	ptowsp_status status = bytes_return(run, run->tasks, versions->replaced, told);
	bool ok = true;

	for (uint32_t i = 0; !status && ok && i < versions->making_count; i++)
		ok = version_begin(run, &versions->making[i], owner);
	run->sync.arena.used += versions->need;
	if (run->program->planned && run->lag.feed) /* no engine knows of versions */
		rt_feed_use(run->lag.feed, PTOWSP_RESOURCE_HEAP, 0, run->sync.arena.used);
	return status || ok ? status : rt_no_memory(run->error, "versions");
}

/* ---- scopes ---------------------------------------------------------------------------------------------------- */

ptowsp_status rt_versions_scope_begin(struct rt_run *run, uint32_t owner)
{
	struct rt_version_scopes *scopes;

	if (!run->versions.on)
		return PTOWSP_OK;
	scopes = &run->versions.scopes[owner];
	scopes->newest[scopes->depth++] = RT_NO_VERSION;
	return PTOWSP_OK;
}

ptowsp_status rt_versions_scope_end(struct rt_run *run, uint32_t owner, bool told)
{
	struct rt_versions *versions = &run->versions;
	struct rt_version_scopes *scopes;
	uint64_t bytes = 0;
	bool ok = true;

	if (!versions->on)
		return PTOWSP_OK;
	scopes = &versions->scopes[owner];
	while (ok && scopes->newest[scopes->depth - 1] != RT_NO_VERSION) {
		uint32_t at = scopes->newest[scopes->depth - 1];

		bytes += versions->rows[at].bytes;
		versions->ended[rt_version_tensor(&versions->rows[at])] = run->tasks;
		ok = version_drop(run, at);
	}
	scopes->depth--;
	if (!ok)
		return rt_no_memory(run->error, "versions");
	return bytes_return(run, owner ? scopes->tasks : run->tasks, bytes, told);
}
