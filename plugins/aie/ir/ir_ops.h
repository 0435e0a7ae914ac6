/* SPDX-License-Identifier: MIT */
/* ir_ops.h - operations of MLIR's own dialects: how each is written, and whether one has what it needs. */
#ifndef AIE_IR_OPS_H
#define AIE_IR_OPS_H

#include "aie/ir/ir.h"

enum aie_shape {
	AIE_SHAPE_OTHER, /* none of these dialects */
	AIE_SHAPE_MODULE,
	AIE_SHAPE_FUNCTION,
	AIE_SHAPE_CALL, /* callee; operands and results as the callee has them, which design.h looks at */
	AIE_SHAPE_RETURN,
	AIE_SHAPE_FOR,
	AIE_SHAPE_IF,
	AIE_SHAPE_YIELD, /* the end of a region of scf */
	AIE_SHAPE_LOAD,
	AIE_SHAPE_STORE,
	AIE_SHAPE_ALLOC,
	AIE_SHAPE_DEALLOC,
	AIE_SHAPE_SUBVIEW, /* offsets may be operands, sizes and strides are numbers */
	AIE_SHAPE_VIEW,
	AIE_SHAPE_COPY,
	AIE_SHAPE_CONSTANT,
	AIE_SHAPE_BINARY,
	AIE_SHAPE_UNARY,
	AIE_SHAPE_COMPARE,
	AIE_SHAPE_SELECT,
	AIE_SHAPE_CONVERT,
};
struct aie_op_row {
	const char *name;
	size_t length; /* of the name */
	enum aie_shape shape;
	char from, to, width;
};
/* NULL: it is none of them. */
const struct aie_op_row *aie_op_row(const char *name, size_t length);
/* Words of arith.cmpi (10) and arith.cmpf (16) in the order of their numbers; NULL behind the last. */
const char *aie_op_predicate(const struct aie_op_row *row, uint32_t number);

/* Checks that an operation of these dialects has the operands, results, attributes and regions that it must have, so that its run need not ask; others are left alone.
 * Operations below it were looked at before. Error: INVALID, a sentence without a place. */
ptowsp_status aie_op_verify(const struct aie_op *op, struct ptowsp_error *error);

#endif
