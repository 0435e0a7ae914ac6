/* SPDX-License-Identifier: MIT */
/* check_call.c - calls of functions: what each calls, in which order functions are checked, the arguments of a CALL. */
#include "lang/check/lang_check.h"
#include "lang/decl.h"
#include "lang/graph/lang_graph.h"
#include "ptowsp/package.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct linker {
	struct lang_unit *unit;
	struct lang_module *module;
	struct lang_function *path[LANG_MAX_NESTING]; /* callers of the function being walked, outermost first */
	uint32_t depth, order_count;
};

static void guess_functions(struct linker *linker, const char *word)
{
	struct lang_guess guess;

	lang_guess_start(&guess, word);
	for (struct lang_function *f = linker->module->first; f; f = f->next)
		lang_guess_try(&guess, f->name);
	lang_guess_help(linker->unit, &guess, "@");
}

/* "@a -> @b -> @a" */
static void cycle_refuse(struct linker *linker, const struct lang_stmt *stmt)
{
	char text[512];
	size_t used = 0;
	uint32_t from = linker->depth;

	while (from > 0 && linker->path[from - 1] != stmt->target)
		from--;
	for (uint32_t i = from ? from - 1 : 0; i < linker->depth && used < sizeof(text) - 80; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "@%.60s -> ", linker->path[i]->name);
	snprintf(text + used, sizeof(text) - used, "@%.60s", stmt->target->name);
	lang_error(linker->unit, stmt->callee_at, "recursion: %s", text);
	lang_help(linker->unit, "calls are expanded when a program is packed, so they must end; use a loop");
}

static void callee_refuse(struct linker *linker, const struct lang_stmt *stmt)
{
	const struct lang_decl *decl = lang_decl_find(linker->module, '@', stmt->callee);

	if (decl && decl->kind != LANG_DECL_FUNC) {
		lang_error(linker->unit, stmt->callee_at, "@%s is %s, and CALL calls functions", stmt->callee, lang_decl_noun(linker->unit, decl->kind));
		lang_help(linker->unit, "a workload calls kernels, functions and other workloads: call @%s(...)", stmt->callee);
		return;
	}
	lang_error(linker->unit, stmt->callee_at, "there is no function @%s", stmt->callee);
	guess_functions(linker, stmt->callee);
}

static void function_walk(struct linker *linker, struct lang_function *function);

static void block_walk(struct linker *linker, struct lang_block *block)
{
	for (struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next) {
		block_walk(linker, &stmt->body);
		block_walk(linker, &stmt->other);
		if (stmt->op != PTOWSP_PTO_CALL)
			continue;
		stmt->target = lang_map_find(&linker->module->functions, stmt->callee);
		if (!stmt->target) {
			callee_refuse(linker, stmt);
		} else if (stmt->target->state == 1) {
			cycle_refuse(linker, stmt);
			stmt->target = NULL;
		} else if (stmt->target->state == 0 && linker->depth == LANG_MAX_NESTING) {
			lang_error(linker->unit, stmt->callee_at, "calls are nested deeper than %u", LANG_MAX_NESTING);
		} else if (stmt->target->state == 0) {
			function_walk(linker, stmt->target);
		}
	}
}

static void function_walk(struct linker *linker, struct lang_function *function)
{
	function->state = 1;
	linker->path[linker->depth++] = function;
	block_walk(linker, &function->body);
	linker->depth--;
	function->state = 2;
	linker->module->order[linker->order_count++] = function;
}

/* The default entry: the one that the source says, else the only orchestration, else the only function. */
static struct lang_function *entry_guess(struct lang_module *module)
{
	struct lang_function *only = NULL, *kernel = NULL;
	uint32_t orchestrations = 0, kernels = 0;

	for (struct lang_function *f = module->first; f; f = f->next)
		if (f->kind == LANG_ORCHESTRATION) {
			orchestrations++;
			only = f;
		} else if (!f->inlined) {
			kernels++;
			kernel = f;
		}
	if (orchestrations == 1)
		return only;
	return kernels == 1 && !orchestrations ? kernel : NULL;
}

/* The program of another device than the first one: nothing begins with that. */
static bool is_mate(const struct lang_decl *decl)
{
	return decl->kind == LANG_DECL_GRAPH && ((const struct lang_graph_program *)decl)->device;
}

/* A declared entry goes before functions: the only one, or @main of several. 1: some are declared, and functions are what they call. */
static bool decl_guess(struct lang_module *module, struct lang_decl **decl_out)
{
	struct lang_decl *only = NULL;
	uint32_t count = 0, mates = 0;

	for (struct lang_decl *decl = module->decls; decl; decl = decl->next) {
		if (lang_decl_forms[decl->kind].section != PTOWSP_SECTION_ENTR)
			continue;
		if (is_mate(decl)) {
			mates++;
			continue;
		}
		count++;
		if (!only || !strcmp(decl->name, "main"))
			only = decl;
	}
	*decl_out = count == 1 || (only && !strcmp(only->name, "main")) ? only : NULL;
	return count + mates > 0;
}

static void known_help(struct linker *linker, const char *word)
{
	struct lang_module *module = linker->module;
	uint32_t count = 0, most = module->function_count + 1;
	const char **names;

	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		most++;
	names = common_alloc(&linker->unit->arena, most * sizeof(*names));
	for (struct lang_function *f = module->first; f; f = f->next)
		names[count++] = f->name;
	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (lang_decl_forms[decl->kind].section == PTOWSP_SECTION_ENTR)
			names[count++] = decl->name;
	lang_known_help(linker->unit, word, "@", names, count);
}

static void entry_find(struct linker *linker, const char *chosen)
{
	struct lang_module *module = linker->module;
	const char *name = chosen ? chosen : module->entry.text;
	struct lang_span at = {0};

	if (!name) {
		module->default_entry = decl_guess(module, &module->default_decl) ? NULL : entry_guess(module);
		return;
	}
	module->default_entry = lang_map_find(&module->functions, name);
	module->default_decl = module->default_entry ? NULL : lang_decl_find(module, '@', name);
	if (module->default_decl && lang_decl_forms[module->default_decl->kind].section != PTOWSP_SECTION_ENTR)
		module->default_decl = NULL;
	if (module->default_entry && module->default_entry->inlined)
		lang_inlined_refuse(linker->unit, chosen ? at : module->entry.at, module->default_entry);
	if (module->default_entry || module->default_decl)
		return;
	linker->unit->misuses += chosen != NULL;
	lang_error(linker->unit, chosen ? at : module->entry.at, "the entry @%s is no function of this package", name);
	known_help(linker, name);
}

void lang_link(struct lang_module *module, const char *chosen)
{
	struct linker linker = {.unit = module->unit, .module = module};

	module->order = common_alloc(&module->unit->arena, (module->function_count + 1) * sizeof(*module->order));
	for (struct lang_function *f = module->first; f; f = f->next)
		if (!f->state)
			function_walk(&linker, f);
	entry_find(&linker, chosen);
}

/* ---- arguments of a CALL: every memref once, and a value for every scalar that the callee needs. ---- */

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

/* How much is there of a memref or of a tile: all, unless the kernel that the CALL is expanded in knows better. */
static void whole_bind(struct lang_operand *operand, const struct lang_var *scalar)
{
	const struct lang_var *of = scalar->extent_of;

	operand->kind = LANG_OPERAND_NUMBER;
	if (of->kind == LANG_TILE)
		operand->value = scalar->extent_columns ? of->type.columns : of->type.rows;
	else
		operand->value = scalar->extent_columns ? of->columns : of->rows;
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
