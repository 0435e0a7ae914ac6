/* SPDX-License-Identifier: MIT */
/* task.h - what a kernel is called with. One uniform C signature for every native kernel. */
#ifndef PTOWSP_TASK_H
#define PTOWSP_TASK_H

#include "base.h"
#include "ids.h"

PTOWSP_BEGIN

enum { PTOWSP_READ = 1, PTOWSP_WRITE = 2 }; /* bits of `access` */

/* One tensor argument: a window into a bound tensor.
 * data points at the window's first element. Element (r, c) lies at data + (r * row_stride + c * column_stride)
 * elements. A flat window (rows 1, column_stride 1) is `columns` consecutive elements: the corpus' packed tiles. */
struct ptowsp_tensor_arg {
	void *data;
	uint64_t rows, columns;       /* elements that may be touched */
	uint64_t row_stride, column_stride; /* elements */
	uint16_t dtype;               /* enum ptowsp_dtype */
	uint16_t access;              /* PTOWSP_READ | PTOWSP_WRITE */
	uint32_t tensor;              /* row of the TENS table */
};

struct ptowsp_task {
	struct ptowsp_head head;
	const uint64_t *args; /* scalars: integers sign-extended to 64 bits, f32/f64 as their bit pattern */
	const struct ptowsp_tensor_arg *tensors;
	uint32_t arg_count, tensor_count;
	uint32_t tensor_stride; /* bytes from one tensor argument to the next */
	uint32_t kernel;        /* row of the KREG table */
	uint64_t number;        /* task number, 0 first */
	uint32_t stream, process, executor;
	uint16_t unit;          /* enum ptowsp_unit */
	uint16_t reserved;
	uint32_t block, block_count; /* blockdim n: called n times, block 0..n-1 */
	void *workspace;             /* of this call, 64-byte aligned, undefined contents, the worker's own; NULL if it needs none */
	uint64_t workspace_size;     /* bytes: the larger of what KREG and the payload that runs say */
};

struct ptowsp_kernel_out {
	struct ptowsp_head head;
	uint64_t cycles;            /* preset to the cycle model's value; the kernel may overwrite it */
	struct ptowsp_error *error; /* for a sentence when the kernel returns a negative code */
};
#define PTOWSP_TASK_FLOOR_10_0 88u
#define PTOWSP_KERNEL_OUT_FLOOR_10_0 24u

/* Borrowed arguments; may run on any worker thread and several at once. 0 or a negative status. */
typedef ptowsp_status (*ptowsp_kernel_fn)(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);

PTOWSP_END
#endif
