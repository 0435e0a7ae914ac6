/* SPDX-License-Identifier: MIT */
#include "rt/structure/flow.h"

#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

/* A pool that tasks of a window with this many places each can fill. */
enum { PLACES_EACH = 8 };
static bool is_small(uint64_t capacity, uint64_t window)
{
	return capacity && (!window || capacity / PLACES_EACH < window);
}

ptowsp_status rt_flow_init(struct rt_flow *flow, uint64_t window, uint64_t map_capacity, uint64_t deps_capacity)
{
	memset(flow, 0, sizeof(*flow));
	flow->window = window;
	flow->map_capacity = map_capacity;
	flow->deps_capacity = deps_capacity;
	flow->mask = rt_window_room(window) - 1;
	flow->map_most = map_capacity ? map_capacity : UINT64_MAX;
	flow->deps_most = deps_capacity ? deps_capacity : UINT64_MAX;
	flow->counts = flow->counting = is_small(map_capacity, window) || is_small(deps_capacity, window);
	return PTOWSP_OK;
}

void rt_flow_finish(struct rt_flow *flow)
{
	free(flow->needs);
	memset(flow, 0, sizeof(*flow));
}

/* Tasks before the outermost scope can all leave. */
void rt_flow_scope_begin(struct rt_flow *flow)
{
	if (!flow->counting) {
		flow->from = flow->issued;
		flow->map_held = flow->deps_held = 0;
	}
	flow->first[flow->scopes++] = 0;
	flow->counting = true;
}

/* Of the scopes that share the last ring an outer one may keep tasks there. */
static bool ring_kept(const struct rt_flow *flow, uint32_t ring)
{
	for (uint32_t k = ring; k <= flow->scopes; k++)
		if (flow->first[k - 1])
			return true;
	return false;
}

void rt_flow_scope_end(struct rt_flow *flow)
{
	const uint32_t ring = rt_feed_ring(flow->scopes--);

	if (!ring_kept(flow, ring))
		flow->in_ring[ring] = 0;
	flow->counting = flow->counts || flow->scopes;
	if (rt_flow_held_from(flow) == flow->issued)
		flow->map_kept = flow->deps_kept = 0;
}

uint64_t rt_flow_held_from(const struct rt_flow *flow)
{
	/* An outer scope's own tasks are older than anything inside a scope that is still open in it. */
	for (uint32_t k = 0; k < flow->scopes; k++)
		if (flow->first[k])
			return flow->first[k] - 1;
	return flow->issued;
}

static const struct rt_need *need_of(const struct rt_flow *flow, uint64_t task)
{
	return &flow->needs[task & flow->mask];
}

static void give_back(struct rt_flow *flow)
{
	flow->map_held -= need_of(flow, flow->from)->map;
	flow->deps_held -= need_of(flow, flow->from)->deps;
	if (++flow->from > flow->tail)
		flow->tail = flow->from;
}

/* The first ones, then for large windows, and none: every task that was not told to leave keeps its record. */
static bool needs_grow(struct rt_flow *flow)
{
	uint64_t mask = flow->needs ? flow->mask * 2 + 1 : flow->mask;
	struct rt_need *more = malloc((mask + 1) * sizeof(*more));

	if (!more)
		return false;
	for (uint64_t t = flow->needs ? flow->from : flow->issued; t < flow->issued; t++)
		more[t & mask] = *need_of(flow, t);
	free(flow->needs);
	flow->needs = more;
	flow->mask = mask;
	return true;
}

static bool lacks(uint64_t capacity, uint64_t held, uint64_t need)
{
	return capacity && need && held + need > capacity;
}

/* Holdings of tasks that cannot leave, for the report. */
static void block_fill(const struct rt_flow *flow, enum ptowsp_resource resource, uint64_t capacity, uint64_t need, struct rt_block *block)
{
	uint64_t held = 0;

	for (uint64_t t = rt_flow_held_from(flow); t < flow->issued; t++)
		held += resource == PTOWSP_RESOURCE_TASK_RING ? 1 : resource == PTOWSP_RESOURCE_TENSOR_MAP ? need_of(flow, t)->map : need_of(flow, t)->deps;
	*block = (struct rt_block){resource, capacity, held, need, held + need};
}

static ptowsp_status too_small(const struct rt_flow *flow, struct rt_need need, struct rt_block *block)
{
	if (flow->map_capacity && need.map > flow->map_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_TENSOR_MAP, flow->map_capacity, 0, need.map, need.map};
	else if (flow->deps_capacity && need.deps > flow->deps_capacity)
		*block = (struct rt_block){PTOWSP_RESOURCE_DEP_LIST, flow->deps_capacity, 0, need.deps, need.deps};
	else
		return PTOWSP_OK;
	return PTOWSP_TOO_SMALL;
}

/* Lets tasks leave until the resource has room for `need` more; one of `held` counts what tasks hold. */
static ptowsp_status pool_make(struct rt_flow *flow, enum ptowsp_resource resource, uint64_t capacity, const uint64_t *held, uint64_t need,
			       enum ptowsp_resource *reason, struct rt_block *block)
{
	uint64_t held_from = rt_flow_held_from(flow), before = flow->from;

	while (lacks(capacity, *held, need) && flow->from < held_from)
		give_back(flow);
	if (lacks(capacity, *held, need)) {
		block_fill(flow, resource, capacity, need, block);
		return PTOWSP_DEADLOCK;
	}
	if (flow->from != before)
		*reason = resource;
	return PTOWSP_OK;
}

static ptowsp_status ring_make(struct rt_flow *flow, enum ptowsp_resource *reason, struct rt_block *block)
{
	uint64_t held_from = rt_flow_held_from(flow), before = flow->from;

	while (flow->issued - flow->from >= flow->window && flow->from < held_from)
		give_back(flow);
	if (flow->issued - flow->from >= flow->window) {
		block_fill(flow, PTOWSP_RESOURCE_TASK_RING, flow->window, 1, block);
		return PTOWSP_DEADLOCK;
	}
	if (flow->from != before)
		*reason = PTOWSP_RESOURCE_TASK_RING;
	return PTOWSP_OK;
}

/* Of the places of a ring one stays free; the next ring that would do has a power of two of them. */
static ptowsp_status place_make(const struct rt_flow *flow, struct rt_block *block)
{
	const uint64_t kept = flow->in_ring[rt_feed_ring(flow->scopes)];

	if (kept < flow->ring - 1)
		return PTOWSP_OK;
	*block = (struct rt_block){PTOWSP_RESOURCE_TASK_RING, flow->ring - 1, kept, 1, rt_power_above(kept + 2)};
	return PTOWSP_DEADLOCK;
}

static bool full(const struct rt_flow *flow)
{
	return flow->window && flow->issued - flow->from >= flow->window;
}

/* In this order: a later resource is asked when the earlier ones have room. */
static ptowsp_status room_make(struct rt_flow *flow, struct rt_need need, enum ptowsp_resource *reason, struct rt_block *block)
{
	ptowsp_status status = too_small(flow, need, block);

	if (!status && full(flow))
		status = ring_make(flow, reason, block);
	if (!status && flow->ring && flow->scopes)
		status = place_make(flow, block);
	if (!status && lacks(flow->map_capacity, flow->map_held, need.map))
		status = pool_make(flow, PTOWSP_RESOURCE_TENSOR_MAP, flow->map_capacity, &flow->map_held, need.map, reason, block);
	if (!status && lacks(flow->deps_capacity, flow->deps_held, need.deps))
		status = pool_make(flow, PTOWSP_RESOURCE_DEP_LIST, flow->deps_capacity, &flow->deps_held, need.deps, reason, block);
	return status;
}

static ptowsp_status count(struct rt_flow *flow, struct rt_need need)
{
	if (flow->window || flow->map_capacity || flow->deps_capacity) { /* else nothing has to be remembered */
		if ((!flow->needs || flow->issued - flow->from > flow->mask) && !needs_grow(flow))
			return PTOWSP_NO_MEMORY;
		flow->needs[flow->issued & flow->mask] = need;
		flow->map_held += need.map;
		flow->deps_held += need.deps;
	}
	if (flow->scopes) {
		flow->map_kept += need.map;
		flow->deps_kept += need.deps;
		flow->in_ring[rt_feed_ring(flow->scopes)]++;
	}
	if (flow->scopes && !flow->first[flow->scopes - 1])
		flow->first[flow->scopes - 1] = flow->issued + 1;
	return PTOWSP_OK;
}

ptowsp_status rt_flow_reserve_slow(struct rt_flow *flow, struct rt_need need, enum ptowsp_resource *reason, struct rt_block *block)
{
	ptowsp_status status = flow->counting ? room_make(flow, need, reason, block) : too_small(flow, need, block);

	if (!status && flow->counting)
		status = count(flow, need);
	flow->issued += !status;
	return status;
}
