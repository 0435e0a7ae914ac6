/* SPDX-License-Identifier: MIT */
/* interval.h - disjoint intervals of elements per tensor, each with a cell: a treap per tensor in order of position, and a hash table of exact
 * bounds, so that an access that falls on an existing interval is found in O(1). */
#ifndef RT_INTERVAL_H
#define RT_INTERVAL_H

#include "rt/access/track.h"

#define RT_NO_NODE UINT32_MAX

struct rt_interval {
	int64_t start, end;
	struct rt_cell cell;
	uint32_t tensor;
	uint32_t left, right, parent; /* of the treap; its priority is a mix of the node's number */
	uint32_t before, behind;      /* neighbours */
	bool used;
};
struct rt_intervals {
	struct rt_interval *nodes;
	uint32_t *roots; /* per tensor */
	uint32_t *table; /* node + 1, 0 = free; linear probing */
	uint32_t *spare;
	uint32_t tensors, room, spare_count, mask, hand;
};
bool rt_intervals_init(struct rt_intervals *set, uint32_t tensors);
void rt_intervals_finish(struct rt_intervals *set);
/* The interval with exactly these bounds. */
uint32_t rt_interval_exact(const struct rt_intervals *set, uint32_t tensor, int64_t start, int64_t end);
/* The first interval that ends behind `position`. */
uint32_t rt_interval_after(const struct rt_intervals *set, uint32_t tensor, int64_t position);
static inline uint32_t rt_interval_next(const struct rt_intervals *set, uint32_t node)
{
	return set->nodes[node].behind;
}
/* Must not overlap another one. RT_NO_NODE when out of memory. Moves nodes: pointers to them end here. */
uint32_t rt_interval_insert(struct rt_intervals *set, uint32_t tensor, int64_t start, int64_t end, struct rt_cell cell);
void rt_interval_remove(struct rt_intervals *set, uint32_t node);
/* Splits at start < at < end; returns the right half, the left one keeps the node. Both have the same history. */
uint32_t rt_interval_cut(struct rt_intervals *set, uint32_t node, int64_t at);
/* Looks at `steps` nodes in turn and removes those that no task of the window touched. */
void rt_intervals_sweep(struct rt_intervals *set, const struct rt_track *track, uint32_t steps);

#endif
