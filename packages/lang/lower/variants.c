/* SPDX-License-Identifier: MIT */
/* variants.c - tile levels, and which kernels stand in for a function at other levels: f_64 for f at level 64. */
#include "lang/lang_axis.h"
#include "lang/lang_kernel.h"
#include "lang/lower/lang_lower.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "f_64": a name that says its rows is no base of variants. */
static bool names_rows(const char *name)
{
	const char *tail = strrchr(name, '_');

	return tail && tail[1] && tail[1 + strspn(tail + 1, "0123456789")] == '\0';
}

/* A variant takes the place of the function in a task that is already bound. */
static bool same_signature(const struct lang_function *a, const struct lang_function *b)
{
	if (a->kind != b->kind || b->inlined || a->memref_count != b->memref_count || a->need_count != b->need_count)
		return false;
	for (uint32_t i = 0; i < a->memref_count + a->need_count; i++) {
		const struct lang_param own = lang_param(a, NULL, i), other = lang_param(b, NULL, i);

		if (strcmp(own.name, other.name) != 0 || own.access != other.access || own.dtype != other.dtype)
			return false;
	}
	return true;
}

static struct lang_function *variant_find(struct lang_lower *lower, const struct lang_function *target, uint32_t rows)
{
	struct lang_function *variant;

	variant = lang_map_find(&lower->module->functions, common_format(&lower->unit->arena, "%s_%u", target->name, rows));
	if (!variant || same_signature(target, variant))
		return variant;
	lang_error(lower->unit, variant->at, "@%s stands in for @%s at tile level %u, but its parameters differ", variant->name, target->name, rows);
	lang_help(lower->unit, "give it the same memrefs (name, type, read or written) and the same scalars as at %s", lang_place(lower->unit, target->at));
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
	variant = COMMON_PUSH(&lower->unit->arena, target->variants, target->variant_count, target->variant_capacity);
	variant->rows = rows;
	variant->function = variant_find(lower, target, rows);
	return variant->function ? variant->function : target;
}

static int steps(const struct lang_arg *arg)
{
	return arg->tuple && arg->row.var && arg->row.var->kind == LANG_LOOP;
}

/* A step of the loop is one level: larger tiles overlap with those of the next step. */
void lang_step_warn(struct lang_lower *lower, uint8_t *warned, const char *kernel, uint32_t touched, uint32_t rows, const char *tensor, struct lang_span at)
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
	rows = common_alloc(&lower->unit->arena, (levels->count + 1) * sizeof(*rows));
	for (uint32_t i = 0; i < levels->count; i++)
		rows[i] = (struct ptowsp_level_record){.block = levels->rows[i].block, .rows = levels->rows[i].rows};
	return lang_levels_add(lower->tables, levels->max_range, levels->min_range, rows, levels->count);
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
	uint32_t *rows = common_alloc(&lower->unit->arena, (f->variant_count + 1) * sizeof(*rows)), count = 0, first;

	for (uint32_t i = 0; i < f->variant_count; i++)
		if (!f->variants[i].function)
			rows[count++] = f->variants[i].rows;
	first = lacking_warn(lower, f->name, f->at, rows, count);
	if (first)
		lang_help(lower->unit, "a variant for level %u is a function @%s_%u with the same parameters", first, f->name, first);
}

static void kernel_warn(struct lang_lower *lower, const struct lang_kernel *kernel)
{
	uint32_t first =
		names_rows(kernel->head.name) ? 0 : lacking_warn(lower, kernel->head.name, kernel->head.at, kernel->missing_levels, kernel->lacking_count);

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

static bool is_power(uint32_t value)
{
	return value && !(value & (value - 1));
}

static void range_check(struct lang_unit *unit, const struct lang_levels *levels)
{
	if (!levels->max_range || !levels->min_range) {
		lang_error(unit, levels->at, "a loop with tile levels needs max_range and min_range");
		lang_help(unit, "for example max_range=4096 min_range=256");
		return;
	}
	if (!is_power(levels->max_range))
		lang_error(unit, levels->max_at, "max_range is a power of two, not %u", levels->max_range);
	if (!is_power(levels->min_range))
		lang_error(unit, levels->min_at, "min_range is a power of two, not %u", levels->min_range);
	if (levels->min_range > levels->max_range)
		lang_error(unit, levels->min_at, "min_range %u is above max_range %u", levels->min_range, levels->max_range);
}

static void residual_check(struct lang_unit *unit, const struct lang_level *level)
{
	if (level->rows == LANG_LEVEL_ROWS)
		return;
	lang_error(unit, level->at, "level 0, the residual iterations, has %u rows, not %u", LANG_LEVEL_ROWS, level->rows);
	lang_help(unit, "write 0:%u, or leave it out", LANG_LEVEL_ROWS);
}

static void level_check(struct lang_unit *unit, const struct lang_levels *levels, uint32_t number)
{
	const struct lang_level *level = &levels->rows[number];

	for (uint32_t i = 0; i < number; i++)
		if (levels->rows[i].block == level->block) {
			lang_error(unit, level->at, "block size %u has two levels", level->block);
			return;
		}
	if (!level->block) {
		residual_check(unit, level);
		return;
	}
	if (!is_power(level->block) || level->block > levels->max_range || level->block < levels->min_range)
		lang_error(unit, level->at, "no block has the size %u: blocks are powers of two from %u to %u", level->block, levels->min_range,
			   levels->max_range);
	else if (!level->rows || level->rows % LANG_LEVEL_ROWS || (uint64_t)LANG_LEVEL_ROWS * level->block % level->rows)
		lang_error(unit, level->at, "level %u:%u: the rows are a multiple of %u that divides %u times the block", level->block, level->rows,
			   LANG_LEVEL_ROWS, LANG_LEVEL_ROWS);
}

void lang_levels_check(struct lang_unit *unit, const struct lang_levels *levels)
{
	range_check(unit, levels);
	for (uint32_t i = 0; i < levels->count && levels->max_range && levels->min_range; i++)
		level_check(unit, levels, i);
}

void lang_levels_loop_check(struct lang_check *check, const struct lang_stmt *loop)
{
	const struct lang_levels *levels = loop->levels;
	const struct lang_operand *low = &loop->operands[1], *step = &loop->operands[3];

	if (!levels)
		return;
	if (check->function->kind == LANG_INCORE) {
		lang_error(check->unit, levels->at, "max_range, min_range and tile_levels stand only in Orchestration functions");
		return;
	}
	if (low->kind != LANG_OPERAND_NUMBER || low->value != 0)
		lang_error(check->unit, low->at, "a loop with tile levels starts at 0");
	if (step->kind != LANG_OPERAND_NUMBER || step->value != 1)
		lang_error(check->unit, step->at, "a loop with tile levels has the step 1");
	lang_levels_check(check->unit, levels);
}

static uint32_t rows_of(const struct lang_levels *levels, uint32_t block)
{
	for (uint32_t i = 0; i < levels->count; i++)
		if (levels->rows[i].block == block)
			return levels->rows[i].rows;
	return LANG_LEVEL_ROWS;
}

/* The tile levels that a loop can run at, 32 included where it can, each once, as the blocks fall. Returns how many. */
static uint32_t levels_possible(const struct lang_levels *levels, uint32_t rows_out[LANG_MAX_LEVELS])
{
	uint32_t count = 0;

	for (uint32_t block = levels->max_range; block >= levels->min_range && block; block /= 2)
		rows_out[count++] = rows_of(levels, block);
	if (levels->min_range > 1)
		rows_out[count++] = LANG_LEVEL_ROWS;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = i + 1; j < count;)
			if (rows_out[i] == rows_out[j])
				rows_out[j] = rows_out[--count];
			else
				j++;
	return count;
}

void lang_levels_enter(struct lang_level_set *set, const struct lang_levels *levels)
{
	uint32_t inner[LANG_MAX_LEVELS], count = levels_possible(levels, inner);
	uint32_t merged[LANG_MAX_LEVELS], merged_count = 0;
	int base = !set->count;

	for (uint32_t i = 0; i < set->count; i++)
		if (set->rows[i] == LANG_LEVEL_ROWS)
			base = 1;
		else
			merged[merged_count++] = set->rows[i];
	for (uint32_t i = 0; i < count && base; i++) {
		uint32_t j = 0;

		while (j < merged_count && merged[j] != inner[i])
			j++;
		if (j == merged_count && merged_count < LANG_MAX_LEVELS)
			merged[merged_count++] = inner[i];
	}
	memcpy(set->rows, merged, merged_count * sizeof(*merged));
	set->count = merged_count;
	set->stated |= levels->stated;
}
