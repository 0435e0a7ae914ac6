/* SPDX-License-Identifier: MIT
 * test_contract_memory.c - memory of a run: what it takes, and what --max-memory holds it to. */
#include "format/format_seal.h"
#include "ptowsp/package.h"
#include "tests/contract/cli.h"

#include <stdlib.h>
#include <string.h>

#define VECTORS "$K/vectors.pkg.zst"

TEST(memory_is_of_the_window_not_of_the_program)
{
	cli_begin();
	if (cli_slow())
		CHECK_SKIP("sanitizers have memory of their own");
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --schedule task_window=8192 --entry nest --set n=3000 --set m=1000 --stats=json " VECTORS), 0);
	CHECK_INT(cli_int(cli_json(), "num_tasks"), 3000000);
	CHECK(cli_int(cli_json(), "peak_rss_bytes") < 64 << 20);
	/* Tensors of a terabyte are not allocated when no kernel runs. */
	REQUIRE_INT(cli("$B/ptowsp-run --no-kernels --schedule task_window=64 --entry far --stats=json " VECTORS), 0);
	CHECK(cli_int(cli_json(), "peak_rss_bytes") < 64 << 20);
}

/* 2,048 iterations of 64 rows: the seed's runtime would need 33.6 GB. */
TEST(a_layer_of_131072_rows_needs_less_than_64_mib)
{
	static const char *const rules[] = {"", "--schedule deps=tensor_map_exact", "--schedule deps=tensor_map_exact --schedule hazards=raw"};

	cli_begin();
	if (cli_slow())
		CHECK_SKIP("sanitizers have memory of their own");
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --no-kernels --schedule task_window=8192 %s --set num_tiles=4096 --stats=json "
					  "$P/llama_layer.pkg.zst",
					  rules[i])),
			    0);
		CHECK_INT(cli_int(cli_json(), "num_tasks"), 16 * 2048 + 3 * 2048 * 2048);
		CHECK_INT(cli_int(cli_json(), "task_window"), 8192);
		CHECK(cli_int(cli_json(), "num_edges") > (i < 2 ? 2 : 1) * cli_int(cli_json(), "num_tasks")); /* few RAW edges alone are live */
		CHECK(cli_int(cli_json(), "peak_rss_bytes") < 64 << 20);
	}
}

static int layer(const char *args, int tiles, intmax_t limit)
{
	return cli(check_fmt("$B/ptowsp-run -q --no-kernels --threads 1 --stats=json %s --set num_tiles=%d --max-memory=%jd $P/llama_layer.pkg.zst", args,
			     tiles, limit));
}

/* The largest resident set of a run of 200,704 tasks, less that of a run of 320. */
static intmax_t grown(const char *args)
{
	intmax_t small;

	REQUIRE_INT(layer(args, 8, 0), 0);
	small = cli_int(cli_json(), "peak_rss_bytes");
	REQUIRE_INT(layer(args, 512, 0), 0);
	return cli_int(cli_json(), "peak_rss_bytes") - small;
}

/* Beyond by half or a quarter, so that pages, the rooms of arrays that double and what a run holds from its first task on do not decide. */
TEST(a_memory_limit_is_held_to_what_a_run_really_takes)
{
	static const char *const how[] = {"--schedule task_window=0", "--plugin=a2a3sim", "--plugin=a2a3sim --schedule task_window=0"};

	if (cli_slow())
		CHECK_SKIP("sanitizers take memory of their own");
	cli_begin();
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		intmax_t grows = grown(how[i]);

		CHECK(grows > 1 << 18);
		CHECK_INT(layer(how[i], 512, grows + grows / 2 + (1 << 20)), 0);
		CHECK_INT(layer(how[i], 512, grows / 4), 3);
		CHECK_CONTAINS(cli_err, "the limit (--max-memory) is");
		cli_check_sentence();
	}
}

/* The design of all tasks; unlimited, the largest resident set is some 160 MB, and then the first kernel does not fit. */
TEST(the_design_of_an_array_counts_in_the_memory_limit)
{
	if (cli_slow())
		CHECK_SKIP("sanitizers take memory of their own");
	cli_begin();
	CHECK_INT(layer("--plugin=aie", 512, 50000000), 3);
	CHECK_CONTAINS(cli_err, "the limit (--max-memory)"); /* seen while it plans, or behind that */
	CHECK_CONTAINS(cli_err, " 50000000");
	CHECK_INT(layer("--plugin=aie", 512, 300000000), 5);
}

/* A window bounds what is held, however many tasks there are. */
TEST(a_window_keeps_a_run_below_its_memory_limit)
{
	cli_begin();
	CHECK_INT(layer("", cli_slow() ? 64 : 512, cli_slow() ? 8000000 : 2000000), 0);
	CHECK_INT(layer("--schedule task_window=64", cli_slow() ? 64 : 512, cli_slow() ? 4000000 : 1000000), 0);
}

static int vector_add(const char *how, intmax_t limit)
{
	return cli(check_fmt("$B/ptowsp-run -q --plugin=aie --isolate=none --threads 1 --max-memory %jd %s $P/vector_add.pkg.zst", limit, how));
}

/* Planning looks at memory each 10 ms: a look in the middle of it sees a sixth more than the run holds at its end. */
static bool is_enough(intmax_t limit)
{
	return !vector_add("", limit) || !vector_add("", limit) || !vector_add("", limit);
}

/* --explain makes the design twice, for its files and for its tasks; what the first left hid a tenth of the second. */
TEST(explain_counts_what_its_run_counts)
{
	intmax_t too_little = 1000, enough = 64 << 20;

	if (cli_slow())
		CHECK_SKIP("sanitizers take memory of their own");
	cli_begin();
	while (enough - too_little > 1000) {
		intmax_t middle = (enough + too_little) / 2;

		if (is_enough(middle))
			enough = middle;
		else
			too_little = middle;
	}
	CHECK_INT(vector_add("--explain", enough - enough / 20), 3);
	CHECK_INT(vector_add("--explain", enough + enough / 2), 0);
}

/* 8 x 16 elements of 3 GiB are touched. */
TEST(a_later_run_takes_no_more_of_a_large_tensor_than_the_first)
{
	static const char *const how[] = {"", "--isolate=process"};

	if (cli_slow())
		CHECK_SKIP("sanitizers take memory of their own");
	cli_begin();
	REQUIRE_INT(cli("cat >large.pto <<'END'\ntensor %x : f32[50331648, 16] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : "
			"!pto.tile<8x16xf32>\n"
			"  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main {\n call @one(%x -> %x[0, 0 : 8, 16])\n}\nEND\n$B/ptowsp-pack "
			"large.pto -o large.pkg.zst"),
		    0);
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run -q --runs 3 --max-memory 9000000000 --stats=json %s large.pkg.zst", how[i])), 0);
		CHECK(cli_int(cli_json(), "peak_rss_bytes") < 64 << 20);
	}
}

/* A run without end of its window remembers each task: it ends when it comes to hold what the machine had left, and is not killed for it. */
TEST(a_window_without_end_takes_no_more_than_the_machine_has)
{
	static const char *const how[] = {"", "--isolate=process", "--threads 2", "--explain"};
	static const char small[] = "unshare -m -r sh -c \"mount --bind $T/meminfo /proc/meminfo && $B/ptowsp-run -q --no-kernels --entry nest --set n=1000 "
				    "--set m=1000 %s " VECTORS "\"";

	cli_begin();
	if (cli_slow())
		CHECK_SKIP("sanitizers have memory of their own");
	REQUIRE_INT(cli("printf 'MemTotal: 100000 kB\nMemAvailable: 20000 kB\n' > $T/meminfo"), 0);
	if (cli("unshare -m -r mount --bind $T/meminfo /proc/meminfo"))
		CHECK_SKIP("no namespace of mounts can be made here");
	for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
		CLI_ERR(3, check_fmt(small, check_fmt("--schedule task_window=0 %s", how[i])),
			"and this machine had 20480000 left when it began; state a task_window that is not 0, or allow so much with --max-memory");
		cli_check_sentence();
	}
	CHECK_INT(cli(check_fmt(small, "--schedule task_window=0 --max-memory 1000000000")), 0);
	CHECK_INT(cli(check_fmt(small, "")), 0);
}

/* The softmax with so many empty strings more than anything names: tens of KB as a file. */
static void swollen_make(const char *path, size_t bytes)
{
	struct ptowsp_error error;
	struct pkg_image image;
	struct pkg_image_section *strings;
	size_t size = 0;
	char *file = check_read(check_fmt("%s/packages/softmax.pkg.zst", check_build()), &size);
	void *made = NULL;

	REQUIRE(file != NULL);
	REQUIRE_INT(pkg_image_read(&image, file, size, "softmax", &error), PTOWSP_OK);
	strings = pkg_image_find(&image, PTOWSP_SECTION_STRS);
	REQUIRE(strings && (strings->data = realloc(strings->data, strings->size + bytes)));
	memset(strings->data + strings->size, 0, bytes);
	strings->count = strings->size += bytes;
	REQUIRE_INT(pkg_image_seal(&image, &made, &size, &error), PTOWSP_OK);
	REQUIRE(check_write(path, made, size));
	pkg_image_finish(&image);
	free(made);
	free(file);
}

/* A small file may unpack to a large package, which costs every tool its size some times over: it is refused before anything is decompressed. */
TEST(a_package_that_unpacks_to_more_than_the_limit_is_refused)
{
	static const struct {
		const char *call;
		int rc;
		const char *limit;
	} cases[] = {{"run -q", 0, NULL},
		     {"run -q --max-memory 16777216", 3, "16777216"},
		     {"run --explain --max-memory 16777216", 3, "16777216"},
		     {"run -q --max-memory 20000000 --no-kernels", 0, NULL},
		     {"inspect --verify", 0, NULL},
		     {"inspect --verify --max-memory=100000", 3, "100000"},
		     {"inspect --c", 3, "16777216"},
		     {"inspect --max-memory 100000 --json", 3, "100000"}};

	cli_begin();
	swollen_make(check_fmt("%s/swollen.pkg.zst", check_dir()), 17 << 20);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-%s swollen.pkg.zst > out", cases[i].call)), cases[i].rc);
		if (cases[i].rc) {
			CHECK_CONTAINS(cli_err, check_fmt("bytes are more than the limit of %s; allow so much with --max-memory", cases[i].limit));
			cli_check_sentence();
		}
	}
	CLI_ERR(2, "$B/ptowsp-inspect --max-memory 1k swollen.pkg.zst", "--max-memory \"1k\" is no whole number of 0 or more");
	CLI_ERR(2, "$B/ptowsp-inspect swollen.pkg.zst --max-memory", "--max-memory needs a value: BYTES");
	if (cli_slow())
		return;
	swollen_make(check_fmt("%s/swollen.pkg.zst", check_dir()), 257 << 20);
	CHECK_INT(cli("$B/ptowsp-run swollen.pkg.zst"), 3);
	CLI_ERR(3, "$B/ptowsp-inspect --verify swollen.pkg.zst", "the limit of 268435456");
}
