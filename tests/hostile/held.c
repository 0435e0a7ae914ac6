/* SPDX-License-Identifier: MIT */
/* held.c - cpu_sim with one obligation of "ptowsp.buffers/0" broken at a time, by -DWRONG=NAME of the list below. odd.ninja builds one plugin of each, verdicts.def has what is said of them. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ptowsp/buffers.h"
#include "ptowsp/note.h"
#include "ptowsp/ptowsp.h"
#include "tests/hostile/hostile.h"

enum wrong {
	FORGETS_WRITES,    /* what lies behind the first page */
	WRITES_LATER,      /* from memory that it was lent, when somebody reads */
	TRUSTS_OFFSETS,    /* a write outside of its buffer is cut, and well */
	RUNS_ON_COPIES,    /* of zeros */
	TAKES_STRANGERS,   /* whose buffers are zeros */
	FREES_UNDER_RUNS,  /* or says so */
	HOLDS_WITHOUT_END, /* whatever the limit is */
	COPIES_IMPORTS,    /* into memory of its own */
	CLOSES_LENT,       /* descriptors */
	TAKES_ANY_NAME,    /* and has memory of its own instead */
	EXPOSES_CLOSED,    /* descriptors */
	EXPOSES_LESS,      /* than the buffer: a file of half of it */
	MAKES_NO_BUFFER,   /* and says OK */
	EXPOSES_PIPES,     /* as dma-bufs */
	KEEPS_LENT,        /* descriptors, and closes them with the buffer */
	EXPOSES_OWN,       /* descriptors, and closes them with the buffer */
	ZEROES_HEADS,      /* of results */
	TRUSTS_HEADS,      /* of arguments, and knows no reserved */
	OFFERS_TO_ALL,     /* hosts, those of 10.0 too, its buffers */
};

static int is(enum wrong which)
{
	return which == WRONG;
}

PTOWSP_NOTE(0, "null", "example", "1.0.0", "null");

static const struct ptowsp_buffers_extension *right;
static struct {
	const void *bytes;
	uint64_t size;
} later;

static int kept = -1; /* KEEPS_LENT, EXPOSES_OWN */

static ptowsp_status held_destroy(struct ptowsp_object *buffer, struct ptowsp_error *error)
{
	if (kept >= 0)
		close(kept);
	kept = -1;
	const ptowsp_status status = right->destroy(buffer, is(FREES_UNDER_RUNS) ? NULL : error);

	return is(FREES_UNDER_RUNS) ? PTOWSP_OK : status;
}

static ptowsp_status held_write(struct ptowsp_object *buffer, uint64_t offset, const void *bytes, uint64_t size, struct ptowsp_error *error)
{
	ptowsp_status status;

	if (is(FORGETS_WRITES) && offset + size > 4096)
		return PTOWSP_OK;
	if (is(WRITES_LATER) && !right->write(buffer, offset, bytes, size, NULL))
		later.bytes = bytes, later.size = size;
	status = right->write(buffer, offset, bytes, size, is(TRUSTS_OFFSETS) ? NULL : error);
	return is(TRUSTS_OFFSETS) ? PTOWSP_OK : status;
}

static ptowsp_status held_read(struct ptowsp_object *buffer, uint64_t offset, uint8_t *bytes_out, uint64_t size, struct ptowsp_error *error)
{
	if (later.size)
		right->write(buffer, 0, later.bytes, later.size, NULL);
	return right->read(buffer, offset, bytes_out, size, error);
}

static ptowsp_status held_copy(struct ptowsp_object *to, uint64_t to_offset, struct ptowsp_object *from, uint64_t from_offset, uint64_t size,
			       struct ptowsp_error *error)
{
	return right->copy(to, to_offset, from, from_offset, size, error);
}

static ptowsp_status held_create(struct ptowsp_object *device, uint64_t bytes, struct ptowsp_object **buffer_out, struct ptowsp_error *error)
{
	*buffer_out = NULL;
	return is(MAKES_NO_BUFFER) ? PTOWSP_OK : right->create(device, bytes, buffer_out, error);
}

static ptowsp_status held_import(struct ptowsp_object *device, const struct ptowsp_external *external, struct ptowsp_object **buffer_out,
				 struct ptowsp_error *error)
{
	struct ptowsp_external own;
	ptowsp_status status;

	*buffer_out = NULL;
	if (is(MAKES_NO_BUFFER))
		return PTOWSP_OK;
	if (is(COPIES_IMPORTS) && external->bytes && external->type <= PTOWSP_EXTERNAL_OPAQUE_FD)
		return right->create(device, external->bytes, buffer_out, error);
	if (is(TRUSTS_HEADS)) {
		own = *external;
		own.head = (struct ptowsp_head)PTOWSP_HEAD(own, EXTERNAL);
		own.reserved = 0;
		external = &own;
	}
	status = right->import(device, external, buffer_out, is(TAKES_ANY_NAME) ? NULL : error);
	if (is(CLOSES_LENT) && !status && external->fd >= 0)
		close(external->fd);
	if (is(KEEPS_LENT) && !status)
		kept = external->fd;
	return status && is(TAKES_ANY_NAME) ? right->create(device, 4096, buffer_out, error) : status;
}

static ptowsp_status held_expose(struct ptowsp_object *buffer, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	const uint32_t asked = is(EXPOSES_PIPES) ? PTOWSP_EXTERNAL_OPAQUE_FD : type;
	const ptowsp_status status = right->expose(buffer, asked, out, error);
	int ends[2];

	if (!status && is(EXPOSES_PIPES) && !pipe(ends)) {
		close(out->fd);
		close(ends[1]);
		out->fd = ends[0];
		out->type = type;
	}
	if (!status && is(EXPOSES_OWN))
		kept = out->fd;
	if (!status && is(ZEROES_HEADS))
		out->head = (struct ptowsp_head){0};
	if (status || out->fd < 0 || !(is(EXPOSES_CLOSED) || is(EXPOSES_LESS)))
		return status;
	close(out->fd);
	if (is(EXPOSES_LESS)) {
		out->fd = memfd_create("less", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (ftruncate(out->fd, (off_t)(out->bytes / 2)) || fcntl(out->fd, F_ADD_SEALS, F_SEAL_SHRINK))
			return PTOWSP_NO_MEMORY;
	}
	return PTOWSP_OK;
}

static const void *held_extension(struct ptowsp_object *instance, const char *id)
{
	static const struct ptowsp_buffers_extension wrong = {.head = PTOWSP_HEAD(wrong, EXTENSION),
							      .create = held_create,
							      .destroy = held_destroy,
							      .write = held_write,
							      .read = held_read,
							      .copy = held_copy,
							      .import = held_import,
							      .expose = held_expose};
	const void *table = cpu_ops.extension(instance, id);

	if (strcmp(id, PTOWSP_EXTENSION_BUFFERS) != 0)
		return table;
	right = table;
	return table || is(OFFERS_TO_ALL) ? &wrong : NULL;
}

static ptowsp_status held_open(struct ptowsp_object *instance, const struct ptowsp_open_args *args, struct ptowsp_object **device_out,
			       struct ptowsp_error *error)
{
	struct ptowsp_open_args own = *args;

	own.memory_limit = is(HOLDS_WITHOUT_END) ? 0 : args->memory_limit;
	return cpu_ops.open(instance, &own, device_out, error);
}

/* The same run, on memory of its own. */
static ptowsp_status submit_apart(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	enum { ROWS = 64, BYTES = 1 << 16 };
	static _Alignas(64) unsigned char zeros[ROWS][BYTES];
	struct ptowsp_binding rows[ROWS];
	struct ptowsp_run_args own = *args;

	for (uint32_t b = 0; b < args->binding_count && b < ROWS; b++) {
		memcpy(&rows[b], (const char *)args->bindings + (size_t)b * args->binding_stride, sizeof(rows[b]));
		rows[b].data = rows[b].data ? rows[b].data : zeros[b];
		rows[b].buffer = NULL;
		rows[b].buffer_offset = 0;
	}
	own.bindings = rows;
	own.binding_stride = sizeof(rows[0]);
	return cpu_ops.submit(device, &own, error);
}

static ptowsp_status held_submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	ptowsp_status status = is(RUNS_ON_COPIES) ? PTOWSP_INVALID : cpu_ops.submit(device, args, is(TAKES_STRANGERS) ? NULL : error);

	return status == PTOWSP_INVALID && (is(RUNS_ON_COPIES) || is(TAKES_STRANGERS)) ? submit_apart(device, args, error) : status;
}

HOSTILE_CPU_SIM(ops.extension = held_extension; ops.open = held_open; ops.submit = held_submit;)
