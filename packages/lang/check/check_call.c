/* SPDX-License-Identifier: MIT */
/* check_call.c - arguments of a CALL: every memref once, and a value for every scalar that the callee needs. */
#include "lang/check/lang_check.h"

#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

void lang_memref_touch(struct lang_var *memref, unsigned access, uint32_t rows, uint32_t columns)
{
	memref->access |= (uint8_t)access;
	if (!memref->rows) {
		memref->rows = rows;
		memref->columns = columns;
	}
}

static void formal_refuse(struct lang_check *check, const struct lang_arg *arg, const struct lang_function *target)
{
	struct lang_guess guess;

	lang_error(check->unit, arg->at, "@%s has no parameter %%%s", target->name, arg->formal);
	lang_guess_start(&guess, arg->formal);
	for (uint32_t i = 0; i < target->var_count; i++)
		if (target->vars[i]->param || target->vars[i]->needed)
			lang_guess_try(&guess, target->vars[i]->name);
	lang_guess_help(check->unit, &guess, "%");
}

static void tuple_check(struct lang_check *check, struct lang_arg *arg)
{
	if (check->function->kind == LANG_INCORE) {
		lang_error(check->unit, arg->actual.at, "an InCore function passes %%%s without an offset", arg->actual.text);
		lang_help(check->unit, "offsets belong to Orchestration functions; here the callee is inlined and may tload [r, c]");
		return;
	}
	lang_scalar_read(check, &arg->row, PTOWSP_I64);
	lang_scalar_read(check, &arg->column, PTOWSP_I64);
}

static void memref_bind(struct lang_check *check, struct lang_arg *arg)
{
	struct lang_var *actual = lang_operand_find(check, &arg->actual, LANG_WANT_MEMREF);
	const struct lang_var *param = arg->param;

	if (arg->tuple)
		tuple_check(check, arg);
	if (!actual)
		return;
	if (actual->type.dtype != param->type.dtype) {
		lang_error(check->unit, arg->actual.at, "%%%s is %s, the parameter %%%s is %s", actual->name, lang_type_text(check->unit, &actual->type),
			   param->name, lang_type_text(check->unit, &param->type));
		return;
	}
	lang_memref_touch(actual, param->access, param->rows, param->columns);
	actual->loose |= param->loose || check->branches;
}

/* The callee's tile is the caller's own: it has that type. */
static void tile_bind(struct lang_check *check, struct lang_arg *arg)
{
	const struct lang_var *actual = lang_operand_find(check, &arg->actual, LANG_WANT_TILE), *param = arg->param;
	const struct lang_type *a = actual ? &actual->type : NULL, *b = &param->type;

	if (arg->tuple)
		lang_error(check->unit, arg->actual.at, "%%%s is a tile and has no offset", arg->formal);
	if (!a || (a->dtype == b->dtype && a->rows == b->rows && a->columns == b->columns && a->space == b->space))
		return;
	lang_error(check->unit, arg->actual.at, "%%%s is %s, the parameter %%%s is %s", actual->name, lang_type_text(check->unit, a), param->name,
		   lang_type_text(check->unit, b));
}

static bool class_equal(unsigned a, unsigned b)
{
	return common_dtype_class(a) == 'f' || common_dtype_class(b) == 'f' ? a == b : 1;
}

static void scalar_bind(struct lang_check *check, struct lang_arg *arg)
{
	const struct lang_var *param = arg->param, *actual;

	if (arg->tuple) {
		lang_error(check->unit, arg->actual.at, "%%%s is a scalar and has no offset", arg->formal);
		return;
	}
	if (!lang_scalar_read(check, &arg->actual, param->type.dtype))
		return;
	actual = arg->actual.var;
	if (actual && check->function->kind == LANG_ORCHESTRATION && common_dtype_class(param->type.dtype) == 'f' &&
	    common_dtype_class(actual->type.dtype) != 'f')
		return; /* an integer between tasks is made a float */
	if (actual && !class_equal(actual->type.dtype, param->type.dtype))
		lang_error(check->unit, arg->actual.at, "%%%s is %s, the parameter %%%s is %s", actual->name, lang_type_text(check->unit, &actual->type),
			   param->name, lang_type_text(check->unit, &param->type));
}

static void arg_check(struct lang_check *check, struct lang_arg *arg, const struct lang_function *target, struct lang_arg **bound)
{
	arg->param = lang_var_find(target, arg->formal);
	if (arg->param && arg->param->kind == LANG_BROKEN)
		return;
	if (!arg->param || (!arg->param->param && !arg->param->needed)) {
		formal_refuse(check, arg, target);
		arg->param = NULL;
		return;
	}
	if (bound[arg->param->id]) {
		lang_error(check->unit, arg->at, "%%%s is passed twice", arg->formal);
		return;
	}
	bound[arg->param->id] = arg;
	if (arg->param->kind == LANG_MEMREF)
		memref_bind(check, arg);
	else if (arg->param->kind == LANG_TILE)
		tile_bind(check, arg);
	else
		scalar_bind(check, arg);
}

/* The caller's scalar of that name; else one that it takes over, so that its own caller may have one. */
static struct lang_var *need_find(struct lang_check *check, const struct lang_stmt *stmt, const struct lang_var *need)
{
	struct lang_function *function = check->function;
	const char *name = need->name;
	struct lang_var *var = lang_var_find(function, name);

	if (var && var->kind == LANG_BROKEN)
		return NULL;
	if (var && (var->kind == LANG_SCALAR || (var->kind == LANG_LOOP && var->active))) {
		if (class_equal(var->type.dtype, need->type.dtype) && (!var->implied || var->type.dtype == need->type.dtype))
			return var;
		if (!var->implied || function->kind == LANG_INCORE) {
			lang_error(check->unit, stmt->callee_at, "@%s takes %%%s over from here as %s, but here it is %s", stmt->callee, name,
				   lang_type_text(check->unit, &need->type), lang_type_text(check->unit, &var->type));
			lang_help(check->unit, "pass it: CALL @%s(..., %%%s -> %%other)", stmt->callee, name);
			return NULL;
		}
	}
	if (var) {
		name = common_format(&check->unit->arena, "%s.%s", stmt->callee, need->name);
		var = lang_var_find(function, name);
	}
	if (!var) {
		var = lang_var_add(check->unit, function, LANG_SCALAR, name, need->type, stmt->callee_at);
		var->implied = 1;
		/* The callee's own symbol will do in an orchestration; a kernel has its own arguments. */
		var->symbol = function->kind == LANG_ORCHESTRATION ? need->symbol : NULL;
	}
	return var;
}

/* A CALL passes whole parts. */
static void whole_bind(struct lang_operand *operand, const struct lang_var *scalar)
{
	operand->kind = LANG_OPERAND_NUMBER;
	operand->value = scalar->extent_columns ? scalar->extent_of->columns : scalar->extent_of->rows;
	operand->dtype = scalar->type.dtype;
}

static void needs_bind(struct lang_check *check, struct lang_stmt *stmt)
{
	const struct lang_function *target = stmt->target;

	stmt->needs = common_alloc(&check->unit->arena, (target->need_count + 1) * sizeof(*stmt->needs));
	for (uint32_t i = 0; i < target->need_count; i++) {
		struct lang_arg *arg = stmt->bound[target->needs[i]->id];
		struct lang_operand *operand = arg ? &arg->actual : NULL;

		if (!operand) {
			operand = common_alloc(&check->unit->arena, sizeof(*operand));
			operand->kind = LANG_OPERAND_NAME;
			operand->at = stmt->callee_at;
			operand->text = target->needs[i]->name;
			operand->var = target->needs[i]->extent_of ? NULL : need_find(check, stmt, target->needs[i]);
			if (operand->var)
				lang_fact_read(check, operand->var);
			if (target->needs[i]->extent_of)
				whole_bind(operand, target->needs[i]);
		}
		stmt->needs[i] = operand;
	}
}

/* "...": the memrefs and tiles that no argument names are passed those of their names. */
static void rest_take(struct lang_check *check, struct lang_stmt *stmt)
{
	const struct lang_function *target = stmt->target;
	uint8_t *named = common_alloc(&check->unit->arena, (size_t)target->var_count + 1);

	for (uint32_t i = 0; i < stmt->arg_count; i++) {
		const struct lang_var *var = lang_var_find(target, stmt->args[i].formal);

		if (var)
			named[var->id] = 1;
	}
	for (uint32_t i = 0; i < target->var_count; i++) {
		const struct lang_var *var = target->vars[i];

		if (!var->param || named[var->id] || (var->kind != LANG_MEMREF && var->kind != LANG_TILE))
			continue;
		*COMMON_PUSH(&check->unit->arena, stmt->args, stmt->arg_count, stmt->arg_capacity) =
			(struct lang_arg){.formal = var->name, .at = stmt->rest, .actual = {.kind = LANG_OPERAND_NAME, .at = stmt->rest, .text = var->name}};
	}
}

void lang_call_check(struct lang_check *check, struct lang_stmt *stmt)
{
	const struct lang_function *target = stmt->target;

	if (!target || target->broken_signature) /* refused when the module was linked; its parameters are not known */
		return;
	stmt->bound = common_alloc(&check->unit->arena, ((size_t)target->var_count + 1) * sizeof(struct lang_arg *));
	if (check->function->kind == LANG_INCORE && target->kind == LANG_ORCHESTRATION) {
		lang_error(check->unit, stmt->callee_at, "an InCore function cannot call the Orchestration function @%s", target->name);
		return;
	}
	if (check->function->kind == LANG_ORCHESTRATION && target->inlined) {
		lang_inlined_refuse(check->unit, stmt->callee_at, target);
		return;
	}
	if (stmt->rest.line)
		rest_take(check, stmt);
	for (uint32_t i = 0; i < stmt->arg_count; i++)
		arg_check(check, &stmt->args[i], target, stmt->bound);
	for (uint32_t i = 0; i < target->var_count; i++)
		if (target->vars[i]->kind == LANG_TILE && target->vars[i]->param && !stmt->bound[i]) {
			lang_error(check->unit, stmt->callee_at, "@%s needs its tile %%%s", target->name, target->vars[i]->name);
			lang_help(check->unit, "pass it: %%%s -> %%tile", target->vars[i]->name);
		}
	for (uint32_t i = 0; i < target->memref_count; i++)
		if (!stmt->bound[target->memrefs[i]->id]) {
			lang_error(check->unit, stmt->callee_at, "@%s needs its memref %%%s", target->name, target->memrefs[i]->name);
			lang_help(check->unit, "pass it: %%%s -> %%tensor", target->memrefs[i]->name);
		}
	needs_bind(check, stmt);
}
