/* SPDX-License-Identifier: MIT
 * test_contract_stats.c - what a run counts: types and sums of --stats=json, the vectors of the semantic clock that a source can
 * show, and the same figures for any number of threads. */
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

#define VECTORS "$K/vectors.pkg.zst"

/* A program, what it is run with, and what must come out. */
struct vector {
	const char *name, *args;
	const char *trace; /* "start/executor" per task; NULL: not looked at */
	const char *edges; /* "0>1 ..."; NULL: not looked at */
	struct {
		const char *path;
		long value;
	} wants[6];
};

#define RING(count, cycles, high)                                                                                                                              \
	{"resources[task_ring].stall_count", count}, {"resources[task_ring].stall_cycles", cycles},                                                            \
	{                                                                                                                                                      \
		"resources[task_ring].high_water", high                                                                                                        \
	}
#define MAP(count, cycles, high)                                                                                                                               \
	{"resources[tensor_map].stall_count", count}, {"resources[tensor_map].stall_cycles", cycles},                                                          \
	{                                                                                                                                                      \
		"resources[tensor_map].high_water", high                                                                                                       \
	}
#define DEPS(count, cycles, high)                                                                                                                              \
	{"resources[dep_list].stall_count", count}, {"resources[dep_list].stall_cycles", cycles},                                                              \
	{                                                                                                                                                      \
		"resources[dep_list].high_water", high                                                                                                         \
	}
#define S " --schedule "

static const struct vector vectors[] = {
	/* 10, 1, 1, 1 cycles, independent */
	{"one_executor_runs_one_after_another",
	 "--entry mixed",
	 "0/0 10/0 11/0 12/0",
	 "",
	 {{"total_cycles", 13}, {"num_tasks", 4}, {"num_edges", 0}, {"num_executors", 1}, {"task_window", 8192}, {"resources[task_ring].capacity", 8192}}},
	{"a_window_of_two_stalls_behind_the_long_task",
	 "--entry mixed" S "task_window=2" S "'dispatch=work_steal(2)'",
	 "0/0 0/1 10/1 10/0",
	 "",
	 {{"total_cycles", 11}, {"num_executors", 2}, {"resources[task_ring].capacity", 2}, RING(1, 10, 2)}},
	{"a_window_of_one_is_serial",
	 "--entry mixed" S "task_window=1" S "'dispatch=work_steal(2)'",
	 "0/0 10/1 11/0 12/1",
	 "",
	 {{"total_cycles", 13}, RING(3, 12, 1)}},
	{"a_window_of_four_never_stalls",
	 "--entry mixed" S "task_window=4" S "'dispatch=work_steal(2)'",
	 "0/0 0/1 1/1 2/1",
	 "",
	 {{"total_cycles", 10}, RING(0, 0, 4)}},
	{"no_window_is_unbounded",
	 "--entry mixed" S "task_window=0" S "'dispatch=work_steal(2)'",
	 "0/0 0/1 1/1 2/1",
	 "",
	 {{"total_cycles", 10}, {"task_window", 0}, {"resources[task_ring].stall_count", 0}}},
	{"depth_one_holds_the_next_start",
	 "--entry mixed" S "task_window=2" S "pipeline_depth=1" S "'dispatch=round_robin(2)'",
	 "0/0 10/1 11/0 12/1",
	 "",
	 {{"total_cycles", 13}, RING(2, 11, 2)}},
	{"depth_two_lets_two_overlap", "--entry mixed" S "pipeline_depth=2" S "'dispatch=round_robin(4)'", "0/0 0/1 1/2 2/3", "", {{"total_cycles", 10}}},
	{"round_robin_counts_tasks", "--entry mixed" S "'dispatch=round_robin(3)'", "0/0 0/1 0/2 10/0", "", {{"total_cycles", 11}, {"num_executors", 3}}},
	{"work_steal_takes_the_earliest_free",
	 "--entry mixed" S "'dispatch=work_steal(3)'",
	 "0/0 0/1 0/2 1/1",
	 "",
	 {{"total_cycles", 10}, {"num_executors", 3}}},
	{"issue_cost_spaces_the_issues", "--entry mixed" S "issue_cost=5" S "'dispatch=round_robin(4)'", "0/0 5/1 10/2 15/3", "", {{"total_cycles", 16}}},
	{"issue_cost_and_one_executor", "--entry mixed" S "issue_cost=5", "0/0 10/0 11/0 15/0", "", {{"total_cycles", 16}}},
	/* T0 writes A; T1 reads A, writes B; T2 reads B, writes C: 2 cycles each */
	{"a_chain_is_a_chain",
	 "--entry chain" S "'dispatch=work_steal(4)'",
	 "0/0 2/1 4/2",
	 "0>1 1>2",
	 {{"total_cycles", 6}, {"num_edges", 2}, {"resources[tensor_map].capacity", 65536}, MAP(0, 0, 5)}},
	{"a_map_of_two_places_stalls_a_chain", "--entry chain" S "tensor_map=2", "0/0 2/0 4/0", "0>1 1>2", {{"total_cycles", 6}, MAP(2, 4, 2)}},
	{"with_raw_hazards_reads_take_no_place",
	 "--entry chain" S "tensor_map=2" S "hazards=raw",
	 "0/0 2/0 4/0",
	 "0>1 1>2",
	 {{"total_cycles", 6}, MAP(1, 2, 2)}},
	{"explicit_dependencies_take_no_place_and_find_none",
	 "--entry chain" S "deps=explicit" S "tensor_map=1",
	 "0/0 2/0 4/0",
	 "",
	 {{"total_cycles", 6}, {"num_edges", 0}, {"resources[tensor_map].high_water", 0}}},
	{"a_dependency_list_of_one_stalls_the_next_edge", "--entry chain" S "dep_list=1", "0/0 2/0 4/0", "0>1 1>2", {DEPS(1, 4, 1)}},
	/* T0 writes [0,64), T1 reads it, T2 writes [0,32), T3 [32,64), T4 [0,32) */
	{"overlap_finds_every_common_element", "--entry overlap", NULL, "0>1 0>2 0>3 1>2 1>3 2>4", {{"num_edges", 6}}},
	{"exact_finds_equal_keys_only", "--entry overlap" S "deps=tensor_map_exact", NULL, "0>1 0>2 1>2 2>4", {{"num_edges", 4}}},
	{"raw_drops_what_is_no_read_after_write", "--entry overlap" S "hazards=raw", NULL, "0>1", {{"num_edges", 1}}},
	{"raw_and_exact", "--entry overlap" S "deps=tensor_map_exact" S "hazards=raw", NULL, "0>1", {{"num_edges", 1}}},
	{"a_window_of_two_keeps_only_live_edges", "--entry overlap" S "task_window=2", NULL, "0>1 1>2", {{"num_edges", 2}}},
	{"a_window_of_three_keeps_more", "--entry overlap" S "task_window=3", NULL, "0>1 0>2 1>2 1>3 2>4", {{"num_edges", 5}}},
	/* T0 writes A, n tasks read it */
	{"readers_wait_for_the_writer_only",
	 "--entry spread --set n=4" S "'dispatch=round_robin(5)'",
	 "0/0 2/1 2/2 2/3 2/4",
	 "0>1 0>2 0>3 0>4",
	 {{"total_cycles", 3}, {"num_edges", 4}}},
	{"edges_of_retired_tasks_are_not_made", "--entry spread --set n=4" S "task_window=2" S "'dispatch=round_robin(5)'", NULL, "0>1", {{"num_edges", 1}}},
	/* loops */
	{"affinity_follows_the_loop",
	 "--entry nest --set n=2 --set m=3" S "'dispatch=affinity(j,2)'",
	 "0/0 0/1 1/0 2/0 1/1 3/0",
	 "",
	 {{"total_cycles", 4}, {"num_executors", 2}}},
	{"affinity_of_the_outer_loop", "--entry nest --set n=2 --set m=3" S "'dispatch=affinity(i,2)'", "0/0 1/0 2/0 0/1 1/1 2/1", "", {{"total_cycles", 3}}},
	{"hash_spreads_by_mix64", "--entry loop --set n=8" S "'dispatch=hash(i,4)'", NULL, "", {{"num_executors", 4}}},
	/* 100; then 10 after it, and 5; depth 1 in the loop k */
	{"a_domain_is_a_loop", "--entry domain" S "'pipeline_depth=(k,1)'" S "'dispatch=round_robin(3)'", "0/0 100/1 110/2", "0>1", {{"total_cycles", 115}}},
	{"without_the_domain_they_overlap", "--entry domain" S "'dispatch=round_robin(3)'", "0/0 100/1 0/2", "0>1", {{"total_cycles", 110}}},
	{"no_tasks_are_no_cycles", "--entry loop --set n=0", "", "", {{"total_cycles", 0}, {"num_tasks", 0}, {"num_edges", 0}}},
};

static void check_vector(const struct vector *v, const char *how)
{
	json_t *stats;

	if (cli(check_fmt("$B/ptowsp-run %s %s --stats=json --trace t.json --graph g.json " VECTORS, how, v->args))) {
		CHECK_FAIL("%s: exit status: \"%s\"", how, cli_err);
		return;
	}
	stats = cli_json();
	for (size_t i = 0; i < sizeof(v->wants) / sizeof(*v->wants) && v->wants[i].path; i++) {
		intmax_t got = cli_int(stats, v->wants[i].path);

		if (got != v->wants[i].value)
			CHECK_FAIL("%s: %s is %jd, not %ld", how, v->wants[i].path, got, v->wants[i].value);
	}
	if (v->trace)
		CHECK_STR(cli_trace(cli_json_file("t.json")), v->trace);
	if (v->edges)
		CHECK_STR(cli_edges(cli_json_file("g.json")), v->edges);
}

/* The results are the same with kernels on one thread, with kernels on more threads, and counted only.
 * A schedule that weakens the defaults lets kernels race on the tensors, as its author asked: the sanitizer need not see that. */
static void run_vector(void)
{
	const struct vector *v = CHECK_ROW(vectors);
	bool races = strstr(v->args, "deps=") || strstr(v->args, "hazards=");

	cli_begin();
	check_vector(v, "--threads 1");
	if (!races || !strstr(check_build(), "/tsan"))
		check_vector(v, "--threads 3");
	check_vector(v, "--no-kernels");
}

/* ---- the object --------------------------------------------------------------------------------------------------- */

static void check_kind(json_t *object, const char *path, json_type kind)
{
	json_t *value = cli_at(object, path);
	json_type got = value ? json_typeof(value) : JSON_NULL;

	if (!value || (got != kind && !(kind == JSON_REAL && got == JSON_INTEGER)))
		CHECK_FAIL("%s has JSON type %d, not %d", path, value ? (int)got : -1, (int)kind);
}

/* The inner loop's values are independent, and so are the outer one's: the outermost is taken, in the line of the run too. */
TEST(dispatch_auto_says_which_loop_it_took)
{
	json_t *stats;

	CHECK_INT(cli("$B/ptowsp-run --entry nest --set n=2 --set m=3 --schedule 'dispatch=auto(2)' --stats=json " VECTORS), 0);
	stats = cli_json();
	CHECK_STR(json_string_value(cli_at(stats, "dispatch_auto.axis")), "i");
	CHECK_INT(cli_int(stats, "dispatch_auto.executors"), 2);
	CHECK_INT(cli_int(stats, "dispatch_auto.edges"), 0);
	CHECK_INT(cli_int(stats, "dispatch_auto.crossing"), 0);
	CLI_OUT(0, "$B/ptowsp-run --entry nest --set n=2 --set m=3 --schedule 'dispatch=auto(2)' " VECTORS,
		"; dispatch auto: affinity(i, 2), 0 of 0 edges cross");
	CLI_OUT(0, "$B/ptowsp-run --entry mixed --schedule 'dispatch=auto(2)' " VECTORS, "; dispatch auto: no loop has tasks");
	CHECK_INT(cli("$B/ptowsp-run --entry nest --set n=2 --set m=3 --stats=json " VECTORS), 0);
	CHECK(json_is_null(cli_at(cli_json(), "dispatch_auto")));
	CHECK_INT(cli("$B/ptowsp-run --entry nest --set n=2 --set m=3 " VECTORS), 0);
	CHECK(!strstr(cli_out, "auto"));
}

TEST(a_window_over_a_graph_that_is_built_first_is_recorded)
{
	json_t *stats;

	CHECK_INT(cli("$B/ptowsp-run --entry mixed --schedule task_window=2,abort --schedule start=after_orchestration --stats=json " VECTORS), 0);
	stats = cli_json();
	CHECK_INT(json_array_size(cli_at(stats, "recorded")), 1);
	CHECK_STR(json_string_value(json_object_get(json_array_get(cli_at(stats, "recorded"), 0), "directive")), "task_window");
	CHECK_STR(json_string_value(json_object_get(json_array_get(cli_at(stats, "recorded"), 0), "value")), "2,abort");
	CLI_ERR(5, "$B/ptowsp-run --entry mixed --strict --schedule task_window=2 --schedule start=after_orchestration " VECTORS,
		"task_window is recorded, not enforced; state one of");
	CHECK_INT(cli("$B/ptowsp-run --entry mixed --strict --schedule start=after_orchestration " VECTORS), 0);
}

TEST(statistics_have_every_field_with_its_type)
{
	static const struct {
		const char *path;
		json_type kind;
	} fields[] = {
		{"schema", JSON_STRING},          {"plugin", JSON_STRING},        {"package", JSON_STRING},     {"engine", JSON_STRING},
		{"cycle_model", JSON_STRING},     {"total_cycles", JSON_INTEGER}, {"num_tasks", JSON_INTEGER},  {"num_edges", JSON_INTEGER},
		{"num_executors", JSON_INTEGER},  {"num_streams", JSON_INTEGER},  {"compile_ms", JSON_REAL},    {"execute_ms", JSON_REAL},
		{"peak_rss_bytes", JSON_INTEGER}, {"task_window", JSON_INTEGER},  {"kernels", JSON_ARRAY},      {"resources", JSON_ARRAY},
		{"channels", JSON_ARRAY},         {"diagnostics", JSON_ARRAY},    {"deterministic", JSON_TRUE}, {"recorded", JSON_ARRAY},
		{"compare", JSON_ARRAY},
	};
	json_t *stats, *row;
	intmax_t tasks = 0, cycles = 0;
	size_t i;

	REQUIRE_INT(cli("$B/ptowsp-run --entry overlap --stats=json " VECTORS), 0);
	CHECK_STR(cli_err, "");
	stats = cli_json();
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		check_kind(stats, fields[i].path, fields[i].kind);
	CHECK_STR(cli_text(stats, "plugin"), "cpu_sim");
	CHECK_CONTAINS(cli_text(stats, "package"), "vectors");
	CHECK_CONTAINS(cli_text(stats, "cycle_model"), "reference");
	CHECK(cli_int(stats, "peak_rss_bytes") > 100000);
	json_array_foreach(cli_at(stats, "kernels"), i, row)
	{
		check_kind(row, "name", JSON_STRING);
		tasks += cli_int(row, "tasks");
		cycles += cli_int(row, "cycles");
	}
	CHECK_INT(tasks, cli_int(stats, "num_tasks"));
	CHECK_INT(cycles, 128 + 64 + 3 * 64);
	json_array_foreach(cli_at(stats, "resources"), i, row)
	{
		static const char *const numbers[] = {"capacity", "high_water", "stall_count", "stall_cycles", "stall_ns"};

		check_kind(row, "name", JSON_STRING);
		for (size_t k = 0; k < 5; k++)
			check_kind(row, numbers[k], JSON_INTEGER);
	}
	CHECK(cli_at(stats, "resources[task_ring]") && cli_at(stats, "resources[tensor_map]") && cli_at(stats, "resources[dep_list]"));
	CHECK(cli_at(stats, "resources[heap]") && cli_at(stats, "resources[ready_any]"));
	CHECK_INT(cli_int(stats, "resources[heap].capacity"), 67108864);
	CHECK_INT(cli_int(stats, "resources[dep_list].capacity"), 65536);
	CHECK_INT(cli_int(stats, "resources[ready_any].capacity"), 8192);
}

TEST(a_promise_of_the_author_makes_determinism_unknown_with_one_diagnostic)
{
	REQUIRE_INT(cli("$B/ptowsp-run --threads 1 --entry overlap --schedule hazards=raw --stats=json " VECTORS), 0);
	CHECK(json_is_null(cli_at(cli_json(), "deterministic")));
	CHECK_UINT(json_array_size(cli_at(cli_json(), "diagnostics")), 1);
	REQUIRE_INT(cli("$B/ptowsp-run --threads 1 --entry overlap --schedule deps=tensor_map_exact --stats=json " VECTORS), 0);
	CHECK(json_is_null(cli_at(cli_json(), "deterministic")));
	REQUIRE_INT(cli("$B/ptowsp-run --entry overlap --stats=json " VECTORS), 0);
	CHECK(json_is_true(cli_at(cli_json(), "deterministic")));
}

TEST(fast_numerics_are_asked_for_and_said_with_their_bounds)
{
	REQUIRE_INT(cli("$B/ptowsp-run --stats=json $P/bgemm.pkg.zst"), 0);
	CHECK_STR(json_string_value(cli_at(cli_json(), "numerics")), "exact");
	CHECK_UINT(json_array_size(cli_at(cli_json(), "diagnostics")), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --opt numerics=fast --stats=json $P/bgemm.pkg.zst"), 0);
	CHECK_STR(json_string_value(cli_at(cli_json(), "numerics")), "fast");
	CHECK_UINT(json_array_size(cli_at(cli_json(), "diagnostics")), 1);
	CHECK_CONTAINS(cli_err, "tmatmul: k 64, u 2^-24, 3.8e-06");
	CLI_OUT(0, "$B/ptowsp-run --opt numerics=fast --stats $P/bgemm.pkg.zst", "numerics: fast");
}

TEST(strict_names_the_first_race_and_lets_good_programs_pass)
{
	CHECK_INT(cli("$B/ptowsp-run --strict --entry overlap --stats=json " VECTORS), 0);
	CHECK(json_is_true(cli_at(cli_json(), "deterministic")));
	CHECK_INT(cli("$B/ptowsp-run --strict --entry chain --schedule hazards=raw --stats=json " VECTORS), 0);
	CLI_ERR(5, "$B/ptowsp-run --strict --no-kernels --entry overlap --schedule task_window=8 --schedule deps=tensor_map_exact " VECTORS,
		"0"); /* tasks 0 and 3: the first pair that touches common elements without an order */
	CHECK_CONTAINS(cli_err, "3");
}

TEST(without_kernels_the_window_is_that_of_a_run)
{
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --entry mixed --stats=json " VECTORS), 0);
	CHECK_INT(cli_int(cli_json(), "task_window"), 8192);
	CHECK_INT(cli_int(cli_json(), "total_cycles"), 13);
	CHECK(json_is_false(cli_at(cli_json(), "kernels_run")));
	CHECK_STR(cli_err, "");
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --entry mixed --schedule task_window=0 --stats=json " VECTORS), 0);
	CHECK_INT(cli_int(cli_json(), "task_window"), 0);
	CHECK_INT(cli_int(cli_json(), "total_cycles"), 13);
	CHECK_STR(cli_err, "");
	REQUIRE_INT(cli("$B/ptowsp-run --entry mixed --stats=json " VECTORS), 0);
	CHECK(json_is_true(cli_at(cli_json(), "kernels_run")));
}

/* mix64 of runtime.md section 4. */
static uint64_t mix64(uint64_t z)
{
	z ^= z >> 30;
	z *= UINT64_C(0xBF58476D1CE4E5B9);
	z ^= z >> 27;
	z *= UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

TEST(hash_places_every_task_as_the_formula_says)
{
	json_t *events, *event, *task;
	size_t i, seen = 0;

	REQUIRE_INT(cli("$B/ptowsp-run --entry loop --set n=100 --schedule 'dispatch=hash(i,5)' --trace t.json " VECTORS), 0);
	events = cli_at(cli_json_file("t.json"), "traceEvents");
	json_array_foreach(events, i, event)
	{
		if (!(task = cli_at(event, "args.task")))
			continue;
		CHECK_INT(cli_int(event, "tid"), (intmax_t)(mix64((uint64_t)json_integer_value(task)) % 5));
		seen++;
	}
	CHECK_UINT(seen, 100);
}

/* Takes away what may differ between runs: wall times and memory. */
static char *fixed_part(void)
{
	json_t *stats = cli_json(), *row;
	size_t i;

	if (!stats)
		return NULL;
	json_object_del(stats, "compile_ms");
	json_object_del(stats, "execute_ms");
	json_object_del(stats, "peak_rss_bytes");
	json_array_foreach(json_object_get(stats, "resources"), i, row) json_object_del(row, "stall_ns");
	json_object_del(stats, "threads");
	return json_dumps(stats, JSON_SORT_KEYS | JSON_COMPACT);
}

TEST(figures_do_not_depend_on_threads_or_time)
{
	static const char *const programs[] = {
		"--entry nest --set n=40 --set m=30 --schedule task_window=64 --schedule 'dispatch=work_steal(4)' " VECTORS,
		"--entry spread --set n=500 --schedule task_window=16 --schedule 'dispatch=round_robin(3)' --schedule pipeline_depth=2 " VECTORS,
		"--entry levels --set n=300 --schedule 'dispatch=affinity(i,3)' --schedule tensor_map=64 $K/levels.pkg.zst",
	};
	static const int threads[] = {1, 2, 8, 0, 2, 2, 8, 2, 2, 8};

	cli_begin();
	for (size_t p = 0; p < sizeof(programs) / sizeof(*programs); p++) {
		char *first = NULL;

		for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
			char *text;

			if (cli(check_fmt("$B/ptowsp-run -q --threads %d --stats=json --trace t%zu.json --graph g%zu.json %s", threads[i], i, i, programs[p])))
				CHECK_FAIL("program %zu, run %zu: \"%s\"", p, i, cli_err);
			text = fixed_part();
			if (!first)
				first = text;
			else
				CHECK_STR(text, first);
			if (text != first)
				free(text);
			if (i)
				CHECK_INT(cli(check_fmt("cmp t0.json t%zu.json && cmp g0.json g%zu.json", i, i)), 0);
		}
		free(first);
	}
}

TEST(a_hundred_runs_give_the_same_cycles)
{
	CLI_PRINTS(0,
		   "for i in $(seq 100); do $B/ptowsp-run --threads $((i % 3 + 1)) --entry nest --set n=9 --set m=7"
		   " --schedule task_window=5 --schedule 'dispatch=work_steal(3)' --stats=json " VECTORS
		   " | grep -o '\"total_cycles\": *[0-9]*'; done | sort | uniq -c | wc -l",
		   "1\n");
}

TEST(text_statistics_show_the_same_figures)
{
	static const char *const words[] = {"cycles", "tasks", "edges", "task_ring", "tensor_map", "dep_list", "heap", "ready_any", "wide", "thin"};

	for (int i = 0; i < 2; i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --entry mixed %s " VECTORS, i ? "--stats" : "--stats=text")), 0);
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			CHECK_CONTAINS(cli_out, words[k]);
	}
}

void suite_contract_stats(CU_pSuite s)
{
	CHECK_ROWS(s, vectors, run_vector);
}
