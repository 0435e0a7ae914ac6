/* SPDX-License-Identifier: MIT */
/* plan.cpp - the orchestration object of the pto-runtime engine: submits the tasks of a plan (ascend_plan.h), whatever the package. One source for host_build_graph
 * and tensormap_and_ringbuffer; compiled against the user's checkout of the runtime the first time it is needed.
 *
 * Dependencies are in the plan, and arguments take part in the runtime's own search for dependencies where the plan says so. */
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "pto_orchestration_api.h"

#include "adapter.h"
#include "ascend_plan.h"

namespace {

const uint32_t kCodeInvalidPlan = PTO2_ERROR_INVALID_ARGS;

struct Plan {
	const ascend_plan_head *head;
	const ascend_plan_step *steps;
	const uint32_t *edges;
	const ascend_plan_window *windows;
	const uint64_t *scalars;
	ChipTensor call; /* the record of the next task or copy */
};

template <class Row> const Row *part(const ascend_plan_head *head, uint64_t offset)
{
	return reinterpret_cast<const Row *>(reinterpret_cast<uintptr_t>(head) + static_cast<uintptr_t>(offset));
}

bool plan_open(Plan *plan, const void *block, const ChipTaskArgs &args)
{
	plan->head = static_cast<const ascend_plan_head *>(block);
	if (block == nullptr || plan->head->magic != ASCEND_PLAN_MAGIC || plan->head->version != ASCEND_PLAN_VERSION) {
		rt_report_fatal(kCodeInvalidPlan, "the plan has another layout than this orchestration was compiled for: remove the cache and run again");
		return false;
	}
	plan->steps = part<ascend_plan_step>(plan->head, plan->head->steps);
	plan->edges = part<uint32_t>(plan->head, plan->head->edges);
	plan->windows = part<ascend_plan_window>(plan->head, plan->head->windows);
	plan->scalars = part<uint64_t>(plan->head, plan->head->scalars);
	plan->call = args.tensor(ASCEND_ENTRY_CALLS).ref(); /* bytes */
	plan->call.start_offset = plan->head->calls;
	plan->call.shapes[0] = static_cast<uint32_t>(plan->head->call_bytes);
	plan->call.extent_elem_cache = plan->head->call_bytes;
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

/* The runtime of a5 calls blocks cores. */
template <class Spec> auto blocks_set(Spec *spec, int16_t blocks, int) -> decltype(spec->set_block_num(blocks))
{
	return spec->set_block_num(blocks);
}
template <class Spec> auto blocks_set(Spec *spec, int16_t blocks, long) -> decltype(spec->set_core_num(blocks))
{
	return spec->set_core_num(blocks);
}

/* The id alone is taken of the result: the rest belongs to the runtime's ring. */
PTO2TaskId kernel_submit(const ascend_plan_step &step, CoreTaskArgs &args)
{
	MixedKernels kernels;

	if (step.shape != ASCEND_SHAPE_VECTOR)
		kernels.aic_kernel_id = static_cast<int32_t>(step.cube);
	if (step.shape != ASCEND_SHAPE_CUBE)
		kernels.aiv0_kernel_id = static_cast<int32_t>(step.function);
	if (step.shape == ASCEND_SHAPE_MIX)
		kernels.aiv1_kernel_id = kernels.aiv0_kernel_id;
	blocks_set(&args.launch_spec, static_cast<int16_t>(step.blocks), 0);
	return rt_submit_task(kernels, args).task_id();
}

/* The ids of the latest steps, or of all: where there is no source, none has ended. */
struct Walk {
	const ChipTaskArgs &entry;
	ascend_plan_source *source; /* nullptr: the plan is whole */
	PTO2TaskId *ids;
	uint64_t mask;
	PTO2TaskId *deps; /* of the step, as many as it has edges */
	uint32_t dep_room;
	uint64_t ended;
};

/* A wait for a core of this machine lets others have it. */
void pause(uint32_t *times)
{
	const timespec nap = {0, 50000};

	if (++*times < 32)
		sched_yield();
	else
		nanosleep(&nap, nullptr);
}

/* So many steps may still run when a wait for room ends. Where there is much of it, half of it comes at a time: to go on with every few steps that end would take processor time from the threads
 * that end them. */
uint32_t room_least(uint32_t room)
{
	return room < 1024 ? room : room / 2;
}

/* A step without a kernel may be over before it is submitted. Before it submits what the runtime has no room for, the orchestration waits itself: in the runtime a wait of half a second without a task that leaves is a deadlock, however
 * slow the kernels are. */
bool room_wait(Walk *walk, uint64_t number, uint32_t room)
{
	uint32_t times = 0;

	if (walk->source == nullptr || room == ASCEND_ROOM_ANY || number <= walk->ended + room)
		return true;
	while (number > (walk->ended = walk->source->ended(walk->source)) + room_least(room)) {
		if (rt_is_fatal())
			return false;
		pause(&times);
	}
	return true;
}

bool deps_room(Walk *walk, uint32_t count)
{
	PTO2TaskId *more;

	if (count <= walk->dep_room)
		return true;
	more = static_cast<PTO2TaskId *>(realloc(static_cast<void *>(walk->deps), count * sizeof(*more)));
	if (more == nullptr) {
		rt_report_fatal(kCodeInvalidPlan, "no memory for the %u edges of a task", count);
		return false;
	}
	walk->deps = more;
	walk->dep_room = count;
	return true;
}

/* Tasks that have ended hold nobody up, and would be kept by being named. */
uint32_t deps_find(Walk *walk, const Plan &plan, const ascend_plan_step &step, uint64_t number)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < step.edge_count; i++)
		if (number - plan.edges[i] >= walk->ended)
			walk->deps[count++] = walk->ids[(number - plan.edges[i]) & walk->mask];
	return count;
}

void window_add(CoreTaskArgs *args, ChipTensor *view, uint8_t access)
{
	if (!(access & ASCEND_WINDOW_MAPPED))
		args->add_no_dep(*view);
	else if (!(access & ASCEND_WINDOW_WRITE))
		args->add_input(*view);
	else if (access & ASCEND_WINDOW_READ)
		args->add_inout(*view);
	else
		args->add_output(*view);
}

void task_submit(Walk *walk, Plan &plan, const ascend_plan_step &step, uint64_t number)
{
	static const uint32_t one[ASCEND_PLAN_DIMS] = {1, 1};
	const bool called = plan.head->call_bytes && step.kind != ASCEND_STEP_DUMMY;
	const bool direct = called && walk->source != nullptr && !step.window_count && !step.scalar_count;
	const bool places = step.window_count && plan.windows[step.window_count - 1].access & ASCEND_WINDOW_PLACED;
	const uint32_t count = step.window_count - (places ? 1u : 0u);
	TensorCreateInfo placed(places ? plan.windows[count].shapes : one, ASCEND_PLAN_DIMS, DataType::UINT8);
	ChipTensor views[MAX_TENSOR_ARGS];
	CoreTaskArgs args;

	if (direct)
		args.add_scalar(static_cast<uint64_t>(plan.call.buffer.addr + plan.call.start_offset + ASCEND_CALL_DIRECT));
	else if (called)
		args.add_no_dep(plan.call);
	for (uint32_t i = 0; i < count; i++) {
		view_make(&views[i], plan.windows[i], walk->entry);
		window_add(&args, &views[i], plan.windows[i].access);
	}
	if (places)
		args.add_output(placed);
	if (step.scalar_count)
		args.add_scalars(plan.scalars, step.scalar_count);
	args.set_dependencies(walk->deps, deps_find(walk, plan, step, number));
	walk->ids[number & walk->mask] = step.kind == ASCEND_STEP_DUMMY ? rt_submit_dummy_task(args).task_id() : kernel_submit(step, args);
	if (called)
		plan.call.start_offset += plan.head->call_bytes;
}

bool step_submit(Walk *walk, Plan &plan, const ascend_plan_step &step, uint64_t number)
{
	if (step.kind == ASCEND_STEP_SCOPE_BEGIN)
		rt_scope_begin();
	else if (step.kind == ASCEND_STEP_SCOPE_END)
		rt_scope_end();
	else if (!room_wait(walk, number, step.room) || !deps_room(walk, step.edge_count))
		return false;
	else
		task_submit(walk, plan, step, number);
	return !rt_is_fatal();
}

/* False: the run is over. */
bool steps_submit(Walk *walk, Plan plan)
{
	for (uint32_t i = 0; i < plan.head->step_count; i++) {
		const ascend_plan_step &step = plan.steps[i];

		if (!step_submit(walk, plan, step, plan.head->first + i))
			return false;
		plan.edges += step.edge_count;
		plan.windows += step.window_count;
		plan.scalars += step.scalar_count;
	}
	return true;
}

void source_submit(Walk *walk)
{
	const ascend_plan_head *block;
	uint32_t times = 0;
	int over = 0;
	Plan plan;

	while (!over && !rt_is_fatal()) {
		block = walk->source->next(walk->source, &over);
		if (block == nullptr) {
			pause(&times);
			continue;
		}
		times = 0;
		if (!plan_open(&plan, block, walk->entry) || !steps_submit(walk, plan))
			return;
	}
}

bool ids_make(Walk *walk, uint64_t least)
{
	uint64_t count = 1;

	while (count < least)
		count *= 2;
	walk->mask = count - 1;
	walk->ids = static_cast<PTO2TaskId *>(malloc(count * sizeof(*walk->ids)));
	if (walk->ids == nullptr)
		rt_report_fatal(kCodeInvalidPlan, "no memory for the ids of %u tasks", static_cast<uint32_t>(count));
	return walk->ids != nullptr;
}

const void *plan_of(const ChipTaskArgs &args)
{
	const uint64_t here = args.scalar(ASCEND_ENTRY_ADDRESS);

	return reinterpret_cast<const void *>(static_cast<uintptr_t>(here ? here : args.tensor(ASCEND_ENTRY_PLAN).ref().buffer.addr));
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args)
{
	return PTO2OrchestrationConfig{args.tensor_count()};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs &args)
{
	Walk walk = {args, reinterpret_cast<ascend_plan_source *>(static_cast<uintptr_t>(args.scalar(ASCEND_ENTRY_SOURCE))), nullptr, 0, nullptr, 0, 0};
	Plan plan;

	if (walk.source != nullptr && ids_make(&walk, ASCEND_STEPS_KEPT))
		source_submit(&walk);
	else if (walk.source == nullptr && plan_open(&plan, plan_of(args), args) && ids_make(&walk, plan.head->step_count + uint64_t{1}))
		steps_submit(&walk, plan);
	free(static_cast<void *>(walk.ids));
	free(static_cast<void *>(walk.deps));
}

} // extern "C"
