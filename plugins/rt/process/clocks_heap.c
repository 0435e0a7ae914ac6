/* SPDX-License-Identifier: MIT */
/* clocks_heap.c - the heap arena as instances see it whose clocks stand apart: what comes back at some time is there for whose clock is
 * behind that, and not for others. F is monotone in task order, and so are the bytes that wait for it. */
#include "rt/process/clocks.h"

/* What nobody will find any more. */
static void forget(struct rt_clocks *clocks)
{
	struct rt_arena *heap = &clocks->base->heap;
	uint64_t least = rt_clocks_least(clocks);

	rt_arena_settle(heap, clocks->first);
	while (heap->count && rt_arena_first(heap)->tasks <= clocks->settled && rt_clocks_left(clocks, rt_arena_first(heap)->tasks) <= least)
		rt_arena_settle(heap, rt_arena_first(heap)->tasks);
}

/* Has it come back by now? */
static bool back(const struct rt_clocks *clocks, const struct rt_arena_return *row)
{
	return row->tasks <= clocks->settled && rt_clocks_left(clocks, row->tasks) <= clocks->base->now;
}

static uint64_t used_now(const struct rt_clocks *clocks)
{
	const struct rt_arena *heap = &clocks->base->heap;
	const struct rt_arena_return *row = rt_arena_first(heap);
	uint64_t used = heap->used;

	for (uint32_t left = heap->count; left && back(clocks, row); left--, row++)
		used -= row->bytes;
	return used;
}

/* Structure has seen that tasks which no scope holds give back enough. */
void rt_clocks_heap_stall(struct rt_clocks *clocks, uint64_t bytes)
{
	struct rt_clock *base = clocks->base;
	const struct rt_arena_return *row;
	uint64_t used, when = 0;

	if (!base->heap.capacity)
		return;
	forget(clocks);
	used = base->heap.used;
	row = rt_arena_first(&base->heap);
	for (uint32_t left = base->heap.count; left && used + bytes > base->heap.capacity; left--, row++) {
		used -= row->bytes;
		when = rt_clocks_left(clocks, row->tasks);
	}
	rt_clocks_stall(base, &base->meters[PTOWSP_RESOURCE_HEAP], when);
}

void rt_clocks_heap_take(struct rt_clocks *clocks, uint64_t bytes)
{
	struct rt_clock *base = clocks->base;

	if (!bytes && !base->heap.count) /* as it was */
		return;
	forget(clocks);
	rt_meter_mark(&base->meters[PTOWSP_RESOURCE_HEAP], used_now(clocks) + bytes);
	base->heap.used += bytes;
}
