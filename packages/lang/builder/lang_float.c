/* SPDX-License-Identifier: MIT */
/* lang_float.c - integers of a run as floats: the shifts and additions that a conversion is, as nodes of the EXPR table. */
#include "lang/builder/lang_expr.h"
#include "ptowsp/task.h"
#include "registry/common/common_dtype.h"

/* Bits of mantissa, without the leading one, and of exponent. */
struct form {
	unsigned mantissa, exponent;
};

static struct form form_of(uint16_t dtype)
{
	switch (dtype) {
	case PTOWSP_F16: return (struct form){10, 5};
	case PTOWSP_BF16: return (struct form){7, 8};
	case PTOWSP_F64: return (struct form){52, 11};
	default: return (struct form){23, 8};
	}
}

static uint32_t by_number(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, int64_t b)
{
	return lang_expr_binary(exprs, op, a, lang_expr_const(exprs, (uint64_t)b));
}

/* The magnitude of an integer, below 2^63; that of the smallest number is one less, which every format rounds to the same. */
static uint32_t size_of(struct lang_exprs *exprs, uint32_t value, uint32_t negative)
{
	const uint32_t bounded = by_number(exprs, PTOWSP_EXPR_MAX, value, -INT64_MAX);

	return lang_expr_ternary(exprs, PTOWSP_EXPR_SELECT, negative, lang_expr_unary(exprs, PTOWSP_EXPR_NEG, bounded), value);
}

/* Shifts *size_io until bit 62 is its first one; returns the number of the bit that it was. */
static uint32_t first_find(struct lang_exprs *exprs, uint32_t *size_io)
{
	uint32_t first = lang_expr_const(exprs, 62);

	for (unsigned step = 32; step; step /= 2) {
		const uint32_t small = by_number(exprs, PTOWSP_EXPR_LT, *size_io, INT64_C(1) << (63 - step));
		const uint32_t shift = by_number(exprs, PTOWSP_EXPR_MUL, small, step);

		*size_io = lang_expr_binary(exprs, PTOWSP_EXPR_SHL, *size_io, shift);
		first = lang_expr_binary(exprs, PTOWSP_EXPR_SUB, first, shift);
	}
	return first;
}

/* Rounding adds 1 to the mantissa where what is cut off is more than half, or half and the mantissa odd. */
static uint32_t round_up(struct lang_exprs *exprs, uint32_t size, uint32_t kept, unsigned cut)
{
	const uint32_t rest = by_number(exprs, PTOWSP_EXPR_AND, size, (INT64_C(1) << cut) - 1);
	const uint32_t odd = by_number(exprs, PTOWSP_EXPR_AND, kept, 1);
	const uint32_t nearly = by_number(exprs, PTOWSP_EXPR_ADD, rest, (INT64_C(1) << (cut - 1)) - 1);

	return by_number(exprs, PTOWSP_EXPR_SHR, lang_expr_binary(exprs, PTOWSP_EXPR_ADD, nearly, odd), cut);
}

/* The leading one of the mantissa adds to the exponent, and so does a carry of rounding. */
uint32_t lang_expr_float(struct lang_exprs *exprs, uint32_t value, uint16_t dtype)
{
	const struct form form = form_of(dtype);
	const unsigned cut = 62 - form.mantissa;
	const int64_t bias = (INT64_C(1) << (form.exponent - 1)) - 1, infinite = ((INT64_C(1) << form.exponent) - 1) << form.mantissa;
	const uint32_t negative = by_number(exprs, PTOWSP_EXPR_LT, value, 0);
	uint32_t size = size_of(exprs, value, negative);
	const uint32_t first = first_find(exprs, &size), kept = by_number(exprs, PTOWSP_EXPR_SHR, size, cut);
	uint32_t bits = by_number(exprs, PTOWSP_EXPR_SHL, by_number(exprs, PTOWSP_EXPR_ADD, first, bias - 1), form.mantissa);

	bits = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, bits, kept);
	bits = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, bits, round_up(exprs, size, kept, cut));
	bits = by_number(exprs, PTOWSP_EXPR_MIN, bits, infinite);
	bits = lang_expr_binary(exprs, PTOWSP_EXPR_OR, bits, by_number(exprs, PTOWSP_EXPR_SHL, negative, form.mantissa + form.exponent));
	return lang_expr_ternary(exprs, PTOWSP_EXPR_SELECT, value, bits, lang_expr_const(exprs, 0));
}
