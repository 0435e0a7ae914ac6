/* SPDX-License-Identifier: MIT */
#include "base/opencl/opencl_api.h"

#include "base/error.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static struct opencl_api api;
static char why[200];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Drivers keep threads of their own: an opened one stays. */
static void api_open(void)
{
	void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

	if (!library) {
		base_text(why, sizeof(why), "there is no OpenCL loader here: %s; install one (Debian: ocl-icd-libopencl1) and a driver", dlerror());
		return;
	}
#define X(name, result, parameters)                                                                                                                            \
	*(void **)&api.name = dlsym(library, #name);                                                                                                           \
	if (!api.name)                                                                                                                                         \
		base_text(why, sizeof(why), "libOpenCL.so.1 has no %s; OpenCL 1.2 or later is needed", #name);
#include "base/opencl/opencl_api.def"
#undef X
}

const struct opencl_api *opencl_api_find(struct ptowsp_error *error)
{
	pthread_once(&once, api_open);
	if (!*why)
		return &api;
	base_fail(error, PTOWSP_NO_DEVICE, "%s", why);
	return NULL;
}

ptowsp_status opencl_fail(struct ptowsp_error *error, cl_int code, const char *what, ...)
{
	const bool memory =
		code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES || code == CL_INVALID_BUFFER_SIZE;
	char text[128];
	va_list list;

	va_start(list, what);
	vsnprintf(text, sizeof(text), what, list);
	va_end(list);
	base_fail(error, memory ? PTOWSP_NO_MEMORY : PTOWSP_DEVICE_LOST,
		  memory ? "the device has no memory: %s failed with OpenCL error %d" : "%s failed with OpenCL error %d", text, code);
	if (error)
		error->native = code;
	return memory ? PTOWSP_NO_MEMORY : PTOWSP_DEVICE_LOST;
}
