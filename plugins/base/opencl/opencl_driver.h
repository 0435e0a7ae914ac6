/* SPDX-License-Identifier: MIT */
/* opencl_driver.h - devices of OpenCL drivers: which there are, what one of them can, its memory, and the queues of it that a backend calls kernels through. */
#ifndef OPENCL_DRIVER_H
#define OPENCL_DRIVER_H

#include "base/instance.h"
#include "base/opencl/opencl_queue.h"

enum { OPENCL_DEVICES = 64 };

/* Devices of all platforms, in the order of the loader. */
struct opencl_found {
	cl_handle platforms[OPENCL_DEVICES], devices[OPENCL_DEVICES];
	cl_uint count;
};
/* kinds: CL_DEVICE_TYPE_. Any thread, as all below. */
void opencl_devices_find(const struct opencl_api *cl, cl_bits kinds, struct opencl_found *found_out);

/* A device, in a context. */
struct opencl_device {
	const struct opencl_api *cl;
	cl_handle id, context;
	cl_handle copies; /* queue of what goes there and back; NULL: a backend has other ways */
	char name[96], driver[64];
	uint64_t local_bytes, parameter_bytes;
	uint32_t width;
	bool shared; /* it reads the memory of the host where that lies */
	bool rounds; /* quotients and roots are right */
	uint32_t threads, queue_count;
	struct opencl_queue *queues; /* owned; of each thread, then those of tasks that end later, as many or none */
	struct opencl_news *news;    /* owned; of each thread, then that of the others */
};
/* Wishes of a backend about its device. */
struct opencl_wishes {
	uint32_t width;   /* work-items of a group, 0: by the device */
	bool fast;        /* numerics need not be those of pto_ops.def */
	bool tiles_apart; /* tiles lie in global memory even if they fit in local memory */
};
/* Fills what the device says of itself; cl and id are set. Errors: NO_DEVICE: it does not compute as kernels need it. */
ptowsp_status opencl_device_ask(struct opencl_device *d, const struct opencl_wishes *wishes, struct ptowsp_error *error);
/* A number that the device says of itself. */
uint64_t opencl_number_of(const struct opencl_device *d, cl_uint what);
/* A text that a device says of itself; longer ones are cut. */
void opencl_text_of(const struct opencl_api *cl, cl_handle device, cl_uint what, char *text_out, size_t size);
/* A queue for each thread, with `later` as many besides. Errors: NO_MEMORY, DEVICE_LOST. */
ptowsp_status opencl_queues_init(const struct base_instance *instance, struct opencl_device *d, uint32_t threads, bool later, struct ptowsp_error *error);
void opencl_queues_finish(const struct base_instance *instance, struct opencl_device *d); /* of half-made ones, too */
/* Memory of the device. host: the bytes are used where they lie, NULL: new ones. Errors: NO_MEMORY, DEVICE_LOST. */
ptowsp_status opencl_memory_make(const struct opencl_device *d, void *host, uint64_t bytes, void **own_out, struct ptowsp_error *error);

#endif
