/* SPDX-License-Identifier: MIT
 * test_contract_language.c - every example of the pages of the language (packages/LANGUAGE.md) packs and runs as it stands there, with one thread and with two. */
#include "tests/contract/cli.h"
#include "tests/lang/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a reader is told to give the run: the rest of the line "// Run with: ...". */
static const char *options_of(const char *text)
{
	const char *at = strstr(text, "// Run with: ");

	at = at ? at + strlen("// Run with: ") : "";
	return check_fmt("%.*s", (int)strcspn(at, "\n"), at);
}

/* real.npy, half.npy and whole.npy are what packages/LANGUAGE.md says of them. */
static void files_make(void)
{
	static int32_t whole[256];
	static uint16_t half[4096];

	for (int i = 0; i < 256; i++)
		whole[i] = i % 2 * 4; /* as rows, as elements and as bytes of the tiles of the pages */
	for (int i = 0; i < 4096; i++)
		half[i] = (uint16_t)(0x3c00 + i % 1024);
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

TEST(every_example_of_the_pages_runs)
{
	const char *at;
	char *pages, *text;
	int count = 0;

	cli_begin();
	at = pages = source_pages();
	for (; (text = source_block(&at)); count++) {
		block_run(count, text);
		free(text);
	}
	CHECK(count >= 31);
	free(pages);
}

/* Four chains of tasks on tiles of one type: y = x op last, last = y op x. */
static void type_source(char *text, size_t size, const char *type, bool is_truth)
{
	snprintf(text, size,
		 "tensor %%x : %s[64, 8] in\ntensor %%y : %s[64, 8] out\ntensor %%last : %s[16, 8] inout\n"
		 "func @step(%%a: !pto.memref<gm,...,%s>, %%b: !pto.memref<gm,...,%s>, %%c: !pto.memref<gm,...,%s>) {\n"
		 "  %%s = alloc_tile : !pto.tile<4x8x%s>\n  %%t = alloc_tile : !pto.tile<4x8x%s>\n"
		 "  %%s = tload %%a[0, 0]\n  %%t = tload %%c[0, 0]\n  %%t = %s %%s, %%t\n  tstore %%t, %%b[0, 0]\n"
		 "  %%t = %s %%t, %%s\n  tstore %%t, %%c[0, 0]\n  return\n}\n"
		 "kernel @k(%%a: %s[4, 8] in, %%b: %s[4, 8] out, %%c: %s[4, 8] inout) {\n  portable @step\n}\n"
		 "workload @main {\n  parallel_for %%i in 0 to 16 {\n    call @k(%%a -> %%x[%%i * 4, 0], %%b -> %%y[%%i * 4, 0], %%c -> %%last[%%i %% 4 * 4, "
		 "0])\n  }\n}\n",
		 type, type, type, type, type, type, type, type, is_truth ? "txor" : "tadd", is_truth ? "tor" : "tmul", type, type, type);
}

TEST(every_type_gives_the_same_bits_with_any_number_of_threads)
{
	static const char *const types[] = {
#define X(name, code, size, cls, word, descr) word,
#include "ptowsp/dtype.def"
#undef X
	};
	char text[4096];

	cli_begin();
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		type_source(text, sizeof(text), types[i], !strcmp(types[i], "bool"));
		REQUIRE(check_write(check_fmt("%s/type.pto", check_tmp()), text, strlen(text)));
		if (cli("$B/ptowsp-pack --strict type.pto -o type.pkg.zst") != 0)
			CHECK_FAIL("%s: %s", types[i], cli_err);
		for (int threads = 1; threads <= 2; threads++)
			if (cli(check_fmt("$B/ptowsp-run --threads %d --fill x=iota --fill last=ones --out y=y%d.npy --out last=last%d.npy type.pkg.zst",
					  threads, threads, threads)) != 0)
				CHECK_FAIL("%s with %d threads: %s", types[i], threads, cli_err);
		CHECK_INT(cli("cmp y1.npy y2.npy && cmp last1.npy last2.npy"), 0);
		CHECK_INT(cli("od -An -v -tx1 -j128 last1.npy | grep -q '[1-9a-f]'"), 0); /* something was computed */
	}
}
