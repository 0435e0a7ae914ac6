/* SPDX-License-Identifier: MIT */
#include "aie/ir/ir.h"
#include "isa/convert.h"
#include "ptowsp/ids.h"
#include "registry/common/common_arena.h"

#include "base/error.h"
#include <string.h>

ptowsp_status aie_module_begin(struct aie_module *module, struct ptowsp_error *error)
{
	*module = (struct aie_module){.arena = common_arena_create()};
	if (module->arena)
		module->intern = aie_intern_create(module->arena);
	if (module->intern)
		module->top = common_take(module->arena, 1, sizeof(*module->top));
	if (module->top)
		module->top->name = aie_name(module, "builtin.module", 14);
	if (!module->top || !module->top->name || !aie_op_region(module, module->top)) {
		aie_module_finish(module);
		return base_fail(error, PTOWSP_NO_MEMORY, "there is no memory for a module");
	}
	return PTOWSP_OK;
}

void aie_module_finish(struct aie_module *module)
{
	common_arena_destroy(module->arena);
	*module = (struct aie_module){0};
}

/* ---- types */

const struct aie_type *aie_type_plain(struct aie_module *module, enum aie_type_kind kind, uint32_t bits)
{
	static const uint8_t floats[] = {[AIE_TYPE_BF16] = 16, [AIE_TYPE_F16] = 16, [AIE_TYPE_F32] = 32, [AIE_TYPE_F64] = 64};
	struct aie_type type = {.kind = kind};

	if (kind == AIE_TYPE_INT)
		type.bits = bits;
	else if (aie_type_is_float(&type))
		type.bits = floats[kind];
	return aie_intern_type(module, &type);
}

static void row_major(struct aie_type *type)
{
	uint64_t stride = 1;

	for (uint32_t i = type->rank; i-- > 0;) {
		type->strides[i] = (int64_t)stride;
		stride *= (uint64_t)type->dims[i];
	}
}

const struct aie_type *aie_type_memref(struct aie_module *module, const struct aie_type *element, uint32_t rank, const int64_t *dims)
{
	struct aie_type type = {.kind = AIE_TYPE_MEMREF, .rank = rank, .element = element};

	if (!element || rank > AIE_DIMS)
		return NULL;
	for (uint32_t i = 0; i < rank; i++)
		type.dims[i] = dims[i];
	row_major(&type);
	return aie_intern_type(module, &type);
}

const struct aie_type *aie_type_view(struct aie_module *module, const struct aie_type *element, uint32_t rank, const int64_t *dims, const int64_t *strides,
				     int64_t offset)
{
	struct aie_type type = {.kind = AIE_TYPE_MEMREF, .rank = rank, .element = element, .offset = offset, .strided = true};

	if (!element || rank > AIE_DIMS)
		return NULL;
	for (uint32_t i = 0; i < rank; i++) {
		type.dims[i] = dims[i];
		type.strides[i] = strides[i];
	}
	return aie_intern_type(module, &type);
}

const struct aie_type *aie_type_fifo(struct aie_module *module, const struct aie_type *memref)
{
	const struct aie_type type = {.kind = AIE_TYPE_FIFO, .element = memref};

	return memref ? aie_intern_type(module, &type) : NULL;
}

const struct aie_type *aie_type_objects(struct aie_module *module, const struct aie_type *memref)
{
	const struct aie_type type = {.kind = AIE_TYPE_OBJECTS, .element = memref};

	return memref ? aie_intern_type(module, &type) : NULL;
}

const struct aie_type *aie_type_other(struct aie_module *module, const char *text)
{
	const struct aie_type type = {.kind = AIE_TYPE_OTHER, .text = text ? aie_name(module, text, strlen(text)) : NULL};

	return type.text ? aie_intern_type(module, &type) : NULL;
}

const struct aie_type *aie_type_function(struct aie_module *module, uint32_t inputs, uint32_t count, const struct aie_type *const *parts)
{
	struct aie_type type = {.kind = AIE_TYPE_FUNCTION, .inputs = inputs, .part_count = count, .parts = (const struct aie_type **)(uintptr_t)parts};

	for (uint32_t i = 0; i < count; i++)
		if (!parts[i])
			return NULL;
	return aie_intern_type(module, &type);
}

uint64_t aie_type_count(const struct aie_type *type)
{
	uint64_t count = 1;

	for (uint32_t i = 0; i < type->rank; i++) {
		if (type->dims[i] && count > UINT64_MAX / (uint64_t)type->dims[i])
			return UINT64_MAX;
		count *= (uint64_t)type->dims[i];
	}
	return count;
}

uint64_t aie_type_bytes(const struct aie_type *type)
{
	uint64_t count, each;

	switch (type->kind) {
	case AIE_TYPE_INDEX: return 4;
	case AIE_TYPE_FUNCTION:
	case AIE_TYPE_OTHER: return 0;
	case AIE_TYPE_FIFO:
	case AIE_TYPE_OBJECTS: return aie_type_bytes(type->element);
	case AIE_TYPE_MEMREF: break;
	default: return (type->bits + 7) / 8;
	}
	count = aie_type_count(type);
	each = aie_type_bytes(type->element);
	return each && count > UINT64_MAX / each ? UINT64_MAX : count * each;
}

/* ---- attributes */

static int64_t sign_extended(int64_t value, uint32_t bits)
{
	const uint64_t low = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, sign = bits ? UINT64_C(1) << (bits - 1) : 0;
	const uint64_t field = (uint64_t)value & low;

	return (int64_t)(field & sign ? field | ~low : field);
}

const struct aie_attr *aie_attr_bool(struct aie_module *module, bool value)
{
	const struct aie_type *type = aie_type_plain(module, AIE_TYPE_INT, 1);
	const struct aie_attr attr = {.kind = AIE_ATTR_BOOL, .type = type, .number = value};

	return type ? aie_intern_attr(module, &attr) : NULL;
}

const struct aie_attr *aie_attr_int(struct aie_module *module, const struct aie_type *type, int64_t value)
{
	struct aie_attr attr = {.kind = AIE_ATTR_INT, .type = type, .number = value};

	if (!type)
		return NULL;
	if (type->kind == AIE_TYPE_INT && type->bits == 1)
		return aie_attr_bool(module, value & 1);
	if (type->kind == AIE_TYPE_INT)
		attr.number = sign_extended(value, type->bits);
	return aie_intern_attr(module, &attr);
}

const struct aie_attr *aie_attr_float(struct aie_module *module, const struct aie_type *type, double value)
{
	struct aie_attr attr = {.kind = AIE_ATTR_FLOAT, .type = type};

	if (!type)
		return NULL;
	attr.real = aie_float_of(type, aie_float_bits(type, value));
	return aie_intern_attr(module, &attr);
}

const struct aie_attr *aie_attr_unit(struct aie_module *module)
{
	return aie_intern_attr(module, &(struct aie_attr){.kind = AIE_ATTR_UNIT});
}

const struct aie_attr *aie_attr_text(struct aie_module *module, enum aie_attr_kind kind, const char *text)
{
	const struct aie_attr attr = {.kind = kind, .text = text ? aie_name(module, text, strlen(text)) : NULL};

	return attr.text ? aie_intern_attr(module, &attr) : NULL;
}

const struct aie_attr *aie_attr_type(struct aie_module *module, const struct aie_type *type)
{
	const struct aie_attr attr = {.kind = AIE_ATTR_TYPE, .type = type};

	return type ? aie_intern_attr(module, &attr) : NULL;
}

const struct aie_attr *aie_attr_ints(struct aie_module *module, enum aie_attr_kind kind, const struct aie_type *type, uint32_t count, const int64_t *ints)
{
	const struct aie_attr attr = {.kind = kind, .type = type, .count = count, .ints = count ? ints : NULL};

	return type || kind == AIE_ATTR_DIMS ? aie_intern_attr(module, &attr) : NULL;
}

const struct aie_attr *aie_attr_list(struct aie_module *module, enum aie_attr_kind kind, uint32_t count, const struct aie_attr *const *items)
{
	const struct aie_attr attr = {.kind = kind, .count = count, .items = count ? (const struct aie_attr **)(uintptr_t)items : NULL};

	for (uint32_t i = 0; i < count; i++)
		if (!items[i])
			return NULL;
	return aie_intern_attr(module, &attr);
}

/* ---- operations */

struct aie_op *aie_op_add(struct aie_module *module, struct aie_op *parent, struct aie_region *region, const char *name)
{
	struct aie_op *op = parent && region ? common_take(module->arena, 1, sizeof(*op)) : NULL;

	if (op)
		op->name = aie_name(module, name, strlen(name));
	if (!op || !op->name)
		return NULL;
	op->parent = parent;
	if (region->last)
		region->last->next = op;
	else
		region->first = op;
	region->last = op;
	return op;
}

bool aie_op_successor(struct aie_module *module, struct aie_op *op, struct aie_op *block)
{
	return op && block && COMMON_ARENA_ADD(module->arena, op->successors, op->successor_count, block);
}

bool aie_op_operand(struct aie_module *module, struct aie_op *op, struct aie_value *value)
{
	return op && value && COMMON_ARENA_ADD(module->arena, op->operands, op->operand_count, value);
}

static struct aie_value *value_add(struct aie_module *module, struct aie_op *op, struct aie_value ***rows, uint32_t *count, const struct aie_type *type)
{
	struct aie_value *value = op && type ? common_take(module->arena, 1, sizeof(*value)) : NULL;

	if (!value)
		return NULL;
	*value = (struct aie_value){.type = type, .op = op, .number = *count, .id = module->value_count};
	if (!COMMON_ARENA_ADD(module->arena, *rows, *count, value))
		return NULL;
	module->value_count++;
	return value;
}

struct aie_value *aie_op_result(struct aie_module *module, struct aie_op *op, const struct aie_type *type)
{
	return op ? value_add(module, op, &op->results, &op->result_count, type) : NULL;
}

struct aie_value *aie_region_argument(struct aie_module *module, struct aie_op *op, struct aie_region *region, const struct aie_type *type)
{
	struct aie_value *value = region ? value_add(module, op, &region->arguments, &region->argument_count, type) : NULL;

	if (value)
		value->argument = true;
	return value;
}

bool aie_op_attr(struct aie_module *module, struct aie_op *op, const char *name, const struct aie_attr *attr)
{
	const char *copy = op && attr ? aie_name(module, name, strlen(name)) : NULL;

	if (!copy)
		return false;
	for (uint32_t i = 0; i < op->attr_count; i++)
		if (op->attrs[i].name == copy) {
			op->attrs[i].attr = attr;
			return true;
		}
	return COMMON_ARENA_ADD(module->arena, op->attrs, op->attr_count, (struct aie_named_attr){copy, attr});
}

struct aie_region *aie_op_region(struct aie_module *module, struct aie_op *op)
{
	if (!op || op->region_count == AIE_REGIONS)
		return NULL;
	if (!op->regions || op->region_count == AIE_REGIONS_FEW) {
		struct aie_region *more = common_take(module->arena, op->regions ? AIE_REGIONS : AIE_REGIONS_FEW, sizeof(*more));

		if (more && op->regions)
			memcpy(more, op->regions, AIE_REGIONS_FEW * sizeof(*more));
		op->regions = more;
	}
	return op->regions ? &op->regions[op->region_count++] : NULL;
}

bool aie_op_inside(const struct aie_op *op, const struct aie_op *outer)
{
	while (op && op != outer)
		op = op->parent;
	return op != NULL;
}

bool aie_types_same(struct aie_value *const *a, struct aie_value *const *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i]->type != b[i]->type)
			return false;
	return true;
}

const struct aie_attr *aie_attr_kind_of(const struct aie_op *op, const char *name, enum aie_attr_kind kind)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	return attr && attr->kind == kind ? attr : NULL;
}

const struct aie_attr *aie_attr_of(const struct aie_op *op, const char *name)
{
	for (uint32_t i = 0; i < op->attr_count; i++)
		if (!strcmp(op->attrs[i].name, name))
			return op->attrs[i].attr;
	return NULL;
}

static unsigned dtype_of(const struct aie_type *type)
{
	switch (type->kind) {
	case AIE_TYPE_BF16: return PTOWSP_BF16;
	case AIE_TYPE_F16: return PTOWSP_F16;
	case AIE_TYPE_F32: return PTOWSP_F32;
	default: return PTOWSP_F64;
	}
}

uint64_t aie_float_bits(const struct aie_type *type, double value)
{
	return isa_convert_scalar(isa_bits_of_double(value), PTOWSP_F64, dtype_of(type));
}

double aie_float_of(const struct aie_type *type, uint64_t bits)
{
	return isa_double_of(isa_convert_scalar(bits, dtype_of(type), PTOWSP_F64));
}

void aie_initial_put(uint8_t *memory, const struct aie_type *type, const struct aie_attr *initial)
{
	const uint64_t bytes = aie_type_bytes(type->element), count = aie_type_count(type);

	for (uint64_t i = 0; initial->count && i < count; i++) {
		const int64_t value = initial->ints[i < initial->count ? i : 0];
		uint64_t bits = (uint64_t)value;
		double real;

		memcpy(&real, &value, 8);
		if (type->element->kind != AIE_TYPE_INT && type->element->kind != AIE_TYPE_INDEX)
			bits = aie_float_bits(type->element, real);
		memcpy(memory + i * bytes, &bits, bytes);
	}
}
