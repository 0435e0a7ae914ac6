/* SPDX-License-Identifier: MIT */
/* plugin.c - apart: a backend of base whose device has memory of its own, memory files here: they go out as descriptors, and those of others come in. */
#include "base/error.h"
#include "base/memory/base_buffer.h"
#include "base/memory/base_external.h"
#include "base/ops.h"
#include "ptowsp/buffers.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME "apart"

static const struct base_model *models(const struct base_options *options, uint32_t *count_out)
{
	static const struct base_model model = BASE_MODEL(NAME "0", "a device with memory of its own", "cpu", THREADS, REFERENCE);

	(void)options;
	*count_out = 1;
	return &model;
}

struct piece {
	unsigned char *memory;
	uint64_t bytes;
	int fd;
};

static bool shares(const struct base_device *device)
{
	(void)device;
	return false;
}

static ptowsp_status piece_make(const struct base_device *device, int fd, uint64_t bytes, void **own_out, struct ptowsp_error *error)
{
	struct piece *piece = fd < 0 ? NULL : base_alloc(device->instance, sizeof(*piece));

	if (piece)
		*piece = (struct piece){mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), bytes, fd};
	if (!piece || piece->memory == MAP_FAILED)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %llu bytes of the device", (unsigned long long)bytes);
	*own_out = piece;
	return PTOWSP_OK;
}

static ptowsp_status make(const struct base_device *device, void *place, uint64_t bytes, void **own_out, struct ptowsp_error *error)
{
	(void)place;
	return piece_make(device, base_external_file(bytes), bytes, own_out, error);
}

static void unmake(const struct base_device *device, void *own)
{
	struct piece *piece = own;

	munmap(piece->memory, piece->bytes);
	close(piece->fd);
	base_release(device->instance, piece, sizeof(*piece));
}

static ptowsp_status move(const struct base_device *device, void *own, uint64_t offset, void *memory, uint64_t bytes, bool there, struct ptowsp_error *error)
{
	unsigned char *at = ((struct piece *)own)->memory + offset;

	(void)device, (void)error;
	memcpy(there ? at : memory, there ? memory : at, bytes);
	return PTOWSP_OK;
}

static ptowsp_status copy(const struct base_device *device, void *to, uint64_t to_offset, void *from, uint64_t from_offset, uint64_t bytes,
			  struct ptowsp_error *error)
{
	return move(device, to, to_offset, ((struct piece *)from)->memory + from_offset, bytes, true, error);
}

static ptowsp_status clear(const struct base_device *device, void *own, uint64_t offset, uint64_t bytes, struct ptowsp_error *error)
{
	(void)device, (void)error;
	memset(((struct piece *)own)->memory + offset, 0, bytes);
	return PTOWSP_OK;
}

/* base has looked at the descriptor: one that is no such file never comes here. */
static ptowsp_status take(const struct base_device *device, const struct ptowsp_external *external, void **own_out, void **place_out,
			  struct ptowsp_error *error)
{
	(void)place_out;
	if (external->type != PTOWSP_EXTERNAL_OPAQUE_FD)
		return base_fail(error, PTOWSP_UNSUPPORTED, "import: " NAME " takes memory files alone");
	return piece_make(device, fcntl(external->fd, F_DUPFD_CLOEXEC, 0), external->bytes, own_out, error);
}

static ptowsp_status lend(const struct base_device *device, void *own, struct ptowsp_external *external_out, struct ptowsp_error *error)
{
	(void)device;
	if (external_out->type != PTOWSP_EXTERNAL_OPAQUE_FD)
		return base_fail(error, PTOWSP_UNSUPPORTED, "expose: " NAME " gives memory files alone");
	external_out->fd = fcntl(((struct piece *)own)->fd, F_DUPFD_CLOEXEC, 0);
	return external_out->fd < 0 ? base_fail(error, PTOWSP_NO_MEMORY, "expose: no free descriptor") : PTOWSP_OK;
}

static const struct base_buffers memory = {
	.shares = shares, .make = make, .free = unmake, .move = move, .copy = copy, .clear = clear, .take = take, .lend = lend};
static const struct base_backend backend = {.name = NAME, .targets = NAME, .models = models, .buffers = &memory};
BASE_OPS(apart_ops, backend);
BASE_PLUGIN(apart_ops, NAME, "tests", "1.0", NAME);
