/* SPDX-License-Identifier: MIT
 * test_ascend_emit.c - what --emit writes for the Ascend backends: the host side is compiled and run, and has the tasks of the bytecode for every example; the
 * side of the AICores is compiled by a stand-in for the toolkit's header. */
#include "tests/base/emit_tree.h"
#include "tests/contract/cli.h"
#include "tests/tools/example_rows.h"

#include "ptowsp/note.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void example_has_the_same_tasks(void)
{
	const struct example_row *row = example_row_of(check_name() + strlen("emitted_"));
	struct emit_tree *tree;
	uint64_t tasks;

	REQUIRE(row != NULL);
	if (access(check_fmt("%s/packages/%s.pkg.zst", check_build(), row->package), R_OK))
		CHECK_SKIP("this build does not make the package");
	tree = emit_tree_make(check_fmt("%s/packages/%s.pkg.zst", check_build(), row->package), NULL, "ascend-a2a3");
	if (!tree)
		return;
	if (PTOWSP_SANITIZER || !check_turn((uint64_t)(row - example_rows), 2)) { /* what writes the tree was looked at */
		emit_tree_destroy(tree);
		CHECK_SKIP("compiling takes long: half of the trees a day in the release build, all with --long");
	}
	tasks = emit_tree_compare(tree, 4);
	if (!*row->options) /* a row with two devices counts the tasks of both */
		CHECK_UINT(tasks, (uint64_t)row->tasks);
	emit_tree_cores_compile(tree);
	emit_tree_destroy(tree);
}

/* Two units, three loops, a body with a filter of its own. */
static const char before_filter[] = "module @m\nsymbol %k : i64 = 3\ntensor %x : i32[64] inout\ntensor %y : i32[64] inout\n"
				    "func @one(%x: !pto.memref<gm,...,i32>) {\n  %a = alloc_tile : !pto.tile<1x1xi32>\n  %a = texpands %1 : i32, "
				    "!pto.tile<1x1xi32>\n  tstore %a, %x[0, 0]\n  return\n}\n"
				    "kernel @vec(%x: i32[1] out) on vector { portable @one }\nkernel @cub(%x: i32[1] out) on cube { portable @one }\nkernel "
				    "@any(%x: i32[1] out) { portable @one }\n"
				    "workload @main {\n  parallel_for %i in 0 to 5 {\n    call @cub(%x -> %y[%i])\n    parallel_for %j in 0 to 3 {\n      call "
				    "@vec(%x -> %x[%i * 3 + %j])\n"
				    "      if (%i + %j) % 2 > 0 { call @cub(%x -> %y[%i * 3 + %j]) }\n    }\n  }\n  call @vec(%x -> %y[40])\n"
				    "  parallel_for %w in 0 to 4 {\n",
		  after_filter[] = "    call @vec(%x -> %x[20 + %w])\n    call @cub(%x -> %x[24 + %w])\n  }\n  call @vec(%x -> %y[41])\n}\n";

/* The executor of its policy, counted on through the pools, of as many as there are instances; a filter before it. */
TEST(owners_are_those_of_every_policy)
{
	static const struct {
		const char *schedule, *filter, *told;
	} rows[] = {
		{"dispatch round_robin(3)", "", ""},
		{"dispatch round_robin(3) pools by_exec_unit streams 2", "", ""},
		{"dispatch affinity(%j, 2) pools custom(%i % 2)", "", ""},
		{"dispatch hash(task * 5, 3)", "    dispatch_filter round_robin\n", ""},
		{"dispatch custom(%i - %j * 7, 3) pools by_exec_unit", "    dispatch_filter hash(%w)\n", ""},
		{"dispatch static_partition(4, 9, 12)", "", ""},
		{"spatial_map(2, 3)", "    dispatch_filter custom(%w - 5)\n", ""},
		{"dispatch threshold(%i, round_robin(2), 2: static_partition(9), 3: affinity(%j, 5), 4: hash(%j, 3)) streams 3", "", ""},
		{"dispatch threshold(%i, spatial_map(1, 3), 2: spatial_map(2, 2), 4: hash(%j, 3))", "", ""},
		{"dispatch auto(2) pools custom(%j)", "", "dispatch auto is affinity to loop i in the code"},
		{"pools custom(%j)", "    dispatch_filter affinity(%w + %k)\n", ""},
	};

	char source[4096];

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct emit_tree *tree;

		snprintf(source, sizeof(source), "%s%s%sschedule { %s }\n", before_filter, rows[i].filter, after_filter, rows[i].schedule);
		REQUIRE(check_write(check_fmt("%s/s.pto", check_tmp()), source, strlen(source)));
		REQUIRE_INT(cli("$B/ptowsp-pack s.pto -o $B/../test/owners.pkg.zst"), 0);
		tree = emit_tree_make(check_fmt("%s/test/owners.pkg.zst", check_build()), NULL, "ascend-a2a3"); /* which takes the test's folder */
		if (!tree)
			return;
		CHECK_CONTAINS(emit_tree_told(tree), rows[i].told);
		CHECK(emit_tree_compare(tree, 4 - i % 2) > 20);
		emit_tree_destroy(tree);
	}
}

/* Without CANN and devices: files, exit status 0, and a script that says what it misses. */
TEST(emit_works_without_a_device)
{
	CLI_ERR(0, "unset ASCEND_HOME_PATH; $B/ptowsp-run --plugin=a2a3 --emit tree $P/vector_add.pkg.zst", "nothing was run: ");
	CLI_OUT(0, "cd tree && CXXFLAGS= ./build.sh host >/dev/null && out/tasks vector_add | wc -l", "8\n");
	CHECK_INT(cli("cd tree && out/tasks nothing"), 2);
	CLI_ERR(8, "unset ASCEND_HOME_PATH; cd tree && ./build.sh device", "ASCEND_HOME_PATH is not set");
	CHECK_INT(cli("unset ASCEND_HOME_PATH; $B/ptowsp-run --plugin=a2a3 --emit tree --stats $P/vector_add.pkg.zst"), 8);
	CHECK_INT(cli("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Itree tree/platform_device.cc"), 0);
	CHECK_STR(cli_err, "");
}

/* Files that need no run are there, whoever could run them; files of a run are not where there is none. */
TEST(emit_works_without_an_engine)
{
	static const char *const plugins[] = {"a2a3", "a2a3sim"};

	for (int i = 0; i < 2; i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=%s --emit %s $P/two_devices.pkg.zst", plugins[i], plugins[i])), 0);
		CHECK_CONTAINS(cli_err, check_fmt("nothing was run: opcode notify is unsupported on %s", plugins[i]));
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=%s --emit %s --trace t.json $P/two_devices.pkg.zst", plugins[i], plugins[i])), 5);
	}
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --emit aie $P/two_devices.pkg.zst", "opcode notify is unsupported on aie");
	CLI_PRINTS(2, "ls -d a2a3 a2a3sim aie 2>/dev/null", "a2a3\na2a3sim\n");
}

/* The same bytes again, and the simulation runs on. */
TEST(the_simulation_writes_the_same_tree_and_runs)
{
	CLI_OUT(0, "$B/ptowsp-run --plugin=a2a3sim --emit a $P/csp.pkg.zst && $B/ptowsp-run --plugin=a2a3sim --emit b $P/csp.pkg.zst && diff -r a b",
		"compare: ok");
	/* Nor does it matter what the engine could do that would run it. */
	REQUIRE_INT(cli("printf 'module @m\n%s\nkernel @k(%%x: i32[1] out) on cube { portable @one }\nworkload @main { parallel_for %%i in 0 to 5 { call "
			"@k(%%x -> %%x[%%i]) } }\n"
			"schedule { dispatch threshold(%%i, round_robin(2), 3: affinity(%%i, 5)) pools by_exec_unit task_window 16 tasks abort }\n' "
			"'tensor %x : i32[8] inout\nfunc @one(%x: !pto.memref<gm,...,i32>) { %a = alloc_tile : !pto.tile<1x1xi32>\n tstore %a, %x[0, 0]\n "
			"return }' >s.pto && "
			"$B/ptowsp-pack s.pto -o s.pkg.zst"),
		    0);
	CHECK_INT(cli("unset ASCEND_HOME_PATH; $B/ptowsp-run --plugin=a2a3sim --emit d s.pkg.zst && $B/ptowsp-run --plugin=a2a3 --emit e s.pkg.zst && "
		      "$B/ptowsp-run --plugin=a2a3 --opt variant=host_build_graph --emit f s.pkg.zst && diff -r d e && diff -r d f && grep -q owner_by_turn "
		      "e/aicpu_orchestrate.cc"),
		  0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=a2a3sim --opt device=950 --emit c $P/csp.pkg.zst && grep -q TILE_A5 c/aicore_kernel_dispatch.cc"), 0);
}

void suite_ascend_emit(CU_pSuite s)
{
	example_rows_add(s, "emitted_", example_has_the_same_tasks);
}
