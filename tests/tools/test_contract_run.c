/* SPDX-License-Identifier: MIT
 * test_contract_run.c - ptowsp-run as a user runs it: bindings in and out, comparison, repeated runs, levels of tiles. */
#include "tests/contract/cli.h"
#include "tests/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SCALE   "$K/scale.pkg.zst"
#define VECTORS "$K/vectors.pkg.zst"

static float *read_f32(const char *name, size_t want)
{
	size_t bytes;
	float *data = cli_npy_read(name, "<f4", &bytes);

	if (data && bytes != want * sizeof(*data)) {
		CHECK_FAIL("%s has %zu bytes, not %zu", name, bytes, want * sizeof(*data));
		free(data);
		data = NULL;
	}
	return data;
}

static float element_of(const char *name, size_t count, size_t at)
{
	float *all = read_f32(name, count), one;

	REQUIRE(all != NULL);
	one = all[at];
	free(all);
	return one;
}

TEST(run_binds_reads_and_writes_files)
{
	float *dst;

	cli_begin();
	cli_npy_f32("src.npy", 32, -3, 0.5);
	REQUIRE_INT(cli("$B/ptowsp-run --in src=src.npy --set count=2 --out dst=dst.npy " SCALE), 0);
	CHECK_STR(cli_err, "");
	CHECK_UINT(cli_lines(cli_out), 1);
	CHECK_CONTAINS(cli_out, "cpu_sim");
	CHECK_CONTAINS(cli_out, "128"); /* cycles: 2 tiles of 16, 4 instructions each */
	dst = read_f32("dst.npy", 32);
	REQUIRE(dst != NULL);
	for (int i = 0; i < 32; i++)
		CHECK_NEAR(dst[i], 2 * (-3 + 0.5 * i) + 1, 0);
	free(dst);
}

TEST(flags_take_their_value_with_or_without_equals)
{
	cli_begin();
	cli_npy_f32("src.npy", 32, 0, 1);
	CHECK_INT(cli("$B/ptowsp-run --in=src=src.npy --set=count=2 --out=dst=a.npy --plugin=cpu_sim --threads=1 " SCALE), 0);
	CHECK_INT(cli("$B/ptowsp-run " SCALE " --in src=src.npy --set count=2 --out dst=b.npy --plugin cpu_sim --threads 1"), 0);
	CHECK_INT(cli("cmp a.npy b.npy"), 0);
}

TEST(a_plugin_is_taken_by_path_alias_and_auto)
{
	static const char *const ways[] = {"--plugin=$B/../lib/ptowsp/plugins/libptowsp_cpu_sim.so", "--plugin=cpu_sim", "--plugin=auto",
					   "--plugin-dir $B/../lib/ptowsp/plugins"};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		CHECK_INT(cli(check_fmt("$B/ptowsp-run %s --entry mixed --stats=json " VECTORS, ways[i])), 0);
		CHECK_STR(cli_text(cli_json(), "plugin"), "cpu_sim");
	}
}

TEST(tools_run_from_any_folder_and_through_a_link)
{
	CHECK_INT(cli("cd / && $B/ptowsp-run --entry mixed " VECTORS), 0);
	CHECK_INT(cli("ln -s $B/ptowsp-run here && ./here --entry mixed " VECTORS), 0);
	CHECK_INT(cli("PATH=$B:$PATH ptowsp-run --entry mixed " VECTORS), 0);
	CHECK_INT(cli("env -i $B/ptowsp-run --entry mixed " VECTORS), 0);
}

TEST(an_output_replaces_an_older_file)
{
	CHECK_INT(cli("echo old >dst.npy && $B/ptowsp-run --fill src=ones --set count=1 --out dst=dst.npy " SCALE), 0);
	CHECK_NEAR(element_of("dst.npy", 16, 0), 3, 0);
	CLI_PRINTS(0, "ls -A", "dst.npy\n");
}

TEST(an_output_over_its_own_input_is_right)
{
	cli_begin();
	cli_npy_f32("x.npy", 16, 0, 1);
	CHECK_INT(cli("$B/ptowsp-run --in src=x.npy --set count=1 --out dst=x.npy " SCALE), 0);
	CHECK_NEAR(element_of("x.npy", 16, 15), 31, 0);
}

static float random_value(uint64_t seed, uint64_t arg, uint64_t i)
{
	return (float)(-1 + 2 * ((double)(draw_mix(seed << 40 | arg << 32 | i) >> 40) * 0x1p-24));
}

TEST(fills_are_zeros_ones_iota_and_the_corpus_random)
{
	float *num, *den, *quot;

	cli_begin();
	cli_npy_f32("eight.npy", 8, 0, 0);
	REQUIRE_INT(cli("$B/ptowsp-run --fill num=iota --fill den=ones --out num=n.npy --out den=d.npy --out quot=q.npy $K/divide.pkg.zst"), 0);
	num = read_f32("n.npy", 8), den = read_f32("d.npy", 8), quot = read_f32("q.npy", 8);
	for (int i = 0; i < 8 && num && den && quot; i++) {
		CHECK_NEAR(num[i], i, 0);
		CHECK_NEAR(den[i], 1, 0);
		CHECK_NEAR(quot[i], i, 0);
	}
	free(num), free(den), free(quot);
	REQUIRE_INT(cli("$B/ptowsp-run --fill num=random:7 --fill den=random:123456 --out num=n.npy --out den=d.npy $K/divide.pkg.zst"), 0);
	num = read_f32("n.npy", 8), den = read_f32("d.npy", 8);
	for (uint64_t i = 0; i < 8 && num && den; i++) {
		CHECK_NEAR(num[i], random_value(7, 0, i), 0);
		CHECK_NEAR(den[i], random_value(123456, 1, i), 0);
	}
	free(num), free(den);
	REQUIRE_INT(cli("$B/ptowsp-run --fill num=zeros --fill den=ones --out num=n.npy $K/divide.pkg.zst"), 0);
	num = read_f32("n.npy", 8);
	CHECK(num && num[0] == 0 && num[7] == 0);
	free(num);
}

TEST(an_unbound_input_is_zeros_and_said_once_with_the_option)
{
	CLI_ERR(0, "$B/ptowsp-run --fill den=ones --out quot=q.npy $K/divide.pkg.zst", "--in num=");
	CHECK_UINT(cli_lines(cli_err), 1);
	REQUIRE_INT(cli("$B/ptowsp-run --fill den=ones --stats=json $K/divide.pkg.zst"), 0);
	CHECK_UINT(json_array_size(cli_at(cli_json(), "diagnostics")), 1);
}

/* A comparison: got dst = 2 * src + 1 with src = 0, 1, ... against a file that differs in some places. */
TEST(expect_tells_counts_and_places)
{
	float ref[16];
	json_t *stats;

	cli_begin();
	for (int i = 0; i < 16; i++)
		ref[i] = (float)(2 * i + 1);
	cli_npy("same.npy", "<f4", "16,", ref, sizeof(ref));
	CHECK_INT(cli("$B/ptowsp-run --fill src=iota --set count=1 --expect dst=same.npy " SCALE), 0);
	ref[3] += 0.5f;
	ref[9] -= 2;
	cli_npy("other.npy", "<f4", "16,", ref, sizeof(ref));
	CHECK_INT(cli("$B/ptowsp-run --fill src=iota --set count=1 --expect dst=other.npy " SCALE), 6);
	cli_check_sentence();
	CHECK_CONTAINS(cli_err, "dst");
	CHECK_CONTAINS(cli_err, "2 of 16");
	CHECK_CONTAINS(cli_err, "7.5"); /* first: 7 against 7.5 */
	CHECK_CONTAINS(cli_err, "17");  /* worst: 19 against 17 */
	CHECK_INT(cli("$B/ptowsp-run --stats=json --fill src=iota --set count=1 --expect dst=other.npy " SCALE), 6);
	stats = cli_json();
	CHECK_UINT(json_array_size(cli_at(stats, "compare")), 1);
	CHECK_INT(cli("$B/ptowsp-run --fill src=iota --set count=1 --expect dst=other.npy --atol 2 " SCALE), 0);
	CLI_ERR(6, "$B/ptowsp-run --fill src=iota --set count=1 --expect dst=other.npy --atol 1.9 --rtol 0 " SCALE, "1 of 16");
	CHECK_INT(cli("$B/ptowsp-run --fill src=iota --set count=1 --expect dst=other.npy --atol=0 --rtol=0.12 " SCALE), 0);
}

/* The run itself was good: its output may be written for a closer look, whole, or not at all. */
TEST(an_output_beside_a_failed_expectation_is_whole_or_old)
{
	float *dst;

	cli_begin();
	cli_npy_f32("zero.npy", 16, 0, 0);
	CHECK_INT(cli("echo old >dst.npy && exec $B/ptowsp-run --fill src=iota --set count=1 --expect dst=zero.npy --out dst=dst.npy " SCALE), 6);
	CLI_PRINTS(0, "ls -A", "dst.npy\nzero.npy\n");
	if (cli("grep -qx old dst.npy")) {
		dst = read_f32("dst.npy", 16);
		CHECK(dst && dst[15] == 31);
		free(dst);
	}
}

TEST(tolerances_have_their_defaults_and_nan_equals_nan)
{
	float num[8] = {0, 1, -1, 1, 1, 1, 1, 1}, den[8] = {0, 0, 0, 1, 1, 1, 1, 1};
	float ref[8] = {NAN, INFINITY, -INFINITY, 1, 1, 1, 1, 1.00001f};

	cli_begin();
	cli_npy("n.npy", "<f4", "2, 4", num, sizeof(num));
	cli_npy("d.npy", "<f4", "2, 4", den, sizeof(den));
	cli_npy("q.npy", "<f4", "2, 4", ref, sizeof(ref));
	CHECK_INT(cli("$B/ptowsp-run --in num=n.npy --in den=d.npy --expect quot=q.npy $K/divide.pkg.zst"), 0);
	ref[7] = 1.00002f;
	cli_npy("q.npy", "<f4", "2, 4", ref, sizeof(ref));
	CHECK_INT(cli("$B/ptowsp-run --in num=n.npy --in den=d.npy --expect quot=q.npy $K/divide.pkg.zst"), 6);
	ref[7] = NAN;
	cli_npy("q.npy", "<f4", "2, 4", ref, sizeof(ref));
	CHECK_INT(cli("$B/ptowsp-run --in num=n.npy --in den=d.npy --expect quot=q.npy --atol 1e30 $K/divide.pkg.zst"), 6);
	ref[7] = 1;
	ref[1] = -INFINITY;
	cli_npy("q.npy", "<f4", "2, 4", ref, sizeof(ref));
	CHECK_INT(cli("$B/ptowsp-run --in num=n.npy --in den=d.npy --expect quot=q.npy --rtol 10 $K/divide.pkg.zst"), 6);
	CHECK_INT(cli("$B/ptowsp-run --stats=json --in num=n.npy --in den=d.npy --expect quot=q.npy $K/divide.pkg.zst"), 6);
	cli_json();
}

TEST(shapes_of_files_do_not_matter_where_memory_is_flat)
{
	float *dst;

	cli_begin();
	cli_npy("a.npy", "<f4", "2, 4, 4", (float[32]){1, 2, 3}, 32 * 4);
	REQUIRE_INT(cli("$B/ptowsp-run --in src=a.npy --set count=2 --out dst=dst.npy " SCALE), 0);
	dst = read_f32("dst.npy", 32);
	CHECK(dst && dst[1] == 5);
	free(dst);
}

TEST(integers_are_computed_as_integers)
{
	static const int32_t in[4] = {1, -2, 2147483647, 5};
	int32_t *got;
	size_t bytes;

	cli_begin();
	cli_npy("i.npy", "<i4", "2, 2", in, sizeof(in));
	REQUIRE_INT(cli("$B/ptowsp-run --in src=i.npy --set k=-3 --out dst=o.npy $K/ints.pkg.zst"), 0);
	got = cli_npy_read("o.npy", "<i4", &bytes);
	REQUIRE(got && bytes == 16);
	CHECK_INT(got[0], -3);
	CHECK_INT(got[1], 6);
	CHECK_INT(got[2], (int32_t)(uint32_t)(INT64_C(2147483647) * -3));
	CHECK_INT(got[3], -15);
	free(got);
}

TEST(runs_take_their_values_from_lists_without_reloading)
{
	cli_begin();
	cli_npy_f32("src.npy", 64, 0, 1);
	REQUIRE_INT(cli("$B/ptowsp-run --in src=src.npy --fill dst=zeros --runs 3 --set count=4,1,2 --out dst=dst.npy " SCALE), 0);
	CHECK_NEAR(element_of("dst.npy", 64, 31), 63, 0);
	REQUIRE_INT(cli("$B/ptowsp-run --entry loop --runs 3 --set n=4,1,2 --no-kernels --stats=json " VECTORS), 0);
	cli_json();
	CHECK_INT(cli("$B/ptowsp-run --entry loop --runs 2 --set n=4,1,2 --no-kernels " VECTORS), 2);
	cli_check_sentence();
}

/* n = 300 tiles of 32 x 4 as the levels say; the result is a copy, and kernels of other levels are named f_R. */
struct levels {
	const char *name, *entry;
	int n, plain, other; /* tasks of copy and of copy_64 */
	int cycles;
};
static const struct levels levels[] = {
	{"a_loop_of_300_is_one_block_of_256_and_44_rests", "levels", 300, 44, 128, 44 * 256 + 128 * 512},
	{"a_loop_below_the_smallest_block_has_only_rests", "levels", 255, 255, 0, 255 * 256},
	{"a_loop_of_one_block_has_no_rest", "levels", 256, 0, 128, 128 * 512},
	{"a_loop_above_the_range_repeats_whole_blocks", "blocks", 300, 44, 128, 44 * 256 + 128 * 512},
	{"a_block_size_without_a_level_has_32_rows", "blocks", 330, 10 + 64, 128, 74 * 256 + 128 * 512},
	{"a_name_that_ends_in_digits_stays", "fixed", 65, 0, 65, 65 * 512},
	{"an_empty_loop_has_no_tasks", "levels", 0, 0, 0, 0},
};

static void run_levels(void)
{
	const struct levels *l = CHECK_ROW(levels);
	json_t *stats;

	cli_begin();
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --no-kernels --entry %s --set n=%d --stats=json $K/levels.pkg.zst", l->entry, l->n)), 0);
	stats = cli_json();
	CHECK_INT(cli_int(stats, "num_tasks"), l->plain + l->other);
	CHECK_INT(cli_int(stats, "total_cycles"), l->cycles);
	if (l->plain)
		CHECK_INT(cli_int(stats, "kernels[copy].tasks"), l->plain);
	if (l->other)
		CHECK_INT(cli_int(stats, "kernels[copy_64].tasks"), l->other);
}

TEST(levels_cover_the_whole_tensor)
{
	cli_begin();
	cli_npy_f32("src.npy", 300 * 128, 1, 1);
	CLI_FIGURE("$B/ptowsp-run --in src=src.npy --set n=300 --expect dst=src.npy --stats=json $K/levels.pkg.zst", "num_tasks", 172);
	CHECK_INT(cli("$B/ptowsp-run --entry blocks --in src=src.npy --set n=300 --expect dst=src.npy $K/levels.pkg.zst"), 0);
}

TEST(a_level_without_its_kernel_uses_the_plain_one_and_says_so_once)
{
	const char *at;

	CLI_FIGURE("$B/ptowsp-pack $S/levels.pto -o again.pkg.zst && $B/ptowsp-run --no-kernels --entry missing --set n=600 --stats=json again.pkg.zst",
		   "kernels[copy].tasks", 2 * 64 + 88);
	at = strstr(cli_err, "no variant for tile level");
	CHECK(at != NULL);
	CHECK(at && !strstr(at + 1, "no variant"));
}

/* What runs at a level is what the declared kernel names for it; a workload that is called has the extents that it says. */
TEST(declared_kernels_have_variants)
{
	CHECK_INT(cli("$B/ptowsp-pack --strict $S/kernel_levels.pto -o k.pkg.zst && $B/ptowsp-run --out y=y.npy --stats=json k.pkg.zst"), 0);
	CHECK_INT(cli_int(cli_json(), "kernels[three].tasks"), 1);
	CHECK_INT(cli_int(cli_json(), "kernels[k_64].tasks"), 1);
	CHECK_INT(cli_int(cli_json(), "kernels[k].tasks"), 1);
	CLI_PRINTS(0, "od -An -v -tf4 -w4 -j128 y.npy | uniq -c | tr -s ' ' ' '", " 256 inf\n 128 0\n 64 -1\n");
	CHECK_INT(cli("$B/ptowsp-run --entry twice --stats=json k.pkg.zst"), 0);
	CHECK_INT(cli_int(cli_json(), "kernels[three].tasks"), 1);
	CHECK_INT(cli_int(cli_json(), "kernels[k_64].tasks"), 1);
	CHECK_INT(cli_int(cli_json(), "kernels[k].tasks"), 1);
}

TEST(conditions_follow_their_symbols)
{
	CLI_FIGURE("$B/ptowsp-run --entry pick --set n=6 --stats=json " VECTORS, "num_tasks", 2);
	CLI_FIGURE("$B/ptowsp-run --entry pick --set n=5 --stats=json " VECTORS, "num_tasks", 1);
	CLI_FIGURE("$B/ptowsp-run --entry pick --set n=-7 --stats=json " VECTORS, "num_tasks", 1);
}

TEST(quotients_truncate)
{
	CLI_FIGURE("$B/ptowsp-run --entry quotient --set n=7 --set d=2 --stats=json " VECTORS, "num_tasks", 3);
	CLI_FIGURE("$B/ptowsp-run --entry quotient --set n=-7 --set d=-2 --stats=json " VECTORS, "num_tasks", 3);
	CLI_FIGURE("$B/ptowsp-run --entry quotient --set n=-7 --set d=2 --stats=json " VECTORS, "num_tasks", 0);
}

struct control {
	const char *name, *args;
	float result;
	int cycles;
};
static const struct control controls[] = {
	{"a_while_loop_counts_collatz_steps", "--set n=6", 8, 2 + 8},          {"a_while_loop_may_run_not_at_all", "--set n=1", 0, 2},
	{"continue_and_break_leave_what_they_say", "--entry skips", 5, 2 + 5}, {"single_bits_decide", "--entry bits --set mask=18", 18, 4},
	{"other_bits_do_not_decide", "--entry bits --set mask=-19", 0, 2},     {"a_division_bounds_a_loop", "--entry halves --set n=7 --set d=2", 3, 2 + 3},
};

static void run_control(void)
{
	const struct control *c = CHECK_ROW(controls);
	float *dst;

	cli_begin();
	CLI_FIGURE(check_fmt("$B/ptowsp-run %s --out dst=dst.npy --stats=json $K/control.pkg.zst", c->args), "total_cycles", c->cycles);
	dst = read_f32("dst.npy", 1);
	CHECK(dst && *dst == c->result);
	free(dst);
	CLI_FIGURE(check_fmt("$B/ptowsp-run --no-kernels %s --stats=json $K/control.pkg.zst", c->args), "total_cycles", c->cycles);
}

/* Renaming a file over a device or a pipe would put a plain file in its place: as root, in the place of /dev/null. */
TEST(what_is_no_plain_file_is_not_replaced)
{
	static const char *const commands[] = {"$B/ptowsp-run --entry mixed --fill a=ones --out a=pipe " VECTORS,
					       "$B/ptowsp-run --entry mixed --fill a=ones --trace pipe " VECTORS,
					       "$B/ptowsp-run --entry mixed --fill a=ones --graph pipe.json " VECTORS,
					       "$B/ptowsp-run --entry mixed --fill a=ones --graph link.json " VECTORS,
					       "$B/ptowsp-pack $S/scale.pto -o pipe",
					       "$B/ptowsp-pack $S/scale.pto -o link.json"};

	REQUIRE_INT(cli("mkfifo pipe pipe.json && ln -s pipe link.json"), 0);
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		CHECK_INT(cli(commands[i]), 2);
		cli_check_sentence();
		CHECK_CONTAINS(cli_err, "plain file");
	}
	CLI_PRINTS(0, "test -p pipe && test -p pipe.json && test -L link.json && ls -A", "link.json\npipe\npipe.json\n");
}

TEST(an_output_behind_a_link_keeps_the_link)
{
	REQUIRE_INT(cli("mkdir d && echo old >d/real.npy && ln -s d/real.npy a.npy && echo old >d/p && ln -s d/p p.pkg.zst &&"
			" $B/ptowsp-run --entry mixed --fill a=ones --out a=a.npy " VECTORS " && $B/ptowsp-pack $S/scale.pto -o p.pkg.zst"),
		    0);
	CHECK_INT(cli("test -L a.npy && test -L p.pkg.zst && zstd -qt d/p && grep -q NUMPY d/real.npy && ls -A . d"), 0);
	CHECK_STR(cli_out, ".:\na.npy\nd\np.pkg.zst\n\nd:\np\nreal.npy\n");
}

TEST(two_runs_at_once_do_not_disturb_each_other)
{
	float *x;

	cli_begin();
	cli_npy_f32("src.npy", 32, 0, 1);
	CHECK_INT(cli("for i in 1 2 3 4 5 6; do $B/ptowsp-run -q --in src=src.npy --set count=2 --out dst=dst.npy " SCALE " & done; wait"), 0);
	CLI_PRINTS(0, "ls -A", "dst.npy\nsrc.npy\n");
	x = read_f32("dst.npy", 32);
	CHECK(x && x[31] == 63);
	free(x);
}

TEST(quiet_and_verbose_change_only_what_is_said)
{
	CLI_PRINTS(0, "$B/ptowsp-run -q --entry mixed " VECTORS, "");
	CHECK_STR(cli_err, "");
	CHECK_INT(cli("$B/ptowsp-run -v --entry mixed " VECTORS), 0);
	CHECK(*cli_err != 0);
	CHECK_INT(cli("$B/ptowsp-run -q --frob " VECTORS), 2);
	cli_check_sentence();
}

TEST(a_full_disk_or_closed_pipe_is_an_error_not_silence)
{
	CLI_ERR(2, "$B/ptowsp-run --entry mixed --stats=json " VECTORS " >/dev/full", "stdout");
	CHECK_INT(cli("$B/ptowsp-run --entry mixed --graph - " VECTORS " >/dev/full"), 2);
	CHECK_INT(cli("$B/ptowsp-inspect --json " VECTORS " >/dev/full"), 2);
}

/* The promise `deterministic` is checked with --strict, so a run says nothing of the promise. */
TEST(a_promise_is_not_told_where_it_is_checked)
{
	CLI_ERR(0, "$B/ptowsp-run --schedule hazards=raw $P/vector_add.pkg.zst", "`deterministic` is not known; --strict checks it");
	CHECK_INT(cli("$B/ptowsp-run --schedule hazards=raw --strict --stats=json $P/vector_add.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
	CHECK_CONTAINS(cli_out, "\"deterministic\": true");
}

TEST(a_plugin_folder_that_is_not_there_is_told)
{
	CHECK_INT(cli("$B/ptowsp-run --plugin-dir nowhere --no-kernels --set count=2 " SCALE), 0);
	CHECK_STR(cli_err, "ptowsp-run: --plugin-dir nowhere cannot be read: No such file or directory\n");
	CHECK_INT(cli("touch file && $B/ptowsp-run --plugin-dir file $P/vector_add.pkg.zst"), 0);
	CHECK_STR(cli_err, "ptowsp-run: --plugin-dir file is a file, not a folder; name the folder that it lies in, or a plugin's file by --plugin=PATH\n");
	CHECK_INT(cli("$B/ptowsp-run -q --plugin-dir nowhere --no-kernels --set count=2 " SCALE), 0);
	CHECK_STR(cli_err, "");
}

/* Kernel and place once, whoever names the kernel: the runtime, the loader of payloads, a log line. */
TEST(no_sentence_names_its_kernel_twice)
{
	static const char source[] =
		"cat > one.pto <<'END'\nfunc @one(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<1x8xf32>\n"
		"  %b = alloc_tile : !pto.tile<8x8xf32>\n  %a = tload %x[0, 0]\n  %b = tadd %a, %a\n  tstore %a, %x[0, 0]\n  return\n}\nEND\n"
		"$B/ptowsp-pack one.pto -o one.pkg.zst";

	REQUIRE_INT(cli(source), 0);
	CHECK_INT(cli("$B/ptowsp-run -v --opt debug=on one.pkg.zst"), 1);
	CHECK_STR(cli_err, "ptowsp-run: kernel one (one.pto:1) line 5: tadd needs equal shapes, got 1x8 and 1x8 -> 8x8\n"
			   "ptowsp-run: task 0 cannot run: kernel one (one.pto:1) line 5: tadd needs equal shapes, got 1x8 and 1x8 -> 8x8\n");
}

/* The words of a task allow less than its portable kernel does, or hand another element type over: known from the package alone. */
TEST(what_a_task_does_not_allow_its_kernel_is_the_package_s_fault)
{
	static const char *const ways[] = {"run --plugin=cpu_sim", "run --plugin=a2a3sim --no-kernels",
					   "run --plugin=aie",     "run --explain --plugin=aie",
					   "inspect --verify",     "inspect --json"};
	static const struct {
		const char *name, *sentence;
	} cases[] = {
		{"task_writes_an_input", "WORK[4]: kernel add writes %c, which its task does not allow with io_input; state io_inout"},
		{"task_hands_another_type_over", "WORK[3]: %b of kernel add is f32, the tensor that its task hands over is f16; hand one of that type over"}};

	cli_begin();
	for (unsigned c = 0; c < 2; c++)
		for (unsigned w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
			CLI_ERR(3, check_fmt("$B/ptowsp-%s $R/tests/refused/%s.pkg.zst", ways[w], cases[c].name), cases[c].sentence);
			cli_check_sentence();
		}
	REQUIRE_INT(cli("$B/ptowsp-inspect --json $P/vector_add.pkg.zst > a.json && sed -e 's/\"io_input\"/\"io_bind\"/' a.json > b.json"), 0);
	CLI_ERR(3, "$B/ptowsp-pack --from-json b.json -o b.pkg.zst", "which its task does not allow with io_bind; state io_input");
	CHECK_INT(cli("sed -e 's/\"io_input\"/\"io_inout\"/' a.json > c.json && $B/ptowsp-pack --from-json c.json -o c.pkg.zst && $B/ptowsp-run -q c.pkg.zst"),
		  0);
}

/* A parameter that the payload does not touch may be stated in any way. */
TEST(what_a_payload_does_not_touch_is_stated_in_any_way)
{
	cli_begin();
	for (unsigned i = 0; i < 4; i++) {
		static const char *const words[] = {"in", "out", "inout", "bind"};

		CHECK_INT(cli(check_fmt("sed -e 's/-> bind %%out/-> %s %%out/' $R/packages/probes/control.pto > c.pto && $B/ptowsp-pack c.pto -o c.pkg.zst && "
					"$B/ptowsp-run -q --entry bind c.pkg.zst",
					words[i])),
			  0);
	}
}

/* Each iteration is ordered behind all before it, which are looked at once and not once for each of them: a hundredth of what it took. */
TEST(an_ordered_loop_of_explicit_dependencies_is_checked_in_no_time)
{
	cli_begin();
	if (cli_slow())
		CHECK_SKIP("sanitizers take their time");
	REQUIRE_INT(cli("cat > square.pto <<'END'\ntensor %x : f32[128000, 8] inout\nfunc @k(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"
			"  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %y[0, 0]\n}\n"
			"workload @main { for_each %i in 0 to 16000 { call @k(%x -> %x[%i * 8, 0], %y -> %x[(15999 - %i) * 8, 0]) } }\nEND\n$B/ptowsp-pack "
			"square.pto -o square.pkg.zst"),
		    0);
	CHECK_INT(cli("$B/ptowsp-run -q --strict --schedule deps=explicit --timeout-ms 20000 square.pkg.zst"), 0);
}

void suite_contract_run(CU_pSuite s)
{
	CHECK_ROWS(s, levels, run_levels);
	CHECK_ROWS(s, controls, run_control);
}
