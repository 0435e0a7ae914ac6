/* SPDX-License-Identifier: MIT */
/* check_core.c - operations of cores and functions. */
#include "aie/design/check_parts.h"
#include "aie/design/design_read.h"
#include "aie/ir/ir_ops.h"

#include <inttypes.h>
#include <string.h>

struct body {
	const struct aie_design *design;
	const struct aie_op *owner; /* the core or function */
	uint32_t tile;              /* AIE_NONE in a function */
	struct aie_check_job *check;
};

/* ---- acquire and release */

static const struct aie_attr *attr_of(const struct body *body, const struct aie_op *op, const char *name, enum aie_attr_kind kind)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	if (!attr || attr->kind != kind)
		aie_check_fail(body->check, op, AIE_RULE_ATTRIBUTE, "attribute '%s' is missing or of another kind than it must be", name);
	return attr;
}

static void check_results(const struct body *body, const struct aie_op *op, const struct aie_fifo *fifo, int64_t size)
{
	const uint32_t wanted = aie_op_is(op, "aie.objectfifo.acquire") ? (uint32_t)size : 0;

	if (op->operand_count || op->region_count || op->result_count != wanted)
		aie_check_fail(body->check, op, AIE_RULE_SHAPE, "it gives %u objects of fifo '%.48s', expected %u", op->result_count, fifo->name, wanted);
	for (uint32_t i = 0; i < op->result_count; i++)
		if (op->results[i]->type != fifo->type)
			aie_check_fail(body->check, op, AIE_RULE_ACCESS_TYPE, "an object of fifo '%.48s' has another type on %s than the fifo's objects",
				       fifo->name, aie_design_tile_text(body->design, body->tile));
}

static void check_access(const struct body *body, const struct aie_op *op)
{
	const struct aie_attr *name = attr_of(body, op, "objFifo_name", AIE_ATTR_SYMBOL), *port = attr_of(body, op, "port", AIE_ATTR_INT);
	const struct aie_attr *size = attr_of(body, op, "size", AIE_ATTR_INT);
	const struct aie_fifo *fifo;
	uint32_t number, end;

	if (body->tile == AIE_NONE)
		aie_check_fail(body->check, op, AIE_RULE_ACCESS_CORE, "fifo '%.48s' is used in a function, use it in a core", name->text);
	number = aie_design_symbol(body->design, name->text);
	if (number == AIE_NONE)
		aie_check_fail(body->check, op, AIE_RULE_NAME, "fifo '%.64s' is not known", name->text);
	if (port->number != 0 && port->number != 1)
		aie_check_fail(body->check, op, AIE_RULE_ATTRIBUTE, "port of fifo '%.48s' is %" PRId64 ", expected 0 (produce) or 1 (consume)", name->text,
			       port->number);
	fifo = &body->design->fifos[number];
	end = aie_fifo_end(fifo, body->tile, port->number == 0);
	if (end == AIE_NONE)
		aie_check_fail(body->check, op, AIE_RULE_ACCESS_END, "%s does not %s fifo '%.48s', whose producer is %s",
			       aie_design_tile_text(body->design, body->tile), port->number ? "consume" : "produce", fifo->name,
			       aie_design_tile_text(body->design, fifo->producer));
	if (port->number == 0 ? fifo->link_out != AIE_NONE : fifo->link_in != AIE_NONE && body->design->links[fifo->link_in].tile == body->tile)
		aie_check_fail(body->check, op, AIE_RULE_ACCESS_END, "%s uses fifo '%.48s', whose objects a link moves there",
			       aie_design_tile_text(body->design, body->tile), fifo->name);
	if (size->number < 1 || size->number > fifo->depths[end])
		aie_check_fail(body->check, op, AIE_RULE_ACCESS_SIZE, "%s needs %" PRId64 " objects of fifo '%.48s' at once, of %u",
			       aie_design_tile_text(body->design, body->tile), size->number, fifo->name, fifo->depths[end]);
	check_results(body, op, fifo, size->number);
}

/* ---- what others use */

static bool inside(const struct body *body, const struct aie_value *value)
{
	for (const struct aie_op *op = value->op; op; op = op->parent)
		if (op == body->owner)
			return true;
	return false;
}

static void check_buffer(const struct body *body, const struct aie_op *op, const struct aie_value *value)
{
	const struct aie_tile *core = &body->design->tiles[body->tile], *of;
	uint32_t buffer = 0;

	while (buffer < body->design->buffer_count && body->design->buffers[buffer].op != value->op)
		buffer++;
	if (buffer == body->design->buffer_count)
		aie_check_fail(body->check, op, AIE_RULE_OUTSIDE, "%s uses a result of %.48s from outside of its core",
			       aie_design_tile_text(body->design, body->tile), value->op->name);
	of = &body->design->tiles[body->design->buffers[buffer].tile];
	if (of == core || aie_arch_shares(body->design->arch, core->column, core->row, of->column, of->row))
		return;
	aie_check_fail(body->check, op, AIE_RULE_REACH, "%s uses buffer '%.48s' of %s, whose memory it does not see",
		       aie_design_tile_text(body->design, body->tile), body->design->buffers[buffer].name,
		       aie_design_tile_text(body->design, body->design->buffers[buffer].tile));
}

static void check_operands(const struct body *body, const struct aie_op *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!inside(body, op->operands[i])) {
			if (body->tile == AIE_NONE)
				aie_check_fail(body->check, op, AIE_RULE_OUTSIDE, "a function uses what is outside of it");
			check_buffer(body, op, op->operands[i]);
		}
}

static void check_call(const struct body *body, const struct aie_op *op)
{
	const char *name = aie_attr_of(op, "callee")->text;
	const uint32_t number = aie_design_function(body->design, name);
	const struct aie_type *type;

	if (number == AIE_NONE)
		aie_check_fail(body->check, op, AIE_RULE_NAME, "function '%.64s' is not known, declare it", name);
	type = body->design->functions[number].type;
	if (op->operand_count != type->inputs || op->result_count != type->part_count - type->inputs)
		aie_check_fail(body->check, op, AIE_RULE_CALL, "a call of '%.48s' has %u arguments and %u results, its function %u and %u", name,
			       op->operand_count, op->result_count, type->inputs, type->part_count - type->inputs);
	for (uint32_t i = 0; i < type->part_count; i++)
		if ((i < type->inputs ? op->operands[i] : op->results[i - type->inputs])->type != type->parts[i])
			aie_check_fail(body->check, op, AIE_RULE_CALL, "%s %u of a call of '%.48s' has another type than its function's",
				       i < type->inputs ? "argument" : "result", i < type->inputs ? i : i - type->inputs, name);
}

static bool is_access(const struct aie_op *op)
{
	return aie_op_is(op, "aie.objectfifo.acquire") || aie_op_is(op, "aie.objectfifo.release");
}

static void check_region(const struct body *body, const struct aie_region *region);

static void check_op(const struct body *body, const struct aie_op *op)
{
	const struct aie_op_row *row = aie_op_row(op->name, strlen(op->name));
	const bool known = row && row->shape != AIE_SHAPE_MODULE && row->shape != AIE_SHAPE_FUNCTION;

	if (is_access(op)) {
		check_access(body, op);
		return;
	}
	if (aie_op_is(op, "aie.end") && op->parent == body->owner && !op->next && body->tile != AIE_NONE)
		return;
	if (!known)
		aie_check_fail(body->check, op, AIE_RULE_KNOWN, "this operation is not known %s", body->tile == AIE_NONE ? "in a function" : "in a core");
	check_operands(body, op);
	if (row->shape == AIE_SHAPE_CALL)
		check_call(body, op);
	for (uint32_t i = 0; i < op->region_count; i++)
		check_region(body, &op->regions[i]);
}

static void check_region(const struct body *body, const struct aie_region *region)
{
	for (const struct aie_op *op = region->first; op; op = op->next)
		check_op(body, op);
}

void aie_check_bodies(const struct aie_design *design, struct aie_check_job *check)
{
	struct body body = {.design = design, .check = check};

	body.tile = AIE_NONE;
	for (uint32_t i = 0; i < design->function_count; i++) {
		body.owner = design->functions[i].op;
		check_region(&body, &body.owner->regions[0]);
	}
	for (uint32_t i = 0; i < design->core_count; i++) {
		const struct aie_region *region = &design->cores[i].op->regions[0];

		body.owner = design->cores[i].op;
		body.tile = design->cores[i].tile;
		if (region->argument_count || !region->last || !aie_op_is(region->last, "aie.end"))
			aie_check_fail(check, body.owner, AIE_RULE_SHAPE, "the core on %s has arguments, or no aie.end at its end",
				       aie_design_tile_text(design, body.tile));
		check_region(&body, region);
	}
}
