/* SPDX-License-Identifier: MIT
 * test_ascend_tree.c - trees of --emit for a pto-runtime: ./build.sh pto-runtime builds orchestration, kernels and host program, which run on the fake runtime, and on a real one
 * where PTO_RUNTIME_DIR names its folder; what comes out is cpu_sim's, byte for byte (tests/model/emitted.py). */
#include "ptowsp/note.h"
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>

#define NEEDS()                                                                                                                                                \
	do {                                                                                                                                                   \
		cli_begin();                                                                                                                                   \
		if (PTOWSP_SANITIZER)                                                                                                                          \
			CHECK_SKIP("compiling takes too long here; the release build does it");                                                                \
		if (cli("python3 -c 'import json' && c++ --version && cc --version"))                                                                          \
			CHECK_SKIP("python3 or a compiler is not installed");                                                                                  \
	} while (0)

static int emitted(const char *how, const char *packages)
{
	return cli(check_fmt("CFLAGS=-O0 CXXFLAGS=-O0 python3 '%s/tests/model/emitted.py' --build '%s' %s %s", check_root(), check_build(), how, packages));
}

#define PACK                                                                                                                                                   \
	"for n in ascend/scenarios/mixed ascend/scenarios/spmd_multiblock flow/paged_attention_ring; do $B/ptowsp-pack $R/tests/$n.pto -o ${n##*/}.pkg.zst "   \
	"|| exit 1; done"
#define SCENARIOS "$T/mixed.pkg.zst $T/spmd_multiblock.pkg.zst"

/* By day the example where a result decides on tasks; all of them, with both variants, in the long run. */
TEST(fake_runtime_gives_what_cpu_sim_gives)
{
	const bool all = getenv("PTOWSP_TEST_LONG") != NULL;

	NEEDS();
	CHECK_INT(emitted(all ? "" : "--variant tensormap_and_ringbuffer", all ? "" : "$P/predicated.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "predicated\ttensormap_and_ringbuffer\tsame\n");
	if (all)
		CHECK_CONTAINS(cli_out, "predicated\thost_build_graph\t");
}

/* What no example has: tasks of several blocks, and clusters. */
TEST(scenarios_give_what_cpu_sim_gives)
{
	NEEDS();
	REQUIRE_INT(cli(PACK), 0);
	CHECK_INT(emitted("", SCENARIOS), 0);
	CLI_OUT(0, check_fmt("printf '%%s' '%s' | grep -c same", cli_out), "4");
}

TEST(real_runtime_gives_what_cpu_sim_gives)
{
	const char *root = getenv("PTO_RUNTIME_DIR");

	if (!root)
		CHECK_SKIP("PTO_RUNTIME_DIR names no pto-runtime");
	NEEDS();
	CHECK_INT(emitted(check_fmt("--runtime '%s'", root), getenv("PTOWSP_TEST_LONG") ? "" : "$P/predicated.pkg.zst $P/csp.pkg.zst $P/bgemm.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "csp\ttensormap_and_ringbuffer\tsame\n");
	REQUIRE_INT(cli(PACK), 0);
	CHECK_INT(emitted(check_fmt("--runtime '%s'", root), SCENARIOS " $T/paged_attention_ring.pkg.zst"), 0);
	CLI_OUT(0, check_fmt("printf '%%s' '%s' | grep -c same", cli_out), "6");
}

TEST(what_is_missing_is_said)
{
	NEEDS();
	REQUIRE_INT(cli("$B/ptowsp-run --quiet --plugin=a2a3sim --emit tree $P/vector_add.pkg.zst"), 0);
	CLI_ERR(8, "cd tree && unset PTO_RUNTIME_DIR && ./build.sh pto-runtime", "PTO_RUNTIME_DIR is not set: name the folder of a pto-runtime");
	CLI_ERR(8, "cd tree && PTO_RUNTIME_DIR=/nowhere ./build.sh pto-runtime", "PTO_RUNTIME_DIR=/nowhere is no folder");
	CLI_ERR(8, "cd tree && PTO_RUNTIME_DIR=. ./build.sh pto-runtime", "simpler_setup/build_runtimes.py --platforms a2a3sim");
	CLI_ERR(2, "cd tree && ./build.sh other", "usage: ./build.sh host|device|pto-runtime");
}
