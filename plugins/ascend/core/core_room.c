/* SPDX-License-Identifier: MIT */
/* core_room.c - what has to be over before a tile is written: whatever lies in its place. */
#include "ascend/core/core_move.h"

#include <stdlib.h>

/* Tiles of a memory by where they begin, and per place in that order the furthest end of those so far: what overlaps a tile lies between the first that may reach it and the last that
 * begins before its end. */
struct layer {
	const struct ascend_kernel *k;
	const uint32_t *at; /* NULL: nothing shares a place there */
	uint32_t *tiles;    /* owned */
	uint64_t *ends;     /* owned */
	uint32_t count;
};

static int by_place(const void *a, const void *b, void *context)
{
	const uint32_t *at = context, x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return at[x] != at[y] ? (at[x] > at[y]) - (at[x] < at[y]) : (x > y) - (x < y);
}

static bool layer_init(struct layer *l, const struct ascend_kernel *k, enum ascend_memory m)
{
	*l = (struct layer){.k = k, .at = k->places[m]};
	if (!l->at)
		return true;
	l->tiles = malloc((k->tile_count + (size_t)1) * sizeof(*l->tiles));
	l->ends = malloc((k->tile_count + (size_t)1) * sizeof(*l->ends));
	if (!l->tiles || !l->ends)
		return false;
	for (uint32_t t = 0; t < k->tile_count; t++)
		if (k->homes[t] >> m & 1)
			l->tiles[l->count++] = t;
	qsort_r(l->tiles, l->count, sizeof(*l->tiles), by_place, (void *)(uintptr_t)l->at);
	for (uint32_t i = 0; i < l->count; i++) {
		const uint64_t end = l->at[l->tiles[i]] + ascend_tile_bytes(k, l->tiles[i]);

		l->ends[i] = i && l->ends[i - 1] > end ? l->ends[i - 1] : end;
	}
	return true;
}

static void layer_finish(struct layer *l)
{
	free(l->tiles);
	free(l->ends);
}

/* The first place whose ends reach beyond. */
static uint32_t first_beyond(const struct layer *l, uint64_t begin)
{
	uint32_t low = 0, high = l->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (l->ends[middle] > begin)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Appends the others that overlap the tile. */
static void layer_find(const struct layer *l, enum ascend_memory m, uint32_t tile, uint32_t *found, uint32_t *count)
{
	uint64_t begin, end;

	if (!l->at || !(l->k->homes[tile] >> m & 1))
		return;
	begin = l->at[tile];
	end = begin + ascend_tile_bytes(l->k, tile);
	for (uint32_t i = first_beyond(l, begin); i < l->count && l->at[l->tiles[i]] < end; i++)
		if (l->tiles[i] != tile && l->at[l->tiles[i]] + ascend_tile_bytes(l->k, l->tiles[i]) > begin)
			found[(*count)++] = l->tiles[i];
}

/* The layer whose place on this side is, in part, that of the tile: first its own. found: room for the tiles of both layers. */
static void room_make(struct ascend_kernel *k, uint32_t tile, enum ascend_side side, const struct layer layers[ASCEND_MEMORY_COUNT], uint32_t *found)
{
	uint32_t count = 0;

	ascend_time_add(k, ascend_time_there(tile, side));
	ascend_time_add(k, ascend_time_read(tile, side));
	for (enum ascend_memory m = 0; m < ASCEND_MEMORY_COUNT; m++)
		if (side == ASCEND_ON_VECTOR ? m == ASCEND_MEMORY_UB : m == ASCEND_MEMORY_L1 || m == ASCEND_MEMORY_L0C)
			layer_find(&layers[m], m, tile, found, &count);
	qsort(found, count, sizeof(*found), by_number);
	for (uint32_t i = 0; i < count; i++)
		if (!i || found[i] != found[i - 1]) {
			ascend_time_add(k, ascend_time_there(found[i], side));
			ascend_time_add(k, ascend_time_read(found[i], side));
		}
}

static void side_make(struct ascend_kernel *k, enum ascend_side side, uint32_t *rooms, const struct layer layers[ASCEND_MEMORY_COUNT], uint32_t *found)
{
	for (uint32_t t = 0; t < k->tile_count; t++) {
		rooms[t] = k->time_count;
		room_make(k, t, side, layers, found);
	}
	rooms[k->tile_count] = k->time_count;
}

/* A list per tile and side, one behind the other: short ones unless places are shared, then of 1024 tiles at most (live.c). */
ptowsp_status ascend_rooms_make(struct ascend_kernel *k)
{
	static const enum ascend_side sides[2] = {ASCEND_ON_VECTOR, ASCEND_ON_CUBE};
	struct layer layers[ASCEND_MEMORY_COUNT] = {{.k = NULL}};
	uint32_t *found = malloc((k->tile_count + (size_t)1) * 2 * sizeof(*found));
	bool ok = found != NULL;

	for (enum ascend_memory m = 0; ok && m < ASCEND_MEMORY_COUNT; m++)
		ok = layer_init(&layers[m], k, m);
	for (int s = 0; ok && s < 2; s++) {
		k->rooms[s] = calloc(k->tile_count + 1u, sizeof(*k->rooms[s]));
		ok = k->rooms[s] != NULL;
		if (ok)
			side_make(k, sides[s], k->rooms[s], layers, found);
	}
	for (enum ascend_memory m = 0; m < ASCEND_MEMORY_COUNT; m++)
		layer_finish(&layers[m]);
	free(found);
	return ok && !k->failed ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}
