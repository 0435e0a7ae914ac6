/* SPDX-License-Identifier: MIT */
/* clock_depth.c - `pipeline_depth` on the clock: the d-th largest end of a domain. */
#include "registry/common/common_grow.h"
#include "rt/time/clock.h"
#include <stdlib.h>

static uint32_t domain_count(const struct rt_clock *clock, const struct rt_depth *depth)
{
	return depth->domain == RT_DOMAIN_STREAM && clock->streams ? (uint32_t)clock->streams : depth->domain == RT_DOMAIN_POOL ? RT_POOL_LIMIT : 1;
}

bool rt_clock_depth_init(struct rt_clock *clock)
{
	bool ok = true;

	for (uint32_t k = 0; ok && k < clock->depth_count; k++) {
		clock->ends_count[k] = domain_count(clock, &clock->depths[k]);
		clock->ends[k] = calloc(clock->ends_count[k], sizeof(*clock->ends[k]));
		ok = clock->ends[k] != NULL;
	}
	return ok;
}

void rt_clock_depth_finish(struct rt_clock *clock)
{
	for (uint32_t k = 0; k < clock->depth_count; k++) {
		for (uint32_t d = 0; clock->ends[k] && d < clock->ends_count[k]; d++)
			free(clock->ends[k][d].ends);
		free(clock->ends[k]);
	}
}

static struct rt_ends *ends_of(struct rt_clock *clock, uint32_t k, const struct rt_clock_task *task)
{
	switch (clock->depths[k].domain) {
	case RT_DOMAIN_STREAM: return &clock->ends[k][clock->streams ? task->stream : 0];
	case RT_DOMAIN_POOL: return &clock->ends[k][task->pool];
	case RT_DOMAIN_LOOP: return task->depth_loops >> k & 1 ? &clock->ends[k][0] : NULL;
	default: return &clock->ends[k][0];
	}
}

uint64_t rt_clock_depth_time(struct rt_clock *clock, const struct rt_clock_task *task)
{
	uint64_t time = 0;

	for (uint32_t k = 0; k < clock->depth_count; k++) {
		const struct rt_ends *ends = ends_of(clock, k, task);

		if (ends && ends->count == clock->depths[k].depth && ends->ends[0] > time)
			time = ends->ends[0];
	}
	return time;
}

void rt_clock_depth_enter(struct rt_clock *clock, const struct rt_clock_task *task, uint64_t end)
{
	for (uint32_t k = 0; k < clock->depth_count; k++) {
		struct rt_ends *ends = ends_of(clock, k, task);

		if (!ends)
			continue;
		if (ends->count == clock->depths[k].depth) {
			if (end > ends->ends[0])
				rt_times_replace(ends->ends, ends->count, end, NULL);
			continue;
		}
		if (!COMMON_GROW(ends->ends, ends->room, ends->count)) {
			clock->out_of_memory = true;
			return;
		}
		rt_times_push(ends->ends, &ends->count, end, NULL);
	}
}
