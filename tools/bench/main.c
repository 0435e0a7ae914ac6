/* SPDX-License-Identifier: MIT */
/* main.c - ptowsp-bench: the project's benchmarks, one table. */
#include "tools/bench/bench.h"

#include "host/ptowsp_host.h"
#include "tools/beside.h"
#include "tools/pages/page.h"
#include "tools/standard.h"
#include "tools/tool.h"
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

#define FLAGS_FILE    "tools/bench/flags.def"
#define FLAGS_OPTIONS struct bench_options
#include "tools/flags_table.def"
const struct tool tool = {.page = &page_bench, .flags = flags, .flag_count = sizeof(flags) / sizeof(*flags)};

/* The cases that the command line names, all where it names none. -1, or 2 after a sentence. */
static int cases_choose(bool wanted[CASES], const struct flag_list *names)
{
	for (size_t i = 0; i < CASES; i++)
		wanted[i] = !names->count;
	for (uint32_t n = 0; n < names->count; n++) {
		size_t i = 0;

		while (i < CASES && strcmp(cases[i].name, names->at[n]))
			i++;
		if (i == CASES) {
			fprintf(stderr, "ptowsp-bench: no benchmark \"%s\"; there are", names->at[n]);
			for (i = 0; i < CASES; i++)
				fprintf(stderr, " %s,", cases[i].name);
			fprintf(stderr, " peer\n");
			return 2;
		}
		wanted[i] = true;
	}
	return -1;
}

static int range_check(const struct bench_options *options)
{
	if (!options->reps || options->reps > BENCH_REPS_LIMIT)
		return tool_misuse("--reps takes 1 to 64");
	return !options->threads || options->threads > 1024 ? tool_misuse("--threads takes 1 to 1024") : -1;
}

static const char *packages_find(void)
{
	static char path[PATH_MAX];

	return beside_find("packages", "share/ptowsp/v10/packages", path, sizeof(path)) ? path : "packages";
}

/* ---- a run --------------------------------------------------------------------------------------------------------- */

static int cases_run(struct bench *bench, const bool wanted[CASES])
{
	ptowsp_status status;

	for (size_t i = 0; i < CASES; i++) {
		if (!wanted[i])
			continue;
		bench->name = cases[i].name;
		status = cases[i].run(bench);
		if (status) {
			fprintf(stderr, "ptowsp-bench %s: %s\n", bench->name, *bench->error.text ? bench->error.text : "out of memory");
			return status == PTOWSP_INVALID ? 2 : 1; /* a named part is not there */
		}
	}
	return 0;
}

static int main_run(int argc, char **argv)
{
	struct bench bench = {.options = {.reps = 7, .threads = 1, .seed = 1, .packages = packages_find()},
			      .error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)}};
	struct bench_options *options = &bench.options;
	struct command_line line = {0};
	bool wanted[CASES];
	int rc;

	if (argc > 1 && !strcmp(argv[1], "peer"))
		return bench_peer(&bench, argc - 1, argv + 1);
	rc = tool_read(&line, options, argc, argv);
	if (rc < 0)
		rc = cases_choose(wanted, &line.words);
	free(line.words.at);
	if (rc < 0)
		rc = range_check(options);
	if (rc >= 0)
		return rc;
	bench_table_begin(stdout, options->json ? BENCH_JSON : options->tsv ? BENCH_TSV : BENCH_COLUMNS, argc, argv);
	rc = cases_run(&bench, wanted);
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
