/* SPDX-License-Identifier: MIT
 * test_bench.c - ptowsp-bench gives whole tables, and its graphs are the ones that it says. */
#include "check.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/bench_graph.h"

#define COLUMNS 9u       /* of the table */
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
	CHECK_UINT(rows, 1 + 4);
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

static void tasks_are_counted_at_every_size(void)
{
	static const struct {
		const char *size, *tasks;
	} wanted[] = {{"1K", "1024"}, {"2K", "3584"}, {"4K", "13312"}, {"8K", "51200"}, {"16K", "200704"}};
	char *out = bench("tasks --reps 1", 0);

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		CHECK_CONTAINS(out, check_fmt("tasks\tllama_layer %s\ttasks\ttasks\t%s\t", wanted[i].size, wanted[i].tasks));
	CHECK_CONTAINS(out, "2864 (seed)");
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

/* Builds of the core that run a task before its predecessors, and one of a hundred tasks twice. */
static void peer_rows_say_when_a_broken_core_ran_them(void)
{
	static const struct {
		const char *build, *workload, *work_ns, *wanted;
	} broken[] = {{"order", "w1", "2000", "FAIL(order="}, {"order", "w2", "2000", "FAIL(order="}, {"once", "w1", "0", "FAIL(order="}, {"once", "w3", "0", "FAIL(order="}};

	for (unsigned i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		char *out = NULL, *err = NULL;
		char text[64];
		int rc = check_run(check_fmt("PB_QUIET_S=0 '%s/test/broken/%s' peer --workload %s --n 64 --threads 2 --work-ns %s --reps 2", check_build(),
					     broken[i].build, broken[i].workload, broken[i].work_ns), &out, &err);

		CHECK_INT(rc, 1);
		column_get(out, PEER_COLUMNS - 1, text, sizeof(text));
		CHECK_CONTAINS(text, broken[i].wanted);
		free(out);
		free(err);
	}
}

static void peer_lists_hold_no_later_task(void)
{
	for (int w = BENCH_W1; w <= BENCH_W4; w++) {
		struct bench_graph g;

		REQUIRE(bench_graph_init(&g, (enum bench_workload)w, 7));
		for (uint32_t t = 0; t < g.tasks; t++)
			for (uint32_t i = g.offset[t]; i < g.offset[t + 1]; i++)
				CHECK(g.predecessors[i] < t);
		bench_graph_finish(&g);
	}
}

void suite_bench(CU_pSuite s)
{
	TEST(s, a_table_names_machine_and_command_and_has_whole_rows);
	TEST(s, json_holds_the_same_rows);
	TEST(s, a_wrong_name_or_number_is_a_usage_error);
	TEST(s, packages_are_measured_one_by_one);
	TEST(s, tasks_are_counted_at_every_size);
	TEST(s, peer_rows_are_verified_and_count_right);
	TEST(s, peer_rows_say_when_a_broken_core_ran_them);
	TEST(s, peer_lists_hold_no_later_task);
}
