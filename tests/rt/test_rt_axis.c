/* SPDX-License-Identifier: MIT
 * test_rt_axis.c - loops over rows of ragged and sparse axes, and axes that an entry states itself. */
#include "tests/check_outcome.h"

#include <string.h>

static void rows_run(struct builder *b, unsigned opcode, uint32_t axis)
{
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "r", 3);
	builder_loop(b, opcode, axis);
	builder_task_list(b, 0, builder_pair_value(b), 0, "", NULL);
	builder_end(b);
	builder_end(b);
}

TEST(a_ragged_axis_has_as_many_values_as_its_row_says)
{
	struct builder *b = builder_plain();
	struct outcome *o;

	rows_run(b, PTOWSP_OP_PARALLEL_FOR, builder_axis_values(b, "c", PTOWSP_AXIS_RAGGED, 3, builder_axis_value(b, "r"), 4, (int64_t[]){0, 2, 2, 5}));
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){1, 2, 201, 202, 203}, 5);
	outcome_done(b, o);
}

TEST(select_walks_the_indices_of_a_row)
{
	struct builder *b = builder_plain();
	struct outcome *o;

	rows_run(b, PTOWSP_OP_SELECT, builder_axis_values(b, "c", PTOWSP_AXIS_SPARSE, 3, builder_axis_value(b, "r"), 8, (int64_t[]){0, 2, 2, 4, 7, 3, 0, 9}));
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){8, 4, 201, 210}, 4);
	outcome_done(b, o);
}

TEST(for_each_over_a_ragged_row_orders_its_iterations)
{
	struct builder *b = builder_plain();
	struct outcome *o;

	rows_run(b, PTOWSP_OP_FOR_EACH, builder_axis_values(b, "c", PTOWSP_AXIS_RAGGED, 3, builder_axis_value(b, "r"), 4, (int64_t[]){0, 2, 2, 4}));
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 1, 0, 201}, 4);
	outcome_done(b, o);
}

/* Lengths in a tensor of 4 elements, indices in one of 6. */
static struct builder *bound(unsigned kind, uint32_t rows)
{
	struct builder *b = builder_plain();
	uint32_t lengths = builder_tensor(b, "lengths", PTOWSP_I64, 4, 0), indices = builder_tensor(b, "indices", PTOWSP_I64, 6, 0);
	bool sparse = kind == PTOWSP_AXIS_SPARSE;

	rows_run(b, sparse ? PTOWSP_OP_SELECT : PTOWSP_OP_PARALLEL_FOR,
		 builder_axis_rows(b, "c", kind, rows ? rows : builder_const(b, 3), builder_axis_value(b, "r"), lengths, sparse ? indices : PTOWSP_NONE));
	return b;
}

static struct outcome *bound_run(struct builder *b, const uint64_t *content, uint64_t count)
{
	return builder_run(b, &(struct outcome_how){.content = content, .content_count = count});
}

TEST(rows_come_from_bound_tensors)
{
	struct builder *b = bound(PTOWSP_AXIS_RAGGED, 0);
	struct outcome *o = bound_run(b, (uint64_t[]){1, 0, 2, 0}, 4);

	check_cycles(o, (uint64_t[]){1, 201, 202}, 3);
	outcome_done(b, o);
	b = bound(PTOWSP_AXIS_SPARSE, 0);
	o = bound_run(b, (uint64_t[]){0, 1, 1, 3, 5, 4, 0}, 7);
	check_cycles(o, (uint64_t[]){6, 205, 201}, 3);
	outcome_done(b, o);
}

TEST(a_wrong_row_is_named_with_its_value_and_limit)
{
	static const struct {
		unsigned kind;
		uint64_t content[7];
		const char *why;
	} cases[] = {
		{PTOWSP_AXIS_RAGGED, {1, UINT64_MAX, 0, 0}, "axis c, row 1: its length is -1, allowed are 0 to"},
		{PTOWSP_AXIS_SPARSE, {7, 8, 8, 8}, "axis c, row 0: its beginning is 7, allowed are 0 to 6"},
		{PTOWSP_AXIS_SPARSE, {0, 1, 7, 7}, "axis c, row 1: its end is 7, allowed are 0 to 6"},
		{PTOWSP_AXIS_SPARSE, {0, 2, 1, 1}, "axis c, row 1: its end, which lies before its beginning, is 1"},
		{PTOWSP_AXIS_SPARSE, {0, 2, 2, 2, 1, UINT64_MAX}, "axis c, row 0: an index is -1, allowed are 0 to"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct builder *b = bound(cases[i].kind, 0);
		struct outcome *o = bound_run(b, cases[i].content, 7);

		CHECK_INT(o->status, PTOWSP_RUN_FAILED);
		CHECK_CONTAINS(o->error.text, cases[i].why);
		outcome_done(b, o);
	}
}

TEST(a_row_outside_is_a_run_error)
{
	struct builder *b = builder_plain();
	uint32_t row = builder_expr(b, PTOWSP_EXPR_ADD, builder_axis_value(b, "r"), builder_const(b, 1), 0);

	rows_run(b, PTOWSP_OP_PARALLEL_FOR, builder_axis_values(b, "c", PTOWSP_AXIS_RAGGED, 3, row, 4, (int64_t[]){0, 1, 2, 3}));
	check_refused(b, PTOWSP_RUN_FAILED, "axis c, row 3: the row is 3, allowed are 0 to 2");
}

TEST(rows_of_unbound_tensors_are_empty_and_that_is_said_once)
{
	struct builder *b = bound(PTOWSP_AXIS_SPARSE, 0);
	struct outcome *o = builder_run(b, &(struct outcome_how){.bare = true, .flags = PTOWSP_RUN_NO_KERNELS});
	const char *first = strstr(o->log, "axis c reads tensor lengths, which is not bound");

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->task_count, 0);
	REQUIRE(first != NULL);
	CHECK(!strstr(strchr(first, '\n'), "is not bound"));
	outcome_done(b, o);
	b = bound(PTOWSP_AXIS_RAGGED, 0);
	o = builder_run(b, &(struct outcome_how){.bare = true});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "axis c reads tensor lengths, which is bound to no memory");
	outcome_done(b, o);
}

TEST(a_tensor_of_lengths_that_the_program_writes_is_refused)
{
	struct builder *b = bound(PTOWSP_AXIS_RAGGED, 0);
	uint32_t zero = builder_const(b, 0), region = builder_region(b, 0, zero, zero, 1, 1);

	builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1);
	builder_task(b, 1, 1, "w", region);
	check_refused(b, PTOWSP_BAD_PACKAGE, "tensor lengths holds the lengths or indices of an axis, and the program writes it");
}

TEST(axes_that_do_not_fit_their_values_are_refused)
{
	static const struct {
		unsigned kind, opcode;
		uint32_t count;
		int64_t values[8];
		const char *why;
	} cases[] = {
		{PTOWSP_AXIS_RAGGED, PTOWSP_OP_PARALLEL_FOR, 3, {0, 1, 2}, "axis c has 3 values for 3 rows"},
		{PTOWSP_AXIS_RAGGED, PTOWSP_OP_PARALLEL_FOR, 4, {1, 1, 2, 3}, "sums begin with 0"},
		{PTOWSP_AXIS_RAGGED, PTOWSP_OP_PARALLEL_FOR, 4, {0, 2, 1, 3}, "the running sum of row 2 is 1"},
		{PTOWSP_AXIS_SPARSE, PTOWSP_OP_SELECT, 6, {0, 1, 2, 3, 4, 4}, "its rows have 3 indices, the package 2"},
		{PTOWSP_AXIS_SPARSE, PTOWSP_OP_SELECT, 5, {0, 1, 1, 1, -4}, "index 0 is -4"},
		{PTOWSP_AXIS_SPARSE, PTOWSP_OP_PARALLEL_FOR, 4, {0, 0, 0, 0}, "axis c is sparse, only select walks it"},
		{PTOWSP_AXIS_RAGGED, PTOWSP_OP_SELECT, 4, {0, 0, 0, 0}, "select walks a sparse axis, and c is none"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct builder *b = builder_plain();

		rows_run(b, cases[i].opcode, builder_axis_values(b, "c", cases[i].kind, 3, builder_axis_value(b, "r"), cases[i].count, cases[i].values));
		check_refused(b, PTOWSP_BAD_PACKAGE, cases[i].why);
	}
}

TEST(an_entry_states_its_axes_itself)
{
	struct builder *b = builder_plain();
	uint32_t slot = builder_slot(b, "n", PTOWSP_SLOT_SYMBOL, 2), ten = builder_const(b, 10), zero = builder_const(b, 0);
	uint32_t i = builder_axis(b, "i", zero, ten, ten, PTOWSP_NONE), k = builder_axis(b, "k", zero, ten, ten, PTOWSP_NONE);
	struct outcome *o;

	EMIT(b, AXIS_DENSE, i, 3);
	EMIT(b, AXIS_DENSE_DYN, k, slot);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, i);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, k);
	builder_task_list(b, 0, builder_pair_value(b), 0, "", NULL);
	builder_end(b);
	builder_end(b);
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){1, 2, 101, 102, 201, 202}, 6);
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.values = (uint64_t[]){UINT64_MAX}, .value_count = 1});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "the extent of axis k is -1, it must be 0 or more; it comes from n");
	outcome_done(b, o);
	b = builder_plain();
	i = builder_axis(b, "i", builder_const(b, 0), builder_const(b, 1), builder_const(b, 1), PTOWSP_NONE);
	EMIT(b, AXIS_DENSE, i, 3);
	EMIT(b, AXIS_DENSE, i, 3);
	check_refused(b, PTOWSP_BAD_PACKAGE, "axis i is stated twice");
	b = builder_plain();
	i = builder_axis(b, "i", builder_const(b, 0), builder_const(b, 1), builder_const(b, 1), PTOWSP_NONE);
	builder_task(b, 0, 1, "");
	EMIT(b, AXIS_DENSE, i, 3);
	check_refused(b, PTOWSP_BAD_PACKAGE, "stated at its beginning");
}

TEST(a_ragged_axis_takes_its_number_of_rows_from_the_entry)
{
	struct builder *b = builder_plain();
	uint32_t axis = builder_axis_values(b, "c", PTOWSP_AXIS_DENSE, 9, builder_const(b, 1), 3, (int64_t[]){0, 2, 5});
	struct outcome *o;

	EMIT(b, AXIS_RAGGED, axis, 2);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, axis);
	builder_task(b, 0, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){1, 1, 1}, 3);
	outcome_done(b, o);
}
