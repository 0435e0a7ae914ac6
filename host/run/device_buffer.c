/* SPDX-License-Identifier: MIT */
/* device_buffer.c - memory of a device that outlives runs: the plugin's (ptowsp/buffers.h), or of this host where a plugin has none. */
#include <stdlib.h>
#include <string.h>

#include "host/call/buffer.h"
#include "host/host_error.h"
#include "host/run/host_program.h"
#include "registry/common/common_dtype.h"

enum { SLICE = 1 << 22 /* bytes that one call moves: it ends soon, and its message to a worker stays small */ };

static ptowsp_status no_memory(uint64_t bytes, struct ptowsp_error *error)
{
	return host_fail(error, PTOWSP_NO_MEMORY, "no memory for a buffer of %llu bytes", (unsigned long long)bytes);
}

/* A plugin in a process of its own maps memory of the host as it lies. */
static ptowsp_status memory_make(struct ptowsp_device_buffer *buffer, struct ptowsp_error *error)
{
	buffer->memory = host_buffer_take(buffer->bytes);
	return buffer->memory ? PTOWSP_OK : no_memory(buffer->bytes, error);
}

#if PTOWSP_ABI_MINOR >= 1
static ptowsp_status make(struct ptowsp_device_buffer *buffer, struct ptowsp_error *error)
{
	struct ptowsp_backend *b = buffer->backend;
	ptowsp_status status = host_backend_device_open(b, error);

	if (status || !host_caller_offers(&b->caller, b->instance, HOST_OPERATION_buffers_create))
		return status ? status : memory_make(buffer, error);
	status = host_call_buffers_create(&b->caller, b->device, buffer->bytes, &buffer->object, error);
	if (status)
		buffer->object = NULL;
	return status;
}

static void unmake(struct ptowsp_device_buffer *buffer)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const bool lives = host_backend_worker_lives(buffer->backend);

	host_backend_end_tell(buffer->backend, lives, host_call_buffers_destroy(&buffer->backend->caller, buffer->object, &error), &error);
}

/* One of both is memory: bytes go to the buffer, or come from it. */
static ptowsp_status slice_move(struct ptowsp_device_buffer *buffer, uint64_t offset, const void *from, void *to, uint64_t bytes, struct ptowsp_error *error)
{
	struct host_caller *caller = &buffer->backend->caller;

	return from ? host_call_buffers_write(caller, buffer->object, offset, from, bytes, error)
		    : host_call_buffers_read(caller, buffer->object, offset, to, bytes, error);
}
#else
static ptowsp_status make(struct ptowsp_device_buffer *buffer, struct ptowsp_error *error)
{
	return memory_make(buffer, error);
}

static void unmake(struct ptowsp_device_buffer *buffer)
{
	(void)buffer;
}

static ptowsp_status slice_move(struct ptowsp_device_buffer *buffer, uint64_t offset, const void *from, void *to, uint64_t bytes, struct ptowsp_error *error)
{
	(void)buffer, (void)offset, (void)from, (void)to, (void)bytes, (void)error;
	return PTOWSP_UNSUPPORTED;
}
#endif

ptowsp_status ptowsp_device_buffer_create(struct ptowsp_device_buffer **out, struct ptowsp_backend *backend, uint64_t bytes, struct ptowsp_error *error)
{
	struct ptowsp_device_buffer *buffer = calloc(1, sizeof(*buffer));
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	if (!buffer)
		return host_error_leave(no_memory(bytes, error), error);
	*buffer = (struct ptowsp_device_buffer){.backend = backend, .bytes = bytes};
	status = bytes ? make(buffer, error) : host_fail(error, PTOWSP_INVALID, "a buffer has one byte at least");
	if (status)
		free(buffer);
	else
		*out = buffer;
	return host_error_leave(status, error);
}

void ptowsp_device_buffer_destroy(struct ptowsp_device_buffer *buffer)
{
	if (!buffer)
		return;
	if (buffer->object)
		unmake(buffer);
	if (!buffer->is_lent)
		host_buffer_give(buffer->memory);
	free(buffer);
}

int ptowsp_device_buffer_is_apart(const struct ptowsp_device_buffer *buffer)
{
	return buffer->object != NULL;
}

ptowsp_status host_device_buffer_range(const struct ptowsp_device_buffer *buffer, uint64_t offset, uint64_t bytes, struct ptowsp_error *error)
{
	if (offset <= buffer->bytes && bytes <= buffer->bytes - offset)
		return PTOWSP_OK;
	return host_fail(error, PTOWSP_INVALID, "%llu bytes from byte %llu on are not in a buffer of %llu", (unsigned long long)bytes,
			 (unsigned long long)offset, (unsigned long long)buffer->bytes);
}

static ptowsp_status slices_move(struct ptowsp_device_buffer *buffer, uint64_t offset, const void *from, void *to, uint64_t bytes, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint64_t at = 0; at < bytes && !status; at += SLICE)
		status = slice_move(buffer, offset + at, from ? (const char *)from + at : NULL, to ? (char *)to + at : NULL,
				    bytes - at < SLICE ? bytes - at : SLICE, error);
	return status;
}

ptowsp_status ptowsp_device_buffer_write(struct ptowsp_device_buffer *buffer, uint64_t offset, const void *from, uint64_t bytes, struct ptowsp_error *error)
{
	ptowsp_status status;

	error = host_error_enter(error);
	status = host_device_buffer_range(buffer, offset, bytes, error);
	if (!status && buffer->object)
		status = slices_move(buffer, offset, from, NULL, bytes, error);
	else if (!status && bytes)
		memcpy((char *)buffer->memory + offset, from, bytes);
	return host_error_leave(status, error);
}

ptowsp_status ptowsp_device_buffer_read(struct ptowsp_device_buffer *buffer, uint64_t offset, void *to, uint64_t bytes, struct ptowsp_error *error)
{
	ptowsp_status status;

	error = host_error_enter(error);
	status = host_device_buffer_range(buffer, offset, bytes, error);
	if (!status && buffer->object)
		status = slices_move(buffer, offset, NULL, to, bytes, error);
	else if (!status && bytes)
		memcpy(to, (const char *)buffer->memory + offset, bytes);
	return host_error_leave(status, error);
}

/* Bytes of the tensor's elements, which lie in the buffer. */
static ptowsp_status place_check(const struct ptowsp_program *p, uint32_t index, const struct ptowsp_device_buffer *buffer, uint64_t offset, uint64_t elements,
				 struct ptowsp_error *error)
{
	const uint32_t size = common_dtype(p->plan->tables->tensor[p->plan->tensors[index].row].dtype)->bytes;
	uint64_t bytes;

	if (buffer->backend != p->backend)
		return host_fail(error, PTOWSP_INVALID, "tensor \"%s\": the buffer is one of another backend", p->plan->tensors[index].name);
	if (offset % size)
		return host_fail(error, PTOWSP_INVALID, "tensor \"%s\": byte %llu of a buffer is not where an element of %u bytes may begin",
				 p->plan->tensors[index].name, (unsigned long long)offset, size);
	return host_device_buffer_range(buffer, offset, __builtin_mul_overflow(elements, size, &bytes) ? UINT64_MAX : bytes, error);
}

ptowsp_status ptowsp_tensor_bind_buffer(struct ptowsp_program *p, const char *name, struct ptowsp_device_buffer *buffer, uint64_t offset, uint64_t elements,
					struct ptowsp_error *error)
{
	uint32_t index;
	ptowsp_status status;

	error = host_error_enter(error);
	status = ptowsp_plan_tensor_find(p->plan, name, &index, error);
	if (!status)
		status = place_check(p, index, buffer, offset, elements, error);
	if (!status)
		status = ptowsp_tensor_bind(p, name, buffer->object ? NULL : (char *)buffer->memory + offset, elements, error);
	if (!status && buffer->object) {
		p->tensors[index].buffer = buffer->object;
		p->tensors[index].buffer_offset = offset;
		p->tensors[index].bound_elements = elements;
	}
	return host_error_leave(status, error);
}
