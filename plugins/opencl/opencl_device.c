/* SPDX-License-Identifier: MIT */
#include "opencl/opencl_device.h"

#include "base/error.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which one ------------------------------------------------------------------------------------------------------------ */

/* A number counts devices, anything else is part of the name of one or of its platform. */
static bool is_meant(const struct opencl_api *cl, const struct opencl_found *f, cl_uint i, const char *wanted)
{
	char device[256], platform[256] = "", *end;
	const unsigned long number = strtoul(wanted, &end, 10);

	if (*wanted >= '0' && *wanted <= '9' && !*end)
		return number == i;
	opencl_text_of(cl, f->devices[i], CL_DEVICE_NAME, device, sizeof(device));
	cl->clGetPlatformInfo(f->platforms[i], CL_PLATFORM_NAME, sizeof(platform) - 1, platform, NULL);
	return strstr(device, wanted) || strstr(platform, wanted);
}

/* PoCL, whose processor is always there, has no device where it cannot write its cache. */
static ptowsp_status none_known(const struct opencl_api *cl, struct ptowsp_error *error)
{
	static const char *const names[] = {"POCL_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
	const char *folder = NULL;
	cl_uint drivers = 0;

	cl->clGetPlatformIDs(0, NULL, &drivers);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && (!folder || !*folder); i++)
		folder = secure_getenv(names[i]);
	if (!drivers)
		return base_fail(error, PTOWSP_NO_DEVICE, "the OpenCL loader knows no driver; install one (Debian: pocl-opencl-icd runs on the processor)");
	return base_fail(error, PTOWSP_NO_DEVICE,
			 "the OpenCL loader knows %u driver%s and no device; PoCL has none where it cannot write its cache, which is below %.100s", drivers,
			 drivers > 1 ? "s" : "", folder && *folder ? folder : "/tmp");
}

static ptowsp_status nothing(const struct opencl_api *cl, const struct opencl_found *f, const char *wanted, struct ptowsp_error *error)
{
	char names[160] = "", name[64];

	if (!f->count)
		return none_known(cl, error);
	for (cl_uint i = 0; i < f->count && strlen(names) + sizeof(name) + 8 < sizeof(names); i++) {
		opencl_text_of(cl, f->devices[i], CL_DEVICE_NAME, name, sizeof(name));
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%u: %s", i ? ", " : "", i, name);
	}
	return base_fail(error, PTOWSP_NO_DEVICE, "no OpenCL device is device=%.40s; there is %s", wanted, names);
}

/* The first that is meant, for opencl1 the next one, or the same again where there is none. */
static ptowsp_status device_choose(struct opencl_device *d, const char *wanted, unsigned number, cl_handle *platform_out, struct ptowsp_error *error)
{
	struct opencl_found f;
	cl_uint meant = 0;

	opencl_devices_find(d->cl, CL_DEVICE_TYPE_ALL, &f);
	for (cl_uint i = 0; i < f.count && meant <= number; i++)
		if (!*wanted || is_meant(d->cl, &f, i, wanted)) {
			d->id = f.devices[i];
			*platform_out = f.platforms[i];
			meant++;
		}
	return meant ? PTOWSP_OK : nothing(d->cl, &f, *wanted ? wanted : "any", error);
}

/* ---- open and close ------------------------------------------------------------------------------------------------------- */

static ptowsp_status device_start(struct base_device *device, struct opencl_device *d, struct ptowsp_error *error)
{
	const struct opencl_options *o = opencl_options_of(device);
	const char *name = device->model->device.name;
	cl_handle platform = NULL;
	intptr_t properties[] = {CL_CONTEXT_PLATFORM, 0, 0};
	cl_int code;
	ptowsp_status status = device_choose(d, o->device, (unsigned)(name[strlen(name) - 1] - '0'), &platform, error);

	if (!status)
		status = opencl_device_ask(d, &(struct opencl_wishes){o->width ? 1u << (o->width - 1) : 0, o->base.fast, o->tiles}, error);
	if (status)
		return status;
	d->shared = o->memory == OPENCL_MEMORY_SHARED || (o->memory == OPENCL_MEMORY_AUTO && opencl_number_of(d, CL_DEVICE_HOST_UNIFIED_MEMORY));
	properties[1] = (intptr_t)platform;
	d->context = d->cl->clCreateContext(properties, 1, &d->id, NULL, NULL, &code);
	if (!d->context)
		return opencl_fail(error, code, "clCreateContext for %s", d->name);
	d->copies = d->cl->clCreateCommandQueue(d->context, d->id, 0, &code);
	if (!d->copies)
		return opencl_fail(error, code, "clCreateCommandQueue");
	return opencl_queues_init(device->instance, d, device->threads, o->depth, error);
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

	opencl_queues_finish(device->instance, d);
	if (d->copies)
		d->cl->clReleaseCommandQueue(d->copies);
	if (d->context)
		d->cl->clReleaseContext(d->context);
	base_release(device->instance, d, sizeof(*d));
	device->own = NULL;
}
