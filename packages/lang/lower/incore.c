/* SPDX-License-Identifier: MIT */
/* incore.c - an InCore function as a portable kernel (tile.h), and what the verifier of the backends says of it.
 * Functions that it calls are expanded in place. */
#include "isa/isa.h"
#include "lang/check/lang_check.h"
#include "lang/diag.h"
#include "lang/lang_map.h"
#include "lang/lower/lang_lower.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROW LANG_MAX_ROWS

/* One kernel being encoded. */
struct incore_body;
struct incore {
	struct lang_lower *lower;
	const struct lang_function *function; /* the kernel's own */
	struct lang_tile_code *code;          /* of the builder's body */
	struct lang_map bodies;        /* to struct incore_body, by name: functions expanded so far, of which a second call uses the same tiles and scalars */
	const struct incore_body *own; /* the kernel's */
	struct lang_there *theres;
	uint32_t there_count, there_capacity;
};

/* The place of each variable of a function in this kernel: by variable, a row of the tile, scalar or parameter table. */
struct incore_body {
	const struct lang_function *function;
	uint16_t *rows;
};

static void block_encode(struct incore *kernel, const struct incore_body *body, const struct lang_block *block);

/* --- tables --- */

/* Names of an expanded function have the name of that function in front. */
static const char *name_of(struct incore *kernel, const struct lang_function *function, const struct lang_var *var)
{
	return function == kernel->function ? var->name : common_format(&kernel->lower->unit->arena, "%s.%s", function->name, var->name);
}

static uint16_t tile_add(struct incore *kernel, const struct lang_function *function, const struct lang_var *var)
{
	const struct ptowsp_tile_tile tile = {.rows = var->type.rows, .columns = var->type.columns, .dtype = var->type.dtype, .space = var->type.space};

	return (uint16_t)build_tile_add(kernel->lower->build, name_of(kernel, function, var), tile);
}

static uint16_t scalar_add(struct incore *kernel, const struct lang_function *function, const struct lang_var *var, uint16_t kind, uint64_t value)
{
	return (uint16_t)build_scalar_add(kernel->lower->build, name_of(kernel, function, var), var->type.dtype, kind, value);
}

static uint16_t literal_add(struct incore *kernel, uint16_t dtype, uint64_t value)
{
	return (uint16_t)build_literal_add(kernel->lower->build, dtype, value);
}

static struct incore_body *body_create(struct incore *kernel, const struct lang_function *function)
{
	struct common_arena *arena = &kernel->lower->unit->arena;
	struct incore_body *body = common_alloc(arena, sizeof(*body));

	body->function = function;
	body->rows = common_alloc(arena, (function->var_count + 1) * sizeof(*body->rows));
	for (uint32_t i = 0; i < function->var_count; i++)
		body->rows[i] = NO_ROW;
	return body;
}

/* Tiles and scalars of a function. arguments: needed scalars are the task's; else they are found at each call. */
static void body_declare(struct incore *kernel, struct incore_body *body, int arguments)
{
	const struct lang_function *function = body->function;
	uint64_t argument = 0;

	for (uint32_t i = 0; i < function->var_count; i++) {
		const struct lang_var *var = function->vars[i];

		if (var->kind == LANG_TILE && var->param) /* the caller's: known at each call */
			body->rows[i] = NO_ROW;
		else if (var->kind == LANG_TILE)
			body->rows[i] = tile_add(kernel, function, var);
		else if (var->kind == LANG_MEMREF)
			body->rows[i] = arguments ? (uint16_t)var->number : NO_ROW;
		else if (var->block)
			body->rows[i] = scalar_add(kernel, function, var, var->block, 0);
		else if (var->kind == LANG_SCALAR && var->needed && arguments)
			body->rows[i] = scalar_add(kernel, function, var, PTOWSP_SCALAR_ARG, argument++);
		else if (var->kind == LANG_LOOP || var->writes) /* one that nothing mentions needs no row */
			body->rows[i] = scalar_add(kernel, function, var, PTOWSP_SCALAR_LOCAL, 0);
	}
}

/* --- instructions --- */

static struct ptowsp_tile_inst *inst_add(struct incore *kernel, unsigned op, struct lang_span at)
{
	struct ptowsp_tile_inst *inst = lang_tile_inst_add(kernel->code, op, lang_origin_of(kernel->lower->unit, at).line);

	if (!inst)
		lang_too_large(kernel->lower, at);
	return inst;
}

static uint16_t operand_row(struct incore *kernel, const struct incore_body *body, const struct lang_operand *operand)
{
	uint16_t row;

	if (operand->kind == LANG_OPERAND_NUMBER)
		return literal_add(kernel, operand->dtype, operand->value);
	row = body->rows[operand->var->id];
	assert(row != NO_ROW);
	return row;
}

/* The latest instruction opens, turns, leaves or ends a loop or branch; checking has left nothing to refuse but the depth. */
static void control(struct incore *kernel, struct lang_span at)
{
	if (lang_tile_control(kernel->code))
		lang_too_deep(kernel->lower->unit, at, " when calls are expanded");
}

static void op_encode(struct incore *kernel, const struct incore_body *body, const struct lang_stmt *stmt)
{
	uint16_t rows[6] = {0};
	struct ptowsp_tile_inst *inst;

	assert(stmt->count <= sizeof(rows) / sizeof(*rows));
	for (uint32_t i = 0; i < stmt->count; i++)
		rows[i] = operand_row(kernel, body, &stmt->operands[i]);
	inst = inst_add(kernel, stmt->op, stmt->at);
	inst->mode = stmt->mode;
	lang_tile_operands_set(inst, isa_op(stmt->op)->operands, rows, stmt->count);
	control(kernel, stmt->at);
}

static void bare_encode(struct incore *kernel, unsigned op, struct lang_span at)
{
	inst_add(kernel, op, at);
	control(kernel, at);
}

static void for_encode(struct incore *kernel, const struct incore_body *body, const struct lang_stmt *stmt)
{
	op_encode(kernel, body, stmt);
	block_encode(kernel, body, &stmt->body);
	bare_encode(kernel, PTOWSP_PTO_ENDFOR, stmt->at);
}

/* The condition is part of the loop: a BREAK there leaves it, too. */
static void while_encode(struct incore *kernel, const struct incore_body *body, const struct lang_stmt *stmt)
{
	bare_encode(kernel, PTOWSP_PTO_WHILE, stmt->at);
	block_encode(kernel, body, &stmt->body);
	inst_add(kernel, PTOWSP_PTO_DO, stmt->do_at)->a = operand_row(kernel, body, &stmt->operands[0]);
	control(kernel, stmt->do_at);
	block_encode(kernel, body, &stmt->other);
	bare_encode(kernel, PTOWSP_PTO_ENDWHILE, stmt->at);
}

static void if_encode(struct incore *kernel, const struct incore_body *body, const struct lang_stmt *stmt)
{
	op_encode(kernel, body, stmt);
	block_encode(kernel, body, &stmt->body);
	if (stmt->has_else) {
		bare_encode(kernel, PTOWSP_PTO_ELSE, stmt->at);
		block_encode(kernel, body, &stmt->other);
	}
	bare_encode(kernel, PTOWSP_PTO_ENDIF, stmt->at);
}

/* --- calls --- */

static struct incore_body *body_find(struct incore *kernel, const struct lang_function *function)
{
	struct incore_body *body = lang_map_find(&kernel->bodies, function->name);

	if (body)
		return body;
	body = body_create(kernel, function);
	body_declare(kernel, body, 0);
	lang_map_add(&kernel->bodies, &kernel->lower->unit->arena, function->name, body);
	return body;
}

/* A scalar that is set at the call to how much of the tile is there; which that is turns out when parts are filled. */
static uint16_t there_encode(struct incore *kernel, const struct incore_body *body, const struct lang_stmt *stmt, const struct lang_var *scalar, uint16_t whole)
{
	struct lang_there *there = COMMON_PUSH(&kernel->lower->unit->arena, kernel->theres, kernel->there_count, kernel->there_capacity);
	struct ptowsp_tile_inst *inst;

	*there = (struct lang_there){.inst = kernel->code->inst_count, .tile = body->rows[scalar->extent_of->id], .columns = scalar->extent_columns};
	inst = inst_add(kernel, PTOWSP_PTO_MOV, stmt->at);
	inst->d = scalar_add(kernel, body->function, scalar, PTOWSP_SCALAR_LOCAL, 0);
	inst->a = whole;
	return inst->d;
}

/* The row that the callee's scalar starts with: the one that the call passes; else how much is there, of a memref as the kernel's own scalar says, of a tile as the operations have left it. */
static uint16_t need_row(struct incore *kernel, const struct incore_body *caller, const struct incore_body *body, const struct lang_stmt *stmt, uint32_t i)
{
	const struct lang_var *scalar = body->function->needs[i], *known = NULL;
	const uint16_t passed = operand_row(kernel, caller, stmt->needs[i]);

	if (!scalar->extent_of || stmt->bound[scalar->id])
		return passed;
	if (scalar->extent_of->kind == LANG_MEMREF)
		known = kernel->function->memrefs[body->rows[scalar->extent_of->id]]->extents[scalar->extent_columns];
	else if (kernel->function->extent_count)
		return there_encode(kernel, body, stmt, scalar, passed);
	return known ? kernel->own->rows[known->id] : passed;
}

/* The values that the callee's scalars start with: the caller's values, or 0 where only a branch sets them. */
static void scalars_start(struct incore *kernel, const struct incore_body *caller, struct incore_body *body, const struct lang_stmt *stmt)
{
	const struct lang_function *target = stmt->target;
	struct ptowsp_tile_inst *inst;

	for (uint32_t i = 0; i < target->need_count; i++) {
		uint32_t id = target->needs[i]->id;
		uint16_t value = need_row(kernel, caller, body, stmt, i);

		if (!target->needs[i]->writes) {
			body->rows[id] = value;
			continue;
		}
		inst = inst_add(kernel, PTOWSP_PTO_MOV, stmt->at);
		inst->d = body->rows[id];
		inst->a = value;
	}
	for (uint32_t i = 0; i < target->var_count; i++) {
		const struct lang_var *var = target->vars[i];
		uint16_t zero;

		if (var->kind != LANG_SCALAR || var->needed || !var->conditional)
			continue;
		zero = literal_add(kernel, var->type.dtype, 0);
		inst = inst_add(kernel, PTOWSP_PTO_LI, stmt->at);
		inst->d = body->rows[i];
		inst->a = zero;
	}
}

/* A return in the middle of a function cannot be expanded: there is no jump to its end. */
static void returns_refuse(struct incore *kernel, const struct lang_block *block, const struct lang_stmt *call, int top)
{
	for (const struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next) {
		if (stmt->op == PTOWSP_PTO_RETURN && (!top || stmt->next)) {
			lang_error(kernel->lower->unit, stmt->at, "@%s is called at %s and may return only at its end", call->target->name,
				   lang_place(kernel->lower->unit, call->at));
			lang_help(kernel->lower->unit, "put what follows into IF ... ENDIF");
		}
		returns_refuse(kernel, &stmt->body, call, 0);
		returns_refuse(kernel, &stmt->other, call, 0);
	}
}

static void call_encode(struct incore *kernel, const struct incore_body *caller, const struct lang_stmt *stmt)
{
	const struct lang_function *target = stmt->target;
	struct incore_body *shared = body_find(kernel, target), here = *shared;

	lang_expansion_count(kernel->lower, stmt->at);
	returns_refuse(kernel, &target->body, stmt, 1);
	here.rows = common_alloc(&kernel->lower->unit->arena, (target->var_count + 1) * sizeof(*here.rows));
	memcpy(here.rows, shared->rows, target->var_count * sizeof(*here.rows));
	for (uint32_t i = 0; i < stmt->arg_count; i++)
		if (stmt->args[i].param->kind == LANG_MEMREF || stmt->args[i].param->kind == LANG_TILE)
			here.rows[stmt->args[i].param->id] = caller->rows[stmt->args[i].actual.var->id];
	scalars_start(kernel, caller, &here, stmt);
	block_encode(kernel, &here, &target->body);
}

static void stmt_encode(struct incore *kernel, const struct incore_body *body, const struct lang_stmt *stmt)
{
	switch (stmt->op) {
	case PTOWSP_PTO_FOR: for_encode(kernel, body, stmt); break;
	case PTOWSP_PTO_WHILE: while_encode(kernel, body, stmt); break;
	case PTOWSP_PTO_IF: if_encode(kernel, body, stmt); break;
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE: bare_encode(kernel, stmt->op, stmt->at); break;
	case PTOWSP_PTO_CALL: call_encode(kernel, body, stmt); break;
	case PTOWSP_PTO_RETURN:
		if (body->function == kernel->function)
			inst_add(kernel, PTOWSP_PTO_RETURN, stmt->at);
		break;
	default: op_encode(kernel, body, stmt); break;
	}
}

static void block_encode(struct incore *kernel, const struct incore_body *body, const struct lang_block *block)
{
	for (const struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next)
		stmt_encode(kernel, body, stmt);
}

/* ---- what the verifier of the backends says. ---- */

/* "tadd works on ..., not on u1 (%h)" means %h, where the line has it by that name. */
static struct lang_span operand_place(const struct lang_unit *unit, struct lang_span line, const char *sentence)
{
	const char *name = strrchr(sentence, '(');

	return name && name[1] == '%' ? lang_word_span(unit, line, name + 1, strcspn(name + 1, ")")) : line;
}

/* "kernel f line 11: sentence" is the sentence at that line, where the line is one of this function's own file. */
static struct lang_span why_place(struct incore *kernel, const char *why, const char **sentence_out)
{
	struct lang_span at = kernel->function->at;
	const char *line = strstr(why, " line "), *end = line ? strstr(line, ": ") : NULL;
	unsigned number = end ? (unsigned)strtoul(line + 6, NULL, 10) : 0;

	*sentence_out = why;
	if (!number || kernel->bodies.count || lang_places_stated(kernel->lower->unit, at.file))
		return at;
	*sentence_out = end + 2;
	return operand_place(kernel->lower->unit, lang_line_span(kernel->lower->unit, at.file, number), *sentence_out);
}

/* The verifier has the last word: what it says about element types becomes a warning, and a structure that it refuses is a defect of the front end. */
static void incore_verify(struct incore *kernel, struct lang_function *function, const void *payload, size_t size)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct isa_program *program = NULL;
	const struct pkg_strings *strings = &kernel->lower->build->strings;
	ptowsp_status status = isa_program_create(&program, payload, size, strings->bytes, strings->size, &error);
	const char *sentence;
	struct lang_span at;
	char why[256] = "";

	/* Copied, because a message may leave this function for good. */
	if (program && isa_program_unusable(program))
		snprintf(why, sizeof(why), "%s", isa_program_unusable(program));
	isa_program_destroy(program);
	if (status && status != PTOWSP_NO_MEMORY)
		lang_error(kernel->lower->unit, function->at, "@%s cannot be encoded: %s", function->name, error.text);
	if (!*why && !function->unusable)
		lang_unwritten_tell(kernel->lower->unit, function);
	if (!*why || function->unusable)
		return;
	function->unusable = common_copy(&kernel->lower->unit->arena, why, strlen(why));
	at = why_place(kernel, why, &sentence);
	lang_warn(kernel->lower->unit, at, "%s", sentence);
	lang_help(kernel->lower->unit, "@%s is packed but will not run; the other functions do", function->name);
}

/* --- the kernel --- */

static struct ptowsp_tile_param *params_of(struct lang_lower *lower, const struct lang_function *function)
{
	struct ptowsp_tile_param *params = common_alloc(&lower->unit->arena, (function->memref_count + 1) * sizeof(*params));

	for (uint32_t i = 0; i < function->memref_count; i++) {
		const struct lang_var *memref = function->memrefs[i];

		params[i] =
			(struct ptowsp_tile_param){build_string(lower->build, memref->name), memref->type.dtype, memref->access, memref->rows, memref->columns};
	}
	return params;
}

/* The first extent that has the same value at every call. */
static uint32_t extent_like(const struct lang_function *function, const struct lang_var *scalar)
{
	uint32_t first = 0;

	while (function->apart[scalar->extent] >> first & 1)
		first++;
	return first < scalar->extent ? first : scalar->extent;
}

static uint64_t extent_bit(const struct lang_function *function, const struct lang_var *memref, unsigned axis)
{
	return memref->parts >> axis & 1 ? UINT64_C(1) << extent_like(function, memref->extents[axis]) : 0;
}

static void parts_fill(struct incore *kernel, const struct incore_body *body)
{
	const struct lang_function *function = kernel->function;
	struct common_arena *arena = &kernel->lower->unit->arena;
	struct lang_dims *memrefs = common_alloc(arena, (function->memref_count + 1) * sizeof(*memrefs));
	uint16_t scalars[LANG_MAX_EXTENTS];
	const char *names[LANG_MAX_EXTENTS];

	for (uint32_t i = 0; i < function->memref_count; i++)
		memrefs[i] =
			(struct lang_dims){.rows = extent_bit(function, function->memrefs[i], 0), .columns = extent_bit(function, function->memrefs[i], 1)};
	for (uint32_t i = 0; i < function->extent_count; i++) {
		scalars[i] = body->rows[function->extents[i]->id];
		names[i] = function->extents[i]->name;
	}
	lang_parts_fill(kernel->lower, &(struct lang_parts){function, kernel->code, memrefs, scalars, names, kernel->theres, kernel->there_count});
}

void lang_kernel_encode(struct lang_lower *lower, struct lang_function *function, uint32_t row, struct ptowsp_payload_record record)
{
	struct incore kernel = {.lower = lower, .function = function};
	struct incore_body *body = body_create(&kernel, function);
	const void *payload;
	size_t size;

	kernel.own = body;
	lang_at(lower, function->at);
	build_body_open(lower->build, row, record, function->name);
	kernel.code = build_tile_code(lower->build);
	body_declare(&kernel, body, 1);
	block_encode(&kernel, body, &function->body);
	if (!kernel.code->inst_count || kernel.code->insts[kernel.code->inst_count - 1].op != PTOWSP_PTO_RETURN)
		inst_add(&kernel, PTOWSP_PTO_RETURN, function->at);
	if (function->extent_count)
		parts_fill(&kernel, body);
	payload = build_body_close(lower->build, params_of(lower, function), function->memref_count, &size);
	incore_verify(&kernel, function, payload, size);
}
