/* SPDX-License-Identifier: MIT */
#include "ascend/engine/callable.h"

#include "ascend/ascend_plan.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

static uint64_t aligned(uint64_t size)
{
	return (size + ASCEND_BINARY_ALIGN - 1) / ASCEND_BINARY_ALIGN * ASCEND_BINARY_ALIGN;
}

static void name_set(char *name, uint32_t *length, const char *text)
{
	*length = (uint32_t)strlen(text);
	memcpy(name, text, *length + 1);
}

/* The plan tells its tensor arguments, task for task: a signature of its own would only be for the runtime's dumps. */
static void child_fill(char *at, const struct ascend_kernel_object *kernel)
{
	struct ascend_child child = {.binary_bytes = (uint32_t)kernel->size};

	memcpy(at, &child, sizeof(child));
	memcpy(at + ASCEND_CHILD_BINARY, kernel->bytes, kernel->size);
}

static void callable_fill(char *block, const struct ascend_callable_args *args)
{
	struct ascend_callable *callable = (struct ascend_callable *)(void *)block;
	uint64_t offset = aligned(args->orchestration_size);

	memcpy(callable->signature, args->directions, args->direction_count * sizeof(*args->directions));
	callable->signature_count = (int32_t)args->direction_count;
	callable->orchestration_bytes = (uint32_t)args->orchestration_size;
	name_set(callable->function, &callable->function_length, ASCEND_ORCHESTRATION);
	name_set(callable->config, &callable->config_length, ASCEND_ORCHESTRATION_CONFIG);
	memcpy(block + ASCEND_CALLABLE_STORAGE, args->orchestration, args->orchestration_size);
	for (uint32_t i = 0; i < args->kernel_count; i++) {
		callable->child_ids[i] = args->kernels[i].id;
		callable->child_offsets[i] = (uint32_t)offset;
		child_fill(block + ASCEND_CALLABLE_STORAGE + offset, &args->kernels[i]);
		offset = aligned(offset + ASCEND_CHILD_BINARY + args->kernels[i].size);
	}
	callable->child_count = (int32_t)args->kernel_count;
}

ptowsp_status ascend_callable_make(void **block_out, const struct ascend_callable_args *args, struct ptowsp_error *error)
{
	uint64_t size = aligned(args->orchestration_size);

	*block_out = NULL;
	if (args->kernel_count > ASCEND_FUNCTIONS)
		return rt_fail(error, PTOWSP_TOO_SMALL, "the entry uses %u kernels; the pto-runtime takes %d per program: split the package",
			       args->kernel_count, ASCEND_FUNCTIONS);
	if (args->direction_count > ASCEND_ENTRY_TENSORS)
		return rt_fail(error, PTOWSP_TOO_SMALL, "the entry uses %u tensors; the pto-runtime takes %d per program, %d of them the engine's own",
			       args->direction_count, ASCEND_ENTRY_TENSORS, ASCEND_ENTRY_FIRST);
	for (uint32_t i = 0; i < args->kernel_count; i++)
		if (args->kernels[i].id >= ASCEND_FUNCTIONS)
			return rt_fail(error, PTOWSP_TOO_SMALL,
				       "kernels and cube parts of the package are functions up to %d; the pto-runtime takes %d: split it",
				       args->kernels[i].id + 1, ASCEND_FUNCTIONS);
	for (uint32_t i = 0; i < args->kernel_count; i++)
		size = aligned(size + ASCEND_CHILD_BINARY + args->kernels[i].size);
	if (size > UINT32_MAX)
		return rt_fail(error, PTOWSP_TOO_BIG, "kernels and orchestration have %llu bytes; the pto-runtime takes 4 GiB per program",
			       (unsigned long long)size);
	/* aligned_alloc: records inside lie at multiples of 64 of the block */
	*block_out = aligned_alloc(ASCEND_BINARY_ALIGN, aligned(ASCEND_CALLABLE_STORAGE + size));
	if (!*block_out)
		return rt_no_memory(error, "the kernels of the pto-runtime");
	memset(*block_out, 0, aligned(ASCEND_CALLABLE_STORAGE + size));
	callable_fill(*block_out, args);
	return PTOWSP_OK;
}
