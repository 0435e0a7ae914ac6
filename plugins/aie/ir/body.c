/* SPDX-License-Identifier: MIT */
/* body.c - a core's region and the functions it calls become instructions: loops, choices, calls, objects. */
#include "aie/ir/body_code.h"
#include "aie/sim/aie_cost.h"

#include "base/error.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

uint32_t aie_body_row(void **rows, uint32_t *count, uint32_t *room, size_t size)
{
	if (!common_grow(rows, room, *count, size))
		return AIE_NONE;
	memset((char *)*rows + *count * size, 0, size);
	return (*count)++;
}

ptowsp_status aie_body_no_memory(struct aie_body_maker *maker)
{
	return base_fail(maker->error, PTOWSP_NO_MEMORY, "no memory for the instructions of a core");
}

ptowsp_status aie_body_emit(struct aie_body_maker *maker, const struct aie_op *op, struct aie_ins ins)
{
	const uint32_t row = AIE_BODY_ROW(maker->body, code), line = AIE_BODY_ROW(maker->body, line);

	if (row == AIE_NONE || line == AIE_NONE)
		return aie_body_no_memory(maker);
	maker->body->code_rows[row] = ins;
	maker->body->line_rows[line] = op->line;
	return PTOWSP_OK;
}

uint32_t aie_body_registers(struct aie_body_maker *maker, uint32_t count)
{
	const uint32_t first = maker->frame;

	maker->frame += count;
	return first;
}

uint32_t aie_body_place(struct aie_body_maker *maker, const struct aie_value *value)
{
	uint32_t *place = &maker->places[value->id];

	if (*place == AIE_NONE)
		*place = aie_body_registers(maker, 1);
	return *place;
}

/* ---- what is there before the first instruction -------------------------------------------------------------------- */

static ptowsp_status number_emit(struct aie_body_maker *maker, const struct aie_op *op, union aie_register number)
{
	const uint32_t row = AIE_BODY_ROW(maker->body, number);

	if (row == AIE_NONE)
		return aie_body_no_memory(maker);
	maker->body->number_rows[row] = number;
	return aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_NUMBER, .d = aie_body_place(maker, op->results[0]), .c = row});
}

ptowsp_status aie_body_case(struct aie_body_maker *maker, const struct aie_op *op, int64_t number, uint32_t scratch)
{
	const uint32_t row = AIE_BODY_ROW(maker->body, number);
	ptowsp_status status;

	if (row == AIE_NONE)
		return aie_body_no_memory(maker);
	maker->body->number_rows[row] = (union aie_register){.i = number};
	status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_NUMBER, .d = scratch, .c = row});
	if (!status)
		status = aie_body_emit(maker, op,
				       (struct aie_ins){.code = AIE_CODE_EQ, .d = scratch + 1, .a = aie_body_place(maker, op->operands[0]), .b = scratch});
	return status ? status : aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_UNLESS, .cost = AIE_COST_OP_BRANCH, .a = scratch + 1});
}

static ptowsp_status constant(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_attr *value = aie_attr_of(op, "value");
	union aie_register number = {.i = 0};

	if (op->results[0]->type->kind == AIE_TYPE_F64)
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: arith.constant of f64 has no model; use f32", op->line);
	if (value->kind == AIE_ATTR_BOOL)
		number.i = value->number ? -1 : 0;
	else if (value->kind == AIE_ATTR_INT)
		number.i = value->number;
	else
		number.f = (float)value->real;
	return number_emit(maker, op, number);
}

/* Values of the device: buffers, and constants that stand there. */
static ptowsp_status outer_value(struct aie_body_maker *maker, const struct aie_op *op, const struct aie_value *value)
{
	const struct aie_body_outside *outside = maker->body->outside;
	uint8_t *memory;

	if (!value->argument && aie_op_is(value->op, "arith.constant"))
		return constant(maker, value->op);
	if (!value->argument && outside->semaphore && outside->semaphore(outside->context, value->op) != AIE_NONE)
		return number_emit(maker, value->op, (union aie_register){.i = AIE_BODY_LOCK + outside->semaphore(outside->context, value->op)});
	memory = !value->argument && outside->buffer ? outside->buffer(outside->context, value->op) : NULL;
	if (!memory)
		return base_fail(maker->error, PTOWSP_INVALID,
				 "line %u: %s takes a value of %s from outside, which a core cannot reach; use an aie.buffer or a constant", op->line, op->name,
				 value->op->name);
	return number_emit(maker, value->op, (union aie_register){.p = memory});
}

/* Constants and what comes from outside, once, wherever they stand: a loop is not kept up by them. */
static ptowsp_status prologue(struct aie_body_maker *maker, const struct aie_region *region)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct aie_op *op = region->first; !status && op; op = op->next) {
		if (aie_op_is(op, "arith.constant"))
			status = constant(maker, op);
		for (uint32_t i = 0; !status && i < op->operand_count; i++)
			if (maker->places[op->operands[i]->id] == AIE_NONE && !aie_op_inside(op->operands[i]->op, maker->function))
				status = outer_value(maker, op, op->operands[i]);
		for (uint32_t i = 0; !status && i < op->region_count; i++)
			status = prologue(maker, &op->regions[i]);
	}
	return status;
}

/* ---- calls -------------------------------------------------------------------------------------------------------- */

static ptowsp_status list_add(struct aie_body_maker *maker, struct aie_value *const *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t row = AIE_BODY_ROW(maker->body, register);

		if (row == AIE_NONE)
			return aie_body_no_memory(maker);
		maker->body->register_rows[row] = aie_body_place(maker, values[i]);
	}
	return PTOWSP_OK;
}

static bool call_fits(const struct aie_op *op, const struct aie_type *type)
{
	if (type->inputs != op->operand_count || type->part_count != op->operand_count + op->result_count)
		return false;
	for (uint32_t i = 0; i < type->part_count; i++)
		if (type->parts[i] != (i < type->inputs ? op->operands[i] : op->results[i - type->inputs])->type)
			return false;
	return true;
}

/* A kernel gives no pointers: they would be to nobody's memory. */
static bool gives_numbers(const struct aie_body_maker *maker, const struct aie_op *op)
{
	for (uint32_t i = 0; i < op->result_count; i++)
		if (op->results[i]->type->kind == AIE_TYPE_MEMREF)
			return false;
	return maker->body->outside->fifo != NULL;
}

static ptowsp_status call_look(struct aie_body_maker *maker, const struct aie_op *op, uint32_t number)
{
	const char *name = aie_attr_of(op, "callee")->text;
	const struct aie_design *design = maker->body->outside->design;

	if (number == AIE_NONE)
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: func.call of @%s, which is no function; declare it", op->line, name);
	if (!call_fits(op, design->functions[number].type))
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: func.call of @%s with other types than it has; give it what it takes", op->line, name);
	if (design->functions[number].outside && op->result_count && !gives_numbers(maker, op))
		return base_fail(maker->error, PTOWSP_UNSUPPORTED, "line %u: kernel @%s gives %u results; a kernel gives none, let it store them", op->line,
				 name, op->result_count);
	return PTOWSP_OK;
}

static ptowsp_status call(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_design *design = maker->body->outside->design;
	const uint32_t number = aie_design_function(design, aie_attr_of(op, "callee")->text), row = AIE_BODY_ROW(maker->body, call);
	ptowsp_status status = row == AIE_NONE ? aie_body_no_memory(maker) : call_look(maker, op, number);

	if (status)
		return status;
	maker->body->call_rows[row] = (struct aie_call){.function = &design->functions[number],
							.number = number,
							.owner = maker->owner,
							.first = maker->body->register_count,
							.arguments = op->operand_count,
							.results = op->result_count};
	if (!design->functions[number].outside && !maker->functions[number].wanted) {
		maker->functions[number].wanted = true;
		maker->queue[maker->queued++] = number;
	}
	status = list_add(maker, op->operands, op->operand_count);
	if (!status)
		status = list_add(maker, op->results, op->result_count);
	if (status)
		return status;
	return aie_body_emit(maker, op, (struct aie_ins){.code = design->functions[number].outside ? AIE_CODE_KERNEL : AIE_CODE_CALL, .c = row});
}

static ptowsp_status returned(struct aie_body_maker *maker, const struct aie_op *op)
{
	const uint32_t first = maker->body->register_count;
	ptowsp_status status = list_add(maker, op->operands, op->operand_count);

	return status ? status : aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_RETURN, .c = first});
}

/* ---- objects ------------------------------------------------------------------------------------------------------ */

static ptowsp_status object(struct aie_body_maker *maker, const struct aie_op *op, bool acquires)
{
	const struct aie_body_outside *outside = maker->body->outside;
	const struct aie_attr *fifo = aie_attr_kind_of(op, "objFifo_name", AIE_ATTR_SYMBOL), *port = aie_attr_kind_of(op, "port", AIE_ATTR_INT);
	const struct aie_attr *size = aie_attr_kind_of(op, "size", AIE_ATTR_INT);
	const uint32_t row = AIE_BODY_ROW(maker->body, port), first = maker->frame;
	uint32_t lock;

	if (row == AIE_NONE)
		return aie_body_no_memory(maker);
	if (!fifo || !port || !size || size->number < 1 || size->number > UINT16_MAX || op->result_count != (acquires ? (uint64_t)size->number : 0))
		return base_fail(maker->error, PTOWSP_INVALID, "line %u: %s has objFifo_name, port, a size of at least 1%s", op->line, op->name,
				 acquires ? " and a result for each object" : " and no result");
	lock = maker->owner == AIE_NONE ? outside->lock(outside->context, fifo->text, port->number, acquires ? op->results[0]->type : NULL) : AIE_NONE;
	if (lock == AIE_NONE)
		return base_fail(maker->error, PTOWSP_INVALID,
				 "line %u: %s of @%s, of which this core is not the %s, or with another type; use an end of the core's tile", op->line,
				 op->name, fifo->text, port->number ? "consumer" : "producer");
	maker->body->port_rows[row] = (struct aie_body_port){lock, (uint32_t)size->number, AIE_NONE, port->number ? AIE_GETTER : AIE_PUTTER};
	for (uint32_t i = 0; i < op->result_count; i++)
		maker->places[op->results[i]->id] = aie_body_registers(maker, 1);
	return aie_body_emit(maker, op, (struct aie_ins){.code = acquires ? AIE_CODE_ACQUIRE : AIE_CODE_RELEASE, .d = first, .c = row});
}

/* ---- loops and choices -------------------------------------------------------------------------------------------- */

/* All at once: what is read may be what is written. */
ptowsp_status aie_body_moves(struct aie_body_maker *maker, const struct aie_op *op, struct aie_value *const *from, struct aie_value *const *to, uint32_t count)
{
	uint32_t between;
	ptowsp_status status = PTOWSP_OK;

	if (count == 1)
		return aie_body_emit(maker, op,
				     (struct aie_ins){.code = AIE_CODE_MOVE, .d = aie_body_place(maker, to[0]), .a = aie_body_place(maker, from[0])});
	between = aie_body_registers(maker, count);
	for (uint32_t i = 0; !status && i < count; i++)
		status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_MOVE, .d = between + i, .a = aie_body_place(maker, from[i])});
	for (uint32_t i = 0; !status && i < count; i++)
		status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_MOVE, .d = aie_body_place(maker, to[i]), .a = between + i});
	return status;
}

static ptowsp_status loop(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_region *region = &op->regions[0];
	struct aie_ins head = {.code = AIE_CODE_FOR, .a = aie_body_place(maker, op->operands[0]), .b = aie_body_place(maker, op->operands[1])};
	struct aie_ins back = {.code = AIE_CODE_NEXT, .cost = AIE_COST_OP_BRANCH, .a = aie_body_place(maker, op->operands[2]), .b = head.b};
	const uint64_t kept = maker->kept; /* MLIR has a loop as a scope of what is allocated */
	uint32_t at;
	ptowsp_status status;

	head.d = back.d = aie_body_place(maker, region->arguments[0]);
	for (uint32_t i = 0; i < op->result_count; i++) /* a result is what was carried last */
		maker->places[op->results[i]->id] = aie_body_place(maker, region->arguments[1 + i]);
	status = aie_body_moves(maker, op, op->operands + 3, region->arguments + 1, op->result_count);
	if (!status)
		status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_STEP, .a = back.a});
	if (!status)
		status = aie_body_emit(maker, op, head);
	at = back.c = maker->body->code_count;
	if (!status)
		status = aie_body_region(maker, region);
	if (!status)
		status = aie_body_moves(maker, op, region->last->operands, region->arguments + 1, op->result_count);
	if (!status)
		status = aie_body_emit(maker, op, back);
	if (status)
		return status;
	maker->kept = kept;
	maker->body->code_rows[at - 1].c = maker->body->code_count;
	return PTOWSP_OK;
}

static ptowsp_status branch(struct aie_body_maker *maker, const struct aie_op *op)
{
	const struct aie_region *then = &op->regions[0], *other = &op->regions[1];
	uint32_t unless = maker->body->code_count, jump;
	ptowsp_status status =
		aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_UNLESS, .cost = AIE_COST_OP_BRANCH, .a = aie_body_place(maker, op->operands[0])});

	if (!status)
		status = aie_body_region(maker, then);
	if (!status)
		status = aie_body_moves(maker, op, then->last->operands, op->results, op->result_count);
	jump = maker->body->code_count;
	if (!status)
		status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_JUMP});
	if (status)
		return status;
	maker->body->code_rows[unless].c = maker->body->code_count;
	status = aie_body_region(maker, other);
	if (!status && other->last)
		status = aie_body_moves(maker, op, other->last->operands, op->results, op->result_count);
	if (!status)
		maker->body->code_rows[jump].c = maker->body->code_count;
	return status;
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	ptowsp_status (*make)(struct aie_body_maker *maker, const struct aie_op *op);
} controls[] = {{"func.call", call}, {"func.return", returned}, {"scf.for", loop}, {"scf.if", branch}};

static ptowsp_status statement(struct aie_body_maker *maker, const struct aie_op *op)
{
	bool known;
	ptowsp_status status;

	for (size_t i = 0; i < sizeof(controls) / sizeof(*controls); i++)
		if (aie_op_is(op, controls[i].name))
			return controls[i].make(maker, op);
	status = aie_body_blocks(maker, op, &known);
	if (known)
		return status;
	if (aie_op_is(op, "aie.objectfifo.acquire") || aie_op_is(op, "aie.objectfifo.release"))
		return object(maker, op, aie_op_is(op, "aie.objectfifo.acquire"));
	if (aie_op_is(op, "aie.end"))
		return aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_END});
	if (aie_op_is(op, "arith.constant") || aie_op_is(op, "scf.yield"))
		return PTOWSP_OK;
	status = aie_body_arith(maker, op, &known);
	if (!known)
		status = aie_body_memory(maker, op, &known);
	return known ? status
		     : base_fail(maker->error, PTOWSP_UNSUPPORTED,
				 "line %u: %s has no model in a core; write it by others of arith, memref and scf, or call a kernel", op->line, op->name);
}

ptowsp_status aie_body_region(struct aie_body_maker *maker, const struct aie_region *region)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct aie_op *op = region->first; !status && op; op = op->next)
		status = statement(maker, op);
	return status;
}

/* Places are of a frame, those of values from outside as well. */
static void places_clear(struct aie_body_maker *maker, const struct aie_op *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		maker->places[op->operands[i]->id] = AIE_NONE;
	for (uint32_t i = 0; i < op->result_count; i++)
		maker->places[op->results[i]->id] = AIE_NONE;
	for (uint32_t r = 0; r < op->region_count; r++) {
		for (uint32_t i = 0; i < op->regions[r].argument_count; i++)
			maker->places[op->regions[r].arguments[i]->id] = AIE_NONE;
		for (const struct aie_op *in = op->regions[r].first; in; in = in->next)
			places_clear(maker, in);
	}
}

static ptowsp_status function_make(struct aie_body_maker *maker, const struct aie_op *op, uint32_t owner)
{
	struct aie_body_function *made = &maker->functions[owner == AIE_NONE ? maker->body->outside->design->function_count : owner];
	const struct aie_region *region = &op->regions[0];
	const uint32_t calls = maker->body->call_count;
	ptowsp_status status;

	maker->function = op;
	maker->owner = owner;
	maker->frame = 0;
	maker->kept = maker->most = 0;
	made->entry = maker->body->code_count;
	for (uint32_t i = 0; i < region->argument_count; i++)
		aie_body_place(maker, region->arguments[i]);
	status = prologue(maker, region);
	if (!status)
		status = aie_body_region(maker, region);
	if (!status)
		status = aie_body_emit(maker, op, (struct aie_ins){.code = AIE_CODE_END});
	if (!status)
		status = aie_body_jumps(maker);
	for (uint32_t i = calls; i < maker->body->call_count; i++)
		maker->body->call_rows[i].frame = maker->frame;
	made->call = calls;
	made->last = maker->body->call_count;
	made->frame = maker->frame;
	made->stack = maker->most;
	places_clear(maker, op);
	return status;
}

/* Functions that are called, and functions that these call. */
static ptowsp_status functions_make(struct aie_body_maker *maker)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < maker->queued; i++)
		status = function_make(maker, maker->body->outside->design->functions[maker->queue[i]].op, maker->queue[i]);
	return status;
}

/* Slots and stack that a function needs are known when those of all that it calls are; its caller goes on. */
static uint32_t needs_add(struct aie_body_function *made)
{
	made->need += made->frame + 1;
	made->stack += made->below;
	made->depth++;
	made->busy = false;
	return made->caller;
}

/* Registers and frames of the core and what it calls, deep first; a function that is met while it is looked at calls itself. */
static ptowsp_status needs_find(struct aie_body_maker *maker)
{
	const struct aie_design *design = maker->body->outside->design;
	uint32_t at = design->function_count;

	maker->functions[at].caller = AIE_NONE;
	while (at != AIE_NONE) {
		struct aie_body_function *made = &maker->functions[at], *below;
		struct aie_call *called = made->call < made->last ? &maker->body->call_rows[made->call] : NULL;

		if (!called) {
			at = needs_add(made);
			continue;
		}
		below = &maker->functions[called->number];
		if (below->busy)
			return base_fail(maker->error, PTOWSP_UNSUPPORTED, "function @%s calls itself, which has no model; write a loop",
					 design->functions[called->number].name);
		made->busy = true;
		if (!called->function->outside && !below->need) {
			below->caller = at;
			at = called->number;
			continue;
		}
		called->entry = below->entry;
		made->need = below->need > made->need ? below->need : made->need;
		made->depth = below->depth > made->depth ? below->depth : made->depth;
		made->below = below->stack > made->below ? below->stack : made->below;
		made->call++;
	}
	return PTOWSP_OK;
}

/* The largest id of a value that an operation or one in it names. */
static uint32_t values_below(const struct aie_op *op)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < op->operand_count + op->result_count; i++) {
		const uint32_t id = (i < op->operand_count ? op->operands[i] : op->results[i - op->operand_count])->id;

		most = id > most ? id : most;
	}
	for (uint32_t r = 0; r < op->region_count; r++) {
		for (uint32_t i = 0; i < op->regions[r].argument_count; i++)
			most = op->regions[r].arguments[i]->id > most ? op->regions[r].arguments[i]->id : most;
		for (const struct aie_op *in = op->regions[r].first; in; in = in->next) {
			const uint32_t below = values_below(in);

			most = below > most ? below : most;
		}
	}
	return most;
}

/* Lists of no rows point into this table as well, which is there for that. */
static bool tables_begin(struct aie_body *body)
{
	const bool made = AIE_BODY_ROW(body, register) != AIE_NONE;

	body->register_count = 0;
	return made;
}

/* Room for the arguments of any kernel that is called. */
static bool arguments_begin(struct aie_body *body)
{
	uint32_t most = 1, results = 1;

	for (uint32_t i = 0; i < body->call_count; i++) {
		most = body->call_rows[i].arguments > most ? body->call_rows[i].arguments : most;
		results = body->call_rows[i].results > results ? body->call_rows[i].results : results;
	}
	body->memrefs = calloc(most, sizeof(*body->memrefs));
	body->scalars = calloc(most, sizeof(*body->scalars));
	body->results = calloc(results, sizeof(*body->results));
	return body->memrefs && body->scalars && body->results;
}

static ptowsp_status make(struct aie_body_maker *maker)
{
	const uint32_t functions = maker->body->outside->design->function_count;
	struct aie_body *body = maker->body;
	ptowsp_status status;

	maker->value_count = values_below(maker->core) + 1;
	for (uint32_t i = 0; i < functions; i++) {
		const uint32_t below = values_below(maker->body->outside->design->functions[i].op) + 1;

		maker->value_count = below > maker->value_count ? below : maker->value_count;
	}
	maker->places = calloc(maker->value_count, sizeof(*maker->places));
	maker->functions = calloc(functions + 1, sizeof(*maker->functions));
	maker->queue = calloc(functions + 1, sizeof(*maker->queue));
	if (maker->places)
		memset(maker->places, 0xFF, maker->value_count * sizeof(*maker->places));
	if (!maker->places || !maker->functions || !maker->queue || !tables_begin(body))
		return aie_body_no_memory(maker);
	status = function_make(maker, maker->core, AIE_NONE);
	if (!status)
		status = functions_make(maker);
	if (!status)
		status = needs_find(maker);
	if (!status)
		status = aie_body_stack(maker, maker->functions[functions].stack);
	if (status)
		return status;
	body->file = calloc(maker->functions[functions].need, sizeof(*body->file));
	body->stack = calloc(maker->functions[functions].depth, sizeof(*body->stack));
	return body->file && body->stack && arguments_begin(body) ? PTOWSP_OK : aie_body_no_memory(maker);
}

ptowsp_status aie_body_create(struct aie_body **body_out, const struct aie_op *core, const struct aie_body_outside *outside, struct ptowsp_error *error)
{
	struct aie_body_maker maker = {.core = core, .error = error};
	ptowsp_status status;

	maker.body = calloc(1, sizeof(*maker.body));
	if (!maker.body)
		return aie_body_no_memory(&maker);
	maker.body->outside = outside;
	maker.body->wanted_fifo = AIE_NONE;
	status = make(&maker);
	free(maker.places);
	free(maker.functions);
	free(maker.queue);
	free(maker.labels);
	free(maker.jumps);
	if (status)
		aie_body_destroy(maker.body);
	else
		*body_out = maker.body;
	return status;
}

void aie_body_destroy(struct aie_body *body)
{
	if (!body)
		return;
	for (uint32_t i = 0; i < body->block_count; i++)
		free(body->block_rows[i]);
	free(body->block_rows);
	free(body->code_rows);
	free(body->line_rows);
	free(body->number_rows);
	free(body->access_rows);
	free(body->window_rows);
	free(body->copy_rows);
	free(body->port_rows);
	free(body->fifo_rows);
	free(body->call_rows);
	free(body->register_rows);
	free(body->memrefs);
	free(body->scalars);
	free(body->results);
	free(body->file);
	free(body->stack);
	free(body);
}

uint64_t aie_body_instructions(const struct aie_body *body)
{
	return body->instructions;
}
