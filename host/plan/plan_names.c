/* SPDX-License-Identifier: MIT */
/* plan_names.c - tensors, symbols and slots that an entry sees, by the names that it uses. */
#include <stdlib.h>
#include <string.h>

#include "host/plan/host_plan.h"

/* A function's own things are called function.name in the tables. */
const char *host_plan_bare_name(const struct ptowsp_plan *plan, const char *name)
{
	const char *entry = ptowsp_plan_entry(plan), *dot = strchr(name, '.');
	size_t length = strlen(entry);

	if (!strncmp(name, entry, length) && name[length] == '.')
		return name + length + 1;
	return dot ? NULL : name;
}

static void samples_find(struct host_plan_tensor *tensor, const struct pkg_tables *t)
{
	tensor->sample[0] = tensor->sample[1] = PTOWSP_NONE;
	for (uint32_t i = 0; i < t->sample_count; i++)
		if (t->sample[i].tensor == tensor->row && t->sample[i].role < 2)
			tensor->sample[t->sample[i].role] = i;
}

/* In the order of the signature; ties keep the table's. */
static int by_position(const void *a, const void *b)
{
	const struct host_plan_tensor *x = a, *y = b;

	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* By slot: the entry reads it. To be freed; NULL without memory. */
static bool *needs_find(const struct ptowsp_plan *plan)
{
	const struct pkg_tables *t = plan->tables;
	const struct ptowsp_entry_record *entry = &t->entry[plan->entry];
	bool *needed = calloc(t->slot_count + 1u, sizeof(*needed));

	for (uint32_t i = 0; needed && i < entry->value_count; i++)
		needed[t->entry_value[entry->values + i].slot] = true;
	return needed;
}

ptowsp_status host_plan_name(struct ptowsp_plan *plan, struct ptowsp_error *error)
{
	const struct pkg_tables *t = plan->tables;
	bool *needed = needs_find(plan);

	plan->tensors = calloc(t->tensor_count + 1u, sizeof(*plan->tensors));
	plan->values = calloc(t->slot_count + 1u, sizeof(*plan->values));
	if (!plan->tensors || !plan->values || !needed) {
		free(needed);
		return host_fail(error, PTOWSP_NO_MEMORY, "no memory for the names of tensors");
	}
	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const char *name = pkg_string(t, t->tensor[i].name);
		struct host_plan_tensor tensor = {.row = i, .position = t->tensor[i].position, .used = plan->usage.tensors[i]};

		if (t->tensor[i].entry != PTOWSP_NONE && t->tensor[i].entry != plan->entry)
			continue;
		tensor.name = host_plan_bare_name(plan, name);
		if (!tensor.name)
			tensor.name = name;
		samples_find(&tensor, t);
		plan->tensors[plan->tensor_count++] = tensor;
	}
	if (plan->tensor_count)
		qsort(plan->tensors, plan->tensor_count, sizeof(*plan->tensors), by_position);
	for (uint32_t i = 0; i < t->slot_count; i++) {
		const char *name = host_plan_bare_name(plan, pkg_string(t, t->slot[i].name));

		if (name && !(t->slot[i].flags & PTOWSP_SLOT_INTERNAL))
			plan->values[plan->value_count++] = (struct host_plan_value){name, i, needed[i]};
	}
	free(needed);
	return PTOWSP_OK;
}

int ptowsp_plan_value(const struct ptowsp_plan *plan, uint32_t index, struct ptowsp_value_info *info_out)
{
	const struct ptowsp_slot_record *row;

	if (index >= plan->value_count)
		return 0;
	row = &plan->tables->slot[plan->values[index].row];
	*info_out = (struct ptowsp_value_info){.name = plan->values[index].name, .dtype = row->dtype, .kind = row->kind, .standard = row->value};
	info_out->flags |= plan->values[index].needed ? PTOWSP_VALUE_NEEDED : 0;
	info_out->flags |= row->flags & PTOWSP_SLOT_HAS_DEFAULT ? PTOWSP_VALUE_HAS_DEFAULT : 0;
	return 1;
}

int ptowsp_plan_tensor(const struct ptowsp_plan *plan, uint32_t index, struct ptowsp_tensor_info *info_out)
{
	const struct host_plan_tensor *tensor;
	const struct ptowsp_tensor_record *row;

	if (index >= plan->tensor_count)
		return 0;
	tensor = &plan->tensors[index];
	row = &plan->tables->tensor[tensor->row];
	*info_out = (struct ptowsp_tensor_info){.name = tensor->name, .dtype = row->dtype, .role = row->role, .position = row->position, .row = tensor->row};
	info_out->flags |= tensor->used ? PTOWSP_TENSOR_INFO_USED : 0;
	info_out->flags |= row->flags & PTOWSP_TENSOR_SHAPELESS ? PTOWSP_TENSOR_INFO_SHAPELESS : 0;
	info_out->flags |= tensor->sample[0] != PTOWSP_NONE ? PTOWSP_TENSOR_INFO_SAMPLE : 0;
	info_out->flags |= tensor->sample[1] != PTOWSP_NONE ? PTOWSP_TENSOR_INFO_EXPECTED : 0;
	return 1;
}

/* `name` means `own` if it is the same, with or without the entry in front. */
static bool means(const struct ptowsp_plan *plan, const char *own, const char *name)
{
	const char *bare = host_plan_bare_name(plan, name);

	return !strcmp(own, name) || (bare && !strcmp(own, bare));
}

ptowsp_status ptowsp_plan_tensor_find(const struct ptowsp_plan *plan, const char *name, uint32_t *index_out, struct ptowsp_error *error)
{
	const char **names;
	ptowsp_status status = PTOWSP_NO_MEMORY;

	error = host_error_enter(error);
	for (*index_out = 0; *index_out < plan->tensor_count; ++*index_out)
		if (means(plan, plan->tensors[*index_out].name, name))
			return PTOWSP_OK;
	names = calloc(plan->tensor_count + 1u, sizeof(*names));
	for (uint32_t i = 0; names && i < plan->tensor_count; i++)
		names[i] = plan->tensors[i].name;
	if (names)
		status = reg_fail_unknown(error, PTOWSP_NOT_FOUND, "tensor", name, names, plan->tensor_count);
	free(names);
	return host_error_leave(status, error);
}

ptowsp_status host_plan_value_find(const struct ptowsp_plan *plan, const char *name, uint32_t *index_out, struct ptowsp_error *error)
{
	const char **names;
	ptowsp_status status = PTOWSP_NO_MEMORY;

	for (*index_out = 0; *index_out < plan->value_count; ++*index_out)
		if (means(plan, plan->values[*index_out].name, name))
			return PTOWSP_OK;
	names = calloc(plan->value_count + 1u, sizeof(*names));
	for (uint32_t i = 0; names && i < plan->value_count; i++)
		names[i] = plan->values[i].name;
	if (names)
		status = reg_fail_unknown(error, PTOWSP_NOT_FOUND, "symbol or slot", name, names, plan->value_count);
	free(names);
	return status;
}
