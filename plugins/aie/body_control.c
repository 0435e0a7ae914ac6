/* SPDX-License-Identifier: MIT */
/* body_control.c - loops, choices and scopes as instructions. */
#include "aie/body_lanes.h"
#include "aie/aie_cost.h"

#include "base/error.h"

/* All at once: what is read may be what is written. */
static ptowsp_status moves(struct aie_body_maker *maker, const struct aie_op *op, struct aie_value *const *from, struct aie_value *const *to, uint32_t count)
{
	uint32_t between;
	ptowsp_status st = PTOWSP_OK;

	if (count == 1)
		return aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_MOVE, .d = aie_body_place(maker, to[0]), .a = aie_body_place(maker, from[0])});
	between = aie_body_registers(maker, count);
	for (uint32_t i = 0; !st && i < count; i++)
		st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_MOVE, .d = between + i, .a = aie_body_place(maker, from[i])});
	for (uint32_t i = 0; !st && i < count; i++)
		st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_MOVE, .d = aie_body_place(maker, to[i]), .a = between + i});
	return st;
}

static ptowsp_status loop(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_region *region = &op->regions[0];
	struct aie_ins head = {.code = AIE_CODE_FOR, .a = aie_body_place(maker, op->operands[0]), .b = aie_body_place(maker, op->operands[1])};
	struct aie_ins back = {.code = AIE_CODE_NEXT, .cost = AIE_COST_OP_BRANCH, .a = aie_body_place(maker, op->operands[2]), .b = head.b};
	uint32_t at;
	ptowsp_status st;

	head.d = back.d = aie_body_place(maker, region->arguments[0]);
	for (uint32_t i = 0; i < op->result_count; i++) /* a result is what was carried last */
		maker->places[op->results[i]->id] = aie_body_place(maker, region->arguments[1 + i]);
	st = moves(maker, op, op->operands + 3, region->arguments + 1, op->result_count);
	if (!st)
		st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_STEP, .a = back.a});
	if (!st)
		st = aie_body_emit(maker, op, head);
	at = back.c = maker->body->code_count;
	if (!st)
		st = aie_body_block(maker, region);
	if (!st)
		st = moves(maker, op, region->last->operands, region->arguments + 1, op->result_count);
	if (!st)
		st = aie_body_emit(maker, op, back);
	if (st)
		return st;
	maker->body->code_rows[at - 1].c = maker->body->code_count;
	return op->result_count ? PTOWSP_OK : aie_body_lanes(maker, at - 1, maker->body->code_count - 1);
}

static ptowsp_status branch(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_region *then = &op->regions[0], *other = &op->regions[1];
	uint32_t unless = maker->body->code_count, jump;
	ptowsp_status st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_UNLESS, .cost = AIE_COST_OP_BRANCH, .a = aie_body_place(maker, op->operands[0])});

	if (!st)
		st = aie_body_block(maker, then);
	if (!st)
		st = moves(maker, op, then->last->operands, op->results, op->result_count);
	jump = maker->body->code_count;
	if (!st)
		st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_JUMP});
	if (st)
		return st;
	maker->body->code_rows[unless].c = maker->body->code_count;
	st = aie_body_block(maker, other);
	if (!st && other->last)
		st = moves(maker, op, other->last->operands, op->results, op->result_count);
	if (!st)
		maker->body->code_rows[jump].c = maker->body->code_count;
	return st;
}

/* Memory of an alloca has one place for all times, so a scope is what is in it; that of a kernel says what it costs. */
static ptowsp_status scope(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_attr *kernel = aie_attr_of(op, "ptowsp.kernel");
	const bool named = kernel && kernel->kind == AIE_ATTR_STRING;
	const uint32_t row = named ? AIE_BODY_ROW(maker->body, name) : 0, quiet = aie_body_registers(maker, named), at = maker->body->code_count;
	const struct aie_region *region = &op->regions[0];
	ptowsp_status st = row == AIE_NONE ? aie_body_no_memory(maker) : PTOWSP_OK;

	if (named && op->result_count)
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: the body of kernel '%.64s' gives values; let it store them", op->line, kernel->text);
	if (!st && named) {
		maker->body->name_rows[row] = kernel->text;
		st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_SCOPE, .d = quiet, .c = row});
	}
	if (!st)
		st = aie_body_block(maker, region);
	if (!st)
		st = moves(maker, op, region->last->operands, op->results, op->result_count);
	if (!st && named)
		st = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_SCOPE_END, .a = quiet});
	if (!st && named)
		maker->body->code_rows[at].b = maker->body->code_count;
	return st;
}

static const struct {
	const char *name;
	ptowsp_status (*make)(struct aie_body_maker *maker, const struct aie_op *op);
} controls[] = {{"scf.for", loop}, {"scf.if", branch}, {"memref.alloca_scope", scope}};

ptowsp_status aie_body_control(struct aie_body_maker *maker, const struct aie_op *op, bool *known_out)
{
	*known_out = true;
	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		if (aie_op_is(op, controls[i].name))
			return controls[i].make(maker, op);
	*known_out = false;
	return PTOWSP_OK;
}
