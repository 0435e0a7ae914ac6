/* SPDX-License-Identifier: MIT */
#include "aie/design/near.h"

#include "aie/design/aie_channels.h"
#include <string.h>

uint64_t aie_near_bytes(uint64_t bytes)
{
	return (bytes + AIE_MEMORY_ALIGN - 1) / AIE_MEMORY_ALIGN * AIE_MEMORY_ALIGN;
}

uint64_t aie_near_most(const struct aie_arch *arch)
{
	const uint64_t *limits = arch->generation->tiles[AIE_CORE].limits;

	return 4 * limits[AIE_BD_WORDS] < limits[AIE_MEMORY] ? 4 * limits[AIE_BD_WORDS] : limits[AIE_MEMORY];
}

static bool has_room(const struct aie_arch *arch, const struct aie_place_node *tile, const struct aie_place_node *item)
{
	const uint64_t *limits = arch->generation->tiles[AIE_CORE].limits;

	return item->bytes <= limits[AIE_MEMORY] && tile->bytes <= limits[AIE_MEMORY] - item->bytes && tile->in + item->in <= limits[AIE_DMA_IN] &&
	       tile->out + item->out <= limits[AIE_DMA_OUT] && tile->locks + item->locks <= limits[AIE_LOCKS] && tile->bds + item->bds <= limits[AIE_BDS];
}

static void put(struct aie_place_node *tile, const struct aie_place_node *item)
{
	tile->in += item->in;
	tile->out += item->out;
	tile->locks += item->locks;
	tile->bds += item->bds;
	tile->bytes += item->bytes;
	tile->buffers += item->buffers;
}

/* The largest item that has no tile yet. */
static uint32_t largest_of(const struct aie_place_node *items, uint32_t count, const uint8_t *tile_of)
{
	uint32_t largest = count;

	for (uint32_t i = 0; i < count; i++)
		if (tile_of[i] > AIE_NEAR_TILES && (largest == count || items[i].bytes > items[largest].bytes))
			largest = i;
	return largest;
}

bool aie_near_pack(const struct aie_arch *arch, const struct aie_place_node *items, uint32_t count, struct aie_place_node tiles[1 + AIE_NEAR_TILES],
		   uint8_t *tile_of)
{
	memset(tile_of, 0xff, count);
	for (uint32_t i = largest_of(items, count, tile_of); i < count; i = largest_of(items, count, tile_of)) {
		uint8_t t = 0;

		while (t <= AIE_NEAR_TILES && !has_room(arch, &tiles[t], &items[i]))
			t++;
		if (t > AIE_NEAR_TILES)
			return false;
		put(&tiles[t], &items[i]);
		tile_of[i] = t;
	}
	return true;
}
