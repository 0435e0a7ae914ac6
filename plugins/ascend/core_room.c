/* SPDX-License-Identifier: MIT */
/* core_room.c - what has to be over before a tile is written: whatever lies in its place. */
#include "ascend/core_move.h"

#include <stdlib.h>

static bool overlap(const struct ascend_kernel *k, enum ascend_memory m, uint32_t a, uint32_t b)
{
	const uint32_t *at = k->places[m];

	if (!at || !(k->homes[a] >> m & 1) || !(k->homes[b] >> m & 1))
		return false;
	return at[a] < at[b] + ascend_tile_bytes(k, b) && at[b] < at[a] + ascend_tile_bytes(k, a);
}

/* Whose place on this side is, in part, that of the tile: first its own. */
static void room_make(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	ascend_time_add(k, ascend_time_there(tile, side));
	ascend_time_add(k, ascend_time_read(tile, side));
	for (uint32_t t = 0; t < k->tile_count; t++)
		if (t != tile && (side == ASCEND_ON_VECTOR ? overlap(k, ASCEND_MEMORY_UB, tile, t)
							: overlap(k, ASCEND_MEMORY_L1, tile, t) || overlap(k, ASCEND_MEMORY_L0C, tile, t))) {
			ascend_time_add(k, ascend_time_there(t, side));
			ascend_time_add(k, ascend_time_read(t, side));
		}
}

static bool is_shared(const struct ascend_kernel *k)
{
	return k->places[ASCEND_MEMORY_UB] || k->places[ASCEND_MEMORY_L1] || k->places[ASCEND_MEMORY_L0C];
}

/* A list per tile and side, one behind the other: short ones unless places are shared, then of 1024 tiles at most (live.c). */
ptowsp_status ascend_rooms_make(struct ascend_kernel *k)
{
	static const enum ascend_side sides[2] = {ASCEND_ON_VECTOR, ASCEND_ON_CUBE};

	for (int s = 0; s < 2; s++) {
		k->rooms[s] = calloc(k->tile_count + 1u, sizeof(*k->rooms[s]));
		if (!k->rooms[s])
			return PTOWSP_NO_MEMORY;
		for (uint32_t t = 0; t < k->tile_count; t++) {
			k->rooms[s][t] = k->time_count;
			if (is_shared(k)) {
				room_make(k, t, sides[s]);
			} else {
				ascend_time_add(k, ascend_time_there(t, sides[s]));
				ascend_time_add(k, ascend_time_read(t, sides[s]));
			}
		}
		k->rooms[s][k->tile_count] = k->time_count;
	}
	return k->failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}
