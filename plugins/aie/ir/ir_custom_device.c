/* SPDX-License-Identifier: MIT */
/* ir_custom_device.c - operations of a design as people write them, as far as objectfifos go. */
#include "aie/aie_arch.h"
#include "aie/ir/ir_print.h"

#include <inttypes.h>
#include <stdio.h>

static bool has(const struct aie_op *op, uint32_t operands, uint32_t results, uint32_t regions)
{
	return op->operand_count == operands && op->result_count == results && op->region_count == regions;
}

bool aie_custom_device(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"device", "sym_name", NULL};
	const struct aie_attr *number = aie_attr_kind_of(op, "device", AIE_ATTR_INT), *name = aie_attr_kind_of(op, "sym_name", AIE_ATTR_STRING);
	const struct aie_arch *arch = number ? aie_arch_device((int32_t)number->number) : NULL;

	if (!arch || !name || !has(op, 0, 0, 1) || op->regions[0].argument_count)
		return false;
	common_text_add(custom->text, "aie.device(%s) ", arch->name);
	aie_print_symbol(custom->text, name->text);
	common_text_put(custom->text, " ");
	aie_custom_region(custom, &op->regions[0], depth, "aie.end");
	aie_print_attrs(custom->text, op, without, " ");
	return true;
}

static void print_walk(const struct aie_custom *custom, const char *word, const struct aie_attr *dims)
{
	if (!dims || !dims->count)
		return;
	common_text_add(custom->text, " %s ", word);
	aie_print_dims(custom->text, dims);
}

/* Does this flag say what is so anyway? */
static bool is_off(const struct aie_op *op, const char *name)
{
	const struct aie_attr *attr = aie_attr_kind_of(op, name, AIE_ATTR_BOOL);

	return attr && !attr->number;
}

bool aie_custom_fifo(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const flags[] = {"via_DMA", "plio", "disable_synchronization"};
	const char *without[9] = {"sym_name", "elemNumber", "elemType", "dimensionsToStream", "dimensionsFromStreamPerConsumer"};
	const struct aie_attr *name = aie_attr_kind_of(op, "sym_name", AIE_ATTR_STRING), *type = aie_attr_kind_of(op, "elemType", AIE_ATTR_TYPE),
			      *depths = aie_attr_of(op, "elemNumber");
	const struct aie_attr *to = aie_attr_kind_of(op, "dimensionsToStream", AIE_ATTR_DIMS),
			      *from = aie_attr_kind_of(op, "dimensionsFromStreamPerConsumer", AIE_ATTR_DIMS_LIST);
	size_t count = 5;

	(void)depth;
	if (!name || !type || !depths || !to || !from || op->operand_count < 2 || op->result_count || op->region_count ||
	    (from->count && from->count != op->operand_count - 1))
		return false;
	common_text_put(custom->text, "aie.objectfifo ");
	aie_print_symbol(custom->text, name->text);
	common_text_put(custom->text, "(");
	aie_custom_value(custom, op->operands[0]);
	print_walk(custom, "dimensionsToStream", to);
	for (uint32_t i = 1; i < op->operand_count; i++) {
		common_text_put(custom->text, i > 1 ? ", " : ", {");
		aie_custom_value(custom, op->operands[i]);
		print_walk(custom, "dimensionsFromStream", from->count ? from->items[i - 1] : NULL);
	}
	common_text_put(custom->text, "}, ");
	aie_print_attr(custom->text, depths);
	common_text_put(custom->text, ")");
	for (size_t i = 0; i < 3; i++)
		if (is_off(op, flags[i]))
			without[count++] = flags[i];
	without[count] = NULL;
	aie_print_attrs(custom->text, op, without, " ");
	common_text_put(custom->text, " : ");
	aie_print_type(custom->text, type->type);
	return true;
}

static bool numbers(const struct aie_attr *list)
{
	if (!list || (list->kind != AIE_ATTR_LIST && list->kind != AIE_ATTR_INTS))
		return false;
	for (uint32_t i = 0; list->kind == AIE_ATTR_LIST && i < list->count; i++)
		if (list->items[i]->kind != AIE_ATTR_INT)
			return false;
	return true;
}

static void print_numbers(const struct aie_custom *custom, const struct aie_attr *list)
{
	common_text_put(custom->text, "[");
	for (uint32_t i = 0; i < list->count; i++)
		common_text_add(custom->text, "%s%" PRId64, i ? ", " : "", list->items ? list->items[i]->number : list->ints[i]);
	common_text_put(custom->text, "]");
}

bool aie_custom_link(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"fifoIns", "fifoOuts", "src_offsets", "dst_offsets", NULL};
	const struct aie_attr *ins = aie_attr_kind_of(op, "fifoIns", AIE_ATTR_LIST), *outs = aie_attr_kind_of(op, "fifoOuts", AIE_ATTR_LIST);
	const struct aie_attr *from = aie_attr_of(op, "src_offsets"), *to = aie_attr_of(op, "dst_offsets");

	(void)depth;
	if (!ins || !outs || !numbers(from) || !numbers(to) || !has(op, 0, 0, 0))
		return false;
	common_text_put(custom->text, "aie.objectfifo.link ");
	aie_print_attr(custom->text, ins);
	common_text_put(custom->text, " -> ");
	aie_print_attr(custom->text, outs);
	common_text_put(custom->text, "(");
	print_numbers(custom, from);
	common_text_put(custom->text, " ");
	print_numbers(custom, to);
	common_text_put(custom->text, ")");
	aie_print_attrs(custom->text, op, without, " ");
	return true;
}

static bool print_access(const struct aie_custom *custom, const struct aie_op *op)
{
	const struct aie_attr *name = aie_attr_kind_of(op, "objFifo_name", AIE_ATTR_SYMBOL), *port = aie_attr_kind_of(op, "port", AIE_ATTR_INT),
			      *size = aie_attr_kind_of(op, "size", AIE_ATTR_INT);

	common_text_add(custom->text, "%s ", op->name);
	aie_print_symbol(custom->text, name->text);
	common_text_add(custom->text, "(%s, %" PRId64 ")", port->number ? "Consume" : "Produce", size->number);
	return true;
}

static bool is_access(const struct aie_op *op, uint32_t results)
{
	const struct aie_attr *port = aie_attr_kind_of(op, "port", AIE_ATTR_INT);

	return aie_attr_kind_of(op, "objFifo_name", AIE_ATTR_SYMBOL) && port && (port->number == 0 || port->number == 1) &&
	       aie_attr_kind_of(op, "size", AIE_ATTR_INT) && op->attr_count == 3 && has(op, 0, results, 0);
}

/* Epoch A: a view, and each object out of it by an operation of its own. */
static void print_objects(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	const struct aie_type *type = op->results[0]->type;
	const uint32_t number = custom->names->numbers[op->results[0]->id];

	common_text_add(custom->text, "%%view%u = ", number);
	print_access(custom, op);
	common_text_put(custom->text, " : !aie.objectfifosubview<");
	aie_print_type(custom->text, type);
	common_text_put(custom->text, ">");
	for (uint32_t i = 0; i < op->result_count; i++) {
		common_text_put(custom->text, "\n");
		aie_print_indent(custom->text, depth);
		aie_custom_value(custom, op->results[i]);
		common_text_add(custom->text, " = aie.objectfifo.subview.access %%view%u[%u] : !aie.objectfifosubview<", number, i);
		aie_print_type(custom->text, type);
		common_text_put(custom->text, "> -> ");
		aie_print_type(custom->text, type);
	}
}

bool aie_custom_acquire(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	if (!op->result_count || !is_access(op, op->result_count))
		return false;
	if (!custom->epoch_b) {
		print_objects(custom, op, depth);
		return true;
	}
	aie_print_results(custom->text, custom->names, op);
	print_access(custom, op);
	for (uint32_t i = 0; i < op->result_count; i++) {
		common_text_put(custom->text, i ? ", " : " : ");
		aie_print_type(custom->text, op->results[i]->type);
	}
	return true;
}

bool aie_custom_sequence(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"sym_name", NULL};
	const struct aie_attr *name = aie_attr_kind_of(op, "sym_name", AIE_ATTR_STRING);

	if (!name || !has(op, 0, 0, 1))
		return false;
	common_text_put(custom->text, "aie.runtime_sequence ");
	aie_print_symbol(custom->text, name->text);
	common_text_put(custom->text, "(");
	aie_custom_arguments(custom, &op->regions[0], 0);
	common_text_put(custom->text, ") ");
	aie_custom_region(custom, &op->regions[0], depth, NULL);
	aie_print_attrs(custom->text, op, without, " ");
	return true;
}

bool aie_custom_task(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"static_offsets", "static_sizes", "static_strides", "operandSegmentSizes", NULL};

	(void)depth;
	if (!has(op, 1, 0, 0))
		return false;
	for (int i = 0; i < 3; i++)
		if (!aie_attr_kind_of(op, without[i], AIE_ATTR_INTS))
			return false;
	common_text_add(custom->text, "%s(", op->name);
	aie_custom_value(custom, op->operands[0]);
	for (int i = 0; i < 3; i++)
		print_numbers(custom, aie_attr_of(op, without[i]));
	common_text_put(custom->text, ")");
	aie_print_attrs(custom->text, op, without, " ");
	common_text_put(custom->text, " : ");
	aie_print_type(custom->text, op->operands[0]->type);
	return true;
}
