/* SPDX-License-Identifier: MIT */
/* builder_value.c - symbols, slots, expressions, axes and tile levels. */
#include "format/format_names.h"
#include "lang/builder/build.h"

#include <string.h>

/* ---- symbols and slots ----------------------------------------------------------------------------------------------------------- */

uint32_t build_slot_add(struct ptowsp_build *b, const char *name, struct ptowsp_slot_record slot)
{
	slot.name = build_name(b, BUILD_SLOT, name, b->slot_count);
	*BUILD_PUSH(b, slots, slot) = slot;
	return b->slot_count - 1;
}

static uint32_t slot_add(struct ptowsp_build *b, const char *name, const char *dtype, uint16_t kind)
{
	struct ptowsp_slot_record slot = {.kind = kind, .dtype = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype)};

	return build_handle(b, BUILD_SLOT, build_slot_add(b, name, slot));
}

uint32_t ptowsp_build_symbol(struct ptowsp_build *b, const char *name, const char *dtype)
{
	BUILD_CALL(b);
	return slot_add(b, name, dtype, PTOWSP_SLOT_SYMBOL);
}

uint32_t ptowsp_build_slot(struct ptowsp_build *b, const char *name, const char *dtype)
{
	BUILD_CALL(b);
	return slot_add(b, name, dtype, PTOWSP_SLOT_SLOT);
}

uint32_t ptowsp_build_internal(struct ptowsp_build *b, uint32_t slot)
{
	BUILD_CALL(b);
	b->slots[build_row(b, BUILD_SLOT, slot)].flags |= PTOWSP_SLOT_INTERNAL;
	return BUILD_DONE;
}

static uint32_t default_set(struct ptowsp_build *b, uint32_t slot, uint64_t bits)
{
	b->slots[slot].flags |= PTOWSP_SLOT_HAS_DEFAULT;
	b->slots[slot].value = bits;
	return BUILD_DONE;
}

uint32_t ptowsp_build_default(struct ptowsp_build *b, uint32_t slot, const char *text)
{
	BUILD_CALL(b);
	uint32_t row = build_row(b, BUILD_SLOT, slot);

	return default_set(b, row, build_bits(b, b->slots[row].dtype, text));
}

uint32_t ptowsp_build_default_bits(struct ptowsp_build *b, uint32_t slot, uint64_t bits)
{
	BUILD_CALL(b);
	return default_set(b, build_row(b, BUILD_SLOT, slot), bits);
}

/* ---- expressions ------------------------------------------------------------------------------------------------------------------- */

static uint32_t node_add(struct ptowsp_build *b, struct ptowsp_expr_record row)
{
	/* Expressions of a schedule have rows of their own, as in a source, where the schedule comes last. */
	return b->tables.stated || b->directive_count ? lang_expr_append(&b->tables.exprs, row) : lang_expr_node(&b->tables.exprs, row);
}

uint32_t build_expr(struct ptowsp_build *b, uint32_t handle)
{
	if (handle >> BUILD_ROW_BITS != BUILD_SLOT)
		return build_row(b, BUILD_EXPR, handle);
	return lang_expr_value(&b->tables.exprs, build_row(b, BUILD_SLOT, handle));
}

/* The row of a constant. */
static uint32_t constant_row(struct ptowsp_build *b, int64_t value)
{
	int64_t other;

	for (uint32_t i = 0; b->tables.stated && i < b->tables.exprs.count; i++)
		if (lang_expr_is_const(&b->tables.exprs, i, &other) && other == value)
			return i;
	return lang_expr_const(&b->tables.exprs, (uint64_t)value);
}

static uint16_t node_needs(const struct ptowsp_build *b, const struct ptowsp_expr_record *row)
{
	const uint32_t operands[] = {row->a, row->b, row->c};
	uint16_t depth = 0, flags = 0;

	switch (row->op) {
	case PTOWSP_EXPR_LOOP: return (uint16_t)(BUILD_NEEDS_RUN | (row->a + 1));
	case PTOWSP_EXPR_VALUE: return b->slots[row->a].kind == PTOWSP_SLOT_SYMBOL ? BUILD_NEEDS_SYMBOL : BUILD_NEEDS_RUN;
	case PTOWSP_EXPR_AXIS:
	case PTOWSP_EXPR_TASK:
	case PTOWSP_EXPR_INSTANCE: return BUILD_NEEDS_RUN;
	}
	for (uint32_t i = 0; i < pkg_expr_operands(row->op); i++) {
		uint16_t needs = b->needs[operands[i]];

		flags |= needs & ~BUILD_NEEDS_DEPTH;
		if ((needs & BUILD_NEEDS_DEPTH) > depth)
			depth = needs & BUILD_NEEDS_DEPTH;
	}
	return flags | depth;
}

uint16_t build_needs(struct ptowsp_build *b, uint32_t expr)
{
	while (b->need_count <= expr) {
		uint16_t needs = node_needs(b, &b->tables.exprs.rows[b->need_count]);

		*COMMON_PUSH(b->arena, b->needs, b->need_count, b->need_capacity) = needs;
	}
	return b->needs[expr];
}

uint32_t ptowsp_build_number(struct ptowsp_build *b, int64_t value)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_CONST, .b = (uint32_t)value, .c = (uint32_t)((uint64_t)value >> 32)};

	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

uint32_t ptowsp_build_value(struct ptowsp_build *b, uint32_t slot)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_VALUE, .a = build_row(b, BUILD_SLOT, slot)};

	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

uint32_t ptowsp_build_loop(struct ptowsp_build *b, uint32_t depth)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_LOOP, .a = depth};

	if (depth >= PTOWSP_NESTING_LIMIT)
		build_refuse(b, "loops nest at most %u deep", PTOWSP_NESTING_LIMIT);
	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

uint32_t ptowsp_build_named(struct ptowsp_build *b, const char *loop)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = PTOWSP_EXPR_AXIS, .a = build_code_name(b, build_string(b, loop))};

	if (!row.a)
		build_refuse(b, "the name of the loop is empty");
	return build_handle(b, BUILD_EXPR, node_add(b, row));
}

/* A new division remembers where it was written: it may end a run far from where its value is used. */
static uint32_t place_note(struct ptowsp_build *b, unsigned op, uint32_t before, uint32_t row)
{
	if (row < before || !b->place.line || (op != PTOWSP_EXPR_DIV && op != PTOWSP_EXPR_MOD) || b->tables.exprs.rows[row].op != op)
		return row;
	build_debug(b, 4, row, b->place);
	return row;
}

uint32_t ptowsp_build_expr(struct ptowsp_build *b, const char *op, uint32_t x, uint32_t y, uint32_t z)
{
	BUILD_CALL(b);
	struct ptowsp_expr_record row = {.op = (uint16_t)build_word(b, PKG_WORDS_expr_op, op)};
	uint32_t count = pkg_expr_operands(row.op), given = z ? 3 : y ? 2 : x ? 1 : 0, before;

	if (row.op < PTOWSP_EXPR_TASK)
		build_refuse(b, "%s has a call of its own: number, loop, value or named", op);
	if (given != count)
		build_refuse(b, "%s has %u operand%s, here are %u", op, count, count == 1 ? "" : "s", given);
	row.a = count > 0 ? build_expr(b, x) : 0;
	row.b = count > 1 ? build_expr(b, y) : 0;
	row.c = count > 2 ? build_expr(b, z) : 0;
	before = b->tables.exprs.count;
	return build_handle(b, BUILD_EXPR, place_note(b, row.op, before, node_add(b, row)));
}

/* ---- axes of all kinds, and tile levels. ---- */

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

uint32_t ptowsp_build_levels(struct ptowsp_build *b, uint32_t max_range, uint32_t min_range, const uint32_t *blocks, const uint32_t *rows, uint32_t count)
{
	BUILD_CALL(b);
	struct ptowsp_level_record *levels = common_alloc(b->arena, ((size_t)count + 1) * sizeof(*levels));

	if (!min_range || min_range > max_range || (max_range & (max_range - 1)) || (min_range & (min_range - 1)))
		build_refuse(b, "max_range %u and min_range %u: both must be powers of two, the second one not above the first", max_range, min_range);
	if (count && (!blocks || !rows))
		build_refuse(b, "the blocks or their rows are missing (NULL)");
	for (uint32_t i = 0; i < count; i++) {
		level_check(b, blocks[i], rows[i]);
		levels[i] = (struct ptowsp_level_record){blocks[i], rows[i]};
	}
	return build_handle(b, BUILD_LEVELS, lang_levels_add(&b->tables, max_range, min_range, levels, count));
}

uint32_t ptowsp_build_axis(struct ptowsp_build *b, const char *name, const char *kind, uint32_t low, uint32_t high, uint32_t step, uint32_t levels)
{
	BUILD_CALL(b);
	struct ptowsp_axis_record axis = {.name = axis_name(b, name),
					  .kind = (uint16_t)build_word(b, PKG_WORDS_axis_kind, kind),
					  .row = PTOWSP_NONE,
					  .lengths = PTOWSP_NONE,
					  .indices = PTOWSP_NONE};
	int64_t value;

	if (axis.kind != PTOWSP_AXIS_DENSE && axis.kind != PTOWSP_AXIS_DENSE_DYN)
		build_refuse(b, "%s axes have calls of their own: ragged, sparse and axis_of", kind);
	axis.low = build_expr(b, low);
	axis.high = build_expr(b, high);
	axis.step = build_expr(b, step);
	axis.levels = levels ? build_row(b, BUILD_LEVELS, levels) : PTOWSP_NONE;
	if (lang_expr_is_const(&b->tables.exprs, axis.step, &value) && value < 1)
		build_refuse(b, "the step is %lld, it must be at least 1", (long long)value);
	return build_handle(b, BUILD_AXIS, lang_axis_add(&b->tables, &axis));
}

/* The fields that ragged and sparse axes have in common. */
static struct ptowsp_axis_record rows_axis(struct ptowsp_build *b, const char *name, uint16_t kind, uint32_t row)
{
	struct ptowsp_axis_record axis = {.name = axis_name(b, name), .kind = kind, .levels = PTOWSP_NONE, .lengths = PTOWSP_NONE, .indices = PTOWSP_NONE};

	axis.row = build_expr(b, row);
	axis.low = constant_row(b, 0);
	axis.step = constant_row(b, 1);
	return axis;
}

/* Axes over the same numbers share them. */
static uint32_t values_add(struct ptowsp_build *b, const int64_t *values, uint32_t count)
{
	uint32_t first = b->axis_value_count;

	for (uint32_t i = 0; !b->tables.stated && i < b->tables.axis_count; i++) {
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
	sums = common_alloc(b->arena, ((size_t)rows + 1) * sizeof(*sums));
	for (uint32_t i = 0; i < rows; i++) {
		if (lengths[i] < 0 || lengths[i] > INT64_MAX - sums[i])
			build_refuse(b, "length %u is %lld: lengths are 0 or more, and fit in 64 bits together", i, (long long)lengths[i]);
		sums[i + 1] = sums[i] + lengths[i];
	}
	axis.high = constant_row(b, rows);
	axis.first = values_add(b, sums, rows + 1);
	axis.count = rows + 1;
	return build_handle(b, BUILD_AXIS, lang_axis_add(&b->tables, &axis));
}

uint32_t ptowsp_build_sparse(struct ptowsp_build *b, const char *name, uint32_t row, const int64_t *begins, uint32_t rows, const int64_t *indices)
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
	values = common_alloc(b->arena, ((size_t)rows + 1 + count) * sizeof(*values));
	memcpy(values, begins, ((size_t)rows + 1) * sizeof(*values));
	for (uint32_t i = 0; i < count; i++)
		if ((values[rows + 1 + i] = indices[i]) < 0)
			build_refuse(b, "index %u is %lld: an index is 0 or more", i, (long long)indices[i]);
	axis.high = constant_row(b, rows);
	axis.first = values_add(b, values, rows + 1 + count);
	axis.count = rows + 1 + count;
	return build_handle(b, BUILD_AXIS, lang_axis_add(&b->tables, &axis));
}

uint32_t ptowsp_build_axis_of(struct ptowsp_build *b, const char *name, uint32_t row, uint32_t rows, uint32_t lengths, uint32_t indices)
{
	BUILD_CALL(b);
	struct ptowsp_axis_record axis = rows_axis(b, name, indices ? PTOWSP_AXIS_SPARSE : PTOWSP_AXIS_RAGGED, row);

	axis.high = build_expr(b, rows);
	axis.lengths = build_row(b, BUILD_TENSOR, lengths);
	if (indices)
		axis.indices = build_row(b, BUILD_TENSOR, indices);
	return build_handle(b, BUILD_AXIS, lang_axis_add(&b->tables, &axis));
}
