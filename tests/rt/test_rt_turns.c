/* SPDX-License-Identifier: MIT
 * test_rt_turns.c - timing interleaved: branches of a combine take turns. */
#include "tests/check_outcome.h"

/* The tasks have the cycles that are wanted, in this order. */
static void order_is(struct builder *b, uint32_t count, const uint64_t *cycles, bool kept)
{
	struct outcome *o;

	ROW(TIMING, INTERLEAVED, "");
	o = builder_run(b, NULL);
	CHECK_STR(o->error.text, "");
	CHECK_INT(strstr(o->log, "keeps its turn until that ends") != NULL, kept);
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_UINT(o->tasks[i].end - o->tasks[i].start, cycles[i]);
	outcome_done(b, o);
}

TEST(interleaved_branches_give_one_task_each_in_turn)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), one = builder_const(b, 1);

	builder_branches(b, PTOWSP_OP_COMBINE, 3, 0);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task_list(b, k, builder_expr(b, PTOWSP_EXPR_ADD, builder_axis_value(b, "i"), one, 0), 0, "", NULL);
	builder_end(b);
	builder_next(b);
	builder_task(b, k, 10, "");
	builder_next(b);
	builder_branches(b, PTOWSP_OP_COMBINE, 2, 0);
	builder_task(b, k, 20, "");
	builder_task(b, k, 21, "");
	builder_next(b);
	builder_task(b, k, 30, "");
	builder_end(b);
	builder_end(b);
	builder_task(b, k, 40, "");
	order_is(b, 8, (uint64_t[]){1, 10, 20, 2, 30, 3, 21, 40}, false);
}

TEST(a_branch_inside_a_scope_or_an_order_keeps_its_turn)
{
	static const unsigned openers[] = {PTOWSP_OP_SCOPE, PTOWSP_OP_FOR_EACH, PTOWSP_OP_SEQUENTIAL};

	for (size_t i = 0; i < 3; i++) {
		struct builder *b = builder_create();
		uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);

		builder_branches(b, PTOWSP_OP_COMBINE, 2, 0);
		if (openers[i] == PTOWSP_OP_SCOPE)
			builder_scope(b);
		else if (openers[i] == PTOWSP_OP_FOR_EACH)
			builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 1);
		else
			builder_branches(b, PTOWSP_OP_SEQUENTIAL, 1, 0);
		builder_task(b, k, 1, "");
		builder_task(b, k, 2, "");
		builder_end(b);
		builder_task(b, k, 3, "");
		builder_next(b);
		builder_task(b, k, 10, "");
		builder_task(b, k, 11, "");
		builder_end(b);
		order_is(b, 5, (uint64_t[]){1, 2, 10, 3, 11}, true);
	}
}

/* A break in one branch ends the loop for all of them. */
TEST(break_leaves_all_branches_of_a_combine)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5);
	builder_branches(b, PTOWSP_OP_COMBINE, 2, 0);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 4);
	builder_task(b, k, 1, "");
	builder_end(b);
	builder_next(b);
	builder_task(b, k, 10, "");
	builder_emit(b, PTOWSP_OP_BREAK, 0, 0);
	builder_end(b);
	builder_end(b);
	builder_task(b, k, 40, "");
	order_is(b, 4, (uint64_t[]){1, 10, 1, 40}, false);
}
