/* SPDX-License-Identifier: MIT */
/* work_lower.c - statements of bodies as instructions of WORK. */
#include "lang/lang_work.h"
#include "lang/lower/lang_lower.h"

#include <string.h>

/* One deeper, or the end of the compilation where it is too deep. */
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

static void target_set(struct lang_work_walk *walk, uint32_t row)
{
	walk->lower->tables->work[row].operand2 = walk->lower->tables->work_count;
}

/* --- loops and branches --- */

void lang_loop_body_lower(struct lang_work_walk *walk, uint32_t head, struct lang_local *local, const struct lang_body *body)
{
	local->loop = walk->loops++;
	lang_body_lower(walk, body);
	walk->loops--;
	target_set(walk, head);
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

/* So many TARGET words, then the bodies. */
static void bodies_lower(struct lang_work_walk *walk, const struct lang_work *work, uint32_t count)
{
	uint32_t targets = walk->lower->tables->work_count;

	for (uint32_t i = 0; i < count; i++)
		lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, work->at);
	for (uint32_t i = 0; i < count; i++) {
		if (i < work->body_count)
			lang_body_lower(walk, &work->bodies[i]);
		target_set(walk, targets + i);
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
	target_set(walk, head);
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

/* The number of the task that follows, where something else than the next tasks reads it. */
void lang_task_name_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	if (work->local && work->local->slot)
		lang_word_add(walk->lower, PTOWSP_OP_SLOT_SET, work->local->slot->head.row, lang_expr_leaf(&walk->lower->tables->exprs, PTOWSP_EXPR_TASK),
			      work->at);
}

void lang_copy_lower(struct lang_work_walk *walk, const struct lang_work *work)
{
	uint32_t from = lang_part_lower(walk, &work->parts[0]), to = lang_part_lower(walk, &work->parts[1]);

	lang_task_name_lower(walk, work);
	lang_word_add_at(walk->lower, PTOWSP_OP_COPY, 0, from, work->at);
	lang_word_add(walk->lower, PTOWSP_OP_IO_OUTPUT, 0, to, work->at);
	lang_afters_lower(walk, work);
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
