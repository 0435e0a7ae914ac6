/* SPDX-License-Identifier: MIT */
/* inline_build.c - operations of a body, one by one: constants once each at its head, loops, elements and parts of memrefs. */
#include "inline_own.h"

#include <string.h>
#include "ptowsp/ids.h"
#include "rt/grow.h"

/* ---- types -------------------------------------------------------------------------------------------------------------- */

const struct aie_type *aie_inline_bits(struct aie_inliner *in, uint32_t bits)
{
	return aie_type_plain(in->module, AIE_TYPE_INT, bits);
}

const struct aie_type *aie_inline_index_type(struct aie_inliner *in)
{
	return aie_type_plain(in->module, AIE_TYPE_INDEX, 0);
}

const struct aie_type *aie_inline_stored(struct aie_inliner *in, unsigned dtype)
{
	switch (dtype) {
	case PTOWSP_BF16: return aie_type_plain(in->module, AIE_TYPE_BF16, 16);
	case PTOWSP_F16: return aie_type_plain(in->module, AIE_TYPE_F16, 16);
	case PTOWSP_F32: return aie_type_plain(in->module, AIE_TYPE_F32, 32);
	case PTOWSP_F64: return aie_type_plain(in->module, AIE_TYPE_F64, 64);
	default: return aie_inline_bits(in, 8 * isa_dtype_bytes(dtype));
	}
}

const struct aie_type *aie_inline_computed(struct aie_inliner *in, unsigned dtype)
{
	return dtype == PTOWSP_BF16 || dtype == PTOWSP_F16 ? aie_type_plain(in->module, AIE_TYPE_F32, 32) : aie_inline_stored(in, dtype);
}

bool aie_inline_is_float(const struct aie_type *type)
{
	return type && type->kind >= AIE_TYPE_BF16 && type->kind <= AIE_TYPE_F64;
}

/* ---- operations --------------------------------------------------------------------------------------------------------- */

static void *checked(struct aie_inliner *in, void *made)
{
	in->failed |= !made;
	return made;
}

struct aie_value *aie_inline_make(struct aie_inliner *in, const char *name, const struct aie_type *result, uint32_t count, struct aie_value *const *operands, struct aie_op **op_out)
{
	struct aie_op *op = checked(in, aie_op_add(in->module, in->parent, in->region, name));

	for (uint32_t i = 0; i < count; i++)
		in->failed |= !aie_op_operand(in->module, op, operands[i]);
	if (op_out)
		*op_out = op;
	return result ? checked(in, aie_op_result(in->module, op, result)) : NULL;
}

struct aie_value *aie_inline_unary(struct aie_inliner *in, const char *name, const struct aie_type *result, struct aie_value *a)
{
	return aie_inline_make(in, name, result, 1, &a, NULL);
}

struct aie_value *aie_inline_binary(struct aie_inliner *in, const char *name, struct aie_value *a, struct aie_value *b)
{
	return aie_inline_make(in, name, a ? a->type : NULL, 2, (struct aie_value *const[]){a, b}, NULL);
}

struct aie_value *aie_inline_compare(struct aie_inliner *in, uint32_t predicate, struct aie_value *a, struct aie_value *b)
{
	struct aie_op *op;
	struct aie_value *made = aie_inline_make(in, a && aie_inline_is_float(a->type) ? "arith.cmpf" : "arith.cmpi", aie_inline_bits(in, 1), 2, (struct aie_value *const[]){a, b}, &op);

	aie_op_attr(in->module, op, "predicate", aie_attr_int(in->module, aie_inline_bits(in, 64), predicate));
	return made;
}

struct aie_value *aie_inline_select(struct aie_inliner *in, struct aie_value *condition, struct aie_value *yes, struct aie_value *no)
{
	return aie_inline_make(in, "arith.select", yes ? yes->type : NULL, 3, (struct aie_value *const[]){condition, yes, no}, NULL);
}

/* ---- the head ----------------------------------------------------------------------------------------------------------- */

/* The operation that was just added to the scope's region goes to the head instead. */
static void head_take(struct aie_inliner *in, struct aie_op *before, struct aie_op *op)
{
	struct aie_region *region = &in->scope->regions[0];

	if (!op || before == in->head) { /* nothing but the head is there */
		in->head = op ? op : in->head;
		return;
	}
	before->next = NULL;
	region->last = before;
	op->next = in->head ? in->head->next : region->first;
	*(in->head ? &in->head->next : &region->first) = op;
	in->head = op;
}

struct aie_value *aie_inline_head(struct aie_inliner *in, const char *name, const struct aie_type *result, uint32_t count, struct aie_value *const *operands, struct aie_op **op_out)
{
	struct aie_op *parent = in->parent, *before = in->scope->regions[0].last, *op;
	struct aie_region *region = in->region;
	struct aie_value *made;

	in->parent = in->scope;
	in->region = &in->scope->regions[0];
	made = aie_inline_make(in, name, result, count, operands, &op);
	head_take(in, before, op);
	in->parent = parent;
	in->region = region;
	*op_out = op;
	return made;
}

static struct aie_value *constant(struct aie_inliner *in, const struct aie_type *type, const struct aie_attr *attr)
{
	struct aie_value *made;
	struct aie_op *op;

	for (uint32_t i = 0; i < in->constant_count; i++)
		if (in->constants[i].attr == attr && in->constants[i].value->type == type)
			return in->constants[i].value;
	made = attr ? aie_inline_head(in, "arith.constant", type, 0, NULL, &op) : NULL;
	if (!made || !rt_grow((void **)&in->constants, &in->constant_room, in->constant_count, sizeof(*in->constants)))
		return checked(in, NULL);
	aie_op_attr(in->module, op, "value", attr);
	in->constants[in->constant_count++] = (struct aie_inline_constant){attr, made};
	return made;
}

struct aie_value *aie_inline_int(struct aie_inliner *in, const struct aie_type *type, int64_t number)
{
	return constant(in, type, aie_attr_int(in->module, type, number));
}

struct aie_value *aie_inline_float(struct aie_inliner *in, const struct aie_type *type, double number)
{
	return constant(in, type, aie_attr_float(in->module, type, number));
}

/* ---- places ------------------------------------------------------------------------------------------------------------- */

struct aie_inline_index aie_inline_number(int64_t number)
{
	return (struct aie_inline_index){.known = true, .number = number};
}

struct aie_inline_index aie_inline_of(struct aie_value *value)
{
	return (struct aie_inline_index){.value = value};
}

struct aie_value *aie_inline_value(struct aie_inliner *in, struct aie_inline_index index)
{
	return index.known ? aie_inline_int(in, aie_inline_index_type(in), index.number) : index.value;
}

struct aie_inline_index aie_inline_add(struct aie_inliner *in, struct aie_inline_index a, struct aie_inline_index b)
{
	if (a.known && b.known)
		return aie_inline_number((int64_t)((uint64_t)a.number + (uint64_t)b.number));
	if (a.known && !a.number)
		return b;
	if (b.known && !b.number)
		return a;
	return aie_inline_of(aie_inline_binary(in, "arith.addi", aie_inline_value(in, a), aie_inline_value(in, b)));
}

struct aie_inline_index aie_inline_times(struct aie_inliner *in, struct aie_inline_index a, int64_t by)
{
	if (a.known)
		return aie_inline_number((int64_t)((uint64_t)a.number * (uint64_t)by));
	return by == 1 ? a : aie_inline_of(aie_inline_binary(in, "arith.muli", a.value, aie_inline_value(in, aie_inline_number(by))));
}

/* ---- memory ------------------------------------------------------------------------------------------------------------- */

struct aie_value *aie_inline_load(struct aie_inliner *in, struct aie_value *memref, uint32_t rank, struct aie_value *const *at)
{
	struct aie_value *operands[3] = {memref, at[0], rank == 2 ? at[1] : NULL};

	return aie_inline_make(in, "memref.load", memref ? memref->type->element : NULL, 1 + rank, operands, NULL);
}

void aie_inline_store(struct aie_inliner *in, struct aie_value *value, struct aie_value *memref, uint32_t rank, struct aie_value *const *at)
{
	struct aie_value *operands[4] = {value, memref, at[0], rank == 2 ? at[1] : NULL};

	aie_inline_make(in, "memref.store", NULL, 2 + rank, operands, NULL);
}

void aie_inline_copy(struct aie_inliner *in, struct aie_value *from, struct aie_value *to)
{
	aie_inline_make(in, "memref.copy", NULL, 2, (struct aie_value *const[]){from, to}, NULL);
}

static void ints_tell(struct aie_inliner *in, struct aie_op *op, const char *name, uint32_t bits, uint32_t count, const int64_t *ints)
{
	aie_op_attr(in->module, op, name, aie_attr_ints(in->module, AIE_ATTR_INTS, aie_inline_bits(in, bits), count, ints));
}

static bool is_whole(const struct aie_type *type, const struct aie_inline_index *offsets, const int64_t *sizes)
{
	for (uint32_t d = 0; d < type->rank; d++)
		if (!offsets[d].known || offsets[d].number || sizes[d] != type->dims[d])
			return false;
	return true;
}

struct aie_value *aie_inline_part(struct aie_inliner *in, struct aie_value *memref, const struct aie_inline_index *offsets, const int64_t *sizes)
{
	const struct aie_type *from = memref ? memref->type : NULL;
	struct aie_value *operands[1 + AIE_DIMS] = {memref}, *made;
	int64_t numbers[AIE_DIMS], ones[AIE_DIMS], segments[4] = {1}, offset = from ? from->offset : 0;
	struct aie_op *op;

	if (!from || is_whole(from, offsets, sizes))
		return checked(in, memref);
	for (uint32_t d = 0; d < from->rank; d++) {
		ones[d] = 1;
		numbers[d] = offsets[d].known ? offsets[d].number : AIE_DYNAMIC;
		if (!offsets[d].known)
			operands[1 + segments[1]++] = offsets[d].value;
		offset = offset == AIE_DYNAMIC || !offsets[d].known ? AIE_DYNAMIC : offset + numbers[d] * from->strides[d];
	}
	made = aie_inline_make(in, "memref.subview", aie_type_view(in->module, from->element, from->rank, sizes, from->strides, offset), 1 + (uint32_t)segments[1], operands, &op);
	ints_tell(in, op, "operandSegmentSizes", 32, 4, segments);
	ints_tell(in, op, "static_offsets", 64, from->rank, numbers);
	ints_tell(in, op, "static_sizes", 64, from->rank, sizes);
	ints_tell(in, op, "static_strides", 64, from->rank, ones);
	return made;
}

/* ---- loops -------------------------------------------------------------------------------------------------------------- */

struct aie_inline_loop aie_inline_loop_begin(struct aie_inliner *in, struct aie_value *from, struct aie_value *to, struct aie_value *step, uint32_t carried,
					     struct aie_value *const *values, struct aie_value **carried_out)
{
	struct aie_inline_loop loop = {.parent = in->parent, .region = in->region};

	aie_inline_make(in, "scf.for", NULL, 3, (struct aie_value *const[]){from, to, step}, &loop.op);
	for (uint32_t i = 0; i < carried; i++)
		in->failed |= !aie_op_operand(in->module, loop.op, values[i]);
	in->parent = loop.op;
	in->region = checked(in, aie_op_region(in->module, loop.op));
	loop.counter = checked(in, aie_region_argument(in->module, loop.op, in->region, from ? from->type : NULL));
	for (uint32_t i = 0; i < carried; i++)
		carried_out[i] = checked(in, aie_region_argument(in->module, loop.op, in->region, values[i] ? values[i]->type : NULL));
	return loop;
}

struct aie_inline_loop aie_inline_count(struct aie_inliner *in, int64_t from, int64_t to)
{
	struct aie_value *first = aie_inline_value(in, aie_inline_number(from)), *end = aie_inline_value(in, aie_inline_number(to)), *one = aie_inline_value(in, aie_inline_number(1));

	return aie_inline_loop_begin(in, first, end, one, 0, NULL, NULL);
}

void aie_inline_loop_end(struct aie_inliner *in, const struct aie_inline_loop *loop, uint32_t carried, struct aie_value *const *values, struct aie_value **results_out)
{
	aie_inline_make(in, "scf.yield", NULL, carried, values, NULL);
	in->parent = loop->parent;
	in->region = loop->region;
	for (uint32_t i = 0; i < carried; i++)
		results_out[i] = checked(in, aie_op_result(in->module, loop->op, values[i] ? values[i]->type : NULL));
}
