/* SPDX-License-Identifier: MIT */
/* pto_orchestrate.cc - the orchestration of the package for the pto-runtime: the same workloads (aicpu_orchestrate.cc), whose tasks go to the runtime with those that they come
 * behind. The runtime keeps them, minds the order and runs them; nothing is found by its own search, as every argument is added without one. One source for
 * tensormap_and_ringbuffer and host_build_graph (PTO_HOST_GRAPH), which knows the whole graph before a task runs: there nothing can be loaded that a task writes. */
#include "pto_orchestration_api.h"

#include "aicpu_orchestrate.h"
#include "pto_package.h"
#include "pto_told.h"

#include <new>
#include <stdlib.h>
#include <string.h>

namespace {
enum : uint32_t {
	FAN_IN = 64,      /* predecessors of a task; more are gathered by tasks without a kernel, as the runtime keeps 64 in a task itself */
	SCOPE_TASKS = 256 /* tasks outside of scopes stand in scopes of so many: in the runtime's ring they have to */
};

/* A task without a kernel behind all tasks before `upto`. */
struct Join {
	TaskId upto;
	PTO2TaskId id;
};

/* Lists that grow; a zeroed one is empty. Full: nothing is added, and false. */
template <typename T> struct List {
	T *rows;
	uint64_t count, room;
	bool add(const T &row)
	{
		if (count == room) {
			T *more = (T *)realloc((void *)rows, (size_t)(room ? room * 2 : 256) * sizeof(T));

			if (!more)
				return false;
			rows = more;
			room = room ? room * 2 : 256;
		}
		rows[count++] = row;
		return true;
	}
};

struct Runtime {
	Builder *b;
	const ChipTaskArgs *args;
	List<PTO2TaskId> ids;  /* by TaskId */
	List<Join> joins;      /* upto grows */
	List<PTO2TaskId> deps; /* of the task that is put together */
	uint32_t open, filled; /* scopes of the package; tasks in the scope around those outside */
};

bool no_memory(Runtime *r)
{
	r->b->fail(BUILDER_MEMORY, "no memory for the ids of %llu tasks", (unsigned long long)r->ids.count);
	return false;
}

/* ---- scopes ----------------------------------------------------------------------------------------------------------- */

void scope_hold(Runtime *r)
{
	if (r->open)
		return;
	if (r->filled >= SCOPE_TASKS) {
		rt_scope_end();
		r->filled = 0;
	}
	if (!r->filled++)
		rt_scope_begin();
}

void scope_release(Runtime *r)
{
	if (r->filled)
		rt_scope_end();
	r->filled = 0;
}

/* Those of processes lie across each other, which the runtime's cannot: their tasks stand where others outside of scopes do. */
void scope(void *context, bool begin)
{
	Runtime *r = (Runtime *)context;

	if (r->b->place->instance != TASK_NO_PROCESS)
		return;
	scope_release(r);
	if (begin)
		rt_scope_begin();
	else
		rt_scope_end();
	r->open += begin ? 1u : UINT32_MAX;
}

/* ---- predecessors ----------------------------------------------------------------------------------------------------- */

PTO2TaskId gather(Runtime *r, const PTO2TaskId *deps, uint32_t count)
{
	CoreTaskArgs args;

	scope_hold(r);
	args.set_dependencies(deps, count);
	return rt_submit_dummy_task(args).task_id();
}

/* As many as one task takes. */
void narrow(Runtime *r)
{
	while (r->deps.count > FAN_IN) {
		uint64_t kept = 0;

		for (uint64_t at = 0; at < r->deps.count; at += FAN_IN) {
			const uint64_t left = r->deps.count - at;

			r->deps.rows[kept++] = gather(r, r->deps.rows + at, left < FAN_IN ? (uint32_t)left : (uint32_t)FAN_IN);
		}
		r->deps.count = kept;
	}
}

/* The task behind all before `upto`, made if there is none; invalid: there is nothing to wait for. The list of predecessors is used up. */
bool join_at(Runtime *r, TaskId upto, PTO2TaskId *id)
{
	uint64_t at = r->joins.count;

	*id = PTO2TaskId::invalid();
	while (at && r->joins.rows[at - 1].upto > upto)
		at--;
	if (at && r->joins.rows[at - 1].upto == upto) {
		*id = r->joins.rows[at - 1].id;
		return true;
	}
	if (!upto)
		return true;
	r->deps.count = 0;
	if (at && !r->deps.add(r->joins.rows[at - 1].id))
		return no_memory(r);
	for (TaskId task = at ? r->joins.rows[at - 1].upto : 0; task < upto; task++)
		if (!r->deps.add(r->ids.rows[task]))
			return no_memory(r);
	narrow(r);
	*id = gather(r, r->deps.rows, (uint32_t)r->deps.count);
	r->deps.count = 0;
	if (!r->joins.add(Join{upto, *id}))
		return no_memory(r);
	memmove(r->joins.rows + at + 1, r->joins.rows + at, (size_t)(r->joins.count - 1 - at) * sizeof(Join));
	r->joins.rows[at] = Join{upto, *id};
	return true;
}

bool preds_set(Runtime *r, const TaskNodePod *task, const TaskId *deps, uint32_t count)
{
	PTO2TaskId behind;

	if (!join_at(r, task->order, &behind))
		return false;
	r->deps.count = 0;
	if (behind.is_valid() && !r->deps.add(behind))
		return no_memory(r);
	for (uint32_t i = 0; i < count; i++)
		if (deps[i] >= task->order && !r->deps.add(r->ids.rows[deps[i]]))
			return no_memory(r);
	narrow(r);
	return true;
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------ */

/* The window as a view of its entry tensor; without elements it is a byte with an extent of 0. */
bool view_make(Runtime *r, ChipTensor *view, const TaskNodePod *task, uint32_t i)
{
	const TaskWindow *w = &task->windows[i];
	const uint64_t row = w->rows == 1 ? w->column_stride : w->row_stride;
	const bool empty = !w->rows || !w->columns, flat = w->rows == 1 || empty;

	*view = r->args->tensor((int32_t)task->io[i].tensor).ref();
	if (w->rows > UINT32_MAX || w->columns > UINT32_MAX || row > UINT32_MAX) {
		r->b->fail(BUILDER_VALUE, "task %llu: tensor argument %u is %llu x %llu elements; the pto-runtime takes 2^32 - 1 of each", (unsigned long long)task->id, i,
			   (unsigned long long)w->rows, (unsigned long long)w->columns);
		return false;
	}
	view->dtype = (DataType)pto_dtypes[task->io[i].dtype];
	view->start_offset = empty ? 0 : (w->data - view->buffer.addr) / get_element_size(view->dtype);
	view->ndims = flat ? 1 : 2;
	view->is_contiguous = w->column_stride == 1 && (flat || w->row_stride == w->columns);
	view->shapes[0] = empty ? 1 : (uint32_t)(flat ? w->columns : w->rows);
	view->shapes[1] = flat ? 1 : (uint32_t)w->columns;
	view->strides[0] = row ? (uint32_t)row : 1;
	view->strides[1] = w->column_stride ? (uint32_t)w->column_stride : 1;
	view->extent_elem_cache = empty ? 0 : (uint64_t)(view->shapes[0] - 1) * view->strides[0] + (uint64_t)(view->shapes[1] - 1) * view->strides[1] + 1;
	return true;
}

/* A kernel that multiplies works on both kinds of cores, so it takes a cluster. In the simulation it is one function, and the other cores of the cluster have nothing to do. */
PTO2TaskId kernel_submit(const BuilderKernel *kernel, const TaskNodePod *task, CoreTaskArgs &args)
{
	MixedKernels kernels;

	if (kernel->cluster)
		kernels.aic_kernel_id = task->kernel, kernels.aiv0_kernel_id = kernels.aiv1_kernel_id = PTO_IDLE_KERNEL;
	else if (kernel->pool == ExecPool::Cube)
		kernels.aic_kernel_id = task->kernel;
	else
		kernels.aiv0_kernel_id = task->kernel;
	args.launch_spec.set_block_num((int16_t)task->blocks);
	return rt_submit_task(kernels, args).task_id();
}

bool counts_fit(Runtime *r, const TaskNodePod *task)
{
	if (task->io_count > MAX_TENSOR_ARGS)
		r->b->fail(BUILDER_VALUE, "task %llu has %u tensor arguments; the pto-runtime takes %d", (unsigned long long)task->id, task->io_count, MAX_TENSOR_ARGS);
	if (task->arg_count + 2 > MAX_SCALAR_ARGS)
		r->b->fail(BUILDER_VALUE, "task %llu has %u scalar arguments; the pto-runtime takes %d, two of them the tree's own", (unsigned long long)task->id,
			   task->arg_count, MAX_SCALAR_ARGS);
	if (task->blocks > INT16_MAX)
		r->b->fail(BUILDER_VALUE, "task %llu has %u blocks; the pto-runtime takes %d", (unsigned long long)task->id, task->blocks, INT16_MAX);
	return !r->b->status;
}

bool is_over(Runtime *r)
{
	if (rt_is_fatal())
		r->b->fail(BUILDER_KERNEL, "the pto-runtime has ended the run at task %llu; its error stream says why", (unsigned long long)r->ids.count);
	return r->b->status != 0;
}

bool take(void *context, const TaskNodePod *task, const TaskId *deps, uint32_t count)
{
	Runtime *r = (Runtime *)context;
	ChipTensor views[TASK_MOST_TENSORS];
	CoreTaskArgs args;
	PTO2TaskId id;

	if (!counts_fit(r, task) || !preds_set(r, task, deps, count))
		return false;
	for (uint32_t i = 0; i < task->io_count; i++) {
		if (!view_make(r, &views[i], task, i))
			return false;
		args.add_no_dep(views[i]);
	}
	for (uint32_t i = 0; i < task->arg_count; i++)
		args.add_scalar(task->args[i]);
	args.add_scalar(r->args->tensor(PTO_ENTRY_TOLD).ref().buffer.addr);
	args.add_scalar(task->id);
	scope_hold(r);
	args.set_dependencies(r->deps.rows, (uint32_t)r->deps.count);
	id = kernel_submit(&r->b->plan->kernels[task->kernel], task, args);
	return !is_over(r) && (r->ids.add(id) || no_memory(r));
}

/* The runtime is asked for an element of a tensor: that waits for who wrote it, which here is a task without a kernel behind those that are waited for. */
bool wait(void *context, TaskId tasks)
{
	Runtime *r = (Runtime *)context;

	if (!tasks)
		return true;
#ifdef PTO_HOST_GRAPH
	r->b->fail(BUILDER_VALUE, "the program loads what task %llu or one before it writes: host_build_graph has the whole graph before a task runs; take "
				  "VARIANT=tensormap_and_ringbuffer", (unsigned long long)tasks - 1);
	return false;
#else
	const uint32_t first[1] = {0};
	ChipTensor mark = r->args->tensor(PTO_ENTRY_TOLD).ref();
	CoreTaskArgs args;
	PTO2TaskId behind;

	if (!join_at(r, tasks, &behind))
		return false;
	mark.dtype = DataType::UINT64;
	mark.start_offset = offsetof(PtoTold, mark) / sizeof(uint64_t);
	mark.shapes[0] = 1;
	mark.extent_elem_cache = 1;
	args.add_inout(mark);
	args.set_dependencies(&behind, 1);
	scope_hold(r);
	rt_submit_dummy_task(args);
	get_tensor_data(mark, 1, first);
	return !is_over(r);
#endif
}

/* ---- the run ---------------------------------------------------------------------------------------------------------- */

const int64_t *setup_of(const ChipTaskArgs &args)
{
	const uint64_t here = args.scalar(0);

	return (const int64_t *)(uintptr_t)(here ? here : args.tensor(PTO_ENTRY_SETUP).ref().buffer.addr);
}

void tensors_set(BuilderTensor *tensors, const ChipTaskArgs &args, const int64_t *setup)
{
	for (int32_t i = 0; i < (int32_t)TENSOR_COUNT; i++)
		tensors[i] = BuilderTensor{args.tensor(i).ref().buffer.addr, (uint64_t)setup[PTO_SETUP_TENSORS + 2 * i], (uint64_t)setup[PTO_SETUP_TENSORS + 2 * i + 1],
					   pto_tensors[i].dtype, pto_tensors[i].size};
}

void run(Builder *b, const ChipTaskArgs &args)
{
	static BuilderTensor tensors[TENSOR_COUNT + 1];
	static int64_t slots[SLOT_COUNT + 1];
	const int64_t *setup = setup_of(args);
	Runtime r = {};

	r.b = b;
	r.args = &args;
	tensors_set(tensors, args, setup);
	memcpy(slots, setup + PTO_SETUP_SLOTS, SLOT_COUNT * sizeof(*slots));
	b->platform = BuilderPlatform{&r, nullptr, nullptr, nullptr, nullptr, nullptr, take, wait, scope};
	b->tensors = tensors;
	b->slots = slots;
	b->instances = 1;
	b->alone = true;
	if (orchestrate(*b, (uint32_t)setup[PTO_SETUP_WORKLOAD]) && !rt_is_fatal())
		rt_report_fatal(PTO2_ERROR_INVALID_ARGS, "%s", b->message);
	scope_release(&r);
	free((void *)r.ids.rows);
	free((void *)r.joins.rows);
	free((void *)r.deps.rows);
}
} // namespace

extern "C" {

__attribute__((visibility("default"))) PTO2OrchestrationConfig aicpu_orchestration_config(const ChipTaskArgs &args)
{
	return PTO2OrchestrationConfig{args.tensor_count()};
}

__attribute__((visibility("default"))) void aicpu_orchestration_entry(const ChipTaskArgs &args)
{
	void *room = aligned_alloc(alignof(Builder), (sizeof(Builder) + alignof(Builder) - 1) / alignof(Builder) * alignof(Builder));

	if (!room) {
		rt_report_fatal(PTO2_ERROR_INVALID_ARGS, "no memory for the orchestration");
		return;
	}
	run(new (room) Builder(), args);
	free(room);
}

} // extern "C"
