/* SPDX-License-Identifier: MIT */
/* ops_move.c - elements from one place of a tile to another (tile_op.h). Moves know sizes of elements, not types. */
#include "isa/isa_tile.h"
#include "isa/ops/isa_ops.h"
#include "isa/tile_op.h"

ISA_SIZES(TILE_TRANSPOSE, )
ISA_SIZES(TILE_EXTRACT, )
ISA_SIZES(TILE_GATHER, )
ISA_SIZES(TILE_SCATTER, )

static ptowsp_status copy(const struct isa_step *s, struct isa_state *state)
{
	memmove(isa_tile(state, &s->d), isa_tile(state, &s->a), isa_bytes(&s->d));
	return PTOWSP_OK;
}

#define TRANSPOSE(size, ...)                                                                                                                                   \
	static ptowsp_status ttrans_##size(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		isa_bits_##size *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                                       \
                                                                                                                                                               \
		tile_trans_##size(d, isa_tile(state, &s->a), s->d.rows, s->d.columns);                                                                         \
		if (s->copy)                                                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, isa_bytes(&s->d));                                                                                   \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_SIZES(TRANSPOSE, )

static __attribute__((cold, noinline)) ptowsp_status extract_fail(const struct isa_step *s, const struct isa_state *state, int64_t r, int64_t c)
{
	return isa_state_fail(state, s, "textract takes %lux%lu at [%lld, %lld] of %%%.48s, which is %lux%lu", (unsigned long)s->d.rows,
			      (unsigned long)s->d.columns, (long long)r, (long long)c, state->program->tile_names[s->a.row], (unsigned long)s->a.rows,
			      (unsigned long)s->a.columns);
}

#define EXTRACT(size, ...)                                                                                                                                     \
	static ptowsp_status textract_##size(const struct isa_step *s, struct isa_state *state)                                                                \
	{                                                                                                                                                      \
		const int64_t r = (int64_t)state->scalars[s->b.at], c = (int64_t)state->scalars[s->c.at];                                                      \
                                                                                                                                                               \
		if (!tile_holds(s->a.rows, s->a.columns, r, c, s->d.rows, s->d.columns))                                                                       \
			return extract_fail(s, state, r, c);                                                                                                   \
		tile_extract_##size(isa_tile(state, &s->d), s->d.rows, s->d.columns, isa_tile(state, &s->a), (size_t)(r * s->a.columns + c), s->a.columns);    \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_SIZES(EXTRACT, )

static __attribute__((cold, noinline)) ptowsp_status index_fail(const struct isa_step *s, const struct isa_state *state, size_t i, const char *unit,
								uint64_t limit)
{
	return isa_state_fail(state, s, "%s index %lld at element %llu of %%%.48s; %s 0 to %llu are there", isa_op(s->op)->mnemonic,
			      (long long)tile_index(isa_tile(state, &s->b), s->b.dtype == PTOWSP_U32, i), (unsigned long long)i,
			      state->program->tile_names[s->b.row], unit, (unsigned long long)(limit - 1));
}

static const char *gather_unit(const struct isa_step *s)
{
	static const char *const units[9] = {
		[1] = "bytes", [2] = "multiples of 2 from bytes", [4] = "multiples of 4 from bytes", [8] = "multiples of 8 from bytes"};

	return s->op == PTOWSP_PTO_TGATHERB ? units[s->a.bytes] : "elements";
}

#define GATHER(size, name, unit)                                                                                                                               \
	static ptowsp_status name##_##size(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		isa_bits_##size *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                                       \
		const size_t count = isa_count(&s->d), limit = isa_count(&s->a) * (unit);                                                                      \
		const size_t done =                                                                                                                            \
			tile_gather_##size(d, isa_tile(state, &s->a), isa_tile(state, &s->b), s->b.dtype == PTOWSP_U32, count, (int64_t)limit, unit);          \
                                                                                                                                                               \
		if (done < count)                                                                                                                              \
			return index_fail(s, state, done, gather_unit(s), limit);                                                                              \
		if (s->copy)                                                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, count *size);                                                                                        \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_SIZES(GATHER, tgather, 1)
GATHER(1, tgatherb, 1)
GATHER(2, tgatherb, 2)
GATHER(4, tgatherb, 4)
GATHER(8, tgatherb, 8)

/* The destination may be a source: that source is read from a copy. */
#define SCATTER(size, ...)                                                                                                                                     \
	static ptowsp_status tscatter_##size(const struct isa_step *s, struct isa_state *state)                                                                \
	{                                                                                                                                                      \
		isa_bits_##size *d = isa_tile(state, &s->d);                                                                                                   \
		const void *a = isa_tile(state, &s->a), *index = isa_tile(state, &s->b);                                                                       \
		const size_t count = isa_count(&s->a);                                                                                                         \
		size_t done;                                                                                                                                   \
                                                                                                                                                               \
		if (s->copy) {                                                                                                                                 \
			memcpy(isa_temp(state), d, isa_bytes(&s->d));                                                                                          \
			a = s->a.at == s->d.at ? isa_temp(state) : a;                                                                                          \
			index = s->b.at == s->d.at ? isa_temp(state) : index;                                                                                  \
		}                                                                                                                                              \
		done = tile_scatter_##size(d, a, index, s->b.dtype == PTOWSP_U32, count, s->d.rows, s->a.columns);                                             \
		return done == count ? PTOWSP_OK : index_fail(s, state, done, "rows", s->d.rows);                                                              \
	}
ISA_SIZES(SCATTER, )

const struct isa_kernel isa_ops_move[] = {
	ISA_ROW_SIZED(TTRANS, ttrans) ISA_ROW_OF(TRESHAPE, copy) ISA_ROW_SIZED(TEXTRACT, textract) ISA_ROW_SIZED(TGATHER, tgather)
		ISA_ROW_SIZED(TGATHERB, tgatherb) ISA_ROW_SIZED(TSCATTER, tscatter) ISA_ROW_OF(TMOV, copy){.op = 0},
};
