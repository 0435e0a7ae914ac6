/* SPDX-License-Identifier: MIT */
/* tasks_name.c - names of tensors, values, loops and kernels as C takes them. */
#include "print/tasks_parts.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = PRINT_C_NAME - 16 }; /* a suffix of a name has room, too */

/* Words of C, C++ and what the file says itself. */
static const char *const words[] = {
#include "registry/common/common_c_words.def"
	"restrict", "tasks", "context", "o", "t", "quotient", "remainder_of", "smaller", "larger", "float_bits", "part_of", "rows_of", "v", "instance",
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

/* The part behind "function." of what belongs to the entry. */
static const char *short_name(const struct print_tasks *p, const char *name)
{
	const char *function = pkg_string(p->t, p->t->entry[p->entry].name);
	size_t length = strlen(function);

	name += *name == '@';
	return !strncmp(name, function, length) && name[length] == '.' ? name + length + 1 : name;
}

/* `name_out`: of the names, as C takes it. */
static bool name_choose(const struct print_tasks *p, struct common_names *names, const char *name, char name_out[PRINT_C_NAME])
{
	print_c_name(name_out, short_name(p, name));
	return common_names_choose(names, name_out, PRINT_C_NAME, "_");
}

struct print_c_tensor *print_c_tensor(struct print_tasks *p, uint32_t tensor)
{
	struct print_c_tensor *row = &p->tensors[tensor];
	const struct ptowsp_tensor_record *record = &p->t->tensor[tensor];

	if (!row->used)
		pkg_ranks_add(&p->order, (uint64_t)(record->entry != p->entry) << 32 | record->position, tensor);
	row->used = 1;
	return row;
}

struct print_c_slot *print_c_slot(struct print_tasks *p, uint32_t slot)
{
	struct print_c_slot *row = &p->slots[slot];

	if (!row->listed)
		pkg_ranks_add(&p->slot_order, slot, slot);
	row->listed = 1;
	return row;
}

int print_c_names_make(struct print_tasks *p)
{
	int done = 1;

	pkg_ranks_sort(&p->order);
	pkg_ranks_sort(&p->slot_order);
	for (uint32_t i = 0; done && i < p->order.count; i++)
		done = name_choose(p, &p->names, pkg_string(p->t, p->t->tensor[p->order.rows[i].row].name), p->tensors[p->order.rows[i].row].name);
	for (uint32_t i = 0; done && i < p->slot_order.count; i++)
		done = name_choose(p, &p->names, pkg_string(p->t, p->t->slot[p->slot_order.rows[i].row].name), p->slots[p->slot_order.rows[i].row].name);
	return done;
}

bool print_c_is_slot(const struct print_tasks *p, const char *name)
{
	return common_names_find(&p->names, name) > p->order.count;
}

const char *print_c_function(const struct print_tasks *p, uint32_t kernel)
{
	return p->functions->rows[p->functions->of_kernel[kernel]].name;
}

const char *print_c_kernel_add(struct print_tasks *p, uint32_t kernel)
{
	uint32_t *first = &p->first_of[p->functions->of_kernel[kernel]];
	char *name = p->kernel_names[p->kernel_count];

	if (p->kernel_at[kernel])
		return p->kernel_names[p->kernel_at[kernel] - 1];
	snprintf(name, PRINT_C_NAME, "%s", print_c_function(p, kernel));
	p->no_memory |= !common_names_choose(&p->named, name, PRINT_C_NAME, "_");
	p->kernels[p->kernel_count++] = kernel;
	p->kernel_at[kernel] = p->kernel_count;
	*first = *first ? *first : p->kernel_count;
	return name;
}
