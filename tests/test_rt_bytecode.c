/* SPDX-License-Identifier: MIT
 * test_rt_bytecode.c - loops over rows of ragged and sparse axes, while and break, stated edges, events, barriers, copies, memory, and
 * entries that are one task of a kernel: what they expand to, when it runs, and what is refused. */
#include "check.h"
#include "rt_builder.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define DISPATCH(b, policy, n) builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_##policy, "n", (int64_t)(n))
#define EMIT(b, op, x, y) builder_emit(b, PTOWSP_OP_##op, x, y)

/* One kernel k(cycles) without tensors, row 0; executors are many, so that only order and gates hold a task. */
static struct builder *plain(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	DISPATCH(b, ROUND_ROBIN, 16);
	return b;
}

static void done(struct builder *b, struct outcome *o)
{
	outcome_destroy(o);
	builder_destroy(b);
}

static void check_cycles(const struct outcome *o, const uint64_t *cycles, uint32_t count)
{
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_UINT(o->tasks[i].end - o->tasks[i].start, cycles[i]);
}

static void check_starts(const struct outcome *o, const uint64_t *starts, uint32_t count)
{
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_UINT(o->tasks[i].start, starts[i]);
}

static void refuse(struct builder *b, ptowsp_status st, const char *why)
{
	struct outcome *o = builder_run(b, NULL);

	CHECK_INT(o->status, st);
	CHECK_CONTAINS(o->error.text, why);
	done(b, o);
}

static uint32_t loop_value(struct builder *b, uint32_t depth)
{
	return builder_expr(b, PTOWSP_EXPR_LOOP, depth, 0, 0);
}

/* 100 * outer + inner + 1, so that the cycles of a task tell the values of its loops. */
static uint32_t pair_value(struct builder *b)
{
	uint32_t outer = builder_expr(b, PTOWSP_EXPR_MUL, loop_value(b, 0), builder_const(b, 100), 0);

	return builder_expr(b, PTOWSP_EXPR_ADD, builder_expr(b, PTOWSP_EXPR_ADD, outer, loop_value(b, 1), 0), builder_const(b, 1), 0);
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

static void rows_run(struct builder *b, unsigned opcode, uint32_t axis)
{
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "r", 3);
	builder_loop(b, opcode, axis);
	builder_task_list(b, 0, pair_value(b), 0, "", NULL);
	builder_end(b);
	builder_end(b);
}

static void a_ragged_axis_has_as_many_values_as_its_row_says(void)
{
	struct builder *b = plain();
	struct outcome *o;

	rows_run(b, PTOWSP_OP_PARALLEL_FOR,
		 builder_axis_values(b, "c", PTOWSP_AXIS_RAGGED, 3, builder_axis_value(b, "r"), 4, (int64_t[]){0, 2, 2, 5}));
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){1, 2, 201, 202, 203}, 5);
	done(b, o);
}

static void select_walks_the_indices_of_a_row(void)
{
	struct builder *b = plain();
	struct outcome *o;

	rows_run(b, PTOWSP_OP_SELECT,
		 builder_axis_values(b, "c", PTOWSP_AXIS_SPARSE, 3, builder_axis_value(b, "r"), 8, (int64_t[]){0, 2, 2, 4, 7, 3, 0, 9}));
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){8, 4, 201, 210}, 4);
	done(b, o);
}

static void for_each_over_a_ragged_row_orders_its_iterations(void)
{
	struct builder *b = plain();
	struct outcome *o;

	rows_run(b, PTOWSP_OP_FOR_EACH,
		 builder_axis_values(b, "c", PTOWSP_AXIS_RAGGED, 3, builder_axis_value(b, "r"), 4, (int64_t[]){0, 2, 2, 4}));
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 1, 0, 201}, 4);
	done(b, o);
}

/* Lengths in a tensor of 4 elements, indices in one of 6. */
static struct builder *bound(unsigned kind, uint32_t rows)
{
	struct builder *b = plain();
	uint32_t lengths = builder_tensor(b, "lengths", PTOWSP_I64, 4, 0), indices = builder_tensor(b, "indices", PTOWSP_I64, 6, 0);
	bool sparse = kind == PTOWSP_AXIS_SPARSE;

	rows_run(b, sparse ? PTOWSP_OP_SELECT : PTOWSP_OP_PARALLEL_FOR,
		 builder_axis_rows(b, "c", kind, rows ? rows : builder_const(b, 3), builder_axis_value(b, "r"), lengths,
				   sparse ? indices : PTOWSP_NONE));
	return b;
}

static struct outcome *bound_run(struct builder *b, const uint64_t *content, uint64_t count)
{
	return builder_run(b, &(struct outcome_how){.content = content, .content_count = count});
}

static void rows_come_from_bound_tensors(void)
{
	struct builder *b = bound(PTOWSP_AXIS_RAGGED, 0);
	struct outcome *o = bound_run(b, (uint64_t[]){1, 0, 2, 0}, 4);

	check_cycles(o, (uint64_t[]){1, 201, 202}, 3);
	done(b, o);
	b = bound(PTOWSP_AXIS_SPARSE, 0);
	o = bound_run(b, (uint64_t[]){0, 1, 1, 3, 5, 4, 0}, 7);
	check_cycles(o, (uint64_t[]){6, 205, 201}, 3);
	done(b, o);
}

static void a_wrong_row_is_named_with_its_value_and_limit(void)
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
		done(b, o);
	}
}

static void a_row_outside_is_a_run_error(void)
{
	struct builder *b = plain();
	uint32_t row = builder_expr(b, PTOWSP_EXPR_ADD, builder_axis_value(b, "r"), builder_const(b, 1), 0);

	rows_run(b, PTOWSP_OP_PARALLEL_FOR, builder_axis_values(b, "c", PTOWSP_AXIS_RAGGED, 3, row, 4, (int64_t[]){0, 1, 2, 3}));
	refuse(b, PTOWSP_RUN_FAILED, "axis c, row 3: the row is 3, allowed are 0 to 2");
}

static void rows_of_unbound_tensors_are_empty_and_that_is_said_once(void)
{
	struct builder *b = bound(PTOWSP_AXIS_SPARSE, 0);
	struct outcome *o = builder_run(b, &(struct outcome_how){.bare = true, .flags = PTOWSP_RUN_NO_KERNELS});
	const char *first = strstr(o->log, "axis c reads tensor lengths, which is not bound");

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->task_count, 0);
	REQUIRE(first != NULL);
	CHECK(!strstr(strchr(first, '\n'), "is not bound"));
	done(b, o);
	b = bound(PTOWSP_AXIS_RAGGED, 0);
	o = builder_run(b, &(struct outcome_how){.bare = true});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "axis c reads tensor lengths, which is bound to no memory");
	done(b, o);
}

static void a_tensor_of_lengths_that_the_program_writes_is_refused(void)
{
	struct builder *b = bound(PTOWSP_AXIS_RAGGED, 0);
	uint32_t zero = builder_const(b, 0), region = builder_region(b, 0, zero, zero, 1, 1);

	builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1);
	builder_task(b, 1, 1, "w", region);
	refuse(b, PTOWSP_BAD_PACKAGE, "tensor lengths holds the lengths or indices of an axis, and the program writes it");
}

static void axes_that_do_not_fit_their_values_are_refused(void)
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
		struct builder *b = plain();

		rows_run(b, cases[i].opcode,
			 builder_axis_values(b, "c", cases[i].kind, 3, builder_axis_value(b, "r"), cases[i].count, cases[i].values));
		refuse(b, PTOWSP_BAD_PACKAGE, cases[i].why);
	}
}

static void an_entry_states_its_axes_itself(void)
{
	struct builder *b = plain();
	uint32_t slot = builder_slot(b, "n", PTOWSP_SLOT_SYMBOL, 2), ten = builder_const(b, 10), zero = builder_const(b, 0);
	uint32_t i = builder_axis(b, "i", zero, ten, ten, PTOWSP_NONE), k = builder_axis(b, "k", zero, ten, ten, PTOWSP_NONE);
	struct outcome *o;

	EMIT(b, AXIS_DENSE, i, 3);
	EMIT(b, AXIS_DENSE_DYN, k, slot);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, i);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, k);
	builder_task_list(b, 0, pair_value(b), 0, "", NULL);
	builder_end(b);
	builder_end(b);
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){1, 2, 101, 102, 201, 202}, 6);
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.values = (uint64_t[]){UINT64_MAX}, .value_count = 1});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "the extent of axis k is -1, it must be 0 or more; it comes from n");
	done(b, o);
	b = plain();
	i = builder_axis(b, "i", builder_const(b, 0), builder_const(b, 1), builder_const(b, 1), PTOWSP_NONE);
	EMIT(b, AXIS_DENSE, i, 3);
	EMIT(b, AXIS_DENSE, i, 3);
	refuse(b, PTOWSP_BAD_PACKAGE, "axis i is stated twice");
	b = plain();
	i = builder_axis(b, "i", builder_const(b, 0), builder_const(b, 1), builder_const(b, 1), PTOWSP_NONE);
	builder_task(b, 0, 1, "");
	EMIT(b, AXIS_DENSE, i, 3);
	refuse(b, PTOWSP_BAD_PACKAGE, "stated at its beginning");
}

static void a_ragged_axis_takes_its_number_of_rows_from_the_entry(void)
{
	struct builder *b = plain();
	uint32_t axis = builder_axis_values(b, "c", PTOWSP_AXIS_DENSE, 9, builder_const(b, 1), 3, (int64_t[]){0, 2, 5});
	struct outcome *o;

	EMIT(b, AXIS_RAGGED, axis, 2);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, axis);
	builder_task(b, 0, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){1, 1, 1}, 3);
	done(b, o);
}

/* ---- while and break ----------------------------------------------------------------------------------------------- */

/* slot x, and x + 1. */
static uint32_t counter(struct builder *b, uint32_t *next_out)
{
	uint32_t slot = builder_slot(b, "x", PTOWSP_SLOT_SLOT, 0), value = builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0);

	*next_out = builder_expr(b, PTOWSP_EXPR_ADD, value, builder_const(b, 1), 0);
	return value;
}

static void while_tests_before_each_iteration(void)
{
	struct builder *b = plain();
	uint32_t next, value = counter(b, &next);
	struct outcome *o;

	builder_while(b, builder_expr(b, PTOWSP_EXPR_LT, value, builder_const(b, 3), 0));
	builder_task_list(b, 0, next, 0, "", NULL);
	builder_slot_set(b, 0, next);
	builder_end(b);
	builder_task(b, 0, 50, "");
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){1, 2, 3, 50}, 4);
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.values = (uint64_t[]){9}, .value_count = 1});
	check_cycles(o, (uint64_t[]){50}, 1);
	done(b, o);
}

static void a_while_without_end_meets_the_deadline(void)
{
	struct builder *b = plain();
	struct outcome *o;

	builder_while(b, builder_const(b, 1));
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.deadline_ns = builder_now_ns() + 20000000});
	CHECK_INT(o->status, PTOWSP_DEADLINE);
	done(b, o);
}

static void break_leaves_the_innermost_loop(void)
{
	static const unsigned loops[] = {PTOWSP_OP_PARALLEL_FOR, PTOWSP_OP_FOR_EACH};
	struct builder *b;
	struct outcome *o;

	for (size_t i = 0; i < COUNT(loops); i++) {
		b = plain();
		builder_loop_n(b, loops[i], "i", 2);
		builder_loop_n(b, loops[i], "k", 5);
		builder_scope(b);
		builder_task_list(b, 0, pair_value(b), 0, "", NULL);
		builder_branches(b, PTOWSP_OP_COND, 2, builder_expr(b, PTOWSP_EXPR_EQ, loop_value(b, 1), builder_const(b, 1), 0));
		EMIT(b, BREAK, 0, 0);
		builder_end(b);
		builder_end(b);
		builder_end(b);
		builder_end(b);
		o = builder_run(b, NULL);
		check_cycles(o, (uint64_t[]){1, 2, 101, 102}, 4);
		done(b, o);
	}
	b = plain();
	builder_while(b, builder_const(b, 1));
	builder_task(b, 0, 7, "");
	EMIT(b, BREAK, 0, 0);
	builder_end(b);
	builder_task(b, 0, 8, "");
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){7, 8}, 2);
	done(b, o);
	b = plain();
	EMIT(b, BREAK, 0, 0);
	refuse(b, PTOWSP_BAD_PACKAGE, "break outside every loop");
}

/* The order of a for_each that is left does not hold what comes behind it; its scope closes, or window 2 would be a deadlock. */
static void break_ends_scopes_and_orders(void)
{
	struct builder *b = plain();
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)2);
	builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 3);
	builder_scope(b);
	builder_branches(b, PTOWSP_OP_SEQUENTIAL, 2, 0);
	builder_task(b, 0, 10, "");
	builder_next(b);
	EMIT(b, BREAK, 0, 0);
	builder_end(b);
	builder_end(b);
	builder_end(b);
	for (int i = 0; i < 3; i++)
		builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 10, 10}, 4);
	CHECK_UINT(o->stats.total_cycles, 11);
	done(b, o);
}

/* ---- stated edges -------------------------------------------------------------------------------------------------- */

static void deps_are(struct builder *b, unsigned policy)
{
	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, policy, "");
}

/* T0, T1, T2 of 5 cycles; T2 after T0 twice, softly after T1, and after none. */
static struct builder *stated(unsigned policy)
{
	struct builder *b = plain();
	uint32_t task = builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0);

	deps_are(b, policy);
	builder_task(b, 0, 5, "");
	builder_task(b, 0, 9, "");
	builder_task(b, 0, 5, "");
	builder_after(b, PTOWSP_AFTER_TASK, builder_const(b, 0));
	builder_after(b, PTOWSP_AFTER_DATA, builder_expr(b, PTOWSP_EXPR_SUB, task, builder_const(b, 2), 0));
	builder_after(b, PTOWSP_AFTER_SOFT, builder_const(b, 1));
	builder_after(b, PTOWSP_AFTER_BARRIER, builder_const(b, -1));
	return b;
}

static void stated_edges_count_once_under_explicit_and_hybrid(void)
{
	static const unsigned policies[] = {PTOWSP_DEPS_EXPLICIT, PTOWSP_DEPS_HYBRID};

	for (size_t i = 0; i < COUNT(policies); i++) {
		struct builder *b = stated(policies[i]);
		struct outcome *o = builder_run(b, NULL);

		check_starts(o, (uint64_t[]){0, 0, 5}, 3);
		CHECK_UINT(o->stats.edges, 1);
		CHECK(outcome_has_edge(o, 0, 2));
		CHECK_UINT(outcome_resource(o, "dep_list")->high_water, 1);
		done(b, o);
	}
}

static void rules_that_find_edges_themselves_leave_stated_ones_out_and_say_so(void)
{
	static const unsigned policies[] = {PTOWSP_DEPS_BYTES_OVERLAP, PTOWSP_DEPS_TENSOR_MAP_EXACT};

	for (size_t i = 0; i < COUNT(policies); i++) {
		struct builder *b = stated(policies[i]);
		struct outcome *o = builder_run(b, NULL);

		check_starts(o, (uint64_t[]){0, 0, 0}, 3);
		CHECK_UINT(o->stats.edges, 0);
		CHECK_CONTAINS(o->log, "deps=hybrid adds them");
		done(b, o);
	}
}

static void stated_edges_outside_the_window_are_not_made(void)
{
	struct builder *b = stated(PTOWSP_DEPS_EXPLICIT);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)2);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.edges, 0);
	done(b, o);
}

/* A writes a tensor, B reads it, C is after A by word: hybrid has both edges. */
static void hybrid_has_stated_and_found_edges(void)
{
	for (int overlap = 0; overlap < 2; overlap++) {
		struct builder *b = builder_create();
		uint32_t zero = builder_const(b, 0), t, region, half;
		struct outcome *o;

		builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1);
		builder_kernel(b, "n", PTOWSP_UNIT_AIV, 1, 0);
		t = builder_tensor(b, "t", PTOWSP_I64, 4, 4);
		region = builder_region(b, t, zero, zero, 4, 4);
		half = builder_region(b, t, zero, zero, 2, 4);
		builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_HYBRID, overlap ? "w" : "", "bytes_overlap");
		builder_task(b, 0, 5, "w", region);
		builder_task(b, 0, 5, "r", half);
		builder_task(b, 1, 5, "");
		builder_after(b, PTOWSP_AFTER_TASK, builder_const(b, 0));
		o = builder_run(b, &(struct outcome_how){.threads = 2});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->stats.edges, overlap ? 2 : 1);
		CHECK(outcome_has_edge(o, 0, 2));
		CHECK(outcome_has_edge(o, 0, 1) == (overlap == 1));
		done(b, o);
	}
}

static void edges_to_later_tasks_are_refused_or_end_the_run(void)
{
	struct builder *b = plain();
	uint32_t slot;

	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_const(b, 0));
	refuse(b, PTOWSP_BAD_PACKAGE, "instruction 0: after(0) cannot name an earlier task: at most 0 come before");
	b = plain();
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_const(b, 2));
	builder_end(b);
	refuse(b, PTOWSP_BAD_PACKAGE, "after(2) cannot name an earlier task: at most 2 come before");
	b = plain();
	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0));
	refuse(b, PTOWSP_BAD_PACKAGE, "the task itself or a later one");
	b = plain();
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_const(b, 1));
	builder_end(b);
	refuse(b, PTOWSP_RUN_FAILED, "task 0, instruction 1: after(1) names a later task");
	b = plain();
	slot = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, 0);
	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0));
	refuse(b, PTOWSP_RUN_FAILED, "after(0) names the task itself");
	b = plain();
	builder_task(b, 0, 1, "");
	builder_after(b, 4, builder_const(b, -1));
	refuse(b, PTOWSP_BAD_PACKAGE, "after has the unknown kind 4");
}

/* ---- events and barriers ------------------------------------------------------------------------------------------- */

static void wait_moves_the_issue_clock_to_the_signal(void)
{
	struct builder *b = plain();
	uint32_t event = builder_event(b, "e");
	struct outcome *o;

	builder_task(b, 0, 10, "");
	EMIT(b, SIGNAL, 0, event);
	builder_task(b, 0, 30, "");
	EMIT(b, WAIT, 0, event);
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 10}, 3);
	CHECK_UINT(o->stats.edges, 0);
	done(b, o);
}

static void an_event_that_is_not_signalled_is_a_deadlock_or_refused(void)
{
	struct builder *b = plain();
	uint32_t event = builder_event(b, "ready");
	struct outcome *o;

	builder_task(b, 0, 10, "");
	EMIT(b, SIGNAL, 0, event);
	EMIT(b, WAIT, 0, event);
	EMIT(b, WAIT, 0, event);
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_CONTAINS(o->error.text, "event never signalled: ready");
	CHECK_UINT(o->deadlock.kind, PTOWSP_DEADLOCK_EVENT);
	CHECK_UINT(o->deadlock.task, 1);
	CHECK_UINT(o->deadlock.waiting[0].instruction, 4);
	CHECK_CONTAINS(o->deadlock.text, "the wait before task 1 takes a signal of event ready, and none is left");
	done(b, o);
	b = plain();
	event = builder_event(b, "ready");
	builder_task(b, 0, 10, "");
	EMIT(b, WAIT, 0, event);
	refuse(b, PTOWSP_BAD_PACKAGE, "instruction 2: event ready is waited for, and nothing in the program signals it");
	b = plain();
	EMIT(b, SIGNAL, 0, 0);
	refuse(b, PTOWSP_BAD_PACKAGE, "there is no event 0");
}

static void a_barrier_holds_everything_behind_it(void)
{
	struct builder *b = plain();
	struct outcome *o;

	builder_task(b, 0, 10, "");
	builder_task(b, 0, 30, "");
	EMIT(b, BARRIER, 0, 0);
	builder_task(b, 0, 1, "");
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 30, 30}, 4);
	done(b, o);
}

/* Tensors a and b of 4 x 4; regions 0 and 1 are their upper left 2 x 4. */
static struct builder *copying(void)
{
	struct builder *b = plain();
	uint32_t zero = builder_const(b, 0);

	builder_region(b, builder_tensor(b, "a", PTOWSP_I64, 4, 4), zero, zero, 2, 4);
	builder_region(b, builder_tensor(b, "b", PTOWSP_I64, 4, 4), zero, zero, 2, 4);
	return b;
}

static void a_copy_is_a_task_of_one_cycle_per_element(void)
{
	for (uint32_t threads = 1; threads < 3; threads++) {
		struct builder *b = copying();
		struct outcome *o;

		builder_copy(b, 0, 1);
		builder_copy(b, 1, 0);
		o = builder_run(b, &(struct outcome_how){.seed = 5, .threads = threads});
		check_starts(o, (uint64_t[]){0, 8}, 2);
		CHECK_UINT(o->stats.edges, 1);
		CHECK_UINT(o->stats.total_cycles, 16);
		CHECK_MEM(o->memory, o->memory + 16, 8 * sizeof(uint64_t));
		CHECK(o->memory[8] != o->memory[24]);
		CHECK_UINT(o->stats.kernel_count, 1);
		CHECK_UINT(o->kernels[0].kernel, 1);
		done(b, o);
	}
}

/* A copy or a task writes row 0, perhaps a fence, and a task writes it again; nothing else orders them. */
static struct outcome *strict_fence(bool copy, bool fence)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0), t = builder_tensor(b, "t", PTOWSP_I64, 4, 4);
	uint32_t row = builder_region(b, t, zero, zero, 1, 4);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
	if (copy)
		builder_copy(b, builder_region(b, t, builder_const(b, 1), zero, 1, 4), row);
	else
		builder_task(b, k, 1, "w", row);
	if (fence)
		builder_emit(b, PTOWSP_OP_FENCE, PTOWSP_FENCE_DEVICE, 0);
	builder_task(b, k, 1, "w", row);
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT | PTOWSP_RUN_NO_KERNELS});
	builder_destroy(b);
	return o;
}

static void to_strict_a_fence_orders_copies_only(void)
{
	for (int k = 0; k < 4; k++) {
		struct outcome *o = strict_fence(k & 1, k & 2);

		CHECK_INT(o->status, k == 3 ? PTOWSP_OK : PTOWSP_UNSUPPORTED);
		CHECK_UINT(o->stats.deterministic, k == 3 ? PTOWSP_DETERMINISTIC_YES : PTOWSP_DETERMINISTIC_NO);
		outcome_destroy(o);
	}
}

static void a_fence_waits_for_copies_only(void)
{
	struct builder *b = copying();
	struct outcome *o;

	builder_copy(b, 0, 1);
	builder_task(b, 0, 30, "");
	EMIT(b, FENCE, PTOWSP_FENCE_DEVICE, 0);
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 8}, 3);
	done(b, o);
	b = copying();
	EMIT(b, FENCE, 3, 0);
	refuse(b, PTOWSP_BAD_PACKAGE, "fence has the unknown scope 3");
}

static void copies_that_do_not_fit_are_refused(void)
{
	struct builder *b = copying();
	uint32_t zero;

	EMIT(b, COPY, 0, 0);
	builder_task(b, 0, 1, "");
	refuse(b, PTOWSP_BAD_PACKAGE, "behind copy stands one io_output word");
	b = copying();
	zero = builder_const(b, 0);
	builder_copy(b, 0, builder_region(b, 1, zero, zero, 4, 2));
	refuse(b, PTOWSP_BAD_PACKAGE, "copy from 2 x 4 to 4 x 2 elements");
	b = copying();
	zero = builder_const(b, 0);
	builder_copy(b, 0, builder_region(b, builder_tensor(b, "f", PTOWSP_F32, 4, 4), zero, zero, 2, 4));
	refuse(b, PTOWSP_BAD_PACKAGE, "copy between the tensors a and f, which differ in type");
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* Kernel 1 writes; tensors a and b of 128 bytes each, regions 0 and 1. */
static struct builder *heap_of(int64_t bytes)
{
	struct builder *b = copying();

	builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1);
	if (bytes)
		builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", bytes);
	return b;
}

static void memory_comes_back_when_its_last_task_has_left(void)
{
	struct builder *b = heap_of(128);
	struct outcome *o;

	EMIT(b, ALLOC, 0, 0);
	builder_task(b, 1, 10, "w", 0);
	EMIT(b, FREE, 0, 0);
	EMIT(b, ALLOC, 0, 1);
	builder_task(b, 1, 1, "w", 1);
	EMIT(b, FREE, 0, 1);
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 10}, 2);
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 128);
	CHECK_UINT(outcome_resource(o, "heap")->stall_count, 1);
	CHECK_UINT(outcome_resource(o, "heap")->stall_cycles, 10);
	done(b, o);
	b = heap_of(256);
	EMIT(b, ALLOC, 0, 0);
	builder_task(b, 1, 10, "w", 0);
	EMIT(b, FREE, 0, 0);
	EMIT(b, ALLOC, 0, 1);
	builder_task(b, 1, 1, "w", 1);
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0}, 2);
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 256);
	done(b, o);
}

/* A life of its own from each alloc on: the second one is not held by the task of the first. */
static void memory_that_nobody_touched_comes_back_at_once(void)
{
	struct builder *b = heap_of(256);
	struct outcome *o;

	EMIT(b, ALLOC, 0, 0);
	builder_task(b, 1, 10, "w", 0);
	EMIT(b, FREE, 0, 0);
	for (int i = 0; i < 3; i++) {
		EMIT(b, ALLOC, 0, 0);
		EMIT(b, FREE, 0, 0);
	}
	builder_task(b, 0, 1, "");
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0}, 2);
	CHECK_UINT(outcome_resource(o, "heap")->stall_count, 0);
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 256);
	done(b, o);
}

static void memory_that_nothing_gives_back_is_a_deadlock_with_a_cure(void)
{
	struct builder *b = heap_of(128);
	struct outcome *o;

	EMIT(b, ALLOC, 0, 0);
	EMIT(b, ALLOC, 0, 1);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.resource, PTOWSP_RESOURCE_HEAP);
	CHECK_STR(o->deadlock.option, "--schedule heap=256");
	outcome_destroy(o);
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", (int64_t)256);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	done(b, o);
	b = heap_of(64);
	EMIT(b, ALLOC, 0, 0);
	refuse(b, PTOWSP_TOO_SMALL, "the alloc before task 0 needs 128 bytes of heap, which has 64");
}

static void memory_is_used_between_alloc_and_free_only(void)
{
	struct builder *b = heap_of(0);

	builder_task(b, 1, 1, "w", 0);
	EMIT(b, ALLOC, 0, 0);
	refuse(b, PTOWSP_RUN_FAILED, "task 0, kernel w: tensor a is used outside its alloc and free");
	b = heap_of(0);
	EMIT(b, ALLOC, 0, 0);
	EMIT(b, ALLOC, 0, 0);
	refuse(b, PTOWSP_RUN_FAILED, "tensor a is allocated already");
	b = heap_of(0);
	EMIT(b, FREE, 0, 0);
	refuse(b, PTOWSP_RUN_FAILED, "tensor a is freed and was not allocated");
}

/* ---- dispatch filter, entries of one kernel ------------------------------------------------------------------------ */

static void a_dispatch_filter_changes_nothing_with_one_instance(void)
{
	struct builder *b = plain();
	struct outcome *o;

	EMIT(b, DISPATCH_FILTER, PTOWSP_DISPATCH_CUSTOM, builder_axis_value(b, "i"));
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	EMIT(b, DISPATCH_FILTER, PTOWSP_DISPATCH_HASH, builder_axis_value(b, "i"));
	builder_task(b, 0, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 0}, 3);
	done(b, o);
	b = plain();
	EMIT(b, DISPATCH_FILTER, PTOWSP_DISPATCH_WORK_STEAL, builder_const(b, 0));
	refuse(b, PTOWSP_BAD_PACKAGE, "dispatch_filter has the predicate 6");
}

/* A kernel (cycles, c, m) of two tensors, and its entry. */
static struct builder *wrapped(uint32_t *slots)
{
	struct builder *b = builder_create();
	uint32_t kernel = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 2, 2);

	builder_touch(b, kernel, 0, 0, 4, PTOWSP_READ);
	builder_touch(b, kernel, 1, 0, 4, PTOWSP_WRITE);
	builder_tensor(b, "x", PTOWSP_I64, 4, 0);
	builder_tensor(b, "y", PTOWSP_I64, 4, 0);
	slots[1] = builder_slot(b, "other", PTOWSP_SLOT_SYMBOL, 0);
	slots[0] = builder_slot(b, "cycles", PTOWSP_SLOT_SYMBOL, 17);
	return b;
}

static void an_entry_without_bytecode_is_one_task_of_its_kernel(void)
{
	uint32_t slots[2];
	struct builder *b = wrapped(slots);
	struct outcome *o;

	builder_kernel_entry(b, 0, 2, slots);
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){17}, 1);
	CHECK_UINT(o->calls, 1);
	done(b, o);
}

static void entries_that_do_not_fit_their_kernel_are_refused(void)
{
	uint32_t slots[2], wrong[2] = {0, 7};
	struct builder *b = wrapped(slots);

	builder_kernel_entry(b, 3, 2, slots);
	refuse(b, PTOWSP_BAD_PACKAGE, "entry main is one task of a kernel, and that kernel is not there");
	b = wrapped(slots);
	builder_kernel_entry(b, 0, 1, slots);
	refuse(b, PTOWSP_BAD_PACKAGE, "its values are not as many as the kernel's scalars");
	b = wrapped(slots);
	builder_kernel_entry(b, 0, 2, wrong);
	refuse(b, PTOWSP_BAD_PACKAGE, "one of its values is no row of SLOT");
	b = wrapped(slots);
	builder_tensor(b, "z", PTOWSP_I64, 4, 0);
	builder_kernel_entry(b, 0, 2, slots);
	refuse(b, PTOWSP_BAD_PACKAGE, "there are more than the kernel has");
}

void suite_rt_bytecode(CU_pSuite s)
{
	TEST(s, a_ragged_axis_has_as_many_values_as_its_row_says);
	TEST(s, select_walks_the_indices_of_a_row);
	TEST(s, for_each_over_a_ragged_row_orders_its_iterations);
	TEST(s, rows_come_from_bound_tensors);
	TEST(s, a_wrong_row_is_named_with_its_value_and_limit);
	TEST(s, a_row_outside_is_a_run_error);
	TEST(s, rows_of_unbound_tensors_are_empty_and_that_is_said_once);
	TEST(s, a_tensor_of_lengths_that_the_program_writes_is_refused);
	TEST(s, axes_that_do_not_fit_their_values_are_refused);
	TEST(s, an_entry_states_its_axes_itself);
	TEST(s, a_ragged_axis_takes_its_number_of_rows_from_the_entry);
	TEST(s, while_tests_before_each_iteration);
	TEST(s, a_while_without_end_meets_the_deadline);
	TEST(s, break_leaves_the_innermost_loop);
	TEST(s, break_ends_scopes_and_orders);
	TEST(s, stated_edges_count_once_under_explicit_and_hybrid);
	TEST(s, rules_that_find_edges_themselves_leave_stated_ones_out_and_say_so);
	TEST(s, stated_edges_outside_the_window_are_not_made);
	TEST(s, hybrid_has_stated_and_found_edges);
	TEST(s, edges_to_later_tasks_are_refused_or_end_the_run);
	TEST(s, wait_moves_the_issue_clock_to_the_signal);
	TEST(s, an_event_that_is_not_signalled_is_a_deadlock_or_refused);
	TEST(s, a_barrier_holds_everything_behind_it);
	TEST(s, a_copy_is_a_task_of_one_cycle_per_element);
	TEST(s, a_fence_waits_for_copies_only);
	TEST(s, to_strict_a_fence_orders_copies_only);
	TEST(s, copies_that_do_not_fit_are_refused);
	TEST(s, memory_comes_back_when_its_last_task_has_left);
	TEST(s, memory_that_nobody_touched_comes_back_at_once);
	TEST(s, memory_that_nothing_gives_back_is_a_deadlock_with_a_cure);
	TEST(s, memory_is_used_between_alloc_and_free_only);
	TEST(s, a_dispatch_filter_changes_nothing_with_one_instance);
	TEST(s, an_entry_without_bytecode_is_one_task_of_its_kernel);
	TEST(s, entries_that_do_not_fit_their_kernel_are_refused);
}
