/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#include "registry/common/common_grow.h"
#include "rt/program/policy.h"
#include "rt/rt_feed.h"
#include <stdlib.h>
#include <string.h>

/* ---- which ----------------------------------------------------------------------------------------------------------- */

/* The policy's places do not depend on times. */
static bool policy_static(uint32_t policy)
{
	return policy == PTOWSP_DISPATCH_ROUND_ROBIN || policy == PTOWSP_DISPATCH_AFFINITY || policy == PTOWSP_DISPATCH_HASH ||
	       policy == PTOWSP_DISPATCH_STATIC_PARTITION || policy == PTOWSP_DISPATCH_CUSTOM || policy == PTOWSP_DISPATCH_AUTO ||
	       policy == PTOWSP_DISPATCH_GRID;
}

/* A kernel of no unit joins the pool that is free first. */
bool base_lanes_placed(const struct base_lanes *lanes, const struct base_walk_task *task)
{
	const struct rt_limits *limits = &lanes->walk->limits;
	bool wanders = task->unit == PTOWSP_UNIT_ANY && limits->pools > 1;

	return task->process == PTOWSP_NONE && policy_static(limits->policy) && !wanders;
}

/* Lane `key` of a kind; NULL where out of memory. */
static struct base_lane *lane_of(struct base_lanes *lanes, struct base_lane_kind *kind, uint32_t key)
{
	while (kind->count <= key) {
		if (!COMMON_GROW(kind->lanes, kind->room, kind->count)) {
			lanes->failed = true;
			return NULL;
		}
		kind->lanes[kind->count++] = (struct base_lane){0};
	}
	return &kind->lanes[key];
}

static struct base_lane *executor_of(struct base_lanes *lanes, const struct base_walk_task *task)
{
	return base_lanes_placed(lanes, task) ? lane_of(lanes, &lanes->executors, task->executor) : NULL;
}

static struct base_lane *stream_of(struct base_lanes *lanes, const struct base_walk_task *task)
{
	return lanes->walk->limits.streams && task->process == PTOWSP_NONE ? lane_of(lanes, &lanes->streams, task->stream) : NULL;
}

static struct base_lane *depth_of(struct base_lanes *lanes, uint32_t k, const struct base_walk_task *task)
{
	switch (lanes->walk->limits.depths[k].domain) {
	case RT_DOMAIN_STREAM: return lane_of(lanes, &lanes->depths[k], task->stream);
	case RT_DOMAIN_POOL: return lane_of(lanes, &lanes->depths[k], task->pool);
	case RT_DOMAIN_LOOP: return task->depth_loops >> k & 1 ? lane_of(lanes, &lanes->depths[k], 0) : NULL;
	default: return lane_of(lanes, &lanes->depths[k], 0);
	}
}

/* ---- following ------------------------------------------------------------------------------------------------------- */

/* The step `depth` before in the lane, behind `count` others. */
static uint32_t lane_follow(const struct base_lane *lane, uint64_t depth, uint32_t *steps, uint32_t count)
{
	if (lane && lane->count >= depth)
		steps[count++] = lane->steps[lane->count % depth];
	return count;
}

uint32_t base_lanes_follow(struct base_lanes *lanes, const struct base_walk_task *task, uint32_t steps_out[BASE_LANES_MOST])
{
	uint32_t count = lane_follow(executor_of(lanes, task), 1, steps_out, 0);

	count = lane_follow(stream_of(lanes, task), 1, steps_out, count);
	for (uint32_t k = 0; k < lanes->walk->limits.depth_count; k++)
		count = lane_follow(depth_of(lanes, k, task), lanes->walk->limits.depths[k].depth, steps_out, count);
	return count;
}

/* A depth that there are never as many tasks for at a time holds nobody up. */
static void lane_put(struct base_lanes *lanes, struct base_lane *lane, uint64_t depth, uint32_t step)
{
	if (!lane || depth > lanes->most)
		return;
	if (!lane->steps)
		lane->steps = malloc(depth * sizeof(*lane->steps));
	if (lane->steps)
		lane->steps[lane->count++ % depth] = step;
	else
		lanes->failed = true;
}

void base_lanes_put(struct base_lanes *lanes, const struct base_walk_task *task, uint32_t step)
{
	lane_put(lanes, executor_of(lanes, task), 1, step);
	lane_put(lanes, stream_of(lanes, task), 1, step);
	for (uint32_t k = 0; k < lanes->walk->limits.depth_count; k++)
		lane_put(lanes, depth_of(lanes, k, task), lanes->walk->limits.depths[k].depth, step);
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

void base_lanes_init(struct base_lanes *lanes, const struct base_walk *walk, uint64_t most)
{
	const struct rt_limits *limits = &walk->limits;

	*lanes = (struct base_lanes){.walk = walk, .most = most, .any = limits->streams || limits->depth_count || policy_static(limits->policy)};
}

static void kind_finish(struct base_lane_kind *kind)
{
	for (uint32_t i = 0; i < kind->count; i++)
		free(kind->lanes[i].steps);
	free(kind->lanes);
}

void base_lanes_finish(struct base_lanes *lanes)
{
	kind_finish(&lanes->executors);
	kind_finish(&lanes->streams);
	for (uint32_t k = 0; k < RT_DEPTH_LIMIT; k++)
		kind_finish(&lanes->depths[k]);
	memset(lanes, 0, sizeof(*lanes));
}
