/* SPDX-License-Identifier: MIT */
/* ir_form_arith.c - numbers as people write them. */
#include "aie/ir/ir_form.h"

#include <stdio.h>

bool aie_form_constant(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
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

/* overflow<nsw, nuw>, fastmath<nnan,ninf>: kept as the generic form has them. */
bool aie_form_flags(struct aie_reader *reader, struct aie_op *op)
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
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%.*s",
						   text[length - 1] == '<' ? ""
						   : i                     ? ","
									   : ", ",
						   (int)reader->token.length, reader->token.begin);
			aie_read_next(reader);
		} while (aie_read_take(reader, ','));
		text[length] = '>';
		text[length + 1] = '\0';
		if (!aie_read_mark(reader, '>', "behind flags") || !aie_read_set(reader, op, words[i][1], aie_attr_text(reader->module, AIE_ATTR_OTHER, text)))
			return false;
	}
	return true;
}

bool aie_form_binary(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_comma(reader) && aie_read_operand(reader, op) && aie_form_flags(reader, op) &&
	       aie_form_attrs(reader, op) && aie_form_colon(reader) && aie_form_typed(reader, op, 0, &type) && aie_read_result(reader, op, type);
}

bool aie_form_unary(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_flags(reader, op) && aie_form_attrs(reader, op) && aie_form_colon(reader) &&
	       aie_form_typed(reader, op, 0, &type) && aie_read_result(reader, op, type);
}

static bool predicate(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *wide = aie_type_plain(reader->module, AIE_TYPE_INT, 64);

	for (uint32_t i = 0; aie_op_predicate(row, i); i++)
		if (aie_read_take_word(reader, aie_op_predicate(row, i)))
			return aie_read_set(reader, op, "predicate", aie_attr_int(reader->module, wide, i));
	return aie_read_expected(reader, "how to compare, such as eq, slt or olt");
}

bool aie_form_compare(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	return predicate(reader, op, row) && aie_form_comma(reader) && aie_read_operand(reader, op) && aie_form_comma(reader) && aie_read_operand(reader, op) &&
	       aie_form_flags(reader, op) && aie_form_attrs(reader, op) && aie_form_colon(reader) && aie_form_typed(reader, op, 0, &type) &&
	       aie_read_result(reader, op, aie_type_plain(reader->module, AIE_TYPE_INT, 1));
}

bool aie_form_select(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_comma(reader) && aie_read_operand(reader, op) && aie_form_comma(reader) &&
	       aie_read_operand(reader, op) && aie_form_attrs(reader, op) && aie_form_colon(reader) && aie_form_typed(reader, op, 1, &type) &&
	       aie_read_result(reader, op, type);
}

bool aie_form_convert(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *to;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_flags(reader, op) && aie_form_attrs(reader, op) && aie_form_from_to(reader, op, &to) &&
	       aie_read_result(reader, op, to);
}
