/* SPDX-License-Identifier: MIT
 * test_rt_policy.c - schedules: every policy's visible effect, what is diagnosed or refused, capability rows. */
#include "check.h"
#include "rt_builder.h"

#include <string.h>

#define ROW(directive, policy, ...) builder_schedule(b, PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, __VA_ARGS__)

/* parallel i 0..2, j 0..1 with one task of 10 cycles each. */
static struct builder *grid(void)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 2);
	builder_task(b, k, 10, "");
	builder_end(b);
	builder_end(b);
	return b;
}

static void executors_are(struct builder *b, uint64_t executors, const uint32_t want[6])
{
	struct outcome *o = builder_run(b, NULL);

	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, 6);
	CHECK_UINT(o->stats.executors, executors);
	for (uint32_t i = 0; i < 6; i++)
		CHECK_UINT(o->tasks[i].executor, want[i]);
	outcome_destroy(o);
	builder_destroy(b);
}

static void dispatch_policies_choose_executors(void)
{
	struct builder *b = grid();

	executors_are(b, 1, (uint32_t[]){0, 0, 0, 0, 0, 0});
	b = grid();
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(4));
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 3, 0, 1});
	b = grid();
	ROW(DISPATCH, AFFINITY, "wn", "i", INT64_C(2));
	executors_are(b, 2, (uint32_t[]){0, 0, 1, 1, 0, 0});
	b = grid();
	ROW(DISPATCH, AFFINITY, "wn", "elsewhere", INT64_C(2));
	executors_are(b, 2, (uint32_t[]){0, 0, 0, 0, 0, 0});
	b = grid();
	ROW(DISPATCH, CUSTOM, "en", builder_expr(b, PTOWSP_EXPR_SUB, builder_const(b, 0), builder_axis_value(b, "i"), 0), INT64_C(3));
	executors_are(b, 3, (uint32_t[]){0, 0, 2, 2, 1, 1}); /* -1 mod 3 is 2 */
	b = grid();
	ROW(DISPATCH, STATIC_PARTITION, "nn", INT64_C(1), INT64_C(4));
	executors_are(b, 3, (uint32_t[]){0, 1, 1, 1, 2, 2});
	b = grid();
	ROW(SPATIAL_MAP, GRID, "nn", INT64_C(2), INT64_C(2));
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 3, 0, 1});
	b = grid(); /* mix64 of 0 .. 5, mod 4, computed apart */
	ROW(DISPATCH, HASH, "en", builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0), INT64_C(4));
	executors_are(b, 4, (uint32_t[]){0, 1, 2, 0, 0, 0});
}

/* Tasks 0 and 1 in turn, 2 and 3 by their number, 4 and 5 by the inner loop. */
static void a_threshold_chooses_among_policies(void)
{
	static const uint32_t wanted[] = {0, 1, 2, 3, 0, 1};
	struct builder *b = grid();
	uint32_t task = builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0);

	ROW(DISPATCH, THRESHOLD, "ewnwnw", task, "round_robin(4)", INT64_C(4), "affinity(j,3)", INT64_C(2), check_fmt("custom( #%u , 4 )", task));
	executors_are(b, 4, wanted);
	b = grid();
	task = builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0);
	ROW(DISPATCH, THRESHOLD, "ew", task, check_fmt("round_robin(4), 2: custom(#%u, 4), 4: affinity(j, 3)", task));
	executors_are(b, 4, wanted);
	b = grid(); /* -2 is below all values, so the first policy serves none */
	ROW(DISPATCH, THRESHOLD, "ew", builder_expr(b, PTOWSP_EXPR_TASK, 0, 0, 0), "work_steal(3), 3: static_partition(4), -2: hash(#0, 2)");
	executors_are(b, 3, (uint32_t[]){0, 0, 0, 0, 1, 1});
}

static void thresholds_that_make_no_sense_are_refused(void)
{
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"robin(2)", "round_robin, affinity, hash, static_partition, work_steal or custom is wanted at \"robin(2)\""},
		{"round_robin(0)", "a number in its range is wanted at \"0)\""},
		{"round_robin(2", ") is wanted"},
		{"round_robin(2) 3", "the end is wanted at \"3\""},
		{"round_robin(2), 1: round_robin(2), 1: round_robin(3)", "has two policies from 1 on"},
		{"hash(9,2)", "# and a row of EXPR is wanted at \"9,2)\""},
		{"hash(#999,2)", "a number in its range"},
		{"auto(2)", "is wanted at \"auto(2)\""},
		{"round_robin(1), 1: round_robin(1), 2: round_robin(1), 3: round_robin(1), 4: round_robin(1), 5: round_robin(1), 6: "
		 "round_robin(1), 7: round_robin(1), 8: round_robin(1)",
		 "more than 8 policies"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct builder *b = grid();
		struct outcome *o;

		ROW(DISPATCH, THRESHOLD, "ew", builder_const(b, 0), cases[i].text);
		o = builder_run(b, NULL);
		CHECK_INT(o->status, PTOWSP_INVALID);
		CHECK_CONTAINS(o->error.text, cases[i].why);
		outcome_destroy(o);
		builder_destroy(b);
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

static void auto_takes_the_loop_with_the_fewest_edges_between_executors(void)
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
	b = grid(); /* no edges: a tie */
	ROW(DISPATCH, AUTO, "n", INT64_C(4));
	executors_are(b, 4, (uint32_t[]){0, 0, 1, 1, 2, 2});
}

/* A loop that nothing runs in has no edges between executors; and without loops there is nothing to choose. */
static void auto_has_its_executors_even_where_no_task_is_in_a_loop(void)
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
	outcome_destroy(o);
	builder_destroy(b);
}

static void interleaved_branches_give_one_task_each_in_turn(void)
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

static void a_branch_inside_a_scope_or_an_order_keeps_its_turn(void)
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
static void break_leaves_all_branches_of_a_combine(void)
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

static void one_row_of_a_pool_each(void)
{
	struct builder *b = grid();
	struct outcome *o;

	ROW(POOLS, CUSTOM, "e", builder_expr(b, PTOWSP_EXPR_AXIS, builder_string(b, "i"), 0, 0));
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(2));
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.executors, 6);
	for (uint32_t i = 0; i < 6; i++)
		CHECK_UINT(o->tasks[i].executor, i); /* two executors in each pool, counted on */
	CHECK_STR(outcome_resource(o, "ready_2")->name, "ready_2");
	CHECK_UINT(o->stats.total_cycles, 10);
	outcome_destroy(o);
	builder_destroy(b);
}

static void a_pool_out_of_range_is_an_error_of_the_run(void)
{
	struct builder *b = grid();
	struct outcome *o;

	ROW(POOLS, CUSTOM, "e", builder_const(b, 256));
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "gives pool 256");
	outcome_destroy(o);
	builder_destroy(b);
}

static void streams_run_in_order(void)
{
	struct builder *b = grid();
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
	outcome_destroy(o);
	builder_destroy(b);
}

static void issue_cost_and_rate_limit_space_issues(void)
{
	for (int how = 0; how < 2; how++) {
		struct builder *b = grid();
		struct outcome *o;

		ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(6));
		if (how)
			ROW(ISSUE_COST, CYCLES, "n", INT64_C(4));
		else
			ROW(TIMING, RATE_LIMIT, "n", INT64_C(4));
		o = builder_run(b, NULL);
		for (uint32_t i = 0; i < 6; i++)
			CHECK_UINT(o->tasks[i].start, 4 * i);
		outcome_destroy(o);
		builder_destroy(b);
	}
}

static void nothing_starts_before_the_threshold(void)
{
	struct builder *b = grid();
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
	outcome_destroy(o);
	builder_destroy(b);
}

static void a_full_window_aborts_or_only_counts(void)
{
	struct builder *b = grid();
	struct outcome *o;

	ROW(TASK_WINDOW, ABORT, "nw", INT64_C(2), "tasks");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "the task window of 2 is full at task 2, and its mode is abort");
	CHECK_UINT(o->stats.tasks, 2);
	outcome_destroy(o);
	builder_destroy(b);
	b = grid();
	ROW(TASK_WINDOW, BENCHMARK, "n", INT64_C(2));
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(6));
	ROW(READY_QUEUE, CAPACITY, "n", INT64_C(100));
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.total_cycles, 10);
	CHECK_UINT(outcome_resource(o, "task_ring")->stall_count, 4);
	CHECK_UINT(outcome_resource(o, "task_ring")->stall_cycles, 40);
	CHECK_UINT(outcome_resource(o, "task_ring")->high_water, 6);
	outcome_destroy(o);
	builder_destroy(b);
}

static void ready_queues_stall_until_a_task_starts(void)
{
	struct builder *b = grid();
	struct outcome *o;

	ROW(READY_QUEUE, CAPACITY, "n", INT64_C(2));
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.total_cycles, 60);
	CHECK_UINT(outcome_resource(o, "ready_any")->high_water, 2);
	CHECK_UINT(outcome_resource(o, "ready_any")->stall_count, 3);
	CHECK_UINT(outcome_resource(o, "ready_any")->stall_cycles, 30);
	outcome_destroy(o);
	builder_destroy(b);
}

static void batches_are_counted_and_flushed_at_barriers(void)
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
	outcome_destroy(o);
	builder_destroy(b);
}

/* ---- what is not obeyed ------------------------------------------------------------------------------------------ */

static void what_is_not_enforced_is_said_and_left_alone(void)
{
	struct builder *b = grid();
	struct outcome *o;

	ROW(READY, PRIORITY, "");
	ROW(LAYOUT, SHARD, "w", "x");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_CONTAINS(o->log, "schedule directive ready priority is recorded, not enforced");
	CHECK_CONTAINS(o->log, "schedule directive layout (shard) is ignored, not enforced");
	outcome_destroy(o);
	builder_destroy(b);
}

static void directives_that_must_be_enforced_are_refused_otherwise(void)
{
	struct builder *b = grid();
	struct ptowsp_directive_record *rows;
	const struct ptowsp_section *sections;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	uint32_t count;

	ROW(READY, PRIORITY, "");
	sections = builder_sections(b, &count);
	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == PTOWSP_SECTION_SCHD) {
			rows = (struct ptowsp_directive_record *)sections[i].data;
			rows[0].flags = PTOWSP_DIRECTIVE_MUST;
		}
	CHECK_INT(builder_program(b, &program, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "ready priority cannot be enforced here");
	builder_destroy(b);
}

/* Without a capability row nothing is obeyed. */
static void a_directive_that_the_backend_does_not_claim_is_not_obeyed(void)
{
	struct builder *b = grid();
	struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = builder_kernels(b)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	struct outcome *o;

	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(4));
	args.sections = builder_sections(b, &args.section_count);
	REQUIRE_INT(rt_program_create(&program, &args, &error), PTOWSP_OK);
	o = builder_run_program(b, program, NULL);
	CHECK_UINT(o->stats.executors, 1);
	outcome_destroy(o);
	rt_program_destroy(program);
	builder_destroy(b);
}

static void wrong_arguments_are_refused_by_name(void)
{
	static const struct {
		uint16_t directive, policy;
		const char *args, *why;
		int64_t n;
	} rows[] = {
		{PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", "dispatch: 0 is outside 1..65536", 0},
		{PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "", "takes 1 to 1 arguments, not 0", 0},
		{PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_HASH, "nn", "argument 1 must be an expression", 3},
		{PTOWSP_DIRECTIVE_PIPELINE_DEPTH, PTOWSP_PIPELINE_DEPTH_DEPTH, "n", "pipeline_depth: 0 is outside", 0},
		{PTOWSP_DIRECTIVE_STREAMS, PTOWSP_STREAMS_COUNT, "n", "streams: 0 is outside", 0},
		{PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", "task_window: -1 is outside", -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct builder *b = grid();
		struct outcome *o;

		builder_schedule(b, rows[i].directive, rows[i].policy, rows[i].args, rows[i].n, rows[i].n);
		o = builder_run(b, NULL);
		CHECK_INT(o->status, PTOWSP_INVALID);
		CHECK_CONTAINS(o->error.text, rows[i].why);
		outcome_destroy(o);
		builder_destroy(b);
	}
}

static void directives_that_need_or_exclude_each_other_are_refused(void)
{
	struct builder *b = grid();
	struct outcome *o;

	ROW(STREAM_BY, EXPRESSION, "e", builder_const(b, 0));
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_INVALID);
	CHECK_CONTAINS(o->error.text, "stream_by needs streams");
	outcome_destroy(o);
	builder_destroy(b);
	b = grid();
	ROW(DISPATCH, ROUND_ROBIN, "n", INT64_C(4));
	ROW(SPATIAL_MAP, GRID, "nn", INT64_C(2), INT64_C(2));
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_INVALID);
	CHECK_CONTAINS(o->error.text, "exclude each other");
	outcome_destroy(o);
	builder_destroy(b);
}

static void a_promise_is_said_once_and_makes_determinism_unknown(void)
{
	struct builder *b = grid();
	struct outcome *o;
	const char *at;

	ROW(HAZARDS, RAW, "");
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_UNKNOWN);
	at = strstr(o->log, "promise of its author");
	REQUIRE(at);
	CHECK(!strstr(at + 1, "promise"));
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_YES);
	outcome_destroy(o);
	builder_destroy(b);
}

static void no_two_capability_rows_say_the_same(void)
{
	struct ptowsp_cap rows[256];
	uint32_t count = rt_capabilities(rows, 256);

	REQUIRE(count > 50 && count <= 256);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < i; k++)
			CHECK(rows[i].feature != rows[k].feature);
	CHECK_UINT(rt_capabilities(rows, 3), count);
}

/* ---- deadlocks and their cures ----------------------------------------------------------------------------------- */

/* A scope of n tasks that each read and write two keys of their own and, from the second one, depend on the one before. */
static struct builder *held(int64_t n)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2), t = builder_tensor(b, "t", PTOWSP_I64, 64, 2);
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), i;

	builder_scope(b);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", n);
	i = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	builder_task(b, k, 1, "rw", builder_region(b, t, i, zero, 1, 2),
		     builder_region(b, t, builder_expr(b, PTOWSP_EXPR_ADD, i, one, 0), zero, 1, 2));
	builder_end(b);
	builder_end(b);
	return b;
}

static void applying_the_proposed_setting_makes_the_run_succeed(void)
{
	static const struct {
		uint16_t directive, policy, resource;
		const char *option;
	} rows[] = {
		{PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, PTOWSP_RESOURCE_TASK_RING, "--schedule task_window=6"},
		{PTOWSP_DIRECTIVE_TENSOR_MAP, PTOWSP_TENSOR_MAP_CAPACITY, PTOWSP_RESOURCE_TENSOR_MAP, "--schedule tensor_map=12"},
		{PTOWSP_DIRECTIVE_DEP_LIST, PTOWSP_DEP_LIST_CAPACITY, PTOWSP_RESOURCE_DEP_LIST, "--schedule dep_list=5"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (uint32_t threads = 1; threads <= 2; threads++) {
			struct builder *b = held(6);
			struct outcome *o;
			int64_t proposed;

			builder_schedule(b, rows[i].directive, rows[i].policy, "n", INT64_C(2));
			o = builder_run(b, &(struct outcome_how){.threads = threads});
			CHECK_INT(o->status, PTOWSP_DEADLOCK);
			CHECK_UINT(o->deadlock.resource, rows[i].resource);
			CHECK_STR(o->deadlock.option, rows[i].option);
			CHECK_CONTAINS(o->deadlock.text, rows[i].option);
			CHECK_UINT(o->stats.tasks, o->deadlock.task);
			proposed = (int64_t)o->deadlock.proposed;
			outcome_destroy(o);
			builder_schedule(b, rows[i].directive, rows[i].policy, "n", proposed);
			o = builder_run(b, &(struct outcome_how){.threads = threads});
			CHECK_INT(o->status, PTOWSP_OK);
			outcome_destroy(o);
			builder_destroy(b);
			b = held(6); /* and one less does not */
			builder_schedule(b, rows[i].directive, rows[i].policy, "n", proposed - 1);
			o = builder_run(b, NULL);
			CHECK_INT(o->status, PTOWSP_DEADLOCK);
			outcome_destroy(o);
			builder_destroy(b);
		}
}

/* What follows depends on a value that a task which cannot be issued would write: proposed is what is known. */
static void a_proposal_ends_where_the_program_depends_on_what_did_not_run(void)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 1, 4);
	uint32_t s = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), zero = builder_const(b, 0), r = builder_region(b, t, zero, zero, 1, 1);
	struct outcome *o;

	ROW(TASK_WINDOW, STALL, "n", INT64_C(2));
	builder_scope(b);
	for (int i = 0; i < 4; i++)
		builder_task(b, k, 1, "m", r);
	builder_slot_load(b, s, r);
	for (int i = 0; i < 4; i++)
		builder_task(b, k, 1, "m", r);
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.task, 2);
	CHECK_UINT(o->deadlock.proposed, 4);
	outcome_destroy(o);
	builder_destroy(b);
}

static void a_task_larger_than_a_resource_names_need_and_capacity(void)
{
	struct builder *b = held(2);
	struct outcome *o;

	ROW(TENSOR_MAP, CAPACITY, "n", INT64_C(1));
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(o->error.text, "needs 2 entries of tensor_map, which has 1; raise it with --schedule tensor_map=2");
	outcome_destroy(o);
	builder_destroy(b);
}

void suite_rt_policy(CU_pSuite s)
{
	TEST(s, dispatch_policies_choose_executors);
	TEST(s, a_threshold_chooses_among_policies);
	TEST(s, thresholds_that_make_no_sense_are_refused);
	TEST(s, auto_takes_the_loop_with_the_fewest_edges_between_executors);
	TEST(s, auto_has_its_executors_even_where_no_task_is_in_a_loop);
	TEST(s, interleaved_branches_give_one_task_each_in_turn);
	TEST(s, a_branch_inside_a_scope_or_an_order_keeps_its_turn);
	TEST(s, break_leaves_all_branches_of_a_combine);
	TEST(s, one_row_of_a_pool_each);
	TEST(s, a_pool_out_of_range_is_an_error_of_the_run);
	TEST(s, streams_run_in_order);
	TEST(s, issue_cost_and_rate_limit_space_issues);
	TEST(s, nothing_starts_before_the_threshold);
	TEST(s, a_full_window_aborts_or_only_counts);
	TEST(s, ready_queues_stall_until_a_task_starts);
	TEST(s, batches_are_counted_and_flushed_at_barriers);
	TEST(s, what_is_not_enforced_is_said_and_left_alone);
	TEST(s, directives_that_must_be_enforced_are_refused_otherwise);
	TEST(s, a_directive_that_the_backend_does_not_claim_is_not_obeyed);
	TEST(s, wrong_arguments_are_refused_by_name);
	TEST(s, directives_that_need_or_exclude_each_other_are_refused);
	TEST(s, a_promise_is_said_once_and_makes_determinism_unknown);
	TEST(s, no_two_capability_rows_say_the_same);
	TEST(s, applying_the_proposed_setting_makes_the_run_succeed);
	TEST(s, a_proposal_ends_where_the_program_depends_on_what_did_not_run);
	TEST(s, a_task_larger_than_a_resource_names_need_and_capacity);
}
