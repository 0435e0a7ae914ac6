/* SPDX-License-Identifier: MIT */
#include "base/opencl/opencl_driver.h"

#include "base/error.h"
#include <string.h>

enum { PLATFORMS = 16, WIDTH_MOST = 256 };

void opencl_devices_find(const struct opencl_api *cl, cl_bits kinds, struct opencl_found *found_out)
{
	cl_handle platforms[PLATFORMS];
	cl_uint count = 0;

	found_out->count = 0;
	if (cl->clGetPlatformIDs(PLATFORMS, platforms, &count))
		return;
	for (cl_uint p = 0; p < count && p < PLATFORMS; p++) {
		cl_uint more = 0;

		if (cl->clGetDeviceIDs(platforms[p], kinds, OPENCL_DEVICES - found_out->count, found_out->devices + found_out->count, &more))
			continue;
		for (cl_uint d = 0; d < more && found_out->count < OPENCL_DEVICES; d++)
			found_out->platforms[found_out->count++] = platforms[p];
	}
}

void opencl_text_of(const struct opencl_api *cl, cl_handle device, cl_uint what, char *text_out, size_t size)
{
	char whole[4096] = "";

	cl->clGetDeviceInfo(device, what, sizeof(whole) - 1, whole, NULL);
	base_text(text_out, size, "%s", whole);
}

/* ---- what one can ---------------------------------------------------------------------------------------------------------- */

uint64_t opencl_number_of(const struct opencl_device *d, cl_uint what)
{
	uint64_t value = 0; /* fewer bytes are the low ones */

	d->cl->clGetDeviceInfo(d->id, what, sizeof(value), &value, NULL);
	return value;
}

static uint32_t width_of(const struct opencl_device *d, unsigned wanted)
{
	const uint64_t most = opencl_number_of(d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	uint32_t width = wanted ? wanted : opencl_number_of(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU ? 1 : WIDTH_MOST;

	while (width > most || (width & (width - 1)))
		width &= width - 1, width = width > most ? width / 2 : width;
	return width;
}

ptowsp_status opencl_device_ask(struct opencl_device *d, const struct opencl_wishes *wishes, struct ptowsp_error *error)
{
	const uint64_t floats = opencl_number_of(d, CL_DEVICE_SINGLE_FP_CONFIG), needed = CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST;
	char extensions[4096];

	opencl_text_of(d->cl, d->id, CL_DEVICE_NAME, d->name, sizeof(d->name));
	opencl_text_of(d->cl, d->id, CL_DRIVER_VERSION, d->driver, sizeof(d->driver));
	opencl_text_of(d->cl, d->id, CL_DEVICE_EXTENSIONS, extensions, sizeof(extensions));
	if (!strstr(extensions, "cl_khr_fp64"))
		return base_fail(error, PTOWSP_NO_DEVICE, "%s has no cl_khr_fp64, by which exp, ln, tanh and conversions are made here; choose another device",
				 d->name);
	d->rounds = floats & CL_FP_CORRECTLY_ROUNDED;
	if (!wishes->fast && ((floats & needed) != needed || !d->rounds))
		return base_fail(error, PTOWSP_NO_DEVICE,
				 "%s does not round as pto_ops.def says (subnormal numbers, quotients, roots); numerics=fast takes it as it is", d->name);
	d->local_bytes = wishes->tiles_apart ? 0 : opencl_number_of(d, CL_DEVICE_LOCAL_MEM_SIZE);
	d->parameter_bytes = opencl_number_of(d, CL_DEVICE_MAX_PARAMETER_SIZE);
	d->width = width_of(d, wishes->width);
	return PTOWSP_OK;
}

/* ---- queues --------------------------------------------------------------------------------------------------------------- */

ptowsp_status opencl_queues_init(const struct base_instance *instance, struct opencl_device *d, uint32_t threads, bool later, struct ptowsp_error *error)
{
	const uint32_t count = later ? 2 * threads : threads;
	ptowsp_status status = PTOWSP_OK;

	d->threads = threads;
	d->news = base_alloc(instance, (threads + (uint64_t)1) * sizeof(*d->news));
	d->queues = d->news ? base_alloc(instance, count * sizeof(*d->queues)) : NULL;
	if (!d->queues)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u queues", count);
	for (uint32_t i = 0; i <= threads; i++)
		opencl_news_init(&d->news[i]);
	d->queue_count = count;
	for (uint32_t i = 0; !status && i < count; i++)
		status = opencl_queue_init(instance, d, &d->queues[i], &d->news[i < threads ? i : threads], error);
	return status;
}

void opencl_queues_finish(const struct base_instance *instance, struct opencl_device *d)
{
	for (uint32_t i = 0; i < d->queue_count; i++)
		opencl_queue_finish(instance, &d->queues[i]);
	for (uint32_t i = 0; d->queues && i <= d->threads; i++)
		opencl_news_finish(&d->news[i]);
	base_release(instance, d->queues, d->queue_count * sizeof(*d->queues));
	base_release(instance, d->news, (d->threads + (uint64_t)1) * sizeof(*d->news));
	d->queues = NULL;
	d->news = NULL;
}

ptowsp_status opencl_memory_make(const struct opencl_device *d, void *host, uint64_t bytes, void **own_out, struct ptowsp_error *error)
{
	cl_int code;

	*own_out = d->cl->clCreateBuffer(d->context, CL_MEM_READ_WRITE | (host ? CL_MEM_USE_HOST_PTR : 0), bytes, host, &code);
	return *own_out ? PTOWSP_OK : opencl_fail(error, code, "clCreateBuffer of %llu bytes", (unsigned long long)bytes);
}
