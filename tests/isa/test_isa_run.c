/* SPDX-License-Identifier: MIT
 * test_isa_run.c - control flow of tile programs, what ends it, arguments and cycles, as a task sees them. */
#include "tests/isa/tile_probe.h"

#include <math.h>

/* Stores of scalars f and g, as f32. */
#define LOCALS          "local i i64; local j i64; local n i64; local c bool; local f f32; local g f32\n"
#define PUT(scalar, at) "MOV f " scalar "; STORE f out " at "\n"

TEST(for_counts_from_lower_to_upper_exclusive)
{
	begin_text(LOCALS "local i i32; local n i32; for i 2 9 3; ADD n n 1; " PUT("i", "10") "end\n" PUT("i", "0") PUT("n", "1"));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][10], 8, 0); /* the last round */
	CHECK_NEAR(memory[1][0], 11, 0); /* seen afterwards */
	CHECK_NEAR(memory[1][1], 3, 0);
}

TEST(for_with_nothing_to_do_is_skipped)
{
	begin_text(LOCALS "local late i64 99; for late 5 5 1; " PUT("late", "1") "end\n" PUT("late", "0"));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 5, 0);
	CHECK_NEAR(memory[1][1], -1, 0);
}

TEST(for_ends_at_the_largest_integer)
{
	begin_text(LOCALS "for i 9223372036854775802 9223372036854775807 4; ADD n n 1; end\n" PUT("n", "0"));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 2, 0);
}

TEST(for_needs_a_positive_step)
{
	begin_text(LOCALS "for i 0 5 0; end");
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: FOR needs a positive step, got 0");
}

TEST(break_and_continue_mean_the_inner_loop)
{
	begin_text(LOCALS "for i 0 3 1; for j 0 100 1\n"
			  "  CMP c j 2 lt; if c; CONTINUE; end\n"
			  "  CMP c j 5 eq; if c; BREAK; end\n"
			  "  ADD n n 1\n" /* j = 2, 3, 4 */
			  "end; end\n" PUT("n", "0") PUT("j", "1"));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 9, 0);
	CHECK_NEAR(memory[1][1], 5, 0);
}

TEST(while_runs_until_its_condition_fails)
{
	begin_text(LOCALS "local x i32 100; while; CMP c x 3 ge; do c; DIV x x 2; end\n" PUT("x", "0"));
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

TEST(if_asks_for_non_zero_or_a_bit)
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

TEST(return_may_stand_anywhere)
{
	begin_text(LOCALS "if 1; " PUT("1", "0") "return; end\n" PUT("2", "0"));
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 1, 0);
}

TEST(endless_loops_end)
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

/* WHILE that counts for ever; a guard that never stops changes nothing. */
TEST(a_guard_ends_runs_and_walks)
{
	void *scratch = aligned_alloc(64, 1024);
	unsigned asked = 0;
	const struct isa_guard guard = {stop_at, &asked};
	uint64_t cycles;

	for (int end = 0; end < 2; end++) {
		begin_text(check_fmt("local n i64; while; ADD n n 1; do %d; end", !end));
		REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
		asked = 0;
		CHECK_INT(isa_run_guarded(program, &task.task, &task.out, scratch, &guard), end ? PTOWSP_OK : PTOWSP_CANCELLED);
		CHECK_UINT(asked, end ? 0 : 5);
		asked = 0;
		CHECK_INT(isa_walk_guarded(program, NULL, 0, (struct isa_block){0, 1}, NULL, NULL, &guard, &cycles, &task.error),
			  end ? PTOWSP_OK : PTOWSP_CANCELLED);
		CHECK_UINT(asked, end ? 0 : 5);
		CHECK_STR(task.error.text, end ? "" : "kernel probe was stopped");
		task.error.text[0] = 0;
		isa_program_destroy(program);
		tile_finish(&b);
	}
	free(scratch);
}

static int never_stop(void *context)
{
	return ++*(unsigned *)context == 100000; /* never here */
}

/* Runs and walks the text, and gives what both give. */
static ptowsp_status round_again(const char *text)
{
	void *scratch = aligned_alloc(64, 1024);
	unsigned asked = 0;
	const struct isa_guard guard = {never_stop, &asked};
	ptowsp_status ran, walked;
	uint64_t cycles;

	begin_text(text);
	REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
	ran = isa_run_guarded(program, &task.task, &task.out, scratch, &guard);
	CHECK_INT(task.error.code, ran);
	walked = isa_walk_guarded(program, NULL, 0, (struct isa_block){0, 1}, NULL, NULL, &guard, &cycles, &task.error);
	CHECK_INT(walked, ran);
	isa_program_destroy(program);
	tile_finish(&b);
	free(scratch);
	return ran;
}

TEST(what_comes_round_to_the_same_scalars_has_no_end)
{
	CHECK_INT(round_again("while; do 1; end"), PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(task.error.text, "all scalars are what they were here before; the loop has no end");
	CHECK_INT(round_again("local n i64; local c bool; while; do 1; ADD n n 1; CMP c n 7 eq; if c; MOV n 0; end; end"), PTOWSP_RUN_FAILED);
	CHECK_INT(round_again("local n i8; local i i64; while; do 1; for i 0 5 1; ADD n n i; end; end"), PTOWSP_RUN_FAILED);
	CHECK_INT(round_again("local n i64; local c bool; while; CMP c n 400000 lt; do c; ADD n n 1; end"), PTOWSP_OK);
	CHECK_INT(round_again("local n i16; local m i64; local c bool; while; CMP c m 9 lt; do c; ADD n n 1; CMP c n 0 eq; if c; ADD m m 1; end; end"),
		  PTOWSP_OK);
}

/* ---- a guard within work ------------------------------------------------------------------------------------------- */

enum { WORK_ROWS = 2048, WORK_K = 1024, WORK_COLUMNS = 16 };

/* d[i,j] = sum over k of (i K + k), by each product; more where something is added. Returns what comes on top. */
static int work_add(unsigned op)
{
	const unsigned d = tile_tile(&b, "d", WORK_ROWS, WORK_COLUMNS, PTOWSP_I32), x = tile_tile(&b, "x", WORK_ROWS, WORK_K, PTOWSP_I32);
	const unsigned y = tile_tile(&b, "y", WORK_K, WORK_COLUMNS, PTOWSP_I32), one = tile_int(&b, 1), zero = tile_int(&b, 0);
	unsigned more;

	tile_op(&b, PTOWSP_PTO_TCI, x, zero);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, y, one);
	if (op == PTOWSP_PTO_TMATMUL)
		tile_op(&b, op, d, x, y);
	else if (op == PTOWSP_PTO_TMATMUL_ACC) {
		tile_op(&b, PTOWSP_PTO_TEXPANDS, d, tile_int(&b, 5));
		tile_op(&b, op, d, d, x, y);
	} else if (op == PTOWSP_PTO_TMATMUL_BIAS) {
		more = tile_tile(&b, "bias", 1, WORK_COLUMNS, PTOWSP_I32);
		tile_op(&b, PTOWSP_PTO_TEXPANDS, more, tile_int(&b, 5));
		tile_op(&b, op, d, x, y, more);
	} else {
		const unsigned left = tile_tile(&b, "left", WORK_ROWS, 4, PTOWSP_I32), right = tile_tile(&b, "right", 4, WORK_COLUMNS, PTOWSP_I32);

		tile_op(&b, PTOWSP_PTO_TEXPANDS, left, one);
		tile_op(&b, PTOWSP_PTO_TEXPANDS, right, one);
		tile_op(&b, op, d, x, left, y, right);
	}
	tile_op(&b, PTOWSP_PTO_TSTORE, d, 0, zero, zero);
	return op == PTOWSP_PTO_TMATMUL_ACC || op == PTOWSP_PTO_TMATMUL_BIAS ? 5 : 0;
}

static void work_check(const int32_t *made, int more)
{
	unsigned wrong = 0;

	for (uint32_t i = 0; i < WORK_ROWS; i++)
		for (uint32_t j = 0; j < WORK_COLUMNS; j++)
			wrong += (uint32_t)made[i * WORK_COLUMNS + j] != (uint32_t)(i * WORK_K * WORK_K + WORK_K / 2 * (WORK_K - 1) + (uint32_t)more);
	CHECK_UINT(wrong, 0);
}

/* The first question ends it, or none: then results are those of all rows at once. */
static void work_try(unsigned op, int32_t *made)
{
	unsigned asked = 0;
	const struct isa_guard never = {stop_at, &asked};
	void *scratch;
	int more;

	tile_begin(&b, "probe");
	tile_param(&b, "made", PTOWSP_I32);
	tile_touch(&b, 0, PTOWSP_WRITE);
	more = work_add(op);
	tile_task_begin(&task);
	tile_grid(&task, 0, made, PTOWSP_I32, WORK_ROWS, WORK_COLUMNS, WORK_COLUMNS, 1);
	REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
	scratch = aligned_alloc(64, (isa_program_scratch(program) + 63) / 64 * 64);
	asked = 5; /* of which the fifth would end it */
	CHECK_INT(isa_run_guarded(program, &task.task, &task.out, scratch, &never), PTOWSP_OK);
	CHECK(asked - 5 >= 3);
	work_check(made, more);
	asked = 4;
	CHECK_INT(isa_run_guarded(program, &task.task, &task.out, scratch, &never), PTOWSP_CANCELLED);
	CHECK_UINT(asked, 5);
	CHECK_STR(task.error.text, "kernel probe was stopped");
	free(scratch);
	isa_program_destroy(program);
	tile_finish(&b);
}

TEST(a_guard_is_asked_within_a_product)
{
	int32_t *made = calloc((size_t)WORK_ROWS * WORK_COLUMNS, sizeof(*made));

	work_try(PTOWSP_PTO_TMATMUL, made);
	work_try(PTOWSP_PTO_TMATMUL_ACC, made);
	work_try(PTOWSP_PTO_TMATMUL_BIAS, made);
	work_try(PTOWSP_PTO_TMATMUL_MX, made);
	free(made);
}

/* No jump, no product: one large instruction after the other; at each level, since from the second on rows go through several of them. */
TEST(a_guard_is_asked_between_large_instructions)
{
	for (unsigned level = ISA_LEVEL_STEPS; level <= ISA_LEVEL_ROWS; level++) {
		unsigned asked = 0, x, size;
		const struct isa_guard guard = {stop_at, &asked};
		const void *payload;
		size_t bytes;
		void *scratch;

		begin();
		x = tile_tile(&b, "x", 2048, 1024, PTOWSP_F32);
		for (size = 0; size < 40; size++)
			tile_op(&b, PTOWSP_PTO_TADDS, x, x, tile_float(&b, 1));
		payload = tile_payload(&b, &bytes);
		REQUIRE_INT(isa_program_create_at(&program, level, false, payload, bytes, b.strings, b.strings_size, &task.error), PTOWSP_OK);
		scratch = aligned_alloc(64, (isa_program_scratch(program) + 63) / 64 * 64);
		CHECK_INT(isa_run_guarded(program, &task.task, &task.out, scratch, &guard), PTOWSP_CANCELLED);
		CHECK_UINT(asked, 5);
		free(scratch);
		isa_program_destroy(program);
		tile_finish(&b);
	}
}

/* A run that used up its jumps goes on where it was. */
TEST(a_state_can_be_resumed)
{
	struct isa_state status = {.budget = 3};
	unsigned rounds = 1;

	begin_text("local i i64; local n i64; for i 0 10 1; ADD n n i; end");
	REQUIRE_INT(tile_create(&b, &program, &task.error), PTOWSP_OK);
	status.program = program;
	status.task = &task.task;
	status.scratch = aligned_alloc(64, 1024);
	status.scalars = (uint64_t *)(void *)status.scratch;
	memcpy(status.scalars, program->initial, program->header.scalar_count * sizeof(uint64_t));
	while (isa_state_run(&status) == PTOWSP_AGAIN && rounds < 100) {
		status.budget = 3;
		rounds++;
	}
	CHECK_UINT(rounds, 4);
	CHECK_UINT(status.scalars[tile_scalar_named(&b, "n")], 45);
	free(status.scratch);
	isa_program_destroy(program);
	tile_finish(&b);
}

TEST(arguments_reach_their_scalars)
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

TEST(tasks_that_do_not_fit_are_refused)
{
	begin();
	put(tile_arg(&b, "n", PTOWSP_I32), 0);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe: takes 2 tensors and 1 scalars, the task has 2 and 0");
	begin();
	task.tensors[1].dtype = PTOWSP_I32;
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe: %out is f32, the task's tensor is i32");
	tile_move(0, 0);
	task.tensors[1].access = PTOWSP_READ;
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe: writes %out, which the task does not allow");
}

TEST(cycles_follow_the_reference_model)
{
	begin_text("tile x 8x16; tile y 16x4; tile z 8x4; tile s 8x1\n"
		   "tload x in 0 0\n"      /* 128 */
		   "tload y in 0 0\n"      /* 64 */
		   "tmatmul z x y\n"       /* 512 */
		   "tmatmul.acc z z x y\n" /* 512 */
		   "trowsum s x\n"         /* 8 */
		   "treshape x x\n"        /* 0 */
		   "tmrgsort s z z\n"      /* 160 */
		   "tstore z out 0 0");    /* 32 */
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_UINT(task.out.cycles, 128 + 64 + 512 + 512 + 8 + 160 + 32);
}
