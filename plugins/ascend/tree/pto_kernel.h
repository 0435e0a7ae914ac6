/* SPDX-License-Identifier: MIT */
/* pto_kernel.h - a kernel of the package behind the interface of the pto-runtime: kernel_entry(int64_t *args), the address of a tensor record per tensor argument, then the
 * scalars. pto_kernels.c includes it behind the one kernel that it is compiled for, which stands in KERNEL_CALL, KERNEL_PARAMS, KERNEL_SCALARS and KERNEL_MEMORY. C11, for
 * kernels that are functions of a process: the runtime's simulation.
 *
 * With KERNEL_TOLD two scalars follow those of the kernel: the address of a PtoTold and the number of the task. So a kernel that fails is told, and none begins behind it. */
#ifndef PTO_KERNEL_H
#define PTO_KERNEL_H

#include "ascend/engine/pod.h"
#include "pto_told.h"
#include "ptowsp/task.h"

/* Where the runtime puts the address of {block, blocks, ..} of a task: behind the most tensors and scalars that there are (its common/intrinsic.h). */
enum { PTO_LOCAL_CONTEXT = ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS };

struct pto_param {
	uint16_t dtype, access, bytes; /* ptowsp's codes; bytes of an element */
};

/* The window that the record of a tensor argument shows; without an extent it has no elements. */
static inline struct ptowsp_tensor_arg pto_window(const struct ascend_tensor *from, const struct pto_param *param)
{
	const int flat = from->ndims < 2;
	const uint64_t columns = from->extent ? from->shapes[flat ? 0 : 1] : 0;

	return (struct ptowsp_tensor_arg){.data = (void *)(uintptr_t)(from->addr + from->start * param->bytes),
					  .rows = flat ? 1 : from->shapes[0],
					  .columns = columns,
					  .row_stride = flat ? columns : from->strides[0],
					  .column_stride = from->strides[flat ? 0 : 1],
					  .dtype = param->dtype,
					  .access = param->access};
}

/* Bytes of an element by the runtime's type: a copy takes any. */
static inline uint16_t pto_bytes(uint8_t dtype)
{
	static const uint8_t bytes[ASCEND_DTYPES] = {
		[ASCEND_F32] = 4,  [ASCEND_F16] = 2, [ASCEND_I32] = 4, [ASCEND_I16] = 2, [ASCEND_I8] = 1,  [ASCEND_U8] = 1,
		[ASCEND_BF16] = 2, [ASCEND_I64] = 8, [ASCEND_U64] = 8, [ASCEND_U16] = 2, [ASCEND_U32] = 4, [ASCEND_BOOL] = 1};

	return dtype < ASCEND_DTYPES ? bytes[dtype] : 1;
}

/* The first failure is kept. */
static inline void pto_tell(struct PtoTold *told, uint64_t number, ptowsp_status status, const char *text)
{
	uint64_t none = 0;

	if (!__atomic_compare_exchange_n(&told->task, &none, number + 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	told->status = status;
	for (unsigned i = 0; i + 1 < sizeof(told->text) && text[i]; i++)
		told->text[i] = text[i];
}

#endif
