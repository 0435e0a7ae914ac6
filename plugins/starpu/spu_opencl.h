/* SPDX-License-Identifier: MIT */
/* spu_opencl.h - StarPU's OpenCL workers: which devices they drive, the kernels of a package there, and a task on one of them. StarPU brings blocks into memory of the device and takes them back. */
#ifndef SPU_OPENCL_H
#define SPU_OPENCL_H

#include "base/opencl/opencl_call.h"
#include "spu_blocks.h"

struct base_device;
struct spu_device;
struct spu_program;

enum { SPU_OPENCL_MOST = 8 }; /* STARPU_MAXOPENCLDEVS */

/* Blocks and windows that StarPU gave to the task of a worker. */
struct spu_given {
	const struct spu_blocks *blocks;
	const struct spu_uses *uses;
	void **interfaces; /* StarPU's, one per use */
};
/* A worker, as a device of base: a queue of its own in the context that StarPU has for it. */
struct spu_opencl {
	struct opencl_device d;
	struct spu_given given;     /* worker's thread */
	struct ptowsp_task failed;  /* the latest block that failed a check */
	struct spu_program *failer; /* its program; NULL: none failed */
};

/* Driver handles of the devices that StarPU takes, in its order: GPUs and accelerators, where there is none or STARPU_OPENCL_ON_CPUS says so also processors (*processors_out). Before StarPU begins.
 * Errors: NO_DEVICE: there are fewer. */
ptowsp_status spu_opencl_find(void *ids_out[SPU_OPENCL_MOST], uint32_t count, bool *processors_out, struct ptowsp_error *error);
/* The workers of an open device; StarPU's have begun. Errors: NO_DEVICE: one does not compute as kernels need it; NO_MEMORY, DEVICE_LOST. */
ptowsp_status spu_opencl_open(const struct base_device *device, struct spu_device *own, struct ptowsp_error *error);
void spu_opencl_close(const struct base_device *device, struct spu_device *own); /* of half-made ones, too */

/* Kernels of a package, for all workers. Errors: NO_MEMORY. */
ptowsp_status spu_opencl_load(struct spu_program *own, struct ptowsp_error *error);
void spu_opencl_unload(struct spu_program *own); /* of half-loaded ones, too */
/* Whether tasks of a kernel may go to OpenCL workers. Any thread. */
bool spu_opencl_takes(const struct spu_program *own, uint32_t kernel);
/* A sentence for --explain: kernels that no OpenCL worker takes; the text stays where there are none, or no such workers. */
void spu_opencl_others(const struct spu_program *own, char *text_out, size_t size);
/* Why a task failed on the worker: the interpreter runs it once more. The blocks of the task are as it left them, on the host. */
ptowsp_status spu_opencl_tell(struct spu_opencl *worker, struct ptowsp_error *error);

#endif
