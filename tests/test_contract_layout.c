/* SPDX-License-Identifier: MIT
 * test_contract_layout.c - shards over the grid: the same results, bytes that add up, wrong layouts named. */
#include "contract/cli.h"

#include <string.h>

#define ADD "$P/vector_add.pkg.zst"
#define TASKS "$P/probes/tasks.pkg.zst"

/* Odd sizes, every distribution, one thread and three: bit for bit what it is without a layout. */
static void results_do_not_depend_on_layouts(void)
{
	static const struct {
		const char *package, *options, *out;
		const char *layouts[5];
	} cases[] = {
		{"softmax", "--fill x=random:7 --set total_rows=37", "y", {"layout=x,S0", "layout=y,S1", "layout=x,S1 --schedule layout=y,S0"}},
		{"matmul", "--fill a=random:1 --fill b=random:2", "c", {"layout=c,S0", "layout=a,S1 --schedule layout=b,S0 --schedule layout=c,S1"}},
		{"vector_add", "", "c", {"layout=c,S0,S1", "layout=c,S1,S0 --schedule layout=a,R,S0", "'layout=a,S(0)' --schedule 'layout=b,R,S(1)'"}},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run -q %s --out %s=want.npy $P/%s.pkg.zst", cases[i].options, cases[i].out, cases[i].package)), 0);
		for (size_t k = 0; cases[i].layouts[k]; k++)
			for (int threads = 1; threads <= 3; threads += 2) {
				CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --threads %d --schedule spatial_map=3,2 --schedule %s --out %s=got.npy --stats=json $P/%s.pkg.zst",
							cases[i].options, threads, cases[i].layouts[k], cases[i].out, cases[i].package)), 0);
				CHECK(json_array_size(cli_at(cli_json(), "layouts")) > 0);
				CHECK_INT(cli("cmp want.npy got.npy"), 0);
			}
	}
}

/* Eight rows of 1,024 bytes; task i runs at place 2 (i mod 2), row i lies at place 2 (i / 4) of S0: four of eight are at home. Along columns, S1, all
 * lies at places 0 and 1: the even tasks are at place 0, the first half of each of their rows at home. */
static void bytes_are_local_where_task_and_shard_are_at_one_place(void)
{
	json_t *stats;

	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-run --schedule spatial_map=2,2 --schedule layout=a,S0 --schedule layout=b,R,S1 --schedule layout=c,S0,S1 --stats=json " ADD), 0);
	stats = cli_json();
	CHECK_STR(cli_text(stats, "layouts[a].layout"), "S0,R");
	CHECK_INT(cli_int(stats, "layouts[a].shards"), 2);
	CHECK_INT(cli_int(stats, "layouts[a].bytes_local"), 4096);
	CHECK_INT(cli_int(stats, "layouts[a].bytes_moved"), 4096);
	CHECK_INT(cli_int(stats, "layouts[a].bytes_placed"), 16384);
	CHECK_INT(cli_int(stats, "layouts[b].shards"), 2);
	CHECK_INT(cli_int(stats, "layouts[b].bytes_local"), 2048);
	CHECK_INT(cli_int(stats, "layouts[b].bytes_moved"), 6144);
	CHECK_INT(cli_int(stats, "layouts[c].shards"), 4);
	CHECK_INT(cli_int(stats, "layouts[c].bytes_local"), 2048);
	CHECK_INT(cli_int(stats, "layouts[c].bytes_moved"), 6144);
}

static void figures_do_not_depend_on_layouts_or_threads(void)
{
	cli_begin();
	REQUIRE_INT(cli("run() { $B/ptowsp-run --fill x=random:7 --set total_rows=37 --schedule spatial_map=3,2 --schedule layout=x,S1 --stats \"$@\" $P/softmax.pkg.zst"
			" | sed '/^load/d; s/ [0-9.]* ms.*//; s/[0-9.]*$//'; }; run --threads 1 >one; run --threads 3 >three; cmp one three && grep -q 'S1' one"),
		    0);
	REQUIRE_INT(cli("run() { $B/ptowsp-run --fill x=random:7 --set total_rows=37 --schedule spatial_map=3,2 --stats=json \"$@\" $P/softmax.pkg.zst"
			" | grep -o '\"total_cycles\":[^,]*\\|\"num_edges\":[^,]*'; }; run >plain; run --schedule layout=x,S0 >cut; cmp plain cut"),
		    0);
}

static void what_the_core_reads_itself_stays_whole_and_is_said(void)
{
	static const int32_t zeros[8];

	cli_begin();
	cli_npy("o.npy", "<i4", "8,", zeros, sizeof(zeros));
	REQUIRE_INT(cli("$B/ptowsp-run --entry loaded --in out=o.npy --set n=3 --schedule spatial_map=2,2 --schedule layout=out,S0 --stats=json " TASKS), 0);
	CHECK_CONTAINS(cli_err, "stays whole: a slot is loaded from it");
	CHECK_UINT(json_array_size(cli_at(cli_json(), "layouts")), 0);
}

static void wrong_layouts_are_usage_errors_that_name_the_tensor(void)
{
	static const struct {
		const char *options, *word;
	} cases[] = {
		{"layout=a,S0", "spatial_map"},
		{"spatial_map=2,2 --schedule layout=d,S0", "no tensor \"d\""},
		{"spatial_map=2,2 --schedule layout=a,S2", "S2"},
		{"spatial_map=2,2 --schedule layout=a,S0,S0", "two dimensions"},
		{"spatial_map=2,2 --schedule layout=a,S0,R,S1", "dimension 2"},
		{"spatial_map=2,2 --schedule 'dispatch=round_robin(2)'", "exclude each other"},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --schedule %s " ADD, cases[i].options)), 2);
		CHECK_CONTAINS(cli_err, cases[i].word);
		cli_check_sentence();
	}
}

void suite_contract_layout(CU_pSuite s)
{
	cli_suite("layout");
	TEST(s, results_do_not_depend_on_layouts);
	TEST(s, bytes_are_local_where_task_and_shard_are_at_one_place);
	TEST(s, figures_do_not_depend_on_layouts_or_threads);
	TEST(s, what_the_core_reads_itself_stays_whole_and_is_said);
	TEST(s, wrong_layouts_are_usage_errors_that_name_the_tensor);
}
