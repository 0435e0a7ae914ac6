/* SPDX-License-Identifier: MIT */
/* element.h - element types: a row of element.def each, and lists of them to expand loops by. A tile holds elements as they are
 * stored (isa_s); an instruction computes in isa_c, between isa_get and isa_put. */
#ifndef ISA_ELEMENT_H
#define ISA_ELEMENT_H

#ifndef __OPENCL_C_VERSION__
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#endif

#include "ptowsp/ids.h"

/* X(type, ...) for every type of a class. A new type is a row of element.def and a word here. */
#define ISA_FLOATS(X, ...)                                                                                                                                     \
	X(f32, __VA_ARGS__)                                                                                                                                    \
	X(f16, __VA_ARGS__)                                                                                                                                    \
	X(bf16, __VA_ARGS__)                                                                                                                                   \
	X(f64, __VA_ARGS__)
#define ISA_FLOATS_32(X, ...)                                                                                                                                  \
	X(f32, __VA_ARGS__)                                                                                                                                    \
	X(f16, __VA_ARGS__)                                                                                                                                    \
	X(bf16, __VA_ARGS__) /* computed in f32 */
#define ISA_SIGNED(X, ...)                                                                                                                                     \
	X(i8, __VA_ARGS__)                                                                                                                                     \
	X(i16, __VA_ARGS__)                                                                                                                                    \
	X(i32, __VA_ARGS__)                                                                                                                                    \
	X(i64, __VA_ARGS__)
#define ISA_UNSIGNED(X, ...)                                                                                                                                   \
	X(u8, __VA_ARGS__)                                                                                                                                     \
	X(u16, __VA_ARGS__)                                                                                                                                    \
	X(u32, __VA_ARGS__)                                                                                                                                    \
	X(u64, __VA_ARGS__)
#define ISA_INTEGERS(X, ...) ISA_SIGNED(X, __VA_ARGS__) ISA_UNSIGNED(X, __VA_ARGS__)
#define ISA_BOOLS(X, ...)    X(u1, __VA_ARGS__)
#define ISA_NUMBERS(X, ...)  ISA_FLOATS(X, __VA_ARGS__) ISA_INTEGERS(X, __VA_ARGS__)
#define ISA_TYPES(X, ...)    ISA_NUMBERS(X, __VA_ARGS__) ISA_BOOLS(X, __VA_ARGS__)
/* The types of a size in bytes. */
#define ISA_TYPES_1(X, ...)                                                                                                                                    \
	X(i8, __VA_ARGS__)                                                                                                                                     \
	X(u8, __VA_ARGS__)                                                                                                                                     \
	X(u1, __VA_ARGS__)
#define ISA_TYPES_2(X, ...)                                                                                                                                    \
	X(f16, __VA_ARGS__)                                                                                                                                    \
	X(bf16, __VA_ARGS__)                                                                                                                                   \
	X(i16, __VA_ARGS__)                                                                                                                                    \
	X(u16, __VA_ARGS__)
#define ISA_TYPES_4(X, ...)                                                                                                                                    \
	X(f32, __VA_ARGS__)                                                                                                                                    \
	X(i32, __VA_ARGS__)                                                                                                                                    \
	X(u32, __VA_ARGS__)
#define ISA_TYPES_8(X, ...)                                                                                                                                    \
	X(f64, __VA_ARGS__)                                                                                                                                    \
	X(i64, __VA_ARGS__)                                                                                                                                    \
	X(u64, __VA_ARGS__)
/* X(size, ...) for every size of an element in bytes; isa_bits_<size> holds one of any type. */
#define ISA_SIZES(X, ...)                                                                                                                                      \
	X(1, __VA_ARGS__)                                                                                                                                      \
	X(2, __VA_ARGS__)                                                                                                                                      \
	X(4, __VA_ARGS__)                                                                                                                                      \
	X(8, __VA_ARGS__)

enum { ISA_DTYPES = 16 }; /* bounds the codes of dtype.def */

typedef uint8_t __attribute__((may_alias)) isa_bits_1;
typedef uint16_t __attribute__((may_alias)) isa_bits_2;
typedef uint32_t __attribute__((may_alias)) isa_bits_4;
typedef uint64_t __attribute__((may_alias)) isa_bits_8;
/* Moves have sizes for types. */
typedef isa_bits_1 isa_s_1;
typedef isa_bits_2 isa_s_2;
typedef isa_bits_4 isa_s_4;
typedef isa_bits_8 isa_s_8;

#define X(type, code, class_letter, stored, computed, wide, bytes, sum, matrix, one)                                                                           \
	typedef stored isa_s_##type;                                                                                                                           \
	typedef computed isa_c_##type;                                                                                                                         \
	typedef wide isa_w_##type;                                                                                                                             \
	typedef isa_bits_##bytes isa_u_##type;                                                                                                                 \
	enum { ISA_CODE_##type = PTOWSP_##code, ISA_WIDTH_##type = 8 * bytes };
#include "isa/element.def"
#undef X

#ifdef __OPENCL_C_VERSION__
#define isa_float_of(bits)        as_float((uint32_t)(bits))
#define isa_bits_of(value)        ((uint64_t)as_uint((float)(value)))
#define isa_double_of(bits)       as_double((uint64_t)(bits))
#define isa_bits_of_double(value) as_ulong((double)(value))
#else
static inline float isa_float_of(uint64_t bits)
{
	const uint32_t low = (uint32_t)bits;
	float value;

	memcpy(&value, &low, sizeof(value));
	return value;
}

static inline uint64_t isa_bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline double isa_double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline uint64_t isa_bits_of_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}
#endif

/* Nothing in these functions is branched to or chosen of 16 bits, so that gcc makes vectors of their loops for every processor.
 * f16: five bits of exponent, bias 15. Moved up by 13 bits, with its sign at the top, it is an f32 with an exponent 112 too small, which a product with
 * 2^112 repairs, subnormal numbers too; infinities and NaN get the rest of the exponent. */
static inline float isa_get_f16(uint16_t stored)
{
	const uint32_t bits = (uint32_t)(int32_t)(int16_t)stored << 13 & 0x8FFFE000u;
	const uint32_t finite = (uint32_t)isa_bits_of(isa_float_of(bits) * 0x1p112f);

	return isa_float_of(finite | ((bits & 0x0F800000u) == 0x0F800000u ? 0x7F800000u : 0u));
}

/* To nearest even: the sum with a power of two 13 bits above its first bit, or that of 2^-14, whose last bit is then the last one of the f16, leaves these at its end;
 * with the exponent above 2^-14 they carry into it. What is 2^16 or more is taken for that, which makes infinity; a NaN has a bit more. */
static inline uint16_t isa_put_f16(float value)
{
	const uint32_t bits = (uint32_t)isa_bits_of(value), size = bits & 0x7FFFFFFFu;
	const uint32_t kept = (int32_t)size < 143 << 23 ? size : 143u << 23, top = kept & 0x7F800000u;
	const uint32_t exponent = (int32_t)top > 113 << 23 ? top : 113u << 23, above = exponent + (13u << 23);
	const uint32_t rounded = (uint32_t)isa_bits_of(isa_float_of(kept) + isa_float_of(above)) - above + ((exponent - (113u << 23)) >> 13);
	const uint32_t nan = (int32_t)size > 0x7F800000 ? 0x200u : 0u;

	return (uint16_t)((bits >> 16 & 0x8000u) | rounded | nan);
}

static inline float isa_get_bf16(uint16_t stored)
{
	return isa_float_of((uint32_t)stored << 16);
}

/* The choice is made of 32 bits, or gcc makes it of 16, for which it narrows vectors twice. */
static inline uint16_t isa_put_bf16(float value)
{
	const uint32_t bits = (uint32_t)isa_bits_of(value);
	const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;

	return (uint16_t)(((bits + (nan ? 0 : 0x7FFFu + (bits >> 16 & 1u))) | (nan ? 0x400000u : 0)) >> 16);
}

/* All other types compute as they are stored; integers come back from isa_w, and wrap. */
#define ISA_NATIVE(type, ...)                                                                                                                                  \
	static inline isa_c_##type isa_get_##type(isa_s_##type stored)                                                                                         \
	{                                                                                                                                                      \
		return stored;                                                                                                                                 \
	}                                                                                                                                                      \
	static inline isa_s_##type isa_put_##type(isa_w_##type value)                                                                                          \
	{                                                                                                                                                      \
		return (isa_s_##type)value;                                                                                                                    \
	}
ISA_NATIVE(f32, )
ISA_NATIVE(f64, )
ISA_INTEGERS(ISA_NATIVE, )

static inline uint8_t isa_get_u1(uint8_t stored)
{
	return stored != 0;
}

static inline uint8_t isa_put_u1(unsigned value)
{
	return value != 0;
}

/* Integers where C leaves it open: x / 0 is 0, x rem 0 is x; the smallest / -1 wraps. */
#define ISA_DIV_SIGNED(W, a, b)   ((b) == 0 ? 0 : (b) == -1 ? 0 - (W)(a) : (W)((a) / (b)))
#define ISA_DIV_UNSIGNED(W, a, b) ((b) == 0 ? 0 : (a) / (b))
#define ISA_REM_SIGNED(W, a, b)   ((b) == 0 ? (a) : (b) == -1 ? 0 : (a) % (b))
#define ISA_REM_UNSIGNED(W, a, b) ((b) == 0 ? (a) : (a) % (b))
#define ISA_QUOTIENT(type, name, value)                                                                                                                        \
	static inline isa_s_##type isa_##name##_##type(isa_s_##type a, isa_s_##type b)                                                                         \
	{                                                                                                                                                      \
		return (isa_s_##type)value(isa_w_##type, a, b);                                                                                                \
	}
ISA_QUOTIENT(i64, div, ISA_DIV_SIGNED)
ISA_QUOTIENT(i64, rem, ISA_REM_SIGNED)
ISA_QUOTIENT(u64, div, ISA_DIV_UNSIGNED)
ISA_QUOTIENT(u64, rem, ISA_REM_UNSIGNED)
/* Narrower ones divide as floats where a processor has vectors of them and none of quotients: a / b is off by less than the 1 / b that it is away from the next integer at least, so
 * that cutting it gives the right one. A divisor without a quotient is another one meanwhile: -1 under the smallest number is 1, which wraps to the same; with u32 those below 2 are
 * 2, so that an i32 holds what is left. */
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(__CUDACC__)
#define ISA_QUOTIENT_NEAR(type, near, whole, divisor, value)                                                                                                   \
	static inline isa_s_##type isa_div_##type(isa_s_##type a, isa_s_##type b)                                                                              \
	{                                                                                                                                                      \
		const isa_s_##type by = (isa_s_##type)(divisor);                                                                                               \
		const whole q = (whole)((near)a / (near)by);                                                                                                   \
                                                                                                                                                               \
		return (isa_s_##type)(b == 0 ? 0 : (value));                                                                                                   \
	}                                                                                                                                                      \
	static inline isa_s_##type isa_rem_##type(isa_s_##type a, isa_s_##type b)                                                                              \
	{                                                                                                                                                      \
		return (isa_s_##type)((isa_w_##type)a - (isa_w_##type)isa_div_##type(a, b) * (isa_w_##type)b);                                                 \
	}
ISA_QUOTIENT_NEAR(i8, float, int32_t, b == 0 ? 1 : b, q)
ISA_QUOTIENT_NEAR(u8, float, int32_t, b == 0 ? 1 : b, q)
ISA_QUOTIENT_NEAR(i16, float, int32_t, b == 0 ? 1 : b, q)
ISA_QUOTIENT_NEAR(u16, float, int32_t, b == 0 ? 1 : b, q)
ISA_QUOTIENT_NEAR(i32, double, int32_t, (b == 0) | ((b == -1) & (a == INT32_MIN)) ? 1 : b, q)
ISA_QUOTIENT_NEAR(u32, double, int32_t, b < 2 ? 2 : b, b == 1 ? a : (uint32_t)q)
#else
ISA_QUOTIENT(i8, div, ISA_DIV_SIGNED)
ISA_QUOTIENT(i8, rem, ISA_REM_SIGNED)
ISA_QUOTIENT(i16, div, ISA_DIV_SIGNED)
ISA_QUOTIENT(i16, rem, ISA_REM_SIGNED)
ISA_QUOTIENT(i32, div, ISA_DIV_SIGNED)
ISA_QUOTIENT(i32, rem, ISA_REM_SIGNED)
ISA_QUOTIENT(u8, div, ISA_DIV_UNSIGNED)
ISA_QUOTIENT(u8, rem, ISA_REM_UNSIGNED)
ISA_QUOTIENT(u16, div, ISA_DIV_UNSIGNED)
ISA_QUOTIENT(u16, rem, ISA_REM_UNSIGNED)
ISA_QUOTIENT(u32, div, ISA_DIV_UNSIGNED)
ISA_QUOTIENT(u32, rem, ISA_REM_UNSIGNED)
#endif

/* A scalar register (task.h: integers sign-extended, floats as their bits) in the type that a loop computes in. */
#define ISA_INTEGER_VALUE(type, ...)                                                                                                                           \
	static inline isa_c_##type isa_value_##type(uint64_t bits)                                                                                             \
	{                                                                                                                                                      \
		return (isa_c_##type)bits;                                                                                                                     \
	}
ISA_INTEGERS(ISA_INTEGER_VALUE, )

static inline uint8_t isa_value_u1(uint64_t bits)
{
	return bits != 0;
}

static inline float isa_value_f32(uint64_t bits)
{
	return isa_float_of(bits);
}

static inline double isa_value_f64(uint64_t bits)
{
	return isa_double_of(bits);
}

static inline float isa_value_f16(uint64_t bits)
{
	return isa_get_f16((uint16_t)bits);
}

static inline float isa_value_bf16(uint64_t bits)
{
	return isa_get_bf16((uint16_t)bits);
}

/* The low bytes of a value as a scalar of this type holds them: integers wrap, u1 is 0 or 1, floats are their bits. */
static inline uint64_t isa_scalar_narrow(uint64_t value, unsigned dtype)
{
	if (dtype == PTOWSP_I64) /* loops count in it: no table for them */
		return value;
	switch (dtype) {
	case PTOWSP_I8: return (uint64_t)(int64_t)(int8_t)(uint8_t)value;
	case PTOWSP_I16: return (uint64_t)(int64_t)(int16_t)(uint16_t)value;
	case PTOWSP_I32: return (uint64_t)(int64_t)(int32_t)(uint32_t)value;
	case PTOWSP_U8: return (uint8_t)value;
	case PTOWSP_U16:
	case PTOWSP_F16:
	case PTOWSP_BF16: return (uint16_t)value;
	case PTOWSP_U32:
	case PTOWSP_F32: return (uint32_t)value;
	case PTOWSP_BOOL: return value != 0;
	default: return value;
	}
}

/* Non-zero; both zeros of a float are zero, NaN is not. */
static inline bool isa_scalar_true(uint64_t value, unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_F32: return (uint32_t)(value << 1) != 0;
	case PTOWSP_F16:
	case PTOWSP_BF16: return (uint16_t)(value << 1) != 0;
	case PTOWSP_F64: return value << 1 != 0;
	default: return value != 0;
	}
}

#ifndef __cplusplus
/* Facts of a type, by its code. */
struct isa_element {
	uint8_t bytes; /* 0: there is no such type */
	char class;
	uint8_t sum, computed; /* columns sum and matrix of element.def */
	uint64_t one;          /* the bits of 1 */
};
const struct isa_element *isa_element(unsigned dtype); /* of any number; never NULL */
#endif

#endif
