/* SPDX-License-Identifier: MIT */
#include "builtin.h"

#include "error.h"
#include "registry/common/common_dtype.h"
#include <stdio.h>
#include <string.h>

static const struct ptowsp_tensor_arg *tensor(const struct ptowsp_task *task, uint32_t i)
{
	return (const void *)((const char *)task->tensors + (size_t)i * task->tensor_stride);
}

static char *element(const struct ptowsp_tensor_arg *t, uint64_t row, uint64_t column)
{
	return (char *)t->data + (row * t->row_stride + column * t->column_stride) * common_dtype_bytes(t->dtype);
}

/* nop(...): does nothing; takes as many cycles as its first scalar says, 1 without one. */
static ptowsp_status nop(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	out->cycles = task->arg_count ? task->args[0] : 1;
	return PTOWSP_OK;
}

/* copy(source, destination): the same type and shape; one cycle per element. */
static ptowsp_status copy(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	const struct ptowsp_tensor_arg *from, *to;

	if (task->tensor_count != 2)
		return base_fail(out->error, PTOWSP_KERNEL_FAILED, "copy takes 2 tensors, source and destination, not %u", task->tensor_count);
	from = tensor(task, 0), to = tensor(task, 1);
	if (from->dtype != to->dtype || from->rows != to->rows || from->columns != to->columns)
		return base_fail(out->error, PTOWSP_KERNEL_FAILED, "copy needs equal shapes and types, got %llux%llu and %llux%llu",
				 (unsigned long long)from->rows, (unsigned long long)from->columns, (unsigned long long)to->rows,
				 (unsigned long long)to->columns);
	for (uint64_t r = 0; r < to->rows; r++)
		for (uint64_t c = 0; c < to->columns; c++)
			memmove(element(to, r, c), element(from, r, c), common_dtype_bytes(to->dtype));
	out->cycles = to->rows * to->columns;
	return PTOWSP_OK;
}

/* fill(destination, value): every element becomes the scalar, which has the destination's type; one cycle per element. */
static ptowsp_status fill(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	const struct ptowsp_tensor_arg *to;

	if (task->tensor_count != 1 || task->arg_count != 1)
		return base_fail(out->error, PTOWSP_KERNEL_FAILED, "fill takes 1 tensor and 1 scalar, not %u and %u", task->tensor_count, task->arg_count);
	to = tensor(task, 0);
	for (uint64_t r = 0; r < to->rows; r++)
		for (uint64_t c = 0; c < to->columns; c++)
			memcpy(element(to, r, c), &task->args[0], common_dtype_bytes(to->dtype)); /* little-endian: low bytes */
	out->cycles = to->rows * to->columns;
	return PTOWSP_OK;
}

static const struct base_builtin table[] = {
	{"nop", "", nop, "nothing, for as many cycles as the first scalar says"},
	{"copy", "", copy, "second tensor = first tensor"},
	{"fill", "", fill, "tensor = scalar"},
};
#define BUILTINS (sizeof(table) / sizeof(*table))

const struct base_builtin *base_builtin_find(const char *name, const char *signature)
{
	for (size_t i = 0; i < BUILTINS; i++)
		if (!strcmp(table[i].name, name) && !strcmp(table[i].signature, signature))
			return &table[i];
	return NULL;
}

void base_builtin_names(char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; i < BUILTINS && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", table[i].name);
}
