/* SPDX-License-Identifier: MIT */
/* opencl_region.c - the tensors of a run as memory of a device that shares memory with the host: it uses them where they lie. Elsewhere a task's windows are copied (opencl_task.c): no hook says
 * when the host looks at a tensor, so none can stay on the device. */
#include "opencl/opencl_program.h"

#include "base/error.h"
#include "base/planned.h"
#include <stdlib.h>

static int by_base(const void *a, const void *b)
{
	const struct opencl_region *one = a, *other = b;

	return (one->base > other->base) - (one->base < other->base);
}

/* Those that overlap are one. */
static void regions_join(struct opencl_program *own)
{
	uint32_t count = 0;

	qsort(own->regions, own->region_count, sizeof(*own->regions), by_base);
	for (uint32_t i = 0; i < own->region_count; i++) {
		const struct opencl_region *next = &own->regions[i];
		struct opencl_region *last = count ? &own->regions[count - 1] : NULL;

		if (!last || next->base >= last->base + last->bytes)
			own->regions[count++] = *next;
		else if (next->base + next->bytes > last->base + last->bytes)
			last->bytes = (uint64_t)(next->base + next->bytes - last->base);
	}
	own->region_count = count;
}

static ptowsp_status regions_begin(struct opencl_program *own, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	const struct base_instance *instance = own->base->device->instance;

	own->region_count = 0;
	if (!opencl_device_of(own->base->device)->shared)
		return PTOWSP_OK;
	if (args->binding_count > own->region_room) {
		base_release(instance, own->regions, own->region_room * sizeof(*own->regions));
		own->region_room = args->binding_count;
		own->regions = base_alloc(instance, own->region_room * sizeof(*own->regions));
	}
	if (args->binding_count && !own->regions) {
		own->region_room = 0;
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u tensors", args->binding_count);
	}
	for (uint32_t b = 0; b < args->binding_count; b++) {
		const struct ptowsp_binding *binding = base_binding_at(args, b);

		if (binding->data && binding->elements)
			own->regions[own->region_count++] =
				(struct opencl_region){.base = binding->data, .bytes = binding->elements * isa_dtype_bytes(binding->dtype)};
	}
	regions_join(own);
	return PTOWSP_OK;
}

static void regions_end(struct opencl_program *own)
{
	for (uint32_t i = 0; i < own->region_count; i++)
		if (own->regions[i].buffer)
			opencl_device_of(own->base->device)->cl->clReleaseMemObject(own->regions[i].buffer);
	own->region_count = 0;
}

/* Under the lock. */
static bool region_make(struct opencl_program *own, struct opencl_region *r)
{
	const struct opencl_device *d = opencl_device_of(own->base->device);
	cl_int code;

	r->buffer = d->cl->clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, r->bytes, r->base, &code);
	return r->buffer != NULL;
}

struct opencl_region *opencl_region_find(struct opencl_program *own, const void *data, uint64_t bytes)
{
	const unsigned char *at = data;
	struct opencl_region *found = NULL;
	uint32_t low = 0, high = own->region_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (own->regions[middle].base <= at)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || at + bytes > own->regions[low - 1].base + own->regions[low - 1].bytes)
		return NULL;
	pthread_mutex_lock(&own->lock);
	if (own->regions[low - 1].buffer || region_make(own, &own->regions[low - 1]))
		found = &own->regions[low - 1];
	pthread_mutex_unlock(&own->lock);
	return found;
}

static void profile_tell(struct opencl_program *own)
{
	for (uint32_t i = 0; i < own->count; i++) {
		const uint64_t ns = atomic_exchange(&own->kernels[i].device_ns, 0);

		if (ns)
			base_log(own->base->device->instance, PTOWSP_LOG_INFO, "profile: kernel %s: %llu ns on the device", own->base->kernels.rows[i].name,
				 (unsigned long long)ns);
	}
}

ptowsp_status opencl_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error)
{
	struct opencl_program *own = program->own;
	ptowsp_status status = regions_begin(own, args->args, error);

	if (!status)
		status = rt_run(program->rt, args, stats_out, deadlock_out, error);
	regions_end(own);
	profile_tell(own);
	return status;
}
