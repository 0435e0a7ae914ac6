/* SPDX-License-Identifier: MIT */
/* task.c - tasks and loops of bodies. */
#include "print/work.h"

#include "format/names.h"

#include <string.h>

/* --- loops --- */

/* A ragged or sparse axis whose rows are values stands at the top of the text, once: see declare.c. */
static void rows_axis_add(struct print_work *w, const struct ptowsp_axis_record *axis)
{
	const struct pkg_tables *t = w->job->t;

	if (axis->count) {
		print_add(w->text, "%%%s_axis%lu", w->job->helper, (unsigned long)axis->first);
	} else if (axis->kind == PTOWSP_AXIS_SPARSE) {
		print_add(w->text, "sparse(%%%s, %%%s)", print_string(w->job, t->tensor[axis->lengths].name),
			  print_string(w->job, t->tensor[axis->indices].name));
	} else {
		print_add(w->text, "ragged(");
		print_expr(w, axis->high);
		print_add(w->text, ", %%%s)", print_string(w->job, t->tensor[axis->lengths].name));
	}
	print_add(w->text, "[");
	print_expr(w, axis->row);
	print_add(w->text, "]");
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

static const char *axis_head(struct print_work *w, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_axis_record *axis = &w->job->t->axis[print_axis_row(w->job, inst->operand1)];
	const char *name = print_string(w->job, axis->name);

	if (axis->levels != PTOWSP_NONE)
		print_unsaid(w->text, w->depth, "tile levels of a loop in a workload");
	print_line(w);
	print_add(w->text, "%s %%%s in ", pkg_word(PKG_WORDS_opcode, inst->opcode), name);
	if (axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE)
		rows_axis_add(w, axis);
	else
		range_add(w, axis);
	return name;
}

/* The name of a token is not kept: it gets a new one. */
static const char *consume_head(struct print_work *w, uint32_t at, const struct ptowsp_instruction *inst, uint32_t *words)
{
	static const char *const names[] = {"token0", "token1", "token2", "token3", "token4", "token5", "token6", "token7"};
	const struct ptowsp_channel_record *channel = &w->job->t->channel[inst->operand1];
	const char *name = names[w->loop_count % 8];

	print_line(w);
	print_add(w->text, "consume %%%s as %%%s", print_string(w->job, channel->name), name);
	if (channel->kind == PTOWSP_CHANNEL_PAYLOAD) {
		uint32_t region = print_instruction(w->job, at + 1).operand2;

		*words = 1;
		print_add(w->text, " into ");
		w->loops[w->loop_count++] = name;
		print_part(w, region, w->job->t->region[region].rows, w->job->t->region[region].columns);
		w->loop_count--;
	}
	return name;
}

uint32_t print_loop(struct print_work *w, uint32_t at)
{
	struct ptowsp_instruction inst = print_instruction(w->job, at);
	uint32_t words = 0;
	const char *name;

	if (w->loop_count + 1 >= PTOWSP_NESTING_LIMIT) {
		print_unsaid(w->text, w->depth, "a loop that is nested too deep");
		return inst.operand2;
	}
	name = inst.opcode == PTOWSP_OP_CONSUME ? consume_head(w, at, &inst, &words) : axis_head(w, &inst);
	if (!print_is_name(name))
		print_unsaid(w->text, w->depth, "the loop over the axis \"%.80s\"", name);
	print_add(w->text, " {");
	print_line_end(w, at);
	w->loops[w->loop_count++] = name;
	w->depth++;
	print_body(w, at + 1 + words, inst.operand2);
	w->depth--;
	w->loop_count--;
	print_line(w);
	print_add(w->text, "}");
	print_end(w->text);
	return inst.operand2;
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

static void word_add(struct print_work *w, const struct ptowsp_kernel_record *kernel, const struct ptowsp_instruction *word)
{
	int scalar = word->opcode == PTOWSP_OP_PARAM_CONST || word->opcode == PTOWSP_OP_PARAM_LOOPVAR || word->opcode == PTOWSP_OP_PARAM_EXPR;
	const struct ptowsp_param_record *param = param_at(w, kernel, scalar ? PTOWSP_PARAM_SCALAR : PTOWSP_PARAM_TENSOR, word->operand1);
	char number[40];

	if (!param) {
		print_unsaid(w->text, w->depth, "argument %u of %.80s", word->operand1, print_string(w->job, kernel->name));
		return;
	}
	print_add(w->text, "%%%s -> ", print_string(w->job, param->name));
	if (!scalar) {
		print_part(w, word->operand2, param->rows, param->columns);
	} else if (word->opcode == PTOWSP_OP_PARAM_EXPR) {
		print_argument(w, word->operand2, param->dtype);
	} else if (word->opcode == PTOWSP_OP_PARAM_LOOPVAR) {
		print_add(w->text, "%%%s", word->operand2 < w->loop_count ? w->loops[word->operand2] : "?");
	} else {
		if (!print_number(number, (uint64_t)(int64_t)(int32_t)word->operand2, param->dtype) || print_is_spelled(number))
			print_unsaid(w->text, w->depth, "the %s with the bits 0x%lx as an argument", print_dtype(param->dtype), (unsigned long)word->operand2);
		print_add(w->text, "%s", number);
	}
}

/* " after %t, data %u" */
static uint32_t afters_add(struct print_work *w, uint32_t at)
{
	static const char *const kinds[] = {"", "data ", "barrier ", "soft "};
	uint32_t count = 0;

	for (;; at++, count++) {
		struct ptowsp_instruction word = at < w->job->work.num_instructions ? print_instruction(w->job, at) : (struct ptowsp_instruction){0};

		if (word.opcode != PTOWSP_OP_AFTER)
			return at;
		print_add(w->text, "%s%s", count ? ", " : " after ", word.operand1 < 4 ? kinds[word.operand1] : "? ");
		print_expr(w, word.operand2);
	}
}

uint32_t print_task(struct print_work *w, uint32_t at)
{
	struct ptowsp_instruction inst = print_instruction(w->job, at);
	const struct ptowsp_kernel_record *kernel = &w->job->t->kernel[print_kernel_row(w->job, inst.operand1)];
	uint32_t words = (inst.operand2 >> 16) + (inst.operand2 & 0xFFFF), end;

	print_line(w);
	if (w->task)
		print_add(w->text, "%%%s = ", w->task);
	w->task = NULL;
	print_add(w->text, "call @%s(", print_string(w->job, kernel->name));
	for (uint32_t i = 0; i < words; i++) {
		struct ptowsp_instruction word = print_instruction(w->job, at + 1 + i);

		print_add(w->text, "%s", i ? ", " : "");
		word_add(w, kernel, &word);
	}
	print_add(w->text, ")");
	end = afters_add(w, at + 1 + words);
	print_line_end(w, at);
	return end;
}
