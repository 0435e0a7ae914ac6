/* SPDX-License-Identifier: MIT
 * test_bench.c - ptowsp-bench gives whole tables, and its graphs are the ones that it says. */
#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ascend/files.h"
#include "tools/bench/graph.h"
#include "tools/bench/pto.h"

#define COLUMNS 12u      /* of the table */
#define PEER_COLUMNS 20u

/* Output of the benchmark; to be freed. */
static char *bench(const char *arguments, int wanted)
{
	char *out = NULL, *err = NULL;
	int rc = check_run(check_fmt("PB_QUIET_S=0 '%s/bin/ptowsp-bench' %s", check_build(), arguments), &out, &err);

	if (rc != wanted)
		CHECK_FAIL("ptowsp-bench %s: exit %d, wanted %d: %s", arguments, rc, wanted, err);
	free(err);
	return out;
}

static unsigned columns_of(const char *line)
{
	unsigned n = 1;

	for (; *line && *line != '\n'; line++)
		n += *line == '\t';
	return n;
}

static void column_get(const char *line, unsigned column, char *text, size_t size)
{
	while (column-- && (line = strchr(line, '\t')))
		line++;
	snprintf(text, size, "%.*s", line ? (int)strcspn(line, "\t\n") : 0, line ? line : "");
}

static void a_table_names_machine_and_command_and_has_whole_rows(void)
{
	char *out = bench("call --reps 2", 0), *line;
	unsigned rows = 0;

	CHECK_CONTAINS(out, "# machine: ");
	CHECK_CONTAINS(out, "# command: ptowsp-bench call --reps 2\n");
	for (line = strstr(out, "\nbenchmark\t"); line && line[1]; line = strchr(line + 1, '\n'), rows++)
		CHECK_UINT(columns_of(line + 1), COLUMNS);
	CHECK_UINT(rows, 1 + 7); /* the header; a pointer, three ways of calling, and the same three with native code of a package */
	free(out);
}

static void json_holds_the_same_rows(void)
{
	char *out = bench("isa --reps 1 --json", 0);
	json_t *root = json_loads(out, 0, NULL), *row;
	size_t i;

	CHECK_STR(json_string_value(json_object_get(root, "schema")), "ptowsp-bench/1");
	CHECK(json_array_size(json_object_get(root, "rows")) >= 5);
	json_array_foreach(json_object_get(root, "rows"), i, row)
	{
		CHECK_STR(json_string_value(json_object_get(row, "benchmark")), "isa");
		CHECK(json_real_value(json_object_get(row, "median")) > 0);
	}
	json_decref(root);
	free(out);
}

/* Rows of a benchmark in a table, each whole; every number in them above 0 but for faults, and edges of what has none. */
static unsigned rows_of(const char *table, const char *benchmark)
{
	const char *start = check_fmt("\n%s\t", benchmark);
	unsigned rows = 0;
	char text[96], unit[32];

	for (const char *line = strstr(table, start); line; line = strstr(line + 1, start), rows++) {
		CHECK_UINT(columns_of(line + 1), COLUMNS);
		column_get(line + 1, 3, unit, sizeof(unit));
		column_get(line + 1, 4, text, sizeof(text));
		if (strcmp(unit, "faults") && strcmp(unit, "edges") && strcmp(unit, "%") && strcmp(text, "-"))
			CHECK(strtod(text, NULL) > 0);
	}
	return rows;
}

static void every_benchmark_has_its_rows(void)
{
	static const struct {
		const char *name;
		unsigned rows;
	} wanted[] = {{"work", 5 * 13}, {"share", 2 * 3}, {"sizes", 1 + 2 * 7}, {"instructions", 9}, {"aie", 4 + 4 + 3 + 2 * 19}};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		char *out;

		if (check_only_threads() && !strcmp(wanted[i].name, "instructions")) /* valgrind runs it, on one thread */
			continue;
		out = bench(check_fmt("%s --small --reps 1", wanted[i].name), 0);

		CHECK_UINT(rows_of(out, wanted[i].name), wanted[i].rows);
		free(out);
	}
}

/* The two that wait for each other need a core each: these rows are left out where there is one. */
static void threads_are_measured_one_by_one(void)
{
	char *out = bench("threads --small --reps 1", 0);
	unsigned rows = rows_of(out, "threads");

	CHECK(rows == 4 * (2 * 2 + 2) || rows == 4 * (2 * 2 + 4));
	CHECK_CONTAINS(out, "threads\tw1/8, 2 threads");
	CHECK_CONTAINS(out, "two threads over one, kernels of 200 ns\tratio\t");
	free(out);
}

static void once_does_one_thing(void)
{
	static const char *const subjects[] = {"layer", "w1", "w2", "w3", "w4", "llama"}, *const tasks[] = {"1024 tasks\n", "976 tasks\n", "256 tasks\n", "16 tasks\n", "16 tasks\n", "1024 tasks\n"};

	for (unsigned i = 0; i < 6; i++) {
		char *out = bench(check_fmt("once --packages '%s/packages' --n 16 --what %s --subject %s", check_build(), i % 2 ? "run" : "find", subjects[i]), 0);

		CHECK_STR(out, tasks[i]);
		free(out);
	}
	free(bench("once --what nothing", 2));
	free(bench("once --subject w2 --n 5000", 2));
}

static void a_wrong_name_or_number_is_a_usage_error(void)
{
	free(bench("nonesuch", 2));
	free(bench("--reps 0 call", 2));
	free(bench("--fast", 2));
	free(bench("peer --reps x", 2));
	free(bench("peer --workload w9", 2));
	free(bench("peer --workload w1 --n 5000", 3)); /* too many tasks for the lists */
	free(bench("--help", 0));
}

static void packages_are_measured_one_by_one(void)
{
	char *out = bench("packages --reps 1", 0);

	CHECK_CONTAINS(out, "packages\tllama_layer\topen and verify\tms\t");
	CHECK_CONTAINS(out, "packages\tllama_layer\tload on cpu_sim\tms\t");
	free(out);
}

static void packages_are_made_where_temporary_files_belong(void)
{
	char *out, *err;

	CHECK_INT(check_run(check_fmt("TMPDIR=/nowhere/at/all PB_QUIET_S=0 '%s/bin/ptowsp-bench' packages --reps 1", check_build()), &out, &err), 1);
	CHECK_CONTAINS(err, "ptowsp-bench packages: /nowhere/at/all/ptowsp-bench-");
	CHECK_CONTAINS(err, " cannot be written: No such file or directory");
	free(out);
	free(err);
}

static void tasks_are_counted_at_every_size(void)
{
	static const struct {
		const char *size, *tasks;
	} wanted[] = {{"1K", "1024"}, {"2K", "3584"}, {"4K", "13312"}, {"8K", "51200"}, {"16K", "200704"}};
	char *out;

	if (check_only_threads())
		CHECK_SKIP("it runs on one thread, of which the thread sanitizer sees nothing");
	out = bench("tasks --reps 1", 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		CHECK_CONTAINS(out, check_fmt("tasks\tllama_layer %s\ttasks\ttasks\t%s\t", wanted[i].size, wanted[i].tasks));
	CHECK_CONTAINS(out, "2864 (seed)");
	/* all edges of the graph, which formulas give, and those of the window, the same by themselves and in a run */
	CHECK_CONTAINS(out, "tasks\tllama_layer 16K\tedges without a window, exact keys, raw\tedges\t463104\t");
	CHECK_CONTAINS(out, "tasks\tllama_layer 16K\tedges without a window, exact keys, full\tedges\t660224\t");
	CHECK_CONTAINS(out, "tasks\tllama_layer 16K\tedges without a window, default\tedges\t660224\t");
	CHECK_CONTAINS(out, "tasks\tllama_layer 1K\tedges, default\tedges\t2864\t");
	CHECK_UINT(rows_of(out, "tasks"), 5 * (1 + 1 + 3 * 6 + 2 + 1 + 3 + 5 + 1));
	free(out);
}

static void peer_rows_are_verified_and_count_right(void)
{
	static const struct {
		const char *workload;
		unsigned n, tasks, edges;
	} wanted[] = {{"w1", 8, 3 * 64 + 13 * 8, 7 * 64 + 10 * 8}, {"w2", 16, 256, 2 * 16 * 15}, {"w3", 500, 500, 0}, {"w4", 500, 500, 499}};
	char text[64];

	for (unsigned i = 0; i < 8; i++) {
		const unsigned w = i / 2, threads = i % 2 + 1;
		char *out = bench(check_fmt("peer --workload %s --n %u --threads %u --work-ns 100 --reps 2", wanted[w].workload,
					    wanted[w].n, threads), 0);

		CHECK_UINT(columns_of(out), PEER_COLUMNS);
		column_get(out, 3, text, sizeof(text));
		CHECK_UINT(strtoul(text, NULL, 10), wanted[w].tasks);
		column_get(out, 4, text, sizeof(text));
		CHECK_UINT(strtoul(text, NULL, 10), wanted[w].edges);
		column_get(out, PEER_COLUMNS - 1, text, sizeof(text));
		CHECK_STR(text, "ok");
		free(out);
	}
}

/* Builds of the core that wait for no predecessors, that let two tasks of a hundred change places, and that run one of a hundred twice. */
static void peer_rows_say_when_a_broken_core_ran_them(void)
{
	static const struct {
		const char *build, *workload, *work_ns;
		unsigned threads;
	} broken[] = {{"order", "w1", "2000", 2}, {"order", "w2", "2000", 2}, {"once", "w1", "0", 2}, {"once", "w3", "0", 2},
		      {"swap", "w2", "0", 1},	  {"swap", "w4", "0", 1},    {"once", "w1", "0", 1}, {"once", "w3", "0", 1}};

	for (unsigned i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		char *out = NULL, *err = NULL;
		char text[64];
		int rc = check_run(check_fmt("PB_QUIET_S=0 '%s/test/broken/%s' peer --workload %s --n 64 --threads %u --work-ns %s --reps 2", check_build(),
					     broken[i].build, broken[i].workload, broken[i].threads, broken[i].work_ns), &out, &err);

		CHECK_INT(rc, 1);
		column_get(out, PEER_COLUMNS - 1, text, sizeof(text));
		CHECK_CONTAINS(text, "FAIL(order=");
		free(out);
		free(err);
	}
}

static void peer_lists_hold_no_later_task(void)
{
	for (int w = BENCH_W1; w <= BENCH_LLAMA; w++) {
		struct bench_graph g;

		REQUIRE(bench_graph_init(&g, (enum bench_workload)w, 7));
		for (uint32_t t = 0; t < g.tasks; t++)
			for (uint32_t i = g.offset[t]; i < g.offset[t + 1]; i++)
				CHECK(g.predecessors[i] < t);
		bench_graph_finish(&g);
	}
}

/* On the fake runtime, where kernels that are counted as they run are as many as tasks. */
static void graphs_of_the_pto_runtime_have_their_tasks(void)
{
	static const char *const variants[] = {ASCEND_TASK_BUFFER, ASCEND_HOST_GRAPH};
	static const uint32_t wanted[] = {1000, 768, 960, 1000};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct bench_pto *pto;
	double ms;

	if (check_run("g++ --version && gcc --version", NULL, NULL))
		CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");
	setenv("XDG_CACHE_HOME", check_fmt("%s/test/ascend_cache", check_build()), 1);
	for (int variant = 0; variant < 2; variant++)
		for (int stream = BENCH_INDEPENDENT; stream <= BENCH_SERIAL; stream++) {
			REQUIRE_INT(bench_pto_open(&pto, check_fmt("%s/fakes/simpler", check_build()), variants[variant], (enum bench_stream)stream, 1000, &error), PTOWSP_OK);
			CHECK_UINT(bench_pto_tasks(pto), wanted[stream]);
			CHECK_INT(bench_pto_run(pto, true, &ms, &error), PTOWSP_OK);
			CHECK(ms > 0);
			CHECK_INT(bench_pto_run(pto, false, &ms, &error), PTOWSP_OK);
			bench_pto_close(pto);
		}
	unsetenv("XDG_CACHE_HOME");
	CHECK_INT(bench_pto_open(&pto, "/nowhere/at/all", ASCEND_TASK_BUFFER, BENCH_SERIAL, 1, &error), PTOWSP_NO_DEVICE);
	CHECK(pto == NULL);
}

void suite_bench(CU_pSuite s)
{
	TEST(s, a_table_names_machine_and_command_and_has_whole_rows);
	TEST(s, json_holds_the_same_rows);
	TEST(s, a_wrong_name_or_number_is_a_usage_error);
	TEST(s, every_benchmark_has_its_rows);
	TEST(s, threads_are_measured_one_by_one);
	TEST(s, once_does_one_thing);
	TEST(s, packages_are_measured_one_by_one);
	TEST(s, packages_are_made_where_temporary_files_belong);
	TEST(s, tasks_are_counted_at_every_size);
	TEST(s, peer_rows_are_verified_and_count_right);
	TEST(s, peer_rows_say_when_a_broken_core_ran_them);
	TEST(s, peer_lists_hold_no_later_task);
	TEST(s, graphs_of_the_pto_runtime_have_their_tasks);
}
