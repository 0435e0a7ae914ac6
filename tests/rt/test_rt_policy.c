/* SPDX-License-Identifier: MIT
 * test_rt_policy.c - every policy's visible effect. */
#include "tests/check_outcome.h"

#include <string.h>

static void executors_are(struct builder *b, uint64_t executors, const uint32_t want[6])
{
	struct outcome *o = builder_run(b, NULL);

	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, 6);
	CHECK_UINT(o->stats.executors, executors);
	for (uint32_t i = 0; i < 6; i++)
		CHECK_UINT(o->tasks[i].executor, want[i]);
	outcome_done(b, o);
}

TEST(dispatch_policies_choose_executors)
{
	struct builder *b = builder_grid();

	executors_are(b, 1, (uint32_t[]){0, 0, 0, 0, 0, 0});
	b = builder_grid();
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(4));
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 3, 0, 1});
	b = builder_grid();
	ROW(DISPATCH, AFFINITY, "wn", "i", INT64_C(2));
	executors_are(b, 2, (uint32_t[]){0, 0, 1, 1, 0, 0});
	b = builder_grid();
	ROW(DISPATCH, AFFINITY, "wn", "elsewhere", INT64_C(2));
	executors_are(b, 2, (uint32_t[]){0, 0, 0, 0, 0, 0});
	b = builder_grid();
	ROW(DISPATCH, CUSTOM, "en", builder_expr(b, PTOWSP_EXPR_SUB, builder_const(b, 0), builder_axis_value(b, "i"), 0), INT64_C(3));
	executors_are(b, 3, (uint32_t[]){0, 0, 2, 2, 1, 1}); /* -1 mod 3 is 2 */
	b = builder_grid();
	ROW(DISPATCH, STATIC_PARTITION, "nn", INT64_C(1), INT64_C(4));
	executors_are(b, 3, (uint32_t[]){0, 1, 1, 1, 2, 2});
	b = builder_grid();
	ROW(SPATIAL_MAP, GRID, "nn", INT64_C(2), INT64_C(2));
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 3, 0, 1});
	b = builder_grid();
	ROW(DISPATCH, GRID, "nn", INT64_C(2), INT64_C(2)); /* under its other name */
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 3, 0, 1});
	b = builder_grid(); /* mix64 of 0 .. 5, mod 4, computed apart */
	ROW(DISPATCH, HASH, "en", builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0), INT64_C(4));
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 0, 0, 0});
}

/* Tasks 0 and 1 in turn, 2 and 3 by their number, 4 and 5 by the inner loop. */
TEST(a_threshold_chooses_among_policies)
{
	static const uint32_t wanted[] = {0, 1, 2, 3, 0, 1};
	struct builder *b = builder_grid();
	uint32_t task = builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0);

	ROW(DISPATCH, THRESHOLD, "ewnwnw", task, "round_robin(4)", INT64_C(4), "affinity(j,3)", INT64_C(2), check_fmt("custom( #%u , 4 )", task));
	executors_are(b, 4, wanted);
	b = builder_grid();
	task = builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0);
	ROW(DISPATCH, THRESHOLD, "ew", task, check_fmt("round_robin(4), 2: custom(#%u, 4), 4: affinity(j, 3)", task));
	executors_are(b, 4, wanted);
	b = builder_grid(); /* each grid counts by its own columns */
	ROW(DISPATCH, THRESHOLD, "ewnw", builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0), "spatial_map(2, 2)", INT64_C(4), "spatial_map(3,1)");
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 3, 2, 2});
	b = builder_grid(); /* -2 is below all values, so the first policy serves none */
	ROW(DISPATCH, THRESHOLD, "ew", builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0), "work_steal(3), 3: static_partition(4), -2: hash(#0, 2)");
	executors_are(b, 3, (uint32_t[]){0, 0, 0, 0, 1, 1});
}

TEST(thresholds_that_make_no_sense_are_refused)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"robin(2)", "round_robin, affinity, hash, static_partition, work_steal, custom or spatial_map is wanted at \"robin(2)\""},
		{"round_robin(0)", "0 is outside 1..65536, in \"round_robin(0)\""},
		{"round_robin(2", ") is wanted"},
		{"round_robin(2) 3", "the end is wanted at \"3\""},
		{"round_robin(2), 1: round_robin(2), 1: round_robin(3)", "has two policies from 1 on"},
		{"hash(9,2)", "argument 1 must be an expression, in \"hash(9,2)\""},
		{"hash(#999,2)", "argument 1 must be an expression"},
		{"spatial_map(2)", "dispatch spatial_map takes 2 to 2 arguments, not 1"},
		{"spatial_map(2, 0)", "0 is outside 1..32768"},
		{"spatial_map(65536, 2)", "2 is outside 1..1"},
		{"affinity(2)", "affinity takes 2 to 2 arguments, not 1"},
		{"affinity(2, 2)", "argument 1 must be a word"},
		{"round_robin(x)", "argument 1 must be a number"},
		{"static_partition(1, 2, 3, 4, 5, 6, 7, 8)", "static_partition takes 1 to 7 arguments, not 8"},
		{"auto(2)", "is wanted at \"auto(2)\""},
		{"round_robin(1), 1: round_robin(1), 2: round_robin(1), 3: round_robin(1), 4: round_robin(1), 5: round_robin(1), 6: "
		 "round_robin(1), 7: round_robin(1), 8: round_robin(1)",
		 "more than 8 policies"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct builder *b = builder_grid();

		ROW(DISPATCH, THRESHOLD, "ew", builder_const(b, 0), cases[i].text);
		check_refused(b, PTOWSP_BAD_PACKAGE, cases[i].why);
	}
}

/* Tasks (i, j) of 2 x 3; each goes on with the row of its i, or with the column of its j. */
static struct builder *chains(bool by_row)
{
	struct builder *b = builder_create();
	uint32_t zero = builder_const(b, 0), t, i, j;

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1);
	t = builder_tensor(b, "t", PTOWSP_I64, 4, 4);
	i = builder_axis_value(b, "i");
	j = builder_axis_value(b, "j");
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 2);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 3);
	builder_task(b, 0, 1, "m", builder_region(b, t, by_row ? i : j, zero, 1, 4));
	builder_end(b);
	builder_end(b);
	ROW(DISPATCH, AUTO, "n", INT64_C(4));
	return b;
}

TEST(auto_takes_the_loop_with_the_fewest_edges_between_executors)
{
	struct builder *b = chains(true);
	struct outcome *o = builder_run(b, NULL);

	CHECK_CONTAINS(o->log, "dispatch auto(4): affinity(i, 4), 0 of 4 edges go from one executor to another");
	outcome_destroy(o);
	executors_are(b, 4, (uint32_t[]){0, 0, 0, 1, 1, 1});
	b = chains(false);
	o = builder_run(b, NULL);
	CHECK_CONTAINS(o->log, "dispatch auto(4): affinity(j, 4), 0 of 3 edges");
	outcome_destroy(o);
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 0, 1, 2});
	b = builder_grid(); /* no edges: a tie */
	ROW(DISPATCH, AUTO, "n", INT64_C(4));
	executors_are(b, 4, (uint32_t[]){0, 0, 1, 1, 2, 2});
}

/* A loop that nothing runs in has no edges between executors; and without loops there is nothing to choose. */
TEST(auto_has_its_executors_even_where_no_task_is_in_a_loop)
{
	for (unsigned loop = 0; loop < 2; loop++) {
		struct builder *b = builder_create();

		builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
		for (unsigned i = 0; i < 6; i++)
			builder_task(b, 0, 1, "");
		if (loop) {
			builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 0);
			builder_task(b, 0, 1, "");
			builder_end(b);
		}
		ROW(DISPATCH, AUTO, "n", INT64_C(4));
		executors_are(b, 4, (uint32_t[]){0, 0, 0, 0, 0, 0});
	}
}

TEST(one_row_of_a_pool_each)
{
	struct builder *b = builder_grid();
	struct outcome *o;

	ROW(POOLS, CUSTOM, "e", builder_expr(b, PTOWSP_EXPR_AXIS, builder_string(b, "i"), 0, 0));
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(2));
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.executors, 6);
	for (uint32_t i = 0; i < 6; i++)
		CHECK_UINT(o->tasks[i].executor, i); /* two executors in each pool, counted on */
	CHECK_STR(outcome_resource(o, "ready_2")->name, "ready_2");
	CHECK_UINT(o->stats.total_cycles, 10);
	outcome_done(b, o);
}

TEST(a_pool_out_of_range_is_an_error_of_the_run)
{
	struct builder *b = builder_grid();

	ROW(POOLS, CUSTOM, "e", builder_const(b, 256));
	check_refused(b, PTOWSP_RUN_FAILED, "gives pool 256");
}

TEST(streams_run_in_order)
{
	struct builder *b = builder_grid();
	struct outcome *o;

	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(6));
	ROW(STREAMS, COUNT, "n", INT64_C(2));
	ROW(STREAM_BY, EXPRESSION, "e", builder_expr(b, PTOWSP_EXPR_NEG, builder_axis_value(b, "j"), 0, 0));
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.streams, 2);
	CHECK_UINT(o->stats.total_cycles, 30);
	for (uint32_t i = 0; i < 6; i++) {
		CHECK_UINT(o->tasks[i].stream, i % 2);
		CHECK_UINT(o->tasks[i].start, i / 2 * 10);
	}
	outcome_done(b, o);
}

TEST(issue_cost_and_rate_limit_space_issues)
{
	for (int how = 0; how < 2; how++) {
		struct builder *b = builder_grid();
		struct outcome *o;

		ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(6));
		if (how)
			ROW(ISSUE_COST, CYCLES, "n", INT64_C(4));
		else
			ROW(TIMING, RATE_LIMIT, "n", INT64_C(4));
		o = builder_run(b, NULL);
		for (uint32_t i = 0; i < 6; i++)
			CHECK_UINT(o->tasks[i].start, 4 * i);
		outcome_done(b, o);
	}
}

TEST(nothing_starts_before_the_threshold)
{
	struct builder *b = builder_grid();
	struct outcome *o;

	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(6));
	ROW(ISSUE_COST, CYCLES, "n", INT64_C(4));
	ROW(START, THRESHOLD, "n", INT64_C(4));
	o = builder_run(b, NULL);
	for (uint32_t i = 0; i < 6; i++)
		CHECK_UINT(o->tasks[i].start, i < 4 ? 12 : 4 * i);
	outcome_destroy(o);
	ROW(TASK_WINDOW, STALL, "n", INT64_C(3)); /* only three can be issued without a start */
	o = builder_run(b, NULL);
	CHECK_UINT(o->tasks[0].start, 8);
	outcome_done(b, o);
}

/* A pool in which a task waits that never starts is free later than one that is empty. */
TEST(a_task_of_any_unit_goes_where_nobody_waits_for_the_start)
{
	struct builder *b = builder_create();
	uint32_t vector = builder_kernel(b, "v", PTOWSP_UNIT_AIV, 1, 0), any = builder_kernel(b, "a", PTOWSP_UNIT_ANY, 1, 0);
	struct outcome *o;

	ROW(POOLS, BY_EXEC_UNIT, "");
	ROW(ISSUE_COST, CYCLES, "n", INT64_C(4));
	ROW(START, THRESHOLD, "n", INT64_C(9));
	ROW(READY_QUEUE, CAPACITY, "n", INT64_C(1));
	builder_task(b, vector, 3, "");
	builder_task(b, any, 3, "");
	builder_task(b, vector, 3, ""); /* its queue is full until the first one starts */
	o = builder_run(b, NULL);
	CHECK_UINT(o->tasks[0].start, 4);
	CHECK_UINT(o->tasks[1].start, 4);
	CHECK_UINT(o->tasks[1].executor, 1);
	CHECK_UINT(o->tasks[2].start, 8);
	outcome_done(b, o);
}

/* Runs it, and gives it back: so long, and a resource filled and in the way like that. */
static void stalls_are(struct builder *b, uint64_t cycles, const char *resource, uint64_t high_water, uint64_t stalls, uint64_t stalled)
{
	struct outcome *o = builder_run(b, NULL);

	CHECK_UINT(o->stats.total_cycles, cycles);
	check_resource(o, resource, high_water, stalls, stalled);
	outcome_done(b, o);
}

TEST(a_full_window_aborts_or_only_counts)
{
	struct builder *b = builder_grid();
	struct outcome *o;

	ROW(TASK_WINDOW, ABORT, "nw", INT64_C(2), "tasks");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "the task window of 2 is full at task 2, and its mode is abort");
	CHECK_UINT(o->stats.tasks, 2);
	outcome_done(b, o);
	b = builder_grid();
	ROW(TASK_WINDOW, BENCHMARK, "n", INT64_C(2));
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(6));
	ROW(READY_QUEUE, CAPACITY, "n", INT64_C(100));
	stalls_are(b, 10, "task_ring", 6, 4, 40);
}

TEST(ready_queues_stall_until_a_task_starts)
{
	struct builder *b = builder_grid();

	ROW(READY_QUEUE, CAPACITY, "n", INT64_C(2));
	stalls_are(b, 60, "ready_any", 2, 3, 30);
}

TEST(batches_are_counted_and_flushed_at_barriers)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;

	ROW(BATCH_DEPS, COUNT, "n", INT64_C(3));
	builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 2);
	for (int i = 0; i < 4; i++)
		builder_task(b, k, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.batches, 4); /* 3, then 1 at the barrier, 3, then 1 at the end */
	CHECK_UINT(o->stats.flushes, 2);
	outcome_done(b, o);
}
