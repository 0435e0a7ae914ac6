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

/* The halt that ends the code from instruction i on: behind it other code begins, or there is none. */
static uint32_t halt_of(const struct walk *w, uint32_t i)
{
	while (i + 1 < w->header.num_instructions && !(pkg_code_at(w->code, i).opcode == PTOWSP_OP_HALT && start_of(w->s, i + 1) != PTOWSP_NONE))
		i++;
	return i;
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

/* Calls that were expanded from instruction i on, and their instructions up to `to`; the next instruction. Inside of a call there is no other. */
static uint32_t calls_say(struct walk *w, uint32_t i, uint32_t to)
{
	const struct pkg_tables *t = w->s->t;

	while (!w->in_call && i < to && w->calls < t->call_count && t->call[w->calls].first == i) {
		const struct ptowsp_call_record *call = &t->call[w->calls++];

		if (call->instructions > to - i) {
			w->stuck = 1;
			return i;
		}
		say(w->s, "call", pkg_string(t, t->entry[call->callee].name));
		w->s->depth++;
		call_arguments_say(w, call);
		w->in_call = 1;
		walk_body_say(w, i, i + call->instructions);
		w->in_call = 0;
		w->s->depth--;
		say(w->s, "call_end");
		i += call->instructions;
	}
	return i;
}

void walk_body_say(struct walk *w, uint32_t from, uint32_t to)
{
	for (uint32_t i; from < to && !w->stuck && !ptowsp_build_status(w->s->b); from = i) {
		i = calls_say(w, from, to);
		if (i != from)
			continue;
		say_position(w->s, 0, i);
		i = walk_instruction_say(w, i);
	}
	w->stuck |= from > to;
}

/* Says the code from instruction i to its halt; the instruction behind that. */
static uint32_t code_say(struct walk *w, uint32_t i)
{
	const uint32_t halt = halt_of(w, i);

	w->s->depth++;
	walk_body_say(w, i, halt);
	w->stuck |= calls_say(w, halt, halt + 1) != halt; /* one that was expanded to nothing */
	w->s->depth = 0;
	say(w->s, "end");
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
	uint32_t count = s->b->process_count, handle;

	fputc('\n', s->to);
	say_position(s, 0, halt_of(w, p->instruction)); /* its end has the position of the process */
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
