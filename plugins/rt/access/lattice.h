/* SPDX-License-Identifier: MIT */
/* lattice.h - overlap of elements, quickly: while all accesses to a tensor have one shape and lie on one lattice, any two of them are equal or
 * disjoint, and a table of keys says all that intervals would. The first access that does not fit moves what is known of its tensor to intervals, where
 * it stays. One thread. */
#ifndef RT_LATTICE_H
#define RT_LATTICE_H

#include "registry/common/common_arena.h"
#include "rt/access/cells.h"
#include "rt/access/pieces.h"

/* Elements that an access covers: rows x columns of a tensor with rows, as far as it has them; rows 0: `columns` of them, one after the other. */
struct rt_shape {
	int64_t rows, columns;
};
struct rt_lattice {
	struct rt_shape shape;
	int64_t row, column;              /* of the first access */
	uint64_t row_pitch, column_pitch; /* all others are multiples of it away; 0: there is none */
	bool begun, pieces;
};
struct rt_run;
struct rt_overlap {
	struct rt_run *run; /* its cells, by tensor << RT_PLACE_BITS | first element; its tensors' columns */
	struct rt_pieces *pieces;
	struct rt_lattice *lattices; /* one per tensor; NULL: keys are compared, not elements */
	uint32_t divided;            /* how many are accessed as intervals */
	uint32_t moved;              /* intervals made by moving */
	ptowsp_status stopped;       /* the run has to end: found while a tensor moved to intervals */
};
/* Of the run, which makes the cells. False when out of memory. */
bool rt_overlap_init(struct rt_overlap *map, struct rt_run *run);
void rt_overlap_finish(struct rt_overlap *map);
/* May the tensor be accessed as cells at (row, column) and, if steps are not 0, at all multiples of them from there? False: as intervals. columns
 * and rows of the shape at least 1, rows 0 for elements in line. */
bool rt_overlap_admit(struct rt_overlap *map, struct rt_track *track, uint32_t tensor, const struct rt_shape *shape, int64_t row, int64_t column,
		      uint64_t row_step, uint64_t column_step);
/* May cells hold an admitted access with all others that lie multiples of the units away? Units: powers of two, or 0. */
bool rt_overlap_covers(struct rt_overlap *map, uint32_t tensor, uint64_t row_unit, uint64_t column_unit);
/* The tensor is accessed as intervals from now on. */
void rt_overlap_divide(struct rt_overlap *map, struct rt_track *track, uint32_t tensor);

#endif
