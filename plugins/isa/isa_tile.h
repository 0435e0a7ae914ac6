/* SPDX-License-Identifier: MIT */
/* isa_tile.h - functions of one f32 element, for the interpreter and for emitted C alike: the same bits on every machine, straight
 * code without tables, so that a loop of them becomes vectors. Each but gelu is computed in double with a relative error below 2^-43
 * and rounded to float once, subnormal results too. NaN gives NaN. Over all 2^32 arguments (tests/isa/test_isa_tile.c) exp is off by at
 * most 0.50000074 units in the last place and for 21 arguments not the nearest float, ln by at most 0.500000001 and for 3, and tanh is
 * always the nearest. Needs -ffp-contract=off; rounding to nearest even. Includes nothing but the C library. */
#ifndef ISA_TILE_H
#define ISA_TILE_H

#define TILE_INLINE static inline __attribute__((always_inline, unused))

#ifdef __OPENCL_C_VERSION__
#define tile_double_of(bits)    as_double((uint64_t)(bits))
#define tile_bits_of(value)     as_ulong((double)(value))
#define tile_float_of(bits)     as_float((uint32_t)(bits))
#define tile_bits_of_f32(value) as_uint((float)(value))
#else
#include <math.h>
#include <stdint.h>
#include <string.h>

TILE_INLINE double tile_double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

TILE_INLINE uint64_t tile_bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

TILE_INLINE float tile_float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

TILE_INLINE uint32_t tile_bits_of_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}
#endif

/* condition ? yes : no without a branch, which a compiler would follow with constants instead of making vectors. */
TILE_INLINE double tile_choose(int condition, double yes, double no)
{
	const uint64_t mask = 0 - (uint64_t)condition;

	return tile_double_of((tile_bits_of(yes) & mask) | (tile_bits_of(no) & ~mask));
}

/* The same on floats, where it takes half the vectors. */
TILE_INLINE float tile_choose_f32(int condition, float yes, float no)
{
	const uint32_t mask = 0 - (uint32_t)condition;

	return tile_float_of((tile_bits_of_f32(yes) & mask) | (tile_bits_of_f32(no) & ~mask));
}

/* Whether a FOR goes on behind `now`. A sum beyond 64 bits has passed every bound. */
TILE_INLINE int tile_goes_on(int64_t now, int64_t step, int64_t bound)
{
	return now <= INT64_MAX - step && now + step < bound;
}

/* e^x - 1 as *scale_out * (1 + result) - 1, where *scale_out = 2^n and |x - n ln 2| <= ln 2 / 2. x in [-1000, 1000] or NaN. The sum
 * with 1.5 * 2^52 rounds to an integer n and leaves it in the lowest bits; n times the first part of ln 2 is exact. The
 * polynomial interpolates (e^r - 1 - r) / r^2 at the roots of a Chebyshev polynomial. */
TILE_INLINE double tile_exp_parts(double x, double *scale_out)
{
	const double shifted = x * 0x1.71547652b82fep+0 + 0x1.8p52, n = shifted - 0x1.8p52;
	const double r = (x - n * 0x1.62e42fef00000p-1) - n * 0x1.473de6af278edp-34, r2 = r * r, r4 = r2 * r2;
	const double q0 = 0x1.0000000000000p-1 + 0x1.5555555553b78p-3 * r, q1 = 0x1.5555555554cb7p-5 + 0x1.1111111c478ebp-7 * r,
		     q2 = 0x1.6c16c1738ff55p-10 + 0x1.a019ada3609f3p-13 * r, q3 = 0x1.a019c9a5652d3p-16 + 0x1.72c72ca338df0p-19 * r;
	const double q = (q0 + q1 * r2) + ((q2 + q3 * r2) + 0x1.2880411bad1aap-22 * r4) * r4;

	*scale_out = tile_double_of((tile_bits_of(shifted) + 1023) << 52);
	return r + r2 * q;
}

/* a * b + c, rounded once where `fused`, a constant, says that the processor has such an instruction. Only where no result has other bits for that. */
#define TILE_MULTIPLY_ADD(a, b, c) (fused ? fma(a, b, c) : (a) * (b) + (c))

/* e^x as above, with fewer operations: n ln 2 is rounded once, which is less than 2^-45 off, and the power of two is added to the exponent, as e^r is near 1. Where n goes beyond
 * exponents everything is 0 or infinity; asking that last, beside the rest, keeps it out of the way of what waits for each other. One coefficient fewer is 2^-43 off. With n ln 2 fused, too,
 * one of all arguments has another result. */
TILE_INLINE float tile_exp_with(int fused, float x)
{
	const double wide = (double)x, shifted = TILE_MULTIPLY_ADD(wide, 0x1.71547652b82fep+0, 0x1.8p52), n = shifted - 0x1.8p52;
	const double r = wide - n * 0x1.62e42fefa39efp-1, r2 = r * r, r4 = r2 * r2;
	const double q0 = TILE_MULTIPLY_ADD(0x1.5555555554f97p-3, r, 0x1.fffffffffe066p-2),
		     q1 = TILE_MULTIPLY_ADD(0x1.111111170b44bp-7, r, 0x1.55555565c68c4p-5),
		     q2 = TILE_MULTIPLY_ADD(0x1.a019c36f1b553p-13, r, 0x1.6c166be3341cap-10),
		     q3 = TILE_MULTIPLY_ADD(0x1.72ad3fe9fc4d8p-19, r, 0x1.a136b754ae806p-16);
	const double low = TILE_MULTIPLY_ADD(q1, r2, q0), high = TILE_MULTIPLY_ADD(q3, r2, q2);
	const double power = TILE_MULTIPLY_ADD(r2, TILE_MULTIPLY_ADD(high, r4, low), 1 + r);
	const float value = (float)tile_double_of(tile_bits_of(power) + (tile_bits_of(shifted) << 52));

	return tile_choose_f32(x > 130, INFINITY, tile_choose_f32(x < -150, 0, value));
}

/* tanh a = (e^2a - 1) / (e^2a + 1). 2^n - 1 is exact, so small arguments keep their precision. From 10 on it is 1. */
TILE_INLINE float tile_tanh_f32(float x)
{
	const uint64_t bits = tile_bits_of((double)x), sign = bits & UINT64_C(1) << 63;
	const double size = tile_double_of(bits ^ sign), twice = tile_choose(size > 10, 20, 2 * size);
	double scale;
	const double rest = tile_exp_parts(twice, &scale), less = (scale - 1) + scale * rest;

	return (float)tile_double_of(tile_bits_of(less / (less + 2)) | sign);
}

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh((m - 1) / (m + 1)), whose series in the square of that is interpolated as
 * above. k comes out of the exponent, moved by 1024 so that it is never negative, and becomes a double as the end of 2^52. */
TILE_INLINE float tile_log_f32(float x)
{
	const uint64_t bits = tile_bits_of((double)x), moved = bits - UINT64_C(0x3FE6A09E667F3BCD) + (UINT64_C(1024) << 52);
	const uint64_t exponent = moved >> 52;
	const double k = tile_double_of(exponent | UINT64_C(0x4330000000000000)) - (0x1p52 + 1024);
	const double f = tile_double_of(bits - (exponent << 52) + (UINT64_C(1024) << 52)) - 1;
	const double s = f / (2 + f), z = s * s, z2 = z * z;
	const double g = (0x1.55555555553b8p-1 + 0x1.9999999b86f7ep-2 * z) +
			 ((0x1.2492462a593e1p-2 + 0x1.c71fcd608be90p-3 * z) + (0x1.7382c4e35c8aep-3 + 0x1.546b8e26e265ep-3 * z) * z2) * z2;
	const double finite = k * 0x1.62e42fefa39efp-1 + (2 * s + s * (z * g));
	const double low = tile_choose(x == 0, -(double)INFINITY, (double)NAN); /* 0, or negative */
	const double ends = tile_choose(x > 0, (double)x, low);

	return (float)tile_choose((x > 0) & (x < INFINITY), finite, ends);
}

/* As pto_ops.def writes them: every step is rounded. */
TILE_INLINE float tile_sigmoid_with(int fused, float x)
{
	return 1 / (1 + tile_exp_with(fused, -x));
}

TILE_INLINE float tile_silu_with(int fused, float x)
{
	return x / (1 + tile_exp_with(fused, -x));
}

#define TILE_EXP_MADE(name)                                                                                                                                    \
	TILE_INLINE float tile_##name##_f32(float x)                                                                                                           \
	{                                                                                                                                                      \
		return tile_##name##_with(0, x);                                                                                                               \
	}
TILE_EXP_MADE(exp)
TILE_EXP_MADE(sigmoid)
TILE_EXP_MADE(silu)

/* a / 2 * erfc(-a / sqrt(2)) in float alone, off by at most 9.5 units in the last place, 6 where |a| < 8. With s = |a|: the part that erfc takes from a, or leaves of it, is
 * w * e^(-s^2 / 2) * h(w), where w = s / (s + 3.25) makes the rest of erfc smooth from 0 to infinity; h is a polynomial of the least relative error up to s = 15,
 * from where on the power is 0. s^2 is exact in two parts, 2n times the first part of ln 2 too, so that r is -2 times what n leaves of -s^2 / 2; the power of two is 2^64 too large, so that
 * a result below the normal numbers is rounded once. What the part is taken from is a or -0: as unsigned numbers bits are in the order of sizes, negative numbers behind all others. */
TILE_INLINE float tile_gelu_f32(float a)
{
	const uint32_t bits = tile_bits_of_f32(a), size = bits & 0x7FFFFFFFu;
	const float s = tile_float_of(size > 0x41700000u ? 0x41700000u : size), whole = tile_float_of(bits > 0x80000000u ? 0x80000000u : bits);
	const float first = tile_float_of(tile_bits_of_f32(s) & 0xFFFFF000u), most = first * first;
	const float shifted = most * -0x1.715476p-1f + 0x1.8p23f, n = shifted - 0x1.8p23f;
	const float r = ((most + n * 0x1.62ep+0f) + n * 0x1.0bfbe8p-14f) + (s - first) * (s + first), r2 = r * r;
	const float q = (0.125f - 0x1.555552p-6f * r) + ((0x1.5553d4p-9f - 0x1.1113c8p-12f * r) + (0x1.6e1f88p-16f - 0x1.9e9274p-20f * r) * r2) * r2;
	const float reciprocal = 1 / (s + 3.25f), w = s * reciprocal, w2 = w * w, w4 = w2 * w2;
	const float h0 = (0x1.ap+0f - 0x1.4b5ea6p+1f * w) + (0x1.c77f48p+0f - 0x1.ae7fe2p-4f * w) * w2;
	const float h1 = (-0x1.bb44d2p-2f + 0x1.324154p-5f * w) + (-0x1.ca3974p-6f + 0x1.356544p-2f * w) * w2;
	const float h = h0 + (h1 + (-0x1.04fe4ep-2f + 0x1.09525cp-4f * w) * w4) * w4;
	const float power = tile_float_of((tile_bits_of_f32(shifted) << 23) + ((127u + 64) << 23));
	const float part = (1 + (r2 * q - r * 0.5f)) * (w * h) * power * 0x1p-64f;

	return tile_choose_f32(a > -INFINITY, whole - part, NAN);
}

/* fmod, for which most libraries go bit by bit. A quotient below 2^28 is cut to the right integer, and what that leaves has no more bits than a double. */
TILE_INLINE float tile_rem_f32(float a, float b)
{
	const double x = fabs((double)a), y = fabs((double)b), q = x / y;

	return q < 0x1p28 && y < INFINITY ? (float)copysign(x - (double)(int32_t)q * y, (double)a) : fmodf(a, b);
}

/* f64 has the functions of the C library. */
#define TILE_F64(name, value)                                                                                                                                  \
	TILE_INLINE double tile_##name##_f64(double x)                                                                                                         \
	{                                                                                                                                                      \
		return value;                                                                                                                                  \
	}
TILE_F64(exp, exp(x))
TILE_F64(log, log(x))
TILE_F64(tanh, tanh(x))
TILE_F64(sigmoid, 1 / (1 + exp(-x)))
TILE_F64(silu, x / (1 + exp(-x)))
TILE_F64(gelu, x / 2 * erfc(-x * 0.70710678118654752440))

TILE_INLINE double tile_rem_f64(double a, double b)
{
	return fmod(a, b);
}

#endif
