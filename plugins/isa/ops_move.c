/* SPDX-License-Identifier: MIT */
/* ops_move.c - elements from one place of a tile to another, and from one type to the other. */
#include "isa/ops.h"

#include <math.h>

/* Both element types have four bytes, so that moves need not know which one it is. */
enum { BYTES = 4 };

static ptowsp_status copy(const struct isa_step *s, struct isa_state *state)
{
	memmove(isa_tile(state, &s->d), isa_tile(state, &s->a), isa_count(&s->d) * BYTES);
	return PTOWSP_OK;
}

#define MOVE_SCALED(name, T, value)                                                                                            \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                           \
	{                                                                                                                      \
		T *d = isa_tile(state, &s->d);                                                                                 \
		const T *x = isa_tile(state, &s->a), *scale = isa_tile(state, &s->b);                                          \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                         \
                                                                                                                               \
		for (size_t i = 0; i < rows; i++)                                                                              \
			ISA_VECTOR for (size_t j = 0; j < columns; j++)                                                        \
			{                                                                                                      \
				const T a = x[i * columns + j], b = scale[j];                                                  \
                                                                                                                               \
				d[i * columns + j] = (value);                                                                  \
			}                                                                                                      \
		return PTOWSP_OK;                                                                                              \
	}
/* The scale may be the destination only when that has one row. */
MOVE_SCALED(tmov_fp_f32, float, a *b)
MOVE_SCALED(tmov_fp_i32, int32_t, ISA_WRAP(a, *, b))

#define TRANSPOSE(name, T)                                                                                                     \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                           \
	{                                                                                                                      \
		T *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                     \
		const T *x = isa_tile(state, &s->a);                                                                           \
		const size_t rows = s->d.rows, columns = s->d.columns;                                                         \
                                                                                                                               \
		for (size_t i = 0; i < rows; i++)                                                                              \
			for (size_t j = 0; j < columns; j++)                                                                   \
				d[i * columns + j] = x[j * rows + i];                                                          \
		if (s->copy)                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, rows *columns *BYTES);                                               \
		return PTOWSP_OK;                                                                                              \
	}
TRANSPOSE(ttrans_f32, float)
TRANSPOSE(ttrans_i32, int32_t)

static ptowsp_status textract(const struct isa_step *s, struct isa_state *state)
{
	const int64_t r = (int64_t)state->scalars[s->b.at], c = (int64_t)state->scalars[s->c.at];
	const size_t to = (size_t)s->d.columns * BYTES, from = (size_t)s->a.columns * BYTES;
	unsigned char *d = isa_tile(state, &s->d);
	const unsigned char *a = isa_tile(state, &s->a);

	if (r < 0 || c < 0 || r > (int64_t)s->a.rows - s->d.rows || c > (int64_t)s->a.columns - s->d.columns)
		return isa_state_fail(state, s, "textract takes %lux%lu at [%lld, %lld] of %%%.48s, which is %lux%lu",
				      (unsigned long)s->d.rows, (unsigned long)s->d.columns, (long long)r, (long long)c,
				      state->program->tile_names[s->a.row], (unsigned long)s->a.rows,
				      (unsigned long)s->a.columns);
	a += (size_t)r * from + (size_t)c * BYTES;
	for (size_t i = 0; i < s->d.rows; i++)
		memmove(d + i * to, a + i * from, to);
	return PTOWSP_OK;
}

static ptowsp_status index_fail(const struct isa_step *s, const struct isa_state *state, size_t i, int32_t index,
				const char *unit, uint64_t limit)
{
	return isa_state_fail(state, s, "%s index %ld at element %llu of %%%.48s; %s 0 to %llu are there",
			      isa_op(s->op)->mnemonic, (long)index, (unsigned long long)i, state->program->tile_names[s->b.row],
			      unit, (unsigned long long)(limit - 1));
}

/* unit: 1 for element indices, BYTES for byte offsets. */
static ptowsp_status gather(const struct isa_step *s, struct isa_state *state, uint64_t unit)
{
	unsigned char *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);
	const unsigned char *a = isa_tile(state, &s->a);
	const int32_t *index = isa_tile(state, &s->b);
	const size_t count = isa_count(&s->d);
	const uint64_t limit = isa_count(&s->a) * unit;

	for (size_t i = 0; i < count; i++) {
		if (index[i] < 0 || (uint64_t)index[i] >= limit || (uint64_t)index[i] % unit)
			return index_fail(s, state, i, index[i], unit == 1 ? "elements" : "multiples of 4 from bytes", limit);
		memcpy(d + i * BYTES, a + (uint64_t)index[i] / unit * BYTES, BYTES);
	}
	if (s->copy)
		memcpy(isa_tile(state, &s->d), d, count * BYTES);
	return PTOWSP_OK;
}

static ptowsp_status tgather(const struct isa_step *s, struct isa_state *state)
{
	return gather(s, state, 1);
}

static ptowsp_status tgatherb(const struct isa_step *s, struct isa_state *state)
{
	return gather(s, state, BYTES);
}

/* Rows in ascending order: the last one that names a place wins. What no index names keeps its value. */
static ptowsp_status tscatter(const struct isa_step *s, struct isa_state *state)
{
	unsigned char *d = isa_tile(state, &s->d);
	const unsigned char *a = isa_tile(state, &s->a);
	const int32_t *index = isa_tile(state, &s->b);
	const size_t columns = s->a.columns, count = isa_count(&s->a);

	if (s->copy) { /* the destination is a source: that source is read from a copy */
		memcpy(isa_temp(state), d, isa_count(&s->d) * BYTES);
		a = s->a.at == s->d.at ? isa_temp(state) : a;
		index = s->b.at == s->d.at ? isa_temp(state) : index;
	}
	for (size_t i = 0; i < count; i++) {
		if (index[i] < 0 || (uint32_t)index[i] >= s->d.rows)
			return index_fail(s, state, i, index[i], "rows", s->d.rows);
		memcpy(d + ((size_t)index[i] * columns + i % columns) * BYTES, a + i * BYTES, BYTES);
	}
	return PTOWSP_OK;
}

static float round_odd(float a)
{
	const float t = truncf(a);

	if (t == a || fabsf(a) >= 16777216.0f || a != a) /* from 2^24 on every f32 is an integer */
		return a;
	return fmodf(t, 2.0f) != 0.0f ? t : t + copysignf(1.0f, a);
}

/* To an integral value by mode. */
static float round_by(float a, unsigned mode)
{
	switch (mode) {
	case PTOWSP_ROUND_AWAY:
		return roundf(a);
	case PTOWSP_ROUND_FLOOR:
		return floorf(a);
	case PTOWSP_ROUND_CEIL:
		return ceilf(a);
	case PTOWSP_ROUND_TRUNC:
		return truncf(a);
	case PTOWSP_ROUND_ODD:
		return round_odd(a);
	default:
		return rintf(a);
	}
}

static int32_t saturate(float a)
{
	if (a != a)
		return 0;
	if (a >= 2147483648.0f)
		return INT32_MAX;
	return a < -2147483648.0f ? INT32_MIN : (int32_t)a;
}

static ptowsp_status tcvt_f32_f32(const struct isa_step *s, struct isa_state *state)
{
	float *d = isa_tile(state, &s->d);
	const float *a = isa_tile(state, &s->a);
	const size_t count = isa_count(&s->d);

	if (s->mode == PTOWSP_ROUND_NONE)
		return copy(s, state);
	for (size_t i = 0; i < count; i++)
		d[i] = round_by(a[i], s->mode);
	return PTOWSP_OK;
}

static ptowsp_status tcvt_f32_i32(const struct isa_step *s, struct isa_state *state)
{
	int32_t *d = isa_tile(state, &s->d);
	const float *a = isa_tile(state, &s->a);
	const size_t count = isa_count(&s->d);

	for (size_t i = 0; i < count; i++)
		d[i] = saturate(round_by(a[i], s->mode));
	return PTOWSP_OK;
}

/* To nearest even, whatever the mode: the hardware's only way. */
static ptowsp_status tcvt_i32_f32(const struct isa_step *s, struct isa_state *state)
{
	float *d = isa_tile(state, &s->d);
	const int32_t *a = isa_tile(state, &s->a);
	const size_t count = isa_count(&s->d);

	for (size_t i = 0; i < count; i++)
		d[i] = (float)a[i];
	return PTOWSP_OK;
}

const struct isa_kernel isa_ops_move[] = {
	{.op = PTOWSP_PTO_TTRANS, .run = {ttrans_f32, ttrans_i32}},
	{.op = PTOWSP_PTO_TRESHAPE, .run = {copy, copy}},
	{.op = PTOWSP_PTO_TEXTRACT, .run = {textract, textract}},
	{.op = PTOWSP_PTO_TGATHER, .run = {tgather, tgather}},
	{.op = PTOWSP_PTO_TGATHERB, .run = {tgatherb, tgatherb}},
	{.op = PTOWSP_PTO_TSCATTER, .run = {tscatter, tscatter}},
	{.op = PTOWSP_PTO_TCVT, .run = {tcvt_f32_f32, tcvt_i32_f32, tcvt_f32_i32, copy}},
	{.op = PTOWSP_PTO_TMOV, .run = {copy, copy}},
	{.op = PTOWSP_PTO_TMOV_FP, .run = {tmov_fp_f32, tmov_fp_i32}},
	{.op = 0},
};
