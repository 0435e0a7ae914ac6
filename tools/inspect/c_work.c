/* SPDX-License-Identifier: MIT */
/* c_work.c - entries and processes, with their code: where bodies and calls that were expanded begin and end. */
#include "format/format_names.h"
#include "ptowsp/task.h"
#include "registry/common/common_part.h"
#include "tools/inspect/c.h"

#include <string.h>

/* ---- instructions of entries and processes, with the words behind them. ---- */

/* ---- operands ------------------------------------------------------------------------------------------------------------------------- */

/* An operand as the argument of a call; which: its description in workload_ops.def. */
static struct build_arg operand_of(struct said *s, const char *which, uint32_t value)
{
	if (!strcmp(which, "axis"))
		return (struct build_arg){.number = say_axis(s, pkg_code_axis(s->code, value))};
	if (!strcmp(which, "kernel"))
		return (struct build_arg){.number = s->kernels[pkg_code_kernel(s->code, value)]};
	if (!strcmp(which, "expression"))
		return (struct build_arg){.number = say_expr(s, value)};
	if (!strcmp(which, "region"))
		return (struct build_arg){.number = say_region(s, value)};
	if (!strcmp(which, "slot") || !strcmp(which, "slot row"))
		return (struct build_arg){.number = s->slots[value]};
	if (!strcmp(which, "channel"))
		return (struct build_arg){.number = s->channels[value]};
	if (!strcmp(which, "event"))
		return (struct build_arg){.number = s->events[value]};
	if (!strcmp(which, "tensor"))
		return (struct build_arg){.number = s->tensors[value]};
	if (!strcmp(which, "kind"))
		return (struct build_arg){.text = pkg_word(PKG_WORDS_edge, value)};
	if (!strcmp(which, "scope"))
		return (struct build_arg){.text = pkg_word(PKG_WORDS_scope, value)};
	if (!strcmp(which, "predicate")) {
		const struct pkg_policy *policy = pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, value);

		s->stuck |= !policy;
		return (struct build_arg){.text = policy ? policy->word : ""};
	}
	return (struct build_arg){.number = value};
}

/* The call of instruction i, with as many of its operands as the call takes; what it returns. */
static uint32_t operands_say(struct said *s, uint32_t i, const char *name)
{
	const struct ptowsp_instruction in = pkg_code_at(s->code, i);
	const struct build_call *call = build_call_find(name);
	struct build_arg args[BUILD_ARGS] = {{0}};
	uint32_t count = 0;

	for (unsigned k = 0; k < 2 && call->args[count]; k++)
		if (*pkg_operand(in.opcode, k))
			args[count++] = operand_of(s, pkg_operand(in.opcode, k), k ? in.operand2 : in.operand1);
	return say_call(s, call, args, NULL);
}

static uint32_t statement_say(struct said *s, uint32_t i, const char *call)
{
	operands_say(s, i, call);
	return i + 1;
}

/* ---- tasks ---------------------------------------------------------------------------------------------------------------------------- */

static void use_say(struct said *s, const struct ptowsp_kernel_record *k, uint32_t number, const struct ptowsp_instruction *in)
{
	static const uint8_t accesses[] = {[PTOWSP_OP_IO_INPUT - PTOWSP_OP_IO_INPUT] = PTOWSP_READ,
					   [PTOWSP_OP_IO_OUTPUT - PTOWSP_OP_IO_INPUT] = PTOWSP_WRITE,
					   [PTOWSP_OP_IO_INOUT - PTOWSP_OP_IO_INPUT] = PTOWSP_READ | PTOWSP_WRITE,
					   [PTOWSP_OP_IO_BIND - PTOWSP_OP_IO_INPUT] = 0};
	const unsigned access = accesses[in->opcode - PTOWSP_OP_IO_INPUT];
	const uint32_t region = say_region(s, in->operand2);
	const struct ptowsp_param_record *param = pkg_param(s->t, k, PTOWSP_PARAM_TENSOR, number);

	if (!param)
		s->stuck = 1;
	else if ((param->access & 3u) == access)
		say(s, "use", region);
	else
		say(s, "use_as", region, pkg_word(PKG_WORDS_access, access));
}

/* Edges of the task or copy in front of instruction i; the next instruction. */
static uint32_t afters_say(struct said *s, uint32_t i)
{
	s->depth++;
	for (; i < pkg_code_header(s->code)->num_instructions && pkg_code_at(s->code, i).opcode == PTOWSP_OP_AFTER; i++)
		operands_say(s, i, "after");
	s->depth--;
	return i;
}

static uint32_t task_say(struct said *s, uint32_t i, const char *call)
{
	const struct ptowsp_kernel_record *k = &s->t->kernel[pkg_code_kernel(s->code, pkg_code_at(s->code, i).operand1)];
	uint32_t uses = 0;

	operands_say(s, i, call);
	s->depth++;
	for (i++; i < pkg_code_header(s->code)->num_instructions; i++) {
		const struct ptowsp_instruction in = pkg_code_at(s->code, i);

		if (in.opcode == PTOWSP_OP_PARAM_CONST)
			say(s, "arg_number", (int32_t)in.operand2);
		else if (in.opcode == PTOWSP_OP_PARAM_LOOPVAR)
			say(s, "arg_loop", in.operand2);
		else if (in.opcode == PTOWSP_OP_PARAM_EXPR)
			say(s, "arg", say_expr(s, in.operand2));
		else if ((in.opcode >= PTOWSP_OP_IO_INPUT && in.opcode <= PTOWSP_OP_IO_INOUT) || in.opcode == PTOWSP_OP_IO_BIND)
			use_say(s, k, uses++, &in);
		else if (common_is_part(in.opcode))
			say(s, common_is_columns(in.opcode) ? "use_columns" : "use_rows", in.operand1, say_expr(s, in.operand2));
		else
			break;
	}
	s->depth--;
	return afters_say(s, i);
}

/* ---- loops and branches ---------------------------------------------------------------------------------------------------------------- */

/* Instructions [from, to), and where calls that were expanded begin and end among them. */
static void body_say(struct said *s, uint32_t from, uint32_t to);

/* An if whose branches end at one place has no else. */
static uint32_t block_say(struct said *s, uint32_t i, const char *call)
{
	const unsigned op = pkg_code_at(s->code, i).opcode;
	const uint32_t loops = s->b->loops, handle = operands_say(s, i, call);
	uint32_t from, to;

	if (build_call_find(call)->makes == BUILD_EXPR)
		say_loop_value(s, loops, handle);
	for (uint32_t k = 0; pkg_code_body(s->code, i, k, &from, &to) && !(k && op == PTOWSP_OP_COND && from == to); k++) {
		if (k)
			say(s, op == PTOWSP_OP_COND ? "else" : "next");
		s->depth++;
		if (op == PTOWSP_OP_CONSUME && from > i + 1)
			say(s, "carry", say_region(s, pkg_code_at(s->code, i + 1).operand2));
		body_say(s, from, to);
		s->depth--;
	}
	say(s, "end");
	return pkg_code_behind(s->code, i);
}

/* ---- statements with words behind them --------------------------------------------------------------------------------------------------- */

/* The IO word behind send and copy: its region; 0 if there is none. */
static uint32_t word_behind(struct said *s, uint32_t i, unsigned op)
{
	return i + 1 < pkg_code_header(s->code)->num_instructions && pkg_code_at(s->code, i + 1).opcode == op
		       ? say_region(s, pkg_code_at(s->code, i + 1).operand2)
		       : 0;
}

static uint32_t send_say(struct said *s, uint32_t i, const char *call)
{
	uint32_t region;

	operands_say(s, i, call);
	region = word_behind(s, i, PTOWSP_OP_IO_INPUT);
	if (region)
		say(s, "carry", region);
	return i + 1 + (region != 0);
}

static uint32_t copy_say(struct said *s, uint32_t i, const char *call)
{
	say(s, call, say_region(s, pkg_code_at(s->code, i).operand2), word_behind(s, i, PTOWSP_OP_IO_OUTPUT));
	return afters_say(s, i + 2);
}

static uint32_t extent_say(struct said *s, uint32_t i, const char *call)
{
	const struct ptowsp_instruction in = pkg_code_at(s->code, i);

	say(s, call, say_axis(s, pkg_code_axis(s->code, in.operand1)), pkg_word(PKG_WORDS_axis_kind, in.opcode - PTOWSP_OP_AXIS_DENSE), in.operand2);
	return i + 1;
}

static uint32_t slot_load_say(struct said *s, uint32_t i, const char *call)
{
	return statement_say(s, i, pkg_code_at(s->code, i).flags ? "slot_load_bits" : call);
}

/* Instructions that are no plain statements, or whose call has another name: the call, NULL: its mnemonic, and what says it with the words behind it. */
static const struct form {
	const char *call;
	uint32_t (*say)(struct said *salk, uint32_t i, const char *call);
} forms[] = {
	[PTOWSP_OP_PARALLEL_FOR] = {NULL, block_say},
	[PTOWSP_OP_FOR_EACH] = {NULL, block_say},
	[PTOWSP_OP_SELECT] = {NULL, block_say},
	[PTOWSP_OP_COND] = {"if", block_say},
	[PTOWSP_OP_WHILE] = {NULL, block_say},
	[PTOWSP_OP_COMBINE] = {NULL, block_say},
	[PTOWSP_OP_SEQUENTIAL] = {NULL, block_say},
	[PTOWSP_OP_SCOPE] = {NULL, block_say},
	[PTOWSP_OP_TASK] = {NULL, task_say},
	[PTOWSP_OP_AXIS_DENSE] = {"extent", extent_say},
	[PTOWSP_OP_AXIS_DENSE_DYN] = {"extent_slot", statement_say},
	[PTOWSP_OP_AXIS_RAGGED] = {"extent", extent_say},
	[PTOWSP_OP_AXIS_SPARSE] = {"extent", extent_say},
	[PTOWSP_OP_DISPATCH_FILTER] = {"filter", statement_say},
	[PTOWSP_OP_SLOT_LOAD] = {NULL, slot_load_say},
	[PTOWSP_OP_COPY] = {NULL, copy_say},
	[PTOWSP_OP_SEND] = {NULL, send_say},
	[PTOWSP_OP_CONSUME] = {NULL, block_say},
};

/* Says instruction i with the words behind it; returns the next one. */
static uint32_t instruction_say(struct said *s, uint32_t i)
{
	unsigned op = pkg_code_at(s->code, i).opcode;
	struct form form = op < sizeof(forms) / sizeof(*forms) ? forms[op] : (struct form){0};

	if (!form.call)
		form.call = pkg_word(PKG_WORDS_opcode, op);
	if (form.call && build_call_find(form.call))
		return (form.say ? form.say : statement_say)(s, i, form.call);
	s->stuck = 1;
	return i + 1;
}

/* ---- code ------------------------------------------------------------------------------------------------------------------------------ */

/* The halt that ends the code from instruction i on: behind it other code begins, or there is none. */
static uint32_t halt_of(const struct said *s, uint32_t i)
{
	while (i + 1 < pkg_code_header(s->code)->num_instructions &&
	       !(pkg_code_at(s->code, i).opcode == PTOWSP_OP_HALT && pkg_code_owner(s->code, i + 1) != PTOWSP_NONE))
		i++;
	return i;
}

static void call_arguments_say(struct said *s, const struct ptowsp_call_record *call)
{
	for (uint32_t k = 0; k < call->argument_count; k++) {
		const struct ptowsp_call_argument_record *a = &s->t->call_argument[call->arguments + k];
		uint32_t row = a->row == PTOWSP_NONE ? 0 : say_expr(s, a->row), column = a->column == PTOWSP_NONE ? 0 : say_expr(s, a->column);

		if (a->tensor != PTOWSP_NONE)
			say(s, "call_tensor", s->tensors[a->tensor], row, column);
		else if (a->slot != PTOWSP_NONE)
			say(s, "call_scalar", s->slots[a->slot], row);
	}
}

/* Calls that were expanded from instruction i on, and their instructions up to `to`; the next instruction. Inside of a call there is no other. */
static uint32_t calls_say(struct said *s, uint32_t i, uint32_t to)
{
	const struct pkg_tables *t = s->t;

	while (!s->in_call && i < to && s->calls_said < t->call_count && t->call[s->calls_said].first == i) {
		const struct ptowsp_call_record *call = &t->call[s->calls_said++];

		if (call->instructions > to - i) {
			s->stuck = 1;
			return i;
		}
		say(s, "call", pkg_string(t, t->entry[call->callee].name));
		s->depth++;
		call_arguments_say(s, call);
		s->in_call = 1;
		body_say(s, i, i + call->instructions);
		s->in_call = 0;
		s->depth--;
		say(s, "call_end");
		i += call->instructions;
	}
	return i;
}

static void body_say(struct said *s, uint32_t from, uint32_t to)
{
	for (uint32_t i; from < to && !s->stuck && !ptowsp_build_status(s->b); from = i) {
		i = calls_say(s, from, to);
		if (i != from)
			continue;
		say_position(s, 0, i);
		i = instruction_say(s, i);
	}
	s->stuck |= from > to;
}

/* Says the code from instruction i to its halt; the instruction behind that. */
static uint32_t code_say(struct said *s, uint32_t i)
{
	const uint32_t halt = halt_of(s, i);

	s->depth++;
	body_say(s, i, halt);
	s->stuck |= calls_say(s, halt, halt + 1) != halt; /* one that was expanded to nothing */
	s->depth = 0;
	say(s, "end");
	return halt + 1;
}

/* ---- entries and processes ------------------------------------------------------------------------------------------------------------- */

static void entry_rows_say(struct said *s, uint32_t row)
{
	const struct pkg_tables *t = s->t;
	const struct ptowsp_entry_record *e = &t->entry[row];

	if (e->flags & PTOWSP_ENTRY_DEFAULT)
		say(s, "entry_default", s->entries[row]);
	if (e->flags & PTOWSP_ENTRY_PIPELINE)
		say(s, "entry_pipeline", s->entries[row]);
	for (uint32_t i = 0; i < e->value_count; i++)
		say(s, "entry_value", s->entries[row], s->slots[t->entry_value[e->values + i].slot]);
	for (uint32_t k = pkg_ranks_from(&s->owned, row); k < s->owned.count && s->owned.rows[k].key == row; k++)
		say(s, "tensor_place", s->tensors[s->owned.rows[k].row], s->entries[row], t->tensor[s->owned.rows[k].row].position);
}

static uint32_t entry_say(struct said *s, uint32_t row)
{
	const struct ptowsp_entry_record *e = &s->t->entry[row];
	const char *name = pkg_string(s->t, e->name);

	fputc('\n', s->to);
	say_position(s, 2, row);
	if (e->flags & PTOWSP_ENTRY_KERNEL)
		s->entries[row] = say(s, "entry_kernel", name, s->kernels[e->instruction]);
	else
		s->entries[row] = say(s, "entry", name);
	entry_rows_say(s, row);
	return e->flags & PTOWSP_ENTRY_KERNEL ? 0 : code_say(s, e->instruction);
}

static uint32_t process_say(struct said *s, uint32_t row)
{
	const struct ptowsp_process_record *p = &s->t->process[row];
	uint32_t count = s->b->process_count, handle;

	fputc('\n', s->to);
	say_position(s, 0, halt_of(s, p->instruction)); /* its end has the position of the process */
	handle = say(s, "process", pkg_string(s->t, p->name), p->replicas);
	for (uint32_t i = 0; i < p->channel_count; i++) {
		const struct ptowsp_process_channel_record *use = &s->t->process_channel[p->channels + i];

		say(s, "process_uses", handle, pkg_word(PKG_WORDS_channel_direction, use->direction), s->channels[use->channel]);
	}
	if (p->order != count)
		say(s, "process_order", handle, p->order);
	return code_say(s, p->instruction);
}

static void lists_say(struct said *s)
{
	for (uint32_t i = 0; i < pkg_code_header(s->code)->num_axes; i++)
		say(s, "list", say_axis(s, pkg_code_axis(s->code, i)));
	for (uint32_t i = 0; i < pkg_code_header(s->code)->num_kernels; i++)
		say(s, "list", s->kernels[pkg_code_kernel(s->code, i)]);
	for (uint32_t i = 0; i < pkg_code_header(s->code)->num_tensors; i++)
		say(s, "list", s->tensors[pkg_code_tensor(s->code, i)]);
}

/* Values lie in the order of declaration: entries without code whose values end in front of `values`. */
static void tasks_say(struct said *s, uint64_t values)
{
	for (; s->tasks_said < s->tasks.count && !ptowsp_build_status(s->b); s->tasks_said++) {
		const struct ptowsp_entry_record *e = &s->t->entry[s->tasks.rows[s->tasks_said].row];

		if ((uint64_t)e->values + e->value_count > values)
			break;
		entry_say(s, s->tasks.rows[s->tasks_said].row);
	}
}

void say_work(struct said *s)
{
	const struct pkg_tables *t = s->t;
	uint32_t at = 0, found;

	if (s->how & SAY_STATED)
		lists_say(s);
	while (at < pkg_code_header(s->code)->num_instructions && !s->stuck && !ptowsp_build_status(s->b)) {
		found = pkg_code_owner(s->code, at);
		if (found < t->entry_count) {
			tasks_say(s, t->entry[found].values);
			at = entry_say(s, found);
		} else if (found != PTOWSP_NONE) {
			at = process_say(s, found - t->entry_count);
		} else {
			s->stuck = 1; /* code that nothing begins: it cannot be said */
		}
	}
	tasks_say(s, UINT64_MAX);
	s->failed |= s->stuck ? 2 : 0;
}
