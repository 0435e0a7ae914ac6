/* SPDX-License-Identifier: MIT */
/* inline_convert.c - elements of one type as those of another. */
#include "inline_own.h"

#include <math.h>
#include "isa/convert.h"
#include "ptowsp/ids.h"

static const char *const roundings[] = { /* to an integral value; NULL: math has none */
	[PTOWSP_ROUND_NONE] = "math.roundeven", [PTOWSP_ROUND_RINT] = "math.roundeven", [PTOWSP_ROUND_AWAY] = "math.round", [PTOWSP_ROUND_FLOOR] = "math.floor",
	[PTOWSP_ROUND_CEIL] = "math.ceil",      [PTOWSP_ROUND_TRUNC] = "math.trunc",    [PTOWSP_ROUND_ODD] = NULL,
};

/* Every value of the first is one of the second. */
static bool holds(unsigned from, unsigned to)
{
	const struct isa_format a = isa_format_of(from), b = isa_format_of(to);

	return a.precision <= b.precision && a.least >= b.least && a.most <= b.most;
}

static struct aie_value *refused(struct aie_inliner *in, uint32_t inst)
{
	aie_inline_refuse(in, inst, " with its rounding");
	return NULL;
}

static struct aie_value *float_to_float(struct aie_inliner *in, uint32_t inst, struct aie_value *value, unsigned from, unsigned to, unsigned mode)
{
	const struct aie_type *type = aie_inline_stored(in, to);
	struct aie_value *wide = aie_inline_widen(in, value, from);

	if (from == to && mode == PTOWSP_ROUND_NONE)
		return value;
	if (from == to)
		return roundings[mode] ? aie_inline_narrow(in, aie_inline_unary(in, roundings[mode], wide ? wide->type : NULL, wide), to) : refused(in, inst);
	if (mode > PTOWSP_ROUND_RINT && !holds(from, to))
		return refused(in, inst);
	if (wide && wide->type == type)
		return wide;
	return aie_inline_unary(in, wide && wide->type->bits < type->bits ? "arith.extf" : "arith.truncf", type, wide);
}

/* Integral values saturate, NaN is 0: arith.fpto* has no result for what does not fit, so it never sees that. */
static struct aie_value *float_to_int(struct aie_inliner *in, uint32_t inst, struct aie_value *value, unsigned from, unsigned to, unsigned mode)
{
	const struct isa_range range = isa_range_of(to);
	const struct aie_type *type = aie_inline_stored(in, to), *floats = aie_inline_computed(in, from);
	struct aie_value *wide = aie_inline_widen(in, value, from), *whole, *large, *small, *beyond, *least, *most, *none, *made;

	if (!roundings[mode])
		return refused(in, inst);
	whole = aie_inline_unary(in, roundings[mode], floats, wide);
	beyond = aie_inline_float(in, floats, range.beyond);
	least = aie_inline_float(in, floats, (double)range.least);
	none = aie_inline_float(in, floats, 0);
	most = aie_inline_int(in, type, (int64_t)range.most);
	large = aie_inline_compare(in, 3, whole, beyond);
	small = aie_inline_compare(in, 4, whole, least);
	made = aie_inline_compare(in, 7, whole, whole); /* is it a number? */
	whole = aie_inline_select(in, made, whole, none);
	whole = aie_inline_select(in, large, none, whole);
	whole = aie_inline_select(in, small, none, whole);
	made = aie_inline_unary(in, range.is_unsigned ? "arith.fptoui" : "arith.fptosi", type, whole);
	made = aie_inline_select(in, large, most, made);
	return aie_inline_select(in, small, aie_inline_int(in, type, range.least), made);
}

static struct aie_value *int_to_float(struct aie_inliner *in, uint32_t inst, struct aie_value *value, unsigned from, unsigned to, unsigned mode)
{
	const struct isa_format format = isa_format_of(to);
	const int width = isa_width(from) - (isa_class(from) == 'i');

	if (mode > PTOWSP_ROUND_RINT && from != PTOWSP_BOOL && (width > format.precision || width > format.most))
		return refused(in, inst);
	return aie_inline_unary(in, isa_class(from) == 'i' ? "arith.sitofp" : "arith.uitofp", aie_inline_stored(in, to), value);
}

/* Into the other type's range, in the type that it has, then into as many bits. */
static struct aie_value *int_to_int(struct aie_inliner *in, struct aie_value *value, unsigned from, unsigned to)
{
	const struct isa_range a = isa_range_of(from), b = isa_range_of(to);
	const bool positive = isa_class(from) != 'i';
	const struct aie_type *type = aie_inline_stored(in, to);

	if (a.least < b.least)
		value = aie_inline_binary(in, "arith.maxsi", value, aie_inline_int(in, value ? value->type : NULL, b.least));
	if (a.most > b.most)
		value = aie_inline_binary(in, positive ? "arith.minui" : "arith.minsi", value, aie_inline_int(in, value ? value->type : NULL, (int64_t)b.most));
	if (!value || value->type == type)
		return value;
	return aie_inline_unary(in, value->type->bits > type->bits ? "arith.trunci" : positive ? "arith.extui" : "arith.extsi", type, value);
}

struct aie_value *aie_inline_converted(struct aie_inliner *in, uint32_t inst, struct aie_value *value, unsigned from, unsigned to, unsigned mode)
{
	const bool from_float = isa_class(from) == 'f', to_float = isa_class(to) == 'f';

	if (to == PTOWSP_BOOL)
		return aie_inline_unary(in, "arith.extui", aie_inline_stored(in, to), aie_inline_true(in, value));
	if (from == PTOWSP_BOOL && !to_float)
		return aie_inline_unary(in, "arith.extui", aie_inline_bits(in, 8 * isa_dtype_bytes(to)), aie_inline_true(in, value));
	if (from == PTOWSP_BOOL)
		value = aie_inline_true(in, value);
	if (from_float)
		return to_float ? float_to_float(in, inst, value, from, to, mode) : float_to_int(in, inst, value, from, to, mode);
	return to_float ? int_to_float(in, inst, value, from, to, mode) : int_to_int(in, value, from, to);
}

static bool is_copy(unsigned from, unsigned to, unsigned mode)
{
	return from == to && from != PTOWSP_BOOL && (mode == PTOWSP_ROUND_NONE || isa_class(to) != 'f');
}

void aie_inline_make_convert(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const unsigned from = in->tiles[o.src[0]].dtype, to = in->tiles[o.dst[0]].dtype, mode = in->insts[inst].mode;
	struct aie_inline_loop loop;
	struct aie_value *value;

	if (is_copy(from, to, mode)) {
		aie_inline_make_move(in, inst, row);
		return;
	}
	loop = aie_inline_count(in, 0, (int64_t)aie_inline_count_of(in, o.dst[0]));
	value = aie_inline_load(in, aie_inline_flat(in, o.src[0]), 1, &loop.counter);
	value = aie_inline_converted(in, inst, value, from, to, mode);
	aie_inline_store(in, value, aie_inline_flat(in, o.dst[0]), 1, &loop.counter);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}
