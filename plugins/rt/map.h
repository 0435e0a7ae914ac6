/* SPDX-License-Identifier: MIT */
/* map.h - tensor maps: what earlier tasks did to what a task touches. Both answer through track->preds; both forget what has left the window
 * while they are searched (lazily), and hold O(window) entries. */
#ifndef RT_MAP_H
#define RT_MAP_H

#include "rt/track.h"

/* Keys are compared for equality. */
struct rt_key {
	int64_t row, column;
	uint32_t class; /* tensor and shape, or tensor and tile level */
};
/* Linear in row and column, so that a loop can carry it on by a constant; the map mixes it. */
#define RT_HASH_ROW UINT64_C(0x9E3779B97F4A7C15)
#define RT_HASH_COLUMN UINT64_C(0xC2B2AE3D27D4EB4F)
#define RT_HASH_CLASS UINT64_C(0x165667B19E3779F9)
static inline uint64_t rt_key_hash(const struct rt_key *key)
{
	return (uint64_t)key->row * RT_HASH_ROW + (uint64_t)key->column * RT_HASH_COLUMN + key->class * RT_HASH_CLASS;
}
struct rt_exact;
struct rt_exact *rt_exact_create(void); /* NULL when out of memory */
void rt_exact_destroy(struct rt_exact *map);
/* hash: of the key. */
void rt_exact_read(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash);
void rt_exact_write(struct rt_exact *map, struct rt_track *track, const struct rt_key *key, uint64_t hash);

/* Elements [start, end) of a tensor, start < end. */
struct rt_overlap;
struct rt_overlap *rt_overlap_create(uint32_t tensors);
void rt_overlap_destroy(struct rt_overlap *map);
void rt_overlap_read(struct rt_overlap *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
void rt_overlap_write(struct rt_overlap *map, struct rt_track *track, uint32_t tensor, int64_t start, int64_t end);
/* Latest task that wrote any of it, + 1; 0: nobody that is remembered. */
uint64_t rt_overlap_writer(const struct rt_overlap *map, uint32_t tensor, int64_t start, int64_t end);

#endif
