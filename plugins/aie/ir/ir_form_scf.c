/* SPDX-License-Identifier: MIT */
/* ir_form_scf.c - loops and choices as people write them. */
#include "aie/ir/ir_form.h"

/* The yield that people leave out where there is nothing to give. */
static bool yield_end(struct aie_reader *reader, struct aie_op *op, struct aie_region *region)
{
	if (op->result_count || (region->last && aie_op_is(region->last, "scf.yield")))
		return true;
	return aie_op_add(reader->module, op, region, "scf.yield") || aie_read_memory(reader);
}

bool aie_form_carried(struct aie_reader *reader, const struct aie_token *at, struct aie_op *op, struct aie_group *names, uint32_t *count)
{
	do {
		if (*count == AIE_READ_CARRIED)
			return aie_read_fail(reader, at, "a loop carries more than %d values here", AIE_READ_CARRIED);
		names[*count].token = reader->token;
		names[*count].name = aie_read_name(reader);
		if (!names[(*count)++].name || !aie_read_mark(reader, '=', "and what it begins with") || !aie_read_operand(reader, op))
			return false;
	} while (aie_read_take(reader, ','));
	return aie_read_mark(reader, ')', "or ',' behind a value");
}

/* iter_args(%a = %b, ...) -> (types): operands, results and names. */
static bool carried(struct aie_reader *reader, struct aie_op *op, struct aie_group *names, uint32_t *count)
{
	const struct aie_type **types = NULL;
	const struct aie_token at = reader->token;
	uint32_t type_count = 0;

	if (!aie_read_take_word(reader, "iter_args"))
		return true;
	if (!aie_read_mark(reader, '(', "behind 'iter_args'"))
		return false;
	if (!aie_form_carried(reader, &at, op, names, count) || !aie_read_arrow(reader) || !aie_read_types(reader, &types, &type_count))
		return false;
	if (type_count != *count)
		return aie_read_fail(reader, &at, "a loop carries %u values and has types for %u here", *count, type_count);
	for (uint32_t i = 0; i < type_count; i++)
		if (!aie_read_result(reader, op, types[i]))
			return false;
	return true;
}

static bool loop_body(struct aie_reader *reader, struct aie_op *op, const struct aie_group *names, uint32_t count)
{
	struct aie_region *region = aie_op_region(reader->module, op);
	const uint32_t scope = reader->scope.count;

	if (!region)
		return aie_read_memory(reader);
	for (uint32_t i = 0; i < count; i++) {
		const struct aie_type *type = op->operands[i ? 2 + i : 0]->type;

		if (!aie_region_argument(reader->module, op, region, type))
			return aie_read_memory(reader);
	}
	for (uint32_t i = 0; i < count; i++)
		if (!aie_read_define(reader, &names[i].token, names[i].name, &region->arguments[i], 1))
			return false;
	return aie_read_body(reader, op, region, scope) && yield_end(reader, op, region) && aie_form_attrs(reader, op);
}

/* The type of the counter, which is index where none stands. */
static bool counter_type(struct aie_reader *reader, const struct aie_op *op)
{
	const struct aie_token at = reader->token;
	const struct aie_type *type;

	if (aie_read_take(reader, ':'))
		type = aie_read_type(reader);
	else
		type = aie_type_plain(reader->module, AIE_TYPE_INDEX, 0);
	if (!type)
		return reader->status ? false : aie_read_memory(reader);
	return op->operands[0]->type == type ||
	       aie_read_fail(reader, &at, "a loop's first value has another type than its counter, which is index where no type stands here");
}

bool aie_form_for(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	struct aie_group names[1 + AIE_READ_CARRIED] = {{.token = reader->token}};
	uint32_t count = 0;

	(void)row;
	names[0].name = aie_read_name(reader);
	if (!names[0].name || !aie_read_mark(reader, '=', "and the first value of the counter") || !aie_read_operand(reader, op) ||
	    !aie_read_word(reader, "to", "and the last value") || !aie_read_operand(reader, op) || !aie_read_word(reader, "step", "and how far each goes") ||
	    !aie_read_operand(reader, op) || !carried(reader, op, names + 1, &count) || !counter_type(reader, op))
		return false;
	return loop_body(reader, op, names, count + 1);
}

static bool if_region(struct aie_reader *reader, struct aie_op *op)
{
	struct aie_region *region = aie_op_region(reader->module, op);

	return region ? aie_read_body(reader, op, region, reader->scope.count) && yield_end(reader, op, region) : aie_read_memory(reader);
}

bool aie_form_results(struct aie_reader *reader, struct aie_op *op)
{
	const struct aie_type **types = NULL;
	uint32_t count = 0;

	if (reader->token.kind == AIE_TOKEN_ARROW) {
		aie_read_next(reader);
		if (!aie_read_types(reader, &types, &count))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!aie_read_result(reader, op, types[i]))
			return false;
	return true;
}

bool aie_form_if(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	if (!aie_read_operand(reader, op) || !aie_form_results(reader, op) || !if_region(reader, op))
		return false;
	if (aie_read_take_word(reader, "else") ? !if_region(reader, op) : !aie_op_region(reader->module, op))
		return reader->status ? false : aie_read_memory(reader);
	return aie_form_attrs(reader, op);
}

bool aie_form_types(struct aie_reader *reader, const struct aie_op *op, uint32_t first)
{
	const struct aie_type *type;

	for (uint32_t i = first; i < op->operand_count; i++)
		if ((i > first && !aie_read_mark(reader, ',', "and the next type")) || !aie_form_typed(reader, op, i, &type))
			return false;
	return true;
}

/* %a, %b : a, b; or nothing. */
bool aie_form_values(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	if (!aie_form_attrs(reader, op))
		return false;
	return reader->token.kind != AIE_TOKEN_VALUE || (aie_read_operands(reader, op, ':') && aie_form_types(reader, op, 0));
}
