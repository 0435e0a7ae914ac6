/* SPDX-License-Identifier: MIT
 * test_chain.c - ptowsp-run --chain: runs on tensors that stay in buffers have the results of runs in memory, on backends that have buffers and on those that have none, and nothing is copied between. */
#include "tests/tools/adds.h"

static uint64_t copied_by(const char *arguments)
{
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --isolate=process --stats=json --fill x=iota %s adds.pkg.zst", arguments)), 0);
	return (uint64_t)cli_int(cli_json(), "isolation_copy_bytes");
}

TEST(a_chain_has_the_results_of_one_after_another)
{
	static const struct {
		const char *options;
		int on_device;
	} ways[] = {{"", 1}, {"--isolate=process", 1}, {"--isolate=sandbox", 1}, {"--threads 3 --layer=validate,threads", 1}, {"--plugin=a2a3sim", 0}};

	adds_make();
	REQUIRE_INT(cli("cp /dev/null y.npy && $B/ptowsp-run -q --fill x=iota --fill y=iota --out y=y.npy adds.pkg.zst && "
			"for i in 2 3 4 5; do $B/ptowsp-run -q --fill x=iota --in y=y.npy --out y=next.npy --out z=z.npy adds.pkg.zst && mv next.npy y.npy || "
			"exit; done"),
		    0);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --chain --runs 5 --stats=json %s --fill x=iota --fill y=iota --out y=c.npy --out z=d.npy adds.pkg.zst",
					  ways[i].options)),
			    0);
		CHECK_INT(cli_int(cli_json(), "chain.tensors"), 3);
		CHECK_INT(cli_int(cli_json(), "chain.bytes"), 3 * BYTES);
		CHECK_INT(json_is_true(cli_at(cli_json(), "chain.on_device")), ways[i].on_device);
		CHECK_INT(cli("cmp y.npy c.npy && cmp z.npy d.npy"), 0);
	}
}

TEST(nothing_is_copied_between_runs)
{
	adds_make();
	CHECK_UINT(copied_by("--chain --runs 1"), copied_by(check_fmt("--chain --runs %d", RUNS)));
	CLI_OUT(0, "$B/ptowsp-run --chain --runs 3 --stats --fill x=iota adds.pkg.zst", "chain of 3 runs: 12288 bytes of 3 tensors stayed on the device\n");
	CLI_OUT(0, "$B/ptowsp-run --plugin=a2a3sim --chain --runs 3 --stats --fill x=iota adds.pkg.zst",
		"stayed in memory of this process, as the backend has no buffers\n");
}

TEST(a_chain_is_one_run_of_the_same_examples)
{
	static const char *const packages[] = {"vector_add", "softmax", "flash_attention", "csp", "parts_matmul"};

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (!cli(check_fmt("test -e $P/%s.pkg.zst", packages[i])))
			CLI_OUT(0, check_fmt("$B/ptowsp-run --chain $P/%s.pkg.zst", packages[i]), "compare: ok");
	CLI_OUT(0, "$B/ptowsp-run --chain --schedule spatial_map=2,2 --schedule layout=a,S0 $P/matmul.pkg.zst", "compare: ok");
}

TEST(a_chain_without_kernels_is_refused)
{
	static const char *const flags[] = {"--no-kernels", "--checkpoint c.ptowsp", "--device=cpu0,cpu0", "--emit out"};

	adds_make();
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		CLI_ERR(2, check_fmt("$B/ptowsp-run --chain %s adds.pkg.zst", flags[i]), "--chain goes with a run of kernels on one device");
	CLI_ERR(2, "$B/ptowsp-run --chain --list-plugins", "--chain belongs to a run");
}

TEST(a_log_of_calls_is_replayed)
{
	adds_make();
	REQUIRE_INT(cli("$B/ptowsp-run --chain --runs 2 --isolate=none --layer=trace:calls --fill x=iota adds.pkg.zst"), 0);
	CLI_OUT(0, "$B/ptowsp-conform --replay calls $B/../lib/ptowsp/plugins/libptowsp_cpu_sim.so", "");
}
