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

static aie_form *const forms[] = {
	[AIE_SHAPE_MODULE] = aie_form_module, [AIE_SHAPE_FUNCTION] = aie_form_function, [AIE_SHAPE_CALL] = aie_form_call,
	[AIE_SHAPE_RETURN] = aie_form_values, [AIE_SHAPE_FOR] = aie_form_for,           [AIE_SHAPE_IF] = aie_form_if,
	[AIE_SHAPE_YIELD] = aie_form_values,  [AIE_SHAPE_LOAD] = aie_form_load,         [AIE_SHAPE_STORE] = aie_form_store,
	[AIE_SHAPE_ALLOC] = aie_form_alloc,   [AIE_SHAPE_DEALLOC] = aie_form_dealloc,   [AIE_SHAPE_SUBVIEW] = aie_form_subview,
	[AIE_SHAPE_VIEW] = aie_form_view,     [AIE_SHAPE_COPY] = aie_form_copy,         [AIE_SHAPE_CONSTANT] = aie_form_constant,
	[AIE_SHAPE_BINARY] = aie_form_binary, [AIE_SHAPE_UNARY] = aie_form_unary,       [AIE_SHAPE_COMPARE] = aie_form_compare,
	[AIE_SHAPE_SELECT] = aie_form_select, [AIE_SHAPE_CONVERT] = aie_form_convert,
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
	return op->name ? forms[row->shape](reader, op, row) : aie_read_memory(reader);
}
