/* SPDX-License-Identifier: MIT */
/* rt_builder_kernels.c - what the kernels of a builder do: they fold the elements that they read into those that they write. */
#include "tests/rt/builder/rt_builder_rows.h"

#include <stdio.h>
#include <time.h>

uint64_t builder_fold(uint64_t state, uint64_t value)
{
	state = (state ^ value) * UINT64_C(0x9E3779B97F4A7C15);
	return state ^ state >> 29;
}

static ptowsp_status kernel_cycles(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out)
{
	struct builder *b = context;

	atomic_fetch_add_explicit(&b->questions, 1, memory_order_relaxed);
	if (test_kernel(b, kernel)->flags & BUILDER_LATER)
		return PTOWSP_UNSUPPORTED;
	*cycles_out = args[0];
	return PTOWSP_OK;
}

static ptowsp_status kernel_footprint(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink)
{
	struct builder *b = context;
	const struct test_kernel *k = test_kernel(b, kernel);

	(void)args;
	atomic_fetch_add_explicit(&b->questions, 1, memory_order_relaxed);
	if (k->flags & BUILDER_NO_FOOTPRINT)
		return PTOWSP_UNSUPPORTED;
	for (uint32_t i = 0; i < k->touch_count; i++)
		touch(sink, k->touches[i].arg, k->touches[i].offset, k->touches[i].length, 0, k->touches[i].access);
	return PTOWSP_OK;
}

static int kernel_varies(void *context, uint32_t kernel)
{
	/* Only its cycles depend on its arguments. */
	return !(test_kernel(context, kernel)->flags & (BUILDER_LATER | BUILDER_STEADY));
}

static const char *kernel_unusable(void *context, uint32_t kernel)
{
	return test_kernel(context, kernel)->flags & BUILDER_UNUSABLE ? "kernel k has no body" : NULL;
}

/* Reads or writes one element; a region of bytes may begin anywhere. */
static uint64_t element_visit(uint64_t *data, int64_t at, unsigned bit, uint64_t state)
{
	char *place = (char *)data + at * (int64_t)sizeof(*data);
	uint64_t value;

	if (bit == PTOWSP_READ) {
		memcpy(&value, place, sizeof(value));
		return builder_fold(state, value);
	}
	value = builder_fold(state, (uint64_t)at);
	memcpy(place, &value, sizeof(value));
	return state;
}

/* Visits the elements of one argument: of a block all, of a flat window what its touches say. */
static uint64_t visit(const struct builder *b, const struct ptowsp_task *task, uint32_t arg, unsigned bit, uint64_t state)
{
	const struct ptowsp_tensor_arg *t = &task->tensors[arg];
	const struct test_kernel *k = test_kernel(b, task->kernel);

	if (!(t->access & bit))
		return state;
	for (uint64_t r = 0; !k->touch_count && r < t->rows; r++)
		for (uint64_t c = 0; c < t->columns; c++)
			state = element_visit(t->data, (int64_t)(r * t->row_stride + c * t->column_stride), bit, state);
	for (uint32_t i = 0; i < k->touch_count; i++)
		for (uint64_t e = 0; k->touches[i].arg == arg && k->touches[i].access & bit && e < k->touches[i].length; e++)
			state = element_visit(t->data, k->touches[i].offset + (int64_t)e, bit, state);
	return state;
}

static ptowsp_status kernel_run(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	struct builder *b = context;
	unsigned flags = test_kernel(b, task->kernel)->flags;
	struct timespec nap = {0, 2000000};
	uint64_t state = task->number + 1;

	(void)worker;
	atomic_fetch_add_explicit(&b->calls, 1, memory_order_relaxed);
	if (flags & BUILDER_SLOW)
		nanosleep(&nap, NULL);
	if (flags & BUILDER_FAILS || (flags & BUILDER_FAILS_LATE && task->number >= 1000)) {
		snprintf(out->error->text, sizeof(out->error->text), "planted failure");
		return PTOWSP_KERNEL_FAILED;
	}
	for (uint32_t i = 0; !b->idle && i < task->tensor_count; i++)
		state = visit(b, task, i, PTOWSP_READ, state);
	for (uint32_t i = 0; !b->idle && i < task->tensor_count; i++)
		state = visit(b, task, i, PTOWSP_WRITE, builder_fold(state, i));
	if (flags & BUILDER_LATER)
		out->cycles = task->args[0];
	return PTOWSP_OK;
}

struct rt_kernels builder_kernels_make(struct builder *b)
{
	return (struct rt_kernels){
		.context = b, .cycles = kernel_cycles, .footprint = kernel_footprint, .varies = kernel_varies, .run = kernel_run, .unusable = kernel_unusable};
}

const struct rt_kernels *builder_kernels(struct builder *b)
{
	return &b->table;
}
