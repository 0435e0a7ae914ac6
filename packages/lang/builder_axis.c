/* SPDX-License-Identifier: MIT */
/* builder_axis.c - axes of all kinds, and tile levels. */
#include "lang/build.h"

#include "format/format_names.h"

#include <string.h>

static uint32_t axis_add(struct ptowsp_build *b, const struct ptowsp_axis_record *axis)
{
	uint32_t row;

	if (!b->stated)
		return build_handle(b, BUILD_AXIS, lang_axis_add(&b->tables, axis));
	row = b->tables.axis_count;
	*LANG_PUSH(&b->arena, b->tables.axes, b->tables.axis_count, b->tables.axis_capacity) = *axis;
	return build_handle(b, BUILD_AXIS, row);
}

static uint32_t axis_name(struct ptowsp_build *b, const char *name)
{
	uint32_t string = build_string(b, name);

	if (!string)
		build_refuse(b, "an axis needs a name");
	return build_code_name(b, string);
}

static void level_check(struct ptowsp_build *b, uint32_t block, uint32_t rows)
{
	if (block & (block - 1))
		build_refuse(b, "block size %u is neither 0 nor a power of two", block);
	if (rows % 32)
		build_refuse(b, "%u rows at block size %u are no multiple of 32", rows, block);
}

uint32_t ptowsp_build_levels(struct ptowsp_build *b, uint32_t max_range, uint32_t min_range, const uint32_t *blocks,
			     const uint32_t *rows, uint32_t count)
{
	BUILD_CALL(b);
	struct lang_tables *tables = &b->tables;
	struct ptowsp_level_record *levels = lang_alloc(&b->arena, ((size_t)count + 1) * sizeof(*levels));

	if (!min_range || min_range > max_range || (max_range & (max_range - 1)) || (min_range & (min_range - 1)))
		build_refuse(b, "max_range %u and min_range %u: both must be powers of two, the second one not above the first", max_range, min_range);
	if (count && (!blocks || !rows))
		build_refuse(b, "the blocks or their rows are missing (NULL)");
	for (uint32_t i = 0; i < count; i++) {
		level_check(b, blocks[i], rows[i]);
		levels[i] = (struct ptowsp_level_record){blocks[i], rows[i]};
	}
	if (!b->stated)
		return build_handle(b, BUILD_LEVELS, lang_levels_add(tables, max_range, min_range, levels, count));
	*LANG_PUSH(&b->arena, tables->levels, tables->levels_count, tables->levels_capacity) =
		(struct ptowsp_levels_record){max_range, min_range, tables->level_row_count, count};
	for (uint32_t i = 0; i < count; i++)
		*LANG_PUSH(&b->arena, tables->level_rows, tables->level_row_count, tables->level_row_capacity) = levels[i];
	return build_handle(b, BUILD_LEVELS, tables->levels_count - 1);
}

uint32_t ptowsp_build_axis(struct ptowsp_build *b, const char *name, const char *kind, uint32_t low, uint32_t high, uint32_t step,
			   uint32_t levels)
{
	BUILD_CALL(b);
	struct ptowsp_axis_record axis = {
		.name = axis_name(b, name), .kind = (uint16_t)build_word(b, PKG_WORDS_axis_kind, kind), .row = PTOWSP_NONE, .lengths = PTOWSP_NONE, .indices = PTOWSP_NONE};
	int64_t value;

	if (axis.kind != PTOWSP_AXIS_DENSE && axis.kind != PTOWSP_AXIS_DENSE_DYN)
		build_refuse(b, "%s axes have calls of their own: ragged, sparse and axis_of", kind);
	axis.low = build_expr(b, low);
	axis.high = build_expr(b, high);
	axis.step = build_expr(b, step);
	axis.levels = levels ? build_row(b, BUILD_LEVELS, levels) : PTOWSP_NONE;
	if (lang_expr_is_const(&b->tables.exprs, axis.step, &value) && value < 1)
		build_refuse(b, "the step is %lld, it must be at least 1", (long long)value);
	return axis_add(b, &axis);
}

/* What ragged and sparse axes have in common. */
static struct ptowsp_axis_record rows_axis(struct ptowsp_build *b, const char *name, uint16_t kind, uint32_t row)
{
	struct ptowsp_axis_record axis = {.name = axis_name(b, name), .kind = kind, .levels = PTOWSP_NONE, .lengths = PTOWSP_NONE, .indices = PTOWSP_NONE};

	axis.row = build_expr(b, row);
	axis.low = build_constant(b, 0);
	axis.step = build_constant(b, 1);
	return axis;
}

/* Axes over the same numbers share them. */
static uint32_t values_add(struct ptowsp_build *b, const int64_t *values, uint32_t count)
{
	uint32_t first = b->axis_value_count;

	for (uint32_t i = 0; !b->stated && i < b->tables.axis_count; i++) {
		const struct ptowsp_axis_record *other = &b->tables.axes[i];

		if (other->count == count && !memcmp(&b->axis_values[other->first], values, count * sizeof(*values)))
			return other->first;
	}
	for (uint32_t i = 0; i < count; i++)
		*BUILD_PUSH(b, axis_values, axis_value) = (struct ptowsp_axis_value_record){values[i]};
	return first;
}

uint32_t ptowsp_build_ragged(struct ptowsp_build *b, const char *name, uint32_t row, const int64_t *lengths, uint32_t rows)
{
	BUILD_CALL(b);
	struct ptowsp_axis_record axis = rows_axis(b, name, PTOWSP_AXIS_RAGGED, row);
	int64_t *sums;

	if (!lengths || rows > 1u << 24)
		build_refuse(b, "the lengths are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of");
	sums = lang_alloc(&b->arena, ((size_t)rows + 1) * sizeof(*sums));
	for (uint32_t i = 0; i < rows; i++) {
		if (lengths[i] < 0 || lengths[i] > INT64_MAX - sums[i])
			build_refuse(b, "length %u is %lld: lengths are 0 or more, and fit in 64 bits together", i, (long long)lengths[i]);
		sums[i + 1] = sums[i] + lengths[i];
	}
	axis.high = build_constant(b, rows);
	axis.first = values_add(b, sums, rows + 1);
	axis.count = rows + 1;
	return axis_add(b, &axis);
}

uint32_t ptowsp_build_sparse(struct ptowsp_build *b, const char *name, uint32_t row, const int64_t *begins, uint32_t rows,
			     const int64_t *indices)
{
	BUILD_CALL(b);
	struct ptowsp_axis_record axis = rows_axis(b, name, PTOWSP_AXIS_SPARSE, row);
	int64_t *values;
	uint32_t count;

	if (!begins || rows > 1u << 24)
		build_refuse(b, "the beginnings are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of");
	for (uint32_t i = 0; i <= rows; i++)
		if (i ? begins[i] < begins[i - 1] : begins[i] != 0)
			build_refuse(b, "row %u begins at %lld: the first one at 0, none before the one above it", i, (long long)begins[i]);
	if (begins[rows] > 1 << 24 || (begins[rows] && !indices))
		build_refuse(b, "the indices are missing (NULL), or more than 2^24: give them as a tensor, ptowsp_build_axis_of");
	count = (uint32_t)begins[rows];
	values = lang_alloc(&b->arena, ((size_t)rows + 1 + count) * sizeof(*values));
	memcpy(values, begins, ((size_t)rows + 1) * sizeof(*values));
	for (uint32_t i = 0; i < count; i++)
		if ((values[rows + 1 + i] = indices[i]) < 0)
			build_refuse(b, "index %u is %lld: an index is 0 or more", i, (long long)indices[i]);
	axis.high = build_constant(b, rows);
	axis.first = values_add(b, values, rows + 1 + count);
	axis.count = rows + 1 + count;
	return axis_add(b, &axis);
}

uint32_t ptowsp_build_axis_of(struct ptowsp_build *b, const char *name, uint32_t row, uint32_t rows, uint32_t lengths, uint32_t indices)
{
	BUILD_CALL(b);
	struct ptowsp_axis_record axis = rows_axis(b, name, indices ? PTOWSP_AXIS_SPARSE : PTOWSP_AXIS_RAGGED, row);

	axis.high = build_expr(b, rows);
	axis.lengths = build_row(b, BUILD_TENSOR, lengths);
	if (indices)
		axis.indices = build_row(b, BUILD_TENSOR, indices);
	return axis_add(b, &axis);
}
