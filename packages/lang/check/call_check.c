/* SPDX-License-Identifier: MIT */
/* call_check.c - calls of kernels, functions and workloads: what is called, and what is passed to it. */
#include "lang/lang_work.h"

#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* --- what is called --- */

uint32_t lang_callee_count(const struct lang_work *call)
{
	if (call->function)
		return call->function->memref_count + call->function->need_count;
	return call->target->kind == LANG_DECL_KERNEL ? ((const struct lang_kernel *)call->target)->param_count : 0;
}

static struct lang_callee_param function_param(const struct lang_function *f, uint32_t index)
{
	int tensor = index < f->memref_count;
	const struct lang_var *var = tensor ? f->memrefs[index] : f->needs[index - f->memref_count];

	return (struct lang_callee_param){.name = var->name,
					  .at = var->at,
					  .tensor = (uint8_t)tensor,
					  .access = var->access,
					  .loose = var->loose,
					  .rank = tensor && var->rows ? 2 : 0,
					  .dtype = var->type.dtype,
					  .rows = tensor ? var->rows : 0,
					  .columns = tensor ? var->columns : 0,
					  .argument = tensor ? index : index - f->memref_count};
}

static struct lang_callee_param kernel_param(const struct lang_kernel *kernel, uint32_t index)
{
	const struct lang_kernel_param *param = &kernel->params[index];

	return (struct lang_callee_param){.name = param->name,
					  .at = param->at,
					  .tensor = param->tensor,
					  .access = param->access,
					  .rank = param->rank,
					  .dtype = param->dtype,
					  .rows = param->rows,
					  .columns = param->columns,
					  .argument = param->argument,
					  .layout = &param->layout};
}

struct lang_callee_param lang_callee_param(const struct lang_work *call, uint32_t index)
{
	return call->function ? function_param(call->function, index) : kernel_param((const struct lang_kernel *)call->target, index);
}

static bool callee_find(struct lang_work_check *check, struct lang_work *work)
{
	struct lang_module *module = check->scope.module;
	struct lang_decl *decl = lang_decl_find(module, '@', work->callee);

	work->function = lang_map_find(&module->functions, work->callee);
	if (work->function && work->function->inlined)
		lang_inlined_refuse(check->unit, work->callee_at, work->function);
	if (work->function)
		return !work->function->inlined;
	if (decl && (decl->kind == LANG_DECL_KERNEL || decl->kind == LANG_DECL_WORKLOAD)) {
		decl->used = 1;
		work->target = decl;
		return true;
	}
	if (decl) {
		lang_error(check->unit, work->callee_at, "@%s is %s: kernels, functions and workloads are called", work->callee,
			   lang_decl_noun(check->unit, decl->kind));
		return false;
	}
	lang_error(check->unit, work->callee_at, "there is nothing to call @%s", work->callee);
	lang_decl_help(module, '@', LANG_DECL_NONE, work->callee);
	return false;
}

/* --- what is passed --- */

/* A name alone that is a tensor is the whole of it. */
static void pass_resolve(struct lang_work_check *check, struct lang_pass *pass)
{
	struct lang_decl *decl;

	if (!pass->value || pass->value->kind != LANG_SCALAR_NAME)
		return;
	decl = lang_decl_find(check->scope.module, '%', pass->value->text);
	if (!decl || decl->kind != LANG_DECL_TENSOR)
		return;
	pass->part = (struct lang_part){.tensor = pass->value->text, .at = pass->value->at, .all = pass->value->all};
	pass->value = NULL;
}

/* A scalar parameter that the function never reads may be given a value, and has no part in the task; one whose declaration has an error may be
 * given anything. */
static bool unused_take(struct lang_work_check *check, const struct lang_work *work, struct lang_pass *pass)
{
	const struct lang_var *var = work->function ? lang_var_find(work->function, pass->formal) : NULL;

	if (var && var->kind == LANG_BROKEN)
		return true;
	if (!var || !var->param || var->kind != LANG_SCALAR)
		return false;
	if (!pass->value)
		lang_error(check->unit, pass->part.at, "%%%s of @%s is a scalar, a tensor is passed", var->name, work->callee);
	else
		lang_argument_check(&check->scope, pass->value, var->type.dtype, var->name);
	return true;
}

/* The place of the parameter of that name; count: there is none. */
static uint32_t param_find(const struct lang_work *work, const char *name, uint32_t count)
{
	const struct lang_function *f = work->function;
	const struct lang_param_name *param;
	const struct lang_var *var;

	if (!f) {
		param = lang_map_find(&((const struct lang_kernel *)work->target)->names, name);
		return param ? param->param : count;
	}
	var = lang_var_find(f, name);
	if (var && var->kind == LANG_MEMREF && !var->decl)
		return var->number;
	return var && var->kind == LANG_SCALAR && var->needed && !var->block ? f->memref_count + var->need : count;
}

/* %name -> ... of a parameter that is there, once. */
static void pass_bind(struct lang_work_check *check, struct lang_work *work, struct lang_pass *pass)
{
	uint32_t count = lang_callee_count(work), i = param_find(work, pass->formal, count);
	const char **names;

	if (i == count && unused_take(check, work, pass))
		return;
	if (i == count) {
		lang_error(check->unit, pass->at, "@%s has no parameter %%%s", work->callee, pass->formal);
		names = common_alloc(&check->unit->arena, (count + 1) * sizeof(*names));
		for (i = 0; i < count; i++)
			names[i] = lang_callee_param(work, i).name;
		if (count)
			lang_known_help(check->unit, pass->formal, "%", names, count);
		return;
	}
	if (work->binds[i]) {
		lang_error(check->unit, pass->at, "%%%s is passed twice", pass->formal);
		return;
	}
	work->binds[i] = pass;
}

/* A scalar that is not passed is the caller's value of that name, if there is one. */
static void need_find(struct lang_work_check *check, struct lang_work *work, uint32_t index, const struct lang_callee_param *param)
{
	struct lang_scalar *scalar = common_alloc(&check->unit->arena, sizeof(*scalar));
	const struct lang_decl *decl = lang_decl_find(check->scope.module, '%', param->name);

	if (!lang_local_find(&check->scope, param->name) && (!decl || (decl->kind != LANG_DECL_SYMBOL && decl->kind != LANG_DECL_SLOT))) {
		lang_error(check->unit, work->callee_at, "@%s needs the scalar %%%s", work->callee, param->name);
		lang_help(check->unit, "pass it: %%%s -> value, or declare: symbol %%%s : %s", param->name, param->name, common_dtype_text(param->dtype));
		return;
	}
	scalar->kind = LANG_SCALAR_NAME;
	scalar->text = param->name;
	scalar->at = scalar->all = work->callee_at;
	if (lang_argument_check(&check->scope, scalar, param->dtype, param->name))
		work->needs[index] = scalar;
}

/* "...": the tensor of the parameter's name, whole. */
static struct lang_pass *rest_take(struct lang_work_check *check, const struct lang_work *work, const char *name)
{
	struct lang_pass *pass = common_alloc(&check->unit->arena, sizeof(*pass));

	*pass = (struct lang_pass){.formal = name, .at = work->rest, .part = {.tensor = name, .at = work->rest, .all = work->rest}};
	return pass;
}

static void params_check(struct lang_work_check *check, struct lang_work *work)
{
	uint32_t count = lang_callee_count(work);

	for (uint32_t i = 0; i < count; i++) {
		struct lang_callee_param param = lang_callee_param(work, i);

		if (work->rest.line && param.tensor && !work->binds[i])
			work->binds[i] = rest_take(check, work, param.name);
		if (work->binds[i])
			lang_pass_check(check, work, work->binds[i], &param);
		else if (!param.tensor && work->function && work->function->needs[param.argument]->extent_of)
			work->needs[i] = lang_part_extent(check, work, work->function->needs[param.argument]);
		else if (!param.tensor)
			need_find(check, work, i, &param);
		else {
			lang_error(check->unit, work->callee_at, "@%s needs the tensor %%%s", work->callee, param.name);
			lang_help(check->unit, "pass it: %%%s -> %%tensor[row, column]", param.name);
		}
	}
	if (work->function)
		lang_part_extents_note(work);
}

/* --- workloads that are called --- */

static void cycle_refuse(struct lang_work_check *check, const struct lang_work *work)
{
	struct common_arena *arena = &check->unit->arena;
	const struct lang_workload *at = (const struct lang_workload *)check->decl;
	const char *path = common_format(arena, "@%s", work->callee);

	for (; &at->head != work->target; at = at->caller)
		path = common_format(arena, "@%.60s -> %.400s", at->head.name, path);
	lang_error(check->unit, work->callee_at, "recursion: @%s -> %.460s", work->callee, path);
	lang_help(check->unit, "calls are expanded when a program is packed, so they must end; use a loop");
}

static void workload_call_check(struct lang_work_check *check, struct lang_work *work)
{
	struct lang_workload *target = (struct lang_workload *)work->target;
	const struct lang_workload *caller = check->decl->kind == LANG_DECL_WORKLOAD ? (const struct lang_workload *)check->decl : NULL;

	if (work->pass_count || work->rest.line)
		lang_error(check->unit, work->pass_count ? work->passes[0].at : work->rest, "a workload takes no arguments");
	target->called = 1;
	lang_segment_cut(check);
	if (target->state == 1) {
		cycle_refuse(check, work);
	} else if (!target->state && caller && caller->path >= LANG_MAX_NESTING) {
		lang_error(check->unit, work->callee_at, "calls are nested deeper than %u", LANG_MAX_NESTING);
	} else if (!target->state) {
		target->caller = (struct lang_workload *)(uintptr_t)caller;
		target->path = caller ? caller->path + 1 : 0;
		lang_workload_check(check->scope.module, work->target);
	}
	if (!target->alone)
		return;
	lang_error(check->unit, work->callee_at, "@%s cannot be called: its extent of %%%s is the slot %%%s, which may change while the caller runs",
		   work->callee, target->alone->name, target->alone->value->text);
	lang_help(check->unit, "make it a number or a symbol at %s", lang_place(check->unit, target->alone->at));
}

/* --- calls --- */

/* The name of a task in the same piece of straight code is so many tasks back. */
static void after_check(struct lang_work_check *check, struct lang_after *after)
{
	struct lang_local *local = after->task->kind == LANG_SCALAR_NAME ? lang_local_find(&check->scope, after->task->text) : NULL;

	if (local && local->kind == LANG_LOCAL_TASK && local->segment == check->segment && !check->turns) {
		local->used = 1;
		after->back = check->number - local->number;
		return;
	}
	lang_scalar_check(&check->scope, after->task, "a task");
}

void lang_afters_check(struct lang_work_check *check, struct lang_work *work)
{
	for (uint32_t i = 0; i < work->after_count; i++)
		after_check(check, &work->afters[i]);
}

static bool is_task(const struct lang_work *work)
{
	return work->function ? work->function->kind == LANG_INCORE : work->target->kind == LANG_DECL_KERNEL;
}

void lang_task_check(struct lang_work_check *check, struct lang_work *work)
{
	lang_afters_check(check, work);
	if (!callee_find(check, work))
		return;
	if (!is_task(work) && (work->after_count || work->local))
		lang_error(check->unit, work->callee_at, "@%s is not one task: nothing can be said of when it runs, and it has no number", work->callee);
	if (work->target && work->target->kind == LANG_DECL_WORKLOAD) {
		workload_call_check(check, work);
		return;
	}
	for (uint32_t i = 0; i < work->pass_count; i++)
		pass_resolve(check, &work->passes[i]);
	if ((work->target && work->target->broken) || (work->function && work->function->broken_signature))
		return; /* its parameters are not known */
	work->binds = common_alloc(&check->unit->arena, (lang_callee_count(work) + 1) * sizeof(*work->binds));
	work->needs = common_alloc(&check->unit->arena, (lang_callee_count(work) + 1) * sizeof(*work->needs));
	for (uint32_t i = 0; i < work->pass_count; i++)
		pass_bind(check, work, &work->passes[i]);
	params_check(check, work);
	if (is_task(work))
		lang_passes_join(check, work);
	if (is_task(work))
		lang_segment_task(check, work->local);
	else
		lang_segment_cut(check);
}
