/* SPDX-License-Identifier: MIT
 * test_rt_after.c - edges that the program states: which policies keep them, where they end, and which are refused. */
#include "tests/check_outcome.h"

static void deps_are(struct builder *b, unsigned policy)
{
	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, policy, "");
}

/* T0, T1, T2 of 5 cycles; T2 after T0 twice, softly after T1, and after none. */
static struct builder *stated(unsigned policy)
{
	struct builder *b = builder_plain();
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

TEST(stated_edges_count_once_where_the_policy_keeps_them)
{
	static const struct {
		unsigned policy;
		bool kept; /* else it finds edges itself, leaves these out and says so */
	} rows[] = {{PTOWSP_DEPS_EXPLICIT, true}, {PTOWSP_DEPS_HYBRID, true}, {PTOWSP_DEPS_BYTES_OVERLAP, false}, {PTOWSP_DEPS_TENSOR_MAP_EXACT, false}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct builder *b = stated(rows[i].policy);
		struct outcome *o = builder_run(b, NULL);

		check_starts(o, (uint64_t[]){0, 0, rows[i].kept ? 5 : 0}, 3);
		CHECK_UINT(o->stats.edges, rows[i].kept);
		CHECK(outcome_has_edge(o, 0, 2) == rows[i].kept);
		if (rows[i].kept)
			CHECK_UINT(outcome_resource(o, "dep_list")->high_water, 1);
		else
			CHECK_CONTAINS(o->log, "deps=hybrid adds them");
		outcome_done(b, o);
	}
}

TEST(stated_edges_outside_the_window_are_not_made)
{
	struct builder *b = stated(PTOWSP_DEPS_EXPLICIT);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)2);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.edges, 0);
	outcome_done(b, o);
}

/* A writes a tensor, B reads it, C is after A by word: hybrid has both edges. */
TEST(hybrid_has_stated_and_found_edges)
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
		/* By exact keys the reader has no edge, and would read what the writer writes at the same time. */
		o = builder_run(b, &(struct outcome_how){.threads = overlap ? 2 : 1});
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->stats.edges, overlap ? 2 : 1);
		CHECK(outcome_has_edge(o, 0, 2));
		CHECK(outcome_has_edge(o, 0, 1) == (overlap == 1));
		outcome_done(b, o);
	}
}

/* Three tasks, each after that number. */
static struct builder *three_after(int64_t number)
{
	struct builder *b = builder_plain();

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_const(b, number));
	builder_end(b);
	return b;
}

TEST(edges_to_later_tasks_are_refused_or_end_the_run)
{
	struct builder *b = builder_plain();
	uint32_t slot;

	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_const(b, 0));
	check_refused(b, PTOWSP_BAD_PACKAGE, "instruction 0: after(0) cannot name an earlier task: at most 0 come before");
	check_refused(three_after(2), PTOWSP_BAD_PACKAGE, "after(2) cannot name an earlier task: at most 2 come before");
	b = builder_plain();
	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0));
	check_refused(b, PTOWSP_BAD_PACKAGE, "the task itself or a later one");
	check_refused(three_after(1), PTOWSP_RUN_FAILED, "task 0, instruction 1: after(1) names a later task");
	b = builder_plain();
	slot = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, 0);
	builder_task(b, 0, 1, "");
	builder_after(b, 0, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0));
	check_refused(b, PTOWSP_RUN_FAILED, "after(0) names the task itself");
	b = builder_plain();
	builder_task(b, 0, 1, "");
	builder_after(b, 4, builder_const(b, -1));
	check_refused(b, PTOWSP_BAD_PACKAGE, "after has the unknown kind 4");
}
