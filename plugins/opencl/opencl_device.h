/* SPDX-License-Identifier: MIT */
/* opencl_device.h - an open device: the driver's, a context, and for each worker thread a queue and memory through which its tasks go. */
#ifndef OPENCL_DEVICE_H
#define OPENCL_DEVICE_H

#include "base/device.h"
#include "opencl/opencl_api.h"
#include <stdbool.h>

enum opencl_memory { OPENCL_MEMORY_AUTO, OPENCL_MEMORY_SHARED, OPENCL_MEMORY_COPIED };
/* The backend's options: see opencl_backend.c. */
struct opencl_options {
	struct base_options base;
	char device[BASE_TEXT];
	unsigned memory; /* enum opencl_memory */
	unsigned width;  /* work-items of a group, 0: by the device */
	unsigned tiles;  /* 1: tiles in global memory even if they fit in local memory */
};

/* What a kernel leaves behind, as in isa/kernel_opencl.h. */
struct opencl_result {
	uint64_t cycles;
	int32_t status;
	uint32_t stop;
};
/* One of the device's threads. Only that thread uses it, but for `done`. */
struct opencl_worker {
	cl_handle queue;     /* in order */
	cl_handle result;    /* of struct opencl_result; at `shown` */
	cl_handle workspace; /* a buffer of workspace_bytes */
	uint64_t workspace_bytes;
	struct opencl_result *shown; /* memory of the host that `result` uses */
	pthread_mutex_t lock;
	pthread_cond_t told;
	bool done; /* guarded by lock */
};
struct opencl_device {
	const struct opencl_api *cl;
	cl_handle id, context;
	char name[96], driver[64];
	uint64_t local_bytes, parameter_bytes;
	uint32_t width;
	bool shared; /* it reads the memory of the host where that lies */
	bool rounds; /* quotients and roots are right */
	uint32_t worker_count;
	struct opencl_worker *workers; /* owned */
};

/* The hooks open and close. Errors: NO_DEVICE naming what was looked for and what there is, NO_MEMORY. */
ptowsp_status opencl_open(struct base_device *device, struct ptowsp_error *error);
void opencl_close(struct base_device *device);

/* A worker's buffer with room for so many bytes. Errors: NO_MEMORY, DEVICE_LOST. */
ptowsp_status opencl_workspace_grow(struct base_device *device, struct opencl_worker *w, uint64_t bytes, struct ptowsp_error *error);

static inline struct opencl_device *opencl_device_of(const struct base_device *device)
{
	return device->own;
}
static inline const struct opencl_options *opencl_options_of(const struct base_device *device)
{
	return (const struct opencl_options *)(const void *)device->instance->options;
}

#endif
