/* SPDX-License-Identifier: MIT */
/* body_number.h - what instructions do with one number, where that is more than a line of body.def. */
#ifndef AIE_BODY_NUMBER_H
#define AIE_BODY_NUMBER_H

#include "body_code.h"

#include <math.h>
#include <string.h>
#include "isa/convert.h"
#include "ptowsp/ids.h"

static inline int64_t aie_number_cut(int64_t value, uint32_t shift)
{
	return (int64_t)((uint64_t)value << shift) >> shift;
}

static inline uint64_t aie_number_bare(int64_t value, uint32_t shift)
{
	return (uint64_t)value << shift >> shift;
}

static inline unsigned aie_number_dtype_of(enum aie_type_kind kind)
{
	return kind == AIE_TYPE_BF16 ? PTOWSP_BF16 : kind == AIE_TYPE_F16 ? PTOWSP_F16 : kind == AIE_TYPE_F32 ? PTOWSP_F32 : PTOWSP_F64;
}

static inline uint64_t aie_number_float_bits(union aie_register value, enum aie_type_kind kind)
{
	uint64_t bits = 0;

	if (kind == AIE_TYPE_F64)
		memcpy(&bits, &value.d, 8);
	else if (kind == AIE_TYPE_F32)
		memcpy(&bits, &value.f, 4);
	else if (kind == AIE_TYPE_BF16)
		bits = isa_put_bf16(value.f);
	else
		bits = isa_put_f16(value.f);
	return bits;
}

static inline union aie_register aie_number_float_of_bits(uint64_t bits, enum aie_type_kind kind)
{
	union aie_register value = {.i = 0};

	if (kind == AIE_TYPE_F64)
		memcpy(&value.d, &bits, 8);
	else if (kind == AIE_TYPE_F32)
		memcpy(&value.f, &bits, 4);
	else if (kind == AIE_TYPE_BF16)
		value.f = isa_get_bf16((uint16_t)bits);
	else
		value.f = isa_get_f16((uint16_t)bits);
	return value;
}

static inline int64_t aie_number_int_of(double value, uint32_t width)
{
	const uint32_t bits = width & 127;
	const bool is_unsigned = width & 128;
	const double beyond = ldexp(1.0, (int)bits - !is_unsigned), least = is_unsigned ? 0 : -beyond;
	const uint64_t most = bits > !is_unsigned ? UINT64_MAX >> (64 - bits + !is_unsigned) : 0;

	if (value != value)
		return 0;
	if (value >= beyond)
		return aie_number_cut((int64_t)most, 64 - bits);
	if (value <= least)
		return is_unsigned ? 0 : -(int64_t)most - 1;
	return aie_number_cut(is_unsigned ? (int64_t)(uint64_t)value : (int64_t)value, 64 - bits);
}

static inline bool aie_number_compares(double a, double b, uint32_t predicate)
{
	const bool unordered = a != a || b != b;

	switch (predicate & 7) {
	case 1: return unordered ? predicate & 8 : a == b;
	case 2: return unordered ? predicate & 8 : a > b;
	case 3: return unordered ? predicate & 8 : a >= b;
	case 4: return unordered ? predicate & 8 : a < b;
	case 5: return unordered ? predicate & 8 : a <= b;
	case 6: return unordered ? predicate & 8 : a != b;
	default: return false;
	}
}

/* arith.cmpf's 16: false, the ordered ones, ord, the unordered ones, uno, true. */
static inline bool aie_number_cmpf(double a, double b, uint32_t predicate)
{
	static const uint8_t unordered[] = {9, 10, 11, 12, 13, 14}; /* ueq ugt uge ult ule une */
	const bool nan = a != a || b != b;

	switch (predicate) {
	case 0: return false;
	case 7: return !nan;
	case 14: return nan;
	case 15: return true;
	default: return aie_number_compares(a, b, predicate < 7 ? predicate : unordered[predicate - 8]);
	}
}

static inline union aie_register aie_number_float_of_int(int64_t value, enum aie_type_kind kind, uint32_t bits)
{
	const uint64_t positive = bits ? aie_number_bare(value, 64 - bits) : 0;
	union aie_register made = {.i = 0};

	if (kind == AIE_TYPE_F64)
		made.d = bits ? (double)positive : (double)value;
	else if (kind == AIE_TYPE_F32)
		made.f = bits ? (float)positive : (float)value;
	else
		made = aie_number_float_of_bits(bits ? isa_convert_unsigned(positive, aie_number_dtype_of(kind), PTOWSP_ROUND_RINT) : isa_convert_signed(value, aie_number_dtype_of(kind), PTOWSP_ROUND_RINT), kind);
	return made;
}

static inline union aie_register aie_number_rounded(union aie_register value, bool from_double, enum aie_type_kind kind)
{
	if (kind == AIE_TYPE_F32)
		return (union aie_register){.f = (float)value.d};
	if (!from_double)
		return aie_number_float_of_bits(aie_number_float_bits(value, kind), kind);
	return aie_number_float_of_bits(isa_float_round(value.d, aie_number_dtype_of(kind), PTOWSP_ROUND_RINT), kind);
}

/* To a power below 0 only 1 and -1 have integers. */
static inline int64_t aie_number_power(int64_t base, int64_t to, uint32_t shift)
{
	uint64_t made = 1, square = (uint64_t)base;

	if (to < 0)
		return base == 1 ? 1 : base == -1 ? (to & 1 ? -1 : 1) : 0;
	for (; to; to >>= 1, square *= square)
		made *= to & 1 ? square : 1;
	return aie_number_cut((int64_t)made, shift);
}

/* isfinite, isinf, isnan, isnormal. The least normal number of bf16 and f32 is the same. */
static inline bool aie_number_is_class(double value, enum aie_type_kind kind, uint32_t class)
{
	const double size = fabs(value), least = kind == AIE_TYPE_F64 ? 0x1p-1022 : kind == AIE_TYPE_F16 ? 0x1p-14 : 0x1p-126;

	switch (class) {
	case 0: return size < INFINITY;
	case 1: return size == INFINITY;
	case 2: return value != value;
	default: return size >= least && size < INFINITY;
	}
}

#endif
