/* SPDX-License-Identifier: MIT */
/* clocks_room.c - structure: can the next task ever be issued while things are as they are, and who must have left before it is? */
#include "rt/process/clocks_rows.h"

uint64_t rt_clocks_map_from(const struct rt_clocks *clocks, uint64_t from)
{
	return clocks->map - (from < clocks->issued ? rt_clocks_row(clocks, from)->map : clocks->map);
}

uint64_t rt_clocks_deps_from(const struct rt_clocks *clocks, uint64_t from)
{
	return clocks->deps - (from < clocks->issued ? rt_clocks_row(clocks, from)->deps : clocks->deps);
}

uint64_t rt_clocks_deps_held(const struct rt_clocks *clocks)
{
	return rt_clocks_deps_from(clocks, clocks->settled);
}

ptowsp_status rt_clocks_room(const struct rt_clocks *clocks, struct rt_need need, struct rt_block *block)
{
	const struct rt_clock *base = clocks->base;
	uint64_t held = clocks->issued - clocks->settled, map = rt_clocks_map_from(clocks, clocks->settled),
		 deps = rt_clocks_deps_from(clocks, clocks->settled);

	*block = (struct rt_block){.need = 0};
	if (base->map_capacity && need.map > base->map_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_TENSOR_MAP, base->map_capacity, 0, need.map, need.map};
	else if (base->deps_capacity && need.deps > base->deps_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_DEP_LIST, base->deps_capacity, 0, need.deps, need.deps};
	if (block->need)
		return PTOWSP_TOO_SMALL;
	if (base->window && held >= base->window)
		*block = (struct rt_block){PTOWSP_RESOURCE_TASK_RING, base->window, held, 1, held + 1};
	else if (base->map_capacity && need.map && map + need.map > base->map_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_TENSOR_MAP, base->map_capacity, map, need.map, map + need.map};
	else if (base->deps_capacity && need.deps && deps + need.deps > base->deps_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_DEP_LIST, base->deps_capacity, deps, need.deps, deps + need.deps};
	return block->need ? PTOWSP_AGAIN : PTOWSP_OK;
}

/* The least j >= first with: what tasks j .. issued - 1 have reserved leaves room for need. */
static uint64_t tail_of(const struct rt_clocks *clocks, uint64_t capacity, uint64_t need, uint64_t (*held_from)(const struct rt_clocks *, uint64_t))
{
	uint64_t low = clocks->first, high = clocks->settled;

	while (capacity && need && low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (held_from(clocks, middle) + need > capacity)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t rt_clocks_ring_tail(const struct rt_clocks *clocks)
{
	uint64_t window = clocks->base->window;

	return window && clocks->issued >= window ? clocks->issued - window + 1 : 0;
}

uint64_t rt_clocks_map_tail(const struct rt_clocks *clocks, uint64_t need)
{
	return tail_of(clocks, clocks->base->map_capacity, need, rt_clocks_map_from);
}

uint64_t rt_clocks_deps_tail(const struct rt_clocks *clocks, uint64_t need)
{
	return tail_of(clocks, clocks->base->deps_capacity, need, rt_clocks_deps_from);
}

uint64_t rt_clocks_tail(const struct rt_clocks *clocks, struct rt_need need)
{
	return rt_later(rt_clocks_ring_tail(clocks), rt_later(rt_clocks_map_tail(clocks, need.map), rt_clocks_deps_tail(clocks, need.deps)));
}
