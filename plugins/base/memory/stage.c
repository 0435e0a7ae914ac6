/* SPDX-License-Identifier: MIT */
#include "base/memory/stage.h"

#include "base/error.h"
#include <string.h>

#define UNCOUNTED (UINT64_MAX - 1)

/* ---- copying --------------------------------------------------------------------------------------------------- */

uint64_t base_dtype_size(unsigned dtype)
{
	switch (dtype) {
#define X(name, code, bytes, cls, text, descr)                                                                                                                 \
	case code:                                                                                                                                             \
		return bytes;
#include "ptowsp/dtype.def"
#undef X
	}
	return 1;
}

/* The position of an element: place of the grid, element of the shard there, and how many behind it lie in a row. */
static uint64_t element_find(const struct base_shards *shards, const struct base_sharded *row, uint64_t element, uint64_t *place_out, uint64_t *at_out)
{
	uint64_t at[2] = {0}, offset = 0, stride = 1, length = 1;

	for (uint32_t k = row->rank; k-- > 0; element /= row->extents[k]) {
		uint64_t index = element % row->extents[k], inside = index % row->block[k];

		if (k + 1 == row->rank) {
			uint64_t end = index - inside + row->block[k];

			length = (end < row->extents[k] ? end : row->extents[k]) - index;
		}
		if (row->axis[k] != BASE_WHOLE)
			at[row->axis[k]] = index / row->block[k];
		offset += inside * stride;
		stride *= row->block[k];
	}
	*place_out = at[0] * shards->grid[1] + at[1];
	*at_out = offset;
	return length;
}

void base_shard_copy(struct base_shards *shards, struct base_sharded *row, uint64_t first, uint64_t count, unsigned char *at, enum base_way way, uint64_t place)
{
	uint64_t local = 0, moved = 0;

	while (count) {
		uint64_t owner, offset, length = element_find(shards, row, first, &owner, &offset);
		unsigned char *there = row->shards[owner].memory + offset * row->size;

		length = length < count ? length : count;
		memcpy(way == BASE_TO_SHARDS ? there : at, way == BASE_TO_SHARDS ? at : there, length * row->size);
		*(owner == place ? &local : &moved) += length * row->size;
		at += length * row->size;
		first += length;
		count -= length;
	}
	if (place == UINT64_MAX) {
		row->placed += moved;
	} else if (place != UNCOUNTED) {
		atomic_fetch_add_explicit(&row->local, local, memory_order_relaxed);
		atomic_fetch_add_explicit(&row->moved, moved, memory_order_relaxed);
	}
}

/* ---- a task ---------------------------------------------------------------------------------------------------- */

/* Elements of a tensor that the task touches through one argument. */
struct piece {
	struct base_sharded *row;
	uint64_t first, count;
	unsigned access;
};
/* The copy of the part of a tensor that the task sees: elements low .. high - 1. */
struct copy {
	struct base_sharded *row;
	unsigned char *memory;
	uint64_t low, high;
};
struct base_stage {
	struct base_shards *shards;
	uint64_t place;
	struct ptowsp_tensor_arg *windows;
	struct copy *copies;
	struct piece *pieces;
	uint32_t window_count, copy_count, piece_count, piece_room;
	const struct ptowsp_task *task;
	bool out_of_memory;
};

static struct base_sharded *sharded(struct base_shards *shards, uint32_t tensor)
{
	for (uint32_t r = 0; r < shards->count; r++)
		if (shards->rows[r].tensor == tensor && shards->rows[r].data)
			return &shards->rows[r];
	return NULL;
}

static void piece_add(struct base_stage *stage, struct base_sharded *row, uint64_t first, uint64_t count, unsigned access)
{
	if (stage->piece_count == stage->piece_room) {
		uint32_t room = stage->piece_room ? stage->piece_room * 2 : 16;
		struct piece *more = base_alloc(stage->shards->instance, room * sizeof(*more));

		if (!more) {
			stage->out_of_memory = true;
			return;
		}
		if (stage->piece_count)
			memcpy(more, stage->pieces, stage->piece_count * sizeof(*more));
		base_release(stage->shards->instance, stage->pieces, stage->piece_room * sizeof(*more));
		stage->pieces = more;
		stage->piece_room = room;
	}
	stage->pieces[stage->piece_count++] = (struct piece){row, first, count, access};
}

static uint64_t start_of(const struct base_sharded *row, const struct ptowsp_tensor_arg *window)
{
	return (uint64_t)((const unsigned char *)window->data - row->data) / row->size;
}

/* Notes the part of a flat window that the kernel says it touches; the core has checked that it lies inside the tensor. */
static void touch(void *context, uint32_t argument, int64_t offset, uint64_t length, uint64_t width, unsigned access)
{
	struct base_stage *stage = context;
	const struct ptowsp_tensor_arg *window;
	struct base_sharded *row;
	uint64_t first;

	(void)width;
	if (argument >= stage->window_count)
		return;
	window = &stage->windows[argument];
	row = sharded(stage->shards, window->tensor);
	if (!row || window->rows != 1)
		return;
	if (offset >= 0 && (uint64_t)offset < window->columns && length > window->columns - (uint64_t)offset) /* of one row of a part */
		length = window->columns - (uint64_t)offset;
	first = start_of(row, window) + (uint64_t)offset;
	if (first < row->elements && length)
		piece_add(stage, row, first, length < row->elements - first ? length : row->elements - first, access);
}

static void window_pieces(struct base_stage *stage, const struct ptowsp_tensor_arg *window)
{
	struct base_sharded *row = sharded(stage->shards, window->tensor);

	for (uint64_t r = 0; row && r < window->rows; r++)
		piece_add(stage, row, start_of(row, window) + r * window->row_stride, window->columns, window->access);
}

static bool any_sharded(struct base_shards *shards, const struct ptowsp_task *task)
{
	for (uint32_t i = 0; i < task->tensor_count; i++)
		if (task->tensors[i].data && sharded(shards, task->tensors[i].tensor))
			return true;
	return false;
}

static void pieces_find(struct base_stage *stage, const struct rt_kernels *kernels, const struct ptowsp_task *task)
{
	bool told = kernels->footprint && !kernels->footprint(kernels->context, task->kernel, task->args, touch, stage);

	if (!told)
		stage->piece_count = 0;
	for (uint32_t i = 0; i < stage->window_count; i++)
		if (stage->windows[i].data && (!told || stage->windows[i].rows != 1))
			window_pieces(stage, &stage->windows[i]);
}

static struct copy *copy_of(struct base_stage *stage, const struct base_sharded *row)
{
	for (uint32_t c = 0; c < stage->copy_count; c++)
		if (stage->copies[c].row == row)
			return &stage->copies[c];
	return NULL;
}

static void copies_measure(struct base_stage *stage)
{
	for (uint32_t p = 0; p < stage->piece_count; p++) {
		const struct piece *piece = &stage->pieces[p];
		struct copy *copy = copy_of(stage, piece->row);

		if (!copy) {
			copy = &stage->copies[stage->copy_count++];
			*copy = (struct copy){piece->row, NULL, piece->first, piece->first};
		}
		copy->low = piece->first < copy->low ? piece->first : copy->low;
		copy->high = piece->first + piece->count > copy->high ? piece->first + piece->count : copy->high;
	}
}

/* Reads count; elements that a task only writes do not, but are fetched, so that those between them stay as they are. */
static bool copies_fill(struct base_stage *stage)
{
	for (uint32_t c = 0; c < stage->copy_count; c++) {
		struct copy *copy = &stage->copies[c];

		copy->memory = base_alloc(stage->shards->instance, (copy->high - copy->low) * copy->row->size);
		if (!copy->memory)
			return false;
	}
	for (uint32_t p = 0; p < stage->piece_count; p++) {
		const struct piece *piece = &stage->pieces[p];
		struct copy *copy = copy_of(stage, piece->row);

		base_shard_copy(stage->shards, piece->row, piece->first, piece->count, copy->memory + (piece->first - copy->low) * copy->row->size,
				BASE_FROM_SHARDS, piece->access & PTOWSP_READ ? stage->place : UNCOUNTED);
	}
	for (uint32_t i = 0; i < stage->window_count; i++) {
		struct ptowsp_tensor_arg *window = &stage->windows[i];
		struct base_sharded *row = window->data ? sharded(stage->shards, window->tensor) : NULL;
		struct copy *copy = row ? copy_of(stage, row) : NULL;

		if (copy) /* a window may begin in front of what is touched */
			window->data = (void *)((uintptr_t)copy->memory + (start_of(row, window) - copy->low) * row->size);
	}
	return true;
}

static void stage_free(struct base_stage *stage)
{
	const struct base_instance *instance = stage->shards->instance;

	for (uint32_t c = 0; c < stage->copy_count; c++)
		base_release(instance, stage->copies[c].memory, (stage->copies[c].high - stage->copies[c].low) * stage->copies[c].row->size);
	base_release(instance, stage->copies, stage->window_count * sizeof(*stage->copies));
	base_release(instance, stage->windows, stage->window_count * sizeof(*stage->windows));
	base_release(instance, stage->pieces, stage->piece_room * sizeof(*stage->pieces));
	base_release(instance, stage, sizeof(*stage));
}

ptowsp_status base_stage_open(struct base_stage **stage_out, struct base_shards *shards, const struct rt_kernels *kernels, struct ptowsp_task *task,
			      struct ptowsp_error *error)
{
	struct base_stage *stage;

	*stage_out = NULL;
	if (!shards->count || !any_sharded(shards, task))
		return PTOWSP_OK;
	stage = base_alloc(shards->instance, sizeof(*stage));
	if (!stage)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a task's part of shards");
	*stage = (struct base_stage){.shards = shards, .place = task->executor, .window_count = task->tensor_count, .task = task};
	stage->windows = base_alloc(shards->instance, task->tensor_count * sizeof(*stage->windows));
	stage->copies = base_alloc(shards->instance, task->tensor_count * sizeof(*stage->copies));
	if (stage->windows && stage->copies) {
		memcpy(stage->windows, task->tensors, task->tensor_count * sizeof(*stage->windows));
		pieces_find(stage, kernels, task);
		copies_measure(stage);
	}
	if (!stage->windows || !stage->copies || stage->out_of_memory || !copies_fill(stage)) {
		stage_free(stage);
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a task's part of shards");
	}
	task->tensors = stage->windows;
	task->tensor_stride = sizeof(*stage->windows);
	*stage_out = stage;
	return PTOWSP_OK;
}

void base_stage_close(struct base_stage *stage)
{
	if (!stage)
		return;
	for (uint32_t p = 0; p < stage->piece_count; p++) {
		const struct piece *piece = &stage->pieces[p];
		const struct copy *copy = copy_of(stage, piece->row);

		if (piece->access & PTOWSP_WRITE)
			base_shard_copy(stage->shards, piece->row, piece->first, piece->count, copy->memory + (piece->first - copy->low) * copy->row->size,
					BASE_TO_SHARDS, stage->place);
	}
	stage_free(stage);
}
