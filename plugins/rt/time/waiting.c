/* SPDX-License-Identifier: MIT */
#include "rt/time/waiting.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>

/* ---- starts ----------------------------------------------------------------------------------------------------- */

uint64_t rt_waiting_pop(struct rt_waiting *waiting)
{
	if (waiting->head != waiting->tail && (!waiting->count || waiting->line[waiting->head & waiting->mask] <= waiting->heap[0]))
		return waiting->line[waiting->head++ & waiting->mask];
	return rt_times_pop(waiting->heap, &waiting->count, NULL);
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
		if (!COMMON_GROW(waiting->heap, waiting->room, waiting->count))
			return false;
		rt_times_push(waiting->heap, &waiting->count, start, NULL);
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
		rt_times_pop(waiting->heap, &waiting->count, NULL);
}

void rt_waiting_finish(struct rt_waiting *waiting)
{
	free(waiting->line);
	free(waiting->heap);
	*waiting = (struct rt_waiting){0};
}
