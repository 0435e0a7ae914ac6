/* SPDX-License-Identifier: MIT
 * test_rt_generate.c - several scheduler instances on the same bytecode: the same tasks, edges and memory as one instance. Random programs name their seed in a failure: PTOWSP_SEED=N runs one, PTOWSP_SEEDS=N that many. */
#include "tests/check_outcome.h"
#include "tests/lang/random_loops.h"

#include <stdlib.h>
#include <string.h>

/* ---- several instances against one -------------------------------------------------------------------------------- */

static int edge_compare(const void *a, const void *b)
{
	const struct outcome_edge *x = a, *y = b;

	if (x->consumer != y->consumer)
		return x->consumer < y->consumer ? -1 : 1;
	return (x->producer > y->producer) - (x->producer < y->producer);
}

static bool same_edges(struct outcome *a, struct outcome *b)
{
	bool same = a->edge_count == b->edge_count && a->stats.edges == b->stats.edges;

	if (!same || !a->edge_count)
		return same;
	qsort(a->edges, a->edge_count, sizeof(*a->edges), edge_compare);
	qsort(b->edges, b->edge_count, sizeof(*b->edges), edge_compare);
	return !memcmp(a->edges, b->edges, a->edge_count * sizeof(*a->edges));
}

static bool same_tasks(const struct outcome *a, const struct outcome *b)
{
	bool same = a->task_count == b->task_count;

	for (uint32_t i = 0; same && i < a->task_count; i++)
		same = a->tasks[i].task == b->tasks[i].task && a->tasks[i].kernel == b->tasks[i].kernel &&
		       a->tasks[i].end - a->tasks[i].start == b->tasks[i].end - b->tasks[i].start;
	return same;
}

static bool same_memory(const struct outcome *a, const struct outcome *b)
{
	return a->memory_count == b->memory_count && !memcmp(a->memory, b->memory, a->memory_count * sizeof(*a->memory));
}

static bool same_times(const struct outcome *a, const struct outcome *b)
{
	bool same = a->task_count == b->task_count && a->stats.total_cycles == b->stats.total_cycles && a->stats.cross_edges == b->stats.cross_edges &&
		    a->stats.notifications == b->stats.notifications;

	for (uint32_t i = 0; same && i < a->task_count; i++)
		same = a->tasks[i].start == b->tasks[i].start && a->tasks[i].executor == b->tasks[i].executor;
	return same;
}

static bool same_shares(const struct outcome *a, const struct outcome *b)
{
	bool same = a->stats.scheduler_count == b->stats.scheduler_count;

	for (uint32_t p = 0; same && p < a->stats.scheduler_count; p++)
		same = a->schedulers[p].tasks == b->schedulers[p].tasks && a->schedulers[p].skipped == b->schedulers[p].skipped &&
		       a->schedulers[p].walked == b->schedulers[p].walked;
	return same;
}

/* N instances with one thread, and with several: tasks, edges and memory of one instance; times the same for any number of threads. */
static bool instances_agree(struct builder *b, uint64_t seed, uint32_t n, bool edges, uint32_t threads)
{
	struct outcome *one = builder_run(b, NULL), *many = builder_run(b, &(struct outcome_how){.schedulers = n});
	struct outcome *busy = builder_run(b, &(struct outcome_how){.schedulers = n, .threads = threads});
	bool held = one->status == PTOWSP_DEADLOCK || many->status == PTOWSP_DEADLOCK; /* N rings have more places than one */
	const char *what = one->status != many->status && !held ? "status"
			   : many->status != busy->status       ? "status with threads"
			   : !same_shares(many, busy)           ? "shares with threads"
								: NULL;

	if (!what && !one->status && !many->status)
		what = !same_tasks(one, many)             ? "tasks"
		       : edges && !same_edges(one, many)  ? "edges"
		       : !same_memory(one, many)          ? "memory"
		       : !same_times(many, busy)          ? "times with threads"
		       : !same_memory(one, busy)          ? "memory with threads"
		       : !same_edges(many, busy)          ? "edges with threads"
		       : many->calls != many->stats.tasks ? "calls"
							  : NULL;
	if (what)
		CHECK_FAIL("seed %llu, %u instances, %u threads: %s; one: %d %.200s; several: %d %.200s; threads: %d %.200s", (unsigned long long)seed, n,
			   threads, what, (int)one->status, one->error.text, (int)many->status, many->error.text, (int)busy->status, busy->error.text);
	outcome_destroy(one);
	outcome_destroy(many);
	outcome_destroy(busy);
	return !what;
}

static void window_state(struct random_loops *r)
{
	static const unsigned deps[] = {PTOWSP_DEPS_BYTES_OVERLAP, PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_DEPS_BYTES_OVERLAP};

	builder_schedule(r->b, PTOWSP_DIRECTIVE_DEPS, deps[random_pick(r, 3)], "");
}

static void runs_of_random(bool small)
{
	uint64_t count, seed = check_seeds(&count, 150);
	bool ok = true;

	for (; ok && count--; seed++) {
		struct random_loops r = random_loops_make(seed, seed % 3 == 0, true);

		window_state(&r);
		if (!small)
			builder_schedule(r.b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)0);
		else
			builder_schedule(r.b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)(40 + random_pick(&r, 40)));
		if (small && random_pick(&r, 2))
			builder_schedule(r.b, PTOWSP_DIRECTIVE_ISSUE_COST, PTOWSP_ISSUE_COST_CYCLES, "n", (int64_t)3);
		if (!small && !random_pick(&r, 3))
			builder_schedule(r.b, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION, "");
		for (uint32_t k = 0; ok && k < 3; k++)
			ok = instances_agree(r.b, seed, (uint32_t[]){2, 3, 5}[k], !small, 2 + (uint32_t)(seed % 3));
		builder_destroy(r.b);
	}
}

TEST(several_instances_give_the_results_of_one)
{
	runs_of_random(false);
}

TEST(small_rings_change_no_result)
{
	runs_of_random(true);
}

/* ---- what is counted ---------------------------------------------------------------------------------------------- */

/* Batches by heads by steps: a step goes on with what the step before it wrote, and all heads of a batch add to one row. */
static struct builder *attention(unsigned policy, const char *axis)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "step", PTOWSP_UNIT_AIV, 1, 2), out, state;

	builder_tensor(b, "state", PTOWSP_I64, 8, 4);
	builder_tensor(b, "out", PTOWSP_I64, 8, 4);
	if (axis)
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, policy, "wn", axis, (int64_t)4);
	else
		builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, policy, "n", (int64_t)4);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "batch", 8);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "head", 4);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "tile", 6);
	state = builder_region(b, 0, builder_axis_value(b, "batch"), builder_axis_value(b, "head"), 1, 1);
	out = builder_region(b, 1, builder_axis_value(b, "batch"), builder_const(b, 0), 1, 4);
	builder_task(b, k, 5, "mm", state, out);
	builder_end(b);
	builder_end(b);
	builder_end(b);
	return b;
}

TEST(auto_takes_the_batch_axis_of_attention_and_no_edge_crosses)
{
	struct builder *b = attention(PTOWSP_DISPATCH_AUTO, NULL), *other = attention(PTOWSP_DISPATCH_AFFINITY, "tile");
	struct outcome *o = builder_run(b, &(struct outcome_how){.schedulers = 4}), *x = builder_run(other, &(struct outcome_how){.schedulers = 4});

	CHECK_STR(o->error.text, "");
	CHECK_CONTAINS(o->log, "affinity(batch, 4), 0 of ");
	CHECK_UINT(o->stats.tasks, 192);
	CHECK_UINT(o->stats.cross_edges, 0);
	CHECK_UINT(o->stats.notifications, 0);
	REQUIRE_UINT(o->stats.scheduler_count, 4);
	CHECK_UINT(o->stats.schedulers[3].tasks, 48);
	CHECK_UINT(o->stats.schedulers[3].skipped, 144); /* whole batches, as a number */
	CHECK_UINT(o->stats.schedulers[3].walked, 0);
	CHECK_UINT(x->stats.cross_edges, 184); /* every one: tile follows tile, head follows head */
	CHECK(x->stats.notifications > 0 && x->stats.notifications <= x->stats.cross_edges);
	outcome_destroy(o);
	outcome_destroy(x);
	builder_destroy(b);
	builder_destroy(other);
}

/* Six tasks that take no time: what is seen is when they are issued. */
static struct outcome *issued(uint32_t schedulers, int filter)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", (int64_t)6);
	builder_schedule(b, PTOWSP_DIRECTIVE_ISSUE_COST, PTOWSP_ISSUE_COST_CYCLES, "n", (int64_t)50);
	if (filter >= 0)
		builder_emit(b, PTOWSP_OP_DISPATCH_FILTER, PTOWSP_DISPATCH_CUSTOM, builder_const(b, filter));
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 6);
	builder_task(b, k, 1, "");
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.schedulers = schedulers});
	builder_destroy(b);
	return o;
}

TEST(instances_issue_side_by_side_and_a_filter_takes_it_back)
{
	struct outcome *one = issued(1, -1), *two = issued(2, -1), *filtered = issued(2, 1);

	CHECK_UINT(one->stats.total_cycles, 251);
	CHECK_UINT(two->stats.total_cycles, 101);
	CHECK_UINT(two->tasks[1].start, 0);
	CHECK_UINT(two->tasks[4].start, 100);
	CHECK_UINT(filtered->stats.total_cycles, 251);
	REQUIRE_UINT(filtered->stats.scheduler_count, 2);
	CHECK_UINT(filtered->stats.schedulers[0].tasks, 0);
	CHECK_UINT(filtered->stats.schedulers[0].skipped, 6);
	CHECK_UINT(filtered->stats.schedulers[1].tasks, 6);
	outcome_destroy(one);
	outcome_destroy(two);
	outcome_destroy(filtered);
}

/* gate(i) is the task W places earlier of the same instance. */
TEST(each_instance_has_a_ring_of_its_own)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *one, *two;

	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, "n", (int64_t)4);
	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)2);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
	builder_task(b, k, 10, "");
	builder_end(b);
	one = builder_run(b, NULL);
	two = builder_run(b, &(struct outcome_how){.schedulers = 2});
	CHECK_UINT(one->stats.total_cycles, 20);
	CHECK_UINT(two->stats.total_cycles, 10);
	CHECK_UINT(two->stats.task_window, 2);
	CHECK_UINT(outcome_resource(one, "task_ring")->stall_count, 1);
	CHECK_UINT(outcome_resource(two, "task_ring")->stall_count, 0);
	outcome_destroy(one);
	outcome_destroy(two);
	builder_destroy(b);
}

TEST(a_failing_kernel_ends_all_instances_with_the_first_failure)
{
	for (uint32_t threads = 1; threads < 4; threads++) {
		struct builder *b = builder_create();
		uint32_t good = builder_kernel(b, "good", PTOWSP_UNIT_AIV, 1, 0), bad = builder_kernel(b, "bad", PTOWSP_UNIT_AIC, 1, 0);
		struct outcome *o;

		builder_kernel_flags(b, bad, BUILDER_FAILS);
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 20);
		builder_task(b, good, 1, "");
		builder_task(b, bad, 1, "");
		builder_end(b);
		o = builder_run(b, &(struct outcome_how){.schedulers = 3, .threads = threads});
		CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
		CHECK_UINT(o->error.where[0], 1);
		outcome_done(b, o);
	}
}

/* Tasks, then a loop whose step is wrong: what ran before that was met? */
static uint64_t calls_before_the_end(bool safe)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), zero = builder_const(b, 0), high = builder_const(b, 3);
	uint32_t step = builder_expr(b, PTOWSP_EXPR_VALUE, builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, 0), 0, 0);
	struct outcome *o;
	uint64_t calls;

	if (safe)
		builder_schedule(b, PTOWSP_DIRECTIVE_START, PTOWSP_START_AFTER_ORCHESTRATION, "");
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 20);
	builder_task(b, k, 1, "");
	builder_end(b);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "j", zero, high, step, PTOWSP_NONE));
	builder_task(b, k, 1, "");
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.schedulers = 3});
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	calls = o->calls;
	outcome_done(b, o);
	return calls;
}

TEST(nothing_runs_before_all_is_generated_if_that_is_wanted)
{
	CHECK_UINT(calls_before_the_end(true), 0);
	CHECK_UINT(calls_before_the_end(false), 20);
}

TEST(what_only_one_instance_can_do_is_refused_by_name)
{
	struct builder *b = builder_create();
	struct outcome *o;

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	builder_event(b, "e");
	builder_emit(b, PTOWSP_OP_SIGNAL, 0, 0);
	builder_emit(b, PTOWSP_OP_WAIT, 0, 0);
	o = builder_run(b, &(struct outcome_how){.schedulers = 2});
	CHECK_INT(o->status, PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(o->error.text, "an event or fence needs one scheduler instance, this run has 2; use schedulers=1");
	outcome_done(b, o);
}
