/* SPDX-License-Identifier: MIT */
#include "starpu/spu_blocks.h"

#include "base/error.h"
#include "base/planned.h"
#include "registry/common/common_grow.h"
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MOST = 8192, USES_MOST = 16 };

/* Rows and columns of a tensor, from .. to. */
struct rect {
	uint64_t r0, r1, c0, c1;
};

uint32_t spu_dtype_bytes(uint32_t dtype)
{
	switch (dtype) {
#define X(name, code, bytes, class, text, numpy)                                                                                                               \
	case code:                                                                                                                                             \
		return bytes;
#include "ptowsp/dtype.def"
#undef X
	default: return 0;
	}
}

static ptowsp_status no_memory(struct ptowsp_error *error)
{
	return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the data handles of a run");
}

/* ---- windows as rectangles ----------------------------------------------------------------------------------------------- */

static bool is_empty(const struct ptowsp_tensor_arg *window)
{
	return !window->rows || !window->columns;
}

/* Elements from the first one of the window to behind its last one. */
static uint64_t span_of(const struct ptowsp_tensor_arg *window)
{
	return (window->rows - 1) * window->row_stride + (window->columns - 1) * window->column_stride + 1;
}

static uint64_t first_of(const struct spu_tensor *tensor, const struct ptowsp_tensor_arg *window)
{
	return (uint64_t)((const char *)window->data - tensor->data) / tensor->size;
}

/* False: among tiles the window is no rectangle. */
static bool rect_of(const struct spu_tensor *tensor, const struct ptowsp_tensor_arg *window, struct rect *rect_out)
{
	const uint64_t first = first_of(tensor, window), last = first + span_of(window) - 1, width = tensor->width;

	*rect_out = (struct rect){first / width, last / width + 1, first % width, last % width + 1};
	if (tensor->cut == SPU_CUT_ROWS)
		rect_out->c0 = 0, rect_out->c1 = width;
	if (tensor->cut != SPU_CUT_TILES)
		return true;
	if (window->rows > 1)
		return rect_out->c0 + window->columns <= width;
	return rect_out->r1 - rect_out->r0 == 1 || (rect_out->c0 == 0 && rect_out->c1 == width);
}

/* ---- cuts ---------------------------------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts, drops what is there twice; returns how many blocks lie between. */
static uint32_t cuts_tidy(uint64_t *cuts, uint64_t count)
{
	uint64_t kept = 1;

	qsort(cuts, count, sizeof(*cuts), by_place);
	for (uint64_t i = 1; i < count; i++)
		if (cuts[i] != cuts[kept - 1])
			cuts[kept++] = cuts[i];
	return (uint32_t)(kept - 1);
}

/* The block that begins at a cut. */
static uint32_t block_at(const uint64_t *cuts, uint32_t count, uint64_t place)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (cuts[middle] < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void cuts_free(struct spu_tensor *tensor)
{
	free(tensor->rows);
	free(tensor->columns);
	tensor->rows = tensor->columns = NULL;
}

/* The windows of one tensor. */
struct windows {
	const struct ptowsp_tensor_arg **rows;
	uint32_t count;
};

/* By the edges of all windows. False: some is no rectangle, or it would be too many blocks. */
static bool cuts_try(struct spu_tensor *tensor, const struct windows *windows, bool *exhausted)
{
	uint64_t rows = 0, columns = 0, uses = 0;
	struct rect rect;

	tensor->rows = malloc((2 * (size_t)windows->count + 2) * sizeof(*tensor->rows));
	tensor->columns = malloc((2 * (size_t)windows->count + 2) * sizeof(*tensor->columns));
	*exhausted = !tensor->rows || !tensor->columns;
	if (*exhausted)
		return false;
	for (uint32_t w = 0; w < windows->count; w++) {
		if (!rect_of(tensor, windows->rows[w], &rect))
			return false;
		tensor->rows[rows++] = rect.r0, tensor->rows[rows++] = rect.r1;
		tensor->columns[columns++] = rect.c0, tensor->columns[columns++] = rect.c1;
	}
	tensor->row_count = cuts_tidy(tensor->rows, rows);
	tensor->column_count = cuts_tidy(tensor->columns, columns);
	if ((uint64_t)tensor->row_count * tensor->column_count > BLOCKS_MOST)
		return false;
	if (tensor->cut == SPU_CUT_ROWS && tensor->rows[tensor->row_count] * tensor->width > tensor->elements)
		return false; /* the last row is not whole */
	for (uint32_t w = 0; w < windows->count; w++) {
		rect_of(tensor, windows->rows[w], &rect);
		uses += (uint64_t)(block_at(tensor->rows, tensor->row_count, rect.r1) - block_at(tensor->rows, tensor->row_count, rect.r0)) *
			(block_at(tensor->columns, tensor->column_count, rect.c1) - block_at(tensor->columns, tensor->column_count, rect.c0));
	}
	return uses <= (uint64_t)windows->count * USES_MOST;
}

/* Elements of a row, as windows of several rows see them; 0: they differ. All, where there is none. */
static uint64_t width_of(const struct spu_tensor *tensor, const struct windows *windows)
{
	uint64_t width = 0;

	for (uint32_t w = 0; w < windows->count; w++)
		if (windows->rows[w]->rows > 1) {
			if (windows->rows[w]->column_stride != 1 || (width && windows->rows[w]->row_stride != width))
				return 0;
			width = windows->rows[w]->row_stride;
		}
	return width ? width : tensor->elements;
}

static ptowsp_status tensor_cut(struct spu_tensor *tensor, uint32_t number, const struct windows *windows, struct ptowsp_error *error)
{
	const uint64_t width = width_of(tensor, windows);
	bool exhausted = false, done = false;

	for (unsigned cut = width ? SPU_CUT_TILES : SPU_CUT_STRETCHES; !done && !exhausted && cut < SPU_CUT_WHOLE; cut++) {
		cuts_free(tensor);
		tensor->cut = (enum spu_cut)cut;
		tensor->width = cut < SPU_CUT_STRETCHES ? width : tensor->elements;
		done = cuts_try(tensor, windows, &exhausted);
	}
	if (!done && !exhausted) {
		tensor->cut = SPU_CUT_WHOLE;
		tensor->row_count = tensor->column_count = 1;
		tensor->rows[0] = tensor->columns[0] = 0;
		tensor->rows[1] = 1;
		tensor->columns[1] = tensor->width = tensor->elements;
	}
	if (!exhausted)
		tensor->blocks = calloc((size_t)tensor->row_count * tensor->column_count, sizeof(*tensor->blocks));
	for (uint64_t b = 0; tensor->blocks && b < spu_tensor_blocks(tensor); b++)
		tensor->blocks[b].tensor = number;
	return tensor->blocks ? PTOWSP_OK : no_memory(error);
}

/* ---- making -------------------------------------------------------------------------------------------------------------- */

static ptowsp_status tensors_find(struct spu_blocks *blocks, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	for (uint32_t b = 0; b < args->binding_count; b++)
		if (base_binding_at(args, b)->tensor >= blocks->tensor_count)
			blocks->tensor_count = base_binding_at(args, b)->tensor + 1;
	blocks->tensors = calloc((size_t)blocks->tensor_count + 1, sizeof(*blocks->tensors));
	if (!blocks->tensors)
		return no_memory(error);
	for (uint32_t b = 0; b < args->binding_count; b++) {
		const struct ptowsp_binding *binding = base_binding_at(args, b);

		blocks->tensors[binding->tensor] =
			(struct spu_tensor){.data = binding->data, .elements = binding->elements, .size = spu_dtype_bytes(binding->dtype)};
	}
	return PTOWSP_OK;
}

/* The windows by tensor: those of tensor t lie from starts[t] to starts[t + 1]. NULL: no memory. */
static const struct ptowsp_tensor_arg **windows_sort(const struct base_walk *walk, uint32_t *starts, uint32_t tensors)
{
	const struct ptowsp_tensor_arg **sorted = malloc(((size_t)walk->tensor_count + 1) * sizeof(*sorted));

	for (uint32_t w = 0; w < walk->tensor_count; w++)
		starts[walk->tensors[w].tensor] += !is_empty(&walk->tensors[w]);
	for (uint32_t t = 0; t < tensors; t++)
		starts[t + 1] += starts[t];
	for (uint32_t w = walk->tensor_count; sorted && w-- > 0;)
		if (!is_empty(&walk->tensors[w]))
			sorted[--starts[walk->tensors[w].tensor]] = &walk->tensors[w];
	return sorted;
}

ptowsp_status spu_blocks_make(struct spu_blocks *blocks, const struct base_walk *walk, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	const struct ptowsp_tensor_arg **sorted = NULL;
	uint32_t *starts = NULL;
	ptowsp_status status;

	*blocks = (struct spu_blocks){.tensors = NULL};
	status = tensors_find(blocks, args, error);
	if (!status)
		starts = calloc((size_t)blocks->tensor_count + 1, sizeof(*starts));
	if (starts)
		sorted = windows_sort(walk, starts, blocks->tensor_count);
	if (!status && !sorted)
		status = no_memory(error);
	for (uint32_t t = 0; !status && t < blocks->tensor_count; t++)
		if (starts[t + 1] > starts[t])
			status = tensor_cut(&blocks->tensors[t], t, &(struct windows){sorted + starts[t], starts[t + 1] - starts[t]}, error);
	free(starts);
	free(sorted);
	return status;
}

/* ---- told ---------------------------------------------------------------------------------------------------------------- */

enum { TENSOR, CUT, WIDTH, ROWS, COLUMNS, BLOCKS_HEAD }; /* of a tensor, before its rows and columns */

static uint64_t *tensor_put(const struct spu_tensor *tensor, uint32_t number, uint64_t *at)
{
	const uint64_t head[BLOCKS_HEAD] = {number, tensor->cut, tensor->width, tensor->row_count, tensor->column_count};

	memcpy(at, head, sizeof(head));
	memcpy(at + BLOCKS_HEAD, tensor->rows, (tensor->row_count + (size_t)1) * sizeof(*at));
	at += BLOCKS_HEAD + tensor->row_count + (size_t)1;
	memcpy(at, tensor->columns, (tensor->column_count + (size_t)1) * sizeof(*at));
	return at + tensor->column_count + 1;
}

uint64_t *spu_blocks_put(const struct spu_blocks *blocks, uint32_t *count_out)
{
	size_t count = 0;
	uint64_t *cuts, *at;

	for (uint32_t t = 0; t < blocks->tensor_count; t++)
		if (blocks->tensors[t].blocks)
			count += BLOCKS_HEAD + (size_t)blocks->tensors[t].row_count + blocks->tensors[t].column_count + 2;
	cuts = at = calloc(count + 1, sizeof(*cuts));
	for (uint32_t t = 0; cuts && t < blocks->tensor_count; t++)
		if (blocks->tensors[t].blocks)
			at = tensor_put(&blocks->tensors[t], t, at);
	*count_out = (uint32_t)count;
	return cuts;
}

static bool tensor_take(struct spu_tensor *tensor, const uint64_t *at)
{
	tensor->cut = (enum spu_cut)at[CUT];
	tensor->width = at[WIDTH];
	tensor->row_count = (uint32_t)at[ROWS];
	tensor->column_count = (uint32_t)at[COLUMNS];
	tensor->rows = malloc((tensor->row_count + (size_t)1) * sizeof(*at));
	tensor->columns = malloc((tensor->column_count + (size_t)1) * sizeof(*at));
	tensor->blocks = calloc(spu_tensor_blocks(tensor), sizeof(*tensor->blocks));
	if (!tensor->rows || !tensor->columns || !tensor->blocks)
		return false;
	for (uint64_t b = 0; b < spu_tensor_blocks(tensor); b++)
		tensor->blocks[b].tensor = (uint32_t)at[TENSOR];
	memcpy(tensor->rows, at + BLOCKS_HEAD, (tensor->row_count + (size_t)1) * sizeof(*at));
	memcpy(tensor->columns, at + BLOCKS_HEAD + tensor->row_count + 1, (tensor->column_count + (size_t)1) * sizeof(*at));
	return true;
}

ptowsp_status spu_blocks_take(struct spu_blocks *blocks, const uint64_t *cuts, uint32_t count, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	const uint64_t *end = cuts + count;
	ptowsp_status status;

	*blocks = (struct spu_blocks){.tensors = NULL};
	status = tensors_find(blocks, args, error);
	for (; !status && cuts < end; cuts += BLOCKS_HEAD + cuts[ROWS] + cuts[COLUMNS] + 2)
		if (!tensor_take(&blocks->tensors[cuts[TENSOR]], cuts))
			status = no_memory(error);
	return status;
}

static void block_finish(struct spu_block *block)
{
	if (block->handle)
		starpu_data_unregister(block->handle);
	free(block->copies);
}

void spu_blocks_finish(struct spu_blocks *blocks)
{
	for (uint32_t t = 0; blocks->tensors && t < blocks->tensor_count; t++) {
		struct spu_tensor *tensor = &blocks->tensors[t];

		for (uint64_t b = 0; tensor->blocks && b < spu_tensor_blocks(tensor); b++)
			block_finish(&tensor->blocks[b]);
		free(tensor->blocks);
		cuts_free(tensor);
	}
	free(blocks->tensors);
	*blocks = (struct spu_blocks){.tensors = NULL};
}

/* ---- handles ------------------------------------------------------------------------------------------------------------- */

struct _starpu_data_state *spu_block_handle(struct spu_blocks *blocks, struct spu_block *block)
{
	const struct spu_tensor *tensor = &blocks->tensors[block->tensor];
	const uint64_t at = (uint64_t)(block - tensor->blocks), row = at / tensor->column_count, column = at % tensor->column_count;
	const uint64_t r = tensor->rows[row], c = tensor->columns[column];

	if (!block->handle) {
		starpu_matrix_data_register(&block->handle, STARPU_MAIN_RAM, (uintptr_t)(tensor->data + (r * tensor->width + c) * tensor->size),
					    (uint32_t)tensor->width, (uint32_t)(tensor->columns[column + 1] - c), (uint32_t)(tensor->rows[row + 1] - r),
					    tensor->size);
		blocks->handle_count++;
	}
	return block->handle;
}

uint64_t spu_block_bytes(const struct spu_blocks *blocks, const struct spu_block *block)
{
	const struct spu_tensor *tensor = &blocks->tensors[block->tensor];
	const uint64_t at = (uint64_t)(block - tensor->blocks), row = at / tensor->column_count, column = at % tensor->column_count;

	return (tensor->rows[row + 1] - tensor->rows[row]) * (tensor->columns[column + 1] - tensor->columns[column]) * tensor->size;
}

static bool use_add(struct spu_uses *uses, struct spu_block *block, uint32_t access)
{
	for (uint32_t u = 0; u < uses->count; u++)
		if (uses->rows[u].block == block) {
			uses->rows[u].access |= access;
			return true;
		}
	if (!COMMON_GROW(uses->rows, uses->room, uses->count))
		return false;
	uses->rows[uses->count++] = (struct spu_use){block, access};
	return true;
}

ptowsp_status spu_uses_add(struct spu_uses *uses, struct spu_blocks *blocks, const struct ptowsp_tensor_arg *window, struct ptowsp_error *error)
{
	struct spu_tensor *tensor = &blocks->tensors[window->tensor];
	struct rect rect = {0, 1, 0, 1};

	if (is_empty(window))
		return PTOWSP_OK;
	if (tensor->cut == SPU_CUT_WHOLE)
		return use_add(uses, tensor->blocks, window->access) ? PTOWSP_OK : no_memory(error);
	rect_of(tensor, window, &rect);
	for (uint32_t r = block_at(tensor->rows, tensor->row_count, rect.r0); tensor->rows[r] < rect.r1; r++)
		for (uint32_t c = block_at(tensor->columns, tensor->column_count, rect.c0); tensor->columns[c] < rect.c1; c++)
			if (!use_add(uses, &tensor->blocks[(size_t)r * tensor->column_count + c], window->access))
				return no_memory(error);
	return PTOWSP_OK;
}

ptowsp_status spu_uses_find(struct spu_uses *uses, struct spu_blocks *blocks, const struct base_walk *walk, uint64_t task, struct ptowsp_error *error)
{
	const struct base_walk_task *row = &walk->tasks[task];
	ptowsp_status status = PTOWSP_OK;

	uses->count = 0;
	for (uint32_t t = 0; !status && t < row->tensor_count; t++)
		status = spu_uses_add(uses, blocks, &walk->tensors[row->tensors + t], error);
	return status;
}
