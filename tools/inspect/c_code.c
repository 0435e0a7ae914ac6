/* SPDX-License-Identifier: MIT */
/* c_code.c - instructions of entries and processes, with the words behind them. */
#include "registry/common/common_part.h"
#include "tools/inspect/c.h"

#include "format/format_names.h"
#include "ptowsp/task.h"

#include <string.h>

/* ---- operands ------------------------------------------------------------------------------------------------------------------------- */

/* An operand as the argument of a call; which: its description in workload_ops.def. */
static struct build_arg operand_of(struct walk *w, const char *which, uint32_t value)
{
	struct said *s = w->s;

	if (!strcmp(which, "axis"))
		return (struct build_arg){.number = say_axis(s, pkg_code_axis(w->code, value))};
	if (!strcmp(which, "kernel"))
		return (struct build_arg){.number = s->kernels[pkg_code_kernel(w->code, value)]};
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

		w->stuck |= !policy;
		return (struct build_arg){.text = policy ? policy->word : ""};
	}
	return (struct build_arg){.number = value};
}

/* The call of instruction i, with as many of its operands as the call takes; what it returns. */
static uint32_t operands_say(struct walk *w, uint32_t i, const char *name)
{
	const struct ptowsp_instruction in = pkg_code_at(w->code, i);
	const struct build_call *call = build_call_find(name);
	struct build_arg args[BUILD_ARGS] = {{0}};
	uint32_t count = 0;

	for (unsigned k = 0; k < 2 && call->args[count]; k++)
		if (*pkg_operand(in.opcode, k))
			args[count++] = operand_of(w, pkg_operand(in.opcode, k), k ? in.operand2 : in.operand1);
	return say_call(w->s, call, args, NULL);
}

static uint32_t statement_say(struct walk *w, uint32_t i, const char *call)
{
	operands_say(w, i, call);
	return i + 1;
}

/* ---- tasks ---------------------------------------------------------------------------------------------------------------------------- */

static void use_say(struct walk *w, const struct ptowsp_kernel_record *k, uint32_t number, const struct ptowsp_instruction *in)
{
	static const uint8_t accesses[] = {[PTOWSP_OP_IO_INPUT - PTOWSP_OP_IO_INPUT] = PTOWSP_READ,
					   [PTOWSP_OP_IO_OUTPUT - PTOWSP_OP_IO_INPUT] = PTOWSP_WRITE,
					   [PTOWSP_OP_IO_INOUT - PTOWSP_OP_IO_INPUT] = PTOWSP_READ | PTOWSP_WRITE,
					   [PTOWSP_OP_IO_BIND - PTOWSP_OP_IO_INPUT] = 0};
	const struct pkg_tables *t = w->s->t;
	const unsigned access = accesses[in->opcode - PTOWSP_OP_IO_INPUT];
	uint32_t region = say_region(w->s, in->operand2), seen = 0;

	for (uint32_t p = k->params; p < k->params + k->param_count; p++)
		if (t->param[p].kind == PTOWSP_PARAM_TENSOR && seen++ == number) {
			if ((t->param[p].access & 3u) == access)
				say(w->s, "use", region);
			else
				say(w->s, "use_as", region, pkg_word(PKG_WORDS_access, access));
			return;
		}
	w->stuck = 1;
}

/* Edges of the task or copy in front of instruction i; the next instruction. */
static uint32_t afters_say(struct walk *w, uint32_t i)
{
	w->s->depth++;
	for (; i < w->header.num_instructions && pkg_code_at(w->code, i).opcode == PTOWSP_OP_AFTER; i++)
		operands_say(w, i, "after");
	w->s->depth--;
	return i;
}

static uint32_t task_say(struct walk *w, uint32_t i, const char *call)
{
	struct said *s = w->s;
	const struct ptowsp_kernel_record *k = &s->t->kernel[pkg_code_kernel(w->code, pkg_code_at(w->code, i).operand1)];
	uint32_t uses = 0;

	operands_say(w, i, call);
	s->depth++;
	for (i++; i < w->header.num_instructions; i++) {
		const struct ptowsp_instruction in = pkg_code_at(w->code, i);

		if (in.opcode == PTOWSP_OP_PARAM_CONST)
			say(s, "arg_number", (int32_t)in.operand2);
		else if (in.opcode == PTOWSP_OP_PARAM_LOOPVAR)
			say(s, "arg_loop", in.operand2);
		else if (in.opcode == PTOWSP_OP_PARAM_EXPR)
			say(s, "arg", say_expr(s, in.operand2));
		else if ((in.opcode >= PTOWSP_OP_IO_INPUT && in.opcode <= PTOWSP_OP_IO_INOUT) || in.opcode == PTOWSP_OP_IO_BIND)
			use_say(w, k, uses++, &in);
		else if (common_is_part(in.opcode))
			say(s, common_is_columns(in.opcode) ? "use_columns" : "use_rows", in.operand1, say_expr(s, in.operand2));
		else
			break;
	}
	s->depth--;
	return afters_say(w, i);
}

/* ---- loops and branches ---------------------------------------------------------------------------------------------------------------- */

/* An if whose branches end at one place has no else. */
static uint32_t block_say(struct walk *w, uint32_t i, const char *call)
{
	struct said *s = w->s;
	const unsigned op = pkg_code_at(w->code, i).opcode;
	const uint32_t loops = s->b->loops, handle = operands_say(w, i, call);
	uint32_t from, to;

	if (build_call_find(call)->makes == BUILD_EXPR)
		say_loop_value(s, loops, handle);
	for (uint32_t k = 0; pkg_code_body(w->code, i, k, &from, &to) && !(k && op == PTOWSP_OP_COND && from == to); k++) {
		if (k)
			say(s, op == PTOWSP_OP_COND ? "else" : "next");
		s->depth++;
		if (op == PTOWSP_OP_CONSUME && from > i + 1)
			say(s, "carry", say_region(s, pkg_code_at(w->code, i + 1).operand2));
		walk_body_say(w, from, to);
		s->depth--;
	}
	say(s, "end");
	return pkg_code_behind(w->code, i);
}

/* ---- statements with words behind them --------------------------------------------------------------------------------------------------- */

/* The IO word behind send and copy: its region; 0 if there is none. */
static uint32_t word_behind(struct walk *w, uint32_t i, unsigned op)
{
	return i + 1 < w->header.num_instructions && pkg_code_at(w->code, i + 1).opcode == op ? say_region(w->s, pkg_code_at(w->code, i + 1).operand2) : 0;
}

static uint32_t send_say(struct walk *w, uint32_t i, const char *call)
{
	uint32_t region;

	operands_say(w, i, call);
	region = word_behind(w, i, PTOWSP_OP_IO_INPUT);
	if (region)
		say(w->s, "carry", region);
	return i + 1 + (region != 0);
}

static uint32_t copy_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, say_region(w->s, pkg_code_at(w->code, i).operand2), word_behind(w, i, PTOWSP_OP_IO_OUTPUT));
	return afters_say(w, i + 2);
}

static uint32_t extent_say(struct walk *w, uint32_t i, const char *call)
{
	const struct ptowsp_instruction in = pkg_code_at(w->code, i);

	say(w->s, call, say_axis(w->s, pkg_code_axis(w->code, in.operand1)), pkg_word(PKG_WORDS_axis_kind, in.opcode - PTOWSP_OP_AXIS_DENSE), in.operand2);
	return i + 1;
}

static uint32_t slot_load_say(struct walk *w, uint32_t i, const char *call)
{
	return statement_say(w, i, pkg_code_at(w->code, i).flags ? "slot_load_bits" : call);
}

/* Instructions that are no plain statements, or whose call has another name: the call, NULL: its mnemonic, and what says it with the words behind it. */
static const struct form {
	const char *call;
	uint32_t (*say)(struct walk *walk, uint32_t i, const char *call);
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

uint32_t walk_instruction_say(struct walk *w, uint32_t i)
{
	unsigned op = pkg_code_at(w->code, i).opcode;
	struct form form = op < sizeof(forms) / sizeof(*forms) ? forms[op] : (struct form){0};

	if (!form.call)
		form.call = pkg_word(PKG_WORDS_opcode, op);
	if (form.call && build_call_find(form.call))
		return (form.say ? form.say : statement_say)(w, i, form.call);
	w->stuck = 1;
	return i + 1;
}
