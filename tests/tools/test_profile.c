/* SPDX-License-Identifier: MIT
 * test_profile.c - --profile: measured times by kernel and operation, beside the same results as without. */
#include "tests/check.h"
#include "tests/contract/cli.h"

#include <jansson.h>
#include <string.h>

#define NUMBER(object, key) ((uint64_t)json_integer_value(json_object_get(object, key)))

static json_t *stats_of(const char *arguments)
{
	json_t *root;

	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --profile --stats=json %s", arguments)), 0);
	root = json_loads(cli_out, 0, NULL);
	REQUIRE(root != NULL);
	return root;
}

/* Tasks of the kernel, as the run counted them. */
static uint64_t tasks_of(const json_t *stats, const char *kernel)
{
	size_t i;
	json_t *row;

	json_array_foreach(json_object_get(stats, "kernels"), i,
			   row) if (!strcmp(json_string_value(json_object_get(row, "name")), kernel)) return NUMBER(row, "tasks");
	return 0;
}

/* Each kernel's row counts its tasks, and its operations take no longer than the kernel. Returns how many instructions have times. */
static uint64_t rows_check(const json_t *stats)
{
	const json_t *profile = json_object_get(stats, "profile"), *kernel = NULL;
	uint64_t all = 0, inside = 0, operations = 0;
	size_t i;
	json_t *row;

	json_array_foreach(json_object_get(profile, "rows"), i, row)
	{
		const char *const name = json_string_value(json_object_get(row, "kernel"));

		if (!NUMBER(row, "operations")) {
			CHECK_UINT(NUMBER(row, "calls"), tasks_of(stats, name));
			CHECK(json_is_null(json_object_get(row, "what")));
			all += NUMBER(row, "wall_ns"), inside = 0, kernel = row;
			continue;
		}
		REQUIRE(kernel != NULL);
		CHECK_STR(name, json_string_value(json_object_get(kernel, "kernel")));
		inside += NUMBER(row, "wall_ns"), operations += NUMBER(row, "operations");
		CHECK(inside <= NUMBER(kernel, "wall_ns"));
		CHECK(NUMBER(row, "line") > 0 && NUMBER(row, "line") <= NUMBER(row, "last_line"));
	}
	CHECK_UINT(all, NUMBER(profile, "kernels_ns"));
	return operations;
}

TEST(a_profile_counts_as_the_run_does)
{
	static const char *const ways[] = {"$P/softmax.pkg.zst", "--threads 4 $P/llama.pkg.zst", "--plugin=a2a3sim $P/llama.pkg.zst",
					   "--isolate=process $P/softmax.pkg.zst"};

	cli_begin();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		json_t *stats = stats_of(ways[i]);

		CHECK(rows_check(stats) > 10);
		json_decref(stats);
	}
}

TEST(passes_have_all_instructions)
{
	json_t *one, *rows;

	cli_begin();
	one = stats_of("--opt opt_level=0 $P/vector_example.pkg.zst");
	rows = stats_of("--opt opt_level=2 $P/vector_example.pkg.zst");
	CHECK_UINT(rows_check(one), rows_check(rows));
	CHECK(json_array_size(json_object_get(json_object_get(one, "profile"), "rows")) >
	      json_array_size(json_object_get(json_object_get(rows, "profile"), "rows")));
	json_decref(one);
	json_decref(rows);
}

TEST(measuring_changes_no_result)
{
	REQUIRE_INT(cli("$B/ptowsp-run -q --fill q=random:1 --out o=a.npy $P/flash_attention.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-run -q --profile --fill q=random:1 --out o=b.npy $P/flash_attention.pkg.zst"), 0);
	CHECK_INT(cli("cmp a.npy b.npy"), 0);
}

TEST(the_table_says_where_and_what_to_do)
{
	cli_begin();
	check_put("small.pto",
		  "tensor %x : f32[4096, 8] inout\nfunc @f(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %a[0, 0]\n"
		  "  tstore %t, %a[0, 0]\n  return\n}\nworkload @main { parallel_for %i in 0 to 4096 { call @f(%a -> %x[%i, 0]) } }\n");
	REQUIRE_INT(cli("$B/ptowsp-pack small.pto -o small.pkg.zst"), 0);
	CLI_OUT(0, "$B/ptowsp-run --profile --threads 1 small.pkg.zst", "profile: kernels", "kernel, operation", "tload f32 1x8", "processor:");
	CLI_OUT(0, "$B/ptowsp-run --profile --stats --runs 2 small.pkg.zst", "resource", "profile: kernels");
	CLI_OUT(0, "$B/ptowsp-run --profile --no-kernels small.pkg.zst", "cpu_sim measured no kernel in this run");
}

/* The model of an array has cycles of kernels and none of their operations; a design that is run twice calls its kernels twice. */
TEST(an_array_has_model_cycles_of_kernels_alone)
{
	json_t *stats, *row;
	size_t i;

	cli_begin();
	stats = stats_of("--plugin=npu1 $P/softmax.pkg.zst");
	json_array_foreach(json_object_get(json_object_get(stats, "profile"), "rows"), i, row)
	{
		const json_t *cycles = json_object_get(row, "cycles");

		CHECK(NUMBER(row, "operations") ? json_is_null(cycles) : json_integer_value(cycles) > 0);
	}
	CHECK(i > 10);
	json_decref(stats);
	CLI_OUT(0, "$B/ptowsp-run --profile --plugin=npu1 --opt buffering=both $P/softmax.pkg.zst", "calls: 24 for 12 tasks, because aie ran kernels again");
	REQUIRE_INT(cli("$B/ptowsp-run --profile --plugin=npu1 --opt buffering=8 $P/softmax.pkg.zst"), 0);
	CHECK(!strstr(cli_out, "calls: "));
}

TEST(a_backend_that_measures_nothing_says_so)
{
	CLI_ERR(5, "$B/ptowsp-run --profile --plugin=$B/../test/checking/libptowsp_checking.so $P/softmax.pkg.zst",
		"--profile: checking measures no times of kernels");
	cli_check_sentence();
}
