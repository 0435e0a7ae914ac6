/* SPDX-License-Identifier: MIT
 * test_contract_language.c - every example of packages/LANGUAGE.md packs and runs as it stands there, with one thread and with two. */
#include "contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *page;

/* Block number `number` of the page, to be freed; NULL beyond the last. */
static char *block(int number)
{
	const char *at = page, *end;

	for (;; number--) {
		at = strstr(at, "\n```pto\n");
		if (!at)
			return NULL;
		at += strlen("\n```pto\n");
		end = strstr(at, "\n```\n");
		REQUIRE(end != NULL);
		if (!number)
			return strndup(at, (size_t)(end + 1 - at));
		at = end;
	}
}

/* What a reader is told to give the run: the rest of the line "// Run with: ...". */
static const char *options_of(const char *text)
{
	const char *at = strstr(text, "// Run with: ");

	at = at ? at + strlen("// Run with: ") : "";
	return check_fmt("%.*s", (int)strcspn(at, "\n"), at);
}

/* real.npy, half.npy and whole.npy are what the page calls any file of that type. */
static void files_make(void)
{
	static int32_t whole[256];
	static uint16_t half[4096];

	cli_npy_f32("real.npy", 4096, 1, 0);
	cli_npy("half.npy", "<f2", "4096,", half, sizeof(half));
	cli_npy("whole.npy", "<i4", "16, 16", whole, sizeof(whole));
	/* payloads that nothing here runs */
	CHECK_INT(cli("echo payload | tee libscale.so scale.bin scale.c > /dev/null"), 0);
}

static void block_run(int number, const char *text)
{
	char options[256];
	intmax_t cycles[2] = {0, 0};

	snprintf(options, sizeof(options), "%s", options_of(text));
	REQUIRE(check_write(check_fmt("%s/block.pto", check_tmp()), text, strlen(text)));
	files_make();
	if (cli("$B/ptowsp-pack --strict block.pto -o block.pkg.zst") != 0) {
		CHECK_FAIL("block %d: %s", number, cli_err);
		return;
	}
	for (int threads = 1; threads <= 2; threads++) {
		if (cli(check_fmt("$B/ptowsp-run --threads %d %s --stats=json block.pkg.zst", threads, options)) != 0) {
			CHECK_FAIL("block %d with %d threads: %s", number, threads, cli_err);
			return;
		}
		cycles[threads - 1] = cli_int(cli_json(), "total_cycles");
	}
	CHECK_INT(cycles[1], cycles[0]);
}

static void every_example_of_the_page_runs(void)
{
	char *text;
	int count = 0;

	cli_begin();
	page = check_read(check_fmt("%s/packages/LANGUAGE.md", check_root()), NULL);
	REQUIRE(page != NULL);
	for (; (text = block(count)); count++) {
		block_run(count, text);
		free(text);
	}
	CHECK(count >= 15);
	free(page);
}

void suite_contract_language(CU_pSuite s)
{
	cli_suite("contract_language");
	TEST(s, every_example_of_the_page_runs);
}
