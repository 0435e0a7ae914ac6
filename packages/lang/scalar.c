/* SPDX-License-Identifier: MIT */
/* scalar.c - what the names of a scalar expression mean, and its EXPR rows; rows of symbols, slots and events. */
#include "lang/scalar.h"
#include "lang/lang_process.h"
#include "lang/lower/lang_lower.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

void lang_scope_enter(struct lang_scope *scope, struct lang_local *local)
{
	local->outer = scope->locals;
	local->hidden = lang_local_find(scope, local->name);
	lang_map_set(&scope->names, &scope->module->unit->arena, local->name, local);
	scope->locals = local;
}

void lang_scope_leave(struct lang_scope *scope, struct lang_local *outer)
{
	for (; scope->locals != outer; scope->locals = scope->locals->outer)
		lang_map_set(&scope->names, &scope->module->unit->arena, scope->locals->name, scope->locals->hidden);
}

struct lang_local *lang_local_find(const struct lang_scope *scope, const char *name)
{
	return lang_map_find(&scope->names, name);
}

static void names_help(const struct lang_scope *scope, const char *word)
{
	struct lang_module *module = scope->module;
	const char **names;
	uint32_t count = 0, most = 1;

	for (const struct lang_local *local = scope->locals; local; local = local->outer)
		most++;
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		most++;
	names = common_alloc(&module->unit->arena, most * sizeof(*names));
	for (const struct lang_local *local = scope->locals; local; local = local->outer)
		names[count++] = local->name;
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_SYMBOL || (decl->kind == LANG_DECL_SLOT && !scope->constant))
			names[count++] = decl->name;
	if (count)
		lang_known_help(module->unit, word, "%", names, count);
	else
		lang_help(module->unit, "declare it at the top of the file: symbol %%%s : i64", word);
}

static bool decl_check(const struct lang_scope *scope, struct lang_scalar *scalar, const char *what)
{
	struct lang_unit *unit = scope->module->unit;
	struct lang_decl *decl = lang_decl_find(scope->module, '%', scalar->text);

	if (!decl) {
		lang_error(unit, scalar->at, "there is no value %%%s", scalar->text);
		names_help(scope, scalar->text);
		return false;
	}
	if (decl->kind != LANG_DECL_SYMBOL && decl->kind != LANG_DECL_SLOT) {
		lang_error(unit, scalar->at, "%%%s is %s, %s needs a symbol, a slot or the value of a loop", scalar->text, lang_decl_noun(unit, decl->kind),
			   what);
		if (decl->kind == LANG_DECL_TENSOR)
			lang_help(unit, "read an element into a slot: slot_load %%s, %%%s[0, 0]", scalar->text);
		return false;
	}
	if (scope->constant && decl->kind == LANG_DECL_SLOT) {
		lang_error(unit, scalar->at, "%%%s is a slot, %s is made of numbers and symbols", scalar->text, what);
		lang_help(unit, "a slot may change during a run; declare a symbol");
		return false;
	}
	if (common_dtype_class(((struct lang_value *)decl)->dtype) == 'f') {
		lang_error(unit, scalar->at, "%%%s is of type %s, %s is computed with 64-bit integers", scalar->text,
			   common_dtype_text(((struct lang_value *)decl)->dtype), what);
		return false;
	}
	decl->used = 1;
	scalar->decl = decl;
	return true;
}

/* The number of a task is kept in one slot, and the replicas of a process would overwrite each other's. */
static bool replicas_check(const struct lang_scope *scope, const struct lang_scalar *scalar)
{
	struct lang_unit *unit = scope->module->unit;
	const struct lang_process *process = (const struct lang_process *)lang_decl_find(scope->module, '@', scope->around);

	if (!process || process->head.kind != LANG_DECL_PROCESS || process->replicas < 2)
		return true;
	lang_error(unit, scalar->at, "@%s has %u replicas, and %%%s would be a task of whichever came by last", process->head.name, process->replicas,
		   scalar->text);
	lang_help(unit, "order tasks of replicas by what they touch or by a channel, or write the processes out");
	return false;
}

/* A slot that holds the number of a task: made when the first one reads it. */
static struct lang_value *task_slot(const struct lang_scope *scope, struct lang_local *local)
{
	struct lang_module *module = scope->module;
	struct lang_value *value = local->slot;

	if (value)
		return value;
	value = common_alloc(&module->unit->arena, sizeof(*value));
	value->head.name = common_format(&module->unit->arena, "@%s.%s.%u", scope->around, local->name, module->decl_counts[LANG_DECL_SLOT]);
	value->head.at = local->at;
	value->head.kind = LANG_DECL_SLOT;
	value->head.position = module->decl_counts[LANG_DECL_SLOT]++;
	value->dtype = PTOWSP_I64;
	value->has_default = value->internal = 1;
	*module->last_decl = &value->head;
	module->last_decl = &value->head.next;
	local->slot = value;
	return value;
}

static int name_check(const struct lang_scope *scope, struct lang_scalar *scalar, const char *what)
{
	scalar->local = lang_local_find(scope, scalar->text);
	if (!scalar->local)
		return decl_check(scope, scalar, what);
	scalar->local->used = 1;
	if (scalar->local->kind != LANG_LOCAL_TASK)
		return 1;
	if (!replicas_check(scope, scalar))
		return 0;
	task_slot(scope, scalar->local);
	return 1;
}

static void loops_note(struct lang_module *module, const struct lang_body *body)
{
	for (const struct lang_work *work = body->first; work; work = work->next) {
		struct lang_local *local = work->local;

		if (local && local->kind == LANG_LOCAL_LOOP && !lang_map_find(&module->loops, local->name))
			lang_map_add(&module->loops, &module->unit->arena, local->name, local);
		for (uint32_t i = 0; i < work->body_count; i++)
			loops_note(module, &work->bodies[i]);
	}
}

/* The loop is looked for where the code is expanded; somewhere there must be one of that name. */
static bool axis_check(const struct lang_scope *scope, const struct lang_scalar *scalar)
{
	struct lang_module *module = scope->module;

	for (const struct lang_decl *decl = module->decls; decl && !module->loops_known; decl = decl->next)
		if (decl->kind == LANG_DECL_WORKLOAD)
			loops_note(module, &((const struct lang_workload *)decl)->body);
		else if (decl->kind == LANG_DECL_PROCESS)
			loops_note(module, &((const struct lang_process *)decl)->body);
	module->loops_known = 1;
	if (lang_map_find(&module->loops, scalar->text))
		return true;
	lang_error(module->unit, scalar->at, "no loop of a workload or process is called %%%s", scalar->text);
	return false;
}

static int op_check(const struct lang_scope *scope, struct lang_scalar *scalar, const char *what)
{
	struct lang_unit *unit = scope->module->unit;
	int64_t divisor;
	int ok = 1;

	if (scope->constant && (scalar->op == PTOWSP_EXPR_TASK || scalar->op == PTOWSP_EXPR_INSTANCE || scalar->op == PTOWSP_EXPR_AXIS)) {
		lang_error(unit, scalar->at, "%s is made of numbers and symbols", what);
		return 0;
	}
	if (scalar->op == PTOWSP_EXPR_AXIS)
		return axis_check(scope, scalar);
	for (int i = 0; i < 3 && scalar->operands[i]; i++)
		ok &= lang_scalar_check(scope, scalar->operands[i], what);
	if (ok && (scalar->op == PTOWSP_EXPR_DIV || scalar->op == PTOWSP_EXPR_MOD) && lang_scalar_known(scalar->operands[1], &divisor) && !divisor) {
		lang_error(unit, scalar->operands[1]->all, "division by zero");
		return 0;
	}
	return ok;
}

int lang_scalar_check(const struct lang_scope *scope, struct lang_scalar *scalar, const char *what)
{
	if (scalar->settled)
		return 1;
	switch (scalar->kind) {
	case LANG_SCALAR_NAME: return name_check(scope, scalar, what);
	case LANG_SCALAR_OP: return op_check(scope, scalar, what);
	case LANG_SCALAR_FLOAT: lang_error(scope->module->unit, scalar->at, "%s is a whole number, not %.40s", what, scalar->text); return 0;
	default: return 1;
	}
}

bool lang_scalar_known(const struct lang_scalar *scalar, int64_t *value_out)
{
	int64_t values[3] = {0, 0, 0};
	uint64_t value;

	if (scalar->kind == LANG_SCALAR_NUMBER) {
		*value_out = scalar->value;
		return true;
	}
	if (scalar->kind != LANG_SCALAR_OP || !scalar->operands[0])
		return false;
	for (int i = 0; i < 3 && scalar->operands[i]; i++)
		if (!lang_scalar_known(scalar->operands[i], &values[i]))
			return false;
	if (!lang_expr_fold(scalar->op, values[0], values[1], values[2], &value))
		return false;
	*value_out = (int64_t)value;
	return true;
}

uint32_t lang_scalar_lower(struct lang_lower *lower, const struct lang_scalar *scalar)
{
	struct lang_exprs *exprs = &lower->tables->exprs;
	uint32_t rows[3] = {0, 0, 0};

	switch (scalar->kind) {
	case LANG_SCALAR_NUMBER: return lang_expr_const(exprs, (uint64_t)scalar->value);
	case LANG_SCALAR_NAME:
		if (scalar->local && scalar->local->kind == LANG_LOCAL_LOOP)
			return lang_expr_loop(exprs, scalar->local->loop);
		if (!scalar->local)
			lang_value_use(lower, scalar->decl->row);
		return lang_expr_value(exprs, scalar->local ? scalar->local->slot->head.row : scalar->decl->row);
	default:
		if (scalar->op == PTOWSP_EXPR_AXIS)
			return lang_expr_node(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_AXIS,
										 .a = build_code_name(lower->build, build_string(lower->build, scalar->text))});
		if (!scalar->operands[0])
			return lang_expr_leaf(exprs, scalar->op);
		for (int i = 0; i < 3 && scalar->operands[i]; i++)
			rows[i] = lang_scalar_lower(lower, scalar->operands[i]);
		if (scalar->operands[2])
			return lang_expr_ternary(exprs, scalar->op, rows[0], rows[1], rows[2]);
		return scalar->operands[1] ? lang_binary_at(lower, scalar->op, rows[0], rows[1], scalar->at) : lang_expr_unary(exprs, scalar->op, rows[0]);
	}
}

/* ---- rows of symbols, slots and events. ---- */

void lang_symbol_build(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_value *value = (const struct lang_value *)decl;

	build_slot_add(lower->build, decl->name,
		       (struct ptowsp_slot_record){.kind = decl->kind == LANG_DECL_SYMBOL ? PTOWSP_SLOT_SYMBOL : PTOWSP_SLOT_SLOT,
						   .dtype = value->dtype,
						   .flags = (value->has_default ? PTOWSP_SLOT_HAS_DEFAULT : 0u) | (value->internal ? PTOWSP_SLOT_INTERNAL : 0u),
						   .value = value->value});
}

void lang_event_build(struct lang_lower *lower, struct lang_decl *decl)
{
	build_event_add(lower->build, decl->name);
}
