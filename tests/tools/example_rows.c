/* SPDX-License-Identifier: MIT */
/* example_rows.c - reading the table of examples, and one run as its row says. */
#include "tests/tools/example_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct example_row example_rows[64];
size_t example_count;

/* The cell behind the one at `at`; NULL behind the last. */
static const char *cell_next(const char *at)
{
	at += strcspn(at, "|\n");
	return *at == '|' ? at + 1 : NULL;
}

static bool row_read(const char *line, struct example_row *out)
{
	const char *cell = line + 2, *option;

	memset(out, 0, sizeof(*out));
	if (sscanf(line, "| [%63[^]]](%63[^)])", out->package, out->source) != 2)
		return false;
	out->name = strrchr(out->package, '/');
	out->name = out->name ? out->name + 1 : out->package;
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

void example_rows_read(void)
{
	char *page = check_read(check_fmt("%s/packages/examples/README.md", check_root()), NULL), *line = page;

	example_count = 0;
	while (line && example_count < sizeof(example_rows) / sizeof(*example_rows)) {
		example_count += row_read(line, &example_rows[example_count]);
		line = strchr(line, '\n');
		line += line != NULL;
	}
	free(page);
}

void example_rows_add(CU_pSuite s, const char *prefix, CU_TestFunc fn)
{
	example_rows_read();
	for (size_t i = 0; i < example_count; i++)
		check_add(s, check_fmt("%s%s", prefix, example_rows[i].name), fn);
}

const struct example_row *example_row_of(const char *name)
{
	for (size_t i = 0; i < example_count; i++)
		if (!strcmp(example_rows[i].name, name))
			return &example_rows[i];
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

void example_run(const struct example_row *row, const char *package, const char *how, int runs)
{
	if (cli(check_fmt("$B/ptowsp-run %s %s %s", how, row->options, package)) != 0) {
		CHECK_FAIL("%s %s: %s%s", row->name, how, cli_out, cli_err);
		return;
	}
	if (row->elements)
		CHECK(!strstr(cli_err, " is zeros")); /* the package has all that it needs */
	CHECK_INT(tasks_said(), row->tasks * runs);
	CHECK_INT(elements_said(), row->elements);
}

char *example_outs(json_t *explained, const char *prefix)
{
	json_t *tensor;
	size_t i, size = 0;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	REQUIRE(to != NULL);
	json_array_foreach(json_object_get(explained, "tensors"), i,
			   tensor) if (strstr(json_string_value(json_object_get(tensor, "role")), "out") && json_is_true(json_object_get(tensor, "used")))
		fprintf(to, " --out %s=%s.%zu.npy", json_string_value(json_object_get(tensor, "name")), prefix, i);
	fclose(to);
	return text;
}

int example_run_to(const struct example_row *row, json_t *explained, const char *plugin, const char *device, const char *prefix)
{
	char *out = example_outs(explained, prefix);
	const int code = cli(check_fmt("$B/ptowsp-run --plugin=%s --threads 2 $(echo '%s' | sed 's/cpu/%s/g')%s $P/%s.pkg.zst", plugin, row->options, device,
				       out, row->package));

	free(out);
	if (code)
		CHECK_FAIL("%s on %s: exit %d: %s", row->name, plugin, code, cli_err);
	return code;
}

void example_has_bytes_of_cpu_sim(const struct example_row *row, const char *device, const char *const *ways, size_t count)
{
	json_t *explained;
	int code;

	REQUIRE(row != NULL);
	if (cli_slow() || row->name != row->package)
		CHECK_SKIP("it takes long; the release build runs those that are not large");
	if (!check_turn((uint64_t)(row - example_rows), 3))
		CHECK_SKIP("a third of the examples a day, all with --long");
	cli_begin();
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --explain --json %s $P/%s.pkg.zst", row->options, row->package)), 0);
	explained = cli_json();
	REQUIRE(explained != NULL);
	json_incref(explained); /* the next output takes its place */
	code = example_run_to(row, explained, "cpu_sim", "cpu", "cpu");
	for (size_t i = 0; !code && i < count; i++) {
		code = example_run_to(row, explained, ways[i], device, "other");
		if (!code)
			CHECK_INT(cli("for f in cpu.*.npy; do test ! -e $f || cmp $f other${f#cpu} || exit; done"), 0);
	}
	json_decref(explained);
}
