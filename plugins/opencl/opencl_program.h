/* SPDX-License-Identifier: MIT */
/* opencl_program.h - the kernels of a package as programs of the device: written when it is loaded, built when they are called first. */
#ifndef OPENCL_PROGRAM_H
#define OPENCL_PROGRAM_H

#include "base/base_resident.h"
#include "base/program.h"
#include "opencl/opencl_device.h"

/* A kernel of the package, by its KREG row. */
struct opencl_kernel {
	const struct isa_program *isa; /* NULL: it is not the device's */
	bool is_global;                /* its tiles lie in global memory: they do not fit in local memory */
	uint32_t windows, args;
	uint64_t workspace;         /* bytes for copies of windows, and for tiles that lie there */
	_Atomic uint64_t device_ns; /* with profiling=on */
};
struct opencl_program {
	struct base_compute compute;
	struct base_program *base;
	struct opencl_kernel *kernels; /* as many as the package has */
	char *sources[2];              /* owned, malloc'd: of kernels with tiles in local memory, in global memory */
	cl_handle programs[2];         /* built of them, when the first of their kernels is called */
	cl_handle *handles;            /* of each kernel for each queue, NULL until it is called */
	uint32_t count;
	struct rt_queues queues;
	struct base_resident resident;
	pthread_mutex_t lock; /* of the programs */
};

/* The hooks bind and unload. Errors: NO_MEMORY. */
ptowsp_status opencl_bind(struct base_program *program, struct ptowsp_error *error);
void opencl_unload(struct base_program *program);
/* Builds a program of the device, from whatever it was made; 0 or what the driver answers. */
cl_int opencl_program_build(const struct opencl_device *d, cl_handle program, bool is_global);
/* opencl_compiled.c: the program from what an earlier load of the package left, inside of load; without that it is built when its first kernel is called. */
void opencl_program_restore(struct opencl_program *own, bool is_global);
extern const struct base_compiled opencl_compiled;
/* The kernel of a row for a queue, made by its first call. Errors: NO_MEMORY, DEVICE_LOST, UNSUPPORTED with what the compiler said. */
ptowsp_status opencl_kernel_handle(struct opencl_program *own, uint32_t row, uint32_t queue, cl_handle *handle_out, struct ptowsp_error *error);

/* The hook run. */
ptowsp_status opencl_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error);

/* opencl_task.c: base_compute.block; context: struct opencl_program. A kernel that fails a check on the device is run once more by the interpreter, on what the task has left, for its sentence. */
ptowsp_status opencl_block(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			   const struct isa_guard *guard);
/* The same for tasks that end later, each in the queue of what it comes behind, or in the one that has least to do. A window that lies in no region goes through block. */
struct rt_queues opencl_queues(struct opencl_program *own);
/* Bytes of the struct by which a kernel is given windows, scalars and block. */
uint64_t opencl_given_bytes(const struct opencl_kernel *k);

#endif
