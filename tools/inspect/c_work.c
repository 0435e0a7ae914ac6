/* SPDX-License-Identifier: MIT */
/* c_work.c - entries and processes, with their code. */
#include "tools/inspect/c_walk.h"

#include "format/names.h"

#include <string.h>

/* ---- code ------------------------------------------------------------------------------------------------------------------------------ */

/* 1 if the code of an entry or process begins with instruction i, or there is none. */
static int begins(const struct walk *w, uint32_t i)
{
	const struct pkg_tables *t = w->s->t;

	for (uint32_t k = 0; k < t->entry_count; k++)
		if (!(t->entry[k].flags & PTOWSP_ENTRY_KERNEL) && t->entry[k].instruction == i)
			return 1;
	for (uint32_t k = 0; k < t->process_count; k++)
		if (t->process[k].instruction == i)
			return 1;
	return i >= w->header.num_instructions;
}

/* From instruction i to its last halt; the next one. */
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
	for (uint32_t i = 0; i < t->tensor_count; i++)
		if (t->tensor[i].entry == row)
			say(s, "tensor_place", s->tensors[i], s->entries[row], t->tensor[i].position);
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

/* Values lie in the order of declaration. The entry without code that comes next, of those whose values end in front of `values`;
 * entry_count if there is none. */
static uint32_t task_next(const struct walk *w, uint64_t values)
{
	const struct pkg_tables *t = w->s->t;
	uint64_t best = UINT64_MAX;
	uint32_t found = t->entry_count;

	for (uint32_t i = 0; i < t->entry_count; i++) {
		const struct ptowsp_entry_record *e = &t->entry[i];
		uint64_t rank = (uint64_t)e->values << 32 | e->value_count;

		if (e->flags & PTOWSP_ENTRY_KERNEL && !w->s->entries[i] && (uint64_t)e->values + e->value_count <= values && rank < best) {
			best = rank;
			found = i;
		}
	}
	return found;
}

static void tasks_say(struct walk *w, uint64_t values)
{
	for (uint32_t i = task_next(w, values); i < w->s->t->entry_count && !ptowsp_build_status(w->s->b); i = task_next(w, values))
		entry_say(w, i);
}

void say_work(struct said *s)
{
	const struct pkg_tables *t = s->t;
	struct walk w = {.s = s, .code = s->code, .header = *pkg_code_header(s->code)};
	uint32_t at = 0, found;

	if (s->how & SAY_STATED)
		lists_say(&w);
	while (at < w.header.num_instructions && !w.stuck && !ptowsp_build_status(s->b)) {
		found = at;
		for (uint32_t i = 0; i < t->entry_count && found == at; i++)
			if (!(t->entry[i].flags & PTOWSP_ENTRY_KERNEL) && t->entry[i].instruction == at) {
				tasks_say(&w, t->entry[i].values);
				at = entry_say(&w, i);
			}
		for (uint32_t i = 0; i < t->process_count && found == at; i++)
			if (t->process[i].instruction == at)
				at = process_say(&w, i);
		if (found == at) {
			/* Code that nothing begins: it cannot be said. */
			w.stuck = 1;
		}
	}
	tasks_say(&w, UINT64_MAX);
	s->failed |= w.stuck ? 2 : 0;
}
