/* SPDX-License-Identifier: MIT */
/* map.h - tensor maps: from what a task touches to the cells that know who touched it before.
 *
 * rt_exact compares keys for equality. rt_overlap knows which elements tasks have in common: where all accesses to a tensor are equal or
 * disjoint it is a table of keys too, else a set of intervals. One thread. */
#ifndef RT_MAP_H
#define RT_MAP_H

#include <stddef.h>
#include "rt/track.h"

/* class: tensor and shape, or tensor and tile level; below RT_CLASS_LIMIT. */
struct rt_key {
	int64_t row, column;
	uint32_t class;
};
#define RT_CLASS_LIMIT (UINT32_C(1) << 24)

/* Linear in row and column, so that a loop can carry it on by a constant; the map mixes it. */
#define RT_HASH_ROW UINT64_C(0x9E3779B97F4A7C15)
#define RT_HASH_COLUMN UINT64_C(0xC2B2AE3D27D4EB4F)
#define RT_HASH_CLASS UINT64_C(0x165667B19E3779F9)
static inline uint64_t rt_key_hash(const struct rt_key *key)
{
	return (uint64_t)key->row * RT_HASH_ROW + (uint64_t)key->column * RT_HASH_COLUMN + key->class * RT_HASH_CLASS;
}

/* Half a cache line. */
struct rt_entry {
	int64_t row, column;
	uint32_t tag; /* class, and in the top 8 bits how far from here the keys lie whose place this is */
	struct rt_cell cell;
};
struct rt_exact {
	struct rt_entry *entries;
	uint64_t mask;  /* mask + 1 places */
	unsigned shift; /* mask + 1 is 2 ^ (64 - shift) */
	uint64_t entered; /* keys since the places were last counted */
	bool fixed;     /* never grows: see map_exact.c */
};
/* places: 0 for a table that grows with what is live; else a fixed one for so many live keys. False when out of memory. */
bool rt_exact_init(struct rt_exact *map, uint64_t places);
void rt_exact_finish(struct rt_exact *map);
/* The rest of rt_exact_find and rt_exact_enter: the key is not where it is looked for first. */
struct rt_entry *rt_exact_find_on(const struct rt_exact *map, const struct rt_key *key, uint64_t at);
struct rt_cell *rt_exact_enter_on(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash);
/* All live keys of a class move out: visit is called for each, then it is gone. */
void rt_exact_take_class(struct rt_exact *map, const struct rt_track *track, uint32_t class,
			 void (*visit)(void *context, const struct rt_entry *entry), void *context);
/* Stamps that are gone are set to stale: every 2^30 tasks. */
void rt_exact_freshen(struct rt_exact *map, const struct rt_track *track);

/* Rows and columns are multiples of tile sizes, which leaves the low bits empty: the high half of a product spreads what is above. */
static inline uint64_t rt_exact_place(const struct rt_exact *map, uint64_t hash)
{
	hash ^= hash >> 32;
	return hash * UINT64_C(0xD6E8FEB86659FD93) >> map->shift;
}

static inline bool rt_entry_is(const struct rt_entry *entry, const struct rt_key *key)
{
	return !((uint64_t)(entry->row ^ key->row) | (uint64_t)(entry->column ^ key->column) |
		 ((entry->tag ^ key->class) & (RT_CLASS_LIMIT - 1)));
}

/* The cell of a key, NULL if there is none. hash: rt_key_hash of the key. */
static inline struct rt_cell *rt_exact_find(const struct rt_exact *map, const struct rt_key *key, uint64_t hash)
{
	uint64_t at = rt_exact_place(map, hash);
	struct rt_entry *entry = &map->entries[at];

	if (rt_entry_is(entry, key))
		return &entry->cell;
	if (entry->tag < RT_CLASS_LIMIT)
		return NULL;
	entry = rt_exact_find_on(map, key, at);
	return entry ? &entry->cell : NULL;
}

/* The same, made if there is none; NULL when out of memory, which preds remember. */
static inline struct rt_cell *rt_exact_enter(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash)
{
	struct rt_cell *cell = rt_exact_find(map, key, hash);

	return cell ? cell : rt_exact_enter_on(map, track, key, hash);
}

/* Elements [start, end) of a tensor, start < end. */
struct rt_pieces;
struct rt_pieces *rt_pieces_create(uint32_t tensors);
void rt_pieces_destroy(struct rt_pieces *map);
void rt_pieces_read(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
void rt_pieces_write(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
/* Puts a cell with a history where there is nothing yet. */
void rt_pieces_put(struct rt_pieces *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end, struct rt_cell cell);
/* Latest task that wrote any of it, + 1; 0: nobody that is remembered. */
uint64_t rt_pieces_writer(const struct rt_pieces *map, const struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
void rt_pieces_freshen(struct rt_pieces *map, const struct rt_track *track);

#endif
