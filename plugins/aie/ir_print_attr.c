/* SPDX-License-Identifier: MIT */
/* ir_print_attr.c - types and attributes as text. */
#include "aie/ir_float.h"
#include "aie/ir_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_dims_of(struct aie_text *text, const struct aie_type *type)
{
	for (uint32_t i = 0; i < type->rank; i++)
		aie_text_add(text, "%" PRId64 "x", type->dims[i]);
	aie_print_type(text, type->element);
}

static void print_offset(struct aie_text *text, const struct aie_type *type)
{
	if (type->offset == AIE_DYNAMIC)
		aie_text_put(text, ", offset: ?");
	else if (type->offset)
		aie_text_add(text, ", offset: %" PRId64, type->offset);
}

static void print_memref(struct aie_text *text, const struct aie_type *type)
{
	aie_text_put(text, "memref<");
	print_dims_of(text, type);
	if (type->strided) {
		aie_text_put(text, ", strided<[");
		for (uint32_t i = 0; i < type->rank; i++)
			aie_text_add(text, "%s%" PRId64, i ? ", " : "", type->strides[i]);
		aie_text_put(text, "]");
		print_offset(text, type);
		aie_text_put(text, ">");
	}
	aie_text_put(text, ">");
}

void aie_print_signature(struct aie_text *text, const struct aie_type *function)
{
	const uint32_t results = function->part_count - function->inputs;
	const bool plain = results == 1 && function->parts[function->inputs]->kind != AIE_TYPE_FUNCTION;

	aie_text_put(text, "(");
	for (uint32_t i = 0; i < function->part_count; i++) {
		if (i == function->inputs)
			aie_text_put(text, plain ? ") -> " : ") -> (");
		else if (i)
			aie_text_put(text, ", ");
		aie_print_type(text, function->parts[i]);
	}
	aie_text_put(text, !results ? ") -> ()" : plain ? "" : ")");
}

void aie_print_type(struct aie_text *text, const struct aie_type *type)
{
	switch (type->kind) {
	case AIE_TYPE_INDEX: aie_text_put(text, "index"); break;
	case AIE_TYPE_INT: aie_text_add(text, "i%u", type->bits); break;
	case AIE_TYPE_BF16: aie_text_put(text, "bf16"); break;
	case AIE_TYPE_F16: aie_text_put(text, "f16"); break;
	case AIE_TYPE_F32: aie_text_put(text, "f32"); break;
	case AIE_TYPE_F64: aie_text_put(text, "f64"); break;
	case AIE_TYPE_MEMREF: print_memref(text, type); break;
	case AIE_TYPE_FIFO:
		aie_text_put(text, "!aie.objectfifo<");
		aie_print_type(text, type->element);
		aie_text_put(text, ">");
		break;
	case AIE_TYPE_FUNCTION: aie_print_signature(text, type); break;
	}
}

/* With as few digits as give the same value; a locale may write another point. */
static void print_real(struct aie_text *text, const struct aie_type *type, double real)
{
	static const int digits[] = {6, 9, 16};
	const uint64_t bits = aie_float_bits(type, real);
	char number[64];

	if (!isfinite(real)) {
		aie_text_add(text, "0x%0*" PRIX64, (int)type->bits / 4, bits);
		return;
	}
	for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++) {
		snprintf(number, sizeof(number), "%.*e", digits[i], real);
		if (aie_float_bits(type, strtod(number, NULL)) == bits)
			break;
	}
	number[number[0] == '-' ? 2 : 1] = '.';
	aie_text_put(text, number);
}

void aie_print_number(struct aie_text *text, const struct aie_type *type, int64_t number, double real)
{
	if (aie_type_is_float(type))
		print_real(text, type, real);
	else if (type->kind == AIE_TYPE_INT && type->bits == 1)
		aie_text_put(text, number ? "true" : "false");
	else
		aie_text_add(text, "%" PRId64, number);
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

void aie_print_string(struct aie_text *text, const char *string)
{
	aie_text_put(text, "\"");
	for (; *string; string++) {
		const unsigned char c = (unsigned char)*string;

		if (c == '"' || c == '\\')
			aie_text_add(text, "\\%c", c);
		else if (c >= 0x20 && c < 0x7F)
			aie_text_bytes(text, string, 1);
		else
			aie_text_add(text, "\\%02X", c);
	}
	aie_text_put(text, "\"");
}

void aie_print_symbol(struct aie_text *text, const char *name)
{
	aie_text_put(text, "@");
	if (is_word(name, "_$."))
		aie_text_put(text, name);
	else
		aie_print_string(text, name);
}

void aie_print_key(struct aie_text *text, const char *name)
{
	if (is_word(name, "_$."))
		aie_text_put(text, name);
	else
		aie_print_string(text, name);
}

void aie_print_dims(struct aie_text *text, const struct aie_attr *dims)
{
	aie_text_put(text, "[");
	for (uint32_t i = 0; i + 1 < dims->count; i += 2)
		aie_text_add(text, "%s<size = %" PRId64 ", stride = %" PRId64 ">", i ? ", " : "", dims->ints[i], dims->ints[i + 1]);
	aie_text_put(text, "]");
}

static void print_items(struct aie_text *text, const struct aie_attr *attr, void (*print)(struct aie_text *text, const struct aie_attr *item))
{
	aie_text_put(text, "[");
	for (uint32_t i = 0; i < attr->count; i++) {
		aie_text_put(text, i ? ", " : "");
		print(text, attr->items[i]);
	}
	aie_text_put(text, "]");
}

static void print_ints(struct aie_text *text, const struct aie_attr *attr)
{
	aie_text_put(text, "array<");
	aie_print_type(text, attr->type);
	for (uint32_t i = 0; i < attr->count; i++) {
		aie_text_put(text, i ? ", " : ": ");
		aie_print_number(text, attr->type, attr->ints[i], 0);
	}
	aie_text_put(text, ">");
}

static void print_element(struct aie_text *text, const struct aie_attr *attr, uint64_t i)
{
	double real;

	memcpy(&real, &attr->ints[i], sizeof(real));
	aie_print_number(text, attr->type->element, attr->ints[i], real);
}

/* The elements of dimension `dim` and those inside, from *at on. */
static void print_nested(struct aie_text *text, const struct aie_attr *attr, uint32_t dim, uint64_t *at)
{
	if (dim == attr->type->rank) {
		print_element(text, attr, (*at)++);
		return;
	}
	aie_text_put(text, "[");
	for (int64_t i = 0; i < attr->type->dims[dim]; i++) {
		aie_text_put(text, i ? ", " : "");
		print_nested(text, attr, dim + 1, at);
	}
	aie_text_put(text, "]");
}

void aie_print_dense(struct aie_text *text, const struct aie_attr *attr)
{
	uint64_t at = 0;

	aie_text_put(text, "dense<");
	if (attr->count == 1)
		print_element(text, attr, 0);
	else if (attr->count)
		print_nested(text, attr, 0, &at);
	aie_text_put(text, ">");
}

static void print_typed(struct aie_text *text, const struct aie_attr *attr)
{
	aie_print_number(text, attr->type, attr->number, attr->real);
	aie_text_put(text, " : ");
	aie_print_type(text, attr->type);
}

void aie_print_attr(struct aie_text *text, const struct aie_attr *attr)
{
	switch (attr->kind) {
	case AIE_ATTR_UNIT: aie_text_put(text, "unit"); break;
	case AIE_ATTR_BOOL: aie_text_put(text, attr->number ? "true" : "false"); break;
	case AIE_ATTR_INT:
	case AIE_ATTR_FLOAT: print_typed(text, attr); break;
	case AIE_ATTR_STRING: aie_print_string(text, attr->text); break;
	case AIE_ATTR_SYMBOL: aie_print_symbol(text, attr->text); break;
	case AIE_ATTR_TYPE: aie_print_type(text, attr->type); break;
	case AIE_ATTR_LIST: print_items(text, attr, aie_print_attr); break;
	case AIE_ATTR_INTS: print_ints(text, attr); break;
	case AIE_ATTR_DIMS:
		aie_text_put(text, "#aie<bd_dim_layout_array");
		aie_print_dims(text, attr);
		aie_text_put(text, ">");
		break;
	case AIE_ATTR_DIMS_LIST:
		aie_text_put(text, "#aie<bd_dim_layout_array_array");
		print_items(text, attr, aie_print_dims);
		aie_text_put(text, ">");
		break;
	case AIE_ATTR_DENSE: /* MLIR wants the values of a memref as those of a tensor */
		aie_print_dense(text, attr);
		aie_text_put(text, " : tensor<");
		print_dims_of(text, attr->type);
		aie_text_put(text, ">");
		break;
	case AIE_ATTR_OTHER: aie_text_put(text, attr->text); break;
	}
}

static bool listed(const char *const *names, const char *name)
{
	for (; names && *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

void aie_print_attrs(struct aie_text *text, const struct aie_op *op, const char *const *without, const char *before)
{
	const char *between = "{";

	for (uint32_t i = 0; i < op->attr_count; i++) {
		const struct aie_named_attr *attr = &op->attrs[i];

		if (listed(without, attr->name))
			continue;
		aie_text_put(text, *between == '{' ? before : "");
		aie_text_put(text, between);
		aie_print_key(text, attr->name);
		if (attr->attr->kind != AIE_ATTR_UNIT) {
			aie_text_put(text, " = ");
			aie_print_attr(text, attr->attr);
		}
		between = ", ";
	}
	aie_text_put(text, *between == '{' ? "" : "}");
}
