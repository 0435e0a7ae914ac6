/* SPDX-License-Identifier: MIT
 * test_a2a3sim.c - the a2a3sim plugin through the tools: its claims hold on either clock, every example runs on it as on cpu_sim, byte for byte and, with the
 * reference clock, cycle for cycle; devices, options and exits. */
#include "tests/tools/example_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIM "--plugin=a2a3sim --opt clock=reference"

/* ---- every example, beside cpu_sim ---------------------------------------------------------------------------- */

/* Two devices of cpu_sim are two of an architecture whose devices can tell each other something. */
static char *devices_of(const char *options)
{
	const char *both = "--device=cpu0,cpu1", *at = strstr(options, both);
	char *text = NULL;

	if (asprintf(&text, "%.*s%s%s", at ? (int)(at - options) : 0, options, at ? "--device=950-0,950-1" : "", at ? at + strlen(both) : options) < 0)
		text = NULL;
	REQUIRE(text != NULL);
	return text;
}

/* "num_tasks num_edges total_cycles" of a run whose outputs go to PREFIX. */
static const char *numbers(const struct example_row *row, json_t *explained, const char *plugin, const char *options, int threads, const char *prefix)
{
	static char said[5][128]; /* of the latest five */
	static int turn;
	char *out = example_outs(explained, prefix);
	int status = cli(check_fmt("$B/ptowsp-run %s --stats=json --threads %d %s%s $P/%s.pkg.zst", plugin, threads, options, out, row->package));
	json_t *stats;

	free(out);
	turn = (turn + 1) % 5;
	*said[turn] = 0;
	if (status) {
		CHECK_FAIL("%s %s --threads %d: exit %d: %s", plugin, row->name, threads, status, cli_err);
		return said[turn];
	}
	stats = strstr(options, "--device=") ? NULL : cli_json(); /* of several devices it has one object each */
	if (stats)
		snprintf(said[turn], sizeof(said[turn]), "%jd tasks, %jd edges, %jd cycles", cli_int(stats, "num_tasks"), cli_int(stats, "num_edges"),
			 cli_int(stats, "total_cycles"));
	return said[turn];
}

#define OWN "--plugin=a2a3sim"

/* The machine has times of its own, the same with any number of threads; what there is and what comes out is not its affair. */
static void equals_on_the_machine(const struct example_row *row, json_t *explained, const char *options, const char *wanted)
{
	const char *one = numbers(row, explained, OWN, options, 1, "own");

	CHECK_STR(check_fmt("%.*s", (int)(strrchr(one, ',') - one), one), check_fmt("%.*s", (int)(strrchr(wanted, ',') - wanted), wanted));
	CHECK_INT(cli("for f in cpu.*.npy; do test ! -e $f || cmp $f own${f#cpu} || exit; done"), 0);
	CHECK_STR(numbers(row, explained, OWN, options, 2, "own"), one);
	CHECK_INT(cli("for f in cpu.*.npy; do test ! -e $f || cmp $f own${f#cpu} || exit; done"), 0);
}

static void equals_cpu_sim(void)
{
	const struct example_row *row = example_row_of(check_name());
	char *options;
	json_t *explained;
	const char *wanted;

	REQUIRE(row != NULL);
	if (cli_slow() && row->name != row->package)
		CHECK_SKIP("it is large; the release build runs it");
	options = devices_of(row->options);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --explain --json %s $P/%s.pkg.zst", row->options, row->package)), 0);
	explained = cli_json();
	REQUIRE(explained != NULL);
	json_incref(explained); /* the next output takes its place */
	wanted = numbers(row, explained, "--plugin=cpu_sim", row->options, 2, "cpu");
	for (int threads = 1; threads <= 2; threads++) {
		CHECK_STR(numbers(row, explained, SIM, options, threads, "sim"), wanted);
		CHECK_INT(cli("for f in cpu.*.npy; do test ! -e $f || cmp $f sim${f#cpu} || exit; done"), 0);
	}
	if (strchr(wanted, ',')) /* of several devices there are no numbers */
		equals_on_the_machine(row, explained, options, wanted);
	json_decref(explained);
	free(options);
}

/* ---- random programs, with either clock -------------------------------------------------------------------------- */

static void clocks_agree(const char *families, int count)
{
	const char *only = getenv("PTOWSP_SEED");

	count = getenv("PTOWSP_TEST_LONG") ? 50 * count : cli_slow() ? count / 5 : count;
	if (cli(check_fmt("python3 '%s/tests/model/clocks.py' --build '%s' --families %s --first %s --count %d", check_root(), check_build(), families,
			  only ? only : "1", only ? 1 : count)))
		CHECK_FAIL("%s%s", cli_out, cli_err);
	printf("# a2a3sim: PTOWSP_SEED=%s, %d programs of %s\n", only ? only : "1", only ? 1 : count, families);
}

TEST(tasks_tokens_and_results_are_those_of_the_reference_clock)
{
	if (cli("python3 -c 'import json'"))
		CHECK_SKIP("python3 is not installed");
	clocks_agree("after,auto,axes,bounds,csp,deep,filter,heap,interleaved,levels,payload,policies,scalars,small,start,sync,temp,units,while", 60);
	clocks_agree("csp,while,policies", 40);
	clocks_agree("heap,sync,temp,start,units", 20);
}

/* ---- blocks -------------------------------------------------------------------------------------------------- */

/* 48 vector cores: up to 48 blocks take as long as one, 49 and 96 as two rounds; every block is run. */
TEST(blocks_run_on_cores_in_rounds)
{
	static const struct {
		int blocks, rounds;
	} rows[] = {{1, 1}, {2, 1}, {48, 1}, {49, 2}, {96, 2}, {97, 3}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt(
				    "printf 'module @m\ntensor %%%%x : f32[128, 64] inout\nfunc @one(%%%%a: !pto.memref<gm,...,f32>) {\n %%%%t = alloc_tile : "
				    "!pto.tile<1x64xf32>\n %%%%b = block_index : index\n %%%%t = tload %%%%a[%%%%b, 0]\n %%%%t = tadds %%%%t, 1.0\n tstore "
				    "%%%%t, %%%%a[%%%%b, 0]\n return\n}\n"
				    "kernel @k(%%%%a: f32[128, 64] inout) on vector blockdim %d { portable @one }\nworkload @main { call @k(%%%%a -> %%%%x[0, "
				    "0]) }\n' >b.pto && "
				    "$B/ptowsp-pack b.pto -o b.pkg.zst",
				    rows[i].blocks)),
			    0);
		CHECK_INT(cli("$B/ptowsp-run --plugin=a2a3sim --opt protocol=none --fill x=zeros --out x=x.npy b.pkg.zst"), 0);
		CHECK_CONTAINS(cli_out, check_fmt("1 task, %d cycles (core)", 172 * rows[i].rounds));
		CHECK_INT(cli("$B/ptowsp-run --quiet --plugin=cpu_sim --fill x=zeros --expect x=x.npy b.pkg.zst"), 0);
	}
}

/* ---- claims --------------------------------------------------------------------------------------------------- */

TEST(every_claim_of_every_device_holds)
{
	static const char *const devices[] = {"910b-0", "910c-1", "950-0"}, *const clocks[] = {SIM, OWN, OWN " --opt aicpus=4", OWN " --opt order=program"};

	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++) {
		for (size_t k = 0; k < sizeof(clocks) / sizeof(*clocks); k++) {
			if (!check_seed_wanted(4 * i + k))
				continue;
			CHECK_INT(cli(check_fmt("$B/ptowsp-run --capabilities --verify %s --device=%s", clocks[k], devices[i])), 0);
			CHECK_CONTAINS(cli_out, " 0 claimed without a probe that can tell, 0 false");
		}
	}
}

/* A kernel's cycles by its name hide what only longer kernels show: that is said, and nothing else. */
TEST(what_cannot_be_seen_is_not_false)
{
	CLI_OUT(0, "$B/ptowsp-run --capabilities --verify " OWN " --opt model=name", ", 0 false", "kernels take as long whatever they do, so it cannot be seen",
		"cycles per kernel                    recorded");
}

/* What no machine of that platform does, a program of it cannot have. */
TEST(devices_of_a2_and_a3_tell_each_other_nothing)
{
	CLI_ERR(5, "$B/ptowsp-run " SIM " --device=910b-0,910b-1 $P/two_devices.pkg.zst", "notify is unsupported on a2a3sim");
	CHECK_INT(cli("$B/ptowsp-run " SIM " --device=910c-0,910c-1 $P/two_devices.pkg.zst"), 5);
	CHECK_INT(cli("$B/ptowsp-run " SIM " --device=950-0,950-1 $P/two_devices.pkg.zst"), 0);
}

/* ---- devices, options, exits ---------------------------------------------------------------------------------- */

TEST(the_device_is_the_one_that_is_named)
{
	static const struct {
		const char *options, *device;
	} rows[] = {{"", "910b-0"},
		    {"--opt device=910b", "910b-0"},
		    {"--opt device=910c", "910c-0"},
		    {"--opt device=950", "950-0"},
		    {"--device=910b-1", "910b-1"},
		    {"--device=950-1", "950-1"},
		    {"--opt device=950 --device=910c-1", "910c-1"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run " SIM " %s $P/vector_add.pkg.zst", rows[i].options)), 0);
		CHECK_CONTAINS(cli_out, check_fmt("a2a3sim %s: 8 tasks, 8192 cycles (reference)", rows[i].device));
	}
	CLI_OUT(0, "$B/ptowsp-run --plugin=pto_runtime_a2a3sim --opt clock=reference $P/vector_add.pkg.zst", "a2a3sim 910b-0: 8 tasks");
}

TEST(what_it_has_not_is_refused_with_a_sentence)
{
	static const struct {
		const char *options, *said;
		int status;
	} rows[] = {
		{"--opt aicpus=7", "aicpus=7: 910b-0 has 6 AICPU threads", 2},
		{"--opt aicpus=15", "0..14", 2},
		{"--opt schedulers=7", "910b-0 has 6 AICPU threads", 2},
		{"--opt streams=65", "1..64", 2},
		{"--opt engine=pto-runtime --opt streams=3", "streams=3: a pto-runtime makes its own 2", 2},
		{"--opt protocol=fast", "published|fitted|none", 2},
		{"--opt rings=two", "one|runtime", 2},
		{"--opt device=310p", "910b|910c|950", 2},
		{"--opt weather=fine", "weather", 2},
		{"--device=cpu0", "910b-0", 8},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CLI_ERR(rows[i].status, check_fmt("$B/ptowsp-run " SIM " %s $P/vector_add.pkg.zst", rows[i].options), rows[i].said);
		cli_check_sentence();
	}
	CHECK_INT(cli("$B/ptowsp-run " SIM " --opt aicpus=14 --device=950-0 $P/vector_add.pkg.zst"), 0);
	CLI_ERR(2, "$B/ptowsp-run --capabilities --verify --plugin=a2a3sim --opt schedulers=64", "910b-0 has 6 AICPU threads");
	cli_check_sentence();
	CHECK_STR(cli_out, ""); /* no claim is judged by options that no device takes */
}

/* Instances share the tasks; what they do together is the same. */
/* Those that order tasks: of a schedule with more of them than the device has, the device's. Without a directive all are in the first one, and it orders nothing. */
TEST(streams_are_counted_as_the_engine_has_them)
{
	static const struct {
		const char *options;
		long long streams;
	} rows[] = {
		{OWN, 1},
		{OWN " --schedule streams=1", 1},
		{OWN " --schedule streams=4", 2},
		{OWN " --opt streams=3 --schedule streams=4", 3},
		{OWN " --opt streams=8 --schedule streams=4", 4},
		{SIM " --schedule streams=4", 4},
		{"--plugin=cpu_sim --schedule streams=4", 4},
	};
	json_t *stats;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run %s --stats=json $P/vector_add.pkg.zst", rows[i].options)), 0);
		stats = cli_json();
		REQUIRE(stats != NULL);
		CHECK_INT(cli_int(stats, "num_streams"), rows[i].streams);
	}
}

/* Emit, flush, run: without the barrier the first task waits until the second one, which is issued 300,000 cycles later, is known, too. */
TEST(a_batch_ends_at_a_barrier)
{
	static const struct {
		const char *entry;
		bool waits;
	} rows[] = {{"plain", true}, {"barrier", false}};
	json_t *trace;
	const char *starts;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run " OWN
					  " --entry %s --schedule batch_deps=9 --schedule issue_cost=300000 --trace t.json $P/probes/events.pkg.zst",
					  rows[i].entry)),
			    0);
		trace = cli_json_file("t.json");
		REQUIRE(trace != NULL);
		starts = cli_trace(trace);
		CHECK_INT(strtoull(starts, NULL, 10) > 300000, rows[i].waits);
	}
}

/* Costs of moe's @assign are known when it has run, and no task of a graph runs before the whole of it is there, which it never is. */
TEST(a_graph_that_cannot_be_built_is_refused)
{
	static const char *const options[] = {"", "--opt schedulers=2", "--opt variant=host_build_graph", "--threads 1", "--schedule dep_list=1"};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		CLI_ERR(5, check_fmt("$B/ptowsp-run -q " OWN " %s --timeout-ms 5000 --schedule start=after_orchestration $P/moe.pkg.zst", options[i]),
			"slot count is read from tensor counts, which task 1 fills, but the graph is built before anything runs");
}

TEST(any_number_of_aicpus_computes_the_same)
{
	for (int aicpus = 1; aicpus <= 6; aicpus++) {
		CLI_OUT(0, check_fmt("$B/ptowsp-run " SIM " --opt aicpus=%d $P/softmax.pkg.zst", aicpus), "compare: ok");
	}
}

/* Eight tasks that nothing orders: with costs one after the other leaves the scheduler, without they are a kernel's time long. */
TEST(the_protocol_costs_what_was_published_or_nothing)
{
	intmax_t cycles[2];

	for (int i = 0; i < 2; i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run " OWN " --opt protocol=%s --stats=json $P/vector_add.pkg.zst", i ? "none" : "published")), 0);
		cycles[i] = cli_int(cli_json(), "total_cycles");
	}
	CHECK(cycles[0] > 8 * cycles[1]);
	CLI_FIGURE("$B/ptowsp-run " OWN " --opt protocol=none --opt device=950 --stats=json $P/vector_add.pkg.zst", "total_cycles", cycles[1]);
}

/* Each has a machine of its own; what one waits for another tells, and a graph goes on where a checkpoint was taken, with whatever clock. */
/* One total fits the costs, the others tell what they are worth: microseconds of simpler's PR #1575. */
TEST(totals_are_near_those_that_were_published)
{
	static const struct {
		const char *program;
		int64_t published, off; /* us; percent */
	} rows[] = {{"alternating_matmul_add", 772, 3}, {"benchmark_bgemm", 720, 25}, {"paged_attention_unroll", 1099, 25}};
	const int64_t clock_mhz = 1800;
	int64_t us;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack %s/tests/ascend/published/%s.pto -o $T/total.pkg.zst", check_root(), rows[i].program)), 0);
		REQUIRE_INT(cli("$B/ptowsp-run " OWN " --no-kernels --stats=json $T/total.pkg.zst"), 0);
		us = cli_int(cli_json(), "total_cycles") / clock_mhz;
		if (us * 100 < rows[i].published * (100 - rows[i].off) || us * 100 > rows[i].published * (100 + rows[i].off))
			CHECK_FAIL("%s takes %jd us, published are %jd", rows[i].program, (intmax_t)us, (intmax_t)rows[i].published);
	}
}

/* Each thread may issue tasks of its own, in place of one that issues all of them: nothing but times changes. */
TEST(threads_that_issue_their_own_tasks_compute_the_same)
{
	static const char *const options[] = {"--runs=1", "--schedule task_window=4", "--schedule batch_deps=3", "--schedule 'dispatch=work_steal(3)'",
					      "--schedule 'start=threshold(9)'"};
	static const char *const packages[] = {"paged_attention", "csp", "moe", "bgemm"};

	for (size_t p = 0; p < sizeof(packages) / sizeof(*packages); p++)
		for (size_t o = 0; o < sizeof(options) / sizeof(*options); o++)
			CLI_OUT(0, check_fmt("$B/ptowsp-run " OWN " --opt orchestrator=shared %s $P/%s.pkg.zst", options[o], packages[p]), "compare: ok");
}

/* tests/ascend/rings.pto says what each entry is: exit status and, of a deadlock, the window that would do, with one window and with rings. */
TEST(rings_hold_what_a_window_does_not)
{
	static const struct {
		const char *entry, *options;
		int window, one, rings; /* 0: it runs; else the window that is proposed */
	} rows[] = {{"nested", "", 4, 5, 0}, {"single", "--set n=15", 16, 0, 0}, {"single", "--set n=16", 16, 0, 32},
		    {"deep", "", 4, 0, 8},   {"passing", "", 64, 0, 0},          {"passing", "", 4, 5, 0}};

	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack %s/tests/ascend/rings.pto -o rings.pkg.zst", check_root())), 0);
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(*rows); i++) {
		const int proposed = i % 2 ? rows[i / 2].rings : rows[i / 2].one;
		const char *run = check_fmt("$B/ptowsp-run -q " OWN " --opt rings=%s --entry %s %s --schedule task_window=%d --out x=x%zu.npy rings.pkg.zst",
					    i % 2 ? "runtime" : "one", rows[i / 2].entry, rows[i / 2].options, rows[i / 2].window, i);

		if (proposed)
			CLI_ERR(7, run, check_fmt("use at least --schedule task_window=%d", proposed));
		else
			CHECK_INT(cli(run), 0);
	}
	CHECK_INT(cli("cmp x8.npy x9.npy && cmp x8.npy x11.npy"), 0);
	CLI_FIGURE("$B/ptowsp-run " OWN " --opt rings=runtime --entry passing --schedule task_window=4 --stats=json rings.pkg.zst", "task_window", 4);
	CLI_FIGURE("$B/ptowsp-run " OWN " --opt rings=runtime --entry passing --schedule task_window=4 --stats=json rings.pkg.zst", "num_edges", 1);
}

TEST(rings_refuse_what_a_runtime_does_not_have)
{
	CLI_ERR(2, "$B/ptowsp-run " OWN " --opt rings=runtime --schedule task_window=1 $P/softmax.pkg.zst", "task_window=1: with rings=runtime");
	CLI_ERR(5, "$B/ptowsp-run " OWN " --opt rings=runtime --strict --schedule task_window=2 $P/softmax.pkg.zst", "limits 4..");
	CLI_OUT(0, "$B/ptowsp-run --capabilities --verify " OWN " --opt rings=runtime", ", 0 false");
	CLI_ERR(5, "$B/ptowsp-run " OWN " --opt rings=runtime $P/csp.pkg.zst", "unsupported");
	CLI_ERR(5, "$B/ptowsp-run " OWN " --opt rings=runtime --schedule 'task_window=8, benchmark' $P/softmax.pkg.zst", "unsupported");
}

/* One thread more issues tasks; on other engines there is one instance. */
TEST(schedulers_are_three_where_nobody_says_how_many)
{
	REQUIRE_INT(cli("$B/ptowsp-run " OWN " --trace t.json $P/softmax.pkg.zst"), 0);
	CHECK_INT(cli("grep -c '\"aicpu [0-3]\"' t.json"), 0);
	CHECK_INT(cli("grep '\"aicpu 4\"' t.json"), 1);
	CLI_OUT(0, "$B/ptowsp-run --capabilities " OWN, "dispatch=work_steal                  enforced 1..3");
	CLI_OUT(0, "$B/ptowsp-run --capabilities " SIM, "dispatch=work_steal                  enforced");
}

TEST(several_devices_and_graphs_run_on_the_machine)
{
	static const char *const clocks[] = {"own", "reference"};

	CLI_OUT(0, "$B/ptowsp-run " OWN " --device=950-0,950-1 $P/two_devices.pkg.zst", "compare: ok");
	REQUIRE_INT(cli(check_fmt(
			    "$B/ptowsp-pack '%s/tests/graphs/undo.pto' -o undo.pkg.zst && $B/ptowsp-pack '%s/tests/graphs/hand_over.pto' -o hand_over.pkg.zst",
			    check_root(), check_root())),
		    0);
	CLI_OUT(0, "$B/ptowsp-run " OWN " --device=950-0,950-1 hand_over.pkg.zst", "compare: ok");
	for (int i = 0; i < 4; i++) {
		CLI_OUT(0, check_fmt("$B/ptowsp-run --plugin=a2a3sim --opt clock=%s --checkpoint saved%d undo.pkg.zst", clocks[i / 2], i), "compare: ok");
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=a2a3sim --opt clock=%s --restore saved%d --out X=x%d.npy undo.pkg.zst && cmp x%d.npy x0.npy",
					clocks[i % 2], i, i, i)),
			  0);
	}
}

/* LLaMA has kernels without a unit: those with products run where there is a cube core. */
TEST(statistics_say_what_pipes_did)
{
	json_t *pipes, *row;
	intmax_t cube = 0, vector = 0;
	size_t i;

	CHECK_INT(cli("$B/ptowsp-run " OWN " --opt protocol=none --stats=json $P/llama.pkg.zst"), 0);
	pipes = json_object_get(cli_json(), "pipes");
	CHECK_UINT(json_array_size(pipes), 9);
	json_array_foreach(pipes, i, row)
	{
		intmax_t *cores = strcmp(cli_text(row, "unit"), "cube") ? &vector : &cube;

		if (!*cli_text(row, "pipe"))
			*cores = cli_int(row, "cycles");
		CHECK(cli_int(row, "cycles") > 0 && cli_int(row, "cycles") <= *cores);
		CHECK_INT(cli_int(row, "cores"), cores == &cube ? 24 : 48);
	}
	CLI_OUT(0, "$B/ptowsp-run " OWN " --stats $P/llama.pkg.zst", "24 cube ", "  gm to l1 ");
	CHECK_INT(cli("$B/ptowsp-run " SIM " --stats=json $P/llama.pkg.zst"), 0);
	CHECK_UINT(json_array_size(json_object_get(cli_json(), "pipes")), 0);
}

/* Events on the tracks of a name, which are of a kind. */
static int events_of(json_t *events, const char *track, const char *ph, const char *name)
{
	json_t *event, *other;
	size_t i, k;
	int count = 0;

	json_array_foreach(events, i, event)
	{
		if (strcmp(json_string_value(json_object_get(event, "ph")), "M") != 0 ||
		    strcmp(json_string_value(json_object_get(event, "name")), "thread_name") != 0 ||
		    strncmp(json_string_value(json_object_get(json_object_get(event, "args"), "name")), track, strlen(track)) != 0)
			continue;
		json_array_foreach(events, k, other)
		{
			const char *called = json_string_value(json_object_get(other, "name"));

			count += json_equal(json_object_get(event, "pid"), json_object_get(other, "pid")) &&
				 json_equal(json_object_get(event, "tid"), json_object_get(other, "tid")) &&
				 !strcmp(json_string_value(json_object_get(other, "ph")), ph) && (!name || (called && !strcmp(called, name)));
		}
	}
	return count;
}

TEST(a_trace_has_a_track_for_each_core_scheduler_and_process)
{
	json_t *events;

	CHECK_INT(
		cli("$B/ptowsp-run " OWN " --opt aicpus=2 --opt orchestrator=shared --schedule task_window=4 --trace t.json $P/softmax.pkg.zst && cat t.json"),
		0);
	REQUIRE(strchr(cli_out, '{') != NULL);
	events = json_loads(strchr(cli_out, '{'), 0, NULL);
	REQUIRE(events != NULL);
	for (int p = 0; p < 2; p++) {
		const char *aicpu = check_fmt("aicpu %d", p);

		CHECK_INT(events_of(json_object_get(events, "traceEvents"), aicpu, "B", "issue"), 6);
		CHECK_INT(events_of(json_object_get(events, "traceEvents"), aicpu, "B", "dispatch"), 6);
		CHECK_INT(events_of(json_object_get(events, "traceEvents"), aicpu, "B", "complete"), 6);
		CHECK(events_of(json_object_get(events, "traceEvents"), aicpu, "B", "hear") > 0);
	}
	CHECK_INT(events_of(json_object_get(events, "traceEvents"), "vector ", "X", NULL), 12);
	CHECK_INT(events_of(json_object_get(events, "traceEvents"), "cube ", "M", "thread_name"), 24);
	CHECK(events_of(json_object_get(events, "traceEvents"), "task_ring", "B", "TASK_RING_FULL") > 0);
	json_decref(events);
	CLI_OUT(0, "$B/ptowsp-run " OWN " --trace t.json $P/csp.pkg.zst && cat t.json", "process compute.1", "vector 24");
}

/* 384 KiB of tiles: more than a vector core of any of them has. */
TEST(a_kernel_larger_than_a_core_runs_with_a_warning_or_not_at_all)
{
	static const char large[] = "kernel large: its tiles need 393216 bytes of UB at once, a core of 910b has 196608";

	REQUIRE_INT(cli("printf '%s\\n' 'module @m' 'tensor %x : f32[256, 128] in' 'tensor %y : f32[256, 128] out' '// Function Type: InCore' "
			"'func @large(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {' '  %s = alloc_tile : !pto.tile<256x128xf32>' "
			"'  %t = alloc_tile : !pto.tile<256x128xf32>' '  %u = alloc_tile : !pto.tile<256x128xf32>' "
			"'  %s = tload %a[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<256x128xf32>' "
			"'  %t = tload %a[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<256x128xf32>' "
			"'  %u = tadd %s, %t : !pto.tile<256x128xf32>, !pto.tile<256x128xf32>' '  tstore %u, %b[0, 0]' '  return' '}' "
			"'workload @main {' '  call @large(%a -> %x[0, 0], %b -> %y[0, 0])' '}' >large.pto && $B/ptowsp-pack large.pto -o large.pkg.zst"),
		    0);
	for (int refuse = 0; refuse < 2; refuse++) {
		CLI_ERR(refuse ? 1 : 0, check_fmt("$B/ptowsp-run " OWN " %s large.pkg.zst", refuse ? "--opt limits=refuse" : ""), large);
	}
	CHECK_INT(cli("$B/ptowsp-run " SIM " large.pkg.zst"), 0);
	CHECK(!strstr(cli_err, large));
}

/* ---- the pto-runtime engine, on the runtime that stands for it in tests ------------------------------------------- */

#define BY_RUNTIME "--plugin=a2a3sim --opt engine=pto-runtime --opt cache=$B/../test/ascend_cache"

TEST(a_pto_runtime_runs_it_when_it_is_named)
{
	static const char *const variants[] = {"", "--opt variant=host_build_graph"};

	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		CLI_OUT(0, check_fmt("$B/ptowsp-run " BY_RUNTIME " --opt runtime=$B/../fakes/simpler %s $P/softmax.pkg.zst", variants[i]),
			"a2a3sim 910b-0: 12 tasks, ", "compare: ok");
	}
	CLI_ERR(8, "$B/ptowsp-run " BY_RUNTIME " $P/softmax.pkg.zst", "runtime=DIR");
}

/* Whoever runs tasks says who it is, and whose the cycles are, in every output. */
TEST(engines_name_themselves)
{
	static const struct {
		const char *options, *engine, *model;
	} rows[] = {
		{"--opt clock=reference", "threads", "reference"},
		{"", "machine", "core"},
		{"--opt clock=own", "machine", "core"},
		{"--opt clock=own --opt model=op-sum", "machine", "op-sum"},
		{"--opt clock=own --opt model=name", "machine", "name"},
		{"--opt clock=own --opt order=program", "machine", "core"},
		{"--opt engine=pto-runtime --opt cache=$B/../test/ascend_cache --opt runtime=$B/../fakes/simpler", "pto-runtime tensormap_and_ringbuffer",
		 "plan"},
		{"--opt engine=pto-runtime --opt cache=$B/../test/ascend_cache --opt runtime=$B/../fakes/simpler --opt variant=host_build_graph",
		 "pto-runtime host_build_graph", "plan"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *named = check_fmt("engine %s, cycle model %s", rows[i].engine, rows[i].model);
		const char *run = check_fmt("$B/ptowsp-run --plugin=a2a3sim %s", rows[i].options);
		json_t *stats;

		REQUIRE_INT(cli(check_fmt("%s --stats=json $P/vector_add.pkg.zst", run)), 0);
		stats = cli_json();
		REQUIRE(stats != NULL);
		CHECK_STR(cli_text(stats, "engine"), rows[i].engine);
		CHECK_STR(cli_text(stats, "cycle_model"), rows[i].model);
		REQUIRE_INT(cli(check_fmt("%s --stats=text $P/vector_add.pkg.zst", run)), 0);
		CHECK_CONTAINS(cli_out, check_fmt("cycles (%s)", rows[i].model));
		CHECK_CONTAINS(cli_out, named);
		REQUIRE_INT(cli(check_fmt("%s --capabilities", run)), 0);
		CHECK_CONTAINS(cli_out, check_fmt("a2a3sim 910b-0: %s\n", named));
		REQUIRE_INT(cli(check_fmt("%s --capabilities --json", run)), 0);
		CHECK_CONTAINS(cli_out, check_fmt("\"engine\": \"%s\"", rows[i].engine));
	}
}

/* Rows are those of the engine. */
TEST(rows_are_those_of_the_engine)
{
	CLI_OUT(0, "$B/ptowsp-run --capabilities --plugin=a2a3sim --opt aicpus=4", "dispatch=work_steal                  enforced 1..4");
	CLI_OUT(0, "$B/ptowsp-run --capabilities " BY_RUNTIME, "dispatch=work_steal                  recorded",
		"task_window(stall)                   enforced");
	CLI_OUT(0, "$B/ptowsp-run --capabilities " BY_RUNTIME " --opt variant=host_build_graph", "task_window(stall)                   diagnosed");
}

/* Executors are AICPU threads, and streams those of the device: with one thread a policy chooses nothing, and nothing says that it did. */
TEST(what_a_policy_does_is_told_by_what_there_is_to_choose_from)
{
	static const struct {
		const char *schedule;
		int aicpus;
		const char *state;
	} rows[] = {{"dispatch=round_robin(3)", 1, "recorded"},
		    {"dispatch=round_robin(3)", 4, "enforced"},
		    {"dispatch=round_robin(5)", 4, "diagnosed"},
		    {"spatial_map=2,2", 1, "recorded"},
		    {"spatial_map=2,2", 4, "enforced"},
		    {"streams=2", 1, "enforced"},
		    {"streams=3", 1, "diagnosed"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *run = check_fmt("$B/ptowsp-run " OWN " --opt aicpus=%d --schedule '%s' $P/vector_add.pkg.zst", rows[i].aicpus, rows[i].schedule);
		const bool in_force = !strcmp(rows[i].state, "enforced"), recorded = !strcmp(rows[i].state, "recorded");
		json_t *stats;

		CHECK_INT(cli(check_fmt("%s --strict", run)), in_force ? 0 : 5);
		CLI_OUT(0, check_fmt("%s --explain", run), check_fmt("  %s  %s", rows[i].schedule, rows[i].state));
		REQUIRE_INT(cli(check_fmt("%s --stats=json", run)), 0);
		stats = cli_json();
		CHECK_UINT(json_array_size(json_object_get(stats, "recorded")), recorded);
		CHECK_UINT(json_array_size(json_object_get(stats, "diagnostics")), !in_force);
	}
}

void suite_a2a3sim(CU_pSuite s)
{
	example_rows_add(s, "", equals_cpu_sim);
}
