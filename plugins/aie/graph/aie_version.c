/* SPDX-License-Identifier: MIT */
#include "aie/graph/aie_graph.h"

#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

struct maker {
	struct aie_versions *versions;
	struct aie_acts *acts;
	uint32_t *latest; /* per area: version + 1, 0: none yet. Later versions have larger numbers */
	enum aie_apart apart;
};

/* Is the latest version of the area what lies there now, all of it? */
static bool stands(const struct maker *maker, uint32_t area)
{
	const struct aie_areas *areas = &maker->acts->areas;

	for (uint32_t m = areas->first[area]; m < areas->first[area + 1]; m++)
		if (maker->latest[areas->meets[m]] > maker->latest[area])
			return false;
	return maker->latest[area];
}

static void store(struct maker *maker, uint32_t area)
{
	if (maker->latest[area])
		maker->versions->rows[maker->latest[area] - 1].stored = true;
}

static bool need(struct maker *maker, uint32_t area)
{
	struct aie_versions *versions = maker->versions;

	if (!maker->latest[area])
		return true;
	store(maker, area);
	if (!COMMON_GROW(versions->needs, versions->need_room, versions->need_count))
		return false;
	versions->needs[versions->need_count++] = maker->latest[area] - 1;
	return true;
}

static int by_number(const void *a, const void *b)
{
	return (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* A use of elements in memory needs all stores of areas that meet its own. */
static bool memory_take(struct maker *maker, struct aie_use *use)
{
	const struct aie_areas *areas = &maker->acts->areas;
	uint32_t first = maker->versions->need_count;
	bool ok = need(maker, use->area);

	use->from = AIE_FROM_MEMORY;
	for (uint32_t m = areas->first[use->area]; ok && m < areas->first[use->area + 1]; m++)
		ok = need(maker, areas->meets[m]);
	if (ok && maker->versions->need_count > first)
		qsort(maker->versions->needs + first, maker->versions->need_count - first, sizeof(uint32_t), by_number);
	return ok;
}

static bool read_take(struct maker *maker, const struct aie_act *act, struct aie_use *use)
{
	struct aie_version *version = maker->latest[use->area] ? &maker->versions->rows[maker->latest[use->area] - 1] : NULL;

	if (!version || !stands(maker, use->area) || version->cell == AIE_HOST || act->cell == AIE_HOST ||
	    (maker->apart && (maker->apart == AIE_APART_ACTS || version->cell != act->cell)))
		return memory_take(maker, use);
	use->from = maker->latest[use->area] - 1;
	version->local += version->cell == act->cell;
	version->remote += version->cell != act->cell;
	return true;
}

static void write_take(struct maker *maker, uint32_t act, uint32_t use)
{
	struct aie_versions *versions = maker->versions;
	uint32_t area = maker->acts->uses[use].area;

	versions->rows[versions->count] = (struct aie_version){.act = act, .use = use, .area = area, .cell = maker->acts->rows[act].cell};
	maker->acts->uses[use].to = versions->count++;
	maker->latest[area] = versions->count;
}

/* A later write that covers it all hides it. */
static bool hidden(const struct maker *maker, uint32_t area)
{
	const struct aie_areas *areas = &maker->acts->areas;

	for (uint32_t m = areas->first[area]; m < areas->first[area + 1]; m++) {
		uint32_t other = areas->meets[m];

		if (maker->latest[other] > maker->latest[area] && aie_area_covers(&areas->rows[other], &areas->rows[area]))
			return true;
	}
	return false;
}

static void ends_store(struct maker *maker, const uint8_t *kept)
{
	const struct aie_areas *areas = &maker->acts->areas;

	for (uint32_t r = 0; r < areas->count; r++)
		if (maker->latest[r] && kept[areas->rows[r].tensor] && !hidden(maker, r))
			store(maker, r);
}

static bool act_take(struct maker *maker, uint32_t number)
{
	const struct aie_act *act = &maker->acts->rows[number];
	struct aie_use *uses = maker->acts->uses;

	for (uint32_t u = act->uses; u < act->uses + act->use_count; u++) {
		maker->versions->first[u] = maker->versions->need_count;
		if (uses[u].reads && !read_take(maker, act, &uses[u]))
			return false;
	}
	for (uint32_t u = act->uses; u < act->uses + act->use_count; u++)
		if (uses[u].writes)
			write_take(maker, number, u);
	return true;
}

ptowsp_status aie_versions_make(struct aie_versions *versions, struct aie_acts *acts, const uint8_t *kept, enum aie_apart apart, struct ptowsp_error *error)
{
	struct maker maker = {versions, acts, calloc((size_t)acts->areas.count + 1, sizeof(*maker.latest)), apart};
	bool ok;

	aie_versions_finish(versions);
	versions->rows = calloc((size_t)acts->use_count + 1, sizeof(*versions->rows));
	versions->first = calloc((size_t)acts->use_count + 1, sizeof(*versions->first));
	ok = versions->rows && versions->first && maker.latest;
	for (uint32_t a = 0; ok && a < acts->count; a++)
		ok = !base_patience_over(acts->patience, 1) && act_take(&maker, a);
	if (ok) {
		versions->first[acts->use_count] = versions->need_count;
		ends_store(&maker, kept);
	}
	free(maker.latest);
	return ok ? PTOWSP_OK : rt_no_memory(error, "the versions of a plan");
}

void aie_versions_finish(struct aie_versions *versions)
{
	free(versions->rows);
	free(versions->needs);
	free(versions->first);
	memset(versions, 0, sizeof(*versions));
}
