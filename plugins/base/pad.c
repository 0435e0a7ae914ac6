/* SPDX-License-Identifier: MIT */
#include "pad.h"

#include "error.h"
#include "isa/tile_part.h"
#include "rt/access/mirror.h"

struct base_pad {
	const struct rt_mirror *mirror; /* NULL: the elements lie in memory of the host */
	uint32_t count;
	struct tile_part *parts;
	unsigned char *free; /* from here on the room has place for copies */
};

enum { LINE = 64 };

static uint64_t lines(uint64_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

static uint64_t size_of(const struct ptowsp_tensor_arg *w)
{
	return isa_dtype_bytes(w->dtype);
}

static const struct ptowsp_tensor_arg *window_of(const struct ptowsp_task *task, uint32_t i)
{
	return (const void *)((const unsigned char *)task->tensors + (size_t)i * task->tensor_stride);
}

const struct ptowsp_tile_param *base_pad_tile(const struct base_kernel *kernel, uint32_t i, const struct ptowsp_tensor_arg *w)
{
	const bool told = i < 64 && kernel->parts >> i & 1 && kernel->isa && i < isa_program_header(kernel->isa)->param_count;
	const struct ptowsp_tile_param *tile = told ? &isa_program_params(kernel->isa)[i] : NULL;

	return tile && tile_part_is(w, tile->dtype, tile->rows, tile->columns) ? tile : NULL;
}

static const struct ptowsp_tile_param *tile_of(const struct base_kernel *kernel, uint32_t i, const struct ptowsp_task *task)
{
	return window_of(task, i)->data ? base_pad_tile(kernel, i, window_of(task, i)) : NULL;
}

/* A device that has the elements is asked for them, or told of those that were written. */
static void device_tell(const struct base_pad *pad, const struct tile_part *p, bool written)
{
	for (uint64_t r = 0; r < p->part.rows; r++)
		(written ? rt_mirror_push : rt_mirror_fetch)(pad->mirror, tile_part_row(p, r), p->part.columns * p->size);
}

static ptowsp_status windows_make(struct base_pad *pad, const struct base_kernel *kernel, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < pad->count; i++) {
		struct tile_part *p = &pad->parts[i];
		uint32_t first, other;

		if (!p->copied)
			continue;
		other = tile_part_shared(pad->parts, pad->count, i, &first);
		if (other < pad->count)
			return base_fail(error, PTOWSP_KERNEL_FAILED, "kernel %.60s: " TILE_PARTS_MEET, kernel->name, other < i ? other : i,
					 other < i ? i : other);
		p->window.data = first == i ? pad->free : pad->parts[first].window.data;
		if (first != i)
			continue;
		pad->free += lines(p->window.rows * p->window.columns * p->size);
		device_tell(pad, p, false);
		tile_part_fill(p);
	}
	return PTOWSP_OK;
}

static void parts_find(struct base_pad *pad, const struct base_kernel *kernel, const struct ptowsp_task *task)
{
	for (uint32_t i = 0; i < pad->count; i++) {
		const struct ptowsp_tile_param *tile = tile_of(kernel, i, task);
		struct tile_part *p = &pad->parts[i];

		*p = (struct tile_part){.window = *window_of(task, i), .part = *window_of(task, i)};
		p->size = size_of(&p->part);
		if (tile)
			tile_part_whole(p, tile->rows, tile->columns);
	}
}

/* Bytes of all copies of a task's parts; 0: every window is whole. */
static uint64_t bytes_needed(const struct base_kernel *kernel, const struct ptowsp_task *task)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tile_param *tile = tile_of(kernel, i, task);
		uint64_t more;

		if (tile && (__builtin_mul_overflow((uint64_t)tile->rows * tile->columns, size_of(window_of(task, i)), &more) || more > UINT64_MAX / 2 - LINE ||
			     __builtin_add_overflow(bytes, lines(more), &bytes)))
			return UINT64_MAX; /* more than there is */
	}
	return bytes ? bytes + lines(sizeof(struct base_pad)) + lines(task->tensor_count * sizeof(struct tile_part)) : 0;
}

/* A worker's room keeps its memory, so that the pages of a window are asked for once. */
static bool room_reserve(const struct base_instance *instance, struct base_pad_room *room, uint64_t bytes)
{
	if (bytes <= room->bytes)
		return true;
	base_pad_room_finish(instance, room);
	room->memory = bytes == UINT64_MAX ? NULL : base_alloc(instance, bytes);
	room->bytes = room->memory ? bytes : 0;
	return room->memory;
}

void base_pad_room_finish(const struct base_instance *instance, struct base_pad_room *room)
{
	base_release(instance, room->memory, room->bytes);
	*room = (struct base_pad_room){0};
}

ptowsp_status base_pad_open(struct base_pad **pad_out, const struct base_kernels *kernels, const struct base_kernel *kernel, struct ptowsp_task *task,
			    uint32_t worker, struct ptowsp_error *error)
{
	struct base_pad_room *room = &kernels->rooms[worker];
	const uint64_t bytes = bytes_needed(kernel, task);
	const bool apart = kernels->compute && kernels->compute->apart;
	struct base_pad *pad;
	ptowsp_status status;

	*pad_out = NULL;
	if (!bytes)
		return PTOWSP_OK;
	if (!room_reserve(kernels->instance, room, bytes))
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a part of a tensor as a whole tile");
	pad = (void *)room->memory;
	pad->mirror = apart ? kernels->compute->mirror : NULL;
	pad->count = task->tensor_count;
	pad->parts = (void *)(room->memory + lines(sizeof(*pad)));
	pad->free = (unsigned char *)pad->parts + lines(pad->count * sizeof(*pad->parts));
	parts_find(pad, kernel, task);
	status = windows_make(pad, kernel, error);
	if (status)
		return status;
	task->tensors = &pad->parts->window;
	task->tensor_stride = sizeof(*pad->parts);
	*pad_out = pad;
	return PTOWSP_OK;
}

void base_pad_close(struct base_pad *pad)
{
	for (uint32_t i = 0; pad && i < pad->count; i++) {
		const struct tile_part *p = &pad->parts[i];

		if (!p->copied || !(p->part.access & PTOWSP_WRITE))
			continue;
		tile_part_return(p);
		device_tell(pad, p, true);
	}
}
