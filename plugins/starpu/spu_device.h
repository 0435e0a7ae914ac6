/* SPDX-License-Identifier: MIT */
/* spu_device.h - StarPU itself: one of it per process, begun by the first device that is opened and shut down by the last that is closed. */
#ifndef SPU_DEVICE_H
#define SPU_DEVICE_H

#include "base/device.h"
#include "starpu/spu_ranks.h"

/* The backend's options: see spu_backend.c. */
struct spu_options {
	struct base_options base;
	char sched[BASE_TEXT]; /* name of a scheduling policy of StarPU, "": lws */
	char rank[BASE_TEXT];  /* "I/N": this process is rank I of N that mpirun started; "": it is alone */
	char cache[BASE_TEXT]; /* folder below which StarPU keeps what it has measured, "": base_cache_find's */
};

/* device->own. A device that is opened beside another one has a scheduling context, which is a policy and so many of the workers that there are. */
struct spu_device {
	uint32_t context; /* of StarPU */
	uint32_t workers;
	bool own; /* the context was made for it */
	struct spu_world world;
};
/* The hooks open and close. Main thread. Errors: INVALID: no such policy; NO_DEVICE: StarPU does not begin; IO: the cache cannot be made; NO_MEMORY. */
ptowsp_status spu_open(struct base_device *device, struct ptowsp_error *error);
void spu_close(struct base_device *device);

static inline const struct spu_options *spu_options_of(const struct base_device *device)
{
	return (const struct spu_options *)(const void *)device->instance->options;
}

#endif
