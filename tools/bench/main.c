/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-bench: the project's benchmarks, one table. */
#include "tools/bench/bench.h"

#include "host/ptowsp_host.h"
#include "tools/beside.h"
#include "tools/pages/page.h"
#include "tools/standard.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct bench_case {
	const char *name;
	ptowsp_status (*run)(struct bench *bench);
} cases[] = {
#define B(name, function, text) {name, function},
#include "tools/bench/cases.def"
#undef B
};
#define CASES (sizeof(cases) / sizeof(*cases))

_Static_assert(BENCH_REPS_LIMIT == 64, "bench/flags.def says how many repetitions there can be");

struct choice {
	struct bench_options options;
	bool wanted[CASES], any;
};

static const struct bench_flag flags[] = {
#define G(title)
#define X(flag, letter, sort, field, argument, text) {flag, letter, BENCH_FLAG_##sort, offsetof(struct choice, options.field)},
#include "tools/bench/flags.def"
#undef X
#undef G
};

int bench_refuse(const char *what, const char *value)
{
	fprintf(stderr, "ptowsp-bench: %s \"%s\"; --help shows what there is\n", what, value);
	return 2;
}

/* ---- flags --------------------------------------------------------------------------------------------------------- */

static const struct bench_flag *flag_find(const struct bench_flag *all, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if ((word[0] == '-' && word[1] == '-' && !strcmp(word + 2, all[i].name)) || (word[0] == '-' && word[1] && word[1] == all[i].letter && !word[2]))
			return &all[i];
	return NULL;
}

static int count_read(const char *text, unsigned *value_out)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value > UINT_MAX / 2)
		return bench_refuse("not a number in range:", text);
	*value_out = (unsigned)value;
	return 0;
}

int bench_flags_read(const struct bench_flag *all, size_t count, void *into, int argc, char **argv, int (*other)(void *into, const char *word))
{
	int rc = 0;

	for (int i = 1; !rc && i < argc; i++) {
		const struct bench_flag *flag = flag_find(all, count, argv[i]);
		char *field = flag ? (char *)into + flag->field : NULL;

		if (!flag)
			rc = argv[i][0] == '-' ? bench_refuse("no option", argv[i]) : other(into, argv[i]);
		else if (flag->sort == BENCH_FLAG_FLAG)
			*(bool *)(void *)field = true;
		else if (++i == argc || !*argv[i])
			rc = bench_refuse("no value behind", argv[i - 1]);
		else if (flag->sort == BENCH_FLAG_COUNT)
			rc = count_read(argv[i], (unsigned *)(void *)field);
		else
			*(const char **)(void *)field = argv[i];
	}
	return rc;
}

static int case_take(void *into, const char *name)
{
	struct choice *choice = into;

	for (size_t i = 0; i < CASES; i++)
		if (!strcmp(cases[i].name, name)) {
			choice->wanted[i] = choice->any = true;
			return 0;
		}
	fprintf(stderr, "ptowsp-bench: no benchmark \"%s\"; there are", name);
	for (size_t i = 0; i < CASES; i++)
		fprintf(stderr, " %s,", cases[i].name);
	fprintf(stderr, " peer\n");
	return 2;
}

static int range_check(const struct bench_options *options)
{
	if (!options->reps || options->reps > BENCH_REPS_LIMIT)
		return bench_refuse("not from 1 to 64:", "--reps");
	return !options->threads || options->threads > 1024 ? bench_refuse("not from 1 to 1024:", "--threads") : 0;
}

static const char *packages_find(void)
{
	static char path[PATH_MAX];

	return beside_find("packages", "share/ptowsp/v10/packages", path, sizeof(path)) ? path : "packages";
}

/* ---- a run --------------------------------------------------------------------------------------------------------- */

static int cases_run(struct bench *bench, const struct choice *choice)
{
	ptowsp_status status;

	for (size_t i = 0; i < CASES; i++) {
		if (!choice->wanted[i] && choice->any)
			continue;
		bench->name = cases[i].name;
		status = cases[i].run(bench);
		if (status) {
			fprintf(stderr, "ptowsp-bench %s: %s\n", bench->name, *bench->error.text ? bench->error.text : "out of memory");
			return status == PTOWSP_INVALID ? 2 : 1; /* what was asked for is not there */
		}
	}
	return 0;
}

static int main_run(int argc, char **argv)
{
	struct choice choice = {.options = {.reps = 7, .threads = 1, .seed = 1, .packages = packages_find()}};
	struct bench bench = {.options = choice.options, .error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};
	const struct bench_options *options = &choice.options;
	int rc;

	if (argc > 1 && !strcmp(argv[1], "peer"))
		return bench_peer(&bench, argc - 1, argv + 1);
	rc = bench_flags_read(flags, sizeof(flags) / sizeof(*flags), &choice, argc, argv, case_take);
	if (rc || options->help)
		return rc ? rc : (page_print(&page_bench, stdout), 0);
	if (options->version)
		return printf("ptowsp-bench %s, ABI " PTOWSP_ABI_STRING "\n", ptowsp_version()), 0;
	rc = range_check(options);
	if (rc)
		return rc;
	bench.options = *options;
	bench_table_begin(stdout, options->json ? BENCH_JSON : options->tsv ? BENCH_TSV : BENCH_COLUMNS, argc, argv);
	rc = cases_run(&bench, &choice);
	bench_table_end();
	return rc;
}

int main(int argc, char **argv)
{
	int rc;

	standard_begin();
	rc = main_run(argc, argv);
	return standard_end("ptowsp-bench", rc, rc ? rc : 2);
}
