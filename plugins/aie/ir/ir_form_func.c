/* SPDX-License-Identifier: MIT */
/* ir_form_func.c - functions, calls and the module as people write them. */
#include "aie/ir/ir_form.h"

bool aie_form_call(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_token at = reader->token;
	const struct aie_type *type;

	(void)row;
	if (!aie_read_set(reader, op, "callee", aie_read_symbol(reader)) || !aie_read_mark(reader, '(', "and arguments") ||
	    !aie_read_operands(reader, op, ')') || !aie_form_attrs(reader, op) || !aie_form_colon(reader))
		return false;
	type = aie_read_signature(reader);
	if (!type)
		return false;
	if (type->inputs != op->operand_count)
		return aie_read_fail(reader, &at, "a call has %u arguments and types for %u", op->operand_count, type->inputs);
	for (uint32_t i = 0; i < type->inputs; i++)
		if (op->operands[i]->type != type->parts[i])
			return aie_read_fail(reader, &at, "argument %u of a call has another type than stands behind ':'", i);
	for (uint32_t i = type->inputs; i < type->part_count; i++)
		if (!aie_read_result(reader, op, type->parts[i]))
			return false;
	return true;
}

/* %a: i32, or i32 where there is no body; without names the region has no arguments. */
static bool parameter(struct aie_reader *reader, struct aie_op *op, struct aie_region *region, struct aie_group *name, const struct aie_type ***parts,
		      uint32_t *count)
{
	const struct aie_type *type;
	const bool named = reader->token.kind == AIE_TOKEN_VALUE;

	*name = (struct aie_group){.token = reader->token};
	if (*count && named != (region->argument_count != 0))
		return aie_read_expected(reader, "names for all parameters, or for none");
	if (named) {
		name->name = aie_read_name(reader);
		if (!name->name || !aie_read_mark(reader, ':', "behind the name of a parameter"))
			return false;
	}
	type = aie_read_type(reader);
	if (!aie_read_part(reader, parts, count, type))
		return false;
	return !named || aie_region_argument(reader->module, op, region, type) || aie_read_memory(reader);
}

/* (parameters) -> results: the function's type, and names in `names`. */
static const struct aie_type *function_type(struct aie_reader *reader, struct aie_op *op, struct aie_region *region, struct aie_group *names)
{
	const struct aie_type **parts = NULL, *type;
	uint32_t count = 0, inputs;

	if (!aie_read_mark(reader, '(', "and parameters"))
		return NULL;
	while (!aie_read_at_mark(reader, ')')) {
		if (count == AIE_READ_CARRIED) {
			aie_read_fail(reader, &reader->token, "a function has more than %d parameters here", AIE_READ_CARRIED);
			return NULL;
		}
		if ((count && !aie_read_mark(reader, ',', "or ')' behind a parameter")) || !parameter(reader, op, region, &names[count], &parts, &count))
			return NULL;
	}
	aie_read_next(reader);
	inputs = count;
	if (reader->token.kind == AIE_TOKEN_ARROW) {
		aie_read_next(reader);
		if (!aie_read_types(reader, &parts, &count))
			return NULL;
	}
	type = aie_type_function(reader->module, inputs, count, parts);
	if (!type)
		aie_read_memory(reader);
	return type;
}

static bool function_body(struct aie_reader *reader, struct aie_op *op, struct aie_region *region, const struct aie_group *names)
{
	const uint32_t scope = reader->scope.count;
	const struct aie_token at = reader->token;
	bool good = true;

	if (!aie_read_at_mark(reader, '{')) {
		region->argument_count = 0;
		return true;
	}
	reader->scope.closed++;
	for (uint32_t i = 0; good && i < region->argument_count; i++)
		good = aie_read_define(reader, &names[i].token, names[i].name, &region->arguments[i], 1);
	good = good && aie_read_body(reader, op, region, scope);
	reader->scope.closed--;
	if (good && !region->first)
		return aie_read_fail(reader, &at, "a function's body that is empty stands here, expected func.return at its end");
	return good;
}

bool aie_form_function(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	static const char *const visibilities[] = {"private", "public", "nested"};
	struct aie_region *region = aie_op_region(reader->module, op);
	struct aie_group names[AIE_READ_CARRIED];
	const struct aie_attr *symbol;
	const struct aie_type *type;

	(void)row;
	if (!region)
		return aie_read_memory(reader);
	for (size_t i = 0; i < 3; i++)
		if (aie_read_take_word(reader, visibilities[i]) &&
		    !aie_read_set(reader, op, "sym_visibility", aie_attr_text(reader->module, AIE_ATTR_STRING, visibilities[i])))
			return false;
	symbol = aie_read_symbol(reader);
	if (!symbol || !aie_read_set(reader, op, "sym_name", aie_attr_text(reader->module, AIE_ATTR_STRING, symbol->text)))
		return false;
	type = function_type(reader, op, region, names);
	if (!type || !aie_read_set(reader, op, "function_type", aie_attr_type(reader->module, type)))
		return false;
	if (aie_read_take_word(reader, "attributes") && !aie_read_attrs(reader, op))
		return false;
	return !reader->status && function_body(reader, op, region, names);
}

bool aie_form_module(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	struct aie_region *region = aie_op_region(reader->module, op);
	const struct aie_attr *symbol;
	bool good;

	(void)row;
	if (!region)
		return aie_read_memory(reader);
	if (reader->token.kind == AIE_TOKEN_SYMBOL) {
		symbol = aie_read_symbol(reader);
		if (!symbol || !aie_read_set(reader, op, "sym_name", aie_attr_text(reader->module, AIE_ATTR_STRING, symbol->text)))
			return false;
	}
	if (aie_read_take_word(reader, "attributes") && !aie_read_attrs(reader, op))
		return false;
	reader->scope.closed++;
	good = !reader->status && aie_read_body(reader, op, region, reader->scope.count);
	reader->scope.closed--;
	return good;
}
