/* SPDX-License-Identifier: MIT */
/* arithmetic.h - the operations of expr_ops.def on signed 64-bit numbers that wrap; the largest common divisor. */
#ifndef RT_ARITHMETIC_H
#define RT_ARITHMETIC_H

#include "ptowsp/workload.h"
#include "rt/rt_inline.h"
#include <stdint.h>

/* How many operands an operation has, 0 for leaves; UINT32_MAX: there is no such operation. */
unsigned rt_operands(unsigned op);
/* The value of one that has operands; those that it has not are passed over. *failed becomes 1 for a division by zero, and the value is 0. */
int64_t rt_operation(uint32_t op, int64_t a, int64_t b, int64_t c, uint32_t *failed);

/* The largest number that divides both; with 0 the other one. */
static inline uint64_t rt_common(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Keeps the sign; by the low six bits of b. Every compiler that builds this shifts negative numbers so, which the standard leaves to it. */
static inline int64_t rt_shift_right(int64_t a, int64_t b)
{
	_Static_assert(-3 >> 1 == -2, "right shifts of negative numbers keep the sign");
	return a >> ((unsigned)b & 63);
}

/* rt_operation of those that cannot fail: all but division and remainder. */
RT_INLINE int64_t rt_sure_operation(uint32_t op, int64_t a, int64_t b, int64_t c)
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
	case PTOWSP_EXPR_SHR: return rt_shift_right(a, b);
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

#endif
