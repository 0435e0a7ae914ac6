/* SPDX-License-Identifier: MIT
 * test_rt_nests.c - random nests of loops in runs that tell nobody: each task has the predecessors, and the run the times, marks and memory, of one that is
 * told task by task. PTOWSP_SEED=N runs one seed, PTOWSP_SEEDS=N that many. */
#include "rt/threads/crew.h"
#include "tests/check_outcome.h"
#include "tests/rt/builder/rt_nests.h"
#include "tests/rt/builder/rt_tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET = 1600, SEEDS = 1000 };

/* Tasks of all runs, and of how many the predecessors were heard. */
struct figures {
	uint64_t tasks, lists, counts;
};

static const char *name_of(const struct outcome_how *how)
{
	return how->pool ? "2 threads" : how->flags ? "no kernels" : "1 thread";
}

static bool run_same(struct builder *b, uint64_t seed, const struct outcome_how *how, const struct outcome *told, struct figures *figures)
{
	struct rt_tap tap;
	struct outcome *o;
	bool ok;

	rt_tap_begin(&tap, told);
	o = builder_run(b, how);
	if (told->status == PTOWSP_KERNEL_FAILED && how->pool) { /* tasks behind it may have been issued */
		ok = o->status == told->status && o->error.where[0] == told->error.where[0];
		CHECK(ok);
	} else {
		ok = outcome_same(seed, name_of(how), told, o, !how->idle && !how->flags);
	}
	if (ok && tap.wrong != UINT64_MAX) {
		ok = false;
		CHECK_FAIL("seed %ju, %s: task %ju has other predecessors than one that is told", (uintmax_t)seed, name_of(how), (uintmax_t)tap.wrong);
	}
	figures->tasks += how->pool || how->flags ? 0 : o->stats.tasks;
	figures->lists += tap.lists;
	figures->counts += tap.counts;
	rt_tap_end(&tap);
	outcome_destroy(o);
	return ok;
}

/* A thread that runs what it issues hears of blocks, two hand over task after task. */
static bool one(uint64_t seed, struct rt_pool *pool, struct figures *figures)
{
	struct outcome_how how = {.seed = seed | 1, .fixed_map = seed & 1};
	struct outcome *told;
	struct rt_nests n;
	bool ok;

	rt_nests_make(&n, seed, BUDGET);
	if (seed % 8 == 0) /* some end there */
		how.max_tasks = 60 + seed % 941;
	if (seed % 16 == 5) /* somebody looks after each kernel */
		how.deadline_ns = builder_now_ns() + UINT64_C(3600000000000);
	told = builder_run(n.r.b, &how);
	how.no_sinks = true;
	ok = check_only_threads() || run_same(n.r.b, seed, &how, told, figures);
	how.pool = pool;
	how.idle = n.r.races;
	ok = ok && run_same(n.r.b, seed, &how, told, figures);
	how = (struct outcome_how){.no_sinks = true, .max_tasks = how.max_tasks, .flags = PTOWSP_RUN_NO_KERNELS};
	ok = ok && (told->status == PTOWSP_KERNEL_FAILED || check_only_threads() || run_same(n.r.b, seed, &how, told, figures));
	outcome_destroy(told);
	builder_destroy(n.r.b);
	return ok;
}

TEST(tasks_that_nobody_is_told_of_have_the_same_predecessors)
{
	const char *only = getenv("PTOWSP_SEED");
	uint64_t count, first = check_seeds(&count, SEEDS);
	const struct rt_crew_rules usual = rt_crew_rules;
	struct figures figures = {0};
	struct rt_pool *pool;

	REQUIRE(!rt_pool_create(&pool, 2, NULL));
	rt_crew_rules = (struct rt_crew_rules){.brief_ns = 0, .brief_run = 1, .sample_every = 64};
	for (uint64_t seed = first; seed < first + count; seed++)
		if ((only || check_seed_wanted(seed)) && !one(seed, pool, &figures))
			break;
	if (!only && !check_only_threads()) /* or there is nothing to compare */
		CHECK(figures.lists + figures.counts > figures.tasks);
	if (getenv("PTOWSP_FIGURES"))
		printf("%ju tasks, %ju lists, %ju counts\n", (uintmax_t)figures.tasks, (uintmax_t)figures.lists, (uintmax_t)figures.counts);
	rt_crew_rules = usual;
	rt_pool_destroy(pool);
}

/* A body of 20 tasks, one row each, 12 times, again and again. */
static struct builder *long_bodies(void)
{
	struct builder *b = builder_create();

	builder_tensor(b, "t", PTOWSP_I64, 240, 1);
	builder_kernel_flags(b, builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), BUILDER_STEADY);
	WINDOW(b, 300);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 10);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 12);
	for (int64_t k = 0; k < 20; k++) {
		uint32_t row = builder_expr(b, PTOWSP_EXPR_MUL, builder_loop_value(b, 1), builder_const(b, 20), 0);

		row = builder_expr(b, PTOWSP_EXPR_ADD, row, builder_const(b, k), 0);
		builder_task(b, 0, 1, "w", builder_region(b, 0, row, builder_const(b, 0), 1, 1));
	}
	builder_end(b);
	builder_end(b);
	return b;
}

TEST(a_loop_that_a_limit_cuts_short_ends_at_the_same_task)
{
	struct builder *b = long_bodies();

	for (uint64_t left = 40; left < 80; left += 5) {
		struct outcome_how how = {.max_tasks = 720 + left};
		struct outcome *told = builder_run(b, &how), *o;

		CHECK(told->status && told->stats.tasks == how.max_tasks);
		how.no_sinks = true;
		o = builder_run(b, &how);
		outcome_same(left, "untold", told, o, true);
		CHECK_UINT(o->error.where[0], told->error.where[0]);
		outcome_destroy(told);
		outcome_destroy(o);
	}
	builder_destroy(b);
}

/* ---- more of something than is kept of it ---------------------------------------------------------------------------- */

enum { MANY = 14, WIDE = 12, ROWS = 120 };

static uint32_t row_at(struct builder *b, uint32_t tensor, uint32_t row)
{
	return builder_region(b, tensor, row, builder_const(b, 0), 1, 1);
}

static uint32_t row_behind(struct builder *b, uint32_t tensor, uint32_t depth, int64_t behind)
{
	return row_at(b, tensor, builder_expr(b, PTOWSP_EXPR_ADD, builder_loop_value(b, depth), builder_const(b, behind), 0));
}

/* Tensors of ROWS rows; kernel n has n tensors. */
static struct builder *crowded(uint32_t tensors, uint32_t kernels)
{
	struct builder *b = builder_create();

	for (uint32_t t = 0; t < tensors; t++)
		builder_tensor(b, check_fmt("t%u", t), PTOWSP_I64, ROWS, 1);
	for (uint32_t k = 0; k < kernels; k++)
		builder_kernel_flags(b, builder_kernel(b, check_fmt("k%u", k), PTOWSP_UNIT_AIV, 1, k), BUILDER_STEADY);
	WINDOW(b, 3000);
	return b;
}

static void loop_from(struct builder *b, const char *name, int64_t low, int64_t high)
{
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, name, builder_const(b, low), builder_const(b, high), builder_const(b, 1), PTOWSP_NONE));
}

/* Told and untold. */
static void crowded_check(struct builder *b)
{
	struct outcome_how how = {.seed = 1};
	struct outcome *told = builder_run(b, &how);
	struct figures figures = {0};

	CHECK(!told->status);
	how.no_sinks = true;
	run_same(b, 0, &how, told, &figures);
	how.threads = 2;
	run_same(b, 0, &how, told, &figures);
	outcome_destroy(told);
	builder_destroy(b);
}

/* Each tensor is written by `writers` loops, then 4 rows of each are read, or written, by one loop: as many edges, or keys to be looked up. */
static void wide(uint32_t writers, const char *access)
{
	struct builder *b = crowded(WIDE, 3);

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	for (int64_t w = 0; w < writers; w++) {
		loop_from(b, "j", w * ROWS / writers, (w + 1) * ROWS / writers);
		for (uint32_t t = 0; t < WIDE; t++)
			builder_task(b, 1, 1, "w", row_behind(b, t, 1, 0));
		builder_end(b);
	}
	loop_from(b, "j", 0, ROWS - 3);
	for (uint32_t k = 0; k < 2 * WIDE; k++)
		builder_task(b, 2, 2, access, row_behind(b, k % WIDE, 1, k / WIDE), row_behind(b, (k + 5) % WIDE, 1, 3 - k / WIDE));
	builder_end(b);
	builder_end(b);
	crowded_check(b);
}

TEST(loops_with_many_edges_are_alike)
{
	for (uint32_t writers = 1; writers < 6; writers++) {
		wide(writers, "rr");
		wide(writers, "rw");
		wide(writers, "mr");
	}
}

/* A key of each tensor is written by a task of its own; then a task reads all of them again and again. */
TEST(a_loop_that_reads_what_many_wrote_is_alike)
{
	struct builder *b = crowded(MANY + 1, MANY + 2);
	uint32_t regions[MANY + 1];
	char access[MANY + 2] = "";

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
	for (uint32_t t = 0; t < MANY; t++)
		builder_task(b, 1, 1, "w", regions[t] = row_at(b, t, builder_const(b, 7)));
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 40);
	memset(access, 'r', MANY);
	access[MANY] = 'm';
	regions[MANY] = row_behind(b, MANY, 1, 2);
	builder_task_list(b, MANY + 1, builder_const(b, 3), MANY + 1, access, regions);
	builder_end(b);
	builder_end(b);
	crowded_check(b);
}

/* One task of an iteration writes what `readers` others read, and a row that moves. */
static void fan(uint32_t readers, uint32_t tasks)
{
	struct builder *b = crowded(2, 3);

	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 40);
	builder_task(b, 2, 1, "wm", row_at(b, 0, builder_const(b, 7)), row_behind(b, 1, 1, 0));
	for (uint32_t k = 0; k < readers; k++)
		builder_task(b, 1, 1, "r", row_at(b, 0, builder_const(b, 7)));
	for (uint32_t k = 0; k < tasks; k++)
		builder_task(b, 1, 1, "r", row_behind(b, 1, 1, 3 * k));
	builder_end(b);
	builder_end(b);
	crowded_check(b);
}

TEST(a_loop_that_writes_what_many_read_is_alike)
{
	for (uint32_t readers = 9; readers < 15; readers++)
		for (uint32_t tasks = 0; tasks < 5; tasks++)
			fan(readers, tasks);
}

/* Two rows that lie far apart. */
TEST(loops_over_rows_far_apart_are_alike)
{
	const int64_t far = (INT64_C(1) << 20) + 5;

	for (int64_t apart = far - 10; apart < far + 1; apart += 5) {
		struct builder *b = builder_create();
		struct outcome_how how = {.flags = PTOWSP_RUN_NO_KERNELS};
		struct outcome *told;
		struct figures figures = {0};

		builder_tensor(b, "t", PTOWSP_I64, far + ROWS, 1);
		builder_kernel_flags(b, builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2), BUILDER_STEADY);
		WINDOW(b, 500);
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", 100);
		builder_task(b, 0, 1, "rw", row_behind(b, 0, 1, 0), row_behind(b, 0, 1, apart));
		builder_end(b);
		builder_end(b);
		told = builder_run(b, &how);
		how.no_sinks = true;
		run_same(b, (uint64_t)apart, &how, told, &figures);
		outcome_destroy(told);
		builder_destroy(b);
	}
}
