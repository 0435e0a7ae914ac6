/* SPDX-License-Identifier: MIT
 * test_rt_bytecode.c - while and break, the dispatch filter, and entries that are one task of a kernel: what they expand to, when it runs, and
 * what is refused. */
#include "tests/check_outcome.h"

#include <string.h>

#define DISPATCH(b, policy, n) builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_##policy, "n", (int64_t)(n))

/* ---- while and break ----------------------------------------------------------------------------------------------- */

/* slot x, and x + 1. */
static uint32_t counter(struct builder *b, uint32_t *next_out)
{
	uint32_t slot = builder_slot(b, "x", PTOWSP_SLOT_SLOT, 0), value = builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0);

	*next_out = builder_expr(b, PTOWSP_EXPR_ADD, value, builder_const(b, 1), 0);
	return value;
}

TEST(while_tests_before_each_iteration)
{
	struct builder *b = builder_plain();
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
	outcome_done(b, o);
}

TEST(a_while_without_end_meets_the_deadline)
{
	struct builder *b = builder_plain();
	struct outcome *o;

	builder_while(b, builder_const(b, 1));
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.deadline_ns = builder_now_ns() + 20000000});
	CHECK_INT(o->status, PTOWSP_DEADLINE);
	outcome_done(b, o);
}

TEST(break_leaves_the_innermost_loop)
{
	static const unsigned loops[] = {PTOWSP_OP_PARALLEL_FOR, PTOWSP_OP_FOR_EACH};
	struct builder *b;
	struct outcome *o;

	for (size_t i = 0; i < COUNT(loops); i++) {
		b = builder_plain();
		builder_loop_n(b, loops[i], "i", 2);
		builder_loop_n(b, loops[i], "k", 5);
		builder_scope(b);
		builder_task_list(b, 0, builder_pair_value(b), 0, "", NULL);
		builder_branches(b, PTOWSP_OP_COND, 2, builder_expr(b, PTOWSP_EXPR_EQ, builder_loop_value(b, 1), builder_const(b, 1), 0));
		EMIT(b, BREAK, 0, 0);
		builder_end(b);
		builder_end(b);
		builder_end(b);
		builder_end(b);
		o = builder_run(b, NULL);
		check_cycles(o, (uint64_t[]){1, 2, 101, 102}, 4);
		outcome_done(b, o);
	}
	b = builder_plain();
	builder_while(b, builder_const(b, 1));
	builder_task(b, 0, 7, "");
	EMIT(b, BREAK, 0, 0);
	builder_end(b);
	builder_task(b, 0, 8, "");
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){7, 8}, 2);
	outcome_done(b, o);
	b = builder_plain();
	EMIT(b, BREAK, 0, 0);
	check_refused(b, PTOWSP_BAD_PACKAGE, "break outside every loop");
}

/* The order of a for_each that is left does not hold what comes behind it; its scope closes, or window 2 would be a deadlock. */
TEST(break_ends_scopes_and_orders)
{
	struct builder *b = builder_plain();
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
	outcome_done(b, o);
}

/* ---- dispatch filter, entries of one kernel ------------------------------------------------------------------------ */

TEST(a_dispatch_filter_changes_nothing_with_one_instance)
{
	struct builder *b = builder_plain();
	struct outcome *o;

	EMIT(b, DISPATCH_FILTER, PTOWSP_DISPATCH_CUSTOM, builder_axis_value(b, "i"));
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	EMIT(b, DISPATCH_FILTER, PTOWSP_DISPATCH_HASH, builder_axis_value(b, "i"));
	builder_task(b, 0, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	check_starts(o, (uint64_t[]){0, 0, 0}, 3);
	outcome_done(b, o);
	b = builder_plain();
	EMIT(b, DISPATCH_FILTER, PTOWSP_DISPATCH_WORK_STEAL, builder_const(b, 0));
	check_refused(b, PTOWSP_BAD_PACKAGE, "dispatch_filter has the predicate 6");
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

TEST(an_entry_without_bytecode_is_one_task_of_its_kernel)
{
	uint32_t slots[2];
	struct builder *b = wrapped(slots);
	struct outcome *o;

	builder_kernel_entry(b, 0, 2, slots);
	o = builder_run(b, NULL);
	check_cycles(o, (uint64_t[]){17}, 1);
	CHECK_UINT(o->calls, 1);
	outcome_done(b, o);
}

TEST(entries_that_do_not_fit_their_kernel_are_refused)
{
	uint32_t slots[2], wrong[2] = {0, 7};
	struct builder *b = wrapped(slots);

	builder_kernel_entry(b, 3, 2, slots);
	check_refused(b, PTOWSP_BAD_PACKAGE, "entry main is one task of a kernel, and that kernel is not there");
	b = wrapped(slots);
	builder_kernel_entry(b, 0, 1, slots);
	check_refused(b, PTOWSP_BAD_PACKAGE, "its values are not as many as the kernel's scalars");
	b = wrapped(slots);
	builder_kernel_entry(b, 0, 2, wrong);
	check_refused(b, PTOWSP_BAD_PACKAGE, "one of its values is no row of SLOT");
	b = wrapped(slots);
	builder_tensor(b, "z", PTOWSP_I64, 4, 0);
	builder_kernel_entry(b, 0, 2, slots);
	check_refused(b, PTOWSP_BAD_PACKAGE, "there are more than the kernel has");
}
