/* SPDX-License-Identifier: MIT */
/* ir_form.c - operations of MLIR's own dialects as people write them: which form an operation has, and what forms share. */
#include "aie/ir/ir_form.h"
#include "aie/ir/ir_print.h"

#include <string.h>

bool aie_form_colon(struct aie_reader *reader)
{
	return aie_read_mark(reader, ':', "and a type");
}

static bool another_type(struct aie_reader *reader, const struct aie_token *at, const struct aie_op *op, uint32_t operand, const struct aie_type *type)
{
	struct common_text own = {0}, said = {0};

	aie_print_type(&own, op->operands[operand]->type);
	aie_print_type(&said, type);
	aie_read_fail(reader, at, "operand %u of %s has another type than stands here: %.120s, not %.120s", operand, op->name, common_text_view(&own),
		      common_text_view(&said));
	common_text_finish(&own);
	common_text_finish(&said);
	return false;
}

/* The type behind ':' is that of this operand. */
bool aie_form_typed(struct aie_reader *reader, const struct aie_op *op, uint32_t operand, const struct aie_type **type_out)
{
	const struct aie_token at = reader->token;

	*type_out = aie_read_type(reader);
	if (!*type_out)
		return false;
	return op->operands[operand]->type == *type_out || another_type(reader, &at, op, operand, *type_out);
}

bool aie_form_comma(struct aie_reader *reader)
{
	return aie_read_mark(reader, ',', "and the next operand");
}

bool aie_form_attrs(struct aie_reader *reader, struct aie_op *op)
{
	return !aie_read_at_mark(reader, '{') || aie_read_attrs(reader, op);
}

/* a to b */
bool aie_form_from_to(struct aie_reader *reader, struct aie_op *op, const struct aie_type **to_out)
{
	const struct aie_type *from;

	if (!aie_form_colon(reader) || !aie_form_typed(reader, op, 0, &from) || !aie_read_word(reader, "to", "and the type of the result"))
		return false;
	*to_out = aie_read_type(reader);
	return *to_out != NULL;
}

bool aie_form_ints(struct aie_reader *reader, struct aie_op *op, const char *name, uint32_t bits, uint32_t count, const int64_t *ints)
{
	const struct aie_type *type = aie_type_plain(reader->module, AIE_TYPE_INT, bits);

	return aie_read_set(reader, op, name, aie_attr_ints(reader->module, AIE_ATTR_INTS, type, count, ints));
}

static bool constant(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_token at = reader->token;
	const struct aie_attr *value;

	(void)row;
	if (!aie_form_attrs(reader, op))
		return false;
	value = aie_read_attr(reader);
	if (!value)
		return false;
	if (!value->type || value->kind == AIE_ATTR_TYPE)
		return aie_read_fail(reader, &at, "a constant's value stands here, expected a number and its type");
	return aie_read_set(reader, op, "value", value) && aie_read_result(reader, op, value->type);
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

static bool subview(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
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
	if (!aie_form_attrs(reader, op) || !aie_form_from_to(reader, op, &to) || !aie_read_result(reader, op, to) ||
	    !aie_form_ints(reader, op, "operandSegmentSizes", 32, 4, (const int64_t[]){1, op->operand_count - 1, 0, 0}))
		return false;
	for (uint32_t i = 0; i < 3; i++)
		if (!aie_form_ints(reader, op, names[i], 64, counts[i], ints[i]))
			return false;
	return true;
}

static aie_form *const forms[] = {
	[AIE_SHAPE_MODULE] = aie_form_module, [AIE_SHAPE_FUNCTION] = aie_form_function,
	[AIE_SHAPE_CALL] = aie_form_call,     [AIE_SHAPE_RETURN] = aie_form_values,
	[AIE_SHAPE_FOR] = aie_form_for,       [AIE_SHAPE_IF] = aie_form_if,
	[AIE_SHAPE_YIELD] = aie_form_values,  [AIE_SHAPE_SUBVIEW] = subview,
	[AIE_SHAPE_CONSTANT] = constant,
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
	bool known = false, good;

	if (!row) {
		good = aie_form_device(reader, op, at, &known);
		if (known)
			return good;
	}
	if (!row && memchr(at->begin, '.', at->length))
		return aie_read_unsupported(
			reader, at, "'%.*s' has no model, or is misspelt; write it by operations of aie, aiex, arith, scf, cf, memref or func that have",
			at->length < 48 ? (int)at->length : 48, at->begin);
	if (!row)
		return aie_read_fail(
			reader, at,
			"'%.*s' stands here, expected an operation of aie, aiex, arith, scf, cf, memref or func, or one in quotes (the generic form)",
			at->length < 48 ? (int)at->length : 48, at->begin);
	op->name = aie_name(reader->module, row->name, strlen(row->name));
	if (!op->name)
		return aie_read_memory(reader);
	return aie_form_pattern(row->shape) ? aie_form_by_pattern(reader, op, row, aie_form_pattern(row->shape)) : forms[row->shape](reader, op, row);
}
