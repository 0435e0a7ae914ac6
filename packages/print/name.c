/* SPDX-License-Identifier: MIT */
/* name.c - what tensors, symbols and helper scalars are called inside a function. */
#include "print/parts.h"

#include <string.h>

const char *print_memref_name(const struct print_job *job, uint32_t entry, uint32_t tensor)
{
	const char *function = print_string(job, job->t->entry[entry].name), *name = print_string(job, job->t->tensor[tensor].name);
	size_t length = strlen(function);

	if (job->t->tensor[tensor].entry != entry || strncmp(name, function, length) != 0 || name[length] != '.' ||
	    !lang_name_is_plain(name + length + 1))
		return NULL;
	return name + length + 1;
}

int print_memrefs(const struct print_job *job, struct print_text *text, uint32_t entry, uint32_t *count_out)
{
	uint32_t tensor;

	for (*count_out = 0; (tensor = print_tensor_of(job, entry, *count_out)) != PTOWSP_NONE; ++*count_out) {
		const struct ptowsp_tensor_record *r = &job->t->tensor[tensor];
		const char *name = print_memref_name(job, entry, tensor);

		if (!name || !(r->flags & PTOWSP_TENSOR_SHAPELESS) || r->alignment) {
			print_unsaid(text, 0, "the tensor \"%.80s\" as a parameter", print_string(job, r->name));
			return 0;
		}
		print_add(text, "%s%%%s: !pto.memref<%s,...,%s>", *count_out ? ", " : "", name, print_space(r->location),
			  print_dtype(r->dtype));
	}
	return 1;
}

const char *print_symbol_name(const struct print_job *job, const char *function, uint32_t slot)
{
	const char *name = print_string(job, job->t->slot[slot].name);
	size_t length = strlen(function);

	if (!strncmp(name, function, length) && name[length] == '.' && print_is_mixed(job, slot, name + length + 1))
		return name + length + 1;
	return name;
}

static int begins_some(const struct print_job *job, const char *prefix)
{
	const struct pkg_tables *t = job->t;
	size_t length = strlen(prefix);

	for (uint64_t at = 0; at < t->strings_size; at += strlen(t->strings + at) + 1) {
		const char *text = t->strings + at, *dot = strrchr(text, '.');

		if (!strncmp(text, prefix, length) || (dot && !strncmp(dot + 1, prefix, length)))
			return 1;
	}
	return 0;
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
