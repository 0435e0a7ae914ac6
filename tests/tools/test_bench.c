/* SPDX-License-Identifier: MIT
 * test_bench.c - ptowsp-bench gives whole tables, and its graphs are the ones that it says. */
#include "tests/check.h"

#include "tools/bench/nest.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMNS      12u /* of the table */
#define PEER_COLUMNS 20u
#define EXAMPLES     28u /* all of packages/examples but that of two devices, and the large one, which may be there */

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

TEST(a_table_names_machine_and_command_and_has_whole_rows)
{
	char *out = bench("call --reps 2 --tsv", 0), *line;
	unsigned rows = 0;

	CHECK_CONTAINS(out, "# machine: ");
	CHECK_CONTAINS(out, "# command: ptowsp-bench call --reps 2 --tsv\n");
	for (line = strstr(out, "\nbenchmark\t"); line && line[1]; line = strchr(line + 1, '\n'), rows++)
		CHECK_UINT(columns_of(line + 1), COLUMNS);
	CHECK_UINT(rows, 1 + 3 + 2); /* the header; three ways of calling, two of them beside the first */
	free(out);
}

TEST(json_holds_the_same_rows)
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

/* Differences of two times, and ratios of such, which a busy machine makes negative. */
static bool is_difference(const char *measure)
{
	static const char *const ends[] = {", beyond none", "one call", "native / loops by hand", "interpreter / native"};
	size_t length = strlen(measure);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (length >= strlen(ends[i]) && !strcmp(measure + length - strlen(ends[i]), ends[i]))
			return true;
	return false;
}

/* Rows of a benchmark in a table, each whole; every number in them above 0 but for tasks of what has none, and for differences. */
static unsigned rows_of(const char *table, const char *benchmark)
{
	const char *start = check_fmt("\n%s\t", benchmark);
	unsigned rows = 0;
	char text[96], unit[32], measure[96];

	for (const char *line = strstr(table, start); line; line = strstr(line + 1, start), rows++) {
		CHECK_UINT(columns_of(line + 1), COLUMNS);
		column_get(line + 1, 2, measure, sizeof(measure));
		column_get(line + 1, 3, unit, sizeof(unit));
		column_get(line + 1, 4, text, sizeof(text));
		if (strcmp(unit, "tasks") && strcmp(unit, "%") && strcmp(text, "-") && strcmp(measure, "SCHD") && !is_difference(measure) &&
		    !(strtod(text, NULL) > 0))
			CHECK_FAIL("a figure that is not above 0: %.*s", (int)strcspn(line + 1, "\n"), line + 1);
	}
	return rows;
}

TEST(every_benchmark_has_its_rows)
{
	static const struct {
		const char *name;
		unsigned rows;
	} wanted[] = {{"examples", 2 * EXAMPLES}, {"sizes", 7 + 4}, {"filter", 6},         {"softmax", 9}, {"a2a3sim", 4 * 3 + 5 + 2 + 3 + 10}, {"aie", 5},
		      {"isolate", 7 + 3 + 2},     {"isa", 9},       {"kernels", 4 * 8 + 2}};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		char *out = bench(check_fmt("%s --small --reps 1 --tsv", wanted[i].name), 0);

		if (i || access(check_fmt("%s/packages/large", check_build()), F_OK))
			CHECK_UINT(rows_of(out, wanted[i].name), wanted[i].rows);
		else
			CHECK_UINT(rows_of(out, wanted[i].name), wanted[i].rows + 2);
		free(out);
	}
}

/* "-" where there is no device. Compilers in this process are no code of ours. */
TEST(queues_of_a_device_have_their_rows)
{
	char *out;

	if (*check_sanitizer())
		CHECK_SKIP("not run here: a driver is no code of a sanitizer's");
	out = bench("opencl --small --reps 1 --tsv", 0);
	CHECK_UINT(rows_of(out, "opencl"), 9);
	free(out);
}

/* Rows for one thread and for two; those that compare two threads that wait for each other need a core each, and are left out where there is one. */
TEST(a_shape_has_its_rows)
{
	char *out = bench("tasks --shape cholesky --small --reps 1 --tsv", 0);
	unsigned rows = rows_of(out, "tasks");

	CHECK(rows == 2 + 6 + 4 * 2 || rows == 2 + 6 + 4 * 4);
	CHECK_CONTAINS(out, "tasks\tcholesky/10\ttasks\ttasks\t220\t"); /* (n^3 + 3 n^2 + 2 n) / 6 */
	CHECK_CONTAINS(out, "kernels of 20 us, 2 threads\ttasks/ms\t");
	free(out);
	out = bench("tasks --shape independent --small --reps 1 --tsv", 0);
	CHECK_CONTAINS(out, "tasks\tindependent/10\ta run of ten empty tasks, 2 threads\tus\t");
	free(out);
	free(bench("tasks --shape nonesuch", 2));
}

/* Every shape and random nests, each execution compared with loops in C: a difference ends the benchmark. */
TEST(every_shape_leaves_what_its_loops_leave)
{
	char *out = bench("tasks --small --reps 1 --tsv --seed 100", 0);

	for (const struct bench_shape *s = bench_shapes; s->name; s++)
		CHECK_CONTAINS(out, check_fmt("\ntasks\t%s/%u\tempty kernels, 2 threads\t", s->name, s->small));
	CHECK_CONTAINS(out, "\ntasks\tseed 104/");
	free(out);
}

TEST(columns_stand_where_nobody_wants_tabs)
{
	char *out = bench("sizes --small --reps 1", 0);

	CHECK(!strchr(out, '\t'));
	CHECK_CONTAINS(out, "\nsubject                          measure ");
	free(out);
}

/* The source of a nest follows from its seed. */
TEST(a_seed_gives_the_same_nest_again)
{
	struct bench_wild *a = bench_wild_make(7), *b = bench_wild_make(7), *c = bench_wild_make(8);
	REQUIRE(a && b && c);
	CHECK_STR(a->source, b->source);
	CHECK(strcmp(a->source, c->source) != 0);
	bench_wild_free(a);
	bench_wild_free(b);
	bench_wild_free(c);
}

TEST(a_wrong_name_or_number_is_a_usage_error)
{
	free(bench("nonesuch", 2));
	free(bench("--reps 0 call", 2));
	free(bench("--fast", 2));
	free(bench("peer --reps x", 2));
	free(bench("peer --workload w9", 2));
	free(bench("peer --workload w1 --n 5000", 3)); /* too many tasks for the lists */
	free(bench("--help", 0));
}

TEST(packages_are_measured_one_by_one)
{
	char *out = bench("packages --reps 1 --tsv", 0);

	CHECK_CONTAINS(out, "packages\tllama_layer\topen and verify\tms\t");
	CHECK_CONTAINS(out, "packages\tllama_layer\tload on cpu_sim\tms\t");
	free(out);
}

/* As in an installation: packages, and no shapes beside their folder. */
TEST(without_the_built_tree_its_programs_are_said_to_be_missing)
{
	static const char *const calls[] = {"tasks", "peer --workload llama --n 10 --threads 1 --reps 1"};

	REQUIRE_INT(check_run(check_fmt("mkdir -p %s/packages", check_tmp()), NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		char *err = NULL;

		CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-bench' %s --packages %s/packages", check_build(), calls[i], check_dir()), NULL, &err), 2);
		CHECK_CONTAINS(err, "its programs are in a built tree alone");
		free(err);
	}
}

TEST(peer_rows_are_verified_and_count_right)
{
	static const struct {
		const char *workload;
		unsigned n, tasks, edges;
	} wanted[] = {{"w1", 8, 3 * 64 + 13 * 8, 7 * 64 + 10 * 8}, {"w2", 16, 256, 2 * 16 * 15}, {"w3", 500, 500, 0}, {"w4", 500, 500, 499}};
	char text[64];

	for (unsigned i = 0; i < 8; i++) {
		const unsigned w = i / 2, threads = i % 2 + 1;
		char *out = bench(check_fmt("peer --workload %s --n %u --threads %u --work-ns 100 --reps 2", wanted[w].workload, wanted[w].n, threads), 0);

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

/* Plugins whose core waits for no predecessors, lets two tasks of a hundred change places, or runs one of a hundred twice. */
TEST(peer_rows_say_when_a_broken_core_ran_them)
{
	static const struct {
		const char *build, *workload, *work_ns;
		unsigned threads;
	} broken[] = {{"order", "w1", "2000", 2}, {"order", "w2", "2000", 2}, {"once", "w1", "0", 2}, {"once", "w3", "0", 2},
		      {"swap", "w2", "0", 1},     {"swap", "w4", "0", 1},     {"once", "w1", "0", 1}, {"once", "w3", "0", 1}};

	for (unsigned i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		char *out = NULL, *err = NULL;
		char text[64];
		int rc = check_run(
			check_fmt("PB_QUIET_S=0 '%s/bin/ptowsp-bench' peer --plugin '%s/test/faulty/%s/libptowsp_cpu_sim.so' --workload %s --n 64 --threads %u"
				  " --work-ns %s --reps 2",
				  check_build(), check_build(), broken[i].build, broken[i].workload, broken[i].threads, broken[i].work_ns),
			&out, &err);

		CHECK_INT(rc, 1);
		column_get(out, PEER_COLUMNS - 1, text, sizeof(text));
		CHECK_CONTAINS(text, "FAIL(order=");
		free(out);
		free(err);
	}
}

/* The fake runtime stands in: its rows have values, and are beside ours. */
TEST(a_pto_runtime_runs_the_same_graphs)
{
	char *out;

	if (check_run("g++ --version && gcc --version", NULL, NULL))
		CHECK_SKIP("there is no g++ and gcc to compile the orchestration with");
	setenv("XDG_CACHE_HOME", check_fmt("%s/test/ascend_cache", check_build()), 1);
	setenv("PTO_RUNTIME_DIR", check_fmt("%s/fakes/simpler", check_build()), 1);
	out = bench("a2a3sim --small --reps 1 --tsv", 0);
	unsetenv("PTO_RUNTIME_DIR");
	unsetenv("XDG_CACHE_HOME");
	CHECK_UINT(rows_of(out, "a2a3sim"), 4 * 3 + 5 + 2 + 3 + 10);
	CHECK(!strstr(out, "\t-\t-\t-\t0\t")); /* no row without a value */
	free(out);
}
