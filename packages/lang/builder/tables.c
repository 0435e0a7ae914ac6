/* SPDX-License-Identifier: MIT */
/* tables.c - tables without ids while they grow. In EXPR equal nodes are one row and constants are folded; integers of a run become floats by its operations. */
#include "lang/builder/tables.h"
#include "format/format_names.h"
#include "ptowsp/task.h"
#include "ptowsp/workload.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_dtype.h"
#include "registry/common/common_hash.h"
#include "registry/common/common_operation.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* ---- the EXPR table while it grows: equal nodes are one row, constants are folded; integers of a run as floats. ---- */

static uint32_t hash_of(const struct ptowsp_expr_record *row)
{
	return (uint32_t)(common_hash(common_hash(common_hash(common_hash(0, row->op), row->a), row->b), row->c) >> 32);
}

/* The place of an equal row, or the free one where it belongs. */
static uint32_t *slot_of(const struct lang_exprs *exprs, const struct ptowsp_expr_record *row)
{
	uint32_t at = hash_of(row) & exprs->mask;

	while (exprs->slots[at] && memcmp(&exprs->rows[exprs->slots[at] - 1], row, sizeof(*row)) != 0)
		at = (at + 1) & exprs->mask;
	return &exprs->slots[at];
}

static void slots_grow(struct lang_exprs *exprs)
{
	exprs->mask = exprs->slots ? exprs->mask * 2 + 1 : 63;
	exprs->slots = common_alloc(exprs->arena, ((size_t)exprs->mask + 1) * sizeof(*exprs->slots));
	for (uint32_t i = 0; i < exprs->count; i++)
		*slot_of(exprs, &exprs->rows[i]) = i + 1;
}

static uint32_t row_add(struct lang_exprs *exprs, struct ptowsp_expr_record row)
{
	uint32_t *slot;

	if (!exprs->slots || exprs->count > exprs->mask / 2)
		slots_grow(exprs);
	slot = slot_of(exprs, &row);
	if (!*slot) {
		*COMMON_PUSH(exprs->arena, exprs->rows, exprs->count, exprs->capacity) = row;
		*slot = exprs->count;
	}
	return *slot - 1;
}

uint32_t lang_expr_const(struct lang_exprs *exprs, uint64_t value)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_CONST, .b = (uint32_t)value, .c = (uint32_t)(value >> 32)});
}

uint32_t lang_expr_loop(struct lang_exprs *exprs, uint32_t depth)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_LOOP, .a = depth});
}

uint32_t lang_expr_value(struct lang_exprs *exprs, uint32_t slot)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = PTOWSP_EXPR_VALUE, .a = slot});
}

bool lang_expr_is_const(const struct lang_exprs *exprs, uint32_t row, int64_t *value_out)
{
	const struct ptowsp_expr_record *node = &exprs->rows[row];

	if (node->op != PTOWSP_EXPR_CONST)
		return false;
	*value_out = (int64_t)((uint64_t)node->c << 32 | node->b);
	return true;
}

bool lang_expr_fold(enum ptowsp_expr_op op, int64_t a, int64_t b, int64_t c, uint64_t *value_out)
{
	uint32_t failed = !pkg_expr_operands(op);

	*value_out = failed ? 0 : (uint64_t)common_operation(op, a, b, c, &failed);
	return !failed;
}

uint32_t lang_expr_unary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a)
{
	int64_t number;
	uint64_t value;

	if (lang_expr_is_const(exprs, a, &number) && lang_expr_fold(op, number, 0, 0, &value))
		return lang_expr_const(exprs, value);
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a});
}

uint32_t lang_expr_ternary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b, uint32_t c)
{
	int64_t values[3];
	uint64_t value;

	if (lang_expr_is_const(exprs, a, &values[0]) && lang_expr_is_const(exprs, b, &values[1]) && lang_expr_is_const(exprs, c, &values[2]) &&
	    lang_expr_fold(op, values[0], values[1], values[2], &value))
		return lang_expr_const(exprs, value);
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a, .b = b, .c = c});
}

uint32_t lang_expr_leaf(struct lang_exprs *exprs, enum ptowsp_expr_op op)
{
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op});
}

uint32_t lang_expr_binary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b)
{
	int64_t left = 0, right = 0;
	int a_const = lang_expr_is_const(exprs, a, &left), b_const = lang_expr_is_const(exprs, b, &right);
	uint64_t value;

	assert(a < exprs->count && b < exprs->count);
	if (a_const && b_const && lang_expr_fold(op, left, right, 0, &value))
		return lang_expr_const(exprs, value);
	if (b_const && right == 0 && (op == PTOWSP_EXPR_ADD || op == PTOWSP_EXPR_SUB))
		return a;
	if (a_const && left == 0 && op == PTOWSP_EXPR_ADD)
		return b;
	if (b_const && right == 1 && (op == PTOWSP_EXPR_MUL || op == PTOWSP_EXPR_DIV))
		return a;
	if (a_const && left == 1 && op == PTOWSP_EXPR_MUL)
		return b;
	return row_add(exprs, (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a, .b = b});
}

uint32_t lang_expr_node(struct lang_exprs *exprs, struct ptowsp_expr_record row)
{
	switch (pkg_expr_operands(row.op)) {
	case 1: return lang_expr_unary(exprs, (enum ptowsp_expr_op)row.op, row.a);
	case 2: return lang_expr_binary(exprs, (enum ptowsp_expr_op)row.op, row.a, row.b);
	case 3: return lang_expr_ternary(exprs, (enum ptowsp_expr_op)row.op, row.a, row.b, row.c);
	default: return row_add(exprs, row);
	}
}

uint32_t lang_expr_append(struct lang_exprs *exprs, struct ptowsp_expr_record row)
{
	*COMMON_PUSH(exprs->arena, exprs->rows, exprs->count, exprs->capacity) = row;
	return exprs->count - 1;
}

/* ---- integers of a run as floats: the shifts and additions that a conversion is, as nodes of the EXPR table. ---- */

/* Bits of mantissa, without the leading one, and of exponent. */
struct form {
	unsigned mantissa, exponent;
};

static struct form form_of(uint16_t dtype)
{
	switch (dtype) {
	case PTOWSP_F16: return (struct form){10, 5};
	case PTOWSP_BF16: return (struct form){7, 8};
	case PTOWSP_F64: return (struct form){52, 11};
	default: return (struct form){23, 8};
	}
}

static uint32_t by_number(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, int64_t b)
{
	return lang_expr_binary(exprs, op, a, lang_expr_const(exprs, (uint64_t)b));
}

/* The magnitude of an integer, below 2^63; that of the smallest number is one less, which every format rounds to the same. */
static uint32_t size_of(struct lang_exprs *exprs, uint32_t value, uint32_t negative)
{
	const uint32_t bounded = by_number(exprs, PTOWSP_EXPR_MAX, value, -INT64_MAX);

	return lang_expr_ternary(exprs, PTOWSP_EXPR_SELECT, negative, lang_expr_unary(exprs, PTOWSP_EXPR_NEG, bounded), value);
}

/* Shifts *size_io until bit 62 is its first one; returns the number of the bit that it was. */
static uint32_t first_find(struct lang_exprs *exprs, uint32_t *size_io)
{
	uint32_t first = lang_expr_const(exprs, 62);

	for (unsigned step = 32; step; step /= 2) {
		const uint32_t small = by_number(exprs, PTOWSP_EXPR_LT, *size_io, INT64_C(1) << (63 - step));
		const uint32_t shift = by_number(exprs, PTOWSP_EXPR_MUL, small, step);

		*size_io = lang_expr_binary(exprs, PTOWSP_EXPR_SHL, *size_io, shift);
		first = lang_expr_binary(exprs, PTOWSP_EXPR_SUB, first, shift);
	}
	return first;
}

/* Rounding adds 1 to the mantissa where what is cut off is more than half, or half and the mantissa odd. */
static uint32_t round_up(struct lang_exprs *exprs, uint32_t size, uint32_t kept, unsigned cut)
{
	const uint32_t rest = by_number(exprs, PTOWSP_EXPR_AND, size, (INT64_C(1) << cut) - 1);
	const uint32_t odd = by_number(exprs, PTOWSP_EXPR_AND, kept, 1);
	const uint32_t nearly = by_number(exprs, PTOWSP_EXPR_ADD, rest, (INT64_C(1) << (cut - 1)) - 1);

	return by_number(exprs, PTOWSP_EXPR_SHR, lang_expr_binary(exprs, PTOWSP_EXPR_ADD, nearly, odd), cut);
}

/* The leading one of the mantissa adds to the exponent, and so does a carry of rounding. */
uint32_t lang_expr_float(struct lang_exprs *exprs, uint32_t value, uint16_t dtype)
{
	const struct form form = form_of(dtype);
	const unsigned cut = 62 - form.mantissa;
	const int64_t bias = (INT64_C(1) << (form.exponent - 1)) - 1, infinite = ((INT64_C(1) << form.exponent) - 1) << form.mantissa;
	const uint32_t negative = by_number(exprs, PTOWSP_EXPR_LT, value, 0);
	uint32_t size = size_of(exprs, value, negative);
	const uint32_t first = first_find(exprs, &size), kept = by_number(exprs, PTOWSP_EXPR_SHR, size, cut);
	uint32_t bits = by_number(exprs, PTOWSP_EXPR_SHL, by_number(exprs, PTOWSP_EXPR_ADD, first, bias - 1), form.mantissa);

	bits = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, bits, kept);
	bits = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, bits, round_up(exprs, size, kept, cut));
	bits = by_number(exprs, PTOWSP_EXPR_MIN, bits, infinite);
	bits = lang_expr_binary(exprs, PTOWSP_EXPR_OR, bits, by_number(exprs, PTOWSP_EXPR_SHL, negative, form.mantissa + form.exponent));
	return lang_expr_ternary(exprs, PTOWSP_EXPR_SELECT, value, bits, lang_expr_const(exprs, 0));
}

/* How far back equal rows are looked for: a package has thousands of them only when it is generated, and then the latest
 * regions, and the first axes, are those that repeat. */
#define LOOK_BACK 256u

void lang_tables_init(struct lang_tables *tables, struct common_arena *arena)
{
	memset(tables, 0, sizeof(*tables));
	tables->arena = arena;
	tables->exprs.arena = arena;
}

uint32_t lang_region_add(struct lang_tables *tables, const struct ptowsp_region_record *region)
{
	uint32_t first = tables->region_first;

	if (tables->region_count - first > LOOK_BACK)
		first = tables->region_count - LOOK_BACK;
	for (uint32_t i = first; i < tables->region_count && !tables->stated; i++)
		if (!memcmp(&tables->regions[i], region, sizeof(*region)))
			return i;
	*COMMON_PUSH(tables->arena, tables->regions, tables->region_count, tables->region_capacity) = *region;
	return tables->region_count - 1;
}

uint32_t lang_axis_add(struct lang_tables *tables, const struct ptowsp_axis_record *axis)
{
	for (uint32_t i = 0; i < tables->axis_count && i < LOOK_BACK && !tables->stated; i++)
		if (!memcmp(&tables->axes[i], axis, sizeof(*axis)))
			return i;
	*COMMON_PUSH(tables->arena, tables->axes, tables->axis_count, tables->axis_capacity) = *axis;
	return tables->axis_count - 1;
}

uint32_t lang_axis_dense(struct lang_tables *tables, uint32_t name, uint32_t low, uint32_t high, uint32_t step, uint32_t levels)
{
	const struct ptowsp_axis_record axis = {.name = name,
						.kind = PTOWSP_AXIS_DENSE,
						.low = low,
						.high = high,
						.step = step,
						.levels = levels,
						.row = PTOWSP_NONE,
						.lengths = PTOWSP_NONE,
						.indices = PTOWSP_NONE};

	return lang_axis_add(tables, &axis);
}

static bool levels_equal(const struct lang_tables *tables, const struct ptowsp_levels_record *old, uint32_t max_range, uint32_t min_range,
			 const struct ptowsp_level_record *rows, uint32_t count)
{
	if (old->max_range != max_range || old->min_range != min_range || old->count != count)
		return false;
	return !count || !memcmp(&tables->level_rows[old->first], rows, count * sizeof(*rows));
}

uint32_t lang_levels_add(struct lang_tables *tables, uint32_t max_range, uint32_t min_range, const struct ptowsp_level_record *rows, uint32_t count)
{
	struct ptowsp_levels_record row = {.max_range = max_range, .min_range = min_range, .count = count};

	for (uint32_t i = 0; i < tables->levels_count && !tables->stated; i++)
		if (levels_equal(tables, &tables->levels[i], max_range, min_range, rows, count))
			return i;
	row.first = tables->level_row_count;
	for (uint32_t i = 0; i < count; i++)
		*COMMON_PUSH(tables->arena, tables->level_rows, tables->level_row_count, tables->level_row_capacity) = rows[i];
	*COMMON_PUSH(tables->arena, tables->levels, tables->levels_count, tables->levels_capacity) = row;
	return tables->levels_count - 1;
}

uint32_t lang_work_kernel_add(struct lang_tables *tables, uint32_t kernel)
{
	*COMMON_PUSH(tables->arena, tables->work_kernels, tables->work_kernel_count, tables->work_kernel_capacity) = kernel;
	return tables->work_kernel_count - 1;
}

uint32_t lang_work_add(struct lang_tables *tables, unsigned opcode, uint32_t operand1, uint32_t operand2)
{
	if (tables->work_count == LANG_MAX_INSTRUCTIONS)
		return PTOWSP_NONE;
	*COMMON_PUSH(tables->arena, tables->work, tables->work_count, tables->work_capacity) =
		(struct ptowsp_instruction){.opcode = (uint8_t)opcode, .operand1 = (uint16_t)operand1, .operand2 = operand2};
	return tables->work_count - 1;
}

unsigned lang_io_word(unsigned access)
{
	static const uint8_t ops[] = {[0] = PTOWSP_OP_IO_BIND,
				      [PTOWSP_READ] = PTOWSP_OP_IO_INPUT,
				      [PTOWSP_WRITE] = PTOWSP_OP_IO_OUTPUT,
				      [PTOWSP_READ | PTOWSP_WRITE] = PTOWSP_OP_IO_INOUT};

	return ops[access & 3];
}

uint32_t lang_argument_add(struct lang_tables *tables, uint32_t argument, uint32_t expr)
{
	const struct ptowsp_expr_record *node = &tables->exprs.rows[expr];
	int64_t value;

	if (tables->stated)
		return lang_work_add(tables, PTOWSP_OP_PARAM_EXPR, argument, expr);
	if (lang_expr_is_const(&tables->exprs, expr, &value) && value >= INT32_MIN && value <= INT32_MAX)
		return lang_work_add(tables, PTOWSP_OP_PARAM_CONST, argument, (uint32_t)value);
	if (node->op == PTOWSP_EXPR_LOOP)
		return lang_work_add(tables, PTOWSP_OP_PARAM_LOOPVAR, argument, node->a);
	return lang_work_add(tables, PTOWSP_OP_PARAM_EXPR, argument, expr);
}

static void rows_write(struct pkg_writer *writer, uint32_t section, const void *rows, uint32_t count, size_t size)
{
	for (uint32_t i = 0; i < count; i++)
		pkg_writer_row(writer, section, (const char *)rows + i * size, size);
}

static void numbers_write(struct pkg_writer *writer, const uint32_t *numbers, uint32_t count)
{
	if (count)
		pkg_writer_bytes(writer, PTOWSP_SECTION_WORK, numbers, count * sizeof(*numbers), 1);
}

static void work_write(const struct lang_tables *tables, struct pkg_writer *writer)
{
	struct ptowsp_workload_header header = {.magic = PTOWSP_WORKLOAD_MAGIC,
						.version = PTOWSP_WORKLOAD_VERSION,
						.num_instructions = tables->work_count,
						.num_axes = tables->work_axis_count ? tables->work_axis_count : tables->axis_count,
						.num_kernels = tables->work_kernel_count,
						.num_tensors = tables->work_tensor_count};

	pkg_writer_bytes(writer, PTOWSP_SECTION_WORK, &header, sizeof(header), 8);
	pkg_writer_bytes(writer, PTOWSP_SECTION_WORK, tables->work, tables->work_count * sizeof(*tables->work), 1);
	for (uint32_t i = 0; i < tables->axis_count && !tables->work_axis_count; i++)
		numbers_write(writer, &i, 1);
	numbers_write(writer, tables->work_axes, tables->work_axis_count);
	numbers_write(writer, tables->work_kernels, tables->work_kernel_count);
	numbers_write(writer, tables->work_tensors, tables->work_tensor_count);
}

void lang_tables_write(const struct lang_tables *tables, struct pkg_writer *writer)
{
	rows_write(writer, PTOWSP_SECTION_EXPR, tables->exprs.rows, tables->exprs.count, sizeof(*tables->exprs.rows));
	rows_write(writer, PTOWSP_SECTION_LVLS, tables->level_rows, tables->level_row_count, sizeof(*tables->level_rows));
	rows_write(writer, PTOWSP_SECTION_TLVL, tables->levels, tables->levels_count, sizeof(*tables->levels));
	rows_write(writer, PTOWSP_SECTION_AXES, tables->axes, tables->axis_count, sizeof(*tables->axes));
	rows_write(writer, PTOWSP_SECTION_REGN, tables->regions, tables->region_count, sizeof(*tables->regions));
	if (!tables->work_left_out)
		work_write(tables, writer);
	rows_write(writer, PTOWSP_SECTION_DBGI, tables->debug, tables->debug_count, sizeof(*tables->debug));
}
