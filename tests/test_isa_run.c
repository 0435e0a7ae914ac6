/* SPDX-License-Identifier: MIT
 * test_isa_run.c - control flow, scalars, addresses and their errors, as a task sees them. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "isa/state.h"
#include "tile_builder.h"

static struct tile_builder b;
static struct tile_task task;
static struct isa_program *program;
static float memory[2][4096];

/* Starts a program with memrefs %in and %out (0 and 1), f32, both 4096 elements. */
static void begin(void)
{
	tile_begin(&b, "probe");
	tile_param(&b, "in", PTOWSP_F32);
	tile_param(&b, "out", PTOWSP_F32);
	tile_task_begin(&task);
	for (unsigned i = 0; i < 2; i++)
		tile_window(&task, i, memory[i], PTOWSP_F32, 4096);
	for (unsigned i = 0; i < 4096; i++) {
		memory[0][i] = (float)i;
		memory[1][i] = -1.0f;
	}
}

static ptowsp_status run(void)
{
	ptowsp_status status = tile_create(&b, &program, &task.error);

	if (status) {
		CHECK_FAIL("%s", task.error.text);
		return status;
	}
	if (isa_program_unusable(program))
		CHECK_FAIL("%s", isa_program_unusable(program));
	status = tile_run(&task, program);
	isa_program_destroy(program);
	tile_finish(&b);
	return status;
}

static void run_fails(ptowsp_status want, const char *sentence)
{
	task.task.number = 42;
	task.task.kernel = 7;
	CHECK_INT(run(), want);
	CHECK_STR(task.error.text, sentence);
	CHECK_INT(task.error.code, want);
	CHECK_UINT(task.error.domain, PTOWSP_DOMAIN_KERNEL);
	CHECK_UINT(task.error.where[0], 42);
	CHECK_UINT(task.error.where[1], 7);
}

/* Writes a scalar to %out[at] as f32. */
static void put(unsigned scalar, unsigned at)
{
	const unsigned f = tile_local(&b, "f", PTOWSP_F32, 0);

	tile_op(&b, PTOWSP_PTO_MOV, f, scalar);
	tile_op(&b, PTOWSP_PTO_STORE, f, 1, tile_int(&b, at));
}

static void for_counts_from_lower_to_upper_exclusive(void)
{
	unsigned i, n;

	begin();
	i = tile_local(&b, "i", PTOWSP_I32, 0);
	n = tile_local(&b, "n", PTOWSP_I32, 0);
	tile_for(&b, i, tile_int(&b, 2), tile_int(&b, 9), tile_int(&b, 3));
	tile_op(&b, PTOWSP_PTO_ADD, n, n, tile_int(&b, 1));
	put(i, 10);
	tile_end(&b);
	put(i, 0);
	put(n, 1);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][10], 8, 0); /* the last round */
	CHECK_NEAR(memory[1][0], 11, 0); /* seen afterwards */
	CHECK_NEAR(memory[1][1], 3, 0);
}

static void for_with_nothing_to_do_is_skipped(void)
{
	unsigned i;

	begin();
	i = tile_local(&b, "i", PTOWSP_I64, 99);
	tile_for(&b, i, tile_int(&b, 5), tile_int(&b, 5), tile_int(&b, 1));
	put(i, 1);
	tile_end(&b);
	put(i, 0);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 5, 0);
	CHECK_NEAR(memory[1][1], -1, 0);
}

static void for_ends_at_the_largest_integer(void)
{
	unsigned i, n;

	begin();
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	n = tile_local(&b, "n", PTOWSP_I64, 0);
	tile_for(&b, i, tile_int(&b, INT64_MAX - 5), tile_int(&b, INT64_MAX), tile_int(&b, 4));
	tile_op(&b, PTOWSP_PTO_ADD, n, n, tile_int(&b, 1));
	tile_end(&b);
	put(n, 0);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 2, 0);
}

static void for_needs_a_positive_step(void)
{
	begin();
	tile_for(&b, tile_local(&b, "i", PTOWSP_I64, 0), tile_int(&b, 0), tile_int(&b, 5), tile_int(&b, 0));
	tile_end(&b);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: FOR needs a positive step, got 0");
}

static void break_and_continue_mean_the_inner_loop(void)
{
	unsigned i, j, n, c;

	begin();
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	j = tile_local(&b, "j", PTOWSP_I64, 0);
	n = tile_local(&b, "n", PTOWSP_I64, 0);
	c = tile_local(&b, "c", PTOWSP_BOOL, 0);
	tile_for(&b, i, tile_int(&b, 0), tile_int(&b, 3), tile_int(&b, 1));
	tile_for(&b, j, tile_int(&b, 0), tile_int(&b, 100), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_CMP, c, j, tile_int(&b, 2));
	tile_mode(&b, PTOWSP_COMPARE_LT);
	tile_if(&b, c);
	tile_op(&b, PTOWSP_PTO_CONTINUE);
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_CMP, c, j, tile_int(&b, 5));
	tile_mode(&b, PTOWSP_COMPARE_EQ);
	tile_if(&b, c);
	tile_op(&b, PTOWSP_PTO_BREAK);
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_ADD, n, n, tile_int(&b, 1)); /* j = 2, 3, 4 */
	tile_end(&b);
	tile_end(&b);
	put(n, 0);
	put(j, 1);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 9, 0);
	CHECK_NEAR(memory[1][1], 5, 0);
}

static void while_runs_until_its_condition_fails(void)
{
	unsigned x, c;

	begin();
	x = tile_local(&b, "x", PTOWSP_I32, 100);
	c = tile_local(&b, "c", PTOWSP_BOOL, 0);
	tile_while(&b);
	tile_op(&b, PTOWSP_PTO_CMP, c, x, tile_int(&b, 3));
	tile_mode(&b, PTOWSP_COMPARE_GE);
	tile_do(&b, c);
	tile_op(&b, PTOWSP_PTO_DIV, x, x, tile_int(&b, 2));
	tile_end(&b);
	put(x, 0);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 1, 0); /* 100 50 25 12 6 3 1 */
}

/* a ? 1 : 2 into %out[at] */
static void choose(unsigned condition, unsigned mode, unsigned at)
{
	tile_if(&b, condition);
	b.insts[b.open[b.depth - 1]].mode = (uint8_t)mode;
	put(tile_int(&b, 1), at);
	tile_else(&b);
	put(tile_int(&b, 2), at);
	tile_end(&b);
}

static void if_asks_for_non_zero_or_a_bit(void)
{
	begin();
	choose(tile_int(&b, 0), 0, 0);
	choose(tile_int(&b, -7), 0, 1);
	choose(tile_float(&b, -0.0f), 0, 2);
	choose(tile_float(&b, NAN), 0, 3);
	choose(tile_int(&b, 4), 3, 4);
	choose(tile_int(&b, 4), 2, 5);
	choose(tile_int(&b, -1), 64, 6);
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 7; i++)
		CHECK_NEAR(memory[1][i], "2121121"[i] - '0', 0);
}

static void return_may_stand_anywhere(void)
{
	begin();
	tile_if(&b, tile_int(&b, 1));
	put(tile_int(&b, 1), 0);
	tile_op(&b, PTOWSP_PTO_RETURN);
	tile_end(&b);
	put(tile_int(&b, 2), 0);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 1, 0);
}

static void endless_loops_end(void)
{
	void *scratch = aligned_alloc(64, 1024);

	begin();
	tile_while(&b);
	tile_do(&b, tile_int(&b, 1));
	tile_end(&b);
	REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
	CHECK_INT(isa_run_within(program, &task.task, &task.out, scratch, 1000), PTOWSP_RUN_FAILED);
	CHECK_STR(task.error.text, "kernel probe line 3: jumped back 1000 times; the loop seems to have no end");
	CHECK_INT(task.error.code, PTOWSP_RUN_FAILED);
	isa_program_destroy(program);
	tile_finish(&b);
	free(scratch);
}

static int stop_at(void *context)
{
	return ++*(unsigned *)context == 5;
}

/* WHILE without end; a guard that never stops changes nothing. */
static void a_guard_ends_runs_and_walks(void)
{
	void *scratch = aligned_alloc(64, 1024);
	unsigned asked = 0;
	const struct isa_guard guard = { stop_at, &asked };
	uint64_t cycles;

	for (int end = 0; end < 2; end++) {
		begin();
		tile_while(&b);
		tile_do(&b, tile_int(&b, !end));
		tile_end(&b);
		REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
		asked = 0;
		CHECK_INT(isa_run_guarded(program, &task.task, &task.out, scratch, &guard), end ? PTOWSP_OK : PTOWSP_CANCELLED);
		CHECK_UINT(asked, end ? 0 : 5);
		asked = 0;
		CHECK_INT(isa_walk_guarded(program, NULL, 0, NULL, NULL, &guard, &cycles, &task.error),
			  end ? PTOWSP_OK : PTOWSP_CANCELLED);
		CHECK_UINT(asked, end ? 0 : 5);
		CHECK_STR(task.error.text, end ? "" : "kernel probe was stopped");
		task.error.text[0] = 0;
		isa_program_destroy(program);
		tile_finish(&b);
	}
	free(scratch);
}

/* A run that used up its jumps goes on where it was. */
static void a_state_can_be_resumed(void)
{
	struct isa_state st = { .budget = 3 };
	unsigned i, n, rounds = 1;

	begin();
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	n = tile_local(&b, "n", PTOWSP_I64, 0);
	tile_for(&b, i, tile_int(&b, 0), tile_int(&b, 10), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_ADD, n, n, i);
	tile_end(&b);
	REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
	st.program = program;
	st.task = &task.task;
	st.scratch = aligned_alloc(64, 1024);
	st.scalars = (uint64_t *)(void *)st.scratch;
	memcpy(st.scalars, program->initial, program->header.scalar_count * sizeof(uint64_t));
	while (isa_state_run(&st) == PTOWSP_AGAIN && rounds < 100) {
		st.budget = 3;
		rounds++;
	}
	CHECK_UINT(rounds, 4);
	CHECK_UINT(st.scalars[n], 45);
	free(st.scratch);
	isa_program_destroy(program);
	tile_finish(&b);
}

static int64_t scalar_op(unsigned op, unsigned dtype, int64_t x, int64_t y)
{
	unsigned d;
	int32_t got[2] = { 0, 0 };

	tile_begin(&b, "probe");
	tile_param(&b, "out", PTOWSP_I32);
	tile_task_begin(&task);
	tile_window(&task, 0, got, PTOWSP_I32, 2);
	d = tile_local(&b, "d", dtype, 0);
	tile_op(&b, op, d, tile_int(&b, x), tile_int(&b, y));
	tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_DIV, d, d, tile_int(&b, INT64_C(1) << 32));
	tile_op(&b, PTOWSP_PTO_STORE, d, 0, tile_int(&b, 1));
	CHECK_INT(run(), PTOWSP_OK);
	return dtype == PTOWSP_I64 ? (int64_t)got[1] * (INT64_C(1) << 32) + (uint32_t)got[0] : got[0];
}

static void scalars_wrap_at_their_own_width(void)
{
	CHECK_INT(scalar_op(PTOWSP_PTO_ADD, PTOWSP_I32, INT32_MAX, 1), INT32_MIN);
	CHECK_INT(scalar_op(PTOWSP_PTO_ADD, PTOWSP_I64, INT32_MAX, 1), 2147483648);
	CHECK_INT(scalar_op(PTOWSP_PTO_ADD, PTOWSP_BOOL, 1, 1), 1);
	CHECK_INT(scalar_op(PTOWSP_PTO_SUB, PTOWSP_BOOL, 1, 1), 0);
	CHECK_INT(scalar_op(PTOWSP_PTO_SUB, PTOWSP_I32, INT32_MIN, 1), INT32_MAX);
	CHECK_INT(scalar_op(PTOWSP_PTO_MUL, PTOWSP_I32, 65536, 65536), 0);
	CHECK_INT(scalar_op(PTOWSP_PTO_MUL, PTOWSP_I64, 65536, 65537), 4295032832);
	CHECK_INT(scalar_op(PTOWSP_PTO_DIV, PTOWSP_I32, -7, 2), -3);
	CHECK_INT(scalar_op(PTOWSP_PTO_DIV, PTOWSP_I32, INT32_MIN, -1), INT32_MIN);
	CHECK_INT(scalar_op(PTOWSP_PTO_DIV, PTOWSP_I64, INT64_MIN, -1), INT64_MIN);
}

static void dividing_a_scalar_by_zero_is_an_error(void)
{
	begin();
	tile_op(&b, PTOWSP_PTO_DIV, tile_local(&b, "d", PTOWSP_I32, 0), tile_int(&b, 5), tile_local(&b, "zero", PTOWSP_I32, 0));
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: DIV of 5 by 0 (%zero)");
}

static float float_op(unsigned op, float x, float y)
{
	unsigned d;

	begin();
	d = tile_local(&b, "d", PTOWSP_F32, 0);
	tile_op(&b, op, d, tile_float(&b, x), tile_float(&b, y));
	tile_op(&b, PTOWSP_PTO_STORE, d, 1, tile_int(&b, 0));
	CHECK_INT(run(), PTOWSP_OK);
	return memory[1][0];
}

static void float_scalars_follow_ieee(void)
{
	CHECK(float_op(PTOWSP_PTO_ADD, 16777216.0f, 1.0f) == 16777216.0f);
	CHECK(float_op(PTOWSP_PTO_SUB, 0.5f, 0.75f) == -0.25f);
	CHECK(float_op(PTOWSP_PTO_MUL, 1e30f, 1e30f) == INFINITY);
	CHECK(float_op(PTOWSP_PTO_DIV, -1.0f, 0.0f) == -INFINITY);
}

static int32_t converted(unsigned dtype, float x)
{
	unsigned d;

	begin();
	d = tile_local(&b, "d", dtype, 77);
	tile_op(&b, PTOWSP_PTO_LI, d, tile_float(&b, x));
	put(d, 0);
	CHECK_INT(run(), PTOWSP_OK);
	return memory[1][0] >= 2147483648.0f ? INT32_MAX : (int32_t)memory[1][0];
}

static void li_converts_toward_zero_and_saturates(void)
{
	CHECK_INT(converted(PTOWSP_I32, 2.9f), 2);
	CHECK_INT(converted(PTOWSP_I32, -2.9f), -2);
	CHECK_INT(converted(PTOWSP_I32, 3e9f), INT32_MAX);
	CHECK_INT(converted(PTOWSP_I32, -3e9f), INT32_MIN);
	CHECK_INT(converted(PTOWSP_I32, NAN), 0);
	CHECK_INT(converted(PTOWSP_BOOL, 0.5f), 0);
	CHECK_INT(converted(PTOWSP_BOOL, -8.0f), 1);
	CHECK_INT(converted(PTOWSP_F32, -2.0f), -2);
}

static void comparisons_cover_six_modes_of_both_classes(void)
{
	static const char want[6][4] = { "010", "101", "100", "110", "001", "011" }; /* of 1, 2, 3 with 2 */

	for (unsigned mode = 0; mode < 6; mode++) {
		begin();
		for (unsigned i = 0; i < 3; i++) {
			const unsigned c = tile_local(&b, "c", PTOWSP_BOOL, 0), f = tile_local(&b, "g", PTOWSP_I32, 0);

			tile_op(&b, PTOWSP_PTO_CMP, c, tile_int(&b, i + 1), tile_int(&b, 2));
			tile_mode(&b, mode);
			put(c, i);
			tile_op(&b, PTOWSP_PTO_CMP, f, tile_float(&b, (float)i + 1.0f), tile_float(&b, 2.0f));
			tile_mode(&b, mode);
			put(f, 3 + i);
		}
		CHECK_INT(run(), PTOWSP_OK);
		for (unsigned i = 0; i < 6; i++)
			CHECK_NEAR(memory[1][i], want[mode][i % 3] - '0', 0);
	}
}

/* tload %in[r, c], tstore %out[0, 0] of an 8x8 tile */
static void move(int64_t r, int64_t c)
{
	unsigned x;

	begin();
	x = tile_tile(&b, "x", 8, 8, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, r), tile_int(&b, c));
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 0), tile_int(&b, 0));
}

static void tload_counts_rows_in_whole_tiles(void)
{
	move(3, 5);
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 64; i++)
		CHECK_NEAR(memory[1][i], 3 * 64 + 5 + i, 0);
	CHECK_NEAR(memory[1][64], -1, 0);
	move(63, 0);
	CHECK_INT(run(), PTOWSP_OK);
}

static void addresses_outside_the_window_are_errors(void)
{
	move(64, 0);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads elements [4096, 4160) of %in, which has 4096");
	move(63, 1);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads elements [4033, 4097) of %in, which has 4096");
	move(-1, 0);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads elements [-64, 0) of %in, which has 4096");
	move(0, 0);
	task.tensors[1].columns = 63;
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 2: tstore writes elements [0, 64) of %out, which has 63");
	move(INT64_MAX, INT64_MAX);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
	move(INT64_MIN, INT64_MIN);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
	move(INT64_MIN, INT64_MAX);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
}

static void windows_with_rows_are_addressed_as_a_grid(void)
{
	move(1, 2);
	tile_grid(&task, 0, memory[0] + 100, PTOWSP_F32, 16, 10, 50, 1);
	tile_grid(&task, 1, memory[1], PTOWSP_F32, 8, 8, 2, 100); /* columns far apart */
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < 8; j++)
			CHECK_NEAR(memory[1][i * 2 + j * 100], 100 + (8 + i) * 50 + 2 + j, 0);
	CHECK_NEAR(memory[1][1], -1, 0);
}

static void grids_have_borders(void)
{
	move(1, 3);
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 16, 10, 50, 1);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads 8x8 at row 8, column 3 of %in, which is 16x10");
	move(2, 0);
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 16, 10, 50, 1);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads 8x8 at row 16, column 0 of %in, which is 16x10");
	move(-1, 0);
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 16, 10, 50, 1);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
}

static void store_with_scale_multiplies_each_column(void)
{
	unsigned x, s;

	begin();
	x = tile_tile(&b, "x", 4, 3, PTOWSP_F32);
	s = tile_tile(&b, "s", 1, 3, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 0), tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TLOAD, s, 0, tile_int(&b, 0), tile_int(&b, 5));
	tile_op(&b, PTOWSP_PTO_TSTORE_FP, x, s, 1, tile_int(&b, 1), tile_int(&b, 2));
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 12; i++)
		CHECK_NEAR(memory[1][12 + 2 + i], (float)i * (float)(5 + i % 3), 0);
	CHECK_NEAR(memory[1][13], -1, 0);
	CHECK_NEAR(memory[1][26], -1, 0);
}

static void store_with_scale_follows_the_rows_of_a_grid(void)
{
	unsigned x, s;

	begin();
	x = tile_tile(&b, "x", 4, 3, PTOWSP_F32);
	s = tile_tile(&b, "s", 1, 3, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 0), tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TLOAD, s, 0, tile_int(&b, 0), tile_int(&b, 5));
	tile_op(&b, PTOWSP_PTO_TSTORE_FP, x, s, 1, tile_int(&b, 1), tile_int(&b, 2));
	tile_grid(&task, 1, memory[1], PTOWSP_F32, 9, 8, 100, 3);
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned j = 0; j < 3; j++)
			CHECK_NEAR(memory[1][(4 + i) * 100 + (2 + j) * 3], (float)(i * 3 + j) * (float)(5 + j), 0);
}

/* mgather or mscatter of a 2x3 tile with these indices */
static void indexed(unsigned op, const int32_t index[6])
{
	unsigned x, i;

	begin();
	x = tile_tile(&b, "x", 2, 3, PTOWSP_F32);
	i = tile_tile(&b, "i", 2, 3, PTOWSP_I32);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 1), tile_int(&b, 0));
	for (unsigned k = 0; k < 6; k++)
		tile_op(&b, PTOWSP_PTO_SETVAL, i, tile_int(&b, k), tile_int(&b, index[k]));
	if (op == PTOWSP_PTO_MGATHER) {
		tile_op(&b, op, x, 0, i);
		tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 0), tile_int(&b, 0));
	} else {
		tile_op(&b, op, x, 1, i);
	}
}

static void gather_and_scatter_go_element_by_element(void)
{
	static const int32_t index[6] = { 4095, 0, 7, 7, 1000, 2 };

	indexed(PTOWSP_PTO_MGATHER, index);
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned k = 0; k < 6; k++)
		CHECK_NEAR(memory[1][k], index[k], 0);
	indexed(PTOWSP_PTO_MSCATTER, index);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][4095], 6, 0);
	CHECK_NEAR(memory[1][7], 9, 0); /* the later one */
	CHECK_NEAR(memory[1][2], 11, 0);
}

static void gather_and_scatter_check_each_index(void)
{
	static const int32_t high[6] = { 0, 0, 4096, 0, 0, 0 }, low[6] = { 0, 0, 0, 0, 0, -1 };

	indexed(PTOWSP_PTO_MGATHER, high);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 8: mgather reads element 4096 of %in, which has 4096");
	indexed(PTOWSP_PTO_MSCATTER, low);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 8: mscatter writes element -1 of %out, which has 4096");
}

static void flat_elements_of_a_grid_go_row_by_row(void)
{
	unsigned f;

	begin();
	f = tile_local(&b, "f", PTOWSP_F32, 0);
	tile_op(&b, PTOWSP_PTO_LOAD, f, 0, tile_int(&b, 23));
	tile_op(&b, PTOWSP_PTO_STORE, f, 1, tile_int(&b, 0));
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 3, 10, 50, 2);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 2 * 50 + 3 * 2, 0);
	begin();
	f = tile_local(&b, "f", PTOWSP_F32, 0);
	tile_op(&b, PTOWSP_PTO_LOAD, f, 0, tile_int(&b, 30));
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 3, 10, 50, 2);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: LOAD reads element 30 of %in, which has 30");
}

static void single_elements_are_checked(void)
{
	unsigned x;

	begin();
	x = tile_tile(&b, "x", 2, 2, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_SETVAL, x, tile_int(&b, 4), tile_float(&b, 1));
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: setval of element 4 of %x, which has 4");
	begin();
	x = tile_tile(&b, "x", 2, 2, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_GETVAL, tile_local(&b, "f", PTOWSP_F32, 0), x, tile_int(&b, -1));
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: getval of element -1 of %x, which has 4");
}

static void getval_and_setval_move_one_element(void)
{
	unsigned x, f;

	begin();
	x = tile_tile(&b, "x", 2, 2, PTOWSP_F32);
	f = tile_local(&b, "f", PTOWSP_F32, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 1), tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_GETVAL, f, x, tile_int(&b, 2));
	tile_op(&b, PTOWSP_PTO_SETVAL, x, tile_int(&b, 0), f);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 0), tile_int(&b, 0));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 6, 0);
	CHECK_NEAR(memory[1][1], 5, 0);
}

static void offsets_inside_tiles_are_checked(void)
{
	unsigned x, y, i;

	begin();
	x = tile_tile(&b, "x", 8, 8, PTOWSP_F32);
	y = tile_tile(&b, "y", 2, 3, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TEXTRACT, y, x, tile_int(&b, 6), tile_int(&b, 6));
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: textract takes 2x3 at [6, 6] of %x, which is 8x8");
	begin();
	x = tile_tile(&b, "x", 1, 6, PTOWSP_F32);
	i = tile_tile(&b, "i", 1, 6, PTOWSP_I32);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, i, tile_int(&b, 6));
	tile_op(&b, PTOWSP_PTO_TGATHER, x, x, i);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 2: tgather index 6 at element 0 of %i; elements 0 to 5 are there");
	begin();
	x = tile_tile(&b, "x", 1, 6, PTOWSP_F32);
	i = tile_tile(&b, "i", 1, 6, PTOWSP_I32);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, i, tile_int(&b, 2));
	tile_op(&b, PTOWSP_PTO_TGATHERB, x, x, i);
	run_fails(PTOWSP_KERNEL_FAILED,
		  "kernel probe line 2: tgatherb index 2 at element 0 of %i; multiples of 4 from bytes 0 to 23 are there");
	begin();
	x = tile_tile(&b, "x", 1, 6, PTOWSP_F32);
	i = tile_tile(&b, "i", 1, 6, PTOWSP_I32);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, i, tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TSCATTER, x, x, i);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 2: tscatter index 1 at element 0 of %i; rows 0 to 0 are there");
}

/* Scratch is full of rubbish here: what is read before it is written must be zeros. */
static void unwritten_tiles_hold_zeros(void)
{
	unsigned x, y, z;

	begin();
	x = tile_tile(&b, "x", 8, 8, PTOWSP_F32);
	y = tile_tile(&b, "y", 8, 8, PTOWSP_F32);
	z = tile_tile(&b, "z", 8, 8, PTOWSP_F32);
	tile_if(&b, tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TEXPANDS, y, tile_float(&b, 5));
	tile_op(&b, PTOWSP_PTO_TEXPANDS, z, tile_float(&b, 5));
	tile_else(&b);
	tile_op(&b, PTOWSP_PTO_TSTORE, z, 1, tile_int(&b, 1), tile_int(&b, 0));
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_SETVAL, x, tile_int(&b, 1), tile_float(&b, 3));
	tile_op(&b, PTOWSP_PTO_TADD, x, x, y);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 0), tile_int(&b, 0));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 0, 0);
	CHECK_NEAR(memory[1][1], 3, 0);
	CHECK_NEAR(memory[1][63], 0, 0);
	CHECK_NEAR(memory[1][64], 0, 0);
}

static void arguments_reach_their_scalars(void)
{
	unsigned second, first;

	begin();
	second = tile_scalar(&b, "second", PTOWSP_F32, PTOWSP_SCALAR_ARG, 1);
	first = tile_scalar(&b, "first", PTOWSP_I32, PTOWSP_SCALAR_ARG, 0);
	put(first, 0);
	put(second, 1);
	tile_task_arg(&task, UINT64_C(0x100000000) + 5); /* an i32 takes the low half */
	tile_task_arg(&task, tile_bits(0.25f));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 5, 0);
	CHECK_NEAR(memory[1][1], 0.25, 0);
}

static void tasks_that_do_not_fit_are_refused(void)
{
	begin();
	put(tile_arg(&b, "n", PTOWSP_I32), 0);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe: takes 2 tensors and 1 scalars, the task has 2 and 0");
	begin();
	task.tensors[1].dtype = PTOWSP_I32;
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe: %out is f32, the task's tensor is i32");
	move(0, 0);
	task.tensors[1].access = PTOWSP_READ;
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe: writes %out, which the task does not allow");
}

static void tensors_may_lie_further_apart(void)
{
	struct {
		struct ptowsp_tensor_arg arg;
		uint64_t more[3];
	} wide[2];

	move(0, 0);
	memset(wide, 0xFF, sizeof(wide));
	wide[0].arg = task.tensors[0];
	wide[1].arg = task.tensors[1];
	task.task.tensors = &wide[0].arg;
	task.task.tensor_stride = sizeof(wide[0]);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][63], 63, 0);
}

static void cycles_follow_the_reference_model(void)
{
	unsigned x, y, z, s;

	begin();
	x = tile_tile(&b, "x", 8, 16, PTOWSP_F32);
	y = tile_tile(&b, "y", 16, 4, PTOWSP_F32);
	z = tile_tile(&b, "z", 8, 4, PTOWSP_F32);
	s = tile_tile(&b, "s", 8, 1, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 0), tile_int(&b, 0));   /* 128 */
	tile_op(&b, PTOWSP_PTO_TLOAD, y, 0, tile_int(&b, 0), tile_int(&b, 0));   /* 64 */
	tile_op(&b, PTOWSP_PTO_TMATMUL, z, x, y);                                /* 512 */
	tile_op(&b, PTOWSP_PTO_TMATMUL_ACC, z, z, x, y);                         /* 512 */
	tile_op(&b, PTOWSP_PTO_TROWSUM, s, x);                                   /* 8 */
	tile_op(&b, PTOWSP_PTO_TRESHAPE, x, x);                                  /* 0 */
	tile_op(&b, PTOWSP_PTO_TMRGSORT, s, z, z);                               /* 160 */
	tile_op(&b, PTOWSP_PTO_TSTORE, z, 1, tile_int(&b, 0), tile_int(&b, 0));  /* 32 */
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_UINT(task.out.cycles, 128 + 64 + 512 + 512 + 8 + 160 + 32);
}

void suite_isa_run(CU_pSuite s)
{
	TEST(s, for_counts_from_lower_to_upper_exclusive);
	TEST(s, for_with_nothing_to_do_is_skipped);
	TEST(s, for_ends_at_the_largest_integer);
	TEST(s, for_needs_a_positive_step);
	TEST(s, break_and_continue_mean_the_inner_loop);
	TEST(s, while_runs_until_its_condition_fails);
	TEST(s, if_asks_for_non_zero_or_a_bit);
	TEST(s, return_may_stand_anywhere);
	TEST(s, endless_loops_end);
	TEST(s, a_guard_ends_runs_and_walks);
	TEST(s, a_state_can_be_resumed);
	TEST(s, scalars_wrap_at_their_own_width);
	TEST(s, dividing_a_scalar_by_zero_is_an_error);
	TEST(s, float_scalars_follow_ieee);
	TEST(s, li_converts_toward_zero_and_saturates);
	TEST(s, comparisons_cover_six_modes_of_both_classes);
	TEST(s, tload_counts_rows_in_whole_tiles);
	TEST(s, addresses_outside_the_window_are_errors);
	TEST(s, windows_with_rows_are_addressed_as_a_grid);
	TEST(s, grids_have_borders);
	TEST(s, store_with_scale_multiplies_each_column);
	TEST(s, store_with_scale_follows_the_rows_of_a_grid);
	TEST(s, gather_and_scatter_go_element_by_element);
	TEST(s, gather_and_scatter_check_each_index);
	TEST(s, flat_elements_of_a_grid_go_row_by_row);
	TEST(s, single_elements_are_checked);
	TEST(s, getval_and_setval_move_one_element);
	TEST(s, offsets_inside_tiles_are_checked);
	TEST(s, unwritten_tiles_hold_zeros);
	TEST(s, arguments_reach_their_scalars);
	TEST(s, tasks_that_do_not_fit_are_refused);
	TEST(s, tensors_may_lie_further_apart);
	TEST(s, cycles_follow_the_reference_model);
}
