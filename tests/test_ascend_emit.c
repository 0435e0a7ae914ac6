/* SPDX-License-Identifier: MIT
 * test_ascend_emit.c - what --emit writes for the Ascend backends: the host side is compiled and run, and has the tasks of the bytecode for every example; the
 * side of the AICores is compiled by a stand-in for the toolkit's header. */
#include "emit_tree.h"
#include "example_rows.h"

#include <string.h>
#include <unistd.h>

static void example_has_the_same_tasks(void)
{
	const struct example_row *row = example_row_of(check_name());
	struct emit_tree *tree;
	uint64_t tasks;

	REQUIRE(row != NULL);
	if (access(check_fmt("%s/packages/%s.pkg.zst", check_build(), row->package), R_OK))
		CHECK_SKIP("this build does not make the package");
	tree = emit_tree_make(check_fmt("%s/packages/%s.pkg.zst", check_build(), row->package), NULL, "ascend-a2a3");
	if (!tree)
		return;
	tasks = emit_tree_compare(tree, 4);
	if (!*row->options) /* a row with two devices counts the tasks of both */
		CHECK_UINT(tasks, (uint64_t)row->tasks);
	emit_tree_cores_compile(tree);
	emit_tree_destroy(tree);
}

/* Without CANN and devices: files, exit status 0, and a script that says what it misses. */
static void emit_works_without_a_device(void)
{
	cli_begin();
	CHECK_INT(cli("unset ASCEND_HOME_PATH; $B/ptowsp-run --plugin=a2a3 --emit tree $P/vector_add.pkg.zst"), 0);
	CHECK_CONTAINS(cli_err, "nothing was run: ");
	CHECK_INT(cli("cd tree && CXXFLAGS= ./build.sh host >/dev/null && out/tasks vector_add | wc -l"), 0);
	CHECK_CONTAINS(cli_out, "8\n");
	CHECK_INT(cli("cd tree && out/tasks nothing"), 2);
	CHECK_INT(cli("unset ASCEND_HOME_PATH; cd tree && ./build.sh device"), 8);
	CHECK_CONTAINS(cli_err, "ASCEND_HOME_PATH is not set");
	CHECK_INT(cli("unset ASCEND_HOME_PATH; $B/ptowsp-run --plugin=a2a3 --emit tree --stats $P/vector_add.pkg.zst"), 8);
	CHECK_INT(cli("c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Itree tree/platform_device.cc"), 0);
	CHECK_STR(cli_err, "");
}

/* The same bytes again, and the simulation runs on. */
static void the_simulation_writes_the_same_tree_and_runs(void)
{
	cli_begin();
	CHECK_INT(cli("$B/ptowsp-run --plugin=a2a3sim --emit a $P/csp.pkg.zst && $B/ptowsp-run --plugin=a2a3sim --emit b $P/csp.pkg.zst && diff -r a b"), 0);
	CHECK_CONTAINS(cli_out, "compare: ok");
	CHECK_INT(cli("$B/ptowsp-run --plugin=a2a3sim --opt device=950 --emit c $P/csp.pkg.zst && grep -q TILE_A5 c/aicore_kernel_dispatch.cc"), 0);
}

void suite_ascend_emit(CU_pSuite s);
void suite_ascend_emit(CU_pSuite s)
{
	cli_suite("ascend_emit");
	example_rows_read();
	TEST(s, emit_works_without_a_device);
	TEST(s, the_simulation_writes_the_same_tree_and_runs);
	for (size_t i = 0; i < example_count; i++)
		check_add(s, example_rows[i].name, example_has_the_same_tasks);
}
