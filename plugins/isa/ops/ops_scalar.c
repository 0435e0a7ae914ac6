/* SPDX-License-Identifier: MIT */
/* ops_scalar.c - arithmetic on scalars: floats of one type, or 64-bit integers narrowed to the destination's type. */
#include "isa/convert.h"
#include "isa/ops/isa_ops.h"

#define FLOAT(type, name, value)                                                                                                                               \
	static ptowsp_status name##_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		const isa_c_##type a = ISA_SCALAR(type, state, &s->a), b = ISA_SCALAR(type, state, &s->b);                                                     \
		const isa_s_##type d = isa_put_##type(value);                                                                                                  \
		uint64_t bits = 0;                                                                                                                             \
                                                                                                                                                               \
		memcpy(&bits, &d, sizeof(d)); /* little endian, as all files are */                                                                            \
		state->scalars[s->d.at] = bits;                                                                                                                \
		return PTOWSP_OK;                                                                                                                              \
	}
#define INTEGER(name, value)                                                                                                                                   \
	static ptowsp_status name##_integer(const struct isa_step *s, struct isa_state *state)                                                                 \
	{                                                                                                                                                      \
		const uint64_t a = state->scalars[s->a.at], b = state->scalars[s->b.at];                                                                       \
                                                                                                                                                               \
		state->scalars[s->d.at] = isa_scalar_narrow(value, s->d.dtype);                                                                                \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_FLOATS(FLOAT, add, a + b)
ISA_FLOATS(FLOAT, sub, a - b)
ISA_FLOATS(FLOAT, mul, a *b)
ISA_FLOATS(FLOAT, div, a / b)
INTEGER(add, a + b)
INTEGER(sub, a - b)
INTEGER(mul, a *b)

/* In a walk a divisor out of tensor memory is not known; then nothing that steers depends on the quotient (flow.c). */
static ptowsp_status div_zero(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t a = state->scalars[s->a.at];

	state->scalars[s->d.at] = 0;
	if (!state->task && state->program->taint[s->b.at] & ISA_TAINT_DATA)
		return PTOWSP_OK;
	return isa_state_fail(state, s, s->a.dtype == PTOWSP_U64 ? "DIV of %llu by 0 (%%%.48s)" : "DIV of %lld by 0 (%%%.48s)", (long long)a,
			      state->program->scalar_names[s->b.row]);
}

static ptowsp_status div_integer(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t a = state->scalars[s->a.at], b = state->scalars[s->b.at];

	if (!b)
		return div_zero(s, state);
	state->scalars[s->d.at] = isa_scalar_narrow(b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b), s->d.dtype);
	return PTOWSP_OK;
}

static ptowsp_status div_unsigned(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t a = state->scalars[s->a.at], b = state->scalars[s->b.at];

	if (!b)
		return div_zero(s, state);
	state->scalars[s->d.at] = isa_scalar_narrow(a / b, s->d.dtype);
	return PTOWSP_OK;
}

/* MOV and LI: between classes the value is converted, between integers narrowed. */
static ptowsp_status move(const struct isa_step *s, struct isa_state *state)
{
	state->scalars[s->d.at] = isa_convert_scalar(state->scalars[s->a.at], s->a.dtype, s->d.dtype);
	return PTOWSP_OK;
}

#define HOLDS(mode, a, b)                                                                                                                                      \
	(mode == PTOWSP_COMPARE_EQ   ? a == b                                                                                                                  \
	 : mode == PTOWSP_COMPARE_NE ? a != b                                                                                                                  \
	 : mode == PTOWSP_COMPARE_LT ? a < b                                                                                                                   \
	 : mode == PTOWSP_COMPARE_LE ? a <= b                                                                                                                  \
	 : mode == PTOWSP_COMPARE_GT ? a > b                                                                                                                   \
				     : a >= b)
#define COMPARE(type, name)                                                                                                                                    \
	static ptowsp_status name##_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		const isa_c_##type a = ISA_SCALAR(type, state, &s->a), b = ISA_SCALAR(type, state, &s->b);                                                     \
                                                                                                                                                               \
		state->scalars[s->d.at] = HOLDS(s->mode, a, b);                                                                                                \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_FLOATS(COMPARE, compare)
COMPARE(i64, compare)
COMPARE(u64, compare)

#define ARITHMETIC(NAME, name, unsigned_one)                                                                                                                   \
	{.op = PTOWSP_PTO_##NAME, .run = {ISA_FLOATS(ISA_ENTRY, name)[PTOWSP_I64] = name##_integer, [PTOWSP_U64] = unsigned_one}},
const struct isa_kernel isa_ops_scalar[] = {
	ARITHMETIC(ADD, add, add_integer) ARITHMETIC(SUB, sub, sub_integer) ARITHMETIC(MUL, mul, mul_integer) ARITHMETIC(DIV, div, div_unsigned)
		ISA_ROW_OF(MOV, move) ISA_ROW_OF(LI, move){.op = PTOWSP_PTO_CMP,
							   .run = {ISA_FLOATS(ISA_ENTRY, compare)[PTOWSP_I64] = compare_i64, [PTOWSP_U64] = compare_u64}},
	{.op = 0},
};
