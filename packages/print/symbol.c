/* SPDX-License-Identifier: MIT */
/* symbol.c - where a symbol is declared: at the top of the text, or in a function, though nothing may read it. */
#include "print/parts.h"

#include <stdlib.h>
#include <string.h>

/* A name that a tensor, an event or a channel has is theirs. */
static int is_taken(const struct print_job *job, const char *name)
{
	const struct pkg_tables *t = job->t;
	int taken = 0;

	for (uint32_t i = 0; i < t->tensor_count; i++)
		taken |= t->tensor[i].entry == PTOWSP_NONE && !strcmp(print_string(job, t->tensor[i].name), name);
	for (uint32_t i = 0; i < t->event_count; i++)
		taken |= !strcmp(print_string(job, t->event[i].name), name);
	for (uint32_t i = 0; i < t->channel_count; i++)
		taken |= !strcmp(print_string(job, t->channel[i].name), name);
	return taken;
}

int print_is_declared(const struct print_job *job, uint32_t slot)
{
	const struct ptowsp_slot_record *r = &job->t->slot[slot];
	const char *name = print_string(job, r->name);

	if (r->flags & PTOWSP_SLOT_INTERNAL || job->made.slots[slot])
		return 0;
	if (r->kind == PTOWSP_SLOT_SLOT)
		return 1;
	for (uint32_t e = 0; e < job->t->entry_count; e++)
		if (print_symbol_name(job, print_string(job, job->t->entry[e].name), slot) != name)
			return 0; /* one of several of that name: its function has it */
	return job->declares && !is_taken(job, name);
}

static int names_match(const struct print_job *job, uint32_t name, const char *before, const char *function, const char *rest)
{
	const char *text = print_string(job, name);
	size_t first = strlen(before), second = strlen(function);

	return !strncmp(text, before, first) && !strncmp(text + first, function, second) && text[first + second] == '.' &&
	       !strcmp(text + first + second + 1, rest);
}

/* Has the function something of that name? Loops of all functions count. */
static int knows(const struct print_job *job, uint32_t entry, const char *name)
{
	const struct pkg_tables *t = job->t;
	const char *function = print_string(job, t->entry[entry].name);

	for (uint32_t i = 0; i < t->tensor_count; i++)
		if (names_match(job, t->tensor[i].name, "", function, name))
			return 1;
	for (uint32_t i = 0; i < t->slot_count; i++)
		if (names_match(job, t->slot[i].name, "@", function, name))
			return 1;
	for (uint32_t i = 0; i < t->axis_count; i++)
		if (!strcmp(print_string(job, t->axis[i].name), name))
			return 1;
	return !print_has_code(job, entry) && print_kernel_knows(job, entry, name);
}

/* The function that the name says; else one with code, for it has fewer names; else any. */
static uint32_t home_find(const struct print_job *job, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	uint32_t home = PTOWSP_NONE;

	for (uint32_t e = 0; e < job->t->entry_count; e++)
		if (print_symbol_name(job, print_string(job, job->t->entry[e].name), slot) != name)
			return e;
	for (uint32_t e = 0; e < job->t->entry_count; e++)
		if (!knows(job, e, name) && (home == PTOWSP_NONE || (print_has_code(job, e) && !print_has_code(job, home))))
			home = e;
	return home;
}

int print_homes_find(struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	uint8_t *read = calloc((size_t)t->slot_count + 1, 1);

	job->homes = calloc((size_t)t->slot_count + 1, sizeof(*job->homes));
	for (uint32_t i = 0; read && i < t->entry_value_count; i++)
		read[t->entry_value[i].slot] = 1;
	for (uint32_t i = 0; read && job->homes && i < t->slot_count; i++)
		job->homes[i] = read[i] || t->slot[i].kind != PTOWSP_SLOT_SYMBOL || print_is_declared(job, i) ? PTOWSP_NONE : home_find(job, i);
	free(read);
	return read && job->homes;
}

void print_unused(const struct print_job *job, struct print_text *text, uint32_t entry)
{
	const char *function = print_string(job, job->t->entry[entry].name);

	for (uint32_t i = 0; i < job->t->slot_count; i++)
		if (job->homes[i] == entry) {
			print_add(text, "  %%%s = alloc_scalar : %s", print_symbol_name(job, function, i), print_dtype(job->t->slot[i].dtype));
			print_end(text);
		}
}
