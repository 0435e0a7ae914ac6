/* SPDX-License-Identifier: MIT */
/* range.c - where the indices of a part lie while the loops around it run, if only numbers decide that. */
#include "lang/check/range.h"

#include <stdbool.h>

#include "lang/lang_process.h"

/* --- values of loops --- */

/* A break of this loop stands in the body: its last rounds need not come. */
static int breaks(const struct lang_body *body)
{
	for (const struct lang_work *work = body->first; work; work = work->next) {
		if (work->form->opcode == PTOWSP_OP_BREAK)
			return 1;
		if (work->local && work->local->kind == LANG_LOCAL_LOOP)
			continue; /* a loop of its own */
		for (uint32_t i = 0; work->form->opcode != PTOWSP_OP_WHILE && i < work->body_count; i++)
			if (breaks(&work->bodies[i]))
				return 1;
	}
	return 0;
}

static void extents_note(struct lang_module *module, const struct lang_body *body)
{
	for (const struct lang_work *work = body->first; work && work->form->check == lang_extent_check; work = work->next) {
		struct lang_decl *decl = work->name ? lang_decl_find(module, '%', work->name) : NULL;

		if (decl && decl->kind == LANG_DECL_AXIS)
			((struct lang_axis *)decl)->overridden = 1;
	}
}

void lang_extents_note(struct lang_module *module)
{
	for (struct lang_decl *decl = module->decls; decl; decl = decl->next)
		if (decl->kind == LANG_DECL_WORKLOAD)
			extents_note(module, &((struct lang_workload *)decl)->body);
		else if (decl->kind == LANG_DECL_PROCESS)
			extents_note(module, &((struct lang_process *)decl)->body);
}

void lang_range_set(struct lang_work_check *check, const struct lang_work *work)
{
	const struct lang_axis *axis = work->axis;
	struct lang_local *local = work->local;
	int64_t low = 0, high, step = 1;

	local->has_range = 0;
	local->guards = check->guards;
	if (!axis || axis->head.broken || axis->levels || axis->overridden || axis->kind != PTOWSP_AXIS_DENSE || !axis->high ||
	    !lang_scalar_known(axis->high, &high) || (axis->low && !lang_scalar_known(axis->low, &low)) ||
	    (axis->step && !lang_scalar_known(axis->step, &step)))
		return;
	if (step < 1 || low < INT32_MIN || high > INT32_MAX || high <= low || breaks(&work->bodies[0]))
		return;
	local->has_range = 1;
	local->first = low;
	local->last = low + (high - 1 - low) / step * step;
}

/* --- sums of loop values --- */

static bool term_add(struct lang_range *range, const struct lang_local *local, int64_t factor)
{
	uint32_t i = 0;

	while (i < range->count && range->terms[i].local != local)
		i++;
	if (i == LANG_RANGE_TERMS)
		return false;
	if (i == range->count)
		range->terms[range->count++] = (struct lang_range_term){.local = local};
	return !__builtin_add_overflow(range->terms[i].factor, factor, &range->terms[i].factor);
}

static bool sum_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor);

static bool product_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	for (int i = 0; i < 2; i++) {
		int64_t known;

		if (lang_scalar_known(scalar->operands[i], &known))
			return !__builtin_mul_overflow(known, factor, &factor) && sum_add(check, range, scalar->operands[1 - i], factor);
	}
	return false;
}

static bool op_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	switch (scalar->op) {
	case PTOWSP_EXPR_ADD: return sum_add(check, range, scalar->operands[0], factor) && sum_add(check, range, scalar->operands[1], factor);
	case PTOWSP_EXPR_SUB:
		return factor != INT64_MIN && sum_add(check, range, scalar->operands[0], factor) && sum_add(check, range, scalar->operands[1], -factor);
	case PTOWSP_EXPR_NEG: return factor != INT64_MIN && sum_add(check, range, scalar->operands[0], -factor);
	case PTOWSP_EXPR_MUL: return product_add(check, range, scalar, factor);
	default: return false;
	}
}

static bool sum_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	int64_t known, product;

	if (lang_scalar_known(scalar, &known))
		return !__builtin_mul_overflow(known, factor, &product) && !__builtin_add_overflow(range->constant, product, &range->constant);
	if (scalar->kind == LANG_SCALAR_NAME)
		return scalar->local && scalar->local->kind == LANG_LOCAL_LOOP && scalar->local->has_range && scalar->local->guards == check->guards &&
		       term_add(range, scalar->local, factor);
	return scalar->kind == LANG_SCALAR_OP && op_add(check, range, scalar, factor);
}

bool lang_range_add(const struct lang_work_check *check, struct lang_range *range, const struct lang_scalar *scalar, int64_t factor)
{
	return sum_add(check, range, scalar, factor);
}

bool lang_range_end(const struct lang_range *range, int greatest, int64_t *value_out)
{
	int64_t product;

	*value_out = range->constant;
	for (uint32_t i = 0; i < range->count; i++) {
		const struct lang_range_term *term = &range->terms[i];

		if (__builtin_mul_overflow(term->factor, (term->factor > 0) == greatest ? term->local->last : term->local->first, &product) ||
		    __builtin_add_overflow(*value_out, product, value_out))
			return false;
	}
	return true;
}

const char *lang_range_text(struct lang_unit *unit, const struct lang_range *range, int greatest)
{
	const char *text = "";

	for (uint32_t i = 0; i < range->count; i++) {
		const struct lang_range_term *term = &range->terms[i];

		if (term->factor)
			text = common_format(&unit->arena, "%s%s%%%s is %lld", text, *text ? " and " : " where ", term->local->name,
					     (long long)((term->factor > 0) == greatest ? term->local->last : term->local->first));
	}
	return text;
}
