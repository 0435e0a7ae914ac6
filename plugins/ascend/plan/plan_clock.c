/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_clock.h"

#include "rt/program/rt_error.h"
#include <stdlib.h>

struct times {
	uint64_t *ends;  /* per step */
	uint64_t *left;  /* per task: when all up to it have ended */
	uint64_t issued; /* of the latest task */
	uint64_t gone;   /* tasks whose places are free by then */
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t wait_for(const struct times *times, const uint32_t *edges, uint32_t count, uint64_t at)
{
	for (uint32_t i = 0; i < count; i++)
		at = later(at, times->ends[edges[i]]);
	return at;
}

/* The place that task number - ring had is free when it and all before it have left. */
static uint64_t issue(struct times *times, uint64_t first, uint64_t number, uint64_t ring, struct rt_feed *feed)
{
	uint64_t free = ring && number >= ring ? times->left[number - ring] : 0;

	if (free > times->issued) {
		rt_feed_stall(feed, PTOWSP_RESOURCE_TASK_RING, 0, first + number, PTOWSP_NONE, times->issued, free);
		times->issued = free;
	}
	while (ring && times->gone < number && times->left[times->gone] <= times->issued)
		times->gone++;
	if (ring)
		rt_feed_use(feed, PTOWSP_RESOURCE_TASK_RING, 0, number + 1 - times->gone);
	return times->issued;
}

/* number: of the walk. */
static void task_tell(const struct base_walk *walk, uint64_t number, uint64_t start, uint64_t end, struct rt_feed *feed)
{
	const struct base_walk_task *task = &walk->tasks[number];

	rt_feed_tell(
		feed,
		&(struct ptowsp_trace_task){
			.task = walk->first + number, .start = start, .end = end, .kernel = task->kernel, .executor = task->executor, .stream = task->stream});
}

/* Of the schedule: on which core a task of one of them really runs nobody tells. */
static uint64_t executors(const struct base_walk *walk)
{
	uint64_t count = 0;

	for (uint64_t t = 0; t < walk->task_count; t++)
		if (walk->tasks[t].executor != PTOWSP_NONE && walk->tasks[t].executor >= count)
			count = walk->tasks[t].executor + UINT64_C(1);
	return count;
}

ptowsp_status ascend_plan_clock(const struct ascend_plan_head *plan, const struct base_walk *walk, const uint64_t *cycles, uint64_t ring,
				struct ascend_plan_times *so_far, struct rt_feed *feed, struct ptowsp_error *error)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	const uint32_t *edges = ascend_plan_edges(plan);
	struct times times = {calloc((size_t)plan->step_count + 1, sizeof(uint64_t)), calloc(walk->task_count + 1, sizeof(uint64_t)), so_far->end, 0};
	const uint64_t began = so_far->end, here = executors(walk);
	ptowsp_status status = times.ends && times.left ? PTOWSP_OK : rt_no_memory(error, "the times of a plan");

	if (ring)
		rt_feed_window(feed, ring);
	so_far->executors = later(so_far->executors, here);
	rt_feed_executors(feed, so_far->executors);

	for (uint32_t s = 0; !status && s < plan->step_count; s++) {
		uint64_t number = steps[s].number, at = wait_for(&times, edges, steps[s].edge_count, began);

		edges += steps[s].edge_count;
		times.ends[s] = at;
		if (steps[s].kind != ASCEND_STEP_TASK)
			continue;
		at = later(at, issue(&times, walk->first, number, ring, feed));
		times.ends[s] = at + cycles[number];
		times.left[number] = later(number ? times.left[number - 1] : began, times.ends[s]);
		so_far->end = later(so_far->end, times.ends[s]);
		task_tell(walk, number, at, times.ends[s], feed);
	}
	free(times.ends);
	free(times.left);
	return status;
}
