/* SPDX-License-Identifier: MIT
 * test_orchestrated.c - entries and kernels as C, compiled and run by tests/model/orchestrated.py: every tensor is cpu_sim's, on one thread and two, with the graph first and with tasks that start at once.
 * PTOWSP_SEED=n repeats a random program, PTOWSP_SEEDS=n makes that many. */
#include "ptowsp/note.h"
#include "tests/check.h"
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Random programs of the model: which families of statements, and how many of each set. */
enum { RANDOM = 3 };

static void begin(void)
{
	cli_begin();
	if (PTOWSP_SANITIZER)
		CHECK_SKIP("compiling takes too long here; the release build does it");
	if (cli("python3 -c 'import json' && cc --version"))
		CHECK_SKIP("python3 or a compiler is not installed");
}

static int compare(const char *arguments)
{
	return cli(check_fmt("python3 '%s/tests/model/orchestrated.py' --build '%s' --keep $T/kept %s", check_root(), check_build(), arguments));
}

static void source_compare(const char *text)
{
	check_put("p.pto", text);
	REQUIRE_INT(cli("$B/ptowsp-pack p.pto -o p.pkg.zst"), 0);
	compare("p.pkg.zst");
	CHECK_STR(cli_out, "p\tsame\n");
}

static void emitted_contains(const char *package, const char *words)
{
	REQUIRE_INT(cli(check_fmt("rm -rf c && $B/ptowsp-pack --emit=c %s -o c && cat c/main*.c", package)), 0);
	CHECK_STR(cli_err, "");
	CHECK_CONTAINS(cli_out, words);
}

/* ---- programs that people write ---------------------------------------------------------------------------------------- */

static void program_run(void)
{
	char name[64];

	begin();
	snprintf(name, sizeof(name), "%s", check_name());
	*strstr(name, "_as_c") = '\0';
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack --strict '%s/packages/programs/%s.pto' -o %s.pkg.zst", check_root(), name, name)), 0);
	compare(check_fmt("%s.pkg.zst", name));
	CHECK_STR(cli_out, check_fmt("%s\tsame\n", name));
}

/* ---- what tasks may take ------------------------------------------------------------------------------------------------- */

#define KERNELS                                                                                                                                                \
	"func @twice(%a: !pto.memref<gm,...,f32>, %spare: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n"                                           \
	"  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %a[0, 0]\n  %t = tadd %t, %t\n  tstore %t, %b[0, 0]\n  return\n}\n"                             \
	"func @more(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n"                                                                             \
	"  %t = alloc_tile : !pto.tile<2x8xf32>\n  %t = tload %a[0, 0]\n  %t = tadds %t, %1.0\n  tstore %t, %b[0, 0]\n  return\n}\n"
#define TENSORS "tensor %x : f32[4, 16] in\ntensor %y : f32[4, 16] temp\ntensor %z : f32[4, 16] inout\n"
#define BLOCKS                                                                                                                                                 \
	"  parallel_for %i in 0 to 4 { call @twice(%a -> %x[%i, 0], %spare -> bind %z[%i, 0 : 1, 16], %b -> %y[%i, 0]) }\n"                                    \
	"  parallel_for %i in 0 to 3 { call @more(%a -> %y[%i, 0], %b -> %z[%i, 0]) }\n  call @more(%a -> %z[1, 4], %b -> %z[2, 8])\n"

TEST(tensors_that_a_task_is_bound_to_and_does_not_touch_are_in_c)
{
	begin();
	source_compare(TENSORS KERNELS
		       "workload @main {\n  parallel_for %i in 0 to 4 {\n    call @twice(%a -> %x[%i, 0], %spare -> bind %z[%i, 0 : 1, 16], %b -> %y[%i, 0])\n"
		       "    call @twice(%a -> %y[%i, 0], %spare -> bind %x[3 - %i, 0 : 1, 16], %b -> %z[%i, 0])\n  }\n}\n");
	emitted_contains("p.pkg.zst", "rt_task_add_bound(tasks, t, o->tensor.z, (uint64_t)i, 0, 1, 16);");
}

/* Source text has no flat regions of tensors with a shape; the JSON form has: those of the second loop. */
TEST(tensors_that_are_flat_for_one_task_and_blocks_for_another_are_in_c)
{
	begin();
	check_put("b.pto", TENSORS KERNELS "workload @main {\n" BLOCKS "}\n");
	REQUIRE_INT(cli("$B/ptowsp-pack b.pto -o b.pkg.zst && $B/ptowsp-inspect --json b.pkg.zst | sed '/\"REGN\"/,/]/s/\"column\": 2, \"rows\": 2, "
			"\"columns\": 8/\"column\": 2, "
			"\"unit\": 16/' >p.json && $B/ptowsp-pack --from-json p.json -o p.pkg.zst"),
		    0);
	emitted_contains("p.pkg.zst", "rt_task_add_flat(tasks, t, o->tensor.y, (uint64_t)(16 * i), 16, PTOWSP_READ);");
	CHECK_CONTAINS(cli_out, "rt_task_add_input(tasks, t, o->tensor.z, 1, 4, 2, 8);");
	compare("p.pkg.zst");
	CHECK_STR(cli_out, "p\tsame\n");
}

/* Rows of as many elements as a symbol says, and of a tensor that is flat alone. */
TEST(rows_that_a_run_makes_long_may_be_flat_memory_in_c)
{
	begin();
	check_put("b.pto", "symbol %n : i64 = 1\n"
			   "tensor %x : f32[4, 16 * %n] in\ntensor %y : f32[4, 16 * %n] temp\ntensor %z : f32[4, 16 * %n] inout\n" KERNELS
			   "workload @main {\n" BLOCKS "}\n");
	REQUIRE_INT(cli("$B/ptowsp-pack b.pto -o b.pkg.zst && $B/ptowsp-inspect --json b.pkg.zst | sed '/\"REGN\"/,/]/s/\"rows\": 2, \"columns\": 8/\"unit\": "
			"16/' >p.json && "
			"$B/ptowsp-pack --from-json p.json -o p.pkg.zst"),
		    0);
	emitted_contains("p.pkg.zst", "rt_task_add_flat(tasks, t, o->tensor.z, ");
	compare("p.pkg.zst");
	CHECK_STR(cli_out, "p\tsame\n");
}

/* What goes with tokens is copied by tasks that a package does not number. */
TEST(tasks_of_a_pipeline_come_behind_others_in_c)
{
	begin();
	source_compare("tensor %x : f32[4, 16] in\ntensor %y : f32[4, 16] out\ntensor %held : f32[1, 16] inout @ub\nchannel %c : payload f32[1, 16] capacity "
		       "2\n" KERNELS "process @from produces(%c) {\n  for_each %i in 0 to 4 { send %c, %i from %x[%i, 0] }\n}\n"
		       "process @into consumes(%c) {\n  consume %c as %i into %held[0, 0] {\n"
		       "    call @twice(%a -> %held[0, 0], %spare -> bind %x[0, 0 : 1, 16], %b -> %y[%i, 0]) after task - 1\n  }\n}\n");
	REQUIRE_INT(cli("rm -rf c && $B/ptowsp-pack --emit=c p.pkg.zst -o c && cat c/*.c"), 0);
	CHECK_STR(cli_err, "");
	CHECK_CONTAINS(cli_out, "rt_task_add_after(tasks, t, (uint64_t)((int64_t)rt_tasks_count(tasks) - 1));");
}

/* ---- random programs ----------------------------------------------------------------------------------------------------- */

TEST(random_programs_are_what_cpu_sim_makes_of_them)
{
	static const char *const families[] = {"bodies", "bodies,csp,payload", "bodies,while,after"};
	uint64_t count, first = check_seeds(&count, RANDOM);

	begin();
	for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
		if (compare(check_fmt("--jobs 1 --first %llu --count %llu --families %s", (unsigned long long)first, (unsigned long long)count, families[i])))
			CHECK_FAIL("--families %s: %s%s", families[i], cli_out, cli_err);
}

void suite_orchestrated(CU_pSuite s)
{
	static const char *const programs[] = {"convolution", "embedding", "embedding_flat", "gpt2_block", "int8_matmul", "prefix_sum", "top_k"};

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		check_add(s, check_fmt("%s_as_c", programs[i]), program_run);
}
