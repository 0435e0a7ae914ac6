/* SPDX-License-Identifier: MIT
 * test_examples.c - every row of the table in packages/examples/README.md: the package of that name runs as the row says, makes that many tasks and
 * compares that many elements, with one thread and with two. The table is the list; nothing here knows an example. */
#include "tests/tools/example_rows.h"

#include <stdio.h>
#include <string.h>

static void run_example(void)
{
	const struct example_row *row = example_row_of(check_name());
	char cycles[2][32] = {"", ""}, package[96];

	REQUIRE(row != NULL);
	if (cli_slow() && row->name != row->package)
		CHECK_SKIP("it is large; the release build runs it");
	snprintf(package, sizeof(package), "$P/%s.pkg.zst", row->package);
	cli_begin();
	for (int threads = 1; threads <= 2; threads++) {
		const char *at;

		example_run(row, package, check_fmt("--threads %d", threads), 1);
		at = strstr(cli_out, "tasks, ");
		if (at)
			sscanf(at, "tasks, %31[0-9]", cycles[threads - 1]);
	}
	CHECK_STR(cycles[1], cycles[0]);
	if (!*row->options)
		example_run(row, package, "--runs 2", 2); /* what a run leaves behind is not what the next one begins with */
}

/* The packages that the build makes, and the page, name the same examples. */
TEST(every_example_is_in_the_table)
{
	const char *name;

	REQUIRE_INT(cli("cd $P && ls *.pkg.zst large/*.pkg.zst | sed 's,.*/,,; s/.pkg.zst//'"), 0);
	CHECK_INT(cli_lines(cli_out), example_count);
	for (name = strtok(cli_out, "\n"); name; name = strtok(NULL, "\n"))
		if (!example_row_of(name))
			CHECK_FAIL("%s is not in the table of packages/examples/README.md", name);
}

/* Its first lines are a comment; who reads the source knows what it is about. */
TEST(every_example_begins_with_a_paragraph)
{
	for (size_t i = 0; i < example_count; i++)
		if (cli(check_fmt("test $(sed '/^\\/\\//!q' $R/packages/examples/%s | grep -c '^// [^S]') -ge 2", example_rows[i].source)) != 0)
			CHECK_FAIL("%s does not say what it is about", example_rows[i].source);
}

void suite_examples(CU_pSuite s)
{
	example_rows_add(s, "", run_example);
}
