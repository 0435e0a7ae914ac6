/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_direction.h"

#include "ptowsp/ids.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>

/* Which elements have been written, of tensors that the question is about; NULL for others. */
struct written {
	const struct ascend_direction_args *args;
	uint64_t **bits; /* per TENS row */
};

/* Those that some task reads. */
static bool written_init(struct written *written, const struct base_walk *walk, const struct ascend_direction_args *args)
{
	*written = (struct written){args, calloc((size_t)args->tensor_count + 1, sizeof(*written->bits))};
	for (uint32_t i = 0; written->bits && i < walk->tensor_count; i++) {
		const struct ptowsp_tensor_arg *arg = &walk->tensors[i];
		uint32_t t = arg->tensor;

		if (!(arg->access & PTOWSP_READ) || !args->outs[t] || written->bits[t] || !args->bindings[t].data)
			continue;
		written->bits[t] = calloc((size_t)(args->bindings[t].elements / 64) + 1, sizeof(uint64_t));
		if (!written->bits[t])
			return false;
	}
	return written->bits;
}

static void written_finish(struct written *written)
{
	for (uint32_t t = 0; written->bits && t < written->args->tensor_count; t++)
		free(written->bits[t]);
	free(written->bits);
}

static uint64_t first_of(const struct written *written, const struct ptowsp_tensor_arg *arg)
{
	return (uint64_t)((const char *)arg->data - (const char *)written->args->bindings[arg->tensor].data) / rt_dtype_bytes(arg->dtype);
}

/* Elements of the window that nobody has written. */
static uint64_t missing(const struct written *written, const struct ptowsp_tensor_arg *arg)
{
	const uint64_t *bits = written->bits[arg->tensor], first = first_of(written, arg);
	uint64_t count = 0;

	for (uint64_t row = 0; row < arg->rows; row++)
		for (uint64_t column = 0; column < arg->columns; column++) {
			uint64_t at = first + row * arg->row_stride + column * arg->column_stride;

			count += at < written->args->bindings[arg->tensor].elements && !(bits[at / 64] >> at % 64 & 1);
		}
	return count;
}

static void mark(struct written *written, const struct ptowsp_tensor_arg *arg)
{
	uint64_t *bits = written->bits[arg->tensor], first = first_of(written, arg);

	for (uint64_t row = 0; row < arg->rows; row++)
		for (uint64_t column = 0; column < arg->columns; column++) {
			uint64_t at = first + row * arg->row_stride + column * arg->column_stride;

			if (at < written->args->bindings[arg->tensor].elements)
				bits[at / 64] |= UINT64_C(1) << at % 64;
		}
}

static bool asked(const struct written *written, const struct ptowsp_tensor_arg *arg)
{
	return written->bits[arg->tensor] && arg->data && arg->rows && arg->columns;
}

static ptowsp_status task_check(const struct written *written, const struct base_walk *walk, uint64_t number, struct ptowsp_error *error)
{
	const struct base_walk_task *task = &walk->tasks[number];

	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *arg = &walk->tensors[task->tensors + i];
		uint64_t count = arg->access & PTOWSP_READ && task->kernel != written->args->copy_kernel && asked(written, arg) ? missing(written, arg) : 0;

		if (count)
			return rt_fail_at(error, PTOWSP_UNSUPPORTED, number, task->kernel,
					  "tensor %.60s is out, but task %llu reads %llu of the %llu elements of its tensor argument %u before any task writes "
					  "them; declare it inout",
					  written->args->name(written->args->context, arg->tensor), (unsigned long long)number, (unsigned long long)count,
					  (unsigned long long)(arg->rows * arg->columns), i);
	}
	return PTOWSP_OK;
}

static void task_mark(struct written *written, const struct base_walk *walk, uint64_t number)
{
	const struct base_walk_task *task = &walk->tasks[number];

	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *arg = &walk->tensors[task->tensors + i];

		if (arg->access & PTOWSP_WRITE && asked(written, arg))
			mark(written, arg);
	}
}

ptowsp_status ascend_direction_check(const struct base_walk *walk, const struct ascend_direction_args *args, struct ptowsp_error *error)
{
	struct written written;
	ptowsp_status status = written_init(&written, walk, args) ? PTOWSP_OK : rt_no_memory(error, "the directions of tensors");

	for (uint64_t number = 0; !status && number < walk->task_count; number++) {
		status = task_check(&written, walk, number, error);
		task_mark(&written, walk, number);
	}
	written_finish(&written);
	return status;
}
