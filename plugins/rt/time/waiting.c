/* SPDX-License-Identifier: MIT */
#include "rt/time/waiting.h"

#include "rt/grow.h"
#include <stdlib.h>

/* ---- heaps of times, the least first --------------------------------------------------------------------------- */

void rt_heap_up(uint64_t *heap, uint32_t at)
{
	uint64_t value = heap[at];

	for (; at && heap[(at - 1) / 2] > value; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = value;
}

void rt_heap_down(uint64_t *heap, uint32_t count)
{
	uint64_t value = heap[0];
	uint32_t at = 0, child;

	for (; (child = at * 2 + 1) < count; at = child) {
		if (child + 1 < count && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= value)
			break;
		heap[at] = heap[child];
	}
	heap[at] = value;
}

void rt_heap_pop(uint64_t *heap, uint32_t *count)
{
	heap[0] = heap[--*count];
	if (*count)
		rt_heap_down(heap, *count);
}

/* ---- starts ----------------------------------------------------------------------------------------------------- */

uint64_t rt_waiting_pop(struct rt_waiting *waiting)
{
	uint64_t time;

	if (waiting->head != waiting->tail && (!waiting->count || waiting->line[waiting->head & waiting->mask] <= waiting->heap[0]))
		return waiting->line[waiting->head++ & waiting->mask];
	time = waiting->heap[0];
	rt_heap_pop(waiting->heap, &waiting->count);
	return time;
}

bool rt_waiting_grow(struct rt_waiting *waiting)
{
	uint32_t mask = waiting->line ? waiting->mask * 2 + 1 : 63;
	uint64_t *more = mask < UINT32_MAX / 2 ? malloc(((size_t)mask + 1) * sizeof(*more)) : NULL;

	if (!more)
		return false;
	for (uint32_t k = waiting->head; k != waiting->tail; k++)
		more[k & mask] = waiting->line[k & waiting->mask];
	free(waiting->line);
	waiting->line = more;
	waiting->mask = mask;
	return true;
}

bool rt_waiting_push(struct rt_waiting *waiting, uint64_t start)
{
	if (waiting->head != waiting->tail && start < waiting->line[(waiting->tail - 1) & waiting->mask]) {
		if (!rt_grow((void **)&waiting->heap, &waiting->room, waiting->count, sizeof(*waiting->heap)))
			return false;
		waiting->heap[waiting->count++] = start;
		rt_heap_up(waiting->heap, waiting->count - 1);
		return true;
	}
	if ((!waiting->line || waiting->tail - waiting->head > waiting->mask) && !rt_waiting_grow(waiting))
		return false;
	waiting->line[waiting->tail++ & waiting->mask] = start;
	return true;
}

void rt_waiting_heap_started(struct rt_waiting *waiting, uint64_t time)
{
	while (waiting->count && waiting->heap[0] <= time)
		rt_heap_pop(waiting->heap, &waiting->count);
}

void rt_waiting_finish(struct rt_waiting *waiting)
{
	free(waiting->line);
	free(waiting->heap);
	*waiting = (struct rt_waiting){0};
}
