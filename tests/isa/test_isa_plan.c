/* SPDX-License-Identifier: MIT
 * test_isa_plan.c - where tiles lie and which instructions can go row by row. */
#include "tests/isa/tile_probe.h"

#include <stdio.h>

static const struct isa_plan *plan;

static bool create(void)
{
	const bool created = probe_create();

	plan = created ? &program->plan : NULL;
	return created;
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

/* Makes the plan of a program of tiles x, y, z, ... of 8x8 f32. */
static bool plan_of(const char *text)
{
	begin();
	tile_text(&b, "tile x y z 8x8; local i i64; arg flag i32");
	tile_text(&b, text);
	return create();
}

enum { X, Y, Z };

#define CHAIN "tile a b c d e 8x8; tload a in 0 0; texp b a; texp c b; texp d c; texp e d; tstore e out 0 0"

TEST(a_chain_needs_two_tiles)
{
	uint64_t without, with;

	begin();
	tile_text(&b, CHAIN);
	REQUIRE(create());
	isa_program_memory(program, &without, &with);
	CHECK_UINT(without, 5 * 256);
	CHECK_UINT(with, 2 * 256);
	CHECK_STR(groups(), "[0,6)x8 ");
	for (unsigned i = 0; i < 5; i++) {
		CHECK(!isa_plan_is_behind(plan, &plan->groups[0], i));
		CHECK(!isa_plan_is_before(plan, &plan->groups[0], i));
	}
	CHECK(isa_plan_group(plan, 0) == &plan->groups[0]);
	CHECK(!isa_plan_group(plan, 1));
	isa_program_destroy(program);
}

TEST(a_result_does_not_lie_on_its_operands)
{
	REQUIRE(plan_of("tload x in 0 0; tload y in 0 0; tmatmul z x y; tstore z out 0 0"));
	CHECK(!overlap(X, Y) && !overlap(X, Z) && !overlap(Y, Z));
	CHECK_STR(groups(), "[0,2)x8 [3,4)x8 ");
	CHECK(isa_plan_is_behind(plan, &plan->groups[0], X));
	CHECK(isa_plan_is_before(plan, &plan->groups[1], Z));
	isa_program_destroy(program);
}

/* A loop's value from round to round lives through all of it, also where its body has not yet written it. */
TEST(a_loop_keeps_what_it_carries)
{
	REQUIRE(plan_of("texpands x 0.0; for i 0 4 1; tload y in 0 0; texp z y; tadd x x z; end; tstore x out 0 0"));
	CHECK(!overlap(X, Y) && !overlap(X, Z) && !overlap(Y, Z));
	CHECK_STR(groups(), "[0,1)x8 [2,5)x8 [6,7)x8 ");
	CHECK(isa_plan_is_before(plan, &plan->groups[1], X) && isa_plan_is_behind(plan, &plan->groups[1], X));
	CHECK(!isa_plan_is_behind(plan, &plan->groups[1], Y));
	isa_program_destroy(program);
}

/* Read in the round after the one that wrote it. */
TEST(a_loop_keeps_what_its_next_round_reads)
{
	REQUIRE(plan_of("for i 0 4 1; tstore x out 0 0; tload y in 0 0; texp x y; end"));
	CHECK(!overlap(X, Y));
	CHECK(isa_plan_is_behind(plan, isa_plan_group(plan, 2), X));
	isa_program_destroy(program);
}

/* One side writes it, the other leaves what it was: it lives before the IF. */
TEST(a_branch_on_one_side_keeps_the_other_value)
{
	REQUIRE(plan_of("tload x in 0 0; tload y in 0 0; texp z y; tstore z out 0 0; if flag; texpands x 1.0; end; tstore x out 0 0"));
	CHECK(!overlap(X, Z) && !overlap(X, Y));
	isa_program_destroy(program);
}

/* Both sides write it: behind its last reader before the IF the memory is free. */
TEST(a_branch_on_both_sides_frees_the_old_value)
{
	REQUIRE(plan_of("tload y in 0 0; tmatmul z y y; tstore z out 0 0; if flag; texpands x 1.0; else; texpands x 2.0; end; tstore x out 0 0"));
	CHECK_UINT(plan->bytes, 2 * 256);
	isa_program_destroy(program);
}

/* A BREAK takes its value past the rest of the body. */
TEST(a_break_keeps_what_is_read_behind_the_loop)
{
	REQUIRE(plan_of("tload x in 0 0; for i 0 4 1; tload y in 0 0; if flag; BREAK; end; texp z y; texp x z; end; tstore x out 0 0"));
	CHECK(!overlap(X, Y) && !overlap(X, Z));
	isa_program_destroy(program);
}

TEST(what_is_read_before_it_is_written_lives_from_the_start)
{
	REQUIRE(plan_of("tload x in 0 0; tstore x out 0 0; tstore z out 0 0"));
	CHECK(!overlap(X, Z));
	CHECK(isa_plan_is_before(plan, &plan->groups[0], Z));
	isa_program_destroy(program);
}

/* setval and tscatter leave the rest of the tile as it was. */
TEST(what_is_written_in_part_keeps_its_rest)
{
	REQUIRE(plan_of("tload x in 0 0; tload y in 0 0; tstore y out 0 0; setval x 0 1.0; tstore x out 0 0"));
	CHECK(!overlap(X, Y));
	CHECK(isa_plan_is_behind(plan, isa_plan_group(plan, 0), X));
	isa_program_destroy(program);
}

/* The rows of `wide` are written while later rows of x, which come from outside, are still to be read. */
TEST(tiles_of_a_group_with_a_life_outside_share_nothing)
{
	REQUIRE(plan_of("tile wide 8x16; tile s 1x16; tmatmul x z z; tstore x out 0 0; texpands wide 1.0; texp wide wide; tcolsum s wide"));
	CHECK_STR(groups(), "[1,4)x8 ");
	CHECK(!overlap(X, tile_named(&b, "wide")));
	isa_program_destroy(program);
}

TEST(groups_end_where_rows_do)
{
	REQUIRE(plan_of("tile column 8x1; tile row 1x8; local k i64\n"
			"tload x in 0 0; trowmax column x; trowexpandsub y x column; tstore y out 0 0\n" /* 0 to 3 */
			"tstore x out 0 0\n"                                                             /* a second one begins anew */
			"tload y in 0 0\n"                                                               /* and a load behind it */
			"tcolmax row y\n"                                                                /* 6: not row by row */
			"texp row row\n"                                                                 /* 7: one row */
			"tcolexpand x row\n"                                                             /* 8: eight again */
			"ADD k 0 0\n"                                                                    /* 9: scalar */
			"tci x 0.0\n"                                                                    /* 10 counts through */
			"ttrans y x\n"
			"tsels y x y 1; tstore.fp y row out 0 0")); /* 12 */
	CHECK_STR(groups(), "[0,4)x8 [4,5)x8 [5,6)x8 [7,8)x1 [8,9)x8 [12,14)x8 ");
	isa_program_destroy(program);
}

/* Without lifetimes every tile has its own place and lives everywhere. */
TEST(a_program_that_is_too_large_shares_nothing)
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

TEST(tiles_of_one_memory_are_packed_alone)
{
	static const uint8_t first_two[5] = {1, 1, 0, 0, 0}, ends[5] = {1, 0, 0, 0, 1};
	uint32_t at[5];
	uint64_t bytes;

	begin();
	tile_text(&b, CHAIN);
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
