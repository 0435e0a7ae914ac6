/* SPDX-License-Identifier: MIT */
/* ops_special.c - counting up, sorting and merging (tile_op.h). */
#include "isa/isa_tile.h"
#include "isa/ops/isa_ops.h"
#include "isa/tile_op.h"

#define COUNT_UP(type, ...)                                                                                                                                    \
	static ptowsp_status TCI_##type(const struct isa_step *s, struct isa_state *state)                                                                     \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                                                 \
		const W a = (W)ISA_SCALAR(type, state, &s->a);                                                                                                 \
		const size_t count = isa_count(&s->d);                                                                                                         \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                                                             \
			d[i] = isa_put_##type(a + (W)i);                                                                                                       \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_NUMBERS(COUNT_UP, )

ISA_FLOATS(TILE_SORT, TILE_BEFORE_FLOAT)
ISA_INTEGERS(TILE_SORT, TILE_BEFORE_INTEGER)

#define SORT(type, ...)                                                                                                                                        \
	static ptowsp_status TSORT32_##type(const struct isa_step *s, struct isa_state *state)                                                                 \
	{                                                                                                                                                      \
		tile_sort32_##type(isa_tile(state, &s->d), isa_tile(state, &s->e), isa_tile(state, &s->a), isa_count(&s->a));                                  \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	static ptowsp_status TMRGSORT_##type(const struct isa_step *s, struct isa_state *state)                                                                \
	{                                                                                                                                                      \
		isa_s_##type *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                                          \
                                                                                                                                                               \
		tile_mrgsort_##type(d, isa_count(&s->d), isa_tile(state, &s->a), isa_count(&s->a), isa_tile(state, &s->b), isa_count(&s->b));                  \
		if (s->copy)                                                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, isa_bytes(&s->d));                                                                                   \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_NUMBERS(SORT, )

const struct isa_kernel isa_ops_special[] = {
	ISA_ROW(TCI) ISA_ROW(TSORT32) ISA_ROW(TMRGSORT){.op = 0},
};
