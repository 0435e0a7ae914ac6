/* SPDX-License-Identifier: MIT */
/* ir_form_math.c - functions as people write them, where they are not written as sums and products are. */
#include "ir_form.h"

/* fastmath<..> {..} : T, the first operand's type. */
static bool tail(struct aie_reader *reader, struct aie_op *op, const struct aie_type **type_out)
{
	return aie_form_flags(reader, op) && aie_form_attrs(reader, op) && aie_form_colon(reader) && aie_form_typed(reader, op, 0, type_out);
}

bool aie_form_ternary(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_comma(reader) && aie_read_operand(reader, op) && aie_form_comma(reader) && aie_read_operand(reader, op) &&
	       tail(reader, op, &type) && aie_read_result(reader, op, type);
}

/* %a, %n : f32, i32 */
bool aie_form_power(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type, *power;

	(void)row;
	return aie_read_operand(reader, op) && aie_form_comma(reader) && aie_read_operand(reader, op) && tail(reader, op, &type) && aie_form_comma(reader) &&
	       aie_form_typed(reader, op, 1, &power) && aie_read_result(reader, op, type);
}

bool aie_form_pair(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && tail(reader, op, &type) && aie_read_result(reader, op, type) && aie_read_result(reader, op, type);
}

bool aie_form_class(struct aie_reader *reader, struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *type;

	(void)row;
	return aie_read_operand(reader, op) && tail(reader, op, &type) && aie_read_result(reader, op, aie_type_plain(reader->module, AIE_TYPE_INT, 1));
}
