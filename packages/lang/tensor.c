/* SPDX-License-Identifier: MIT */
/* tensor.c - declared tensors: their shapes, and their rows of TENS and DIMS. */
#include "lang/tensor.h"

#include "lang/lower.h"

#include <string.h>

static int extent_check(struct lang_module *module, struct lang_tensor *tensor, uint32_t dim)
{
	struct lang_scope scope = {.module = module, .constant = 1};
	struct lang_scalar *extent = tensor->extents[dim];
	int64_t value;

	if (!lang_scalar_check(&scope, extent, "an extent"))
		return 0;
	if (!lang_scalar_known(extent, &value) || (value > 0 && value <= INT32_MAX))
		return 1;
	lang_error(module->unit, extent->all, "an extent is 1 to %d, not %lld", INT32_MAX, (long long)value);
	return 0;
}

void lang_tensor_check(struct lang_module *module, struct lang_decl *decl)
{
	struct lang_tensor *tensor = (struct lang_tensor *)decl;
	int ok = !decl->broken;

	for (uint32_t i = 0; i < tensor->rank; i++)
		ok &= extent_check(module, tensor, i);
	for (uint32_t i = 0; ok && i < tensor->rank; i++)
		tensor->extents[i]->settled = 1;
	decl->broken = !ok || !lang_layout_check(module->unit, &tensor->layout, decl->name, tensor->rank);
}

static void output_check(struct lang_module *module, const struct lang_tensor *tensor)
{
	struct lang_unit *unit = module->unit;
	const char *name = tensor->head.name;

	if (!tensor->written) {
		lang_warn(unit, tensor->head.at, "%%%s is declared as out, and nothing writes it", name);
	} else if (!tensor->filled) {
		lang_error(unit, tensor->inout_at, "%%%s is declared as out, and %s uses it as inout: nothing fills it with what is read there", name,
			   tensor->inout_who);
		lang_help(unit, "declare it as inout at %s", lang_place(unit, tensor->head.at));
	}
}

void lang_tensors_finish(struct lang_module *module)
{
	int bodies = module->decl_counts[LANG_DECL_WORKLOAD] || module->decl_counts[LANG_DECL_PROCESS];

	/* What graphs bind has names of its own. */
	if (!bodies || module->decl_counts[LANG_DECL_GRAPH] || module->unit->list->head.errors)
		return;
	for (const struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_TENSOR && !decl->broken && ((const struct lang_tensor *)decl)->role == PTOWSP_ROLE_OUT)
			output_check(module, (const struct lang_tensor *)decl);
}

int lang_tensor_shape(const struct lang_tensor *tensor, int64_t *rows_out, int64_t *columns_out)
{
	*rows_out = *columns_out = 1;
	for (uint32_t i = 0; i < tensor->rank; i++) {
		int64_t extent;

		if (!lang_scalar_known(tensor->extents[i], &extent) || *rows_out > INT32_MAX)
			return 0;
		*rows_out *= *columns_out;
		*columns_out = extent;
	}
	return *rows_out <= INT32_MAX;
}

void lang_tensor_write(struct lang_lower *lower, struct lang_decl *decl)
{
	const struct lang_tensor *tensor = (const struct lang_tensor *)decl;
	struct ptowsp_tensor_record record = {.id = ptowsp_id(decl->name, strlen(decl->name)),
					      .name = pkg_writer_string(lower->writer, decl->name),
					      .dtype = tensor->dtype,
					      .role = tensor->role,
					      .location = tensor->space,
					      .dims = pkg_writer_count(lower->writer, PTOWSP_SECTION_DIMS),
					      .dim_count = tensor->rank,
					      .alignment = tensor->alignment,
					      .entry = PTOWSP_NONE,
					      .position = decl->position};

	for (uint32_t i = 0; i < tensor->rank; i++) {
		struct ptowsp_dim_record dim = {.extent = lang_scalar_lower(lower, tensor->extents[i]),
						.distribution = tensor->layout.dims[i].sharded,
						.mesh_axis = tensor->layout.dims[i].mesh_axis};

		pkg_writer_row(lower->writer, PTOWSP_SECTION_DIMS, &dim, sizeof(dim));
	}
	pkg_writer_row(lower->writer, PTOWSP_SECTION_TENS, &record, sizeof(record));
}

void lang_tensor_use(struct lang_lower *lower, const struct lang_tensor *tensor)
{
	for (uint32_t i = 0; i < tensor->rank; i++)
		lang_scalar_lower(lower, tensor->extents[i]);
}
