/* SPDX-License-Identifier: MIT
 * test_contract_graph.c - --graph and --trace: every ending, the same graph in each, a timeline that adds up. */
#include "rt/graph_text.h"
#include "tests/contract/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS "$K/vectors.pkg.zst"
#define OVERLAP "$B/ptowsp-run --entry overlap "

TEST(a_json_graph_has_tasks_and_edges_once)
{
	json_t *graph;

	REQUIRE_INT(cli(OVERLAP "--graph g.json " VECTORS), 0);
	graph = cli_json_file("g.json");
	CHECK_STR(cli_kernels(graph), "put64*1 get64*1 put32*3");
	CHECK_STR(cli_edges(graph), "0>1 0>2 0>3 1>2 1>3 2>4");
}

/* Nothing is written, whether the run would end or not. */
TEST(a_graph_that_never_ends_is_refused_at_its_limit)
{
	REQUIRE_INT(cli("printf 'old' > g.json; $B/ptowsp-run -q --no-kernels --graph g.json --entry nest --set n=2000000000 --set m=2 " VECTORS), 10);
	CHECK_CONTAINS(cli_err, "--graph keeps 4194304 tasks and edges at the most");
	cli_check_sentence();
	CHECK_INT(cli("test \"$(cat g.json)\" = old"), 0);
	CLI_ERR(10, "$B/ptowsp-run -q --no-kernels --graph g.json --entry nest --set n=2000000000 --set m=2 --max-tasks 1000 " VECTORS, "1000");
}

TEST(a_graph_of_levels_names_the_kernels_of_each_level)
{
	REQUIRE_INT(cli("$B/ptowsp-run -q --no-kernels --set n=300 --graph g.json $K/levels.pkg.zst"), 0);
	CHECK_STR(cli_kernels(cli_json_file("g.json")), "copy_64*128 copy*44");
}

TEST(a_graph_does_not_depend_on_kernels_or_threads)
{
	CLI_PRINTS(0,
		   "for how in '--threads 1' '--threads 4' '--no-kernels -q'; do $B/ptowsp-run $how --entry nest --set n=20 --set m=9"
		   " --schedule task_window=30 --graph g.json " VECTORS " && sha256sum g.json; done | grep g.json | uniq | wc -l",
		   "1\n");
}

TEST(a_host_graph_build_gives_the_same_graph_and_results)
{
	REQUIRE_INT(cli("$B/ptowsp-inspect --json $P/softmax.pkg.zst | sed s/task_buffer/host_graph_build/ >b.json && $B/ptowsp-pack --from-json b.json -o "
			"b.pkg.zst"),
		    0);
	CHECK_INT(cli("for t in 1 2; do $B/ptowsp-run --threads $t --graph h$t.json b.pkg.zst || exit; done"), 0); /* its expected outputs are compared */
	CHECK_CONTAINS(cli_out, "compare: ok");
	CHECK_INT(cli("$B/ptowsp-run -q --graph t.json $P/softmax.pkg.zst && cmp t.json h1.json && cmp t.json h2.json"), 0);
	CLI_ERR(0, "$B/ptowsp-run --schedule task_window=2 b.pkg.zst", "task_window is recorded, not enforced");
	CHECK_INT(cli("$B/ptowsp-run --max-tasks 3 b.pkg.zst"), 10);
	CLI_ERR(5, "$B/ptowsp-run --plugin cpu_sim --schedule tensor_map=8 b.pkg.zst", "tensor_map with its capacity of 8 is full");
}

TEST(a_text_graph_has_a_line_per_task)
{
	REQUIRE_INT(cli(OVERLAP "--graph g.txt " VECTORS), 0);
	CLI_OUT(0, "cat g.txt", "put64", "get64", "put32");
	CHECK(cli_lines(cli_out) >= 5);
}

TEST(a_dash_writes_the_graph_to_stdout)
{
	CLI_OUT(0, OVERLAP "-q --graph - " VECTORS, "put64", "put32");
	CLI_PRINTS(0, "ls -A", "");
}

TEST(a_dot_graph_goes_left_to_right_with_ranks)
{
	REQUIRE_INT(cli(OVERLAP "--graph g.dot " VECTORS), 0);
	CLI_OUT(0, "cat g.dot", "digraph", "rankdir=LR", "rank=same", "put64");
	CHECK_INT(cli("command -v dot >/dev/null || exit 9; dot -Tplain g.dot >plain.txt"), 0);
	CLI_PRINTS(0, "grep -c '^edge' plain.txt", "6\n");
	CLI_PRINTS(0, "grep -c '^node' plain.txt", "5\n");
}

TEST(pictures_are_drawn_by_graphviz)
{
	if (cli("command -v dot"))
		CHECK_SKIP("Graphviz is not installed");
	REQUIRE_INT(cli(OVERLAP "--graph g.svg --threads 2 " VECTORS), 0);
	CHECK_INT(cli("head -c 400 g.svg | grep -q '<?xml' && grep -q '</svg>' g.svg && grep -q put64 g.svg"), 0);
	REQUIRE_INT(cli(OVERLAP "--graph g.pdf " VECTORS), 0);
	CLI_PRINTS(0, "head -c 5 g.pdf", "%PDF-");
	CLI_PRINTS(0, "ls -A", "g.pdf\ng.svg\n");
}

TEST(without_graphviz_a_picture_says_what_is_missing)
{
	CLI_ERR(8, "echo old >g.svg && PATH=/nonexistent $B/ptowsp-run --entry overlap --graph g.svg " VECTORS, "dot");
	CHECK_INT(cli("PATH=/nonexistent $B/ptowsp-run --entry overlap --fill t=ones --out t=t.npy --trace t.json --graph g.svg " VECTORS), 8);
	CLI_PRINTS(0, "cat g.svg && ls -A", "old\ng.svg\n");
}

TEST(a_saved_graph_is_drawn_later)
{
	REQUIRE_INT(cli(OVERLAP "--graph g.json " VECTORS), 0);
	CHECK_INT(cli("$B/ptowsp-inspect --graph again.dot g.json && grep -q rankdir=LR again.dot && grep -q put64 again.dot"), 0);
	CHECK_INT(cli("$B/ptowsp-inspect --graph again.txt g.json && $B/ptowsp-inspect --graph twice.txt again.txt && cmp again.txt twice.txt"), 0);
	CHECK_INT(cli(OVERLAP "--graph - " VECTORS " >dump.txt && $B/ptowsp-inspect --graph drawn.dot dump.txt && grep ' -> ' again.dot | sort >a && grep ' -> "
			      "' drawn.dot | sort | cmp - a && grep -q 'put64.n0.2 KiB' drawn.dot"),
		  0);
}

TEST(names_with_odd_characters_survive_in_dot_and_json)
{
	CHECK_INT(cli("mkdir 'a b\"c' && cp " VECTORS " 'a b\"c/v w.pkg.zst' && $B/ptowsp-run --entry overlap --stats=json --graph 'a b\"c/g.json'"
		      " --trace 'a b\"c/t.json' 'a b\"c/v w.pkg.zst'"),
		  0);
	cli_json();
	CHECK_STR(cli_kernels(cli_json_file("a b\"c/g.json")), "put64*1 get64*1 put32*3");
	CHECK(json_is_array(cli_at(cli_json_file("a b\"c/t.json"), "traceEvents")));
}

/* Structure of the Chrome trace event format, and the figures of the run. */
TEST(a_trace_is_a_chrome_trace_that_adds_up)
{
	json_t *events, *event;
	intmax_t total, end = 0, busy[4] = {0};
	size_t i, tasks = 0;

	REQUIRE_INT(cli("$B/ptowsp-run --threads 3 --entry nest --set n=12 --set m=5 --schedule task_window=7"
			" --schedule 'dispatch=round_robin(4)' --trace t.json --stats=json " VECTORS),
		    0);
	total = cli_int(cli_json(), "total_cycles");
	events = cli_at(cli_json_file("t.json"), "traceEvents");
	REQUIRE(json_is_array(events));
	json_array_foreach(events, i, event)
	{
		const char *ph = cli_text(event, "ph");
		intmax_t tid, ts, dur;

		CHECK(strlen(ph) == 1 && strchr("XMCBEibesn", *ph) != NULL);
		CHECK(json_is_integer(cli_at(event, "pid")));
		if (strcmp(ph, "X"))
			continue;
		if (!cli_at(event, "args.task"))
			continue;
		tid = cli_int(event, "tid"), ts = cli_int(event, "ts"), dur = cli_int(event, "dur");
		CHECK_STR(cli_text(event, "name"), "thin");
		CHECK_INT(dur, 1);
		REQUIRE(tid >= 0 && tid < 4);
		CHECK_INT(tid, cli_int(event, "args.task") % 4);
		if (ts < busy[tid])
			CHECK_FAIL("two tasks at once on executor %jd", tid);
		busy[tid] = ts + dur;
		end = ts + dur > end ? ts + dur : end;
		tasks++;
	}
	CHECK_UINT(tasks, 60);
	CHECK_INT(end, total);
}

TEST(graph_and_trace_of_several_runs_and_outputs_come_together)
{
	REQUIRE_INT(cli("$B/ptowsp-run --entry spread --set n=3 --out a=a.npy --graph g.json --trace t.json --stats " VECTORS), 0);
	CHECK_STR(cli_edges(cli_json_file("g.json")), "0>1 0>2 0>3");
	CLI_PRINTS(0, "ls -A", "a.npy\ng.json\nt.json\n");
}

TEST(a_graph_of_a_hundred_thousand_tasks_is_quick)
{
	REQUIRE_INT(cli("$B/ptowsp-run -q --no-kernels --entry loop --set n=100000 --graph g.json --trace t.json " VECTORS), 0);
	CHECK(cli_ms < 60000);
	CHECK_UINT(json_array_size(cli_at(cli_json_file("g.json"), "tasks")), 100000);
}

/* Dense: Graphviz's own layout of it would take half an hour. */
TEST(a_picture_of_ten_thousand_tasks_is_quick)
{
	REQUIRE_INT(cli("$B/ptowsp-run -q --no-kernels --set num_tiles=56 --graph g.svg $P/llama_layer.pkg.zst"), 0);
	CHECK(cli_ms < 60000);
	CHECK_INT(cli("test $(grep -c '<g id=\"node' g.svg) -gt 5000 && grep -q '<g id=\"edge' g.svg && grep -q '</svg>' g.svg"), 0);
}

TEST(a_signal_while_a_picture_is_drawn_leaves_nothing_behind)
{
	static const int end = SIGTERM;

	REQUIRE_INT(cli("mkdir bin && printf '#!/bin/sh\nexec sleep 20\n' >bin/dot && chmod +x bin/dot && echo old >g.svg"), 0);
	CHECK_INT(cli_signalled("PATH=$T/bin:$PATH exec $B/ptowsp-run --entry overlap --graph g.svg " VECTORS, &end, 1, 1000), 143);
	CHECK(cli_ms < 10000);
	CLI_PRINTS(0, "ls -A && cat g.svg", "bin\ng.svg\nold\n");
}

TEST(a_dot_that_is_none_is_not_believed)
{
	static const struct {
		const char *script, *says;
	} rows[] = {{"exit 0", "ended well and made no picture"},
		    {"echo hello", "ended well and made no picture"},
		    {"kill -9 $$", "was ended by signal 9"},
		    {"exit 3", "failed with status 3"},
		    {"trap '' ALRM TERM; exec sleep 60", "did not end in 1000 ms"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("mkdir -p bin && printf '#!/bin/sh\n%s\n' >bin/dot && chmod +x bin/dot && echo old >g.svg", rows[i].script)), 0);
		CLI_ERR(8, "PATH=$PWD/bin:$PATH $B/ptowsp-run --timeout-ms 1000 --entry overlap --graph g.svg " VECTORS, rows[i].says);
		cli_check_sentence();
		CHECK(cli_ms < 20000);
		CLI_PRINTS(0, "cat g.svg && ls -A", "old\nbin\ng.svg\n");
	}
}

/* U+009B begins a command to a terminal, as ESC [ does. */
TEST(a_name_in_a_graph_is_no_command_to_a_terminal)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	REQUIRE(to != NULL);
	rt_graph_text_task(to, 0,
			   "a\xc2\x9b"
			   "2J\x7f\xc3\xa9",
			   0, 0);
	fclose(to);
	CHECK(!strncmp(text, "  Task 0: a 2J \xc3\xa9 ", 18));
	free(text);
}
