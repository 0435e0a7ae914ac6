/* SPDX-License-Identifier: MIT */
/* clocks_task.c - the next task on the clock of its instance: what it waits for, when it starts and ends. */
#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include "rt/process/clocks.h"
#include "rt/time/listener.h"
#include <string.h>

/* ---- stalls ---------------------------------------------------------------------------------------------------- */

void rt_clocks_stall(struct rt_clock *base, struct rt_meter *meter, uint64_t when)
{
	if (when <= base->now)
		return;
	if (base->tell)
		rt_listener_stall(base, meter, when);
	meter->stalls++;
	meter->cycles += when - base->now;
	base->now = when;
}

uint64_t rt_clocks_left(const struct rt_clocks *clocks, uint64_t tail)
{
	return tail > clocks->first ? rt_clocks_row(clocks, tail - 1)->leave : 0;
}

static ptowsp_status ring_stall(struct rt_clocks *clocks)
{
	struct rt_clock *base = clocks->base;
	uint64_t when = rt_clocks_left(clocks, rt_clocks_ring_tail(clocks)), now = base->now;

	if (when <= now)
		return PTOWSP_OK;
	rt_clocks_stall(base, &base->meters[PTOWSP_RESOURCE_TASK_RING], when);
	if (base->window_mode == RT_WINDOW_ABORT)
		return PTOWSP_RUN_FAILED;
	if (base->window_mode == RT_WINDOW_BENCHMARK)
		base->now = now;
	return PTOWSP_OK;
}

bool rt_clocks_aborts(const struct rt_clocks *clocks, const uint32_t *reads, uint32_t read_count)
{
	const struct rt_clock *base = clocks->base;
	uint64_t now = base->now;

	if (base->window_mode != RT_WINDOW_ABORT)
		return false;
	if (clocks->own[clocks->turn].issued)
		now = rt_later(now, base->last + base->spacing);
	for (uint32_t i = 0; i < read_count; i++)
		now = rt_later(now, base->known[reads[i]]);
	return rt_clocks_left(clocks, rt_clocks_ring_tail(clocks)) > now;
}

/* The first start in the queue that is later than `time`. */
static uint32_t starts_after(const struct rt_starts *starts, uint64_t time)
{
	uint32_t low = starts->head, high = starts->count;

	if (low < high && starts->at[high - 1] <= time)
		return high;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (starts->at[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void ready_stall(struct rt_clocks *clocks, uint32_t pool)
{
	struct rt_clock *base = clocks->base;
	struct rt_starts *starts = &clocks->starts[pool];
	uint64_t waiting = starts->count - starts_after(starts, base->now);

	if (base->ready_capacity && waiting >= base->ready_capacity)
		rt_clocks_stall(base, &base->ready_meters[pool], starts->at[starts->count - base->ready_capacity]);
	waiting = starts->count - starts_after(starts, base->now);
	starts->high_water = rt_later(starts->high_water, waiting + 1);
	rt_meter_mark(&base->ready_meters[pool], starts->high_water);
}

/* Enters a start. Only so many matter as the queue has places; and none that is not later than every clock. */
static bool starts_add(struct rt_clocks *clocks, struct rt_starts *starts, uint64_t start)
{
	uint32_t at;

	if (clocks->base->ready_capacity && starts->count - starts->head > clocks->base->ready_capacity)
		starts->head = starts->count - (uint32_t)clocks->base->ready_capacity;
	if (starts->count == starts->room && starts->head <= starts->room / 2)
		starts->head = (uint32_t)rt_later(starts->head, starts_after(starts, rt_clocks_least(clocks)));
	if (starts->head > starts->room / 2) {
		memmove(starts->at, starts->at + starts->head, (starts->count - starts->head) * sizeof(*starts->at));
		starts->count -= starts->head;
		starts->head = 0;
	}
	if (!COMMON_GROW(starts->at, starts->room, starts->count))
		return false;
	at = starts_after(starts, start);
	memmove(starts->at + at + 1, starts->at + at, (starts->count - at) * sizeof(*starts->at));
	starts->at[at] = start;
	starts->count++;
	return true;
}

/* ---- a task ---------------------------------------------------------------------------------------------------- */

/* The first task that has not left at the instance's time. */
static uint64_t present_from(const struct rt_clocks *clocks)
{
	uint64_t low = clocks->first, high = clocks->settled;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (rt_clocks_row(clocks, middle)->leave <= clocks->base->now)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void high_water_mark(struct rt_clocks *clocks, struct rt_need need)
{
	struct rt_clock *base = clocks->base;
	uint64_t from = present_from(clocks);

	base->gone = from;
	base->map_used = rt_clocks_map_from(clocks, from) + need.map;
	base->deps_used = rt_clocks_deps_from(clocks, from) + need.deps;
	rt_meter_mark(&base->meters[PTOWSP_RESOURCE_TASK_RING], clocks->issued - from + 1);
	rt_meter_mark(&base->meters[PTOWSP_RESOURCE_TENSOR_MAP], base->map_used);
	rt_meter_mark(&base->meters[PTOWSP_RESOURCE_DEP_LIST], base->deps_used);
}

static ptowsp_status issue(struct rt_clocks *clocks, const struct rt_clock_task *task)
{
	struct rt_clock *base = clocks->base;
	struct rt_own_clock *own = &clocks->own[clocks->turn];
	struct rt_need need = task->need;
	ptowsp_status status;

	if (own->issued)
		base->now = rt_later(base->now, base->last + base->spacing);
	status = ring_stall(clocks);
	if (status)
		return status;
	rt_clocks_stall(base, &base->meters[PTOWSP_RESOURCE_TENSOR_MAP], rt_clocks_left(clocks, rt_clocks_map_tail(clocks, need.map)));
	rt_clocks_stall(base, &base->meters[PTOWSP_RESOURCE_DEP_LIST], rt_clocks_left(clocks, rt_clocks_deps_tail(clocks, need.deps)));
	if (task->heap)
		rt_clocks_heap_stall(clocks, task->heap);
	ready_stall(clocks, task->pool);
	high_water_mark(clocks, need);
	rt_clocks_heap_take(clocks, task->heap);
	base->last = base->now;
	own->issued = true;
	return PTOWSP_OK;
}

static uint64_t end_of(const struct rt_clocks *clocks, uint64_t task)
{
	return task >= clocks->first ? rt_clocks_row(clocks, task)->end : 0;
}

static void row_enter(struct rt_clocks *clocks, const struct rt_clock_task *task, uint64_t end)
{
	struct rt_own_clock *own = &clocks->own[clocks->turn];
	struct rt_row_of_all *row = rt_clocks_row(clocks, clocks->issued);

	*row = (struct rt_row_of_all){.end = end, .map = clocks->map, .deps = clocks->deps};
	if (own->scopes) {
		row->scope = own->scope[own->scopes - 1];
		clocks->scopes[row->scope - 1].tasks++;
	}
	clocks->map += task->need.map;
	clocks->deps += task->need.deps;
	clocks->issued++;
	clocks->base->issued++;
	rt_clocks_settle(clocks);
}

ptowsp_status rt_clocks_task(struct rt_clocks *clocks, const struct rt_clock_task *task, struct ptowsp_trace_task *trace)
{
	struct rt_clock *base = clocks->base;
	uint64_t start;
	ptowsp_status status = rt_clocks_row_make(clocks) ? issue(clocks, task) : PTOWSP_NO_MEMORY;

	if (status)
		return status;
	start = rt_clock_gates(base, task);
	for (uint32_t i = 0; i < task->pred_count; i++)
		start = rt_later(start, end_of(clocks, task->preds[i]));
	*trace = (struct ptowsp_trace_task){.task = clocks->issued,
					    .start = start,
					    .end = start + task->cycles,
					    .kernel = task->kernel,
					    .executor = task->executor,
					    .stream = task->stream};
	if (!starts_add(clocks, &clocks->starts[task->pool], start))
		return PTOWSP_NO_MEMORY;
	rt_clock_enter(base, task, trace->end);
	row_enter(clocks, task, trace->end);
	base->now = trace->end;
	return base->out_of_memory ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

ptowsp_status rt_clocks_count(struct rt_clocks *clocks, const struct rt_clock_task *task)
{
	if (!rt_clocks_row_make(clocks))
		return PTOWSP_NO_MEMORY;
	row_enter(clocks, task, 0);
	return PTOWSP_OK;
}

void rt_clocks_slot_load(struct rt_clocks *clocks, uint32_t slot, uint64_t writer)
{
	struct rt_clock *base = clocks->base;

	base->now = base->known[slot] = rt_later(base->now, writer ? end_of(clocks, writer - 1) : 0);
}
