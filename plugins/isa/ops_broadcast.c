/* SPDX-License-Identifier: MIT */
/* ops_broadcast.c - a scalar, a column or a row spread over a tile. A source that is also the destination has the same shape
 * as it, so nothing is overwritten before it is read. */
#include "isa/isa_ops.h"
#include "isa/isa_level.h"

#define SPREAD(size, ...)                                                                                                      \
	static ptowsp_status texpands_##size(const struct isa_step *s, struct isa_state *state)                                \
	{                                                                                                                      \
		isa_bits_##size *d = isa_tile(state, &s->d);                                                                   \
		const isa_bits_##size a = (isa_bits_##size)isa_scalar_narrow(state->scalars[s->a.at], s->d.dtype);             \
		const size_t count = isa_count(&s->d);                                                                         \
                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                             \
			d[i] = a;                                                                                              \
		return PTOWSP_OK;                                                                                              \
	}                                                                                                                      \
	static ptowsp_status trowexpand_##size(const struct isa_step *s, struct isa_state *state)                              \
	{                                                                                                                      \
		isa_bits_##size *d = isa_tile(state, &s->d);                                                                   \
		const isa_bits_##size *x = isa_tile(state, &s->a);                                                             \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                         \
                                                                                                                               \
		for (size_t i = 0; i < rows; i++) {                                                                            \
			isa_bits_##size *row = d + i * columns;                                                                \
			const isa_bits_##size v = x[i];                                                                        \
                                                                                                                               \
			for (size_t j = 0; j < columns; j++)                                                                   \
				row[j] = v;                                                                                    \
		}                                                                                                              \
		return PTOWSP_OK;                                                                                              \
	}
ISA_SIZES(SPREAD, )

static ptowsp_status tcolexpand(const struct isa_step *s, struct isa_state *state)
{
	unsigned char *d = isa_tile(state, &s->d);
	const void *a = isa_tile(state, &s->a);
	const size_t row = (size_t)s->d.columns * s->d.bytes;

	for (size_t i = 0; i < s->d.rows; i++)
		memmove(d + i * row, a, row);
	return PTOWSP_OK;
}

#define ROW_COMBINE(type, NAME, how, value)                                                                                    \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                  \
	{                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                 \
		const S *x = isa_tile(state, &s->a), *y = isa_tile(state, &s->b);                                              \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                         \
                                                                                                                               \
		for (size_t i = 0; i < rows; i++) {                                                                            \
			S *to = d + i * columns;                                                                               \
			const S *from = x + i * columns;                                                                       \
			const C b = isa_get_##type(y[i]);                                                                      \
                                                                                                                               \
			ISA_LOOP_##how for (size_t j = 0; j < columns; j++)                                                    \
			{                                                                                                      \
				const C a = isa_get_##type(from[j]);                                                           \
                                                                                                                               \
				to[j] = isa_put_##type(value);                                                                 \
			}                                                                                                      \
		}                                                                                                              \
		return PTOWSP_OK;                                                                                              \
	}
ISA_NUMBERS(ROW_COMBINE, TROWEXPANDMUL, VECTOR, (W)a *(W)b)
ISA_NUMBERS(ROW_COMBINE, TROWEXPANDSUB, VECTOR, (W)a - (W)b)
ISA_FLOATS(ROW_COMBINE, TROWEXPANDDIV, VECTOR, a / b)
ISA_SIGNED(ROW_COMBINE, TROWEXPANDDIV, PLAIN, b == 0 ? 0 : b == -1 ? 0 - (W)a : (W)(a / b))
ISA_UNSIGNED(ROW_COMBINE, TROWEXPANDDIV, PLAIN, b == 0 ? 0 : a / b)

const struct isa_kernel ISA_TABLE(broadcast)[] = {
	ISA_ROW_SIZED(TEXPANDS, texpands)
	ISA_ROW_SIZED(TROWEXPAND, trowexpand)
	ISA_ROW_OF(TCOLEXPAND, tcolexpand)
	ISA_ROW(TROWEXPANDMUL)
	ISA_ROW(TROWEXPANDDIV)
	ISA_ROW(TROWEXPANDSUB)
	{.op = 0},
};
#ifdef ISA_LEVEL_PUSHED
#pragma clang attribute pop
#endif
