/* SPDX-License-Identifier: MIT
 * test_rt_level.c - adaptive tile levels: blocks, one per set bit, the residual. */
#include "rt/program/axis.h"
#include "tests/check_outcome.h"

#include <string.h>

static const uint32_t llama[6][2] = {{4096, 256}, {2048, 128}, {1024, 64}, {512, 64}, {256, 64}, {0, 32}};

/* A program of one task in a leveled loop of n; the kernel's argument is the loop's value. */
static struct builder *leveled(uint32_t max, uint32_t min, uint32_t count, const uint32_t (*levels)[2], int64_t n)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "f", PTOWSP_UNIT_AIV, 1, 0);
	uint32_t set = builder_levels(b, max, min, count, levels);
	uint32_t zero = builder_const(b, 0), high = builder_const(b, n), one = builder_const(b, 1);

	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", zero, high, one, set));
	builder_task_list(b, k, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), 0, "", NULL);
	builder_end(b);
	return b;
}

static uint32_t tasks_of(uint32_t max, uint32_t min, uint32_t count, const uint32_t (*levels)[2], int64_t n)
{
	struct builder *b = leveled(max, min, count, levels, n);
	struct outcome *o = builder_run(b, NULL);
	uint32_t tasks = o->task_count;

	CHECK_STR(o->error.text, "");
	outcome_done(b, o);
	return tasks;
}

TEST(three_hundred_units_are_one_block_of_256_and_44)
{
	struct builder *b = leveled(4096, 256, 6, llama, 300);
	struct outcome *o = builder_run(b, NULL);

	CHECK_INT(o->status, PTOWSP_OK);
	REQUIRE_UINT(o->task_count, 128 + 44);
	for (uint32_t i = 0; i < o->task_count; i++) /* cycles are the loop's value */
		CHECK_UINT(o->tasks[i].end - o->tasks[i].start, i < 128 ? 2 * i : 256 + (i - 128));
	outcome_done(b, o);
}

TEST(counts_follow_blocks_bits_and_residual)
{
	CHECK_UINT(tasks_of(4096, 256, 6, llama, 0), 0);
	CHECK_UINT(tasks_of(4096, 256, 6, llama, 255), 255);
	CHECK_UINT(tasks_of(4096, 256, 6, llama, 256), 128);
	CHECK_UINT(tasks_of(4096, 256, 6, llama, 512), 256);
	CHECK_UINT(tasks_of(4096, 256, 6, llama, 2048 + 256), 512 + 128);
	/* above max_range full blocks repeat */
	CHECK_UINT(tasks_of(4096, 256, 6, llama, 3 * 4096 + 1), 3 * 512 + 1);
	CHECK_UINT(tasks_of(1, 1, 0, NULL, 7), 7);
	CHECK_UINT(tasks_of(8, 8, 0, NULL, 7), 7);
}

TEST(negative_counts_make_no_task)
{
	CHECK_UINT(tasks_of(4096, 256, 6, llama, -5), 0);
}

static void refused(uint32_t max, uint32_t min, uint32_t block, uint32_t rows, const char *why)
{
	const uint32_t level[1][2] = {{block, rows}};
	struct builder *b = leveled(max, min, 1, level, 10);
	struct outcome *o = builder_run(b, NULL);

	CHECK_INT(o->status, PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(o->error.text, why);
	CHECK_CONTAINS(o->error.text, "instruction 0");
	outcome_done(b, o);
}

TEST(wrong_levels_are_errors_at_the_loop)
{
	refused(12, 4, 4, 32, "powers of two");
	refused(8, 3, 8, 32, "powers of two");
	refused(4, 8, 4, 32, "powers of two");
	refused(0, 0, 4, 32, "powers of two");
	refused(8, 4, 8, 48, "multiple of 32");
	refused(8, 4, 8, 0, "multiple of 32");
	refused(8, 4, 4, 256, "does not divide");
	refused(8, 4, 0, 64, "must be 32");
	refused(8, 4, 5, 32, "power of two");
}

TEST(a_leveled_loop_begins_at_0_with_step_1)
{
	struct builder *b = builder_create();
	uint32_t set = builder_levels(b, 8, 4, 0, NULL), one = builder_const(b, 1), n = builder_const(b, 9);
	uint32_t slot = builder_slot(b, "low", PTOWSP_SLOT_SYMBOL, 3);

	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", one, n, one, set));
	builder_end(b);
	check_refused(b, PTOWSP_BAD_PACKAGE, "begins at 0, not 1");
	b = builder_create(); /* a symbol is known only in the run */
	set = builder_levels(b, 8, 4, 0, NULL), one = builder_const(b, 1), n = builder_const(b, 9);
	slot = builder_slot(b, "low", PTOWSP_SLOT_SYMBOL, 3);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), n, one, set));
	builder_end(b);
	check_refused(b, PTOWSP_RUN_FAILED, "begins at 0");
}

/* Outer levels {8:64}, inner {4:128}: the outer one wins unless it is 32. */
TEST(the_outer_level_wins_and_chooses_the_kernel)
{
	static const uint32_t outer[2][2] = {{8, 64}, {0, 32}}, inner[2][2] = {{4, 128}, {0, 32}};
	struct builder *b = builder_create();
	uint32_t f = builder_kernel(b, "f", PTOWSP_UNIT_AIV, 1, 0), f64 = builder_kernel(b, "f_64", PTOWSP_UNIT_AIV, 1, 0);
	uint32_t f128 = builder_kernel(b, "f_128", PTOWSP_UNIT_AIV, 1, 0), seen[3] = {0};
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), nine = builder_const(b, 9), four = builder_const(b, 4);
	uint32_t x = builder_axis(b, "i", zero, nine, one, builder_levels(b, 8, 8, 2, outer));
	uint32_t y = builder_axis(b, "j", zero, four, one, builder_levels(b, 4, 4, 2, inner));
	struct outcome *o;

	builder_variant(b, f, 64, f64);
	builder_variant(b, f, 128, f128);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, x);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, y);
	builder_task(b, f, 1, "");
	builder_end(b);
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	for (uint32_t i = 0; i < o->task_count; i++)
		seen[o->tasks[i].kernel]++;
	/* 8/2 outer iterations at 64, each with the inner block's 4/4 iteration; then one at 32, where 128 is in force */
	CHECK_UINT(seen[f64], 4);
	CHECK_UINT(seen[f128], 1);
	CHECK_UINT(seen[f], 0);
	outcome_done(b, o);
}

TEST(a_level_without_a_kernel_is_said_once_per_kernel)
{
	static const uint32_t levels[2][2] = {{8, 64}, {0, 32}};
	struct builder *b = builder_create();
	uint32_t f = builder_kernel(b, "f", PTOWSP_UNIT_AIV, 1, 0), own = builder_kernel(b, "g_32", PTOWSP_UNIT_AIV, 1, 0);
	uint32_t zero = builder_const(b, 0), one = builder_const(b, 1), n = builder_const(b, 16);
	struct outcome *o;
	const char *at;

	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", zero, n, one, builder_levels(b, 8, 8, 2, levels)));
	builder_task(b, f, 1, "");
	builder_task(b, own, 1, "");
	builder_end(b);
	o = builder_run(b, NULL);
	at = strstr(o->log, "no form for tile level 64");
	REQUIRE(at);
	CHECK(!strstr(at + 1, "no form"));
	CHECK(!strstr(o->log, "g_32"));
	outcome_done(b, o);
}
