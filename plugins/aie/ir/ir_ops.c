/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir_ops.h"
#include "aie/ir/ir.h"
#include "base/error.h"

#include <string.h>

static const struct aie_op_row rows[] = {
#define X(name, shape, from, to, width) {name, sizeof(name) - 1, AIE_SHAPE_##shape, from, to, width},
#include "aie/ir/ir_ops.def"
#undef X
};
enum { ROWS = sizeof(rows) / sizeof(*rows) };

const struct aie_op_row *aie_op_row(const char *name, size_t length)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].length == length && !memcmp(rows[i].name, name, length))
			return &rows[i];
	return NULL;
}

const char *aie_op_predicate(const struct aie_op_row *row, uint32_t number)
{
	static const char *const ints[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
	static const char *const floats[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"};

	if (row->from == 'f')
		return number < 16 ? floats[number] : NULL;
	return number < 10 ? ints[number] : NULL;
}

/* Does an operation of MLIR's own dialects have what it must have? */

/* NULL: good; else what it must have, behind its name. */
typedef const char *verify(const struct aie_op *op, const struct aie_op_row *row);

static bool is_number(const struct aie_type *type, char wanted)
{
	switch (wanted) {
	case 'i': return type->kind == AIE_TYPE_INT || type->kind == AIE_TYPE_INDEX;
	case 'I': return type->kind == AIE_TYPE_INT;
	case 'x': return type->kind == AIE_TYPE_INDEX;
	case 'f': return aie_type_is_float(type);
	default: return type->kind < AIE_TYPE_MEMREF;
	}
}

static bool has(const struct aie_op *op, uint32_t operands, uint32_t results, uint32_t regions)
{
	return op->operand_count == operands && op->result_count == results && op->region_count == regions;
}

static const struct aie_type *operand(const struct aie_op *op, uint32_t i)
{
	return op->operands[i]->type;
}

static const struct aie_type *result(const struct aie_op *op, uint32_t i)
{
	return op->results[i]->type;
}

static bool is_memref(const struct aie_type *type)
{
	return type->kind == AIE_TYPE_MEMREF;
}

/* ---- arith */

static const char *verify_constant(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_attr *value = aie_attr_of(op, "value");

	(void)row;
	if (!has(op, 0, 1, 0))
		return "takes nothing and gives one number";
	if (!value || (value->kind != AIE_ATTR_INT && value->kind != AIE_ATTR_BOOL && value->kind != AIE_ATTR_FLOAT) || value->type != result(op, 0))
		return "has a number of the type of its result as its value";
	return NULL;
}

static const char *verify_binary(const struct aie_op *op, const struct aie_op_row *row)
{
	if (!has(op, 2, 1, 0) || operand(op, 0) != operand(op, 1) || operand(op, 0) != result(op, 0) || !is_number(result(op, 0), row->to))
		return row->to == 'f' ? "takes two floats of one type and gives one" : "takes two integers of one type and gives one";
	return NULL;
}

static const char *verify_unary(const struct aie_op *op, const struct aie_op_row *row)
{
	return has(op, 1, 1, 0) && operand(op, 0) == result(op, 0) && is_number(result(op, 0), row->to) ? NULL
	       : row->to == 'f'                                                                         ? "takes a float and gives one of its type"
													: "takes an integer and gives one of its type";
}

static bool is_bool(const struct aie_type *type)
{
	return type->kind == AIE_TYPE_INT && type->bits == 1;
}

static const char *verify_compare(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_attr *predicate = aie_attr_kind_of(op, "predicate", AIE_ATTR_INT);

	if (!has(op, 2, 1, 0) || operand(op, 0) != operand(op, 1) || !is_number(operand(op, 0), row->from) || !is_bool(result(op, 0)))
		return "takes two numbers of one type and gives an i1";
	if (!predicate || predicate->number < 0 || predicate->number > UINT32_MAX || !aie_op_predicate(row, (uint32_t)predicate->number))
		return "has a predicate that it knows";
	return NULL;
}

static const char *verify_select(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	return has(op, 3, 1, 0) && is_bool(operand(op, 0)) && operand(op, 1) == operand(op, 2) && operand(op, 1) == result(op, 0)
		       ? NULL
		       : "takes an i1 and two values of one type, and gives one of them";
}

static const char *verify_convert(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *from, *to;

	if (!has(op, 1, 1, 0))
		return "takes one number and gives one";
	from = operand(op, 0);
	to = result(op, 0);
	if (!is_number(from, row->from) || !is_number(to, row->to))
		return "does not convert between these types";
	if (row->from == 'i' && (from->kind == AIE_TYPE_INDEX) == (to->kind == AIE_TYPE_INDEX))
		return "converts between index and an integer";
	if ((row->width == '<' && from->bits >= to->bits) || (row->width == '>' && from->bits <= to->bits) || (row->width == '=' && from->bits != to->bits))
		return row->width == '<' ? "converts to more bits" : row->width == '>' ? "converts to fewer bits" : "converts between as many bits";
	return NULL;
}

/* ---- memref */

/* The indices of an element, from operand `first` on. */
static bool indices(const struct aie_op *op, const struct aie_type *memref, uint32_t first)
{
	if (op->operand_count != first + memref->rank)
		return false;
	for (uint32_t i = first; i < op->operand_count; i++)
		if (!is_number(operand(op, i), 'x'))
			return false;
	return true;
}

static const char *verify_load(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	return op->operand_count && !op->region_count && op->result_count == 1 && is_memref(operand(op, 0)) && indices(op, operand(op, 0), 1) &&
			       result(op, 0) == operand(op, 0)->element
		       ? NULL
		       : "takes a memref and an index for each of its dimensions, and gives an element";
}

static const char *verify_store(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	return op->operand_count > 1 && !op->region_count && !op->result_count && is_memref(operand(op, 1)) && indices(op, operand(op, 1), 2) &&
			       operand(op, 0) == operand(op, 1)->element
		       ? NULL
		       : "takes an element, a memref of such, and an index for each of its dimensions";
}

static const char *verify_alloc(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	return has(op, 0, 1, 0) && is_memref(result(op, 0)) && !result(op, 0)->strided ? NULL : "takes nothing and gives a memref without strides";
}

static const char *verify_dealloc(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	return has(op, 1, 0, 0) && is_memref(operand(op, 0)) ? NULL : "takes a memref";
}

static const char *verify_copy(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *from, *to;

	(void)row;
	if (!has(op, 2, 0, 0) || !is_memref(operand(op, 0)) || !is_memref(operand(op, 1)))
		return "takes two memrefs";
	from = operand(op, 0);
	to = operand(op, 1);
	if (from->element != to->element || from->rank != to->rank || memcmp(from->dims, to->dims, from->rank * sizeof(*from->dims)))
		return "takes two memrefs of the same sizes and elements";
	return NULL;
}

static const char *verify_view(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *from;

	(void)row;
	if (!has(op, 2, 1, 0) || !is_memref(operand(op, 0)) || !is_number(operand(op, 1), 'x') || !is_memref(result(op, 0)) || result(op, 0)->strided)
		return "takes a memref and an index of bytes, and gives a memref without strides";
	from = operand(op, 0);
	if (from->rank != 1 || from->strided || from->element->kind != AIE_TYPE_INT || from->element->bits != 8)
		return "takes a memref of bytes (i8) in one dimension";
	if (aie_type_bytes(result(op, 0)) > aie_type_bytes(from))
		return "gives a memref that is not larger than the one it takes";
	return NULL;
}

/* static_offsets, static_sizes, static_strides: one number per dimension of the source. */
static const int64_t *part_of(const struct aie_op *op, const char *name, uint32_t rank)
{
	const struct aie_attr *attr = aie_attr_kind_of(op, name, AIE_ATTR_INTS);

	return attr && attr->count == rank && attr->type->bits == 64 ? attr->ints : NULL;
}

/* One operand for each offset that is not a number, none for sizes and strides. */
static bool segments_fit(const struct aie_op *op, const int64_t *offsets, uint32_t rank)
{
	const struct aie_attr *segments = aie_attr_kind_of(op, "operandSegmentSizes", AIE_ATTR_INTS);
	uint32_t free = 0;

	for (uint32_t i = 0; i < rank; i++)
		free += offsets[i] == AIE_DYNAMIC;
	if (!segments || segments->count != 4 || segments->ints[0] != 1 || segments->ints[1] != free || segments->ints[2] || segments->ints[3] ||
	    op->operand_count != 1 + free)
		return false;
	for (uint32_t i = 1; i <= free; i++)
		if (!is_number(operand(op, i), 'x'))
			return false;
	return true;
}

/* Sizes that are 1 may be left out of the result. */
static bool sizes_fit(const struct aie_type *to, const int64_t *sizes, const int64_t *strides, uint32_t rank)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < rank; i++) {
		if (at < to->rank && to->dims[at] == sizes[i] && to->strides[at] == strides[i])
			at++;
		else if (sizes[i] != 1)
			return false;
	}
	return at == to->rank;
}

static const char *verify_subview(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_type *from, *to;
	const int64_t *offsets, *sizes, *steps;
	int64_t strides[AIE_DIMS], offset;

	(void)row;
	if (!op->operand_count || op->result_count != 1 || op->region_count || !is_memref(operand(op, 0)) || !is_memref(result(op, 0)) ||
	    operand(op, 0)->element != result(op, 0)->element)
		return "takes a memref and offsets, and gives a memref of the same elements";
	from = operand(op, 0);
	to = result(op, 0);
	offsets = part_of(op, "static_offsets", from->rank);
	sizes = part_of(op, "static_sizes", from->rank);
	steps = part_of(op, "static_strides", from->rank);
	if (from->rank && (!offsets || !sizes || !steps))
		return "has static_offsets, static_sizes and static_strides, one for each dimension of what it takes";
	if (!segments_fit(op, offsets, from->rank))
		return "has an index for each offset that is not a number; sizes and strides are numbers";
	offset = from->offset;
	for (uint32_t i = 0; i < from->rank; i++) {
		const int64_t first = offsets[i] == AIE_DYNAMIC ? 0 : offsets[i];

		if (sizes[i] < 0 || steps[i] < 0 || steps[i] > from->dims[i] || first < 0 || first > from->dims[i] ||
		    (sizes[i] && steps[i] && (sizes[i] - 1) > (from->dims[i] - 1 - first) / steps[i]) || (sizes[i] && first == from->dims[i]))
			return "stays within the memref that it takes";
		strides[i] = from->strides[i] * steps[i];
		offset = offset == AIE_DYNAMIC || offsets[i] == AIE_DYNAMIC ? AIE_DYNAMIC : offset + first * from->strides[i];
	}
	if (!sizes_fit(to, sizes, strides, from->rank) || to->offset != offset)
		return "gives a memref with the sizes, strides and offset that follow from what it takes";
	return NULL;
}

/* ---- scf */

/* The region ends with a yield of what the operation gives. */
static bool yields(const struct aie_op *op, const struct aie_region *region)
{
	return region->last && aie_op_is(region->last, "scf.yield") && region->last->operand_count == op->result_count &&
	       aie_types_same(region->last->operands, op->results, op->result_count);
}

static const char *verify_for(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_region *body;
	const uint32_t carried = op->result_count;

	(void)row;
	if (op->region_count != 1 || op->operand_count != 3 + carried || !is_number(operand(op, 0), 'i') || operand(op, 1) != operand(op, 0) ||
	    operand(op, 2) != operand(op, 0) || !aie_types_same(op->operands + 3, op->results, carried))
		return "takes a first, a last and a step of one type, and a value for each result";
	body = &op->regions[0];
	if (body->argument_count != 1 + carried || body->arguments[0]->type != operand(op, 0) || !aie_types_same(body->arguments + 1, op->results, carried))
		return "has a body with the counter and a value for each result as its arguments";
	return yields(op, body) ? NULL : "has a body that ends with scf.yield of its results";
}

static const char *verify_if(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	if (op->operand_count != 1 || !is_bool(operand(op, 0)) || op->region_count != 2 || op->regions[0].argument_count || op->regions[1].argument_count)
		return "takes an i1 and has two regions without arguments";
	if (!yields(op, &op->regions[0]) || (op->regions[1].first ? !yields(op, &op->regions[1]) : op->result_count != 0))
		return "has regions that end with scf.yield of its results, the second one maybe nothing if there are none";
	return NULL;
}

static const char *verify_yield(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	if (op->result_count || op->region_count || op->next || !op->parent || strncmp(op->parent->name, "scf.", 4) != 0)
		return "stands at the end of a region of scf.for or scf.if";
	return NULL;
}

/* ---- func */

static bool returns(const struct aie_op *op, const struct aie_type *function)
{
	if (!op || !aie_op_is(op, "func.return") || op->operand_count != function->part_count - function->inputs)
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (operand(op, i) != function->parts[function->inputs + i])
			return false;
	return true;
}

static const char *verify_function(const struct aie_op *op, const struct aie_op_row *row)
{
	const struct aie_attr *name = aie_attr_kind_of(op, "sym_name", AIE_ATTR_STRING), *type = aie_attr_kind_of(op, "function_type", AIE_ATTR_TYPE);
	const struct aie_region *body;

	(void)row;
	if (!has(op, 0, 0, 1) || !name || !type || type->type->kind != AIE_TYPE_FUNCTION)
		return "has a sym_name, a function_type and one region";
	body = &op->regions[0];
	if (!body->first && !body->argument_count)
		return NULL;
	if (body->argument_count != type->type->inputs)
		return "has a body with its inputs as arguments";
	for (uint32_t i = 0; i < body->argument_count; i++)
		if (body->arguments[i]->type != type->type->parts[i])
			return "has a body with its inputs as arguments";
	return returns(body->last, type->type) ? NULL : "has a body that ends with func.return of its results";
}

static const char *verify_return(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	if (op->result_count || op->region_count || op->next || !op->parent || !aie_op_is(op->parent, "func.func"))
		return "stands at the end of a func.func";
	return NULL;
}

static const char *verify_call(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	return !op->region_count && aie_attr_kind_of(op, "callee", AIE_ATTR_SYMBOL) ? NULL : "has a callee";
}

static const char *verify_module(const struct aie_op *op, const struct aie_op_row *row)
{
	(void)row;
	return has(op, 0, 0, 1) && !op->regions[0].argument_count ? NULL : "has one region without arguments, and nothing else";
}

static verify *const verifies[] = {
	[AIE_SHAPE_MODULE] = verify_module, [AIE_SHAPE_FUNCTION] = verify_function, [AIE_SHAPE_CALL] = verify_call,
	[AIE_SHAPE_RETURN] = verify_return, [AIE_SHAPE_FOR] = verify_for,           [AIE_SHAPE_IF] = verify_if,
	[AIE_SHAPE_YIELD] = verify_yield,   [AIE_SHAPE_LOAD] = verify_load,         [AIE_SHAPE_STORE] = verify_store,
	[AIE_SHAPE_ALLOC] = verify_alloc,   [AIE_SHAPE_DEALLOC] = verify_dealloc,   [AIE_SHAPE_SUBVIEW] = verify_subview,
	[AIE_SHAPE_VIEW] = verify_view,     [AIE_SHAPE_COPY] = verify_copy,         [AIE_SHAPE_CONSTANT] = verify_constant,
	[AIE_SHAPE_BINARY] = verify_binary, [AIE_SHAPE_UNARY] = verify_unary,       [AIE_SHAPE_COMPARE] = verify_compare,
	[AIE_SHAPE_SELECT] = verify_select, [AIE_SHAPE_CONVERT] = verify_convert,
};

ptowsp_status aie_op_verify(const struct aie_op *op, struct ptowsp_error *error)
{
	const struct aie_op_row *row = aie_op_row(op->name, strlen(op->name));
	const char *wrong = row ? verifies[row->shape](op, row) : NULL;

	return wrong ? base_fail(error, PTOWSP_INVALID, "%s %s", op->name, wrong) : PTOWSP_OK;
}
