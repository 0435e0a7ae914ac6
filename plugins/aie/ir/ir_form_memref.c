/* SPDX-License-Identifier: MIT */
/* ir_form_memref.c - memory as people write it. */
#include "aie/ir/ir_form.h"

static bool memref_typed(struct aie_reader *reader, const struct aie_op *op, uint32_t operand, const struct aie_type **type_out)
{
	const struct aie_token at = reader->token;

	if (!aie_form_typed(reader, op, operand, type_out))
		return false;
	return (*type_out)->kind == AIE_TYPE_MEMREF || aie_read_fail(reader, &at, "the type of a number stands here, expected a memref");
}

bool aie_form_load(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_read_mark(reader, '[', "and indices") && aie_read_operands(reader, op, ']') && aie_form_attrs(reader, op) &&
	       aie_form_colon(reader) && memref_typed(reader, op, 0, &type) && aie_read_result(reader, op, type->element);
}

bool aie_form_store(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_comma(reader) && aie_read_operand(reader, op) && aie_read_mark(reader, '[', "and indices") &&
	       aie_read_operands(reader, op, ']') && aie_form_attrs(reader, op) && aie_form_colon(reader) && memref_typed(reader, op, 1, &type);
}

static bool ints_set(struct aie_reader *reader, struct aie_op *op, const char *name, uint32_t bits, uint32_t count, const int64_t *ints)
{
	const struct aie_type *type = aie_type_plain(reader->module, AIE_TYPE_INT, bits);

	return aie_read_set(reader, op, name, aie_attr_ints(reader->module, AIE_ATTR_INTS, type, count, ints));
}

bool aie_form_alloc(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	static const int64_t none[] = {0, 0};

	(void)row;
	return aie_read_mark(reader, '(', "behind the operation") && aie_read_mark(reader, ')', "as sizes stand in the type") && aie_form_attrs(reader, op) &&
	       ints_set(reader, op, "operandSegmentSizes", 32, 2, none) && aie_form_colon(reader) && aie_read_result(reader, op, aie_read_type(reader));
}

bool aie_form_dealloc(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_attrs(reader, op) && aie_form_colon(reader) && memref_typed(reader, op, 0, &type);
}

bool aie_form_copy(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_token at = reader->token;
	const struct aie_type *to;

	(void)row;
	if (!aie_read_operand(reader, op) || !aie_form_comma(reader) || !aie_read_operand(reader, op) || !aie_form_attrs(reader, op) ||
	    !aie_form_from_to(reader, op, &to))
		return false;
	return to == op->operands[1]->type || aie_read_fail(reader, &at, "operand 1 of %s has another type than stands behind 'to'", op->name);
}

bool aie_form_view(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *to;

	(void)row;
	return aie_read_operand(reader, op) && aie_read_mark(reader, '[', "and the first byte") && aie_read_operand(reader, op) &&
	       aie_read_mark(reader, ']', "behind the first byte") && aie_read_mark(reader, '[', "and ']', as sizes stand in the type") &&
	       aie_read_mark(reader, ']', "as sizes stand in the type") && aie_form_attrs(reader, op) && aie_form_from_to(reader, op, &to) &&
	       aie_read_result(reader, op, to);
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

bool aie_form_subview(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
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
	    !ints_set(reader, op, "operandSegmentSizes", 32, 4, (const int64_t[]){1, op->operand_count - 1, 0, 0}))
		return false;
	for (uint32_t i = 0; i < 3; i++)
		if (!ints_set(reader, op, names[i], 64, counts[i], ints[i]))
			return false;
	return true;
}
