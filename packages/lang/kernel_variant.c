/* SPDX-License-Identifier: MIT */
/* kernel_variant.c - what takes the place of a declared kernel at other tile levels. */
#include "lang/lang_kernel.h"
#include "lang/levels.h"
#include "lang/lower/lang_lower.h"
#include "lang/parse/parse.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* A parameter of a kernel or of an InCore function, counted among tensors or among scalars. */
struct parameter {
	const char *name;
	uint16_t dtype;
	uint8_t access;
	const struct lang_layout *layout; /* NULL: a function states none */
	uint32_t rows, columns;
};

static const struct lang_kernel_list *list_of(const struct lang_kernel *kernel, int tensors)
{
	return tensors ? &kernel->tensors : &kernel->scalars;
}

static uint32_t kernel_count(const struct lang_kernel *kernel, int tensors)
{
	return list_of(kernel, tensors)->count;
}

static struct parameter kernel_parameter(const struct lang_kernel *kernel, int tensors, uint32_t number)
{
	const struct lang_kernel_param *param = &kernel->params[list_of(kernel, tensors)->params[number]];

	return (struct parameter){param->name, param->dtype, param->access, &param->layout, param->rows, param->columns};
}

static uint32_t count_of(const struct lang_kernel_variant *variant, int tensors)
{
	if (variant->kernel)
		return kernel_count(variant->kernel, tensors);
	return tensors ? variant->function->memref_count : variant->function->need_count;
}

static struct parameter parameter_of(const struct lang_kernel_variant *variant, int tensors, uint32_t number)
{
	const struct lang_var *var;

	if (variant->kernel)
		return kernel_parameter(variant->kernel, tensors, number);
	var = tensors ? variant->function->memrefs[number] : variant->function->needs[number];
	return (struct parameter){var->name, var->type.dtype, tensors ? var->access : 0, NULL, var->rows, var->columns};
}

/* --- checking --- */

static bool layouts_equal(const struct lang_layout *a, const struct lang_layout *b)
{
	int equal = a->stated == b->stated && a->rank == b->rank && a->memory.stated == b->memory.stated;

	for (uint32_t i = 0; i < a->rank && equal; i++)
		equal = a->dims[i].sharded == b->dims[i].sharded && a->dims[i].mesh_axis == b->dims[i].mesh_axis;
	return equal && (!a->memory.stated || lang_memory_equal(&a->memory, &b->memory));
}

/* The task is bound already when the level is known: what stands in takes the same. */
static bool parameter_check(struct lang_unit *unit, const struct lang_kernel *kernel, const struct lang_kernel_variant *variant, int tensors, uint32_t number)
{
	struct parameter own = kernel_parameter(kernel, tensors, number), other = parameter_of(variant, tensors, number);

	if (own.dtype != other.dtype) {
		lang_error(unit, variant->at, "%%%s of @%s is %s, %%%s of @%s is %s: a variant has the parameters of its kernel", other.name, variant->name,
			   common_dtype_text(other.dtype), own.name, kernel->head.name, common_dtype_text(own.dtype));
		return false;
	}
	if (own.access != other.access) {
		lang_error(unit, variant->at, "%%%s of @%s is %s, %%%s of @%s is %s: a variant has the parameters of its kernel", other.name, variant->name,
			   lang_access_text(other.access), own.name, kernel->head.name, lang_access_text(own.access));
		return false;
	}
	if (other.layout && (other.layout->stated || other.layout->memory.stated) && !layouts_equal(own.layout, other.layout)) {
		lang_error(unit, variant->at, "%%%s of @%s states another layout than %%%s of @%s, and calls are checked against that one", other.name,
			   variant->name, own.name, kernel->head.name);
		return false;
	}
	return true;
}

static bool parameters_check(struct lang_unit *unit, const struct lang_kernel *kernel, const struct lang_kernel_variant *variant)
{
	for (int tensors = 1; tensors >= 0; tensors--) {
		uint32_t own = kernel_count(kernel, tensors), other = count_of(variant, tensors);

		if (own != other) {
			lang_error(unit, variant->at, "@%s takes %u %s%s, @%s takes %u: a variant has the parameters of its kernel", variant->name, other,
				   tensors ? "tensor" : "scalar", other == 1 ? "" : "s", kernel->head.name, own);
			return false;
		}
		for (uint32_t i = 0; i < own; i++)
			if (!parameter_check(unit, kernel, variant, tensors, i))
				return false;
	}
	return true;
}

static bool level_check(struct lang_unit *unit, const struct lang_kernel *kernel, struct lang_kernel_variant *variant)
{
	int64_t rows;

	if (!lang_scalar_known(variant->level, &rows) || rows < LANG_LEVEL_ROWS || rows > UINT32_MAX || rows % LANG_LEVEL_ROWS) {
		lang_error(unit, variant->level->all, "a tile level is a multiple of %u", LANG_LEVEL_ROWS);
		return false;
	}
	variant->rows = (uint32_t)rows;
	if (rows == LANG_LEVEL_ROWS) {
		lang_warn(unit, variant->level->all, "level %u is @%s itself: @%s never runs in its place", LANG_LEVEL_ROWS, kernel->head.name, variant->name);
		return true;
	}
	for (const struct lang_kernel_variant *other = kernel->variants; other < variant; other++)
		if (other->rows == rows) {
			lang_error(unit, variant->level->all, "@%s has a variant for level %u already, @%s", kernel->head.name, variant->rows, other->name);
			return false;
		}
	return true;
}

static bool target_find(struct lang_module *module, const struct lang_kernel *kernel, struct lang_kernel_variant *variant)
{
	struct lang_decl *decl = lang_decl_find(module, '@', variant->name);
	struct lang_function *function = lang_map_find(&module->functions, variant->name);

	if (function && function->inlined) {
		lang_inlined_refuse(module->unit, variant->at, function);
		return false;
	}
	if (function && function->kind == LANG_INCORE) {
		variant->function = function;
		return true;
	}
	if (decl && decl->kind == LANG_DECL_KERNEL && decl != &kernel->head) {
		decl->used = 1;
		variant->kernel = (struct lang_kernel *)decl;
		return true;
	}
	if (decl == &kernel->head)
		lang_error(module->unit, variant->at, "@%s is no variant of itself", variant->name);
	else if (decl)
		lang_error(module->unit, variant->at, "@%s is %s: a variant is a kernel or an InCore function", variant->name,
			   lang_decl_noun(module->unit, decl->kind));
	else if (function)
		lang_error(module->unit, variant->at, "@%s is an Orchestration function: a variant is a kernel or an InCore function", variant->name);
	else {
		lang_error(module->unit, variant->at, "there is no kernel @%s", variant->name);
		lang_decl_help(module, '@', LANG_DECL_KERNEL, variant->name);
	}
	return false;
}

int lang_kernel_variants_check(struct lang_module *module, struct lang_kernel *kernel)
{
	const struct lang_scope scope = {.module = module, .constant = 1};
	int ok = 1;

	for (uint32_t i = 0; i < kernel->variant_count; i++) {
		struct lang_kernel_variant *variant = &kernel->variants[i];

		if (!lang_scalar_check(&scope, variant->level, "a tile level") || !level_check(module->unit, kernel, variant) ||
		    !target_find(module, kernel, variant) || (variant->kernel && variant->kernel->head.broken) ||
		    (!module->unit->list->head.errors && !parameters_check(module->unit, kernel, variant)))
			ok = 0;
	}
	return ok;
}

/* --- lowering --- */

const struct lang_kernel_variant *lang_kernel_variant_at(const struct lang_kernel *kernel, uint32_t rows)
{
	for (uint32_t i = 0; i < kernel->variant_count && rows != LANG_LEVEL_ROWS; i++)
		if (kernel->variants[i].rows == rows)
			return &kernel->variants[i];
	return NULL;
}

void lang_kernel_variant_shape(const struct lang_kernel_variant *variant, uint32_t tensor, uint32_t *rows_out, uint32_t *columns_out)
{
	struct parameter parameter = parameter_of(variant, 1, tensor);

	*rows_out = parameter.rows;
	*columns_out = parameter.columns;
}

void lang_kernel_level_note(struct lang_lower *lower, struct lang_kernel *kernel, uint32_t rows)
{
	if (rows == LANG_LEVEL_ROWS || lang_kernel_variant_at(kernel, rows))
		return;
	for (uint32_t i = 0; i < kernel->lacking_count; i++)
		if (kernel->missing_levels[i] == rows)
			return;
	*COMMON_PUSH(&lower->unit->arena, kernel->missing_levels, kernel->lacking_count, kernel->lacking_capacity) = rows;
}
