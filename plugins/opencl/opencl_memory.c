/* SPDX-License-Identifier: MIT */
/* opencl_memory.c - memory of the device: base decides what lies there, and when it goes there and back (base/base_resident.h, base/base_buffer.h). Calls go through a queue of their own, and wait. */
#include "opencl/opencl_device.h"

static bool shares(const struct base_device *device)
{
	return opencl_device_of(device)->shared;
}

static ptowsp_status make(const struct base_device *device, void *place, uint64_t bytes, void **own_out, struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(device);

	return opencl_memory_make(d, d->shared ? place : NULL, bytes, own_out, error);
}

static void unmake(const struct base_device *device, void *own)
{
	opencl_device_of(device)->cl->clReleaseMemObject(own);
}

static ptowsp_status move(const struct base_device *device, void *own, uint64_t offset, void *memory, uint64_t bytes, bool there, struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(device);
	const cl_int code = there ? d->cl->clEnqueueWriteBuffer(d->copies, own, 1, offset, bytes, memory, 0, NULL, NULL)
				  : d->cl->clEnqueueReadBuffer(d->copies, own, 1, offset, bytes, memory, 0, NULL, NULL);

	return code ? opencl_fail(error, code, "moving %llu bytes", (unsigned long long)bytes) : PTOWSP_OK;
}

static ptowsp_status copies_finish(const struct opencl_device *d, cl_int code, const char *what, uint64_t bytes, struct ptowsp_error *error)
{
	code = code ? code : d->cl->clFinish(d->copies);
	return code ? opencl_fail(error, code, "%s %llu bytes", what, (unsigned long long)bytes) : PTOWSP_OK;
}

static ptowsp_status copy(const struct base_device *device, void *to, uint64_t to_offset, void *from, uint64_t from_offset, uint64_t bytes,
			  struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(device);

	return copies_finish(d, d->cl->clEnqueueCopyBuffer(d->copies, from, to, from_offset, to_offset, bytes, 0, NULL, NULL), "copying", bytes, error);
}

static ptowsp_status clear(const struct base_device *device, void *own, uint64_t offset, uint64_t bytes, struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(device);
	const unsigned char zero = 0;

	return copies_finish(d, d->cl->clEnqueueFillBuffer(d->copies, own, &zero, 1, offset, bytes, 0, NULL, NULL), "clearing", bytes, error);
}

const struct base_buffers opencl_buffers = {.shares = shares, .make = make, .free = unmake, .move = move, .copy = copy, .clear = clear};
