/* SPDX-License-Identifier: MIT
 * test_contract_layout.c - shards over the grid: the same results, bytes that add up, wrong layouts named. */
#include "tests/contract/cli.h"

#include <string.h>

#define ADD   "$P/vector_add.pkg.zst"
#define TASKS "$P/probes/tasks.pkg.zst"

/* Odd sizes, every distribution, one thread and three: bit for bit what it is without a layout. */
TEST(results_do_not_depend_on_layouts)
{
	static const struct {
		const char *package, *options, *out;
		const char *layouts[5];
	} cases[] = {
		{"softmax", "--fill x=random:7 --set total_rows=37", "y", {"layout=x,S0", "layout=y,S1", "layout=x,S1 --schedule layout=y,S0"}},
		{"matmul", "--fill a=random:1 --fill b=random:2", "c", {"layout=c,S0", "layout=a,S1 --schedule layout=b,S0 --schedule layout=c,S1"}},
		{"vector_add", "", "c", {"layout=c,S0,S1", "layout=c,S1,S0 --schedule layout=a,R,S0", "'layout=a,S(0)' --schedule 'layout=b,R,S(1)'"}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run -q %s --out %s=want.npy $P/%s.pkg.zst", cases[i].options, cases[i].out, cases[i].package)), 0);
		for (size_t k = 0; cases[i].layouts[k]; k++)
			for (int threads = 1; threads <= 3; threads += 2) {
				CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --threads %d --schedule spatial_map=3,2 --schedule %s --out %s=got.npy --stats=json "
							"$P/%s.pkg.zst",
							cases[i].options, threads, cases[i].layouts[k], cases[i].out, cases[i].package)),
					  0);
				CHECK(json_array_size(cli_at(cli_json(), "layouts")) > 0);
				CHECK_INT(cli("cmp want.npy got.npy"), 0);
			}
	}
}

/* Eight rows of 1,024 bytes; task i runs at place 2 (i mod 2), row i lies at place 2 (i / 4) of S0: four of eight are at home. Along columns, S1, all
 * lies at places 0 and 1: the even tasks are at place 0, the first half of each of their rows at home. */
TEST(bytes_are_local_where_task_and_shard_are_at_one_place)
{
	json_t *stats;

	REQUIRE_INT(cli("$B/ptowsp-run --schedule spatial_map=2,2 --schedule layout=a,S0 --schedule layout=b,R,S1 --schedule layout=c,S0,S1 --stats=json " ADD),
		    0);
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

TEST(figures_do_not_depend_on_layouts_or_threads)
{
	cli_begin();
	REQUIRE_INT(
		cli("run() { $B/ptowsp-run --fill x=random:7 --set total_rows=37 --schedule spatial_map=3,2 --schedule layout=x,S1 --stats \"$@\" "
		    "$P/softmax.pkg.zst"
		    " | sed '/^load/d; s/ [0-9.]* ms.*//; s/[0-9.]*$//'; }; run --threads 1 >one; run --threads 3 >three; cmp one three && grep -q 'S1' one"),
		0);
	REQUIRE_INT(cli("run() { $B/ptowsp-run --fill x=random:7 --set total_rows=37 --schedule spatial_map=3,2 --stats=json \"$@\" $P/softmax.pkg.zst"
			" | grep -o '\"total_cycles\":[^,]*\\|\"num_edges\":[^,]*'; }; run >plain; run --schedule layout=x,S0 >cut; cmp plain cut"),
		    0);
}

TEST(what_the_core_reads_itself_stays_whole_and_is_said)
{
	static const int32_t zeros[8];

	cli_begin();
	cli_npy("o.npy", "<i4", "8,", zeros, sizeof(zeros));
	CLI_ERR(0, "$B/ptowsp-run --entry loaded --in out=o.npy --set n=3 --schedule spatial_map=2,2 --schedule layout=out,S0 --stats=json " TASKS,
		"stays whole: a slot is loaded from it");
	CHECK_UINT(json_array_size(cli_at(cli_json(), "layouts")), 0);
}

TEST(wrong_layouts_are_usage_errors_that_name_the_tensor)
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

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		CLI_ERR(2, check_fmt("$B/ptowsp-run --schedule %s " ADD, cases[i].options), cases[i].word);
		cli_check_sentence();
	}
	/* nobody has to place a shard for that, and nothing has to run */
	CHECK_INT(cli("$B/ptowsp-run --explain --schedule spatial_map=2,2 --schedule layout=a,S0,S0 " ADD), 2);
	CHECK_STR(cli_err, "ptowsp-run: layout of tensor a: two dimensions lie over axis 0 of the grid; write R for one of them\n");
	CHECK_INT(cli("$B/ptowsp-run --explain --schedule spatial_map=2,2 --schedule 'layout=a,S(0),S(1)' " ADD), 0);
	/* a grid that only some runs have is one */
	CHECK_INT(cli("$B/ptowsp-run --explain --schedule 'dispatch=threshold(task,round_robin(2),8,spatial_map(2,2))' --schedule layout=a,S0 " ADD), 0);
	CHECK_INT(cli("$B/ptowsp-run --explain --schedule 'dispatch=threshold(task,spatial_map(2,2),8,round_robin(2))' --schedule layout=a,S0 " ADD), 0);
	CHECK_INT(cli("$B/ptowsp-run --explain --schedule 'dispatch=threshold(task,hash(task,2),8,round_robin(2))' --schedule layout=a,S0 " ADD), 2);
	CHECK_STR(cli_err, "ptowsp-run: layout of tensor a: spatial_map=R,C says over which grid shards lie, and is missing; add it\n");
}

/* As those of a source, with the package's names: what comes from the command line or from JSON is looked at when it is packed. */
TEST(wrong_layouts_of_a_package_are_refused_when_it_is_packed)
{
	static const char source[] = "tensor %x : f32[16, 8] inout\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n"
				     "  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\nworkload @main { call @one(%x -> %x[0, 0]) }\n"
				     "schedule { spatial_map(2, 2)\n layout %x(S(0), R) }\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/l.pto", check_tmp()), source, strlen(source)));
	CLI_ERR(3, "$B/ptowsp-pack l.pto --schedule layout=x,S0,S0 -o l.pkg.zst",
		"SCHD[1]: layout of tensor x: two dimensions lie over axis 0 of the grid; write R for one of them");
	CLI_ERR(3, "$B/ptowsp-pack l.pto --schedule layout=y,S0 -o l.pkg.zst", "SCHD[2]: layout: there is no tensor \"y\"");
	CLI_ERR(3, "$B/ptowsp-pack l.pto --schedule 'dispatch=round_robin(4)' -o l.pkg.zst",
		"layout of tensor x: spatial_map=R,C says over which grid shards lie, and is missing; add it");
	REQUIRE_INT(cli("$B/ptowsp-pack l.pto -o l.pkg.zst && $B/ptowsp-run l.pkg.zst && $B/ptowsp-inspect --json l.pkg.zst >l.json"), 0);
	CLI_ERR(2, "$B/ptowsp-run --schedule 'dispatch=round_robin(4)' l.pkg.zst", "spatial_map=R,C says over which grid shards lie");
	CLI_ERR(3, "sed 's/\"S0\"/\"S3\"/' l.json >m.json && ! cmp -s l.json m.json && $B/ptowsp-pack --from-json m.json -o m.pkg.zst",
		"SCHD[1]: layout of tensor x: dimension 0 is \"S3\"; write R, S0 or S1");
}

/* --- collectives --- */

#define PLACES 4
#define TOTAL  (64 * 96)

/* Contributions whose sums round: adding in another order would show. */
static float contribution(int place, int i)
{
	return (float)((i * 37 + place * 101) % 211) / 7.0f - 9.0f * (float)place;
}

static void contributions_write(int k, int n)
{
	static float parts[PLACES][TOTAL], rows[16 * 16], lines[4][32];
	static int32_t counts[8 * 16 * 32];

	for (int p = 0; p < PLACES; p++)
		for (int i = 0; i < TOTAL; i++)
			parts[p][i] = contribution(p, i);
	for (int i = 0; i < k * n * 32; i++)
		counts[i] = i * i - 7 * i;
	for (int i = 0; i < n * 16; i++)
		rows[i] = (float)i;
	for (int i = 0; i < 4 * 32; i++)
		lines[i / 32][i % 32] = contribution(i / 32, i % 32);
	cli_npy("parts.npy", "<f4", "4, 64, 96", parts, sizeof(parts));
	cli_npy("counts.npy", "<i4", check_fmt("%d, %d, 4, 8", k, n), counts, (size_t)(k * n) * 32 * 4);
	cli_npy("rows.npy", "<f4", check_fmt("%d, 16", n), rows, (size_t)n * 64);
	cli_npy("lines.npy", "<f4", "4, 32", lines, sizeof(lines));
}

/* What plain loops make of them, in the files that a run's outputs are compared with. */
static void results_write(int k, int n)
{
	static float total[TOTAL], most[TOTAL], turned[TOTAL], least[32], third[32], whole[16 * 16];
	static int32_t count[16 * 32];

	for (int i = 0; i < TOTAL; i++) {
		total[i] = most[i] = contribution(0, i);
		for (int p = 1; p < PLACES; p++) {
			total[i] += contribution(p, i);
			most[i] = most[i] > contribution(p, i) ? most[i] : contribution(p, i);
		}
		turned[i] = total[i] + total[i];
	}
	for (int i = 0; i < n * 32; i++) {
		count[i] = 0;
		for (int p = 0; p < k; p++)
			count[i] += (p * n * 32 + i) * (p * n * 32 + i) - 7 * (p * n * 32 + i);
	}
	for (int i = 0; i < n * 16; i++)
		whole[i] = (float)i;
	for (int i = 0; i < 32; i++) {
		least[i] = contribution(0, i);
		for (int p = 1; p < 4; p++)
			least[i] = least[i] < contribution(p, i) ? least[i] : contribution(p, i);
		third[i] = contribution(2, i);
	}
	cli_npy("want_total.npy", "<f4", "64, 96", total, sizeof(total));
	cli_npy("want_cut.npy", "<f4", "64, 96", total, sizeof(total));
	cli_npy("want_most.npy", "<f4", "64, 96", most, sizeof(most));
	cli_npy("want_turned.npy", "<f4", "64, 96", turned, sizeof(turned));
	cli_npy("want_count.npy", "<i4", check_fmt("%d, 4, 8", n), count, (size_t)n * 128);
	cli_npy("want_whole.npy", "<f4", check_fmt("%d, 16", n), whole, (size_t)n * 64);
	cli_npy("want_least.npy", "<f4", "32,", least, sizeof(least));
	cli_npy("want_third.npy", "<f4", "1, 32", third, sizeof(third));
}

static void outputs_compare(const char *package, const char *options)
{
	static const char *const names[] = {"total", "cut", "most", "turned", "count", "whole", "least", "third"};
	const char *command = check_fmt("$B/ptowsp-run -q %s --in parts=parts.npy --in counts=counts.npy --in rows=rows.npy --in lines=lines.npy", options);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		command = check_fmt("%s --out %s=got_%s.npy", command, names[i], names[i]);
	CHECK_INT(cli(check_fmt("%s %s", command, package)), 0);
	CHECK_STR(cli_err, "");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		CHECK_INT(cli(check_fmt("cmp want_%s.npy got_%s.npy", names[i], names[i])), 0);
}

TEST(collectives_move_and_add)
{
	static const char *const options[] = {"--threads 1", "--threads 2", "--threads 2 --schedule spatial_map=2,2",
					      "--threads 2 --schedule 'deps=hybrid(bytes_overlap)'"};

	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack --strict %s/tests/contract/collectives.pto -o c.pkg.zst", check_root())), 0);
	CHECK_STR(cli_err, "");
	contributions_write(3, 6);
	results_write(3, 6);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		outputs_compare("c.pkg.zst", options[i]);
	contributions_write(1, 2);
	results_write(1, 2);
	outputs_compare("c.pkg.zst", "--threads 2 --set k=1 --set n=2");
}

/* What a package says of its collectives packs to the same bytes. */
TEST(collectives_print_as_what_they_are_made_of)
{
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack %s/tests/contract/collectives.pto -o c.pkg.zst", check_root())), 0);
	REQUIRE_INT(cli("$B/ptowsp-inspect --pto c.pkg.zst >again.pto && $B/ptowsp-pack again.pto -o again.pkg.zst && cmp c.pkg.zst again.pkg.zst"), 0);
	REQUIRE_INT(cli("grep -q 'relayout %cut -> %cut.1' again.pto && grep -q 'call @sum.f32.32x96' again.pto"), 0);
}

/* The loop's %n is 1, the tensor's is 5. */
TEST(an_extent_is_its_symbol_where_a_loop_has_its_name)
{
	static const char text[] = "symbol %n : u64 = 5\ntensor %x : i32[2, %n, 4] in layout(S(0), R, R)\ntensor %y : i32[%n, 4] out layout(R, R)\n"
				   "workload @main {\n  parallel_for %n in 1 to 2 { all_reduce %x -> %y }\n}\n";
	int32_t x[40], want[20];

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/s.pto", check_tmp()), text, strlen(text)));
	for (int i = 0; i < 40; i++)
		x[i] = i * 3;
	for (int i = 0; i < 20; i++)
		want[i] = x[i] + x[20 + i];
	cli_npy("x.npy", "<i4", "2, 5, 4", x, sizeof(x));
	cli_npy("want.npy", "<i4", "5, 4", want, sizeof(want));
	REQUIRE_INT(cli("$B/ptowsp-pack --strict s.pto -o s.pkg.zst && $B/ptowsp-run -q --in x=x.npy --out y=y.npy s.pkg.zst && cmp want.npy y.npy"), 0);
}

/* The function that adds gets a name that neither a function nor a kernel of the source has, and one for all reductions alike. */
TEST(the_function_of_a_reduction_takes_nobodys_name)
{
	static const char source[] =
		"tensor %p : f32[2, 8, 8] in layout(S(0), R, R)\ntensor %t : f32[8, 8] out layout(R, R)\ntensor %u : f32[8, 8] out layout(R, R)\n"
		"func @sum.f32.8x8(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<8x8xf32>\n  %a = tload %x[0, 0]\n"
		"  %a = tmuls %a, %2.0\n  tstore %a, %x[0, 0]\n}\nkernel @sum.f32.8x8.(%a: f32[8, 8] inout) { portable @sum.f32.8x8 }\n"
		"workload @main {\n  all_reduce %p -> %t\n  all_reduce %p -> %u\n  call @sum.f32.8x8(%x -> %t)\n  call @sum.f32.8x8.(%a -> %u)\n}\n"
		"schedule { spatial_map(2, 2) }\n";
	float p[2 * 64], want[64];

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/r.pto", check_tmp()), source, strlen(source)));
	for (int i = 0; i < 64; i++) {
		p[i] = (float)i;
		p[64 + i] = 3;
		want[i] = 2 * ((float)i + 3);
	}
	cli_npy("p.npy", "<f4", "2, 8, 8", p, sizeof(p));
	cli_npy("want.npy", "<f4", "8, 8", want, sizeof(want));
	REQUIRE_INT(cli("$B/ptowsp-pack r.pto -o r.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run -q --in p=p.npy --expect t=want.npy --expect u=want.npy r.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
	CLI_PRINTS(0, "$B/ptowsp-inspect --json r.pkg.zst | grep -c payload_count", "3\n");
}
