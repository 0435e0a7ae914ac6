/* SPDX-License-Identifier: MIT */
#include "print/print_float.h"

#include <stdbool.h>

#include "ptowsp/task.h"
#include "ptowsp/workload.h"

unsigned print_float_mantissa(unsigned dtype)
{
	return dtype == PTOWSP_F16 ? 10 : dtype == PTOWSP_BF16 ? 7 : dtype == PTOWSP_F64 ? 52 : 23;
}

unsigned print_float_exponent(unsigned dtype)
{
	return dtype == PTOWSP_F16 ? 5 : dtype == PTOWSP_F64 ? 11 : 8;
}

static bool is_number(const struct pkg_tables *t, uint32_t row, uint64_t value)
{
	return t->expr[row].op == PTOWSP_EXPR_CONST && ((uint64_t)t->expr[row].c << 32 | t->expr[row].b) == value;
}

/* SELECT(x, bits | (x < 0) << place of the sign, 0) */
uint32_t print_float_of(const struct pkg_tables *tables, uint32_t row, unsigned dtype)
{
	const struct ptowsp_expr_record *root = &tables->expr[row], *whole, *sign, *negative;

	if (dtype > PTOWSP_F64 || root->op != PTOWSP_EXPR_SELECT || !is_number(tables, root->c, 0))
		return PTOWSP_NONE;
	whole = &tables->expr[root->b];
	sign = &tables->expr[whole->b];
	if (whole->op != PTOWSP_EXPR_OR || tables->expr[whole->a].op != PTOWSP_EXPR_MIN || sign->op != PTOWSP_EXPR_SHL ||
	    !is_number(tables, sign->b, print_float_mantissa(dtype) + print_float_exponent(dtype)))
		return PTOWSP_NONE;
	negative = &tables->expr[sign->a];
	return negative->op == PTOWSP_EXPR_LT && negative->a == root->a && is_number(tables, negative->b, 0) ? root->a : PTOWSP_NONE;
}
