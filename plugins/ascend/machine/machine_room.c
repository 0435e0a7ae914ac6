/* SPDX-License-Identifier: MIT */
#include "ascend/machine/machine_room.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>

bool ascend_room_there(struct ascend_run *run, const struct rt_item *item, uint8_t stage, uint64_t heap_tail)
{
	const struct rt_limits *limits = run->limits;

	switch (stage) {
	case ASCEND_WINDOW: return !limits->window || item->number - run->left < limits->window;
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
