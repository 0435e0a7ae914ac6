/* SPDX-License-Identifier: MIT */
#include "rt/time/waiting.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>

/* ---- starts ----------------------------------------------------------------------------------------------------- */

uint64_t rt_waiting_pop(struct rt_waiting *waiting)
{
	if (waiting->head != waiting->tail && (!waiting->count || waiting->line[waiting->head & (waiting->places - 1)] <= waiting->heap[0]))
		return waiting->line[waiting->head++ & (waiting->places - 1)];
	return rt_times_pop(waiting->heap, &waiting->count, NULL);
}

/* Twice the room in the line. */
static bool line_grow(struct rt_waiting *waiting)
{
	uint32_t places = waiting->places ? 2 * waiting->places : 64;
	uint64_t *more = places ? malloc(places * sizeof(*more)) : NULL;

	if (!more)
		return false;
	for (uint32_t k = waiting->head; k != waiting->tail; k++)
		more[k & (places - 1)] = waiting->line[k & (waiting->places - 1)];
	free(waiting->line);
	waiting->line = more;
	waiting->places = places;
	return true;
}

bool rt_waiting_push_on(struct rt_waiting *waiting, uint64_t start)
{
	if (start < waiting->latest) {
		if (!COMMON_GROW(waiting->heap, waiting->room, waiting->count))
			return false;
		rt_times_push(waiting->heap, &waiting->count, start, NULL);
		return true;
	}
	return line_grow(waiting) && rt_waiting_push(waiting, start);
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
