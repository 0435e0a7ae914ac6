/* SPDX-License-Identifier: MIT */
/* c_body.c - bodies of code and calls that were expanded: where they begin and end. */
#include "tools/inspect/c_walk.h"

void walk_body_open(struct walk *w, struct walk_body open)
{
	if (w->depth == PTOWSP_NESTING_LIMIT) {
		w->stuck = 1;
		return;
	}
	w->open[w->depth++] = open;
	w->s->depth++;
}

static void branch_say(struct walk *w, struct walk_body *top)
{
	w->s->depth--;
	say(w->s, top->branches == 2 && pkg_code_at(w->code, top->targets - 1).opcode == PTOWSP_OP_COND ? "else" : "next");
	w->s->depth++;
}

/* A call ends in the body in which it began, before that body does. */
static void call_close(struct walk *w, uint32_t i)
{
	if (w->call_end != i || w->depth != w->call_depth)
		return;
	w->s->depth--;
	say(w->s, "call_end");
	w->call_end = PTOWSP_NONE;
}

/* Bodies and branches that end in front of instruction i. An if whose branches end at one place has no else. */
void walk_bodies_close(struct walk *w, uint32_t i)
{
	call_close(w, i);
	while (w->depth && w->open[w->depth - 1].end == i) {
		struct walk_body *top = &w->open[w->depth - 1];
		int cond = top->branches && pkg_code_at(w->code, top->targets - 1).opcode == PTOWSP_OP_COND;

		if (top->branch + 1 < top->branches && !(cond && pkg_code_at(w->code, top->targets + 1).operand2 == i)) {
			top->end = pkg_code_at(w->code, top->targets + ++top->branch).operand2;
			branch_say(w, top);
			continue;
		}
		w->depth--;
		w->s->depth--;
		say(w->s, "end");
		call_close(w, i);
	}
}

static void call_arguments_say(struct walk *w, const struct ptowsp_call_record *call)
{
	struct said *s = w->s;

	for (uint32_t k = 0; k < call->argument_count; k++) {
		const struct ptowsp_call_argument_record *a = &s->t->call_argument[call->arguments + k];
		uint32_t row = a->row == PTOWSP_NONE ? 0 : say_expr(s, a->row), column = a->column == PTOWSP_NONE ? 0 : say_expr(s, a->column);

		if (a->tensor != PTOWSP_NONE)
			say(s, "call_tensor", s->tensors[a->tensor], row, column);
		else if (a->slot != PTOWSP_NONE)
			say(s, "call_scalar", s->slots[a->slot], row);
	}
}

/* Calls that were expanded from instruction i on; one without instructions ends at once. */
void walk_calls_say(struct walk *w, uint32_t i)
{
	const struct pkg_tables *t = w->s->t;

	while (w->calls < t->call_count && t->call[w->calls].first == i && w->call_end == PTOWSP_NONE) {
		const struct ptowsp_call_record *call = &t->call[w->calls++];

		say(w->s, "call", pkg_string(t, t->entry[call->callee].name));
		w->s->depth++;
		call_arguments_say(w, call);
		w->call_end = call->first + call->instructions;
		w->call_depth = w->depth;
		if (!call->instructions)
			call_close(w, i);
	}
}

uint32_t walk_branches_open(struct walk *w, uint32_t i, uint32_t count)
{
	walk_body_open(w, (struct walk_body){.end = pkg_code_at(w->code, i + 1).operand2, .targets = i + 1, .branches = count});
	return i + 1 + count;
}
