/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_check.h"

#include "ascend/engine/pod.h"
#include "ascend/plan/plan_build.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>

static bool is_task(const struct ascend_plan_step *step)
{
	return step->kind == ASCEND_STEP_TASK || step->kind == ASCEND_STEP_DUMMY || step->kind == ASCEND_STEP_COPY;
}

static uint64_t tasks_of(const struct ascend_plan_head *plan)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	uint64_t tasks = 0;

	for (uint32_t i = 0; i < plan->step_count; i++)
		tasks += is_task(&steps[i]);
	return tasks;
}

uint64_t ascend_plan_window(const struct ascend_plan_head *plan)
{
	uint64_t window = rt_power_above(tasks_of(plan) + 1);

	return window < ASCEND_WINDOW ? ASCEND_WINDOW : window;
}

/* Shapes have a queue each; tasks without a kernel, too. */
static uint32_t queue_of(const struct ascend_plan_step *step)
{
	return step->kind == ASCEND_STEP_DUMMY ? 3 : step->shape;
}

static const char *const queues[] = {"cube", "vector", "mix", "without a kernel"};

/* Tasks that wait for nothing are ready before the first one runs. Tasks that become ready together later can be told if they wait for one task: below. */
static ptowsp_status ready_check(const struct ascend_plan_head *plan, struct ptowsp_error *error)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	uint64_t ready[4] = {0};

	for (uint32_t i = 0; i < plan->step_count; i++)
		if (is_task(&steps[i]) && !steps[i].edge_count)
			ready[queue_of(&steps[i])]++;
	for (uint32_t q = 0; q < 4; q++)
		if (ready[q] > ASCEND_READY_LIMIT)
			return rt_fail(error, PTOWSP_TOO_SMALL,
				       "%llu %s tasks are ready at once; host_build_graph has room for %d of each shape: use variant=tensormap_and_ringbuffer, "
				       "or order them",
				       (unsigned long long)ready[q], queues[q], ASCEND_READY_LIMIT);
	return PTOWSP_OK;
}

/* Tasks that wait for one other alone become ready with its end, all at once. One thread of the check: counts is per step. */
static ptowsp_status ready_later_check(const struct ascend_plan_head *plan, struct ptowsp_error *error)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	const uint32_t *edge = ascend_plan_edges(plan);
	uint32_t(*counts)[4] = calloc((size_t)plan->step_count + 1, sizeof(*counts));
	ptowsp_status status = counts ? PTOWSP_OK : rt_no_memory(error, "the check of a plan");

	for (uint32_t i = 0; !status && i < plan->step_count; edge += steps[i++].edge_count)
		if (is_task(&steps[i]) && steps[i].edge_count == 1 && ++counts[i - *edge][queue_of(&steps[i])] > ASCEND_READY_LIMIT)
			status = rt_fail(error, PTOWSP_TOO_SMALL,
					 "more than %d %s tasks become ready at once, up to task %llu, when what they wait for has ended; host_build_graph has "
					 "room for %d of each shape: use "
					 "variant=tensormap_and_ringbuffer, or order them",
					 ASCEND_READY_LIMIT, queues[queue_of(&steps[i])], (unsigned long long)steps[i].number, ASCEND_READY_LIMIT);
	free(counts);
	return status;
}

static ptowsp_status fan_in_check(const struct ascend_plan_head *plan, struct ptowsp_error *error)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);

	for (uint32_t i = 0; i < plan->step_count; i++)
		if (is_task(&steps[i]) && steps[i].edge_count > ASCEND_HOST_FAN_IN)
			return rt_fail_at(error, PTOWSP_TOO_SMALL, steps[i].number, steps[i].function,
					  "task %llu waits for %u others; host_build_graph takes %d: state fewer dependencies",
					  (unsigned long long)steps[i].number, steps[i].edge_count, ASCEND_HOST_FAN_IN);
	return PTOWSP_OK;
}

static ptowsp_status window_check(const struct ascend_plan_head *plan, uint64_t window, struct ptowsp_error *error)
{
	uint64_t tasks = tasks_of(plan), most = window ? window : ASCEND_WINDOW;

	if (tasks < most && most <= ASCEND_WINDOW_LIMIT)
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_TOO_SMALL,
		       "the graph has %llu tasks; host_build_graph keeps all of them in a window of at most %d, less one: use variant=tensormap_and_ringbuffer",
		       (unsigned long long)tasks, most <= ASCEND_WINDOW_LIMIT ? (int)most : ASCEND_WINDOW_LIMIT);
}

ptowsp_status ascend_plan_check(const struct ascend_plan_head *plan, uint64_t window, struct ptowsp_error *error)
{
	ptowsp_status status = window_check(plan, window, error);

	if (!status)
		status = fan_in_check(plan, error);
	if (!status)
		status = ready_check(plan, error);
	return status ? status : ready_later_check(plan, error);
}
