/* SPDX-License-Identifier: MIT */
#include "starpu/spu_clock.h"

#include "base/error.h"
#include <stdlib.h>

struct clock {
	const struct spu_clock_args *args;
	struct rt_feed *feed;
	uint64_t *ends; /* per task */
	uint64_t *left; /* per task: when all up to it have ended */
	uint64_t issue; /* of the latest task */
	uint64_t gone;  /* tasks whose places are free by then */
	uint32_t gate;
	uint64_t executors;
};

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void gates_pass(struct clock *clock, uint64_t number)
{
	const struct spu_orders *orders = clock->args->orders;

	for (; clock->gate < orders->gate_count && orders->gates[clock->gate].at <= number; clock->gate++)
		clock->issue = later(clock->issue, clock->left[orders->gates[clock->gate].number - 1]);
}

/* The place that task number - window had is free when it and all before it have left. */
static void room_wait(struct clock *clock, uint64_t number)
{
	const uint64_t window = clock->args->window, first = clock->args->orders->walk->first;
	const uint64_t free_at = window && number >= window ? clock->left[number - window] : 0;

	if (free_at > clock->issue) {
		rt_feed_stall(clock->feed, PTOWSP_RESOURCE_TASK_RING, 0, first + number, PTOWSP_NONE, clock->issue, free_at);
		clock->issue = free_at;
	}
	while (clock->gone < number && clock->left[clock->gone] <= clock->issue)
		clock->gone++;
	rt_feed_use(clock->feed, PTOWSP_RESOURCE_TASK_RING, 0, number + 1 - clock->gone);
}

static void task_tell(struct clock *clock, uint64_t number)
{
	const struct spu_orders *orders = clock->args->orders;
	const struct base_walk_task *task = &orders->walk->tasks[number];
	uint64_t at;

	gates_pass(clock, number);
	room_wait(clock, number);
	at = clock->issue;
	for (uint64_t o = orders->begins[number]; o < orders->begins[number + 1]; o++)
		at = later(at, clock->ends[orders->list[o]]);
	clock->ends[number] = at + clock->args->cycles[number];
	clock->left[number] = later(number ? clock->left[number - 1] : 0, clock->ends[number]);
	if (task->executor != PTOWSP_NONE)
		clock->executors = later(clock->executors, task->executor + UINT64_C(1));
	rt_feed_tell(clock->feed, &(struct ptowsp_trace_task){.task = orders->walk->first + number,
							      .start = at,
							      .end = clock->ends[number],
							      .kernel = task->kernel,
							      .executor = task->executor,
							      .stream = task->stream});
}

ptowsp_status spu_clock_tell(const struct spu_clock_args *args, struct rt_feed *feed, struct ptowsp_error *error)
{
	const uint64_t count = args->orders->walk->task_count;
	struct clock clock = {.args = args, .feed = feed, .issue = *args->now};

	clock.ends = calloc(count + 1, sizeof(*clock.ends));
	clock.left = calloc(count + 1, sizeof(*clock.left));
	for (uint64_t t = 0; clock.ends && clock.left && t < count; t++)
		task_tell(&clock, t);
	if (clock.ends && clock.left && count)
		*args->now = later(*args->now, clock.left[count - 1]);
	if (clock.executors)
		rt_feed_executors(feed, clock.executors);
	free(clock.ends);
	free(clock.left);
	return clock.ends && clock.left ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for the times of a run");
}
