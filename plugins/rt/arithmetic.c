/* SPDX-License-Identifier: MIT */
#include "rt/arithmetic.h"

#include <stdbool.h>
#include "ptowsp/workload.h"

unsigned rt_operands(unsigned op)
{
	switch (op) {
#define X(NAME, code, mnemonic, count, effect) \
	case code:                             \
		return count;
#include "ptowsp/expr_ops.def"
#undef X
	}
	return UINT32_MAX;
}

static int64_t divide(int64_t a, int64_t b, bool rest, uint32_t *failed)
{
	if (!b) {
		*failed = 1;
		return 0;
	}
	if (b == -1) /* the least number has no counterpart: wraps */
		return rest ? 0 : (int64_t)(0 - (uint64_t)a);
	return rest ? a % b : a / b;
}

int64_t rt_operation(uint32_t op, int64_t a, int64_t b, int64_t c, uint32_t *failed)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)b;

	switch (op) {
	case PTOWSP_EXPR_ADD: return (int64_t)(x + y);
	case PTOWSP_EXPR_SUB: return (int64_t)(x - y);
	case PTOWSP_EXPR_MUL: return (int64_t)(x * y);
	case PTOWSP_EXPR_DIV: return divide(a, b, false, failed);
	case PTOWSP_EXPR_MOD: return divide(a, b, true, failed);
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
