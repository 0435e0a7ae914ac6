/* SPDX-License-Identifier: MIT
 * test_flow.c - flow control of the Ascend backends through the tools: the pto-runtime's own acceptance case on every engine, and the scope that holds its window. */
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RESOURCES  "--schedule task_window=64 --schedule heap=4194304 --schedule dep_list=256"
#define INPUTS     "--fill q=random:1 --fill keys=random:2 --fill values=random:3 --fill pages=zeros --threads 2"
#define BY_RUNTIME "--plugin=a2a3sim --opt engine=pto-runtime --opt runtime=$B/../fakes/simpler --opt cache=$B/../test/ascend_cache"

static void pack_case(void)
{
	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/flow/paged_attention_ring.pto -o $T/case.pkg.zst"), 0);
}

/* Statistics of the case on an engine; its result is that of cpu_sim. */
static json_t *case_run(const char *options)
{
	if (cli("test -e cpu.npy") && cli("$B/ptowsp-run --plugin=cpu_sim " RESOURCES " " INPUTS " --out out=cpu.npy --quiet $T/case.pkg.zst"))
		CHECK_FAIL("cpu_sim: %s", cli_err);
	if (cli(check_fmt("$B/ptowsp-run %s " RESOURCES " " INPUTS " --out out=own.npy --stats=json $T/case.pkg.zst", options))) {
		CHECK_FAIL("%s: %s", options, cli_err);
		return NULL;
	}
	return cli_json();
}

static void check_case(json_t *stats, bool stalls)
{
	CHECK_INT(cli_int(stats, "num_tasks"), 4160);
	CHECK_INT(cli_int(stats, "resources[task_ring].capacity"), 64);
	CHECK(cli_int(stats, "resources[task_ring].high_water") <= 64 && cli_int(stats, "resources[task_ring].high_water") > 0);
	if (stalls)
		CHECK(cli_int(stats, "resources[task_ring].stall_count") > 1000 && cli_int(stats, "resources[task_ring].stall_cycles") > 0);
	CHECK_INT(cli("cmp cpu.npy own.npy"), 0);
}

TEST(window_64_completes_on_the_reference_clock)
{
	json_t *stats;

	pack_case();
	stats = case_run("--plugin=a2a3sim --opt clock=reference");
	REQUIRE(stats != NULL);
	CHECK_INT(cli_int(stats, "resources[heap].capacity"), 4194304);
	CHECK_INT(cli_int(stats, "resources[dep_list].capacity"), 256);
	check_case(stats, true);
}

/* There an AICPU thread needs longer for a task than a core does, so the ring is hardly used; a smaller one, a smaller heap and pool are waited for. */
TEST(window_64_completes_on_the_machine)
{
	static const struct {
		const char *options, *resource;
	} rows[] = {{"--opt schedulers=6 --schedule task_window=8", "task_ring"}, {"--schedule task_window=64 --schedule dep_list=3", "dep_list"}};
	json_t *stats;

	pack_case();
	stats = case_run("--plugin=a2a3sim --opt clock=own");
	REQUIRE(stats != NULL);
	check_case(stats, false);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=a2a3sim --opt clock=own %s " INPUTS " --out out=own.npy --stats=json $T/case.pkg.zst",
					  rows[i].options)),
			    0);
		stats = cli_json();
		CHECK(cli_int(stats, check_fmt("resources[%s].stall_count", rows[i].resource)) > 100);
		CHECK(cli_int(stats, check_fmt("resources[%s].stall_cycles", rows[i].resource)) > 0);
		CHECK_INT(cli("cmp cpu.npy own.npy"), 0);
	}
}

/* The window is kept before the runtime's ring, which is never full. */
TEST(window_64_completes_on_the_pto_runtime)
{
	json_t *stats;

	pack_case();
	if (cli("g++ --version && gcc --version"))
		CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");
	setenv("FAKE_LOG", check_fmt("%s/log", getenv("T")), 1);
	stats = case_run(BY_RUNTIME);
	unsetenv("FAKE_LOG");
	REQUIRE(stats != NULL);
	check_case(stats, true);
	CHECK_INT(cli_int(stats, "num_executors"), 1);
	CLI_OUT(0, "grep '^ring' log", " of 16384 slots, 0 stalls");
	CHECK_INT(cli("grep WRONG log"), 1);
}

static const char scoped[] = "module @m\ntensor %x : f32[256, 16] inout\n"
			     "func @touch(%a: !pto.memref) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %a[0, 0]\n  %t = tadds %t, 1.0\n"
			     "  tstore %t, %a[0, 0]\n  return\n}\n"
			     "workload @main { scope { parallel_for %i in 0 to 256 { call @touch(%a -> %x[%i, 0]) } } }\n";

/* At once: nobody waits for a watchdog. With what helps in the sentence. */
TEST(a_scope_of_256_tasks_in_a_window_of_16_is_reported)
{
	static const char *const engines[] = {"--plugin=a2a3sim --opt clock=reference", "--plugin=a2a3sim --opt clock=own", BY_RUNTIME};

	REQUIRE_INT(cli(check_fmt("cat >scope.pto <<'END'\n%s\nEND\n$B/ptowsp-pack scope.pto -o scope.pkg.zst", scoped)), 0);
	for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++) {
		if (strstr(engines[i], "pto-runtime") && cli("g++ --version && gcc --version"))
			continue;
		CLI_ERR(7, check_fmt("$B/ptowsp-run %s --schedule task_window=16 scope.pkg.zst", engines[i]), "deadlock: task 16 waits for ",
			"held by an open scope (depth 1); use at least --schedule task_window=17");
		CLI_OUT(7, check_fmt("$B/ptowsp-run %s --schedule task_window=16 --stats=json scope.pkg.zst", engines[i]), "\"resource\": \"task_ring\"",
			"\"proposed\": 17");
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --schedule task_window=256 scope.pkg.zst", engines[i])), 0);
	}
}
