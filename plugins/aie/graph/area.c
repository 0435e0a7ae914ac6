/* SPDX-License-Identifier: MIT */
#include "aie/graph/area.h"

#include "registry/common/common_grow.h"
#include "rt/program/dtype.h"
#include "rt/program/policy.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

uint64_t aie_area_row_bytes(const struct aie_area *area)
{
	return area->columns * rt_dtype_bytes(area->dtype);
}

uint64_t aie_area_bytes(const struct aie_area *area)
{
	return area->rows * aie_area_row_bytes(area);
}

uint64_t aie_area_run_bytes(const struct aie_area *area)
{
	const uint64_t row = aie_area_row_bytes(area);

	return row % 4 && area->stride == row ? aie_area_bytes(area) : row;
}

uint64_t aie_area_end(const struct aie_area *area)
{
	return area->at + (area->rows - 1) * area->stride + aie_area_row_bytes(area);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static bool same(const struct aie_area *a, const struct aie_area *b)
{
	return a->tensor == b->tensor && a->at == b->at && a->rows == b->rows && a->columns == b->columns && a->stride == b->stride && a->dtype == b->dtype &&
	       a->flat == b->flat;
}

static uint64_t hash(const struct aie_area *area)
{
	const uint64_t words[] = {area->tensor, area->at, area->rows, area->columns, area->stride, area->dtype, area->flat};
	uint64_t h = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		h = rt_mix64(h ^ words[i]);
	return h;
}

static uint32_t *slot_of(const struct aie_areas *areas, const struct aie_area *area)
{
	uint32_t mask = areas->slot_count - 1, at = (uint32_t)hash(area) & mask;

	while (areas->slots[at] && !same(&areas->rows[areas->slots[at] - 1], area))
		at = (at + 1) & mask;
	return &areas->slots[at];
}

static bool slots_grow(struct aie_areas *areas)
{
	uint32_t *old = areas->slots;

	areas->slot_count = areas->slot_count ? 2 * areas->slot_count : 64;
	areas->slots = calloc(areas->slot_count, sizeof(*areas->slots));
	for (uint32_t r = 0; areas->slots && r < areas->count; r++)
		*slot_of(areas, &areas->rows[r]) = r + 1;
	free(old);
	return areas->slots;
}

ptowsp_status aie_areas_add(struct aie_areas *areas, const struct aie_area *area, uint32_t *number_out, struct ptowsp_error *error)
{
	uint32_t *slot;

	if (2 * areas->count >= areas->slot_count && !slots_grow(areas))
		return rt_no_memory(error, "the areas of a plan");
	slot = slot_of(areas, area);
	if (!*slot) {
		if (!COMMON_GROW(areas->rows, areas->room, areas->count))
			return rt_no_memory(error, "the areas of a plan");
		areas->rows[areas->count++] = *area;
		*slot = areas->count;
	}
	*number_out = *slot - 1;
	return PTOWSP_OK;
}

uint32_t aie_areas_find(const struct aie_areas *areas, const struct aie_area *area)
{
	const uint32_t *slot = areas->slot_count ? slot_of(areas, area) : NULL;

	return slot && *slot ? *slot - 1 : areas->count;
}

/* ---- meeting ----------------------------------------------------------------------------------------------------------- */

/* Both have rows of one stride, so both are boxes of one grid, unless a row of one goes around the end of a grid's row. */
static bool boxes_meet(const struct aie_area *a, const struct aie_area *b)
{
	uint64_t stride = a->rows > 1 ? a->stride : b->stride;
	uint64_t ar = a->at / stride, ac = a->at % stride, br = b->at / stride, bc = b->at % stride;

	if (ac + aie_area_row_bytes(a) > stride || bc + aie_area_row_bytes(b) > stride)
		return true;
	return ar < br + b->rows && br < ar + a->rows && ac < bc + aie_area_row_bytes(b) && bc < ac + aie_area_row_bytes(a);
}

/* From first to last byte they do. */
static bool meet(const struct aie_area *a, const struct aie_area *b)
{
	bool grid = (a->rows > 1 || b->rows > 1) && (a->rows == 1 || b->rows == 1 || a->stride == b->stride);

	return !grid || boxes_meet(a, b);
}

bool aie_areas_touch(const struct aie_area *a, const struct aie_area *b)
{
	return a->tensor == b->tensor && a->at < aie_area_end(b) && b->at < aie_area_end(a) && meet(a, b);
}

bool aie_area_covers(const struct aie_area *whole, const struct aie_area *part)
{
	uint64_t stride = whole->rows > 1 ? whole->stride : part->stride, row = aie_area_row_bytes(whole), from = part->at - whole->at;

	if (whole->tensor != part->tensor || part->at < whole->at || aie_area_end(part) > aie_area_end(whole))
		return false;
	if (whole->rows == 1 || whole->stride == row)
		return true;
	return (part->rows == 1 || part->stride == stride) && from % stride + aie_area_row_bytes(part) <= row;
}

struct place {
	uint64_t at;
	uint32_t tensor, area;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->tensor != y->tensor)
		return x->tensor < y->tensor ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at ? 1 : (x->area > y->area) - (x->area < y->area);
}

static bool pair_add(struct aie_areas *areas, uint32_t a, uint32_t b)
{
	if (!COMMON_GROW(areas->meets, areas->meet_room, areas->meet_count + 1))
		return false;
	areas->meets[areas->meet_count++] = a;
	areas->meets[areas->meet_count++] = b;
	return true;
}

/* Pairs a, b of those that meet, in order of their beginnings. */
static bool pairs_find(struct aie_areas *areas, const struct place *places, struct base_patience *patience)
{
	for (uint32_t i = 0; i < areas->count; i++) {
		const struct aie_area *a = &areas->rows[places[i].area];

		for (uint32_t k = i + 1; k < areas->count && places[k].tensor == places[i].tensor && places[k].at < aie_area_end(a); k++)
			if (base_patience_over(patience, 1) || (meet(a, &areas->rows[places[k].area]) && !pair_add(areas, places[i].area, places[k].area)))
				return false;
	}
	return true;
}

/* From pairs to a list per area. */
static bool lists_make(struct aie_areas *areas)
{
	uint32_t *lists = calloc((size_t)areas->meet_count + 1, sizeof(*lists)), *at = calloc((size_t)areas->count + 1, sizeof(*at));

	areas->first = calloc((size_t)areas->count + 1, sizeof(*areas->first));
	if (!lists || !at || !areas->first) {
		free(lists);
		free(at);
		return false;
	}
	for (uint32_t i = 0; i < areas->meet_count; i++)
		areas->first[areas->meets[i] + 1]++;
	for (uint32_t r = 0; r < areas->count; r++) {
		areas->first[r + 1] += areas->first[r];
		at[r] = areas->first[r];
	}
	for (uint32_t i = 0; i < areas->meet_count; i++)
		lists[at[areas->meets[i]]++] = areas->meets[i ^ 1];
	free(at);
	free(areas->meets);
	areas->meets = lists;
	return true;
}

ptowsp_status aie_areas_meet(struct aie_areas *areas, struct base_patience *patience, struct ptowsp_error *error)
{
	struct place *places = calloc((size_t)areas->count + 1, sizeof(*places));
	bool ok = places;

	for (uint32_t r = 0; ok && r < areas->count; r++)
		places[r] = (struct place){areas->rows[r].at, areas->rows[r].tensor, r};
	if (ok)
		qsort(places, areas->count, sizeof(*places), by_place);
	ok = ok && pairs_find(areas, places, patience) && lists_make(areas);
	free(places);
	return ok ? PTOWSP_OK : rt_no_memory(error, "the areas of a plan");
}

void aie_areas_finish(struct aie_areas *areas)
{
	free(areas->rows);
	free(areas->slots);
	free(areas->meets);
	free(areas->first);
	memset(areas, 0, sizeof(*areas));
}

/* Parts of tensors that do not begin or end with a word, as the words that have them. */

enum { WORD = 4 };

static bool is_dense(const struct aie_area *area)
{
	return area->rows == 1 || area->stride == aie_area_row_bytes(area);
}

bool aie_area_is_words(const struct aie_area *area)
{
	if (is_dense(area))
		return area->at % WORD == 0 && aie_area_bytes(area) % WORD == 0;
	return area->at % WORD == 0 && aie_area_row_bytes(area) % WORD == 0 && area->stride % WORD == 0;
}

static uint64_t words_of(uint64_t bytes)
{
	return (bytes + WORD - 1) / WORD * WORD;
}

bool aie_area_widen(struct aie_area *area, struct aie_view *view, uint64_t tensor_bytes)
{
	const uint64_t size = rt_dtype_bytes(area->dtype), lead = area->at % WORD, row = words_of(lead + aie_area_row_bytes(area));
	const uint64_t end = aie_area_end(area);
	const bool dense = is_dense(area), rows = !dense && area->stride % WORD == 0 && row <= area->stride;

	if (!view->rows)
		*view = (struct aie_view){view->before, area->rows, area->columns + (uint64_t)view->before,
					  area->flat ? area->columns + (uint64_t)view->before : area->stride / size};
	view->before -= (int64_t)(lead / size);
	area->at -= lead;
	if (rows) {
		area->columns = row / size;
		view->stride = area->columns;
		return true;
	}
	area->flat = true;
	area->rows = 1;
	area->stride = words_of(end - area->at);
	area->columns = area->stride / size;
	return !dense || lead || (end % WORD && end < tensor_bytes);
}
