/* SPDX-License-Identifier: MIT
 * test_rt_payload.c - payload channels on the core itself: what arrives, with any number of threads, and in how much memory. */
#include "rt/rt.h"
#include "rt/threads/crew.h"
#include "tests/check_outcome.h"
#include "tests/draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t loop_of(struct builder *b)
{
	return builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
}

static uint32_t times(struct builder *b, uint32_t expr, int64_t n)
{
	return builder_expr(b, PTOWSP_EXPR_MUL, expr, builder_const(b, n), 0);
}

/* ---- what arrives ---------------------------------------------------------------------------------------------- */

enum { BLOCKS = 6, FROM_COLUMNS = 5, TO_COLUMNS = 4, FROM = 2 * BLOCKS * FROM_COLUMNS, TO = 2 * BLOCKS * TO_COLUMNS };

/* Blocks of 2 x 3 out of the middle of a tensor, by so many producers to so many consumers, into the middle of another one; the token says where from and to. */
static struct builder *copier_make(uint32_t capacity, uint32_t producers, uint32_t consumers)
{
	struct builder *b = builder_create();
	uint32_t from = builder_tensor(b, "from", PTOWSP_I64, 2 * BLOCKS, FROM_COLUMNS), to = builder_tensor(b, "to", PTOWSP_I64, 2 * BLOCKS, TO_COLUMNS);
	uint32_t c = builder_payload(b, "c", capacity, 1), one = builder_const(b, 1), token = loop_of(b);
	uint32_t mine = builder_expr(b, PTOWSP_EXPR_ADD, times(b, token, producers), builder_expr(b, PTOWSP_EXPR_INSTANCE, 0, 0, 0), 0);

	builder_process(b, "p", producers);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", BLOCKS / producers);
	builder_send_block(b, c, mine, builder_region(b, from, times(b, mine, 2), one, 2, 3));
	builder_end(b);
	builder_process(b, "q", consumers);
	builder_consume_block(b, c, builder_region(b, to, times(b, token, 2), one, 2, 3));
	builder_end(b);
	return b;
}

static void check_copied(const struct outcome *o, const struct outcome *before)
{
	const uint64_t *from = o->memory, *to = o->memory + FROM, *was = before->memory + FROM;

	CHECK(!memcmp(from, before->memory, FROM * sizeof(*from)));
	for (int r = 0; r < 2 * BLOCKS; r++)
		for (int c = 0; c < TO_COLUMNS; c++)
			CHECK_UINT(to[r * TO_COLUMNS + c], c ? from[r * FROM_COLUMNS + c] : was[r * TO_COLUMNS]);
}

TEST(blocks_arrive_as_they_were_sent)
{
	struct outcome_how how = {.seed = 7}, counted = {.seed = 7, .flags = PTOWSP_RUN_NO_KERNELS};

	for (uint32_t capacity = 0; capacity <= 4; capacity++)
		for (uint32_t n = 1; n <= 3; n++)
			for (uint32_t m = 1; m <= 3; m++) {
				struct builder *b = copier_make(capacity, n, m);
				struct outcome *o = builder_run(b, &how), *before = builder_run(b, &counted);

				CHECK_STR(o->error.text, "");
				CHECK_STR(before->error.text, "");
				check_copied(o, before);
				CHECK_UINT(o->channels[0].payload_bytes, BLOCKS * 6 * 8);
				CHECK(!memcmp(before->channels, o->channels, sizeof(o->channels)));
				CHECK_UINT(before->stats.total_cycles, o->stats.total_cycles);
				outcome_destroy(before);
				outcome_done(b, o);
			}
}

/* Load, compute, store: each stage has tiles of its own, two of them, and works on what arrived. */
static struct builder *stages_make(unsigned deps, unsigned flags)
{
	struct builder *b = builder_create();
	uint32_t x = builder_tensor(b, "x", PTOWSP_I64, 24, 4), y = builder_tensor(b, "y", PTOWSP_I64, 24, 4), t[3];
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2), up = builder_kernel(b, "up", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0);
	uint32_t in = builder_payload(b, "in", 2, 1), out = builder_payload(b, "out", 0, 0), token = loop_of(b);
	uint32_t half = times(b, builder_expr(b, PTOWSP_EXPR_MOD, token, builder_const(b, 2), 0), 2), tile[3];

	builder_kernel_flags(b, k, flags);
	builder_kernel_flags(b, up, BUILDER_SLOW);
	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, deps, "");
	for (int i = 0; i < 3; i++) {
		t[i] = builder_tensor(b, i ? i == 1 ? "a" : "b" : "l", PTOWSP_I64, 4, 4);
		tile[i] = builder_region(b, t[i], half, zero, 2, 4);
	}
	builder_process(b, "load", 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 12);
	builder_task(b, k, 3, "rw", builder_region(b, x, times(b, token, 2), zero, 2, 4), tile[0]);
	builder_send_block(b, in, token, tile[0]);
	builder_end(b);
	builder_process(b, "compute", 1);
	builder_consume_block(b, in, tile[1]);
	builder_task(b, k, 5, "rw", tile[1], tile[2]);
	builder_task(b, up, 1, "m", tile[2]);
	builder_send_block(b, out, token, tile[2]);
	builder_end(b);
	builder_process(b, "store", 1);
	builder_consume_block(b, out, builder_region(b, y, times(b, token, 2), zero, 2, 4));
	builder_end(b);
	return b;
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
	CHECK_STR(b->error.text, "");
	CHECK_UINT(b->stats.total_cycles, a->stats.total_cycles);
	REQUIRE_UINT(b->task_count, a->task_count);
	CHECK(!a->task_count || !memcmp(b->tasks, a->tasks, a->task_count * sizeof(*a->tasks)));
	CHECK(!memcmp(b->channels, a->channels, sizeof(a->channels)));
	CHECK(!memcmp(b->memory, a->memory, a->memory_count * sizeof(*a->memory)));
}

/* Whatever makes edges: a move waits for the tasks that it follows. */
TEST(threads_and_rules_change_nothing)
{
	static const unsigned rules[] = {PTOWSP_DEPS_BYTES_OVERLAP, PTOWSP_DEPS_TENSOR_MAP_EXACT, PTOWSP_DEPS_EXPLICIT};
	uint32_t brief_ns = rt_crew_rules.brief_ns;

	rt_crew_rules.brief_ns = 0; /* every task goes to the workers */
	for (unsigned flags = 0; flags <= BUILDER_LATER; flags += BUILDER_LATER)
		for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
			struct builder *b = stages_make(rules[i], flags);
			struct outcome_how how = {.seed = 3};
			struct outcome *one = builder_run(b, &how), *more;

			CHECK_STR(one->error.text, "");
			CHECK_UINT(one->task_count, 36);
			for (how.threads = 2; how.threads <= 8; how.threads *= 2) {
				more = builder_run(b, &how);
				check_same(one, more);
				outcome_destroy(more);
			}
			outcome_done(b, one);
		}
	rt_crew_rules.brief_ns = brief_ns;
}

static uint64_t state;

static uint32_t pick(uint32_t limit)
{
	return (uint32_t)draw(&state, limit);
}

/* Some rows of one of two tensors: where everybody works, sends from and receives. */
static uint32_t rows_somewhere(struct builder *b, uint32_t columns, bool token)
{
	uint32_t row = builder_const(b, pick(7));

	if (token && pick(2))
		row = builder_expr(b, PTOWSP_EXPR_MOD, loop_of(b), builder_const(b, 7), 0);
	return builder_region(b, pick(2), row, builder_const(b, columns == 8 ? 0 : pick(4)), 2, columns);
}

static void tasks_add(struct builder *b, bool token)
{
	static const char *const access[] = {"rw", "rr", "mr", "mw"};

	for (uint32_t n = pick(3); n; n--)
		builder_task(b, pick(2), 1 + pick(9), access[pick(4)], rows_somewhere(b, 8, token), rows_somewhere(b, 4, token));
}

/* Up to three stages of up to three instances that all work on the same elements; only turns say who comes first. */
static struct builder *random_make(void)
{
	struct builder *b = builder_create();
	uint32_t stages = 1 + pick(3), columns = pick(2) ? 8 : 4, channels[3];

	for (int i = 0; i < 2; i++) {
		builder_kernel_flags(b, builder_kernel(b, i ? "l" : "k", PTOWSP_UNIT_AIV, 1, 2), i ? BUILDER_LATER : pick(4) ? 0 : BUILDER_SLOW);
		builder_tensor(b, i ? "u" : "t", PTOWSP_I64, 8, 8);
	}
	for (uint32_t i = 0; i < stages; i++)
		channels[i] = builder_payload(b, i ? i == 1 ? "b" : "c" : "a", pick(4), pick(3));
	for (uint32_t i = 0; i <= stages; i++) {
		builder_process(b, "p", 1 + pick(3));
		if (i)
			builder_consume_block(b, channels[i - 1], rows_somewhere(b, columns, true));
		else
			builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 1 + pick(8));
		tasks_add(b, true);
		if (i < stages)
			builder_send_block(b, channels[i], loop_of(b), rows_somewhere(b, columns, true));
		tasks_add(b, true);
		builder_end(b);
	}
	return b;
}

TEST(random_pipelines_move_the_same_with_any_number_of_threads)
{
	uint32_t brief_ns = rt_crew_rules.brief_ns;

	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct outcome_how how = {.seed = seed};
		struct outcome *one, *more;
		struct builder *b;

		state = draw_seed(seed);
		b = random_make();
		rt_crew_rules.brief_ns = seed % 4 ? 0 : brief_ns;
		one = builder_run(b, &how);
		CHECK_STR(one->error.text, "");
		for (how.threads = 2; how.threads <= 4; how.threads += 2) {
			more = builder_run(b, &how);
			check_same(one, more);
			outcome_destroy(more);
		}
		outcome_done(b, one);
	}
	rt_crew_rules.brief_ns = brief_ns;
}

/* What a process reads that took no part in the transfer follows the order of turns: the copy is made when it is issued. */
TEST(others_see_what_arrived_in_the_order_of_turns)
{
	struct builder *b = builder_create();
	uint32_t a = builder_tensor(b, "a", PTOWSP_I64, 1, 1), to = builder_tensor(b, "to", PTOWSP_I64, 1, 1), r = builder_tensor(b, "r", PTOWSP_I64, 2, 1);
	uint32_t copy = builder_payload(b, "c", 1, 0), zero = builder_const(b, 0), none = builder_kernel(b, "none", PTOWSP_UNIT_AIV, 1, 0);
	uint32_t from = builder_region(b, a, zero, zero, 1, 1), there = builder_region(b, to, zero, zero, 1, 1);
	struct outcome_how how = {.content = (const uint64_t[]){11, 22, 0, 0}, .content_count = 4, .threads = 2};
	struct outcome *o;

	builder_process(b, "looks", 1);
	builder_copy(b, there, builder_region(b, r, zero, zero, 1, 1)); /* turn 1: before */
	builder_task(b, none, 1, "");
	builder_copy(b, there, builder_region(b, r, builder_const(b, 1), zero, 1, 1)); /* turn 3: behind */
	builder_process(b, "sends", 1);
	builder_send_block(b, copy, zero, from);
	builder_process(b, "takes", 1);
	builder_consume_block(b, copy, there);
	builder_end(b);
	o = builder_run(b, &how);
	CHECK_STR(o->error.text, "");
	CHECK_UINT(o->memory[1], 11);
	CHECK_UINT(o->memory[2], 22);
	CHECK_UINT(o->memory[3], 11);
	outcome_done(b, o);
}

/* More pieces than are looked at between two deadlines, and than are kept when nobody asks any more. */
TEST(what_nobody_follows_is_forgotten)
{
	struct builder *b = builder_create();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 5000, 2), k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0);
	uint32_t c = builder_payload(b, "c", 1, 0), row = loop_of(b), last = builder_expr(b, PTOWSP_EXPR_SUB, builder_const(b, 4999), row, 0);
	uint32_t to = builder_tensor(b, "to", PTOWSP_I64, 5000, 2);
	struct outcome_how how = {.seed = 5, .threads = 2};
	struct outcome *o;

	builder_process(b, "p", 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5000);
	builder_task(b, k, 1, "w", builder_region(b, t, last, zero, 1, 1));
	builder_send_block(b, c, row, builder_region(b, t, last, zero, 1, 1));
	builder_end(b);
	builder_process(b, "q", 1);
	builder_consume_block(b, c, builder_region(b, to, row, zero, 1, 1));
	builder_task(b, k, 2, "m", builder_region(b, to, row, builder_const(b, 1), 1, 1));
	builder_end(b);
	o = builder_run(b, &how);
	CHECK_STR(o->error.text, "");
	CHECK_UINT(o->channels[0].payload_bytes, 5000 * 8);
	for (uint32_t i = 0; i < 5000; i += 617)
		CHECK_UINT(o->memory[10000 + 2 * i], o->memory[2 * (4999 - i)]);
	outcome_done(b, o);
}

/* ---- resources ------------------------------------------------------------------------------------------------- */

TEST(blocks_are_bounded_by_the_memory_limit)
{
	struct builder *b = copier_make(3, 1, 1); /* 48 bytes in a block, each at a multiple of 64 */
	struct outcome_how how = {.memory = 3 * 64 - 1}, counted = {.memory = 1, .flags = PTOWSP_RUN_NO_KERNELS};
	struct outcome *o = builder_run(b, &how);

	CHECK_INT(o->status, PTOWSP_TOO_BIG);
	CHECK_STR(o->error.text, "the blocks of payload channels up to c need 192 bytes, the limit is 191; lower channel_capacity=c,N or raise --max-memory");
	outcome_destroy(o);
	how.memory++;
	o = builder_run(b, &how);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_destroy(o);
	o = builder_run(b, &counted);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_destroy(o);
	builder_schedule(b, PTOWSP_DIRECTIVE_CHANNEL_CAPACITY, PTOWSP_CHANNEL_CAPACITY_CAPACITY, "wn", "c", INT64_C(4000000000));
	how.memory = UINT64_C(1) << 37;
	o = builder_run(b, &how);
	CHECK_INT(o->status, PTOWSP_TOO_BIG);
	outcome_done(b, o);
}

/* A package may write any capacity. */
TEST(without_a_memory_limit_blocks_are_bounded_too)
{
	static const int64_t capacities[] = {(INT64_C(1) << 26) + 1, UINT32_MAX};

	for (size_t i = 0; i < sizeof(capacities) / sizeof(*capacities); i++) {
		struct builder *b = copier_make(3, 1, 1);
		struct outcome *o;

		builder_schedule(b, PTOWSP_DIRECTIVE_CHANNEL_CAPACITY, PTOWSP_CHANNEL_CAPACITY_CAPACITY, "wn", "c", capacities[i]);
		o = builder_run(b, NULL);
		CHECK_INT(o->status, PTOWSP_TOO_BIG);
		CHECK_CONTAINS(o->error.text, "the blocks of payload channels up to c need ");
		CHECK_CONTAINS(o->error.text, " bytes, the limit is 4294967296; lower channel_capacity=c,N or state --max-memory");
		outcome_done(b, o);
	}
}

/* ---- deadlocks ------------------------------------------------------------------------------------------------- */

static struct builder *talkers_make(void)
{
	struct builder *b = builder_create();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 4, 4), zero = builder_const(b, 0), c[2];

	for (int i = 0; i < 2; i++)
		c[i] = builder_payload(b, i ? "ba" : "ab", 1, 0);
	for (int i = 0; i < 2; i++) {
		uint32_t mine = builder_region(b, t, builder_const(b, i), zero, 1, 4);

		builder_process(b, i ? "b" : "a", 1);
		builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
		builder_send_block(b, c[i], zero, mine);
		builder_end(b);
		builder_close(b, c[i]);
		builder_consume_block(b, c[!i], mine);
		builder_end(b);
	}
	return b;
}

TEST(a_cycle_of_full_channels_proposes_a_capacity)
{
	struct builder *b = talkers_make();
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(deadlock, DEADLOCK)};
	struct rt_program *program = NULL;
	struct outcome *o = builder_run(b, NULL);

	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_STR(o->deadlock.option, "--schedule channel_capacity=ab,2");
	CHECK_UINT(o->deadlock.waiting[0].instruction, 2);
	CHECK_CONTAINS(o->deadlock.text, "a waits at instruction 2 to send into ab, which is full: 1 of 1");
	outcome_destroy(o);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_channels_check(program, &deadlock, &error), PTOWSP_DEADLOCK);
	CHECK_STR(deadlock.option, "--schedule channel_capacity=ab,2");
	rt_program_destroy(program);
	builder_schedule(b, PTOWSP_DIRECTIVE_CHANNEL_CAPACITY, PTOWSP_CHANNEL_CAPACITY_CAPACITY, "wn", "ab", INT64_C(4));
	o = builder_run(b, NULL);
	CHECK_STR(o->error.text, "");
	CHECK_UINT(o->channels[0].payload_bytes, 4 * 32);
	outcome_done(b, o);
}
