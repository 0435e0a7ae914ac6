/* SPDX-License-Identifier: MIT
 * test_contract_trace.c - what --trace shows beside tasks, against the statistics of the same run. */
#include "tests/contract/cli.h"

#include <signal.h>
#include <string.h>

#define VECTORS  "$K/vectors.pkg.zst"
#define CHANNELS "$P/probes/channels.pkg.zst"

enum { EXECUTORS, RESOURCES, CHANNEL_TRACKS };

static bool has_text(json_t *event, const char *member, const char *text)
{
	const char *value = json_string_value(json_object_get(event, member));

	return value && !strcmp(value, text);
}

static intmax_t member(json_t *event, const char *name)
{
	return json_integer_value(json_object_get(event, name));
}

static const char *track_name(json_t *events, intmax_t pid, intmax_t tid)
{
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event) if (has_text(event, "name", "thread_name") && member(event, "pid") == pid &&
						 member(event, "tid") == tid) return json_string_value(json_object_get(json_object_get(event, "args"), "name"));
	return "";
}

/* Stalls on the track of that name; every "B" has its "E" right behind it. */
static void stalls_sum(json_t *events, intmax_t pid, const char *track, intmax_t *count, intmax_t *cycles)
{
	json_t *event;
	size_t i;

	*count = *cycles = 0;
	json_array_foreach(events, i, event)
	{
		json_t *next = json_array_get(events, i + 1);

		if (!has_text(event, "ph", "B") || member(event, "pid") != pid || strcmp(track_name(events, pid, member(event, "tid")), track))
			continue;
		CHECK(has_text(next, "ph", "E") && member(next, "tid") == member(event, "tid") && member(next, "pid") == pid);
		CHECK_INT(member(next, "ts") - member(event, "ts"), member(json_object_get(event, "args"), "cycles"));
		++*count;
		*cycles += member(next, "ts") - member(event, "ts");
	}
}

static intmax_t moments(json_t *events, const char *name)
{
	intmax_t count = 0;
	json_t *event;
	size_t i;

	json_array_foreach(events, i, event) count += has_text(event, "ph", "i") && has_text(event, "name", name) && member(event, "pid") == CHANNEL_TRACKS;
	return count;
}

/* Every resource of a workload: the trace's stalls are those of the statistics, and at least one resource stalls. */
TEST(stalls_of_a_workload_are_on_the_track_of_their_resource)
{
	static const struct {
		const char *options, *resource;
	} cases[] = {
		{"--entry nest --set n=12 --set m=5 --schedule task_window=7", "task_ring"},
		{"--entry nest --set n=12 --set m=5 --schedule tensor_map=4", "tensor_map"},
		{"--entry nest --set n=12 --set m=5 --schedule ready_queue=3", "ready_any"},
	};

	cli_begin();
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		json_t *stats, *events;
		intmax_t count, cycles;

		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --no-kernels %s --trace t.json --stats=json " VECTORS, cases[k].options)), 0);
		stats = json_incref(cli_json());
		events = cli_at(cli_json_file("t.json"), "traceEvents");
		stalls_sum(events, RESOURCES, cases[k].resource, &count, &cycles);
		CHECK(count > 0);
		CHECK_INT(count, cli_int(stats, check_fmt("resources[%s].stall_count", cases[k].resource)));
		CHECK_INT(cycles, cli_int(stats, check_fmt("resources[%s].stall_cycles", cases[k].resource)));
		json_decref(stats);
	}
}

TEST(a_pipeline_has_tracks_for_processes_and_channels)
{
	intmax_t count, cycles;
	json_t *stats, *events;

	REQUIRE_INT(cli("$B/ptowsp-run --trace t.json --schedule 'channel_capacity=c(1)' --stats=json " CHANNELS), 0);
	stats = json_incref(cli_json());
	events = cli_at(cli_json_file("t.json"), "traceEvents");
	CHECK_STR(track_name(events, EXECUTORS, 0), "process source");
	CHECK_STR(track_name(events, EXECUTORS, 1), "process sink");
	stalls_sum(events, CHANNEL_TRACKS, "channel:c", &count, &cycles);
	CHECK(count > 0);
	CHECK_INT(count, cli_int(stats, "channels[c].full_count"));
	CHECK_INT(cycles, cli_int(stats, "channels[c].full_cycles"));
	stalls_sum(events, EXECUTORS, "process source", &count, &cycles);
	CHECK_INT(cycles, cli_int(stats, "channels[c].full_cycles"));
	stalls_sum(events, CHANNEL_TRACKS, "channel:c (consumed)", &count, &cycles);
	CHECK(count > 0);
	CHECK_INT(count, cli_int(stats, "channels[c].empty_count"));
	CHECK_INT(cycles, cli_int(stats, "channels[c].empty_cycles"));
	CHECK_INT(moments(events, "send"), cli_int(stats, "channels[c].sends"));
	CHECK_INT(moments(events, "consume"), cli_int(stats, "channels[c].consumes"));
	json_decref(stats);
}

TEST(a_stall_names_its_task_and_where_it_ends_the_task_may_start)
{
	json_t *events, *event, *task;
	size_t i, k, seen = 0;

	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels -q --entry nest --set n=12 --set m=5 --schedule task_window=7 --trace t.json " VECTORS), 0);
	events = cli_at(cli_json_file("t.json"), "traceEvents");
	json_array_foreach(events, i, event)
	{
		if (!has_text(event, "name", "TASK_RING_FULL"))
			continue;
		json_array_foreach(events, k, task) if (has_text(task, "ph", "X") && cli_int(task, "args.task") == cli_int(event, "args.before_task"))
		{
			CHECK(member(task, "ts") >= member(json_array_get(events, i + 1), "ts"));
			seen++;
		}
	}
	CHECK(seen > 0);
}

TEST(a_trace_does_not_depend_on_threads_and_changes_no_figure)
{
	cli_begin();
	REQUIRE_INT(
		cli("for t in 1 3; do $B/ptowsp-run -q --threads $t --schedule task_window=2 --trace $t.json " CHANNELS " || exit; done; cmp 1.json 3.json"),
		0);
	REQUIRE_INT(cli("a() { $B/ptowsp-run --no-kernels --entry nest --set n=40 --set m=5 --schedule task_window=7 --stats \"$@\" " VECTORS
			" | sed '/^load/d; s/ *[0-9.]* *$//; s/reference.*//'; }; a >without; a --trace t.json >with; cmp without with"),
		    0);
}

/* Tasks in the order of their numbers, on the tracks of threads, each behind the one that it waits for; waits on the semantic clock are not on the same axis. */
TEST(a_trace_in_real_time_shows_when_kernels_ran_and_on_which_thread)
{
	json_t *root, *events, *event;
	intmax_t tasks = 0, first_end = 0;
	size_t i;

	REQUIRE_INT(cli("$B/ptowsp-run -q --threads 2 --opt trace=real --schedule ready=priority --schedule task_window=4 --entry crowd --trace r.json "
			"$P/probes/tasks.pkg.zst"),
		    0);
	root = cli_json_file("r.json");
	events = json_object_get(root, "traceEvents");
	json_array_foreach(events, i, event)
	{
		CHECK(!has_text(event, "ph", "B"));
		if (!has_text(event, "ph", "X"))
			continue;
		CHECK_INT(member(json_object_get(event, "args"), "task"), tasks);
		CHECK(member(event, "tid") == 0 || member(event, "tid") == 1);
		CHECK(member(event, "dur") > 0 && member(event, "ts") >= first_end);
		first_end = tasks++ ? first_end : member(event, "ts") + member(event, "dur");
	}
	CHECK_INT(tasks, 29);
	CHECK_STR(track_name(events, EXECUTORS, 0), "host 0");
	CHECK_STR(track_name(events, EXECUTORS, 1), "host 1");
}

/* With a profile a trace has two clocks: each task once in cycles and once in nanoseconds, in groups of tracks that say so. */
TEST(a_trace_with_a_profile_has_both_clocks)
{
	const char *groups[] = {"executors, in cycles", "worker threads, in ns of real time"};
	json_t *root, *events, *event;
	intmax_t tasks[2] = {0};
	size_t i, named = 0;

	REQUIRE_INT(cli("$B/ptowsp-run -q --profile --trace r.json $P/softmax.pkg.zst && $B/ptowsp-run -q --trace s.json $P/softmax.pkg.zst"), 0);
	root = cli_json_file("r.json");
	events = json_object_get(root, "traceEvents");
	json_array_foreach(events, i, event)
	{
		if (has_text(event, "ph", "X"))
			tasks[member(event, "pid") != 0]++;
		if (has_text(event, "name", "process_name"))
			for (int k = 0; k < 2; k++)
				named += has_text(json_object_get(event, "args"), "name", groups[k]) && (member(event, "pid") != 0) == k;
	}
	CHECK_INT(tasks[0], 12);
	CHECK_INT(tasks[1], 12);
	CHECK_INT((int)named, 2);
	CHECK_INT(cli("grep -c '\"pid\":4' s.json"), 1); /* without one it is in semantic time alone */
}

/* An order of ready tasks is in force where two threads or more take them. */
TEST(orders_of_ready_tasks_are_enforced_by_several_threads)
{
	static const struct {
		const char *options;
		int code;
	} cases[] = {
		{"--threads 1", 5},
		{"--threads 2", 0},
		{"--opt threads=1", 5},
		{"--opt threads=2", 0},
		{"--threads 2 --opt threads=1", 0},
		{"--threads 1 --opt threads=2", 5},
		{"--threads 2 --opt schedulers=2", 0},
		{"--threads 2 --isolate=process", 0},
		{"--threads 1 --isolate=process", 5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		cli_begin();
		CHECK_INT(cli(check_fmt("$B/ptowsp-run -q %s --strict --schedule ready=priority --entry fork $P/probes/tasks.pkg.zst", cases[i].options)),
			  cases[i].code);
		if (cases[i].code)
			CHECK_CONTAINS(cli_err, "ready=priority is recorded on cpu_sim but must be at least enforced");
	}
}

static json_t *end_mark(json_t *events)
{
	json_t *event, *found = NULL;
	size_t i;

	json_array_foreach(events, i, event) if (has_text(event, "ph", "i") && has_text(event, "cat", "end")) found = event;
	return found;
}

/* What ran before is there, and where it ended; no other file is. */
TEST(a_run_that_fails_by_itself_leaves_a_trace_up_to_there)
{
	static const struct {
		const char *command, *status;
		int code;
		intmax_t tasks, cycles;
	} cases[] = {
		{"--no-kernels --schedule task_window=2 --entry scope $P/probes/control.pkg.zst", "DEADLOCK", 7, 2, 40000},
		{"--entry fail $P/probes/tasks.pkg.zst", "KERNEL_FAILED", 1, 1, 3},
		{"--no-kernels --schedule tensor_map=1 --entry chain $P/probes/tasks.pkg.zst", "TOO_SMALL", 5, 1, 2},
		{"--no-kernels --schedule task_window=2,abort --entry nest $P/probes/tasks.pkg.zst", "RUN_FAILED", 1, 2, 40000},
	};

	cli_begin();
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		json_t *trace, *events, *event;
		intmax_t tasks = 0;
		size_t i;

		CHECK_INT(cli(check_fmt("$B/ptowsp-run -q --trace t.json --graph g.json %s", cases[k].command)), cases[k].code);
		trace = cli_json_file("t.json");
		events = cli_at(trace, "traceEvents");
		json_array_foreach(events, i, event) tasks += has_text(event, "ph", "X");
		CHECK_INT(tasks, cases[k].tasks);
		CHECK_STR(json_string_value(json_object_get(trace, "status")), cases[k].status);
		CHECK(has_text(end_mark(events), "name", cases[k].status));
		CHECK_INT(member(end_mark(events), "ts"), cases[k].cycles);
		CLI_PRINTS(0, "ls -A; rm t.json", "t.json\n");
	}
	REQUIRE_INT(cli("$B/ptowsp-run -q --trace t.json --entry nest $P/probes/tasks.pkg.zst"), 0);
	CHECK(!json_object_get(cli_json_file("t.json"), "status") && !end_mark(cli_at(cli_json_file("t.json"), "traceEvents")));
}

TEST(a_run_with_other_values_than_expected_writes_all_it_was_asked_for)
{
	REQUIRE_INT(cli("$B/ptowsp-run -q --fill a=ones --fill b=zeros --out c=c.npy $P/vector_add.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run -q --fill a=ones --fill b=ones --expect c=c.npy --out c=d.npy --trace t.json --graph g.json $P/vector_add.pkg.zst"), 6);
	CLI_PRINTS(0, "ls -A", "c.npy\nd.npy\ng.json\nt.json\n");
	CHECK_INT(cli("cmp -s c.npy d.npy"), 1);
}

TEST(an_empty_program_has_a_trace_and_graphs)
{
	REQUIRE_INT(cli("$B/ptowsp-run -q --no-kernels --entry nest --set n=0 --set m=5 --trace t.json " VECTORS), 0);
	CHECK(json_is_array(cli_at(cli_json_file("t.json"), "traceEvents")));
	for (const char *const *form = (const char *const[]){"txt", "dot", "json", NULL}; *form; form++)
		CHECK_INT(cli(check_fmt("$B/ptowsp-run -q --no-kernels --entry nest --set n=0 --set m=5 --graph g.%s " VECTORS, *form)), 0);
}

TEST(statistics_have_a_row_per_process)
{
	json_t *stats;

	REQUIRE_INT(cli("$B/ptowsp-run --stats=json " CHANNELS), 0);
	stats = cli_json();
	CHECK_INT(cli_int(stats, "processes[source].tasks") + cli_int(stats, "processes[sink].tasks"), cli_int(stats, "num_tasks"));
	CHECK_INT(cli_int(stats, "processes[sink].end"), cli_int(stats, "total_cycles"));
	CHECK(cli_int(stats, "processes[source].end") < cli_int(stats, "total_cycles"));
}

/* The same pipeline with two thousand million tokens. */
TEST(the_state_of_a_long_pipeline_shows_channels_and_processes)
{
	static const int twice[] = {SIGUSR1, SIGINT};

	cli_begin();
	if (strstr(check_build(), "/tsan"))
		CHECK_SKIP("the thread sanitizer holds signals back while a thread only computes");
	REQUIRE_INT(cli("sed 's/0 to 4/0 to 2000000000/; s/%out\\[%i\\]/%out[8]/'"
			" $R/packages/probes/channels.pto >long.pto && $B/ptowsp-pack long.pto -o long.pkg.zst"),
		    0);
	for (int kernels = 0; kernels < 2; kernels++) {
		CHECK_INT(cli_signalled(check_fmt("exec $B/ptowsp-run --progress %s long.pkg.zst", kernels ? "" : "--no-kernels"), twice, 2, 1500), 130);
		CHECK_CONTAINS(cli_err, "task_ring");
		CHECK_CONTAINS(cli_err, "heap");
		CHECK_CONTAINS(cli_err, "ready_any");
		CHECK_CONTAINS(cli_err, "channel:c holds ");
		CHECK_CONTAINS(cli_err, "CHANNEL_EMPTY_WAIT");
		CHECK_CONTAINS(cli_err, "process source.0 at cycle ");
		CHECK_CONTAINS(cli_err, "process sink.0 at cycle ");
		CHECK_CONTAINS(cli_err, " tasks, ");
	}
}
