/* SPDX-License-Identifier: MIT */
/* clock_line.c - many tasks of one executor on the clock, in one pass. They start, end and leave in order, and leave when they end: a scope that held
 * its tasks longer closed in the past. So who waits, runs and has gone is told by one place in the line, `gone`. */
#include <assert.h>
#include "rt/clock.h"
#include "rt/preds.h"

/* Tasks at once. What they need, and what those before them hold, is two sums in one word: a task of a plan has fewer than 2^18 keys, and
 * as many predecessors as the window at most, so neither half can run over. */
enum { LINE_MOST = RT_CLOCK_AT_ONCE, LINE_WINDOW_BITS = 24 };
#define LINE_HELD (UINT64_C(1) << 30)

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t packed(struct rt_need need)
{
	return (uint64_t)need.deps << 32 | need.map;
}

/* What changes from task to task, in registers as far as there are any. */
struct line {
	uint64_t now, issued, gone, used, free; /* used: both needs, as packed */
	uint64_t leaves, begins;                /* of the first task that has not gone; never without one */
	uint64_t ring_most, wait_most, deps_most, map_most; /* high-water marks; deps as packed, map with its halves changed over */
	uint64_t stalls, cycles;                            /* of the ring */
};

/* How far what is full holds up a task. */
struct line_room {
	uint64_t map, deps, ready;
};

/* Behind `gone`. */
RT_INLINE void line_look(struct line *line, const struct rt_clock_row *rows, uint64_t mask)
{
	const struct rt_clock_row *row = &rows[line->gone & mask];
	bool none = line->gone == line->issued;

	line->leaves = none ? UINT64_MAX : row->leave;
	line->begins = none ? UINT64_MAX : row->start;
}

/* Nothing starts earlier than `least`. */
static void line_begin(const struct rt_clock *clock, struct line *line)
{
	uint64_t least = later(clock->floor, clock->orders[clock->order_depth].before);

	*line = (struct line){.now = clock->now, .issued = clock->issued, .gone = clock->gone, .free = later(least, clock->free[0]),
			      .used = clock->deps_used << 32 | clock->map_used};
	line_look(line, clock->rows, clock->mask);
}

static void line_end(struct rt_clock *clock, const struct line *line)
{
	struct rt_level_of_order *order = &clock->orders[clock->order_depth];

	if (line->issued == clock->issued)
		return;
	clock->now = clock->last = line->now;
	clock->issued = clock->settled = line->issued;
	clock->gone = line->gone;
	clock->begun = line->gone + (clock->rows[line->gone & clock->mask].start <= line->now);
	clock->map_used = (uint32_t)line->used;
	clock->deps_used = line->used >> 32;
	clock->free[0] = clock->leave = line->free;
	clock->total = later(clock->total, line->free);
	order->now = later(order->now, line->free);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_TASK_RING], line->ring_most);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_TENSOR_MAP], line->map_most >> 32);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_DEP_LIST], line->deps_most >> 32);
	rt_meter_mark(&clock->ready_meters[0], line->wait_most);
	clock->meters[PTOWSP_RESOURCE_TASK_RING].stalls += line->stalls;
	clock->meters[PTOWSP_RESOURCE_TASK_RING].cycles += line->cycles;
}

static uint64_t turned(uint64_t used)
{
	return used << 32 | used >> 32;
}

/* Those that leave by `now`. */
RT_INLINE void line_leave(struct line *line, const struct rt_clock_row *rows, uint64_t mask, uint64_t now)
{
	while (line->leaves <= now) {
		line->used -= packed(rows[line->gone++ & mask].need);
		line_look(line, rows, mask);
	}
}

/* Returns how many of the tasks could be issued; if checked, those before the first that something else than the ring holds up, else all. */
RT_INLINE uint32_t line_go(struct rt_clock *clock, const struct rt_clock_brief *tasks, uint32_t count, const struct line_room *room, bool checked)
{
	const uint64_t mask = clock->mask, window = clock->window, spacing = clock->spacing;
	struct rt_clock_row *const rows = clock->rows;
	struct line at, next;
	uint32_t k;

	line_begin(clock, &at);
	for (k = 0; k < count; k++) {
		uint64_t waiting, start;

		next = at;
		next.now += spacing;
		line_leave(&next, rows, mask, next.now);
		if (next.issued - next.gone >= window) {
			next.stalls++;
			next.cycles += next.leaves - next.now;
			next.now = next.leaves;
			line_leave(&next, rows, mask, next.now);
		}
		waiting = next.issued - next.gone - (next.begins <= next.now);
		next.used += packed(tasks[k].need);
		if (checked && ((uint32_t)next.used > room->map || next.used >> 32 > room->deps || waiting >= room->ready))
			break;
		next.ring_most = later(next.ring_most, next.issued - next.gone + 1);
		next.wait_most = later(next.wait_most, waiting + 1);
		next.deps_most = later(next.deps_most, next.used);
		next.map_most = later(next.map_most, turned(next.used));
		start = later(next.now, next.free);
		next.free = start + tasks[k].cycles;
		rows[next.issued & mask] = (struct rt_clock_row){start, next.free, next.free, tasks[k].need};
		if (next.gone == next.issued++)
			line_look(&next, rows, mask);
		at = next;
	}
	line_end(clock, &at);
	return k;
}

/* Nothing of the past that a line does not know, and no sum too large for its half of a word. */
static bool line_possible(const struct rt_clock *clock)
{
	return clock->issued && clock->last == clock->now && clock->leave <= clock->free[0] && !(clock->window >> LINE_WINDOW_BITS) &&
	       clock->map_used < LINE_HELD && clock->deps_used < LINE_HELD && (clock->mask >= clock->window - 1 || clock->issued + LINE_MOST <= clock->mask);
}

static uint32_t line_try(struct rt_clock *clock, const struct rt_clock_brief *tasks, uint32_t count)
{
	const struct line_room room = {clock->map_capacity ? clock->map_capacity : UINT64_MAX, clock->deps_capacity ? clock->deps_capacity : UINT64_MAX,
				       clock->ready_capacity ? clock->ready_capacity : UINT64_MAX};
	uint64_t used = clock->deps_used << 32 | clock->map_used;

	if (!line_possible(clock))
		return 0;
	if (count > LINE_MOST)
		count = LINE_MOST;
	for (uint32_t k = 0; k < count; k++)
		used += packed(tasks[k].need);
	return (uint32_t)used <= room.map && used >> 32 <= room.deps && room.ready >= clock->window ? line_go(clock, tasks, count, &room, false)
												      : line_go(clock, tasks, count, &room, true);
}

/* ---- equal tasks -------------------------------------------------------------------------------------------------- */

/* Does the ring hold nothing but tasks like this one, full, without a gap between them, so that each that comes waits for the first of them to end? Ends are
 * never closer than their cycles, so first and last tell of all. */
static bool steady(const struct rt_clock *clock, const struct rt_clock_brief *task)
{
	uint64_t held = clock->issued - clock->gone, least = later(clock->floor, clock->orders[clock->order_depth].before);
	uint64_t first = clock->rows[clock->gone & clock->mask].end;

	return held == clock->window && held > 1 && clock->equal_from <= clock->gone && task->cycles && !clock->spacing && line_possible(clock) &&
	       least <= clock->free[0] && clock->free[0] - first == (held - 1) * task->cycles && first > clock->now &&
	       (!clock->ready_capacity || clock->ready_capacity >= clock->window);
}

/* As many times the first leaves, the next begins and one comes to the end of the line; what the ring holds stays the same. */
static void steady_go(struct rt_clock *clock, const struct rt_clock_brief *task, uint32_t count)
{
	struct rt_level_of_order *order = &clock->orders[clock->order_depth];
	struct rt_meter *ring = &clock->meters[PTOWSP_RESOURCE_TASK_RING];
	uint64_t was = clock->now, end = clock->free[0];

	clock->now = clock->last = clock->rows[clock->gone & clock->mask].end + (count - 1) * task->cycles;
	for (uint32_t k = 0; k < count; k++) {
		uint64_t start = end;

		end += task->cycles;
		clock->rows[(clock->issued + k) & clock->mask] = (struct rt_clock_row){start, end, end, task->need};
	}
	clock->issued = clock->settled = clock->issued + count;
	clock->gone += count;
	clock->begun = clock->gone + 1;
	clock->free[0] = clock->leave = end;
	clock->total = later(clock->total, end);
	order->now = later(order->now, end);
	ring->stalls += count;
	ring->cycles += clock->now - was;
}

ptowsp_status rt_clock_equal(struct rt_clock *clock, const struct rt_clock_brief *task, uint32_t count)
{
	struct rt_clock_brief tasks[LINE_MOST];
	ptowsp_status st = PTOWSP_OK;

	assert(count <= LINE_MOST);
	if (clock->equal_until != clock->issued || clock->equal.cycles != task->cycles || packed(clock->equal.need) != packed(task->need)) {
		clock->equal_from = clock->issued;
		clock->equal = *task;
	}
	if (steady(clock, task))
		steady_go(clock, task, count);
	else {
		for (uint32_t k = 0; k < count; k++)
			tasks[k] = *task;
		st = rt_clock_tasks(clock, tasks, count);
	}
	clock->equal_until = clock->issued;
	return st;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/* What a line cannot take goes the ordinary way. */
ptowsp_status rt_clock_tasks(struct rt_clock *clock, const struct rt_clock_brief *tasks, uint32_t count)
{
	struct ptowsp_trace_task trace;
	ptowsp_status st = PTOWSP_OK;

	assert(clock->plain && !clock->scopes);
	while (!st && count) {
		uint32_t done = line_try(clock, tasks, count);

		tasks += done;
		count -= done;
		if (done)
			continue;
		st = rt_clock_task(clock, &(struct rt_clock_task){.cycles = tasks->cycles, .need = tasks->need}, &trace);
		tasks++;
		count--;
	}
	return st;
}
