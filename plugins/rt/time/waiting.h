/* SPDX-License-Identifier: MIT */
/* waiting.h - start times of the tasks of one pool that have not started yet. Times that came in order, as they do with one executor, stand in a
 * ring; the others in a heap, the least first. One thread. */
#ifndef RT_WAITING_H
#define RT_WAITING_H

#include "registry/common/common_heap.h"

#include <stdbool.h>
#include <stdint.h>

struct rt_waiting {
	uint64_t *line; /* ring of mask + 1 */
	uint64_t *heap;
	uint32_t mask, head, tail; /* free-running */
	uint32_t count, room;      /* of the heap */
};
/* Zero is a good start. */
void rt_waiting_finish(struct rt_waiting *waiting);
/* Twice the room in the ring. False when out of memory. */
bool rt_waiting_grow(struct rt_waiting *waiting);
/* False when out of memory. */
bool rt_waiting_push(struct rt_waiting *waiting, uint64_t start);
/* Takes the least start out; there is one. */
uint64_t rt_waiting_pop(struct rt_waiting *waiting);
/* Tasks that have started leave the heap. */
void rt_waiting_heap_started(struct rt_waiting *waiting, uint64_t time);

/* Heaps of times, the least first. */
#define RT_TIME_BEFORE(order, a, b) ((a) < (b))
COMMON_HEAP(rt_times, uint64_t, const void *, RT_TIME_BEFORE)

static inline uint64_t rt_waiting_count(const struct rt_waiting *waiting)
{
	return (uint64_t)(waiting->tail - waiting->head) + waiting->count;
}

/* Tasks that start at `time` or before leave. */
static inline void rt_waiting_started(struct rt_waiting *waiting, uint64_t time)
{
	while (waiting->head != waiting->tail && waiting->line[waiting->head & waiting->mask] <= time)
		waiting->head++;
	if (waiting->count && waiting->heap[0] <= time)
		rt_waiting_heap_started(waiting, time);
}

#endif
