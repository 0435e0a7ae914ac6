/* SPDX-License-Identifier: MIT */
/* test_sizes.c - sources and packages with 20,000 of something: every tool is done with them within the processor time and the memory that the mutants of
 * tests/mutants have. Each row once took minutes. */
#include "tests/contract/cli.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 20000, STATEMENTS = 5 /* of the shapes */ };

#define MEMREFS      "(%%x: !pto.memref<gm,...,f32>, %%y: !pto.memref<gm,...,f32>)"
#define KERNEL(name) "func @" name MEMREFS " {\n  %%t = alloc_tile : !pto.tile<1x8xf32>\n  %%t = tload %%x[0, 0]\n  tstore %%t, %%y[0, 0]\n  return\n}\n"
#define TENSORS      "tensor %%x : f32[8, 8] in\ntensor %%y : f32[8, 8] out\n"

/* A source: `head`, many times `row`, with its number for each %d of it, and `tail`. */
static const struct shape {
	const char *name, *head, *row, *tail;
} shapes[] = {
	{"functions", "",
	 "func @f%d(%%x: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<1x8xf32>\n  %%t = tload %%x[0, 0]\n  tstore %%t, %%x[0, 0]\n  return\n}\n",
	 ""},
	{"scalars", "", "func @f%d(%%x: !pto.memref<gm,...,f32>, %%n: i32, %%m%d: i32) {\n  STORE %%n:i32, %%x[%%m%d]\n  return\n}\n", ""},
	{"calls", KERNEL("k"), "// Function Type: Orchestration\nfunc @o%d" MEMREFS " {\n  CALL @k(%%x -> %%x, %%y -> %%y)\n  return\n}\n", ""},
	{"workloads", TENSORS KERNEL("k"), "workload @w%d {\n  call @k(%%x -> %%x, %%y -> %%y)\n}\n", ""},
	{"tensors", "", "tensor %%x%d : f32[8, 8] in\n", "workload @main { nop }\n"},
	{"statements", "func @f" MEMREFS " {\n  %%t = alloc_tile : !pto.tile<1x8xf32>\n  %%t = tload %%x[0, 0]\n",
	 "  %%t = tadd %%t, %%t\n  %%t = tmul %%t, %%t\n", "  tstore %%t, %%y[0, 0]\n  return\n}\n"},
};

/* What printf makes of a form with that number for each %d. */
static void form_write(FILE *to, const char *form, int number)
{
	for (const char *at = form; *at; at++)
		if (*at != '%')
			fputc(*at, to);
		else if (*++at == 'd')
			fprintf(to, "%d", number);
		else
			fputc(*at, to);
}

static void source_write(const struct shape *shape, int rows)
{
	FILE *to = fopen(check_fmt("%s/many.pto", check_dir()), "w");

	REQUIRE(to != NULL);
	form_write(to, shape->head, 0);
	for (int i = 0; i < rows; i++)
		form_write(to, shape->row, i);
	form_write(to, shape->tail, 0);
	REQUIRE(!fclose(to));
}

/* Within the limits of tests/mutants/README.md; sanitized tools take four times the time, and addresses without limit. */
static void done(const char *command)
{
	const int code = cli(check_fmt("%s %s >done.txt", cli_slow() ? "ulimit -t 40;" : "ulimit -t 10; ulimit -v 2097152;", command));

	if (code)
		CHECK_FAIL("%s: exit %d, %.200s", command, code, cli_err);
}

static void every_tool_takes_them(void)
{
	static const char *const commands[] = {"$B/ptowsp-pack many.pto -o many.pkg.zst", "$B/ptowsp-inspect many.pkg.zst",
					       "$B/ptowsp-inspect --json many.pkg.zst",   "$B/ptowsp-inspect --disasm many.pkg.zst",
					       "$B/ptowsp-inspect --verify many.pkg.zst", "$B/ptowsp-inspect --pto many.pkg.zst",
					       "$B/ptowsp-inspect --c many.pkg.zst"};
	const struct shape *shape = shapes;

	while (strcmp(shape->name, check_name() + strlen("every_tool_takes_many_")))
		shape++;
	cli_begin();
	source_write(shape, MANY);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		done(commands[i]);
}

/* Tiles that share no place, and do where a memory is too small. */
TEST(tiles_are_summed_up)
{
	FILE *to;

	cli_begin();
	to = fopen(check_fmt("%s/many.pto", check_dir()), "w");
	REQUIRE(to != NULL);
	fputs("func @one(%x: !pto.memref<gm,...,f32>) {\n", to);
	for (int i = 0; i < MANY; i++)
		fprintf(to, "  %%t%d = alloc_tile : !pto.tile<8x8xf32>\n  %%t%d = tload %%x[%d, 0]\n", i, i, i);
	fputs("  tstore %t0, %x[0, 0]\n  return\n}\n", to);
	REQUIRE(!fclose(to));
	done("$B/ptowsp-pack many.pto -o many.pkg.zst");
	done("$B/ptowsp-inspect many.pkg.zst");
}

/* Each function calls the one before it: expanded in place, a million calls are the limit, which is met in time. */
TEST(chains_of_calls_are_refused_in_time)
{
	FILE *to;

	cli_begin();
	to = fopen(check_fmt("%s/many.pto", check_dir()), "w");
	REQUIRE(to != NULL);
	fputs("func @f0(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n  return\n}\n",
	      to);
	for (int i = 1; i < MANY; i++)
		fprintf(to, "func @f%d(%%x: !pto.memref<gm,...,f32>) {\n  CALL @f%d(%%x -> %%x)\n  return\n}\n", i, i - 1);
	REQUIRE(!fclose(to));
	CHECK_INT(cli(check_fmt("%s $B/ptowsp-pack many.pto -o many.pkg.zst", cli_slow() ? "ulimit -t 40;" : "ulimit -t 10; ulimit -v 2097152;")), 3);
	CHECK_CONTAINS(cli_err, "the calls of this package expand to more than 1048576 instructions");
}

static void emitted_for_all_targets(void)
{
	done("$B/ptowsp-pack --emit=c many.pto -o emitted");
	done("$B/ptowsp-pack --emit=cuda many.pto -o emitted");
	done("$B/ptowsp-pack --emit=ascend-a2a3 many.pto -o emitted");
	done("$B/ptowsp-pack --emit=ascend-a5 many.pto -o emitted");
}

/* One group of them; as many stages, loads of one tile, tiles that are used once, each of a shape of its own. */
TEST(statements_are_emitted)
{
	static const struct shape kernels[] = {
		{"stages", "func @f" MEMREFS " {\n  %%t = alloc_tile : !pto.tile<8x8xf32>\n  %%u = alloc_tile : !pto.tile<8x4xf32>\n",
		 "  %%t = tadd %%t, %%t\n  %%u = tadd %%u, %%u\n", "}\n"},
		{"loads", "func @f" MEMREFS " {\n  %%t = alloc_tile : !pto.tile<8x8xf32>\n", "  %%t = tload %%x[%d, 0]\n", "  tstore %%t, %%y[0, 0]\n}\n"},
		{"tiles", "func @f" MEMREFS " {\n", "  %%t%d = alloc_tile : !pto.tile<8x8xf32>\n  %%t%d = tload %%x[%d, 0]\n  %%t%d = tadd %%t%d, %%t%d\n",
		 "  tstore %%t0, %%y[0, 0]\n}\n"},
		{"stores", "func @f" MEMREFS " {\n", "  %%t%d = alloc_tile : !pto.tile<1x8xf32>\n  %%t%d = texpands %%%d.0\n  tstore %%t%d, %%y[%d, 0]\n",
		 "}\n"},
	};

	cli_begin();
	source_write(&shapes[STATEMENTS], MANY);
	emitted_for_all_targets();
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
		source_write(&kernels[i], MANY);
		emitted_for_all_targets();
	}
}

/* Each kernel of a task graph is a kernel of its own; a look at every pair of 30,000 takes longer than the limit. */
TEST(task_graphs_are_taken)
{
	static const struct shape graph = {"graph", KERNEL("one") "graph @g {\n  TG_BEGIN(G)\n",
					   "    TG_KERNEL(A%d, one, 1, AIV, 0)\n    MC_BIND(A%d, 0, X)\n    MC_BIND(A%d, 1, Y)\n",
					   "  TG_END(G)\n  TG_LAUNCH(G, stream)\n}\n"};

	cli_begin();
	source_write(&graph, MANY + MANY / 2);
	done("$B/ptowsp-pack many.pto -o many.pkg.zst");
	done("$B/ptowsp-run --explain --plugin=aie --isolate=none many.pkg.zst");
	done("$B/ptowsp-pack --emit=c many.pto -o emitted");
}

/* Launches that are waited for, and copies. */
TEST(launches_are_taken)
{
#define LAUNCHES(name, row)                                                                                                                                    \
	{                                                                                                                                                      \
		name,                                                                                                                                          \
			KERNEL("one") "graph @g {\n  MC_ALLOC(Y, 1024)\n  TG_BEGIN(G)\n    TG_KERNEL(A, one, 1, AIV, 0)\n    MC_BIND(A, 0, X)\n    "           \
				      "MC_BIND(A, 1, Y)\n  TG_END(G)\n",                                                                                       \
			row, "}\n"                                                                                                                             \
	}
	static const struct shape shapes_of_launches[] = {
		LAUNCHES("launches", "  TG_LAUNCH(G, s)\n"),
		LAUNCHES("streams", "  TG_LAUNCH(G, s%d)\n"),
		LAUNCHES("syncs", "  TG_INVOKE(G, %d)\n  TG_SYNC(G)\n"),
		LAUNCHES("copies", "  MC_COPY(X, Y, 256)\n"),
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(shapes_of_launches) / sizeof(*shapes_of_launches); i++) {
		source_write(&shapes_of_launches[i], MANY);
		done("$B/ptowsp-pack many.pto -o many.pkg.zst");
		done("$B/ptowsp-inspect --pto many.pkg.zst");
	}
}

/* Names that C cuts to the same one: those of 4,000 kernels that differ, and of as many workloads, each with its tensor and symbol. */
TEST(names_are_numbered)
{
#define LONG "a_name_that_is_as_long_as_none_that_C_takes_or_more_so_"
	static const struct shape functions = {"functions", TENSORS,
					       "func @" LONG
					       "%d(%%x: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<1x8xf32>\n  %%t = texpands %%%d.0\n"
					       "  tstore %%t, %%x[0, 0]\n  return\n}\n",
					       ""};
	static const struct shape workloads = {"workloads", KERNEL("k"),
					       "tensor %%" LONG "%d : f32[8, 8] inout\nsymbol %%" LONG "n%d : u64 = 1\n"
					       "workload @" LONG "w%d {\n  parallel_for %%i in 0 to %%" LONG "n%d { call @k(%%x -> %%" LONG
					       "%d[0, 0], %%y -> %%" LONG "%d[%%i + 1, 0]) }\n}\n",
					       ""};

	cli_begin();
	source_write(&functions, 4000);
	done("$B/ptowsp-pack --emit=c many.pto -o functions");
	source_write(&workloads, 4000);
	done("$B/ptowsp-pack --emit=c many.pto -o workloads");
}

/* The last of 50 scalars has the first one 2^50 times in it. */
TEST(expressions_with_operands_in_common_are_printed)
{
	FILE *to;

	cli_begin();
	to = fopen(check_fmt("%s/many.pto", check_dir()), "w");
	REQUIRE(to != NULL);
	fputs("func @k(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n  tstore %t, %x[0, 0]\n  return\n}\n"
	      "// Function Type: Orchestration\nfunc @o(%x: !pto.memref<gm,...,f32>, %s0: i32) {\n",
	      to);
	for (int i = 0; i < 50; i++)
		fprintf(to, "  %%s%d = alloc_scalar : i32\n  %s %%s%d:i32, %%s%d, %%s%d\n", i + 1, i % 2 ? "ADD" : "DIV", i + 1, i, i);
	fputs("  FOR %i:idx, 0:idx, %s50:idx, 1:idx\n    CALL @k(%x -> (%x, s50, 0))\n  ENDFOR\n  return\n}\n", to);
	REQUIRE(!fclose(to));
	done("$B/ptowsp-pack many.pto -o many.pkg.zst");
	done("$B/ptowsp-pack --emit=c many.pto -o emitted");
	done("$B/ptowsp-inspect --pto many.pkg.zst");
	done("$B/ptowsp-inspect --c many.pkg.zst");
	done("$B/ptowsp-run --set s0=1 --plugin=aie --isolate=none --explain many.pkg.zst");
	done("$B/ptowsp-run --set s0=1 --plugin=a2a3 --isolate=none --emit emitted_a2a3 many.pkg.zst");
}

/* As many processes as there may be, two ends for each channel. */
TEST(channels_are_emitted)
{
	static const struct shape pipeline = {
		"channels", TENSORS,
		"channel %%c%d : payload f32[8, 8] capacity 2\nprocess @p%d produces(%%c%d) {\n  send %%c%d, 0 from %%x[0, 0]\n}\n"
		"process @q%d consumes(%%c%d) {\n  consume %%c%d as %%i into %%y[0, 0] { }\n}\n",
		""};

	cli_begin();
	source_write(&pipeline, 2048);
	done("$B/ptowsp-pack many.pto -o many.pkg.zst");
	done("$B/ptowsp-run --emit emitted --plugin=a2a3 --isolate=none many.pkg.zst");
}

/* Slots are the package's, so a plan has each once, however many workloads it has. */
TEST(slots_are_emitted_once)
{
	static const struct shape workloads = {"slots", TENSORS KERNEL("k"), "slot %%s%d : i64 = %d\nworkload @w%d {\n  call @k(%%x -> %%x, %%y -> %%y)\n}\n",
					       ""};
	json_t *plan;

	cli_begin();
	source_write(&workloads, 100);
	done("$B/ptowsp-pack many.pto -o many.pkg.zst");
	done("$B/ptowsp-run --entry w1 --emit emitted --plugin=a2a3 --isolate=none many.pkg.zst");
	plan = cli_json_file("emitted/plan.json");
	CHECK_STR(cli_text(plan, "schema"), "ptowsp.emit/2");
	CHECK_UINT(json_array_size(cli_at(plan, "slots")), 100);
	CHECK_UINT(json_array_size(cli_at(plan, "workloads")), 100);
	CHECK_INT(cli("test $(wc -c <emitted/plan.json) -lt 100000"), 0);
}

void suite_sizes(CU_pSuite s)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		check_add(s, check_fmt("every_tool_takes_many_%s", shapes[i].name), every_tool_takes_them);
}
