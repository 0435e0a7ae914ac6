/* SPDX-License-Identifier: MIT */
/* word.c - parts of tensors that do not begin or end with a word, as the words that have them. */
#include "aie/graph/area.h"
#include "rt/program/dtype.h"

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
