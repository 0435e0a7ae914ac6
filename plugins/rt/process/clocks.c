/* SPDX-License-Identifier: MIT */
#include "rt/process/clocks.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 64 };

/* ---- making, turns --------------------------------------------------------------------------------------------- */

ptowsp_status rt_clocks_init(struct rt_clocks *clocks, struct rt_clock *base, uint32_t instances)
{
	clocks->base = base;
	clocks->count = instances;
	clocks->turn = PTOWSP_NONE;
	clocks->first = clocks->settled = clocks->issued = base->issued;
	clocks->leave = base->total;
	clocks->mask = FIRST_ROWS - 1;
	clocks->rows = malloc(FIRST_ROWS * sizeof(*clocks->rows));
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
	clocks->base->total = rt_later(clocks->base->total, clocks->base->now);
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

/* A stalling window: older tasks have left before any task that is still to come is issued. */
static bool left_window(const struct rt_clocks *clocks, uint64_t task)
{
	return !clocks->asked && clocks->base->window && clocks->base->window_mode == RT_WINDOW_STALL && clocks->issued - task > clocks->base->window;
}

static void rows_forget(struct rt_clocks *clocks)
{
	uint64_t least = rt_clocks_least(clocks);

	while (clocks->first < clocks->settled && (left_window(clocks, clocks->first) || rt_clocks_row(clocks, clocks->first)->leave <= least))
		clocks->first++;
}

static bool rows_grow(struct rt_clocks *clocks)
{
	if (!COMMON_RING_DOUBLE(clocks->rows, clocks->mask, clocks->first, clocks->issued))
		return false;
	clocks->mask = clocks->mask * 2 + 1;
	return true;
}

/* Half of the rows must have been forgotten for that to be worth while. */
bool rt_clocks_row_make(struct rt_clocks *clocks)
{
	if (clocks->issued - clocks->first <= clocks->mask)
		return true;
	rows_forget(clocks);
	return clocks->issued - clocks->first <= clocks->mask / 2 || rows_grow(clocks);
}

void rt_clocks_settle(struct rt_clocks *clocks)
{
	for (; clocks->settled < clocks->issued; clocks->settled++) {
		struct rt_row_of_all *row = rt_clocks_row(clocks, clocks->settled);
		struct rt_scope_of_all *scope = row->scope ? &clocks->scopes[row->scope - 1] : NULL;

		if (scope && scope->open)
			return;
		if (scope) {
			clocks->leave = rt_later(clocks->leave, scope->close);
			if (!--scope->tasks) {
				scope->next = clocks->scope_free;
				clocks->scope_free = row->scope;
			}
		}
		clocks->leave = rt_later(clocks->leave, row->end);
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
		if (!COMMON_GROW(clocks->scopes, clocks->scope_room, clocks->scope_count))
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
	rt_clocks_settle(clocks);
}

uint32_t rt_clocks_holder(const struct rt_clocks *clocks)
{
	uint32_t scope = clocks->settled < clocks->issued ? rt_clocks_row(clocks, clocks->settled)->scope : 0;

	for (uint32_t i = 0; scope && i < clocks->count; i++)
		for (uint32_t k = 0; k < clocks->own[i].scopes; k++)
			if (clocks->own[i].scope[k] == scope)
				return i;
	return PTOWSP_NONE;
}

/* ---- room: can the next task ever be issued while things are as they are, and who must have left before it is? ---- */

uint64_t rt_clocks_map_from(const struct rt_clocks *clocks, uint64_t from)
{
	return clocks->map - (from < clocks->issued ? rt_clocks_row(clocks, from)->map : clocks->map);
}

uint64_t rt_clocks_deps_from(const struct rt_clocks *clocks, uint64_t from)
{
	return clocks->deps - (from < clocks->issued ? rt_clocks_row(clocks, from)->deps : clocks->deps);
}

uint64_t rt_clocks_deps_held(const struct rt_clocks *clocks)
{
	return rt_clocks_deps_from(clocks, clocks->settled);
}

ptowsp_status rt_clocks_room(const struct rt_clocks *clocks, struct rt_need need, struct rt_block *block)
{
	const struct rt_clock *base = clocks->base;
	uint64_t held = clocks->issued - clocks->settled, map = rt_clocks_map_from(clocks, clocks->settled),
		 deps = rt_clocks_deps_from(clocks, clocks->settled);

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

/* The least j >= first such that reservations of tasks j .. issued - 1 leave room for need. */
static uint64_t tail_of(const struct rt_clocks *clocks, uint64_t capacity, uint64_t need, uint64_t (*held_from)(const struct rt_clocks *, uint64_t))
{
	uint64_t low = clocks->first, high = capacity && need && held_from(clocks, low) + need > capacity ? clocks->settled : low;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (held_from(clocks, middle) + need > capacity)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint64_t rt_clocks_ring_tail(const struct rt_clocks *clocks)
{
	uint64_t window = clocks->base->window;

	return window && clocks->issued >= window ? clocks->issued - window + 1 : 0;
}

uint64_t rt_clocks_map_tail(const struct rt_clocks *clocks, uint64_t need)
{
	return tail_of(clocks, clocks->base->map_capacity, need, rt_clocks_map_from);
}

uint64_t rt_clocks_deps_tail(const struct rt_clocks *clocks, uint64_t need)
{
	return tail_of(clocks, clocks->base->deps_capacity, need, rt_clocks_deps_from);
}

uint64_t rt_clocks_tail(const struct rt_clocks *clocks, struct rt_need need)
{
	return rt_later(rt_clocks_ring_tail(clocks), rt_later(rt_clocks_map_tail(clocks, need.map), rt_clocks_deps_tail(clocks, need.deps)));
}

/* ---- the heap arena, as instances see it whose clocks stand apart ------------------------------------------------
 *
 * Bytes that come back at some time are there for later clocks, and not for earlier ones. F is monotone in task order, and so are the bytes that wait for it. */

/* Rows that nobody will find any more go. */
static void forget(struct rt_clocks *clocks)
{
	struct rt_arena *heap = &clocks->base->heap;
	uint64_t least = rt_clocks_least(clocks);

	rt_arena_settle(heap, clocks->first);
	while (heap->count && rt_arena_first(heap)->tasks <= clocks->settled && rt_clocks_left(clocks, rt_arena_first(heap)->tasks) <= least)
		rt_arena_settle(heap, rt_arena_first(heap)->tasks);
}

/* Has it come back by now? */
static bool back(const struct rt_clocks *clocks, const struct rt_arena_return *row)
{
	return row->tasks <= clocks->settled && rt_clocks_left(clocks, row->tasks) <= clocks->base->now;
}

static uint64_t used_now(const struct rt_clocks *clocks)
{
	const struct rt_arena *heap = &clocks->base->heap;
	const struct rt_arena_return *row = rt_arena_first(heap);
	uint64_t used = heap->used;

	for (uint32_t left = heap->count; left && back(clocks, row); left--, row++)
		used -= row->bytes;
	return used;
}

/* Structure has seen that tasks which no scope holds give back enough. */
void rt_clocks_heap_stall(struct rt_clocks *clocks, uint64_t bytes)
{
	struct rt_clock *base = clocks->base;
	const struct rt_arena_return *row;
	uint64_t used, when = 0;

	if (!base->heap.capacity)
		return;
	forget(clocks);
	used = base->heap.used;
	row = rt_arena_first(&base->heap);
	for (uint32_t left = base->heap.count; left && used + bytes > base->heap.capacity; left--, row++) {
		used -= row->bytes;
		when = rt_clocks_left(clocks, row->tasks);
	}
	rt_clocks_stall(base, &base->meters[PTOWSP_RESOURCE_HEAP], when);
}

void rt_clocks_heap_take(struct rt_clocks *clocks, uint64_t bytes)
{
	struct rt_clock *base = clocks->base;

	if (!bytes && !base->heap.count) /* as it was */
		return;
	forget(clocks);
	rt_meter_mark(&base->meters[PTOWSP_RESOURCE_HEAP], used_now(clocks) + bytes);
	base->heap.used += bytes;
}
