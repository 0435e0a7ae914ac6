/* SPDX-License-Identifier: MIT */
/* lang_axis.c - axes checked, and their rows of AXES and AXVL. */
#include "lang/lang_axis.h"

#include "lang/lower/lang_lower.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

static bool bound_check(const struct lang_scope *scope, struct lang_scalar *scalar, const char *what)
{
	return !scalar || lang_scalar_check(scope, scalar, what);
}

/* The tensor of a list must hold integers; 0 after an error. */
static bool tensor_check(struct lang_module *module, struct lang_list_source *list, const char *what)
{
	struct lang_decl *decl;

	if (!list->tensor)
		return true;
	decl = lang_decl_find(module, '%', list->tensor);
	if (!decl) {
		lang_error(module->unit, list->at, "there is no tensor %%%s", list->tensor);
		lang_decl_help(module, '%', LANG_DECL_TENSOR, list->tensor);
		return false;
	}
	if (decl->kind != LANG_DECL_TENSOR) {
		lang_error(module->unit, list->at, "%%%s is %s, %s are a list or a tensor of integers", list->tensor, lang_decl_noun(module->unit, decl->kind),
			   what);
		return false;
	}
	list->decl = (struct lang_tensor *)decl;
	if (strchr("iu", common_dtype_class(list->decl->dtype)))
		return true;
	lang_error(module->unit, list->at, "%%%s is of type %s, %s are a list or a tensor of integers", list->tensor, common_dtype_text(list->decl->dtype),
		   what);
	return false;
}

static bool ragged_check(struct lang_module *module, const struct lang_axis *axis)
{
	int64_t rows;

	if (axis->lengths.tensor)
		return true;
	if (!lang_scalar_known(axis->high, &rows) || rows != axis->lengths.count) {
		lang_error(module->unit, axis->high->all, "this list has %u length%s, one per row is wanted", axis->lengths.count,
			   axis->lengths.count == 1 ? "" : "s");
		return false;
	}
	return true;
}

/* [0, 2, 5]: beginnings of rows, which never fall, and the end of the last one. */
static bool sparse_check(struct lang_module *module, const struct lang_axis *axis)
{
	const struct lang_list_source *begins = &axis->lengths, *indices = &axis->indices;

	if (!begins->tensor != !indices->tensor) {
		lang_error(module->unit, indices->at, "beginnings of rows and indices are two lists or two tensors");
		return false;
	}
	if (axis->high && !begins->tensor) {
		lang_error(module->unit, axis->high->all, "two lists say themselves how many rows there are");
		return false;
	}
	if (begins->tensor) {
		int64_t rows, columns;

		if (!lang_tensor_shape(begins->decl, &rows, &columns) || rows * columns > 1)
			return true;
		lang_error(module->unit, begins->at, "%%%s has 1 element: beginnings of rows are one more than there are rows", begins->tensor);
		return false;
	}
	for (uint32_t i = 1; i < begins->count; i++)
		if (begins->values[i] < begins->values[i - 1])
			goto bad;
	if (begins->count && !begins->values[0] && begins->values[begins->count - 1] == indices->count)
		return true;
bad:
	lang_error(module->unit, begins->at, "beginnings of rows begin with 0, never fall and end with the number of indices, here %u", indices->count);
	return false;
}

bool lang_axis_levels_check(struct lang_unit *unit, const struct lang_axis *axis)
{
	uint32_t errors = unit->list->head.errors;
	int64_t value;

	if (!axis->levels)
		return true;
	if (axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE)
		lang_error(unit, axis->levels->at, "a %s axis has no tile levels", axis->kind == PTOWSP_AXIS_RAGGED ? "ragged" : "sparse");
	if (axis->low && (!lang_scalar_known(axis->low, &value) || value))
		lang_error(unit, axis->low->all, "a loop with tile levels starts at 0");
	if (axis->step && (!lang_scalar_known(axis->step, &value) || value != 1))
		lang_error(unit, axis->step->all, "a loop with tile levels has the step 1");
	lang_levels_check(unit, axis->levels);
	return unit->list->head.errors == errors;
}

void lang_axis_check(struct lang_module *module, struct lang_decl *decl)
{
	const struct lang_scope scope = {.module = module};

	lang_axis_check_in(&scope, (struct lang_axis *)decl);
}

void lang_axis_check_in(const struct lang_scope *scope, struct lang_axis *axis)
{
	struct lang_module *module = scope->module;
	int64_t step;
	bool ok = !axis->head.broken;

	if (!ok)
		return;
	ok = bound_check(scope, axis->low, "a bound");
	ok = bound_check(scope, axis->high, "a bound") && ok;
	ok = bound_check(scope, axis->step, "a step") && ok;
	ok = tensor_check(module, &axis->lengths, axis->kind == PTOWSP_AXIS_SPARSE ? "beginnings of rows" : "lengths") && ok;
	ok = tensor_check(module, &axis->indices, "indices") && ok;
	if (axis->lengths.decl)
		axis->lengths.decl->axis = axis->head.name;
	if (axis->indices.decl)
		axis->indices.decl->axis = axis->head.name;
	if (ok && axis->step && lang_scalar_known(axis->step, &step) && step < 1) {
		lang_error(module->unit, axis->step->all, "a step is at least 1, not %lld", (long long)step);
		ok = 0;
	}
	if (ok && axis->kind == PTOWSP_AXIS_RAGGED)
		ok = ragged_check(module, axis);
	if (ok && axis->kind == PTOWSP_AXIS_SPARSE)
		ok = sparse_check(module, axis);
	if (ok)
		ok = lang_axis_levels_check(module->unit, axis);
	axis->head.broken = !ok;
}

static void value_write(struct lang_lower *lower, struct lang_axis *axis, int64_t value)
{
	struct ptowsp_build *b = lower->build;

	if (!axis->value_count++)
		axis->values = b->axis_value_count;
	*BUILD_PUSH(b, axis_values, axis_value) = (struct ptowsp_axis_value_record){.value = value};
}

/* Running sums of lengths, or beginnings and then indices; once per axis. */
static void values_write(struct lang_lower *lower, struct lang_axis *axis)
{
	int64_t sum = 0;

	if (axis->lengths.tensor || axis->value_count)
		return;
	if (axis->kind == PTOWSP_AXIS_RAGGED)
		value_write(lower, axis, 0);
	for (uint32_t i = 0; i < axis->lengths.count; i++) {
		sum += axis->lengths.values[i];
		value_write(lower, axis, axis->kind == PTOWSP_AXIS_RAGGED ? sum : axis->lengths.values[i]);
	}
	for (uint32_t i = 0; i < axis->indices.count; i++)
		value_write(lower, axis, axis->indices.values[i]);
}

/* How many rows there are. */
static uint32_t rows_lower(struct lang_lower *lower, const struct lang_axis *axis)
{
	struct lang_exprs *exprs = &lower->tables->exprs;
	uint32_t count;

	if (axis->kind != PTOWSP_AXIS_SPARSE || axis->high)
		return lang_scalar_lower(lower, axis->high);
	if (!axis->lengths.tensor)
		return lang_expr_const(exprs, axis->lengths.count - 1);
	count = lang_expr_const(exprs, 1);
	for (uint32_t i = 0; i < axis->lengths.decl->rank; i++)
		count = lang_expr_binary(exprs, PTOWSP_EXPR_MUL, count, lang_scalar_lower(lower, axis->lengths.decl->extents[i]));
	return lang_expr_binary(exprs, PTOWSP_EXPR_SUB, count, lang_expr_const(exprs, 1));
}

uint32_t lang_axis_lower(struct lang_lower *lower, struct lang_axis *axis, const char *name, uint32_t row)
{
	struct lang_exprs *exprs = &lower->tables->exprs;
	struct ptowsp_axis_record record = {.name = build_code_name(lower->build, build_string(lower->build, name)),
					    .kind = axis->kind,
					    .levels = lang_levels_row(lower, axis->levels),
					    .row = row};

	record.low = axis->low ? lang_scalar_lower(lower, axis->low) : lang_expr_const(exprs, 0);
	record.high = rows_lower(lower, axis);
	record.step = axis->step ? lang_scalar_lower(lower, axis->step) : lang_expr_const(exprs, 1);
	record.lengths = axis->lengths.decl ? axis->lengths.decl->head.row : PTOWSP_NONE;
	record.indices = axis->indices.decl ? axis->indices.decl->head.row : PTOWSP_NONE;
	if (axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE)
		values_write(lower, axis);
	record.first = axis->values;
	record.count = axis->value_count;
	for (uint32_t i = 0; i < axis->stated_count; i++)
		if (!memcmp(&lower->tables->axes[axis->stated[i]], &record, sizeof(record)))
			return axis->stated[i];
	return lang_axis_add(lower->tables, &record);
}

uint32_t lang_axis_twin(struct lang_lower *lower, uint32_t row)
{
	struct lang_tables *tables = lower->tables;
	struct ptowsp_axis_record record = tables->axes[row];

	if (record.kind == PTOWSP_AXIS_DENSE || record.kind == PTOWSP_AXIS_DENSE_DYN) {
		record.kind = record.kind == PTOWSP_AXIS_DENSE ? PTOWSP_AXIS_DENSE_DYN : PTOWSP_AXIS_DENSE;
		return lang_axis_add(tables, &record);
	}
	*COMMON_PUSH(tables->arena, tables->axes, tables->axis_count, tables->axis_capacity) = record;
	return tables->axis_count - 1;
}

void lang_axis_state(struct lang_lower *lower, struct lang_axis *axis, const char *name, uint32_t row)
{
	uint32_t at = lang_axis_lower(lower, axis, name, row);

	for (uint32_t i = 0; i < axis->stated_count; i++)
		if (axis->stated[i] == at)
			return;
	*COMMON_PUSH(&lower->unit->arena, axis->stated, axis->stated_count, axis->stated_capacity) = at;
}
