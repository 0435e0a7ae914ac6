/* SPDX-License-Identifier: MIT */
/* inline_scalar.c - scalar registers: numbers as long as they are known, which those of a call are, then values. */
#include "inline_own.h"

#include "isa/convert.h"
#include "ptowsp/ids.h"

const struct aie_type *aie_inline_scalar_type(struct aie_inliner *in, uint32_t row)
{
	return aie_inline_class(in->rows[row].dtype) == 'f' ? aie_inline_stored(in, in->rows[row].dtype) : aie_inline_bits(in, 64);
}

void aie_inline_scalar_set(struct aie_inliner *in, uint32_t row, struct aie_value *value)
{
	in->scalars[row] = (struct aie_inline_scalar){.value = value};
}

static void scalar_known(struct aie_inliner *in, uint32_t row, uint64_t bits)
{
	in->scalars[row] = (struct aie_inline_scalar){.known = true, .bits = bits};
}

struct aie_value *aie_inline_scalar(struct aie_inliner *in, uint32_t row)
{
	const struct aie_inline_scalar *scalar = &in->scalars[row];
	const struct aie_type *type = aie_inline_scalar_type(in, row);

	if (!scalar->known)
		return scalar->value;
	return aie_inline_is_float(type) ? aie_inline_float(in, type, isa_float_value(scalar->bits, in->rows[row].dtype)) : aie_inline_int(in, type, (int64_t)scalar->bits);
}

struct aie_inline_index aie_inline_scalar_index(struct aie_inliner *in, uint32_t row)
{
	const struct aie_inline_scalar *scalar = &in->scalars[row];

	if (scalar->known)
		return aie_inline_number((int64_t)scalar->bits);
	return aie_inline_of(aie_inline_unary(in, "arith.index_cast", aie_inline_index_type(in), scalar->value));
}

struct aie_value *aie_inline_scalar_stored(struct aie_inliner *in, uint32_t row, unsigned dtype)
{
	const struct aie_inline_scalar *scalar = &in->scalars[row];
	const struct aie_type *type = aie_inline_stored(in, dtype);

	if (aie_inline_is_float(type))
		return aie_inline_scalar(in, row);
	if (scalar->known)
		return aie_inline_int(in, type, (int64_t)isa_scalar_narrow(scalar->bits, dtype));
	if (dtype == PTOWSP_BOOL)
		return aie_inline_unary(in, "arith.extui", type, aie_inline_true(in, scalar->value));
	return scalar->value && scalar->value->type != type ? aie_inline_unary(in, "arith.trunci", type, scalar->value) : scalar->value;
}

struct aie_value *aie_inline_scalar_computed(struct aie_inliner *in, uint32_t row, unsigned dtype)
{
	const struct aie_inline_scalar *scalar = &in->scalars[row];
	const struct aie_type *type = aie_inline_computed(in, dtype);

	if (!aie_inline_is_float(type))
		return aie_inline_scalar_stored(in, row, dtype);
	if (scalar->known)
		return aie_inline_float(in, type, isa_float_value(scalar->bits, dtype));
	return aie_inline_widen(in, scalar->value, dtype);
}

struct aie_value *aie_inline_scalar_narrow(struct aie_inliner *in, struct aie_value *value, unsigned dtype)
{
	const struct aie_type *type = aie_inline_stored(in, dtype), *wide = aie_inline_bits(in, 64);

	if (dtype == PTOWSP_BOOL)
		return aie_inline_unary(in, "arith.extui", wide, aie_inline_true(in, value));
	if (type == wide)
		return value;
	return aie_inline_unary(in, aie_inline_class(dtype) == 'i' ? "arith.extsi" : "arith.extui", wide, aie_inline_unary(in, "arith.trunci", type, value));
}

struct aie_value *aie_inline_scalar_of(struct aie_inliner *in, struct aie_value *stored, unsigned from, unsigned to)
{
	const struct aie_type *wide = aie_inline_bits(in, 64);
	struct aie_value *value = from == PTOWSP_BOOL ? aie_inline_true(in, stored) : stored;

	if (aie_inline_class(from) == 'f')
		return stored;
	if (value && value->type != wide)
		value = aie_inline_unary(in, aie_inline_class(from) == 'i' ? "arith.extsi" : "arith.extui", wide, value);
	return from == to ? value : aie_inline_scalar_narrow(in, value, to);
}

/* ---- arithmetic --------------------------------------------------------------------------------------------------------- */

static bool is_unsigned(const struct aie_inliner *in, const struct aie_inline_operands *o)
{
	return in->rows[o->src[0]].dtype == PTOWSP_U64 || in->rows[o->src[1]].dtype == PTOWSP_U64;
}

static bool both_known(const struct aie_inliner *in, const struct aie_inline_operands *o)
{
	return in->scalars[o->src[0]].known && in->scalars[o->src[1]].known;
}

/* Of integers, whose numbers are then no operations. false: it is one. */
static bool folded(struct aie_inliner *in, unsigned op, const struct aie_inline_operands *o)
{
	const uint64_t a = in->scalars[o->src[0]].bits, b = in->scalars[o->src[1]].bits;
	uint64_t made;

	if (!both_known(in, o) || op == PTOWSP_PTO_DIV || aie_inline_class(o->key) == 'f')
		return false;
	made = op == PTOWSP_PTO_ADD ? a + b : op == PTOWSP_PTO_SUB ? a - b : a * b;
	scalar_known(in, o->dst[0], isa_scalar_narrow(made, in->rows[o->dst[0]].dtype));
	return true;
}

void aie_inline_make_scalar_arith(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const bool floats = aie_inline_class(o.key) == 'f';
	const unsigned key = floats ? o.key : is_unsigned(in, &o) ? PTOWSP_U64 : PTOWSP_I64;
	struct aie_inline_element element = {.key = key};
	struct aie_value *made;

	if (folded(in, in->insts[inst].op, &o))
		return;
	for (unsigned i = 0; i < 2; i++)
		element.computed[i] = floats ? aie_inline_scalar_computed(in, o.src[i], key) : aie_inline_scalar(in, o.src[i]);
	made = aie_inline_expression(in, &element, aie_inline_text(row, key));
	aie_inline_scalar_set(in, o.dst[0], floats ? aie_inline_narrow(in, made, key) : aie_inline_scalar_narrow(in, made, in->rows[o.dst[0]].dtype));
}

void aie_inline_make_scalar_compare(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const bool floats = aie_inline_class(o.key) == 'f';
	const unsigned key = floats ? o.key : is_unsigned(in, &o) ? PTOWSP_U64 : PTOWSP_I64;
	struct aie_inline_element element = {.key = key, .mode = in->insts[inst].mode};

	for (unsigned i = 0; i < 2; i++)
		element.computed[i] = floats ? aie_inline_scalar_computed(in, o.src[i], key) : aie_inline_scalar(in, o.src[i]);
	aie_inline_scalar_set(in, o.dst[0], aie_inline_unary(in, "arith.extui", aie_inline_bits(in, 64), aie_inline_expression(in, &element, aie_inline_text(row, key))));
}

/* Between integers the low bits stay; to floats the nearest, from floats toward zero. */
void aie_inline_make_scalar_move(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const unsigned from = in->rows[o.src[0]].dtype, to = in->rows[o.dst[0]].dtype;
	const bool from_float = aie_inline_class(from) == 'f', to_float = aie_inline_class(to) == 'f';
	const struct aie_inline_scalar a = in->scalars[o.src[0]];

	(void)row;
	if (a.known)
		scalar_known(in, o.dst[0], isa_convert_scalar(a.bits, from, to));
	else if (from == to)
		aie_inline_scalar_set(in, o.dst[0], a.value);
	else if (!from_float && !to_float)
		aie_inline_scalar_set(in, o.dst[0], aie_inline_scalar_narrow(in, a.value, to));
	else if (!from_float)
		aie_inline_scalar_set(in, o.dst[0], aie_inline_converted(in, inst, a.value, from == PTOWSP_U64 ? PTOWSP_U64 : PTOWSP_I64, to, PTOWSP_ROUND_NONE));
	else
		aie_inline_scalar_set(in, o.dst[0], to_float ? aie_inline_converted(in, inst, a.value, from, to, PTOWSP_ROUND_NONE)
							      : aie_inline_scalar_of(in, aie_inline_converted(in, inst, a.value, from, to == PTOWSP_BOOL ? PTOWSP_I64 : to, PTOWSP_ROUND_TRUNC),
										     to == PTOWSP_BOOL ? PTOWSP_I64 : to, to));
}
