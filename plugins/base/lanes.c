/* SPDX-License-Identifier: MIT */
#include "lanes.h"

#include "rt/program/policy.h"
#include "rt/rt_feed.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- which ----------------------------------------------------------------------------------------------------------- */

/* Whose place does not depend on when something happens. */
static bool policy_static(uint32_t policy)
{
	return policy == PTOWSP_DISPATCH_ROUND_ROBIN || policy == PTOWSP_DISPATCH_AFFINITY || policy == PTOWSP_DISPATCH_HASH ||
	       policy == PTOWSP_DISPATCH_STATIC_PARTITION || policy == PTOWSP_DISPATCH_CUSTOM || policy == PTOWSP_DISPATCH_AUTO || policy == RT_POLICY_GRID;
}

/* A kernel of no unit joins the pool that is free first. */
bool base_lanes_placed(const struct base_lanes *lanes, const struct base_walk_task *task)
{
	const struct rt_limits *limits = &lanes->walk->limits;
	bool wanders = task->unit == PTOWSP_UNIT_ANY && limits->pools > 1;

	return task->process == PTOWSP_NONE && policy_static(limits->policy) && !wanders;
}

static struct base_lane *executor_of(const struct base_lanes *lanes, const struct base_walk_task *task)
{
	return base_lanes_placed(lanes, task) ? &lanes->executors[task->executor] : NULL;
}

static struct base_lane *stream_of(const struct base_lanes *lanes, const struct base_walk_task *task)
{
	return lanes->walk->limits.streams && task->process == PTOWSP_NONE ? &lanes->streams[task->stream] : NULL;
}

static struct base_lane *depth_of(const struct base_lanes *lanes, uint32_t k, const struct base_walk_task *task)
{
	switch (lanes->walk->limits.depths[k].domain) {
	case RT_DOMAIN_STREAM: return &lanes->depths[k][task->stream];
	case RT_DOMAIN_POOL: return &lanes->depths[k][task->pool];
	case RT_DOMAIN_LOOP: return task->depth_loops >> k & 1 ? &lanes->depths[k][0] : NULL;
	default: return &lanes->depths[k][0];
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

uint32_t base_lanes_follow(const struct base_lanes *lanes, const struct base_walk_task *task, uint32_t steps_out[BASE_LANES_MOST])
{
	uint32_t count = lane_follow(executor_of(lanes, task), 1, steps_out, 0);

	count = lane_follow(stream_of(lanes, task), 1, steps_out, count);
	for (uint32_t k = 0; k < lanes->depth_count; k++)
		count = lane_follow(depth_of(lanes, k, task), lanes->walk->limits.depths[k].depth, steps_out, count);
	return count;
}

/* A depth that there are not as many tasks for holds nobody up. */
static void lane_put(struct base_lanes *lanes, struct base_lane *lane, uint64_t depth, uint32_t step)
{
	if (!lane || depth > lanes->walk->task_count)
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
	for (uint32_t k = 0; k < lanes->depth_count; k++)
		lane_put(lanes, depth_of(lanes, k, task), lanes->walk->limits.depths[k].depth, step);
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

/* One more than the largest value of that field of tasks. */
static uint32_t most(const struct base_walk *walk, size_t field)
{
	uint32_t most = 0, value;

	for (uint64_t t = 0; t < walk->task_count; t++) {
		memcpy(&value, (const char *)&walk->tasks[t] + field, sizeof(value));
		most = value > most && value != PTOWSP_NONE ? value : most;
	}
	return most + 1;
}

bool base_lanes_init(struct base_lanes *lanes, const struct base_walk *walk)
{
	uint32_t pools = most(walk, offsetof(struct base_walk_task, pool));
	bool ok = true;

	*lanes = (struct base_lanes){.walk = walk,
				     .executor_count = most(walk, offsetof(struct base_walk_task, executor)),
				     .stream_count = most(walk, offsetof(struct base_walk_task, stream))};
	lanes->depth_keys = pools > lanes->stream_count ? pools : lanes->stream_count;
	lanes->executors = calloc(lanes->executor_count, sizeof(*lanes->executors));
	lanes->streams = calloc(lanes->stream_count, sizeof(*lanes->streams));
	for (; ok && lanes->depth_count < walk->limits.depth_count; lanes->depth_count++) {
		lanes->depths[lanes->depth_count] = calloc(lanes->depth_keys, sizeof(**lanes->depths));
		ok = lanes->depths[lanes->depth_count];
	}
	return ok && lanes->executors && lanes->streams;
}

static void lanes_free(struct base_lane *lanes, uint32_t count)
{
	for (uint32_t i = 0; lanes && i < count; i++)
		free(lanes[i].steps);
	free(lanes);
}

void base_lanes_finish(struct base_lanes *lanes)
{
	lanes_free(lanes->executors, lanes->executor_count);
	lanes_free(lanes->streams, lanes->stream_count);
	for (uint32_t k = 0; k < lanes->depth_count; k++)
		lanes_free(lanes->depths[k], lanes->depth_keys);
	memset(lanes, 0, sizeof(*lanes));
}
