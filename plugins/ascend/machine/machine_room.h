/* SPDX-License-Identifier: MIT */
/* machine_room.h - the bounded resources: is there room for a task, what is in use, and a window that only counts. */
#ifndef ASCEND_MACHINE_ROOM_H
#define ASCEND_MACHINE_ROOM_H

#include "ascend/machine/machine_state.h"

/* Is there room of the stage's resource, and which is that. */
bool ascend_room_there(struct ascend_run *run, const struct rt_item *item, uint8_t stage, uint64_t heap_tail);
enum ptowsp_resource ascend_resource_of(uint8_t stage);
/* The window is full at the task. False: the run is over, or the task waits. */
bool ascend_window_full(struct ascend_run *run, const struct rt_item *item);
/* Ring of the next task of the workload. */
static inline struct ascend_ring *ascend_ring_next(struct ascend_run *run)
{
	return &run->rings[rt_feed_ring(run->scope_depth)];
}
static inline bool ascend_ring_free(struct ascend_run *run)
{
	const struct ascend_ring *ring = ascend_ring_next(run);

	return ring->head - ring->tail < run->limits->ring - 1;
}
/* A task of the workload takes a place; those give theirs back that have ended and are not in an open scope, each ring in the order of its places. */
void ascend_ring_enter(struct ascend_run *run, uint64_t number);
void ascend_rings_leave(struct ascend_run *run);
void ascend_rings_finish(struct ascend_run *run);
/* Tasks left: stalls that are only counted end. */
void ascend_virtuals_end(struct ascend_run *run);

/* By tasks that were met before this one and have not left. */
static inline uint64_t ascend_map_used(const struct ascend_run *run, uint64_t number)
{
	return run->needs[number & run->mask].map - run->gone.map;
}

static inline uint64_t ascend_deps_used(const struct ascend_run *run, uint64_t number)
{
	return run->needs[number & run->mask].deps - run->gone.deps;
}

/* rt hears of it where it is the most so far. */
static inline void ascend_use_mark(struct ascend_run *run, enum ptowsp_resource resource, uint32_t pool, uint64_t use, uint64_t *high)
{
	if (use <= *high)
		return;
	*high = use;
	rt_feed_use(run->feed, resource, pool, use);
}

static inline void ascend_room_use(struct ascend_run *run, const struct rt_item *item)
{
	if (run->limits->ring)
		ascend_ring_enter(run, item->number);
	else
		ascend_use_mark(run, PTOWSP_RESOURCE_TASK_RING, 0, item->number - run->left + 1, &run->high[PTOWSP_RESOURCE_TASK_RING]);
	if (item->need.map)
		ascend_use_mark(run, PTOWSP_RESOURCE_TENSOR_MAP, 0, ascend_map_used(run, item->number) + item->need.map,
				&run->high[PTOWSP_RESOURCE_TENSOR_MAP]);
	if (item->need.deps)
		ascend_use_mark(run, PTOWSP_RESOURCE_DEP_LIST, 0, ascend_deps_used(run, item->number) + item->need.deps, &run->high[PTOWSP_RESOURCE_DEP_LIST]);
	ascend_use_mark(run, PTOWSP_RESOURCE_READY, item->pool, run->waiting[item->pool] + 1, &run->ready_high[item->pool]);
}

/* machine_heap.c: bytes of the heap. Tasks before what ask returns have to have left for so many bytes; then they are taken. The workload takes them right when they are there. */
uint64_t ascend_heap_ask(struct ascend_run *run, uint64_t bytes);
void ascend_heap_take(struct ascend_run *run, uint64_t bytes);
/* A FREE: they come back when all tasks before `number` have left. */
void ascend_heap_return(struct ascend_run *run, uint64_t number, uint64_t bytes);
/* Processes: a pulled TASK or ALLOC takes its bytes in the order of turns; when it happens, and it has some, the bytes that it and those before it then hold are marked. */
void ascend_heap_bind(struct ascend_run *run, struct rt_item *item);
void ascend_heap_mark(struct ascend_run *run, const struct rt_item *item);

#endif
