/* SPDX-License-Identifier: MIT
 * tile_text.h - tile programs of tests as text: statements on lines, or between semicolons.
 *
 *	tile x y 8x8 f32         tiles; f32 where no type is named
 *	local i i64 3            a scalar, and what it starts as: 0 where nothing is said
 *	arg n i32                the task's next argument
 *	tload x in 0 0           an operation: its mnemonic, then its operands in the order of pto_ops.def
 *	CMP c i 5 lt             and its mode
 *	for i 0 n 1 ... end      while ... do c ... end      if c ... else ... end
 *
 * An operand is a name, the later one of two, a whole number, an i64 constant, or a number with a point, an f32 constant. Each operation gets
 * its number + 1 as source line, as by tile_op. */
#ifndef PTOWSP_TESTS_TILE_TEXT_H
#define PTOWSP_TESTS_TILE_TEXT_H

#include "tests/isa/tile_builder.h"

/* Adds to the program. A text that is not of that form ends the program of the tests. */
void tile_text(struct tile_builder *b, const char *text);
/* The tile or scalar of that name. */
unsigned tile_named(const struct tile_builder *b, const char *name);
unsigned tile_scalar_named(const struct tile_builder *b, const char *name);

#endif
