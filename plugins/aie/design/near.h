/* SPDX-License-Identifier: MIT */
/* near.h - memories beside a core. A core reaches those of the tiles to the north, south and west of its own (aie_arch_shares). Where one of these has no core, objects of the core's fifos and its
 * buffers may lie there; DMA channels, descriptors and locks of that tile then fill and empty them, and the core uses them as its own. One thread. */
#ifndef AIE_NEAR_H
#define AIE_NEAR_H

#include "aie/place/aie_place.h"

enum { AIE_NEAR_TILES = 3 };
/* Room that cells may take besides their own tile: none; memories of tiles beside it; and the DMA channels of these, so that streams need not be packed. */
enum aie_beside { AIE_BESIDE_NOTHING, AIE_BESIDE_MEMORY, AIE_BESIDE_CHANNELS };
/* Tiles with what lies beside its cell, as numbers of places; AIE_NOTHING: it lies with its cell. */
struct aie_near {
	uint32_t *streams; /* per stream: the objects at the end of its cell */
	uint32_t *buffers; /* per buffer of the graph */
};
/* Bytes as memories are aligned. */
uint64_t aie_near_bytes(uint64_t bytes);
/* Most bytes of an object there: a descriptor of its DMA counts no more words. */
uint64_t aie_near_most(const struct aie_arch *arch);
/* Puts items on tiles, those with most bytes first, each on the first that has room. tiles[0] is the core's, with what has to stay there; the others are empty. tile_of: per item. False: one has
 * no room, and tiles and tile_of are as far as it went. */
bool aie_near_pack(const struct aie_arch *arch, const struct aie_place_node *items, uint32_t count, struct aie_place_node tiles[1 + AIE_NEAR_TILES],
		   uint8_t *tile_of);

#endif
