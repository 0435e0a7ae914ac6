/* SPDX-License-Identifier: MIT
 * test_ascend_slow.c - the event-driven machine and a second, slow implementation of its rules (model/slow_machine.h) on random programs and machines: start, end and
 * core of each task, stalls, high-water marks, notices. Programs name their seed in a failure: PTOWSP_SEED=N runs one, PTOWSP_SEEDS=N that many. */
#include "tests/check.h"
#include "tests/draw.h"
#include "tests/model/slow_compare.h"
#include "tests/rt/builder/random_memory.h"
#include "tests/rt/builder/random_pipeline.h"
#include "tests/rt/builder/random_schedule.h"
#include "tests/rt/builder/rt_nests.h"

#include <stdlib.h>
#include <string.h>

/* ---- machines ----------------------------------------------------------------------------------------------------- */

static uint64_t draws;

static uint32_t drawn(uint32_t n)
{
	return (uint32_t)draw(&draws, n);
}

/* Any machine: few cores, so that they are what is waited for; costs of nothing, of little, of much. */
static struct ascend_machine machine_draw(uint64_t seed)
{
	static const uint32_t most[] = {1, 1, 4, 10, 60};
	struct ascend_machine machine;
	uint32_t n;

	draws = draw_seed(seed);
	n = most[drawn(5)];
	machine = (struct ascend_machine){.config = {.clusters = 1 + drawn(4),
						     .vectors_each = 1 + drawn(2),
						     .first_cube = 0,
						     .first_vector = 100,
						     .payloads = 1 + drawn(2),
						     .streams = drawn(3),
						     .by_number = !drawn(3)}};
	machine.config.cost = (struct ascend_protocol){.lookup = drawn(n),
						       .lookup_use = drawn(n),
						       .submit = drawn(n),
						       .dispatch = drawn(n),
						       .token = drawn(n),
						       .pickup = drawn(n),
						       .fin = drawn(n),
						       .complete = drawn(n),
						       .notify = drawn(n),
						       .notice = drawn(n),
						       .hear = drawn(n)};
	return machine;
}

/* ---- programs that once differed ---------------------------------------------------------------------------------- */

static void found(struct builder *b, uint32_t schedulers)
{
	struct ascend_machine machine = {.config = {.clusters = 4, .vectors_each = 2, .first_vector = 100, .payloads = 1}};

	CHECK_INT(slow_compare(b, (struct outcome_how){.schedulers = schedulers}, &machine, false, "found"), SLOW_AGREES);
	builder_destroy(b);
}

static struct builder *found_builder(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "idle", PTOWSP_UNIT_AIV, 1, 0);
	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1);
	return b;
}

static uint32_t row_of(struct builder *b, uint32_t tensor)
{
	return builder_region(b, tensor, builder_const(b, 0), builder_const(b, 0), 1, 8);
}

/* Whose it is was taken from another task's place while it was not issued. */
TEST(an_edge_crosses_from_a_task_that_is_not_issued)
{
	struct builder *b = found_builder();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 1, 8);

	builder_process(b, "p", 1);
	builder_task(b, 0, 1, "");
	builder_task(b, 0, 1, "");
	builder_task(b, 1, 1, "r", row_of(b, t));
	builder_process(b, "q", 1);
	builder_task(b, 0, 100, "");
	builder_task(b, 1, 1, "w", row_of(b, t));
	found(b, 2);
}

/* What came back for the one counted as there for the next, which was issued before that. */
TEST(two_that_wait_for_the_same_bytes_wait_both)
{
	static const int64_t rows[] = {3, 2, 2};
	struct builder *b = found_builder();

	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", (int64_t)256);
	for (uint32_t t = 0; t < 3; t++)
		builder_tensor(b, check_fmt("t%u", t), PTOWSP_I64, rows[t], 8);
	for (uint32_t t = 0; t < 3; t++) {
		builder_process(b, check_fmt("p%u", t), 1);
		builder_emit(b, PTOWSP_OP_ALLOC, 0, t);
		builder_task(b, 1, 100, "w", row_of(b, t));
		builder_emit(b, PTOWSP_OP_FREE, 0, t);
	}
	found(b, 1);
}

/* The item at which the pipeline began was looked at when others had been pulled over it. */
TEST(a_pipeline_that_begins_is_no_stall)
{
	struct builder *b = found_builder();

	for (uint32_t t = 0; t < 5; t++)
		builder_tensor(b, check_fmt("t%u", t), PTOWSP_I64, 1, 8);
	builder_task(b, 0, 100, "");
	for (uint32_t t = 0; t < 5; t++) {
		builder_process(b, check_fmt("p%u", t), 1);
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 10);
		builder_emit(b, PTOWSP_OP_ALLOC, 0, t);
		builder_emit(b, PTOWSP_OP_FREE, 0, t);
		builder_end(b);
		builder_task(b, 0, 100, "");
	}
	found(b, 1);
}

/* A scope ended when it was known when it would, not when it did: tasks left too early. */
TEST(a_scope_ends_at_the_clock_of_its_process)
{
	struct builder *b = found_builder();
	uint32_t c = builder_channel(b, "c", 1, 50);

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)3);
	builder_process(b, "p", 1);
	builder_uses(b, c, PTOWSP_CHANNEL_PRODUCES);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_scope(b);
	builder_task(b, 0, 1, "");
	builder_send(b, c, builder_const(b, 1));
	builder_end(b);
	builder_end(b);
	builder_process(b, "q", 1);
	builder_uses(b, c, PTOWSP_CHANNEL_CONSUMES);
	builder_consume(b, c);
	builder_end(b);
	builder_process(b, "r", 1);
	for (int i = 0; i < 6; i++)
		builder_task(b, 0, 1, "");
	found(b, 1);
}

/* A full window that is only counted was over in the order in which it had begun, not in that of numbers. */
TEST(windows_that_are_only_counted_have_room_by_number)
{
	static const int64_t cycles[3][2] = {{100, 100}, {10, 300}, {1, 1}};
	struct builder *b = found_builder();

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_BENCHMARK, "nw", (int64_t)1, "tasks");
	for (uint32_t p = 0; p < 3; p++) {
		builder_process(b, check_fmt("p%u", p), 1);
		builder_task(b, 0, cycles[p][0], "");
		builder_task(b, 0, cycles[p][1], "");
	}
	found(b, 1);
}

/* ---- seeds -------------------------------------------------------------------------------------------------------- */

static void seeds_run(const char *what, uint64_t standard, enum slow_verdict (*one)(uint64_t))
{
	uint64_t count, first = check_seeds(&count, getenv("PTOWSP_TEST_LONG") ? 20 * standard : standard), compared = 0;
	enum slow_verdict verdict = SLOW_AGREES;

	for (uint64_t seed = first; seed < first + count && verdict != SLOW_DIFFERS; seed++) {
		verdict = one(seed);
		compared += verdict == SLOW_AGREES;
	}
	printf("# ascend_slow: %ju %s of PTOWSP_SEED=%ju to %ju compared\n", (uintmax_t)compared, what, (uintmax_t)first, (uintmax_t)(first + count - 1));
}

/* A machine of that seed, with so many tasks at most; gives the builder back. how: what is special, or 0. */
static enum slow_verdict one(uint64_t seed, struct builder *b, struct outcome_how how, bool filters)
{
	struct ascend_machine machine = machine_draw(seed);
	enum slow_verdict verdict;

	how.seed = seed | 1;
	how.schedulers = 1 + drawn(machine.config.clusters);
	verdict = slow_compare(b, how, &machine, filters, check_fmt("seed %ju, %u instances", (uintmax_t)seed, how.schedulers));
	builder_destroy(b);
	return verdict;
}

static enum slow_verdict one_schedule(uint64_t seed)
{
	const uint64_t values[SLOTS] = {seed % 5, seed % 3, 1};
	struct random r;

	(seed & 1 ? random_schedule_make : random_schedule_make_synced)(&r, seed);
	return one(seed, r.b, (struct outcome_how){.max_tasks = 300, .values = values, .value_count = SLOTS}, false);
}

TEST(schedules_have_the_times_of_the_slow_machine)
{
	seeds_run("schedules", 1000, one_schedule);
}

static enum slow_verdict one_memory(uint64_t seed)
{
	struct random_memory m = random_memory_make(seed);

	return one(seed, m.r.b, (struct outcome_how){.max_tasks = 300}, m.filters);
}

TEST(memory_and_fences_have_the_times_of_the_slow_machine)
{
	seeds_run("programs that take memory", 1000, one_memory);
}

static enum slow_verdict one_loops(uint64_t seed)
{
	struct random_loops r = random_loops_make(seed, seed & 1, true);

	return one(seed, r.b, (struct outcome_how){.max_tasks = 200}, seed & 1);
}

TEST(filters_and_axes_have_the_times_of_the_slow_machine)
{
	seeds_run("programs of loops", 400, one_loops);
}

static enum slow_verdict one_nests(uint64_t seed)
{
	struct rt_nests n;

	rt_nests_make(&n, seed, 200);
	return one(seed, n.r.b, (struct outcome_how){.max_tasks = 400}, false);
}

TEST(nests_have_the_times_of_the_slow_machine)
{
	seeds_run("nests", 100, one_nests);
}

static enum slow_verdict one_pipeline(uint64_t seed)
{
	return one(seed, random_pipeline_make(seed, (enum random_pipeline_kind)(seed % 3)), (struct outcome_how){.max_tasks = 300}, false);
}

TEST(pipelines_have_the_times_of_the_slow_machine)
{
	seeds_run("pipelines", 600, one_pipeline);
}
