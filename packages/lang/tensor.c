/* SPDX-License-Identifier: MIT */
/* tensor.c - declared tensors: their shapes, and their rows of TENS and DIMS. */
#include "lang/tensor.h"

#include "lang/lang_work.h"
#include "lang/lower/lang_lower.h"

#include <stdbool.h>
#include <string.h>

static bool extent_check(struct lang_module *module, struct lang_tensor *tensor, uint32_t dim)
{
	struct lang_scope scope = {.module = module, .constant = 1};
	struct lang_scalar *extent = tensor->extents[dim];
	int64_t value;

	if (!lang_scalar_check(&scope, extent, "an extent"))
		return false;
	if (!lang_scalar_known(extent, &value) || (value > 0 && value <= INT32_MAX))
		return true;
	lang_error(module->unit, extent->all, "an extent is 1 to %d, not %lld", INT32_MAX, (long long)value);
	return false;
}

/* Whole blocks, as far as the extents are known. */
static bool blocks_check(struct lang_unit *unit, const struct lang_tensor *tensor, const struct lang_memory *memory, const char *name)
{
	static const char *const what[] = {"rows", "columns"};
	int64_t extent;

	if (memory->order != PTOWSP_MEMORY_BLOCKED && memory->order != PTOWSP_MEMORY_NZ)
		return true;
	if (tensor->rank < 2) {
		lang_error(unit, memory->at, "blocks have rows and columns, and %%%s has one dimension", name);
		return false;
	}
	for (uint32_t i = 0; i < 2; i++)
		if (lang_scalar_known(tensor->extents[tensor->rank - 2 + i], &extent) && extent % memory->numbers[i]) {
			lang_error(unit, memory->at, "%%%s has %lld %s, which are no whole number of blocks of %u", name, (long long)extent, what[i],
				   memory->numbers[i]);
			return false;
		}
	return true;
}

/* No two elements have one place: a dimension steps over all that those with smaller strides reach. */
static bool strides_check(struct lang_unit *unit, const struct lang_tensor *tensor, const struct lang_memory *memory, const char *name)
{
	uint32_t done = 0, dim = 0;
	int64_t reach = 1, extent;

	for (uint32_t k = 0; memory->order == PTOWSP_MEMORY_STRIDED && k < tensor->rank; k++) {
		uint32_t least = UINT32_MAX;

		for (uint32_t i = 0; i < tensor->rank; i++)
			if (!(done >> i & 1) && memory->numbers[i] < least) {
				least = memory->numbers[i];
				dim = i;
			}
		done |= 1u << dim;
		if (!lang_scalar_known(tensor->extents[dim], &extent))
			return true;
		if (extent > 1 && least < reach) {
			lang_error(unit, memory->at, "elements of %%%s would lie on each other: dimension %u has the stride %u, and %lld elements lie below it",
				   name, dim, least, (long long)reach);
			return false;
		}
		reach = extent > 1 ? (extent - 1) * (int64_t)least + reach : reach;
	}
	return true;
}

bool lang_tensor_memory_check(struct lang_unit *unit, const struct lang_tensor *tensor, const struct lang_memory *memory, const char *name)
{
	return blocks_check(unit, tensor, memory, name) && strides_check(unit, tensor, memory, name);
}

void lang_tensor_check(struct lang_module *module, struct lang_decl *decl)
{
	struct lang_tensor *tensor = (struct lang_tensor *)decl;
	int ok = !decl->broken;

	for (uint32_t i = 0; i < tensor->rank; i++)
		ok &= extent_check(module, tensor, i);
	for (uint32_t i = 0; ok && i < tensor->rank; i++)
		tensor->extents[i]->settled = 1;
	decl->broken = !ok || !lang_layout_check(module->unit, &tensor->layout, decl->name, tensor->rank) ||
		       !lang_tensor_memory_check(module->unit, tensor, &tensor->layout.memory, decl->name);
}

static void output_check(struct lang_module *module, const struct lang_tensor *tensor)
{
	struct lang_unit *unit = module->unit;
	const char *name = tensor->head.name;

	if (!tensor->written) {
		lang_warn(unit, tensor->head.at, "%%%s is declared as out, and nothing writes it", name);
	} else if (!tensor->filled) {
		lang_error(unit, tensor->inout_at, "%%%s is declared as out, and %s uses it as inout: nothing fills it with what is read there", name,
			   tensor->inout_user);
		lang_help(unit, "declare it as inout at %s", lang_place(unit, tensor->head.at));
	}
}

/* A workload that others call goes on from what they wrote. */
static void temp_check(struct lang_module *module, const struct lang_tensor *tensor)
{
	const struct lang_workload *reader =
		tensor->early_in && tensor->early_in->kind == LANG_DECL_WORKLOAD ? (const struct lang_workload *)tensor->early_in : NULL;

	if (tensor->handed || tensor->origin)
		return;
	if (tensor->read && !tensor->written)
		lang_warn(module->unit, tensor->head.at, "%%%s is declared as temp and read, and nothing writes it: it holds zeros", tensor->head.name);
	else if (reader && !reader->called)
		lang_warn(module->unit, tensor->early_at, "%s reads %%%s, which is temp and nothing has written by then: it holds zeros", tensor->early_reader,
			  tensor->head.name);
}

static void end_check(struct lang_module *module, const struct lang_tensor *tensor)
{
	if (tensor->role == PTOWSP_ROLE_OUT)
		output_check(module, tensor);
	else if (tensor->role == PTOWSP_ROLE_TEMP)
		temp_check(module, tensor);
}

void lang_tensors_finish(struct lang_module *module)
{
	int bodies = module->decl_counts[LANG_DECL_WORKLOAD] || module->decl_counts[LANG_DECL_PROCESS];

	/* Tensors that graphs bind have names of their own. */
	if (!bodies || module->decl_counts[LANG_DECL_GRAPH] || module->unit->list->head.errors)
		return;
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_TENSOR && !decl->broken)
			end_check(module, (const struct lang_tensor *)decl);
}

bool lang_tensor_shape(const struct lang_tensor *tensor, int64_t *rows_out, int64_t *columns_out)
{
	*rows_out = *columns_out = 1;
	for (uint32_t i = 0; i < tensor->rank; i++) {
		int64_t extent;

		if (!lang_scalar_known(tensor->extents[i], &extent) || *rows_out > INT32_MAX)
			return false;
		*rows_out *= *columns_out;
		*columns_out = extent;
	}
	return *rows_out <= INT32_MAX;
}

/* layout(R, R): dimensions do not tell it from nothing said. */
static int is_replicated(const struct lang_layout *layout)
{
	for (uint32_t i = 0; i < layout->rank; i++)
		if (layout->dims[i].sharded)
			return 0;
	return layout->stated;
}

void lang_tensor_build(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_tensor *tensor = (const struct lang_tensor *)decl;
	const struct lang_memory *memory = &tensor->layout.memory;
	struct build_tensor row = {.record = {.dtype = tensor->dtype,
					      .role = tensor->role,
					      .location = tensor->space,
					      .alignment = tensor->alignment,
					      .flags = is_replicated(&tensor->layout) ? PTOWSP_TENSOR_REPLICATED : 0,
					      .entry = PTOWSP_NONE,
					      .position = decl->position}};

	for (uint32_t i = 0; i < tensor->rank; i++)
		build_tensor_dim(lower->build, &row,
				 (struct ptowsp_dim_record){.extent = lang_scalar_lower(lower, tensor->extents[i]),
							    .distribution = tensor->layout.dims[i].sharded,
							    .mesh_axis = tensor->layout.dims[i].mesh_axis});
	if (memory->order != PTOWSP_MEMORY_ROW_MAJOR || memory->swizzle)
		*build_memory(lower->build, &row.memory) = lang_memory_record(memory);
	build_tensor_add(lower->build, decl->name, &row);
}

void lang_tensor_use(struct lang_lower *lower, const struct lang_tensor *tensor)
{
	for (uint32_t i = 0; i < tensor->rank; i++)
		lang_scalar_lower(lower, tensor->extents[i]);
}
