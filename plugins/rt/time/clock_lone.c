/* SPDX-License-Identifier: MIT */
/* clock_lone.c - tasks of a clock that has one executor, as most have. They start and end in order, and nothing that runs depends on them, so the clock is told of
 * them later: some at a time, with its state in registers. rt_clock_task, one at a time, gives the same times. */
#include "rt/time/clock.h"

#include "rt/grow.h"
#include "rt/rt_inline.h"

/* The clock while kept tasks are told, in registers; named as in rt_clock. */
struct lone {
	struct rt_clock_row *rows;
	uint64_t mask, window, spacing;
	uint64_t now, earliest; /* the issue clock, and what it is at least for the next task */
	uint64_t issued, gone, settled;
	uint64_t begun;     /* followed only while a scope is open */
	uint64_t waiting;   /* issued, and not started when the latest task was issued */
	uint64_t map, deps; /* used */
	uint64_t low, end;  /* no task starts before; the latest end, when the executor is free */
	uint64_t ring_mark, map_mark, deps_mark, ready_mark;
	uint64_t stalls, stalled;
};

RT_INLINE struct lone lone_begin(const struct rt_clock *clock)
{
	return (struct lone){.rows = clock->rows,
			     .mask = clock->mask,
			     .window = clock->window,
			     .spacing = clock->spacing,
			     .now = clock->now,
			     .earliest = clock->issued ? clock->last + clock->spacing : 0,
			     .issued = clock->issued,
			     .gone = clock->gone,
			     .settled = clock->settled,
			     .begun = clock->begun,
			     .waiting = clock->issued - clock->begun,
			     .map = clock->map_used,
			     .deps = clock->deps_used,
			     .low = rt_later(clock->floor, clock->orders[clock->order_depth].before),
			     .end = clock->free[0],
			     .ring_mark = clock->meters[PTOWSP_RESOURCE_TASK_RING].high_water,
			     .map_mark = clock->meters[PTOWSP_RESOURCE_TENSOR_MAP].high_water,
			     .deps_mark = clock->meters[PTOWSP_RESOURCE_DEP_LIST].high_water,
			     .ready_mark = clock->ready_meters[0].high_water};
}

static void meters_store(struct rt_clock *clock, const struct lone *at)
{
	struct rt_meter *ring = &clock->meters[PTOWSP_RESOURCE_TASK_RING];

	ring->stalls += at->stalls;
	ring->cycles += at->stalled;
	ring->high_water = at->ring_mark;
	clock->meters[PTOWSP_RESOURCE_TENSOR_MAP].high_water = at->map_mark;
	clock->meters[PTOWSP_RESOURCE_DEP_LIST].high_water = at->deps_mark;
	clock->ready_meters[0].high_water = at->ready_mark;
}

/* Behind the tasks that lone_task has told, at least one. */
static void tasks_store(struct rt_clock *clock, const struct lone *at)
{
	struct rt_level_of_order *order = &clock->orders[clock->order_depth];

	clock->last = at->earliest - clock->spacing;
	clock->begun = at->issued - 1 - at->waiting;
	clock->free[0] = at->end;
	order->now = rt_later(order->now, at->end);
	clock->total = rt_later(clock->total, at->end);
	if (!clock->scopes)
		clock->leave = at->end;
	else if (!clock->held_first[clock->scopes - 1])
		clock->held_first[clock->scopes - 1] = clock->issued + 1;
	clock->issued = at->issued;
}

static void lone_store(struct rt_clock *clock, const struct lone *at)
{
	meters_store(clock, at);
	clock->now = at->now;
	clock->gone = at->gone;
	clock->map_used = at->map;
	clock->deps_used = at->deps;
	clock->settled = at->settled;
	if (at->issued != clock->issued)
		tasks_store(clock, at);
}

/* Those leave that have by now, or, where the ring is full, by the time at which the first of them does. Returns the row of the first one that has not. */
RT_INLINE const struct rt_clock_row *lone_leave(struct lone *at)
{
	const struct rt_clock_row *row = &at->rows[at->gone & at->mask];

	if (at->issued - at->gone == at->window && row->leave > at->now) {
		at->stalls++;
		at->stalled += row->leave - at->now;
		at->now = row->leave;
	}
	for (; at->gone < at->settled && row->leave <= at->now; row = &at->rows[++at->gone & at->mask]) {
		at->map -= row->need.map;
		at->deps -= row->need.deps;
	}
	return row;
}

/* Tasks that have not started by now. Without a scope a task leaves at its end, so only the first of those that have not left can have started. */
RT_INLINE uint64_t lone_waiting(struct lone *at, const struct rt_clock_row *first, bool scoped)
{
	uint64_t left = at->issued - at->gone;

	if (!scoped)
		return left && first->start <= at->now ? left - 1 : left;
	while (at->begun < at->issued && at->rows[at->begun & at->mask].start <= at->now)
		at->begun++;
	return at->issued - at->begun;
}

/* More is used than ever. False, and no mark has changed: it is more than there is. */
RT_INLINE bool lone_mark(const struct rt_clock *clock, struct lone *at, uint64_t ring, uint64_t map, uint64_t deps, uint64_t ready)
{
	if (map > clock->map_most || deps > clock->deps_most || ready > clock->ready_most)
		return false;
	at->ring_mark = rt_later(at->ring_mark, ring);
	at->map_mark = rt_later(at->map_mark, map);
	at->deps_mark = rt_later(at->deps_mark, deps);
	at->ready_mark = rt_later(at->ready_mark, ready);
	return true;
}

/* The next task. False, and it is not issued: something else than the ring is short. */
RT_INLINE bool lone_task(const struct rt_clock *clock, struct lone *at, const struct rt_clock_kept *task, bool scoped)
{
	struct rt_clock_row *row = &at->rows[at->issued & at->mask];
	uint64_t waiting, map, deps, start;

	if (at->earliest > at->now)
		at->now = at->earliest;
	waiting = lone_waiting(at, lone_leave(at), scoped);
	map = at->map + task->need.map;
	deps = at->deps + task->need.deps;
	if ((at->issued - at->gone >= at->ring_mark || map > at->map_mark || deps > at->deps_mark || waiting >= at->ready_mark) &&
	    !lone_mark(clock, at, at->issued - at->gone + 1, map, deps, waiting + 1))
		return false;
	at->map = map;
	at->deps = deps;
	at->waiting = waiting;
	at->earliest = at->now + at->spacing;
	start = at->now > at->low ? at->now : at->low;
	start = at->end > start ? at->end : start;
	at->end = start + task->cycles;
	*row = (struct rt_clock_row){start, at->end, at->end, task->need};
	at->settled += !scoped;
	at->issued++;
	return true;
}

/* The kept tasks from `next` on, up to one for which something is short. Returns its place among them. */
RT_INLINE uint32_t lone_tell(struct rt_clock *clock, uint32_t next, uint32_t count, bool scoped)
{
	struct lone at = lone_begin(clock);

	while (next < count && lone_task(clock, &at, &clock->kept[next], scoped))
		next++;
	lone_store(clock, &at);
	return next;
}

/* Of so few, taking the state into registers costs more than it saves. */
#define FEW 2u

static uint32_t some_tell(struct rt_clock *clock, uint32_t next, uint32_t count)
{
	if (count - next <= FEW)
		return next;
	return clock->scopes ? lone_tell(clock, next, count, true) : lone_tell(clock, next, count, false);
}

void rt_clock_settle_kept(struct rt_clock *clock)
{
	uint32_t count = clock->kept_count;

	clock->kept_count = 0;
	for (uint32_t next = some_tell(clock, 0, count); next < count; next = some_tell(clock, next + 1, count))
		rt_clock_kept_task(clock, &clock->kept[next]);
}
