/* SPDX-License-Identifier: MIT */
/* orchestration.c - the code of an entry as the Orchestration function that it came from. */
#include "print/print_scope.h"
#include "registry/common/common_part.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void block_print(struct print_scope *s, uint32_t from, uint32_t to);

static struct ptowsp_instruction instruction_at(const struct print_scope *s, uint32_t i)
{
	return pkg_code_at(s->job->code, i);
}

/* --- loops and branches --- */

static void for_print(struct print_scope *s, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_axis_record *axis = &s->job->t->axis[pkg_code_axis(s->job->code, inst->operand1)];
	const struct ptowsp_levels_record *levels = axis->levels == PTOWSP_NONE ? NULL : &s->job->t->levels[axis->levels];
	const char *name = print_string(s->job, axis->name);
	struct print_value low = print_value_of(s, axis->low), high = print_value_of(s, axis->high), step = print_value_of(s, axis->step);
	int in_leveled_loop = s->in_leveled_loop;

	if (axis->kind != PTOWSP_AXIS_DENSE || !lang_name_is_plain(name) || s->loop_count == PTOWSP_NESTING_LIMIT) {
		print_inexpressible(&s->body, s->depth, "the loop over the axis \"%.80s\"", name);
		return;
	}
	print_indent(&s->body, s->depth);
	print_add(&s->body, "FOR %%%s:idx, %s:idx, %s:idx, %s:idx", name, low.text, high.text, step.text);
	print_levels(s->job, &s->body, axis->levels, ",");
	print_end_of(s->job, &s->body, 0, at);
	s->loops[s->loop_count++] = name;
	s->in_leveled_loop |= levels && levels->count;
	s->depth++;
	block_print(s, at + 1, inst->operand2);
	s->depth--;
	s->in_leveled_loop = in_leveled_loop;
	s->loop_count--;
	print_indent(&s->body, s->depth);
	print_add(&s->body, "ENDFOR");
	print_end(&s->body);
}

static void cond_print(struct print_scope *s, uint32_t at, const struct ptowsp_instruction *inst)
{
	uint32_t then_end = instruction_at(s, at + 1).operand2, end = instruction_at(s, at + 2).operand2, bit;
	struct print_value value = print_condition_of(s, inst->operand2, &bit);

	print_indent(&s->body, s->depth);
	if (bit < 64)
		print_add(&s->body, "IF_BIT %s, %lu", value.text, (unsigned long)bit);
	else
		print_add(&s->body, "IF %s", value.text);
	print_end_of(s->job, &s->body, 0, at);
	s->depth++;
	block_print(s, at + 3, then_end);
	if (end > then_end) {
		print_indent(&s->body, s->depth - 1);
		print_add(&s->body, "ELSE");
		print_end(&s->body);
		block_print(s, then_end, end);
	}
	s->depth--;
	print_indent(&s->body, s->depth);
	print_add(&s->body, "ENDIF");
	print_end(&s->body);
}

/* --- tasks --- */

/* A memref of the function, or a tensor that is declared around functions; NULL: neither. */
static const char *tensor_name(const struct print_scope *s, uint32_t tensor)
{
	const struct ptowsp_tensor_record *record = &s->job->t->tensor[tensor];

	return record->entry == PTOWSP_NONE ? print_string(s->job, record->name) : print_memref_name(s->job, s->entry, tensor);
}

/* Elements per step of a tuple's row, as the packer counts them. */
static uint32_t unit_of(const struct print_scope *s, const struct ptowsp_param_record *param)
{
	uint32_t unit = (s->in_leveled_loop ? 32 : param->rows) * param->columns;

	return unit ? unit : 1;
}

/* "%x -> %t", and where in it: "%x -> (%t, 4, 0)". */
static void binding_add(struct print_text *text, const char *formal, const char *tensor, const struct print_value *row, const struct print_value *column)
{
	if (!strcmp(row->text, "0") && !strcmp(column->text, "0"))
		print_add(text, "%%%s -> %%%s", formal ? formal : "?", tensor ? tensor : "?");
	else
		print_add(text, "%%%s -> (%%%s, %s, %s)", formal ? formal : "?", tensor ? tensor : "?", print_bare(row), print_bare(column));
}

static void window_print(struct print_scope *s, struct print_text *call, const struct ptowsp_param_record *param, const struct ptowsp_region_record *region)
{
	const char *formal = print_string(s->job, param->name), *tensor = tensor_name(s, region->tensor);
	struct print_value row = print_value_of(s, region->row), column = print_value_of(s, region->column);

	if (!tensor || region->rows || region->columns || region->unit != unit_of(s, param))
		print_inexpressible(&s->body, s->depth, "the region of %%%.80s in \"%.80s\"", formal,
				    print_string(s->job, s->job->t->tensor[region->tensor].name));
	binding_add(call, formal, tensor, &row, &column);
}

/* An argument as it is in the source: nothing if it is the caller's of that name anyway. */
static int argument_print(struct print_scope *s, struct print_text *call, const struct ptowsp_param_record *param, const struct ptowsp_instruction *word,
			  const char *callee, int some)
{
	const char *name = print_string(s->job, param->name);
	struct print_value value;

	if (word->opcode == PTOWSP_OP_PARAM_EXPR && print_is_taken_over(s, word->operand2, callee, name))
		return 0;
	if (word->opcode == PTOWSP_OP_PARAM_CONST)
		value = print_constant_of(s, (uint64_t)(int64_t)(int32_t)word->operand2, param->dtype);
	else if (word->opcode == PTOWSP_OP_PARAM_LOOPVAR)
		value = print_loop_of(s, word->operand2);
	else
		value = print_scalar_of(s, word->operand2, param->dtype);
	print_add(call, "%s%%%s -> %s%s", some ? ", " : "", name, value.name ? "" : "%", value.text);
	return 1;
}

static uint32_t task_print(struct print_scope *s, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct pkg_tables *t = s->job->t;
	const struct ptowsp_kernel_record *kernel = &t->kernel[pkg_code_kernel(s->job->code, inst->operand1)];
	const struct ptowsp_param_record *params = t->param + kernel->params;
	uint32_t arguments = inst->operand2 >> 16, tensors = inst->operand2 & 0xFFFF, some = 0, end = at + 1 + arguments + tensors;
	const char *name = print_string(s->job, kernel->name);
	struct print_text call = {0};

	if (arguments + tensors != kernel->param_count) {
		print_inexpressible(&s->body, s->depth, "a task of %.80s with %lu arguments and %lu tensors", name, (unsigned long)arguments,
				    (unsigned long)tensors);
		return end;
	}
	for (uint32_t i = 0; i < tensors; i++) {
		struct ptowsp_instruction word = instruction_at(s, at + 1 + arguments + i);

		print_add(&call, "%s", some++ ? ", " : "");
		window_print(s, &call, &params[i], &t->region[word.operand2]);
	}
	for (uint32_t i = 0; i < arguments; i++) {
		struct ptowsp_instruction word = instruction_at(s, at + 1 + i);

		some += (uint32_t)argument_print(s, &call, &params[tensors + i], &word, name, some > 0);
	}
	print_indent(&s->body, s->depth);
	print_add(&s->body, "CALL @%s(%s)", name, common_text_view(&call.out));
	print_end_of(s->job, &s->body, 0, at);
	s->body.out.failed |= call.out.failed;
	print_text_finish(&call);
	for (; end < s->job->work.num_instructions && common_is_part(instruction_at(s, end).opcode); end++)
		print_inexpressible(&s->body, s->depth, "how much of a tile is there");
	for (; end < s->job->work.num_instructions && instruction_at(s, end).opcode == PTOWSP_OP_AFTER; end++)
		print_inexpressible(&s->body, s->depth, "an edge from an earlier task");
	return end;
}

/* --- calls that were expanded in place --- */

static void expanded_tensor_print(struct print_scope *s, struct print_text *text, uint32_t callee, uint32_t position,
				  const struct ptowsp_call_argument_record *a)
{
	uint32_t formal_row = print_tensor_of(s->job, callee, position);
	const char *formal = formal_row == PTOWSP_NONE ? NULL : print_memref_name(s->job, callee, formal_row);
	const char *tensor = tensor_name(s, a->tensor);
	struct print_value row = print_value_of(s, a->row), column = print_value_of(s, a->column);

	if (!formal || !tensor)
		print_inexpressible(&s->body, s->depth, "a tensor of a call that was expanded");
	binding_add(text, formal, tensor, &row, &column);
}

static bool expanded_scalar_print(struct print_scope *s, struct print_text *text, uint32_t callee, const struct ptowsp_call_argument_record *a, int some)
{
	const char *function = print_string(s->job, s->job->t->entry[callee].name);
	const char *name = print_symbol_name(s->job, function, a->slot);
	struct print_value value;

	if (print_is_taken_over(s, a->row, function, name))
		return false;
	value = print_scalar_of(s, a->row, s->job->t->slot[a->slot].dtype);
	print_add(text, "%s%%%s -> %s%s", some ? ", " : "", name, value.name ? "" : "%", value.text);
	return true;
}

static void expanded_print(struct print_scope *s, const struct ptowsp_call_record *call)
{
	const struct ptowsp_call_argument_record *args = s->job->t->call_argument + call->arguments;
	struct print_text text = {0};
	int some = 0;

	for (uint32_t i = 0; i < call->argument_count; i++)
		if (args[i].tensor != PTOWSP_NONE) {
			print_add(&text, "%s", some++ ? ", " : "");
			expanded_tensor_print(s, &text, call->callee, i, &args[i]);
		} else {
			some += expanded_scalar_print(s, &text, call->callee, &args[i], some > 0);
		}
	print_indent(&s->body, s->depth);
	print_add(&s->body, "CALL @%s(%s)", print_string(s->job, s->job->t->entry[call->callee].name), common_text_view(&text.out));
	print_end(&s->body);
	s->body.out.failed |= text.out.failed;
	print_text_finish(&text);
}

/* The calls that begin here, in their order; how far their instructions reach. */
static uint32_t expansions_print(struct print_scope *s, uint32_t at, uint32_t to)
{
	const struct ptowsp_call_record *call;

	for (; (call = print_call_at(s->job, s->entry, s->next_call)); s->next_call++) {
		if (call->first != at || call->instructions > to - at)
			break;
		expanded_print(s, call);
		at += call->instructions;
	}
	return at;
}

/* --- scalars --- */

static void load_print(struct print_scope *s, uint32_t at, const struct ptowsp_instruction *inst)
{
	const struct ptowsp_region_record *region = &s->job->t->region[inst->operand2];
	const char *tensor = tensor_name(s, region->tensor), *name = print_slot_of(s, inst->operand1);
	struct print_value row = print_value_of(s, region->row), column = print_value_of(s, region->column);

	if (!tensor || !name || region->unit != 1 || region->rows || region->columns || strcmp(column.text, "0") != 0 || inst->flags) {
		print_inexpressible(&s->body, s->depth, "a slot is loaded from a region");
		return;
	}
	print_indent(&s->body, s->depth);
	print_add(&s->body, "LOAD %%%s:%s, %%%s[%s]", name, print_annotation(s->job->t->slot[inst->operand1].dtype), tensor, print_bare(&row));
	print_end_of(s->job, &s->body, 0, at);
}

static void set_print(struct print_scope *s, uint32_t at, const struct ptowsp_instruction *inst)
{
	const char *name = print_slot_of(s, inst->operand1);

	if (!name) {
		print_inexpressible(&s->body, s->depth, "the slot \"%.80s\" is set", print_string(s->job, s->job->t->slot[inst->operand1].name));
		return;
	}
	if (at == s->start && print_is_own_start(s, inst->operand1, inst->operand2, at)) {
		s->start++; /* tensors from outside are there without a word */
		return;
	}
	s->start += at == s->start;
	print_assignment(s, name, s->job->t->slot[inst->operand1].dtype, inst->operand2, at);
}

/* One instruction and what belongs to it; where the next one is. */
static uint32_t instruction_print(struct print_scope *s, uint32_t at)
{
	struct ptowsp_instruction inst = instruction_at(s, at);

	switch (inst.opcode) {
	case PTOWSP_OP_PARALLEL_FOR: for_print(s, at, &inst); return inst.operand2;
	case PTOWSP_OP_COND: cond_print(s, at, &inst); return instruction_at(s, at + 2).operand2;
	case PTOWSP_OP_TASK: return task_print(s, at, &inst);
	case PTOWSP_OP_SLOT_SET: set_print(s, at, &inst); return at + 1;
	case PTOWSP_OP_SLOT_LOAD: load_print(s, at, &inst); return at + 1;
	default: print_inexpressible(&s->body, s->depth, "%s", print_opcode(inst.opcode)); return at + 1;
	}
}

static void block_print(struct print_scope *s, uint32_t from, uint32_t to)
{
	const uint32_t known = s->known_count;

	for (uint32_t at = expansions_print(s, from, to); at < to;) {
		const uint32_t next = instruction_print(s, at);

		at = expansions_print(s, next > at ? next : at + 1, to);
	}
	s->known_count = known; /* a block's values are its own */
}

/* --- the function --- */

/* Symbols that the entry needs although no instruction reads them: the source set something by them that nobody uses. */
static void unread_print(struct print_scope *s)
{
	const struct ptowsp_entry_record *entry = &s->job->t->entry[s->entry];

	for (uint32_t i = 0; i < entry->value_count; i++) {
		uint32_t slot = s->job->t->entry_value[entry->values + i].slot;

		if (!s->symbols[slot] && !s->job->index.scheduled[slot])
			print_unread(s, slot);
	}
}

static void halt_find(const struct print_scope *s, uint32_t *end_out)
{
	uint32_t at = s->job->t->entry[s->entry].instruction;

	while (at < s->job->work.num_instructions && instruction_at(s, at).opcode != PTOWSP_OP_HALT)
		at++;
	*end_out = at;
}

void print_orchestration(struct print_job *job, struct print_text *text, uint32_t entry)
{
	struct print_scope s = {.job = job, .entry = entry, .depth = 1, .start = job->t->entry[entry].instruction, .next_call = print_call_from(job, entry)};
	uint32_t end, memrefs;

	print_scope_init(&s);
	halt_find(&s, &end);
	if (!s.body.out.failed) {
		block_print(&s, s.start, end);
		unread_print(&s);
		print_add(text, "// Function Type: Orchestration");
		print_end(text);
		print_add(text, "func @%s(", s.function);
		print_memrefs(job, text, entry, &memrefs);
		print_scope_head(&s, text, memrefs);
		print_append(text, &s.body);
		print_add(text, "  return");
		print_end(text);
		print_add(text, "}");
		print_end(text);
	}
	text->out.failed |= s.body.out.failed;
	print_scope_finish(&s);
}
