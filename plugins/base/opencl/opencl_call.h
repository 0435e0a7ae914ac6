/* SPDX-License-Identifier: MIT */
/* opencl_call.h - a call of an emitted kernel on a device: its arguments, its way through a queue, the wait for its end. */
#ifndef OPENCL_CALL_H
#define OPENCL_CALL_H

#include "base/memory/base_resident.h"
#include "base/opencl/opencl_kernels.h"

struct opencl_call {
	struct opencl_kernels *kernels;
	struct opencl_queue *q; /* one of the device's */
	const struct ptowsp_task *task;
	struct base_place *places; /* of its windows: memory of the device, and the offset there */
	struct ptowsp_error *error;
};
/* Whether the task has what the kernel takes; if not, the interpreter says what is missing. */
bool opencl_call_fits(const struct opencl_kernel *k, const struct ptowsp_task *task);
/* Into its queue, behind events of others. observed: the entry gets an event. Thread of the queue, as below. Errors: those of opencl_kernel_handle. */
ptowsp_status opencl_call_begin(const struct opencl_call *c, const cl_handle *after, uint32_t after_count, bool observed);
/* Until the device is done, which the guard may ask for: it asks the kernel, as its windows must be nobody's when this returns. True: it has. */
bool opencl_call_await(struct opencl_queue *q, const struct isa_guard *guard);
/* The interpreter says why a kernel failed on the device: it runs the block once more, on memory that the task left. Cycles of the device stay. */
ptowsp_status opencl_call_tell(const struct opencl_kernels *kernels, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			       const struct isa_guard *guard);

#endif
