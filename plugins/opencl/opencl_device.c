/* SPDX-License-Identifier: MIT */
#include "opencl/opencl_device.h"

#include "base/error.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS = 16, DEVICES = 64, WIDTH_MOST = 256 };

/* ---- which one ------------------------------------------------------------------------------------------------------------ */

/* All devices of all platforms, in the order of the loader. */
struct found {
	cl_handle platforms[DEVICES], devices[DEVICES];
	cl_uint count;
};

static void devices_find(const struct opencl_api *cl, struct found *f)
{
	cl_handle platforms[PLATFORMS];
	cl_uint count = 0;

	f->count = 0;
	if (cl->clGetPlatformIDs(PLATFORMS, platforms, &count))
		return;
	for (cl_uint p = 0; p < count && p < PLATFORMS; p++) {
		cl_uint more = 0;

		if (cl->clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, DEVICES - f->count, f->devices + f->count, &more))
			continue;
		for (cl_uint d = 0; d < more && f->count < DEVICES; d++)
			f->platforms[f->count++] = platforms[p];
	}
}

static void text_of(const struct opencl_api *cl, cl_handle device, cl_uint what, char *text, size_t size)
{
	char whole[4096] = "";

	cl->clGetDeviceInfo(device, what, sizeof(whole) - 1, whole, NULL);
	base_text(text, size, "%s", whole);
}

/* A number counts devices, anything else is part of the name of one or of its platform. */
static bool is_meant(const struct opencl_api *cl, const struct found *f, cl_uint i, const char *wanted)
{
	char device[256], platform[256] = "", *end;
	const unsigned long number = strtoul(wanted, &end, 10);

	if (*wanted >= '0' && *wanted <= '9' && !*end)
		return number == i;
	text_of(cl, f->devices[i], CL_DEVICE_NAME, device, sizeof(device));
	cl->clGetPlatformInfo(f->platforms[i], CL_PLATFORM_NAME, sizeof(platform) - 1, platform, NULL);
	return strstr(device, wanted) || strstr(platform, wanted);
}

static ptowsp_status nothing(const struct opencl_api *cl, const struct found *f, const char *wanted, struct ptowsp_error *error)
{
	char names[160] = "", name[64];

	if (!f->count)
		return base_fail(error, PTOWSP_NO_DEVICE,
				 "the OpenCL loader knows no device; install a driver (Debian: pocl-opencl-icd runs on the processor)");
	for (cl_uint i = 0; i < f->count && strlen(names) + sizeof(name) + 8 < sizeof(names); i++) {
		text_of(cl, f->devices[i], CL_DEVICE_NAME, name, sizeof(name));
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%u: %s", i ? ", " : "", i, name);
	}
	return base_fail(error, PTOWSP_NO_DEVICE, "no OpenCL device is device=%.40s; there is %s", wanted, names);
}

/* The first that is meant, for opencl1 the next one, or the same again where there is none. */
static ptowsp_status device_choose(struct opencl_device *d, const char *wanted, unsigned number, cl_handle *platform_out, struct ptowsp_error *error)
{
	struct found f;
	cl_uint meant = 0;

	devices_find(d->cl, &f);
	for (cl_uint i = 0; i < f.count && meant <= number; i++)
		if (!*wanted || is_meant(d->cl, &f, i, wanted)) {
			d->id = f.devices[i];
			*platform_out = f.platforms[i];
			meant++;
		}
	return meant ? PTOWSP_OK : nothing(d->cl, &f, *wanted ? wanted : "any", error);
}

/* ---- what it can ---------------------------------------------------------------------------------------------------------- */

static uint64_t number_of(const struct opencl_device *d, cl_uint what)
{
	uint64_t value = 0; /* fewer bytes are the low ones */

	d->cl->clGetDeviceInfo(d->id, what, sizeof(value), &value, NULL);
	return value;
}

static uint32_t width_of(const struct opencl_device *d, unsigned wanted)
{
	const uint64_t most = number_of(d, CL_DEVICE_MAX_WORK_GROUP_SIZE);
	uint32_t width = wanted ? wanted : number_of(d, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU ? 1 : WIDTH_MOST;

	while (width > most || (width & (width - 1)))
		width &= width - 1, width = width > most ? width / 2 : width;
	return width;
}

static ptowsp_status device_ask(struct opencl_device *d, const struct opencl_options *o, struct ptowsp_error *error)
{
	const uint64_t floats = number_of(d, CL_DEVICE_SINGLE_FP_CONFIG), needed = CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST;
	char extensions[4096];

	text_of(d->cl, d->id, CL_DEVICE_NAME, d->name, sizeof(d->name));
	text_of(d->cl, d->id, CL_DRIVER_VERSION, d->driver, sizeof(d->driver));
	text_of(d->cl, d->id, CL_DEVICE_EXTENSIONS, extensions, sizeof(extensions));
	if (!strstr(extensions, "cl_khr_fp64"))
		return base_fail(error, PTOWSP_NO_DEVICE,
				 "%s has no cl_khr_fp64, by which exp, ln, tanh and conversions are made here; choose another with device=", d->name);
	d->rounds = floats & CL_FP_CORRECTLY_ROUNDED;
	if (!o->base.fast && ((floats & needed) != needed || !d->rounds))
		return base_fail(error, PTOWSP_NO_DEVICE,
				 "%s does not round as pto_ops.def says (subnormal numbers, quotients, roots); numerics=fast takes it as it is", d->name);
	d->local_bytes = o->tiles ? 0 : number_of(d, CL_DEVICE_LOCAL_MEM_SIZE);
	d->parameter_bytes = number_of(d, CL_DEVICE_MAX_PARAMETER_SIZE);
	d->width = width_of(d, o->width);
	d->shared = o->memory == OPENCL_MEMORY_SHARED || (o->memory == OPENCL_MEMORY_AUTO && number_of(d, CL_DEVICE_HOST_UNIFIED_MEMORY));
	return PTOWSP_OK;
}

/* ---- open and close ------------------------------------------------------------------------------------------------------- */

static ptowsp_status queues_init(struct base_device *device, struct opencl_device *d, struct ptowsp_error *error)
{
	const uint32_t count = opencl_options_of(device)->depth ? 2 * device->threads : device->threads;
	ptowsp_status status = PTOWSP_OK;

	d->threads = device->threads;
	d->news = base_alloc(device->instance, (d->threads + 1) * sizeof(*d->news));
	d->queues = d->news ? base_alloc(device->instance, count * sizeof(*d->queues)) : NULL;
	if (!d->queues)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u queues", count);
	for (uint32_t i = 0; i <= d->threads; i++)
		opencl_news_init(&d->news[i]);
	d->queue_count = count;
	for (uint32_t i = 0; !status && i < count; i++)
		status = opencl_queue_init(device, &d->queues[i], &d->news[i < d->threads ? i : d->threads], error);
	return status;
}

static ptowsp_status device_start(struct base_device *device, struct opencl_device *d, struct ptowsp_error *error)
{
	const struct opencl_options *o = opencl_options_of(device);
	const char *name = device->model->device.name;
	cl_handle platform = NULL;
	intptr_t properties[] = {CL_CONTEXT_PLATFORM, 0, 0};
	cl_int code;
	ptowsp_status status = device_choose(d, o->device, (unsigned)(name[strlen(name) - 1] - '0'), &platform, error);

	if (!status)
		status = device_ask(d, o, error);
	if (status)
		return status;
	properties[1] = (intptr_t)platform;
	d->context = d->cl->clCreateContext(properties, 1, &d->id, NULL, NULL, &code);
	if (!d->context)
		return opencl_fail(error, code, "clCreateContext for %s", d->name);
	d->copies = d->cl->clCreateCommandQueue(d->context, d->id, 0, &code);
	if (!d->copies)
		return opencl_fail(error, code, "clCreateCommandQueue");
	return queues_init(device, d, error);
}

ptowsp_status opencl_open(struct base_device *device, struct ptowsp_error *error)
{
	const struct opencl_api *cl = opencl_api_find(error);
	struct opencl_device *d = cl ? base_alloc(device->instance, sizeof(*d)) : NULL;
	sigset_t all, before;
	ptowsp_status status;

	if (!d)
		return cl ? base_fail(error, PTOWSP_NO_MEMORY, "no memory to open a device") : PTOWSP_NO_DEVICE;
	d->cl = cl;
	device->own = d;
	sigfillset(&all); /* threads that a driver starts leave signals to those of the program */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	status = device_start(device, d, error);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (status)
		opencl_close(device);
	else
		base_log(device->instance, PTOWSP_LOG_INFO, "opencl: %s, driver %s, groups of %u, %s memory", d->name, d->driver, d->width,
			 d->shared ? "shared" : "copied");
	return status;
}

void opencl_close(struct base_device *device)
{
	struct opencl_device *d = device->own;

	for (uint32_t i = 0; i < d->queue_count; i++)
		opencl_queue_finish(device, &d->queues[i]);
	for (uint32_t i = 0; d->queues && i <= d->threads; i++)
		opencl_news_finish(&d->news[i]);
	base_release(device->instance, d->queues, d->queue_count * sizeof(*d->queues));
	base_release(device->instance, d->news, (d->threads + (uint64_t)1) * sizeof(*d->news));
	if (d->copies)
		d->cl->clReleaseCommandQueue(d->copies);
	if (d->context)
		d->cl->clReleaseContext(d->context);
	base_release(device->instance, d, sizeof(*d));
	device->own = NULL;
}
