/* SPDX-License-Identifier: MIT
 * test_contract_signal.c - ptowsp-run and signals: what ends, what stays as it was, what is only said. */
#include "tests/contract/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#define VECTORS "$K/vectors.pkg.zst"

/* For signals that arrive while the tool measures: its thread then makes no call at which the sanitizer would deliver them. */
#define SKIP_WHERE_SIGNALS_WAIT()                                                                                                                              \
	if (strstr(check_build(), "/tsan"))                                                                                                                    \
	CHECK_SKIP("the thread sanitizer holds signals back while a thread only computes")

TEST(an_interrupt_cancels_and_leaves_outputs_untouched)
{
	static const struct {
		int signal, status;
		const char *package;
	} cases[] = {
		{SIGINT, 130, "--fill src=zeros --out dst=old.npy --trace old.json $K/spin.pkg.zst"},
		{SIGTERM, 143, "--fill src=zeros --out dst=old.npy --graph old.json $K/spin.pkg.zst"},
		{SIGINT, 130, "--out a=old.npy --graph old.json --entry nest --set n=2000000000 --set m=2 " VECTORS},
		{SIGTERM, 143, "--no-kernels --graph old.json $K/forever.pkg.zst"},
		{SIGHUP, 129, "--out a=old.npy --entry nest --set n=2000000000 --set m=2 " VECTORS},
		{SIGHUP, 129, "--no-kernels --trace old.json --entry nest --set n=2000000000 --set m=2 " VECTORS},
	};

	SKIP_WHERE_SIGNALS_WAIT();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cli_begin();
		CHECK_INT(cli("echo old >old.npy && echo old >old.json"), 0);
		CHECK_INT(cli_signalled(check_fmt("exec $B/ptowsp-run %s", cases[i].package), &cases[i].signal, 1, 400), cases[i].status);
		CHECK_CONTAINS(cli_err, cases[i].signal == SIGINT ? "ptowsp-run: cancelled by an interrupt\n" : "ptowsp-run: cancelled by a signal\n");
		if (cli_ms > 6000)
			CHECK_FAIL("case %zu: it took %.0f ms to end", i, cli_ms);
		CLI_PRINTS(0, "ls -A && cat old.npy old.json", "old.json\nold.npy\nold\nold\n");
	}
}

/* Each rename takes half a second longer, so that the signal comes behind the first one. */
TEST(a_signal_between_two_outputs_comes_too_late)
{
	if (cli("strace -o /dev/null true"))
		CHECK_SKIP("strace traces nothing here");
	CLI_OUT(0,
		"echo old >old.npy; echo old >old.json; ASAN_OPTIONS=detect_leaks=0 strace -f -o /dev/null -e trace=rename -e "
		"inject=rename:delay_exit=500000 "
		"$B/ptowsp-run --out y=old.npy --trace old.json $P/softmax.pkg.zst & s=$!; while read -r l <old.npy && [ \"$l\" = old ]; do :; done; "
		"kill -TERM $(pgrep -P $s); wait $s",
		"compare: ok");
	CLI_PRINTS(0, "ls -A; grep -l '^old$' old.npy old.json; true", "old.json\nold.npy\n");
}

/* Of files of a folder, all or none are there, wherever the signal comes. */
TEST(a_signal_leaves_whole_folders_or_none)
{
	static const char *const commands[] = {"$B/ptowsp-run -q --plugin=a2a3sim --emit e $P/softmax.pkg.zst",
					       "$B/ptowsp-pack --emit=c $R/packages/examples/softmax.pto -o e",
					       "$B/ptowsp-inspect --pto --out e $P/llama.pkg.zst $P/softmax.pkg.zst $P/bgemm.pkg.zst"};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		cli_begin();
		REQUIRE_INT(cli(check_fmt("%s >/dev/null && find e -type f | wc -l >all && rm -r e", commands[i])), 0);
		CLI_PRINTS(0,
			   check_fmt("for t in 2 4 6 8 10 12 14 16 20 25 30 40 50 70; do %s >/dev/null 2>&1 & p=$!; sleep $(printf 0.%%03d $t); kill -TERM "
				     "$p; wait $p; "
				     "n=$( (find e -type f 2>/dev/null) | wc -l); [ $n = 0 ] || [ $n = $(cat all) ] || { echo $t: $n files; exit 1; }; rm "
				     "-rf e; done",
				     commands[i]),
			   "");
	}
}

/* The line comes after a second of processor time, in which it measures. */
TEST(long_measuring_is_said_where_someone_watches)
{
	SKIP_WHERE_SIGNALS_WAIT();
	cli_begin();
	CHECK_INT(cli_signalled_after_work("exec $B/ptowsp-run --progress --out a=a.npy --entry nest --set n=2000000000 --set m=2 " VECTORS, SIGINT, 2500),
		  130);
	CHECK_STR(cli_err, "ptowsp-run: measuring tensors without a shape ...\nptowsp-run: cancelled by an interrupt\n");
	CHECK_INT(cli_signalled_after_work("exec $B/ptowsp-run --out a=a.npy --entry nest --set n=2000000000 --set m=2 " VECTORS, SIGINT, 2500), 130);
	CHECK_STR(cli_err, "ptowsp-run: cancelled by an interrupt\n");
}

TEST(a_hangup_under_nohup_stays_ignored)
{
	static const int twice[] = {SIGHUP, SIGTERM};

	SKIP_WHERE_SIGNALS_WAIT();
	cli_begin();
	CHECK_INT(cli_signalled("trap '' HUP; exec $B/ptowsp-run --fill src=zeros --out dst=old.npy $K/spin.pkg.zst", twice, 2, 1000), 143);
	CHECK(cli_ms > 1900);
}

TEST(sigusr1_prints_the_state_and_the_run_goes_on)
{
	static const int twice[] = {SIGUSR1, SIGUSR1};

	cli_begin();
	CHECK_INT(cli_signalled("exec $B/ptowsp-run --progress --no-kernels --schedule task_window=16 --timeout-ms 4000 --entry nest --set n=2000000000 --set "
				"m=2 " VECTORS,
				twice, 2, 1200),
		  10);
	CHECK_CONTAINS(cli_err, "task_ring");
	CHECK_CONTAINS(cli_err, "tensor_map");
	CHECK_CONTAINS(cli_err, "dep_list");
	CHECK_CONTAINS(cli_err, "used 16 of 16, high water 16");
	CHECK_CONTAINS(cli_err, "window 16 of 16");
	CHECK(cli_ms > 3500);
}

/* Of the machine, which the walk through the program is thousands of tasks ahead of. */
TEST(the_state_of_a_machine_is_its_own)
{
	static const int one[] = {SIGUSR1};
	unsigned long long used, high, rows = 0;

	cli_begin();
	CHECK_INT(cli_signalled("exec $B/ptowsp-run --plugin=a2a3sim --no-kernels --schedule task_window=64 --timeout-ms 2500 --entry nest --set n=2000000000 "
				"--set m=2 " VECTORS,
				one, 1, 1200),
		  10);
	for (const char *at = cli_err; (at = strstr(at, " used ")); at++) {
		const char *water = strstr(at, "high water ");

		REQUIRE(water && sscanf(at, " used %llu", &used) == 1 && sscanf(water, "high water %llu", &high) == 1);
		CHECK(used <= high);
		rows += used > 0;
	}
	CHECK(rows > 0);
}

/* Measuring is a phase before a run, and all that there is in an explanation. */
TEST(sigusr1_prints_the_phase_where_nothing_runs_yet)
{
	SKIP_WHERE_SIGNALS_WAIT();
	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/fuzz/source/softmax.pto -o rows.pkg.zst"), 0);
	CHECK_INT(cli_signalled_again("exec $B/ptowsp-run --timeout-ms 3000 --set total_rows=2147483647 rows.pkg.zst", SIGUSR1, 50), 10);
	CHECK_CONTAINS(cli_err, "ptowsp-run: still preparing or running, ");
	CHECK_INT(cli_signalled_again("exec $B/ptowsp-run --explain --timeout-ms 3000 --set total_rows=2147483647 rows.pkg.zst", SIGUSR1, 50), 0);
	CHECK_CONTAINS(cli_err, "ptowsp-run: still looking at the run, ");
}
