/* SPDX-License-Identifier: MIT */
/* expr.h - scalar expressions: EXPR rows compiled once per loop nest into straight lines of nodes. form.h has what they are in one run. */
#ifndef RT_EXPR_H
#define RT_EXPR_H

#include "rt/program/table.h"
#include <stdbool.h>

/* All values are residue + k * modulus; they wrap. modulus 0: there is one value; of a loop: nothing is known. */
struct rt_values {
	uint64_t residue, modulus;
};
/* Bounds of a value, proved for all runs. */
struct rt_bounds {
	int64_t low, high; /* least and largest */
	struct rt_values on;
};
/* Nothing. */
extern const struct rt_bounds rt_unbounded;
/* The loops around the place where an expression stands. */
struct rt_nest {
	uint32_t key;                                       /* instruction of the innermost loop, PTOWSP_NONE outside: equal keys, equal nests */
	uint32_t depth;                                     /* how many loops */
	uint32_t names[PTOWSP_NESTING_LIMIT];               /* STRS offsets, outermost first */
	uint32_t parallel, parallels[PTOWSP_NESTING_LIMIT]; /* depths of the parallel loops among them */
	bool process;                                       /* of a process: dispatch is not for its tasks */
	struct rt_bounds loops[PTOWSP_NESTING_LIMIT];       /* their values */
};

/* One step of a compiled expression. a, b, c: earlier nodes of the same expression; LOOP: a depth; VALUE: a SLOT row. */
struct rt_node {
	int64_t value; /* CONST; of an operation, EXPR row + 1 */
	uint32_t a, b, c;
	uint32_t op; /* enum ptowsp_expr_op without AXIS, which becomes LOOP or CONST 0 */
};
struct rt_expr {
	uint32_t first, count;     /* nodes; the last one is the value */
	uint32_t read, read_count; /* slots it reads that the program itself changes: rt_exprs.reads */
};
struct rt_exprs {
	struct rt_node *nodes;
	struct rt_expr *rows;
	uint32_t *reads;
	uint32_t node_count, node_room, count, room, read_count, read_room;
	uint32_t longest;       /* nodes of the longest expression */
	const uint8_t *changed; /* one per SLOT row: 1 if the program sets or loads it; borrowed */
	uint64_t *place;        /* per EXPR row: serial + 1 + its node in the expression being compiled, or that of an earlier one */
	uint64_t serial;        /* nodes of all expressions so far */
	uint32_t *work;         /* stack of a walk over the rows */
	struct rt_expr_memo {
		uint64_t key;
		uint32_t id; /* + 1, 0 = free */
	} * memo;
	uint32_t memo_count, memo_mask;
};

/* changed: see above; lives as long as *exprs. */
ptowsp_status rt_exprs_init(struct rt_exprs *exprs, const struct rt_tables *tables, const uint8_t *changed, struct ptowsp_error *error);
void rt_exprs_finish(struct rt_exprs *exprs);
/* Forgets what was compiled since *exprs was `before`, and what it could be found by. Errors: NO_MEMORY. */
ptowsp_status rt_exprs_back(struct rt_exprs *exprs, const struct rt_exprs *before, struct ptowsp_error *error);
/* Compiles EXPR row `row` as seen from nest. lenient: a loop that is not there is 0 (schedule expressions), else it is an error.
 * Errors: BAD_PACKAGE (text says what, the caller knows where), NO_MEMORY. */
ptowsp_status rt_expr_compile(struct rt_exprs *exprs, const struct rt_tables *tables, uint32_t row, const struct rt_nest *nest, bool lenient, uint32_t *id_out,
			      struct ptowsp_error *error);
ptowsp_status rt_expr_constant(struct rt_exprs *exprs, int64_t value, uint32_t *id_out, struct ptowsp_error *error);
/* The value of the loop at a depth that exists. */
ptowsp_status rt_expr_loop(struct rt_exprs *exprs, uint32_t depth, uint32_t *id_out, struct ptowsp_error *error);
/* The value of a SLOT row that exists. */
ptowsp_status rt_expr_slot(struct rt_exprs *exprs, uint32_t slot, uint32_t *id_out, struct ptowsp_error *error);
/* The first slot or symbol that it reads, for messages; PTOWSP_NONE without one. */
uint32_t rt_expr_source(const struct rt_exprs *exprs, uint32_t id);
/* Bit d: reads the value of the loop at depth d. *loose_out becomes true where it reads the task's number, or slots that the program changes; it is
 * left alone otherwise. PTOWSP_NONE reads nothing. */
uint64_t rt_expr_loops(const struct rt_exprs *exprs, uint32_t id, bool *loose_out);

/* The slots that any of the expressions reads, each once, as a run of exprs->reads. PTOWSP_NONE among ids is skipped. */
ptowsp_status rt_exprs_reads(struct rt_exprs *exprs, const uint32_t *ids, uint32_t count, uint32_t *read_out, uint32_t *read_count_out,
			     struct ptowsp_error *error);
/* expr_range.c. nest: as for compiling; NULL: its loops may have any value. */
struct rt_bounds rt_expr_bounds(const struct rt_exprs *exprs, uint32_t id, const struct rt_nest *nest);
/* True if the expression is one number whatever the run. */
bool rt_expr_known(const struct rt_exprs *exprs, uint32_t id, int64_t *value_out);
/* Common residue of its values; modulus 0: one known value. */
struct rt_values rt_expr_values(const struct rt_exprs *exprs, uint32_t id, const struct rt_nest *nest);
/* Values of the loop whose bounds are these expressions, seen from inside. */
struct rt_values rt_loop_values(const struct rt_exprs *exprs, const struct rt_nest *nest, uint32_t low, uint32_t step);
/* Both are on the result. */
struct rt_values rt_values_join(struct rt_values a, struct rt_values b);

#endif
