/* SPDX-License-Identifier: MIT */
/* c_code.c - instructions of entries and processes, with the words behind them. */
#include "tools/inspect/c_walk.h"

#include "format/format_names.h"

#include <string.h>

/* ---- tasks ---------------------------------------------------------------------------------------------------------------------------- */

static const char *access_of(unsigned op)
{
	return op == PTOWSP_OP_IO_INPUT ? "in" : op == PTOWSP_OP_IO_OUTPUT ? "out" : op == PTOWSP_OP_IO_INOUT ? "inout" : "none";
}

static void use_say(struct walk *w, const struct ptowsp_kernel_record *k, uint32_t number, const struct ptowsp_instruction *in)
{
	static const uint8_t ops[] = {PTOWSP_OP_IO_BIND, PTOWSP_OP_IO_INPUT, PTOWSP_OP_IO_OUTPUT, PTOWSP_OP_IO_INOUT};
	const struct pkg_tables *t = w->s->t;
	uint32_t region = say_region(w->s, in->operand2), seen = 0;

	for (uint32_t p = k->params; p < k->params + k->param_count; p++)
		if (t->param[p].kind == PTOWSP_PARAM_TENSOR && seen++ == number) {
			if (ops[t->param[p].access & 3] == in->opcode)
				say(w->s, "use", region);
			else
				say(w->s, "use_as", region, access_of(in->opcode));
			return;
		}
	w->stuck = 1;
}

static void after_say(struct said *s, struct ptowsp_instruction in)
{
	static const char *const kinds[] = {"after", "data", "barrier", "soft"};

	say(s, "after", kinds[in.operand1], say_expr(s, in.operand2));
}

static uint32_t task_say(struct walk *w, uint32_t i, const char *call)
{
	struct said *s = w->s;
	const struct ptowsp_kernel_record *k;
	uint32_t uses = 0;

	k = &s->t->kernel[pkg_code_kernel(w->code, pkg_code_at(w->code, i).operand1)];
	say(s, call, s->kernels[pkg_code_kernel(w->code, pkg_code_at(w->code, i).operand1)]);
	s->depth++;
	for (i++; i < w->header.num_instructions; i++) {
		const struct ptowsp_instruction in = pkg_code_at(w->code, i);

		if (in.opcode == PTOWSP_OP_PARAM_CONST)
			say(s, "arg_number", (int32_t)in.operand2);
		else if (in.opcode == PTOWSP_OP_PARAM_LOOPVAR)
			say(s, "arg_loop", in.operand2);
		else if (in.opcode == PTOWSP_OP_PARAM_EXPR)
			say(s, "arg", say_expr(s, in.operand2));
		else if (in.opcode == PTOWSP_OP_AFTER)
			after_say(s, in);
		else if ((in.opcode >= PTOWSP_OP_IO_INPUT && in.opcode <= PTOWSP_OP_IO_INOUT) || in.opcode == PTOWSP_OP_IO_BIND)
			use_say(w, k, uses++, &in);
		else
			break;
	}
	s->depth--;
	return i;
}

/* ---- loops and branches ---------------------------------------------------------------------------------------------------------------- */

static uint32_t axis_of(struct walk *w, uint32_t operand)
{
	return say_axis(w->s, pkg_code_axis(w->code, operand));
}

static uint32_t bare_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call);
	return i + 1;
}

static uint32_t loop_say(struct walk *w, uint32_t i, const char *call)
{
	uint32_t axis = axis_of(w, pkg_code_at(w->code, i).operand1), depth = w->s->b->loops;

	say_loop_value(w->s, depth, say(w->s, call, axis));
	walk_body_open(w, (struct walk_body){.end = pkg_code_at(w->code, i).operand2});
	return i + 1;
}

static uint32_t cond_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, say_expr(w->s, pkg_code_at(w->code, i).operand2));
	return walk_branches_open(w, i, 2);
}

static uint32_t while_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, say_expr(w->s, pkg_code_at(w->code, i).operand2));
	walk_body_open(w, (struct walk_body){.end = pkg_code_at(w->code, i + 1).operand2});
	return i + 2;
}

static uint32_t branches_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, (uint32_t)pkg_code_at(w->code, i).operand1);
	return walk_branches_open(w, i, pkg_code_at(w->code, i).operand1);
}

static uint32_t scope_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call);
	walk_body_open(w, (struct walk_body){.end = pkg_code_at(w->code, i).operand2});
	return i + 1;
}

/* ---- statements ----------------------------------------------------------------------------------------------------------------------- */

/* The IO word behind send, consume and copy: its region; 0 if there is none. */
static uint32_t word_behind(struct walk *w, uint32_t i, unsigned op)
{
	return i + 1 < w->header.num_instructions && pkg_code_at(w->code, i + 1).opcode == op ? say_region(w->s, pkg_code_at(w->code, i + 1).operand2) : 0;
}

/* The region of a payload, in a word behind i; the next instruction. */
static uint32_t carry_say(struct walk *w, uint32_t i, unsigned op)
{
	uint32_t region = word_behind(w, i, op);

	if (region)
		say(w->s, "carry", region);
	return i + 1 + (region != 0);
}

static uint32_t consume_say(struct walk *w, uint32_t i, const char *call)
{
	struct said *s = w->s;
	uint32_t depth = s->b->loops;

	say_loop_value(s, depth, say(s, call, s->channels[pkg_code_at(w->code, i).operand1]));
	walk_body_open(w, (struct walk_body){.end = pkg_code_at(w->code, i).operand2});
	return carry_say(w, i, PTOWSP_OP_IO_OUTPUT);
}

static uint32_t send_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, w->s->channels[pkg_code_at(w->code, i).operand1], say_expr(w->s, pkg_code_at(w->code, i).operand2));
	return carry_say(w, i, PTOWSP_OP_IO_INPUT);
}

static uint32_t close_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, w->s->channels[pkg_code_at(w->code, i).operand1]);
	return i + 1;
}

static uint32_t copy_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, say_region(w->s, pkg_code_at(w->code, i).operand2), word_behind(w, i, PTOWSP_OP_IO_OUTPUT));
	w->s->depth++;
	for (i += 2; i < w->header.num_instructions && pkg_code_at(w->code, i).opcode == PTOWSP_OP_AFTER; i++)
		after_say(w->s, pkg_code_at(w->code, i));
	w->s->depth--;
	return i;
}

static uint32_t extent_say(struct walk *w, uint32_t i, const char *call)
{
	const struct ptowsp_instruction in = pkg_code_at(w->code, i);

	say(w->s, call, axis_of(w, in.operand1), pkg_word(PKG_WORDS_axis_kind, in.opcode - PTOWSP_OP_AXIS_DENSE), in.operand2);
	return i + 1;
}

static uint32_t extent_slot_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, axis_of(w, pkg_code_at(w->code, i).operand1), w->s->slots[pkg_code_at(w->code, i).operand2]);
	return i + 1;
}

static uint32_t filter_say(struct walk *w, uint32_t i, const char *call)
{
	const struct pkg_policy *policy = pkg_policy(PTOWSP_DIRECTIVE_DISPATCH, pkg_code_at(w->code, i).operand1);

	if (policy)
		say(w->s, call, policy->word, say_expr(w->s, pkg_code_at(w->code, i).operand2));
	else
		w->stuck = 1;
	return i + 1;
}

static uint32_t slot_set_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, w->s->slots[pkg_code_at(w->code, i).operand1], say_expr(w->s, pkg_code_at(w->code, i).operand2));
	return i + 1;
}

static uint32_t slot_load_say(struct walk *w, uint32_t i, const char *call)
{
	const struct ptowsp_instruction in = pkg_code_at(w->code, i);

	say(w->s, in.flags ? "slot_load_bits" : call, w->s->slots[in.operand1], say_region(w->s, in.operand2));
	return i + 1;
}

static uint32_t event_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, w->s->events[pkg_code_at(w->code, i).operand2]);
	return i + 1;
}

static uint32_t notify_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, (uint32_t)pkg_code_at(w->code, i).operand1, pkg_code_at(w->code, i).operand2);
	return i + 1;
}

static uint32_t fence_say(struct walk *w, uint32_t i, const char *call)
{
	static const char *const scopes[] = {"core", "device", "system"};

	say(w->s, call, scopes[pkg_code_at(w->code, i).operand1]);
	return i + 1;
}

static uint32_t memory_say(struct walk *w, uint32_t i, const char *call)
{
	say(w->s, call, w->s->tensors[pkg_code_at(w->code, i).operand2]);
	return i + 1;
}

/* The call that says an instruction, and what says it with the words behind it. */
static const struct form {
	const char *call;
	uint32_t (*say)(struct walk *walk, uint32_t i, const char *call);
} forms[] = {
	[PTOWSP_OP_NOP] = {"nop", bare_say},
	[PTOWSP_OP_HALT] = {"halt", bare_say},
	[PTOWSP_OP_PARALLEL_FOR] = {"parallel_for", loop_say},
	[PTOWSP_OP_FOR_EACH] = {"for_each", loop_say},
	[PTOWSP_OP_SELECT] = {"select", loop_say},
	[PTOWSP_OP_COND] = {"if", cond_say},
	[PTOWSP_OP_WHILE] = {"while", while_say},
	[PTOWSP_OP_COMBINE] = {"combine", branches_say},
	[PTOWSP_OP_SEQUENTIAL] = {"sequential", branches_say},
	[PTOWSP_OP_SCOPE] = {"scope", scope_say},
	[PTOWSP_OP_BREAK] = {"break", bare_say},
	[PTOWSP_OP_TASK] = {"task", task_say},
	[PTOWSP_OP_AXIS_DENSE] = {"extent", extent_say},
	[PTOWSP_OP_AXIS_DENSE_DYN] = {"extent_slot", extent_slot_say},
	[PTOWSP_OP_AXIS_RAGGED] = {"extent", extent_say},
	[PTOWSP_OP_AXIS_SPARSE] = {"extent", extent_say},
	[PTOWSP_OP_DISPATCH_FILTER] = {"filter", filter_say},
	[PTOWSP_OP_SLOT_SET] = {"slot_set", slot_set_say},
	[PTOWSP_OP_SLOT_LOAD] = {"slot_load", slot_load_say},
	[PTOWSP_OP_SIGNAL] = {"signal", event_say},
	[PTOWSP_OP_WAIT] = {"wait", event_say},
	[PTOWSP_OP_NOTIFY] = {"notify", notify_say},
	[PTOWSP_OP_WAIT_NOTIFY] = {"wait_notify", notify_say},
	[PTOWSP_OP_BARRIER] = {"barrier", bare_say},
	[PTOWSP_OP_COPY] = {"copy", copy_say},
	[PTOWSP_OP_FENCE] = {"fence", fence_say},
	[PTOWSP_OP_ALLOC] = {"alloc", memory_say},
	[PTOWSP_OP_FREE] = {"free", memory_say},
	[PTOWSP_OP_SEND] = {"send", send_say},
	[PTOWSP_OP_CONSUME] = {"consume", consume_say},
	[PTOWSP_OP_CLOSE] = {"close", close_say},
};

uint32_t walk_instruction_say(struct walk *w, uint32_t i)
{
	unsigned op = pkg_code_at(w->code, i).opcode;

	if (op < sizeof(forms) / sizeof(*forms) && forms[op].say)
		return forms[op].say(w, i, forms[op].call);
	w->stuck = 1;
	return i + 1;
}
