/* SPDX-License-Identifier: MIT */
#include "lang/builder/tables.h"

#include "ptowsp/task.h"
#include "ptowsp/workload.h"
#include "registry/common/common_arena.h"

#include <stdbool.h>
#include <string.h>

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
	for (uint32_t i = first; i < tables->region_count; i++)
		if (!memcmp(&tables->regions[i], region, sizeof(*region)))
			return i;
	*COMMON_PUSH(tables->arena, tables->regions, tables->region_count, tables->region_capacity) = *region;
	return tables->region_count - 1;
}

uint32_t lang_axis_add(struct lang_tables *tables, const struct ptowsp_axis_record *axis)
{
	for (uint32_t i = 0; i < tables->axis_count && i < LOOK_BACK; i++)
		if (!memcmp(&tables->axes[i], axis, sizeof(*axis)))
			return i;
	*COMMON_PUSH(tables->arena, tables->axes, tables->axis_count, tables->axis_capacity) = *axis;
	return tables->axis_count - 1;
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

	for (uint32_t i = 0; i < tables->levels_count; i++)
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
