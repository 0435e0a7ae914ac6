/* SPDX-License-Identifier: MIT
 * test_contract_pipeline.c - pipelines through the tools, from the JSON form of a package. */
#include "contract/cli.h"

#include <stdlib.h>
#include <string.h>

static void statistics_tell_of_channels(void)
{
	json_t *root;

	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json $S/pipeline.json -o p.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --stats=json --trace t.json p.pkg.zst"), 0);
	root = cli_json();
	CHECK_INT(cli_int(root, "num_executors"), 3);
	CHECK_INT(cli_int(root, "num_tasks"), 12);
	CHECK_INT(cli_int(root, "total_cycles"), 14);
	CHECK_INT(cli_int(root, "channels[line].sends"), 6);
	CHECK_INT(cli_int(root, "channels[line].full_count"), 5);
	CHECK_INT(cli_int(root, "channels[line].full_cycles"), 10);
	CHECK_INT(cli_int(root, "channels[line].empty_count"), 6);
	CHECK_INT(cli_int(root, "resources[channel:line].stall_count"), 11);
	CHECK_INT(cli_int(root, "resources[channel:line].stall_cycles"), 18);
	CHECK_INT(cli_int(root, "resources[channel:line].capacity"), 1);
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --stats p.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "channel:line");
}

static void a_capacity_is_an_option(void)
{
	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json $S/pipeline.json -o p.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --stats=json --schedule channel_capacity=line,4 p.pkg.zst"), 0);
	CHECK_INT(cli_int(cli_json(), "channels[line].capacity"), 4);
	CHECK_INT(cli("$B/ptowsp-run --no-kernels --schedule channel_capacity=line p.pkg.zst"), 2);
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-run --no-kernels --schedule channel_capacity=line,-1 p.pkg.zst"), 2);
}

/* It says so at once, whatever the threads; what it proposes helps. */
static void a_cycle_is_a_deadlock_with_a_cure(void)
{
	const char *option;

	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json $S/cycle.json -o c.pkg.zst"), 0);
	CHECK_CONTAINS(cli_err, "must end in a deadlock");
	CHECK_CONTAINS(cli_err, "--schedule channel_capacity=there,3");
	for (int threads = 1; threads <= 8; threads *= 2) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run -q --no-kernels --threads %d --timeout-ms 60000 c.pkg.zst", threads)), 7);
		cli_check_sentence();
		CHECK_CONTAINS(cli_err, "left");
		CHECK_CONTAINS(cli_err, "--schedule channel_capacity=there,3");
	}
	CHECK_INT(cli("$B/ptowsp-run -q --no-kernels --stats=json c.pkg.zst"), 7);
	CHECK_STR(cli_text(cli_json(), "deadlock.kind"), "channel_cycle");
	CHECK_STR(cli_text(cli_json(), "deadlock.waiting[1].process"), "right");
	CHECK_STR(cli_text(cli_json(), "deadlock.waiting[1].reason"), "CHANNEL_FULL_WAIT");
	option = cli_text(cli_json(), "deadlock.option");
	CHECK_INT(cli(check_fmt("$B/ptowsp-run -q --no-kernels %s c.pkg.zst", option)), 0);
}

static void strict_packing_refuses_a_cycle(void)
{
	cli_begin();
	CHECK_INT(cli("$B/ptowsp-pack --strict --from-json $S/cycle.json -o c.pkg.zst"), 3);
	CHECK_CONTAINS(cli_err, "--strict refuses");
	CHECK_INT(cli("ls c.pkg.zst"), 2);
	CHECK_INT(cli("$B/ptowsp-pack --strict --from-json $S/pipeline.json -o p.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
}

static void channels_of_payload_are_refused_before_loading(void)
{
	cli_begin();
	REQUIRE_INT(cli("sed 's/\"name\": \"line\",/\"name\": \"line\", \"kind\": \"payload\",/' $S/pipeline.json >q.json"), 0);
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json q.json -o q.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --no-kernels q.pkg.zst"), 5);
	cli_check_sentence();
	CHECK_CONTAINS(cli_err, "channels of payload");
}

static void the_listing_names_channels_and_the_json_form_comes_back(void)
{
	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json $S/cycle.json -o c.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-inspect --json c.pkg.zst >c.json && $B/ptowsp-pack --from-json c.json -o d.pkg.zst"), 0);
	CHECK_INT(cli("cmp c.pkg.zst d.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-inspect --disasm c.pkg.zst"), 0);
	CHECK_CONTAINS(cli_out, "send there, i");
	CHECK_CONTAINS(cli_out, "consume back");
	CHECK_CONTAINS(cli_out, "left:");
}

void suite_contract_pipeline(CU_pSuite s)
{
	cli_suite("contract_pipeline");
	TEST(s, statistics_tell_of_channels);
	TEST(s, a_capacity_is_an_option);
	TEST(s, a_cycle_is_a_deadlock_with_a_cure);
	TEST(s, strict_packing_refuses_a_cycle);
	TEST(s, channels_of_payload_are_refused_before_loading);
	TEST(s, the_listing_names_channels_and_the_json_form_comes_back);
}
