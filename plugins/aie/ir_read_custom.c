/* SPDX-License-Identifier: MIT */
/* ir_read_custom.c - operations of MLIR's own dialects as people write them. */
#include "aie/ir_ops.h"
#include "aie/ir_read.h"

#include <stdio.h>
#include <string.h>

typedef bool read_form(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row);

static bool colon(struct aie_reader *reader)
{
	return aie_read_mark(reader, ':', "and a type");
}

/* The type behind ':' is that of this operand. */
static bool typed(struct aie_reader *reader, const struct aie_op *op, uint32_t operand, const struct aie_type **type_out)
{
	const struct aie_token at = reader->token;

	*type_out = aie_read_type(reader);
	if (!*type_out)
		return false;
	if (op->operands[operand]->type != *type_out)
		return aie_read_fail(reader, &at, "operand %u of %s has another type than stands here", operand, op->name);
	return true;
}

static bool comma(struct aie_reader *reader)
{
	return aie_read_mark(reader, ',', "and the next operand");
}

static bool maybe_attrs(struct aie_reader *reader, struct aie_op *op)
{
	return !aie_read_at_mark(reader, '{') || aie_read_attrs(reader, op);
}

/* ---- arith */

static bool read_constant(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_token at = reader->token;
	const struct aie_attr *value;

	(void)row;
	if (!maybe_attrs(reader, op))
		return false;
	value = aie_read_attr(reader);
	if (!value)
		return false;
	if (!value->type || value->kind == AIE_ATTR_TYPE)
		return aie_read_fail(reader, &at, "a constant's value stands here, expected a number and its type");
	return aie_read_set(reader, op, "value", value) && aie_read_result(reader, op, value->type);
}

/* overflow<nsw>, fastmath<fast>: kept as the generic form has them. */
static bool flags(struct aie_reader *reader, struct aie_op *op)
{
	static const char *const words[][2] = {{"overflow", "overflowFlags"}, {"fastmath", "fastmath"}};
	char text[64];
	size_t length;

	for (size_t i = 0; i < 2; i++) {
		if (!aie_read_take_word(reader, words[i][0]))
			continue;
		length = (size_t)snprintf(text, sizeof(text), "#arith.%s<", words[i][0]);
		if (!aie_read_mark(reader, '<', "and flags"))
			return false;
		do {
			if (reader->token.kind != AIE_TOKEN_WORD || length + reader->token.length + 4 > sizeof(text))
				return aie_read_expected(reader, "a flag");
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%.*s", text[length - 1] == '<' ? "" : ", ", (int)reader->token.length,
						   reader->token.begin);
			aie_read_next(reader);
		} while (aie_read_take(reader, ','));
		text[length] = '>';
		text[length + 1] = '\0';
		if (!aie_read_mark(reader, '>', "behind flags") ||
		    !aie_read_set(reader, op, words[i][1], aie_attr_text(reader->module, AIE_ATTR_OTHER, text)))
			return false;
	}
	return true;
}

static bool read_binary(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && comma(reader) && aie_read_operand(reader, op) && flags(reader, op) && maybe_attrs(reader, op) && colon(reader) &&
	       typed(reader, op, 0, &type) && aie_read_result(reader, op, type);
}

static bool read_unary(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && flags(reader, op) && maybe_attrs(reader, op) && colon(reader) && typed(reader, op, 0, &type) &&
	       aie_read_result(reader, op, type);
}

static bool predicate(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *wide = aie_type_plain(reader->module, AIE_TYPE_INT, 64);

	for (uint32_t i = 0; aie_op_predicate(row, i); i++)
		if (aie_read_take_word(reader, aie_op_predicate(row, i)))
			return aie_read_set(reader, op, "predicate", aie_attr_int(reader->module, wide, i));
	return aie_read_expected(reader, "how to compare, such as eq, slt or olt");
}

static bool read_compare(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	return predicate(reader, op, row) && comma(reader) && aie_read_operand(reader, op) && comma(reader) && aie_read_operand(reader, op) && flags(reader, op) &&
	       maybe_attrs(reader, op) && colon(reader) && typed(reader, op, 0, &type) &&
	       aie_read_result(reader, op, aie_type_plain(reader->module, AIE_TYPE_INT, 1));
}

static bool read_select(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && comma(reader) && aie_read_operand(reader, op) && comma(reader) && aie_read_operand(reader, op) &&
	       maybe_attrs(reader, op) && colon(reader) && typed(reader, op, 1, &type) && aie_read_result(reader, op, type);
}

/* a to b */
static bool from_to(struct aie_reader *reader, struct aie_op *op, const struct aie_type **to_out)
{
	const struct aie_type *from;

	if (!colon(reader) || !typed(reader, op, 0, &from) || !aie_read_word(reader, "to", "and the type of the result"))
		return false;
	*to_out = aie_read_type(reader);
	return *to_out != NULL;
}

static bool read_convert(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *to;

	(void)row;
	return aie_read_operand(reader, op) && flags(reader, op) && maybe_attrs(reader, op) && from_to(reader, op, &to) && aie_read_result(reader, op, to);
}

/* ---- memref */

static bool memref_typed(struct aie_reader *reader, const struct aie_op *op, uint32_t operand, const struct aie_type **type_out)
{
	const struct aie_token at = reader->token;

	if (!typed(reader, op, operand, type_out))
		return false;
	return (*type_out)->kind == AIE_TYPE_MEMREF || aie_read_fail(reader, &at, "the type of a number stands here, expected a memref");
}

static bool read_load(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_read_mark(reader, '[', "and indices") && aie_read_operands(reader, op, ']') && maybe_attrs(reader, op) &&
	       colon(reader) && memref_typed(reader, op, 0, &type) && aie_read_result(reader, op, type->element);
}

static bool read_store(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && comma(reader) && aie_read_operand(reader, op) && aie_read_mark(reader, '[', "and indices") &&
	       aie_read_operands(reader, op, ']') && maybe_attrs(reader, op) && colon(reader) && memref_typed(reader, op, 1, &type);
}

static bool ints_set(struct aie_reader *reader, struct aie_op *op, const char *name, uint32_t bits, uint32_t count, const int64_t *ints)
{
	const struct aie_type *type = aie_type_plain(reader->module, AIE_TYPE_INT, bits);

	return aie_read_set(reader, op, name, aie_attr_ints(reader->module, AIE_ATTR_INTS, type, count, ints));
}

static bool read_alloc(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	static const int64_t none[] = {0, 0};

	(void)row;
	return aie_read_mark(reader, '(', "behind the operation") && aie_read_mark(reader, ')', "as sizes stand in the type") && maybe_attrs(reader, op) &&
	       ints_set(reader, op, "operandSegmentSizes", 32, 2, none) && colon(reader) && aie_read_result(reader, op, aie_read_type(reader));
}

static bool read_dealloc(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && maybe_attrs(reader, op) && colon(reader) && memref_typed(reader, op, 0, &type);
}

static bool read_copy(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_token at = reader->token;
	const struct aie_type *to;

	(void)row;
	if (!aie_read_operand(reader, op) || !comma(reader) || !aie_read_operand(reader, op) || !maybe_attrs(reader, op) || !from_to(reader, op, &to))
		return false;
	return to == op->operands[1]->type || aie_read_fail(reader, &at, "operand 1 of %s has another type than stands behind 'to'", op->name);
}

static bool read_view(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *to;

	(void)row;
	return aie_read_operand(reader, op) && aie_read_mark(reader, '[', "and the first byte") && aie_read_operand(reader, op) &&
	       aie_read_mark(reader, ']', "behind the first byte") && aie_read_mark(reader, '[', "and ']', as sizes stand in the type") &&
	       aie_read_mark(reader, ']', "as sizes stand in the type") && maybe_attrs(reader, op) && from_to(reader, op, &to) && aie_read_result(reader, op, to);
}

/* [%i, 0]: numbers, and AIE_DYNAMIC for those that are operands. */
static bool mixed(struct aie_reader *reader, struct aie_op *op, bool operands, int64_t *ints, uint32_t *count_out)
{
	uint32_t count = 0;

	if (!aie_read_mark(reader, '[', "and a number for each dimension"))
		return false;
	while (!aie_read_at_mark(reader, ']')) {
		if (count == AIE_DIMS)
			return aie_read_expected(reader, "']': a memref has at most five dimensions");
		if (count && !aie_read_mark(reader, ',', "or ']' behind a number"))
			return false;
		ints[count] = AIE_DYNAMIC;
		if (operands && reader->token.kind == AIE_TOKEN_VALUE ? !aie_read_operand(reader, op) : !aie_read_integer(reader, &ints[count]))
			return false;
		count++;
	}
	aie_read_next(reader);
	*count_out = count;
	return true;
}

static bool read_subview(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	static const char *const names[] = {"static_offsets", "static_sizes", "static_strides"};
	int64_t ints[3][AIE_DIMS] = {{0}};
	uint32_t counts[3] = {0};
	const struct aie_type *to;

	(void)row;
	if (!aie_read_operand(reader, op))
		return false;
	for (uint32_t i = 0; i < 3; i++)
		if (!mixed(reader, op, i == 0, ints[i], &counts[i]))
			return false;
	if (!maybe_attrs(reader, op) || !from_to(reader, op, &to) || !aie_read_result(reader, op, to) ||
	    !ints_set(reader, op, "operandSegmentSizes", 32, 4, (const int64_t[]){1, op->operand_count - 1, 0, 0}))
		return false;
	for (uint32_t i = 0; i < 3; i++)
		if (!ints_set(reader, op, names[i], 64, counts[i], ints[i]))
			return false;
	return true;
}

/* ---- scf */

/* The yield that people leave out where there is nothing to give. */
static bool yield_end(struct aie_reader *reader, struct aie_op *op, struct aie_region *region)
{
	if (op->result_count || (region->last && aie_op_is(region->last, "scf.yield")))
		return true;
	return aie_op_add(reader->module, op, region, "scf.yield") || aie_read_memory(reader);
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
	do {
		if (*count == AIE_READ_CARRIED)
			return aie_read_fail(reader, &at, "a loop carries more than %d values here", AIE_READ_CARRIED);
		names[*count].token = reader->token;
		names[*count].name = aie_read_name(reader);
		if (!names[(*count)++].name || !aie_read_mark(reader, '=', "and what it begins with") || !aie_read_operand(reader, op))
			return false;
	} while (aie_read_take(reader, ','));
	if (!aie_read_mark(reader, ')', "or ',' behind a value") || !aie_read_arrow(reader) || !aie_read_types(reader, &types, &type_count))
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
	return aie_read_body(reader, op, region, scope) && yield_end(reader, op, region) && maybe_attrs(reader, op);
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
	return op->operands[0]->type == type || aie_read_fail(reader, &at, "a loop's first value has another type than its counter, which is index where no type stands here");
}

static bool read_for(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
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

static bool read_if(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type **types = NULL;
	uint32_t count = 0;

	(void)row;
	if (!aie_read_operand(reader, op))
		return false;
	if (reader->token.kind == AIE_TOKEN_ARROW) {
		aie_read_next(reader);
		if (!aie_read_types(reader, &types, &count))
			return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if (!aie_read_result(reader, op, types[i]))
			return false;
	if (!if_region(reader, op))
		return false;
	if (aie_read_take_word(reader, "else") ? !if_region(reader, op) : !aie_op_region(reader->module, op))
		return reader->status ? false : aie_read_memory(reader);
	return maybe_attrs(reader, op);
}

/* %a, %b : a, b; or nothing. */
static bool read_values(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	if (!maybe_attrs(reader, op))
		return false;
	if (reader->token.kind != AIE_TOKEN_VALUE)
		return true;
	if (!aie_read_operands(reader, op, ':'))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if ((i && !aie_read_mark(reader, ',', "and the next type")) || !typed(reader, op, i, &type))
			return false;
	return true;
}

/* ---- func */

static bool read_call(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_token at = reader->token;
	const struct aie_type *type;

	(void)row;
	if (!aie_read_set(reader, op, "callee", aie_read_symbol(reader)) || !aie_read_mark(reader, '(', "and arguments") || !aie_read_operands(reader, op, ')') ||
	    !maybe_attrs(reader, op) || !colon(reader))
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
static bool parameter(struct aie_reader *reader, struct aie_op *op, struct aie_region *region, struct aie_group *name, const struct aie_type ***parts, uint32_t *count)
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

static bool read_function(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
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

static bool read_module(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
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

static read_form *const forms[] = {
	[AIE_SHAPE_MODULE] = read_module,   [AIE_SHAPE_FUNCTION] = read_function, [AIE_SHAPE_CALL] = read_call,
	[AIE_SHAPE_RETURN] = read_values,   [AIE_SHAPE_FOR] = read_for,           [AIE_SHAPE_IF] = read_if,
	[AIE_SHAPE_YIELD] = read_values,    [AIE_SHAPE_LOAD] = read_load,         [AIE_SHAPE_STORE] = read_store,
	[AIE_SHAPE_ALLOC] = read_alloc,     [AIE_SHAPE_DEALLOC] = read_dealloc,   [AIE_SHAPE_SUBVIEW] = read_subview,
	[AIE_SHAPE_VIEW] = read_view,       [AIE_SHAPE_COPY] = read_copy,         [AIE_SHAPE_CONSTANT] = read_constant,
	[AIE_SHAPE_BINARY] = read_binary,   [AIE_SHAPE_UNARY] = read_unary,       [AIE_SHAPE_COMPARE] = read_compare,
	[AIE_SHAPE_SELECT] = read_select,   [AIE_SHAPE_CONVERT] = read_convert,
};

/* Words that stand for longer ones. */
static const struct aie_op_row *row_of(const struct aie_token *at)
{
	static const char *const shorts[][2] = {{"module", "builtin.module"}, {"call", "func.call"}, {"return", "func.return"}};

	for (size_t i = 0; i < sizeof(shorts) / sizeof(*shorts); i++)
		if (at->length == strlen(shorts[i][0]) && !memcmp(at->begin, shorts[i][0], at->length))
			return aie_op_row(shorts[i][1], strlen(shorts[i][1]));
	return aie_op_row(at->begin, at->length);
}

bool aie_read_custom(struct aie_reader *reader, struct aie_op *op, const struct aie_token *at)
{
	const struct aie_op_row *row = row_of(at);

	if (!row)
		return aie_read_fail(reader, at, "'%.*s' stands here, expected an operation of arith, scf, memref or func, or one in quotes (the generic form)",
				     at->length < 48 ? (int)at->length : 48, at->begin);
	op->name = aie_name(reader->module, row->name, strlen(row->name));
	return op->name ? forms[row->shape](reader, op, row) : aie_read_memory(reader);
}
