/* SPDX-License-Identifier: MIT */
/* opencl_device.h - an open device: the driver's, a context, and queues: one for each worker thread, whose tasks it waits for, and as many for those that end later. */
#ifndef OPENCL_DEVICE_H
#define OPENCL_DEVICE_H

#include "base/device.h"
#include "base/memory/base_buffer.h"
#include "base/opencl/opencl_driver.h"
#include <stdbool.h>

enum opencl_memory { OPENCL_MEMORY_AUTO, OPENCL_MEMORY_SHARED, OPENCL_MEMORY_COPIED };
/* The backend's options: see opencl_backend.c. */
enum opencl_binaries { OPENCL_BINARIES_AUTO, OPENCL_BINARIES_ON, OPENCL_BINARIES_OFF };
struct opencl_options {
	struct base_options base;
	char device[BASE_TEXT];
	unsigned memory;   /* enum opencl_memory */
	unsigned width;    /* work-items of a group: 0 by the device, else 1 << (width - 1) */
	unsigned tiles;    /* 1: tiles in global memory even if they fit in local memory */
	unsigned binaries; /* enum opencl_binaries */
	unsigned depth;    /* tasks on their way in a queue, 0: each is waited for */
};

/* The hooks open and close. Errors: NO_DEVICE naming what was looked for and what there is, NO_MEMORY. */
ptowsp_status opencl_open(struct base_device *device, struct ptowsp_error *error);
void opencl_close(struct base_device *device);

extern const struct base_buffers opencl_buffers;
extern const struct base_events opencl_events;

static inline struct opencl_device *opencl_device_of(const struct base_device *device)
{
	return device->own;
}
static inline const struct opencl_options *opencl_options_of(const struct base_device *device)
{
	return (const struct opencl_options *)(const void *)device->instance->options;
}

#endif
