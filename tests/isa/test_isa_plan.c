/* SPDX-License-Identifier: MIT
 * test_isa_plan.c - where tiles lie and which instructions can go row by row. */
#include "tests/isa/tile_probe.h"

#include <stdio.h>

static const struct isa_plan *plan;

static bool create(void)
{
	const ptowsp_status status = tile_create(&b, &program, &task.error);

	if (status)
		CHECK_FAIL("%s", task.error.text);
	else if (isa_program_unusable(program))
		CHECK_FAIL("%s", isa_program_unusable(program));
	tile_finish(&b);
	plan = status ? NULL : &program->plan;
	return !status;
}

static uint64_t tile_size(unsigned tile)
{
	return ((uint64_t)program->tiles[tile].rows * program->tiles[tile].columns * isa_dtype_bytes(program->tiles[tile].dtype) + 63) / 64 * 64;
}

static bool overlap(unsigned s, unsigned t)
{
	return plan->at[s] < plan->at[t] + tile_size(t) && plan->at[t] < plan->at[s] + tile_size(s);
}

/* Groups as text: "[0,4)x8 " */
static const char *groups(void)
{
	static char text[256];
	size_t at = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < plan->group_count && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "[%u,%u)x%u ", (unsigned)plan->groups[i].first, (unsigned)plan->groups[i].end,
				       (unsigned)plan->groups[i].rows);
	return text;
}

static unsigned zero(void)
{
	return tile_int(&b, 0);
}

static void load(unsigned tile)
{
	tile_op(&b, PTOWSP_PTO_TLOAD, tile, 0, zero(), zero());
}

static void store(unsigned tile)
{
	tile_op(&b, PTOWSP_PTO_TSTORE, tile, 1, zero(), zero());
}

static unsigned square(const char *name)
{
	return tile_tile(&b, name, 8, 8, PTOWSP_F32);
}

static void a_chain_needs_two_tiles(void)
{
	unsigned t[5];
	uint64_t without, with;

	begin();
	for (unsigned i = 0; i < 5; i++)
		t[i] = square("t");
	load(t[0]);
	for (unsigned i = 1; i < 5; i++)
		tile_op(&b, PTOWSP_PTO_TEXP, t[i], t[i - 1]);
	store(t[4]);
	REQUIRE(create());
	isa_program_memory(program, &without, &with);
	CHECK_UINT(without, 5 * 256);
	CHECK_UINT(with, 2 * 256);
	CHECK_STR(groups(), "[0,6)x8 ");
	for (unsigned i = 0; i < 5; i++) {
		CHECK(!isa_plan_is_behind(plan, &plan->groups[0], t[i]));
		CHECK(!isa_plan_is_before(plan, &plan->groups[0], t[i]));
	}
	CHECK(isa_plan_group(plan, 0) == &plan->groups[0]);
	CHECK(!isa_plan_group(plan, 1));
	isa_program_destroy(program);
}

static void a_result_does_not_lie_on_its_operands(void)
{
	unsigned x, y, z;

	begin();
	x = square("x");
	y = square("y");
	z = square("z");
	load(x);
	load(y);
	tile_op(&b, PTOWSP_PTO_TMATMUL, z, x, y);
	store(z);
	REQUIRE(create());
	CHECK(!overlap(x, y) && !overlap(x, z) && !overlap(y, z));
	CHECK_STR(groups(), "[0,2)x8 [3,4)x8 ");
	CHECK(isa_plan_is_behind(plan, &plan->groups[0], x));
	CHECK(isa_plan_is_before(plan, &plan->groups[1], z));
	isa_program_destroy(program);
}

/* What a loop carries from round to round lives through all of it, also where its body has not yet written it. */
static void a_loop_keeps_what_it_carries(void)
{
	unsigned sum, x, y, i;

	begin();
	sum = square("sum");
	x = square("x");
	y = square("y");
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, sum, tile_float(&b, 0));
	tile_for(&b, i, zero(), tile_int(&b, 4), tile_int(&b, 1));
	load(x);
	tile_op(&b, PTOWSP_PTO_TEXP, y, x);
	tile_op(&b, PTOWSP_PTO_TADD, sum, sum, y);
	tile_end(&b);
	store(sum);
	REQUIRE(create());
	CHECK(!overlap(sum, x) && !overlap(sum, y) && !overlap(x, y));
	CHECK_STR(groups(), "[0,1)x8 [2,5)x8 [6,7)x8 ");
	CHECK(isa_plan_is_before(plan, &plan->groups[1], sum) && isa_plan_is_behind(plan, &plan->groups[1], sum));
	CHECK(!isa_plan_is_behind(plan, &plan->groups[1], x));
	isa_program_destroy(program);
}

/* Read in the round after the one that wrote it. */
static void a_loop_keeps_what_its_next_round_reads(void)
{
	unsigned last, x, i;

	begin();
	last = square("last");
	x = square("x");
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	tile_for(&b, i, zero(), tile_int(&b, 4), tile_int(&b, 1));
	store(last);
	load(x);
	tile_op(&b, PTOWSP_PTO_TEXP, last, x);
	tile_end(&b);
	REQUIRE(create());
	CHECK(!overlap(last, x));
	CHECK(isa_plan_is_behind(plan, isa_plan_group(plan, 2), last));
	isa_program_destroy(program);
}

/* One side writes it, the other leaves what it was: it lives before the IF. */
static void a_branch_on_one_side_keeps_the_other_value(void)
{
	unsigned x, y, z, flag;

	begin();
	x = square("x");
	y = square("y");
	z = square("z");
	flag = tile_arg(&b, "flag", PTOWSP_I32);
	load(x);
	load(y);
	tile_op(&b, PTOWSP_PTO_TEXP, z, y);
	store(z);
	tile_if(&b, flag);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, x, tile_float(&b, 1));
	tile_end(&b);
	store(x);
	REQUIRE(create());
	CHECK(!overlap(x, z) && !overlap(x, y));
	isa_program_destroy(program);
}

/* Both sides write it: behind its last reader before the IF the memory is free. */
static void a_branch_on_both_sides_frees_the_old_value(void)
{
	unsigned x, y, z, flag;

	begin();
	x = square("x");
	y = square("y");
	z = square("z");
	flag = tile_arg(&b, "flag", PTOWSP_I32);
	load(y);
	tile_op(&b, PTOWSP_PTO_TMATMUL, z, y, y);
	store(z);
	tile_if(&b, flag);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, x, tile_float(&b, 1));
	tile_else(&b);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, x, tile_float(&b, 2));
	tile_end(&b);
	store(x);
	REQUIRE(create());
	CHECK_UINT(plan->bytes, 2 * 256);
	isa_program_destroy(program);
}

/* A BREAK takes its value past the rest of the body. */
static void a_break_keeps_what_is_read_behind_the_loop(void)
{
	unsigned x, y, z, i, flag;

	begin();
	x = square("x");
	y = square("y");
	z = square("z");
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	flag = tile_arg(&b, "flag", PTOWSP_I32);
	load(x);
	tile_for(&b, i, zero(), tile_int(&b, 4), tile_int(&b, 1));
	load(y);
	tile_if(&b, flag);
	tile_op(&b, PTOWSP_PTO_BREAK);
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_TEXP, z, y);
	tile_op(&b, PTOWSP_PTO_TEXP, x, z);
	tile_end(&b);
	store(x);
	REQUIRE(create());
	CHECK(!overlap(x, y) && !overlap(x, z));
	isa_program_destroy(program);
}

static void what_is_read_before_it_is_written_lives_from_the_start(void)
{
	unsigned x, zeros;

	begin();
	x = square("x");
	zeros = square("zeros");
	load(x);
	store(x);
	store(zeros);
	REQUIRE(create());
	CHECK(!overlap(x, zeros));
	CHECK(isa_plan_is_before(plan, &plan->groups[0], zeros));
	isa_program_destroy(program);
}

/* setval and tscatter leave the rest of the tile as it was. */
static void what_is_written_in_part_keeps_its_rest(void)
{
	unsigned x, y;

	begin();
	x = square("x");
	y = square("y");
	load(x);
	load(y);
	store(y);
	tile_op(&b, PTOWSP_PTO_SETVAL, x, zero(), tile_float(&b, 1));
	store(x);
	REQUIRE(create());
	CHECK(!overlap(x, y));
	CHECK(isa_plan_is_behind(plan, isa_plan_group(plan, 0), x));
	isa_program_destroy(program);
}

/* The rows of y are written while later rows of x, which come from outside, are still to be read. */
static void tiles_of_a_group_with_a_life_outside_share_nothing(void)
{
	unsigned x, y, z;

	begin();
	x = square("x");
	y = tile_tile(&b, "y", 8, 16, PTOWSP_F32);
	z = square("z");
	tile_op(&b, PTOWSP_PTO_TMATMUL, x, z, z);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TEXPANDS, y, tile_float(&b, 1));
	tile_op(&b, PTOWSP_PTO_TEXP, y, y);
	tile_op(&b, PTOWSP_PTO_TCOLSUM, tile_tile(&b, "s", 1, 16, PTOWSP_F32), y);
	REQUIRE(create());
	CHECK_STR(groups(), "[1,4)x8 ");
	CHECK(!overlap(x, y));
	isa_program_destroy(program);
}

static void groups_end_where_rows_do(void)
{
	unsigned x, y, column, row, k;

	begin();
	x = square("x");
	y = square("y");
	column = tile_tile(&b, "column", 8, 1, PTOWSP_F32);
	row = tile_tile(&b, "row", 1, 8, PTOWSP_F32);
	k = tile_local(&b, "k", PTOWSP_I64, 0);
	load(x); /* 0 */
	tile_op(&b, PTOWSP_PTO_TROWMAX, column, x);
	tile_op(&b, PTOWSP_PTO_TROWEXPANDSUB, y, x, column);
	store(y);                                          /* 3 */
	store(x);                                          /* a second one begins anew */
	load(y);                                           /* and a load behind it */
	tile_op(&b, PTOWSP_PTO_TCOLMAX, row, y);           /* 6: not row by row */
	tile_op(&b, PTOWSP_PTO_TEXP, row, row);            /* 7: one row */
	tile_op(&b, PTOWSP_PTO_TCOLEXPAND, x, row);        /* 8: eight again */
	tile_op(&b, PTOWSP_PTO_ADD, k, zero(), zero());    /* 9: scalar */
	tile_op(&b, PTOWSP_PTO_TCI, x, tile_float(&b, 0)); /* 10 counts through */
	tile_op(&b, PTOWSP_PTO_TTRANS, y, x);
	tile_op(&b, PTOWSP_PTO_TSELS, y, x, y, tile_int(&b, 1)); /* 12 */
	tile_op(&b, PTOWSP_PTO_TSTORE_FP, y, row, 1, zero(), zero());
	REQUIRE(create());
	CHECK_STR(groups(), "[0,4)x8 [4,5)x8 [5,6)x8 [7,8)x1 [8,9)x8 [12,14)x8 ");
	isa_program_destroy(program);
}

/* Without lifetimes every tile has its own place and lives everywhere. */
static void a_program_that_is_too_large_shares_nothing(void)
{
	enum { TILES = 1025 };
	static struct ptowsp_tile_tile tiles[TILES];
	struct ptowsp_tile_inst insts[2] = {{.op = PTOWSP_PTO_TEXP, .d = 1, .a = 0}, {.op = PTOWSP_PTO_RETURN}};
	struct isa_program large = {.header = {.tile_count = TILES, .inst_count = 2}, .tiles = tiles, .insts = insts};
	struct isa_plan made;

	for (unsigned i = 0; i < TILES; i++)
		tiles[i] = (struct ptowsp_tile_tile){.rows = 1, .columns = 1, .dtype = PTOWSP_F32};
	REQUIRE(isa_plan_make(&made, &large, false) == PTOWSP_OK);
	CHECK_UINT(made.bytes, TILES * 64);
	CHECK_UINT(made.bytes_without, TILES * 64);
	CHECK_UINT(made.at[TILES - 1], (TILES - 1) * 64);
	CHECK_UINT(made.group_count, 1);
	CHECK(isa_plan_is_behind(&made, &made.groups[0], 7));
	isa_plan_finish(&made);
	large.header.tile_count = TILES - 1;
	REQUIRE(isa_plan_make(&made, &large, false) == PTOWSP_OK);
	CHECK_UINT(made.bytes, 2 * 64);
	isa_plan_finish(&made);
}

static void tiles_of_one_memory_are_packed_alone(void)
{
	static const uint8_t first_two[5] = {1, 1, 0, 0, 0}, ends[5] = {1, 0, 0, 0, 1};
	uint32_t at[5];
	uint64_t bytes;
	unsigned t[5];

	begin();
	for (unsigned i = 0; i < 5; i++)
		t[i] = square("t");
	load(t[0]);
	for (unsigned i = 1; i < 5; i++)
		tile_op(&b, PTOWSP_PTO_TEXP, t[i], t[i - 1]);
	store(t[4]);
	REQUIRE(create());
	CHECK_INT(isa_program_memory_of(program, NULL, NULL, &bytes), PTOWSP_OK);
	CHECK_UINT(bytes, 2 * 256);
	CHECK_INT(isa_program_memory_of(program, first_two, at, &bytes), PTOWSP_OK);
	CHECK_UINT(bytes, 2 * 256);
	CHECK(at[0] != at[1]);
	CHECK_INT(isa_program_memory_of(program, ends, at, &bytes), PTOWSP_OK);
	CHECK_UINT(bytes, 256);
	CHECK_UINT(at[0] + at[4], 0);
	isa_program_destroy(program);
}

void suite_isa_plan(CU_pSuite s)
{
	TEST(s, a_chain_needs_two_tiles);
	TEST(s, a_result_does_not_lie_on_its_operands);
	TEST(s, a_loop_keeps_what_it_carries);
	TEST(s, a_loop_keeps_what_its_next_round_reads);
	TEST(s, a_branch_on_one_side_keeps_the_other_value);
	TEST(s, a_branch_on_both_sides_frees_the_old_value);
	TEST(s, a_break_keeps_what_is_read_behind_the_loop);
	TEST(s, what_is_read_before_it_is_written_lives_from_the_start);
	TEST(s, what_is_written_in_part_keeps_its_rest);
	TEST(s, tiles_of_a_group_with_a_life_outside_share_nothing);
	TEST(s, groups_end_where_rows_do);
	TEST(s, a_program_that_is_too_large_shares_nothing);
	TEST(s, tiles_of_one_memory_are_packed_alone);
}
