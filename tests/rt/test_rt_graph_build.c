/* SPDX-License-Identifier: MIT
 * test_rt_graph_build.c - programs whose graph is built in memory before anything runs: start(after_orchestration) and packages that are host
 * graph builds. The graph has the edges of the ordinary run, and the run of it gives what the ordinary run gives, later. */
#include "tests/check_outcome.h"
#include "tests/taskgraph/graph_maker.h"
#include <stdlib.h>
#include <string.h>

#define ROW(directive, policy, ...) builder_schedule(b, PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, __VA_ARGS__)

/* T0 writes x, T1 reads x and writes y, T2 reads y. */
static struct builder *three(void)
{
	struct builder *b = builder_create();
	uint32_t x = builder_tensor(b, "x", PTOWSP_I64, 4, 8), y = builder_tensor(b, "y", PTOWSP_I64, 4, 8), zero = builder_const(b, 0);
	uint32_t one = builder_kernel(b, "one", PTOWSP_UNIT_AIV, 1, 1), two = builder_kernel(b, "two", PTOWSP_UNIT_AIC, 1, 2);
	uint32_t rx = builder_region(b, x, zero, zero, 4, 8), ry = builder_region(b, y, zero, zero, 2, 4);

	builder_task(b, one, 10, "w", rx);
	builder_task(b, two, 5, "rw", rx, ry);
	builder_task(b, one, 7, "r", ry);
	return b;
}

TEST(a_built_graph_has_the_tasks_and_their_arguments)
{
	struct builder *b = three();
	struct outcome *o;
	struct rt_graph g;
	uint32_t counts[3];

	ROW(START, AFTER_ORCHESTRATION, "");
	ROW(POOLS, BY_EXEC_UNIT, "");
	o = builder_run(b, NULL);
	REQUIRE_INT(o->status, PTOWSP_OK);
	REQUIRE(o->graph != NULL);
	CHECK(rt_graph_check(o->graph, o->graph_size, counts, NULL) == NULL);
	rt_graph_open(&g, o->graph);
	REQUIRE_UINT(g.task_count, 3);
	CHECK_UINT(g.tasks[0].fanout_count, 1);
	CHECK_UINT(g.tasks[1].fanin, 1);
	CHECK_UINT(g.tasks[1].queue, 1);
	CHECK_UINT(g.tasks[1].pool, PTOWSP_EXEC_POOL_CUBE);
	CHECK_UINT(g.tasks[1].domain, PTOWSP_EXEC_DOMAIN_ASCEND_AICORE);
	CHECK_UINT(g.tasks[1].cycles, 5);
	CHECK_UINT(g.args[g.tasks[2].args_begin], 7);
	CHECK_UINT(g.ios[1].rows, 4);
	CHECK_UINT(g.ios[2].tensor, 1);
	CHECK_UINT(g.ios[2].columns, 4);
	CHECK_UINT(g.ios[2].access, PTOWSP_WRITE);
	CHECK_STR(g.text + g.kernels[g.tasks[1].kernel].name, "two");
	CHECK_STR(g.text + g.tensors[1].name, "y");
	CHECK_UINT(o->stats.total_cycles, 22);
	CHECK_UINT(o->calls, 3);
	outcome_done(b, o);
}

TEST(ordered_loops_and_streams_stand_in_the_graph)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;
	struct rt_graph g;

	builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 3);
	builder_task(b, k, 1, "");
	builder_task(b, k, 1, "");
	builder_end(b);
	ROW(START, AFTER_ORCHESTRATION, "");
	ROW(STREAMS, COUNT, "n", INT64_C(3));
	o = builder_run(b, &(struct outcome_how){.threads = 2});
	REQUIRE_INT(o->status, PTOWSP_OK);
	rt_graph_open(&g, o->graph);
	REQUIRE_UINT(g.task_count, 6);
	for (uint32_t t = 0; t < 6; t++) {
		CHECK_UINT(g.tasks[t].order, t / 2 * 2);
		CHECK_UINT(g.tasks[t].stream, t % 3);
		CHECK_UINT(g.tasks[t].stream_next, t < 3 ? t + 3 : RT_GRAPH_NONE);
		CHECK_UINT(g.tasks[t].tags, (t >= 3 ? RT_GRAPH_STREAMED : 0) | (t == 2 || t == 4 ? RT_GRAPH_BARRIER : 0));
	}
	outcome_done(b, o);
}

TEST(nothing_starts_before_the_last_task_is_issued)
{
	struct builder *b = three();
	struct outcome *plain, *built;

	ROW(ISSUE_COST, CYCLES, "n", INT64_C(3));
	plain = builder_run(b, NULL);
	ROW(START, AFTER_ORCHESTRATION, "");
	built = builder_run(b, NULL);
	REQUIRE_UINT(built->task_count, 3);
	CHECK_UINT(plain->tasks[0].start, 0);
	CHECK_UINT(built->tasks[0].start, 6); /* a(2) */
	CHECK_UINT(built->stats.total_cycles, plain->stats.total_cycles + 6);
	CHECK(!plain->graph);
	outcome_destroy(plain);
	outcome_destroy(built);
	builder_destroy(b);
}

TEST(a_host_graph_build_is_built_first_too)
{
	struct builder *b = three();
	struct outcome *o;

	ROW(ISSUE_COST, CYCLES, "n", INT64_C(3));
	builder_meta(b, "entry_kind", "task_buffer");
	o = builder_run(b, NULL);
	CHECK(!o->graph);
	CHECK_UINT(o->stats.task_window, 8192);
	outcome_done(b, o);
	b = three();
	ROW(ISSUE_COST, CYCLES, "n", INT64_C(3));
	builder_meta(b, "entry_kind", "host_graph_build");
	o = builder_run(b, NULL);
	REQUIRE_INT(o->status, PTOWSP_OK);
	CHECK(o->graph != NULL);
	CHECK_UINT(o->tasks[0].start, 6);
	CHECK_UINT(o->stats.task_window, 0);
	CHECK_STR(o->log, "");
	outcome_done(b, o);
}

TEST(a_stated_task_window_is_recorded_and_said_once)
{
	struct builder *b = three();
	struct outcome *o;
	const char *first;

	ROW(TASK_WINDOW, STALL, "n", INT64_C(1));
	ROW(START, AFTER_ORCHESTRATION, "");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.task_window, 0);
	CHECK_UINT(o->stats.edges, 2); /* with a window of 1 there would be none */
	first = strstr(o->log, "task_window is recorded, not enforced");
	REQUIRE(first != NULL);
	CHECK(strstr(first + 1, "task_window is recorded") == NULL);
	outcome_done(b, o);
}

TEST(a_slot_that_own_tasks_fill_is_refused_and_named)
{
	struct builder *b = three();
	uint32_t slot = builder_slot(b, "length", PTOWSP_SLOT_SLOT, 0);
	uint32_t region = builder_region(b, 1, builder_const(b, 0), builder_const(b, 0), 1, 1);
	struct outcome *o;

	builder_slot_load(b, slot, region);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_destroy(o);
	ROW(START, AFTER_ORCHESTRATION, "");
	for (uint32_t flags = 0; flags <= PTOWSP_RUN_NO_KERNELS; flags++) {
		o = builder_run(b, &(struct outcome_how){.flags = flags});
		CHECK_INT(o->status, PTOWSP_UNSUPPORTED);
		CHECK_CONTAINS(o->error.text, "slot length is read from tensor y, which task 1 fills");
		CHECK_UINT(o->calls, 0);
		outcome_destroy(o);
	}
	builder_destroy(b);
}

TEST(a_slot_from_an_input_is_taken)
{
	struct builder *b = builder_create();
	uint32_t x = builder_tensor(b, "x", PTOWSP_I64, 8, 0), slot = builder_slot(b, "length", PTOWSP_SLOT_SLOT, 0);
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;

	builder_slot_load(b, slot, builder_region(b, x, builder_const(b, 0), builder_const(b, 0), 1, 1));
	builder_task(b, k, 1, "");
	ROW(START, AFTER_ORCHESTRATION, "");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->calls, 1);
	outcome_done(b, o);
}

TEST(a_capacity_that_the_graph_needs_whole_is_refused_by_name)
{
	struct builder *b = three();
	struct outcome *o;

	ROW(TENSOR_MAP, CAPACITY, "n", INT64_C(2));
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_destroy(o);
	ROW(START, AFTER_ORCHESTRATION, "");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(o->error.text, "tensor_map with its capacity of 2 is full");
	CHECK_UINT(o->calls, 0);
	outcome_done(b, o);
}

TEST(limits_of_tasks_and_memory_apply_before_anything_runs)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 1000);
	builder_task(b, k, 1, "");
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.max_tasks = 500, .memory = 1024});
	CHECK_INT(o->status, PTOWSP_LIMIT);
	CHECK_UINT(o->calls, 500);
	outcome_destroy(o);
	ROW(START, AFTER_ORCHESTRATION, "");
	o = builder_run(b, &(struct outcome_how){.max_tasks = 500});
	CHECK_INT(o->status, PTOWSP_LIMIT);
	CHECK_UINT(o->calls, 0);
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.memory = 60000});
	CHECK_INT(o->status, PTOWSP_TOO_BIG);
	CHECK_CONTAINS(o->error.text, "more than 60000 bytes");
	CHECK_UINT(o->calls, 0);
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.memory = 80000});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK(o->graph_size <= 80000);
	CHECK_UINT(o->calls, 1000);
	outcome_done(b, o);
}

TEST(a_failing_kernel_of_a_graph_ends_the_run_with_its_sentence)
{
	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct builder *b = three();
		struct outcome *o;

		builder_kernel_flags(b, 1, BUILDER_FAILS);
		ROW(START, AFTER_ORCHESTRATION, "");
		o = builder_run(b, &(struct outcome_how){.threads = threads});
		CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
		CHECK_CONTAINS(o->error.text, "task 1, kernel two");
		CHECK_UINT(o->calls, 2);
		outcome_done(b, o);
	}
}

TEST(an_executor_by_times_that_nobody_knows_is_refused)
{
	struct builder *b = three();

	builder_kernel_flags(b, 0, BUILDER_LATER);
	ROW(START, AFTER_ORCHESTRATION, "");
	ROW(DISPATCH, WORK_STEAL, "n", INT64_C(2));
	check_refused(b, PTOWSP_UNSUPPORTED, "depends on cycles that only running tells");
}

TEST(a_deadline_ends_the_run_of_a_graph)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;

	builder_kernel_flags(b, k, BUILDER_SLOW);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 100000);
	builder_task(b, k, 1, "");
	builder_end(b);
	ROW(START, AFTER_ORCHESTRATION, "");
	for (uint32_t threads = 1; threads <= 2; threads++) {
		o = builder_run(b, &(struct outcome_how){.threads = threads, .deadline_ns = builder_now_ns() + 50000000});
		CHECK_INT(o->status, PTOWSP_DEADLINE);
		CHECK(o->calls < 100000);
		outcome_destroy(o);
	}
	builder_destroy(b);
}

/* ---- random programs ----------------------------------------------------------------------------------------------------- */

enum { KERNELS = 4, TENSORS = 3, SIDE = 16 };
struct random {
	uint64_t state;
	struct builder *b;
	int loops, depth;
	bool later, promise;
};

static uint32_t within(struct random *r, uint32_t n)
{
	struct builder *b = r->b;
	uint32_t value =
		r->loops ? builder_expr(b, PTOWSP_EXPR_LOOP, graph_pick(&r->state, (uint32_t)r->loops), 0, 0) : builder_const(b, graph_pick(&r->state, 20));

	value = builder_expr(b, PTOWSP_EXPR_MUL, value, builder_const(b, 1 + graph_pick(&r->state, 4)), 0);
	return builder_expr(b, PTOWSP_EXPR_MOD, value, builder_const(b, n), 0);
}

static void random_task(struct random *r)
{
	uint32_t kernel = graph_pick(&r->state, KERNELS), regions[3];
	char access[4] = "";

	for (uint32_t i = 0; i < kernel; i++) {
		uint32_t rows = 1 + graph_pick(&r->state, 4), columns = graph_pick(&r->state, 2) ? SIDE : 1 + graph_pick(&r->state, 6);

		access[i] = "rwm"[graph_pick(&r->state, 3)];
		regions[i] = builder_region(r->b, graph_pick(&r->state, TENSORS), within(r, SIDE - rows + 1), within(r, SIDE - columns + 1), rows, columns);
	}
	builder_task_list(r->b, kernel, builder_const(r->b, graph_pick(&r->state, 20)), kernel, access, regions);
	if (!graph_pick(&r->state, 4)) /* a stated edge from the task before or the one before that; from none at the beginning */
		builder_after(r->b, 0,
			      builder_expr(r->b, PTOWSP_EXPR_SUB, builder_expr(r->b, PTOWSP_EXPR_TASK, 0, 0, 0),
					   builder_const(r->b, 1 + graph_pick(&r->state, 2)), 0));
}

static void random_copy(struct random *r)
{
	uint32_t rows = 1 + graph_pick(&r->state, 4), columns = 1 + graph_pick(&r->state, 6), regions[2];

	for (int i = 0; i < 2; i++)
		regions[i] = builder_region(r->b, graph_pick(&r->state, TENSORS), within(r, SIDE - rows + 1), within(r, SIDE - columns + 1), rows, columns);
	builder_copy(r->b, regions[0], regions[1]);
}

static void random_body(struct random *r)
{
	r->depth++;
	for (uint32_t n = 1 + graph_pick(&r->state, 3); n; n--) {
		uint32_t what = r->depth > 3 ? 0 : graph_pick(&r->state, 9);

		if (what < 4) {
			random_task(r);
		} else if (what < 7) {
			builder_loop_n(r->b, what < 6 ? PTOWSP_OP_PARALLEL_FOR : PTOWSP_OP_FOR_EACH, r->loops ? "j" : "i", 1 + graph_pick(&r->state, 4));
			r->loops++;
			random_body(r);
			r->loops--;
			builder_end(r->b);
		} else if (what == 8 && !r->later && !r->promise) { /* it joins the pool that is free first, which needs known cycles; it is never idle */
			random_copy(r);
		} else {
			builder_scope(r->b);
			random_body(r);
			builder_end(r->b);
		}
	}
	r->depth--;
}

static void random_schedule(struct random *r)
{
	struct builder *b = r->b;
	uint32_t deps = graph_pick(&r->state, 5), n = 1 + graph_pick(&r->state, 3);

	r->promise = deps < 2;
	if (deps == 0)
		ROW(DEPS, TENSOR_MAP_EXACT, "");
	if (deps == 1)
		ROW(HAZARDS, RAW, "");
	if (deps == 2)
		ROW(DEPS, HYBRID, "w", "bytes_overlap");
	if (graph_pick(&r->state, 2))
		ROW(STREAMS, COUNT, "n", (int64_t)n);
	if (graph_pick(&r->state, 2))
		ROW(POOLS, BY_EXEC_UNIT, "");
	if (graph_pick(&r->state, 2))
		ROW(DISPATCH, ROUND_ROBIN, "n", (int64_t)n);
	else if (!r->later && graph_pick(&r->state, 2))
		ROW(DISPATCH, WORK_STEAL, "n", (int64_t)n);
	if (graph_pick(&r->state, 2))
		ROW(ISSUE_COST, CYCLES, "n", (int64_t)n);
	if (graph_pick(&r->state, 2))
		ROW(PIPELINE_DEPTH, DEPTH, "wn", "global", (int64_t)n);
	if (graph_pick(&r->state, 2))
		ROW(BATCH_DEPS, COUNT, "n", (int64_t)n);
}

static struct random random_make(uint64_t seed, bool built)
{
	struct random r = {.state = seed * 2654435761u + 88172645463325252u, .b = builder_create()};
	struct builder *b = r.b;

	for (int i = 0; i < 4; i++)
		graph_pick(&r.state, 2);
	r.later = graph_pick(&r.state, 3) == 0;
	for (uint32_t t = 0; t < TENSORS; t++)
		builder_tensor(b, check_fmt("t%u", t), PTOWSP_I64, SIDE, SIDE);
	for (uint32_t k = 0; k < KERNELS; k++) {
		builder_kernel(b, check_fmt("k%u", k), k % 2 ? PTOWSP_UNIT_AIV : PTOWSP_UNIT_AIC, 1, k);
		if (r.later && k % 2)
			builder_kernel_flags(b, k, BUILDER_LATER);
	}
	random_schedule(&r);
	random_body(&r);
	random_body(&r);
	/* What start(after_orchestration) means, said with the other directives. */
	if (built) {
		ROW(START, AFTER_ORCHESTRATION, "");
	} else {
		ROW(START, THRESHOLD, "n", INT64_C(1) << 40);
		ROW(TASK_WINDOW, STALL, "n", INT64_C(0));
	}
	return r;
}

static const char *edges_differ(const struct outcome *o)
{
	struct rt_graph g;
	uint32_t found = 0;

	rt_graph_open(&g, o->graph);
	for (uint32_t e = 0; e < o->edge_count; e++) {
		const struct rt_graph_task *from = &g.tasks[o->edges[e].producer];
		bool there = false;

		for (uint32_t i = 0; i < from->fanout_count; i++)
			there |= g.edges[from->fanout_begin + i] == o->edges[e].consumer;
		found += there;
	}
	return found == o->edge_count && g.edge_count == o->edge_count
		       ? NULL
		       : check_fmt("%u edges in the graph, %u of %u of the run", g.edge_count, found, o->edge_count);
}

static const char *differ(const struct outcome *plain, const struct outcome *built, bool memory)
{
	if (plain->status || built->status)
		return check_fmt("status %d and %d: %s%s", plain->status, built->status, plain->error.text, built->error.text);
	if (plain->task_count != built->task_count || built->stats.tasks != built->task_count || built->calls != plain->calls)
		return check_fmt("%u and %u tasks, %llu calls", plain->task_count, built->task_count, (unsigned long long)built->calls);
	for (uint32_t t = 0; t < plain->task_count; t++)
		if (memcmp(&plain->tasks[t], &built->tasks[t], sizeof(plain->tasks[t])) != 0)
			return check_fmt("task %u: start %llu and %llu, end %llu and %llu, executor %u and %u", t, (unsigned long long)plain->tasks[t].start,
					 (unsigned long long)built->tasks[t].start, (unsigned long long)plain->tasks[t].end,
					 (unsigned long long)built->tasks[t].end, plain->tasks[t].executor, built->tasks[t].executor);
	if (plain->edge_count != built->edge_count || (plain->edge_count && memcmp(plain->edges, built->edges, plain->edge_count * sizeof(*plain->edges)) != 0))
		return check_fmt("%u and %u edges, or others", plain->edge_count, built->edge_count);
	if (plain->stats.total_cycles != built->stats.total_cycles || plain->stats.batches != built->stats.batches)
		return "other cycles or batches";
	if (memory && memcmp(plain->memory, built->memory, plain->memory_count * sizeof(*plain->memory)) != 0)
		return "other results";
	return edges_differ(built);
}

TEST(random_graphs_are_those_of_the_ordinary_run)
{
	static const uint32_t threads[] = {1, 2, 8};
	uint64_t count, first = check_seeds(&count, 200);

	for (uint64_t seed = first, bad = 0; seed < first + count && bad < 4; seed++) {
		struct random p = random_make(seed, false), q = random_make(seed, true);
		struct outcome *plain = builder_run(p.b, &(struct outcome_how){.seed = seed, .idle = p.promise});

		for (int i = 0; i < 3; i++) {
			struct outcome *built = builder_run(q.b, &(struct outcome_how){.seed = seed, .threads = threads[i], .idle = p.promise});
			const char *why = differ(plain, built, !p.promise);
			uint32_t *counts = calloc(built->task_count + 1, sizeof(*counts));

			if (!why && built->graph)
				why = rt_graph_check(built->graph, built->graph_size, counts, NULL);
			free(counts);
			bad += why != NULL;
			if (why)
				CHECK_FAIL("seed %llu, %u threads: %s", (unsigned long long)seed, threads[i], why);
			outcome_destroy(built);
		}
		outcome_destroy(plain);
		builder_destroy(p.b);
		builder_destroy(q.b);
	}
}
