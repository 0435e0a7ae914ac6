/* SPDX-License-Identifier: MIT */
/* call_check.c - calls of kernels, functions and workloads: what is called, and what is passed to it. */
#include "format/format_names.h"
#include "lang/lang_work.h"
#include "lang/number.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* ---- what a call of a body passes: kind, type, direction, shape, and layouts of tensors that meet. ---- */

/* --- tensors --- */

static const char *shape_text(struct lang_work_check *check, uint32_t rows, uint32_t columns)
{
	return common_format(&check->unit->arena, "%u x %u", rows, columns);
}

static void value_refuse(struct lang_work_check *check, const struct lang_work *work, const struct lang_pass *pass, const struct lang_param *param)
{
	if (pass->value->kind == LANG_SCALAR_NAME && !lang_decl_find(check->scope.module, '%', pass->value->text)) {
		lang_error(check->unit, pass->value->at, "there is no tensor %%%s", pass->value->text);
		lang_decl_help(check->scope.module, '%', LANG_DECL_TENSOR, pass->value->text);
	} else {
		lang_error(check->unit, pass->value->all, "%%%s of @%s is a tensor, a value is passed", param->name, work->callee);
	}
}

static bool type_fits(struct lang_work_check *check, const struct lang_work *work, const struct lang_part *part, const struct lang_param *param)
{
	if (lang_part_dtype(part) == param->dtype)
		return true;
	lang_error(check->unit, part->at, "%%%s is of type %s, the parameter %%%s of @%s is %s", part->tensor, common_dtype_text(lang_part_dtype(part)),
		   param->name, work->callee, common_dtype_text(param->dtype));
	return false;
}

/* The whole tensor is passed and has another shape: which part of it would do, its first rows and columns or its elements without a shape? */
static void whole_help(struct lang_work_check *check, const struct lang_part *part, const struct lang_param *param)
{
	uint64_t wanted = (uint64_t)param->rows * param->columns, there = (uint64_t)part->rows * part->columns;

	if (part->viewed || part->extents[0] || part->index_count)
		return;
	if (part->rows >= param->rows && part->columns >= param->columns)
		lang_help(check->unit, "say where the part begins: %%%s[0, 0] passes its first %s", part->tensor,
			  shape_text(check, param->rows, param->columns));
	else if (there >= wanted)
		lang_help(check->unit, "pass its elements without a shape, as they follow each other: %%%s[0, 0 : ...]", part->tensor);
	else
		lang_help(check->unit, "it has %llu elements, %llu are needed: declare it larger at %s, or take a smaller tile", (unsigned long long)there,
			  (unsigned long long)wanted, lang_place(check->unit, part->decl->head.at));
}

/* A kernel is handed the shape that it states; a function may work on more than its first tile, never on less. */
static void shape_check(struct lang_work_check *check, const struct lang_work *work, const struct lang_part *part, const struct lang_param *param)
{
	uint32_t columns = part->viewed ? part->columns / common_dtype_bytes(part->view) : part->columns;

	if (param->loose || !param->rows || !param->columns || (part->rows == param->rows && columns == param->columns) ||
	    (work->function && part->rows >= param->rows && columns >= param->columns))
		return;
	if (work->function)
		lang_error(check->unit, part->all, "this part of %%%s is %s, and @%s moves a tile of %s to or from %%%s", part->tensor,
			   shape_text(check, part->rows, columns), work->callee, shape_text(check, param->rows, param->columns), param->name);
	else
		lang_error(check->unit, part->all, "this part of %%%s is %s, the parameter %%%s of @%s is %s", part->tensor,
			   shape_text(check, part->rows, columns), param->name, work->callee, shape_text(check, param->rows, param->columns));
	whole_help(check, part, param);
}

/* Accesses of the code that is in the package: a function's, or that of the portable payloads of a kernel. */
static unsigned access_done(const struct lang_work *work, const struct lang_param *param)
{
	const struct lang_kernel *kernel = (const struct lang_kernel *)work->target;
	unsigned access = work->function ? param->access : 0;

	for (uint32_t i = 0; !work->function && i < kernel->payload_count; i++)
		if (kernel->payloads[i].function && param->argument < kernel->payloads[i].function->memref_count)
			access |= kernel->payloads[i].function->memrefs[param->argument]->access;
	return access;
}

/* The call says what is done with the tensor. More than the callee does is harmless; less is a promise, which code that is in the package must not break. */
static bool access_check(struct lang_work_check *check, const struct lang_work *work, const struct lang_pass *pass, const struct lang_param *param)
{
	unsigned missing = param->access & ~pass->access, broken;

	if (work->function && work->function->kind == LANG_ORCHESTRATION) {
		lang_error(check->unit, pass->part.at, "@%s is expanded in place: its own calls say what is done with %%%s", work->callee, param->name);
		return false;
	}
	broken = access_done(work, param) & missing;
	if (!broken && (!missing || !pass->access)) /* bind says by itself that only the address is passed */
		return true;
	(broken ? lang_error : lang_warn)(check->unit, pass->part.at, "@%s %s %%%s, and this call says that it does not", work->callee,
					  missing == PTOWSP_READ ? "reads" : "writes", param->name);
	if (broken)
		lang_help(check->unit, "say %s, or leave the word out", pkg_word(PKG_WORDS_access, broken | pass->access));
	else
		lang_help(check->unit, "nothing orders the task by what it does there; leave the word out unless that is meant");
	return !broken;
}

static void tensor_pass(struct lang_work_check *check, struct lang_work *work, struct lang_pass *pass, const struct lang_param *param)
{
	const char *who = common_format(&check->unit->arena, "@%s", work->callee);
	struct lang_part *part = &pass->part;

	if (pass->value) {
		value_refuse(check, work, pass, param);
		return;
	}
	if (pass->stated && !access_check(check, work, pass, param))
		return;
	if (!lang_part_check(check, part, pass->stated ? pass->access : param->access, who) || !type_fits(check, work, part, param))
		return;
	if (param->layout) {
		const char *whose = common_format(&check->unit->arena, "%%%s of %s", param->name, who);

		if (!lang_part_memory_join(check, part, param->access, &param->layout->memory, whose))
			return;
		lang_part_join(check, part, param->access, param->layout, whose);
	}
	if (work->function && work->function->kind == LANG_ORCHESTRATION && (part->flat || part->viewed)) {
		lang_error(check->unit, part->all, "@%s is expanded in place: its own calls say what they see of %%%s", work->callee, part->tensor);
		return;
	}
	if (work->function && work->function->kind == LANG_ORCHESTRATION)
		return; /* its accesses are its own affair; it begins at that element */
	part->open = work->function != NULL;
	part->loose = param->loose;
	part->callee = work->callee;
	if (part->flat)
		lang_part_flat_check(check, part);
	else if (lang_part_size(check, part, param->rows, param->columns))
		shape_check(check, work, part, param);
}

/* --- scalars --- */

/* The value in the loops around; a number alone has been looked at. */
static void range_fits(struct lang_work_check *check, const struct lang_scalar *value, const struct lang_param *param)
{
	struct lang_range range = {0};
	int64_t end;
	uint64_t bits;

	if (!lang_range_add(check, &range, value, 1) || !range.count)
		return;
	for (int greatest = 1; greatest >= 0; greatest--)
		if (lang_range_end(&range, greatest, &end) &&
		    lang_number_read(common_format(&check->unit->arena, "%lld", (long long)end), param->dtype, &bits) != LANG_NUMBER_OK) {
			lang_error(check->unit, value->all, "%lld does not fit %%%s of type %s%s", (long long)end, param->name, common_dtype_text(param->dtype),
				   lang_range_text(check->unit, &range, greatest));
			return;
		}
}

/* Numbers of a float parameter are literals, or symbols and slots of that type; all else are integers. */
static void scalar_pass(struct lang_work_check *check, struct lang_work *work, struct lang_pass *pass, const struct lang_param *param)
{
	struct lang_scalar *value = pass->value;

	if (!value) {
		lang_error(check->unit, pass->part.at, "%%%s of @%s is a scalar, a tensor is passed", param->name, work->callee);
		lang_help(check->unit, "load an element into a slot: slot_load %%s, %%%s[0, 0]", pass->part.tensor);
		return;
	}
	if (lang_argument_check(&check->scope, value, param->dtype, param->name) && common_dtype_class(param->dtype) != 'f')
		range_fits(check, value, param);
}

/* Checks the argument that is passed for it: kind, type, direction, layout, shape. pass->part or pass->value is found already. */
static void pass_check(struct lang_work_check *check, struct lang_work *work, struct lang_pass *pass, const struct lang_param *param)
{
	if (param->tensor)
		tensor_pass(check, work, pass, param);
	else
		scalar_pass(check, work, pass, param);
}

/* --- layouts of one call --- */

struct operand {
	const struct lang_part *part;
	uint8_t access, stated; /* stated: the kernel says itself what layout its parameter has */
};

/* The first dimension that the two shard over different axes; their rank: none. */
static uint32_t dim_between(const struct lang_layout *a, const struct lang_layout *b)
{
	uint32_t dim = 0;

	while (dim < a->rank && !(a->dims[dim].sharded && b->dims[dim].sharded && a->dims[dim].mesh_axis != b->dims[dim].mesh_axis))
		dim++;
	return dim;
}

/* Parts of one shape meet element by element, unless the kernel says of both what it wants. */
static bool pair_join(struct lang_work_check *check, const struct operand *a, const struct operand *b)
{
	const struct lang_layout *la = &a->part->decl->layout, *lb = &b->part->decl->layout;
	uint32_t dim;

	if (a->part->flat || b->part->flat || a->part->rows != b->part->rows || a->part->columns != b->part->columns || (a->stated && b->stated) ||
	    la->rank != lb->rank)
		return true;
	dim = dim_between(la, lb);
	if (dim == la->rank)
		return true;
	lang_layouts_refuse(check, b->part, b->access, la, common_format(&check->unit->arena, "%%%s of the same call", a->part->tensor));
	return false;
}

/* The tensors of a task among each other: where parts of one shape meet, their layouts do. */
static void passes_join(struct lang_work_check *check, const struct lang_work *work)
{
	uint32_t all = lang_callee_count(work), count = 0;
	struct operand *operands = common_alloc(&check->unit->arena, (all + 1) * sizeof(*operands));

	for (uint32_t i = 0; i < all; i++) {
		const struct lang_pass *pass = work->binds[i];
		struct lang_param param;

		if (!pass || pass->value || !pass->part.decl || !pass->part.rows || !pass->part.decl->layout.stated)
			continue;
		param = lang_callee_param(work, i);
		if (param.tensor)
			operands[count++] = (struct operand){&pass->part, param.access, param.layout && param.layout->stated};
	}
	for (uint32_t i = 1; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!pair_join(check, &operands[k], &operands[i]))
				return;
}

/* --- what is called --- */

uint32_t lang_callee_count(const struct lang_work *call)
{
	if (call->function)
		return call->function->memref_count + call->function->need_count;
	return call->target->kind == LANG_DECL_KERNEL ? ((const struct lang_kernel *)call->target)->param_count : 0;
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
static void need_find(struct lang_work_check *check, struct lang_work *work, uint32_t index, const struct lang_param *param)
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
		struct lang_param param = lang_callee_param(work, i);

		if (work->rest.line && param.tensor && !work->binds[i])
			work->binds[i] = rest_take(check, work, param.name);
		if (work->binds[i])
			pass_check(check, work, work->binds[i], &param);
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
		passes_join(check, work);
	if (is_task(work))
		lang_segment_task(check, work->local);
	else
		lang_segment_cut(check);
}
