/* SPDX-License-Identifier: MIT
 * test_parts.c - parts of tiles of which a run says how much is there: a function for whole tiles computes on them what the same function of just that size computes, on random programs. */
#include "ptowsp/note.h"
#include "tests/aie/aie_machine.h"
#include "tests/check.h"
#include "tests/draw.h"
#include "tests/lang/source.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- random functions ------------------------------------------------------------------------------------------------------- */

enum { FUNCTIONS = 24, ROWS = 9, COLUMNS = 7 };

/* A function of two matrices of R x C in tiles %a %b (R x C), %t (C x R), %r %s (R x 1), %c %d (1 x C), %p (R x R), %q (C x C), and what it makes of them in %a. What is the same everywhere
 * is never reduced alone: that has as many elements as the tile. */
static void statement(FILE *out, uint64_t *random, int depth, bool products)
{
	static const char *const simple[] = {
		"%t = ttrans %a\n  %p = tmatmul %b, %t\n  %a = tmatmul %p, %b",
		"%t = ttrans %b\n  %q = tmatmul %t, %a\n  %b = tmatmul %a, %q",
		"%t = ttrans %a\n  %p = tmatmul %b, %t\n  %p = tmatmul.acc %p, %a, %t\n  %a = tmatmul.acc %a, %p, %b",
		"%a = tadd %a, %b",
		"%b = tsub %a, %b",
		"%a = tmax %a, %b",
		"%b = tmins %a, %3",
		"%a = tneg %a",
		"%a = tmuls %a, %2",
		"%a = tadds %a, %-1",
		"%r = trowsum %a\n  %a = trowexpandsub %a, %r",
		"%r = trowmax %b\n  %a = trowexpandmul %a, %r",
		"%s = trowmin %a\n  %a = trowexpandsub %b, %s",
		"%c = tcolsum %a\n  %w = tcolexpand %c\n  %a = tsub %a, %w",
		"%d = tcolmax %b\n  %w = tcolexpand %d\n  %b = tadd %w, %b",
		"%c = tcolmin %a\n  %w = tcolexpand %c\n  %a = tmax %a, %w",
		"%m = tcmps %a, %1 {cmpMode = GT}\n  %a = tsel %m, %a, %b",
		"%r = trowsum %b\n  %b = trowexpand %r\n  %b = tmin %b, %a",
		"%w = texpands %1\n  %a = tadd %a, %w",
		"%t = ttrans %a\n  %c = tcolsum %b\n  %b = ttrans %t\n  %w = tcolexpand %c\n  %a = tadd %b, %w",
		"%w = texpands %0\n  FOR %i:idx, 0:idx, 3:idx, 1:idx\n  %w = tadd %w, %b\n  %r = trowmax %w\n  %b = trowexpandsub %b, %r\n  ENDFOR"};
	const uint64_t kind = draw(random, 10), first = products ? 0 : 3;

	if (depth < 2 && kind == 0) {
		fprintf(out, "  CMP %%go:u1, %%n:i32, %u, GT\n  IF %%go:u1\n", (unsigned)draw(random, 4));
		statement(out, random, depth + 1, products);
		fprintf(out, "  ELSE\n");
		statement(out, random, depth + 1, products);
		fprintf(out, "  ENDIF\n");
	} else if (depth < 2 && kind == 1) {
		fprintf(out, "  FOR %%k%d:idx, 0:idx, %%n:idx, 1:idx\n", depth);
		statement(out, random, depth + 1, products);
		statement(out, random, depth + 1, products);
		fprintf(out, "  ENDFOR\n");
	} else {
		fprintf(out, "  %s\n", simple[first + draw(random, sizeof(simple) / sizeof(*simple) - first)]);
	}
}

static void function(FILE *out, uint64_t *random, unsigned number, const char *type, bool products)
{
	static const struct {
		const char *name, *rows, *columns;
	} tiles[] = {{"a", "R", "C"}, {"b", "R", "C"}, {"w", "R", "C"}, {"t", "C", "R"}, {"r", "R", "1"},
		     {"s", "R", "1"}, {"c", "1", "C"}, {"d", "1", "C"}, {"p", "R", "R"}, {"q", "C", "C"}};

	fprintf(out, "func @f%u<R, C>(%%x: !pto.memref<gm,...,%s>, %%z: !pto.memref<gm,...,%s>, %%y: !pto.memref<gm,...,%s>, %%n: i32) {\n", number, type, type,
		type);
	for (size_t i = 0; i < sizeof(tiles) / sizeof(*tiles); i++)
		fprintf(out, "  %%%s = alloc_tile : !pto.tile<%sx%sx%s>\n", tiles[i].name, tiles[i].rows, tiles[i].columns, type);
	fprintf(out, "  %%m = alloc_tile : !pto.tile<RxCxi32>\n  %%go = alloc_scalar : u1\n  %%a = tload %%x[0, 0]\n  %%b = tload %%z[0, 0]\n");
	for (uint64_t left = 2 + draw(random, 6); left; left--)
		statement(out, random, 0, products);
	fprintf(out, "  tstore %%a, %%y[0, 0]\n  return\n}\n");
}

/* Each function once on parts of tiles and once on tiles of just their size; where their results lie nothing else does. */
static char *program(uint64_t seed, unsigned functions, bool products)
{
	uint64_t random = draw_seed(seed);
	const char *type = draw(&random, 2) ? "i32" : "f32";
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	REQUIRE(out != NULL);
	fprintf(out, "tensor %%x : %s[%u, %d] in\ntensor %%y : %s[%u, %d] out\ntensor %%want : %s[%u, %d] out\n", type, ROWS * functions + 1, COLUMNS, type,
		ROWS * functions, COLUMNS, type, ROWS * functions, COLUMNS);
	for (unsigned f = 0; f < functions; f++) {
		const unsigned rows = 1 + (unsigned)draw(&random, ROWS), columns = 1 + (unsigned)draw(&random, COLUMNS), at = f * ROWS;

		function(out, &random, f, type, products);
		fprintf(out, "symbol %%r%u : i64 = %u\nsymbol %%c%u : i64 = %u\nworkload @w%u {\n", f, rows, f, columns, f);
		fprintf(out,
			"  call @f%u<%d, %d>(%%x -> %%x[%u, 0 : %%r%u, %%c%u], %%z -> %%x[%u, 0 : %%r%u, %%c%u], %%y -> %%y[%u, 0 : %%r%u, %%c%u], %%n -> 2)\n",
			f, ROWS, COLUMNS, at, f, f, at + 1, f, f, at, f, f);
		fprintf(out, "  call @f%u<%u, %u>(%%x -> %%x[%u, 0 : %u, %u], %%z -> %%x[%u, 0 : %u, %u], %%y -> %%want[%u, 0 : %u, %u], %%n -> 2)\n}\n", f,
			rows, columns, at, rows, columns, at + 1, rows, columns, at, rows, columns);
	}
	fprintf(out, "workload @main {\n");
	for (unsigned f = 0; f < functions; f++)
		fprintf(out, "  call @w%u()\n", f);
	fprintf(out, "}\n");
	fclose(out);
	return text;
}

/* On which backend: the trials take turns. */
static void trial(uint64_t seed, const char *plugin)
{
	char *text = program(seed, FUNCTIONS, true), *said = NULL, *got, *want;
	size_t size = 0, want_size = 0;
	int rc;

	check_put("p.pto", text);
	rc = check_run(check_fmt("cd %s && %s/bin/ptowsp-pack --strict p.pto -o p.pkg.zst && %s/bin/ptowsp-run --quiet --plugin=%s --fill x=iota --out y=y.npy "
				 "--out want=want.npy "
				 "p.pkg.zst",
				 check_dir(), check_build(), check_build(), plugin),
		       NULL, &said);
	CHECK_STR(said, "");
	REQUIRE_INT(rc, 0);
	got = check_read(check_fmt("%s/y.npy", check_dir()), &size);
	want = check_read(check_fmt("%s/want.npy", check_dir()), &want_size);
	CHECK(got && want && size == want_size && !memcmp(got, want, size));
	free(got);
	free(want);
	free(said);
	free(text);
}

TEST(a_part_is_computed_as_a_tile_of_its_size_is)
{
	uint64_t count, seed = check_seeds(&count, 3);

	check_tmp();
	for (; count; count--, seed++)
		trial(seed, "cpu_sim");
}

TEST(and_so_it_is_on_other_backends)
{
	char engine[512];
	const char *const plugins[] = {"a2a3sim", "aie --opt clock=reference",  "aie",  "aie --opt device=npu2",
				       "opencl",  "opencl --opt memory=copied", engine, "starpu"};
	const bool starpu = !access(check_fmt("%s/lib/ptowsp/plugins/libptowsp_starpu.so", check_build()), R_OK);
	uint64_t count, seed = check_seeds(&count, 1);

	check_tmp();
	snprintf(engine, sizeof(engine), "a2a3sim --opt engine=pto-runtime --opt runtime=%s/fakes/simpler --opt cache=%s/test/ascend_cache", check_build(),
		 check_build());
	for (; count; count--, seed++)
		for (size_t i = 0; i + !starpu < sizeof(plugins) / sizeof(*plugins); i++)
			trial(seed + 70 + i, plugins[i]);
}

/* A package of few functions, as they are compiled. */
static void program_pack(uint64_t seed, bool products)
{
	char *text = program(seed, 5, products);

	check_put("p.pto", text);
	REQUIRE_INT(cli("$B/ptowsp-pack --strict p.pto -o p.pkg.zst"), 0);
	free(text);
}

#define FAKE "$B/../fakes/"

/* Kernels and entries as C, kernels as CUDA, and trees: kernels make whole tiles of parts themselves. */
TEST(and_so_it_is_in_emitted_c_and_cuda_and_trees)
{
	uint64_t count, seed = check_seeds(&count, 1);

	cli_begin();
	if (PTOWSP_SANITIZER)
		CHECK_SKIP("compiling takes too long here; the release build does it");
	if (cli("python3 -c 'import json' && c++ --version && cc --version"))
		CHECK_SKIP("python3 or a compiler is not installed");
	for (; count; count--, seed++) {
		program_pack(seed + 60, true);
		CLI_OUT(0, check_fmt("python3 '%s/tests/model/orchestrated.py' --build '%s' --keep $T p.pkg.zst", check_root(), check_build()), "p\tsame\n");
		CLI_OUT(0, check_fmt("python3 '%s/tests/model/orchestrated.py' --build '%s' --keep $T --kernels cuda p.pkg.zst", check_root(), check_build()),
			"p\tsame\n");
		REQUIRE_INT(cli("$B/ptowsp-pack --native p.pto -o n.pkg.zst && $B/ptowsp-run -q --trust=all --fill x=iota --out y=y.npy --out want=want.npy "
				"n.pkg.zst"),
			    0);
		CHECK_INT(cli("cmp y.npy want.npy"), 0);
		CLI_OUT(0, check_fmt("CFLAGS=-O0 CXXFLAGS=-O0 python3 '%s/tests/model/emitted.py' --build '%s' p.pkg.zst", check_root(), check_build()),
			"p\ttensormap_and_ringbuffer\tsame\n", "p\thost_build_graph\tsame\n");
	}
}

/* On the fake device a kernel reads and writes what is there by itself; its stand-in of a toolkit has no cube. */
TEST(and_so_it_is_on_the_cores_of_a_device)
{
	uint64_t count, seed = check_seeds(&count, 1);

	cli_begin();
	if (cli("g++ --version && objcopy --version"))
		CHECK_SKIP("there is no g++ and objcopy to compile for the fake device with");
	for (; count; count--, seed++) {
		program_pack(seed + 40, false);
		REQUIRE_INT(cli("ASCEND_HOME_PATH=" FAKE "machine/cann LD_LIBRARY_PATH=" FAKE "machine/usr/local/Ascend/driver/lib64/driver FAKE_CORES=$T "
				"$B/ptowsp-run -q --plugin=a2a3 --opt root=" FAKE "machine --opt runtime=" FAKE "simpler --opt cache=$T/cache --fill x=iota "
				"--out y=y.npy --out want=want.npy p.pkg.zst"),
			    0);
		CHECK_INT(cli("cmp y.npy want.npy"), 0);
	}
}

/* The C of kernels, compiled and called by a design on a machine of fakes: one body for whole tiles, and for each size of a part a function that calls it. */
TEST(and_so_it_is_by_compiled_kernels_of_a_core)
{
	uint64_t count, seed = check_seeds(&count, 2);

	NEED_DEVICE();
	for (; count; count--, seed++) {
		char *text = program(seed + 80, FUNCTIONS, true);

		REQUIRE(check_write(check_fmt("%s/p.pto", check_dir()), text, strlen(text)));
		REQUIRE_INT(cli("$B/ptowsp-pack --strict p.pto -o p.pkg.zst"), 0);
		if (machine_run("", KEPT "--quiet --fill x=iota --out y=y.npy --out want=want.npy p.pkg.zst"))
			CHECK_FAIL("seed %llu: %.600s", (unsigned long long)seed, cli_err);
		CHECK_INT(cli("cmp y.npy want.npy"), 0);
		free(text);
	}
}

/* Parts that begin and end within words of 4 bytes, with others beside them, and whole tiles by the same function. */
TEST(parts_of_words_are_parts_on_the_arrays_too)
{
	static const char *const types[] = {"i8", "f16"};

	NEED_DEVICE();
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const char *T = types[i];
		const char *text = check_fmt(
			"symbol %%r : i64 = 5\nsymbol %%c : i64 = 3\ntensor %%x : %s[40, 13] in\ntensor %%y : %s[40, 13] inout\n"
			"func @f(%%a: !pto.memref<gm,...,%s>, %%b: !pto.memref<gm,...,%s>) {\n  %%t = alloc_tile : !pto.tile<9x7x%s>\n  %%u = alloc_tile : "
			"!pto.tile<9x7x%s>\n  %%s = alloc_tile : !pto.tile<9x1x%s>\n  %%t = tload %%a[0, 0]\n  %%u = tload %%b[0, 0]\n  %%s = trowsum %%t\n"
			"  %%u = trowexpandsub %%u, %%s\n  tstore %%u, %%b[0, 0]\n  return\n}\nworkload @main {\n  parallel_for %%i in 0 to 4 {\n"
			"    call @f(%%a -> %%x[%%i * 9, 1 : %%r, %%c], %%b -> %%y[%%i * 9, 3 : %%r, %%c])\n"
			"    call @f(%%a -> %%x[%%i * 9, 5 : 9, %%c + %%i], %%b -> %%y[%%i * 9 + 1, 6 : 9, %%c + %%i])\n"
			"    call @f(%%a -> %%x[%%i * 9, 5 : 9, 7], %%b -> %%y[%%i * 9, 5 : 9, 7])\n  }\n}\n",
			T, T, T, T, T, T, T);

		REQUIRE(check_write(check_fmt("%s/p.pto", check_dir()), text, strlen(text)));
		REQUIRE_INT(cli("$B/ptowsp-pack p.pto -o p.pkg.zst && for p in cpu_sim aie; do $B/ptowsp-run -q --plugin=$p --fill x=iota --fill y=iota --out "
				"y=$p.npy "
				"p.pkg.zst || exit; done; cmp cpu_sim.npy aie.npy"),
			    0);
		REQUIRE_INT(machine_run("", KEPT "--quiet --fill x=iota --fill y=iota --out y=y.npy p.pkg.zst"), 0);
		CHECK_INT(cli("cmp cpu_sim.npy y.npy"), 0);
	}
}

/* ---- what is there ---------------------------------------------------------------------------------------------------------- */

#define HEAD                                                                                                                                                   \
	"symbol %n : i64 = 5\ntensor %x : f32[7, 4] in\ntensor %y : f32[8, 4] inout\nfunc @twice(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) "   \
	"{\n"                                                                                                                                                  \
	"  %t = alloc_tile : !pto.tile<4x4xf32>\n  %t = tload %a[0, 0]\n  %t = tadd %t, %t\n  tstore %t, %b[0, 0]\n  return\n}\n"

/* Runs a workload behind HEAD: what it says, or the numbers of y that are not 0. */
static char *outcome(const char *body, const char *flags)
{
	char *out = NULL, *err = NULL, *text = NULL;
	size_t size = 0;
	const float *numbers;

	check_tmp();
	check_put("p.pto", check_fmt("%sworkload @main { %s }\n", HEAD, body));
	if (check_run(check_fmt("cd %s && %s/bin/ptowsp-pack p.pto -o p.pkg.zst && %s/bin/ptowsp-run --quiet --fill x=iota --out y=y.npy %s p.pkg.zst",
				check_dir(), check_build(), check_build(), flags),
		      &out, &err)) {
		free(out);
		return err;
	}
	free(out);
	free(err);
	out = check_read(check_fmt("%s/y.npy", check_dir()), &size);
	REQUIRE(out && size >= 128 + 32 * sizeof(float));
	numbers = (const float *)(const void *)(out + 128);
	text = calloc(1, 512);
	for (int i = 0; i < 32; i++)
		if (numbers[i] != 0)
			snprintf(text + strlen(text), 512 - strlen(text), "%d:%g ", i, (double)numbers[i]);
	free(out);
	return text;
}

static void says(const char *body, const char *flags, const char *want)
{
	char *text = outcome(body, flags);

	CHECK_CONTAINS(text, want);
	free(text);
}

TEST(nothing_else_is_touched)
{
	says("parallel_for %i in 0 to %n step 4 { call @twice(%a -> %x[%i, 0 : min(4, %n - %i), 4], %b -> %y[%i, 0 : min(4, %n - %i), 4]) }", "",
	     "1:2 2:4 3:6 4:8 5:10 6:12 7:14 8:16 9:18 10:20 11:22 12:24 13:26 14:28 15:30 16:32 17:34 18:36 19:38 ");
	says("call @twice(%a -> %x[1, 1 : 2, %n - 3], %b -> %y[6, 2 : %n - 3, 2])", "", "26:10 27:12 30:18 31:20 ");
	says("call @twice(%a -> %x[0, 0 : %n, %n + 1], %b -> %y[0, 0 : 4, 4])", "--set n=1", "1:2 ");
}

/* Elements of a stored part that the tile does not have are 0. */
TEST(a_larger_part_gets_zeros)
{
	says("call @twice(%a -> %x, %b -> %y[0, 0]) call @twice(%a -> %x[0, 0 : %n, 4], %b -> %y[0, 0])", "--set n=2", "1:2 2:4 3:6 4:8 5:10 6:12 7:14 ");
}

TEST(one_part_for_two_arguments_is_one)
{
	says("copy %x[0, 0 : 4, 4] -> %y[0, 0] for_each %i in 0 to 2 { call @twice(%a -> %y[0, 0 : %n, 4], %b -> %y[0, 0 : %n, 4]) }", "--set n=1",
	     "1:4 2:8 3:12 4:4 5:5 6:6 7:7 8:8 ");
	says("call @twice(%a -> %y[0, 0 : %n, 4], %b -> %y[1, 0 : %n, 4])", "--set n=2",
	     "kernel twice: tensor arguments 0 and 1 are parts of one tensor that meet, one is written, and of one not all is there; copy one of them "
	     "beforehand");
	says("call @twice(%a -> %y[0, 0 : %n, 4], %b -> %y[2, 0 : %n, 4])", "--set n=2", "");
}

/* Elements go there once and come back once, whatever the number of parts; what is refused there is told as here. */
TEST(a_device_of_its_own_makes_whole_tiles_of_parts)
{
	const char *const flags = "--plugin=opencl --opt memory=copied --threads 1";
	json_t *stats, *row;
	size_t i;

	cli_begin();
	if (cli("$B/ptowsp-run -q --no-kernels --plugin=opencl $P/vector_add.pkg.zst") == 8)
		CHECK_SKIP("not run here: there is no OpenCL device");
	check_put("p.pto",
		  HEAD "workload @main { parallel_for %i in 0 to 7 { call @twice(%a -> %x[%i, 0 : min(%n, 1), 4], %b -> %y[%i, 0 : min(%n, 1), 4]) } }\n");
	REQUIRE_INT(cli("$B/ptowsp-pack p.pto -o p.pkg.zst"), 0);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --stats=json %s p.pkg.zst", flags)), 0);
	stats = cli_json();
	json_array_foreach(json_object_get(stats, "figures"), i, row) if (strstr(json_string_value(json_object_get(row, "name")), "transfers"))
		CHECK(json_integer_value(json_object_get(row, "value")) <= 2);
	CHECK(i >= 4);
	says("call @twice(%a -> %y[0, 0 : %n, 4], %b -> %y[1, 0 : %n, 4])", check_fmt("--set n=2 %s", flags),
	     "kernel twice: tensor arguments 0 and 1 are parts of one tensor that meet, one is written, and of one not all is there; copy one of them "
	     "beforehand");
	says("call @twice(%a -> %x[1, 1 : 2, %n - 3], %b -> %y[6, 2 : %n - 3, 2])", flags, "26:10 27:12 30:18 31:20 ");
}

/* On a device with memory of its own, too, what a task writes beside parts stays there. */
TEST(what_is_whole_stays_where_it_was_written)
{
	static const char body[] = "call @twice(%a -> %x[0, 0 : %n, 4], %b -> %y[0, 0]) call @twice(%a -> %y[0, 0 : %n, 4], %b -> %y[4, 0])";

	says(body, "--plugin=opencl --opt memory=copied --set n=2", "1:2 2:4 3:6 4:8 5:10 6:12 7:14 17:4 18:8 19:12 20:16 21:20 22:24 23:28 ");
}

TEST(sizes_are_looked_at)
{
	says("call @twice(%a -> %x[0, 0 : %n, 4], %b -> %y[0, 0])", "", "task 0, kernel twice, gets 5 x 4 elements of tensor x, and takes 1 x 1 to 4 x 4");
	says("call @twice(%a -> %x[0, 0 : %n - 5, 4], %b -> %y[0, 0])", "", "gets 0 x 4 elements of tensor x, and takes 1 x 1 to 4 x 4");
	says("call @twice(%a -> %x[%n, 0 : 4, %n - 1], %b -> %y[0, 0])", "", "touches 4 x 4 elements at 5, 0 of tensor x, which is 7 x 4; n is 5");
	says("call @twice(%a -> %x[%n, 0 : %n - 3, 4], %b -> %y[0, 0])", "", "1:");
}

/* Tiles of 4 x 4 as far as the tensors go, again and again; of %z rows and columns that no tensor ends with. */
#define TILED                                                                                                                                                  \
	"symbol %n : i64 = 37\nsymbol %m : i64 = 29\ntensor %x : f32[%n, %m] in\ntensor %y : f32[%n, %m] inout\ntensor %z : f32[%n, %m] inout\n"               \
	"func @add(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n  %s = alloc_tile : !pto.tile<4x4xf32>\n"                                      \
	"  %t = alloc_tile : !pto.tile<4x4xf32>\n  %s = tload %a[0, 0]\n  %t = tload %b[0, 0]\n  %t = tadd %t, %s\n  tstore %t, %b[0, 0]\n  return\n}\n"       \
	"workload @main {\n  for_each %r in 0 to 3 {\n    parallel_for %i in 0 to %n step 4 {\n      parallel_for %j in 0 to %m step 4 {\n"                    \
	"        call @add(%a -> %x[%i, %j : min(4, %n - %i), min(%m - %j, 4)], %b -> %y[%i, %j : min(4, %n - %i), min(%m - %j, 4)])\n      }\n    }\n"        \
	"    parallel_for %i in 0 to 9 { call @add(%a -> %x[%i * 4, 2 : %i % 4 + 1, 3], %b -> %z[%i * 4, 2 : %i % 4 + 1, 3]) }\n"                              \
	"    parallel_for %i in 0 to 9 { call @add(%a -> %x[%i * 4, 9 : 2, %m - 28], %b -> %z[%i * 4, 9 : 2, %m - 28]) }\n  }\n}\n"

static void tiled(const char *flags)
{
	const char *run =
		check_fmt("cd %s && %s/bin/ptowsp-run --quiet --fill x=iota --out y=y.npy --out z=z.npy %s p.pkg.zst", check_dir(), check_build(), flags);
	size_t sizes[2] = {0, 0};
	char *files[2];
	bool same = true;

	REQUIRE_INT(check_run(run, NULL, NULL), 0);
	files[0] = check_read(check_fmt("%s/y.npy", check_dir()), &sizes[0]);
	files[1] = check_read(check_fmt("%s/z.npy", check_dir()), &sizes[1]);
	REQUIRE(files[0] && files[1] && sizes[0] >= 128 + 37 * 29 * sizeof(float) && sizes[1] >= sizes[0]);
	for (int i = 0; i < 37 * 29; i++) {
		const int row = i / 29, column = i % 29, rows = column == 9 ? 2 : column >= 2 && column < 5 ? row / 4 % 4 + 1 : 0;
		const int times = row < 36 && row % 4 < rows ? 3 : 0;

		same &= ((const float *)(const void *)(files[0] + 128))[i] == (float)(3 * i);
		same &= ((const float *)(const void *)(files[1] + 128))[i] == (float)(times * i);
	}
	CHECK(same);
	free(files[0]);
	free(files[1]);
}

TEST(tasks_of_loops_get_what_is_there_of_their_tiles)
{
	check_tmp();
	check_put("p.pto", TILED);
	REQUIRE_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-pack --strict p.pto -o p.pkg.zst", check_dir(), check_build()), NULL, NULL), 0);
	tiled("--threads 1");
	tiled("--threads 3");
	tiled("--threads 1 --schedule deps=tensor_map_exact");
	tiled("--threads 3 --plugin=a2a3sim");
}

/* ---- what is refused -------------------------------------------------------------------------------------------------------- */

/* A package of HEAD whose JSON form, changed, is packed anew: what a run of it says. */
static void altered(const char *body, const char *from, const char *to, const char *want)
{
	char *json, *at, *text = NULL, *err = NULL;

	free(outcome(body, ""));
	REQUIRE_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-inspect --json p.pkg.zst >p.json", check_dir(), check_build()), NULL, NULL), 0);
	json = check_read(check_fmt("%s/p.json", check_dir()), NULL);
	at = json ? strstr(json, "\"REGN\"") : NULL;
	at = at ? strstr(at, from) : NULL;
	REQUIRE(at != NULL);
	REQUIRE(asprintf(&text, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from)) > 0);
	check_put("q.json", text);
	free(text);
	CHECK(check_run(check_fmt("cd %s && %s/bin/ptowsp-pack --from-json q.json -o q.pkg.zst && %s/bin/ptowsp-run --quiet q.pkg.zst", check_dir(),
				  check_build(), check_build()),
			NULL, &err) != 0);
	CHECK_CONTAINS(err, want);
	free(err);
	free(json);
}

TEST(a_function_with_parts_is_passed_no_flat_memory)
{
	says("call @twice(%a -> %x[0, 0 : %n, 4], %b -> %y[0, 0]) call @twice(%a -> %x[0, 0 : ...], %b -> %y[0, 0])", "--set n=2",
	     "@twice is told how many rows of its tile of %a are there, and flat memory has none");
}

TEST(packages_that_make_no_sense_are_refused)
{
	static const char body[] = "call @twice(%a -> %x[0, 0 : %n, 4], %b -> %y[0, 0])";

	altered(body, "[\"io_rows\", 0, ", "[\"io_rows\", 0, 0], [\"io_rows\", 0, ", "how much of tensor argument 0 is there is said twice");
	altered(body, "\"rows\": 4,", "\"rows\": 3,", "tensor argument 0 of kernel twice is a part of 3 x 4 elements, its tile has 4 x 4");
	altered(body, "\"rows\": 4, \"columns\": 4}", "\"unit\": 4}",
		"REGN row 0 is partly there, and is no block of at most 2^31 - 1 rows and columns of elements as they are");
}

/* A task may say nothing of what is there, and pass what is larger than the tile in one way and smaller in another. */
TEST(a_window_that_is_no_part_goes_as_it_is)
{
	altered("call @twice(%a -> %x[0, 0 : 4, 4], %b -> %y[0, 0]) call @twice(%a -> %x[1, 0 : %n - 3, 4], %b -> %y[0, 0])", "\"rows\": 4, \"columns\": 4}",
		"\"rows\": 7, \"columns\": 2}", "tload reads 4x4 at row 0, column 0 of %a (tensor x), which is 7x2");
}

/* The source of a package with masks by rows and by columns of one size packs again. */
TEST(masks_have_names_of_their_own)
{
	char *out = NULL;

	check_tmp();
	check_put("p.pto", "symbol %n : i64 = 3\ntensor %x : f32[4, 4] in\ntensor %y : f32[4, 4] out\n"
			   "func @f(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<4x4xf32>\n"
			   "  %t = tload %x[0, 0]\n  %t = tmatmul %t, %t\n  tstore %t, %y[0, 0]\n  return\n}\n"
			   "workload @main { call @f(%x -> %x[0, 0 : %n, 4], %y -> %y) }\n");
	REQUIRE_INT(check_run(check_fmt("cd %s && %s/bin/ptowsp-pack --strict p.pto -o p.pkg.zst && %s/bin/ptowsp-inspect --pto p.pkg.zst >q.pto && "
					"%s/bin/ptowsp-pack q.pto -o q.pkg.zst && cat q.pto",
					check_dir(), check_build(), check_build(), check_build()),
			      &out, NULL),
		    0);
	CHECK_CONTAINS(out, "%there.x.rows.across.4x4 = ");
	CHECK_CONTAINS(out, "there.x.rows.");
	free(out);
}

TEST(a_function_has_64_sizes)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct source s;

	REQUIRE(out != NULL);
	fprintf(out, "symbol %%n : i64 = 1\ntensor %%x : f32[4, 4] in\nfunc @f(");
	for (int i = 0; i < 33; i++)
		fprintf(out, "%s%%m%d: !pto.memref<gm,...,f32>", i ? ", " : "", i);
	fprintf(out, ") {\n  %%t = alloc_tile : !pto.tile<4x4xf32>\n");
	for (int i = 0; i < 33; i++)
		fprintf(out, "  %%t = tload %%m%d[0, 0]\n", i);
	fprintf(out, "  return\n}\nworkload @main { call @f(");
	for (int i = 0; i < 33; i++)
		fprintf(out, "%s%%m%d -> %%x[0, 0 : %%n, %%n]", i ? ", " : "", i);
	fprintf(out, ") }\n");
	fclose(out);
	s = source_compile(text);
	CHECK_CONTAINS(s.messages, "@f gets more than 64 parts of which a run says how much is there");
	source_free(&s);
	free(text);
}
