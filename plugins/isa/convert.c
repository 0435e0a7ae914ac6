/* SPDX-License-Identifier: MIT */
/* convert.c - rounding to a float format, and scalars from type to type. */
#include "isa/convert.h"
#include "isa/state.h"

#include <math.h>

/* A binary format: significant bits, exponents of the smallest bit and of the largest power of two. */
struct format {
	int precision, least, most;
};
static struct format format_of(unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_F16:
		return (struct format){11, -24, 15};
	case PTOWSP_BF16:
		return (struct format){8, -133, 127};
	case PTOWSP_F64:
		return (struct format){53, -1074, 1023};
	default:
		return (struct format){24, -149, 127};
	}
}

static uint64_t infinity(const struct format *f)
{
	return (uint64_t)(2 * f->most + 1) << (f->precision - 1);
}

/* Beyond the largest finite value: that one where the mode does not point further out. */
static uint64_t overflow(const struct format *f, bool negative, unsigned mode)
{
	switch (mode) {
	case PTOWSP_ROUND_FLOOR:
		return infinity(f) - !negative;
	case PTOWSP_ROUND_CEIL:
		return infinity(f) - negative;
	case PTOWSP_ROUND_TRUNC:
	case PTOWSP_ROUND_ODD:
		return infinity(f) - 1;
	default:
		return infinity(f);
	}
}

/* kept has lost a rest: -1 below, 0 at, 1 above half of its last bit. */
static uint64_t kept_round(uint64_t kept, int rest, bool negative, unsigned mode)
{
	switch (mode) {
	case PTOWSP_ROUND_AWAY:
		return kept + (rest >= 0);
	case PTOWSP_ROUND_FLOOR:
		return kept + negative;
	case PTOWSP_ROUND_CEIL:
		return kept + !negative;
	case PTOWSP_ROUND_TRUNC:
		return kept;
	case PTOWSP_ROUND_ODD:
		return kept | 1;
	default:
		return kept + (rest > 0 || (rest == 0 && (kept & 1)));
	}
}

/* mantissa / 2^shift, shift at least 1. */
static uint64_t shift_round(uint64_t mantissa, int shift, bool negative, unsigned mode)
{
	const uint64_t kept = shift < 64 ? mantissa >> shift : 0;
	const uint64_t lost = shift < 64 ? mantissa - (kept << shift) : mantissa;
	const uint64_t half = shift <= 64 ? UINT64_C(1) << (shift - 1) : UINT64_MAX;

	if (!lost)
		return kept;
	return kept_round(kept, shift > 64 || lost < half ? -1 : lost > half, negative, mode);
}

uint64_t isa_float_pack(bool negative, uint64_t mantissa, int exponent, unsigned dtype, unsigned mode)
{
	const struct format f = format_of(dtype);
	const uint64_t sign = negative ? (infinity(&f) >> (f.precision - 1)) + 1 : 0, lead = UINT64_C(1) << (f.precision - 1);
	uint64_t kept, bits;
	int top, last;

	if (!mantissa)
		return sign << (f.precision - 1);
	top = exponent + 63 - __builtin_clzll(mantissa);
	last = top - f.precision + 1 < f.least ? f.least : top - f.precision + 1;
	kept = last <= exponent ? mantissa << (exponent - last) : shift_round(mantissa, last - exponent, negative, mode);
	if (kept == 2 * lead) {
		kept = lead;
		last++;
	}
	/* The leading bit of a normal number counts as one more exponent. */
	bits = kept + ((uint64_t)(last - f.least) << (f.precision - 1));
	if (bits >= infinity(&f))
		bits = overflow(&f, negative, mode);
	return sign << (f.precision - 1) | bits;
}

uint64_t isa_float_round(double value, unsigned dtype, unsigned mode)
{
	const struct format f = format_of(dtype);
	const uint64_t bits = isa_bits_of_double(value), field = bits >> 52 & 0x7FF, fraction = bits & 0xFFFFFFFFFFFFF;
	const uint64_t sign = bits >> 63 ? (infinity(&f) >> (f.precision - 1)) + 1 : 0;

	if (field == 0x7FF)
		return sign << (f.precision - 1) | infinity(&f) | (fraction ? UINT64_C(1) << (f.precision - 2) : 0);
	return isa_float_pack(bits >> 63, field ? fraction | 1ull << 52 : fraction, (field ? (int)field : 1) - 1075, dtype, mode);
}

static double float_value(uint64_t bits, unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_F16:
		return (double)isa_get_f16((uint16_t)bits);
	case PTOWSP_BF16:
		return (double)isa_get_bf16((uint16_t)bits);
	case PTOWSP_F64:
		return isa_double_of(bits);
	default:
		return (double)isa_float_of(bits);
	}
}

/* Toward zero into the range of an integer type; u1 takes what i64 takes. */
static uint64_t integer_value(double value, unsigned dtype)
{
	const struct isa_element *e = isa_element(dtype);
	const int width = e->class == 'b' ? 64 : 8 * e->bytes;
	const bool is_unsigned = e->class == 'u';
	const double beyond = ldexp(1, is_unsigned ? width : width - 1), least = is_unsigned ? 0 : -beyond;

	if (value != value)
		return 0;
	if (value >= beyond)
		return is_unsigned ? UINT64_MAX >> (64 - width) : (UINT64_C(1) << (width - 1)) - 1;
	if (value <= least)
		return is_unsigned ? 0 : 0 - (UINT64_C(1) << (width - 1));
	return is_unsigned ? (uint64_t)value : (uint64_t)(int64_t)value;
}

uint64_t isa_convert_scalar(uint64_t bits, unsigned from, unsigned to)
{
	const bool from_float = isa_element(from)->class == 'f', to_float = isa_element(to)->class == 'f';
	const bool negative = !from_float && from != PTOWSP_U64 && (int64_t)bits < 0;

	if (from_float && to_float)
		return from == to ? bits : isa_float_round(float_value(bits, from), to, PTOWSP_ROUND_RINT);
	if (from_float)
		return isa_scalar_narrow(integer_value(float_value(bits, from), to), to);
	if (to_float)
		return isa_float_pack(negative, negative ? 0 - bits : bits, 0, to, PTOWSP_ROUND_RINT);
	return isa_scalar_narrow(bits, to);
}
