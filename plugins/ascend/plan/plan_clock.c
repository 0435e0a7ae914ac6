/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_clock.h"

#include "rt/grow.h"
#include <stdlib.h>

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t *end_of(const struct ascend_plan_clock *clock, uint64_t step)
{
	return &clock->ends[step & (clock->kept - 1)];
}

static uint64_t *left_of(const struct ascend_plan_clock *clock, uint64_t task)
{
	return &clock->left[task & (clock->kept - 1)];
}

/* Steps that are no longer kept have ended long since, by the window. */
static uint64_t wait_for(const struct ascend_plan_clock *clock, uint64_t step, const uint32_t *edges, uint32_t count)
{
	uint64_t at = clock->began;

	for (uint32_t i = 0; i < count; i++)
		if (edges[i] < clock->kept)
			at = later(at, *end_of(clock, step - edges[i]));
	return at;
}

/* The place that task number - window had is free when it and all before it have left. */
static uint64_t issue(struct ascend_plan_clock *clock, uint64_t number, uint64_t window, struct rt_feed *feed)
{
	const bool held = window < clock->kept && number >= clock->first + window;
	const uint64_t free = held ? *left_of(clock, number - window) : 0;

	if (free > clock->issued) {
		rt_feed_stall(feed, PTOWSP_RESOURCE_TASK_RING, 0, number, PTOWSP_NONE, clock->issued, free);
		clock->issued = free;
	}
	while (clock->gone < number && (number - clock->gone >= clock->kept || *left_of(clock, clock->gone) <= clock->issued))
		clock->gone++;
	clock->used = later(clock->used, number + 1 - clock->gone);
	return clock->issued;
}

/* Executors of the schedule: nobody tells on which core a task of one of them really runs. */
static void executors_find(struct ascend_plan_clock *clock, const struct base_walk *walk)
{
	for (uint64_t t = 0; t < walk->task_count; t++)
		if (walk->tasks[t].executor != PTOWSP_NONE)
			clock->executors = later(clock->executors, walk->tasks[t].executor + UINT64_C(1));
}

static void task_tell(struct ascend_plan_clock *clock, const struct base_walk *walk, uint64_t row, uint64_t start, uint64_t end, struct rt_feed *feed)
{
	const struct base_walk_task *task = &walk->tasks[row];
	const uint64_t number = walk->first + row;

	*left_of(clock, number) = later(number > clock->first ? *left_of(clock, number - 1) : clock->began, end);
	clock->end = later(clock->end, end);
	rt_feed_tell(feed, &(struct ptowsp_trace_task){
				   .task = number, .start = start, .end = end, .kernel = task->kernel, .executor = task->executor, .stream = task->stream});
}

bool ascend_plan_clock_begin(struct ascend_plan_clock *clock, uint64_t steps, uint64_t first)
{
	const uint64_t kept = rt_power_above(steps + 1);

	clock->began = clock->issued = clock->end;
	clock->first = clock->gone = first;
	if (kept <= clock->kept)
		return true;
	free(clock->ends);
	free(clock->left);
	clock->kept = kept;
	clock->ends = calloc(kept, sizeof(*clock->ends));
	clock->left = calloc(kept, sizeof(*clock->left));
	return clock->ends && clock->left;
}

void ascend_plan_clock_tell(struct ascend_plan_clock *clock, const struct ascend_plan_head *plan, const struct base_walk *walk, uint64_t window,
			    struct rt_feed *feed)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	const uint32_t *edges = ascend_plan_edges(plan);
	uint64_t row = 0;

	executors_find(clock, walk);
	rt_feed_executors(feed, clock->executors);
	for (uint32_t s = 0; s < plan->step_count; s++) {
		uint64_t start = wait_for(clock, plan->first + s, edges, steps[s].edge_count);

		edges += steps[s].edge_count;
		*end_of(clock, plan->first + s) = start;
		if (steps[s].kind != ASCEND_STEP_TASK)
			continue;
		if (window)
			start = later(start, issue(clock, walk->first + row, window, feed));
		*end_of(clock, plan->first + s) = start + walk->tasks[row].cycles;
		task_tell(clock, walk, row, start, start + walk->tasks[row].cycles, feed);
		row++;
	}
	if (window)
		rt_feed_use(feed, PTOWSP_RESOURCE_TASK_RING, 0, clock->used);
}

void ascend_plan_clock_finish(struct ascend_plan_clock *clock)
{
	free(clock->ends);
	free(clock->left);
	*clock = (struct ascend_plan_clock){0};
}
