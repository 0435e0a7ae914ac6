/* SPDX-License-Identifier: MIT */
/* tasks_name.c - names of tensors, values, loops and kernels as C takes them. */
#include "print/tasks_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = PRINT_C_NAME - 16 }; /* what is put behind a name has room, too */

/* Words of C, C++ and what the file says itself. */
static const char *const words[] = {
	"asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "continue", "default", "delete", "do", "double", "else", "enum",
	"explicit", "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new",
	"operator", "private", "protected", "public", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch",
	"template", "this", "throw", "true", "try", "typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while",
	"tasks", "context", "o", "t", "quotient", "remainder_of", "smaller", "larger", "rows_of", "linux", "unix",
};

void print_c_name(char name_out[PRINT_C_NAME], const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	size_t at = 0;
	int small = 0;

	if (!*name || strchr(letters + 53, *name))
		name_out[at++] = 'v';
	for (; *name && at < NAME_MOST; name++) {
		name_out[at] = strchr(letters, *name) ? *name : '_';
		small |= name_out[at] >= 'a' && name_out[at] <= 'z';
		at++;
	}
	name_out[at] = '\0';
	if (!small && at > 1) /* may be a macro of some header */
		strcpy(name_out + at, "_");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(name_out, words[i]))
			strcpy(name_out + at, "_");
}

static void unique(struct print_tasks *p, char name[PRINT_C_NAME], uint32_t tensors, uint32_t slots)
{
	size_t length = strlen(name);
	unsigned number = 1;
	int again = 1;

	while (again) {
		again = 0;
		for (uint32_t i = 0; i < tensors && !again; i++)
			again = !strcmp(p->tensors[i].name, name);
		for (uint32_t i = 0; i < slots && !again; i++)
			again = !strcmp(p->slots[i].name, name);
		if (again)
			snprintf(name + length, PRINT_C_NAME - length, "_%u", ++number);
	}
}

/* The part behind "function." of what belongs to the entry. */
static const char *short_name(const struct print_tasks *p, const char *name)
{
	const char *function = pkg_string(p->t, p->t->entry[p->entry].name);
	size_t length = strlen(function);

	name += *name == '@';
	return !strncmp(name, function, length) && name[length] == '.' ? name + length + 1 : name;
}

void print_c_names_make(struct print_tasks *p)
{
	char name[PRINT_C_NAME];

	for (uint32_t i = 0; i < p->t->tensor_count; i++) {
		print_c_name(name, short_name(p, pkg_string(p->t, p->t->tensor[i].name)));
		unique(p, name, i, 0);
		strcpy(p->tensors[i].name, name);
	}
	for (uint32_t i = 0; i < p->t->slot_count; i++) {
		print_c_name(name, short_name(p, pkg_string(p->t, p->t->slot[i].name)));
		unique(p, name, p->t->tensor_count, i);
		strcpy(p->slots[i].name, name);
	}
}

const char *print_c_function(const struct print_tasks *p, uint32_t kernel)
{
	return p->functions->rows[p->functions->of_kernel[kernel]].name;
}

/* The place of a name in `named`; 0 stands there if no kernel has it. */
static uint32_t *named_at(const struct print_tasks *p, const char *name)
{
	uint32_t at = (uint32_t)ptowsp_id(name, strlen(name)) & p->named_mask;

	while (p->named[at] && strcmp(p->kernel_names[p->named[at] - 1], name))
		at = (at + 1) & p->named_mask;
	return &p->named[at];
}

const char *print_c_kernel_add(struct print_tasks *p, uint32_t kernel)
{
	const char *function = print_c_function(p, kernel);
	struct print_c_used *used = &p->used[p->functions->of_kernel[kernel]];
	char *name = p->kernel_names[p->kernel_count];
	uint32_t *at;

	if (p->kernel_at[kernel])
		return p->kernel_names[p->kernel_at[kernel] - 1];
	snprintf(name, PRINT_C_NAME, "%s", function);
	used->number += !used->number;
	while (*(at = named_at(p, name)))
		snprintf(name, PRINT_C_NAME, "%.*s_%" PRIu32, NAME_MOST, function, ++used->number);
	p->kernels[p->kernel_count++] = kernel;
	*at = p->kernel_at[kernel] = p->kernel_count;
	used->first = used->first ? used->first : p->kernel_count;
	return name;
}
