/* SPDX-License-Identifier: MIT */
/* ir_custom.c - operations of MLIR's own dialects as people write them; the reader reads this again. */
#include "aie/ir/ir_form.h"
#include "aie/ir/ir_print.h"

#include <inttypes.h>
#include <string.h>

void aie_custom_value(const struct aie_custom *custom, const struct aie_value *value)
{
	if (!custom->epoch_b && !value->argument && value->op->result_count > 1 && aie_op_is(value->op, "aie.objectfifo.acquire"))
		common_text_add(custom->text, "%%object%u_%u", custom->names->numbers[value->id], value->number);
	else
		aie_print_value(custom->text, custom->names, value);
}

void aie_custom_values(const struct aie_custom *custom, struct aie_value *const *values, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		common_text_put(custom->text, i > first ? ", " : "");
		aie_custom_value(custom, values[i]);
	}
}

void aie_custom_arguments(const struct aie_custom *custom, const struct aie_region *region, uint32_t first)
{
	for (uint32_t i = first; i < region->argument_count; i++) {
		common_text_put(custom->text, i > first ? ", " : "");
		aie_custom_value(custom, region->arguments[i]);
		common_text_put(custom->text, ": ");
		aie_print_type(custom->text, region->arguments[i]->type);
	}
}

void aie_custom_region(const struct aie_custom *custom, const struct aie_region *region, uint32_t depth, const char *without)
{
	common_text_put(custom->text, "{\n");
	for (const struct aie_op *op = region->first; op; op = op->next) {
		if (without && !op->next && aie_op_is(op, without) && !op->operand_count && !op->attr_count)
			continue;
		aie_print_indent(custom->text, depth + 1);
		aie_custom_op(custom, op, depth + 1);
		common_text_put(custom->text, "\n");
	}
	aie_print_indent(custom->text, depth);
	common_text_put(custom->text, "}");
}

static void types(const struct aie_custom *custom, struct aie_value *const *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		common_text_put(custom->text, i ? ", " : "");
		aie_print_type(custom->text, values[i]->type);
	}
}

static void typed(const struct aie_custom *custom, const struct aie_type *type)
{
	common_text_put(custom->text, " : ");
	aie_print_type(custom->text, type);
}

static void from_to(const struct aie_custom *custom, const struct aie_type *from, const struct aie_type *to)
{
	typed(custom, from);
	common_text_put(custom->text, " to ");
	aie_print_type(custom->text, to);
}

static void subview(const struct aie_custom *custom, const struct aie_op *op)
{
	static const char *const names[] = {"static_offsets", "static_sizes", "static_strides", "operandSegmentSizes", NULL};
	uint32_t next = 1;

	aie_custom_value(custom, op->operands[0]);
	for (int i = 0; i < 3; i++) {
		const struct aie_attr *attr = aie_attr_of(op, names[i]);

		common_text_put(custom->text, i ? " [" : "[");
		for (uint32_t j = 0; attr && j < attr->count; j++) {
			common_text_put(custom->text, j ? ", " : "");
			if (attr->ints[j] == AIE_DYNAMIC)
				aie_custom_value(custom, op->operands[next++]);
			else
				common_text_add(custom->text, "%" PRId64, attr->ints[j]);
		}
		common_text_put(custom->text, "]");
	}
	aie_print_attrs(custom->text, op, names, " ");
	from_to(custom, op->operands[0]->type, op->results[0]->type);
}

static void loop(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	const struct aie_region *body = &op->regions[0];

	aie_custom_value(custom, body->arguments[0]);
	common_text_put(custom->text, " = ");
	aie_custom_value(custom, op->operands[0]);
	common_text_put(custom->text, " to ");
	aie_custom_value(custom, op->operands[1]);
	common_text_put(custom->text, " step ");
	aie_custom_value(custom, op->operands[2]);
	for (uint32_t i = 0; i < op->result_count; i++) {
		common_text_put(custom->text, i ? ", " : " iter_args(");
		aie_custom_value(custom, body->arguments[1 + i]);
		common_text_put(custom->text, " = ");
		aie_custom_value(custom, op->operands[3 + i]);
	}
	if (op->result_count) {
		common_text_put(custom->text, ") -> (");
		types(custom, op->results, op->result_count);
		common_text_put(custom->text, ")");
	}
	if (op->operands[0]->type->kind != AIE_TYPE_INDEX)
		typed(custom, op->operands[0]->type);
	common_text_put(custom->text, " ");
	aie_custom_region(custom, body, depth, op->result_count ? NULL : "scf.yield");
	aie_print_attrs(custom->text, op, NULL, " ");
}

static void choice(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	const char *without = op->result_count ? NULL : "scf.yield";

	aie_custom_value(custom, op->operands[0]);
	if (op->result_count) {
		common_text_put(custom->text, " -> (");
		types(custom, op->results, op->result_count);
		common_text_put(custom->text, ")");
	}
	common_text_put(custom->text, " ");
	aie_custom_region(custom, &op->regions[0], depth, without);
	if (op->regions[1].first) {
		common_text_put(custom->text, " else ");
		aie_custom_region(custom, &op->regions[1], depth, without);
	}
	aie_print_attrs(custom->text, op, NULL, " ");
}

static void function(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"sym_name", "sym_visibility", "function_type", NULL};
	const struct aie_attr *visibility = aie_attr_of(op, "sym_visibility");
	const struct aie_type *type = aie_attr_of(op, "function_type")->type;
	const struct aie_region *body = &op->regions[0];

	if (visibility && visibility->kind == AIE_ATTR_STRING)
		common_text_add(custom->text, "%s ", visibility->text);
	aie_print_symbol(custom->text, aie_attr_of(op, "sym_name")->text);
	common_text_put(custom->text, "(");
	if (body->first)
		aie_custom_arguments(custom, body, 0);
	for (uint32_t i = 0; !body->first && i < type->inputs; i++) {
		common_text_put(custom->text, i ? ", " : "");
		aie_print_type(custom->text, type->parts[i]);
	}
	common_text_put(custom->text, ")");
	for (uint32_t i = type->inputs; i < type->part_count; i++) {
		common_text_put(custom->text, i > type->inputs ? ", " : " -> (");
		aie_print_type(custom->text, type->parts[i]);
	}
	common_text_put(custom->text, type->part_count > type->inputs ? ")" : "");
	aie_print_attrs(custom->text, op, without, " attributes ");
	if (!body->first)
		return;
	common_text_put(custom->text, " ");
	aie_custom_region(custom, body, depth, NULL);
}

static void module(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"sym_name", NULL};
	const struct aie_attr *name = aie_attr_of(op, "sym_name");

	common_text_put(custom->text, "module");
	if (name && name->kind == AIE_ATTR_STRING) {
		common_text_put(custom->text, " ");
		aie_print_symbol(custom->text, name->text);
	}
	aie_print_attrs(custom->text, op, name && name->kind == AIE_ATTR_STRING ? without : NULL, " attributes ");
	common_text_put(custom->text, " ");
	aie_custom_region(custom, &op->regions[0], depth, NULL);
}

static void call(const struct aie_custom *custom, const struct aie_op *op)
{
	static const char *const without[] = {"callee", NULL};

	aie_print_symbol(custom->text, aie_attr_of(op, "callee")->text);
	common_text_put(custom->text, "(");
	aie_custom_values(custom, op->operands, 0, op->operand_count);
	common_text_put(custom->text, ")");
	aie_print_attrs(custom->text, op, without, " ");
	common_text_put(custom->text, " : (");
	types(custom, op->operands, op->operand_count);
	common_text_put(custom->text, op->result_count == 1 ? ") -> " : ") -> (");
	types(custom, op->results, op->result_count);
	common_text_put(custom->text, op->result_count == 1 ? "" : ")");
}

static void known(const struct aie_custom *custom, const struct aie_op *op, const struct aie_op_row *row, uint32_t depth)
{
	static const char *const value[] = {"value", NULL};
	struct common_text *text = custom->text;

	switch (row->shape) {
	case AIE_SHAPE_FOR: loop(custom, op, depth); break;
	case AIE_SHAPE_IF: choice(custom, op, depth); break;
	case AIE_SHAPE_FUNCTION: function(custom, op, depth); break;
	case AIE_SHAPE_CALL: call(custom, op); break;
	case AIE_SHAPE_SUBVIEW: subview(custom, op); break;
	case AIE_SHAPE_CONSTANT:
		aie_print_attrs(text, op, value, "");
		common_text_put(text, op->attr_count > 1 ? " " : "");
		aie_print_attr(text, aie_attr_of(op, "value"));
		break;
	case AIE_SHAPE_YIELD:
	case AIE_SHAPE_RETURN:
		text->length -= text->length > 0;
		aie_print_attrs(text, op, NULL, " ");
		common_text_put(text, op->operand_count ? " " : "");
		aie_custom_values(custom, op->operands, 0, op->operand_count);
		common_text_put(text, op->operand_count ? " : " : "");
		types(custom, op->operands, op->operand_count);
		break;
	default: break;
	}
}

void aie_custom_op(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	const struct aie_op_row *row = aie_op_row(op->name, strlen(op->name));

	if (!row || aie_op_verify(op, NULL)) {
		if (row || !aie_custom_device_op(custom, op, depth))
			aie_print_generic(custom->text, custom->names, op, depth);
		return;
	}
	if (row->shape == AIE_SHAPE_MODULE) {
		module(custom, op, depth);
		return;
	}
	if (aie_form_pattern(row->shape)) {
		aie_custom_by_pattern(custom, op, row, aie_form_pattern(row->shape), depth);
		return;
	}
	aie_print_results(custom->text, custom->names, op);
	common_text_add(custom->text, "%s ", op->name);
	known(custom, op, row, depth);
}

void aie_print_custom(struct common_text *text, const struct aie_names *names, const struct aie_op *op, uint32_t depth, bool epoch_b)
{
	const struct aie_custom custom = {text, names, epoch_b};

	aie_custom_op(&custom, op, depth);
}
