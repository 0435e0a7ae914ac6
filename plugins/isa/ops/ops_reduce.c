/* SPDX-License-Identifier: MIT */
/* ops_reduce.c - rows or columns of a tile to one element each (tile_op.h), as steps. */
#include "isa/isa_tile.h"
#include "isa/ops/isa_ops.h"
#include "isa/tile_op.h"

#include "isa/ops/isa_level.h"

ISA_NUMBERS(TILE_REDUCE, )

#define REDUCE(type, NAME, name)                                                                                                                               \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		tile_##name##_##type(isa_tile(state, &s->d), isa_tile(state, &s->a), s->a.rows, s->a.columns);                                                 \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_NUMBERS(REDUCE, TROWSUM, rowsum)
ISA_NUMBERS(REDUCE, TROWMAX, rowmax)
ISA_NUMBERS(REDUCE, TROWMIN, rowmin)
ISA_NUMBERS(REDUCE, TCOLSUM, colsum)
ISA_NUMBERS(REDUCE, TCOLMAX, colmax)
ISA_NUMBERS(REDUCE, TCOLMIN, colmin)

const struct isa_kernel ISA_TABLE(reduce)[] = {
	ISA_ROW(TROWSUM) ISA_ROW(TROWMAX) ISA_ROW(TROWMIN) ISA_ROW(TCOLSUM) ISA_ROW(TCOLMAX) ISA_ROW(TCOLMIN){.op = 0},
};
#ifdef ISA_LEVEL_PUSHED
#pragma clang attribute pop
#endif
