/* SPDX-License-Identifier: MIT */
/* ops_broadcast.c - a scalar, a column or a row spread over a tile. A source that is also the destination has the same shape
 * as it, so nothing is overwritten before it is read. */
#include "isa/ops/isa_level.h"
#include "isa/ops/isa_ops.h"

#define SPREAD(size, ...)                                                                                                                                      \
	static ptowsp_status texpands_##size(const struct isa_step *s, struct isa_state *state)                                                                \
	{                                                                                                                                                      \
		isa_bits_##size *d = isa_tile(state, &s->d);                                                                                                   \
		const isa_bits_##size a = (isa_bits_##size)isa_scalar_narrow(state->scalars[s->a.at], s->d.dtype);                                             \
		const size_t count = isa_count(&s->d);                                                                                                         \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                                                             \
			d[i] = a;                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	static ptowsp_status trowexpand_##size(const struct isa_step *s, struct isa_state *state)                                                              \
	{                                                                                                                                                      \
		isa_bits_##size *d = isa_tile(state, &s->d);                                                                                                   \
		const isa_bits_##size *x = isa_tile(state, &s->a);                                                                                             \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                                                         \
                                                                                                                                                               \
		for (size_t i = 0; i < rows; i++) {                                                                                                            \
			isa_bits_##size *row = d + i * columns;                                                                                                \
			const isa_bits_##size v = x[i];                                                                                                        \
                                                                                                                                                               \
			for (size_t j = 0; j < columns; j++)                                                                                                   \
				row[j] = v;                                                                                                                    \
		}                                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
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

const struct isa_kernel ISA_TABLE(broadcast)[] = {
	ISA_ROW_SIZED(TEXPANDS, texpands) ISA_ROW_SIZED(TROWEXPAND, trowexpand) ISA_ROW_OF(TCOLEXPAND, tcolexpand){.op = 0},
};
#ifdef ISA_LEVEL_PUSHED
#pragma clang attribute pop
#endif
