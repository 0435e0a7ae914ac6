/* SPDX-License-Identifier: MIT */
/* work_check.c - names and places of the statements of bodies, and where indices lie while loops run. */
#include "lang/lang_process.h"
#include "lang/lang_work.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* ---- where the indices of a part lie while the loops around it run, if only numbers decide that. ---- */

/* --- values of loops --- */

/* A break of this loop stands in the body: its last rounds need not come. */
static int breaks(const struct lang_body *body)
{
	for (const struct lang_work *work = body->first; work; work = work->next) {
		if (work->form->opcode == PTOWSP_OP_BREAK)
			return 1;
		if (work->local && work->local->kind == LANG_LOCAL_LOOP)
			continue; /* a loop of its own */
		for (uint32_t i = 0; work->form->opcode != PTOWSP_OP_WHILE && i < work->body_count; i++)
			if (breaks(&work->bodies[i]))
				return 1;
	}
	return 0;
}

static void extents_note(struct lang_module *module, const struct lang_body *body)
{
	for (const struct lang_work *work = body->first; work && work->form->check == lang_extent_check; work = work->next) {
		struct lang_decl *decl = work->name ? lang_decl_find(module, '%', work->name) : NULL;

		if (decl && decl->kind == LANG_DECL_AXIS)
			((struct lang_axis *)decl)->overridden = 1;
	}
}

void lang_extents_note(struct lang_module *module)
{
	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_WORKLOAD)
			extents_note(module, &((struct lang_workload *)decl)->body);
		else if (decl->kind == LANG_DECL_PROCESS)
			extents_note(module, &((struct lang_process *)decl)->body);
}

/* The values of a loop, kept in its local, before its body is checked: none where a run decides, or where it may end early. */
static void range_set(struct lang_work_check *check, const struct lang_work *work)
{
	const struct lang_axis *axis = work->axis;
	struct lang_local *local = work->local;
	int64_t low = 0, high, step = 1;

	local->has_range = 0;
	local->guards = check->guards;
	if (!axis || axis->head.broken || axis->levels || axis->overridden || axis->kind != PTOWSP_AXIS_DENSE || !axis->high ||
	    !lang_scalar_known(axis->high, &high) || (axis->low && !lang_scalar_known(axis->low, &low)) ||
	    (axis->step && !lang_scalar_known(axis->step, &step)))
		return;
	if (step < 1 || low < INT32_MIN || high > INT32_MAX || high <= low || breaks(&work->bodies[0]))
		return;
	local->has_range = 1;
	local->first = low;
	local->last = low + (high - 1 - low) / step * step;
}

/* --- sums of loop values --- */

static bool term_add(struct lang_range *range, const struct lang_local *local, int64_t factor)
{
	uint32_t i = 0;

	while (i < range->count && range->terms[i].local != local)
		i++;
	if (i == LANG_RANGE_TERMS)
		return false;
	if (i == range->count)
		range->terms[range->count++] = (struct lang_range_term){.local = local};
	return !__builtin_add_overflow(range->terms[i].factor, factor, &range->terms[i].factor);
}

static bool sum_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor);

static bool product_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	for (int i = 0; i < 2; i++) {
		int64_t known;

		if (lang_scalar_known(scalar->operands[i], &known))
			return !__builtin_mul_overflow(known, factor, &factor) && sum_add(check, range, scalar->operands[1 - i], factor);
	}
	return false;
}

static bool op_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	switch (scalar->op) {
	case PTOWSP_EXPR_ADD: return sum_add(check, range, scalar->operands[0], factor) && sum_add(check, range, scalar->operands[1], factor);
	case PTOWSP_EXPR_SUB:
		return factor != INT64_MIN && sum_add(check, range, scalar->operands[0], factor) && sum_add(check, range, scalar->operands[1], -factor);
	case PTOWSP_EXPR_NEG: return factor != INT64_MIN && sum_add(check, range, scalar->operands[0], -factor);
	case PTOWSP_EXPR_MUL: return product_add(check, range, scalar, factor);
	default: return false;
	}
}

static bool sum_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	int64_t known, product;

	if (lang_scalar_known(scalar, &known))
		return !__builtin_mul_overflow(known, factor, &product) && !__builtin_add_overflow(range->constant, product, &range->constant);
	if (scalar->kind == LANG_SCALAR_NAME)
		return scalar->local && scalar->local->kind == LANG_LOCAL_LOOP && scalar->local->has_range && scalar->local->guards == check->guards &&
		       term_add(range, scalar->local, factor);
	return scalar->kind == LANG_SCALAR_OP && op_add(check, range, scalar, factor);
}

bool lang_range_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	return sum_add(check, range, scalar, factor);
}

bool lang_range_end(const struct lang_range *range, int greatest, int64_t *value_out)
{
	int64_t product;

	*value_out = range->constant;
	for (uint32_t i = 0; i < range->count; i++) {
		const struct lang_range_term *term = &range->terms[i];

		if (__builtin_mul_overflow(term->factor, (term->factor > 0) == greatest ? term->local->last : term->local->first, &product) ||
		    __builtin_add_overflow(*value_out, product, value_out))
			return false;
	}
	return true;
}

const char *lang_range_text(struct lang_unit *unit, const struct lang_range *range, int greatest)
{
	const char *text = "";

	for (uint32_t i = 0; i < range->count; i++) {
		const struct lang_range_term *term = &range->terms[i];

		if (term->factor)
			text = common_format(&unit->arena, "%s%s%%%s is %lld", text, *text ? " and " : " where ", term->local->name,
					     (long long)((term->factor > 0) == greatest ? term->local->last : term->local->first));
	}
	return text;
}

/* --- bodies --- */

void lang_segment_cut(struct lang_work_check *check)
{
	check->segment = ++check->segments;
	check->number = 0;
}

void lang_segment_task(struct lang_work_check *check, struct lang_local *local)
{
	if (local) {
		local->segment = check->segment;
		local->number = check->number;
	}
	check->number++;
}

void lang_body_check(struct lang_work_check *check, struct lang_body *body)
{
	struct lang_local *outer = check->scope.locals;
	struct lang_relayout *relayouts = check->relayouts;

	check->depth++;
	for (struct lang_work *work = body->first; work; work = work->next) {
		work->form->check(check, work);
		check->begun |= work->form->opcode != PTOWSP_OP_AXIS_DENSE && work->form->opcode != PTOWSP_OP_NOP;
		/* The name of a task is known behind it. */
		if (work->local && work->local->kind == LANG_LOCAL_TASK)
			lang_scope_enter(&check->scope, work->local);
	}
	check->depth--;
	check->relayouts = relayouts;
	lang_scope_leave(&check->scope, outer);
}

void lang_loop_body_check(struct lang_work_check *check, struct lang_body *body, struct lang_local *local)
{
	struct lang_local *outer = check->scope.locals;

	lang_scope_enter(&check->scope, local);
	check->loops++;
	check->guards += !local->has_range;
	lang_segment_cut(check);
	lang_body_check(check, body);
	lang_segment_cut(check);
	check->guards -= !local->has_range;
	check->loops--;
	lang_scope_leave(&check->scope, outer);
}

bool lang_work_decl_find(struct lang_work_check *check, struct lang_work *work, enum lang_decl_kind kind, const char *what)
{
	struct lang_decl *decl = lang_decl_find(check->scope.module, '%', work->name);

	if (decl && decl->kind == kind) {
		decl->used = 1;
		work->decl = decl;
		return true;
	}
	if (decl) {
		lang_error(check->unit, work->name_at, "%%%s is %s, %s needs %s", work->name, lang_decl_noun(check->unit, decl->kind), work->form->word, what);
		return false;
	}
	lang_error(check->unit, work->name_at, "there is no %s %%%s", lang_decl_forms[kind].word, work->name);
	lang_decl_help(check->scope.module, '%', kind, work->name);
	return false;
}

/* --- loops and branches --- */

static void axis_find(struct lang_work_check *check, struct lang_work *work)
{
	if (!work->name) {
		lang_axis_check_in(&check->scope, work->axis);
		return;
	}
	if (lang_work_decl_find(check, work, LANG_DECL_AXIS, "an axis or a range such as 0 to %n"))
		work->axis = (struct lang_axis *)work->decl;
}

/* The row is one of those that there are, as far as numbers alone say. */
static void row_inside(struct lang_work_check *check, const struct lang_work *work, const char *name)
{
	const struct lang_axis *axis = work->axis;
	struct lang_range range = {0};
	int64_t rows, row;

	if (axis->overridden)
		return;
	if (axis->kind == PTOWSP_AXIS_SPARSE && !axis->lengths.tensor)
		rows = (int64_t)axis->lengths.count - 1;
	else if (!axis->high || !lang_scalar_known(axis->high, &rows))
		return;
	if (!lang_range_add(check, &range, work->value, 1))
		return;
	for (int greatest = 1; greatest >= 0; greatest--)
		if (lang_range_end(&range, greatest, &row) && (row < 0 || row >= rows)) {
			lang_error(check->unit, work->value->all, "row %lld of %s is outside%s: it has %lld", (long long)row, name,
				   lang_range_text(check->unit, &range, greatest), (long long)rows);
			return;
		}
}

/* A ragged or sparse axis runs over one of its rows. */
static void row_check(struct lang_work_check *check, struct lang_work *work)
{
	const struct lang_axis *axis = work->axis;
	int rows = axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE;
	struct lang_span at = work->name ? work->name_at : axis->kind_at.line ? axis->kind_at : axis->head.at;
	const char *name = work->name ? common_format(&check->unit->arena, "%%%s", work->name) : "this axis";

	if (rows && !work->value) {
		lang_error(check->unit, at, "%s is %s: say which of its rows", name, axis->kind == PTOWSP_AXIS_RAGGED ? "ragged" : "sparse");
		lang_help(check->unit, "write the row in brackets: %s[%%i]",
			  work->name                         ? name
			  : axis->kind == PTOWSP_AXIS_RAGGED ? "ragged(...)"
							     : "sparse(...)");
	}
	if (rows && work->value)
		row_inside(check, work, name);
	if (!rows && work->value)
		lang_error(check->unit, work->value->all, "%s has no rows: only ragged and sparse axes have", name);
	if (work->form->opcode == PTOWSP_OP_SELECT && axis->kind != PTOWSP_AXIS_SPARSE) {
		lang_error(check->unit, at, "select walks a sparse axis, and %s is none", name);
		lang_help(check->unit, "use parallel_for or for_each");
	}
	if (work->form->opcode != PTOWSP_OP_SELECT && axis->kind == PTOWSP_AXIS_SPARSE) {
		lang_error(check->unit, at, "%s is sparse, only select walks it", name);
		lang_help(check->unit, "use select");
	}
}

/* Bounds of a range may be values of the loops around; those of an axis that is declared may not. */
static void range_check(struct lang_work_check *check, struct lang_axis *axis)
{
	int64_t step;

	if (lang_scalar_check(&check->scope, axis->low, "a bound") & lang_scalar_check(&check->scope, axis->high, "a bound") && axis->step &&
	    lang_scalar_check(&check->scope, axis->step, "a step") && lang_scalar_known(axis->step, &step) && step < 1)
		lang_error(check->unit, axis->step->all, "a step is at least 1, not %lld", (long long)step);
	else
		lang_axis_levels_check(check->unit, axis);
}

void lang_loop_check(struct lang_work_check *check, struct lang_work *work)
{
	if (!work->name && work->axis && work->axis->high && !work->axis->kind_at.line && work->axis->low)
		range_check(check, work->axis);
	else if (work->name || (work->axis && work->axis->kind_at.line))
		axis_find(check, work);
	if ((!work->value || lang_scalar_check(&check->scope, work->value, "a row")) && work->axis && !work->axis->head.broken)
		row_check(check, work);
	if (work->local && work->body_count)
		range_set(check, work);
	for (uint32_t i = 0; work->local && i < work->body_count; i++)
		lang_loop_body_check(check, &work->bodies[i], work->local);
}

static void condition_check(struct lang_work_check *check, struct lang_work *work)
{
	if (work->value)
		lang_scalar_check(&check->scope, work->value, "a condition");
}

/* Each body is a piece of its own, and so is what follows. */
void lang_branches_check(struct lang_work_check *check, struct lang_work *work)
{
	check->turns += work->form->opcode == PTOWSP_OP_COMBINE;
	for (uint32_t i = 0; i < work->body_count; i++) {
		if (work->form->opcode != PTOWSP_OP_SCOPE)
			lang_segment_cut(check);
		lang_body_check(check, &work->bodies[i]);
	}
	check->turns -= work->form->opcode == PTOWSP_OP_COMBINE;
	if (work->form->opcode != PTOWSP_OP_SCOPE)
		lang_segment_cut(check);
}

void lang_cond_check(struct lang_work_check *check, struct lang_work *work)
{
	condition_check(check, work);
	check->guards++;
	lang_branches_check(check, work);
	check->guards--;
}

void lang_repeat_check(struct lang_work_check *check, struct lang_work *work)
{
	condition_check(check, work);
	check->loops++;
	check->guards++;
	lang_branches_check(check, work);
	check->guards--;
	check->loops--;
}

void lang_break_check(struct lang_work_check *check, struct lang_work *work)
{
	if (!check->loops)
		lang_error(check->unit, work->at, "break is outside of every loop");
	lang_segment_cut(check);
}

void lang_bare_check(struct lang_work_check *check, struct lang_work *work)
{
	(void)check;
	(void)work;
}

/* --- slots, events, memory --- */

static bool slot_find(struct lang_work_check *check, struct lang_work *work)
{
	const struct lang_decl *decl = lang_decl_find(check->scope.module, '%', work->name);

	if (!decl || decl->kind != LANG_DECL_SYMBOL)
		return lang_work_decl_find(check, work, LANG_DECL_SLOT, "a slot");
	lang_error(check->unit, work->name_at, "%%%s is a symbol: no run can change it", work->name);
	lang_help(check->unit, "declare it as a slot: slot %%%s : %s", work->name, common_dtype_text(((const struct lang_value *)decl)->dtype));
	return false;
}

void lang_slot_set_check(struct lang_work_check *check, struct lang_work *work)
{
	slot_find(check, work);
	lang_scalar_check(&check->scope, work->value, "the value of a slot");
}

void lang_slot_load_check(struct lang_work_check *check, struct lang_work *work)
{
	struct lang_part *part = &work->parts[0];

	slot_find(check, work);
	if (!lang_part_check(check, part, PTOWSP_READ, "slot_load"))
		return;
	if (!part->index_count) {
		lang_error(check->unit, part->all, "slot_load reads one element: say which, such as %%%s[0, 0]", part->tensor);
		return;
	}
	if (!lang_part_size(check, part, 1, 1))
		return;
	if (part->extents[0] && (part->rows != 1 || part->columns != (part->viewed ? common_dtype_bytes(part->view) : 1)))
		lang_error(check->unit, part->all, "slot_load reads one element, not %u x %u", part->rows, part->columns);
}

/* All replicas count into one event: each may take the signal of any other. */
static void replicas_note(struct lang_work_check *check, const struct lang_work *work, struct lang_event *event)
{
	const struct lang_process *process = (const struct lang_process *)check->decl;

	if (check->decl->kind != LANG_DECL_PROCESS || process->replicas < 2)
		return;
	if (work->form->opcode == PTOWSP_OP_SIGNAL) {
		event->signaller = check->decl;
	} else if (event->signaller == check->decl && event->shared != check->decl) {
		event->shared = check->decl;
		lang_warn(check->unit, work->name_at, "@%s has %u replicas that signal %%%s and wait for it: each takes the signal of whichever came first",
			  check->decl->name, process->replicas, work->name);
		lang_help(check->unit, "an event is one for the whole package; a channel says whose signal it is");
	}
}

void lang_event_use_check(struct lang_work_check *check, struct lang_work *work)
{
	struct lang_event *event;

	if (!lang_work_decl_find(check, work, LANG_DECL_EVENT, "an event"))
		return;
	event = (struct lang_event *)work->decl;
	replicas_note(check, work, event);
	if (work->form->opcode == PTOWSP_OP_SIGNAL) {
		event->signalled = 1;
	} else if (!event->waited) {
		event->waited = 1;
		event->wait_at = work->name_at;
	}
}

void lang_event_check(struct lang_module *module, struct lang_decl *decl)
{
	const struct lang_event *event = (const struct lang_event *)decl;

	if (!event->waited || event->signalled)
		return;
	lang_error(module->unit, event->wait_at, "%%%s is waited for, and nothing signals it", decl->name);
	lang_help(module->unit, "signal %%%s where what is waited for is done", decl->name);
}

void lang_memory_check(struct lang_work_check *check, struct lang_work *work)
{
	lang_work_decl_find(check, work, LANG_DECL_TENSOR, "a tensor");
}

/* --- workloads --- */

void lang_workload_check(struct lang_module *module, struct lang_decl *decl)
{
	struct lang_workload *workload = (struct lang_workload *)decl;
	struct lang_work_check check = {.unit = module->unit, .scope = {.module = module, .around = decl->name}, .decl = decl};

	if (workload->state)
		return;
	workload->state = 1;
	lang_body_check(&check, &workload->body);
	workload->state = 2;
}
