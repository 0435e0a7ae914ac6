/* SPDX-License-Identifier: MIT
 * test_examples.c - every row of the table in packages/examples/README.md: the package of that name runs as the row says, makes that many tasks and
 * compares that many elements, with one thread and with two. The table is the list; nothing here knows an example. */
#include "contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "| [name](name.pto) `--options` | what it shows | tasks | elements compared, - for none |" */
struct row {
	char name[64], source[64], options[128];
	long tasks, elements;
};

static struct row rows[64];
static size_t row_count;

/* The cell behind the one at `at`; NULL behind the last. */
static const char *cell_next(const char *at)
{
	at += strcspn(at, "|\n");
	return *at == '|' ? at + 1 : NULL;
}

static bool row_read(const char *line, struct row *out)
{
	const char *cell = line + 2, *option;

	memset(out, 0, sizeof(*out));
	if (sscanf(line, "| [%63[^]]](%63[^)])", out->name, out->source) != 2)
		return false;
	option = strstr(cell, " `--");
	if (option && option < cell_next(cell))
		sscanf(option, " `%127[^`]", out->options);
	for (int i = 0; i < 2; i++)
		if (!(cell = cell_next(cell)))
			return false;
	if (sscanf(cell, "%ld", &out->tasks) != 1 || !(cell = cell_next(cell)))
		return false;
	out->elements = strncmp(cell, " -", 2) ? strtol(cell, NULL, 10) : 0;
	return true;
}

static void rows_read(void)
{
	char *page = check_read(check_fmt("%s/packages/examples/README.md", check_root()), NULL), *line = page;

	row_count = 0;
	while (line && row_count < sizeof(rows) / sizeof(*rows)) {
		row_count += row_read(line, &rows[row_count]);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	free(page);
}

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < row_count; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* All numbers behind ": " of the output's lines, which count tasks: a line per device. */
static long tasks_said(void)
{
	long total = 0;

	for (const char *at = cli_out; (at = strstr(at, ": ")); at += 2) {
		char *end;
		long count = strtol(at + 2, &end, 10);

		if (!strncmp(end, " task", 5))
			total += count;
	}
	return total;
}

static long elements_said(void)
{
	const char *at = strstr(cli_out, "compare: ok (");

	at = at ? strstr(at, ", ") : NULL;
	return at ? strtol(at + 2, NULL, 10) : 0;
}

/* One command, the sample data, one true line. */
static void example_runs(const struct row *row, const char *how, int runs)
{
	if (cli(check_fmt("$B/ptowsp-run %s %s $P/%s.pkg.zst", how, row->options, row->name)) != 0) {
		CHECK_FAIL("%s %s: %s%s", row->name, how, cli_out, cli_err);
		return;
	}
	if (row->elements)
		CHECK(!strstr(cli_err, " is zeros")); /* the package has all that it needs */
	CHECK_INT(tasks_said(), row->tasks * runs);
	CHECK_INT(elements_said(), row->elements);
}

static void run_example(void)
{
	const struct row *row = row_of(check_name());
	char cycles[2][32] = {"", ""};

	REQUIRE(row != NULL);
	cli_begin();
	for (int threads = 1; threads <= 2; threads++) {
		const char *at;

		example_runs(row, check_fmt("--threads %d", threads), 1);
		at = strstr(cli_out, "tasks, ");
		if (at)
			sscanf(at, "tasks, %31[0-9]", cycles[threads - 1]);
	}
	CHECK_STR(cycles[1], cycles[0]);
	if (!*row->options)
		example_runs(row, "--runs 2", 2); /* what a run leaves behind is not what the next one begins with */
}

/* The packages that the build makes, and the page, name the same examples. */
static void every_example_is_in_the_table(void)
{
	const char *name;

	cli_begin();
	REQUIRE_INT(cli("cd $P && ls *.pkg.zst | sed 's/.pkg.zst//'"), 0);
	CHECK_INT(cli_lines(cli_out), row_count);
	for (name = strtok(cli_out, "\n"); name; name = strtok(NULL, "\n"))
		if (!row_of(name))
			CHECK_FAIL("%s is not in the table of packages/examples/README.md", name);
}

/* Its first lines are a comment; who reads the source knows what it is about. */
static void every_example_begins_with_a_paragraph(void)
{
	cli_begin();
	for (size_t i = 0; i < row_count; i++)
		if (cli(check_fmt("test $(sed '/^\\/\\//!q' $R/packages/examples/%s | grep -c '^// [^S]') -ge 2", rows[i].source)) != 0)
			CHECK_FAIL("%s does not say what it is about", rows[i].source);
}

void suite_examples(CU_pSuite s)
{
	cli_suite("examples");
	rows_read();
	TEST(s, every_example_is_in_the_table);
	TEST(s, every_example_begins_with_a_paragraph);
	for (size_t i = 0; i < row_count; i++)
		check_add(s, rows[i].name, run_example);
}
