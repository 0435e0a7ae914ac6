/* SPDX-License-Identifier: MIT */
/* axis.h - one row of a ragged or sparse axis: how many values a loop has, and for sparse ones which. They stand in the package or in bound tensors
 * that the program does not write, so they are the same during a run. */
#ifndef RT_AXIS_H
#define RT_AXIS_H

#include "rt/program/table.h"
#include <stdbool.h>

/* The row that a loop is about to run over. */
struct rt_axis_row {
	int64_t first;  /* sparse: place of its first index */
	uint64_t count; /* values */
};

struct rt_program;
struct rt_loop;
struct rt_env;
/* At load. Checks kind, low, step and values against how many rows there are; rows: constant or INT64_MIN. Errors: BAD_PACKAGE (text says
 * what, the caller knows where). */
ptowsp_status rt_axis_check(const struct rt_program *program, const struct rt_loop *loop, int64_t rows, struct ptowsp_error *error);
/* At load, once all tasks are known. Errors: BAD_PACKAGE naming a tensor that the program writes and an axis reads. */
ptowsp_status rt_axes_check(const struct rt_program *program, struct ptowsp_error *error);
/* Largest value of a loop over any of its rows, INT64_MAX where tensors have them. */
int64_t rt_axis_most(const struct rt_program *program, const struct rt_loop *loop);

/* While a run goes on. where: the instruction. A tensor that is bound to no memory has zeros, said once;
 * with kernels it is an error. Errors: RUN_FAILED naming axis, row, value and limit. */
ptowsp_status rt_axis_open(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where, struct rt_axis_row *row_out,
			   struct ptowsp_error *error);
/* The column index at a place of a sparse axis. Errors as above. */
ptowsp_status rt_axis_index(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where, int64_t place, int64_t *index_out,
			    struct ptowsp_error *error);

/* ---- tile levels ------------------------------------------------------------------------------------------------- */

/* Adaptive tile levels: how n iterations fall into blocks, and what each block steps by. n/max full blocks, then one
 * block per set bit of the rest from max/2 down to min, then the residual one by one. A block of b units at level R runs b/(R/32)
 * iterations, R/32 units apart. */
enum { RT_LEVEL_BASE = 32, RT_LEVEL_LIMIT = 250 };

/* A TLVL row, checked. */
struct rt_level_set {
	uint32_t max_range, min_range;
	uint32_t rows[32]; /* tile rows for a block of 2^k */
	uint8_t level[32]; /* the same as index of rt_program.levels */
};
/* Errors: BAD_PACKAGE with the rule. level[] is left for the caller. */
ptowsp_status rt_level_set_read(struct rt_level_set *set, const struct rt_tables *tables, uint32_t row, struct ptowsp_error *error);

/* One walk over an axis: of a zeroed one `rest` is the number of units. */
struct rt_level_walk {
	const struct rt_level_set *set; /* NULL: the axis has none */
	uint64_t rest;                  /* units behind the current blocks */
	uint64_t base, left;            /* of the current blocks: next value, iterations left */
	uint32_t step;
	uint8_t level; /* of the current blocks */
};
/* A whole walk over so many units. */
struct rt_level_sum {
	uint64_t trips;
	uint32_t stride; /* all values are multiples of it */
	uint32_t last;   /* length of the last iteration */
};
struct rt_level_sum rt_level_sum(const struct rt_level_set *set, uint64_t count);
/* The next value; false when there is none. walk->level is its level. */
bool rt_level_next(struct rt_level_walk *walk, int64_t *value_out);

#endif
