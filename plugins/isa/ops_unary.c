/* SPDX-License-Identifier: MIT */
/* ops_unary.c - one tile to one tile, element by element. */
#include "isa/ops.h"

#include <math.h>

#define UNARY(name, T, pragma, value)                                                                                  \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a);                                                                   \
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
#define NO_PRAGMA

UNARY(tabs_f32, float, ISA_VECTOR, fabsf(a))
UNARY(tabs_i32, int32_t, ISA_VECTOR, a < 0 ? ISA_WRAP(0, -, a) : a)
UNARY(tneg_f32, float, ISA_VECTOR, -a)
UNARY(tneg_i32, int32_t, ISA_VECTOR, ISA_WRAP(0, -, a))
UNARY(tnot_i32, int32_t, ISA_VECTOR, ~a)
UNARY(texp_f32, float, NO_PRAGMA, expf(a))
UNARY(tlog_f32, float, NO_PRAGMA, logf(a))
UNARY(tsqrt_f32, float, ISA_VECTOR, sqrtf(a))
UNARY(trsqrt_f32, float, ISA_VECTOR, 1.0f / sqrtf(a))
UNARY(trecip_f32, float, ISA_VECTOR, 1.0f / a)
UNARY(trelu_f32, float, ISA_VECTOR, a > 0.0f ? a : 0.0f)
UNARY(trelu_i32, int32_t, ISA_VECTOR, a > 0 ? a : 0)

/* d = a > 0 ? a : a * b with a scalar b */
#define LEAKY(name, T, fetch, product)                                                                                 \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                   \
	{                                                                                                              \
		T *d = isa_tile(state, &s->d);                                                                         \
		const T *x = isa_tile(state, &s->a);                                                                   \
		const T b = fetch(state, &s->b);                                                                       \
		const size_t count = isa_count(&s->d);                                                                 \
                                                                                                                       \
		ISA_VECTOR for (size_t i = 0; i < count; i++)                                                          \
		{                                                                                                      \
			const T a = x[i];                                                                              \
                                                                                                                       \
			d[i] = a > 0 ? a : (product);                                                                  \
		}                                                                                                      \
		return PTOWSP_OK;                                                                                      \
	}
LEAKY(tlrelu_f32, float, isa_value_f32, a * b)
LEAKY(tlrelu_i32, int32_t, isa_value_i32, ISA_WRAP(a, *, b))

const struct isa_kernel isa_ops_unary[] = {
	{ .op = PTOWSP_PTO_TABS, .run = { tabs_f32, tabs_i32 } },
	{ .op = PTOWSP_PTO_TNEG, .run = { tneg_f32, tneg_i32 } },
	{ .op = PTOWSP_PTO_TNOT, .run = { NULL, tnot_i32 } },
	{ .op = PTOWSP_PTO_TEXP, .run = { texp_f32 } },
	{ .op = PTOWSP_PTO_TLOG, .run = { tlog_f32 } },
	{ .op = PTOWSP_PTO_TSQRT, .run = { tsqrt_f32 } },
	{ .op = PTOWSP_PTO_TRSQRT, .run = { trsqrt_f32 } },
	{ .op = PTOWSP_PTO_TRECIP, .run = { trecip_f32 } },
	{ .op = PTOWSP_PTO_TRELU, .run = { trelu_f32, trelu_i32 } },
	{ .op = PTOWSP_PTO_TLRELU, .run = { tlrelu_f32, tlrelu_i32 } },
	{ .op = 0 },
};
