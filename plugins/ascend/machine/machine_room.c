/* SPDX-License-Identifier: MIT */
#include "ascend/machine/machine_room.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>

bool ascend_room_there(struct ascend_run *run, const struct rt_item *item, uint8_t stage, uint64_t heap_tail)
{
	const struct rt_limits *limits = run->limits;

	switch (stage) {
	case ASCEND_WINDOW:
		if (limits->ring)
			return ascend_ring_free(run);
		return !limits->window || item->number - run->left < limits->window;
	case ASCEND_MAP: return !limits->map || !item->need.map || ascend_map_used(run, item->number) + item->need.map <= limits->map;
	case ASCEND_DEPS: return !limits->deps || !item->need.deps || ascend_deps_used(run, item->number) + item->need.deps <= limits->deps;
	case ASCEND_HEAP: return run->left >= heap_tail;
	case ASCEND_QUEUE: return !limits->ready || run->waiting[item->pool] < limits->ready;
	default: return true;
	}
}

enum ptowsp_resource ascend_resource_of(uint8_t stage)
{
	static const uint8_t resources[] = {[ASCEND_WINDOW] = PTOWSP_RESOURCE_TASK_RING,
					    [ASCEND_MAP] = PTOWSP_RESOURCE_TENSOR_MAP,
					    [ASCEND_DEPS] = PTOWSP_RESOURCE_DEP_LIST,
					    [ASCEND_HEAP] = PTOWSP_RESOURCE_HEAP,
					    [ASCEND_QUEUE] = PTOWSP_RESOURCE_READY};

	return (enum ptowsp_resource)resources[stage];
}

/* ---- a ring per scope depth --------------------------------------------------------------------------------------- */

static bool ring_grow(struct ascend_ring *ring)
{
	if (!COMMON_RING_DOUBLE(ring->tasks, ring->mask, ring->tail, ring->head))
		return false;
	ring->mask = 2 * ring->mask + 1;
	return true;
}

void ascend_ring_enter(struct ascend_run *run, uint64_t number)
{
	struct ascend_ring *ring = ascend_ring_next(run);

	if ((!ring->tasks || ring->head - ring->tail > ring->mask) && !ring_grow(ring)) {
		run->no_memory = true;
		return;
	}
	ring->tasks[ring->head++ & ring->mask] = number;
	ascend_use_mark(run, PTOWSP_RESOURCE_TASK_RING, 0, ring->head - ring->tail, &run->high[PTOWSP_RESOURCE_TASK_RING]);
}

/* The first task that an open scope keeps in the ring; of the last ring all deeper scopes are. */
static uint64_t kept_from(const struct ascend_run *run, uint32_t ring)
{
	uint64_t kept = UINT64_MAX;

	for (uint32_t k = ring; k && k <= run->scope_depth && rt_feed_ring(k) == ring; k++)
		kept = run->held[k] < kept ? run->held[k] : kept;
	return kept;
}

void ascend_rings_leave(struct ascend_run *run)
{
	for (uint32_t r = 0; r < RT_RINGS; r++) {
		struct ascend_ring *ring = &run->rings[r];
		const uint64_t kept = kept_from(run, r);

		while (ring->tail < ring->head && ring->tasks[ring->tail & ring->mask] < kept && ascend_has_ended(run, ring->tasks[ring->tail & ring->mask]))
			ring->tail++;
	}
}

void ascend_rings_finish(struct ascend_run *run)
{
	for (uint32_t r = 0; r < RT_RINGS; r++)
		free(run->rings[r].tasks);
}

/* ---- a window that only counts ------------------------------------------------------------------------------------ */

static void virtual_begin(struct ascend_run *run, uint64_t number)
{
	uint32_t at;

	if (run->virtual_head > run->virtual_count) {
		for (uint32_t k = 0; k < run->virtual_count; k++)
			run->virtuals[k] = run->virtuals[run->virtual_head + k];
		run->virtual_head = 0;
	}
	if (!COMMON_GROW(run->virtuals, run->virtual_room, run->virtual_head + run->virtual_count)) {
		run->no_memory = true;
		return;
	}
	for (at = run->virtual_head + run->virtual_count++; at > run->virtual_head && run->virtuals[at - 1].number > number; at--)
		run->virtuals[at] = run->virtuals[at - 1]; /* of a process that is ahead */
	run->virtuals[at] = (struct ascend_virtual){number, run->now};
}

void ascend_virtuals_end(struct ascend_run *run)
{
	while (run->virtual_count && run->virtuals[run->virtual_head].number < run->left + run->limits->window) {
		const struct ascend_virtual *stall = &run->virtuals[run->virtual_head++];

		run->virtual_count--;
		rt_feed_stall(run->feed, PTOWSP_RESOURCE_TASK_RING, 0, stall->number, PTOWSP_NONE, stall->since, run->now);
	}
}

bool ascend_window_full(struct ascend_run *run, const struct rt_item *item)
{
	switch (run->limits->window_mode) {
	case RT_WINDOW_ABORT: run->status = rt_feed_full(run->feed, item->number); return false;
	case RT_WINDOW_BENCHMARK: virtual_begin(run, item->number); return true;
	default: return false;
	}
}
