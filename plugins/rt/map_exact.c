/* SPDX-License-Identifier: MIT */
/* map_exact.c - keys by equality: an open-addressing table of entry numbers, entries beside it. An entry whose tasks have all left the window is
 * reused when new keys come: each new key looks at two entries in turn, so a hit costs nothing for it. */
#include "rt/map.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct rt_key key;
	bool used;
	struct rt_cell cell;
};
struct rt_exact {
	struct entry *entries;
	uint32_t *table; /* entry + 1, 0 = free; linear probing */
	uint32_t *spare; /* entries not in use */
	uint32_t room, spare_count, mask; /* mask + 1 = 4 * room */
	uint32_t hand;   /* next entry to look at */
};

static bool storage(struct rt_exact *map, uint32_t room)
{
	map->room = room;
	map->mask = room * 4 - 1;
	map->spare_count = 0;
	map->entries = calloc(room, sizeof(*map->entries));
	map->table = calloc((size_t)map->mask + 1, sizeof(*map->table));
	map->spare = malloc(room * sizeof(*map->spare));
	return map->entries && map->table && map->spare;
}

static void release(struct rt_exact *map)
{
	free(map->entries);
	free(map->table);
	free(map->spare);
}

struct rt_exact *rt_exact_create(void)
{
	struct rt_exact *map = calloc(1, sizeof(*map));

	if (map && !storage(map, 1024)) {
		rt_exact_destroy(map);
		return NULL;
	}
	for (uint32_t i = map ? map->room : 0; i > 0; i--)
		map->spare[map->spare_count++] = i - 1;
	return map;
}

void rt_exact_destroy(struct rt_exact *map)
{
	if (!map)
		return;
	release(map);
	free(map);
}

static uint32_t hash(const struct rt_key *key, uint32_t mask)
{
	uint64_t h = (uint64_t)key->row * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)key->column * UINT64_C(0xC2B2AE3D27D4EB4F) ^
		     (uint64_t)key->class * UINT64_C(0x165667B19E3779F9);

	h ^= h >> 32;
	h *= UINT64_C(0xD6E8FEB86659FD93);
	return (uint32_t)(h >> 32) & mask;
}

static bool same(const struct rt_key *a, const struct rt_key *b)
{
	return a->row == b->row && a->column == b->column && a->class == b->class;
}

/* The key's place in the table: its own or the free one where it would go. */
static uint32_t place(const struct rt_exact *map, const struct rt_key *key)
{
	uint32_t at = hash(key, map->mask);

	while (map->table[at] && !same(&map->entries[map->table[at] - 1].key, key))
		at = (at + 1) & map->mask;
	return at;
}

/* Takes an entry out; the entries behind it move up so that no probe breaks. */
static void drop(struct rt_exact *map, uint32_t entry)
{
	uint32_t hole = place(map, &map->entries[entry].key), at = hole;

	for (;;) {
		uint32_t home;

		at = (at + 1) & map->mask;
		if (!map->table[at])
			break;
		home = hash(&map->entries[map->table[at] - 1].key, map->mask);
		if (((at - home) & map->mask) >= ((at - hole) & map->mask)) {
			map->table[hole] = map->table[at];
			hole = at;
		}
	}
	map->table[hole] = 0;
	map->entries[entry].used = false;
	map->spare[map->spare_count++] = entry;
}

static void sweep(struct rt_exact *map, const struct rt_track *track)
{
	for (unsigned k = 0; k < 2; k++) {
		uint32_t entry = map->hand;

		map->hand = (entry + 1) % map->room;
		if (map->entries[entry].used && rt_cell_dead(&map->entries[entry].cell, track))
			drop(map, entry);
	}
}

/* Twice the room; the dead stay behind. */
static bool grow(struct rt_exact *map, const struct rt_track *track)
{
	struct rt_exact more = {0};
	uint32_t next = 0;

	if (map->room >= UINT32_C(1) << 28 || !storage(&more, map->room * 2)) {
		release(&more);
		return false;
	}
	for (uint32_t i = 0; i < map->room; i++)
		if (map->entries[i].used && !rt_cell_dead(&map->entries[i].cell, track)) {
			more.entries[next] = map->entries[i];
			more.table[place(&more, &map->entries[i].key)] = next + 1;
			next++;
		}
	for (uint32_t i = more.room; i > next; i--)
		more.spare[more.spare_count++] = i - 1;
	release(map);
	*map = more;
	return true;
}

static struct rt_cell *find(struct rt_exact *map, const struct rt_key *key)
{
	uint32_t entry = map->table[place(map, key)];

	return entry ? &map->entries[entry - 1].cell : NULL;
}

/* The key's cell, a new one if need be; NULL when out of memory. */
static struct rt_cell *take(struct rt_exact *map, struct rt_track *track, const struct rt_key *key)
{
	struct rt_cell *cell = find(map, key);
	uint32_t entry;

	if (cell)
		return cell;
	sweep(map, track);
	if (!map->spare_count && !grow(map, track)) {
		track->preds->out_of_memory = true;
		return NULL;
	}
	entry = map->spare[--map->spare_count];
	map->entries[entry] = (struct entry){.key = *key, .used = true};
	map->table[place(map, key)] = entry + 1;
	return &map->entries[entry].cell;
}

void rt_exact_read(struct rt_exact *map, struct rt_track *track, const struct rt_key *key)
{
	/* A read alone leaves no trace when only RAW matters. */
	struct rt_cell *cell = track->full ? take(map, track, key) : find(map, key);

	if (cell)
		rt_cell_read(track, cell);
}

void rt_exact_write(struct rt_exact *map, struct rt_track *track, const struct rt_key *key)
{
	struct rt_cell *cell = take(map, track, key);

	if (cell)
		rt_cell_write(track, cell);
}
