/* SPDX-License-Identifier: MIT */
/* task.c - statements of bodies: tasks, loops, and what is one instruction with the words behind it. */
#include "ptowsp/task.h"
#include "format/format_names.h"
#include "lang/expr_print.h"
#include "lang/lang_layout.h"
#include "print/print_work.h"
#include "registry/common/common_part.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- loops --- */

void print_axis_name(const struct print_job *job, struct print_text *text, uint32_t row)
{
	const struct ptowsp_axis_record *axis = &job->t->axis[row];

	if (axis->count)
		print_add(text, "%%%s_axis%lu", job->helper, (unsigned long)axis->first);
	else
		print_add(text, "%%%s_extent%lu", job->helper, (unsigned long)row);
}

/* One row of beginnings less than the tensor has elements: what the source says without a number. */
static bool is_all_rows(const struct print_job *job, const struct ptowsp_axis_record *axis)
{
	const struct ptowsp_tensor_record *begins = &job->t->tensor[axis->lengths];
	uint64_t count = 1;

	for (uint32_t i = 0; i < begins->dim_count; i++) {
		const struct ptowsp_expr_record *extent = &job->t->expr[job->t->dim[begins->dims + i].extent];

		if (extent->op != PTOWSP_EXPR_CONST || extent->c || count > UINT32_MAX)
			return false;
		count *= extent->b;
	}
	return print_is_number(job, axis->high, (int64_t)count - 1);
}

/* Rows that tensors hold. */
static void tensors_axis_add(struct print_work *w, const struct ptowsp_axis_record *axis)
{
	const struct pkg_tables *t = w->job->t;
	int sparse = axis->kind == PTOWSP_AXIS_SPARSE;

	print_add(w->text, "%s(", sparse ? "sparse" : "ragged");
	if (!sparse || !is_all_rows(w->job, axis)) {
		print_expr(w, axis->high);
		print_add(w->text, ", ");
	}
	print_add(w->text, "%%%s", print_string(w->job, t->tensor[axis->lengths].name));
	if (sparse)
		print_add(w->text, ", %%%s", print_string(w->job, t->tensor[axis->indices].name));
	print_add(w->text, ")");
}

void print_levels(const struct print_job *job, struct print_text *text, uint32_t row, const char *separator)
{
	const struct ptowsp_levels_record *levels = row == PTOWSP_NONE ? NULL : &job->t->levels[row];

	if (!levels)
		return;
	print_add(text, " max_range=%lu min_range=%lu", (unsigned long)levels->max_range, (unsigned long)levels->min_range);
	for (uint32_t i = 0; i < levels->count; i++)
		print_add(text, "%s%lu:%lu%s", i ? separator : " tile_levels={", (unsigned long)job->t->level[levels->first + i].block,
			  (unsigned long)job->t->level[levels->first + i].rows, i + 1 == levels->count ? "}" : "");
}

void print_axis(struct print_work *w, uint32_t row)
{
	const struct ptowsp_axis_record *axis = &w->job->t->axis[row];

	if (axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE) {
		tensors_axis_add(w, axis);
		return;
	}
	print_add(w->text, "%s(", axis->kind == PTOWSP_AXIS_DENSE_DYN ? "dense_dyn" : "dense");
	print_expr(w, axis->low);
	print_add(w->text, ", ");
	print_expr(w, axis->high);
	print_add(w->text, ", ");
	print_expr(w, axis->step);
	print_add(w->text, ")");
	print_levels(w->job, w->text, axis->levels, ", ");
}

static void range_add(struct print_work *w, const struct ptowsp_axis_record *axis)
{
	int dynamic = axis->kind == PTOWSP_AXIS_DENSE_DYN;

	print_add(w->text, "%s", dynamic ? "dense_dyn(" : "");
	print_expr(w, axis->low);
	print_add(w->text, "%s", dynamic ? ", " : " to ");
	print_expr(w, axis->high);
	if (!print_is_number(w->job, axis->step, 1)) {
		print_add(w->text, "%s", dynamic ? ", " : " step ");
		print_expr(w, axis->step);
	}
	print_add(w->text, "%s", dynamic ? ")" : "");
}

/* The axis or range of a loop. An axis with a list, or one whose extent some entry says, stands at the top of the text: see declare.c. */
static void space_add(struct print_work *w, uint32_t row)
{
	const struct ptowsp_axis_record *axis = &w->job->t->axis[row];
	int rows = axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE;

	if (axis->count || w->job->stated[row]) {
		print_axis_name(w->job, w->text, row);
	} else if (rows) {
		tensors_axis_add(w, axis);
	} else {
		range_add(w, axis);
		print_levels(w->job, w->text, axis->levels, ", ");
	}
	if (!rows)
		return;
	print_add(w->text, "[");
	print_expr(w, axis->row);
	print_add(w->text, "]");
}

static const char *axis_head(struct print_work *w, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_axis_record *axis = &w->job->t->axis[print_axis_row(w->job, inst->operand1)];
	const char *name = print_string(w->job, axis->name);

	print_line(w);
	print_add(w->text, "%s %%%s in ", pkg_word(PKG_WORDS_opcode, inst->opcode), name);
	space_add(w, print_axis_row(w->job, inst->operand1));
	return name;
}

/* The name of a token is not kept: it gets a new one. */
static const char *consume_head(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	static const char *const names[] = {"token0", "token1", "token2", "token3", "token4", "token5", "token6", "token7"};
	const struct ptowsp_channel_record *channel = &w->job->t->channel[inst->operand1];
	const char *name = names[w->loop_count % 8];

	print_line(w);
	print_add(w->text, "consume %%%s as %%%s", print_string(w->job, channel->name), name);
	if (channel->kind == PTOWSP_CHANNEL_PAYLOAD) {
		uint32_t region = print_instruction(w->job, at + 1).operand2;

		print_add(w->text, " into ");
		w->loops[w->loop_count++] = name;
		print_part(w, region, w->job->t->region[region].rows, w->job->t->region[region].columns);
		w->loop_count--;
	}
	return name;
}

uint32_t print_loop(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const char *name;

	if (w->loop_count == PTOWSP_NESTING_LIMIT) {
		print_inexpressible(w->text, w->depth, "a loop that is nested too deep");
		return inst->operand2;
	}
	name = inst->opcode == PTOWSP_OP_CONSUME ? consume_head(w, at, inst) : axis_head(w, inst);
	if (!lang_name_is_plain(name))
		print_inexpressible(w->text, w->depth, "the loop over the axis \"%.80s\"", name);
	print_add(w->text, " {");
	print_line_end(w, at);
	w->loops[w->loop_count++] = name;
	print_bodies(w, at);
	w->loop_count--;
	return inst->operand2;
}

/* --- tasks --- */

/* The access that the call states for a tensor: nothing where it is what the parameter says. */
static const char *access_word(unsigned opcode, unsigned access)
{
	switch (opcode) {
	case PTOWSP_OP_IO_INPUT: return access == PTOWSP_READ ? "" : "in ";
	case PTOWSP_OP_IO_OUTPUT: return access == PTOWSP_WRITE ? "" : "out ";
	case PTOWSP_OP_IO_INOUT: return access == (PTOWSP_READ | PTOWSP_WRITE) ? "" : "inout ";
	default: return access ? "bind " : "";
	}
}

/* The words behind the others from `at` on that say how much of a tensor argument is there; behind them. */
static uint32_t extents_find(const struct print_work *w, uint32_t at, uint32_t argument, uint32_t extents_out[2])
{
	extents_out[0] = extents_out[1] = PTOWSP_NONE;
	for (;; at++) {
		struct ptowsp_instruction word = at < w->job->work.num_instructions ? print_instruction(w->job, at) : (struct ptowsp_instruction){0};

		if (!common_is_part(word.opcode))
			return at;
		if (word.operand1 == argument)
			extents_out[common_is_columns(word.opcode)] = word.operand2;
	}
}

static void word_add(struct print_work *w, const struct ptowsp_kernel_record *kernel, const struct ptowsp_instruction *word, uint32_t behind)
{
	uint32_t extents[2];

	int scalar = word->opcode == PTOWSP_OP_PARAM_CONST || word->opcode == PTOWSP_OP_PARAM_LOOPVAR || word->opcode == PTOWSP_OP_PARAM_EXPR;
	const struct ptowsp_param_record *param = pkg_param(w->job->t, kernel, scalar ? PTOWSP_PARAM_SCALAR : PTOWSP_PARAM_TENSOR, word->operand1);
	char number[40];

	if (!param) {
		print_inexpressible(w->text, w->depth, "argument %u of %.80s", word->operand1, print_string(w->job, kernel->name));
		return;
	}
	print_add(w->text, "%%%s -> ", print_string(w->job, param->name));
	if (!scalar) {
		print_add(w->text, "%s", access_word(word->opcode, param->access));
		extents_find(w, behind, word->operand1, extents);
		print_part_open(w, word->operand2, param->rows, param->columns, extents);
	} else if (word->opcode == PTOWSP_OP_PARAM_EXPR) {
		print_argument(w, word->operand2, param->dtype);
	} else if (word->opcode == PTOWSP_OP_PARAM_LOOPVAR) {
		print_add(w->text, "%%%s", word->operand2 < w->loop_count ? w->loops[word->operand2] : "?");
	} else {
		if (!print_number(number, (uint64_t)(int64_t)(int32_t)word->operand2, param->dtype))
			print_inexpressible(w->text, w->depth, "the %s with the bits 0x%lx as an argument", print_dtype(param->dtype),
					    (unsigned long)word->operand2);
		print_add(w->text, "%s", number);
	}
}

/* " after %t, data %u" of the edges at that instruction, if there are some; where the next instruction is. */
static uint32_t print_afters(struct print_work *w, uint32_t at)
{
	uint32_t count = 0;

	for (;; at++, count++) {
		struct ptowsp_instruction word = at < w->job->work.num_instructions ? print_instruction(w->job, at) : (struct ptowsp_instruction){0};

		if (word.opcode != PTOWSP_OP_AFTER)
			return at;
		print_add(w->text, "%s%s%s", count ? ", " : " after ", word.operand1 ? pkg_word(PKG_WORDS_edge, word.operand1) : "", word.operand1 ? " " : "");
		print_expr(w, word.operand2);
	}
}

uint32_t print_task(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_kernel_record *kernel = &w->job->t->kernel[print_kernel_row(w->job, inst->operand1)];
	uint32_t words = (inst->operand2 >> 16) + (inst->operand2 & 0xFFFF), end, none[2];

	print_line(w);
	if (w->task)
		print_add(w->text, "%%%s = ", w->task);
	w->task = NULL;
	print_add(w->text, "call @%s(", print_string(w->job, kernel->name));
	for (uint32_t i = 0; i < words; i++) {
		struct ptowsp_instruction word = print_instruction(w->job, at + 1 + i);

		print_add(w->text, "%s", i ? ", " : "");
		word_add(w, kernel, &word, at + 1 + words);
	}
	print_add(w->text, ")");
	end = print_afters(w, extents_find(w, at + 1 + words, PTOWSP_NONE, none));
	print_line_end(w, at);
	return end;
}

/* ---- statements of bodies that are one instruction with the words behind it. ---- */

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
