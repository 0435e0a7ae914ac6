/* SPDX-License-Identifier: MIT */
/* body_memory.c - operations on memrefs as instructions. */
#include "aie/ir/body_code.h"
#include "aie/sim/aie_cost.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

enum { ALLOC_BYTES = 4 << 16, ALLOC_ALL = 16 * ALLOC_BYTES }; /* four memories of 64 KiB; all that a core's text allocates, which is not all there at once */

static uint32_t element_bytes(const struct aie_type *type)
{
	return (uint32_t)aie_type_bytes(type->element);
}

/* Code of LOAD for an element; STORE is the next one. */
static uint16_t element_code(const struct aie_type *element)
{
	switch (element->kind) {
	case AIE_TYPE_BF16: return AIE_CODE_LOAD_BF16;
	case AIE_TYPE_F16: return AIE_CODE_LOAD_F16;
	case AIE_TYPE_F32: return AIE_CODE_LOAD_F32;
	case AIE_TYPE_F64: return 0;
	case AIE_TYPE_INDEX: return AIE_CODE_LOAD_I32;
	default: break;
	}
	switch (element->bits) {
	case 1: return AIE_CODE_LOAD_BIT;
	case 8: return AIE_CODE_LOAD_I8;
	case 16: return AIE_CODE_LOAD_I16;
	case 32: return AIE_CODE_LOAD_I32;
	case 64: return AIE_CODE_LOAD_I64;
	default: return 0;
	}
}

static ptowsp_status element_look(struct aie_body_maker *maker, const struct aie_op *op, const struct aie_type *memref, uint16_t *code_out)
{
	*code_out = element_code(memref->element);
	if (!*code_out)
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: %s of elements of %u bits has no model; use 1, 8, 16, 32 or 64", op->line,
				 op->name, memref->element->bits);
	return PTOWSP_OK;
}

static ptowsp_status element_move(struct aie_body_maker *maker, const struct aie_op *op, bool store)
{
	const struct aie_type *memref = op->operands[store]->type;
	const uint32_t row = AIE_BODY_ROW(maker->body, access), bytes = element_bytes(memref);
	struct aie_access *access;
	uint16_t code;
	ptowsp_status status = element_look(maker, op, memref, &code);

	if (status || row == AIE_NONE)
		return status ? status : aie_body_no_memory(maker);
	access = &maker->body->access_rows[row];
	access->rank = memref->rank;
	for (uint32_t d = 0; d < memref->rank; d++) {
		access->at[d] = aie_body_place(maker, op->operands[1 + store + d]);
		access->dims[d] = memref->dims[d];
		access->strides[d] = memref->strides[d] * bytes;
	}
	return aie_body_emit(maker, op,
			     (struct aie_ins){.code = (uint16_t)(code + store),
					      .cost = store ? AIE_COST_OP_STORE : AIE_COST_OP_LOAD,
					      .d = aie_body_place(maker, store ? op->operands[0] : op->results[0]),
					      .a = aie_body_place(maker, op->operands[store]),
					      .c = row});
}

ptowsp_status aie_body_stack(struct aie_body_maker *maker, uint64_t bytes)
{
	const struct aie_body_outside *outside = maker->body->outside;

	if (!outside->stack || bytes <= *outside->stack)
		return PTOWSP_OK;
	return base_fail(maker->error, PTOWSP_INVALID, "line %u: %s: %s allocates %llu bytes at once, of a stack of %llu; raise its stack_size",
			 maker->core->line, maker->core->name, outside->who ? outside->who : "the core", (unsigned long long)bytes,
			 (unsigned long long)*outside->stack);
}

/* One place for all times that it is run; what is in it then is not said. */
static ptowsp_status alloc(struct aie_body_maker *maker, const struct aie_op *op)
{
	const uint32_t block = AIE_BODY_ROW(maker->body, block), number = AIE_BODY_ROW(maker->body, number);
	const uint64_t bytes = aie_type_bytes(op->results[0]->type);

	if (bytes > ALLOC_BYTES)
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: %s of %llu bytes, more than all memory of a core and its neighbours, %d; take less",
				 op->line, op->name, (unsigned long long)bytes, ALLOC_BYTES);
	maker->kept += aie_op_is(op, "memref.alloca") ? (bytes + 3) / 4 * 4 : 0; /* there is no heap: what memref.alloc takes is nobody's stack */
	maker->most = maker->kept > maker->most ? maker->kept : maker->most;
	maker->allocated += bytes;
	if (maker->allocated > ALLOC_ALL)
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: with this %s a core's text allocates %llu bytes, of %d that are simulated",
				 op->line, op->name, (unsigned long long)maker->allocated, ALLOC_ALL);
	if (block == AIE_NONE || number == AIE_NONE || !(maker->body->block_rows[block] = calloc(bytes + 1, 1)))
		return aie_body_no_memory(maker);
	maker->body->number_rows[number].p = maker->body->block_rows[block];
	return aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_NUMBER, .d = aie_body_place(maker, op->results[0]), .c = number});
}

static ptowsp_status subview(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_type *from = op->operands[0]->type;
	const uint32_t row = AIE_BODY_ROW(maker->body, window), bytes = element_bytes(from);
	struct aie_window *window;
	uint32_t operand = 1;

	if (row == AIE_NONE)
		return aie_body_no_memory(maker);
	window = &maker->body->window_rows[row];
	for (uint32_t d = 0; d < from->rank; d++) {
		const int64_t offset = aie_attr_of(op, "static_offsets")->ints[d], size = aie_attr_of(op, "static_sizes")->ints[d];
		const int64_t step = aie_attr_of(op, "static_strides")->ints[d];

		if (offset != AIE_DYNAMIC) {
			window->offset += offset * from->strides[d] * bytes;
			continue;
		}
		window->moving.at[window->moving.rank] = aie_body_place(maker, op->operands[operand++]);
		window->moving.dims[window->moving.rank] = from->dims[d] - (size ? (size - 1) * step : 0);
		window->moving.strides[window->moving.rank++] = from->strides[d] * bytes;
	}
	return aie_body_emit(maker, op,
			     (struct aie_ins){.code = AIE_CODE_SUBVIEW,
					      .cost = AIE_COST_OP_OTHER,
					      .d = aie_body_place(maker, op->results[0]),
					      .a = aie_body_place(maker, op->operands[0]),
					      .c = row});
}

static ptowsp_status view(struct aie_body_maker *maker, const struct aie_op *op)
{
	const uint64_t most = aie_type_bytes(op->operands[0]->type) - aie_type_bytes(op->results[0]->type);

	if (most > UINT32_MAX)
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: memref.view of %llu bytes is larger than any memory; view less", op->line,
				 (unsigned long long)most);
	return aie_body_emit(maker, op,
			     (struct aie_ins){.code = AIE_CODE_VIEW,
					      .cost = AIE_COST_OP_OTHER,
					      .d = aie_body_place(maker, op->results[0]),
					      .a = aie_body_place(maker, op->operands[0]),
					      .b = aie_body_place(maker, op->operands[1]),
					      .c = (uint32_t)most});
}

static ptowsp_status copy(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_type *from = op->operands[0]->type, *to = op->operands[1]->type;
	const uint32_t row = AIE_BODY_ROW(maker->body, copy);
	struct aie_copy *copied;

	if (row == AIE_NONE)
		return aie_body_no_memory(maker);
	copied = &maker->body->copy_rows[row];
	copied->elements = aie_type_count(from);
	if (!copied->elements)
		return PTOWSP_OK;
	aie_path_make(&copied->from, from->rank, from->dims, from->strides, element_bytes(from));
	aie_path_make(&copied->to, to->rank, to->dims, to->strides, element_bytes(to));
	return aie_body_emit(
		maker, op,
		(struct aie_ins){.code = AIE_CODE_COPY, .a = aie_body_place(maker, op->operands[0]), .b = aie_body_place(maker, op->operands[1]), .c = row});
}

ptowsp_status aie_body_memory(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out)
{
	*known_out = true;
	if (aie_op_is(op, "memref.load"))
		return element_move(maker, op, false);
	if (aie_op_is(op, "memref.store"))
		return element_move(maker, op, true);
	if (aie_op_is(op, "memref.alloc") || aie_op_is(op, "memref.alloca"))
		return alloc(maker, op);
	if (aie_op_is(op, "memref.dealloc"))
		return PTOWSP_OK;
	if (aie_op_is(op, "memref.subview"))
		return subview(maker, op);
	if (aie_op_is(op, "memref.view"))
		return view(maker, op);
	if (aie_op_is(op, "memref.copy"))
		return copy(maker, op);
	*known_out = false;
	return PTOWSP_OK;
}
