/* SPDX-License-Identifier: MIT */
/* ops_binary.c - two or three tiles, or tiles and a scalar, element by element. */
#include "isa/ops.h"

#include <math.h>

#define NO_PRAGMA

/* tile with tile */
#define TILES(name, T, pragma, value)                                                                                  \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a), *y = isa_tile(state, &s->b);                                      \
		const size_t count = isa_count(&s->d);                                                                 \
                                                                                                                       \
		pragma for (size_t i = 0; i < count; i++)                                                              \
		{                                                                                                      \
			const T a = x[i], b = y[i];                                                                    \
                                                                                                                       \
			d[i] = (value);                                                                                \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
/* tile with scalar */
#define SCALED(name, T, fetch, pragma, value)                                                                          \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a);                                                                   \
		const T b = fetch(state, &s->b);                                                                       \
		const size_t count = isa_count(&s->d);                                                                 \
                                                                                                                       \
		pragma for (size_t i = 0; i < count; i++)                                                              \
		{                                                                                                      \
			const T a = x[i];                                                                              \
                                                                                                                       \
			d[i] = (value);                                                                                \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
/* tile, tile or scalar, tile: b_at is the second operand at element i */
#define TERNARY(name, T, b_declare, b_at, value)                                                                       \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a), *z = isa_tile(state, &s->c);                                      \
		const T b_declare;                                                                                     \
		const size_t count = isa_count(&s->d);                                                                 \
                                                                                                                       \
		ISA_VECTOR for (size_t i = 0; i < count; i++)                                                          \
		{                                                                                                      \
			const T a = x[i], b = b_at, c = z[i];                                                          \
                                                                                                                       \
			d[i] = (value);                                                                                \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}

#define SHIFT(b) ((uint32_t)(b)&31u)

/* X(tile opcode, scalar opcode, vectors, f32, i32): the same arithmetic in both forms. */
#define BOTH(X)                                                                                                        \
	X(TADD, TADDS, ISA_VECTOR, a + b, ISA_WRAP(a, +, b))                                                           \
	X(TSUB, TSUBS, ISA_VECTOR, a - b, ISA_WRAP(a, -, b))                                                           \
	X(TMUL, TMULS, ISA_VECTOR, a * b, ISA_WRAP(a, *, b))                                                           \
	X(TMAX, TMAXS, ISA_VECTOR, a > b ? a : b, a > b ? a : b)                                                       \
	X(TMIN, TMINS, ISA_VECTOR, a < b ? a : b, a < b ? a : b)
/* X(tile opcode, scalar opcode, i32) */
#define BITS(X)                                                                                                        \
	X(TAND, TANDS, a & b)                                                                                          \
	X(TOR, TORS, a | b)                                                                                            \
	X(TXOR, TXORS, a ^ b)

#define DEFINE(NAME, NAMES, pragma, f, n)                                                                              \
	TILES(NAME##_f32, float, pragma, f)                                                                            \
	TILES(NAME##_i32, int32_t, pragma, n)                                                                          \
	SCALED(NAMES##_f32, float, isa_value_f32, pragma, f)                                                           \
	SCALED(NAMES##_i32, int32_t, isa_value_i32, pragma, n)
BOTH(DEFINE)
#define DEFINE_BITS(NAME, NAMES, n)                                                                                    \
	TILES(NAME##_i32, int32_t, ISA_VECTOR, n)                                                                      \
	SCALED(NAMES##_i32, int32_t, isa_value_i32, ISA_VECTOR, n)
BITS(DEFINE_BITS)
/* Integer division and fmodf have no vector form. */
TILES(TDIV_f32, float, ISA_VECTOR, a / b)
TILES(TDIV_i32, int32_t, NO_PRAGMA, isa_div_i32(a, b))
SCALED(TDIVS_f32, float, isa_value_f32, ISA_VECTOR, a / b)
SCALED(TDIVS_i32, int32_t, isa_value_i32, NO_PRAGMA, isa_div_i32(a, b))
TILES(TREM_f32, float, NO_PRAGMA, fmodf(a, b))
TILES(TREM_i32, int32_t, NO_PRAGMA, isa_rem_i32(a, b))
SCALED(TREMS_f32, float, isa_value_f32, NO_PRAGMA, fmodf(a, b))
SCALED(TREMS_i32, int32_t, isa_value_i32, NO_PRAGMA, isa_rem_i32(a, b))
TILES(TSHL_i32, int32_t, ISA_VECTOR, (int32_t)((uint32_t)a << SHIFT(b)))
TILES(TSHR_i32, int32_t, ISA_VECTOR, a >> SHIFT(b))
TILES(TPRELU_f32, float, ISA_VECTOR, a > 0 ? a : a * b)
TILES(TPRELU_i32, int32_t, ISA_VECTOR, a > 0 ? a : ISA_WRAP(a, *, b))

#define TILE_B *y = isa_tile(state, &s->b)
TERNARY(TADDC_f32, float, TILE_B, y[i], a + b + c)
TERNARY(TADDC_i32, int32_t, TILE_B, y[i], ISA_WRAP(ISA_WRAP(a, +, b), +, c))
TERNARY(TSUBC_f32, float, TILE_B, y[i], a - b + c)
TERNARY(TSUBC_i32, int32_t, TILE_B, y[i], ISA_WRAP(ISA_WRAP(a, -, b), +, c))
TERNARY(TADDSC_f32, float, y = isa_value_f32(state, &s->b), y, a + b + c)
TERNARY(TADDSC_i32, int32_t, y = isa_value_i32(state, &s->b), y, ISA_WRAP(ISA_WRAP(a, +, b), +, c))
TERNARY(TSUBSC_f32, float, y = isa_value_f32(state, &s->b), y, a - b + c)
TERNARY(TSUBSC_i32, int32_t, y = isa_value_i32(state, &s->b), y, ISA_WRAP(ISA_WRAP(a, -, b), +, c))

const struct isa_kernel isa_ops_binary[] = {
#define ROW(NAME) { .op = PTOWSP_PTO_##NAME, .run = { NAME##_f32, NAME##_i32 } },
#define ROWS(NAME, NAMES, pragma, f, n) ROW(NAME) ROW(NAMES)
#define ROW_BITS(NAME, NAMES, n)                                                                                       \
	{ .op = PTOWSP_PTO_##NAME, .run = { NULL, NAME##_i32 } }, { .op = PTOWSP_PTO_##NAMES, .run = { NULL, NAMES##_i32 } },
	BOTH(ROWS) BITS(ROW_BITS)
	ROW(TDIV) ROW(TDIVS) ROW(TREM) ROW(TREMS) ROW(TPRELU) ROW(TADDC) ROW(TSUBC) ROW(TADDSC) ROW(TSUBSC)
	{ .op = PTOWSP_PTO_TSHL, .run = { NULL, TSHL_i32 } },
	{ .op = PTOWSP_PTO_TSHR, .run = { NULL, TSHR_i32 } },
	{ .op = 0 },
};
