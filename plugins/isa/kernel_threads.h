/* SPDX-License-Identifier: MIT */
/* kernel_threads.h - what emitted kernels stand on that run as one group of threads (CUDA, OpenCL C): windows, checks, bytes. All threads go the same way through a kernel and share the
 * elements of each step; a step ends with a barrier. A target says before it includes this:
 *
 *	TILE_DEVICE   how a function is declared                       TILE_THREAD, TILE_WIDTH  the number of a thread, and how many there are
 *	TILE_SYNC     a barrier                                        TILE_ROW                 how many of them share a row; they are a multiple of it
 *	TILE_MEMORY   the address space of tiles                       TILE_ANY(condition)      whether it holds for one of them
 *	TILE_GLOBAL   that of windows, and of copies of what they have TILE_LITERAL             that of literals
 *	TILE_WINDOW   a window, with the fields of ptowsp_tensor_arg
 *
 * and has struct tile_call; tile_failed(call, place), which keeps where a check failed; tile_window(call, parameter). */
#ifndef ISA_KERNEL_THREADS_H
#define ISA_KERNEL_THREADS_H

#define TILE_OP   TILE_DEVICE
#define TILE_BYTE TILE_GLOBAL unsigned char
#include "isa/tile_window.h"

#define tile_fail(call, place, ...) tile_failed(call, place)
#define TILE_EACH(i, count)         for (size_t i = TILE_THREAD; i < (count); i += TILE_WIDTH)
#define TILE_GRID(i, j, rows, columns)                                                                                                                         \
	for (size_t i = TILE_THREAD / TILE_ROW; i < (rows); i += TILE_WIDTH / TILE_ROW)                                                                        \
		for (size_t j = TILE_THREAD % TILE_ROW; j < (columns); j += TILE_ROW)

TILE_DEVICE ptowsp_status tile_endless(struct tile_call *call, const TILE_LITERAL char *place)
{
	tile_failed(call, place);
	return PTOWSP_RUN_FAILED;
}

/* ---- bytes, by all threads; a barrier behind ---------------------------------------------------------------------- */

TILE_DEVICE void tile_zero(TILE_MEMORY void *to, size_t size)
{
	TILE_EACH(at, size)
	((TILE_MEMORY unsigned char *)to)[at] = 0;
	TILE_SYNC;
}

/* The two may overlap. */
TILE_DEVICE void tile_move(TILE_MEMORY void *to, const TILE_MEMORY void *from, size_t size)
{
	TILE_MEMORY unsigned char *d = (TILE_MEMORY unsigned char *)to;
	const TILE_MEMORY unsigned char *a = (const TILE_MEMORY unsigned char *)from;

	if (d + size <= a || a + size <= d)
		TILE_EACH(at, size)
	d[at] = a[at];
	else if (TILE_THREAD == 0 && d < a) for (size_t at = 0; at < size; at++) d[at] = a[at];
	else if (TILE_THREAD == 0) for (size_t at = size; at-- > 0;) d[at] = a[at];
	TILE_SYNC;
}

/* ---- windows ------------------------------------------------------------------------------------------------------- */

/* As in kernel.h. */
struct tile_place {
	TILE_BYTE *at;
	size_t step, stride;
};

TILE_DEVICE struct tile_place tile_place_make(TILE_GLOBAL void *at, size_t step, size_t stride)
{
	struct tile_place place;

	place.at = (TILE_BYTE *)at;
	place.step = step;
	place.stride = stride;
	return place;
}

TILE_DEVICE struct tile_place tile_find_at(struct tile_call *call, const TILE_LITERAL char *place, uint32_t param, int64_t r, int64_t c, uint32_t rows,
					   uint32_t columns, size_t bytes)
{
	TILE_WINDOW *w = tile_window(call, param);
	const uint64_t count = (uint64_t)rows * columns;
	const bool flat = tile_window_is_flat(w);
	const int64_t start = flat ? tile_flat_start(r, c, count) : tile_flat_start(r, 0, rows);

	if (flat ? !tile_flat_holds(w, start, count) : !tile_grid_holds(w, start, c, rows, columns)) {
		tile_failed(call, place);
		return tile_place_make(NULL, 0, 0);
	}
	if (flat)
		return tile_place_make((TILE_BYTE *)w->data + (size_t)start * bytes, columns * bytes, bytes);
	return tile_place_make(tile_grid_at(w, (uint64_t)start, (uint64_t)c, bytes), (size_t)(w->row_stride * bytes), (size_t)(w->column_stride * bytes));
}
#define tile_find(call, place, does, param, r, c, rows, columns, bytes) tile_find_at(call, place, param, r, c, rows, columns, bytes)

TILE_DEVICE int tile_is_plain(const struct tile_place *p, size_t bytes)
{
	return p->stride == bytes && ((uintptr_t)p->at | p->step) % bytes == 0;
}

/* Between a place and packed elements in tiles (tile_copy) or in copies of windows (tile_keep): elements of one size as such, bytes where they do not lie plainly. */
#define TILE_COPY_IN(size, space)                                                                                                                              \
	if (bytes == size && tile_is_plain(p, bytes))                                                                                                          \
		TILE_GRID(i, j, rows, columns)                                                                                                                 \
	((space isa_bits_##size *)to)[i * columns + j] = ((const TILE_GLOBAL isa_bits_##size *)(p->at + i * p->step))[j];                                      \
	else
#define TILE_COPY_OUT(size, space)                                                                                                                             \
	if (bytes == size && tile_is_plain(p, bytes))                                                                                                          \
		TILE_GRID(i, j, rows, columns)                                                                                                                 \
	((TILE_GLOBAL isa_bits_##size *)(p->at + i * p->step))[j] = ((const space isa_bits_##size *)from)[i * columns + j];                                    \
	else
#define TILE_COPY(name, space)                                                                                                                                 \
	TILE_DEVICE void tile_##name##_in(space void *to, const struct tile_place *p, uint32_t rows, uint32_t columns, size_t bytes)                           \
	{                                                                                                                                                      \
		ISA_SIZES(TILE_COPY_IN, space)                                                                                                                 \
		TILE_GRID(i, j, rows, columns)                                                                                                                 \
		for (size_t k = 0; k < bytes; k++)                                                                                                             \
			((space unsigned char *)to)[(i * columns + j) * bytes + k] = p->at[i * p->step + j * p->stride + k];                                   \
		TILE_SYNC;                                                                                                                                     \
	}                                                                                                                                                      \
	TILE_DEVICE void tile_##name##_out(const struct tile_place *p, const space void *from, uint32_t rows, uint32_t columns, size_t bytes)                  \
	{                                                                                                                                                      \
		ISA_SIZES(TILE_COPY_OUT, space)                                                                                                                \
		TILE_GRID(i, j, rows, columns)                                                                                                                 \
		for (size_t k = 0; k < bytes; k++)                                                                                                             \
			p->at[i * p->step + j * p->stride + k] = ((const space unsigned char *)from)[(i * columns + j) * bytes + k];                           \
		TILE_SYNC;                                                                                                                                     \
	}
TILE_COPY(copy, TILE_MEMORY)
TILE_COPY(keep, TILE_GLOBAL)

TILE_DEVICE void tile_read_begin(struct tile_place *p, TILE_GLOBAL void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	if (tile_is_plain(p, bytes))
		return;
	tile_keep_in(buffer, p, rows, columns, bytes);
	*p = tile_place_make(buffer, columns * bytes, bytes);
}

TILE_DEVICE struct tile_place tile_write_begin(const struct tile_place *p, TILE_GLOBAL void *buffer, uint32_t columns, size_t bytes)
{
	return tile_is_plain(p, bytes) ? *p : tile_place_make(buffer, columns * bytes, bytes);
}

TILE_DEVICE void tile_write_end(const struct tile_place *p, const TILE_GLOBAL void *buffer, uint32_t rows, uint32_t columns, size_t bytes)
{
	if (!tile_is_plain(p, bytes))
		tile_keep_out(p, buffer, rows, columns, bytes);
}

/* As in kernel.h, but more cautious: what may overlap is copied unless it is the same place. */
TILE_DEVICE void tile_part(struct tile_place *from, const struct tile_place *to, TILE_GLOBAL void *buffer, uint32_t rows, uint32_t columns, size_t bytes,
			   uint32_t to_rows, uint32_t to_columns, size_t to_bytes)
{
	const uintptr_t a = (uintptr_t)from->at, a_end = a + (rows - 1) * from->step + columns * bytes;
	const uintptr_t b = (uintptr_t)to->at, b_end = b + (to_rows - 1) * to->step + to_columns * to_bytes;

	if (a >= b_end || b >= a_end || (a == b && from->step == to->step && bytes == to_bytes && (rows == 1 || from->step >= columns * bytes)))
		return;
	tile_keep_in(buffer, from, rows, columns, bytes);
	*from = tile_place_make(buffer, columns * bytes, bytes);
}

TILE_DEVICE TILE_BYTE *tile_element_of(struct tile_call *call, const TILE_LITERAL char *place, uint32_t param, int64_t index, size_t bytes)
{
	TILE_BYTE *at = tile_window_element(tile_window(call, param), index, bytes);

	if (!at)
		tile_failed(call, place);
	return at;
}
#define tile_element(call, place, does, param, index, bytes) tile_element_of(call, place, param, index, bytes)

TILE_DEVICE ptowsp_status tile_offset_check(struct tile_call *call, const TILE_LITERAL char *place, int64_t offset, uint64_t count)
{
	return offset >= 0 && (uint64_t)offset < count ? PTOWSP_OK : tile_failed(call, place);
}
#define tile_offset(call, place, mnemonic, tile, offset, count) tile_offset_check(call, place, offset, count)

#include "isa/tile_threads.h"

#endif
