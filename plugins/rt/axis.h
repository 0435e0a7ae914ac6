/* SPDX-License-Identifier: MIT */
/* axis.h - one row of a ragged or sparse axis: how many values a loop has, and for sparse ones which. They stand in the package or in bound tensors
 * that the program does not write, so they are the same during a run. */
#ifndef RT_AXIS_H
#define RT_AXIS_H

#include "rt/program.h"

/* The row that a loop is about to run over. */
struct rt_axis_row {
	int64_t first;  /* sparse: place of its first index */
	uint64_t count; /* values */
};

/* At load. Checks kind, low, step and values against how many rows there are; rows: constant or INT64_MIN. Errors: BAD_PACKAGE (text says
 * what, the caller knows where). */
ptowsp_status rt_axis_check(const struct rt_program *program, const struct rt_loop *loop, int64_t rows, struct ptowsp_error *error);
/* At load, once all tasks are known. Errors: BAD_PACKAGE naming a tensor that the program writes and an axis reads. */
ptowsp_status rt_axes_check(const struct rt_program *program, struct ptowsp_error *error);
/* Largest value of a loop over any of its rows, INT64_MAX where tensors have them. */
int64_t rt_axis_most(const struct rt_program *program, const struct rt_loop *loop);

/* While a run goes on. where: the instruction. A tensor that is bound to no memory has zeros, said once;
 * with kernels it is an error. Errors: RUN_FAILED naming axis, row, value and limit. */
ptowsp_status rt_axis_open(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where,
			   struct rt_axis_row *row_out, struct ptowsp_error *error);
/* The column index at a place of a sparse axis. Errors as above. */
ptowsp_status rt_axis_index(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where,
			    int64_t place, int64_t *index_out, struct ptowsp_error *error);

#endif
