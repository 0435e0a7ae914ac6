/* SPDX-License-Identifier: MIT */
/* ops_broadcast.c - a scalar, a column or a row spread over a tile. A source that is also the destination has the same shape
 * as it, so nothing is overwritten before it is read. */
#include "isa/ops.h"

#define FILL(name, T, fetch)                                                                                           \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T a = fetch(state, &s->a);                                                                       \
		const size_t count = isa_count(&s->d);                                                                 \
                                                                                                                       \
		for (size_t i = 0; i < count; i++)                                                                     \
			d[i] = a;                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
FILL(texpands_f32, float, isa_value_f32)
FILL(texpands_i32, int32_t, isa_value_i32)

#define ROW_SPREAD(name, T)                                                                                            \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a);                                                                   \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                 \
                                                                                                                       \
		for (size_t i = 0; i < rows; i++) {                                                                    \
			T *row = d + i * columns;                                                                      \
			const T v = x[i];                                                                              \
                                                                                                                       \
			for (size_t j = 0; j < columns; j++)                                                           \
				row[j] = v;                                                                            \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
ROW_SPREAD(trowexpand_f32, float)
ROW_SPREAD(trowexpand_i32, int32_t)

static ptowsp_status tcolexpand(const struct isa_step *s, struct isa_state *state)
{
	unsigned char *d = isa_tile(state, &s->d);
	const void *a = isa_tile(state, &s->a);
	const size_t row = (size_t)s->d.columns * 4;

	for (size_t i = 0; i < s->d.rows; i++)
		memmove(d + i * row, a, row);
	return PTOWSP_OK;
}

#define ROW_COMBINE(name, T, pragma, value)                                                                            \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a), *y = isa_tile(state, &s->b);                                      \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                 \
                                                                                                                       \
		for (size_t i = 0; i < rows; i++) {                                                                    \
			T *to = d + i * columns;                                                                       \
			const T *from = x + i * columns;                                                               \
			const T b = y[i];                                                                              \
                                                                                                                       \
			pragma for (size_t j = 0; j < columns; j++)                                                    \
			{                                                                                              \
				const T a = from[j];                                                                   \
                                                                                                                       \
				to[j] = (value);                                                                       \
			}                                                                                              \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
#define NO_PRAGMA
ROW_COMBINE(trowexpandmul_f32, float, ISA_VECTOR, a * b)
ROW_COMBINE(trowexpandmul_i32, int32_t, ISA_VECTOR, ISA_WRAP(a, *, b))
ROW_COMBINE(trowexpanddiv_f32, float, ISA_VECTOR, a / b)
ROW_COMBINE(trowexpanddiv_i32, int32_t, NO_PRAGMA, isa_div_i32(a, b))
ROW_COMBINE(trowexpandsub_f32, float, ISA_VECTOR, a - b)
ROW_COMBINE(trowexpandsub_i32, int32_t, ISA_VECTOR, ISA_WRAP(a, -, b))

const struct isa_kernel isa_ops_broadcast[] = {
	{ .op = PTOWSP_PTO_TEXPANDS, .run = { texpands_f32, texpands_i32 } },
	{ .op = PTOWSP_PTO_TROWEXPAND, .run = { trowexpand_f32, trowexpand_i32 } },
	{ .op = PTOWSP_PTO_TCOLEXPAND, .run = { tcolexpand, tcolexpand } },
	{ .op = PTOWSP_PTO_TROWEXPANDMUL, .run = { trowexpandmul_f32, trowexpandmul_i32 } },
	{ .op = PTOWSP_PTO_TROWEXPANDDIV, .run = { trowexpanddiv_f32, trowexpanddiv_i32 } },
	{ .op = PTOWSP_PTO_TROWEXPANDSUB, .run = { trowexpandsub_f32, trowexpandsub_i32 } },
	{ .op = 0 },
};
