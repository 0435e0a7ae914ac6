/* SPDX-License-Identifier: MIT
 * buffers.c - "ptowsp.buffers/0" of the checking plugin: nothing is kept in them, and what the host asks for is looked at. */
#include "watch.h"

#include <string.h>

#if PTOWSP_ABI_TARGET >= 1
static ptowsp_status not_kept(struct ptowsp_error *error)
{
	if (error) {
		error->code = PTOWSP_UNSUPPORTED;
		strcpy(error->text, "nothing is kept that others could look at");
	}
	return PTOWSP_UNSUPPORTED;
}

static ptowsp_status buffer_create(struct ptowsp_object *object, uint64_t bytes, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *device = watch_enter(&call, "create of ptowsp.buffers/0", object, WATCH_DEVICE, WATCH_ON_DEVICE, error), *buffer = NULL;

	if (device && !bytes)
		watch_broke(&call, "HO9: a buffer of no bytes");
	if (device && !call.status)
		buffer = watch_make(WATCH_BUFFER, device, NULL, device->host);
	if (buffer)
		buffer->bytes = bytes;
	*out = (struct ptowsp_object *)buffer;
	return watch_leave(&call, buffer || call.status ? PTOWSP_OK : PTOWSP_NO_MEMORY);
}

/* Of a call for so many bytes of a buffer. */
static struct watch *buffer_enter(struct watch_call *call, const char *name, struct ptowsp_object *object, uint64_t offset, uint64_t size,
				  struct ptowsp_error *error)
{
	struct watch *buffer = watch_enter(call, name, object, WATCH_BUFFER, WATCH_ON_DEVICE, error), *device = buffer ? buffer->parent : NULL;

	if (buffer && (offset > buffer->bytes || size > buffer->bytes - offset))
		watch_broke(call, "HO9: the bytes do not lie in the buffer");
	for (uint32_t i = 0; device && device->running && i < device->binding_count; i++)
		if (device->bindings[i].buffer == object)
			watch_broke(call, "HO9: a run in flight has the buffer");
	return buffer;
}

static ptowsp_status buffer_destroy(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *buffer = buffer_enter(&call, "destroy of ptowsp.buffers/0", object, 0, 0, error);

	if (buffer && !call.status)
		watch_end(buffer);
	return watch_leave(&call, PTOWSP_OK);
}

static ptowsp_status buffer_write(struct ptowsp_object *object, uint64_t offset, const void *bytes, uint64_t size, struct ptowsp_error *error)
{
	struct watch_call call;

	buffer_enter(&call, "write of ptowsp.buffers/0", object, offset, size, error);
	if (size && !bytes)
		watch_broke(&call, "HO9: there are no bytes to write");
	return watch_leave(&call, PTOWSP_OK);
}

/* Nothing is kept: its programs have no tasks that could tell. */
static ptowsp_status buffer_read(struct ptowsp_object *object, uint64_t offset, uint8_t *bytes_out, uint64_t size, struct ptowsp_error *error)
{
	struct watch_call call;

	buffer_enter(&call, "read of ptowsp.buffers/0", object, offset, size, error);
	if (!call.status && size)
		memset(bytes_out, 0, size);
	return watch_leave(&call, PTOWSP_OK);
}

static ptowsp_status buffer_copy(struct ptowsp_object *to, uint64_t to_offset, struct ptowsp_object *from, uint64_t from_offset, uint64_t size,
				 struct ptowsp_error *error)
{
	struct watch_call call;

	buffer_enter(&call, "copy of ptowsp.buffers/0", to, to_offset, size, error);
	if (!watch_find(from, WATCH_BUFFER) || watch_find(from, WATCH_BUFFER)->bytes < from_offset + size)
		watch_broke(&call, "HO9: the bytes do not lie in the buffer");
	return watch_leave(&call, PTOWSP_OK);
}

/* Memory of the caller, by its name; the plugin looks at none of it. */
static ptowsp_status buffer_import(struct ptowsp_object *object, const struct ptowsp_external *external, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *device = watch_enter(&call, "import of ptowsp.buffers/0", object, WATCH_DEVICE, WATCH_ON_DEVICE, error), *buffer = NULL;

	if (device)
		watch_arguments(&call, device->host, external ? &external->head : NULL, PTOWSP_STRUCT_EXTERNAL, PTOWSP_EXTERNAL_FLOOR_10_1, sizeof(*external));
	if (device && !call.status && (!external->bytes || (external->type == PTOWSP_EXTERNAL_HOST && !external->address)))
		watch_broke(&call, "HO9: memory of nobody, or of no bytes, as a buffer");
	if (device && !call.status && external->type == PTOWSP_EXTERNAL_HOST)
		buffer = watch_make(WATCH_BUFFER, device, NULL, device->host);
	if (buffer)
		buffer->bytes = external->bytes;
	*out = (struct ptowsp_object *)buffer;
	return watch_leave(&call, buffer || call.status ? PTOWSP_OK : not_kept(error));
}

static ptowsp_status buffer_expose(struct ptowsp_object *object, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	struct watch_call call;

	(void)type;
	watch_enter(&call, "expose of ptowsp.buffers/0", object, WATCH_BUFFER, WATCH_ON_DEVICE, error);
	if (!out || out->head.size < PTOWSP_EXTERNAL_FLOOR_10_1 || out->head.type != PTOWSP_STRUCT_EXTERNAL)
		watch_broke(&call, "HO9: there is no room for a name");
	return watch_leave(&call, not_kept(error));
}

const struct watch_buffers_table watch_buffers_table = {
	{PTOWSP_HEAD(watch_buffers_table, EXTENSION), buffer_create, buffer_destroy, buffer_write, buffer_read, buffer_copy, buffer_import, buffer_expose},
	{watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later}};
#endif
