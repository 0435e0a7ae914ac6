/* SPDX-License-Identifier: MIT */
/* call_lower.c - statements of bodies as instructions of WORK: calls as tasks, what is expanded in place and the notes of that, how tasks see flat memory. */
#include "lang/lang_work.h"
#include "lang/lower/lang_lower.h"
#include "lang/number.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_part.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int is_float(uint16_t dtype)
{
	return common_dtype_class(dtype) == 'f';
}

/* A literal of a float type with its sign: "0.5", "-2". NULL: it is none. */
static const char *literal(struct lang_unit *unit, const struct lang_scalar *scalar)
{
	if (scalar->kind == LANG_SCALAR_NUMBER || scalar->kind == LANG_SCALAR_FLOAT)
		return scalar->text;
	if (scalar->kind == LANG_SCALAR_OP && scalar->op == PTOWSP_EXPR_NEG &&
	    (scalar->operands[0]->kind == LANG_SCALAR_NUMBER || scalar->operands[0]->kind == LANG_SCALAR_FLOAT))
		return common_format(&unit->arena, "-%s", scalar->operands[0]->text);
	return NULL;
}

/* A float argument made of integers is converted. */
static bool integer_check(const struct lang_scope *scope, struct lang_scalar *scalar, const char *name)
{
	return lang_scalar_check(scope, scalar, common_format(&scope->module->unit->arena, "an expression for %%%s", name));
}

static bool float_check(const struct lang_scope *scope, struct lang_scalar *scalar, uint16_t dtype, const char *name)
{
	struct lang_unit *unit = scope->module->unit;
	struct lang_decl *decl = scalar->kind == LANG_SCALAR_NAME ? lang_decl_find(scope->module, '%', scalar->text) : NULL;
	const char *text;
	uint64_t value;

	if (scalar->kind == LANG_SCALAR_NAME && !decl && lang_number_is_word(scalar->text)) /* %inf looks like a name, as in functions */
		scalar->kind = LANG_SCALAR_FLOAT;
	text = literal(unit, scalar);

	if (text) {
		if (lang_number_read(text, dtype, &value) == LANG_NUMBER_OK)
			return true;
		lang_error(unit, scalar->all, "%.40s is no value of type %s", text, common_dtype_text(dtype));
		return false;
	}
	if (decl && (decl->kind == LANG_DECL_SYMBOL || decl->kind == LANG_DECL_SLOT) && ((struct lang_value *)decl)->dtype == dtype) {
		decl->used = 1;
		scalar->decl = decl;
		return true;
	}
	if (!decl || (decl->kind != LANG_DECL_SYMBOL && decl->kind != LANG_DECL_SLOT) || !is_float(((struct lang_value *)decl)->dtype))
		return integer_check(scope, scalar, name);
	lang_error(unit, scalar->all, "%%%s is of type %s: a number, a symbol or slot of that type, or an integer is passed", name, common_dtype_text(dtype));
	return false;
}

bool lang_argument_check(const struct lang_scope *scope, struct lang_scalar *scalar, uint16_t dtype, const char *name)
{
	struct lang_unit *unit = scope->module->unit;
	int64_t known;
	uint64_t value;

	if (is_float(dtype))
		return float_check(scope, scalar, dtype, name);
	if (!lang_scalar_check(scope, scalar, common_format(&unit->arena, "%%%s", name)))
		return false;
	if (!lang_scalar_known(scalar, &known) || lang_number_read(common_format(&unit->arena, "%lld", (long long)known), dtype, &value) == LANG_NUMBER_OK)
		return true;
	lang_error(unit, scalar->all, "%lld does not fit %%%s of type %s", (long long)known, name, common_dtype_text(dtype));
	return false;
}

/* The EXPR row of the value. */
static uint32_t argument_lower(struct lang_lower *lower, const struct lang_scalar *scalar, uint16_t dtype)
{
	const char *text = is_float(dtype) ? literal(lower->unit, scalar) : NULL;
	const bool is_value = scalar->kind == LANG_SCALAR_NAME && !scalar->local && is_float(((const struct lang_value *)scalar->decl)->dtype);
	uint64_t value = 0;

	if (!text && is_float(dtype) && !is_value)
		return lang_expr_float(&lower->tables->exprs, lang_scalar_lower(lower, scalar), dtype);
	if (!text)
		return lang_scalar_lower(lower, scalar);
	lang_number_read(text, dtype, &value);
	return lang_expr_const(&lower->tables->exprs, value);
}

/* --- tasks --- */

static uint32_t kernel_number(struct lang_lower *lower, const struct lang_work *work)
{
	return build_kernel_listed(lower->build, work->function ? work->function->kernel : work->target->row);
}

static const struct lang_scalar *scalar_of(const struct lang_work *work, uint32_t index)
{
	return work->binds[index] ? work->binds[index]->value : work->needs[index];
}

/* Adds the stated edges behind a task or copy and its words. */
static void afters_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;

	for (uint32_t i = 0; i < work->after_count; i++) {
		const struct lang_after *after = &work->afters[i];
		uint32_t task = after->back
					? lang_expr_binary(exprs, PTOWSP_EXPR_SUB, lang_expr_leaf(exprs, PTOWSP_EXPR_TASK), lang_expr_const(exprs, after->back))
					: lang_scalar_lower(walk->lower, after->task);

		lang_word_add(walk->lower, PTOWSP_OP_AFTER, after->kind, task, work->at);
	}
}

/* The stand-in for the callee at a tile level, and the rows that it touches of one tensor. */
struct standing {
	const char *name, *param, *verb;
	uint32_t rows, columns;
	uint8_t other;   /* it is not the callee itself */
	uint8_t *warned; /* its tiles are larger than a step: said */
};

static struct standing standing_at(struct lang_lower *lower, const struct lang_work *work, uint32_t rows, const struct lang_param *param)
{
	struct standing standing = {.name = work->callee, .param = param->name, .rows = param->rows, .columns = param->columns};

	if (work->function) {
		const struct lang_function *f = lang_variant_at(lower, work->function, rows);
		const struct lang_var *memref = f->memrefs[param->argument];

		standing = (struct standing){
			f->name, memref->name, "moves a tile of", memref->rows, memref->columns, f != work->function, &work->function->steps_warned};
	} else {
		struct lang_kernel *kernel = (struct lang_kernel *)work->target;
		const struct lang_kernel_variant *variant = lang_kernel_variant_at(kernel, rows);

		standing.warned = &kernel->steps_warned;
		standing.verb = "takes";
		lang_kernel_level_note(lower, kernel, rows);
		if (variant) {
			standing.name = variant->name;
			standing.other = 1;
			lang_kernel_variant_shape(variant, param->argument, &standing.rows, &standing.columns);
		}
	}
	return standing;
}

/* A variant may stand in for the callee at a tile level, and touch more: a part with a size of its own has to hold that, too. */
static void level_check(struct lang_lower *lower, const struct lang_work *work, uint32_t rows)
{
	for (uint32_t i = 0; i < lang_callee_count(work); i++) {
		struct lang_param param = lang_callee_param(work, i);
		struct standing standing;
		const struct lang_part *part;
		int64_t row;

		if (!param.tensor)
			continue;
		part = &work->binds[i]->part;
		standing = standing_at(lower, work, rows, &param);
		if (!part->flat && standing.other && (standing.rows > part->rows || standing.columns > part->columns)) {
			lang_error(lower->unit, part->all, "at tile level %u, @%s %s %u x %u %s %%%s, this part of %%%s is %u x %u", rows, standing.name,
				   standing.verb, standing.rows, standing.columns, work->function ? "to or from" : "of", standing.param, part->tensor,
				   part->rows, part->columns);
			lang_help(lower->unit, "pass it as flat memory: %%%s[row, column : ...]", part->tensor);
		} else if (part->index_count && !lang_scalar_known(part->indices[0], &row)) {
			lang_step_warn(lower, standing.warned, standing.name, standing.rows, rows, part->tensor, part->all);
		}
	}
}

static void view_note(struct lang_lower *lower, const struct lang_work *work, const struct lang_param *param, const struct lang_part *part, uint32_t tensors)
{
	const struct lang_viewing viewing = {.kernel = work->function ? work->function->kernel : work->target->row,
					     .name = work->callee,
					     .count = tensors,
					     .tensor = param->argument,
					     .param = param->name,
					     .flat = part->flat,
					     .viewed = part->viewed,
					     .at = part->all};

	lang_view_note(lower, &viewing);
}

/* How much of the part is there. */
static void parts_lower(struct lang_work_walk *walk, const struct lang_part *part, uint32_t argument, struct lang_span at)
{
	static const unsigned words[] = {COMMON_PART_ROWS, COMMON_PART_COLUMNS};

	for (unsigned axis = 0; axis < 2; axis++)
		if (part->parts >> axis & 1)
			lang_word_add(walk->lower, words[axis], argument, lang_scalar_lower(walk->lower, part->extents[axis]), at);
}

/* Before a task that has a name: keeps its number where something reads it. The number of the task that follows, where something else than the next tasks reads it. */
static void task_name_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	if (work->local && work->local->slot)
		lang_word_add(walk->lower, PTOWSP_OP_SLOT_SET, work->local->slot->head.row, lang_expr_leaf(&walk->lower->tables->exprs, PTOWSP_EXPR_TASK),
			      work->at);
}

static void task_emit(struct lang_work_walk *walk, const struct lang_work *work)
{
	struct lang_lower *lower = walk->lower;
	uint32_t count = lang_callee_count(work), tensors = 0;

	for (uint32_t i = 0; i < count; i++)
		tensors += lang_callee_param(work, i).tensor;
	for (uint32_t i = 0; walk->levels.stated && i < walk->levels.count; i++)
		level_check(lower, work, walk->levels.rows[i]);
	task_name_lower(walk, work);
	lang_word_add_at(walk->lower, PTOWSP_OP_TASK, kernel_number(lower, work), (count - tensors) << 16 | tensors, work->at);
	for (uint32_t i = 0; i < count; i++) {
		struct lang_param param = lang_callee_param(work, i);
		uint32_t row;

		if (param.tensor)
			continue;
		row = lang_argument_add(lower->tables, param.argument, argument_lower(lower, scalar_of(work, i), param.dtype));
		if (row == PTOWSP_NONE)
			lang_too_large(lower, work->at);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct lang_param param = lang_callee_param(work, i);
		const struct lang_pass *pass = work->binds[i];

		if (!param.tensor)
			continue;
		view_note(lower, work, &param, &pass->part, tensors);
		lang_word_add(walk->lower, lang_io_word(pass->stated ? pass->access : param.access), param.argument, lang_part_lower(walk, &pass->part),
			      work->at);
	}
	for (uint32_t i = 0; i < count; i++)
		if (lang_callee_param(work, i).tensor)
			parts_lower(walk, &work->binds[i]->part, lang_callee_param(work, i).argument, work->at);
	afters_lower(walk, work);
}

/* --- what is expanded in place --- */

/* The element where a part begins, counted from the beginning of its tensor. */
static uint32_t start_lower(struct lang_lower *lower, const struct lang_part *part)
{
	struct lang_exprs *exprs = &lower->tables->exprs;
	uint32_t start = lang_expr_const(exprs, 0), rank = part->decl->rank;

	for (uint32_t i = 0; i < part->index_count; i++) {
		if (i)
			start = lang_expr_binary(exprs, PTOWSP_EXPR_MUL, start,
						 lang_scalar_lower(lower, part->decl->extents[part->index_count == rank ? i : rank - 1]));
		start = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, start, lang_scalar_lower(lower, part->indices[i]));
	}
	return start;
}

static uint32_t call_record(struct lang_work_walk *walk, const struct lang_work *work, const uint32_t *needs)
{
	const struct lang_function *f = work->function;
	uint32_t record = lang_call_begin(walk->lower, walk->entry, f->entry);

	for (uint32_t i = 0; i < f->memref_count; i++) {
		const struct lang_part *part = &work->binds[i]->part;
		uint32_t row, column;

		lang_part_place_lower(walk->lower, part, &row, &column);
		lang_call_tensor(walk->lower, record, part->decl->head.row, row, column);
	}
	lang_call_scalars(walk->lower, record, f, needs);
	return record;
}

static void orchestration_expand(struct lang_work_walk *walk, const struct lang_work *work)
{
	struct lang_lower *lower = walk->lower;
	const struct lang_function *f = work->function;
	struct lang_binding *memrefs = common_alloc(&lower->unit->arena, (f->memref_count + 1) * sizeof(*memrefs));
	uint32_t *needs = common_alloc(&lower->unit->arena, (f->need_count + 1) * sizeof(*needs));
	uint32_t record = PTOWSP_NONE;

	for (uint32_t i = 0; i < f->memref_count; i++) {
		const struct lang_part *part = &work->binds[i]->part;

		lang_tensor_use(lower, part->decl);
		memrefs[i] = (struct lang_binding){part->decl->head.row, start_lower(lower, part)};
	}
	for (uint32_t i = 0; i < f->need_count; i++)
		needs[i] = argument_lower(lower, scalar_of(work, f->memref_count + i), f->needs[i]->type.dtype);
	if (!walk->expansions)
		record = call_record(walk, work, needs);
	lang_orchestration_lower(lower, f, memrefs, needs, walk->depth - 1, walk->loops, &walk->levels);
	if (!walk->expansions)
		lang_call_end(lower, record);
}

static void workload_expand(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t record = walk->expansions ? PTOWSP_NONE : lang_call_begin(walk->lower, walk->entry, work->target->row);

	walk->expansions++;
	lang_body_expand(walk, &((const struct lang_workload *)work->target)->body);
	walk->expansions--;
	if (!walk->expansions)
		lang_call_end(walk->lower, record);
}

void lang_task_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	if (work->target && work->target->kind == LANG_DECL_WORKLOAD) {
		lang_expansion_count(walk->lower, work->at);
		workload_expand(walk, work);
	} else if (work->function && work->function->kind == LANG_ORCHESTRATION) {
		lang_expansion_count(walk->lower, work->at);
		orchestration_expand(walk, work);
	} else {
		task_emit(walk, work);
	}
}

uint32_t lang_call_begin(struct lang_lower *lower, uint32_t caller, uint32_t callee)
{
	struct ptowsp_build *b = lower->build;

	*BUILD_PUSH(b, calls, call) =
		(struct build_call_note){.record = {.first = lower->tables->work_count, .caller = caller}, .callee = b->entries[callee].record.name};
	return b->call_count - 1;
}

static void argument_add(struct lang_lower *lower, uint32_t record, struct ptowsp_call_argument_record argument)
{
	struct build_call_note *call = &lower->build->calls[record];

	*COMMON_PUSH(&lower->unit->arena, call->arguments, call->record.argument_count, call->argument_capacity) = argument;
}

void lang_call_tensor(struct lang_lower *lower, uint32_t record, uint32_t tensor, uint32_t row, uint32_t column)
{
	argument_add(lower, record, (struct ptowsp_call_argument_record){.tensor = tensor, .slot = PTOWSP_NONE, .row = row, .column = column});
}

static int by_slot(const void *a, const void *b)
{
	const struct ptowsp_call_argument_record *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

void lang_call_scalars(struct lang_lower *lower, uint32_t record, const struct lang_function *callee, const uint32_t *values)
{
	const struct build_call_note *call = &lower->build->calls[record];
	uint32_t first = call->record.argument_count;

	for (uint32_t i = 0; i < callee->need_count; i++)
		argument_add(lower, record,
			     (struct ptowsp_call_argument_record){
				     .tensor = PTOWSP_NONE, .slot = callee->needs[i]->symbol->row, .row = values[i], .column = PTOWSP_NONE});
	if (callee->need_count)
		qsort(call->arguments + first, callee->need_count, sizeof(*call->arguments), by_slot);
}

void lang_call_end(struct lang_lower *lower, uint32_t record)
{
	struct ptowsp_call_record *call = &lower->build->calls[record].record;

	call->instructions = lower->tables->work_count - call->first;
}

static const char *view_text(int viewed)
{
	return viewed ? "bytes with \"as\"" : "elements as they are";
}

void lang_view_note(struct lang_lower *lower, const struct lang_viewing *viewing)
{
	struct common_arena *arena = &lower->unit->arena;
	struct lang_view **views, *first;

	if (!lower->views)
		lower->views = common_alloc(arena, (lang_rows_of(lower, PTOWSP_SECTION_KREG)->count + 1) * sizeof(*lower->views));
	views = &lower->views[viewing->kernel];
	if (!*views)
		*views = common_alloc(arena, (viewing->count + 1) * sizeof(**views));
	first = &(*views)[viewing->tensor];
	if (first->scope != LANG_VIEW_PROCESSES && first->scope != lower->view_scope) {
		*first = (struct lang_view){lower->view_scope, viewing->viewed, viewing->at};
	} else if (viewing->flat && viewing->viewed != first->viewed) {
		lang_error(lower->unit, viewing->at, "%%%s of @%s is passed %s here, and %s at %s: all tasks of a kernel see flat memory alike", viewing->param,
			   viewing->name, view_text(viewing->viewed), view_text(first->viewed), lang_place(lower->unit, first->at));
		lang_help(lower->unit, "declare a kernel of the same code for one of them: kernel @%s_bytes(...) { portable @%s }", viewing->name,
			  viewing->name);
	}
}

/* ---- statements of bodies as instructions of WORK. ---- */

/* Enters a call, or ends the compilation where calls lie too deep. */
static void nest(struct lang_work_walk *walk, struct lang_span at)
{
	if (++walk->depth > PTOWSP_NESTING_LIMIT + 1) /* the body of the entry itself is no nest */
		lang_too_deep(walk->lower->unit, at, " when calls are expanded");
}

void lang_body_lower(struct lang_work_walk *walk, const struct lang_body *body)
{
	nest(walk, body->at);
	for (const struct lang_work *work = body->first; work; work = work->next)
		work->form->lower(walk, work);
	walk->depth--;
}

/* --- loops and branches --- */

void lang_loop_body_lower(struct lang_work_walk *walk, uint32_t head, struct lang_local *local, const struct lang_body *body)
{
	local->loop = walk->loops++;
	lang_body_lower(walk, body);
	walk->loops--;
	lang_work_end(walk->lower->tables, head);
}

void lang_loop_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t row = work->value ? lang_scalar_lower(walk->lower, work->value) : PTOWSP_NONE;
	uint32_t axis = lang_loop_axis_lower(walk, work, row);
	struct lang_level_set outer = walk->levels;

	if (work->axis->levels)
		lang_levels_enter(&walk->levels, work->axis->levels);
	lang_loop_body_lower(walk, lang_word_add_at(walk->lower, work->form->opcode, axis, 0, work->at), work->local, &work->bodies[0]);
	walk->levels = outer;
}

/* Adds so many TARGET words, then the bodies. */
static void bodies_lower(struct lang_work_walk *walk, const struct lang_work *work, uint32_t count)
{
	uint32_t targets = walk->lower->tables->work_count;

	for (uint32_t i = 0; i < count; i++)
		lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, work->at);
	for (uint32_t i = 0; i < count; i++) {
		if (i < work->body_count)
			lang_body_lower(walk, &work->bodies[i]);
		lang_work_end(walk->lower->tables, targets + i);
	}
}

void lang_cond_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_COND, 0, lang_scalar_lower(walk->lower, work->value), work->at);
	bodies_lower(walk, work, 2);
}

void lang_repeat_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_WHILE, 0, lang_scalar_lower(walk->lower, work->value), work->at);
	bodies_lower(walk, work, 1);
}

void lang_branches_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, work->form->opcode, work->body_count, 0, work->at);
	bodies_lower(walk, work, work->body_count);
}

void lang_scope_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t head = lang_word_add_at(walk->lower, PTOWSP_OP_SCOPE, 0, 0, work->at);

	lang_body_lower(walk, &work->bodies[0]);
	lang_work_end(walk->lower->tables, head);
}

/* --- one instruction each --- */

void lang_bare_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, work->form->opcode, 0, 0, work->at);
}

void lang_fence_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_FENCE, work->mode, 0, work->at);
}

void lang_event_use_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, work->form->opcode, 0, work->decl->row, work->at);
}

void lang_memory_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_tensor_use(walk->lower, (const struct lang_tensor *)work->decl);
	lang_word_add_at(walk->lower, work->form->opcode, 0, work->decl->row, work->at);
}

void lang_slot_set_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_SLOT_SET, work->decl->row, lang_scalar_lower(walk->lower, work->value), work->at);
}

void lang_slot_load_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t row = lang_word_add_at(walk->lower, PTOWSP_OP_SLOT_LOAD, work->decl->row, lang_part_lower(walk, &work->parts[0]), work->at);

	walk->lower->tables->work[row].flags = work->mode ? PTOWSP_SLOT_LOAD_BITS : 0;
}

void lang_copy_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t from = lang_part_lower(walk, &work->parts[0]), to = lang_part_lower(walk, &work->parts[1]);

	task_name_lower(walk, work);
	lang_word_add_at(walk->lower, PTOWSP_OP_COPY, 0, from, work->at);
	lang_word_add(walk->lower, PTOWSP_OP_IO_OUTPUT, 0, to, work->at);
	afters_lower(walk, work);
}

/* --- workloads --- */

void lang_workload_code(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_body *body = &((const struct lang_workload *)decl)->body;
	struct lang_work_walk walk = {.lower = lower, .entry = decl->row, .body = body};

	lang_entry_begin(lower, decl->row);
	lang_body_lower(&walk, body);
	lang_word_add(walk.lower, PTOWSP_OP_HALT, 0, 0, decl->at);
	lang_entry_end(lower, 0);
}
