/* SPDX-License-Identifier: MIT */
/* task.c - tasks and loops of bodies. */
#include "print/print_work.h"

#include "format/format_names.h"
#include "ptowsp/task.h"
#include "registry/common/common_part.h"

#include <stdbool.h>
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

/* The parameter of that kind and number. */
static const struct ptowsp_param_record *param_at(const struct print_work *w, const struct ptowsp_kernel_record *kernel, unsigned kind, uint32_t number)
{
	const struct ptowsp_param_record *params = w->job->t->param + kernel->params;

	for (uint32_t i = 0; i < kernel->param_count; i++)
		if (params[i].kind == kind && !number--)
			return &params[i];
	return NULL;
}

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
	const struct ptowsp_param_record *param = param_at(w, kernel, scalar ? PTOWSP_PARAM_SCALAR : PTOWSP_PARAM_TENSOR, word->operand1);
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

uint32_t print_afters(struct print_work *w, uint32_t at)
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
