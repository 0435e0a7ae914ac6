/* SPDX-License-Identifier: MIT */
/* lang_expr.h - the EXPR table while it grows: equal nodes are one row, constants are folded. */
#ifndef LANG_EXPR_H
#define LANG_EXPR_H

#include <stdbool.h>

#include "ptowsp/package.h"
#include "ptowsp/workload.h"
#include "registry/common/common_arena.h"

struct lang_exprs {
	struct common_arena *arena;
	struct ptowsp_expr_record *rows; /* operands are earlier rows */
	uint32_t count, capacity;
	uint32_t *slots; /* hash to row + 1, 0: free */
	uint32_t mask;
};

/* All return rows. */
uint32_t lang_expr_const(struct lang_exprs *exprs, uint64_t value);
uint32_t lang_expr_loop(struct lang_exprs *exprs, uint32_t depth);
uint32_t lang_expr_value(struct lang_exprs *exprs, uint32_t slot);
/* a op b, op with two operands. A division by the constant 0 stays: it is an error when it is reached. */
uint32_t lang_expr_binary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b);
uint32_t lang_expr_unary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a);
uint32_t lang_expr_ternary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b, uint32_t c);
/* The bits of an integer as that float type, to nearest even; what is too large for f16 is infinite. Made of the operations that there are: the root is
 * SELECT(value, bits | sign, 0), by which print_float.h knows it again. */
uint32_t lang_expr_float(struct lang_exprs *exprs, uint32_t value, uint16_t dtype);
/* TASK, INSTANCE. */
uint32_t lang_expr_leaf(struct lang_exprs *exprs, enum ptowsp_expr_op op);
/* op on numbers, wrapping; operands that it does not have are ignored. 0: that cannot be folded (division by 0, a leaf). */
bool lang_expr_fold(enum ptowsp_expr_op op, int64_t a, int64_t b, int64_t c, uint64_t *value_out);
/* Any node, operands being rows: folded where it has two operands, shared with an equal one. */
uint32_t lang_expr_node(struct lang_exprs *exprs, struct ptowsp_expr_record row);
/* A row of its own, whatever there is; later nodes do not share it. */
uint32_t lang_expr_append(struct lang_exprs *exprs, struct ptowsp_expr_record row);
/* 1 and the value if the row is a constant. */
bool lang_expr_is_const(const struct lang_exprs *exprs, uint32_t row, int64_t *value_out);

#endif
