/* SPDX-License-Identifier: MIT */
#include "base/memory/base_buffer.h"

#include "base/backend.h"
#include "base/error.h"
#include "base/planned.h"
#include "base/program.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_program.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- where bytes lie ------------------------------------------------------------------------------------------------------ */

const struct base_buffers base_buffers_host = {.make = NULL};

const struct base_buffers *base_buffers_of(const struct base_device *device)
{
	return device->instance->backend->buffers;
}

bool base_buffers_apart(const struct base_device *device)
{
	const struct base_buffers *memory = base_buffers_of(device);

	return memory->make && !memory->shares(device);
}

#if PTOWSP_ABI_TARGET >= 1
#include "base/memory/base_external.h"

/* Memory of the buffer is that of its descriptor, or addresses that nothing lies at where the device has memory of its own. */
static ptowsp_status place_map(struct base_buffer *buffer, struct ptowsp_error *error)
{
	const int flags = buffer->fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
	void *place = mmap(NULL, (size_t)buffer->bytes, PROT_READ | PROT_WRITE, flags, buffer->fd, 0);

	if (place == MAP_FAILED)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a buffer of %llu bytes: %s", (unsigned long long)buffer->bytes, strerror(errno));
	buffer->place = place;
	buffer->mapped = true;
	return PTOWSP_OK;
}

static void unmake(struct base_buffer *buffer)
{
	if (buffer->own)
		base_buffers_of(buffer->device)->free(buffer->device, buffer->own);
	if (buffer->mapped)
		munmap(buffer->place, (size_t)buffer->bytes);
	if (buffer->fd >= 0)
		close(buffer->fd);
}

/* As the device names the bytes at its place. */
static ptowsp_status place_name(struct base_buffer *buffer, struct ptowsp_error *error)
{
	const struct base_buffers *memory = base_buffers_of(buffer->device);

	return memory->make ? memory->make(buffer->device, buffer->place, buffer->bytes, &buffer->own, error) : PTOWSP_OK;
}

/* Memory of the host is a file of its own, so that others can be given it; each takes a descriptor. */
static ptowsp_status make(struct base_buffer *buffer, struct ptowsp_error *error)
{
	const bool apart = base_buffers_apart(buffer->device);
	ptowsp_status status;

	buffer->fd = apart ? -1 : base_external_file(buffer->bytes);
	if (!apart && buffer->fd < 0)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory, or no free descriptor, for a buffer of %llu bytes: %s", (unsigned long long)buffer->bytes,
				 strerror(errno));
	status = place_map(buffer, error);
	if (!status)
		status = place_name(buffer, error);
	if (!status && apart)
		status = base_buffers_of(buffer->device)->clear(buffer->device, buffer->own, 0, buffer->bytes, error);
	return status;
}

/* A driver that alone knows the memory says where it lies, or that this is nowhere here. */
static ptowsp_status driver_take(struct base_buffer *buffer, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	const struct base_buffers *memory = base_buffers_of(buffer->device);
	void *place = NULL;
	ptowsp_status status = memory->take ? memory->take(buffer->device, external, &buffer->own, &place, error)
					    : base_fail(error, PTOWSP_UNSUPPORTED, "import: memory of type %u is none that is used here", external->type);

	buffer->place = place;
	return status || place ? status : place_map(buffer, error);
}

static ptowsp_status take(struct base_buffer *buffer, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	const bool native = external->type == PTOWSP_EXTERNAL_NATIVE;
	ptowsp_status status = native ? PTOWSP_OK : base_external_check(external, error);

	if (!status && (native || base_buffers_apart(buffer->device)))
		return driver_take(buffer, external, error);
	if (!status && external->type == PTOWSP_EXTERNAL_HOST) {
		buffer->place = (unsigned char *)(uintptr_t)external->address;
	} else if (!status) {
		buffer->fd = fcntl(external->fd, F_DUPFD_CLOEXEC, 0);
		status = buffer->fd < 0 ? base_fail(error, PTOWSP_NO_MEMORY, "import: no free descriptor") : place_map(buffer, error);
	}
	return status ? status : place_name(buffer, error);
}

static ptowsp_status move(struct base_buffer *buffer, uint64_t offset, void *memory, uint64_t bytes, bool there, struct ptowsp_error *error)
{
	unsigned char *at = buffer->place + offset;

	if (base_buffers_apart(buffer->device))
		return base_buffers_of(buffer->device)->move(buffer->device, buffer->own, offset, memory, bytes, there, error);
	if (memory != at) /* else it is there */
		memcpy(there ? at : memory, there ? memory : at, (size_t)bytes);
	return PTOWSP_OK;
}

/* ---- a run's ---------------------------------------------------------------------------------------------------------------- */

struct base_buffer *base_buffer_of(const struct ptowsp_binding *binding)
{
	return (struct base_buffer *)binding->buffer;
}

static struct base_buffer *buffer_find(const struct base_device *device, const struct ptowsp_object *object)
{
	struct base_buffer *buffer = device->buffers;

	while (buffer && (const struct ptowsp_object *)buffer != object)
		buffer = buffer->next;
	return buffer;
}

static uint64_t bytes_of(const struct ptowsp_binding *binding)
{
	uint64_t bytes;

	return __builtin_mul_overflow(binding->elements, rt_dtype_bytes(binding->dtype), &bytes) ? UINT64_MAX : bytes;
}

static bool is_inside(const struct base_buffer *buffer, uint64_t offset, uint64_t bytes)
{
	return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

static ptowsp_status binding_place(const struct base_device *device, struct ptowsp_binding *binding, struct ptowsp_error *error)
{
	const struct base_buffer *buffer = buffer_find(device, binding->buffer);
	const uint32_t size = rt_dtype_bytes(binding->dtype);

	if (!buffer || binding->data)
		return base_fail(error, PTOWSP_INVALID, "submit: tensor %u: %s", binding->tensor,
				 buffer ? "it is bound to memory and to a buffer" : "its buffer is none of this device");
	if (!size || binding->buffer_offset % size || !is_inside(buffer, binding->buffer_offset, bytes_of(binding)))
		return base_fail(error, PTOWSP_INVALID, "submit: tensor %u: %llu elements from byte %llu on are not in its buffer of %llu bytes",
				 binding->tensor, (unsigned long long)binding->elements, (unsigned long long)binding->buffer_offset,
				 (unsigned long long)buffer->bytes);
	binding->data = buffer->place + binding->buffer_offset;
	return PTOWSP_OK;
}

static bool is_written(const struct base_program *program, uint32_t tensor)
{
	const struct rt_program *rt = program->rt;

	return tensor < rt->tables.tensor.count && (rt->traits[tensor].access | rt->traits[tensor].moved) & PTOWSP_WRITE;
}

/* Bytes that two tensors have are read by both: otherwise nobody could say what comes first. */
static ptowsp_status overlap_check(const struct base_run *run, const struct ptowsp_binding *a, const struct ptowsp_binding *b, struct ptowsp_error *error)
{
	const unsigned char *at = a->data, *other = b->data; /* two buffers can be names of the same memory */

	if (at + bytes_of(a) <= other || other + bytes_of(b) <= at || (!is_written(run->program, a->tensor) && !is_written(run->program, b->tensor)))
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_INVALID, "submit: tensors %u and %u have the same bytes of a buffer, and one of them is written", b->tensor, a->tensor);
}

static struct ptowsp_binding *binding_of(const struct base_run *run, uint32_t b)
{
	return (struct ptowsp_binding *)(uintptr_t)base_binding_at(&run->args, b);
}

ptowsp_status base_buffers_lend(struct base_device *device, struct base_run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t b = 0; b < run->args.binding_count && !status; b++) {
		if (!binding_of(run, b)->buffer)
			continue;
		status = binding_place(device, binding_of(run, b), error);
		for (uint32_t k = 0; k < b && !status; k++)
			if (binding_of(run, k)->buffer)
				status = overlap_check(run, binding_of(run, b), binding_of(run, k), error);
	}
	if (status)
		return status;
	pthread_mutex_lock(&device->lock);
	for (uint32_t b = 0; b < run->args.binding_count; b++)
		if (binding_of(run, b)->buffer)
			base_buffer_of(binding_of(run, b))->in_flight++;
	pthread_mutex_unlock(&device->lock);
	return PTOWSP_OK;
}

void base_buffers_return(struct base_run *run)
{
	for (uint32_t b = 0; b < run->args.binding_count; b++)
		if (binding_of(run, b)->buffer)
			base_buffer_of(binding_of(run, b))->in_flight--;
}

static bool is_sharded(const struct base_program *program, uint32_t tensor)
{
	for (uint32_t i = 0; i < program->shards.count; i++)
		if (program->shards.rows[i].tensor == tensor)
			return true;
	return false;
}

ptowsp_status base_buffers_settle(const struct base_program *program, const struct ptowsp_run_args *args, bool there, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t b = 0; b < args->binding_count && !status; b++) {
		const struct ptowsp_binding *binding = base_binding_at(args, b);
		struct base_buffer *buffer = base_buffer_of(binding);

		if (buffer && is_sharded(program, binding->tensor))
			status = move(buffer, binding->buffer_offset, binding->data, bytes_of(binding), there, error);
	}
	return status;
}

/* ---- the extension ---------------------------------------------------------------------------------------------------------- */

/* No run has it. */
static ptowsp_status resting(const struct base_buffer *buffer, const char *what, struct ptowsp_error *error)
{
	uint32_t in_flight;

	pthread_mutex_lock(&buffer->device->lock);
	in_flight = buffer->in_flight;
	pthread_mutex_unlock(&buffer->device->lock);
	return in_flight ? base_fail(error, PTOWSP_INVALID, "%s: a run in flight has this buffer; drain or cancel first", what) : PTOWSP_OK;
}

static ptowsp_status range_check(const struct base_buffer *buffer, const char *what, uint64_t offset, uint64_t bytes, struct ptowsp_error *error)
{
	if (is_inside(buffer, offset, bytes))
		return resting(buffer, what, error);
	return base_fail(error, PTOWSP_INVALID, "%s: %llu bytes from byte %llu on are not in a buffer of %llu", what, (unsigned long long)bytes,
			 (unsigned long long)offset, (unsigned long long)buffer->bytes);
}

static ptowsp_status limit_check(const struct base_device *device, uint64_t bytes, struct ptowsp_error *error)
{
	const uint64_t limit = device->memory_limit, held = device->buffer_bytes;

	if (!bytes)
		return base_fail(error, PTOWSP_INVALID, "a buffer has one byte at least");
	if (!limit || (held <= limit && bytes <= limit - held))
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_NO_MEMORY, "a buffer of %llu bytes: %llu of %llu are held", (unsigned long long)bytes, (unsigned long long)held,
			 (unsigned long long)limit);
}

/* external: NULL: new memory. */
static ptowsp_status buffer_make(struct base_device *device, uint64_t bytes, const struct ptowsp_external *external, struct ptowsp_object **buffer_out,
				 struct ptowsp_error *error)
{
	struct base_buffer *buffer = base_alloc(device->instance, sizeof(*buffer));
	ptowsp_status status;

	if (!buffer)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a buffer");
	*buffer = (struct base_buffer){.device = device, .bytes = bytes, .next = device->buffers, .fd = -1, .type = external ? external->type : 0};
	status = external ? take(buffer, external, error) : make(buffer, error);
	if (status) {
		unmake(buffer);
		base_release(device->instance, buffer, sizeof(*buffer));
		return status;
	}
	device->buffers = buffer;
	device->buffer_bytes += external ? 0 : bytes;
	*buffer_out = (struct ptowsp_object *)buffer;
	return PTOWSP_OK;
}

static ptowsp_status create(struct ptowsp_object *object, uint64_t bytes, struct ptowsp_object **buffer_out, struct ptowsp_error *error)
{
	struct base_device *device = (struct base_device *)object;
	ptowsp_status status = limit_check(device, bytes, error);

	*buffer_out = NULL;
	return status ? status : buffer_make(device, bytes, NULL, buffer_out, error);
}

static ptowsp_status import(struct ptowsp_object *object, const struct ptowsp_external *external, struct ptowsp_object **buffer_out, struct ptowsp_error *error)
{
	ptowsp_status status = base_external_read(external, error);

	*buffer_out = NULL;
	if (!status && !external->bytes)
		status = base_fail(error, PTOWSP_INVALID, "import: the memory has no bytes");
	return status ? status : buffer_make((struct base_device *)object, external->bytes, external, buffer_out, error);
}

static void buffer_free(struct base_buffer *buffer)
{
	struct base_device *device = buffer->device;
	struct base_buffer **link = &device->buffers;

	while (*link != buffer)
		link = &(*link)->next;
	*link = buffer->next;
	device->buffer_bytes -= buffer->type ? 0 : buffer->bytes;
	unmake(buffer);
	base_release(device->instance, buffer, sizeof(*buffer));
}

static ptowsp_status destroy(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct base_buffer *buffer = (struct base_buffer *)object;
	ptowsp_status status = resting(buffer, "destroy", error);

	if (!status)
		buffer_free(buffer);
	return status;
}

static ptowsp_status write_bytes(struct ptowsp_object *object, uint64_t offset, const void *bytes, uint64_t size, struct ptowsp_error *error)
{
	struct base_buffer *buffer = (struct base_buffer *)object;
	ptowsp_status status = range_check(buffer, "write", offset, size, error);

	return status || !size ? status : move(buffer, offset, (void *)(uintptr_t)bytes, size, true, error);
}

static ptowsp_status read_bytes(struct ptowsp_object *object, uint64_t offset, uint8_t *bytes_out, uint64_t size, struct ptowsp_error *error)
{
	struct base_buffer *buffer = (struct base_buffer *)object;
	ptowsp_status status = range_check(buffer, "read", offset, size, error);

	return status || !size ? status : move(buffer, offset, bytes_out, size, false, error);
}

static ptowsp_status copy(struct ptowsp_object *to_object, uint64_t to_offset, struct ptowsp_object *from_object, uint64_t from_offset, uint64_t size,
			  struct ptowsp_error *error)
{
	struct base_buffer *to = (struct base_buffer *)to_object, *from = (struct base_buffer *)from_object;
	ptowsp_status status = range_check(to, "copy", to_offset, size, error);

	if (!status)
		status = range_check(from, "copy", from_offset, size, error);
	if (status || !size)
		return status;
	if (to->device != from->device)
		return base_fail(error, PTOWSP_INVALID, "copy: the buffers are of two devices");
	if (to == from && to_offset < from_offset + size && from_offset < to_offset + size)
		return base_fail(error, PTOWSP_INVALID, "copy: the two ranges of the buffer overlap");
	if (base_buffers_apart(to->device))
		return base_buffers_of(to->device)->copy(to->device, to->own, to_offset, from->own, from_offset, size, error);
	memcpy(to->place + to_offset, from->place + from_offset, (size_t)size);
	return PTOWSP_OK;
}

static ptowsp_status expose(struct ptowsp_object *object, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	struct base_buffer *buffer = (struct base_buffer *)object;
	const struct base_buffers *memory = base_buffers_of(buffer->device);

	*out = (struct ptowsp_external){.head = out->head, .type = type, .bytes = buffer->bytes, .fd = -1};
	if (memory->lend && (type == PTOWSP_EXTERNAL_NATIVE || base_buffers_apart(buffer->device)))
		return memory->lend(buffer->device, buffer->own, out, error);
	if (type == PTOWSP_EXTERNAL_HOST && !base_buffers_apart(buffer->device)) {
		out->address = (uintptr_t)buffer->place;
		return PTOWSP_OK;
	}
	if (buffer->fd < 0 || type != (buffer->type ? buffer->type : (uint32_t)PTOWSP_EXTERNAL_OPAQUE_FD))
		return base_fail(error, PTOWSP_UNSUPPORTED, "expose: this buffer has no name of type %u", type);
	out->fd = fcntl(buffer->fd, F_DUPFD_CLOEXEC, 0);
	return out->fd < 0 ? base_fail(error, PTOWSP_NO_MEMORY, "expose: no free descriptor") : PTOWSP_OK;
}

const void *base_buffers_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	static const struct ptowsp_buffers_extension table = {.head = PTOWSP_HEAD(table, EXTENSION),
							      .create = create,
							      .destroy = destroy,
							      .write = write_bytes,
							      .read = read_bytes,
							      .copy = copy,
							      .import = import,
							      .expose = expose};

	return backend->buffers && base_minor_of(instance) >= 1 ? &table : NULL;
}

void base_buffers_finish(struct base_device *device)
{
	while (device->buffers)
		buffer_free(device->buffers);
}
#else /* headers of 10.0 have no binding that names one */
struct base_buffer *base_buffer_of(const struct ptowsp_binding *binding)
{
	(void)binding;
	return NULL;
}

ptowsp_status base_buffers_lend(struct base_device *device, struct base_run *run, struct ptowsp_error *error)
{
	(void)device, (void)run, (void)error;
	return PTOWSP_OK;
}

void base_buffers_return(struct base_run *run)
{
	(void)run;
}

ptowsp_status base_buffers_settle(const struct base_program *program, const struct ptowsp_run_args *args, bool there, struct ptowsp_error *error)
{
	(void)program, (void)args, (void)there, (void)error;
	return PTOWSP_OK;
}

const void *base_buffers_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	(void)backend, (void)instance;
	return NULL;
}

void base_buffers_finish(struct base_device *device)
{
	(void)device;
}
#endif
