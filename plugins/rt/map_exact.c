/* SPDX-License-Identifier: MIT */
/* map_exact.c - keys by equality: one open-addressing table with the entries in it, so that a look costs one cache line. An entry whose tasks have all left the
 * window is dead and makes room when new keys come: each new key looks at some places of the table in turn, so a hit costs nothing for it, and
 * the table stays as large as the window needs. */
#include "rt/map.h"

#include <stdlib.h>

enum { ROOM_BITS = 11, SWEEP = 4 }; /* 2,048 places at first */

struct entry {
	struct rt_key key;
	struct rt_cell cell; /* last is 0 in a free place: who enters a key reads or writes it */
};
struct rt_exact {
	struct entry *entries; /* linear probing */
	uint64_t mask, count;  /* mask + 1 places, count in use: at most half */
	unsigned shift;        /* mask + 1 is 2 ^ (64 - shift) */
	uint64_t hand;         /* next place to look at */
};

struct rt_exact *rt_exact_create(void)
{
	struct rt_exact *map = calloc(1, sizeof(*map));

	if (map)
		map->entries = calloc(1u << ROOM_BITS, sizeof(*map->entries));
	if (map && !map->entries) {
		free(map);
		return NULL;
	}
	if (map) {
		map->mask = (1u << ROOM_BITS) - 1;
		map->shift = 64 - ROOM_BITS;
	}
	return map;
}

void rt_exact_destroy(struct rt_exact *map)
{
	if (map)
		free(map->entries);
	free(map);
}

/* Rows and columns are multiples of tile sizes, which leaves the low bits empty: the high half of a product spreads what is above. */
static uint64_t home(const struct rt_exact *map, uint64_t hash)
{
	hash ^= hash >> 32;
	return hash * UINT64_C(0xD6E8FEB86659FD93) >> map->shift;
}

static bool same(const struct rt_key *a, const struct rt_key *b)
{
	return a->row == b->row && a->column == b->column && a->class == b->class;
}

/* The key's entry, or the free place where it would go. */
static struct entry *look(const struct rt_exact *map, const struct rt_key *key, uint64_t hash)
{
	uint64_t at = home(map, hash);

	while (map->entries[at].cell.last && !same(&map->entries[at].key, key))
		at = (at + 1) & map->mask;
	return &map->entries[at];
}

/* Takes an entry out; those behind it move up so that no probe breaks. */
static void drop(struct rt_exact *map, uint64_t hole)
{
	uint64_t at = hole;

	for (;;) {
		at = (at + 1) & map->mask;
		if (!map->entries[at].cell.last)
			break;
		if (((at - home(map, rt_key_hash(&map->entries[at].key))) & map->mask) >= ((at - hole) & map->mask)) {
			map->entries[hole] = map->entries[at];
			hole = at;
		}
	}
	map->entries[hole].cell.last = 0;
	map->count--;
}

/* Each place comes by once while 1/SWEEP of the table is filled, which is at most half full: dead ones cannot pile up. */
static void sweep(struct rt_exact *map, const struct rt_track *track)
{
	for (unsigned k = 0; k < SWEEP; k++) {
		const struct rt_cell *cell = &map->entries[map->hand].cell;

		if (cell->last && rt_cell_dead(cell, track))
			drop(map, map->hand); /* another may have moved here: it is looked at when the hand comes round again */
		map->hand = (map->hand + 1) & map->mask;
	}
}

/* Twice the room; the dead stay behind. */
static bool grow(struct rt_exact *map, const struct rt_track *track)
{
	struct rt_exact more = {.mask = map->mask * 2 + 1, .shift = map->shift - 1};

	more.entries = calloc(more.mask + 1, sizeof(*more.entries));
	if (!more.entries)
		return false;
	for (uint64_t i = 0; i <= map->mask; i++)
		if (map->entries[i].cell.last && !rt_cell_dead(&map->entries[i].cell, track)) {
			*look(&more, &map->entries[i].key, rt_key_hash(&map->entries[i].key)) = map->entries[i];
			more.count++;
		}
	free(map->entries);
	*map = more;
	return true;
}

/* A cell for a new key; NULL when out of memory. */
static struct rt_cell *enter(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash)
{
	struct entry *entry;

	sweep(map, track);
	if (map->count * 2 > map->mask && !grow(map, track)) {
		track->preds->out_of_memory = true;
		return NULL;
	}
	map->count++;
	entry = look(map, key, hash);
	*entry = (struct entry){.key = *key};
	return &entry->cell;
}

void rt_exact_read(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash)
{
	struct rt_cell *cell = &look(map, key, hash)->cell;

	/* A read alone leaves no trace when only RAW matters. */
	if (!cell->last)
		cell = track->full ? enter(map, track, key, hash) : NULL;
	if (cell)
		rt_cell_read(track, cell);
}

void rt_exact_write(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash)
{
	struct rt_cell *cell = &look(map, key, hash)->cell;

	if (!cell->last)
		cell = enter(map, track, key, hash);
	if (cell)
		rt_cell_write(track, cell);
}
