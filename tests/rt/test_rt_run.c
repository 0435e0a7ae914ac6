/* SPDX-License-Identifier: MIT
 * test_rt_run.c - running: threads and windows do not change results, limits and failures end a run cleanly. */
#include "tests/check_outcome.h"
#include "tests/rt/builder/rt_builder.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* n tasks that each change one of four cells and read another: long chains across each other. flags: of the kernel. */
static struct builder *chains(int64_t n, unsigned flags)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "step", PTOWSP_UNIT_AIV, 1, 2), t = builder_tensor(b, "t", PTOWSP_I64, 4, 16);
	uint32_t zero = builder_const(b, 0), four = builder_const(b, 4), seven = builder_const(b, 7), loop, at, other;

	builder_kernel_flags(b, k, flags);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", n);
	loop = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	at = builder_expr(b, PTOWSP_EXPR_MOD, loop, four, 0);
	other = builder_expr(b, PTOWSP_EXPR_MOD, builder_expr(b, PTOWSP_EXPR_MUL, loop, seven, 0), four, 0);
	builder_task(b, k, 3, "mr", builder_region(b, t, at, zero, 1, 16), builder_region(b, t, other, zero, 1, 16));
	builder_end(b);
	return b;
}

/* The first outcome's memory is the one that others are to have: *want, NULL before it. */
static void memory_compare(const struct outcome *o, uint64_t **want)
{
	if (!*want)
		*want = memcpy(malloc(o->memory_count * 8), o->memory, o->memory_count * 8);
	CHECK_MEM(o->memory, *want, o->memory_count * 8);
}

TEST(memory_is_that_of_one_thread_under_every_window)
{
	static const int64_t windows[] = {1, 2, 3, 7, 64, 8192, 0};
	uint64_t *want = NULL;

	for (size_t w = 0; w < sizeof(windows) / sizeof(*windows); w++)
		for (uint32_t threads = 1; threads <= 8; threads *= 2) {
			struct builder *b = chains(600, threads == 4 ? BUILDER_LATER : 0);
			struct outcome *o;

			builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", windows[w]);
			o = builder_run(b, &(struct outcome_how){.threads = threads, .seed = 5});
			CHECK_INT(o->status, PTOWSP_OK);
			CHECK_UINT(o->calls, 600);
			memory_compare(o, &want);
			outcome_done(b, o);
		}
	free(want);
}

/* Ordered by barriers and streams alone. */
TEST(barriers_and_streams_order_what_really_runs)
{
	for (int how = 0; how < 2; how++) {
		uint64_t *want = NULL;

		for (uint32_t threads = 1; threads <= 8; threads *= 8) {
			struct builder *b = builder_create();
			uint32_t k = builder_kernel(b, "step", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 1, 8);
			uint32_t zero = builder_const(b, 0), all = builder_region(b, t, zero, zero, 1, 8);
			struct outcome *o;

			builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
			if (how)
				builder_schedule(b, PTOWSP_DIRECTIVE_STREAMS, PTOWSP_STREAMS_COUNT, "n", INT64_C(1));
			builder_loop_n(b, how ? PTOWSP_OP_PARALLEL_FOR : PTOWSP_OP_FOR_EACH, "i", 300);
			builder_task(b, k, 1, "m", all);
			builder_end(b);
			o = builder_run(b, &(struct outcome_how){.threads = threads, .seed = 9});
			CHECK_INT(o->status, PTOWSP_OK);
			CHECK_UINT(o->stats.edges, 0);
			CHECK_UINT(o->stats.total_cycles, 300);
			memory_compare(o, &want);
			outcome_done(b, o);
		}
		free(want);
	}
}

TEST(times_are_the_same_a_hundred_times_with_1_2_and_8_threads)
{
	struct builder *b = chains(200, BUILDER_LATER);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	struct rt_pool *pools[3] = {NULL};
	struct outcome *first, *o;

	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_WORK_STEAL, "n", INT64_C(3));
	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", INT64_C(9));
	builder_schedule(b, PTOWSP_DIRECTIVE_PIPELINE_DEPTH, PTOWSP_PIPELINE_DEPTH_DEPTH, "n", INT64_C(2));
	REQUIRE(!builder_program(b, &program, &error) && !rt_pool_create(&pools[1], 2, NULL) && !rt_pool_create(&pools[2], 8, NULL));
	first = builder_run_program(b, program, NULL);
	REQUIRE_UINT(first->task_count, 200);
	for (int run = 0; run < 100; run++) {
		o = builder_run_program(b, program, &(struct outcome_how){.pool = pools[run % 3]});
		REQUIRE_INT(o->status, PTOWSP_OK);
		CHECK_UINT(o->stats.total_cycles, first->stats.total_cycles);
		CHECK_MEM(o->tasks, first->tasks, 200 * sizeof(*o->tasks));
		CHECK_UINT(o->edge_count, first->edge_count);
		for (uint32_t i = 0; i < o->stats.resource_count; i++) {
			o->resources[i].stall_ns = first->resources[i].stall_ns = 0;
			CHECK_MEM(&o->resources[i], &first->resources[i], sizeof(*o->resources));
		}
		outcome_destroy(o);
	}
	outcome_destroy(first);
	rt_program_destroy(program);
	rt_pool_destroy(pools[1]);
	rt_pool_destroy(pools[2]);
	builder_destroy(b);
}

TEST(values_change_between_runs_without_a_reload)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), n = builder_slot(b, "n", PTOWSP_SLOT_SYMBOL, 2);
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program;
	struct outcome *o;

	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", zero, builder_expr(b, PTOWSP_EXPR_VALUE, n, 0, 0), one, PTOWSP_NONE));
	builder_task(b, k, 1, "");
	builder_end(b);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	for (uint64_t v = 0; v < 5; v++) {
		o = builder_run_program(b, program, &(struct outcome_how){.values = &v, .value_count = 1});
		CHECK_UINT(o->task_count, v);
		outcome_destroy(o);
	}
	o = builder_run_program(b, program, NULL); /* its default */
	CHECK_UINT(o->task_count, 2);
	outcome_destroy(o);
	rt_program_destroy(program);
	builder_destroy(b);
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

TEST(a_failing_kernel_ends_the_run_and_is_named)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 4) {
		struct builder *b = builder_create();
		uint32_t good = builder_kernel(b, "good", PTOWSP_UNIT_AIV, 1, 0), bad = builder_kernel(b, "bad", PTOWSP_UNIT_AIV, 1, 0);
		struct outcome *o;

		builder_kernel_flags(b, bad, BUILDER_FAILS);
		builder_task(b, good, 1, "");
		builder_task(b, bad, 1, "");
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5000);
		builder_task(b, good, 1, "");
		builder_end(b);
		o = check_planted(b, &(struct outcome_how){.threads = threads}, "task 1, kernel bad: planted failure");
		CHECK_UINT(o->error.where[0], 1);
		CHECK_UINT(o->error.where[1], bad);
		if (threads == 1)
			CHECK_UINT(o->calls, 2);
		outcome_done(b, o);
	}
}

/* With several threads the expander may meet its own error first; the earlier task's failure wins. */
TEST(the_failure_of_an_earlier_task_comes_first)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 2) {
		struct builder *b = builder_create();
		uint32_t bad = builder_kernel(b, "bad", PTOWSP_UNIT_AIV, 1, 0);
		struct outcome *o;

		builder_kernel_flags(b, bad, BUILDER_FAILS);
		builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", INT64_C(1));
		builder_scope(b);
		builder_task(b, bad, 1, "");
		builder_task(b, bad, 1, "");
		builder_end(b);
		o = builder_run(b, &(struct outcome_how){.threads = threads});
		CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
		CHECK_UINT(o->error.where[0], 0);
		outcome_done(b, o);
	}
}

TEST(a_kernel_that_cannot_run_is_still_counted)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	struct outcome *o;

	builder_kernel_flags(b, k, BUILDER_UNUSABLE);
	builder_task(b, k, 7, "");
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(o->error.text, "cannot run: kernel k has no body");
	outcome_destroy(o);
	o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.total_cycles, 7);
	CHECK_UINT(o->calls, 0);
	outcome_done(b, o);
}

TEST(cycles_known_only_by_running_count_1_without_kernels)
{
	struct builder *b = chains(10, BUILDER_LATER);
	struct outcome *o = builder_run(b, &(struct outcome_how){.flags = PTOWSP_RUN_NO_KERNELS, .bare = true});

	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.total_cycles, 10);
	CHECK_UINT(o->kernels[0].flags, PTOWSP_KERNEL_COUNTED_ONE);
	CHECK_UINT(o->kernels[0].cycles, 10);
	CHECK_CONTAINS(o->log, "kernel step: cycles are known only by running; each task counts 1");
	CHECK_UINT(o->stats.task_window, 8192);
	outcome_destroy(o);
	o = builder_run(b, NULL);
	CHECK_UINT(o->stats.total_cycles, 30);
	CHECK_UINT(o->stats.task_window, 8192);
	outcome_done(b, o);
}

TEST(measured_kernels_make_a_run_not_deterministic)
{
	struct builder *b = chains(3, BUILDER_MEASURED | BUILDER_LATER);
	struct outcome *o = builder_run(b, NULL);

	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_NO);
	outcome_done(b, o);
}

TEST(more_tasks_than_the_limit_end_the_run)
{
	for (uint32_t threads = 1; threads <= 2; threads++) {
		struct builder *b = chains(INT64_C(1) << 40, 0);
		struct outcome *o = builder_run(b, &(struct outcome_how){.max_tasks = 1000, .threads = threads});

		CHECK_INT(o->status, PTOWSP_LIMIT);
		CHECK_CONTAINS(o->error.text, "more than 1000 tasks");
		CHECK_UINT(o->stats.tasks, 1000);
		CHECK_UINT(o->calls, 1000);
		outcome_done(b, o);
	}
}

TEST(a_loop_without_tasks_meets_its_deadline)
{
	struct builder *b = builder_create();
	struct outcome *o;

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", INT64_C(1) << 60);
	builder_end(b);
	o = builder_run(b, &(struct outcome_how){.deadline_ns = builder_now_ns() + 20000000});
	CHECK_INT(o->status, PTOWSP_DEADLINE);
	CHECK_CONTAINS(o->error.text, "deadline");
	outcome_done(b, o);
}

/* One key of sixteen million rows, then an access that lies across it: each row becomes an interval of its own. */
TEST(millions_of_rows_that_become_intervals_meet_the_deadline)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0);
	uint32_t tensor = builder_tensor(b, "t", PTOWSP_I8, 1 << 24, 2);
	struct ptowsp_run_args run = {.head = PTOWSP_HEAD(run, RUN_ARGS), .flags = PTOWSP_RUN_NO_KERNELS};
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct rt_program *program = NULL;
	struct rt_pool *pool = NULL;

	builder_task(b, k, 1, "w", builder_region(b, tensor, zero, zero, 1 << 24, 1));
	builder_task(b, k, 1, "r", builder_region(b, tensor, zero, zero, 1, 2));
	REQUIRE_INT(builder_program(b, &program, NULL), PTOWSP_OK);
	REQUIRE_INT(rt_pool_create(&pool, 1, NULL), PTOWSP_OK);
	run.deadline_ns = builder_now_ns() + 50000000;
	CHECK_INT(rt_run(program, &(struct rt_run_args){.args = &run, .pool = pool}, &stats, NULL, NULL), PTOWSP_DEADLINE);
	CHECK_UINT(stats.tasks, 1);
	rt_pool_destroy(pool);
	rt_program_destroy(program);
	builder_destroy(b);
}

TEST(slow_kernels_meet_the_deadline_and_nothing_is_left_running)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 4) {
		struct builder *b = chains(100000, BUILDER_SLOW);
		struct outcome *o = builder_run(b, &(struct outcome_how){.deadline_ns = builder_now_ns() + 50000000, .threads = threads});

		/* 1,024 instructions with kernels of 2 ms would be far too late. */
		CHECK_INT(o->status, PTOWSP_DEADLINE);
		CHECK(o->calls < 200);
		outcome_done(b, o);
	}
}

struct canceller {
	_Atomic uint32_t flag;
};

static void *cancel_soon(void *argument)
{
	struct canceller *c = argument;
	struct timespec nap = {0, 30000000};

	nanosleep(&nap, NULL);
	atomic_store(&c->flag, 1);
	return NULL;
}

TEST(cancel_ends_a_run_on_any_number_of_threads)
{
	for (uint32_t threads = 1; threads <= 4; threads *= 2) {
		struct builder *b = chains(1000000, BUILDER_SLOW);
		struct canceller c = {0};
		struct outcome *o;
		pthread_t thread;

		REQUIRE(!pthread_create(&thread, NULL, cancel_soon, &c));
		o = builder_run(b, &(struct outcome_how){.cancel = (const volatile uint32_t *)&c.flag, .threads = threads});
		pthread_join(thread, NULL);
		CHECK_INT(o->status, PTOWSP_CANCELLED);
		outcome_done(b, o);
	}
}

/* ---- live counters ----------------------------------------------------------------------------------------------- */

struct watcher {
	struct rt_program *program;
	_Atomic uint32_t stop;
	uint64_t most;
};

static void *watch(void *argument)
{
	struct watcher *w = argument;

	while (!atomic_load(&w->stop)) {
		struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};

		rt_stats(w->program, &stats);
		w->most = stats.tasks > w->most ? stats.tasks : w->most;
	}
	return NULL;
}

TEST(counters_can_be_read_while_a_run_goes_on)
{
	struct builder *b = chains(20000, 0);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct watcher w = {0};
	struct outcome *o;
	pthread_t thread;

	REQUIRE_INT(builder_program(b, &w.program, &error), PTOWSP_OK);
	REQUIRE(!pthread_create(&thread, NULL, watch, &w));
	o = builder_run_program(b, w.program, &(struct outcome_how){.threads = 2});
	atomic_store(&w.stop, 1);
	pthread_join(thread, NULL);
	CHECK_UINT(o->stats.tasks, 20000);
	CHECK(w.most <= 20000);
	outcome_destroy(o);
	rt_program_destroy(w.program);
	builder_destroy(b);
}
