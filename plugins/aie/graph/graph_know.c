/* SPDX-License-Identifier: MIT */
/* graph_know.c - what has to be known of later acts before the first line: who else reads a version, who takes a token, what is read again. */
#include "aie/graph/graph_own.h"
#include "rt/program/policy.h"
#include <stdlib.h>
#include <string.h>

/* ---- who else reads a version ------------------------------------------------------------------------------------------- */

struct pair {
	uint32_t version, cell;
};

static int by_pair(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return x->version != y->version ? (x->version > y->version) - (x->version < y->version) : (x->cell > y->cell) - (x->cell < y->cell);
}

static uint32_t pairs_collect(const struct aie_maker *maker, struct pair *pairs)
{
	const struct aie_acts *acts = maker->args->acts;
	uint32_t count = 0;

	for (uint32_t a = 0; a < acts->count; a++)
		for (uint32_t u = acts->rows[a].uses; u < acts->rows[a].uses + acts->rows[a].use_count; u++) {
			uint32_t version = acts->uses[u].reads ? acts->uses[u].from : AIE_FROM_MEMORY;

			if (version == AIE_FROM_MEMORY)
				continue;
			if (maker->args->versions->rows[version].cell == acts->rows[a].cell)
				maker->reader[version] = u;
			else
				pairs[count++] = (struct pair){version, acts->rows[a].cell};
		}
	return count;
}

static void ends_find(struct aie_maker *maker)
{
	uint32_t versions = maker->args->versions->count, count, end = 0;
	struct pair *pairs = common_take(&maker->arena, (size_t)maker->args->acts->use_count + 1, sizeof(*pairs));

	maker->ends = common_take(&maker->arena, (size_t)maker->args->acts->use_count + 1, sizeof(*maker->ends));
	memset(maker->reader, 0xff, versions * sizeof(*maker->reader));
	count = pairs_collect(maker, pairs);
	qsort(pairs, count, sizeof(*pairs), by_pair);
	for (uint32_t i = 0, v = 0; v < versions; v++) {
		maker->ends_first[v] = end;
		for (; i < count && pairs[i].version == v; i++)
			if (end == maker->ends_first[v] || maker->ends[end - 1] != pairs[i].cell)
				maker->ends[end++] = pairs[i].cell;
	}
	maker->ends_first[versions] = end;
}

/* ---- who takes a token -------------------------------------------------------------------------------------------------- */

static void takers_find(struct aie_maker *maker)
{
	const struct aie_acts *acts = maker->args->acts;
	uint32_t channels = 0, *first, *takes;

	for (uint32_t a = 0; a < acts->count; a++)
		if ((acts->rows[a].kind == AIE_ACT_SEND || acts->rows[a].kind == AIE_ACT_TAKE) && acts->rows[a].channel >= channels)
			channels = acts->rows[a].channel + 1;
	first = common_take(&maker->arena, (size_t)channels + 2, sizeof(*first));
	takes = common_take(&maker->arena, (size_t)acts->count + 1, sizeof(*takes));
	for (uint32_t a = 0; a < acts->count; a++)
		first[acts->rows[a].kind == AIE_ACT_TAKE ? acts->rows[a].channel + 1 : channels + 1]++;
	for (uint32_t c = 0; c < channels; c++)
		first[c + 1] += first[c];
	for (uint32_t a = 0; a < acts->count; a++)
		if (acts->rows[a].kind == AIE_ACT_TAKE)
			takes[first[acts->rows[a].channel] + acts->rows[a].token] = a;
	memset(maker->takers, 0xff, ((size_t)acts->count + 1) * sizeof(*maker->takers));
	for (uint32_t a = 0; a < acts->count; a++) {
		const struct aie_act *act = &acts->rows[a];

		if (act->kind != AIE_ACT_SEND || act->token >= first[act->channel + 1] - first[act->channel])
			continue;
		maker->takers[a] = takes[first[act->channel] + act->token];
		maker->takers[maker->takers[a]] = a;
	}
}

/* ---- what is read again ------------------------------------------------------------------------------------------------- */

static uint64_t reading(const struct aie_maker *maker, uint32_t cell, uint32_t u)
{
	const struct aie_versions *versions = maker->args->versions;
	const struct aie_use *use = &maker->args->acts->uses[u];
	uint64_t h = rt_mix64(((uint64_t)cell << 32 | use->area) ^ rt_mix64(use->from));

	for (uint32_t n = versions->first[u]; use->from == AIE_FROM_MEMORY && n < versions->first[u + 1]; n++)
		h = rt_mix64(h + versions->needs[n] + 1);
	return h;
}

bool aie_maker_reads_same(const struct aie_maker *maker, uint32_t a, uint32_t b)
{
	const struct aie_versions *versions = maker->args->versions;
	const struct aie_use *x = &maker->args->acts->uses[a], *y = &maker->args->acts->uses[b];
	uint32_t count = versions->first[a + 1] - versions->first[a];

	if (x->area != y->area || x->from != y->from)
		return false;
	return x->from != AIE_FROM_MEMORY ||
	       (count == versions->first[b + 1] - versions->first[b] &&
		(!count || !memcmp(versions->needs + versions->first[a], versions->needs + versions->first[b], count * sizeof(uint32_t))));
}

/* Elements of another cell come once and are kept; those of memory are kept where that takes little. */
static bool is_kept(const struct aie_maker *maker, uint32_t cell, const struct aie_use *use)
{
	if (!use->reads || cell == AIE_HOST)
		return false;
	return use->from == AIE_FROM_MEMORY ? aie_area_bytes(&maker->args->acts->areas.rows[use->area]) <= maker->args->keep
					    : maker->args->versions->rows[use->from].cell != cell;
}

static void again_find(struct aie_maker *maker)
{
	const struct aie_acts *acts = maker->args->acts;
	size_t slots = 64, at;
	uint32_t *table, *cell_of;

	while (slots < 2 * (size_t)acts->use_count)
		slots *= 2;
	table = common_take(&maker->arena, slots, sizeof(*table));
	cell_of = common_take(&maker->arena, (size_t)acts->use_count + 1, sizeof(*cell_of));
	for (uint32_t a = 0; a < acts->count; a++)
		for (uint32_t u = acts->rows[a].uses; u < acts->rows[a].uses + acts->rows[a].use_count; u++) {
			cell_of[u] = acts->rows[a].cell;
			maker->again[u] = u;
			maker->again_count[u] = 1;
			if (!is_kept(maker, cell_of[u], &acts->uses[u]))
				continue;
			at = reading(maker, cell_of[u], u) & (slots - 1);
			while (table[at] && !(cell_of[table[at] - 1] == cell_of[u] && aie_maker_reads_same(maker, table[at] - 1, u)))
				at = (at + 1) & (slots - 1);
			if (!table[at])
				table[at] = u + 1;
			else
				maker->again_count[table[at] - 1]++;
			maker->again[u] = table[at] - 1;
		}
}

static void *table(struct aie_maker *maker, size_t count, size_t size)
{
	return common_take(&maker->arena, count + 1, size);
}

void aie_maker_know(struct aie_maker *maker)
{
	const struct aie_acts *acts = maker->args->acts;
	const size_t versions = maker->args->versions->count, uses = acts->use_count, cells = maker->graph->cell_count;

	maker->pack = table(maker, cells, 1);
	maker->homes = table(maker, versions, sizeof(*maker->homes));
	maker->kept = table(maker, uses, sizeof(*maker->kept));
	maker->again = table(maker, uses, sizeof(*maker->again));
	maker->again_count = table(maker, uses, sizeof(*maker->again_count));
	maker->ends_first = table(maker, versions, sizeof(*maker->ends_first));
	maker->reader = table(maker, versions, sizeof(*maker->reader));
	maker->ordinal = table(maker, versions, sizeof(*maker->ordinal));
	maker->cell_of = table(maker, acts->count, sizeof(*maker->cell_of)); /* each task is an act */
	maker->lasts = table(maker, cells, sizeof(*maker->lasts));
	maker->gate = table(maker, cells, sizeof(*maker->gate));
	maker->known = table(maker, cells * cells, sizeof(*maker->known));
	maker->takers = table(maker, acts->count, sizeof(*maker->takers));
	for (uint32_t a = 0; a < acts->count; a++)
		if (acts->rows[a].kind == AIE_ACT_CALL)
			maker->cell_of[acts->rows[a].task] = acts->rows[a].cell;
	ends_find(maker);
	takers_find(maker);
	again_find(maker);
	aie_credit_know(maker);
}

void aie_maker_finish(struct aie_maker *maker)
{
	common_arena_finish(&maker->arena);
	free(maker->labels);
	free(maker->steps);
	free(maker->frames);
	free(maker->taken);
	free(maker->free_buffers);
}
