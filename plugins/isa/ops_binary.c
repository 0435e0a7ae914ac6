/* SPDX-License-Identifier: MIT */
/* ops_binary.c - two or three tiles, or tiles and a scalar, element by element. */
#include "isa/isa_ops.h"

#include <tgmath.h>
#include "isa/isa_level.h"

/* tile with tile */
#define TILES(type, NAME, how, value)                                                                                          \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                  \
	{                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                 \
		const S *x = isa_tile(state, &s->a), *y = isa_tile(state, &s->b);                                              \
		const size_t count = isa_count(&s->d);                                                                         \
                                                                                                                               \
		ISA_LOOP_##how for (size_t i = 0; i < count; i++)                                                              \
		{                                                                                                              \
			const C a = isa_get_##type(x[i]), b = isa_get_##type(y[i]);                                            \
                                                                                                                               \
			d[i] = isa_put_##type(value);                                                                          \
		}                                                                                                              \
		return PTOWSP_OK;                                                                                              \
	}
/* tile, tile, tile; and tile, scalar, tile */
#define TERNARY(type, NAME, b_declare, b_at, value)                                                                            \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                  \
	{                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                 \
		const S *x = isa_tile(state, &s->a), *z = isa_tile(state, &s->c);                                              \
		const b_declare;                                                                                               \
		const size_t count = isa_count(&s->d);                                                                         \
                                                                                                                               \
		ISA_VECTOR for (size_t i = 0; i < count; i++)                                                                  \
		{                                                                                                              \
			const W a = (W)isa_get_##type(x[i]), b = (W)(b_at), c = (W)isa_get_##type(z[i]);                       \
                                                                                                                               \
			d[i] = isa_put_##type(value);                                                                          \
		}                                                                                                              \
		return PTOWSP_OK;                                                                                              \
	}
#define TERNARY_TILES(type, NAME, value) TERNARY(type, NAME, S *y = isa_tile(state, &s->b), isa_get_##type(y[i]), value)
#define TERNARY_SCALED(type, NAME, value) TERNARY(type, NAME, C y = ISA_SCALAR(type, state, &s->b), y, value)

/* What integers do where C leaves it open: x / 0 is 0, x rem 0 is x; the smallest / -1 wraps. */
#define DIV_SIGNED (b == 0 ? 0 : b == -1 ? 0 - (W)a : (W)(a / b))
#define DIV_UNSIGNED (b == 0 ? 0 : a / b)
#define REM_SIGNED (b == 0 ? a : b == -1 ? 0 : a % b)
#define REM_UNSIGNED (b == 0 ? a : a % b)
#define SHIFT ((W)b & (WIDTH - 1))

/* X(tile opcode, scalar opcode, floats, signed, unsigned, how integers are compiled): the same arithmetic in both forms. */
#define ARITHMETIC(X)                                                                                                          \
	X(TADD, TADDS, SHORT, a + b, VECTOR, (W)a + (W)b, (W)a + (W)b)                                                        \
	X(TSUB, TSUBS, SHORT, a - b, VECTOR, (W)a - (W)b, (W)a - (W)b)                                                        \
	X(TMUL, TMULS, SHORT, a * b, VECTOR, (W)a * (W)b, (W)a * (W)b)                                                        \
	X(TDIV, TDIVS, VECTOR, a / b, PLAIN, DIV_SIGNED, DIV_UNSIGNED)                                                         \
	X(TREM, TREMS, PLAIN, fmod(a, b), PLAIN, REM_SIGNED, REM_UNSIGNED)                                                     \
	X(TMAX, TMAXS, SHORT, a > b ? a : b, VECTOR, a > b ? a : b, a > b ? a : b)                                            \
	X(TMIN, TMINS, SHORT, a < b ? a : b, VECTOR, a < b ? a : b, a < b ? a : b)
/* X(tile opcode, scalar opcode, integers and u1) */
#define BITS(X)                                                                                                                \
	X(TAND, TANDS, (W)a & (W)b)                                                                                            \
	X(TOR, TORS, (W)a | (W)b)                                                                                              \
	X(TXOR, TXORS, (W)a ^ (W)b)

#define DEFINE(NAME, NAMES, float_how, f, how, i, u)                                                                           \
	ISA_FLOATS(TILES, NAME, float_how, f)                                                                                  \
	ISA_SIGNED(TILES, NAME, how, i)                                                                                        \
	ISA_UNSIGNED(TILES, NAME, how, u)                                                                                      \
	ISA_FLOATS(ISA_MAP_SCALED, NAMES, float_how, f)                                                                                \
	ISA_SIGNED(ISA_MAP_SCALED, NAMES, how, i)                                                                                      \
	ISA_UNSIGNED(ISA_MAP_SCALED, NAMES, how, u)
ARITHMETIC(DEFINE)
#define DEFINE_BITS(NAME, NAMES, n)                                                                                            \
	ISA_INTEGERS(TILES, NAME, VECTOR, n)                                                                                   \
	ISA_BOOLS(TILES, NAME, VECTOR, n)                                                                                      \
	ISA_INTEGERS(ISA_MAP_SCALED, NAMES, VECTOR, n)                                                                                 \
	ISA_BOOLS(ISA_MAP_SCALED, NAMES, VECTOR, n)
BITS(DEFINE_BITS)
ISA_INTEGERS(TILES, TSHL, VECTOR, (W)a << SHIFT)
ISA_INTEGERS(TILES, TSHR, VECTOR, a >> SHIFT)
ISA_NUMBERS(TILES, TPRELU, VECTOR, a > 0 ? (W)a : (W)a * (W)b)
ISA_NUMBERS(TERNARY_TILES, TADDC, a + b + c)
ISA_NUMBERS(TERNARY_TILES, TSUBC, a - b + c)
ISA_NUMBERS(TERNARY_SCALED, TADDSC, a + b + c)
ISA_NUMBERS(TERNARY_SCALED, TSUBSC, a - b + c)

const struct isa_kernel ISA_TABLE(binary)[] = {
#define ROWS(NAME, NAMES, float_how, f, how, i, u) ISA_ROW(NAME) ISA_ROW(NAMES)
#define ROW_BITS(NAME) {.op = PTOWSP_PTO_##NAME, .run = {ISA_INTEGERS(ISA_ENTRY, NAME) ISA_BOOLS(ISA_ENTRY, NAME)}},
#define ROWS_BITS(NAME, NAMES, n) ROW_BITS(NAME) ROW_BITS(NAMES)
	ARITHMETIC(ROWS)
	BITS(ROWS_BITS)
	ISA_ROW(TPRELU)
	ISA_ROW(TADDC)
	ISA_ROW(TSUBC)
	ISA_ROW(TADDSC)
	ISA_ROW(TSUBSC)
	{.op = PTOWSP_PTO_TSHL, .run = {ISA_INTEGERS(ISA_ENTRY, TSHL)}},
	{.op = PTOWSP_PTO_TSHR, .run = {ISA_INTEGERS(ISA_ENTRY, TSHR)}},
	{.op = 0},
};
#ifdef ISA_LEVEL_PUSHED
#pragma clang attribute pop
#endif
