/* SPDX-License-Identifier: MIT
 * tile_reference.h - the tile operations once more, as slowly and plainly as possible: one element at a time, in double or in
 * integers of 128 bits, rounded or wrapped after every operation. Shares nothing with plugins/isa but the opcode numbers. */
#ifndef PTOWSP_TESTS_TILE_REFERENCE_H
#define PTOWSP_TESTS_TILE_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "ptowsp/tile.h"

enum { MAT_ELEMENTS = 4096 };

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

/* One element: of a float type its value (which a double holds), of an integer type and u1 its value. */
struct cell {
	double f;
	wide n;
};
/* Element (i, j) is v[i * columns + j]. */
struct mat {
	uint32_t rows, columns;
	unsigned dtype;
	struct cell v[MAT_ELEMENTS];
};

bool cell_is_float(unsigned dtype);
unsigned cell_bytes(unsigned dtype);
/* A value as the type has it: rounded to nearest even, wrapped. */
double cell_round(unsigned dtype, double value);
wide cell_wrap(unsigned dtype, wide value);
/* What a value becomes by tcvt. */
struct cell cell_convert(unsigned to, unsigned from, unsigned mode, struct cell value);
/* Memory of one element, and back. */
void cell_pack(unsigned dtype, struct cell value, void *memory);
struct cell cell_unpack(unsigned dtype, const void *memory);

/* d (and e) from the sources; d comes in with its old elements. scalar: scalars in operand order. Functions of the C library
 * are not rounded: exp, ln, tanh, erfc of the result are the double ones. */
void reference_op(unsigned op, unsigned mode, struct mat *d, struct mat *e, const struct mat *const *src, const struct cell *scalar);

#endif
