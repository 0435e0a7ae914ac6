/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_window.h"

#include "ascend/engine/pod.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"

uint8_t ascend_dtype_of(uint16_t dtype)
{
	static const uint8_t codes[] = {
		[PTOWSP_F32] = ASCEND_F32, [PTOWSP_F16] = ASCEND_F16, [PTOWSP_BF16] = ASCEND_BF16, [PTOWSP_F64] = ASCEND_U64, [PTOWSP_I8] = ASCEND_I8,
		[PTOWSP_I16] = ASCEND_I16, [PTOWSP_I32] = ASCEND_I32, [PTOWSP_I64] = ASCEND_I64,   [PTOWSP_U8] = ASCEND_U8,   [PTOWSP_U16] = ASCEND_U16,
		[PTOWSP_U32] = ASCEND_U32, [PTOWSP_U64] = ASCEND_U64, [PTOWSP_BOOL] = ASCEND_BOOL};

	return dtype < sizeof(codes) ? codes[dtype] : ASCEND_U8;
}

static bool is_wide(const struct ptowsp_tensor_arg *arg)
{
	return arg->rows > UINT32_MAX || arg->columns > UINT32_MAX || arg->row_stride > UINT32_MAX || arg->column_stride > UINT32_MAX;
}

/* The runtime wants a distance of one element at least, where nobody goes, too. */
static uint32_t stride_of(uint64_t stride)
{
	return stride ? (uint32_t)stride : 1;
}

bool ascend_plan_window_of(struct ascend_plan_window *window, const struct ptowsp_tensor_arg *arg, uint32_t entry, const void *base)
{
	bool flat = arg->rows == 1, touched = arg->rows && arg->columns && base;

	*window = (struct ascend_plan_window){.entry = entry,
					      .dtype = ascend_dtype_of(arg->dtype),
					      .access = (uint8_t)arg->access,
					      .ndims = 1,
					      .contiguous = 1,
					      .shapes = {1, 1},
					      .strides = {1, 1}};
	if (!touched || is_wide(arg))
		return !touched;
	window->start = (uint64_t)((const char *)arg->data - (const char *)base) / rt_dtype_bytes(arg->dtype);
	window->ndims = flat ? 1 : 2;
	window->contiguous = arg->column_stride == 1 && (flat || arg->row_stride == arg->columns);
	window->shapes[0] = (uint32_t)(flat ? arg->columns : arg->rows);
	window->shapes[1] = (uint32_t)arg->columns;
	window->strides[0] = stride_of(flat ? arg->column_stride : arg->row_stride);
	window->strides[1] = stride_of(arg->column_stride);
	return true;
}

bool ascend_window_of(struct ascend_plan_window *window_out, const struct ascend_plan_rules *rules, const struct ptowsp_tensor_arg *arg)
{
	const struct ptowsp_binding *bound = &rules->bindings[arg->tensor];
	const uint64_t bytes = bound->elements * rt_dtype_bytes(bound->dtype);
	/* A version may lie right behind its tensor. */
	const bool outside = arg->data && arg->rows && arg->columns && (uintptr_t)arg->data - (uintptr_t)bound->data >= bytes;

	return rules->versions_entry && outside ? ascend_plan_window_of(window_out, arg, rules->versions_entry, ASCEND_VERSIONS_BASE)
						: ascend_plan_window_of(window_out, arg, rules->entries[arg->tensor], bound->data);
}

/* ---- of a task ------------------------------------------------------------------------------------------------------- */

ptowsp_status ascend_args_check(const struct ascend_plan_rules *rules, const struct base_walk_task *task, uint64_t number, struct ptowsp_error *error)
{
	const bool passes = rules->kernels[task->kernel].passed;

	if (task->tensor_count + rules->simulated + passes > ASCEND_TASK_TENSORS)
		return rt_fail_at(error, PTOWSP_TOO_SMALL, number, task->kernel,
				  "task %llu has %u tensor arguments; the pto-runtime takes %d per task%s: pass fewer, wider ones", (unsigned long long)number,
				  task->tensor_count, ASCEND_TASK_TENSORS,
				  rules->simulated ? ", one of them the simulation's own"
				  : passes         ? ", one of them what its cores pass on"
						   : "");
	if (task->arg_count > ASCEND_TASK_SCALARS)
		return rt_fail_at(error, PTOWSP_TOO_SMALL, number, task->kernel,
				  "task %llu has %u scalar arguments; the pto-runtime takes %d per task: put them into a tensor", (unsigned long long)number,
				  task->arg_count, ASCEND_TASK_SCALARS);
	return PTOWSP_OK;
}

static void passed_add(struct ascend_plan_build *build, const struct ascend_plan_kernel *kernel)
{
	ascend_plan_window_add(build, &(struct ascend_plan_window){
					      .dtype = ASCEND_U8, .access = ASCEND_WINDOW_PLACED, .ndims = 2, .shapes = {kernel->step.blocks, kernel->passed}});
}

ptowsp_status ascend_args_add(const struct ascend_plan_rules *rules, struct ascend_plan_part *part, const struct base_walk_task *task, uint64_t number,
			      struct ptowsp_error *error)
{
	struct ascend_plan_window window;

	for (uint32_t i = 0; i < task->arg_count; i++)
		ascend_plan_scalar_add(&part->build, part->walk->args[task->args + i]);
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *arg = &part->walk->tensors[task->tensors + i];

		if (!ascend_window_of(&window, rules, arg))
			return rt_fail_at(
				error, PTOWSP_TOO_SMALL, number, UINT64_MAX,
				"task %llu: tensor argument %u is %llu x %llu elements, rows %llu apart; the pto-runtime takes 2^32 - 1 of each: cut it",
				(unsigned long long)number, i, (unsigned long long)arg->rows, (unsigned long long)arg->columns,
				(unsigned long long)arg->row_stride);
		window.access |= rules->mapped ? ASCEND_WINDOW_MAPPED : 0;
		ascend_plan_window_add(&part->build, &window);
	}
	if (rules->kernels[task->kernel].passed)
		passed_add(&part->build, &rules->kernels[task->kernel]);
	return PTOWSP_OK;
}
