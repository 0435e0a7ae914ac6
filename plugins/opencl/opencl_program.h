/* SPDX-License-Identifier: MIT */
/* opencl_program.h - the kernels of a package as programs of the device: written when it is loaded, built when they are called first. */
#ifndef OPENCL_PROGRAM_H
#define OPENCL_PROGRAM_H

#include "base/opencl/opencl_call.h"
#include "base/program.h"
#include "opencl/opencl_device.h"

struct opencl_program {
	struct base_compute compute;
	struct base_program *base;
	struct opencl_kernels kernels;
	struct rt_queues queues;
	struct base_resident resident;
};

/* The hooks bind and unload. Errors: NO_MEMORY. */
ptowsp_status opencl_bind(struct base_program *program, struct ptowsp_error *error);
void opencl_unload(struct base_program *program);
/* opencl_compiled.c: the program from what an earlier load of the package left, inside of load; without that it is built when its first kernel is called. */
void opencl_program_restore(struct opencl_program *own, bool is_global);
extern const struct base_compiled opencl_compiled;

/* The hook run. */
ptowsp_status opencl_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error);

/* opencl_task.c: base_compute.block; context: struct opencl_program. A kernel that fails a check on the device is run once more by the interpreter, on what the task has left, for its sentence. */
ptowsp_status opencl_block(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			   const struct isa_guard *guard);
uint64_t opencl_block_ns(void *context, uint32_t worker);
/* The same for tasks that end later, each in the queue of what it comes behind, or in the one that has least to do. A window that lies in no region goes through block. */
struct rt_queues opencl_queues(struct opencl_program *own);

#endif
