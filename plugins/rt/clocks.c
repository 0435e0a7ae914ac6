/* SPDX-License-Identifier: MIT */
#include "rt/clocks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"
#include "rt/tell.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct rt_row_of_all *row_of(const struct rt_clocks *clocks, uint64_t task)
{
	return &clocks->rows[task & clocks->mask];
}

/* ---- making, turns --------------------------------------------------------------------------------------------- */

ptowsp_status rt_clocks_init(struct rt_clocks *clocks, struct rt_clock *base, uint32_t instances)
{
	clocks->base = base;
	clocks->count = instances;
	clocks->turn = PTOWSP_NONE;
	clocks->first = clocks->settled = clocks->issued = clocks->began = base->issued;
	clocks->leave = base->total;
	clocks->mask = rt_window_room(base->window) - 1;
	clocks->rows = calloc(clocks->mask + 1, sizeof(*clocks->rows));
	clocks->own = calloc(instances ? instances : 1, sizeof(*clocks->own));
	if (!clocks->rows || !clocks->own)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < instances; i++)
		clocks->own[i].now = base->total;
	return PTOWSP_OK;
}

void rt_clocks_finish(struct rt_clocks *clocks)
{
	for (uint32_t p = 0; p < RT_POOL_LIMIT; p++)
		free(clocks->starts[p].at);
	free(clocks->rows);
	free(clocks->scopes);
	free(clocks->own);
	memset(clocks, 0, sizeof(*clocks));
}

void rt_clocks_turn(struct rt_clocks *clocks, uint32_t instance)
{
	struct rt_clock *base = clocks->base;
	struct rt_own_clock *own;

	if (clocks->turn != PTOWSP_NONE) {
		own = &clocks->own[clocks->turn];
		own->now = base->now;
		own->last = base->last;
		own->order_depth = base->order_depth;
		memcpy(own->orders, base->orders, (base->order_depth + 1) * sizeof(*own->orders));
	}
	clocks->turn = instance;
	if (instance == PTOWSP_NONE)
		return;
	own = &clocks->own[instance];
	base->now = own->now;
	base->last = own->last;
	base->order_depth = own->order_depth;
	memcpy(base->orders, own->orders, (own->order_depth + 1) * sizeof(*own->orders));
}

uint64_t *rt_clocks_now(struct rt_clocks *clocks, uint32_t instance)
{
	return instance == clocks->turn ? &clocks->base->now : &clocks->own[instance].now;
}

void rt_clocks_over(struct rt_clocks *clocks)
{
	clocks->own[clocks->turn].over = true;
	clocks->base->total = later(clocks->base->total, clocks->base->now);
}

/* ---- what is remembered ---------------------------------------------------------------------------------------- */

/* No instance will ever ask about an earlier time. */
uint64_t rt_clocks_least(const struct rt_clocks *clocks)
{
	uint64_t least = clocks->base->now;

	for (uint32_t i = 0; i < clocks->count; i++)
		if (!clocks->own[i].over && i != clocks->turn && clocks->own[i].now < least)
			least = clocks->own[i].now;
	return least;
}

/* A stalling window: what is older has left before any task that is still to come is issued. */
static bool left_window(const struct rt_clocks *clocks, uint64_t task)
{
	return !clocks->loads && clocks->base->window && clocks->base->window_mode == RT_WINDOW_STALL && clocks->issued - task > clocks->base->window;
}

static void rows_forget(struct rt_clocks *clocks)
{
	uint64_t least = rt_clocks_least(clocks);

	while (clocks->first < clocks->settled &&
	       (left_window(clocks, clocks->first) || row_of(clocks, clocks->first)->leave <= least))
		clocks->first++;
}

static bool rows_grow(struct rt_clocks *clocks)
{
	uint64_t mask = clocks->mask * 2 + 1;
	struct rt_row_of_all *more = malloc((mask + 1) * sizeof(*more));

	if (!more)
		return false;
	for (uint64_t t = clocks->first; t < clocks->issued; t++)
		more[t & mask] = *row_of(clocks, t);
	free(clocks->rows);
	clocks->rows = more;
	clocks->mask = mask;
	return true;
}

/* Room for one more row. Half of them must have been forgotten for that to be worth while. */
static bool row_make(struct rt_clocks *clocks)
{
	if (clocks->issued - clocks->first <= clocks->mask)
		return true;
	rows_forget(clocks);
	return clocks->issued - clocks->first <= clocks->mask / 2 || rows_grow(clocks);
}

/* F of every task that no open scope holds, in task order. */
static void settle(struct rt_clocks *clocks)
{
	for (; clocks->settled < clocks->issued; clocks->settled++) {
		struct rt_row_of_all *row = row_of(clocks, clocks->settled);
		struct rt_scope_of_all *scope = row->scope ? &clocks->scopes[row->scope - 1] : NULL;

		if (scope && scope->open)
			return;
		if (scope) {
			clocks->leave = later(clocks->leave, scope->close);
			if (!--scope->tasks) {
				scope->next = clocks->scope_free;
				clocks->scope_free = row->scope;
			}
		}
		clocks->leave = later(clocks->leave, row->end);
		row->leave = clocks->leave;
	}
}

/* ---- scopes ---------------------------------------------------------------------------------------------------- */

ptowsp_status rt_clocks_scope_begin(struct rt_clocks *clocks)
{
	struct rt_own_clock *own = &clocks->own[clocks->turn];
	uint32_t id = clocks->scope_free;

	if (id) {
		clocks->scope_free = clocks->scopes[id - 1].next;
	} else {
		if (!rt_grow((void **)&clocks->scopes, &clocks->scope_room, clocks->scope_count, sizeof(*clocks->scopes)))
			return PTOWSP_NO_MEMORY;
		id = ++clocks->scope_count;
	}
	clocks->scopes[id - 1] = (struct rt_scope_of_all){.open = true};
	own->scope[own->scopes++] = id;
	return PTOWSP_OK;
}

void rt_clocks_scope_end(struct rt_clocks *clocks)
{
	struct rt_own_clock *own = &clocks->own[clocks->turn];
	uint32_t id = own->scope[--own->scopes];
	struct rt_scope_of_all *scope = &clocks->scopes[id - 1];

	scope->open = false;
	scope->close = clocks->base->now;
	if (!scope->tasks) {
		scope->next = clocks->scope_free;
		clocks->scope_free = id;
	}
	settle(clocks);
}

uint32_t rt_clocks_holder(const struct rt_clocks *clocks)
{
	uint32_t scope = clocks->settled < clocks->issued ? row_of(clocks, clocks->settled)->scope : 0;

	for (uint32_t i = 0; scope && i < clocks->count; i++)
		for (uint32_t k = 0; k < clocks->own[i].scopes; k++)
			if (clocks->own[i].scope[k] == scope)
				return i;
	return PTOWSP_NONE;
}

/* ---- can it be issued? ----------------------------------------------------------------------------------------- */

/* Reserved by tasks `from` .. issued - 1. */
static uint64_t map_from(const struct rt_clocks *clocks, uint64_t from)
{
	return clocks->map - (from < clocks->issued ? row_of(clocks, from)->map : clocks->map);
}

static uint64_t deps_from(const struct rt_clocks *clocks, uint64_t from)
{
	return clocks->deps - (from < clocks->issued ? row_of(clocks, from)->deps : clocks->deps);
}

uint64_t rt_clocks_deps_held(const struct rt_clocks *clocks)
{
	return deps_from(clocks, clocks->settled);
}

ptowsp_status rt_clocks_room(const struct rt_clocks *clocks, struct rt_need need, struct rt_block *block)
{
	const struct rt_clock *base = clocks->base;
	uint64_t held = clocks->issued - clocks->settled, map = map_from(clocks, clocks->settled), deps = deps_from(clocks, clocks->settled);

	*block = (struct rt_block){.need = 0};
	if (base->map_capacity && need.map > base->map_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_TENSOR_MAP, base->map_capacity, 0, need.map, need.map};
	else if (base->deps_capacity && need.deps > base->deps_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_DEP_LIST, base->deps_capacity, 0, need.deps, need.deps};
	if (block->need)
		return PTOWSP_TOO_SMALL;
	if (base->window && held >= base->window)
		*block = (struct rt_block){PTOWSP_RESOURCE_TASK_RING, base->window, held, 1, held + 1};
	else if (base->map_capacity && need.map && map + need.map > base->map_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_TENSOR_MAP, base->map_capacity, map, need.map, map + need.map};
	else if (base->deps_capacity && need.deps && deps + need.deps > base->deps_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_DEP_LIST, base->deps_capacity, deps, need.deps, deps + need.deps};
	return block->need ? PTOWSP_AGAIN : PTOWSP_OK;
}

/* The least j >= first with: what tasks j .. issued - 1 have reserved leaves room for need. */
static uint64_t tail_of(const struct rt_clocks *clocks, uint64_t capacity, uint64_t need,
			uint64_t (*held_from)(const struct rt_clocks *, uint64_t))
{
	uint64_t low = clocks->first, high = clocks->settled;

	while (capacity && need && low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (held_from(clocks, middle) + need > capacity)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint64_t ring_tail(const struct rt_clocks *clocks)
{
	uint64_t window = clocks->base->window;

	return window && clocks->issued >= window ? clocks->issued - window + 1 : 0;
}

uint64_t rt_clocks_tail(const struct rt_clocks *clocks, struct rt_need need)
{
	const struct rt_clock *base = clocks->base;
	uint64_t map = tail_of(clocks, base->map_capacity, need.map, map_from);
	uint64_t deps = tail_of(clocks, base->deps_capacity, need.deps, deps_from);

	return later(ring_tail(clocks), later(map, deps));
}

/* ---- stalls ---------------------------------------------------------------------------------------------------- */

void rt_clocks_stall(struct rt_clock *base, struct rt_meter *meter, uint64_t when)
{
	if (when <= base->now)
		return;
	if (base->tell)
		rt_tell_stall(base, meter, when);
	meter->stalls++;
	meter->cycles += when - base->now;
	base->now = when;
}

/* When all tasks before `tail` have left. What was forgotten left before anybody can ask. */
uint64_t rt_clocks_left(const struct rt_clocks *clocks, uint64_t tail)
{
	return tail > clocks->first ? row_of(clocks, tail - 1)->leave : 0;
}

static ptowsp_status ring_stall(struct rt_clocks *clocks)
{
	struct rt_clock *base = clocks->base;
	uint64_t when = rt_clocks_left(clocks, ring_tail(clocks)), now = base->now;

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
		now = later(now, base->last + base->spacing);
	for (uint32_t i = 0; i < read_count; i++)
		now = later(now, base->known[reads[i]]);
	return rt_clocks_left(clocks, ring_tail(clocks)) > now;
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
	starts->high_water = later(starts->high_water, waiting + 1);
	if (starts->high_water > base->waiting[pool].high_water)
		base->waiting[pool].high_water = starts->high_water;
}

/* Enters a start. Only so many matter as the queue has places; and none that is not later than every clock. */
static bool starts_add(struct rt_clocks *clocks, struct rt_starts *starts, uint64_t start)
{
	uint32_t at;

	if (clocks->base->ready_capacity && starts->count - starts->head > clocks->base->ready_capacity)
		starts->head = starts->count - (uint32_t)clocks->base->ready_capacity;
	if (starts->count == starts->room && starts->head <= starts->room / 2)
		starts->head = (uint32_t)later(starts->head, starts_after(starts, rt_clocks_least(clocks)));
	if (starts->head > starts->room / 2) {
		memmove(starts->at, starts->at + starts->head, (starts->count - starts->head) * sizeof(*starts->at));
		starts->count -= starts->head;
		starts->head = 0;
	}
	if (!rt_grow((void **)&starts->at, &starts->room, starts->count, sizeof(*starts->at)))
		return false;
	at = starts_after(starts, start);
	memmove(starts->at + at + 1, starts->at + at, (starts->count - at) * sizeof(*starts->at));
	starts->at[at] = start;
	starts->count++;
	return true;
}

/* ---- a task ---------------------------------------------------------------------------------------------------- */

static void mark(uint64_t *high_water, uint64_t use)
{
	*high_water = later(*high_water, use);
}

/* The first task that has not left at the instance's time. */
static uint64_t present_from(const struct rt_clocks *clocks)
{
	uint64_t low = clocks->first, high = clocks->settled;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (row_of(clocks, middle)->leave <= clocks->base->now)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void high_water_mark(struct rt_clocks *clocks, struct rt_need need)
{
	struct rt_clock *base = clocks->base;
	struct rt_meter *meters = base->meters;
	uint64_t from = present_from(clocks);

	base->gone = from;
	base->map_used = map_from(clocks, from) + need.map;
	base->deps_used = deps_from(clocks, from) + need.deps;
	mark(&meters[PTOWSP_RESOURCE_TASK_RING].high_water, clocks->issued - from + 1);
	mark(&meters[PTOWSP_RESOURCE_TENSOR_MAP].high_water, base->map_used);
	mark(&meters[PTOWSP_RESOURCE_DEP_LIST].high_water, base->deps_used);
	mark(&clocks->held, clocks->issued - clocks->settled + 1);
	mark(&clocks->held_map, map_from(clocks, clocks->settled) + need.map);
	mark(&clocks->held_deps, deps_from(clocks, clocks->settled) + need.deps);
}

static ptowsp_status issue(struct rt_clocks *clocks, const struct rt_clock_task *task)
{
	struct rt_clock *base = clocks->base;
	struct rt_own_clock *own = &clocks->own[clocks->turn];
	struct rt_need need = task->need;
	ptowsp_status st;

	if (own->issued)
		base->now = later(base->now, base->last + base->spacing);
	st = ring_stall(clocks);
	if (st)
		return st;
	rt_clocks_stall(base, &base->meters[PTOWSP_RESOURCE_TENSOR_MAP], rt_clocks_left(clocks, tail_of(clocks, base->map_capacity, need.map, map_from)));
	rt_clocks_stall(base, &base->meters[PTOWSP_RESOURCE_DEP_LIST], rt_clocks_left(clocks, tail_of(clocks, base->deps_capacity, need.deps, deps_from)));
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
	return task >= clocks->first ? row_of(clocks, task)->end : 0;
}

static void row_enter(struct rt_clocks *clocks, const struct rt_clock_task *task, uint64_t end)
{
	struct rt_own_clock *own = &clocks->own[clocks->turn];
	struct rt_row_of_all *row = row_of(clocks, clocks->issued);

	*row = (struct rt_row_of_all){.end = end, .map = clocks->map, .deps = clocks->deps};
	if (own->scopes) {
		row->scope = own->scope[own->scopes - 1];
		clocks->scopes[row->scope - 1].tasks++;
	}
	clocks->map += task->need.map;
	clocks->deps += task->need.deps;
	clocks->issued++;
	clocks->base->issued++;
	settle(clocks);
}

ptowsp_status rt_clocks_task(struct rt_clocks *clocks, const struct rt_clock_task *task, struct ptowsp_trace_task *trace)
{
	struct rt_clock *base = clocks->base;
	uint64_t start;
	ptowsp_status st = row_make(clocks) ? issue(clocks, task) : PTOWSP_NO_MEMORY;

	if (st)
		return st;
	start = rt_clock_gates(base, task);
	for (uint32_t i = 0; i < task->pred_count; i++)
		start = later(start, end_of(clocks, task->preds[i]));
	*trace = (struct ptowsp_trace_task){.task = clocks->issued, .start = start, .end = start + task->cycles, .kernel = task->kernel,
					    .executor = task->executor, .stream = task->stream};
	if (!starts_add(clocks, &clocks->starts[task->pool], start))
		return PTOWSP_NO_MEMORY;
	rt_clock_enter(base, task, trace->end);
	row_enter(clocks, task, trace->end);
	base->now = trace->end;
	clocks->own[clocks->turn].ended = later(clocks->own[clocks->turn].ended, trace->end);
	return base->out_of_memory ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

void rt_clocks_slot_load(struct rt_clocks *clocks, uint32_t slot, uint64_t writer)
{
	struct rt_clock *base = clocks->base;

	base->now = base->known[slot] = later(base->now, writer ? end_of(clocks, writer - 1) : 0);
}
