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
	return step->kind == ASCEND_STEP_DUMMY ? 3 : step->shape == ASCEND_SHAPE_MIX_ONE ? ASCEND_SHAPE_MIX : step->shape;
}

static const char *const queues[] = {"cube", "vector", "mix", "without a kernel"};

static ptowsp_status ready_fail(uint32_t depth, uint32_t queue, uint32_t count, struct ptowsp_error *error)
{
	return rt_fail(error, PTOWSP_TOO_SMALL,
		       "%u %s tasks %s ready at once; host_build_graph has room for %d of each shape: use variant=tensormap_and_ringbuffer, or order them",
		       count, queues[queue], depth ? "may become" : "are", ASCEND_READY_LIMIT);
}

/* Tasks with as many others before them, one behind the other, may all be ready together: those that wait for nothing are before the first one runs. */
static ptowsp_status ready_check(const struct ascend_plan_head *plan, struct ptowsp_error *error)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	const uint32_t *edges = ascend_plan_edges(plan);
	uint32_t *depths = calloc((size_t)plan->step_count + 1, sizeof(*depths));
	uint32_t(*ready)[4] = calloc((size_t)plan->step_count + 1, sizeof(*ready));
	ptowsp_status status = depths && ready ? PTOWSP_OK : rt_no_memory(error, "the check of a plan");

	for (uint32_t i = 0; !status && i < plan->step_count; edges += steps[i++].edge_count) {
		for (uint32_t e = 0; e < steps[i].edge_count; e++)
			depths[i] = depths[i - edges[e]] < depths[i] ? depths[i] : depths[i - edges[e]] + 1;
		ready[depths[i]][queue_of(&steps[i])] += is_task(&steps[i]);
	}
	for (uint32_t d = 0; !status && d < plan->step_count; d++)
		for (uint32_t q = 0; !status && q < 4; q++)
			if (ready[d][q] > ASCEND_READY_LIMIT)
				status = ready_fail(d, q, ready[d][q], error);
	free(depths);
	free(ready);
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
	return status ? status : ready_check(plan, error);
}
