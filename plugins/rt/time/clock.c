/* SPDX-License-Identifier: MIT */
#include "rt/time/clock.h"

#include "registry/common/common_grow.h"
#include "rt/access/preds.h"
#include "rt/grow.h"
#include "rt/time/listener.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- making and unmaking --------------------------------------------------------------------------------------- */

/* A window that stalls holds all tasks that have not gone. */
static void ringed_set(struct rt_clock *clock)
{
	clock->ringed = clock->window && clock->window <= clock->mask + 1 && clock->window_mode == RT_WINDOW_STALL;
	clock->lone = clock->ringed && clock->single && !clock->gated && !clock->tell && clock->map_most < RT_LONE_MOST && clock->deps_most < RT_LONE_MOST;
}

static uint64_t most(uint64_t capacity)
{
	return capacity ? capacity : UINT64_MAX;
}

size_t rt_clock_least(const struct rt_clock *clock)
{
	return rt_window_room(clock->window) * sizeof(*clock->rows);
}

/* Rows are written before anybody looks at them. */
static void rows_init(struct rt_clock *clock, size_t size)
{
	clock->mask = rt_window_room(clock->window) - 1;
	while (clock->rows && size >= 2 * rt_clock_size(clock))
		clock->mask = clock->mask * 2 + 1;
	if (!clock->rows)
		clock->rows = malloc(rt_clock_least(clock));
	ringed_set(clock);
}

ptowsp_status rt_clock_init(struct rt_clock *clock, struct common_arena *arena, uint32_t slots, size_t rows_size)
{
	bool ok;

	clock->arena = arena;
	clock->kept_end = clock->kept;
	clock->ring_most = most(clock->window);
	clock->stalling = clock->window_mode == RT_WINDOW_STALL ? clock->ring_most : UINT64_MAX;
	clock->map_most = most(clock->map_capacity);
	clock->deps_most = most(clock->deps_capacity);
	clock->ready_most = most(clock->ready_capacity);
	clock->gated = clock->depth_count || clock->streams;
	rows_init(clock, rows_size);
	clock->known = common_take(arena, (size_t)slots + 1, sizeof(*clock->known));
	clock->events = common_take(arena, (size_t)clock->event_count + 1, sizeof(*clock->events));
	clock->stream_ends = common_take(arena, clock->streams + 1, sizeof(*clock->stream_ends));
	ok = clock->rows && clock->known && clock->events && clock->stream_ends && rt_clock_depth_init(clock);
	return ok && rt_clock_pools(clock, 1) ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

size_t rt_clock_size(const struct rt_clock *clock)
{
	return clock->rows ? (clock->mask + 1) * sizeof(*clock->rows) : 0;
}

void rt_clock_finish(struct rt_clock *clock)
{
	rt_clock_depth_finish(clock);
	for (uint32_t p = 0; p < clock->pools; p++)
		rt_waiting_finish(&clock->waiting[p]);
	rt_arena_finish(&clock->heap);
	free(clock->rows);
	memset(clock, 0, sizeof(*clock));
}

static bool more_of(struct common_arena *arena, void **array, uint64_t had, uint64_t want, size_t size)
{
	void *more = common_take(arena, want, size);

	if (more && had)
		memcpy(more, *array, had * size);
	*array = more ? more : *array;
	return more;
}

bool rt_clock_pools(struct rt_clock *clock, uint32_t pools)
{
	uint64_t had = clock->pools;

	if (pools <= had)
		return true;
	if (!more_of(clock->arena, (void **)&clock->free, had * clock->executors, (uint64_t)pools * clock->executors, sizeof(*clock->free)) ||
	    !more_of(clock->arena, (void **)&clock->waiting, had, pools, sizeof(*clock->waiting)) ||
	    !more_of(clock->arena, (void **)&clock->ready_meters, had, pools, sizeof(*clock->ready_meters)))
		return false;
	clock->pools = pools;
	return true;
}

static struct rt_clock_row *row_of(const struct rt_clock *clock, uint64_t task)
{
	return &clock->rows[task & clock->mask];
}

/* The first task whose row is still needed when there are `count` tasks: not gone, or inside the window. */
static uint64_t oldest(const struct rt_clock *clock, uint64_t count)
{
	uint64_t live = clock->window && count >= clock->window ? count - clock->window : 0;

	return live < clock->gone ? live : clock->gone;
}

/* Large windows, none, and one that does not stall. */
static bool rows_grow(struct rt_clock *clock)
{
	if (!COMMON_RING_DOUBLE(clock->rows, clock->mask, oldest(clock, clock->issued), clock->issued))
		return false;
	clock->mask = clock->mask * 2 + 1;
	ringed_set(clock);
	return true;
}

/* ---- leaving --------------------------------------------------------------------------------------------------- */

static uint64_t held_from(const struct rt_clock *clock)
{
	for (uint32_t k = 0; k < clock->scopes; k++)
		if (clock->held_first[k])
			return clock->held_first[k] - 1;
	return clock->issued;
}

/* F of every task that no open scope holds. */
void rt_clock_settle_all(struct rt_clock *clock)
{
	uint64_t until = held_from(clock), task = clock->settled, leave = clock->leave;

	for (; task < until; task++) {
		struct rt_clock_row *row = row_of(clock, task);

		if (row->end > leave)
			leave = row->end;
		row->leave = leave;
	}
	clock->settled = task;
	clock->leave = leave;
}

static void leave_one(struct rt_clock *clock)
{
	const struct rt_clock_row *row = row_of(clock, clock->gone);

	assert(clock->gone < clock->settled); /* flow.c has seen that it can leave */
	clock->map_used -= row->need.map;
	clock->deps_used -= row->need.deps;
	clock->gone++;
}

RT_INLINE void leave_until(struct rt_clock *clock, uint64_t time)
{
	uint64_t gone = clock->gone;
	const struct rt_clock_row *row = row_of(clock, gone);

	if (gone == clock->settled || row->leave > time)
		return;
	do {
		clock->map_used -= row->need.map;
		clock->deps_used -= row->need.deps;
		row = row_of(clock, ++gone);
	} while (gone < clock->settled && row->leave <= time);
	clock->gone = gone;
}

/* ---- stalls ---------------------------------------------------------------------------------------------------- */

/* Room will be there at time `when`: the clock moves on if that is later. */
RT_INLINE void stall(struct rt_clock *clock, struct rt_meter *meter, uint64_t when)
{
	if (when <= clock->now)
		return;
	if (clock->tell)
		rt_listener_stall(clock, meter, when);
	meter->stalls++;
	meter->cycles += when - clock->now;
	clock->now = when;
}

/* The task one window ago leaves at `when`, which is later than now. */
static ptowsp_status ring_wait(struct rt_clock *clock, uint64_t when)
{
	uint64_t now = clock->now;

	stall(clock, &clock->meters[PTOWSP_RESOURCE_TASK_RING], when);
	if (clock->window_mode == RT_WINDOW_ABORT)
		return PTOWSP_RUN_FAILED;
	if (clock->window_mode == RT_WINDOW_BENCHMARK)
		clock->now = now;
	return PTOWSP_OK;
}

static bool lacks(uint64_t capacity, uint64_t used, uint64_t need)
{
	return used + need > capacity && capacity && need;
}

/* There is not enough room. */
static void pool_stall(struct rt_clock *clock, enum ptowsp_resource resource, uint64_t capacity, const uint64_t *used, uint64_t need)
{
	uint64_t when = 0;

	while (*used + need > capacity) {
		when = row_of(clock, clock->gone)->leave;
		leave_one(clock);
	}
	stall(clock, &clock->meters[resource], when);
	leave_until(clock, clock->now);
}

/* Tasks that start by now no longer wait. */
RT_INLINE void waiting_settle(struct rt_clock *clock, struct rt_waiting *waiting)
{
	if (!clock->single)
		rt_waiting_started(waiting, clock->now);
	else
		while (clock->begun < clock->issued && row_of(clock, clock->begun)->start <= clock->now)
			clock->begun++;
}

/* The first of those that wait does so no longer. Returns its start. */
static uint64_t waiting_pop(struct rt_clock *clock, uint32_t pool)
{
	return clock->single ? row_of(clock, clock->begun++)->start : rt_waiting_pop(&clock->waiting[pool]);
}

static void ready_wait(struct rt_clock *clock, uint32_t pool)
{
	uint64_t when = 0;

	while (rt_clock_waiting(clock, pool) >= clock->ready_capacity)
		when = waiting_pop(clock, pool);
	if (when > clock->now) {
		stall(clock, &clock->ready_meters[pool], when);
		waiting_settle(clock, &clock->waiting[pool]);
		leave_until(clock, clock->now);
	}
}

/* ---- a task ---------------------------------------------------------------------------------------------------- */

/* The clock moves on by the cost of issuing, and those leave that have by then. */
RT_INLINE void begin(struct rt_clock *clock)
{
	if (clock->spacing && clock->issued)
		clock->now = rt_later(clock->now, clock->last + clock->spacing);
	leave_until(clock, clock->now);
}

/* The task one window ago has to leave, whatever a full ring does. Where it has already, that was before now. */
static ptowsp_status ring_enter(struct rt_clock *clock)
{
	uint64_t when = 0;
	ptowsp_status status = PTOWSP_OK;

	begin(clock);
	if (clock->window && clock->issued >= clock->window)
		when = row_of(clock, clock->issued - clock->window)->leave;
	if (when > clock->now)
		status = ring_wait(clock, when);
	leave_until(clock, clock->now);
	return status;
}

bool rt_clock_aborts(struct rt_clock *clock)
{
	return clock->window_mode == RT_WINDOW_ABORT && ring_enter(clock) != PTOWSP_OK;
}

/* ready: places of its ready queue that are taken, as below. */
RT_INLINE void marks_set(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t ready)
{
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_TASK_RING], clock->issued - clock->gone + 1);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_TENSOR_MAP], clock->map_used + task->need.map);
	rt_meter_mark(&clock->meters[PTOWSP_RESOURCE_DEP_LIST], clock->deps_used + task->need.deps);
	rt_meter_mark(&clock->ready_meters[task->pool], ready + 1);
}

/* Something is short, or a heap is to be asked. */
static __attribute__((noinline)) ptowsp_status room_make(struct rt_clock *clock, const struct rt_clock_task *task)
{
	ptowsp_status status = ring_enter(clock);

	if (status)
		return status;
	if (lacks(clock->map_capacity, clock->map_used, task->need.map))
		pool_stall(clock, PTOWSP_RESOURCE_TENSOR_MAP, clock->map_capacity, &clock->map_used, task->need.map);
	if (lacks(clock->deps_capacity, clock->deps_used, task->need.deps))
		pool_stall(clock, PTOWSP_RESOURCE_DEP_LIST, clock->deps_capacity, &clock->deps_used, task->need.deps);
	if (task->heap) {
		rt_clock_heap_stall(clock, task->heap);
		leave_until(clock, clock->now);
	}
	waiting_settle(clock, &clock->waiting[task->pool]);
	if (rt_clock_waiting(clock, task->pool) >= clock->ready_most)
		ready_wait(clock, task->pool);
	if (task->heap)
		rt_clock_heap_take(clock, task->heap);
	return PTOWSP_OK;
}

RT_INLINE bool has_room(const struct rt_clock *clock, const struct rt_clock_task *task, uint64_t ready)
{
	return clock->issued - clock->gone < clock->ring_most && clock->map_used + task->need.map <= clock->map_most &&
	       clock->deps_used + task->need.deps <= clock->deps_most && ready < clock->ready_most && !task->heap;
}

/* waiting: of its pool. */
RT_INLINE ptowsp_status issue(struct rt_clock *clock, const struct rt_clock_task *task, struct rt_waiting *waiting)
{
	uint64_t ready;
	ptowsp_status status;

	begin(clock);
	if (clock->issued - clock->gone == clock->stalling) { /* as for every task of a run in full swing */
		stall(clock, &clock->meters[PTOWSP_RESOURCE_TASK_RING], row_of(clock, clock->gone)->leave);
		leave_until(clock, clock->now);
	}
	waiting_settle(clock, waiting);
	ready = clock->single ? clock->issued - clock->begun : rt_waiting_count(waiting);
	if (!has_room(clock, task, ready)) {
		if ((status = room_make(clock, task)))
			return status;
		ready = rt_clock_waiting(clock, task->pool);
	}
	marks_set(clock, task, ready);
	clock->map_used += task->need.map;
	clock->deps_used += task->need.deps;
	clock->last = clock->now;
	return PTOWSP_OK;
}

static uint64_t later_gates(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t start)
{
	if (clock->depth_count)
		start = rt_later(start, rt_clock_depth_time(clock, task));
	if (clock->streams)
		start = rt_later(start, clock->stream_ends[task->stream]);
	return start;
}

RT_INLINE uint64_t gates(struct rt_clock *clock, const struct rt_clock_task *task)
{
	uint64_t start = rt_later(rt_later(clock->now, clock->floor), clock->orders[clock->order_depth].before);

	return clock->gated ? later_gates(clock, task, start) : start;
}

uint64_t rt_clock_gates(struct rt_clock *clock, const struct rt_clock_task *task)
{
	return gates(clock, task);
}

RT_INLINE uint64_t start_time(struct rt_clock *clock, const struct rt_clock_task *task)
{
	uint64_t start = rt_later(gates(clock, task), clock->free[task->executor]);

	/* Tasks of one executor run in order. */
	for (uint32_t i = 0; !clock->single && i < task->pred_count; i++)
		start = rt_later(start, row_of(clock, task->preds[i])->end);
	return start;
}

static void gates_enter(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t end)
{
	if (clock->streams)
		clock->stream_ends[task->stream] = end;
	if (clock->depth_count)
		rt_clock_depth_enter(clock, task, end);
}

RT_INLINE void enter(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t end)
{
	struct rt_level_of_order *order = &clock->orders[clock->order_depth];

	if (clock->gated)
		gates_enter(clock, task, end);
	order->now = rt_later(order->now, end);
	clock->total = rt_later(clock->total, end);
}

void rt_clock_enter(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t end)
{
	enter(clock, task, end);
}

ptowsp_status rt_clock_task(struct rt_clock *clock, const struct rt_clock_task *task, struct rt_clock_times *times)
{
	struct rt_waiting *waiting = &clock->waiting[task->pool];
	struct rt_clock_row *row;
	uint64_t start, end;
	ptowsp_status status = issue(clock, task, waiting);

	if (status)
		return status;
	if (!clock->ringed && clock->issued - oldest(clock, clock->issued + 1) > clock->mask && !rows_grow(clock))
		return PTOWSP_NO_MEMORY;
	start = start_time(clock, task);
	end = start + task->cycles;
	*times = (struct rt_clock_times){start, end};
	clock->free[task->executor] = end;
	enter(clock, task, end);
	if (!clock->single && start > clock->now && !rt_waiting_push(waiting, start))
		clock->out_of_memory = true;
	row = row_of(clock, clock->issued);
	*row = (struct rt_clock_row){start, end, 0, task->need};
	clock->issued++;
	rt_clock_settle(clock, row);
	return clock->out_of_memory ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

void rt_clock_kept_task(struct rt_clock *clock, const struct rt_clock_kept *kept)
{
	struct rt_clock_times times;

	(void)rt_clock_task(clock, &(struct rt_clock_task){.cycles = kept->cycles, .need = kept->need}, &times);
}

/* ---- scopes, orders, slots ------------------------------------------------------------------------------------- */

void rt_clock_scope_begin(struct rt_clock *clock)
{
	clock->held_first[clock->scopes++] = 0;
}

/* The tasks of the scope close now. If an outer scope still holds older ones, they all leave after that one anyway; else this scope held the
 * line, and everything behind its first task leaves now at the earliest, tasks of scopes that closed before included. */
void rt_clock_scope_end(struct rt_clock *clock)
{
	bool held = clock->held_first[--clock->scopes] != 0;

	for (uint32_t k = 0; held && k < clock->scopes; k++)
		held = !clock->held_first[k];
	if (held && clock->now > clock->leave)
		clock->leave = clock->now;
	rt_clock_settle_all(clock);
}

void rt_clock_order_begin(struct rt_clock *clock)
{
	struct rt_level_of_order *outer = &clock->orders[clock->order_depth++];

	outer[1] = (struct rt_level_of_order){.before = outer->before};
}

void rt_clock_order_step(struct rt_clock *clock)
{
	struct rt_level_of_order *order = &clock->orders[clock->order_depth];

	order->before = rt_later(order->before, order->now);
}

void rt_clock_order_end(struct rt_clock *clock)
{
	struct rt_level_of_order *inner = &clock->orders[clock->order_depth--];

	inner[-1].now = rt_later(inner[-1].now, inner->now);
}

void rt_clock_read(struct rt_clock *clock, const uint32_t *slots, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		clock->now = rt_later(clock->now, clock->known[slots[i]]);
}

void rt_clock_slot_set(struct rt_clock *clock, uint32_t slot, const uint32_t *reads, uint32_t count)
{
	uint64_t time = clock->now;

	for (uint32_t i = 0; i < count; i++)
		time = rt_later(time, clock->known[reads[i]]);
	clock->known[slot] = time;
}

void rt_clock_slot_load(struct rt_clock *clock, uint32_t slot, uint64_t writer)
{
	uint64_t time = clock->now;

	/* A writer that has gone ended before now. */
	if (writer && writer - 1 >= oldest(clock, clock->issued))
		time = rt_later(time, row_of(clock, writer - 1)->end);
	clock->known[slot] = time;
}
