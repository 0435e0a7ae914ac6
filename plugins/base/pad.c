/* SPDX-License-Identifier: MIT */
#include "pad.h"

#include "error.h"
#include "rt/access/mirror.h"
#include <string.h>

/* One argument: its window as the task has it, and the rows and columns that the kernel wants. memory NULL: it is taken as it is, or shares that of an earlier one. */
struct padded {
	struct ptowsp_tensor_arg part;
	unsigned char *memory;
	uint64_t rows, columns, bytes;
};
struct base_pad {
	const struct rt_mirror *mirror; /* NULL: the elements lie in memory of the host */
	uint32_t count;
	struct padded *rows;
	struct ptowsp_tensor_arg *windows;
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

	return tile && w->access && w->dtype == tile->dtype && w->rows <= tile->rows && w->columns <= tile->columns &&
			       (w->rows < tile->rows || w->columns < tile->columns)
		       ? tile
		       : NULL;
}

static const struct ptowsp_tile_param *tile_of(const struct base_kernel *kernel, uint32_t i, const struct ptowsp_task *task)
{
	return window_of(task, i)->data ? base_pad_tile(kernel, i, window_of(task, i)) : NULL;
}

/* Between the part and its place in the copy; windows of parts have columns side by side. */
static void rows_move(const struct base_pad *pad, const struct padded *row, unsigned char *memory, bool back)
{
	const uint64_t size = size_of(&row->part), there = row->part.row_stride * size, here = row->columns * size, bytes = row->part.columns * size;

	for (uint64_t r = 0; r < row->part.rows; r++) {
		unsigned char *at = (unsigned char *)row->part.data + r * there;

		if (!back)
			rt_mirror_fetch(pad->mirror, at, bytes);
		memcpy(back ? at : memory + r * here, back ? memory + r * here : at, bytes);
		if (back)
			rt_mirror_push(pad->mirror, at, bytes);
	}
}

/* Elements of the tile that are no part of the tensor are 0. */
static void rest_clear(const struct padded *row, unsigned char *memory)
{
	const uint64_t size = size_of(&row->part), here = row->columns * size, bytes = row->part.columns * size;

	for (uint64_t r = 0; r < row->part.rows && bytes < here; r++)
		memset(memory + r * here + bytes, 0, here - bytes);
	memset(memory + row->part.rows * here, 0, (row->rows - row->part.rows) * here);
}

/* Do rows of both have common bytes? Those of each lie in rising order. */
static bool windows_meet(const struct ptowsp_tensor_arg *a, const struct ptowsp_tensor_arg *b)
{
	for (uint64_t i = 0, k = 0; i < a->rows && k < b->rows;) {
		const uintptr_t x = (uintptr_t)a->data + i * a->row_stride * size_of(a), y = (uintptr_t)b->data + k * b->row_stride * size_of(b);

		if (x < y + b->columns * size_of(b) && y < x + a->columns * size_of(a))
			return true;
		if (x < y)
			i++;
		else
			k++;
	}
	return false;
}

static bool same_place(const struct padded *a, const struct padded *b)
{
	return a->part.data == b->part.data && a->part.rows == b->part.rows && a->part.columns == b->part.columns && a->rows == b->rows &&
	       a->columns == b->columns && a->part.dtype == b->part.dtype;
}

/* Arguments that are the same part share a copy, as they share the memory of a whole one. Others that meet cannot: one's return would undo the other. */
static ptowsp_status shared(const struct base_pad *pad, const struct base_kernel *kernel, uint32_t i, uint32_t *first_out, struct ptowsp_error *error)
{
	const struct padded *row = &pad->rows[i];

	*first_out = i;
	for (uint32_t k = 0; k < pad->count; k++) {
		const struct padded *other = &pad->rows[k];
		const bool written = other->part.access && (row->part.access | other->part.access) & PTOWSP_WRITE;

		if (k < *first_out && row->bytes == other->bytes && same_place(row, other))
			*first_out = k;
		else if (k != i && written && other->part.data && row->part.tensor == other->part.tensor && !same_place(row, other) &&
			 windows_meet(&row->part, &other->part))
			return base_fail(
				error, PTOWSP_KERNEL_FAILED,
				"kernel %.60s: tensor arguments %u and %u are parts of one tensor that meet, one is written, and of one not all is there; "
				"copy one of them beforehand",
				kernel->name, k < i ? k : i, k < i ? i : k);
	}
	return PTOWSP_OK;
}

static void window_whole(struct base_pad *pad, uint32_t i, unsigned char *memory)
{
	struct ptowsp_tensor_arg *w = &pad->windows[i];

	w->data = memory;
	w->rows = pad->rows[i].rows;
	w->columns = w->row_stride = pad->rows[i].columns;
}

static ptowsp_status windows_make(struct base_pad *pad, const struct base_kernel *kernel, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;
	uint32_t first;

	for (uint32_t i = 0; !status && i < pad->count; i++) {
		struct padded *row = &pad->rows[i];

		if (!row->bytes)
			continue;
		status = shared(pad, kernel, i, &first, error);
		if (status)
			return status;
		if (first == i) {
			row->memory = pad->free;
			pad->free += lines(row->bytes);
			rows_move(pad, row, row->memory, false);
			rest_clear(row, row->memory);
		}
		window_whole(pad, i, pad->rows[first].memory);
	}
	return status;
}

static void rows_find(struct base_pad *pad, const struct base_kernel *kernel, const struct ptowsp_task *task)
{
	for (uint32_t i = 0; i < pad->count; i++) {
		const struct ptowsp_tile_param *tile = tile_of(kernel, i, task);
		struct padded *row = &pad->rows[i];

		*row = (struct padded){.part = *window_of(task, i)};
		pad->windows[i] = row->part;
		if (!tile)
			continue;
		row->rows = tile->rows;
		row->columns = tile->columns;
		row->bytes = row->rows * row->columns * size_of(&row->part);
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
	return bytes ? bytes + lines(sizeof(struct base_pad)) + lines(task->tensor_count * sizeof(struct padded)) +
			       lines(task->tensor_count * sizeof(struct ptowsp_tensor_arg))
		     : 0;
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
	pad->rows = (void *)(room->memory + lines(sizeof(*pad)));
	pad->windows = (void *)((unsigned char *)pad->rows + lines(pad->count * sizeof(*pad->rows)));
	pad->free = (unsigned char *)pad->windows + lines(pad->count * sizeof(*pad->windows));
	rows_find(pad, kernel, task);
	status = windows_make(pad, kernel, error);
	if (status)
		return status;
	task->tensors = pad->windows;
	task->tensor_stride = sizeof(*pad->windows);
	*pad_out = pad;
	return PTOWSP_OK;
}

void base_pad_close(struct base_pad *pad)
{
	if (!pad)
		return;
	for (uint32_t i = 0; i < pad->count; i++)
		if (pad->rows[i].bytes && pad->rows[i].part.access & PTOWSP_WRITE)
			rows_move(pad, &pad->rows[i], pad->windows[i].data, true);
}
