/* SPDX-License-Identifier: MIT */
/* kernel_core.h - what C kernels for a core of an array stand on (emit/emit_core.c): operations of whole tiles as small loops, products of the types that a kernel has, and exp, ln
 * and tanh in single precision. Nothing here fails, counts or allocates. Bits are the interpreter's but for these three functions and what is made of them (sigmoid, silu), which here
 * use no double, since that is a function call per operation on a core: over all arguments exp is off by at most 1.05 units in the last place, ln by 0.85, tanh by 2.53
 * (tests/isa/test_isa_tile.c). -DTILE_EXACT takes those of isa_tile.h,
 * and all bits are the interpreter's. Needs -ffp-contract=off. */
#ifndef ISA_KERNEL_CORE_H
#define ISA_KERNEL_CORE_H

#include "isa/convert.h"
#include "isa/element.h"
#include "isa/isa_tile.h"

#include <stddef.h>

/* One line of a reduction at a time: a core has no vectors of floats to keep more in. */
#define TILE_OP    static inline __attribute__((unused))
#define TILE_LANES 1
#define TILE_PART  1
#include "isa/tile_op.h"

TILE_FUNCTIONS

/* Functions have the arguments that a design calls them with. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-parameter"
#define TILE_CORE static __attribute__((noinline, unused))

/* What data decide is not as the kernel wants it: nobody can be told, so the core stands still, and the host sees a run without an end. */
TILE_CORE void tile_stop(void)
{
	for (;;)
		__asm__ volatile("");
}

/* `rows` rows of `width` bytes, `step` and `to_step` bytes apart. */
TILE_CORE void tile_copy(void *to, size_t to_step, const void *from, size_t step, size_t rows, size_t width)
{
	for (size_t i = 0; i < rows; i++)
		memcpy((unsigned char *)to + i * to_step, (const unsigned char *)from + i * step, width);
}

/* ---- products ------------------------------------------------------------------------------------------------------------- */

/* d (m x n) = c + a (m x k) x b (k x n) of these element types, computed in `how` with k ascending, rounded to d's type once; c NULL: zeros. c may be d, which overlaps nothing else. */
#define TILE_PRODUCT(name, d_type, c_type, a_type, b_type, how)                                                                                                \
	TILE_CORE void name(isa_s_##d_type *d, const isa_s_##c_type *c, const isa_s_##a_type *a, const isa_s_##b_type *b, size_t m, size_t k, size_t n)        \
	{                                                                                                                                                      \
		for (; m; m--, a += k)                                                                                                                         \
			for (size_t j = 0; j < n; j++, d++) {                                                                                                  \
				const isa_s_##b_type *right = b + j;                                                                                           \
				isa_c_##how sum = c ? (isa_c_##how)isa_get_##c_type(*c++) : 0;                                                                 \
                                                                                                                                                               \
				for (size_t i = 0; i < k; i++, right += n)                                                                                     \
					sum += (isa_c_##how)isa_get_##a_type(a[i]) * (isa_c_##how)isa_get_##b_type(*right);                                    \
				*d = isa_put_##d_type(sum);                                                                                                    \
			}                                                                                                                                      \
	}
/* The same with c[0,j] added to the sum. */
#define TILE_PRODUCT_BIAS(name, d_type, c_type, a_type, b_type, how)                                                                                           \
	TILE_CORE void name(isa_s_##d_type *d, const isa_s_##c_type *c, const isa_s_##a_type *a, const isa_s_##b_type *b, size_t m, size_t k, size_t n)        \
	{                                                                                                                                                      \
		for (; m; m--, a += k)                                                                                                                         \
			for (size_t j = 0; j < n; j++, d++) {                                                                                                  \
				isa_c_##how sum = 0;                                                                                                           \
                                                                                                                                                               \
				for (size_t i = 0; i < k; i++)                                                                                                 \
					sum += (isa_c_##how)isa_get_##a_type(a[i]) * (isa_c_##how)isa_get_##b_type(b[i * n + j]);                              \
				*d = isa_put_##d_type(sum + (isa_c_##how)isa_get_##c_type(c[j]));                                                              \
			}                                                                                                                                      \
	}
/* d = a x b, each element times its scale first; a_share and b_share neighbours along k have one. */
#define TILE_PRODUCT_SCALED(name, d_type, as_type, a_type, b_type, bs_type, how)                                                                               \
	TILE_CORE void name(isa_s_##d_type *d, const isa_s_##a_type *a, const isa_s_##as_type *a_scale, size_t a_share, const isa_s_##b_type *b,               \
			    const isa_s_##bs_type *b_scale, size_t b_share, size_t m, size_t k, size_t n)                                                      \
	{                                                                                                                                                      \
		for (; m; m--, a += k, a_scale += k / a_share)                                                                                                 \
			for (size_t j = 0; j < n; j++, d++) {                                                                                                  \
				isa_c_##how sum = 0;                                                                                                           \
                                                                                                                                                               \
				for (size_t i = 0; i < k; i++) {                                                                                               \
					const isa_c_##how v = (isa_c_##how)isa_get_##a_type(a[i]) * (isa_c_##how)isa_get_##as_type(a_scale[i / a_share]);      \
					const isa_c_##how w =                                                                                                  \
						(isa_c_##how)isa_get_##b_type(b[i * n + j]) * (isa_c_##how)isa_get_##bs_type(b_scale[i / b_share * n + j]);    \
                                                                                                                                                               \
					sum += v * w;                                                                                                          \
				}                                                                                                                              \
				*d = isa_put_##d_type(sum);                                                                                                    \
			}                                                                                                                                      \
	}

/* ---- functions ------------------------------------------------------------------------------------------------------------ */

#ifdef TILE_EXACT
#define TILE_CORE_FUNCTION(name)                                                                                                                               \
	TILE_CORE float tile_core_##name##_f32(float x)                                                                                                        \
	{                                                                                                                                                      \
		return tile_##name##_f32(x);                                                                                                                   \
	}
TILE_CORE_FUNCTION(exp)
TILE_CORE_FUNCTION(log)
TILE_CORE_FUNCTION(tanh)
#else
TILE_CORE float tile_core_scale(int n) /* 2^n, -126 <= n <= 127 */
{
	return isa_float_of((uint64_t)(uint32_t)(n + 127) << 23);
}

/* e^x = 2^*n_out * (1 + result), |x| <= 104: the sum with 1.5 * 2^23 rounds to an integer n; n times the first part of ln 2 is exact. The polynomial interpolates
 * (e^r - 1 - r) / r^2 on |r| <= ln 2 / 2 at the roots of a Chebyshev polynomial. */
TILE_CORE float tile_core_exp_parts(float x, int *n_out)
{
	const float n = (x * 0x1.715476p+0f + 0x1.8p23f) - 0x1.8p23f;
	const float r = (x - n * 0x1.62ep-1f) - n * 0x1.0bfbe8p-15f;
	float q = 0x1.6d10fcp-10f;

	q = q * r + 0x1.120b62p-7f;
	q = q * r + 0x1.55551ap-5f;
	q = q * r + 0x1.5554dep-3f;
	q = q * r + 0.5f;
	*n_out = (int)n;
	return r + r * r * q;
}

TILE_CORE float tile_core_exp_f32(float x)
{
	float value;
	int n;

	if (!(x >= -104)) /* NaN, too */
		return x < 0 ? 0 : x;
	if (x > 89)
		return INFINITY;
	value = 1 + tile_core_exp_parts(x, &n);
	return value * tile_core_scale(n >> 1) * tile_core_scale(n - (n >> 1));
}

/* tanh a = (e^2a - 1) / (e^2a + 1). 2^n - 1 is exact, so small arguments keep their precision. From 10 on it is 1. */
TILE_CORE float tile_core_tanh_f32(float x)
{
	const uint32_t bits = (uint32_t)isa_bits_of(x), sign = bits & 0x80000000u;
	const float size = isa_float_of(bits ^ sign);
	float less = 0x1p30f, scale, rest;
	int n;

	if (x != x)
		return x;
	if (size < 10) {
		rest = tile_core_exp_parts(2 * size, &n);
		scale = tile_core_scale(n);
		less = (scale - 1) + scale * rest;
	}
	return isa_float_of((uint32_t)isa_bits_of(less / (less + 2)) | sign);
}

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)); ln m = 2 atanh((m - 1) / (m + 1)) = f - f^2 / 2 + s (f^2 / 2 + the rest of the series in s^2), f = m - 1, s = f / (2 + f), whose
 * first part is exact enough for the sum with k ln 2. */
TILE_CORE float tile_core_log_f32(float x)
{
	uint32_t bits = (uint32_t)isa_bits_of(x), moved;
	float k = 0, f, s, z, half, series;

	if (!(x > 0)) /* NaN, too */
		return x == 0 ? -INFINITY : NAN;
	if (bits >= 0x7F800000u)
		return x;
	if (bits < 0x00800000u) {
		bits = (uint32_t)isa_bits_of(x * 0x1p25f);
		k = -25;
	}
	moved = bits - 0x3F3504F3u;
	k += (float)((int32_t)moved >> 23);
	f = isa_float_of((moved & 0x007FFFFFu) + 0x3F3504F3u) - 1;
	s = f / (2 + f);
	z = s * s;
	half = f * f * 0.5f;
	series = z * (0x1.55555cp-1f + z * (0x1.997c2ep-2f + z * 0x1.2ee656p-2f));
	return (s * (half + series) + k * 0x1.7f7d1cp-20f - half + f) + k * 0x1.62e4p-1f;
}
#endif

TILE_CORE float tile_core_sigmoid_f32(float x)
{
	return 1 / (1 + tile_core_exp_f32(-x));
}

TILE_CORE float tile_core_silu_f32(float x)
{
	return x / (1 + tile_core_exp_f32(-x));
}

#endif
