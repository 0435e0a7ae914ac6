/* SPDX-License-Identifier: MIT */
/* variants.c - which kernels stand in for a function at other tile levels: f_64 for f at level 64; which levels lack one. */
#include "lang/lang_kernel.h"
#include "lang/lang_lower.h"

#include <stdio.h>
#include <string.h>

/* "f_64": a name that says its rows is no base of variants. */
static int names_rows(const char *name)
{
	const char *tail = strrchr(name, '_');

	return tail && tail[1] && tail[1 + strspn(tail + 1, "0123456789")] == '\0';
}

/* A variant takes the place of the function in a task that is already bound. */
static int same_signature(const struct lang_function *a, const struct lang_function *b)
{
	if (a->kind != b->kind || a->memref_count != b->memref_count || a->need_count != b->need_count)
		return 0;
	for (uint32_t i = 0; i < a->memref_count; i++)
		if (strcmp(a->memrefs[i]->name, b->memrefs[i]->name) != 0 || a->memrefs[i]->access != b->memrefs[i]->access ||
		    a->memrefs[i]->type.dtype != b->memrefs[i]->type.dtype)
			return 0;
	for (uint32_t i = 0; i < a->need_count; i++)
		if (strcmp(a->needs[i]->name, b->needs[i]->name) != 0 || a->needs[i]->type.dtype != b->needs[i]->type.dtype)
			return 0;
	return 1;
}

static struct lang_function *variant_find(struct lang_lower *lower, const struct lang_function *target, uint32_t rows)
{
	struct lang_function *variant;

	variant = lang_map_find(&lower->module->functions, lang_format(&lower->unit->arena, "%s_%u", target->name, rows));
	if (!variant || same_signature(target, variant))
		return variant;
	lang_error(lower->unit, variant->at, "@%s stands in for @%s at tile level %u, but its parameters differ", variant->name,
		   target->name, rows);
	lang_help(lower->unit, "give it the same memrefs (name, type, read or written) and the same scalars as at %s",
		  lang_place(lower->unit, target->at));
	return NULL;
}

const struct lang_function *lang_variant_at(struct lang_lower *lower, struct lang_function *target, uint32_t rows)
{
	struct lang_variant *variant;

	if (rows == LANG_LEVEL_ROWS || names_rows(target->name))
		return target;
	for (uint32_t i = 0; i < target->variant_count; i++)
		if (target->variants[i].rows == rows)
			return target->variants[i].function ? target->variants[i].function : target;
	variant = LANG_PUSH(&lower->unit->arena, target->variants, target->variant_count, target->variant_capacity);
	variant->rows = rows;
	variant->function = variant_find(lower, target, rows);
	return variant->function ? variant->function : target;
}

static int steps(const struct lang_arg *arg)
{
	return arg->tuple && arg->row.var && arg->row.var->kind == LANG_LOOP;
}

/* A step of the loop is one level: larger tiles overlap with those of the next step. */
void lang_step_warn(struct lang_lower *lower, uint8_t *warned, const char *kernel, uint32_t touched, uint32_t rows, const char *tensor,
		    struct lang_span at)
{
	if (*warned || touched <= rows)
		return;
	*warned = 1;
	lang_warn(lower->unit, at, "at tile level %u, @%s touches %u rows of %%%s, but the loop steps by %u", rows, kernel, touched, tensor, rows);
	lang_help(lower->unit, "neighbouring tasks overlap there and run one after the other");
}

void lang_variants_note(struct lang_lower *lower, const struct lang_stmt *call, const struct lang_level_set *levels)
{
	for (uint32_t i = 0; i < levels->count; i++) {
		const struct lang_function *kernel = lang_variant_at(lower, call->target, levels->rows[i]);

		for (uint32_t k = 0; k < call->arg_count; k++)
			if (steps(&call->args[k]))
				lang_step_warn(lower, &call->target->steps_warned, kernel->name, kernel->memrefs[call->args[k].param->number]->rows,
					       levels->rows[i], call->args[k].actual.text, call->args[k].at);
	}
}

uint32_t lang_levels_row(struct lang_lower *lower, const struct lang_levels *levels)
{
	struct ptowsp_level_record *rows;

	if (!levels)
		return PTOWSP_NONE;
	rows = lang_alloc(&lower->unit->arena, (levels->count + 1) * sizeof(*rows));
	for (uint32_t i = 0; i < levels->count; i++)
		rows[i] = (struct ptowsp_level_record){.block = levels->rows[i].block, .rows = levels->rows[i].rows};
	return lang_levels_add(&lower->tables, levels->max_range, levels->min_range, rows, levels->count);
}

/* "@f has no variant for tile levels 64, 128 and runs there as it is"; the first of them, 0 where it lacks none. */
static uint32_t lacking_warn(struct lang_lower *lower, const char *name, struct lang_span at, const uint32_t *rows, uint32_t count)
{
	char missing[160] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < count && used < sizeof(missing) - 16; i++)
		used += (size_t)snprintf(missing + used, sizeof(missing) - used, "%s%u", used ? ", " : "", rows[i]);
	if (count)
		lang_warn(lower->unit, at, "@%s has no variant for tile level%s %s and runs there as it is", name, count > 1 ? "s" : "", missing);
	return count ? rows[0] : 0;
}

static void function_warn(struct lang_lower *lower, const struct lang_function *f)
{
	uint32_t *rows = lang_alloc(&lower->unit->arena, (f->variant_count + 1) * sizeof(*rows)), count = 0, first;

	for (uint32_t i = 0; i < f->variant_count; i++)
		if (!f->variants[i].function)
			rows[count++] = f->variants[i].rows;
	first = lacking_warn(lower, f->name, f->at, rows, count);
	if (first)
		lang_help(lower->unit, "a variant for level %u is a function @%s_%u with the same parameters", first, f->name, first);
}

static void kernel_warn(struct lang_lower *lower, const struct lang_kernel *kernel)
{
	uint32_t first = names_rows(kernel->head.name) ? 0 : lacking_warn(lower, kernel->head.name, kernel->head.at, kernel->lacking, kernel->lacking_count);

	if (first)
		lang_help(lower->unit, "a variant for level %u is another kernel with the same parameters, named behind these: variant %u @%s_%u", first, first,
			  kernel->head.name, first);
}

void lang_variants_warn(struct lang_lower *lower)
{
	if (lower->unit->list->head.errors) /* a variant that does not fit has been told */
		return;
	for (const struct lang_function *f = lower->module->first; f; f = f->next)
		function_warn(lower, f);
	for (const struct lang_decl *decl = lower->module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_KERNEL)
			kernel_warn(lower, (const struct lang_kernel *)decl);
}
