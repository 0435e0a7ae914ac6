/* SPDX-License-Identifier: MIT */
/* body_arith.c - operations of arith and math as instructions. */
#include "aie/body_code.h"
#include "aie/aie_cost.h"

#include <string.h>
#include "base/error.h"

static const struct row {
	const char *name;
	size_t length;
	uint16_t code, cost;
	bool floats;
} rows[] = {
#define INTEGER(op, name, cost, value) {name, sizeof(name) - 1, AIE_CODE_##op, AIE_COST_OP_##cost, false},
#define FLOAT(op, name, cost, value) {name, sizeof(name) - 1, AIE_CODE_##op, AIE_COST_OP_##cost, true},
#define FUNCTION(op, name, value, value64) {name, sizeof(name) - 1, AIE_CODE_##op, AIE_COST_OP_OTHER, true},
#include "aie/body.def"
};

static const struct row *row_find(const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].length == length && !memcmp(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}

static uint32_t bits_of(const struct aie_type *type)
{
	return type->kind == AIE_TYPE_INDEX ? 64 : type->bits;
}

static bool is_double(const struct aie_type *type)
{
	return type->kind == AIE_TYPE_F64;
}

static bool divides(uint16_t code)
{
	return code >= AIE_CODE_DIVSI && code <= AIE_CODE_FLOORDIVSI;
}

/* Of one operand it is both. */
static ptowsp_status binary(struct aie_body_maker *maker, const struct aie_op *op, const struct row *row)
{
	struct aie_ins ins = {.code = row->code, .cost = row->cost, .d = aie_body_place(maker, op->results[0]), .a = aie_body_place(maker, op->operands[0]),
			      .b = aie_body_place(maker, op->operands[op->operand_count - 1])};
	ptowsp_status st = PTOWSP_OK;

	if (row->floats)
		ins.code = (uint16_t)(ins.code + is_double(op->results[0]->type));
	else
		ins.c = 64 - bits_of(op->results[0]->type);
	if (!row->floats && divides(row->code))
		st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_NONZERO, .a = ins.b});
	return st ? st : aie_body_emit(maker, op, ins);
}

/* An instruction from the first operand to the result. */
static ptowsp_status unary(struct aie_body_maker *maker, const struct aie_op *op, enum aie_code code, uint32_t b, uint32_t c)
{
	return aie_body_emit(maker, op, (struct aie_ins){.code = (uint16_t)code, .cost = AIE_COST_OP_OTHER, .d = aie_body_place(maker, op->results[0]),
							  .a = aie_body_place(maker, op->operands[0]), .b = b, .c = c});
}

static ptowsp_status compare(struct aie_body_maker *maker, const struct aie_op *op)
{
	const uint32_t predicate = (uint32_t)aie_attr_of(op, "predicate")->number;
	const bool floats = aie_op_is(op, "arith.cmpf");
	struct aie_ins ins = {.code = (uint16_t)(floats ? AIE_CODE_CMPF : AIE_CODE_EQ + predicate), .cost = AIE_COST_OP_OTHER, .d = aie_body_place(maker, op->results[0]),
			      .a = aie_body_place(maker, op->operands[0]), .b = aie_body_place(maker, op->operands[1]), .c = predicate};

	if (floats && is_double(op->operands[0]->type))
		ins.c |= 16;
	return aie_body_emit(maker, op, ins);
}

static ptowsp_status choose(struct aie_body_maker *maker, const struct aie_op *op)
{
	return aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_SELECT, .cost = AIE_COST_OP_OTHER, .d = aie_body_place(maker, op->results[0]),
							  .a = aie_body_place(maker, op->operands[0]), .b = aie_body_place(maker, op->operands[1]),
							  .c = aie_body_place(maker, op->operands[2])});
}

static ptowsp_status negated(struct aie_body_maker *maker, const struct aie_op *op)
{
	return unary(maker, op, is_double(op->results[0]->type) ? AIE_CODE_NEGF64 : AIE_CODE_NEGF, 0, 0);
}

static ptowsp_status cut(struct aie_body_maker *maker, const struct aie_op *op)
{
	const uint32_t from = bits_of(op->operands[0]->type), to = bits_of(op->results[0]->type);

	if (aie_op_is(op, "arith.extui") || (aie_op_is(op, "arith.index_castui") && from < to))
		return unary(maker, op, AIE_CODE_CUTU, 0, 64 - from);
	return unary(maker, op, AIE_CODE_CUT, 0, 64 - to);
}

static ptowsp_status widened(struct aie_body_maker *maker, const struct aie_op *op)
{
	return unary(maker, op, is_double(op->results[0]->type) ? AIE_CODE_WIDEN : AIE_CODE_MOVE, 0, 0);
}

static ptowsp_status rounded(struct aie_body_maker *maker, const struct aie_op *op)
{
	return unary(maker, op, AIE_CODE_NARROW, is_double(op->operands[0]->type), op->results[0]->type->kind);
}

static ptowsp_status float_of(struct aie_body_maker *maker, const struct aie_op *op)
{
	const bool is_unsigned = aie_op_is(op, "arith.uitofp");

	return unary(maker, op, AIE_CODE_FLOAT_OF, op->results[0]->type->kind, is_unsigned ? bits_of(op->operands[0]->type) : 0);
}

static ptowsp_status int_of(struct aie_body_maker *maker, const struct aie_op *op)
{
	const bool is_unsigned = aie_op_is(op, "arith.fptoui");

	return unary(maker, op, AIE_CODE_INT_OF, is_double(op->operands[0]->type), bits_of(op->results[0]->type) + (is_unsigned ? 128 : 0));
}

static bool is_int(const struct aie_type *type)
{
	return type->kind == AIE_TYPE_INT || type->kind == AIE_TYPE_INDEX;
}

static ptowsp_status same_bits(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_type *from = op->operands[0]->type, *to = op->results[0]->type;

	if (from == to || (is_int(from) && is_int(to)))
		return unary(maker, op, AIE_CODE_MOVE, 0, 0);
	if (is_int(to))
		return unary(maker, op, AIE_CODE_BITS, 0, from->kind);
	if (is_int(from))
		return unary(maker, op, AIE_CODE_OF_BITS, 0, to->kind);
	return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: arith.bitcast between two sorts of floats has no model; go by way of an integer", op->line);
}

static ptowsp_status fused(struct aie_body_maker *maker, const struct aie_op *op)
{
	return aie_body_emit(maker, op, (struct aie_ins){.code = is_double(op->results[0]->type) ? AIE_CODE_FMA64 : AIE_CODE_FMA, .cost = AIE_COST_OP_MUL,
							  .d = aie_body_place(maker, op->results[0]), .a = aie_body_place(maker, op->operands[0]),
							  .b = aie_body_place(maker, op->operands[1]), .c = aie_body_place(maker, op->operands[2])});
}

static ptowsp_status power(struct aie_body_maker *maker, const struct aie_op *op)
{
	const bool ints = aie_op_is(op, "math.ipowi");

	return unary(maker, op, ints ? AIE_CODE_IPOWI : AIE_CODE_FPOWI, aie_body_place(maker, op->operands[1]),
		     ints ? 64 - bits_of(op->results[0]->type) : is_double(op->results[0]->type));
}

static ptowsp_status sine_and_cosine(struct aie_body_maker *maker, const struct aie_op *op)
{
	const bool wide = is_double(op->operands[0]->type);
	ptowsp_status st = unary(maker, op, wide ? AIE_CODE_SIN64 : AIE_CODE_SIN, 0, 0);

	return st ? st : aie_body_emit(maker, op, (struct aie_ins){.code = wide ? AIE_CODE_COS64 : AIE_CODE_COS, .d = aie_body_place(maker, op->results[1]),
								    .a = aie_body_place(maker, op->operands[0])});
}

static ptowsp_status class_of(struct aie_body_maker *maker, const struct aie_op *op)
{
	static const char *const classes[] = {"math.isfinite", "math.isinf", "math.isnan", "math.isnormal"};
	uint32_t class = 0;

	while (!aie_op_is(op, classes[class]))
		class++;
	return unary(maker, op, AIE_CODE_CLASS, op->operands[0]->type->kind, class);
}

static const struct {
	const char *name;
	ptowsp_status (*make)(struct aie_body_maker *maker, const struct aie_op *op);
} others[] = {
	{"arith.cmpi", compare},     {"arith.cmpf", compare},      {"arith.select", choose},     {"arith.negf", negated},      {"arith.extsi", cut},
	{"arith.extui", cut},        {"arith.trunci", cut},        {"arith.index_cast", cut},    {"arith.index_castui", cut},  {"arith.extf", widened},
	{"arith.truncf", rounded},   {"arith.sitofp", float_of},   {"arith.uitofp", float_of},   {"arith.fptosi", int_of},     {"arith.fptoui", int_of},
	{"arith.bitcast", same_bits}, {"math.fma", fused},         {"math.ipowi", power},        {"math.fpowi", power},       {"math.sincos", sine_and_cosine},
	{"math.isfinite", class_of}, {"math.isinf", class_of},     {"math.isnan", class_of},     {"math.isnormal", class_of},
};

static ptowsp_status widths_look(struct aie_body_maker *maker, const struct aie_op *op)
{
	for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
		const struct aie_type *type = (i < op->operand_count ? op->operands[i] : op->results[i - op->operand_count])->type;

		if (type->kind == AIE_TYPE_INT && (type->bits > 64 || !type->bits))
			return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: %s of %u bits has no model; use at most 64", op->line, op->name, type->bits);
	}
	return PTOWSP_OK;
}

ptowsp_status aie_body_arith(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out)
{
	const struct row *row = row_find(op->name);
	ptowsp_status st = widths_look(maker, op);

	*known_out = true;
	if (st)
		return st;
	if (row)
		return binary(maker, op, row);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (aie_op_is(op, others[i].name))
			return others[i].make(maker, op);
	*known_out = false;
	return PTOWSP_OK;
}
