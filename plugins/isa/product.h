/* SPDX-License-Identifier: MIT */
/* product.h - products of tiles, for the interpreter and for emitted C alike: the same bits on every machine. Each element of a
 * result adds its products in ascending k, every product rounded first; blocks and vectors only decide which elements are worked
 * on at the same time. There are four ways to compute: f32, f64, and unsigned integers of 32 and 64 bits, which wrap like signed
 * ones. Elements of other types are widened first, and a result of another type is narrowed.
 *
 * Everything is compiled several times, for processors with and without wide vectors, and chosen by what the processor says
 * (product_level). Needs -ffp-contract=off. With PRODUCT_FAST and
 * -ffp-contract=fast products are fused with their sums where the processor can. */
#ifndef ISA_PRODUCT_H
#define ISA_PRODUCT_H

#include <stddef.h>

#include "isa/element.h"

#if defined(__clang__)
#define PRODUCT_UNROLL _Pragma("clang loop unroll(full)")
#define PRODUCT_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#define PRODUCT_APART  unused, noinline
#else
#define PRODUCT_UNROLL _Pragma("GCC unroll 16")
#define PRODUCT_VECTOR _Pragma("GCC ivdep")
#define PRODUCT_APART  unused, noipa /* one for all sizes: sizes known to a caller make it no faster */
#endif

/* Levels: what a function may use. Every processor of an architecture has level base; NEON is in it. */
#define PRODUCT_TARGET_base __attribute__((PRODUCT_APART))
#if defined(__x86_64__) && !defined(TILE_ONE_MACHINE)
#define PRODUCT_LEVELS(X, ...)                                                                                                                                 \
	X(base, __VA_ARGS__)                                                                                                                                   \
	X(avx2, __VA_ARGS__)                                                                                                                                   \
	X(avx512, __VA_ARGS__)
#ifdef PRODUCT_FAST
#define PRODUCT_TARGET_avx2 __attribute__((PRODUCT_APART, target("avx2,fma")))
#else
#define PRODUCT_TARGET_avx2 __attribute__((PRODUCT_APART, target("avx2")))
#endif
#define PRODUCT_TARGET_avx512 __attribute__((PRODUCT_APART, target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define PRODUCT_LEVELS(X, ...) X(base, __VA_ARGS__)
#endif
/* TILE_PRODUCT: only that level, for a program that knows where it runs. Three levels are most of what a kernel with products costs to compile. */
#if defined(TILE_PRODUCT)
#undef PRODUCT_LEVELS
#define PRODUCT_LEVELS(X, ...)          PRODUCT_LEVEL_OF(X, TILE_PRODUCT, __VA_ARGS__)
#define PRODUCT_LEVEL_OF(X, level, ...) X(level, __VA_ARGS__)
#endif

enum product_level { PRODUCT_base, PRODUCT_avx2, PRODUCT_avx512 };

/* The highest level that this processor and its operating system have. A look at what was found out when the file was loaded; no
 * IFUNC, which sanitizers and foreign loaders do not always resolve. */
static inline __attribute__((unused)) enum product_level product_level(void)
{
#if defined(__x86_64__) && !defined(TILE_ONE_MACHINE)
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return PRODUCT_avx512;
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		return PRODUCT_avx2;
#endif
	return PRODUCT_base;
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Vectors of 16, 32 and 64 bytes, in registers and where they lie in memory. */
#define PRODUCT_VECTORS(how)                                                                                                                                   \
	typedef isa_c_##how product_##how##_16 __attribute__((vector_size(16)));                                                                               \
	typedef isa_c_##how product_##how##_32 __attribute__((vector_size(32)));                                                                               \
	typedef isa_c_##how product_##how##_64 __attribute__((vector_size(64)));                                                                               \
	typedef isa_c_##how product_at_##how##_16 __attribute__((vector_size(16), aligned(sizeof(isa_c_##how)), may_alias));                                   \
	typedef isa_c_##how product_at_##how##_32 __attribute__((vector_size(32), aligned(sizeof(isa_c_##how)), may_alias));                                   \
	typedef isa_c_##how product_at_##how##_64 __attribute__((vector_size(64), aligned(sizeof(isa_c_##how)), may_alias));

/* R rows of C vectors: to = from + a x b with all sums in registers; width and step: elements from row to row. Loops over r and v are unrolled, so their arrays are registers, too. */
#define PRODUCT_BLOCK(how, size, R, C, to, from, width, right_at, right_step)                                                                                  \
	{                                                                                                                                                      \
		const isa_c_##how *row = (right_at);                                                                                                           \
		product_##how##_##size sum[R][C];                                                                                                              \
                                                                                                                                                               \
		PRODUCT_UNROLL for (size_t r = 0; r < (R); r++) PRODUCT_UNROLL for (size_t v = 0; v < (C); v++) sum[r][v] = (product_##how##_##size){0};       \
		if (c)                                                                                                                                         \
			PRODUCT_UNROLL for (size_t r = 0; r < (R); r++) PRODUCT_UNROLL for (size_t v = 0; v < (C); v++) sum[r][v] =                            \
				*(const product_at_##how##_##size *)((from) + r * (width) + v * PRODUCT_LANES(how, size));                                     \
		for (size_t k = 0; k < k_count; k++, row += (right_step)) {                                                                                    \
			product_##how##_##size right[C];                                                                                                       \
                                                                                                                                                               \
			PRODUCT_UNROLL for (size_t v = 0; v < (C); v++) right[v] = *(const product_at_##how##_##size *)(row + v * PRODUCT_LANES(how, size));   \
			PRODUCT_UNROLL for (size_t r = 0; r < (R); r++) PRODUCT_UNROLL for (size_t v = 0; v < (C); v++) sum[r][v] +=                           \
				a[r * step + k] * right[v];                                                                                                    \
		}                                                                                                                                              \
		PRODUCT_UNROLL for (size_t r = 0; r < (R); r++) PRODUCT_UNROLL for (size_t v = 0; v < (C); v++) *                                              \
			(product_at_##how##_##size *)((to) + r * (width) + v * PRODUCT_LANES(how, size)) = sum[r][v];                                          \
	}

#define PRODUCT_LANES(how, size) ((size) / sizeof(isa_c_##how))
#define PRODUCT_LOOP(how, size, R, C)                                                                                                                          \
	for (; j + (C)*PRODUCT_LANES(how, size) <= n; j += (C)*PRODUCT_LANES(how, size))                                                                       \
	PRODUCT_BLOCK(how, size, R, C, d + j, c + j, n, b + j, n)

/* The last columns, where they are just a short vector. */
#define PRODUCT_LAST(how, size, R)                                                                                                                             \
	if (j + PRODUCT_LANES(how, size) == n) {                                                                                                               \
		PRODUCT_BLOCK(how, size, R, 1, d + j, c + j, n, b + j, n)                                                                                      \
		return;                                                                                                                                        \
	}

/* R rows of the result: columns that are whole vectors, C vectors at a time as long as there are so many, then one; those behind them in a copy, and `last` has those of b. */
#define PRODUCT_ROWS(how, level, size, R, C)                                                                                                                   \
	static PRODUCT_TARGET_##level void product_##how##_##level##_rows_##R(isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, size_t step,         \
									      const isa_c_##how *b, const isa_c_##how *last, size_t k_count, size_t n)         \
	{                                                                                                                                                      \
		size_t j = 0;                                                                                                                                  \
                                                                                                                                                               \
		PRODUCT_LOOP(how, size, R, C)                                                                                                                  \
		PRODUCT_LOOP(how, size, R, 1)                                                                                                                  \
		PRODUCT_LAST(how, 32, R) PRODUCT_LAST(how, 16, R) if (j < n)                                                                                   \
		{                                                                                                                                              \
			isa_c_##how near[R][PRODUCT_LANES(how, size)] = {{0}};                                                                                 \
                                                                                                                                                               \
			for (size_t r = 0; c && r < (R); r++)                                                                                                  \
				memcpy(near[r], c + r * n + j, (n - j) * sizeof(*c));                                                                          \
			PRODUCT_BLOCK(how, size, R, 1, near[0], near[0], PRODUCT_LANES(how, size), last, PRODUCT_LANES(how, size))                             \
			for (size_t r = 0; r < (R); r++)                                                                                                       \
				memcpy(d + r * n + j, near[r], (n - j) * sizeof(*d));                                                                          \
		}                                                                                                                                              \
	}

/* Bytes of a vector, and blocks that keep multipliers and adders busy while one row of b passes, measured (README.md): 12 rows of one vector where there are 32 registers of 64 bytes,
 * 4 rows of two where there are 16; single rows need more columns for that. A fused product and sum is one instruction: fewer rows and more columns need fewer loads for each. */
#define PRODUCT_SIZE_avx512 64
#define PRODUCT_SIZE_avx2   32
#define PRODUCT_SIZE_base   16
#ifdef PRODUCT_FAST
#define PRODUCT_BLOCKS_avx512(how) PRODUCT_ROWS(how, avx512, 64, 4, 4) PRODUCT_ROWS(how, avx512, 64, 1, 8)
#else
#define PRODUCT_BLOCKS_avx512(how) PRODUCT_ROWS(how, avx512, 64, 12, 1) PRODUCT_ROWS(how, avx512, 64, 4, 2) PRODUCT_ROWS(how, avx512, 64, 1, 8)
#endif
#define PRODUCT_BLOCKS_avx2(how) PRODUCT_ROWS(how, avx2, 32, 4, 2) PRODUCT_ROWS(how, avx2, 32, 1, 8)
#define PRODUCT_BLOCKS_base(how) PRODUCT_ROWS(how, base, 16, 4, 2) PRODUCT_ROWS(how, base, 16, 1, 8)

/* Longer sums go on in parts, each from what the one before left in d: a part of b stays in the second cache while all rows pass it, and twelve rows of a part of a, which are
 * copied to lie a line more than the part apart, do not meet in one set of the first, as they do where rows are a multiple of 4 KiB long. */
#define PRODUCT_PART(how) (1024 / sizeof(isa_c_##how))
#define PRODUCT_GAP(how)  (64 / sizeof(isa_c_##how))
#define PRODUCT_WHOLE     3 /* parts that are not worth it yet */

#ifdef PRODUCT_FAST
#define PRODUCT_MANY_avx512(how, i)
#else
#define PRODUCT_MANY_avx512(how, i)                                                                                                                            \
	for (; i + 12 <= m; i += 12) {                                                                                                                         \
		isa_c_##how near[12][PRODUCT_PART(how) + PRODUCT_GAP(how)];                                                                                    \
		const isa_c_##how *rows = a + i * step;                                                                                                        \
		size_t at = step;                                                                                                                              \
                                                                                                                                                               \
		if (step > k_count) {                                                                                                                          \
			at = PRODUCT_PART(how) + PRODUCT_GAP(how);                                                                                             \
			for (size_t r = 0; r < 12; r++)                                                                                                        \
				memcpy(near[r], rows + r * step, k_count * sizeof(*rows));                                                                     \
			rows = near[0];                                                                                                                        \
		}                                                                                                                                              \
		product_##how##_avx512_rows_12(d + i * n, c ? c + i * n : c, rows, at, b, last[0], k_count, n);                                                \
	}
#endif
#define PRODUCT_MANY_avx2(how, i)
#define PRODUCT_MANY_base(how, i)

/* ---- one level -------------------------------------------------------------------------------------------------- */

/* product: d (m x n) = c + a (m x k_count) x b (k_count x n); c NULL: zeros. c may be d; d overlaps nothing else.
 * bias: d[i,j] += bias[j]. scaled: d = a x b, each element times its scale first; a_share and b_share neighbours along k have one. */
#define PRODUCT_LEVEL(level, how)                                                                                                                              \
	PRODUCT_BLOCKS_##level(how) static PRODUCT_TARGET_##level void product_part_##how##_##level(                                                           \
		isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, size_t step, const isa_c_##how *b, size_t m, size_t k_count, size_t n)             \
	{                                                                                                                                                      \
		isa_c_##how last[PRODUCT_WHOLE * PRODUCT_PART(how)][PRODUCT_LANES(how, PRODUCT_SIZE_##level)];                                                 \
		const size_t rest = n % PRODUCT_LANES(how, PRODUCT_SIZE_##level) * sizeof(*b), whole = n - rest / sizeof(*b);                                  \
		size_t i = 0;                                                                                                                                  \
                                                                                                                                                               \
		for (size_t k = 0; rest && rest != 32 && rest != 16 && k < k_count; k++) {                                                                     \
			memset(last[k], 0, sizeof(last[k]));                                                                                                   \
			memcpy(last[k], b + k * n + whole, rest);                                                                                              \
		}                                                                                                                                              \
		PRODUCT_MANY_##level(how, i) for (; i + 4 <= m; i += 4)                                                                                        \
			product_##how##_##level##_rows_4(d + i * n, c ? c + i * n : c, a + i * step, step, b, last[0], k_count, n);                            \
		for (; i < m; i++)                                                                                                                             \
			product_##how##_##level##_rows_1(d + i * n, c ? c + i * n : c, a + i * step, step, b, last[0], k_count, n);                            \
	}                                                                                                                                                      \
	static PRODUCT_TARGET_##level void product_##how##_##level(isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, const isa_c_##how *b, size_t m, \
								   size_t k_count, size_t n)                                                                   \
	{                                                                                                                                                      \
		const size_t most = k_count > PRODUCT_WHOLE * PRODUCT_PART(how) ? PRODUCT_PART(how) : k_count;                                                 \
                                                                                                                                                               \
		for (size_t k = 0; k < k_count; k += most, c = d)                                                                                              \
			product_part_##how##_##level(d, c, a + k, k_count, b + k * n, m, k_count - k < most ? k_count - k : most, n);                          \
	}                                                                                                                                                      \
	static PRODUCT_TARGET_##level void product_bias_##how##_##level(isa_c_##how *d, const isa_c_##how *bias, size_t m, size_t n)                           \
	{                                                                                                                                                      \
		for (size_t i = 0; i < m; i++)                                                                                                                 \
			PRODUCT_VECTOR for (size_t j = 0; j < n; j++)                                                                                          \
			{                                                                                                                                      \
				d[i * n + j] += bias[j];                                                                                                       \
			}                                                                                                                                      \
	}                                                                                                                                                      \
	static PRODUCT_TARGET_##level void product_scaled_##how##_##level(isa_c_##how *d, const isa_c_##how *a, const isa_c_##how *a_scale, size_t a_share,    \
									  const isa_c_##how *b, const isa_c_##how *b_scale, size_t b_share, size_t m,          \
									  size_t k_count, size_t n)                                                            \
	{                                                                                                                                                      \
		memset(d, 0, m *n * sizeof(*d));                                                                                                               \
		for (size_t i = 0; i < m; i++)                                                                                                                 \
			for (size_t k = 0; k < k_count; k++) {                                                                                                 \
				const isa_c_##how v = a[i * k_count + k] * a_scale[i * (k_count / a_share) + k / a_share];                                     \
				const isa_c_##how *row = b + k * n, *scale = b_scale + k / b_share * n;                                                        \
				isa_c_##how *to = d + i * n;                                                                                                   \
                                                                                                                                                               \
				PRODUCT_VECTOR for (size_t j = 0; j < n; j++)                                                                                  \
				{                                                                                                                              \
					const isa_c_##how w = row[j] * scale[j];                                                                               \
                                                                                                                                                               \
					to[j] += v * w;                                                                                                        \
				}                                                                                                                              \
			}                                                                                                                                      \
	}

/* Elements as they are computed with, and back; to and from do not overlap. */
#define PRODUCT_CONVERT(level, type, how)                                                                                                                      \
	static PRODUCT_TARGET_##level void product_widen_##type##_##level(isa_c_##how *to, const isa_s_##type *from, size_t count)                             \
	{                                                                                                                                                      \
		PRODUCT_VECTOR for (size_t i = 0; i < count; i++)                                                                                              \
		{                                                                                                                                              \
			to[i] = (isa_c_##how)isa_get_##type(from[i]);                                                                                          \
		}                                                                                                                                              \
	}                                                                                                                                                      \
	static PRODUCT_TARGET_##level void product_narrow_##type##_##level(isa_s_##type *to, const isa_c_##how *from, size_t count)                            \
	{                                                                                                                                                      \
		PRODUCT_VECTOR for (size_t i = 0; i < count; i++)                                                                                              \
		{                                                                                                                                              \
			to[i] = isa_put_##type(from[i]);                                                                                                       \
		}                                                                                                                                              \
	}

/* ---- the processor's level -------------------------------------------------------------------------------------- */

#if defined(TILE_PRODUCT)
#define PRODUCT_CHOOSE(name, ...)           PRODUCT_CHOSEN(name, TILE_PRODUCT, __VA_ARGS__)
#define PRODUCT_CHOSEN(name, level, ...)    PRODUCT_CHOSEN_OF(name, level, __VA_ARGS__)
#define PRODUCT_CHOSEN_OF(name, level, ...) name##_##level(__VA_ARGS__);
#elif defined(__x86_64__) && !defined(TILE_ONE_MACHINE)
#define PRODUCT_CHOOSE(name, ...)                                                                                                                              \
	switch (product_level()) {                                                                                                                             \
	case PRODUCT_avx512: name##_avx512(__VA_ARGS__); break;                                                                                                \
	case PRODUCT_avx2: name##_avx2(__VA_ARGS__); break;                                                                                                    \
	default: name##_base(__VA_ARGS__);                                                                                                                     \
	}
#else
#define PRODUCT_CHOOSE(name, ...) name##_base(__VA_ARGS__);
#endif

#define PRODUCT(how)                                                                                                                                           \
	PRODUCT_VECTORS(how)                                                                                                                                   \
	PRODUCT_LEVELS(PRODUCT_LEVEL, how)                                                                                                                     \
	static inline __attribute__((unused)) void product_##how(isa_c_##how *d, const isa_c_##how *c, const isa_c_##how *a, const isa_c_##how *b, size_t m,   \
								 size_t k_count, size_t n)                                                                     \
	{                                                                                                                                                      \
		PRODUCT_CHOOSE(product_##how, d, c, a, b, m, k_count, n)                                                                                       \
	}                                                                                                                                                      \
	static inline __attribute__((unused)) void product_bias_##how(isa_c_##how *d, const isa_c_##how *bias, size_t m, size_t n)                             \
	{                                                                                                                                                      \
		PRODUCT_CHOOSE(product_bias_##how, d, bias, m, n)                                                                                              \
	}                                                                                                                                                      \
	static inline __attribute__((unused)) void product_scaled_##how(isa_c_##how *d, const isa_c_##how *a, const isa_c_##how *a_scale, size_t a_share,      \
									const isa_c_##how *b, const isa_c_##how *b_scale, size_t b_share, size_t m,            \
									size_t k_count, size_t n)                                                              \
	{                                                                                                                                                      \
		PRODUCT_CHOOSE(product_scaled_##how, d, a, a_scale, a_share, b, b_scale, b_share, m, k_count, n)                                               \
	}
#define PRODUCT_TYPE(type, how)                                                                                                                                \
	PRODUCT_LEVELS(PRODUCT_CONVERT, type, how)                                                                                                             \
	static inline __attribute__((unused)) void product_widen_##type(isa_c_##how *to, const isa_s_##type *from, size_t count)                               \
	{                                                                                                                                                      \
		PRODUCT_CHOOSE(product_widen_##type, to, from, count)                                                                                          \
	}                                                                                                                                                      \
	static inline __attribute__((unused)) void product_narrow_##type(isa_s_##type *to, const isa_c_##how *from, size_t count)                              \
	{                                                                                                                                                      \
		PRODUCT_CHOOSE(product_narrow_##type, to, from, count)                                                                                         \
	}

PRODUCT(f32)
PRODUCT(f64)
PRODUCT(u32)
PRODUCT(u64)

/* X(type, how it is computed): all, and those that are stored in another form. */
#define PRODUCT_TYPES(X)                                                                                                                                       \
	X(f32, f32)                                                                                                                                            \
	X(f64, f64)                                                                                                                                            \
	X(i32, u32)                                                                                                                                            \
	X(i64, u64)                                                                                                                                            \
	X(u32, u32)                                                                                                                                            \
	X(u64, u64)                                                                                                                                            \
	PRODUCT_WIDENED(X)
#define PRODUCT_WIDENED(X)                                                                                                                                     \
	X(f16, f32)                                                                                                                                            \
	X(bf16, f32)                                                                                                                                           \
	X(i8, u32)                                                                                                                                             \
	X(i16, u32)                                                                                                                                            \
	X(u8, u32)                                                                                                                                             \
	X(u16, u32)
PRODUCT_WIDENED(PRODUCT_TYPE)

#endif
