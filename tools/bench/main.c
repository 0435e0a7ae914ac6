/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-bench: the project's benchmarks, one table. */
#include "tools/bench/bench.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "host/ptowsp_host.h"
#include "tools/beside.h"
#include "tools/pages/page.h"
#include "tools/standard.h"

static const struct benchmark {
	const char *name;
	int (*run)(const struct bench_options *options);
} benchmarks[] = {
#define B(name, function, text) {name, function},
#include "tools/bench/list.def"
#undef B
};
#define BENCHMARKS (sizeof(benchmarks) / sizeof(*benchmarks))

_Static_assert(BENCH_REPS_LIMIT == 64, "bench/flags.def says how many repetitions there can be");

static int refuse(const char *what, const char *value)
{
	fprintf(stderr, "ptowsp-bench: %s \"%s\"; --help shows what there is\n", what, value);
	return 2;
}

static const char *packages_find(void)
{
	static char path[PATH_MAX];

	return beside_find("packages", "share/ptowsp/v10/packages", path, sizeof(path)) ? path : "packages";
}

static int number(const char *text, unsigned least, unsigned most, unsigned *value_out)
{
	char *end;
	unsigned long value = text ? strtoul(text, &end, 10) : 0;

	if (!text || !*text || *end || value < least || value > most)
		return refuse("not a number in range:", text ? text : "");
	*value_out = (unsigned)value;
	return 0;
}

struct choice {
	bool json, tsv, help, version, wanted[BENCHMARKS], any;
};

static int name_take(struct choice *choice, const char *name)
{
	for (size_t i = 0; i < BENCHMARKS; i++)
		if (!strcmp(benchmarks[i].name, name)) {
			choice->wanted[i] = choice->any = true;
			return 0;
		}
	if (name[0] == '-')
		return refuse("no option", name);
	fprintf(stderr, "ptowsp-bench: no benchmark \"%s\"; there are", name);
	for (size_t i = 0; i < BENCHMARKS; i++)
		fprintf(stderr, " %s,", benchmarks[i].name);
	fprintf(stderr, " peer\n");
	return 2;
}

static int arguments_read(int argc, char **argv, struct bench_options *options, struct choice *choice)
{
	int rc = 0;

	for (int i = 1; !rc && i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			choice->help = true;
		else if (!strcmp(argv[i], "--version"))
			choice->version = true;
		else if (!strcmp(argv[i], "--json"))
			choice->json = true;
		else if (!strcmp(argv[i], "--tsv"))
			choice->tsv = true;
		else if (!strcmp(argv[i], "--small"))
			options->small = true;
		else if (!strcmp(argv[i], "--reps"))
			rc = number(value, 1, BENCH_REPS_LIMIT, &options->reps), i++;
		else if (!strcmp(argv[i], "--threads"))
			rc = number(value, 1, 1024, &options->threads), i++;
		else if (!strcmp(argv[i], "--seed"))
			rc = number(value, 0, UINT_MAX - BENCH_REPS_LIMIT, &options->seed), i++;
		else if (!strcmp(argv[i], "--packages") && value)
			options->packages = value, i++;
		else if (!strcmp(argv[i], "--plugin") && value)
			options->plugin = value, i++;
		else if (!strcmp(argv[i], "--shape") && value)
			options->shape = value, i++;
		else
			rc = name_take(choice, argv[i]);
	}
	return rc;
}

static int bench(int argc, char **argv)
{
	struct bench_options options = {.reps = 7, .threads = 1, .seed = 1, .packages = packages_find()};
	struct choice choice = {0};
	int rc;

	if (argc > 1 && !strcmp(argv[1], "peer"))
		return bench_peer(argc - 1, argv + 1, options.packages);
	rc = arguments_read(argc, argv, &options, &choice);
	if (rc || choice.help)
		return choice.help ? page_print(&page_bench, stdout), 0 : rc;
	if (choice.version)
		return printf("ptowsp-bench %s, ABI " PTOWSP_ABI_STRING "\n", ptowsp_version()), 0;
	bench_table_begin(stdout, choice.json ? BENCH_JSON : choice.tsv ? BENCH_TSV : BENCH_COLUMNS, argc, argv);
	for (size_t i = 0; !rc && i < BENCHMARKS; i++)
		if (choice.wanted[i] || !choice.any)
			rc = benchmarks[i].run(&options);
	bench_table_end();
	return rc;
}

int main(int argc, char **argv)
{
	int rc;

	standard_begin();
	rc = bench(argc, argv);
	return standard_end("ptowsp-bench", rc, rc ? rc : 2);
}
