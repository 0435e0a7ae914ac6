/* SPDX-License-Identifier: MIT */
/* opencl_program.h - the kernels of a package as programs of the device: written when it is loaded, built when they are called first. */
#ifndef OPENCL_PROGRAM_H
#define OPENCL_PROGRAM_H

#include "base/program.h"
#include "opencl/opencl_device.h"
#include "ptowsp/report.h"

/* A kernel of the package, by its KREG row. */
struct opencl_kernel {
	const struct isa_program *isa; /* NULL: it is not the device's */
	bool is_global;                /* its tiles lie in global memory: they do not fit in local memory */
	uint32_t windows, args;
	uint64_t workspace;         /* bytes for copies of windows, and for tiles that lie there */
	_Atomic uint64_t device_ns; /* with profiling=on */
};
/* Memory of the host that tasks of a run touch, as memory of the device. */
struct opencl_region {
	unsigned char *base;
	uint64_t bytes;
	cl_handle buffer;     /* NULL: no task has touched it */
	bool versions;        /* of temp tensors: nothing goes there or comes back but what the host asks for */
	_Atomic bool written; /* by tasks: the host's bytes are older */
};
/* Between host and device in the latest run, [0] back, [1] there; a task's strays too. */
struct opencl_moved {
	uint64_t bytes[2], times[2];
};
struct opencl_program {
	struct base_compute compute;
	struct base_program *base;
	struct opencl_kernel *kernels; /* as many as the package has */
	char *sources[2];              /* owned, malloc'd: of kernels with tiles in local memory, in global memory */
	cl_handle programs[2];         /* built of them, when the first of their kernels is called */
	cl_handle *handles;            /* of each kernel for each worker, NULL until it is called */
	uint32_t count, workers;
	struct rt_mirror mirror;
	struct opencl_region **regions; /* of the run, by address, none inside another */
	uint32_t region_count, region_room;
	cl_handle queue;           /* of what goes there and back between tasks */
	struct opencl_moved moved; /* these and the next one under the lock */
	struct ptowsp_figure figures[4];
	cl_int failed;        /* of a transfer that nobody waits for, CL_SUCCESS: none */
	pthread_mutex_t lock; /* of the programs, and of the regions */
};

/* The hooks bind and unload. Errors: NO_MEMORY. */
ptowsp_status opencl_bind(struct base_program *program, struct ptowsp_error *error);
void opencl_unload(struct base_program *program);
/* The kernel of a row for a worker, made by its first call. Errors: NO_MEMORY, DEVICE_LOST, UNSUPPORTED with what the compiler said. */
ptowsp_status opencl_kernel_handle(struct opencl_program *own, uint32_t row, uint32_t worker, cl_handle *handle_out, struct ptowsp_error *error);

/* opencl_region.c: the hook run, during which regions are there, and the mirror (rt.h) of them. */
ptowsp_status opencl_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error);
extern const struct ptowsp_report_extension opencl_report; /* figures of what a run moved */
struct rt_mirror opencl_mirror(struct opencl_program *own);
/* The region that these bytes lie in, its buffer made and filled; NULL: there is none, or no memory for it, and they go there and back with each task. Any worker. */
struct opencl_region *opencl_region_find(struct opencl_program *own, const void *data, uint64_t bytes);

/* opencl_task.c: base_compute.block; context: struct opencl_program. A kernel that fails a check on the device is run once more by the interpreter, on what the task has left, for its sentence. */
ptowsp_status opencl_block(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			   const struct isa_guard *guard);
/* Bytes of the struct by which a kernel is given windows, scalars and block. */
uint64_t opencl_given_bytes(const struct opencl_kernel *k);

#endif
