/* SPDX-License-Identifier: MIT */
/* opcode.h - what the columns of pto_ops.def mean: shape rules, cost rules. */
#ifndef ISA_OPCODE_H
#define ISA_OPCODE_H

#include "isa/isa.h"

#include <stdbool.h>

/* Rules of shape.c, by the name that pto_ops.def uses. */
#define ISA_SHAPES(X)                                                                                                                                          \
	X(LOAD)                                                                                                                                                \
	X(STORE)                                                                                                                                               \
	X(ELEMENT)                                                                                                                                             \
	X(SAME)                                                                                                                                                \
	X(SAME_MASK)                                                                                                                                           \
	X(SAME_ANY)                                                                                                                                            \
	X(SELECT)                                                                                                                                              \
	X(MATMUL)                                                                                                                                              \
	X(MATMUL_ACC)                                                                                                                                          \
	X(MATMUL_BIAS)                                                                                                                                         \
	X(MATMUL_MX)                                                                                                                                           \
	X(ROW_REDUCE)                                                                                                                                          \
	X(COL_REDUCE)                                                                                                                                          \
	X(FILL)                                                                                                                                                \
	X(ROW_EXPAND)                                                                                                                                          \
	X(COL_EXPAND)                                                                                                                                          \
	X(ROW_COMBINE)                                                                                                                                         \
	X(TRANSPOSE)                                                                                                                                           \
	X(RESHAPE)                                                                                                                                             \
	X(EXTRACT)                                                                                                                                             \
	X(GATHER)                                                                                                                                              \
	X(SCATTER)                                                                                                                                             \
	X(SORT)                                                                                                                                                \
	X(MERGE)                                                                                                                                               \
	X(ANY)                                                                                                                                                 \
	X(SCALAR)                                                                                                                                              \
	X(SCALAR_MASK)                                                                                                                                         \
	X(CONTROL)
enum isa_shape {
#define X(name) ISA_SHAPE_##name,
	ISA_SHAPES(X)
#undef X
		ISA_SHAPE_COUNT
};
/* Cycles of one execution, see pto_ops.def. */
enum isa_cost { ISA_COST_ZERO, ISA_COST_DST, ISA_COST_SRC, ISA_COST_MATMUL, ISA_COST_SORT };

/* Opcodes of the control group: FOR ... RETURN. */
static inline bool isa_op_is_control(unsigned opcode)
{
	return opcode >= PTOWSP_PTO_FOR;
}
/* The instruction names another one. */
static inline bool isa_op_has_target(unsigned opcode)
{
	switch (opcode) {
	case PTOWSP_PTO_FOR:
	case PTOWSP_PTO_ENDFOR:
	case PTOWSP_PTO_DO:
	case PTOWSP_PTO_ENDWHILE:
	case PTOWSP_PTO_IF:
	case PTOWSP_PTO_ELSE:
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE: return true;
	default: return false;
	}
}

/* Positions of the two multiplied tiles among the source tiles: MATMUL 0, 1; MATMUL_ACC 1, 2; MATMUL_MX 0, 2. */
void isa_shape_factors(unsigned shape, unsigned *left_out, unsigned *right_out);

/* Cycles of one execution on declared shapes. The caller bounds rows * columns of every tile by 2^30. */
uint64_t isa_op_cycles(const struct isa_op *op, const struct ptowsp_tile_tile *const *dst, const struct ptowsp_tile_tile *const *src);

#endif
