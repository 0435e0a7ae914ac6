/* SPDX-License-Identifier: MIT */
/* clock_lone.h - a task of a clock that has one executor, as most have: tasks start and end in order, so who waits, runs and has gone is told by places in
 * the ring of rows. Inlined where tasks are issued. The same as rt_clock_task, which takes what cannot be said this way. */
#ifndef RT_CLOCK_LONE_H
#define RT_CLOCK_LONE_H

#include "rt/access/preds.h"
#include "rt/time/clock.h"

/* The issue clock, who has gone by then, and what those hold that have not. */
struct rt_lone {
	uint64_t now, gone, map, deps;
};

RT_INLINE void rt_lone_leave(const struct rt_clock *clock, struct rt_lone *at)
{
	const struct rt_clock_row *row = &clock->rows[at->gone & clock->mask];

	for (; at->gone < clock->settled && row->leave <= at->now; row = &clock->rows[++at->gone & clock->mask]) {
		at->map -= row->need.map;
		at->deps -= row->need.deps;
	}
}

/* Everything about the task but its row. */
RT_INLINE void rt_lone_store(struct rt_clock *clock, const struct rt_lone *at, uint64_t begun, uint64_t stalled, uint64_t end)
{
	struct rt_level_of_order *order = &clock->orders[clock->order_depth];

	if (stalled)
		rt_meter_stall(&clock->meters[PTOWSP_RESOURCE_TASK_RING], stalled);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_TASK_RING], clock->issued - at->gone + 1);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_TENSOR_MAP], at->map);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_DEP_LIST], at->deps);
	rt_meter_mark(&clock->ready_meters[0], clock->issued - begun + 1);
	clock->now = clock->last = at->now;
	clock->gone = at->gone;
	clock->map_used = at->map;
	clock->deps_used = at->deps;
	clock->begun = begun;
	clock->free[0] = end;
	order->now = end > order->now ? end : order->now;
	clock->total = end > clock->total ? end : clock->total;
}

/* The next task of a lone clock. False, and nothing has changed: something else than the ring is short. */
RT_INLINE bool rt_clock_lone(struct rt_clock *clock, uint64_t cycles, struct rt_need need)
{
	struct rt_lone at = {clock->now, clock->gone, clock->map_used, clock->deps_used};
	struct rt_clock_row *const rows = clock->rows;
	const uint64_t issued = clock->issued, mask = clock->mask;
	uint64_t begun = clock->begun, start = clock->orders[clock->order_depth].before, stalled = 0;

	if (clock->spacing && issued && clock->last + clock->spacing > at.now)
		at.now = clock->last + clock->spacing;
	rt_lone_leave(clock, &at);
	if (issued - at.gone == clock->window) {
		stalled = rows[at.gone & mask].leave - at.now;
		at.now += stalled;
		rt_lone_leave(clock, &at);
	}
	while (begun < issued && rows[begun & mask].start <= at.now)
		begun++;
	at.map += need.map;
	at.deps += need.deps;
	if (at.map > clock->map_most || at.deps > clock->deps_most || issued - begun >= clock->ready_most)
		return false;
	start = clock->floor > start ? clock->floor : start;
	start = at.now > start ? at.now : start;
	start = clock->free[0] > start ? clock->free[0] : start;
	rt_lone_store(clock, &at, begun, stalled, start + cycles);
	rows[issued & mask] = (struct rt_clock_row){start, start + cycles, 0, need};
	clock->issued = issued + 1;
	rt_clock_settle(clock, &rows[issued & mask]);
	return true;
}

#endif
