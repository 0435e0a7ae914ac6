/* SPDX-License-Identifier: MIT */
/* tables.h - the tables of a package that have no ids, while they grow: what the front end lowers into and the builder builds.
 * Records are as in the package but for rows of tables with ids, which may be any numbers until the package is written, and
 * strings, which are offsets wherever the caller keeps them. */
#ifndef LANG_TABLES_H
#define LANG_TABLES_H

#include <stdbool.h>

#include "format/writer.h"
#include "lang/builder/tile_code.h"
#include "ptowsp/package.h"
#include "ptowsp/workload.h"
#include "registry/common/common_arena.h"

/* --- the EXPR table while it grows: equal nodes are one row, constants are folded. --- */

struct lang_exprs {
	struct common_arena *arena;
	struct ptowsp_expr_record *rows; /* operands are earlier rows */
	uint32_t count, capacity;
	uint32_t *slots; /* hash to row + 1, 0: free */
	uint32_t mask;
};

/* All return rows. */
uint32_t lang_expr_const(struct lang_exprs *exprs, uint64_t value);
uint32_t lang_expr_loop(struct lang_exprs *exprs, uint32_t depth);
uint32_t lang_expr_value(struct lang_exprs *exprs, uint32_t slot);
/* a op b, op with two operands. A division by the constant 0 stays: it is an error when it is reached. */
uint32_t lang_expr_binary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b);
uint32_t lang_expr_unary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a);
uint32_t lang_expr_ternary(struct lang_exprs *exprs, enum ptowsp_expr_op op, uint32_t a, uint32_t b, uint32_t c);
/* The bits of an integer as that float type, to nearest even; what is too large for f16 is infinite. Made of the operations that there are: the root is
 * SELECT(value, bits | sign, 0), by which print_float.h knows it again. */
uint32_t lang_expr_float(struct lang_exprs *exprs, uint32_t value, uint16_t dtype);
/* TASK, INSTANCE. */
uint32_t lang_expr_leaf(struct lang_exprs *exprs, enum ptowsp_expr_op op);
/* op on numbers, wrapping; operands that it does not have are ignored. 0: that cannot be folded (division by 0, a leaf). */
bool lang_expr_fold(enum ptowsp_expr_op op, int64_t a, int64_t b, int64_t c, uint64_t *value_out);
/* Any node, operands being rows: folded where it has two operands, shared with an equal one. */
uint32_t lang_expr_node(struct lang_exprs *exprs, struct ptowsp_expr_record row);
/* A row of its own, whatever there is; later nodes do not share it. */
uint32_t lang_expr_append(struct lang_exprs *exprs, struct ptowsp_expr_record row);
/* 1 and the value if the row is a constant. */
bool lang_expr_is_const(const struct lang_exprs *exprs, uint32_t row, int64_t *value_out);

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
	uint8_t stated;        /* 1: rows are kept as they come: none is shared, and arguments are expressions */
	uint8_t work_left_out; /* 1: a package without code has no WORK */
	uint32_t region_first; /* equal regions are looked for from here on: those of the entry at hand */
};

void lang_tables_init(struct lang_tables *tables, struct common_arena *arena);

/* The row of an equal record, or of a new one. */
uint32_t lang_region_add(struct lang_tables *tables, const struct ptowsp_region_record *region);
uint32_t lang_axis_add(struct lang_tables *tables, const struct ptowsp_axis_record *axis);
/* A dense axis; the name as in the record, the others rows, levels PTOWSP_NONE for none. */
uint32_t lang_axis_dense(struct lang_tables *tables, uint32_t name, uint32_t low, uint32_t high, uint32_t step, uint32_t levels);
uint32_t lang_levels_add(struct lang_tables *tables, uint32_t max_range, uint32_t min_range, const struct ptowsp_level_record *rows, uint32_t count);
/* The next place in the kernel list of WORK. */
uint32_t lang_work_kernel_add(struct lang_tables *tables, uint32_t kernel);

/* The body of the instruction `head`, or the one that its word TARGET `head` stands for, ends here. */
static inline void lang_work_end(struct lang_tables *tables, uint32_t head)
{
	tables->work[head].operand2 = tables->work_count;
}
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
