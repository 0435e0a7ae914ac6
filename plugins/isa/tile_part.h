/* SPDX-License-Identifier: MIT */
/* tile_part.h - windows of which only a part is there, as whole ones: a kernel works on whole tiles, in a copy with zeros where its tensor has nothing. Its writes there stay there. One text for
 * compiled kernels, which do it themselves where nobody did before (tile_run_parts), and for what calls kernels of other kinds (base/pad.h). A target that is not C on one thread defines
 * before: what tile_window.h wants; TILE_PART_WINDOW, a window that may be changed; TILE_PART_ROWS; where memory has an address space, TILE_PART_COPY and TILE_PART_ZERO. */
#ifndef ISA_TILE_PART_H
#define ISA_TILE_PART_H

#include "isa/tile_window.h"

#ifndef TILE_PART_WINDOW
#define TILE_PART_WINDOW struct ptowsp_tensor_arg
#endif
#ifndef TILE_PART_COPY
#define TILE_PART_COPY(to, from, bytes) memcpy(to, from, bytes)
#define TILE_PART_ZERO(to, bytes)       memset(to, 0, bytes)
#endif

/* One tensor argument. */
struct tile_part {
	TILE_PART_WINDOW window; /* that the kernel gets */
	TILE_PART_WINDOW part;   /* that the task has */
	uint64_t size;           /* bytes of an element */
	bool copied;             /* false: it goes as it is */
};

/* Is the window a part of one of rows x columns? One that is only bound is not touched. */
TILE_INLINE bool tile_part_is(const TILE_PART_WINDOW *w, unsigned dtype, uint64_t rows, uint64_t columns)
{
	return w->access && w->dtype == dtype && w->rows <= rows && w->columns <= columns && (w->rows < rows || w->columns < columns);
}

/* The kernel's window is one of rows x columns elements, which are not there yet. */
TILE_INLINE void tile_part_whole(struct tile_part *p, uint64_t rows, uint64_t columns)
{
	p->window.rows = rows;
	p->window.columns = p->window.row_stride = columns;
	p->copied = true;
}

TILE_INLINE TILE_BYTE *tile_part_row(const struct tile_part *p, uint64_t row)
{
	return (TILE_BYTE *)p->part.data + row * p->part.row_stride * p->size;
}

/* Do rows of both have common bytes? Those of each lie in rising order. */
static inline bool tile_parts_meet(const struct tile_part *a, const struct tile_part *b)
{
	for (uint64_t i = 0, k = 0; i < a->part.rows && k < b->part.rows;) {
		const uintptr_t x = (uintptr_t)tile_part_row(a, i), y = (uintptr_t)tile_part_row(b, k);

		if (x < y + b->part.columns * b->size && y < x + a->part.columns * a->size)
			return true;
		if (x < y)
			i++;
		else
			k++;
	}
	return false;
}

TILE_INLINE bool tile_parts_same(const struct tile_part *a, const struct tile_part *b)
{
	return a->part.data == b->part.data && a->part.rows == b->part.rows && a->part.columns == b->part.columns && a->window.rows == b->window.rows &&
	       a->window.columns == b->window.columns && a->part.dtype == b->part.dtype;
}

/* Arguments that are the same part share a copy, as they share the memory of a whole one: *first_out is the first of them. Others that meet cannot: one's return would undo the other.
 * Returns such a one, or count. */
static inline uint32_t tile_part_shared(const struct tile_part *parts, uint32_t count, uint32_t i, uint32_t *first_out)
{
	const struct tile_part *row = &parts[i];

	*first_out = i;
	for (uint32_t k = 0; k < count; k++) {
		const struct tile_part *other = &parts[k];
		const bool written = other->part.access && (row->part.access | other->part.access) & PTOWSP_WRITE;

		if (k < *first_out && other->copied && tile_parts_same(row, other))
			*first_out = k;
		else if (k != i && written && other->part.data && row->part.tensor == other->part.tensor && !tile_parts_same(row, other) &&
			 tile_parts_meet(row, other))
			return k;
	}
	return count;
}

/* Rows of a window, shared by the threads of a call where there are several. */
#ifndef TILE_PART_ROWS
#define TILE_PART_ROWS(r, count) for (uint64_t r = 0; r < (count); r++)
#endif

/* Elements of the part go to their places in the kernel's window, and 0 to the others. Windows of parts have columns side by side. */
static inline void tile_part_fill(const struct tile_part *p)
{
	const uint64_t here = p->window.columns * p->size;

	TILE_PART_ROWS(r, p->window.rows)
	{
		const uint64_t bytes = r < p->part.rows ? p->part.columns * p->size : 0;
		TILE_BYTE *to = (TILE_BYTE *)p->window.data + r * here;

		if (bytes)
			TILE_PART_COPY(to, tile_part_row(p, r), bytes);
		TILE_PART_ZERO(to + bytes, here - bytes);
	}
}

/* They go back. */
static inline void tile_part_return(const struct tile_part *p)
{
	TILE_PART_ROWS(r, p->part.rows)
	TILE_PART_COPY(tile_part_row(p, r), (TILE_BYTE *)p->window.data + r * p->window.columns * p->size, p->part.columns * p->size);
}

#define TILE_PARTS_MEET "tensor arguments %u and %u are parts of one tensor that meet, one is written, and of one not all is there; copy one of them beforehand"

#endif
