/* SPDX-License-Identifier: MIT
 * test_isa_window.c - where tile programs read and write: windows, grids, borders, gather and scatter, single elements. */
#include "tests/isa/tile_probe.h"

TEST(tload_counts_rows_in_whole_tiles)
{
	tile_move(3, 5);
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 64; i++)
		CHECK_NEAR(memory[1][i], 3 * 64 + 5 + i, 0);
	CHECK_NEAR(memory[1][64], -1, 0);
	tile_move(63, 0);
	CHECK_INT(run(), PTOWSP_OK);
}

TEST(addresses_outside_the_window_are_errors)
{
	tile_move(64, 0);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads elements [4096, 4160) of %in, which has 4096");
	tile_move(63, 1);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads elements [4033, 4097) of %in, which has 4096");
	tile_move(-1, 0);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads elements [-64, 0) of %in, which has 4096");
	tile_move(0, 0);
	task.tensors[1].columns = 63;
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 2: tstore writes elements [0, 64) of %out, which has 63");
	tile_move(INT64_MAX, INT64_MAX);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
	tile_move(INT64_MIN, INT64_MIN);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
	tile_move(INT64_MIN, INT64_MAX);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
}

TEST(windows_with_rows_are_addressed_as_a_grid)
{
	tile_move(1, 2);
	tile_grid(&task, 0, memory[0] + 100, PTOWSP_F32, 16, 10, 50, 1);
	tile_grid(&task, 1, memory[1], PTOWSP_F32, 8, 8, 2, 100); /* columns far apart */
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < 8; j++)
			CHECK_NEAR(memory[1][i * 2 + j * 100], 100 + (8 + i) * 50 + 2 + j, 0);
	CHECK_NEAR(memory[1][1], -1, 0);
}

TEST(grids_have_borders)
{
	tile_move(1, 3);
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 16, 10, 50, 1);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads 8x8 at row 8, column 3 of %in, which is 16x10");
	tile_move(2, 0);
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 16, 10, 50, 1);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: tload reads 8x8 at row 16, column 0 of %in, which is 16x10");
	tile_move(-1, 0);
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 16, 10, 50, 1);
	CHECK_INT(run(), PTOWSP_KERNEL_FAILED);
}

#define SCALED "tile x 4x3; tile s 1x3; tload x in 0 0; tload s in 0 5; tstore.fp x s out 1 2"

TEST(store_with_scale_multiplies_each_column)
{
	begin_text(SCALED);
	REQUIRE_INT(run(), PTOWSP_OK);
	for (unsigned i = 0; i < 12; i++)
		CHECK_NEAR(memory[1][12 + 2 + i], (float)i * (float)(5 + i % 3), 0);
	CHECK_NEAR(memory[1][13], -1, 0);
	CHECK_NEAR(memory[1][26], -1, 0);
}

TEST(store_with_scale_follows_the_rows_of_a_grid)
{
	begin_text(SCALED);
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

TEST(gather_and_scatter_go_element_by_element)
{
	static const int32_t index[6] = {4095, 0, 7, 7, 1000, 2};

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

TEST(gather_and_scatter_check_each_index)
{
	static const int32_t high[6] = {0, 0, 4096, 0, 0, 0}, low[6] = {0, 0, 0, 0, 0, -1};

	indexed(PTOWSP_PTO_MGATHER, high);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 8: mgather reads element 4096 of %in, which has 4096");
	indexed(PTOWSP_PTO_MSCATTER, low);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 8: mscatter writes element -1 of %out, which has 4096");
}

TEST(flat_elements_of_a_grid_go_row_by_row)
{
	begin_text("local f f32; LOAD f in 23; STORE f out 0");
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 3, 10, 50, 2);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 2 * 50 + 3 * 2, 0);
	begin_text("local f f32; LOAD f in 30");
	tile_grid(&task, 0, memory[0], PTOWSP_F32, 3, 10, 50, 2);
	run_fails(PTOWSP_KERNEL_FAILED, "kernel probe line 1: LOAD reads element 30 of %in, which has 30");
}

TEST(places_inside_tiles_are_checked)
{
	static const struct {
		const char *program, *sentence;
	} rows[] = {
		{"tile x 2x2; setval x 4 1.0", "line 1: setval of element 4 of %x, which has 4"},
		{"tile x 2x2; local f f32; getval f x -1", "line 1: getval of element -1 of %x, which has 4"},
		{"tile x 8x8; tile y 2x3; textract y x 6 6", "line 1: textract takes 2x3 at [6, 6] of %x, which is 8x8"},
		{"tile x 1x6; tile i 1x6 i32; texpands i 6; tgather x x i", "line 2: tgather index 6 at element 0 of %i; elements 0 to 5 are there"},
		{"tile x 1x6; tile i 1x6 i32; texpands i 2; tgatherb x x i",
		 "line 2: tgatherb index 2 at element 0 of %i; multiples of 4 from bytes 0 to 23 are there"},
		{"tile x 1x6; tile i 1x6 i32; texpands i 1; tscatter x x i", "line 2: tscatter index 1 at element 0 of %i; rows 0 to 0 are there"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin_text(rows[i].program);
		run_fails(PTOWSP_KERNEL_FAILED, check_fmt("kernel probe %s", rows[i].sentence));
	}
}

TEST(getval_and_setval_move_one_element)
{
	begin_text("tile x 2x2; local f f32; tload x in 1 0; getval f x 2; setval x 0 f; tstore x out 0 0");
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 6, 0);
	CHECK_NEAR(memory[1][1], 5, 0);
}

/* Scratch is full of rubbish here: what is read before it is written must be zeros. */
TEST(unwritten_tiles_hold_zeros)
{
	begin_text("tile x y z 8x8\n"
		   "if 0; texpands y 5.0; texpands z 5.0; else; tstore z out 1 0; end\n"
		   "setval x 1 3.0; tadd x x y; tstore x out 0 0");
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][0], 0, 0);
	CHECK_NEAR(memory[1][1], 3, 0);
	CHECK_NEAR(memory[1][63], 0, 0);
	CHECK_NEAR(memory[1][64], 0, 0);
}

TEST(tensors_may_lie_further_apart)
{
	struct {
		struct ptowsp_tensor_arg arg;
		uint64_t more[3];
	} wide[2];

	tile_move(0, 0);
	memset(wide, 0xFF, sizeof(wide));
	wide[0].arg = task.tensors[0];
	wide[1].arg = task.tensors[1];
	task.task.tensors = &wide[0].arg;
	task.task.tensor_stride = sizeof(wide[0]);
	REQUIRE_INT(run(), PTOWSP_OK);
	CHECK_NEAR(memory[1][63], 63, 0);
}
