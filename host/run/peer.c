/* SPDX-License-Identifier: MIT */
/* peer.c - copies between buffers: on the device where both are one device's, by a name of the source where another device takes it, else through memory of this process. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/host_error.h"
#include "host/run/host_program.h"

enum { SLICE = 1 << 22 };

struct copy {
	struct ptowsp_device_buffer *to, *from;
	uint64_t to_offset, from_offset, bytes;
};

#if PTOWSP_ABI_MINOR >= 1
static ptowsp_status device_copy(const struct copy *c, const struct ptowsp_device_buffer *from, struct ptowsp_error *error)
{
	return host_call_buffers_copy(&c->to->backend->caller, c->to->object, c->to_offset, from->object, c->from_offset, c->bytes, error);
}

/* The source, named there and taken here for as long as the copy lasts. */
static ptowsp_status peer_copy(const struct copy *c, uint32_t type)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_device_buffer *here = NULL;
	struct ptowsp_external name;
	ptowsp_status status = ptowsp_device_buffer_expose(c->from, type, &name, &why);

	if (status)
		return status;
	status = ptowsp_device_buffer_import(&here, c->to->backend, &name, &why);
	close(name.fd);
	if (!status)
		status = device_copy(c, here, &why);
	ptowsp_device_buffer_destroy(here);
	return status;
}
#else
static ptowsp_status device_copy(const struct copy *c, const struct ptowsp_device_buffer *from, struct ptowsp_error *error)
{
	(void)c, (void)from, (void)error;
	return PTOWSP_UNSUPPORTED;
}

enum { PTOWSP_EXTERNAL_DMABUF, PTOWSP_EXTERNAL_OPAQUE_FD };
static ptowsp_status peer_copy(const struct copy *c, uint32_t type)
{
	(void)c, (void)type;
	return PTOWSP_UNSUPPORTED;
}
#endif

/* One of both is memory already, or a slice of it goes between. */
static ptowsp_status host_copy(const struct copy *c, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;
	char *slice;

	if (!c->to->object)
		return ptowsp_device_buffer_read(c->from, c->from_offset, (char *)c->to->memory + c->to_offset, c->bytes, error);
	if (!c->from->object)
		return ptowsp_device_buffer_write(c->to, c->to_offset, (char *)c->from->memory + c->from_offset, c->bytes, error);
	slice = malloc(c->bytes < SLICE ? c->bytes : SLICE);
	if (!slice)
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for a copy between two devices");
	for (uint64_t at = 0; at < c->bytes && !status; at += SLICE) {
		const uint64_t bytes = c->bytes - at < SLICE ? c->bytes - at : SLICE;

		status = ptowsp_device_buffer_read(c->from, c->from_offset + at, slice, bytes, error);
		if (!status)
			status = ptowsp_device_buffer_write(c->to, c->to_offset + at, slice, bytes, error);
	}
	free(slice);
	return status;
}

static ptowsp_status go(const struct copy *c, uint32_t *way_out, struct ptowsp_error *error)
{
	*way_out = PTOWSP_COPY_DEVICE;
	if (c->to->object && c->from->object && c->to->backend == c->from->backend)
		return device_copy(c, c->from, error);
	*way_out = PTOWSP_COPY_PEER;
	if (c->to->object && c->from->object && (!peer_copy(c, PTOWSP_EXTERNAL_OPAQUE_FD) || !peer_copy(c, PTOWSP_EXTERNAL_DMABUF)))
		return PTOWSP_OK;
	*way_out = PTOWSP_COPY_HOST;
	return host_copy(c, error);
}

ptowsp_status ptowsp_device_buffer_copy(struct ptowsp_device_buffer *to, uint64_t to_offset, struct ptowsp_device_buffer *from, uint64_t from_offset,
					uint64_t bytes, uint32_t *way_out, struct ptowsp_error *error)
{
	const struct copy c = {to, from, to_offset, from_offset, bytes};
	uint32_t way = PTOWSP_COPY_DEVICE;
	ptowsp_status status;

	error = host_error_enter(error);
	status = host_device_buffer_range(to, to_offset, bytes, error);
	if (!status)
		status = host_device_buffer_range(from, from_offset, bytes, error);
	if (!status && to == from && to_offset < from_offset + bytes && from_offset < to_offset + bytes)
		status = host_fail(error, PTOWSP_INVALID, "copy: the two ranges of the buffer overlap");
	if (!status && bytes)
		status = go(&c, &way, error);
	if (way_out)
		*way_out = way;
	return host_error_leave(status, error);
}
