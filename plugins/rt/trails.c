/* SPDX-License-Identifier: MIT */
#include "rt/trails.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_LEAST = 1024 };

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

bool rt_trails_init(struct rt_trails *trails, uint32_t tensors)
{
	memset(trails, 0, sizeof(*trails));
	trails->kept = KEPT_LEAST;
	return rt_intervals_init(&trails->set, tensors);
}

void rt_trails_finish(struct rt_trails *trails)
{
	rt_intervals_finish(&trails->set);
	free(trails->trails);
	memset(trails, 0, sizeof(*trails));
}

/* A trail for every node there is room for. */
static bool trails_grow(struct rt_trails *trails)
{
	struct rt_trail *more;

	if (trails->room >= trails->set.room)
		return true;
	more = realloc(trails->trails, (size_t)trails->set.room * sizeof(*more));
	if (!more)
		return false;
	trails->trails = more;
	trails->room = trails->set.room;
	return true;
}

static uint32_t insert(struct rt_trails *trails, uint32_t tensor, int64_t first, int64_t last)
{
	uint32_t node = rt_interval_insert(&trails->set, tensor, first, last, (struct rt_cell){0});

	if (node == RT_NO_NODE || !trails_grow(trails))
		return RT_NO_NODE;
	trails->trails[node] = (struct rt_trail){0};
	return node;
}

static uint32_t cut(struct rt_trails *trails, uint32_t node, int64_t at)
{
	uint32_t right = rt_interval_cut(&trails->set, node, at);

	if (right == RT_NO_NODE || !trails_grow(trails))
		return RT_NO_NODE;
	trails->trails[right] = trails->trails[node];
	return right;
}

/* The interval that begins at first and ends at or before last: cut out of what is there, or made where there is nothing. */
static uint32_t piece(struct rt_trails *trails, uint32_t tensor, int64_t first, int64_t last)
{
	const struct rt_intervals *set = &trails->set;
	uint32_t node = rt_interval_after(set, tensor, first);

	if (node == RT_NO_NODE || set->nodes[node].start >= last)
		return insert(trails, tensor, first, last);
	if (set->nodes[node].start > first)
		return insert(trails, tensor, first, set->nodes[node].start);
	if (set->nodes[node].start < first)
		node = cut(trails, node, first);
	if (node != RT_NO_NODE && set->nodes[node].end > last && cut(trails, node, last) == RT_NO_NODE)
		return RT_NO_NODE;
	return node;
}

bool rt_trails_enter(struct rt_trails *trails, uint32_t tensor, int64_t first, int64_t last, uint64_t task, uint64_t end, bool writes)
{
	while (first < last) {
		uint32_t node = piece(trails, tensor, first, last);
		struct rt_trail *trail;

		if (node == RT_NO_NODE)
			return false;
		trail = &trails->trails[node];
		trail->touched = task + 1;
		trail->touched_end = later(trail->touched_end, end);
		if (writes) {
			trail->wrote = task + 1;
			trail->wrote_end = end;
		}
		first = trails->set.nodes[node].end;
	}
	return true;
}

void rt_trails_join(const struct rt_trails *trails, uint32_t tensor, int64_t first, int64_t last, struct rt_trail *trail)
{
	uint32_t node = rt_interval_after(&trails->set, tensor, first);

	for (; node != RT_NO_NODE && trails->set.nodes[node].start < last; node = rt_interval_next(&trails->set, node)) {
		const struct rt_trail *other = &trails->trails[node];

		trail->wrote = later(trail->wrote, other->wrote);
		trail->touched = later(trail->touched, other->touched);
		trail->wrote_end = later(trail->wrote_end, other->wrote_end);
		trail->touched_end = later(trail->touched_end, other->touched_end);
	}
}

void rt_trails_writers(const struct rt_trails *trails, uint32_t tensor, int64_t first, int64_t last, void (*tell)(void *context, uint64_t writer), void *context)
{
	uint32_t node = rt_interval_after(&trails->set, tensor, first);

	for (; node != RT_NO_NODE && trails->set.nodes[node].start < last; node = rt_interval_next(&trails->set, node))
		if (trails->trails[node].wrote)
			tell(context, trails->trails[node].wrote);
}

static uint32_t count_of(const struct rt_trails *trails)
{
	return trails->set.room - trails->set.spare_count;
}

bool rt_trails_full(const struct rt_trails *trails)
{
	return count_of(trails) / 2 >= trails->kept;
}

void rt_trails_forget(struct rt_trails *trails, uint64_t tasks, uint64_t time)
{
	for (uint32_t node = 0; node < trails->set.room; node++)
		if (trails->set.nodes[node].used && trails->trails[node].touched <= tasks && trails->trails[node].touched_end <= time)
			rt_interval_remove(&trails->set, node);
	trails->kept = count_of(trails) > KEPT_LEAST ? count_of(trails) : KEPT_LEAST;
}
