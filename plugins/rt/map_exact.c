/* SPDX-License-Identifier: MIT */
/* map_exact.c - keys by equality: one open-addressing table with the entries in it, two to a cache line.
 *
 * An entry whose tasks have all left the window is dead. Nothing takes dead entries out: a new key takes the first dead place from its own on,
 * and each place knows how far from it a search has to go. So a hit costs nothing for those that die, and the table is as large as the
 * window needs. */
#include "rt/map.h"

#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"

enum { ROOM_BITS = 11, REACH_SHIFT = 24, REACH_MOST = 63 };
#define NO_CLASS (RT_CLASS_LIMIT - 1) /* of a place that was never used */

static bool entries_make(struct rt_exact *map, unsigned bits, uint32_t stale)
{
	uint64_t count = UINT64_C(1) << bits;

	map->entries = bits < 40 ? aligned_alloc(64, count * sizeof(*map->entries)) : NULL;
	if (!map->entries)
		return false;
	for (uint64_t i = 0; i < count; i++)
		map->entries[i] = (struct rt_entry){.tag = NO_CLASS, .cell = {stale, stale, 0}};
	map->mask = count - 1;
	map->shift = 64 - bits;
	map->entered = 0;
	return true;
}

bool rt_exact_init(struct rt_exact *map, uint64_t places)
{
	unsigned bits = ROOM_BITS;

	memset(map, 0, sizeof(*map));
	map->fixed = places != 0;
	while (places > UINT64_C(1) << (bits - 1))
		bits++;
	return entries_make(map, bits, 0);
}

void rt_exact_finish(struct rt_exact *map)
{
	free(map->entries);
	memset(map, 0, sizeof(*map));
}

static uint64_t entry_hash(const struct rt_entry *entry)
{
	const struct rt_key key = {entry->row, entry->column, entry->tag & (RT_CLASS_LIMIT - 1)};

	return rt_key_hash(&key);
}

struct rt_entry *rt_exact_find_on(const struct rt_exact *map, const struct rt_key *key, uint64_t at)
{
	uint32_t reach = map->entries[at].tag >> REACH_SHIFT;

	for (; reach; reach--) {
		at = (at + 1) & map->mask;
		if (rt_entry_is(&map->entries[at], key))
			return &map->entries[at];
	}
	return NULL;
}

/* How far the live keys of a place really lie: those that died may have been the farthest. */
static void reach_shorten(struct rt_exact *map, const struct rt_track *track, uint64_t home)
{
	uint32_t reach = map->entries[home].tag >> REACH_SHIFT;

	for (; reach; reach--) {
		const struct rt_entry *entry = &map->entries[(home + reach) & map->mask];

		if (!rt_cell_dead(&entry->cell, track) && rt_exact_place(map, entry_hash(entry)) == home)
			break;
	}
	map->entries[home].tag = (map->entries[home].tag & (RT_CLASS_LIMIT - 1)) | reach << REACH_SHIFT;
}

/* The first dead place from the key's own on becomes the key's. NULL: there is none near. */
static struct rt_entry *dead_take(struct rt_exact *map, const struct rt_track *track, const struct rt_key *key, uint64_t home)
{
	uint32_t far = 0;
	struct rt_entry *entry = &map->entries[home];

	while (!rt_cell_dead(&entry->cell, track)) {
		if (far == REACH_MOST)
			return NULL;
		entry = &map->entries[(home + ++far) & map->mask];
	}
	entry->row = key->row;
	entry->column = key->column;
	entry->tag = key->class | (entry->tag & ~(RT_CLASS_LIMIT - 1));
	if (far > map->entries[home].tag >> REACH_SHIFT)
		map->entries[home].tag = (map->entries[home].tag & (RT_CLASS_LIMIT - 1)) | far << REACH_SHIFT;
	return entry;
}

/* Twice the room; the dead stay behind. */
static bool grow(struct rt_exact *map, const struct rt_track *track)
{
	struct rt_exact more = {.fixed = map->fixed};
	unsigned bits = 64 - map->shift;

	for (;;) {
		bool ok = entries_make(&more, ++bits, track->preds->stale);

		for (uint64_t i = 0; ok && i <= map->mask; i++) {
			const struct rt_entry *from = &map->entries[i];
			const struct rt_key key = {from->row, from->column, from->tag & (RT_CLASS_LIMIT - 1)};
			struct rt_entry *to = NULL;

			if (rt_cell_dead(&from->cell, track))
				continue;
			to = dead_take(&more, track, &key, rt_exact_place(&more, entry_hash(from)));
			ok = to != NULL;
			if (ok)
				to->cell = from->cell;
		}
		if (ok)
			break;
		if (!more.entries)
			return false;
		free(more.entries); /* still too crowded somewhere */
		more.entries = NULL;
	}
	free(map->entries);
	*map = more;
	return true;
}

/* Counted once per so many keys that a table could have filled up: half full is full. */
static bool crowded(struct rt_exact *map, const struct rt_track *track)
{
	uint64_t live = 0;

	if (map->entered <= map->mask / 2)
		return false;
	map->entered = 0;
	for (uint64_t i = 0; i <= map->mask; i++)
		live += !rt_cell_dead(&map->entries[i].cell, track);
	return live > map->mask / 2;
}

struct rt_cell *rt_exact_enter_on(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash)
{
	uint64_t home = rt_exact_place(map, hash);
	struct rt_entry *entry;

	map->entered++;
	if (map->entries[home].tag >= RT_CLASS_LIMIT)
		reach_shorten(map, track, home);
	entry = crowded(map, track) ? NULL : dead_take(map, track, key, home);
	while (!entry) {
		if (!grow(map, track)) {
			track->preds->out_of_memory = true;
			return NULL;
		}
		entry = dead_take(map, track, key, rt_exact_place(map, hash));
	}
	entry->cell = rt_cell_new(track);
	return &entry->cell;
}

void rt_exact_take_class(struct rt_exact *map, const struct rt_track *track, uint32_t class,
			 void (*visit)(void *context, const struct rt_entry *entry), void *context)
{
	for (uint64_t i = 0; i <= map->mask; i++) {
		struct rt_entry *entry = &map->entries[i];

		if ((entry->tag & (RT_CLASS_LIMIT - 1)) != class)
			continue;
		if (!rt_cell_dead(&entry->cell, track))
			visit(context, entry);
		entry->tag |= NO_CLASS;
		entry->cell = rt_cell_new(track);
	}
}

void rt_exact_freshen(struct rt_exact *map, const struct rt_track *track)
{
	for (uint64_t i = 0; i <= map->mask; i++) {
		struct rt_cell *cell = &map->entries[i].cell;

		if (rt_preds_gone(track->preds, cell->last))
			cell->last = track->preds->stale;
		if (rt_preds_gone(track->preds, cell->writer))
			cell->writer = track->preds->stale;
	}
}
