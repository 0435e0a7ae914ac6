/* SPDX-License-Identifier: MIT */
/* plan.cpp - the orchestration object of the pto-runtime engine: submits the tasks of a plan (ascend_plan.h), whatever the package. One source for host_build_graph
 * and tensormap_and_ringbuffer; compiled against the user's checkout of the runtime the first time it is needed.
 *
 * Who waits for whom is in the plan, so no argument takes part in the runtime's own search for dependencies (add_no_dep). */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "pto_orchestration_api.h"

#include "ascend_plan.h"

namespace {

const uint32_t kCodeInvalidPlan = PTO2_ERROR_INVALID_ARGS;

struct Plan {
	const ascend_plan_head *head;
	const ascend_plan_step *steps;
	const uint32_t *edges;
	const ascend_plan_window *windows;
	const uint64_t *scalars;
};

bool plan_open(Plan *plan, const ChipTaskArgs &args)
{
	const char *base = nullptr;

	if (args.scalar_count() > ASCEND_ENTRY_ADDRESS)
		base = reinterpret_cast<const char *>(static_cast<uintptr_t>(args.scalar(ASCEND_ENTRY_ADDRESS)));
	if (base == nullptr)
		base = reinterpret_cast<const char *>(static_cast<uintptr_t>(args.tensor(ASCEND_ENTRY_PLAN).ref().buffer.addr));
	plan->head = reinterpret_cast<const ascend_plan_head *>(base);
	if (base == nullptr || plan->head->magic != ASCEND_PLAN_MAGIC || plan->head->version != ASCEND_PLAN_VERSION)
		return false;
	plan->steps = reinterpret_cast<const ascend_plan_step *>(base + plan->head->steps);
	plan->edges = reinterpret_cast<const uint32_t *>(base + plan->head->edges);
	plan->windows = reinterpret_cast<const ascend_plan_window *>(base + plan->head->windows);
	plan->scalars = reinterpret_cast<const uint64_t *>(base + plan->head->scalars);
	return true;
}

/* The window as a view of its entry tensor; strides and shapes were checked on the host. */
void view_make(ChipTensor *view, const ascend_plan_window &window, const ChipTaskArgs &args)
{
	uint64_t extent = 1;

	*view = args.tensor(static_cast<int32_t>(window.entry)).ref();
	view->start_offset = window.start;
	view->dtype = static_cast<DataType>(window.dtype);
	view->ndims = window.ndims;
	view->is_contiguous = window.contiguous != 0;
	for (uint32_t d = 0; d < window.ndims; d++) {
		view->shapes[d] = window.shapes[d];
		view->strides[d] = window.strides[d];
		extent += static_cast<uint64_t>(window.shapes[d] - 1) * window.strides[d];
	}
	view->extent_elem_cache = extent;
}

/* What it returns beside its id belongs to the runtime's ring and is not looked at. */
PTO2TaskId kernel_submit(const ascend_plan_step &step, CoreTaskArgs &args)
{
	MixedKernels kernels;
	const int32_t function = static_cast<int32_t>(step.function);

	if (step.shape != ASCEND_SHAPE_VECTOR)
		kernels.aic_kernel_id = function;
	if (step.shape != ASCEND_SHAPE_CUBE)
		kernels.aiv0_kernel_id = function;
	if (step.shape == ASCEND_SHAPE_MIX)
		kernels.aiv1_kernel_id = function;
	args.launch_spec.set_block_num(static_cast<int16_t>(step.blocks));
	return rt_submit_task(kernels, args).task_id();
}

/* Where the walk stands in the lists, and the ids of the tasks so far, by step. */
struct Walk {
	const Plan &plan;
	const ChipTaskArgs &entry;
	PTO2TaskId *ids;
	PTO2TaskId *deps; /* of the step, room for the most that a step has */
	const uint32_t *edge;
	const ascend_plan_window *window;
	const uint64_t *scalar;
};

void task_submit(Walk *walk, uint32_t number)
{
	const ascend_plan_step &step = walk->plan.steps[number];
	ChipTensor views[MAX_TENSOR_ARGS];
	CoreTaskArgs args;

	for (uint32_t i = 0; i < step.window_count; i++) {
		view_make(&views[i], walk->window[i], walk->entry);
		args.add_no_dep(views[i]);
	}
	if (step.scalar_count)
		args.add_scalars(walk->scalar, step.scalar_count);
	for (uint32_t i = 0; i < step.edge_count; i++)
		walk->deps[i] = walk->ids[walk->edge[i]];
	args.set_dependencies(walk->deps, step.edge_count);
	walk->ids[number] = step.kind == ASCEND_STEP_DUMMY ? rt_submit_dummy_task(args).task_id() : kernel_submit(step, args);
	walk->edge += step.edge_count;
	walk->window += step.window_count;
	walk->scalar += step.scalar_count;
}

void steps_submit(Walk *walk)
{
	for (uint32_t number = 0; number < walk->plan.head->step_count && !rt_is_fatal(); number++) {
		const uint8_t kind = walk->plan.steps[number].kind;

		if (kind == ASCEND_STEP_SCOPE_BEGIN)
			rt_scope_begin();
		else if (kind == ASCEND_STEP_SCOPE_END)
			rt_scope_end();
		else
			task_submit(walk, number);
	}
}

uint32_t most_edges(const Plan &plan)
{
	uint32_t most = 0;

	for (uint32_t number = 0; number < plan.head->step_count; number++)
		if (plan.steps[number].edge_count > most)
			most = plan.steps[number].edge_count;
	return most;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args)
{
	return PTO2OrchestrationConfig{args.tensor_count()};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs &args)
{
	Plan plan;
	PTO2TaskId *ids, *deps;

	if (!plan_open(&plan, args)) {
		rt_report_fatal(kCodeInvalidPlan, "the plan has another layout than this orchestration was compiled for: remove the cache and run again");
		return;
	}
	ids = static_cast<PTO2TaskId *>(malloc((plan.head->step_count + 1) * sizeof(*ids)));
	deps = static_cast<PTO2TaskId *>(malloc((most_edges(plan) + 1) * sizeof(*deps)));
	if (ids != nullptr && deps != nullptr) {
		Walk walk = {plan, args, ids, deps, plan.edges, plan.windows, plan.scalars};

		steps_submit(&walk);
	} else {
		rt_report_fatal(kCodeInvalidPlan, "no memory for the ids of %u tasks", plan.head->step_count);
	}
	free(ids);
	free(deps);
}

} // extern "C"
