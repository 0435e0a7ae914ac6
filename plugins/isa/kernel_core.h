/* SPDX-License-Identifier: MIT */
/* kernel_core.h - what C kernels for a core of an array stand on (emit/emit_core.c): operations of whole tiles as small loops, products of the types that a kernel has, and exp, ln
 * and tanh in single precision. Nothing here fails, counts or allocates. Bits are the interpreter's but for these three functions, what is made of them (sigmoid, silu), and gelu, which here
 * use no double, since that is a function call per operation on a core: over all arguments exp is off by at most 1.05 units in the last place, ln by 0.85, tanh by 2.53
 * (tests/isa/test_isa_tile.c). -DTILE_EXACT takes those of isa_tile.h,
 * and all bits are the interpreter's. Needs -ffp-contract=off. */
#ifndef ISA_KERNEL_CORE_H
#define ISA_KERNEL_CORE_H

#ifdef __cplusplus
#if __has_include(<aie_api/aie.hpp>)
#include <aie_api/aie.hpp>
#define TILE_MMUL
#endif
#define restrict __restrict
#define _Alignas alignas
#define TILE_KERNEL extern "C"
#else
#define TILE_KERNEL
#endif
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

/* Functions have the arguments that a design calls them with, and kernels may compute what nothing reads. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#define TILE_CORE static __attribute__((noinline, unused))

/* A check of data has failed in the kernel: nobody can be told, so the core stands still, and the host sees a run without an end. */
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

/* An argument as data look at it. */
#define TILE_ARGUMENT_OF(at, row_count, column_count, stride)                                                                                                  \
	{                                                                                                                                                      \
		.data = at, .rows = row_count, .columns = column_count, .row_stride = stride, .column_stride = 1                                               \
	}
#ifdef __cplusplus
struct tile_window_held {
	struct ptowsp_tensor_arg window;
	operator const struct ptowsp_tensor_arg *() const
	{
		return &window;
	}
};
#define TILE_ARGUMENT(...) (tile_window_held{TILE_ARGUMENT_OF(__VA_ARGS__)})
#else
#define TILE_ARGUMENT(...) (&(const struct ptowsp_tensor_arg)TILE_ARGUMENT_OF(__VA_ARGS__))
#endif

/* ---- products ------------------------------------------------------------------------------------------------------------- */

/* Rows, terms and columns of the blocks in which a product is made, by the type of its factors: those of aie::mmul (aie_api, detail/aie2 and aie2p) where a core's unit has the type. */
#if defined(__AIE_ARCH__) && __AIE_ARCH__ > 20
#define TILE_SHAPES(X)                                                                                                                                         \
	X(i8, 8, 8, 8)                                                                                                                                         \
	X(u8, 8, 8, 8)                                                                                                                                         \
	X(i16, 4, 4, 8)                                                                                                                                        \
	X(u16, 4, 4, 8)                                                                                                                                        \
	X(i32, 4, 4, 8)                                                                                                                                        \
	X(u32, 4, 4, 8)                                                                                                                                        \
	X(bf16, 8, 8, 8)                                                                                                                                       \
	TILE_OTHER_SHAPES(X)
#else
#define TILE_SHAPES(X)                                                                                                                                         \
	X(i8, 4, 8, 8)                                                                                                                                         \
	X(u8, 4, 8, 8)                                                                                                                                         \
	X(i16, 4, 4, 4)                                                                                                                                        \
	X(u16, 4, 4, 4)                                                                                                                                        \
	X(i32, 4, 4, 4)                                                                                                                                        \
	X(u32, 4, 4, 4)                                                                                                                                        \
	X(bf16, 4, 8, 4)                                                                                                                                       \
	TILE_OTHER_SHAPES(X)
#endif
#define TILE_OTHER_SHAPES(X)                                                                                                                                   \
	X(f32, 4, 8, 4)                                                                                                                                        \
	X(f16, 4, 8, 4)                                                                                                                                        \
	X(f64, 4, 8, 4)                                                                                                                                        \
	X(i64, 4, 8, 4)                                                                                                                                        \
	X(u64, 4, 8, 4)
#define TILE_SHAPE(type, rows, terms, columns) TILE_ROWS_##type = rows, TILE_TERMS_##type = terms, TILE_COLUMNS_##type = columns,
enum { TILE_SHAPES(TILE_SHAPE) };

/* How many of `all` from `at` on a block has: a constant where all are whole. */
#define TILE_WITHIN(all, at, block) ((all) % (block) && (all) - (at) < (block) ? (all) - (at) : (size_t)(block))
#define TILE_AS(how, type, element) ((isa_c_##how)isa_get_##type(element))

/* Each block of d (m x n): sums begin with `first`, `terms` adds to them, and they end as `last`. */
#define TILE_PRODUCT_OF(name, parameters, d_type, shape, how, m, n, first, terms, last)                                                                        \
	TILE_CORE void name parameters                                                                                                                         \
	{                                                                                                                                                      \
		enum { ROWS = TILE_ROWS_##shape, TERMS = TILE_TERMS_##shape, COLUMNS = TILE_COLUMNS_##shape };                                                 \
                                                                                                                                                               \
		for (size_t y = 0; y < (m); y += ROWS)                                                                                                         \
			for (size_t x = 0; x < (n); x += COLUMNS) {                                                                                            \
				const size_t rows = TILE_WITHIN(m, y, ROWS), columns = TILE_WITHIN(n, x, COLUMNS);                                             \
				TILE_SUMS(isa_c_##how, sum, ROWS *COLUMNS);                                                                                    \
                                                                                                                                                               \
				for (size_t i = 0; i < rows; i++)                                                                                              \
					for (size_t j = 0; j < columns; j++)                                                                                   \
						sum[i * COLUMNS + j] = first;                                                                                  \
				terms for (size_t i = 0; i < rows; i++) for (size_t j = 0; j < columns; j++) d[(y + i) * (n) + x + j] =                        \
					isa_put_##d_type(last);                                                                                                \
			}                                                                                                                                      \
	}
/* left * right for all k terms, in ascending order. */
#define TILE_LOOPS(how, k, left, right)                                                                                                                        \
	for (size_t z = 0; z < (k); z += TERMS)                                                                                                                \
		for (size_t l = z; l < z + TILE_WITHIN(k, z, TERMS); l++) {                                                                                    \
			isa_c_##how row[COLUMNS];                                                                                                              \
                                                                                                                                                               \
			for (size_t j = 0; j < columns; j++)                                                                                                   \
				row[j] = right;                                                                                                                \
			for (size_t i = 0; i < rows; i++) {                                                                                                    \
				const isa_c_##how by = left;                                                                                                   \
                                                                                                                                                               \
				for (size_t j = 0; j < columns; j++)                                                                                           \
					sum[i * COLUMNS + j] += by * row[j];                                                                                   \
			}                                                                                                                                      \
		}
#define TILE_BY_LOOPS(how, a_type, b_type, k, left, right) TILE_LOOPS(how, k, TILE_AS(how, a_type, left), TILE_AS(how, b_type, right))

#ifdef TILE_MMUL
#define TILE_UNIT_i8                 int8
#define TILE_UNIT_u8                 uint8
#define TILE_UNIT_i16                int16
#define TILE_UNIT_u16                uint16
#define TILE_UNIT_i32                int32
#define TILE_UNIT_u32                uint32
#define TILE_UNIT_f32                float
#define TILE_UNIT_bf16               bfloat16
#define TILE_SUMS(type, name, count) alignas(aie::vector_decl_align) type name[count] = {}
/* The same by the core's unit, for which factors are laid out in blocks, with zeros beyond their ends. It may add several terms at once. */
#define TILE_BY_UNIT(how, a_type, b_type, k, left, right)                                                                                                      \
	{                                                                                                                                                      \
		aie::mmul<ROWS, TERMS, COLUMNS, TILE_UNIT_##a_type, TILE_UNIT_##b_type> product(aie::load_v<ROWS * COLUMNS>((const TILE_UNIT_##how *)sum));    \
                                                                                                                                                               \
		for (size_t z = 0; z < (k); z += TERMS) {                                                                                                      \
			const size_t all = TILE_WITHIN(k, z, TERMS);                                                                                           \
			alignas(aie::vector_decl_align) isa_s_##a_type u[ROWS * TERMS];                                                                        \
			alignas(aie::vector_decl_align) isa_s_##b_type v[TERMS * COLUMNS];                                                                     \
                                                                                                                                                               \
			for (size_t l = z; l < z + TERMS; l++) {                                                                                               \
				for (size_t i = 0; i < ROWS; i++)                                                                                              \
					u[i * TERMS + l - z] = i < rows && l < z + all ? left : 0;                                                             \
				for (size_t j = 0; j < COLUMNS; j++)                                                                                           \
					v[(l - z) * COLUMNS + j] = j < columns && l < z + all ? right : 0;                                                     \
			}                                                                                                                                      \
			product.mac(aie::load_v<ROWS * TERMS>((const TILE_UNIT_##a_type *)u), aie::load_v<TERMS * COLUMNS>((const TILE_UNIT_##b_type *)v));    \
		}                                                                                                                                              \
		aie::store_v((TILE_UNIT_##how *)sum, product.to_vector<TILE_UNIT_##how>());                                                                    \
	}
#else
#define TILE_SUMS(type, name, count) type name[count]
#define TILE_BY_UNIT                 TILE_BY_LOOPS
#endif
#define TILE_BY_i8   TILE_BY_UNIT
#define TILE_BY_u8   TILE_BY_UNIT
#define TILE_BY_i16  TILE_BY_UNIT
#define TILE_BY_u16  TILE_BY_UNIT
#define TILE_BY_i32  TILE_BY_UNIT
#define TILE_BY_u32  TILE_BY_UNIT
#define TILE_BY_bf16 TILE_BY_UNIT
#define TILE_BY_f32  TILE_BY_LOOPS /* the unit has it in parts of bf16 only */
#define TILE_BY_f16  TILE_BY_LOOPS
#define TILE_BY_f64  TILE_BY_LOOPS
#define TILE_BY_i64  TILE_BY_LOOPS
#define TILE_BY_u64  TILE_BY_LOOPS

/* d (m x n) = c + a (m x k) x b (k x n) of these element types, computed in `how` with k ascending, rounded to d's type once; c NULL: zeros. c may be d, which overlaps nothing else. */
#define TILE_PRODUCT(name, d_type, c_type, a_type, b_type, how, m, k, n)                                                                                       \
	TILE_PRODUCT_OF(name, (isa_s_##d_type * d, const isa_s_##c_type *c, const isa_s_##a_type *restrict a, const isa_s_##b_type *restrict b), d_type,       \
			a_type, how, m, n, c ? TILE_AS(how, c_type, c[(y + i) * (n) + x + j]) : 0,                                                             \
			TILE_BY_##a_type(how, a_type, b_type, k, a[(y + i) * (k) + l], b[l * (n) + x + j]), sum[i * COLUMNS + j])
/* The same with c[0,j] added to the sum. */
#define TILE_PRODUCT_BIAS(name, d_type, c_type, a_type, b_type, how, m, k, n)                                                                                  \
	TILE_PRODUCT_OF(name, (isa_s_##d_type * d, const isa_s_##c_type *c, const isa_s_##a_type *restrict a, const isa_s_##b_type *restrict b), d_type,       \
			a_type, how, m, n, 0, TILE_BY_##a_type(how, a_type, b_type, k, a[(y + i) * (k) + l], b[l * (n) + x + j]),                              \
			sum[i * COLUMNS + j] + TILE_AS(how, c_type, c[x + j]))
/* d = a x b, each element times its scale first; a_scales and b_scales: how many there are along k. */
#define TILE_PRODUCT_SCALED(name, d_type, as_type, a_type, b_type, bs_type, how, m, k, n, a_scales, b_scales)                                                  \
	TILE_PRODUCT_OF(name,                                                                                                                                  \
			(isa_s_##d_type * d, const isa_s_##a_type *restrict a, const isa_s_##as_type *restrict a_scale, const isa_s_##b_type *restrict b,      \
			 const isa_s_##bs_type *restrict b_scale),                                                                                             \
			d_type, a_type, how, m, n, 0,                                                                                                          \
			TILE_LOOPS(how, k,                                                                                                                     \
				   TILE_AS(how, a_type, a[(y + i) * (k) + l]) * TILE_AS(how, as_type, a_scale[(y + i) * (a_scales) + l / ((k) / (a_scales))]), \
				   TILE_AS(how, b_type, b[l * (n) + x + j]) * TILE_AS(how, bs_type, b_scale[l / ((k) / (b_scales)) * (n) + x + j])),           \
			sum[i * COLUMNS + j])

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
TILE_CORE_FUNCTION(gelu)
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
/* The library's erfc asks where its argument lies and does half of what tile_gelu_f32 does for all. */
TILE_CORE float tile_core_gelu_f32(float x)
{
	return x / 2 * erfcf(-x * 0.70710678f);
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

/* Numbers of a double and quotients are functions there. */
TILE_CORE float tile_core_rem_f32(float a, float b)
{
	return fmodf(a, b);
}

#endif
