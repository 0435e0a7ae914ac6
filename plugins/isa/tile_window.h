/* SPDX-License-Identifier: MIT */
/* tile_window.h - where tiles and elements lie in the windows of a task: one text for the interpreter, emitted C, CUDA and Ascend C. A target that is not C on one thread
 * defines before: TILE_OP, how a function is declared; TILE_WINDOW, a window, with the fields of ptowsp_tensor_arg that are used here; TILE_BYTE, a byte of its memory. */
#ifndef ISA_TILE_WINDOW_H
#define ISA_TILE_WINDOW_H

#ifndef TILE_OP
#include "isa/isa_tile.h"
#include <stdbool.h>
#define TILE_OP TILE_INLINE
#endif
#ifndef TILE_WINDOW
#include "ptowsp/task.h"
#define TILE_WINDOW const struct ptowsp_tensor_arg
#define TILE_BYTE   unsigned char
#endif

/* The elements lie one behind the other, and a tile may begin at any of them. */
TILE_OP bool tile_window_is_flat(TILE_WINDOW *w)
{
	return w->rows == 1 && w->column_stride == 1;
}

/* The element of a flat window where a tile of `tile` elements at [r, c] begins: r counts whole tiles. Saturates; a tile has at most 2^28 elements. With c 0 and the rows of
 * a tile, the row where it begins in any other window. */
TILE_OP int64_t tile_flat_start(int64_t r, int64_t c, uint64_t tile)
{
	const int64_t far_away = INT64_MAX / 4;

	if (r > far_away / (int64_t)tile || c > far_away)
		return far_away;
	if (r < -(far_away / (int64_t)tile) || c < -far_away)
		return -far_away;
	return r * (int64_t)tile + c;
}

TILE_OP bool tile_flat_holds(TILE_WINDOW *w, int64_t start, uint64_t count)
{
	return start >= 0 && count <= w->columns && (uint64_t)start <= w->columns - count;
}

TILE_OP bool tile_grid_holds(TILE_WINDOW *w, int64_t row, int64_t column, uint32_t rows, uint32_t columns)
{
	return row >= 0 && column >= 0 && rows <= w->rows && (uint64_t)row <= w->rows - rows && columns <= w->columns &&
	       (uint64_t)column <= w->columns - columns;
}

/* Memory of the element at [row, column]. */
TILE_OP TILE_BYTE *tile_grid_at(TILE_WINDOW *w, uint64_t row, uint64_t column, size_t bytes)
{
	return (TILE_BYTE *)w->data + (row * w->row_stride + column * w->column_stride) * bytes;
}

/* Memory of element number `index`, counted row by row; NULL: there is none. */
TILE_OP TILE_BYTE *tile_window_element(TILE_WINDOW *w, int64_t index, size_t bytes)
{
	const uint64_t row = w->columns ? (uint64_t)index / w->columns : 0;

	if (index < 0 || w->columns == 0 || row >= w->rows)
		return NULL;
	return tile_grid_at(w, row, (uint64_t)index % w->columns, bytes);
}

/* Elements; saturates. */
TILE_OP int64_t tile_window_count(TILE_WINDOW *w)
{
	return w->columns && w->rows > (uint64_t)INT64_MAX / w->columns ? INT64_MAX : (int64_t)(w->rows * w->columns);
}

/* How far from the begin element number `index` of a window lies that has so many, in elements. */
TILE_OP size_t tile_element_at(TILE_WINDOW *w, bool flat, int64_t index)
{
	const uint64_t n = (uint64_t)index;

	return (size_t)(flat ? n : n / w->columns * w->row_stride + n % w->columns * w->column_stride);
}

#endif
