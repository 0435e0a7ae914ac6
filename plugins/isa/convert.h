/* SPDX-License-Identifier: MIT */
/* convert.h - a value of one element type as one of another: rounding to a float format, scalars from type to type, elements by
 * tcvt. Emitted C includes it, too. */
#ifndef ISA_CONVERT_H
#define ISA_CONVERT_H

#include "isa/element.h"
#include "ptowsp/tile.h"

#ifndef __OPENCL_C_VERSION__
#include <math.h>
#endif

/* Class and bits of a type, as element.def has them. */
static inline char isa_class(unsigned dtype)
{
	switch (dtype) {
#define X(type, code, class_letter, stored, computed, wide, bytes, sum, matrix, one)                                                                           \
	case PTOWSP_##code:                                                                                                                                    \
		return class_letter;
#include "isa/element.def"
#undef X
	default: return 0;
	}
}

static inline int isa_width(unsigned dtype)
{
	switch (dtype) {
#define X(type, code, class_letter, stored, computed, wide, bytes, sum, matrix, one)                                                                           \
	case PTOWSP_##code:                                                                                                                                    \
		return 8 * bytes;
#include "isa/element.def"
#undef X
	default: return 64;
	}
}

/* A binary format: significant bits, exponents of the smallest bit and of the largest power of two. */
struct isa_format {
	int precision, least, most;
};
static inline struct isa_format isa_format_of(unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_F16: return (struct isa_format){11, -24, 15};
	case PTOWSP_BF16: return (struct isa_format){8, -133, 127};
	case PTOWSP_F64: return (struct isa_format){53, -1074, 1023};
	default: return (struct isa_format){24, -149, 127};
	}
}

static inline uint64_t isa_infinity(const struct isa_format *f)
{
	return (uint64_t)(2 * f->most + 1) << (f->precision - 1);
}

/* Beyond the largest finite value: that one where the mode does not point further out. */
static inline uint64_t isa_overflow(const struct isa_format *f, bool negative, unsigned mode)
{
	switch (mode) {
	case PTOWSP_ROUND_FLOOR: return isa_infinity(f) - !negative;
	case PTOWSP_ROUND_CEIL: return isa_infinity(f) - negative;
	case PTOWSP_ROUND_TRUNC:
	case PTOWSP_ROUND_ODD: return isa_infinity(f) - 1;
	default: return isa_infinity(f);
	}
}

/* kept has lost a rest: -1 below, 0 at, 1 above half of its last bit. */
static inline uint64_t isa_kept_round(uint64_t kept, int rest, bool negative, unsigned mode)
{
	switch (mode) {
	case PTOWSP_ROUND_AWAY: return kept + (rest >= 0);
	case PTOWSP_ROUND_FLOOR: return kept + negative;
	case PTOWSP_ROUND_CEIL: return kept + !negative;
	case PTOWSP_ROUND_TRUNC: return kept;
	case PTOWSP_ROUND_ODD: return kept | 1;
	default: return kept + (rest > 0 || (rest == 0 && (kept & 1)));
	}
}

/* mantissa / 2^shift, shift at least 1. */
static inline uint64_t isa_shift_round(uint64_t mantissa, int shift, bool negative, unsigned mode)
{
	const uint64_t kept = shift < 64 ? mantissa >> shift : 0;
	const uint64_t lost = shift < 64 ? mantissa - (kept << shift) : mantissa;
	const uint64_t middle = shift <= 64 ? UINT64_C(1) << (shift - 1) : UINT64_MAX;

	if (!lost)
		return kept;
	return isa_kept_round(kept, shift > 64 || lost < middle ? -1 : lost > middle, negative, mode);
}

/* The float of type dtype nearest to mantissa * 2^exponent by mode (PTOWSP_ROUND_x, NONE is RINT), as its bits: exact for every
 * mantissa and exponent. Overflow as pto_ops.def says. */
static inline uint64_t isa_float_pack(bool negative, uint64_t mantissa, int exponent, unsigned dtype, unsigned mode)
{
	const struct isa_format f = isa_format_of(dtype);
	const uint64_t sign = negative ? (isa_infinity(&f) >> (f.precision - 1)) + 1 : 0, lead = UINT64_C(1) << (f.precision - 1);
	uint64_t kept, bits;
	int top, last;

	if (!mantissa)
		return sign << (f.precision - 1);
	top = exponent + 63 - __builtin_clzll(mantissa);
	last = top - f.precision + 1 < f.least ? f.least : top - f.precision + 1;
	kept = last <= exponent ? mantissa << (exponent - last) : isa_shift_round(mantissa, last - exponent, negative, mode);
	if (kept == 2 * lead) {
		kept = lead;
		last++;
	}
	/* The leading bit of a normal number counts as one more exponent. */
	bits = kept + ((uint64_t)(last - f.least) << (f.precision - 1));
	if (bits >= isa_infinity(&f))
		bits = isa_overflow(&f, negative, mode);
	return sign << (f.precision - 1) | bits;
}

/* The same of a double, NaN and infinities included. */
static inline uint64_t isa_float_round(double value, unsigned dtype, unsigned mode)
{
	const struct isa_format f = isa_format_of(dtype);
	const uint64_t bits = isa_bits_of_double(value), field = bits >> 52 & 0x7FF, fraction = bits & 0xFFFFFFFFFFFFF;
	const uint64_t sign = bits >> 63 ? (isa_infinity(&f) >> (f.precision - 1)) + 1 : 0;

	if (field == 0x7FF)
		return sign << (f.precision - 1) | isa_infinity(&f) | (fraction ? UINT64_C(1) << (f.precision - 2) : 0);
	return isa_float_pack(bits >> 63, field ? fraction | 1ull << 52 : fraction, (field ? (int)field : 1) - 1075, dtype, mode);
}

static inline double isa_float_value(uint64_t bits, unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_F16: return (double)isa_get_f16((uint16_t)bits);
	case PTOWSP_BF16: return (double)isa_get_bf16((uint16_t)bits);
	case PTOWSP_F64: return isa_double_of(bits);
	default: return (double)isa_float_of(bits);
	}
}

/* Toward zero into the range of an integer type; u1 takes what i64 takes. */
static inline uint64_t isa_integer_value(double value, unsigned dtype)
{
	const int width = dtype == PTOWSP_BOOL ? 64 : isa_width(dtype);
	const bool is_unsigned = isa_class(dtype) == 'u';
	const double beyond = ldexp(1.0, is_unsigned ? width : width - 1), least = is_unsigned ? 0 : -beyond;

	if (value != value)
		return 0;
	if (value >= beyond)
		return is_unsigned ? UINT64_MAX >> (64 - width) : (UINT64_C(1) << (width - 1)) - 1;
	if (value <= least)
		return is_unsigned ? 0 : 0 - (UINT64_C(1) << (width - 1));
	return is_unsigned ? (uint64_t)value : (uint64_t)(int64_t)value;
}

/* MOV and LI: a scalar register of type `from` as one of type `to`. */
static inline uint64_t isa_convert_scalar(uint64_t bits, unsigned from, unsigned to)
{
	const bool from_float = isa_class(from) == 'f', to_float = isa_class(to) == 'f';
	const bool negative = !from_float && from != PTOWSP_U64 && (int64_t)bits < 0;

	if (from_float && to_float)
		return from == to ? bits : isa_float_round(isa_float_value(bits, from), to, PTOWSP_ROUND_RINT);
	if (from_float)
		return isa_scalar_narrow(isa_integer_value(isa_float_value(bits, from), to), to);
	if (to_float)
		return isa_float_pack(negative, negative ? 0 - bits : bits, 0, to, PTOWSP_ROUND_RINT);
	return isa_scalar_narrow(bits, to);
}

static inline double isa_round_odd(double a)
{
	const double t = trunc(a);

	if (t == a || fabs(a) >= 0x1p53 || a != a) /* from 2^53 on every double is an integer */
		return a;
	return fmod(t, 2.0) != 0.0 ? t : t + copysign(1.0, a);
}

/* To an integral value by mode. */
static inline double isa_round_by(double a, unsigned mode)
{
	switch (mode) {
	case PTOWSP_ROUND_AWAY: return round(a);
	case PTOWSP_ROUND_FLOOR: return floor(a);
	case PTOWSP_ROUND_CEIL: return ceil(a);
	case PTOWSP_ROUND_TRUNC: return trunc(a);
	case PTOWSP_ROUND_ODD: return isa_round_odd(a);
	default: return rint(a);
	}
}

/* Smallest and largest value of an integer type, as 64 bits of its class, and the double behind the largest. */
struct isa_range {
	int64_t least;
	uint64_t most;
	double beyond;
	bool is_unsigned;
};
static inline struct isa_range isa_range_of(unsigned dtype)
{
	const int width = isa_width(dtype);

	if (isa_class(dtype) == 'u')
		return (struct isa_range){0, UINT64_MAX >> (64 - width), ldexp(1.0, width), true};
	return (struct isa_range){-(int64_t)(UINT64_MAX >> (65 - width)) - 1, UINT64_MAX >> (65 - width), ldexp(1.0, width - 1), false};
}

static inline uint64_t isa_saturate(double a, const struct isa_range *r)
{
	if (a != a)
		return 0;
	if (a >= r->beyond)
		return r->most;
	if (a < (double)r->least)
		return (uint64_t)r->least;
	return r->is_unsigned ? (uint64_t)a : (uint64_t)(int64_t)a;
}

static inline int32_t isa_saturate_i32(float a)
{
	if (a != a)
		return 0;
	if (a >= 2147483648.0f)
		return INT32_MAX;
	return a < -2147483648.0f ? INT32_MIN : (int32_t)a;
}

/* tcvt of one element, of a float, a signed and an unsigned value, none of which has lost anything: the low bytes of the result. */
static inline uint64_t isa_convert_float(double a, unsigned from, unsigned to, unsigned mode)
{
	const struct isa_range range = isa_range_of(to);
	const char kind = isa_class(to);

	if (kind == 'b')
		return a != 0;
	if (kind != 'f')
		return isa_saturate(isa_round_by(a, mode), &range);
	if (from == to) /* integral values of a format are in it */
		return isa_float_round(isa_round_by(a, mode), to, PTOWSP_ROUND_RINT);
	return isa_float_round(a, to, mode);
}

static inline uint64_t isa_convert_unsigned(uint64_t a, unsigned to, unsigned mode)
{
	const struct isa_range range = isa_range_of(to);
	const char kind = isa_class(to);

	if (kind == 'b')
		return a != 0;
	if (kind == 'f')
		return isa_float_pack(false, a, 0, to, mode);
	return a > range.most ? range.most : a;
}

static inline uint64_t isa_convert_signed(int64_t a, unsigned to, unsigned mode)
{
	const int64_t least = isa_range_of(to).least;
	const char kind = isa_class(to);

	if (a >= 0 || kind == 'b')
		return isa_convert_unsigned((uint64_t)a, to, mode);
	if (kind == 'f')
		return isa_float_pack(true, 0 - (uint64_t)a, 0, to, mode);
	return (uint64_t)(a < least ? least : a);
}

#endif
