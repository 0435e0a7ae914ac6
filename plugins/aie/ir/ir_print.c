/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir_print.h"

#include "base/error.h"
#include <stdlib.h>

static void count_region(struct aie_names *names, const struct aie_region *region)
{
	for (uint32_t i = 0; i < region->argument_count; i++)
		names->numbers[region->arguments[i]->id] = names->arguments++;
	for (const struct aie_op *op = region->first; op; op = op->next) {
		const bool block = aie_op_is(op, AIE_BLOCK);

		for (uint32_t i = 0; i < op->result_count; i++)
			names->numbers[op->results[i]->id] = block ? names->arguments++ : names->results;
		names->results += op->result_count != 0 && !block;
		for (uint32_t i = 0; i < op->region_count; i++)
			count_region(names, &op->regions[i]);
	}
}

static ptowsp_status names_begin(struct aie_names *names, const struct aie_module *module, struct ptowsp_error *error)
{
	*names = (struct aie_names){.numbers = malloc(((size_t)module->value_count + 1) * sizeof(*names->numbers))};
	if (!names->numbers)
		return base_fail(error, PTOWSP_NO_MEMORY, "there is no memory to print a module of %u values", module->value_count);
	count_region(names, &module->top->regions[0]);
	return PTOWSP_OK;
}

static void names_finish(struct aie_names *names)
{
	free(names->numbers);
	*names = (struct aie_names){0};
}

void aie_print_value(struct common_text *text, const struct aie_names *names, const struct aie_value *value)
{
	if (value->argument)
		common_text_add(text, "%%arg%u", names->numbers[value->id]);
	else if (value->op->result_count > 1)
		common_text_add(text, "%%%u#%u", names->numbers[value->id], value->number);
	else
		common_text_add(text, "%%%u", names->numbers[value->id]);
}

void aie_print_results(struct common_text *text, const struct aie_names *names, const struct aie_op *op)
{
	if (op->result_count > 1)
		common_text_add(text, "%%%u:%u = ", names->numbers[op->results[0]->id], op->result_count);
	else if (op->result_count)
		common_text_add(text, "%%%u = ", names->numbers[op->results[0]->id]);
}

void aie_print_indent(struct common_text *text, uint32_t depth)
{
	for (uint32_t i = 0; i < depth; i++)
		common_text_put(text, "  ");
}

static void print_types(struct common_text *text, struct aie_value *const *values, uint32_t count, bool bare)
{
	bare &= count == 1 && values[0]->type->kind != AIE_TYPE_FUNCTION;
	common_text_put(text, bare ? "" : "(");
	for (uint32_t i = 0; i < count; i++) {
		common_text_put(text, i ? ", " : "");
		aie_print_type(text, values[i]->type);
	}
	common_text_put(text, bare ? "" : ")");
}

static void print_arguments(struct common_text *text, const struct aie_names *names, struct aie_value *const *arguments, uint32_t count)
{
	common_text_put(text, count ? "(" : "");
	for (uint32_t i = 0; i < count; i++) {
		common_text_put(text, i ? ", " : "");
		aie_print_value(text, names, arguments[i]);
		common_text_put(text, ": ");
		aie_print_type(text, arguments[i]->type);
	}
	common_text_put(text, count ? "):" : ":");
}

static void print_region(struct common_text *text, const struct aie_names *names, const struct aie_region *region, uint32_t depth)
{
	common_text_put(text, "{");
	if (region->argument_count) {
		common_text_put(text, "\n");
		aie_print_indent(text, depth);
		common_text_put(text, "^bb0");
		print_arguments(text, names, region->arguments, region->argument_count);
	}
	for (const struct aie_op *op = region->first; op; op = op->next) {
		common_text_put(text, "\n");
		aie_print_indent(text, depth + 1);
		aie_print_generic(text, names, op, depth + 1);
	}
	if (region->argument_count || region->first) {
		common_text_put(text, "\n");
		aie_print_indent(text, depth);
	}
	common_text_put(text, "}");
}

void aie_print_generic(struct common_text *text, const struct aie_names *names, const struct aie_op *op, uint32_t depth)
{
	if (aie_op_is(op, AIE_BLOCK)) {
		common_text_add(text, "^%s", aie_attr_of(op, "label")->text);
		print_arguments(text, names, op->results, op->result_count);
		return;
	}
	aie_print_results(text, names, op);
	aie_print_string(text, op->name);
	common_text_put(text, "(");
	for (uint32_t i = 0; i < op->operand_count; i++) {
		common_text_put(text, i ? ", " : "");
		aie_print_value(text, names, op->operands[i]);
	}
	common_text_put(text, ")");
	for (uint32_t i = 0; i < op->successor_count; i++)
		common_text_add(text, "%s^%s", i ? ", " : "[", aie_attr_of(op->successors[i], "label")->text);
	common_text_put(text, op->successor_count ? "]" : "");
	common_text_put(text, op->region_count ? " (" : "");
	for (uint32_t i = 0; i < op->region_count; i++) {
		common_text_put(text, i ? ", " : "");
		print_region(text, names, &op->regions[i], depth);
	}
	common_text_put(text, op->region_count ? ")" : "");
	aie_print_attrs(text, op, NULL, " ");
	common_text_put(text, " : ");
	print_types(text, op->operands, op->operand_count, false);
	common_text_put(text, " -> ");
	print_types(text, op->results, op->result_count, true);
}

ptowsp_status aie_module_print(const struct aie_module *module, enum aie_form form, char **text_out, struct ptowsp_error *error)
{
	struct common_text text = {0};
	struct aie_names names;
	ptowsp_status status = names_begin(&names, module, error);

	*text_out = NULL;
	if (status)
		return status;
	if (form == AIE_FORM_GENERIC)
		aie_print_generic(&text, &names, module->top, 0);
	else
		aie_print_custom(&text, &names, module->top, 0, form == AIE_FORM_EPOCH_B);
	common_text_put(&text, "\n");
	names_finish(&names);
	if (text.failed) {
		common_text_finish(&text);
		return base_fail(error, PTOWSP_NO_MEMORY, "there is no memory for the text of a module");
	}
	*text_out = text.bytes;
	return PTOWSP_OK;
}
