/* SPDX-License-Identifier: MIT */
/* c_work.c - entries and processes, with their code: where bodies and calls that were expanded begin and end. */
#include "format/format_names.h"
#include "tools/inspect/c.h"

#include <string.h>

/* ---- code ------------------------------------------------------------------------------------------------------------------------------ */

/* The entry, or behind all of them the process, whose code begins with instruction i; PTOWSP_NONE: it is nobody's. */
static uint32_t start_of(const struct said *s, uint32_t i)
{
	const uint32_t at = pkg_ranks_from(&s->starts, i);

	return at < s->starts.count && s->starts.rows[at].key == i ? s->starts.rows[at].row : PTOWSP_NONE;
}

/* 1 if the code of an entry or process begins with instruction i, or there is none. */
static int begins(const struct walk *w, uint32_t i)
{
	return i >= w->header.num_instructions || start_of(w->s, i) != PTOWSP_NONE;
}

/* Says the code from instruction i to its last halt; the next instruction. */
static uint32_t code_say(struct walk *w, uint32_t i)
{
	struct said *s = w->s;

	w->depth = 0;
	w->call_end = PTOWSP_NONE;
	s->depth++;
	while (i < w->header.num_instructions && !w->stuck && !ptowsp_build_status(s->b)) {
		walk_bodies_close(w, i);
		walk_calls_say(w, i);
		if (pkg_code_at(w->code, i).opcode == PTOWSP_OP_HALT && !w->depth && begins(w, i + 1))
			break;
		say_position(s, 0, i);
		i = walk_instruction_say(w, i);
	}
	s->depth = 0;
	say(s, "end");
	return i + 1;
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

static uint32_t entry_say(struct walk *w, uint32_t row)
{
	struct said *s = w->s;
	const struct ptowsp_entry_record *e = &s->t->entry[row];
	const char *name = pkg_string(s->t, e->name);

	fputc('\n', s->to);
	say_position(s, 2, row);
	if (e->flags & PTOWSP_ENTRY_KERNEL)
		s->entries[row] = say(s, "entry_kernel", name, s->kernels[e->instruction]);
	else
		s->entries[row] = say(s, "entry", name);
	entry_rows_say(s, row);
	return e->flags & PTOWSP_ENTRY_KERNEL ? 0 : code_say(w, e->instruction);
}

static uint32_t process_say(struct walk *w, uint32_t row)
{
	struct said *s = w->s;
	const struct ptowsp_process_record *p = &s->t->process[row];
	uint32_t count = s->b->process_count, halt = p->instruction, handle;

	fputc('\n', s->to);
	while (halt + 1 < w->header.num_instructions && !(pkg_code_at(w->code, halt).opcode == PTOWSP_OP_HALT && begins(w, halt + 1)))
		halt++;
	say_position(s, 0, halt); /* its end has the position of the process */
	handle = say(s, "process", pkg_string(s->t, p->name), p->replicas);
	for (uint32_t i = 0; i < p->channel_count; i++) {
		const struct ptowsp_process_channel_record *use = &s->t->process_channel[p->channels + i];

		say(s, "process_uses", handle, pkg_word(PKG_WORDS_channel_direction, use->direction), s->channels[use->channel]);
	}
	if (p->order != count)
		say(s, "process_order", handle, p->order);
	return code_say(w, p->instruction);
}

static void lists_say(struct walk *w)
{
	for (uint32_t i = 0; i < w->header.num_axes; i++)
		say(w->s, "list", say_axis(w->s, pkg_code_axis(w->code, i)));
	for (uint32_t i = 0; i < w->header.num_kernels; i++)
		say(w->s, "list", w->s->kernels[pkg_code_kernel(w->code, i)]);
	for (uint32_t i = 0; i < w->header.num_tensors; i++)
		say(w->s, "list", w->s->tensors[pkg_code_tensor(w->code, i)]);
}

/* Values lie in the order of declaration: entries without code whose values end in front of `values`. */
static void tasks_say(struct walk *w, uint64_t values)
{
	struct said *s = w->s;

	for (; s->tasks_said < s->tasks.count && !ptowsp_build_status(s->b); s->tasks_said++) {
		const struct ptowsp_entry_record *e = &s->t->entry[s->tasks.rows[s->tasks_said].row];

		if ((uint64_t)e->values + e->value_count > values)
			break;
		entry_say(w, s->tasks.rows[s->tasks_said].row);
	}
}

void say_work(struct said *s)
{
	const struct pkg_tables *t = s->t;
	struct walk w = {.s = s, .code = s->code, .header = *pkg_code_header(s->code)};
	uint32_t at = 0, found;

	if (s->how & SAY_STATED)
		lists_say(&w);
	while (at < w.header.num_instructions && !w.stuck && !ptowsp_build_status(s->b)) {
		found = start_of(s, at);
		if (found < t->entry_count) {
			tasks_say(&w, t->entry[found].values);
			at = entry_say(&w, found);
		} else if (found != PTOWSP_NONE) {
			at = process_say(&w, found - t->entry_count);
		} else {
			w.stuck = 1; /* code that nothing begins: it cannot be said */
		}
	}
	tasks_say(&w, UINT64_MAX);
	s->failed |= w.stuck ? 2 : 0;
}

/* ---- bodies of code and calls that were expanded: where they begin and end. ---- */

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
