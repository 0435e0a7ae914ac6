/* SPDX-License-Identifier: MIT */
/* ops_unary.c - one tile to one tile, element by element. */
#include "isa/isa_ops.h"
#include "isa/isa_tile.h"

#include <tgmath.h>
#include "isa/isa_level.h"

#define UNARY(type, NAME, how, value) ISA_MAP(type, NAME, how, , value)

ISA_FLOATS(UNARY, TABS, VECTOR, fabs(a))
ISA_SIGNED(UNARY, TABS, VECTOR, a < 0 ? 0 - (W)a : (W)a)
ISA_UNSIGNED(UNARY, TABS, VECTOR, a)
ISA_FLOATS(UNARY, TNEG, VECTOR, -a)
ISA_INTEGERS(UNARY, TNEG, VECTOR, 0 - (W)a)
ISA_INTEGERS(UNARY, TNOT, VECTOR, ~(W)a)
ISA_BOOLS(UNARY, TNOT, VECTOR, !a)
ISA_FLOATS_32(UNARY, TEXP, VECTOR, tile_exp_f32(a))
UNARY(f64, TEXP, PLAIN, exp(a))
ISA_FLOATS_32(UNARY, TLOG, VECTOR, tile_log_f32(a))
UNARY(f64, TLOG, PLAIN, log(a))
ISA_FLOATS(UNARY, TSQRT, VECTOR, sqrt(a))
ISA_FLOATS(UNARY, TRSQRT, VECTOR, (C)1 / sqrt(a))
ISA_FLOATS(UNARY, TRECIP, VECTOR, (C)1 / a)
ISA_FLOATS(UNARY, TRELU, VECTOR, a > 0 ? a : (C)0)
ISA_INTEGERS(UNARY, TRELU, VECTOR, a > 0 ? a : (C)0)
ISA_FLOATS_32(UNARY, TSILU, VECTOR, tile_silu_f32(a))
UNARY(f64, TSILU, PLAIN, a / ((C)1 + exp(-a)))
ISA_FLOATS_32(UNARY, TTANH, VECTOR, tile_tanh_f32(a))
UNARY(f64, TTANH, PLAIN, tanh(a))
ISA_FLOATS_32(UNARY, TSIGMOID, VECTOR, tile_sigmoid_f32(a))
UNARY(f64, TSIGMOID, PLAIN, (C)1 / ((C)1 + exp(-a)))
ISA_FLOATS(UNARY, TGELU, PLAIN, a / 2 * erfc(-a * (C)0.70710678118654752440))

/* d = a > 0 ? a : a * b with a scalar b */
#define LEAKY(type, NAME, product) ISA_MAP_SCALED(type, NAME, VECTOR, a > 0 ? (W)a : (product))
ISA_NUMBERS(LEAKY, TLRELU, (W)a * (W)b)

const struct isa_kernel ISA_TABLE(unary)[] = {
	ISA_ROW(TABS)
	ISA_ROW(TNEG)
	{.op = PTOWSP_PTO_TNOT, .run = {ISA_INTEGERS(ISA_ENTRY, TNOT) ISA_BOOLS(ISA_ENTRY, TNOT)}},
	ISA_ROW_FLOATS(TEXP)
	ISA_ROW_FLOATS(TLOG)
	ISA_ROW_FLOATS(TSQRT)
	ISA_ROW_FLOATS(TRSQRT)
	ISA_ROW_FLOATS(TRECIP)
	ISA_ROW(TRELU)
	ISA_ROW(TLRELU)
	ISA_ROW_FLOATS(TSILU)
	ISA_ROW_FLOATS(TTANH)
	ISA_ROW_FLOATS(TSIGMOID)
	ISA_ROW_FLOATS(TGELU)
	{.op = 0},
};
#ifdef ISA_LEVEL_PUSHED
#pragma clang attribute pop
#endif
