/* SPDX-License-Identifier: MIT */
/* ops_move.c - elements from one place of a tile to another. Moves know sizes of elements, not types. */
#include "isa/isa_ops.h"

static ptowsp_status copy(const struct isa_step *s, struct isa_state *state)
{
	memmove(isa_tile(state, &s->d), isa_tile(state, &s->a), isa_bytes(&s->d));
	return PTOWSP_OK;
}

#define TRANSPOSE(size, ...)                                                                                                                                   \
	static ptowsp_status ttrans_##size(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		isa_bits_##size *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                                       \
		const isa_bits_##size *x = isa_tile(state, &s->a);                                                                                             \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                                                         \
                                                                                                                                                               \
		for (size_t i = 0; i < rows; i++)                                                                                                              \
			for (size_t j = 0; j < columns; j++)                                                                                                   \
				d[i * columns + j] = x[j * rows + i];                                                                                          \
		if (s->copy)                                                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, rows *columns *size);                                                                                \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_SIZES(TRANSPOSE, )

static ptowsp_status textract(const struct isa_step *s, struct isa_state *state)
{
	const int64_t r = (int64_t)state->scalars[s->b.at], c = (int64_t)state->scalars[s->c.at];
	const size_t to = (size_t)s->d.columns * s->d.bytes, from = (size_t)s->a.columns * s->a.bytes;
	unsigned char *d = isa_tile(state, &s->d);
	const unsigned char *a = isa_tile(state, &s->a);

	if (r < 0 || c < 0 || r > (int64_t)s->a.rows - s->d.rows || c > (int64_t)s->a.columns - s->d.columns)
		return isa_state_fail(state, s, "textract takes %lux%lu at [%lld, %lld] of %%%.48s, which is %lux%lu", (unsigned long)s->d.rows,
				      (unsigned long)s->d.columns, (long long)r, (long long)c, state->program->tile_names[s->a.row], (unsigned long)s->a.rows,
				      (unsigned long)s->a.columns);
	a += (size_t)r * from + (size_t)c * s->a.bytes;
	for (size_t i = 0; i < s->d.rows; i++)
		memmove(d + i * to, a + i * from, to);
	return PTOWSP_OK;
}

static ptowsp_status index_fail(const struct isa_step *s, const struct isa_state *state, size_t i, int64_t index, const char *unit, uint64_t limit)
{
	return isa_state_fail(state, s, "%s index %lld at element %llu of %%%.48s; %s 0 to %llu are there", isa_op(s->op)->mnemonic, (long long)index,
			      (unsigned long long)i, state->program->tile_names[s->b.row], unit, (unsigned long long)(limit - 1));
}

static ptowsp_status gather_fail(const struct isa_step *s, const struct isa_state *state, size_t i, int64_t index, size_t unit)
{
	static const char *const units[9] = {
		[1] = "bytes", [2] = "multiples of 2 from bytes", [4] = "multiples of 4 from bytes", [8] = "multiples of 8 from bytes"};
	const bool bytes = s->op == PTOWSP_PTO_TGATHERB;

	return index_fail(s, state, i, index, bytes ? units[s->a.bytes] : "elements", isa_count(&s->a) * unit);
}

/* unit: 1 for element indices, the size of an element for byte offsets. */
#define GATHER(size, name, unit)                                                                                                                               \
	static ptowsp_status name##_##size(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		isa_bits_##size *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                                       \
		const isa_bits_##size *a = isa_tile(state, &s->a);                                                                                             \
		const void *index = isa_tile(state, &s->b);                                                                                                    \
		const bool is_unsigned = s->b.dtype == PTOWSP_U32;                                                                                             \
		const size_t count = isa_count(&s->d);                                                                                                         \
		const int64_t limit = (int64_t)(isa_count(&s->a) * (unit));                                                                                    \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i++) {                                                                                                           \
			const int64_t k = isa_index(index, is_unsigned, i);                                                                                    \
                                                                                                                                                               \
			if (k < 0 || k >= limit || k % (unit))                                                                                                 \
				return gather_fail(s, state, i, k, unit);                                                                                      \
			d[i] = a[k / (unit)];                                                                                                                  \
		}                                                                                                                                              \
		if (s->copy)                                                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, count *size);                                                                                        \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_SIZES(GATHER, tgather, 1)
GATHER(1, tgatherb, 1)
GATHER(2, tgatherb, 2)
GATHER(4, tgatherb, 4)
GATHER(8, tgatherb, 8)

/* Rows in ascending order: the last one that names a place wins. What no index names keeps its value. */
#define SCATTER(size, ...)                                                                                                                                     \
	static ptowsp_status tscatter_##size(const struct isa_step *s, struct isa_state *state)                                                                \
	{                                                                                                                                                      \
		isa_bits_##size *d = isa_tile(state, &s->d);                                                                                                   \
		const isa_bits_##size *a = isa_tile(state, &s->a);                                                                                             \
		const void *index = isa_tile(state, &s->b);                                                                                                    \
		const bool is_unsigned = s->b.dtype == PTOWSP_U32;                                                                                             \
		const size_t columns = s->a.columns, count = isa_count(&s->a);                                                                                 \
                                                                                                                                                               \
		if (s->copy) { /* the destination is a source: that source is read from a copy */                                                              \
			memcpy(isa_temp(state), d, isa_bytes(&s->d));                                                                                          \
			a = s->a.at == s->d.at ? isa_temp(state) : (const void *)a;                                                                            \
			index = s->b.at == s->d.at ? isa_temp(state) : index;                                                                                  \
		}                                                                                                                                              \
		for (size_t i = 0; i < count; i++) {                                                                                                           \
			const int64_t k = isa_index(index, is_unsigned, i);                                                                                    \
                                                                                                                                                               \
			if (k < 0 || k >= (int64_t)s->d.rows)                                                                                                  \
				return index_fail(s, state, i, k, "rows", s->d.rows);                                                                          \
			d[(size_t)k * columns + i % columns] = a[i];                                                                                           \
		}                                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_SIZES(SCATTER, )

const struct isa_kernel isa_ops_move[] = {
	ISA_ROW_SIZED(TTRANS, ttrans) ISA_ROW_OF(TRESHAPE, copy) ISA_ROW_OF(TEXTRACT, textract) ISA_ROW_SIZED(TGATHER, tgather)
		ISA_ROW_SIZED(TGATHERB, tgatherb) ISA_ROW_SIZED(TSCATTER, tscatter) ISA_ROW_OF(TMOV, copy){.op = 0},
};
