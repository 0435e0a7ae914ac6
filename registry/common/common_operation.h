/* SPDX-License-Identifier: MIT */
/* common_operation.h - the operations of expr_ops.def on signed 64-bit numbers that wrap: the same where a source is folded, a schedule or a plan is looked at, and a task is run. */
#ifndef COMMON_OPERATION_H
#define COMMON_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "ptowsp/workload.h"
#include "registry/common/common_inline.h"

/* How many operands an operation has, 0 for leaves; UINT32_MAX: there is no such operation. */
static inline unsigned common_operands(uint32_t op)
{
	switch (op) {
#define X(NAME, code, word, operands, effect)                                                                                                                  \
	case code:                                                                                                                                             \
		return operands;
#include "ptowsp/expr_ops.def"
#undef X
	}
	return UINT32_MAX;
}

/* Keeps the sign; by the low six bits of b. Every compiler that builds this shifts negative numbers so, which the standard leaves to it. */
static inline int64_t common_shift_right(int64_t a, int64_t b)
{
	_Static_assert(-3 >> 1 == -2, "right shifts of negative numbers keep the sign");
	return a >> ((unsigned)b & 63);
}

/* common_operation of those that cannot fail: all but division and remainder. 0 for what is no operation. */
COMMON_INLINE int64_t common_sure_operation(uint32_t op, int64_t a, int64_t b, int64_t c)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case PTOWSP_EXPR_ADD: return (int64_t)(x + y);
	case PTOWSP_EXPR_SUB: return (int64_t)(x - y);
	case PTOWSP_EXPR_MUL: return (int64_t)(x * y);
	case PTOWSP_EXPR_MIN: return a < b ? a : b;
	case PTOWSP_EXPR_MAX: return a > b ? a : b;
	case PTOWSP_EXPR_AND: return (int64_t)(x & y);
	case PTOWSP_EXPR_OR: return (int64_t)(x | y);
	case PTOWSP_EXPR_XOR: return (int64_t)(x ^ y);
	case PTOWSP_EXPR_SHL: return (int64_t)(x << (y & 63));
	case PTOWSP_EXPR_SHR: return common_shift_right(a, b);
	case PTOWSP_EXPR_EQ: return a == b;
	case PTOWSP_EXPR_NE: return a != b;
	case PTOWSP_EXPR_LT: return a < b;
	case PTOWSP_EXPR_LE: return a <= b;
	case PTOWSP_EXPR_GT: return a > b;
	case PTOWSP_EXPR_GE: return a >= b;
	case PTOWSP_EXPR_LAND: return a && b;
	case PTOWSP_EXPR_LOR: return a || b;
	case PTOWSP_EXPR_NEG: return (int64_t)(0 - x);
	case PTOWSP_EXPR_NOT: return (int64_t)~x;
	case PTOWSP_EXPR_LNOT: return !a;
	case PTOWSP_EXPR_SELECT: return a ? b : c;
	}
	return 0;
}

/* Quotient, or rest, toward zero. *failed becomes 1 for a division by zero, and the value is 0. */
static inline int64_t common_divide(int64_t a, int64_t b, bool rest, uint32_t *failed)
{
	if (!b) {
		*failed = 1;
		return 0;
	}
	if (b == -1) /* the least number has no counterpart: wraps */
		return rest ? 0 : (int64_t)(0 - (uint64_t)a);
	return rest ? a % b : a / b;
}

/* The value of an operation that has operands; those that it has not are passed over. *failed: as of common_divide. */
static inline int64_t common_operation(uint32_t op, int64_t a, int64_t b, int64_t c, uint32_t *failed)
{
	if (op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD)
		return common_divide(a, b, op == PTOWSP_EXPR_MOD, failed);
	return common_sure_operation(op, a, b, c);
}

#endif
