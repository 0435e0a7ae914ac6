/* SPDX-License-Identifier: MIT */
/* tasks_code.c - instructions of an entry as statements of C, tasks as calls of the task API. */
#include "print/print_text.h"
#include "print/tasks_parts.h"
#include "ptowsp/task.h"

#include "format/format_names.h"
#include "registry/common/common_part.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* --- tasks --- */

static uint32_t kernel_row(const struct print_tasks *p, uint32_t index)
{
	return pkg_code_kernel(p->code, index);
}

/* The kernel that runs at the level in force. */
static uint32_t variant_of(const struct print_tasks *p, uint32_t kernel)
{
	const struct ptowsp_kernel_record *row = &p->t->kernel[kernel];

	for (uint32_t i = 0; p->level && i < row->variant_count; i++)
		if (p->t->variant[row->variants + i].rows == p->level)
			return p->t->variant[row->variants + i].kernel;
	return kernel;
}

/* How much of a tensor argument is there, which words from `at` on say: an expression, PTOWSP_NONE: all. */
static uint32_t part_find(const struct print_tasks *p, uint32_t at, uint32_t argument, unsigned opcode)
{
	for (; at < p->work.num_instructions; at++) {
		const struct ptowsp_instruction word = print_c_instruction(p, at);

		if (!common_is_part(word.opcode))
			break;
		if (word.opcode == opcode && word.operand1 == argument)
			return word.operand2;
	}
	return PTOWSP_NONE;
}

static unsigned access_of(unsigned opcode)
{
	switch (opcode) {
	case PTOWSP_OP_IO_INPUT: return PTOWSP_READ;
	case PTOWSP_OP_IO_OUTPUT: return PTOWSP_WRITE;
	case PTOWSP_OP_IO_INOUT: return PTOWSP_READ | PTOWSP_WRITE;
	default: return 0;
	}
}

/* parts: the first of the words that say how much is there. */
static void tensor_print(struct print_tasks *p, uint32_t kernel, const struct ptowsp_instruction *word, uint32_t parts)
{
	const uint32_t there[2] = {part_find(p, parts, word->operand1, COMMON_PART_ROWS), part_find(p, parts, word->operand1, COMMON_PART_COLUMNS)};
	struct print_text call = {0};

	if (p->first_pass) { /* and which slots say where it is */
		print_c_region_note(p, kernel, word->operand1, word->operand2);
		for (int i = 0; i < 2; i++)
			if (there[i] != PTOWSP_NONE)
				print_c_expr(p, &call, there[i], PRINT_C_ANY);
		print_c_expr(p, &call, p->t->region[word->operand2].row, PRINT_C_ANY);
		print_c_expr(p, &call, p->t->region[word->operand2].column, PRINT_C_ANY);
		print_text_finish(&call);
		return;
	}
	print_c_divisors_check(p, p->t->region[word->operand2].row);
	print_c_divisors_check(p, p->t->region[word->operand2].column);
	for (int i = 0; i < 2; i++)
		if (there[i] != PTOWSP_NONE)
			print_c_divisors_check(p, there[i]);
	print_c_region(p, &call, kernel, word->operand1, word->operand2, there, access_of(word->opcode));
	print_c_line(p, "%s);", common_text_view(&call.out));
	p->body.out.failed |= call.out.failed;
	print_text_finish(&call);
}

/* The type of the kernel's scalar of that number. */
static unsigned scalar_dtype(const struct print_tasks *p, uint32_t kernel, uint32_t number)
{
	const struct ptowsp_kernel_record *row = &p->t->kernel[kernel];

	for (uint32_t i = 0; i < row->param_count; i++)
		if (p->t->param[row->params + i].kind == PTOWSP_PARAM_SCALAR && !number--)
			return p->t->param[row->params + i].dtype;
	return PTOWSP_I64;
}

static void argument_print(struct print_tasks *p, uint32_t kernel, const struct ptowsp_instruction *word)
{
	const unsigned dtype = word->opcode == PTOWSP_OP_PARAM_EXPR ? scalar_dtype(p, kernel, word->operand1) : PTOWSP_I64;
	const uint32_t integer = word->opcode == PTOWSP_OP_PARAM_EXPR ? print_float_of(p->t, word->operand2, dtype) : PTOWSP_NONE;
	struct print_text value = {0};

	if (word->opcode == PTOWSP_OP_PARAM_CONST) {
		print_c_line(p, "rt_task_add_arg(tasks, t, (uint64_t)%" PRId32 ");", (int32_t)word->operand2);
		return;
	}
	if (word->opcode == PTOWSP_OP_PARAM_LOOPVAR) {
		print_c_line(p, "rt_task_add_arg(tasks, t, (uint64_t)%s);", word->operand2 < p->loop_count ? p->loops[word->operand2].name : "0");
		return;
	}
	print_c_expr(p, &value, integer == PTOWSP_NONE ? word->operand2 : integer, integer == PTOWSP_NONE ? 12 : PRINT_C_ANY);
	print_c_divisors_check(p, word->operand2);
	p->floats |= integer != PTOWSP_NONE;
	if (integer != PTOWSP_NONE)
		print_c_line(p, "rt_task_add_arg(tasks, t, float_bits(%s, %u, %u));", value.out.bytes ? value.out.bytes : "0", print_float_mantissa(dtype),
			     print_float_exponent(dtype));
	else
		print_c_line(p, "rt_task_add_arg(tasks, t, (uint64_t)%s);", value.out.bytes ? value.out.bytes : "0");
	print_text_finish(&value);
}

/* AFTER words behind the others: tasks with a number that is negative wait for nobody. In a pipeline numbers do not count what goes with tokens. */
static uint32_t afters_print(struct print_tasks *p, uint32_t at)
{
	for (;; at++) {
		const struct ptowsp_instruction word = at < p->work.num_instructions ? print_c_instruction(p, at) : (struct ptowsp_instruction){0};
		struct print_text value = {0};

		if (word.opcode != PTOWSP_OP_AFTER)
			return at;
		if (word.operand1 == PTOWSP_AFTER_SOFT)
			continue;
		print_c_expr(p, &value, word.operand2, 7);
		print_c_divisors_check(p, word.operand2);
		print_c_line(p, "if (%s >= 0)", value.out.bytes ? value.out.bytes : "-1");
		print_c_line(p, "\trt_task_add_%s(tasks, t, (uint64_t)(%s));", p->pipeline ? "after" : "dep", value.out.bytes ? value.out.bytes : "0");
		print_text_finish(&value);
	}
}

static uint32_t task_print(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);
	const uint32_t kernel = variant_of(p, kernel_row(p, inst.operand1)), arguments = inst.operand2 >> 16, tensors = inst.operand2 & 0xFFFF;
	const char *name = print_c_kernel_add(p, kernel);
	uint32_t end = at + 1 + arguments + tensors;

	p->most_args = arguments > p->most_args ? arguments : p->most_args;
	p->most_tensors = tensors > p->most_tensors ? tensors : p->most_tensors;
	print_c_line(p, "rt_task_alloc(tasks, o->kernel.%s, &t);", name);
	for (uint32_t i = 0; i < arguments + tensors; i++) {
		const struct ptowsp_instruction word = print_c_instruction(p, at + 1 + i);

		if (word.opcode == PTOWSP_OP_PARAM_CONST || word.opcode == PTOWSP_OP_PARAM_LOOPVAR || word.opcode == PTOWSP_OP_PARAM_EXPR)
			argument_print(p, kernel, &word);
		else
			tensor_print(p, kernel, &word, end);
	}
	while (end < p->work.num_instructions && common_is_part(print_c_instruction(p, end).opcode))
		end++;
	end = afters_print(p, end);
	print_c_line(p, "rt_task_submit(tasks, t%s);", p->counts ? "++" : "");
	return end;
}

/* A region as a block in a call. */
static void copied_print(struct print_tasks *p, const char *call, uint32_t region)
{
	struct print_text text = {0};

	if (p->first_pass)
		print_c_region_note(p, PTOWSP_NONE, 0, region);
	print_c_divisors_check(p, p->t->region[region].row);
	print_c_divisors_check(p, p->t->region[region].column);
	print_c_block_region(p, &text, region, false);
	print_c_line(p, "rt_task_add_%s(tasks, t%s);", call, common_text_view(&text.out));
	p->body.out.failed |= text.out.failed;
	print_text_finish(&text);
}

static uint32_t copy_print(struct print_tasks *p, uint32_t at)
{
	uint32_t end;

	if (!p->copy[0]) {
		snprintf(p->copy, sizeof(p->copy), "copy");
		p->no_memory |= !common_names_choose(&p->named, p->copy, sizeof(p->copy), "_");
	}
	p->most_tensors = p->most_tensors > 2 ? p->most_tensors : 2;
	print_c_line(p, "rt_task_alloc(tasks, o->kernel.%s, &t);", p->copy);
	copied_print(p, "input", print_c_instruction(p, at).operand2);
	copied_print(p, "output", print_c_instruction(p, at + 1).operand2);
	end = afters_print(p, at + 2);
	print_c_line(p, "rt_task_submit(tasks, t%s);", p->counts ? "++" : "");
	return end;
}

/* --- branches, scopes, values --- */

static void part_print(struct print_tasks *p, uint32_t from, uint32_t to)
{
	p->depth++;
	print_c_block(p, from, to);
	p->depth--;
}

static uint32_t cond_print(struct print_tasks *p, uint32_t at)
{
	const uint32_t then_end = print_c_instruction(p, at + 1).operand2, end = print_c_instruction(p, at + 2).operand2;
	const uint32_t row = print_c_instruction(p, at).operand2;
	struct print_text value = {0};

	print_c_expr(p, &value, row, PRINT_C_ANY);
	print_c_divisors_check(p, row);
	print_c_line(p, "if (%s) {", value.out.bytes ? value.out.bytes : "0");
	part_print(p, at + 3, then_end);
	if (end > then_end) {
		print_c_line(p, "} else {");
		part_print(p, then_end, end);
	}
	print_c_line(p, "}");
	print_text_finish(&value);
	return end;
}

static uint32_t while_print(struct print_tasks *p, uint32_t at)
{
	const uint32_t end = print_c_instruction(p, at + 1).operand2, row = print_c_instruction(p, at).operand2, scopes = p->scopes;
	const int in_loop = p->in_loop, in_levels = p->in_levels;
	struct print_text value = {0};

	p->scopes = 0;
	p->in_loop = 1;
	p->in_levels = 0;
	print_c_line(p, "for (;;) {");
	p->depth++;
	print_c_expr(p, &value, row, 12);
	print_c_divisors_check(p, row);
	print_c_line(p, "if (!%s)", value.out.bytes ? value.out.bytes : "0");
	print_c_line(p, "\tbreak;");
	print_c_block(p, at + 2, end);
	p->depth--;
	print_c_line(p, "}");
	p->scopes = scopes;
	p->in_loop = in_loop;
	p->in_levels = in_levels;
	print_text_finish(&value);
	return end;
}

static uint32_t scope_print(struct print_tasks *p, uint32_t at)
{
	const uint32_t end = print_c_instruction(p, at).operand2;

	print_c_line(p, "rt_scope_begin(tasks);");
	p->scopes++;
	print_c_block(p, at + 1, end);
	p->scopes--;
	print_c_line(p, "rt_scope_end(tasks);");
	return end;
}

/* Branches that nothing orders: one behind the other, as the package's tasks are numbered. Steps that do not begin before the one before has ended. */
static uint32_t combine_print(struct print_tasks *p, uint32_t at)
{
	const uint32_t branches = print_c_instruction(p, at).operand1;
	uint32_t from = at + 1 + branches;

	for (uint32_t i = 0; i < branches; i++) {
		const uint32_t to = print_c_instruction(p, at + 1 + i).operand2;

		print_c_line(p, "{");
		part_print(p, from, to);
		print_c_line(p, "}");
		if (print_c_instruction(p, at).opcode == PTOWSP_OP_SEQUENTIAL && i + 1 < branches)
			print_c_line(p, "rt_tasks_barrier(tasks);");
		from = to;
	}
	return from;
}

/* For a signal of an event, or a notification of another device. */
static uint32_t wait_print(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);

	if (inst.opcode == PTOWSP_OP_WAIT)
		print_c_line(p, "if (rt_tasks_wait(tasks, %" PRIu32 "))", inst.operand2);
	else
		print_c_line(p, "if (rt_tasks_wait_notify(tasks, %" PRIu32 ", %" PRIu32 "))", (uint32_t)inst.operand1, inst.operand2);
	print_c_line(p, "\treturn PTOWSP_RUN_FAILED;");
	return at + 1;
}

static uint32_t break_print(struct print_tasks *p, uint32_t at)
{
	if (p->in_levels)
		print_c_refuse(p, "break leaves a loop with tile levels, which is several loops in C");
	for (uint32_t i = 0; i < p->scopes; i++)
		print_c_line(p, "rt_scope_end(tasks);");
	print_c_line(p, "break;");
	return at + 1;
}

static uint32_t set_print(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);
	struct print_text value = {0};

	print_c_expr(p, &value, inst.operand2, PRINT_C_ANY);
	print_c_divisors_check(p, inst.operand2);
	print_c_slot(p, inst.operand1)->set = 1;
	print_c_line(p, "%s%s = %s;", p->pipeline ? "v->" : "", p->slots[inst.operand1].name, value.out.bytes ? value.out.bytes : "0");
	print_text_finish(&value);
	return at + 1;
}

/* Waits for who writes the element; an error ends the function, which the run knows. */
static uint32_t load_print(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);
	const struct ptowsp_region_record *region = &p->t->region[inst.operand2];
	struct print_text call = {0};

	print_c_load(p, &call, inst.operand2, inst.flags & PTOWSP_SLOT_LOAD_BITS);
	print_c_divisors_check(p, region->row);
	print_c_divisors_check(p, region->column);
	print_c_slot(p, inst.operand1)->set = 1;
	print_c_line(p, "if (%s%s%s))", common_text_view(&call.out), p->pipeline ? "v->" : "", p->slots[inst.operand1].name);
	print_c_line(p, "\treturn PTOWSP_RUN_FAILED;");
	p->body.out.failed |= call.out.failed;
	print_text_finish(&call);
	return at + 1;
}

static uint32_t instruction_print(struct print_tasks *p, uint32_t at)
{
	const struct ptowsp_instruction inst = print_c_instruction(p, at);

	switch (inst.opcode) {
	case PTOWSP_OP_NOP: return at + 1;
	case PTOWSP_OP_ALLOC:
	case PTOWSP_OP_FREE: return at + 1; /* memory is the caller's, all the time */
	case PTOWSP_OP_SELECT:
	case PTOWSP_OP_FOR_EACH:
	case PTOWSP_OP_PARALLEL_FOR: print_c_loop(p, at); return inst.operand2;
	case PTOWSP_OP_CONSUME: print_c_consume(p, at); return inst.operand2;
	case PTOWSP_OP_SEND: return print_c_send(p, at);
	case PTOWSP_OP_CLOSE: print_c_line(p, "rt_process_close(tasks, o->channel.%s);", p->channels[inst.operand1]); return at + 1;
	case PTOWSP_OP_FENCE: /* behind the copies, too */
	case PTOWSP_OP_BARRIER: print_c_line(p, "rt_tasks_barrier(tasks);"); return at + 1;
	case PTOWSP_OP_SIGNAL: print_c_line(p, "rt_tasks_signal(tasks, %" PRIu32 ");", inst.operand2); return at + 1;
	case PTOWSP_OP_NOTIFY: print_c_line(p, "rt_tasks_notify(tasks, %" PRIu32 ", %" PRIu32 ");", (uint32_t)inst.operand1, inst.operand2); return at + 1;
	case PTOWSP_OP_WAIT_NOTIFY:
	case PTOWSP_OP_WAIT: return wait_print(p, at);
	case PTOWSP_OP_COPY: return copy_print(p, at);
	case PTOWSP_OP_AXIS_DENSE:
	case PTOWSP_OP_AXIS_DENSE_DYN:
	case PTOWSP_OP_AXIS_RAGGED:
	case PTOWSP_OP_AXIS_SPARSE: p->extents[pkg_code_axis(p->code, inst.operand1)] = inst; return at + 1;
	case PTOWSP_OP_DISPATCH_FILTER: return at + 1; /* whoever runs them */
	case PTOWSP_OP_COND: return cond_print(p, at);
	case PTOWSP_OP_SEQUENTIAL:
	case PTOWSP_OP_COMBINE: return combine_print(p, at);
	case PTOWSP_OP_WHILE: return while_print(p, at);
	case PTOWSP_OP_BREAK: return break_print(p, at);
	case PTOWSP_OP_TASK: return task_print(p, at);
	case PTOWSP_OP_SCOPE: return scope_print(p, at);
	case PTOWSP_OP_SLOT_SET: return set_print(p, at);
	case PTOWSP_OP_SLOT_LOAD: return load_print(p, at);
	default: print_c_refuse(p, "the task API has no counterpart for %s", pkg_word(PKG_WORDS_opcode, inst.opcode)); return p->work.num_instructions;
	}
}

void print_c_block(struct print_tasks *p, uint32_t from, uint32_t to)
{
	if (p->body.out.length > PRINT_TASKS_MOST)
		print_c_refuse(p, "as C it is longer than %u bytes", PRINT_TASKS_MOST);
	for (uint32_t at = from; at < to && !p->why.code && !p->body.out.failed;) {
		if (print_c_instruction(p, at).opcode == PTOWSP_OP_HALT)
			return;
		at = instruction_print(p, at);
	}
}
