/* SPDX-License-Identifier: MIT */
/* spu_device.h - StarPU itself: one of it per process, begun by the first device that is opened and shut down by the last that is closed. */
#ifndef SPU_DEVICE_H
#define SPU_DEVICE_H

#include "base/device.h"
#include "starpu/spu_opencl.h"
#include "starpu/spu_ranks.h"

/* The backend's options: see spu_backend.c. */
struct spu_options {
	struct base_options base;
	char sched[BASE_TEXT];   /* name of a scheduling policy of StarPU, "": lws */
	char rank[BASE_TEXT];    /* spu_world_read's; "": this process is alone */
	unsigned nopencl;        /* OpenCL workers */
	unsigned where;          /* 1: kernels that OpenCL workers take go to no CPU worker */
	unsigned whole;          /* 1: each rank walks the whole program */
	unsigned model;          /* ranks that are modelled, 0: none */
	unsigned model_us;       /* that each task takes there, 0: as long as here */
	char network[BASE_TEXT]; /* file of spu_model_begin */
	char cache[BASE_TEXT];   /* folder below which StarPU keeps what it has measured, "": base_cache_find's */
};

/* device->own. A device that is opened beside another one has a scheduling context, which is a policy and so many of the workers that there are. */
struct spu_device {
	uint32_t context;                     /* of StarPU */
	uint32_t workers, cpus, opencl_count; /* all; those of the processor, which are the first by spu_worker; others */
	struct spu_opencl *opencl;            /* owned, opencl_count */
	bool own;                             /* the context was made for it */
	bool measures;                        /* its policy asks how long tasks take */
	struct spu_world world;
};
/* The hooks open and close. Main thread. Errors: INVALID: no such policy; NO_DEVICE: StarPU does not begin; IO: the cache cannot be made; NO_MEMORY. */
ptowsp_status spu_open(struct base_device *device, struct ptowsp_error *error);
void spu_close(struct base_device *device);
/* Workers of a device, counted from 0: of the processor, then OpenCL's; as a number of StarPU's. */
int spu_worker_id(const struct spu_device *own, uint32_t worker);
/* The worker that this thread is. */
uint32_t spu_worker(const struct spu_device *own);
/* Each function of a codelet says so: the worker that calls it does not sleep. */
void spu_worker_works(void);

static inline const struct spu_options *spu_options_of(const struct base_device *device)
{
	return (const struct spu_options *)(const void *)device->instance->options;
}

#endif
