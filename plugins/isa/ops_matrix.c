/* SPDX-License-Identifier: MIT */
/* ops_matrix.c - products of tiles. Each element of the result adds its products in ascending k, every product rounded first;
 * blocks only decide which elements are worked on at the same time. Integers are computed as unsigned ones: they wrap. */
#include "isa/ops.h"

/* Vectors by name, because compilers do not find by themselves how to keep a block of accumulators in registers. */
typedef float f32x4 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16))); /* unsigned: products and sums wrap */

enum { LANES = 4, BLOCK_ROWS = 4, BLOCK_COLUMNS = 2 * LANES };

/* d[rows x 8] += a[rows x k_count] x b[k_count x 8], rows of n, k_count and n elements; for 4 rows and for one. The
 * accumulators have names of their own: an array of them would live in memory. */
#define BLOCKS(T, V, suffix)                                                                                           \
	static inline V load_##suffix(const T *from)                                                                   \
	{                                                                                                              \
		V v;                                                                                                   \
                                                                                                                       \
		memcpy(&v, from, sizeof(v));                                                                           \
		return v;                                                                                              \
	}                                                                                                              \
	static inline void store_##suffix(T *to, V v)                                                                  \
	{                                                                                                              \
		memcpy(to, &v, sizeof(v));                                                                             \
	}                                                                                                              \
	static void block_##suffix(T *d, const T *a, const T *b, size_t k_count, size_t n)                             \
	{                                                                                                              \
		T *const d1 = d + n, *const d2 = d1 + n, *const d3 = d2 + n;                                           \
		const T *const a1 = a + k_count, *const a2 = a1 + k_count, *const a3 = a2 + k_count;                   \
		V p0 = load_##suffix(d), q0 = load_##suffix(d + LANES);                                                \
		V p1 = load_##suffix(d1), q1 = load_##suffix(d1 + LANES);                                              \
		V p2 = load_##suffix(d2), q2 = load_##suffix(d2 + LANES);                                              \
		V p3 = load_##suffix(d3), q3 = load_##suffix(d3 + LANES);                                              \
                                                                                                                       \
		for (size_t k = 0; k < k_count; k++, b += n) {                                                         \
			const V left = load_##suffix(b), right = load_##suffix(b + LANES);                             \
                                                                                                                       \
			p0 += a[k] * left;                                                                             \
			q0 += a[k] * right;                                                                            \
			p1 += a1[k] * left;                                                                            \
			q1 += a1[k] * right;                                                                           \
			p2 += a2[k] * left;                                                                            \
			q2 += a2[k] * right;                                                                           \
			p3 += a3[k] * left;                                                                            \
			q3 += a3[k] * right;                                                                           \
		}                                                                                                      \
		store_##suffix(d, p0);                                                                                 \
		store_##suffix(d + LANES, q0);                                                                         \
		store_##suffix(d1, p1);                                                                                \
		store_##suffix(d1 + LANES, q1);                                                                        \
		store_##suffix(d2, p2);                                                                                \
		store_##suffix(d2 + LANES, q2);                                                                        \
		store_##suffix(d3, p3);                                                                                \
		store_##suffix(d3 + LANES, q3);                                                                        \
	}                                                                                                              \
	static void row_##suffix(T *d, const T *a, const T *b, size_t k_count, size_t n)                               \
	{                                                                                                              \
		V p = load_##suffix(d), q = load_##suffix(d + LANES);                                                  \
                                                                                                                       \
		for (size_t k = 0; k < k_count; k++, b += n) {                                                         \
			p += a[k] * load_##suffix(b);                                                                  \
			q += a[k] * load_##suffix(b + LANES);                                                          \
		}                                                                                                      \
		store_##suffix(d, p);                                                                                  \
		store_##suffix(d + LANES, q);                                                                          \
	}

/* d (m x n) += a (m x k_count) x b (k_count x n); d does not overlap a or b. */
#define PRODUCT(T, V, suffix)                                                                                          \
	BLOCKS(T, V, suffix)                                                                                           \
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
					acc += a[i * k_count + k] * b[k * n + j];                                      \
				d[i * n + j] = acc;                                                                    \
			}                                                                                              \
	}
PRODUCT(float, f32x4, f32)
PRODUCT(uint32_t, u32x4, i32)

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

#define MATMUL(T, suffix)                                                                                              \
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
				d[i * n + j] += bias[j];                                                               \
			}                                                                                              \
		return result_end(s, state, d);                                                                        \
	}
MATMUL(float, f32)
MATMUL(uint32_t, i32)

/* Scales are applied, and rounded, before the product. */
#define MATMUL_MX(T, suffix)                                                                                           \
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
				const T v = a[i * k_count + k] * a_scale[i * s->b.columns + k / a_share];              \
				const T *row = b + k * n, *scale = b_scale + k / b_share * n;                          \
				T *to = d + i * n;                                                                     \
                                                                                                                       \
				ISA_VECTOR for (size_t j = 0; j < n; j++)                                              \
				{                                                                                      \
					const T w = row[j] * scale[j];                                                 \
                                                                                                                       \
					to[j] += v * w;                                                                \
				}                                                                                      \
			}                                                                                              \
		return result_end(s, state, d);                                                                        \
	}
MATMUL_MX(float, f32)
MATMUL_MX(uint32_t, i32)

const struct isa_kernel isa_ops_matrix[] = {
	{ .op = PTOWSP_PTO_TMATMUL, .run = { tmatmul_f32, tmatmul_i32 } },
	{ .op = PTOWSP_PTO_TMATMUL_ACC, .run = { tmatmul_acc_f32, tmatmul_acc_i32 } },
	{ .op = PTOWSP_PTO_TMATMUL_BIAS, .run = { tmatmul_bias_f32, tmatmul_bias_i32 } },
	{ .op = PTOWSP_PTO_TMATMUL_MX, .run = { tmatmul_mx_f32, tmatmul_mx_i32 } },
	{ .op = 0 },
};
