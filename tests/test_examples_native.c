/* SPDX-License-Identifier: MIT
 * test_examples_native.c - every example with its kernels compiled: packed again with --native from the source that ptowsp-inspect --pto gives with its
 * data, it makes the same tasks and passes the same comparison in the same cycles as with the portable kernels; printed again, it is the source of the
 * package without native code. */
#include "example_rows.h"

#include <stdio.h>
#include <string.h>

/* "..._native" is the test of a row. */
static const struct example_row *row_of_test(void)
{
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(strlen(check_name()) - strlen("_native")), check_name());
	return example_row_of(name);
}

static void cycles_read(char cycles[32])
{
	const char *at = strstr(cli_out, "task");

	*cycles = 0;
	if (at)
		sscanf(at, "%*[^,], %31[0-9]", cycles);
}

/* The package that was native prints as a source that packs to the bytes of the package that never was. */
static void native_is_left_out(const struct example_row *row)
{
	REQUIRE_INT(cli("$B/ptowsp-inspect --pto --out again native.pkg.zst"), 0);
	REQUIRE_INT(cli("head -n 1 again/native.pto"), 0);
	CHECK_STR(cli_out, "// Native code is left out: ptowsp-pack --native makes it again.\n");
	REQUIRE_INT(cli("$B/ptowsp-pack again/native.pto -o again.pkg.zst"), 0);
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack %s.pto -o plain.pkg.zst", row->name)), 0);
	CHECK_INT(cli("cmp again.pkg.zst plain.pkg.zst"), 0);
}

static void run_native(void)
{
	const struct example_row *row = row_of_test();
	char portable[32], native[32];
	int status;

	REQUIRE(row != NULL);
	if (cli_slow())
		CHECK_SKIP("compiling takes too long here; the release build does it");
	cli_begin();
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-inspect --pto --out . $P/%s.pkg.zst", row->package)), 0);
	status = cli(check_fmt("$B/ptowsp-pack --native %s.pto -o native.pkg.zst", row->name));
	if (status == 8)
		CHECK_SKIP("there is no C compiler");
	if (status)
		CHECK_FAIL("%s", cli_err);
	example_run(row, "native.pkg.zst", "--trust=none", 1);
	cycles_read(portable);
	for (int threads = 1; threads <= 2; threads++) {
		example_run(row, "native.pkg.zst", check_fmt("--trust=all --threads %d", threads), 1);
		cycles_read(native);
		CHECK_STR(native, portable);
	}
	native_is_left_out(row);
}

void suite_examples_native(CU_pSuite s)
{
	cli_suite("examples_native");
	example_rows_read();
	for (size_t i = 0; i < example_count; i++)
		check_add(s, check_fmt("%s_native", example_rows[i].name), run_native);
}
