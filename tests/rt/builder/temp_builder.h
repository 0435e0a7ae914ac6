/* SPDX-License-Identifier: MIT
 * temp_builder.h - programs with a temp tensor, for the suites of versions. A tile is 2 x 4 elements of 8 bytes, 64 bytes. */
#ifndef TESTS_TEMP_BUILDER_H
#define TESTS_TEMP_BUILDER_H

#include "tests/check_outcome.h"

enum { TILE_ROWS = 2, TILE_COLUMNS = 4 };

/* A builder with kernel 0 of one tensor and kernel 1 of two, tensor 0 the temp tensor "z" of 8 x 8, tensor 1 "out" of 16 x 8. */
static inline struct builder *temp_builder(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1);
	builder_kernel(b, "two", PTOWSP_UNIT_AIV, 1, 2);
	builder_role(b, builder_tensor(b, "z", PTOWSP_I64, 8, 8), PTOWSP_ROLE_TEMP);
	builder_tensor(b, "out", PTOWSP_I64, 16, 8);
	return b;
}

static inline uint32_t temp_tile(struct builder *b, int64_t row, int64_t column)
{
	return builder_region(b, 0, builder_const(b, row), builder_const(b, column), TILE_ROWS, TILE_COLUMNS);
}

static inline uint32_t temp_out_tile(struct builder *b, int64_t row)
{
	return builder_region(b, 1, builder_const(b, row), builder_const(b, 0), TILE_ROWS, TILE_COLUMNS);
}

static inline void temp_heap(struct builder *b, int64_t bytes)
{
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", bytes);
}

static inline void temp_executors(struct builder *b, int64_t n)
{
	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", n);
}

/* The same with a heap of so many bytes. */
static inline struct builder *temp_builder_in(int64_t bytes)
{
	struct builder *b = temp_builder();

	temp_heap(b, bytes);
	return b;
}

/* write, read, write, read of one key, 10 cycles each, an executor each */
static inline struct builder *temp_pipelined(void)
{
	struct builder *b = temp_builder();

	temp_executors(b, 4);
	for (int i = 0; i < 2; i++) {
		builder_task(b, 0, 10, "w", temp_tile(b, 2, 4));
		builder_task(b, 1, 10, "rw", temp_tile(b, 2, 4), temp_out_tile(b, 2 * i));
	}
	return b;
}

#endif
