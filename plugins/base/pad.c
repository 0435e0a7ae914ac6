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
	const struct base_instance *instance;
	const struct rt_mirror *mirror; /* NULL: the elements lie in memory of the host */
	uint32_t count;
	struct padded *rows;
	struct ptowsp_tensor_arg *windows;
};

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
		if (!status && first == i && !(row->memory = base_alloc(pad->instance, row->bytes)))
			status = base_fail(error, PTOWSP_NO_MEMORY, "no memory for a part of a tensor as a whole tile");
		if (status)
			return status;
		if (first == i)
			rows_move(pad, row, row->memory, false);
		window_whole(pad, i, pad->rows[first].memory);
	}
	return status;
}

static void pad_free(struct base_pad *pad)
{
	for (uint32_t i = 0; pad->rows && i < pad->count; i++)
		base_release(pad->instance, pad->rows[i].memory, pad->rows[i].bytes);
	base_release(pad->instance, pad->rows, pad->count * sizeof(*pad->rows));
	base_release(pad->instance, pad->windows, pad->count * sizeof(*pad->windows));
	base_release(pad->instance, pad, sizeof(*pad));
}

static void rows_find(struct base_pad *pad, const struct base_kernel *kernel, const struct ptowsp_task *task)
{
	for (uint32_t i = 0; i < pad->count; i++) {
		const struct ptowsp_tile_param *tile = tile_of(kernel, i, task);
		struct padded *row = &pad->rows[i];

		row->part = pad->windows[i] = *window_of(task, i);
		if (!tile)
			continue;
		row->rows = tile->rows;
		row->columns = tile->columns;
		if (__builtin_mul_overflow(row->rows * row->columns, size_of(&row->part), &row->bytes))
			row->bytes = UINT64_MAX; /* more than there is */
	}
}

ptowsp_status base_pad_open(struct base_pad **pad_out, const struct base_kernels *kernels, const struct base_kernel *kernel, struct ptowsp_task *task,
			    struct ptowsp_error *error)
{
	const struct base_instance *instance = kernels->instance;
	struct base_pad *pad;
	bool any = false;
	ptowsp_status status;

	*pad_out = NULL;
	for (uint32_t i = 0; i < task->tensor_count; i++)
		any |= tile_of(kernel, i, task) != NULL;
	if (!any)
		return PTOWSP_OK;
	pad = base_alloc(instance, sizeof(*pad));
	if (!pad)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a part of a tensor as a whole tile");
	*pad = (struct base_pad){
		.instance = instance, .mirror = kernels->compute && kernels->compute->apart ? kernels->compute->mirror : NULL, .count = task->tensor_count};
	pad->rows = base_alloc(instance, pad->count * sizeof(*pad->rows));
	pad->windows = base_alloc(instance, pad->count * sizeof(*pad->windows));
	if (pad->rows && pad->windows) {
		rows_find(pad, kernel, task);
		status = windows_make(pad, kernel, error);
	} else {
		status = base_fail(error, PTOWSP_NO_MEMORY, "no memory for a part of a tensor as a whole tile");
	}
	if (status) {
		pad_free(pad);
		return status;
	}
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
	pad_free(pad);
}
