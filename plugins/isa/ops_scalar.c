/* SPDX-License-Identifier: MIT */
/* ops_scalar.c - arithmetic on scalars: f32, or 64-bit integers narrowed to the destination's type. */
#include "isa/ops.h"

#define FLOAT(name, value)                                                                                                     \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                           \
	{                                                                                                                      \
		const float a = isa_value_f32(state, &s->a), b = isa_value_f32(state, &s->b);                                  \
                                                                                                                               \
		state->scalars[s->d.at] = isa_bits_of(value);                                                                  \
		return PTOWSP_OK;                                                                                              \
	}
#define INTEGER(name, value)                                                                                                   \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                           \
	{                                                                                                                      \
		const uint64_t a = state->scalars[s->a.at], b = state->scalars[s->b.at];                                       \
                                                                                                                               \
		state->scalars[s->d.at] = isa_scalar_narrow(value, s->d.dtype);                                                \
		return PTOWSP_OK;                                                                                              \
	}
FLOAT(add_float, a + b)
FLOAT(sub_float, a - b)
FLOAT(mul_float, a *b)
FLOAT(div_float, a / b)
INTEGER(add_integer, a + b)
INTEGER(sub_integer, a - b)
INTEGER(mul_integer, a *b)

/* In a walk a divisor out of tensor memory is not known; then nothing that steers depends on the quotient (flow.c). */
static ptowsp_status div_integer(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t a = state->scalars[s->a.at], b = state->scalars[s->b.at];
	uint64_t quotient = 0;

	if (b == UINT64_MAX)
		quotient = 0 - a;
	else if (b)
		quotient = (uint64_t)((int64_t)a / (int64_t)b);
	else if (state->task || !(state->program->taint[s->b.at] & ISA_TAINT_DATA))
		return isa_state_fail(state, s, "DIV of %lld by 0 (%%%.48s)", (long long)(int64_t)a,
				      state->program->scalar_names[s->b.row]);
	state->scalars[s->d.at] = isa_scalar_narrow(quotient, s->d.dtype);
	return PTOWSP_OK;
}

static int64_t saturate(float a)
{
	if (a != a)
		return 0;
	if (a >= 9223372036854775808.0f)
		return INT64_MAX;
	return a < -9223372036854775808.0f ? INT64_MIN : (int64_t)a;
}

static int64_t clamp(int64_t value, unsigned dtype)
{
	if (dtype != PTOWSP_I32)
		return value;
	return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
}

/* MOV and LI: between classes the value is converted, between integers narrowed. */
static ptowsp_status move(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t a = state->scalars[s->a.at];
	const bool from_float = s->a.dtype == PTOWSP_F32, to_float = s->d.dtype == PTOWSP_F32;
	uint64_t value = a;

	if (from_float && !to_float)
		value = isa_scalar_narrow((uint64_t)clamp(saturate(isa_float_of(a)), s->d.dtype), s->d.dtype);
	else if (!from_float && to_float)
		value = isa_bits_of((float)(int64_t)a);
	else if (!from_float)
		value = isa_scalar_narrow(a, s->d.dtype);
	state->scalars[s->d.at] = value;
	return PTOWSP_OK;
}

#define COMPARE(name, T, fetch)                                                                                                \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                           \
	{                                                                                                                      \
		const T a = fetch(state, &s->a), b = fetch(state, &s->b);                                                      \
		bool holds;                                                                                                    \
                                                                                                                               \
		switch (s->mode) {                                                                                             \
		case PTOWSP_COMPARE_EQ:                                                                                        \
			holds = a == b;                                                                                        \
			break;                                                                                                 \
		case PTOWSP_COMPARE_NE:                                                                                        \
			holds = a != b;                                                                                        \
			break;                                                                                                 \
		case PTOWSP_COMPARE_LT:                                                                                        \
			holds = a < b;                                                                                         \
			break;                                                                                                 \
		case PTOWSP_COMPARE_LE:                                                                                        \
			holds = a <= b;                                                                                        \
			break;                                                                                                 \
		case PTOWSP_COMPARE_GT:                                                                                        \
			holds = a > b;                                                                                         \
			break;                                                                                                 \
		default:                                                                                                       \
			holds = a >= b;                                                                                        \
			break;                                                                                                 \
		}                                                                                                              \
		state->scalars[s->d.at] = holds;                                                                               \
		return PTOWSP_OK;                                                                                              \
	}
static int64_t value_i64(const struct isa_state *state, const struct isa_operand *o)
{
	return (int64_t)state->scalars[o->at];
}
COMPARE(compare_float, float, isa_value_f32)
COMPARE(compare_integer, int64_t, value_i64)

const struct isa_kernel isa_ops_scalar[] = {
	{.op = PTOWSP_PTO_ADD, .run = {add_float, add_integer}},
	{.op = PTOWSP_PTO_SUB, .run = {sub_float, sub_integer}},
	{.op = PTOWSP_PTO_MUL, .run = {mul_float, mul_integer}},
	{.op = PTOWSP_PTO_DIV, .run = {div_float, div_integer}},
	{.op = PTOWSP_PTO_MOV, .run = {move, move}},
	{.op = PTOWSP_PTO_LI, .run = {move, move}},
	{.op = PTOWSP_PTO_CMP, .run = {compare_float, compare_integer}},
	{.op = 0},
};
