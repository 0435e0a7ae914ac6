/* SPDX-License-Identifier: MIT */
/* opencl_kernels.h - the kernels of a package as programs of a device: written when it is loaded, built when they are called first. */
#ifndef OPENCL_KERNELS_H
#define OPENCL_KERNELS_H

#include "base/kernels.h"
#include "base/opencl/opencl_driver.h"

/* A kernel of the package, by its KREG row. */
struct opencl_kernel {
	const struct isa_program *isa; /* NULL: it is not the device's */
	bool is_global;                /* its tiles lie in global memory: they do not fit in local memory */
	uint32_t windows, args;
	uint64_t workspace; /* bytes for copies of windows, and for tiles that lie there */
};
struct opencl_kernels {
	const struct base_kernels *base;
	const struct opencl_device *d;
	struct opencl_kernel *rows; /* owned, as many as the package has */
	char *sources[2];           /* owned, malloc'd: of kernels with tiles in local memory, in global memory */
	cl_handle programs[2];      /* built of them, when the first of their kernels is called */
	cl_handle *handles;         /* owned: of each kernel for each queue, NULL until it is called */
	uint32_t count;
	pthread_mutex_t lock; /* of the programs */
};

/* Writes the sources of all kernels that the device can run. Both are borrowed until finish. Errors: NO_MEMORY. */
ptowsp_status opencl_kernels_init(struct opencl_kernels *kernels, const struct base_kernels *base, const struct opencl_device *d, struct ptowsp_error *error);
void opencl_kernels_finish(struct opencl_kernels *kernels); /* of half-made ones, too */
/* Builds a program of the device, from whatever it was made; 0 or what the driver answers. Any thread, as below. */
cl_int opencl_program_build(const struct opencl_device *d, cl_handle program, bool is_global);
/* The kernel of a row for a queue, made by its first call. Errors: NO_MEMORY, DEVICE_LOST, UNSUPPORTED with what the compiler said. */
ptowsp_status opencl_kernel_handle(struct opencl_kernels *kernels, uint32_t row, uint32_t queue, cl_handle *handle_out, struct ptowsp_error *error);
/* Bytes of what a call of it is given: windows, a struct of how they lie, of scalars and of the block, results, workspace. */
uint64_t opencl_parameter_bytes(const struct opencl_kernel *k);

#endif
