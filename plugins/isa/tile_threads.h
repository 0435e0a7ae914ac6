/* SPDX-License-Identifier: MIT */
/* tile_threads.h - operations on tiles by a group of threads that are more than a loop over elements: by indices, reductions, sorting, products. Part of kernel_threads.h, which
 * includes it. */
#ifndef ISA_TILE_THREADS_H
#define ISA_TILE_THREADS_H

/* ---- tile_op.h, by all threads --------------------------------------------------------------------------------------- */

#define TILE_BEGIN
#define TILE_END                           TILE_SYNC
#define TILE_ALONE                         if (TILE_THREAD == 0)
#define TILE_DOWN(i, count, columns)       TILE_EACH(of_##i, columns) for (size_t i = of_##i; i < (count); i += (columns))
#define TILE_BLOCKS(i, first, count, size) for (size_t i = (first) + (size) * (size_t)TILE_THREAD; i < (count); i += (size) * (size_t)TILE_WIDTH)
#ifndef TILE_LANES
#define TILE_LANES 1
#define TILE_PART  1
#endif
/* Indices are checked first, by all threads together: all of them go on, or none. */
#define TILE_CHECK(count, limit, unit)                                                                                                                         \
	if (tile_indices_outside(index, is_unsigned, count, limit, unit))                                                                                      \
	return (count) + 1
#define TILE_RUN(d, to, x, from, n)                                                                                                                            \
	TILE_EACH(at, n)                                                                                                                                       \
	(d)[(to) + at] = (x)[(from) + at]
/* Memory of a window may begin at any byte. */
#define TILE_FETCH(type, d, at, from)                                                                                                                          \
	for (size_t part = 0; part < sizeof(*(d)); part++)                                                                                                     \
	((TILE_MEMORY unsigned char *)((d) + (at)))[part] = (from)[part]
#define TILE_DROP(type, to, x, at)                                                                                                                             \
	for (size_t part = 0; part < sizeof(*(x)); part++)                                                                                                     \
	(to)[part] = ((const TILE_MEMORY unsigned char *)((x) + (at)))[part]

TILE_DEVICE int tile_indices_outside(const TILE_MEMORY void *index, int is_unsigned, size_t count, int64_t limit, int64_t unit);
#include "isa/tile_op.h"

TILE_DEVICE int tile_indices_outside(const TILE_MEMORY void *index, int is_unsigned, size_t count, int64_t limit, int64_t unit)
{
	int outside = 0;

	TILE_LOOK(i, count)
	{
		const int64_t k = tile_index(index, is_unsigned, i);

		outside |= k < 0 || k >= limit || k % unit != 0;
	}
	return TILE_ANY(outside);
}

TILE_FUNCTIONS

/* As in kernel_tile.h, without sentences. */
#define tile_indices(call, place, mnemonic, index, is_unsigned, tile, unit, limit, count, done) tile_done(call, place, count, done)
#define tile_elements(call, place, does, param, index, is_unsigned, count, done)                tile_done(call, place, count, done)
#define tile_extract_fail(call, place, ...)                                                     tile_failed(call, place)
TILE_DEVICE ptowsp_status tile_done(struct tile_call *call, const TILE_LITERAL char *place, size_t count, size_t done)
{
	return done == count ? PTOWSP_OK : tile_failed(call, place);
}

/* ---- products: a block of elements per thread, k ascending ---------------------------------------------------------- */

/* Rows and neighbouring columns of a thread's block. */
#ifndef TILE_SUMS
#define TILE_SUM_ROWS 4
#define TILE_SUMS     1
#endif
/* A block of the result, whose sums stay in registers; r and s as above, or what is left of them. */
#define TILE_PRODUCT_BLOCK(how, r, s)                                                                                                                          \
	for (size_t i = 0; i < (r); i++)                                                                                                                       \
		for (size_t j = 0; j < (s); j++)                                                                                                               \
			sum[i][j] = c ? c[(row + i) * n + column + j] : 0;                                                                                     \
	for (size_t k = 0; k < k_count; k++)                                                                                                                   \
		for (size_t i = 0; i < (r); i++) {                                                                                                             \
			const isa_c_##how v = a[(row + i) * k_count + k];                                                                                      \
                                                                                                                                                               \
			for (size_t j = 0; j < (s); j++)                                                                                                       \
				sum[i][j] += v * b[k * n + column + j];                                                                                        \
		}                                                                                                                                              \
	for (size_t i = 0; i < (r); i++)                                                                                                                       \
		for (size_t j = 0; j < (s); j++)                                                                                                               \
			d[(row + i) * n + column + j] = sum[i][j];
#define TILE_PRODUCT(how)                                                                                                                                      \
	TILE_DEVICE void product_##how(TILE_MEMORY isa_c_##how *d, const TILE_MEMORY isa_c_##how *c, const TILE_MEMORY isa_c_##how *a,                         \
				       const TILE_MEMORY isa_c_##how *b, size_t m, size_t k_count, size_t n)                                                   \
	{                                                                                                                                                      \
		const size_t across = (n + TILE_SUMS - 1) / TILE_SUMS, down = (m + TILE_SUM_ROWS - 1) / TILE_SUM_ROWS;                                         \
                                                                                                                                                               \
		TILE_EACH(at, down *across)                                                                                                                    \
		{                                                                                                                                              \
			const size_t row = at / across * TILE_SUM_ROWS, column = at % across * TILE_SUMS;                                                      \
			const size_t rows = m - row < TILE_SUM_ROWS ? m - row : TILE_SUM_ROWS, columns = n - column < TILE_SUMS ? n - column : TILE_SUMS;      \
			isa_c_##how sum[TILE_SUM_ROWS][TILE_SUMS];                                                                                             \
                                                                                                                                                               \
			if (rows == TILE_SUM_ROWS && columns == TILE_SUMS) {                                                                                   \
				TILE_PRODUCT_BLOCK(how, TILE_SUM_ROWS, TILE_SUMS)                                                                              \
			} else {                                                                                                                               \
				TILE_PRODUCT_BLOCK(how, rows, columns)                                                                                         \
			}                                                                                                                                      \
		}                                                                                                                                              \
		TILE_SYNC;                                                                                                                                     \
	}                                                                                                                                                      \
	TILE_DEVICE void product_bias_##how(TILE_MEMORY isa_c_##how *d, const TILE_MEMORY isa_c_##how *bias, size_t m, size_t n)                               \
	{                                                                                                                                                      \
		TILE_GRID(i, j, m, n)                                                                                                                          \
		d[i * n + j] += bias[j];                                                                                                                       \
		TILE_SYNC;                                                                                                                                     \
	}                                                                                                                                                      \
	TILE_DEVICE void product_scaled_##how(TILE_MEMORY isa_c_##how *d, const TILE_MEMORY isa_c_##how *a, const TILE_MEMORY isa_c_##how *a_scale,            \
					      size_t a_share, const TILE_MEMORY isa_c_##how *b, const TILE_MEMORY isa_c_##how *b_scale, size_t b_share,        \
					      size_t m, size_t k_count, size_t n)                                                                              \
	{                                                                                                                                                      \
		TILE_GRID(row, column, m, n)                                                                                                                   \
		{                                                                                                                                              \
			isa_c_##how sum = 0;                                                                                                                   \
                                                                                                                                                               \
			for (size_t k = 0; k < k_count; k++) {                                                                                                 \
				const isa_c_##how v = a[row * k_count + k] * a_scale[row * (k_count / a_share) + k / a_share];                                 \
				const isa_c_##how w = b[k * n + column] * b_scale[k / b_share * n + column];                                                   \
                                                                                                                                                               \
				sum += v * w;                                                                                                                  \
			}                                                                                                                                      \
			d[row * n + column] = sum;                                                                                                             \
		}                                                                                                                                              \
		TILE_SYNC;                                                                                                                                     \
	}
TILE_PRODUCT(f32)
TILE_PRODUCT(f64)
TILE_PRODUCT(u32)
TILE_PRODUCT(u64)

#define TILE_CONVERT(type, how)                                                                                                                                \
	TILE_DEVICE void product_widen_##type(TILE_MEMORY isa_c_##how *to, const TILE_MEMORY isa_s_##type *from, size_t count)                                 \
	{                                                                                                                                                      \
		TILE_EACH(at, count)                                                                                                                           \
		to[at] = (isa_c_##how)isa_get_##type(from[at]);                                                                                                \
		TILE_SYNC;                                                                                                                                     \
	}                                                                                                                                                      \
	TILE_DEVICE void product_narrow_##type(TILE_MEMORY isa_s_##type *to, const TILE_MEMORY isa_c_##how *from, size_t count)                                \
	{                                                                                                                                                      \
		TILE_EACH(at, count)                                                                                                                           \
		to[at] = isa_put_##type(from[at]);                                                                                                             \
		TILE_SYNC;                                                                                                                                     \
	}
TILE_CONVERT(f16, f32)
TILE_CONVERT(bf16, f32)
TILE_CONVERT(i8, u32)
TILE_CONVERT(i16, u32)
TILE_CONVERT(u8, u32)
TILE_CONVERT(u16, u32)

#endif
