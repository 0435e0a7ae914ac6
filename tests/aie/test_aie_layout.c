/* SPDX-License-Identifier: MIT
 * test_aie_layout.c - where things are on an array: who holds which element, for all small layouts; executors and shards of schedules on tiles. */
#include "aie/graph/layout.h"
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- functions ---------------------------------------------------------------------------------------------------------- */

/* By the definition: blocks as large as the first that is large enough for all, counted off one after the other. */
static uint64_t coordinate(uint64_t index, uint64_t extent, uint64_t size, uint64_t *local_out)
{
	uint64_t block = 1, at = 0;

	while (block * size < extent)
		block++;
	for (*local_out = index; *local_out >= block; *local_out -= block)
		at++;
	return at;
}

static uint64_t number_of(const struct aie_layout *layout, const uint64_t *index)
{
	uint64_t n = 0;

	for (uint32_t d = 0; d < layout->rank; d++)
		n = n * layout->extents[d] + index[d];
	return n;
}

static bool next(const struct aie_layout *layout, uint64_t *index)
{
	for (uint32_t d = layout->rank; d-- > 0; index[d] = 0)
		if (++index[d] < layout->extents[d])
			return true;
	return false;
}

static void element_check(const struct aie_layout *layout, const uint64_t *index, uint64_t *held)
{
	struct aie_layout_tile want = {0, 0}, tile = aie_layout_get_tile(layout, index), last = tile;
	uint64_t wanted, back[AIE_LAYOUT_RANK], run = aie_layout_run(layout, number_of(layout, index), &last);

	for (uint32_t d = 0; d < layout->rank; d++) {
		uint64_t at = coordinate(index[d], layout->extents[d], layout->axis[d] == AIE_WHOLE ? 1 : layout->grid[layout->axis[d]], &wanted);

		if (layout->axis[d] != AIE_WHOLE)
			*(layout->axis[d] ? &want.column : &want.row) = at;
	}
	REQUIRE(tile.row == want.row && tile.column == want.column && tile.row < layout->grid[0] && tile.column < layout->grid[1]);
	memcpy(back, index, layout->rank * sizeof(*back));
	REQUIRE(last.row == tile.row && last.column == tile.column && run);
	back[layout->rank - 1] += run - 1; /* the last of the run is there, too, and the one behind it is not */
	last = aie_layout_get_tile(layout, back);
	REQUIRE(last.row == tile.row && last.column == tile.column);
	if (++back[layout->rank - 1] < layout->extents[layout->rank - 1]) {
		last = aie_layout_get_tile(layout, back);
		REQUIRE(last.row != tile.row || last.column != tile.column);
	}
	held[tile.row * layout->grid[1] + tile.column]++;
}

static bool cuts(const struct aie_layout *layout, uint8_t axis)
{
	for (uint32_t d = 0; d < layout->rank; d++)
		if (layout->axis[d] == axis)
			return true;
	return false;
}

/* A tile holds as many elements as point to it. Tiles that differ in what cuts nothing only are replicas. */
static void tile_check(const struct aie_layout *layout, struct aie_layout_tile tile, uint64_t held)
{
	uint64_t part[AIE_LAYOUT_RANK];

	REQUIRE_UINT(aie_layout_part(layout, tile, part), held);
	CHECK(aie_layout_replicates(layout, tile, (struct aie_layout_tile){0, 0}) == (!(cuts(layout, 0) && tile.row) && !(cuts(layout, 1) && tile.column)));
}

static void tiles_check(const struct aie_layout *layout, const uint64_t *held)
{
	for (uint64_t r = 0; r < layout->grid[0]; r++)
		for (uint64_t c = 0; c < layout->grid[1]; c++)
			tile_check(layout, (struct aie_layout_tile){r, c}, held[r * layout->grid[1] + c]);
}

static uint64_t layout_check(const struct aie_layout *layout)
{
	uint64_t index[AIE_LAYOUT_RANK] = {0}, held[16] = {0}, count = 0;

	do {
		element_check(layout, index, held);
		count++;
	} while (next(layout, index));
	tiles_check(layout, held);
	return count;
}

static bool axes_next(struct aie_layout *layout)
{
	for (uint32_t d = 0; d < layout->rank; d++) {
		layout->axis[d] = layout->axis[d] == AIE_WHOLE ? 0 : layout->axis[d] == 0 ? 1 : AIE_WHOLE;
		if (layout->axis[d] != AIE_WHOLE)
			return true;
	}
	return false;
}

static bool axes_legal(const struct aie_layout *layout)
{
	for (uint32_t d = 0; d < layout->rank; d++)
		for (uint32_t e = 0; e < d; e++)
			if (layout->axis[d] != AIE_WHOLE && layout->axis[d] == layout->axis[e])
				return false;
	return true;
}

/* All grids up to 4 x 4, all layouts, all extents up to 17, 9, 4 or 3 of 1, 2, 3 or 4 dimensions: divisible and ragged ones, shorter than the grid, too. */
TEST(every_element_has_one_place_and_finds_back)
{
	static const uint64_t most[] = {0, 17, 9, 4, 3};
	uint64_t elements = 0, layouts = 0;

	for (uint32_t rank = 1; rank <= AIE_LAYOUT_RANK; rank++)
		for (uint64_t grid = 0; grid < 16; grid++) {
			struct aie_layout layout = {.rank = rank, .axis = {AIE_WHOLE, AIE_WHOLE, AIE_WHOLE, AIE_WHOLE}, .grid = {1 + grid / 4, 1 + grid % 4}};

			do {
				struct aie_layout sizes = {.rank = rank, .extents = {most[rank], most[rank], most[rank], most[rank]}};
				uint64_t extents[AIE_LAYOUT_RANK] = {0};

				if (!axes_legal(&layout))
					continue;
				do {
					for (uint32_t d = 0; d < rank; d++)
						layout.extents[d] = 1 + extents[d];
					elements += layout_check(&layout);
					layouts++;
				} while (next(&sizes, extents));
			} while (axes_next(&layout));
		}
	printf("# %llu layouts, %llu elements: each has one place, and finds back\n", (unsigned long long)layouts, (unsigned long long)elements);
	CHECK(layouts > 10000);
}

TEST(layouts_fit_as_the_table_says)
{
	static const uint8_t words[] = {AIE_WHOLE, 0, 1};
	struct aie_layout a = {.rank = 2, .extents = {4, 4}, .grid = {2, 2}}, b = a;
	char text[AIE_LAYOUT_TEXT];

	for (int i = 0; i < 81; i++) {
		bool fits = true;

		a.axis[0] = words[i % 3];
		a.axis[1] = words[i / 3 % 3];
		b.axis[0] = words[i / 9 % 3];
		b.axis[1] = words[i / 27];
		for (int d = 0; d < 2; d++)
			fits &= a.axis[d] == AIE_WHOLE || b.axis[d] == AIE_WHOLE || a.axis[d] == b.axis[d];
		CHECK(aie_layout_fits(&a, &b) == fits && aie_layout_fits(&b, &a) == fits);
	}
	a = (struct aie_layout){.rank = 4, .axis = {AIE_WHOLE, 1, AIE_WHOLE, 0}};
	aie_layout_text(&a, text);
	CHECK_STR(text, "R,S1,R,S0");
}

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

static int run(const char *how)
{
	return cli(check_fmt("rm -rf $T/emitted; $B/ptowsp-run --plugin=aie --emit $T/emitted %s", how));
}

static char *design(void)
{
	return cli("cat $T/emitted/design.mlir") ? NULL : strdup(cli_out);
}

static unsigned occurs(const char *text, const char *what)
{
	unsigned count = 0;

	for (; text && (text = strstr(text, what)); text++)
		count++;
	return count;
}

static void tile_wanted(const char *text, int column, int row, bool wanted)
{
	const char *tile = check_fmt("\"aie.tile\"() {col = %d : i32, row = %d : i32}", column, row);

	if (!text || (strstr(text, tile) != NULL) != wanted)
		CHECK_FAIL("core tile (%d,%d) is %sthere", column, row, wanted ? "not " : "");
}

/* Executor (r, c) of the grid lies in column c of the r-th row of cores, whatever the seed would rather have. */
TEST(executors_of_a_grid_are_where_it_says)
{
	char *text;

	cli_begin();
	for (int seed = 1; seed <= 3; seed++) {
		CHECK_INT(run(check_fmt("--strict --opt seed=%d --entry line --schedule spatial_map=2,3 $P/probes/tasks.pkg.zst", seed)), 0);
		text = design();
		for (int column = 0; column < 4; column++)
			for (int row = 2; row < 6; row++)
				tile_wanted(text, column, row, column < 3 && row < 4);
		free(text);
	}
}

TEST(pins_win)
{
	static const struct {
		const char *pins, *said;
		int rc;
	} wrong[] = {
		{"compute@x", "a pin is NAME@COLUMN,ROW", 2},
		{"compute@0,2;", "", 0},
		{"compute@0,2,1", "a pin is NAME@COLUMN,ROW", 2},
		{"compute[2]@0,2", "--opt pins: compute[2] is nobody who calls kernels; there are compute[0], compute[1]", 2},
		{"load@0,2", "load is nobody who calls kernels", 2}, /* it moves, and calls nothing */
		{"compute@-1,2", "a pin is NAME@COLUMN,ROW", 2},
		{"compute@0,2;compute[0]@1,2", "compute[0] has a pin already; leave one", 2},
		{"compute@0,9", "pinned to column 0, row 9", 5},
		{"compute@0,1", "needs a core tile and is pinned to row 1", 5},
		{"compute@1,3;compute[1]@1,3", "both pinned to core tile (1,3)", 5},
	};
	char *text;

	cli_begin();
	CHECK_INT(run("--opt 'pins=compute[1]@2,3;compute@0,2' $P/csp.pkg.zst"), 0);
	text = design();
	for (int column = 0; column < 4; column++)
		for (int row = 2; row < 6; row++)
			tile_wanted(text, column, row, (column == 0 && row == 2) || (column == 2 && row == 3));
	free(text);
	CHECK_INT(run("--opt 'pins=3@3,5;0@2,2' --schedule spatial_map=2,2 $P/matmul.pkg.zst"), 0);
	text = design();
	for (int column = 0; column < 4; column++)
		for (int row = 2; row < 6; row++)
			tile_wanted(text, column, row,
				    (column == 2 && row == 2) || (column == 1 && row == 2) || (column == 0 && row == 3) || (column == 3 && row == 5));
	free(text);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_INT(run(check_fmt("--opt 'pins=%s' $P/csp.pkg.zst", wrong[i].pins)), wrong[i].rc);
		CHECK_CONTAINS(cli_err, wrong[i].said);
	}
}

TEST(a_threshold_picks_how_many_cores_there_are)
{
	static const unsigned cores[][2] = {{3, 2}, {4, 6}, {9, 6}};
	char *text;

	cli_begin();
	for (size_t i = 0; i < sizeof(cores) / sizeof(*cores); i++) {
		CHECK_INT(
			run(check_fmt(
				"--strict --entry count --set n=%u --schedule 'dispatch=threshold(n,round_robin(2),4,round_robin(6))' $P/probes/tasks.pkg.zst",
				cores[i][0])),
			0);
		text = design();
		CHECK_UINT(occurs(text, "\"aie.core\""), cores[i][1] < cores[i][0] ? cores[i][1] : cores[i][0]);
		free(text);
	}
}

/* Results are the same without what the schedule says of places, so a run goes on and says why; --strict does not. */
TEST(what_has_no_place_is_said)
{
	static const struct {
		const char *run, *said;
	} rows[] = {
		{"--schedule 'dispatch=round_robin(17)' $P/matmul.pkg.zst", "17 executors have tasks, each needs a core of its own, and of 16 cores"},
		{"--opt grid=2x2 --schedule spatial_map=4,4 $P/matmul.pkg.zst", "16 executors have tasks"},
		{"--opt grid=4x2 --schedule spatial_map=2,4 $P/matmul.pkg.zst", "pinned to column 2, row 2"},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(run(rows[i].run), 0);
		CHECK_CONTAINS(cli_err, "is recorded, not enforced, in this run: ");
		CHECK_CONTAINS(cli_err, rows[i].said);
		CHECK_INT(run(check_fmt("--strict %s", rows[i].run)), 5);
		CHECK_CONTAINS(cli_err, rows[i].said);
		cli_check_sentence();
	}
}

TEST(a_grid_is_the_part_that_is_used)
{
	static const struct {
		const char *grid, *device;
		unsigned cores;
	} rows[] = {{"4x4", "device = 4 ", 16}, {"2x3", "device = 7 ", 6}, {"1x1", "device = 5 ", 1}, {"4x2", "device = 6 ", 8}};
	static const char *const wrong[] = {"5x4", "4x5", "0x1", "2x", "x2", "2", "2x2x2", "-1x2", "99999999999x1"};
	char *text;

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(run(check_fmt("--quiet --opt grid=%s $P/matmul.pkg.zst", rows[i].grid)), 0);
		text = design();
		CHECK_CONTAINS(text, rows[i].device);
		CHECK_UINT(occurs(text, "\"aie.core\""), rows[i].cores);
		free(text);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_INT(run(check_fmt("--opt grid=%s $P/matmul.pkg.zst", wrong[i])), 2);
		CHECK_CONTAINS(cli_err, "npu1 has 4 rows of cores and 4 columns; state rows x columns, at most 4x4");
		cli_check_sentence();
	}
}

/* A product: rows of its factor are replicated over the columns of the grid, so that each is loaded once for all; its own rows come to those who hold them. */
TEST(shards_are_where_the_layout_says)
{
	char *text;

	cli_begin();
	CHECK_INT(run("--strict --stats --schedule spatial_map=4,4 --schedule layout=a,S0 $P/matmul.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "S0,R                4          65536              0          16384\n");
	CHECK_INT(run("--strict --stats --schedule spatial_map=4,2 --schedule layout=c,S0 $P/matmul.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "S0,R                4          57344          57344          16384\n");
	text = design(); /* four rows: from who computed the other half to who holds them, and only those store */
	CHECK_UINT(occurs(text, "sym_name = \"pass_"), 4);
	CHECK_UINT(occurs(text, "sym_name = \"store_"), 4);
	free(text);
	if (run("--quiet --schedule spatial_map=4,4 --schedule layout=a,S1 $P/matmul.pkg.zst"))
		CHECK_FAIL("%s%s", cli_out, cli_err);
	CHECK_INT(run("--schedule spatial_map=4,4 --schedule layout=a,S0 --schedule layout=b,S1 $P/matmul.pkg.zst"), 2);
	CHECK_CONTAINS(cli_err, "with layout S0,R and of matmul.b with layout S1,R: one dimension is cut over different axes of the grid");
	cli_check_sentence();
}

/* Nothing says whose tasks are but the layouts of what they touch: each goes to who holds it, so nothing moves between cores, and w comes to all of them as one stream. */
TEST(tasks_go_to_who_holds_what_they_write)
{
	static const char source[] =
		"module @sharded\n"
		"tensor %%x : f32[64, 60] in layout(S(0), S(1))\ntensor %%w : f32[16, 20] in\ntensor %%y : f32[64, 60] out layout(S(0), S(1))\n"
		"func @scaled(%%a: !pto.memref<gm,...,f32>, %%w: !pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>) {\n"
		"  %%t = alloc_tile : !pto.tile<16x20xf32>\n  %%u = alloc_tile : !pto.tile<16x20xf32>\n  %%t = tload %%a[0, 0]\n  %%u = tload %%w[0, 0]\n"
		"  %%t = tadd %%t, %%u\n  tstore %%t, %%b[0, 0]\n  return\n}\n"
		"kernel @scale(%%a: f32[16, 20] in, %%w: f32[16, 20] in, %%b: f32[16, 20] out) { portable @scaled }\n"
		"workload @main { parallel_for %%i in dense(3) { parallel_for %%j in dense(4) {\n"
		"  call @scale(%%a -> %%x[%%j * 16, %%i * 20], %%w -> %%w, %%b -> %%y[%%j * 16, %%i * 20]) } } }\n";
	char *text;

	REQUIRE_INT(cli(check_fmt("printf '%s' > $T/sharded.pto; $B/ptowsp-pack $T/sharded.pto -o $T/sharded.pkg.zst", source)), 0);
	CHECK_INT(cli("$B/ptowsp-run --fill x=random --fill w=random --out y=$T/wanted.npy $T/sharded.pkg.zst"), 0);
	CHECK_INT(run("--stats --opt grid=4x3 --fill x=random --fill w=random --out y=$T/y.npy $T/sharded.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "S0,S1              12          15360              0          15360\n");
	CHECK_INT(cli("cmp $T/wanted.npy $T/y.npy"), 0);
	text = design();
	CHECK_UINT(occurs(text, "\"aie.core\""), 12);
	CHECK_UINT(occurs(text, "sym_name = \"pass_"), 0);
	free(text);
	/* blocks of 30 columns: the parts of 20 in the middle belong to two holders each, and lie in memory */
	CHECK_INT(run("--stats --opt grid=2x2 --fill x=random --fill w=random --out y=$T/y.npy $T/sharded.pkg.zst"), 0);
	CHECK_INT(cli("cmp $T/wanted.npy $T/y.npy"), 0);
	CHECK_INT(run("--schedule spatial_map=3,4 --fill x=random --fill w=random --out y=$T/y.npy $T/sharded.pkg.zst"), 0);
	CHECK_INT(cli("cmp $T/wanted.npy $T/y.npy"), 0);
}

/* Both halves of a row change the same parts twice: what a core makes in place goes to the next one behind a part that it holds, stores and passes on by the same stream. */
TEST(parts_change_hands_several_times)
{
	static const char source[] =
		"module @hands\n"
		"tensor %%x : f32[64, 64] in\ntensor %%y : f32[64, 64] inout\n"
		"func @added(%%a: !pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>) {\n"
		"  %%t = alloc_tile : !pto.tile<16x16xf32>\n  %%u = alloc_tile : !pto.tile<16x16xf32>\n  %%t = tload %%a[0, 0]\n  %%u = tload %%b[0, 0]\n"
		"  %%t = tadd %%t, %%u\n  tstore %%t, %%b[0, 0]\n  return\n}\n"
		"kernel @add(%%a: f32[16, 16] in, %%b: f32[16, 16] inout) { portable @added }\n"
		"workload @main { for_each %%k in dense(2) { parallel_for %%i in dense(4) { parallel_for %%j in dense(4) {\n"
		"  call @add(%%a -> %%x[%%i * 16, %%j * 16], %%b -> %%y[%%i * 16, %%j * 16]) } } } }\n"
		"schedule { spatial_map(1, 2) layout %%x(S(0), S(1)) layout %%y(S(0), R) }\n";

	REQUIRE_INT(cli(check_fmt("printf '%s' > $T/hands.pto; $B/ptowsp-pack $T/hands.pto -o $T/hands.pkg.zst", source)), 0);
	CHECK_INT(cli("$B/ptowsp-run --fill x=random:1 --fill y=random:2 --out y=$T/wanted.npy $T/hands.pkg.zst"), 0);
	CHECK_INT(run("--strict --fill x=random:1 --fill y=random:2 --out y=$T/y.npy $T/hands.pkg.zst"), 0);
	CHECK_INT(cli("cmp $T/wanted.npy $T/y.npy"), 0);
}
