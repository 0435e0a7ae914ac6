/* SPDX-License-Identifier: MIT */
/* statement.c - statements of bodies that are one instruction with the words behind it. */
#include "print/print_work.h"

#include "format/format_names.h"
#include "lang/expr_print.h"
#include "lang/lang_layout.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(struct print_work *w, uint32_t name)
{
	const char *text = print_string(w->job, name);

	if (!lang_name_is_plain(text))
		print_inexpressible(w->text, w->depth, "the name \"%.80s\"", text);
	return text;
}

/* "%s, value": a slot that the source sets, or the number of the task that follows, which then has a name. */
static uint32_t set_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_slot_record *slot = &w->job->t->slot[inst->operand1];

	if (slot->flags & PTOWSP_SLOT_INTERNAL && w->job->t->expr[inst->operand2].op == PTOWSP_EXPR_TASK &&
	    lang_task_name(print_string(w->job, slot->name), w->task_name, sizeof(w->task_name))) {
		w->task = w->task_name;
		return at + 1;
	}
	print_line(w);
	print_add(w->text, "slot_set %%%s, ", name_of(w, slot->name));
	print_expr(w, inst->operand2);
	print_line_end(w, at);
	return at + 1;
}

static uint32_t load_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	print_line(w);
	print_add(w->text, "slot_load %%%s, ", name_of(w, w->job->t->slot[inst->operand1].name));
	print_tensor(w, w->job->t->region[inst->operand2].tensor);
	if (w->job->t->region[inst->operand2].unit)
		print_inexpressible(w->text, w->depth, "a flat region that a slot is loaded from");
	print_place_at(w, w->job->t->region[inst->operand2].tensor, w->job->t->region[inst->operand2].row, w->job->t->region[inst->operand2].column);
	print_add(w->text, "]");
	print_view(w, &w->job->t->region[inst->operand2]);
	print_add(w->text, "%s", inst->flags & PTOWSP_SLOT_LOAD_BITS ? " bits" : "");
	print_line_end(w, at);
	return at + 1;
}

static struct lang_layout layout_of(const struct pkg_tables *t, uint32_t tensor)
{
	const struct ptowsp_tensor_record *x = &t->tensor[tensor];

	return lang_layout_of(t->dim + x->dims, x->dim_count, (x->flags & PTOWSP_TENSOR_REPLICATED) != 0);
}

/* The layouts join, so that copy may stand between the two; relayout otherwise. */
static bool layouts_join(const struct pkg_tables *t, uint32_t from, uint32_t to)
{
	const struct lang_layout a = layout_of(t, from), b = layout_of(t, to);
	uint32_t dim;

	return lang_layout_join(&a, &b, NULL, &dim) == LANG_JOIN_OK;
}

static uint32_t copy_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct pkg_tables *t = w->job->t;
	uint32_t to = print_target(w, at + 1), end;

	print_line(w);
	if (w->task)
		print_add(w->text, "%%%s = ", w->task);
	w->task = NULL;
	print_add(w->text, "%s ", layouts_join(t, t->region[inst->operand2].tensor, t->region[to].tensor) ? "copy" : "relayout");
	print_part(w, inst->operand2, 0, 0);
	print_add(w->text, " -> ");
	print_part(w, to, t->region[inst->operand2].rows, t->region[inst->operand2].columns);
	end = print_afters(w, at + 2);
	print_line_end(w, at);
	return end;
}

static uint32_t send_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	int payload = w->job->t->channel[inst->operand1].kind == PTOWSP_CHANNEL_PAYLOAD;

	print_line(w);
	print_add(w->text, "send %%%s, ", name_of(w, w->job->t->channel[inst->operand1].name));
	print_expr(w, inst->operand2);
	if (payload) {
		const struct ptowsp_region_record *r = &w->job->t->region[print_target(w, at + 1)];

		print_add(w->text, " from ");
		print_part(w, print_target(w, at + 1), r->rows, r->columns);
	}
	print_line_end(w, at);
	return at + 1 + (uint32_t)payload;
}

static uint32_t unknown_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const char *word = pkg_word(PKG_WORDS_opcode, inst->opcode);

	print_inexpressible(w->text, w->depth, "%s", word ? word : "an instruction that is not known");
	return at + 1;
}

/* An operand that is one word; which: its description in workload_ops.def. */
static void operand_add(struct print_work *w, const char *which, uint32_t value)
{
	const struct pkg_tables *t = w->job->t;

	if (!strcmp(which, "channel"))
		print_add(w->text, "%%%s", name_of(w, t->channel[value].name));
	else if (!strcmp(which, "event"))
		print_add(w->text, "%%%s", name_of(w, t->event[value].name));
	else if (!strcmp(which, "tensor"))
		print_add(w->text, "%%%s", name_of(w, t->tensor[value].name));
	else if (!strcmp(which, "scope"))
		print_add(w->text, "%s", pkg_word(PKG_WORDS_scope, value));
	else
		print_add(w->text, "%lu", (unsigned long)value);
}

/* The word of an instruction and its operands. */
static uint32_t plain_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const char *first = pkg_operand(inst->opcode, 0), *second = pkg_operand(inst->opcode, 1);

	print_line(w);
	print_add(w->text, "%s%s", pkg_word(PKG_WORDS_opcode, inst->opcode), *first || *second ? " " : "");
	if (*first)
		operand_add(w, first, inst->operand1);
	print_add(w->text, "%s", *first && *second ? ", " : "");
	if (*second)
		operand_add(w, second, inst->operand2);
	print_line_end(w, at);
	return at + 1;
}

/* An axis with a list is one declaration, whatever the loops over it are called: its words are one statement. */
static uint32_t extent_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_axis_record *axes = w->job->t->axis, *axis = &axes[print_axis_row(w->job, inst->operand1)];

	print_line(w);
	print_add(w->text, "extent ");
	print_axis_name(w->job, w->text, print_axis_row(w->job, inst->operand1));
	if (inst->opcode == PTOWSP_OP_AXIS_DENSE_DYN)
		print_add(w->text, " = %%%s", name_of(w, w->job->t->slot[inst->operand2].name));
	else
		print_add(w->text, " = %lu", (unsigned long)inst->operand2);
	print_line_end(w, at);
	for (at++; axis->count; at++) {
		struct ptowsp_instruction next = print_instruction(w->job, at);

		if (next.opcode != inst->opcode || axes[print_axis_row(w->job, next.operand1)].first != axis->first)
			break;
	}
	return at;
}

static uint32_t filter_print(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct pkg_policy *policy = pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, inst->operand1);

	if (!policy)
		return unknown_print(w, at, inst);
	print_line(w);
	print_add(w->text, "dispatch_filter %s", policy->word);
	if (inst->operand1 != PTOWSP_DISPATCH_ROUND_ROBIN || !print_is_number(w->job, inst->operand2, 0)) {
		print_add(w->text, "(");
		print_expr(w, inst->operand2);
		print_add(w->text, ")");
	}
	print_line_end(w, at);
	return at + 1;
}

static uint32_t (*const prints[])(struct print_work *work, uint32_t at, const struct ptowsp_instruction *instruction) = {
	[PTOWSP_OP_TASK] = print_task,
	[PTOWSP_OP_COPY] = copy_print,
	[PTOWSP_OP_SLOT_SET] = set_print,
	[PTOWSP_OP_SLOT_LOAD] = load_print,
	[PTOWSP_OP_SEND] = send_print,
	[PTOWSP_OP_CLOSE] = plain_print,
	[PTOWSP_OP_SIGNAL] = plain_print,
	[PTOWSP_OP_WAIT] = plain_print,
	[PTOWSP_OP_ALLOC] = plain_print,
	[PTOWSP_OP_FREE] = plain_print,
	[PTOWSP_OP_BARRIER] = plain_print,
	[PTOWSP_OP_BREAK] = plain_print,
	[PTOWSP_OP_NOP] = plain_print,
	[PTOWSP_OP_HALT] = plain_print,
	[PTOWSP_OP_AXIS_DENSE] = extent_print,
	[PTOWSP_OP_AXIS_DENSE_DYN] = extent_print,
	[PTOWSP_OP_AXIS_RAGGED] = extent_print,
	[PTOWSP_OP_AXIS_SPARSE] = extent_print,
	[PTOWSP_OP_DISPATCH_FILTER] = filter_print,
	[PTOWSP_OP_NOTIFY] = plain_print,
	[PTOWSP_OP_WAIT_NOTIFY] = plain_print,
	[PTOWSP_OP_FENCE] = plain_print,
};

uint32_t print_statement(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	if (inst->opcode < sizeof(prints) / sizeof(*prints) && prints[inst->opcode])
		return prints[inst->opcode](w, at, inst);
	return unknown_print(w, at, inst);
}
