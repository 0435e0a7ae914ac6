/* SPDX-License-Identifier: MIT */
/* ops_matrix.c - products of tiles. Each element of the result adds its products in ascending k, every product rounded first;
 * blocks only decide which elements are worked on at the same time. */
#include "isa/ops.h"

enum { BLOCK_ROWS = 4, BLOCK_COLUMNS = 8 };

/* d[0..lanes) x [0..8) += a[lanes rows of K] x b[K rows of N]: the accumulators stay in registers over all k. */
#define BLOCK(name, T, lanes, madd)                                                                                    \
	static inline __attribute__((always_inline)) void name(T *d, const T *a, const T *b, size_t k_count, size_t n) \
	{                                                                                                              \
		T acc[lanes][BLOCK_COLUMNS];                                                                           \
                                                                                                                       \
		for (size_t r = 0; r < (lanes); r++)                                                                   \
			for (size_t j = 0; j < BLOCK_COLUMNS; j++)                                                     \
				acc[r][j] = d[r * n + j];                                                              \
		for (size_t k = 0; k < k_count; k++)                                                                   \
			for (size_t r = 0; r < (lanes); r++) {                                                         \
				const T v = a[r * k_count + k];                                                        \
                                                                                                                       \
				for (size_t j = 0; j < BLOCK_COLUMNS; j++)                                             \
					acc[r][j] = madd(acc[r][j], v, b[k * n + j]);                                  \
			}                                                                                              \
		for (size_t r = 0; r < (lanes); r++)                                                                   \
			for (size_t j = 0; j < BLOCK_COLUMNS; j++)                                                     \
				d[r * n + j] = acc[r][j];                                                              \
	}

/* d (m x n) += a (m x k_count) x b (k_count x n); d does not overlap a or b. */
#define PRODUCT(T, suffix, madd)                                                                                       \
	BLOCK(block_##suffix, T, BLOCK_ROWS, madd)                                                                     \
	BLOCK(row_##suffix, T, 1, madd)                                                                                \
	static void product_##suffix(T *d, const T *a, const T *b, size_t m, size_t k_count, size_t n)                 \
	{                                                                                                              \
		const size_t full = n - n % BLOCK_COLUMNS;                                                             \
		size_t i = 0;                                                                                          \
                                                                                                                       \
		for (; i + BLOCK_ROWS <= m; i += BLOCK_ROWS)                                                           \
			for (size_t j = 0; j < full; j += BLOCK_COLUMNS)                                               \
				block_##suffix(d + i * n + j, a + i * k_count, b + j, k_count, n);                     \
		for (; i < m; i++)                                                                                     \
			for (size_t j = 0; j < full; j += BLOCK_COLUMNS)                                               \
				row_##suffix(d + i * n + j, a + i * k_count, b + j, k_count, n);                       \
		for (i = 0; i < m; i++)                                                                                \
			for (size_t j = full; j < n; j++) {                                                            \
				T acc = d[i * n + j];                                                                  \
                                                                                                                       \
				for (size_t k = 0; k < k_count; k++)                                                   \
					acc = madd(acc, a[i * k_count + k], b[k * n + j]);                             \
				d[i * n + j] = acc;                                                                    \
			}                                                                                              \
	}
#define MADD_F32(acc, a, b) ((acc) + (a) * (b))
#define MADD_I32(acc, a, b) ISA_WRAP(acc, +, ISA_WRAP(a, *, b))
PRODUCT(float, f32, MADD_F32)
PRODUCT(int32_t, i32, MADD_I32)

/* Where a product goes: not onto its own sources. */
static void *result_begin(const struct isa_step *s, const struct isa_state *state)
{
	return s->copy ? isa_temp(state) : isa_tile(state, &s->d);
}

static ptowsp_status result_end(const struct isa_step *s, const struct isa_state *state, const void *result)
{
	if (s->copy)
		memcpy(isa_tile(state, &s->d), result, isa_count(&s->d) * 4);
	return PTOWSP_OK;
}

#define MATMUL(T, suffix, plus)                                                                                        \
	static ptowsp_status tmatmul_##suffix(const struct isa_step *s, struct isa_state *state)                       \
	{                                                                                                              \
		T *d = result_begin(s, state);                                                                         \
                                                                                                                       \
		memset(d, 0, isa_count(&s->d) * 4);                                                                    \
		product_##suffix(d, isa_tile(state, &s->a), isa_tile(state, &s->b), s->a.rows, s->a.columns,           \
				 s->b.columns);                                                                        \
		return result_end(s, state, d);                                                                        \
	}                                                                                                              \
	/* The sum starts from the accumulator. */                                                                     \
	static ptowsp_status tmatmul_acc_##suffix(const struct isa_step *s, struct isa_state *state)                   \
	{                                                                                                              \
		T *d = result_begin(s, state);                                                                         \
                                                                                                                       \
		memmove(d, isa_tile(state, &s->a), isa_count(&s->d) * 4);                                              \
		product_##suffix(d, isa_tile(state, &s->b), isa_tile(state, &s->c), s->b.rows, s->b.columns,           \
				 s->c.columns);                                                                        \
		return result_end(s, state, d);                                                                        \
	}                                                                                                              \
	/* The bias is added to the finished sum. */                                                                   \
	static ptowsp_status tmatmul_bias_##suffix(const struct isa_step *s, struct isa_state *state)                  \
	{                                                                                                              \
		T *d = result_begin(s, state);                                                                         \
		const T *bias = isa_tile(state, &s->c);                                                                \
		const size_t n = s->d.columns;                                                                         \
                                                                                                                       \
		memset(d, 0, isa_count(&s->d) * 4);                                                                    \
		product_##suffix(d, isa_tile(state, &s->a), isa_tile(state, &s->b), s->a.rows, s->a.columns, n);       \
		for (size_t i = 0; i < s->d.rows; i++)                                                                 \
			ISA_VECTOR for (size_t j = 0; j < n; j++)                                                      \
			{                                                                                              \
				d[i * n + j] = plus(d[i * n + j], bias[j]);                                            \
			}                                                                                              \
		return result_end(s, state, d);                                                                        \
	}
#define PLUS_F32(a, b) ((a) + (b))
#define PLUS_I32(a, b) ISA_WRAP(a, +, b)
MATMUL(float, f32, PLUS_F32)
MATMUL(int32_t, i32, PLUS_I32)

/* Scales are applied, and rounded, before the product. */
#define MATMUL_MX(T, suffix, times, plus)                                                                              \
	static ptowsp_status tmatmul_mx_##suffix(const struct isa_step *s, struct isa_state *state)                    \
	{                                                                                                              \
		T *d = result_begin(s, state);                                                                         \
		const T *a = isa_tile(state, &s->a), *a_scale = isa_tile(state, &s->b);                                \
		const T *b = isa_tile(state, &s->c), *b_scale = isa_tile(state, &s->f);                                \
		const size_t n = s->c.columns, k_count = s->a.columns;                                                 \
		const size_t a_share = k_count / s->b.columns, b_share = k_count / s->f.rows;                          \
                                                                                                                       \
		memset(d, 0, isa_count(&s->d) * 4);                                                                    \
		for (size_t i = 0; i < s->a.rows; i++)                                                                 \
			for (size_t k = 0; k < k_count; k++) {                                                         \
				const T v = times(a[i * k_count + k], a_scale[i * s->b.columns + k / a_share]);        \
				const T *row = b + k * n, *scale = b_scale + k / b_share * n;                          \
				T *to = d + i * n;                                                                     \
                                                                                                                       \
				ISA_VECTOR for (size_t j = 0; j < n; j++)                                              \
				{                                                                                      \
					const T w = times(row[j], scale[j]);                                           \
                                                                                                                       \
					to[j] = plus(to[j], times(v, w));                                              \
				}                                                                                      \
			}                                                                                              \
		return result_end(s, state, d);                                                                        \
	}
#define TIMES_F32(a, b) ((a) * (b))
#define TIMES_I32(a, b) ISA_WRAP(a, *, b)
MATMUL_MX(float, f32, TIMES_F32, PLUS_F32)
MATMUL_MX(int32_t, i32, TIMES_I32, PLUS_I32)

const struct isa_kernel isa_ops_matrix[] = {
	{ .op = PTOWSP_PTO_TMATMUL, .run = { tmatmul_f32, tmatmul_i32 } },
	{ .op = PTOWSP_PTO_TMATMUL_ACC, .run = { tmatmul_acc_f32, tmatmul_acc_i32 } },
	{ .op = PTOWSP_PTO_TMATMUL_BIAS, .run = { tmatmul_bias_f32, tmatmul_bias_i32 } },
	{ .op = PTOWSP_PTO_TMATMUL_MX, .run = { tmatmul_mx_f32, tmatmul_mx_i32 } },
	{ .op = 0 },
};
