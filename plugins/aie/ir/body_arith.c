/* SPDX-License-Identifier: MIT */
/* body_arith.c - operations of arith as instructions. */
#include "aie/ir/body_code.h"
#include "aie/sim/aie_cost.h"

#include "base/error.h"
#include <string.h>

static const struct row {
	const char *name;
	size_t length;
	uint16_t code, cost;
	bool floats;
} rows[] = {
#define INTEGER(op, name, cost, value) {name, sizeof(name) - 1, AIE_CODE_##op, AIE_COST_OP_##cost, false},
#define FLOAT(op, name, cost, value)   {name, sizeof(name) - 1, AIE_CODE_##op, AIE_COST_OP_##cost, true},
#include "aie/ir/body.def"
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

static bool divides(uint16_t code)
{
	return code >= AIE_CODE_DIVSI && code <= AIE_CODE_FLOORDIVSI;
}

static ptowsp_status binary(struct aie_body_maker *maker, const struct aie_op *op, const struct row *row)
{
	struct aie_ins ins = {.code = row->code,
			      .cost = row->cost,
			      .d = aie_body_place(maker, op->results[0]),
			      .a = aie_body_place(maker, op->operands[0]),
			      .b = aie_body_place(maker, op->operands[1])};
	ptowsp_status status = PTOWSP_OK;

	if (!row->floats)
		ins.c = 64 - bits_of(op->results[0]->type);
	if (!row->floats && divides(row->code))
		status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_NONZERO, .a = ins.b});
	return status ? status : aie_body_emit(maker, op, ins);
}

/* An instruction from the first operand to the result. */
static ptowsp_status unary(struct aie_body_maker *maker, const struct aie_op *op, enum aie_code code, uint32_t b, uint32_t c)
{
	return aie_body_emit(maker, op,
			     (struct aie_ins){.code = (uint16_t)code,
					      .cost = AIE_COST_OP_OTHER,
					      .d = aie_body_place(maker, op->results[0]),
					      .a = aie_body_place(maker, op->operands[0]),
					      .b = b,
					      .c = c});
}

static ptowsp_status compare(struct aie_body_maker *maker, const struct aie_op *op)
{
	const uint32_t predicate = (uint32_t)aie_attr_of(op, "predicate")->number;
	const bool floats = aie_op_is(op, "arith.cmpf");
	const struct aie_ins ins = {.code = (uint16_t)(floats ? AIE_CODE_CMPF : AIE_CODE_EQ + predicate),
				    .cost = AIE_COST_OP_OTHER,
				    .d = aie_body_place(maker, op->results[0]),
				    .a = aie_body_place(maker, op->operands[0]),
				    .b = aie_body_place(maker, op->operands[1]),
				    .c = predicate};

	return aie_body_emit(maker, op, ins);
}

static ptowsp_status choose(struct aie_body_maker *maker, const struct aie_op *op)
{
	return aie_body_emit(maker, op,
			     (struct aie_ins){.code = AIE_CODE_SELECT,
					      .cost = AIE_COST_OP_OTHER,
					      .d = aie_body_place(maker, op->results[0]),
					      .a = aie_body_place(maker, op->operands[0]),
					      .b = aie_body_place(maker, op->operands[1]),
					      .c = aie_body_place(maker, op->operands[2])});
}

static ptowsp_status negated(struct aie_body_maker *maker, const struct aie_op *op)
{
	return unary(maker, op, AIE_CODE_NEGF, 0, 0);
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
	return unary(maker, op, AIE_CODE_MOVE, 0, 0);
}

static ptowsp_status rounded(struct aie_body_maker *maker, const struct aie_op *op)
{
	return unary(maker, op, AIE_CODE_NARROW, 0, op->results[0]->type->kind);
}

static ptowsp_status float_of(struct aie_body_maker *maker, const struct aie_op *op)
{
	const bool is_unsigned = aie_op_is(op, "arith.uitofp");

	return unary(maker, op, AIE_CODE_FLOAT_OF, op->results[0]->type->kind, is_unsigned ? bits_of(op->operands[0]->type) : 0);
}

static ptowsp_status int_of(struct aie_body_maker *maker, const struct aie_op *op)
{
	const bool is_unsigned = aie_op_is(op, "arith.fptoui");

	return unary(maker, op, AIE_CODE_INT_OF, 0, bits_of(op->results[0]->type) + (is_unsigned ? 128 : 0));
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
	return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: arith.bitcast between two sorts of floats has no model; go by way of an integer",
			 op->line);
}

static const struct {
	const char *name;
	ptowsp_status (*make)(struct aie_body_maker *maker, const struct aie_op *op);
} others[] = {
	{"arith.cmpi", compare},     {"arith.cmpf", compare},  {"arith.select", choose},  {"arith.negf", negated},
	{"arith.extsi", cut},        {"arith.extui", cut},     {"arith.trunci", cut},     {"arith.index_cast", cut},
	{"arith.index_castui", cut}, {"arith.extf", widened},  {"arith.truncf", rounded}, {"arith.sitofp", float_of},
	{"arith.uitofp", float_of},  {"arith.fptosi", int_of}, {"arith.fptoui", int_of},  {"arith.bitcast", same_bits},
};

static ptowsp_status widths_look(struct aie_body_maker *maker, const struct aie_op *op)
{
	for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
		const struct aie_type *type = (i < op->operand_count ? op->operands[i] : op->results[i - op->operand_count])->type;

		if (type->kind == AIE_TYPE_INT && (type->bits > 64 || !type->bits))
			return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: %s of %u bits has no model; use at most 64", op->line, op->name,
					 type->bits);
		if (type->kind == AIE_TYPE_F64)
			return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: %s of f64 has no model; use f32", op->line, op->name);
	}
	return PTOWSP_OK;
}

ptowsp_status aie_body_arith(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out)
{
	const struct row *row = row_find(op->name);
	ptowsp_status status = widths_look(maker, op);

	*known_out = true;
	if (status)
		return status;
	if (row)
		return binary(maker, op, row);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (aie_op_is(op, others[i].name))
			return others[i].make(maker, op);
	*known_out = false;
	return PTOWSP_OK;
}
