/* SPDX-License-Identifier: MIT */
/* ops_compare.c - comparison to a mask of 1 and 0 in the mask's own type, and selection. */
#include "isa/ops.h"

/* One loop per mode: the mode is decided once per tile. With a NaN only NE holds. */
#define COMPARE_LOOP(D, sign, b_at)                                                                                    \
	ISA_VECTOR for (size_t i = 0; i < count; i++)                                                                  \
	{                                                                                                              \
		d[i] = x[i] sign(b_at) ? (D)1 : (D)0;                                                                  \
	}                                                                                                              \
	break;
#define COMPARE(name, T, D, b_declare, b_at)                                                                           \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		D *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a);                                                                   \
		const T b_declare;                                                                                     \
		const size_t count = isa_count(&s->d);                                                                 \
                                                                                                                       \
		switch (s->mode) {                                                                                     \
		case PTOWSP_COMPARE_EQ:                                                                                \
			COMPARE_LOOP(D, ==, b_at)                                                                      \
		case PTOWSP_COMPARE_NE:                                                                                \
			COMPARE_LOOP(D, !=, b_at)                                                                      \
		case PTOWSP_COMPARE_LT:                                                                                \
			COMPARE_LOOP(D, <, b_at)                                                                       \
		case PTOWSP_COMPARE_LE:                                                                                \
			COMPARE_LOOP(D, <=, b_at)                                                                      \
		case PTOWSP_COMPARE_GT:                                                                                \
			COMPARE_LOOP(D, >, b_at)                                                                       \
		default:                                                                                               \
			COMPARE_LOOP(D, >=, b_at)                                                                      \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
#define TILE_B *y = isa_tile(state, &s->b)
COMPARE(tcmp_f32_f32, float, float, TILE_B, y[i])
COMPARE(tcmp_i32_f32, int32_t, float, TILE_B, y[i])
COMPARE(tcmp_f32_i32, float, int32_t, TILE_B, y[i])
COMPARE(tcmp_i32_i32, int32_t, int32_t, TILE_B, y[i])
COMPARE(tcmps_f32_f32, float, float, y = isa_value_f32(state, &s->b), y)
COMPARE(tcmps_i32_f32, int32_t, float, y = isa_value_i32(state, &s->b), y)
COMPARE(tcmps_f32_i32, float, int32_t, y = isa_value_f32(state, &s->b), y)
COMPARE(tcmps_i32_i32, int32_t, int32_t, y = isa_value_i32(state, &s->b), y)

#define SELECT(name, T, M)                                                                                             \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const M *mask = isa_tile(state, &s->a);                                                                \
		const T *x = isa_tile(state, &s->b), *y = isa_tile(state, &s->c);                                      \
		const size_t count = isa_count(&s->d);                                                                 \
                                                                                                                       \
		ISA_VECTOR for (size_t i = 0; i < count; i++)                                                          \
		{                                                                                                      \
			const T b = x[i], c = y[i];                                                                    \
                                                                                                                       \
			d[i] = mask[i] != 0 ? b : c;                                                                   \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
SELECT(tsel_f32_f32, float, float)
SELECT(tsel_i32_f32, int32_t, float)
SELECT(tsel_f32_i32, float, int32_t)
SELECT(tsel_i32_i32, int32_t, int32_t)

/* The whole tile at once, any type of four bytes. */
static ptowsp_status tsels(const struct isa_step *s, struct isa_state *state)
{
	const bool first = isa_scalar_true(state->scalars[s->c.at], s->c.dtype);

	memmove(isa_tile(state, &s->d), isa_tile(state, first ? &s->a : &s->b), isa_count(&s->d) * 4);
	return PTOWSP_OK;
}

const struct isa_kernel isa_ops_compare[] = {
	{ .op = PTOWSP_PTO_TCMP, .run = { tcmp_f32_f32, tcmp_i32_f32, tcmp_f32_i32, tcmp_i32_i32 } },
	{ .op = PTOWSP_PTO_TCMPS, .run = { tcmps_f32_f32, tcmps_i32_f32, tcmps_f32_i32, tcmps_i32_i32 } },
	{ .op = PTOWSP_PTO_TSEL, .run = { tsel_f32_f32, tsel_i32_f32, tsel_f32_i32, tsel_i32_i32 } },
	{ .op = PTOWSP_PTO_TSELS, .run = { tsels, tsels } },
	{ .op = 0 },
};
