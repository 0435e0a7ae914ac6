/* SPDX-License-Identifier: MIT
 * test_aie_overlap.c - windows that have elements in common, on the arrays: what is read is what was written last, whoever wrote it. */
#include "rt/program/policy.h"
#include "tests/aie/aie_written.h"
#include "tests/contract/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- programs ----------------------------------------------------------------------------------------------------------- */

/* Both tensors are what cpu_sim has. */
static void is_right(const char *text, const char *ways)
{
	static const char run[] = "$B/ptowsp-run --quiet --strict --fill x=random:1 --fill w=random:2 --fill y=random:3";

	REQUIRE(check_write(check_fmt("%s/p.pto", check_dir()), text, strlen(text)));
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack --strict p.pto -o p.pkg.zst && %s --plugin=cpu_sim --out w=w.npy --out y=y.npy p.pkg.zst", run)), 0);
	if (cli(check_fmt("%s --plugin=aie %s --out w=aie.w.npy --out y=aie.y.npy p.pkg.zst && cmp w.npy aie.w.npy && cmp y.npy aie.y.npy", run, ways)))
		CHECK_FAIL("%s%s\n%s", cli_out, cli_err, text);
}

/* ---- windows of different tasks ----------------------------------------------------------------------------------------- */

static const char plus[] = "tensor %%x : f32[16, 16] in\ntensor %%w : f32[16, 16] inout\ntensor %%y : f32[16, 16] inout\n"
			   "func @plus(%%a: !pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<8x16xf32>\n"
			   "  %%t = tload %%a[0, 0]\n  %%t = tadds %%t, %%1.0\n  tstore %%t, %%b[0, 0]\n  return\n}\nworkload @main {\n%s}\n";

/* Rows 4 to 11 are read, rows 0 to 7 written, rows 4 to 11 read again: the load of x for the second task is none of y for the third. */
TEST(what_was_read_before_is_read_again_behind_a_write_that_meets_it)
{
	static const char again[] =
		"  call @plus(%%a -> %%y[4, 0 : 8, 16], %%b -> %%w[0, 0 : 8, 16])\n  call @plus(%%a -> %%x[0, 0 : 8, 16], %%b -> %%y[0, 0 : 8, 16])\n"
		"  call @plus(%%a -> %%y[4, 0 : 8, 16], %%b -> %s)\n";

	cli_begin();
	is_right(check_fmt(plus, check_fmt(again, "%w[4, 0 : 8, 16]")), "");
	is_right(check_fmt(plus, check_fmt(again, "%w[4, 0 : 8, 16]")), "--device=npu2 --opt opt_level=0");
	is_right(check_fmt(plus, check_fmt(again, "%y[4, 0 : 8, 16]")), "");
}

/* ---- windows of one task ------------------------------------------------------------------------------------------------ */

/* What a kernel has written to one argument it reads by another one: the same window, one that meets it, and one that is seen as a row. */
TEST(what_a_task_has_written_it_reads_by_another_argument)
{
	static const char two[] =
		"tensor %%x : f32[16, 16] in\ntensor %%w : f32[16, 16] inout\ntensor %%y : f32[16, 16] inout\n"
		"func @two(%%a: !pto.memref<gm,...,f32>, %%b: !pto.memref<gm,...,f32>, %%c: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<%s>\n"
		"  %%u = alloc_tile : !pto.tile<%s>\n  %%t = tload %%a[0, 0]\n  tstore %%t, %%b[0, 0]\n  %%u = tload %%c[0, 0]\n  %%u = tadd %%u, %%t\n"
		"  tstore %%u, %%c[0, 0]\n  return\n}\nworkload @main { call @two(%%a -> %%x, %%b -> %s, %%c -> %s) call @two(%%a -> %%y, %%b -> %%w, %%c -> "
		"%%w) }\n";
	static const char *const ways[] = {"", "--device=npu2 --opt cores=1"};

	cli_begin();
	for (unsigned w = 0; w < sizeof(ways) / sizeof(*ways); w++) {
		is_right(check_fmt(two, "16x16xf32", "16x16xf32", "%y", "%y"), ways[w]);
		is_right(check_fmt(two, "8x8xf32", "8x8xf32", "%y[4, 2 : 8, 8]", "%y[1, 5 : 8, 8]"), ways[w]);
		is_right(check_fmt(two, "1x16xf32", "1x16xf32", "%y[3, 0 : 1, 16]", "%y[2, 8 : ...]"), ways[w]);
	}
}

/* The window's rows are longer than those of some tiles, so that as many elements as it has are not all of it. */
TEST(what_tiles_leave_out_stays)
{
	static const char mixed[] =
		"tensor %x : f32[16, 16] in\ntensor %w : f32[16, 16] inout\ntensor %y : f32[16, 16] inout\n"
		"func @mixed(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x4xf32>\n"
		"  %u = alloc_tile : !pto.tile<1x2xf32>\n  %t = tload %a[0, 0]\n  %u = tload %a[0, 0]\n  tstore %u, %b[0, 0]\n  tstore %u, %b[1, 0]\n"
		"  tstore %u, %b[2, 0]\n  tstore %u, %b[3, 0]\n  tstore %t, %b[2, 0]\n  tstore %t, %b[3, 0]\n  return\n}\n"
		"workload @main { call @mixed(%a -> %x[0, 0 : 4, 4], %b -> %y[0, 0 : 4, 4]) call @mixed(%a -> %y[0, 0 : 4, 4], %b -> %w[8, 8 : 4, 4]) }\n";

	cli_begin();
	is_right(mixed, "");
}

TEST(one_buffer_has_one_type)
{
	static const char types[] = "tensor %x : u8[64] inout\n"
				    "func @k(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,i32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n"
				    "  %u = alloc_tile : !pto.tile<1x8xi32>\n  %t = tload %a[0, 0]\n  tstore %t, %a[0, 8]\n  %u = tload %b[0, 0]\n  tstore %u, "
				    "%b[0, 4]\n  return\n}\n"
				    "workload @main { call @k(%a -> %x[0 : ..., 64] as f32, %b -> %x[0 : ..., 64] as i32) }\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/types.pto", check_dir()), types, sizeof(types) - 1));
	REQUIRE_INT(cli("$B/ptowsp-pack types.pto -o types.pkg.zst && $B/ptowsp-run --plugin=cpu_sim --quiet --fill x=zeros types.pkg.zst"), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --fill x=zeros types.pkg.zst",
		"task 0, kernel k (types.pto:2): its tensor arguments 0 and 1 have elements of x in common and different types");
	cli_check_sentence();
}

/* ---- random programs ---------------------------------------------------------------------------------------------------- */

enum { SIDE = 12, ARGUMENTS = 3, TILES = 2, TEXT = 16384 };
struct random {
	uint64_t state;
	const char *type;
	char text[TEXT], calls[4096];
	uint32_t rows, columns, tiles[TILES][2], count; /* of the kernel that is made: its windows, its tiles, its arguments, */
	bool stores[ARGUMENTS];                         /*   and which of them it writes */
};

static uint32_t below(struct random *random, uint32_t limit)
{
	return (uint32_t)(rt_mix64(++random->state) % limit);
}

/* A tile at a random place of an argument's window. */
static void touch_make(struct random *random, uint32_t argument, bool load)
{
	const uint32_t tile = below(random, TILES), row = below(random, random->rows / random->tiles[tile][0]),
		       column = below(random, random->columns - random->tiles[tile][1] + 1);

	if (load)
		text_put(random->text, TEXT, "  %%t%u = tload %%%c[%u, %u]\n", tile, 'a' + (int)argument, row, column);
	else
		text_put(random->text, TEXT, "  tstore %%t%u, %%%c[%u, %u]\n", tile, 'a' + (int)argument, row, column);
	random->stores[argument] |= !load;
}

/* Loads, stores and sums in any order; each tile is loaded first, each argument touched, the last one written. */
static void kernel_make(struct random *random, uint32_t number)
{
	random->rows = 1 + below(random, 2) * below(random, 6);
	random->columns = 1 + below(random, 7);
	random->count = 2 + below(random, ARGUMENTS - 1);
	text_put(random->text, TEXT, "func @k%u(", number);
	for (uint32_t i = 0; i < random->count; i++) {
		random->stores[i] = false;
		text_put(random->text, TEXT, "%s%%%c: !pto.memref<gm,...,%s>", i ? ", " : "", 'a' + (int)i, random->type);
	}
	text_put(random->text, TEXT, ") {\n");
	for (uint32_t t = 0; t < TILES; t++) {
		random->tiles[t][0] = below(random, 2) ? random->rows : 1 + below(random, random->rows);
		random->tiles[t][1] = below(random, 2) ? random->columns : 1 + below(random, random->columns);
		text_put(random->text, TEXT, "  %%t%u = alloc_tile : !pto.tile<%ux%ux%s>\n  %%t%u = tload %%%c[0, 0]\n", t, random->tiles[t][0],
			 random->tiles[t][1], random->type, t, 'a' + (int)below(random, random->count));
	}
	for (uint32_t n = below(random, 6); n; n--) {
		const uint32_t tile = below(random, TILES);

		if (below(random, 3))
			touch_make(random, below(random, random->count), below(random, 2));
		else
			text_put(random->text, TEXT, "  %%t%u = tadd %%t%u, %%t%u\n", tile, tile, tile);
	}
	for (uint32_t i = 0; i < random->count; i++)
		touch_make(random, i, i + 1 < random->count && below(random, 2));
	text_put(random->text, TEXT, "  return\n}\n");
}

/* Of any tensor but that x is not written; in a loop each round has one that lies elsewhere. */
static void call_make(struct random *random, uint32_t number)
{
	const uint32_t turns = 1 + below(random, 3) / 2 * 2, step = below(random, 3), room = (turns - 1) * step;
	text_put(random->calls, sizeof(random->calls), "  for_each %%i in 0 to %u { call @k%u(", turns, number);
	for (uint32_t i = 0; i < random->count; i++) {
		const char *tensor = random->stores[i] ? "wyp" : "xwyp";
		const uint32_t row = below(random, SIDE - random->rows - room + 1), column = below(random, SIDE - random->columns + 1);

		text_put(random->calls, sizeof(random->calls), "%s%%%c -> %%%c[%%i * %u + %u, %u%s]", i ? ", " : "", 'a' + (int)i,
			 tensor[below(random, (uint32_t)strlen(tensor))], step, row, column,
			 random->rows == 1 && below(random, 2) ? " : ..." : check_fmt(" : %u, %u", random->rows, random->columns));
	}
	text_put(random->calls, sizeof(random->calls), ") }\n");
}

static bool program_write(struct random *random, uint64_t seed)
{
	static const char *const types[] = {"f32", "i32", "i16", "i8"};
	static const char *const tensors[][2] = {{"x", "in"}, {"w", "inout"}, {"y", "inout"}, {"p", "temp"}};

	*random = (struct random){.state = seed << 32};
	random->type = types[below(random, 4)];
	for (unsigned t = 0; t < 4; t++)
		text_put(random->text, TEXT, "tensor %%%s : %s[%u, %u] %s\n", tensors[t][0], random->type, SIDE, SIDE, tensors[t][1]);
	text_put(random->calls, sizeof(random->calls),
		 "  copy %%x[0, 0 : %u, %u] -> %%p[0, 0 : %u, %u]\n  copy %%w[0, 0 : 4, 5] -> %%y[1, 2 : 4, 5]\n  copy %%y[0, 0 : 4, 5] -> %%w[2, 1 : 4, 5]\n",
		 SIDE, SIDE, SIDE, SIDE);
	for (uint32_t kernels = 1 + below(random, 3), k = 0; k < kernels; k++) {
		kernel_make(random, k);
		for (uint32_t calls = 1 + below(random, 3); calls; calls--)
			call_make(random, k);
	}
	text_put(random->text, TEXT, "workload @main {\n%s}\n", random->calls);
	return check_write(check_fmt("%s/p.pto", check_dir()), random->text, strlen(random->text));
}

/* The same bytes by another backend, or a refusal by the arrays. */
static int run(const char *to, const char *flags)
{
	return cli(check_fmt("$B/ptowsp-run --quiet --fill x=random:1 --fill w=random:2 --fill y=random:3 --out w=%s.w.npy --out y=%s.y.npy %s p.pkg.zst && "
			     "cmp cpu.w.npy %s.w.npy && "
			     "cmp cpu.y.npy %s.y.npy",
			     to, to, flags, to, to));
}

TEST(random_programs_have_the_same_results_everywhere)
{
	static const char *const ways[] = {"", "--opt cores=1", "--device=npu2", "--opt cores=3 --opt depth=1"};
	uint64_t seeds, from = check_seeds(&seeds, cli_slow() ? 8 : 48);
	unsigned refused = 0;
	struct random random;

	cli_begin();
	for (uint64_t seed = from; seed < from + seeds; seed++) {
		char way[64];
		int status;

		snprintf(way, sizeof(way), "--plugin=aie %s", ways[seed % 4]);
		REQUIRE(program_write(&random, seed));
		if (cli("$B/ptowsp-pack p.pto -o p.pkg.zst") || run("cpu", "--plugin=cpu_sim") || run("ascend", "--plugin=a2a3sim"))
			CHECK_FAIL("seed %llu: %s%s\n%s", (unsigned long long)seed, cli_out, cli_err, random.text);
		status = run("aie", way);
		refused += status == 5;
		if (status && status != 5)
			CHECK_FAIL("seed %llu, %s: %s%s\n%s", (unsigned long long)seed, way, cli_out, cli_err, random.text);
	}
	printf("# %llu programs from seed %llu, %u of them refused\n", (unsigned long long)seeds, (unsigned long long)from, refused);
	CHECK(refused * 10 <= seeds);
}
