/* SPDX-License-Identifier: MIT */
/* opencl_memory.c - memory of the device: base decides what lies there, and when it goes there and back (base/memory/base_resident.h, base/memory/base_buffer.h). Calls go through a queue of their own, and wait.
 * Memory and events of the caller's queues are cl_mem and cl_event of the device's context, which anything that expose gives tells (CL_MEM_CONTEXT). */
#include "opencl/opencl_device.h"

#include "base/error.h"
#include "base/memory/base_fence.h"
#include <stdlib.h>

#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/buffers.h"
#endif

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

#if PTOWSP_ABI_TARGET >= 1
enum { API = 4 /* DLPack's kDLOpenCL */ };

/* ---- memory of the caller --------------------------------------------------------------------------------------------------- */

static ptowsp_status native_check(const struct ptowsp_external *external, const char *what, struct ptowsp_error *error)
{
	if (external->type == PTOWSP_EXTERNAL_NATIVE && external->api == API && external->address)
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_UNSUPPORTED, "import: type %u of api %u is not taken by this device; a %s (NATIVE, api %d) is", external->type,
			 external->api, what, API);
}

static cl_handle handle_of(const struct ptowsp_external *external)
{
	return (cl_handle)(uintptr_t)external->address;
}

static const cl_bits NOT_FOR_ALL = CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;

static ptowsp_status memory_check(const struct opencl_device *d, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	const cl_handle memory = handle_of(external);
	cl_handle context = NULL;
	cl_uint kind = 0;
	cl_bits flags = 0;
	size_t size = 0;

	d->cl->clGetMemObjectInfo(memory, CL_MEM_TYPE, sizeof(kind), &kind, NULL);
	d->cl->clGetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof(context), &context, NULL);
	d->cl->clGetMemObjectInfo(memory, CL_MEM_SIZE, sizeof(size), &size, NULL);
	d->cl->clGetMemObjectInfo(memory, CL_MEM_FLAGS, sizeof(flags), &flags, NULL);
	if (kind != CL_MEM_OBJECT_BUFFER || context != d->context)
		return base_fail(error, PTOWSP_INVALID, "import: the cl_mem is no buffer of this device's context, which is that of what expose gives");
	if (flags & NOT_FOR_ALL)
		return base_fail(error, PTOWSP_INVALID,
				 "import: kernels and the host read and write a buffer; the cl_mem has flags (0x%llx) that forbid one of them",
				 (unsigned long long)flags);
	if (size < external->bytes)
		return base_fail(error, PTOWSP_INVALID, "import: the cl_mem has %zu bytes, not %llu", size, (unsigned long long)external->bytes);
	return PTOWSP_OK;
}

/* On a device that shares memory the bytes lie where a mapping has them, mapped or not. */
static ptowsp_status take(const struct base_device *device, const struct ptowsp_external *external, void **own_out, void **place_out,
			  struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(device);
	ptowsp_status status = native_check(external, "cl_mem", error);
	cl_int code = CL_SUCCESS;

	if (!status)
		status = memory_check(d, external, error);
	if (!status && d->shared) {
		*place_out = d->cl->clEnqueueMapBuffer(d->copies, handle_of(external), 1, CL_MAP_READ_WRITE, 0, external->bytes, 0, NULL, NULL, &code);
		if (*place_out)
			code = d->cl->clEnqueueUnmapMemObject(d->copies, handle_of(external), *place_out, 0, NULL, NULL);
		status = copies_finish(d, code, "mapping", external->bytes, error);
	}
	if (status)
		return status;
	d->cl->clRetainMemObject(handle_of(external));
	*own_out = handle_of(external);
	return PTOWSP_OK;
}

static ptowsp_status lend(const struct base_device *device, void *own, struct ptowsp_external *external_out, struct ptowsp_error *error)
{
	(void)device;
	if (external_out->type != PTOWSP_EXTERNAL_NATIVE)
		return base_fail(error, PTOWSP_UNSUPPORTED, "expose: memory of this device goes out as a cl_mem (NATIVE, api %d), not as type %u", API,
				 external_out->type);
	external_out->api = API;
	external_out->address = (uintptr_t)own;
	return PTOWSP_OK;
}

/* ---- events of the caller --------------------------------------------------------------------------------------------------- */

struct awaited {
	const struct opencl_api *cl;
	void (*told)(void *context, ptowsp_status status);
	void *context;
};

/* On a thread of the driver. */
static void awaited_come(cl_handle event, cl_int state, void *context)
{
	struct awaited *a = context;

	a->told(a->context, state < 0 ? PTOWSP_RUN_FAILED : PTOWSP_OK);
	a->cl->clReleaseEvent(event);
	free(a);
}

static ptowsp_status event_take(const struct base_device *device, const struct ptowsp_external *external, void (*told)(void *context, ptowsp_status status),
				void *context, struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(device);
	ptowsp_status status = native_check(external, "cl_event", error);
	struct awaited *a = status ? NULL : malloc(sizeof(*a)); /* the event may outlive the device */
	cl_handle of = NULL;
	cl_int code;

	if (!a)
		return status ? status : base_fail(error, PTOWSP_NO_MEMORY, "no memory for an event");
	*a = (struct awaited){d->cl, told, context};
	d->cl->clGetEventInfo(handle_of(external), CL_EVENT_CONTEXT, sizeof(of), &of, NULL);
	if (of != d->context)
		status = base_fail(error, PTOWSP_INVALID, "import: the cl_event is none of this device's context, which is that of what expose gives");
	code = status ? CL_SUCCESS : d->cl->clRetainEvent(handle_of(external));
	if (!status && !code)
		code = d->cl->clSetEventCallback(handle_of(external), CL_COMPLETE, awaited_come, a);
	if (code)
		status = opencl_fail(error, code, "clSetEventCallback");
	if (status)
		free(a);
	return status;
}

static ptowsp_status event_make(const struct base_device *device, struct ptowsp_external *external_out, void **own_out, struct ptowsp_error *error)
{
	const struct opencl_device *d = opencl_device_of(device);
	cl_int code = CL_SUCCESS;

	*own_out = d->cl->clCreateUserEvent(d->context, &code);
	if (!*own_out)
		return opencl_fail(error, code, "clCreateUserEvent");
	d->cl->clRetainEvent(*own_out);
	external_out->api = API;
	external_out->address = (uintptr_t)*own_out;
	return PTOWSP_OK;
}

static void event_come(const struct base_device *device, void *own, ptowsp_status status)
{
	const struct opencl_device *d = opencl_device_of(device);

	d->cl->clSetUserEventStatus(own, status ? status : CL_COMPLETE);
	d->cl->clReleaseEvent(own);
}

const struct base_events opencl_events = {event_take, event_make, event_come};
#define OTHERS .take = take, .lend = lend
#else
const struct base_events opencl_events = {NULL, NULL, NULL};
#define OTHERS .take = NULL, .lend = NULL
#endif

const struct base_buffers opencl_buffers = {.shares = shares, .make = make, .free = unmake, .move = move, .copy = copy, .clear = clear, OTHERS};
