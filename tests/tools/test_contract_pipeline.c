/* SPDX-License-Identifier: MIT
 * test_contract_pipeline.c - pipelines through the tools, from the JSON form of a package and from source. */
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

TEST(statistics_tell_of_channels)
{
	json_t *root;

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
	CLI_OUT(0, "$B/ptowsp-run --no-kernels --stats p.pkg.zst", "\nhigh water of ring, pools and heap: counted over all processes\n", "channel:line");
}

TEST(a_capacity_is_an_option)
{
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json $S/pipeline.json -o p.pkg.zst"), 0);
	CLI_FIGURE("$B/ptowsp-run --no-kernels --stats=json --schedule channel_capacity=line,4 p.pkg.zst", "channels[line].capacity", 4);
	CHECK_INT(cli("$B/ptowsp-run --no-kernels --schedule channel_capacity=line p.pkg.zst"), 2);
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-run --no-kernels --schedule channel_capacity=line,-1 p.pkg.zst"), 2);
}

/* The tool says so at once, whatever the threads; with the proposed capacity the send proceeds, and the next one is told. */
TEST(a_cycle_is_a_deadlock_with_a_cure)
{
	const char *option;

	CLI_ERR(0, "$B/ptowsp-pack --from-json $S/cycle.json -o c.pkg.zst", "must end in a deadlock", "--schedule channel_capacity=there,2");
	for (int threads = 1; threads <= 8; threads *= 2) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run -q --no-kernels --threads %d --timeout-ms 60000 c.pkg.zst", threads)), 7);
		cli_check_sentence();
		CHECK_CONTAINS(cli_err, "left");
		CHECK_CONTAINS(cli_err, "--schedule channel_capacity=there,2");
	}
	CHECK_INT(cli("$B/ptowsp-run -q --no-kernels --stats=json c.pkg.zst"), 7);
	CHECK_STR(cli_text(cli_json(), "deadlock.kind"), "channel_cycle");
	CHECK_STR(cli_text(cli_json(), "deadlock.waiting[1].process"), "right");
	CHECK_STR(cli_text(cli_json(), "deadlock.waiting[1].reason"), "CHANNEL_FULL_WAIT");
	option = cli_text(cli_json(), "deadlock.option");
	CLI_ERR(7, check_fmt("$B/ptowsp-run -q --no-kernels %s c.pkg.zst", option),
		"to send into there, which is full: 2 of 2; use at least --schedule channel_capacity=there,3");
	CHECK_INT(cli("$B/ptowsp-run -q --no-kernels --schedule channel_capacity=there,3 c.pkg.zst"), 0);
}

/* A report is about the state at the block: behind the full channels lies a wait that no capacity ends, and with room for them that one is told. */
TEST(a_cycle_that_no_capacity_cures_ends_at_the_empty_channel)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $S/unclosed.pto -o u.pkg.zst"), 0);
	CLI_ERR(7, "$B/ptowsp-run -q u.pkg.zst", "use at least --schedule channel_capacity=a,2");
	CLI_ERR(7, "$B/ptowsp-run -q --stats=json --schedule channel_capacity=a,5 --schedule channel_capacity=b,4 u.pkg.zst", "no capacity would help");
	CHECK_CONTAINS(cli_text(cli_json(), "deadlock.text"), "to consume from b, which is empty: right has not ended and sends nothing");
	CHECK_STR(cli_text(cli_json(), "deadlock.kind"), "channel_empty");
	CHECK_STR(cli_text(cli_json(), "deadlock.option"), "");
}

TEST(an_event_that_is_not_signalled_is_no_resource)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $S/signal.pto -o s.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run -q --set n=1 s.pkg.zst"), 0);
	CLI_ERR(7, "$B/ptowsp-run -q --set n=0 --stats=json s.pkg.zst", "event never signalled: e, waited for before task 1");
	CHECK_STR(cli_text(cli_json(), "deadlock.resource"), "event");
	CHECK_STR(cli_text(cli_json(), "deadlock.kind"), "event");
}

/* The same: the scope is told first, and the event behind it when there is room. */
TEST(a_capacity_behind_which_no_event_is_signalled_leads_to_the_event)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $S/signal_scope.pto -o s.pkg.zst"), 0);
	CLI_ERR(7, "$B/ptowsp-run -q --set n=1 s.pkg.zst", "use at least --schedule task_window=3");
	CHECK_INT(cli("$B/ptowsp-run -q --set n=1 --schedule task_window=3 s.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run -q --set n=0 --stats=json s.pkg.zst"), 7);
	CHECK_STR(cli_text(cli_json(), "deadlock.resource"), "task_ring");
	CHECK_INT(cli_int(cli_json(), "deadlock.proposed"), 3);
	CLI_ERR(7, "$B/ptowsp-run -q --set n=0 --schedule task_window=3 s.pkg.zst", "event never signalled: e, waited for before task 3");
}

/* A name that fills the sentence leaves room for the whole setting. */
TEST(a_setting_is_not_cut_off)
{
	static const char option[] = "--schedule channel_capacity=what_goes_to_the_other_side_0,2";

	REQUIRE_INT(cli("$B/ptowsp-pack $S/six.pto -o p.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --stats=json p.pkg.zst"), 7);
	cli_check_sentence();
	CHECK_CONTAINS(cli_err, option);
	CHECK_STR(cli_text(cli_json(), "deadlock.option"), option);
	CHECK_CONTAINS(cli_text(cli_json(), "deadlock.text"), option);
}

TEST(strict_packing_refuses_a_cycle)
{
	CLI_ERR(3, "$B/ptowsp-pack --strict --from-json $S/cycle.json -o c.pkg.zst",
		"c.pkg.zst: entry main must end in a deadlock, and --strict refuses that; use at least --schedule channel_capacity=there,2\n");
	cli_check_sentence();
	CHECK_INT(cli("ls c.pkg.zst"), 2);
	CHECK_INT(cli("$B/ptowsp-pack --strict --from-json $S/pipeline.json -o p.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
}

/* A kind alone makes no payload: the words say what moves. */
TEST(channels_of_payload_without_regions_are_refused)
{
	REQUIRE_INT(cli("sed 's/\"name\": \"line\",/\"name\": \"line\", \"kind\": \"payload\",/' $S/pipeline.json >q.json"), 0);
	CLI_ERR(3, "$B/ptowsp-pack --from-json q.json -o q.pkg.zst", "channel line is one of payload, so behind the send stands one io_input word");
}

TEST(statistics_and_traces_tell_of_payload)
{
	REQUIRE_INT(cli("$B/ptowsp-run --stats=json --trace t.json $B/../packages/probes/payload.pkg.zst"), 0);
	CHECK_INT(cli_int(cli_json(), "channels[c].payload_bytes"), 64);
	CHECK_INT(cli_int(cli_json(), "total_cycles"), 80004);
	CHECK_INT(cli("test $(grep -c '\"payload_bytes\":16' t.json) = 8"), 0); /* four out, four in */
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --stats=json $B/../packages/probes/payload.pkg.zst"), 0);
	CHECK_INT(cli_int(cli_json(), "channels[c].payload_bytes"), 64);
	CHECK_INT(cli_int(cli_json(), "total_cycles"), 80004);
	CLI_OUT(0, "$B/ptowsp-run --stats $B/../packages/probes/payload.pkg.zst", "payload bytes");
	CLI_FIGURE("$B/ptowsp-run --no-kernels --stats=json $B/../packages/probes/channels.pkg.zst", "channels[c].payload_bytes", 0);
}

/* The sample data and what must come out are in the package; a layout leaves whole what the core moves. */
TEST(an_example_moves_tiles_between_its_stages)
{
	static const char *const how[] = {"", "--threads 4", "--schedule channel_capacity=loaded,0", "--schedule deps=explicit --threads 2"};

	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		CLI_FIGURE(check_fmt("$B/ptowsp-run %s --stats=json $B/../packages/tiles.pkg.zst", how[i]), "channels[computed].payload_bytes", 32 * 64 * 4);
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run %s $B/../packages/tiles.pkg.zst", how[i])), 0);
		CHECK_CONTAINS(cli_out, "compare: ok");
	}
	REQUIRE_INT(cli("$B/ptowsp-run --schedule spatial_map=2,1 --schedule layout=x,S0,R $B/../packages/tiles.pkg.zst"), 0);
	CHECK_CONTAINS(cli_err, "layout: tensor x stays whole: a payload channel moves it");
	CHECK_CONTAINS(cli_out, "compare: ok");
}

/* 16 bytes in a block, each at a multiple of 64. */
TEST(blocks_count_in_the_memory_limit)
{
	CHECK_INT(cli("$B/ptowsp-run --max-memory=60000000 --schedule channel_capacity=c,1000000 $B/../packages/probes/payload.pkg.zst"), 3);
	cli_check_sentence();
	CHECK_CONTAINS(cli_err, "the blocks of payload channels up to c need 64000000 bytes, the limit is 60000000");
	CHECK_INT(cli("$B/ptowsp-run --max-memory=70000000 --schedule channel_capacity=c,1000000 $B/../packages/probes/payload.pkg.zst"), 0);
}

TEST(the_listing_shows_what_moves_and_the_json_form_comes_back)
{
	REQUIRE_INT(cli("$B/ptowsp-inspect --json $B/../packages/probes/payload.pkg.zst >p.json && $B/ptowsp-pack --from-json p.json -o p.pkg.zst"), 0);
	CHECK_INT(cli("cmp p.pkg.zst $B/../packages/probes/payload.pkg.zst"), 0);
	CLI_OUT(0, "$B/ptowsp-inspect --disasm p.pkg.zst",
		"  send c, i                                               ; payload.pto:34\n     8      io_input 0, tile[0, 0] 2 x 2",
		"  consume c -> 15                                           ; payload.pto:39\n    11    io_output 0, out[c * 2, 0] 2 x 2");
}

TEST(the_listing_names_channels_and_the_json_form_comes_back)
{
	REQUIRE_INT(cli("$B/ptowsp-pack --from-json $S/cycle.json -o c.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-inspect --json c.pkg.zst >c.json && $B/ptowsp-pack --from-json c.json -o d.pkg.zst"), 0);
	CHECK_INT(cli("cmp c.pkg.zst d.pkg.zst"), 0);
	CLI_OUT(0, "$B/ptowsp-inspect --disasm c.pkg.zst", "send there, i", "consume back", "left:");
}

/* --- in source form --- */

static void source_write(const char *text)
{
	REQUIRE(check_write(check_fmt("%s/p.pto", check_tmp()), text, strlen(text)));
}

/* runtime semantics, section 10, last row. */
TEST(the_vector_of_two_producers_in_the_source)
{
	static const char *const sizes[] = {"1", "10"};
	char text[4096] = "";

	cli_begin();
	for (int i = 0; i < 2; i++)
		strcat(text, check_fmt("func @k%s(%%x: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<1x%sxf32>\n  %%t = tload %%x[0, 0]\n"
				       "  return\n}\n",
				       sizes[i], sizes[i]));
	strcat(text, "tensor %x : f32[1, 16] in\n"
		     "channel %c : token capacity 1 latency 0\n"
		     "process @p0 produces(%c) { for_each %i in 0 to 3 { call @k1(%x -> %x[0, 0]) send %c, %i } }\n"
		     "process @p1 produces(%c) { call @k10(%x -> %x[0, 0]) send %c, 9 }\n"
		     "process @eat consumes(%c) { consume %c as %t { call @k1(%x -> %x[0, 0]) } }\n");
	source_write(text);
	REQUIRE_INT(cli("$B/ptowsp-pack --strict p.pto -o p.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
	for (int threads = 1; threads <= 2; threads++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --threads %d --stats=json p.pkg.zst", threads)), 0);
		CHECK_INT(cli_int(cli_json(), "total_cycles"), 13);
		CHECK_INT(cli_int(cli_json(), "num_executors"), 3);
		CHECK_INT(cli_int(cli_json(), "channels[c].empty_count"), 2);
		CHECK_INT(cli_int(cli_json(), "channels[c].empty_cycles"), 9);
		CHECK_INT(cli_int(cli_json(), "channels[c].full_count"), 0);
	}
}

#define CYCLE                                                                                                                                                  \
	"channel %there : token\n"                                                                                                                             \
	"channel %back : token\n"                                                                                                                              \
	"process @left produces(%there) consumes(%back) {\n"                                                                                                   \
	"  parallel_for %i in 0 to 3 {\n"                                                                                                                      \
	"    send %there, %i\n"                                                                                                                                \
	"  }\n"                                                                                                                                                \
	"  close %there\n"                                                                                                                                     \
	"  consume %back as %i { }\n"                                                                                                                          \
	"}\n"                                                                                                                                                  \
	"process @right consumes(%there) produces(%back) {\n"                                                                                                  \
	"  consume %there as %i {\n"                                                                                                                           \
	"    parallel_for %k in 0 to 4 { send %back, %k }\n"                                                                                                   \
	"  }\n"                                                                                                                                                \
	"}\n"

/* The packer says where both stand, and what would help; a schedule in the source can say the same. */
TEST(a_source_that_must_block_is_told_with_its_lines)
{
	cli_begin();
	source_write(CYCLE);
	CLI_ERR(0, "$B/ptowsp-pack p.pto -o p.pkg.zst", "entry main must end in a deadlock", "p.pto:5:5) to send into there, which is full: 1 of 1",
		"p.pto:12:33) to send into back, which is full: 1 of 1", "--schedule channel_capacity=there,2");
	CHECK_INT(cli("$B/ptowsp-pack --strict p.pto -o q.pkg.zst"), 3);
	CHECK_INT(cli("$B/ptowsp-run -q p.pkg.zst"), 7);
	source_write(CYCLE "schedule { channel_capacity 3 of %there }\n");
	REQUIRE_INT(cli("$B/ptowsp-pack --strict p.pto -o p.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
	CHECK_INT(cli("$B/ptowsp-run -q p.pkg.zst"), 0);
}

TEST(the_command_line_replaces_what_the_source_schedules)
{
	cli_begin();
	source_write(CYCLE "schedule { channel_capacity 3 of %there pipeline_depth 2 streams 2 }\n");
	CLI_ERR(0, "$B/ptowsp-pack --schedule streams=5 --schedule pipeline_depth=stream,7 --schedule channel_capacity=there,1 p.pto -o p.pkg.zst",
		"must end in a deadlock");
	REQUIRE_INT(cli("$B/ptowsp-inspect p.pkg.zst | sed -n '/^schedule/,$p'"), 0);
	CHECK_STR(cli_out, "schedule\n  channel_capacity = there, 1\n  pipeline_depth = 2\n  streams = 5\n  pipeline_depth = stream, 7\n");
}
