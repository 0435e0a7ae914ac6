/* SPDX-License-Identifier: MIT */
/* waiting.h - start times of the tasks of one pool that have not started yet. Times that came in order, as they do with one executor, stand in a
 * ring; the others in a heap, the least first. One thread. */
#ifndef RT_WAITING_H
#define RT_WAITING_H

#include "registry/common/common_heap.h"

#include <stdbool.h>
#include <stdint.h>

struct rt_waiting {
	uint64_t *line; /* ring of `places` */
	uint64_t *heap;
	uint64_t latest;             /* of the line */
	uint32_t places, head, tail; /* head, tail: free-running */
	uint32_t count, room;        /* of the heap */
};
/* Zero is a good start. */
void rt_waiting_finish(struct rt_waiting *waiting);
/* The rest of rt_waiting_push: more room, or the heap. */
bool rt_waiting_push_on(struct rt_waiting *waiting, uint64_t start);
/* Takes the least start out; there is one. */
uint64_t rt_waiting_pop(struct rt_waiting *waiting);
/* Tasks that have started leave the heap. */
void rt_waiting_heap_started(struct rt_waiting *waiting, uint64_t time);

/* Heaps of times, the least first. */
#define RT_TIME_BEFORE(order, a, b) ((a) < (b))
COMMON_HEAP(rt_times, uint64_t, const void *, RT_TIME_BEFORE)

/* False when out of memory. */
static inline bool rt_waiting_push(struct rt_waiting *waiting, uint64_t start)
{
	if (start < waiting->latest || waiting->tail - waiting->head == waiting->places)
		return rt_waiting_push_on(waiting, start);
	waiting->line[waiting->tail++ & (waiting->places - 1)] = waiting->latest = start;
	return true;
}

static inline uint64_t rt_waiting_count(const struct rt_waiting *waiting)
{
	return (uint64_t)(waiting->tail - waiting->head) + waiting->count;
}

/* Tasks that start at `time` or before leave. */
static inline void rt_waiting_started(struct rt_waiting *waiting, uint64_t time)
{
	while (waiting->head != waiting->tail && waiting->line[waiting->head & (waiting->places - 1)] <= time)
		waiting->head++;
	if (waiting->count && waiting->heap[0] <= time)
		rt_waiting_heap_started(waiting, time);
}

#endif
