/* SPDX-License-Identifier: MIT
 * tile_reference.h - the tile operations once more, as slowly and plainly as possible: one element at a time, in double or in
 * 64-bit integers, rounded or wrapped after every operation. Shares nothing with plugins/isa but the opcode numbers. */
#ifndef PTOWSP_TESTS_TILE_REFERENCE_H
#define PTOWSP_TESTS_TILE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ptowsp/tile.h"

enum { MAT_ELEMENTS = 4096 };

/* Element (i, j) is v[i * columns + j]: an f32 or an i32, both of which double holds exactly. */
struct mat {
	uint32_t rows, columns;
	unsigned dtype; /* PTOWSP_F32 or PTOWSP_I32 */
	double v[MAT_ELEMENTS];
};

/* d (and e) from the sources; d comes in with its old elements. scalar: scalars in operand order. */
void reference_op(unsigned op, unsigned mode, struct mat *d, struct mat *e, const struct mat *const *src,
		  const double *scalar);

#endif
