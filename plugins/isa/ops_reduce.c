/* SPDX-License-Identifier: MIT */
/* ops_reduce.c - rows or columns of a tile to one element each, strictly in order: speed comes from doing neighbours at once,
 * never from another order. A destination that is the source has one column (one row): each element is read before it is
 * written. */
#include "isa/ops.h"

enum { LANES = 8 }; /* rows in flight */

/* first(v): the value after the first element v; then `value`, made of acc and v. */
#define ROWS_ONE(T, lanes, first, value)                                                                               \
	do {                                                                                                           \
		T sum[lanes];                                                                                          \
                                                                                                                       \
		for (size_t k = 0; k < (lanes); k++)                                                                   \
			sum[k] = first(x[(i + k) * columns]);                                                          \
		for (size_t j = 1; j < columns; j++)                                                                   \
			for (size_t k = 0; k < (lanes); k++) {                                                         \
				const T acc = sum[k], v = x[(i + k) * columns + j];                                    \
                                                                                                                       \
				sum[k] = (value);                                                                      \
			}                                                                                              \
		for (size_t k = 0; k < (lanes); k++)                                                                   \
			d[i + k] = sum[k];                                                                             \
	} while (0)
#define ROW_REDUCE(name, T, first, value)                                                                              \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a);                                                                   \
		const size_t rows = s->a.rows, columns = s->a.columns;                                                 \
		size_t i = 0;                                                                                          \
                                                                                                                       \
		for (; i + LANES <= rows; i += LANES)                                                                  \
			ROWS_ONE(T, LANES, first, value);                                                              \
		for (; i < rows; i++)                                                                                  \
			ROWS_ONE(T, 1, first, value);                                                                  \
		return PTOWSP_OK;                                                                                      \
	}
#define COL_REDUCE(name, T, first, value)                                                                              \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a);                                                                   \
		const size_t rows = s->a.rows, columns = s->a.columns;                                                 \
                                                                                                                       \
		ISA_VECTOR for (size_t j = 0; j < columns; j++)                                                        \
		{                                                                                                      \
			d[j] = first(x[j]);                                                                            \
		}                                                                                                      \
		for (size_t i = 1; i < rows; i++) {                                                                    \
			const T *row = x + i * columns;                                                                \
                                                                                                                       \
			ISA_VECTOR for (size_t j = 0; j < columns; j++)                                                \
			{                                                                                              \
				const T acc = d[j], v = row[j];                                                        \
                                                                                                                       \
				d[j] = (value);                                                                        \
			}                                                                                              \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}

/* A sum starts from 0: 0 + -0 is 0. */
#define FROM_ZERO(v) (0.0f + (v))
#define ITSELF(v) (v)
ROW_REDUCE(trowsum_f32, float, FROM_ZERO, acc + v)
ROW_REDUCE(trowsum_i32, int32_t, ITSELF, ISA_WRAP(acc, +, v))
ROW_REDUCE(trowmax_f32, float, ITSELF, v > acc ? v : acc)
ROW_REDUCE(trowmax_i32, int32_t, ITSELF, v > acc ? v : acc)
ROW_REDUCE(trowmin_f32, float, ITSELF, v < acc ? v : acc)
ROW_REDUCE(trowmin_i32, int32_t, ITSELF, v < acc ? v : acc)
COL_REDUCE(tcolsum_f32, float, FROM_ZERO, acc + v)
COL_REDUCE(tcolsum_i32, int32_t, ITSELF, ISA_WRAP(acc, +, v))
COL_REDUCE(tcolmax_f32, float, ITSELF, v > acc ? v : acc)
COL_REDUCE(tcolmax_i32, int32_t, ITSELF, v > acc ? v : acc)
COL_REDUCE(tcolmin_f32, float, ITSELF, v < acc ? v : acc)
COL_REDUCE(tcolmin_i32, int32_t, ITSELF, v < acc ? v : acc)

const struct isa_kernel isa_ops_reduce[] = {
	{ .op = PTOWSP_PTO_TROWSUM, .run = { trowsum_f32, trowsum_i32 } },
	{ .op = PTOWSP_PTO_TROWMAX, .run = { trowmax_f32, trowmax_i32 } },
	{ .op = PTOWSP_PTO_TROWMIN, .run = { trowmin_f32, trowmin_i32 } },
	{ .op = PTOWSP_PTO_TCOLSUM, .run = { tcolsum_f32, tcolsum_i32 } },
	{ .op = PTOWSP_PTO_TCOLMAX, .run = { tcolmax_f32, tcolmax_i32 } },
	{ .op = PTOWSP_PTO_TCOLMIN, .run = { tcolmin_f32, tcolmin_i32 } },
	{ .op = 0 },
};
