/* SPDX-License-Identifier: MIT */
/* callable.h - a package's orchestration and kernels as the one block that the runtime registers: pod.h, struct ascend_callable. */
#ifndef ASCEND_CALLABLE_H
#define ASCEND_CALLABLE_H

#include "ascend/engine/pod.h"

/* A kernel: what the runtime loads for the function of that id. Borrowed. */
struct ascend_kernel_object {
	int32_t id;        /* 0 .. ASCEND_FUNCTIONS - 1 */
	const void *bytes; /* simulation: an object with kernel_entry; a device: the raw text section for its cores */
	size_t size;
};
struct ascend_callable_args {
	const void *orchestration;
	size_t orchestration_size;
	const struct ascend_kernel_object *kernels;
	uint32_t kernel_count;
	const int32_t *directions; /* per tensor of the entry, enum ascend_direction */
	uint32_t direction_count;
};
/* *block_out: malloc'd. Errors: TOO_SMALL naming count and limit for more kernels or tensors than a callable takes; TOO_BIG beyond 4 GiB; NO_MEMORY. */
ptowsp_status ascend_callable_make(void **block_out, const struct ascend_callable_args *args, struct ptowsp_error *error);

#endif
