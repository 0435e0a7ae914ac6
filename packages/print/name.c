/* SPDX-License-Identifier: MIT */
/* name.c - what tensors, symbols and helper scalars are called, and where a symbol is declared. */
#include "print/parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *print_memref_name(const struct print_job *job, uint32_t entry, uint32_t tensor)
{
	const char *function = print_string(job, job->t->entry[entry].name), *name = print_string(job, job->t->tensor[tensor].name);
	size_t length = strlen(function);

	if (job->t->tensor[tensor].entry != entry || strncmp(name, function, length) != 0 || name[length] != '.' || !lang_name_is_plain(name + length + 1))
		return NULL;
	return name + length + 1;
}

bool print_memrefs(const struct print_job *job, struct print_text *text, uint32_t entry, uint32_t *count_out)
{
	uint32_t tensor;

	for (*count_out = 0; (tensor = print_tensor_of(job, entry, *count_out)) != PTOWSP_NONE; ++*count_out) {
		const struct ptowsp_tensor_record *r = &job->t->tensor[tensor];
		const char *name = print_memref_name(job, entry, tensor);

		if (!name || !(r->flags & PTOWSP_TENSOR_SHAPELESS) || r->alignment) {
			print_inexpressible(text, 0, "the tensor \"%.80s\" as a parameter", print_string(job, r->name));
			return false;
		}
		print_add(text, "%s%%%s: !pto.memref<%s,...,%s>", *count_out ? ", " : "", name, print_space(r->location), print_dtype(r->dtype));
	}
	return true;
}

const char *print_symbol_name(const struct print_job *job, const char *function, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	size_t length = strlen(function);

	if (!strncmp(name, function, length) && name[length] == '.' && print_is_mixed(job, slot, name + length + 1))
		return name + length + 1;
	return name;
}

static bool begins_some(const struct print_job *job, const char *prefix)
{
	const struct pkg_tables *t = job->t;
	size_t length = strlen(prefix);

	for (uint64_t at = 0; at < t->strings_size; at += strlen(t->strings + at) + 1) {
		const char *text = t->strings + at, *dot = strrchr(text, '.');

		if (!strncmp(text, prefix, length) || (dot && !strncmp(dot + 1, prefix, length)))
			return true;
	}
	return false;
}

void print_helper_choose(struct print_job *job)
{
	static const char *const words[] = {"v", "value", "helper", "helper_value", "helper_value_"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		job->helper = words[i];
		if (!begins_some(job, words[i]))
			return;
	}
}

/* ---- where a symbol is declared: at the top of the text, or in a function, though nothing may read it. ---- */

/* A name that a tensor, an event or a channel has is theirs. */
static int is_taken(const struct print_job *job, const char *name)
{
	const struct pkg_tables *t = job->t;
	int taken = print_tensor_named(job, name, 1);

	for (uint32_t i = 0; i < t->event_count && !taken; i++)
		taken = !strcmp(print_string(job, t->event[i].name), name);
	for (uint32_t i = 0; i < t->channel_count && !taken; i++)
		taken = !strcmp(print_string(job, t->channel[i].name), name);
	return taken;
}

bool print_is_declared(const struct print_job *job, uint32_t slot)
{
	const struct ptowsp_slot_record *r = &job->t->slot[slot];
	const char *name = print_string(job, r->name);

	if (r->flags & PTOWSP_SLOT_INTERNAL || job->made.slots[slot])
		return false;
	if (r->kind == PTOWSP_SLOT_SLOT)
		return true;
	if (print_home_named(job, slot) != PTOWSP_NONE)
		return false; /* one of several of that name: its function has it */
	return job->declares && !is_taken(job, name);
}

/* Has something a name made of these? 1 as well without memory. */
static int is_named(const struct print_job *job, const char *before, const char *function, const char *rest)
{
	struct print_text name = {0};
	int is = 1;

	print_add(&name, "%s%s.%s", before, function, rest);
	if (!name.out.failed)
		is = *before ? print_slot_named(job, name.out.bytes) : print_tensor_named(job, name.out.bytes, 0);
	print_text_finish(&name);
	return is;
}

/* Has the function something of that name? */
static int knows(const struct print_job *job, uint32_t entry, const char *name)
{
	const char *function = print_string(job, job->t->entry[entry].name);

	return is_named(job, "", function, name) || is_named(job, "@", function, name) || (!print_has_code(job, entry) && print_kernel_knows(job, entry, name));
}

/* The function that the name says; else one with code, for it has fewer names; else any. Loops of all functions count. */
static uint32_t home_find(const struct print_job *job, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	uint32_t home = print_home_named(job, slot);

	for (uint32_t i = 0; i < job->t->axis_count && home == PTOWSP_NONE; i++)
		if (!strcmp(print_string(job, job->t->axis[i].name), name))
			return PTOWSP_NONE;
	for (int code = 1; code >= 0; code--)
		for (uint32_t e = 0; e < job->t->entry_count && home == PTOWSP_NONE; e++)
			if (print_has_code(job, e) == code && !knows(job, e, name))
				home = e;
	return home;
}

bool print_homes_find(struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	uint8_t *read = calloc((size_t)t->slot_count + 1, 1);

	if (!read || !pkg_ranks_init(&job->index.unused, t->slot_count)) {
		free(read);
		return false;
	}
	for (uint32_t i = 0; i < t->entry_value_count; i++)
		read[t->entry_value[i].slot] = 1;
	for (uint32_t i = 0; i < t->slot_count; i++)
		if (!read[i] && t->slot[i].kind == PTOWSP_SLOT_SYMBOL && !print_is_declared(job, i))
			pkg_ranks_add(&job->index.unused, home_find(job, i), i);
	pkg_ranks_sort(&job->index.unused);
	free(read);
	return true;
}

void print_unused(const struct print_job *job, struct print_text *text, uint32_t entry)
{
	const char *function = print_string(job, job->t->entry[entry].name);
	const struct pkg_ranks *unused = &job->index.unused;

	for (uint32_t i = pkg_ranks_from(unused, entry); i < unused->count && unused->rows[i].key == entry; i++) {
		const uint32_t slot = unused->rows[i].row;

		print_add(text, "  %%%s = alloc_scalar : %s", print_symbol_name(job, function, slot), print_dtype(job->t->slot[slot].dtype));
		print_end(text);
	}
}
