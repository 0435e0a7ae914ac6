/* SPDX-License-Identifier: MIT */
/* ops_element.c - operations of elementwise.def: a loop per operation and type, by the operands that it sees. */
#include "isa/isa_tile.h"
#include "isa/ops/isa_ops.h"

#include "isa/ops/isa_level.h"
#include <tgmath.h>

#define OF_SIGNED(name)            _Generic(a, int8_t : isa_##name##_i8, int16_t : isa_##name##_i16, int32_t : isa_##name##_i32, default : isa_##name##_i64)(a, b)
#define OF_UNSIGNED(name)          _Generic(a, uint8_t : isa_##name##_u8, uint16_t : isa_##name##_u16, uint32_t : isa_##name##_u32, default : isa_##name##_u64)(a, b)
#define DIV_SIGNED                 OF_SIGNED(div)
#define DIV_UNSIGNED               OF_UNSIGNED(div)
#define REM_SIGNED                 OF_SIGNED(rem)
#define REM_UNSIGNED               OF_UNSIGNED(rem)
#define LAST                       (WIDTH - 1)

#define OF_TYPE(x, of_f64, of_f32) _Generic((x), double : of_f64, default : of_f32)(x)
#define tile_exp(x)                OF_TYPE(x, tile_exp_f64, tile_exp_f32)
#define tile_log(x)                OF_TYPE(x, tile_log_f64, tile_log_f32)
#define tile_tanh(x)               OF_TYPE(x, tile_tanh_f64, tile_tanh_f32)
#define tile_silu(x)               OF_TYPE(x, tile_silu_f64, tile_silu_f32)
#define tile_sigmoid(x)            OF_TYPE(x, tile_sigmoid_f64, tile_sigmoid_f32)
#define tile_gelu(x)               OF_TYPE(x, tile_gelu_f64, tile_gelu_f32)
#define tile_rem(x, y)             _Generic((x), double : tile_rem_f64, default : tile_rem_f32)(x, y)

/* ---- loops by access ----------------------------------------------------------------------------------------------- */

#define STEP(type, NAME, ...)                                                                                                                                  \
	static ptowsp_status NAME##_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                                                 \
		const S *x = isa_tile(state, &s->a);                                                                                                           \
		__VA_ARGS__                                                                                                                                    \
		return PTOWSP_OK;                                                                                                                              \
	}
/* Element by element: given declares what stands before the loop, each what an element sees besides a. */
#define FLAT(type, NAME, how, value, given, each)                                                                                                              \
	STEP(                                                                                                                                                  \
		type, NAME, given const size_t count = isa_count(&s->d); ISA_LOOP_##how for (size_t i = 0; i < count; i++) {                                   \
			const C a = isa_get_##type(x[i]);                                                                                                      \
			each d[i] = isa_put_##type(value);                                                                                                     \
		})
/* Row by row: before stands at the beginning of row i, each before element [i,j]. */
#define ROWS(type, NAME, how, value, before, each)                                                                                                             \
	STEP(                                                                                                                                                  \
		type, NAME, const S *y = isa_tile(state, &s->b); const size_t rows = s->d.rows, columns = s->d.columns; for (size_t i = 0; i < rows; i++) {    \
			S *to = d + i * columns;                                                                                                               \
			const S *from = x + i * columns;                                                                                                       \
			before ISA_LOOP_##how for (size_t j = 0; j < columns; j++)                                                                             \
			{                                                                                                                                      \
				const C a = isa_get_##type(from[j]);                                                                                           \
				each to[j] = isa_put_##type(value);                                                                                            \
			}                                                                                                                                      \
		})
#define TILE_B(type)                   const S *y = isa_tile(state, &s->b);
#define TILE_C(type)                   const S *z = isa_tile(state, &s->c);
#define SCALAR_B(type)                 const C b = ISA_SCALAR(type, state, &s->b);
#define AT(type, name, from, at)       const C name = isa_get_##type(from[at]);
#define OF_e(type, NAME, how, value)   FLAT(type, NAME, how, value, , )
#define OF_ee(type, NAME, how, value)  FLAT(type, NAME, how, value, TILE_B(type), AT(type, b, y, i))
#define OF_es(type, NAME, how, value)  FLAT(type, NAME, how, value, SCALAR_B(type), )
#define OF_eee(type, NAME, how, value) FLAT(type, NAME, how, value, TILE_B(type) TILE_C(type), AT(type, b, y, i) AT(type, c, z, i))
#define OF_ese(type, NAME, how, value) FLAT(type, NAME, how, value, SCALAR_B(type) TILE_C(type), AT(type, c, z, i))
#define OF_er(type, NAME, how, value)  ROWS(type, NAME, how, value, AT(type, b, y, i), )
#define OF_ec(type, NAME, how, value)  ROWS(type, NAME, how, value, , AT(type, b, y, j)) /* y may be d only when that has one row */

#ifdef ISA_FUNCTIONS
#define NUMBERS(...)
#define INTEGERS(...)
#define BITS(...)
#else
#define NUMBERS(NAME, access, float_how, f, how, i, u, ...)                                                                                                    \
	ISA_FLOATS(OF_##access, NAME, float_how, f) ISA_SIGNED(OF_##access, NAME, how, i) ISA_UNSIGNED(OF_##access, NAME, how, u)
#define INTEGERS(NAME, access, how, n, ...)  ISA_INTEGERS(OF_##access, NAME, how, n)
#define BITS(NAME, access, how, n, one, ...) ISA_INTEGERS(OF_##access, NAME, how, n) ISA_BOOLS(OF_##access, NAME, how, one)
#endif
#define FLOATS(NAME, access, how, f, ...) ISA_FLOATS(OF_##access, NAME, how, f)
#include "isa/elementwise.def"

const struct isa_kernel ISA_TABLE(element)[] = {
#ifdef ISA_FUNCTIONS
#define NUMBERS(...)
#define INTEGERS(...)
#define BITS(...)
#else
#define NUMBERS(NAME, ...)  ISA_ROW(NAME)
#define INTEGERS(NAME, ...) {.op = PTOWSP_PTO_##NAME, .run = {ISA_INTEGERS(ISA_ENTRY, NAME)}},
#define BITS(NAME, ...)     {.op = PTOWSP_PTO_##NAME, .run = {ISA_INTEGERS(ISA_ENTRY, NAME) ISA_BOOLS(ISA_ENTRY, NAME)}},
#endif
#define FLOATS(NAME, ...) ISA_ROW_FLOATS(NAME)
#include "isa/elementwise.def"
	{.op = 0},
};
#ifdef ISA_LEVEL_PUSHED
#pragma clang attribute pop
#endif
