/* SPDX-License-Identifier: MIT */
/* external.c - memory and events of others as buffers and fences of a backend, and the other way round; and copies between buffers, which go by such names where the backends are two. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/call/buffer.h"
#include "host/call/struct_check.h"
#include "host/host_error.h"
#include "host/run/host_program.h"

#if PTOWSP_ABI_MINOR >= 1
static ptowsp_status unsupported(struct ptowsp_backend *b, const char *what, uint32_t type, struct ptowsp_error *error)
{
	static const char *const names[] = {"unknown", "HOST", "DMABUF", "OPAQUE_FD", "SYNC_FD", "NATIVE"};

	return host_fail(error, PTOWSP_UNSUPPORTED, "%s %s of type %s (%u)", ptowsp_backend_name(b), what,
			 names[type < sizeof(names) / sizeof(*names) ? type : 0], type);
}

static bool offers(struct ptowsp_backend *b, enum host_operation_id operation)
{
	return host_caller_offers(&b->caller, b->instance, operation);
}

/* ---- in ---- */

/* A head or a field that says what it cannot say, before a worker is told of it. */
static ptowsp_status name_check(const struct ptowsp_external *external, struct ptowsp_error *error)
{
	const bool is_file = external->type == PTOWSP_EXTERNAL_DMABUF || external->type == PTOWSP_EXTERNAL_OPAQUE_FD;
	struct host_check check = {.minor = PTOWSP_HOST_MINOR, .exact = true};

	if (external->head.size < PTOWSP_EXTERNAL_FLOOR_10_1)
		return host_fail(error, PTOWSP_INVALID, "import: the head says %u bytes, not %u; use PTOWSP_HEAD", external->head.size,
				 PTOWSP_EXTERNAL_FLOOR_10_1);
	if (!host_check_struct(&check, HOST_STRUCT_external, external, 0))
		return host_fail(error, PTOWSP_INVALID, "import: %s", check.what);
	if (is_file && external->address)
		return host_fail(error, PTOWSP_INVALID, "import: there is an address beside a descriptor");
	return PTOWSP_OK;
}

/* Every byte belongs to a mapping of this process that it may read and write. A system that does not show its mappings is believed in. */
static bool is_writable(uint64_t at, uint64_t end)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long from, to;
	char rights[5];

	if (!maps)
		return true;
	while (at < end && fscanf(maps, "%llx-%llx %4s%*[^\n]", &from, &to, rights) == 3)
		if (from <= at && at < to && !strncmp(rights, "rw", 2))
			at = to;
	fclose(maps);
	return at >= end;
}

/* Memory of the caller that it cannot write, or that is not all there, would end this process with its first use. What lies behind a block of ptowsp_buffer_alloc is of somebody else. */
static ptowsp_status memory_check(const struct ptowsp_external *external, struct ptowsp_error *error)
{
	const uint64_t at = external->address, bytes = external->bytes, page = (uint64_t)sysconf(_SC_PAGESIZE);
	const void *memory = (const void *)(uintptr_t)at;
	struct host_buffer block;

	if (external->type != PTOWSP_EXTERNAL_HOST)
		return PTOWSP_OK;
	if (at % page)
		return host_fail(error, PTOWSP_INVALID, "import: memory at 0x%llx begins at no page of %llu bytes", (unsigned long long)at,
				 (unsigned long long)page);
	if (bytes <= UINT64_MAX - at && is_writable(at, at + bytes) && (!host_buffer_find(memory, 1, &block) || host_buffer_find(memory, bytes, &block)))
		return PTOWSP_OK;
	return host_fail(error, PTOWSP_INVALID, "import: of %llu bytes at 0x%llx not all are memory of this process, which it may write",
			 (unsigned long long)bytes, (unsigned long long)at);
}

/* Memory of the caller serves a plugin that takes none, as its tensors do. */
static ptowsp_status buffer_import(struct ptowsp_device_buffer *buffer, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	struct ptowsp_backend *b = buffer->backend;
	ptowsp_status status = host_backend_device_open(b, error);

	if (status)
		return status;
	if (offers(b, HOST_OPERATION_buffers_import))
		return host_call_buffers_import(&b->caller, b->device, external, &buffer->object, error);
	if (external->type != PTOWSP_EXTERNAL_HOST)
		return unsupported(b, "takes no memory", external->type, error);
	buffer->memory = (void *)(uintptr_t)external->address;
	buffer->is_lent = true;
	return PTOWSP_OK;
}

ptowsp_status ptowsp_device_buffer_import(struct ptowsp_device_buffer **out, struct ptowsp_backend *backend, const struct ptowsp_external *external,
					  struct ptowsp_error *error)
{
	struct ptowsp_device_buffer *buffer = calloc(1, sizeof(*buffer));
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	if (!buffer)
		return host_error_leave(host_fail(error, PTOWSP_NO_MEMORY, "no memory for a buffer"), error);
	*buffer = (struct ptowsp_device_buffer){.backend = backend, .bytes = external->bytes};
	status = name_check(external, error);
	if (!status && (!external->bytes || (external->type == PTOWSP_EXTERNAL_HOST && !external->address)))
		status = host_fail(error, PTOWSP_INVALID, "memory of nobody, or of no bytes, is no buffer");
	if (!status)
		status = memory_check(external, error);
	if (!status)
		status = buffer_import(buffer, external, error);
	if (status)
		free(buffer);
	else
		*out = buffer;
	return host_error_leave(status, error);
}

ptowsp_status host_fence_import(struct ptowsp_fence *fence, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	struct ptowsp_backend *b = fence->backend;
	ptowsp_status status = name_check(external, error);

	if (!status)
		status = host_backend_device_open(b, error);
	if (!status && !offers(b, HOST_OPERATION_fences_import))
		status = unsupported(b, "takes no event", external->type, error);
	return status ? status : host_call_fences_import(&b->caller, b->device, external, &fence->object, error);
}

/* ---- out ---- */

/* A descriptor of a plugin's is looked at before somebody maps it. */
static const char *file_wrong(const struct ptowsp_external *e)
{
	const int seals = fcntl(e->fd, F_GETFD) < 0 ? -2 : fcntl(e->fd, F_GET_SEALS);
	struct stat file;

	if (seals == -2)
		return "there is no such descriptor";
	if (e->type == PTOWSP_EXTERNAL_DMABUF && !host_memory_is_dmabuf(e->fd))
		return "it is no dma-buf";
	if (e->type == PTOWSP_EXTERNAL_DMABUF)
		return lseek(e->fd, 0, SEEK_END) < (off_t)e->bytes ? "the dma-buf is shorter than the buffer" : NULL;
	if (seals < 0 || !(seals & F_SEAL_SHRINK))
		return "it is no memory file that stays as large as it is";
	return fstat(e->fd, &file) || (uint64_t)file.st_size < e->bytes ? "the file is shorter than the buffer" : NULL;
}

static ptowsp_status exposed_check(struct ptowsp_backend *b, uint32_t type, uint64_t bytes, struct ptowsp_external *e, struct ptowsp_error *error)
{
	const bool is_file = type == PTOWSP_EXTERNAL_DMABUF || type == PTOWSP_EXTERNAL_OPAQUE_FD;
	const char *wrong = e->type != type || e->bytes != bytes ? "it has another type or size" : is_file ? file_wrong(e) : !e->address ? "it is NULL" : NULL;

	if (!wrong)
		return PTOWSP_OK;
	if (is_file && e->fd >= 0 && host_backend_worker_lives(b)) /* else it may be anybody's of this process */
		close(e->fd);
	e->fd = -1;
	return host_fail(error, PTOWSP_RUN_FAILED, "%s: expose gave no good name: %s", ptowsp_backend_name(b), wrong);
}

/* A name of this host's own memory. */
static ptowsp_status memory_expose(const struct ptowsp_device_buffer *buffer, struct ptowsp_external *out, struct ptowsp_error *error)
{
	struct host_buffer file;

	if (out->type == PTOWSP_EXTERNAL_HOST) {
		out->address = (uintptr_t)buffer->memory;
		return PTOWSP_OK;
	}
	if (out->type != PTOWSP_EXTERNAL_OPAQUE_FD || !host_buffer_find(buffer->memory, buffer->bytes, &file) || file.bytes != buffer->memory)
		return unsupported(buffer->backend, "has no buffers, and this memory no name", out->type, error);
	out->fd = fcntl(file.fd, F_DUPFD_CLOEXEC, 0);
	return out->fd < 0 ? host_fail(error, PTOWSP_NO_MEMORY, "no free descriptor: %s", strerror(errno)) : PTOWSP_OK;
}

static ptowsp_status buffer_expose(struct ptowsp_device_buffer *buffer, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	struct ptowsp_backend *b = buffer->backend;
	ptowsp_status status;

	*out = (struct ptowsp_external){.head = PTOWSP_HEAD(*out, EXTERNAL), .type = type, .bytes = buffer->bytes, .fd = -1};
	if (!buffer->object)
		return memory_expose(buffer, out, error);
	if (!offers(b, HOST_OPERATION_buffers_expose))
		return unsupported(b, "gives no name for its buffers", type, error);
	status = host_call_buffers_expose(&b->caller, buffer->object, type, out, error);
	return status ? status : exposed_check(b, type, buffer->bytes, out, error);
}

ptowsp_status ptowsp_device_buffer_expose(struct ptowsp_device_buffer *buffer, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	return host_error_leave(buffer_expose(buffer, type, out, error), error);
}

ptowsp_status ptowsp_fence_expose(struct ptowsp_fence *fence, uint64_t value, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	struct ptowsp_backend *b = fence->backend;
	ptowsp_status status;

	error = host_error_enter(error);
	*out = (struct ptowsp_external){.head = PTOWSP_HEAD(*out, EXTERNAL), .type = type, .fd = -1};
	if (!fence->object || !offers(b, HOST_OPERATION_fences_expose))
		return host_error_leave(unsupported(b, "gives no event for its fences", type, error), error);
	status = host_call_fences_expose(&b->caller, fence->object, value, type, out, error);
	return host_error_leave(status ? status : exposed_check(b, type, 0, out, error), error);
}

#else /* headers of 10.0 have no names for them */
static ptowsp_status newer(struct ptowsp_error *error)
{
	return host_error_leave(host_fail(host_error_enter(error), PTOWSP_UNSUPPORTED, "this library is one of ABI 10.0"), error);
}

ptowsp_status ptowsp_device_buffer_import(struct ptowsp_device_buffer **out, struct ptowsp_backend *backend, const struct ptowsp_external *external,
					  struct ptowsp_error *error)
{
	(void)backend, (void)external;
	*out = NULL;
	return newer(error);
}

ptowsp_status host_fence_import(struct ptowsp_fence *fence, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	(void)fence, (void)external;
	return newer(error);
}

ptowsp_status ptowsp_device_buffer_expose(struct ptowsp_device_buffer *buffer, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	(void)buffer, (void)type, (void)out;
	return newer(error);
}

ptowsp_status ptowsp_fence_expose(struct ptowsp_fence *fence, uint64_t value, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	(void)fence, (void)value, (void)type, (void)out;
	return newer(error);
}
#endif
