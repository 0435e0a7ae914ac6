/* SPDX-License-Identifier: MIT */
#include "aie/graph/layout.h"

static uint64_t *coordinate(struct aie_layout_tile *tile, uint8_t axis)
{
	return axis ? &tile->column : &tile->row;
}

static uint64_t block_of(const struct aie_layout *layout, uint32_t dimension)
{
	uint64_t extent = layout->extents[dimension], size = layout->axis[dimension] == AIE_WHOLE ? 1 : layout->grid[layout->axis[dimension]];

	return extent / size + (extent % size != 0);
}

struct aie_layout_tile aie_layout_get_tile(const struct aie_layout *layout, const uint64_t *index)
{
	struct aie_layout_tile tile = {0, 0};

	for (uint32_t d = 0; d < layout->rank; d++)
		if (layout->axis[d] != AIE_WHOLE)
			*coordinate(&tile, layout->axis[d]) = index[d] / block_of(layout, d);
	return tile;
}

uint64_t aie_layout_part(const struct aie_layout *layout, struct aie_layout_tile tile, uint64_t *extents_out)
{
	bool cut[2] = {false, false};
	uint64_t elements = 1;

	for (uint32_t d = 0; d < layout->rank; d++) {
		uint64_t block = block_of(layout, d), first = layout->axis[d] == AIE_WHOLE ? 0 : *coordinate(&tile, layout->axis[d]) * block;
		uint64_t left = first < layout->extents[d] ? layout->extents[d] - first : 0;

		if (layout->axis[d] != AIE_WHOLE)
			cut[layout->axis[d]] = true;
		extents_out[d] = left < block ? left : block;
		elements *= extents_out[d];
	}
	return (tile.row && !cut[0]) || (tile.column && !cut[1]) ? 0 : elements;
}

uint64_t aie_layout_run(const struct aie_layout *layout, uint64_t element, struct aie_layout_tile *tile_out)
{
	uint64_t index[AIE_LAYOUT_RANK], last = layout->rank - 1, block = block_of(layout, (uint32_t)last), end;

	for (uint32_t d = layout->rank; d-- > 0; element /= layout->extents[d])
		index[d] = element % layout->extents[d];
	*tile_out = aie_layout_get_tile(layout, index);
	end = (index[last] / block + 1) * block;
	return (end < layout->extents[last] ? end : layout->extents[last]) - index[last];
}

bool aie_layout_replicates(const struct aie_layout *layout, struct aie_layout_tile tile, struct aie_layout_tile other)
{
	for (uint32_t d = 0; d < layout->rank; d++)
		if (layout->axis[d] != AIE_WHOLE && *coordinate(&tile, layout->axis[d]) != *coordinate(&other, layout->axis[d]))
			return false;
	return true;
}

bool aie_layout_fits(const struct aie_layout *a, const struct aie_layout *b)
{
	for (uint32_t d = 0; a->rank == b->rank && d < a->rank; d++)
		if (a->axis[d] != AIE_WHOLE && b->axis[d] != AIE_WHOLE && a->axis[d] != b->axis[d])
			return false;
	return true;
}

void aie_layout_text(const struct aie_layout *layout, char *text)
{
	for (uint32_t d = 0; d < layout->rank; d++) {
		if (d)
			*text++ = ',';
		*text++ = layout->axis[d] == AIE_WHOLE ? 'R' : 'S';
		if (layout->axis[d] != AIE_WHOLE)
			*text++ = (char)('0' + layout->axis[d]);
	}
	*text = '\0';
}
