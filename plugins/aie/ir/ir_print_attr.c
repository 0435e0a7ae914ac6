/* SPDX-License-Identifier: MIT */
/* ir_print_attr.c - types and attributes as text. */
#include "aie/ir/ir.h"
#include "aie/ir/ir_print.h"
#include "registry/common/common_decimal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_dims_of(struct common_text *text, const struct aie_type *type)
{
	for (uint32_t i = 0; i < type->rank; i++)
		common_text_add(text, "%" PRId64 "x", type->dims[i]);
	aie_print_type(text, type->element);
}

static void print_offset(struct common_text *text, const struct aie_type *type)
{
	if (type->offset == AIE_DYNAMIC)
		common_text_put(text, ", offset: ?");
	else if (type->offset)
		common_text_add(text, ", offset: %" PRId64, type->offset);
}

static void print_memref(struct common_text *text, const struct aie_type *type)
{
	common_text_put(text, "memref<");
	print_dims_of(text, type);
	if (type->strided) {
		common_text_put(text, ", strided<[");
		for (uint32_t i = 0; i < type->rank; i++)
			common_text_add(text, "%s%" PRId64, i ? ", " : "", type->strides[i]);
		common_text_put(text, "]");
		print_offset(text, type);
		common_text_put(text, ">");
	}
	common_text_put(text, ">");
}

void aie_print_signature(struct common_text *text, const struct aie_type *function)
{
	const uint32_t results = function->part_count - function->inputs;
	const bool plain = results == 1 && function->parts[function->inputs]->kind != AIE_TYPE_FUNCTION;

	common_text_put(text, "(");
	for (uint32_t i = 0; i < function->part_count; i++) {
		if (i == function->inputs)
			common_text_put(text, plain ? ") -> " : ") -> (");
		else if (i)
			common_text_put(text, ", ");
		aie_print_type(text, function->parts[i]);
	}
	common_text_put(text, !results ? ") -> ()" : plain ? "" : ")");
}

void aie_print_type(struct common_text *text, const struct aie_type *type)
{
	switch (type->kind) {
	case AIE_TYPE_INDEX: common_text_put(text, "index"); break;
	case AIE_TYPE_INT: common_text_add(text, "i%u", type->bits); break;
	case AIE_TYPE_BF16: common_text_put(text, "bf16"); break;
	case AIE_TYPE_F16: common_text_put(text, "f16"); break;
	case AIE_TYPE_F32: common_text_put(text, "f32"); break;
	case AIE_TYPE_F64: common_text_put(text, "f64"); break;
	case AIE_TYPE_MEMREF: print_memref(text, type); break;
	case AIE_TYPE_FIFO:
		common_text_put(text, "!aie.objectfifo<");
		aie_print_type(text, type->element);
		common_text_put(text, ">");
		break;
	case AIE_TYPE_FUNCTION: aie_print_signature(text, type); break;
	case AIE_TYPE_OBJECTS:
		common_text_put(text, "!aie.objectfifosubview<");
		aie_print_type(text, type->element);
		common_text_put(text, ">");
		break;
	case AIE_TYPE_OTHER: common_text_put(text, type->text); break;
	}
}

/* With as few digits as give the same value. */
static void print_real(struct common_text *text, const struct aie_type *type, double real)
{
	static const int digits[] = {6, 9, 16};
	const uint64_t bits = aie_float_bits(type, real);
	char number[64];

	if (!isfinite(real)) {
		common_text_add(text, "0x%0*" PRIX64, (int)type->bits / 4, bits);
		return;
	}
	for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++) {
		common_decimal_print(number, sizeof(number), 'e', digits[i], real);
		if (aie_float_bits(type, common_decimal_double(number, NULL)) == bits)
			break;
	}
	common_text_put(text, number);
}

/* `true`, `-3`, `1.5e+00`, `0x7FC0`: of an integer its value, of a float its bits' value; without the type. */
static void print_number(struct common_text *text, const struct aie_type *type, int64_t number, double real)
{
	if (aie_type_is_float(type))
		print_real(text, type, real);
	else if (type->kind == AIE_TYPE_INT && type->bits == 1)
		common_text_put(text, number ? "true" : "false");
	else
		common_text_add(text, "%" PRId64, number);
}

static bool is_word(const char *name, const char *more)
{
	if (!*name || (*name >= '0' && *name <= '9') || strchr("$.", *name))
		return false;
	for (; *name; name++)
		if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') || strchr(more, *name)))
			return false;
	return true;
}

void aie_print_string(struct common_text *text, const char *string)
{
	common_text_put(text, "\"");
	for (; *string; string++) {
		const unsigned char c = (unsigned char)*string;

		if (c == '"' || c == '\\')
			common_text_add(text, "\\%c", c);
		else if (c >= 0x20 && c < 0x7F)
			common_text_bytes(text, string, 1);
		else
			common_text_add(text, "\\%02X", c);
	}
	common_text_put(text, "\"");
}

void aie_print_symbol(struct common_text *text, const char *name)
{
	common_text_put(text, "@");
	if (is_word(name, "_$."))
		common_text_put(text, name);
	else
		aie_print_string(text, name);
}

static void print_key(struct common_text *text, const char *name)
{
	if (is_word(name, "_$."))
		common_text_put(text, name);
	else
		aie_print_string(text, name);
}

void aie_print_dims(struct common_text *text, const struct aie_attr *dims)
{
	common_text_put(text, "[");
	for (uint32_t i = 0; i + 1 < dims->count; i += 2)
		common_text_add(text, "%s<size = %" PRId64 ", stride = %" PRId64 ">", i ? ", " : "", dims->ints[i], dims->ints[i + 1]);
	common_text_put(text, "]");
}

static void print_items(struct common_text *text, const struct aie_attr *attr, void (*print)(struct common_text *text, const struct aie_attr *item))
{
	common_text_put(text, "[");
	for (uint32_t i = 0; i < attr->count; i++) {
		common_text_put(text, i ? ", " : "");
		print(text, attr->items[i]);
	}
	common_text_put(text, "]");
}

static void print_ints(struct common_text *text, const struct aie_attr *attr)
{
	common_text_put(text, "array<");
	aie_print_type(text, attr->type);
	for (uint32_t i = 0; i < attr->count; i++) {
		common_text_put(text, i ? ", " : ": ");
		print_number(text, attr->type, attr->ints[i], 0);
	}
	common_text_put(text, ">");
}

static void print_element(struct common_text *text, const struct aie_attr *attr, uint64_t i)
{
	double real;

	memcpy(&real, &attr->ints[i], sizeof(real));
	print_number(text, attr->type->element, attr->ints[i], real);
}

/* The elements of dimension `dim` and those inside, from *at on. */
static void print_nested(struct common_text *text, const struct aie_attr *attr, uint32_t dim, uint64_t *at)
{
	if (dim == attr->type->rank) {
		print_element(text, attr, (*at)++);
		return;
	}
	common_text_put(text, "[");
	for (int64_t i = 0; i < attr->type->dims[dim]; i++) {
		common_text_put(text, i ? ", " : "");
		print_nested(text, attr, dim + 1, at);
	}
	common_text_put(text, "]");
}

void aie_print_dense(struct common_text *text, const struct aie_attr *attr)
{
	uint64_t at = 0;

	common_text_put(text, "dense<");
	if (attr->count == 1)
		print_element(text, attr, 0);
	else if (attr->count)
		print_nested(text, attr, 0, &at);
	common_text_put(text, ">");
}

static void print_typed(struct common_text *text, const struct aie_attr *attr)
{
	print_number(text, attr->type, attr->number, attr->real);
	common_text_put(text, " : ");
	aie_print_type(text, attr->type);
}

void aie_print_attr(struct common_text *text, const struct aie_attr *attr)
{
	switch (attr->kind) {
	case AIE_ATTR_UNIT: common_text_put(text, "unit"); break;
	case AIE_ATTR_BOOL: common_text_put(text, attr->number ? "true" : "false"); break;
	case AIE_ATTR_INT:
	case AIE_ATTR_FLOAT: print_typed(text, attr); break;
	case AIE_ATTR_STRING: aie_print_string(text, attr->text); break;
	case AIE_ATTR_SYMBOL: aie_print_symbol(text, attr->text); break;
	case AIE_ATTR_TYPE: aie_print_type(text, attr->type); break;
	case AIE_ATTR_LIST: print_items(text, attr, aie_print_attr); break;
	case AIE_ATTR_INTS: print_ints(text, attr); break;
	case AIE_ATTR_DIMS:
		common_text_put(text, "#aie<bd_dim_layout_array");
		aie_print_dims(text, attr);
		common_text_put(text, ">");
		break;
	case AIE_ATTR_DIMS_LIST:
		common_text_put(text, "#aie<bd_dim_layout_array_array");
		print_items(text, attr, aie_print_dims);
		common_text_put(text, ">");
		break;
	case AIE_ATTR_DENSE: /* MLIR wants the values of a memref as those of a tensor */
		aie_print_dense(text, attr);
		common_text_put(text, " : tensor<");
		print_dims_of(text, attr->type);
		common_text_put(text, ">");
		break;
	case AIE_ATTR_OTHER: common_text_put(text, attr->text); break;
	}
}

static bool listed(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

void aie_print_attrs(struct common_text *text, const struct aie_op *op, const char *const *without, const char *before)
{
	const char *between = "{";

	for (uint32_t i = 0; i < op->attr_count; i++) {
		const struct aie_named_attr *attr = &op->attrs[i];

		if (listed(without, attr->name))
			continue;
		common_text_put(text, *between == '{' ? before : "");
		common_text_put(text, between);
		print_key(text, attr->name);
		if (attr->attr->kind != AIE_ATTR_UNIT) {
			common_text_put(text, " = ");
			aie_print_attr(text, attr->attr);
		}
		between = ", ";
	}
	common_text_put(text, *between == '{' ? "" : "}");
}
