/* SPDX-License-Identifier: MIT */
/* ir_custom_device.c - operations of a design as people write them, as far as objectfifos go. */
#include "aie/aie_arch.h"
#include "aie/ir/ir_print.h"

#include <inttypes.h>
#include <stdio.h>

typedef bool print_form(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth);

static const struct aie_attr *attr_of(const struct aie_op *op, const char *name, enum aie_attr_kind kind)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	return attr && attr->kind == kind ? attr : NULL;
}

static bool has(const struct aie_op *op, uint32_t operands, uint32_t results, uint32_t regions)
{
	return op->operand_count == operands && op->result_count == results && op->region_count == regions;
}

static bool print_device(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"device", "sym_name", NULL};
	const struct aie_attr *number = attr_of(op, "device", AIE_ATTR_INT), *name = attr_of(op, "sym_name", AIE_ATTR_STRING);
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

static bool print_tile(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"col", "row", NULL};
	const struct aie_attr *column = attr_of(op, "col", AIE_ATTR_INT), *row = attr_of(op, "row", AIE_ATTR_INT);

	(void)depth;
	if (!column || !row || !has(op, 0, 1, 0))
		return false;
	aie_print_results(custom->text, custom->names, op);
	common_text_add(custom->text, "aie.tile(%" PRId64 ", %" PRId64 ")", column->number, row->number);
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
	const struct aie_attr *attr = attr_of(op, name, AIE_ATTR_BOOL);

	return attr && !attr->number;
}

static bool print_fifo(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const flags[] = {"via_DMA", "plio", "disable_synchronization"};
	const char *without[9] = {"sym_name", "elemNumber", "elemType", "dimensionsToStream", "dimensionsFromStreamPerConsumer"};
	const struct aie_attr *name = attr_of(op, "sym_name", AIE_ATTR_STRING), *type = attr_of(op, "elemType", AIE_ATTR_TYPE),
			      *depths = aie_attr_of(op, "elemNumber");
	const struct aie_attr *to = attr_of(op, "dimensionsToStream", AIE_ATTR_DIMS),
			      *from = attr_of(op, "dimensionsFromStreamPerConsumer", AIE_ATTR_DIMS_LIST);
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

static bool print_link(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"fifoIns", "fifoOuts", "src_offsets", "dst_offsets", NULL};
	const struct aie_attr *ins = attr_of(op, "fifoIns", AIE_ATTR_LIST), *outs = attr_of(op, "fifoOuts", AIE_ATTR_LIST);
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
	const struct aie_attr *name = attr_of(op, "objFifo_name", AIE_ATTR_SYMBOL), *port = attr_of(op, "port", AIE_ATTR_INT),
			      *size = attr_of(op, "size", AIE_ATTR_INT);

	common_text_add(custom->text, "%s ", op->name);
	aie_print_symbol(custom->text, name->text);
	common_text_add(custom->text, "(%s, %" PRId64 ")", port->number ? "Consume" : "Produce", size->number);
	return true;
}

static bool is_access(const struct aie_op *op, uint32_t results)
{
	const struct aie_attr *port = attr_of(op, "port", AIE_ATTR_INT);

	return attr_of(op, "objFifo_name", AIE_ATTR_SYMBOL) && port && (port->number == 0 || port->number == 1) && attr_of(op, "size", AIE_ATTR_INT) &&
	       op->attr_count == 3 && has(op, 0, results, 0);
}

static bool print_release(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	(void)depth;
	return is_access(op, 0) && print_access(custom, op);
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

static bool print_acquire(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
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

static bool print_allocate(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"objFifo_name", NULL};
	const struct aie_attr *name = attr_of(op, "objFifo_name", AIE_ATTR_SYMBOL);

	(void)depth;
	if (!name || !has(op, 1, 0, 0))
		return false;
	common_text_put(custom->text, "aie.objectfifo.allocate ");
	aie_print_symbol(custom->text, name->text);
	common_text_put(custom->text, "(");
	aie_custom_value(custom, op->operands[0]);
	common_text_put(custom->text, ")");
	aie_print_attrs(custom->text, op, without, " ");
	return true;
}

static bool print_core(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	if (!has(op, 1, 1, 1) || op->regions[0].argument_count)
		return false;
	aie_print_results(custom->text, custom->names, op);
	common_text_put(custom->text, "aie.core(");
	aie_custom_value(custom, op->operands[0]);
	common_text_put(custom->text, ") ");
	aie_custom_region(custom, &op->regions[0], depth, NULL);
	aie_print_attrs(custom->text, op, NULL, " ");
	return true;
}

static bool print_buffer(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"initial_value", NULL};
	const struct aie_attr *initial = aie_attr_of(op, "initial_value");

	(void)depth;
	if (!has(op, 1, 1, 0) || (initial && initial->kind != AIE_ATTR_DENSE))
		return false;
	aie_print_results(custom->text, custom->names, op);
	common_text_put(custom->text, "aie.buffer(");
	aie_custom_value(custom, op->operands[0]);
	common_text_put(custom->text, ")");
	aie_print_attrs(custom->text, op, without, " ");
	common_text_put(custom->text, " : ");
	aie_print_type(custom->text, op->results[0]->type);
	if (initial) {
		common_text_put(custom->text, " = ");
		aie_print_dense(custom->text, initial);
	}
	return true;
}

static bool print_cascade(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	(void)depth;
	if (!has(op, 2, 0, 0) || op->attr_count)
		return false;
	common_text_put(custom->text, "aie.cascade_flow(");
	aie_custom_values(custom, op->operands, 0, 2);
	common_text_put(custom->text, ")");
	return true;
}

static bool print_sequence(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"sym_name", NULL};
	const struct aie_attr *name = attr_of(op, "sym_name", AIE_ATTR_STRING);

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

static bool print_task(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const char *const without[] = {"static_offsets", "static_sizes", "static_strides", "operandSegmentSizes", NULL};

	(void)depth;
	if (!has(op, 1, 0, 0))
		return false;
	for (int i = 0; i < 3; i++)
		if (!attr_of(op, without[i], AIE_ATTR_INTS))
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

static bool print_plain(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	(void)depth;
	if (!has(op, 0, 0, 0))
		return false;
	common_text_put(custom->text, op->name);
	aie_print_attrs(custom->text, op, NULL, " ");
	return true;
}

bool aie_custom_device_op(const struct aie_custom *custom, const struct aie_op *op, uint32_t depth)
{
	static const struct {
		const char *name;
		print_form *print;
	} forms[] = {
		{"aie.device", print_device},
		{"aie.tile", print_tile},
		{"aie.objectfifo", print_fifo},
		{"aie.objectfifo.link", print_link},
		{"aie.objectfifo.allocate", print_allocate},
		{"aie.objectfifo.acquire", print_acquire},
		{"aie.objectfifo.release", print_release},
		{"aie.core", print_core},
		{"aie.buffer", print_buffer},
		{"aie.cascade_flow", print_cascade},
		{"aie.end", print_plain},
		{"aie.runtime_sequence", print_sequence},
		{"aiex.npu.dma_memcpy_nd", print_task},
		{"aiex.npu.dma_wait", print_plain},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (aie_op_is(op, forms[i].name))
			return forms[i].print(custom, op, depth);
	return false;
}
