/* SPDX-License-Identifier: MIT */
/* clock_sync.c - what events, barriers, fences and the heap arena mean to the clock. Out of line: none of them is a task. */
#include "ptowsp/workload.h"
#include "rt/time/clock.h"

#include "rt/grow.h"
#include "rt/time/listener.h"

/* F of the tasks before `tasks`, which no open scope holds; those that have gone left by now. */
static uint64_t left(const struct rt_clock *clock, uint64_t tasks)
{
	return tasks > clock->gone ? clock->rows[(tasks - 1) & clock->mask].leave : 0;
}

static void arena_settle(struct rt_clock *clock)
{
	uint64_t ignored;

	while (clock->heap.count && rt_arena_first(&clock->heap)->tasks <= clock->settled && left(clock, rt_arena_first(&clock->heap)->tasks) <= clock->now)
		rt_arena_next(&clock->heap, &ignored);
}

/* Structure has seen that there will be room. */
void rt_clock_heap_stall(struct rt_clock *clock, uint64_t bytes)
{
	struct rt_meter *meter = &clock->meters[PTOWSP_RESOURCE_HEAP];
	uint64_t when = 0, tasks;

	arena_settle(clock);
	while (!rt_arena_fits(&clock->heap, bytes) && rt_arena_next(&clock->heap, &tasks))
		when = rt_later(when, left(clock, tasks));
	if (when > clock->now) {
		if (clock->tell)
			rt_listener_stall(clock, meter, when);
		meter->stalls++;
		meter->cycles += when - clock->now;
		clock->now = when;
	}
}

void rt_clock_heap_take(struct rt_clock *clock, uint64_t bytes)
{
	struct rt_meter *meter = &clock->meters[PTOWSP_RESOURCE_HEAP];

	arena_settle(clock);
	clock->heap.used += bytes;
	meter->high_water = rt_later(meter->high_water, clock->heap.used);
}

/* An instance does one thing after the other anyway. */
static void floor_raise(struct rt_clock *clock, uint64_t time)
{
	if (!clock->of_instance)
		clock->floor = rt_later(clock->floor, time);
}

ptowsp_status rt_clock_sync(struct rt_clock *clock, unsigned op, uint64_t a, uint64_t b)
{
	switch (op) {
	case PTOWSP_OP_SIGNAL: clock->events[a] = clock->of_instance ? clock->now : rt_later(clock->now, clock->total); break;
	case PTOWSP_OP_WAIT: clock->now = rt_later(clock->now, clock->events[a]); break;
	case PTOWSP_OP_WAIT_NOTIFY: clock->now = rt_later(clock->now, a); break;
	case PTOWSP_OP_BARRIER: floor_raise(clock, clock->total); break;
	case PTOWSP_OP_FENCE: floor_raise(clock, clock->copies_end); break;
	case PTOWSP_OP_ALLOC:
		rt_clock_heap_stall(clock, a);
		rt_clock_heap_take(clock, a);
		break;
	default: return rt_arena_return(&clock->heap, a, b) ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	}
	return PTOWSP_OK;
}
