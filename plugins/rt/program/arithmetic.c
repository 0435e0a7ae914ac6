/* SPDX-License-Identifier: MIT */
#include "rt/program/arithmetic.h"

#include <stdbool.h>

unsigned rt_operands(unsigned op)
{
	switch (op) {
#define X(NAME, code, mnemonic, count, effect)                                                                                                                 \
	case code:                                                                                                                                             \
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
	if (op == PTOWSP_EXPR_DIV || op == PTOWSP_EXPR_MOD)
		return divide(a, b, op == PTOWSP_EXPR_MOD, failed);
	return rt_sure_operation(op, a, b, c);
}
