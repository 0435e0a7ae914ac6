/* SPDX-License-Identifier: MIT */
/* work_check.c - names and places of the statements of bodies. */
#include "lang/check/range.h"
#include "lang/lang_process.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

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
		lang_range_set(check, work);
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
