/* SPDX-License-Identifier: MIT */
/* tables.h - the tables of a package that have no ids, while they grow: what the front end lowers into and the builder builds.
 * Records are as in the package but for rows of tables with ids, which may be any numbers until the package is written, and
 * strings, which are offsets wherever the caller keeps them. */
#ifndef LANG_TABLES_H
#define LANG_TABLES_H

#include "format/writer.h"
#include "lang/builder/lang_expr.h"
#include "lang/builder/tile_code.h"

/* Everything lies in the arena. */
struct lang_tables {
	struct common_arena *arena;
	struct lang_exprs exprs;
	struct ptowsp_region_record *regions;
	struct ptowsp_axis_record *axes;
	struct ptowsp_levels_record *levels;
	struct ptowsp_level_record *level_rows;
	struct ptowsp_instruction *work;
	struct ptowsp_debug_record *debug;
	uint32_t *work_kernels; /* KREG rows */
	uint32_t *work_axes;    /* the list of WORK where it is not all axes in their order */
	uint32_t *work_tensors; /* and that of tensors: none where regions say all */
	uint32_t region_count, axis_count, levels_count, level_row_count, work_count, debug_count, work_kernel_count, work_axis_count, work_tensor_count;
	uint32_t region_capacity, axis_capacity, levels_capacity, level_row_capacity, work_capacity, debug_capacity, work_kernel_capacity, work_axis_capacity,
		work_tensor_capacity;
	uint8_t work_left_out; /* 1: a package without code has no WORK */
	uint32_t region_first; /* equal regions are looked for from here on: those of the entry at hand */
};

void lang_tables_init(struct lang_tables *tables, struct common_arena *arena);

/* The row of an equal record, or of a new one. */
uint32_t lang_region_add(struct lang_tables *tables, const struct ptowsp_region_record *region);
uint32_t lang_axis_add(struct lang_tables *tables, const struct ptowsp_axis_record *axis);
uint32_t lang_levels_add(struct lang_tables *tables, uint32_t max_range, uint32_t min_range, const struct ptowsp_level_record *rows, uint32_t count);
/* The next place in the kernel list of WORK. */
uint32_t lang_work_kernel_add(struct lang_tables *tables, uint32_t kernel);

/* One instruction; its number, or PTOWSP_NONE where there are LANG_MAX_INSTRUCTIONS already. */
uint32_t lang_work_add(struct lang_tables *tables, unsigned opcode, uint32_t operand1, uint32_t operand2);
/* The opcode of the word by which a task touches a tensor: READ | WRITE, 0: not at all. */
unsigned lang_io_word(unsigned access);
/* A scalar argument of the task being written, in the shortest form: constant, loop value or expression. */
uint32_t lang_argument_add(struct lang_tables *tables, uint32_t argument, uint32_t expr);

/* Appends EXPR, LVLS, TLVL, AXES, REGN, WORK and DBGI. */
void lang_tables_write(const struct lang_tables *tables, struct pkg_writer *writer);

#define LANG_PRODUCER "ptowsp-pack " PTOWSP_ABI_STRING

#endif
