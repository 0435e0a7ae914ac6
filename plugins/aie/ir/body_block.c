/* SPDX-License-Identifier: MIT */
/* body_block.c - what cores of other people's arrays do beside scf.for: blocks and branches, scf.while, locks, and fifos that are buffers with locks. */
#include "aie/ir/body_code.h"
#include "aie/sim/aie_cost.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>

typedef ptowsp_status make(struct aie_body_maker *maker, const struct aie_op *op);

static ptowsp_status shape_fail(struct aie_body_maker *maker, const struct aie_op *op)
{
	return base_fail(maker->error, PTOWSP_INVALID, "line %u: %s has other operands, results, regions or attributes than it must have", op->line, op->name);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------- */

static ptowsp_status label_add(struct aie_body_maker *maker, struct aie_body_label **rows, uint32_t *count, const struct aie_op *op, const struct aie_op *block)
{
	if (!*rows)
		*rows = calloc(AIE_BODY_BLOCKS, sizeof(**rows));
	if (!*rows)
		return aie_body_no_memory(maker);
	if (*count == AIE_BODY_BLOCKS)
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: a core has more than %d blocks or branches; write loops", op->line,
				 AIE_BODY_BLOCKS);
	(*rows)[(*count)++] = (struct aie_body_label){block, maker->body->code_count};
	return PTOWSP_OK;
}

static ptowsp_status begin(struct aie_body_maker *maker, const struct aie_op *op)
{
	return label_add(maker, &maker->labels, &maker->label_count, op, op);
}

/* Passes operands from `first` on to a block's arguments, and goes there. */
static ptowsp_status jump(struct aie_body_maker *maker, const struct aie_op *op, uint32_t first, uint32_t count, const struct aie_op *to)
{
	ptowsp_status status;

	if (to->result_count != count || first + count > op->operand_count)
		return shape_fail(maker, op);
	for (uint32_t i = 0; i < count; i++)
		if (op->operands[first + i]->type != to->results[i]->type)
			return shape_fail(maker, op);
	status = aie_body_moves(maker, op, op->operands + first, to->results, count);
	if (!status)
		status = label_add(maker, &maker->jumps, &maker->jump_count, op, to);
	return status ? status : aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_BACK, .cost = AIE_COST_OP_BRANCH});
}

static ptowsp_status branch(struct aie_body_maker *maker, const struct aie_op *op)
{
	return op->successor_count == 1 ? jump(maker, op, 0, op->operand_count, op->successors[0]) : shape_fail(maker, op);
}

static bool is_bit(const struct aie_value *value)
{
	return value->type->kind == AIE_TYPE_INT && value->type->bits == 1;
}

static ptowsp_status choice(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_attr *segments = aie_attr_kind_of(op, "operandSegmentSizes", AIE_ATTR_INTS);
	uint32_t unless = maker->body->code_count, first;
	ptowsp_status status;

	if (op->successor_count != 2 || !op->operand_count || !is_bit(op->operands[0]) || !segments || segments->count != 3 || segments->ints[0] != 1 ||
	    segments->ints[1] < 0 || segments->ints[1] >= op->operand_count || segments->ints[2] != op->operand_count - 1 - segments->ints[1])
		return shape_fail(maker, op);
	first = 1 + (uint32_t)segments->ints[1];
	status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_UNLESS, .a = aie_body_place(maker, op->operands[0])});
	if (!status)
		status = jump(maker, op, 1, first - 1, op->successors[0]);
	if (status)
		return status;
	maker->body->code_rows[unless].c = maker->body->code_count;
	return jump(maker, op, first, op->operand_count - first, op->successors[1]);
}

ptowsp_status aie_body_jumps(struct aie_body_maker *maker)
{
	for (uint32_t i = 0; i < maker->jump_count; i++)
		for (uint32_t j = 0; j < maker->label_count; j++)
			if (maker->labels[j].block == maker->jumps[i].block)
				maker->body->code_rows[maker->jumps[i].at].c = maker->labels[j].at;
	maker->jump_count = maker->label_count = 0;
	return PTOWSP_OK;
}

/* ---- scf.while ---------------------------------------------------------------------------------------------------- */

static bool while_is_whole(const struct aie_op *op)
{
	const struct aie_region *before = op->regions, *after = op->regions + 1;
	const struct aie_op *condition, *yield;

	if (op->region_count != 2 || !before->last || !after->last)
		return false;
	condition = before->last;
	yield = after->last;
	return aie_op_is(condition, "scf.condition") && condition->operand_count == 1 + op->result_count && is_bit(condition->operands[0]) &&
	       after->argument_count == op->result_count && before->argument_count == op->operand_count && aie_op_is(yield, "scf.yield") &&
	       yield->operand_count == op->operand_count && aie_types_same(op->operands, before->arguments, op->operand_count) &&
	       aie_types_same(yield->operands, before->arguments, op->operand_count) &&
	       aie_types_same(condition->operands + 1, op->results, op->result_count) &&
	       aie_types_same(condition->operands + 1, after->arguments, op->result_count);
}

static ptowsp_status loop(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_region *before = op->regions, *after = op->regions + 1;
	const struct aie_op *condition;
	uint32_t head, unless;
	ptowsp_status status;

	if (!while_is_whole(op))
		return shape_fail(maker, op);
	condition = before->last;
	status = aie_body_moves(maker, op, op->operands, before->arguments, op->operand_count);
	head = maker->body->code_count;
	if (!status)
		status = aie_body_region(maker, before);
	unless = maker->body->code_count;
	if (!status)
		status = aie_body_emit(maker, condition, (struct aie_ins){.code = AIE_CODE_UNLESS, .a = aie_body_place(maker, condition->operands[0])});
	if (!status)
		status = aie_body_moves(maker, op, condition->operands + 1, after->arguments, op->result_count);
	if (!status)
		status = aie_body_region(maker, after);
	if (!status)
		status = aie_body_moves(maker, op, after->last->operands, before->arguments, op->operand_count);
	if (!status)
		status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_BACK, .cost = AIE_COST_OP_BRANCH, .c = head});
	if (status)
		return status;
	maker->body->code_rows[unless].c = maker->body->code_count;
	return aie_body_moves(maker, op, condition->operands + 1, op->results, op->result_count);
}

/* One of the cases, or the first region: a comparison after the other. */
static ptowsp_status choose(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_attr *cases = aie_attr_kind_of(op, "cases", AIE_ATTR_INTS);
	uint32_t ends[AIE_REGIONS], is = aie_body_registers(maker, 2), end_count = 0;
	ptowsp_status status = PTOWSP_OK;

	if (op->operand_count != 1 || op->operands[0]->type->kind != AIE_TYPE_INDEX || !cases || cases->count + 1 != op->region_count)
		return shape_fail(maker, op);
	for (uint32_t i = 0; !status && i < op->region_count; i++) {
		const struct aie_region *region = &op->regions[i + 1 < op->region_count ? i + 1 : 0];
		const uint32_t unless = maker->body->code_count + 2;

		if (!region->last || !aie_op_is(region->last, "scf.yield") || region->last->operand_count != op->result_count || region->argument_count ||
		    !aie_types_same(region->last->operands, op->results, op->result_count))
			return shape_fail(maker, op);
		if (i < cases->count)
			status = aie_body_case(maker, op, cases->ints[i], is);
		if (!status)
			status = aie_body_region(maker, region);
		if (!status)
			status = aie_body_moves(maker, op, region->last->operands, op->results, op->result_count);
		ends[end_count++] = maker->body->code_count;
		if (!status)
			status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_JUMP});
		if (!status && i < cases->count)
			maker->body->code_rows[unless].c = maker->body->code_count;
	}
	for (uint32_t i = 0; !status && i < end_count; i++)
		maker->body->code_rows[ends[i]].c = maker->body->code_count;
	return status;
}

static ptowsp_status nothing(struct aie_body_maker *maker, const struct aie_op *op)
{
	(void)maker;
	(void)op;
	return PTOWSP_OK;
}

/* ---- locks and fifos ---------------------------------------------------------------------------------------------- */

static bool action_of(const struct aie_op *op, int64_t *action_out)
{
	const struct aie_attr *action = aie_attr_kind_of(op, "action", AIE_ATTR_INT);

	*action_out = action ? action->number : -1;
	return action && action->number >= 0 && action->number <= 2;
}

static ptowsp_status lock(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_body_outside *outside = maker->body->outside;
	const struct aie_attr *value = aie_attr_kind_of(op, "value", AIE_ATTR_INT);
	int64_t action, number;
	uint32_t semaphore;

	if (op->operand_count == 2 && !op->operands[1]->argument && aie_op_is(op->operands[1]->op, "arith.constant"))
		value = aie_attr_kind_of(op->operands[1]->op, "value", AIE_ATTR_INT);
	else if (op->operand_count == 2)
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: aie.use_lock with a value that is no constant has no model", op->line);
	if (op->operand_count && op->operands[0]->type->kind != AIE_TYPE_INDEX)
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: operand 0 of aie.use_lock is no lock", op->line);
	number = value ? value->number : 1;
	if (!action_of(op, &action) || !op->operand_count || op->operand_count > 2 || op->result_count || number < INT16_MIN || number > INT16_MAX)
		return shape_fail(maker, op);
	semaphore = op->operands[0]->argument || !outside->semaphore ? AIE_NONE : outside->semaphore(outside->context, op->operands[0]->op);
	if (action == 1 && semaphore != AIE_NONE && outside->gives)
		outside->gives(outside->context, semaphore);
	return aie_body_emit(maker, op,
			     (struct aie_ins){.code = action == 1 ? AIE_CODE_GIVE : AIE_CODE_TAKE,
					      .a = aie_body_place(maker, op->operands[0]),
					      .b = action == 0,
					      .c = (uint32_t)(int32_t)number});
}

/* The core's end of a fifo, the same for all operations on it. */
static ptowsp_status fifo_find(struct aie_body_maker *maker, const struct aie_op *op, const char *name, int64_t port, uint32_t *row_out)
{
	const struct aie_body_outside *outside = maker->body->outside;
	struct aie_body_fifo fifo = {.name = name, .port = port};

	for (uint32_t i = 0; i < maker->body->fifo_count; i++)
		if (maker->body->fifo_rows[i].port == port && !strcmp(maker->body->fifo_rows[i].name, name)) {
			*row_out = i;
			return PTOWSP_OK;
		}
	if (!outside->fifo(outside->context, name, port, &fifo))
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: %s of @%s, of which this core is not the %s; use an end of the core's tile", op->line,
				 op->name, name, port ? "consumer" : "producer");
	if (fifo.give != AIE_NONE && outside->gives)
		outside->gives(outside->context, fifo.give);
	*row_out = AIE_BODY_ROW(maker->body, fifo);
	if (*row_out == AIE_NONE)
		return aie_body_no_memory(maker);
	maker->body->fifo_rows[*row_out] = fifo;
	return PTOWSP_OK;
}

static ptowsp_status object(struct aie_body_maker *maker, const struct aie_op *op)
{
	const bool acquires = aie_op_is(op, "aie.objectfifo.acquire");
	const struct aie_attr *name = aie_attr_kind_of(op, "objFifo_name", AIE_ATTR_SYMBOL), *port = aie_attr_kind_of(op, "port", AIE_ATTR_INT);
	const struct aie_attr *size = aie_attr_kind_of(op, "size", AIE_ATTR_INT);
	const bool view = acquires && op->result_count == 1 && op->results[0]->type->kind == AIE_TYPE_OBJECTS;
	const uint32_t row = AIE_BODY_ROW(maker->body, port);
	uint32_t fifo, first;
	ptowsp_status status;

	if (row == AIE_NONE)
		return aie_body_no_memory(maker);
	if (!name || !port || !size || size->number < 1 || op->operand_count || (!view && op->result_count != (acquires ? (uint64_t)size->number : 0)))
		return shape_fail(maker, op);
	status = fifo_find(maker, op, name->text, port->number, &fifo);
	if (status)
		return status;
	if (size->number > maker->body->fifo_rows[fifo].depth)
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: %s of %lld objects of @%s, which is %u deep; ask for no more", op->line, op->name,
				 (long long)size->number, name->text, maker->body->fifo_rows[fifo].depth);
	for (uint32_t i = 0; i < op->result_count; i++) {
		const struct aie_type *type = view ? op->results[i]->type->element : op->results[i]->type;

		if (type->kind != AIE_TYPE_MEMREF || type->strided || aie_type_bytes(type) != maker->body->fifo_rows[fifo].bytes)
			return base_fail(maker->error, PTOWSP_INVALID, "line %u: %s of @%s as another type than its objects have; say theirs", op->line,
					 op->name, name->text);
	}
	maker->body->port_rows[row] = (struct aie_body_port){AIE_NONE, (uint32_t)size->number, fifo, port->number ? AIE_GETTER : AIE_PUTTER};
	first = aie_body_registers(maker, acquires ? (uint32_t)size->number : 0);
	for (uint32_t i = 0; i < op->result_count; i++)
		maker->places[op->results[i]->id] = first + i;
	return aie_body_emit(maker, op, (struct aie_ins){.code = acquires ? AIE_CODE_ACQUIRE : AIE_CODE_RELEASE, .d = first, .c = row});
}

static ptowsp_status access(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_attr *index = aie_attr_kind_of(op, "index", AIE_ATTR_INT), *size;
	const struct aie_value *from = op->operand_count == 1 ? op->operands[0] : NULL;

	if (!from || from->type->kind != AIE_TYPE_OBJECTS || from->argument || !aie_op_is(from->op, "aie.objectfifo.acquire") || !index ||
	    op->result_count != 1 || op->results[0]->type != from->type->element)
		return shape_fail(maker, op);
	size = aie_attr_kind_of(from->op, "size", AIE_ATTR_INT);
	if (!size || index->number < 0 || index->number >= size->number)
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: object %lld of a view of %lld; number them from 0", op->line, (long long)index->number,
				 size ? (long long)size->number : 0);
	return aie_body_emit(maker, op,
			     (struct aie_ins){.code = AIE_CODE_MOVE,
					      .d = aie_body_place(maker, op->results[0]),
					      .a = aie_body_place(maker, from) + (uint32_t)index->number});
}

ptowsp_status aie_body_blocks(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out)
{
	static const struct {
		const char *name;
		make *make;
		bool of_arrays; /* where the outside has fifos and locks */
	} kinds[] = {
		{AIE_BLOCK, begin, false},
		{"cf.br", branch, false},
		{"cf.cond_br", choice, false},
		{"scf.while", loop, false},
		{"scf.index_switch", choose, false},
		{"scf.condition", nothing, false},
		{"memref.assume_alignment", nothing, false},
		{"aie.event", nothing, false},
		{"aie.use_lock", lock, true},
		{"aie.objectfifo.acquire", object, true},
		{"aie.objectfifo.release", object, true},
		{"aie.objectfifo.subview.access", access, true},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (aie_op_is(op, kinds[i].name) && (!kinds[i].of_arrays || maker->body->outside->fifo)) {
			*known_out = true;
			return kinds[i].make(maker, op);
		}
	*known_out = false;
	return PTOWSP_OK;
}
