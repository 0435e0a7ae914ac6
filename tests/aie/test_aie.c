/* SPDX-License-Identifier: MIT
 * test_aie.c - the aie plugin: packages become designs, and what is computed is what the emitted text says, run by the simulator. */
#include "tests/contract/cli.h"
#include "tests/tools/example_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROCESSES "process instances call kernels, and each needs a core of its own"

/* Every example: those without a sentence run, the others are refused with it, and nothing of them runs. */
static const struct example {
	const char *name;
	const char *refused; /* NULL: it runs */
	const char *alone;   /* what is said where it has one core; NULL: it runs */
} examples[] = {
	{"vector_add", NULL, NULL},
	{"vector_example", NULL, NULL},
	{"softmax", NULL, NULL},
	{"fused_softmax", NULL, NULL},
	{"dynamic_softmax", NULL, NULL},
	{"matmul", NULL, NULL},
	{"matmul_diamond", NULL, NULL},
	{"bgemm", NULL, NULL},
	{"alternating_matmul_add", NULL, NULL},
	{"gemm_1", NULL, NULL},
	{"gemm_16", NULL, NULL},
	{"gemm_32", NULL, NULL},
	{"flash_attention", NULL, NULL},
	{"flash_attention_4k", "tasks that do not fit into a core become ", NULL},
	{"paged_attention", NULL, NULL},
	{"indexer", NULL, NULL},
	{"deepseek",
	 "task 0, kernel MLA_PROLOG (deepseek.pto:80) needs 1574144 bytes of 4 x 65532: tiles 256 of 512, arguments 1572864 (KV_CACHE 1048576), stack 1024; "
	 "not "
	 "divided: it has too many instructions; pass less of KV_CACHE",
	 NULL},
	{"llama", NULL, NULL},
	{"llama_8k", NULL, NULL},
	{"llama_layer", NULL, NULL},
	{"llama_layer_4", NULL, NULL},
	{"moe", NULL, NULL},
	{"predicated", NULL, NULL},
	{"fan_in", NULL, NULL},
	{"passthrough", NULL, NULL},
	{"two_stage", NULL, PROCESSES},
	{"tiles", NULL, NULL},
	{"csp", NULL, PROCESSES},
	{"attention_pipeline", NULL, PROCESSES},
	{"two_devices", "opcode notify is unsupported on aie", NULL},
};
enum { EXAMPLES = sizeof(examples) / sizeof(*examples) };

static const struct example *example_of(const char *name)
{
	for (size_t i = 0; i < EXAMPLES; i++)
		if (!strcmp(examples[i].name, name))
			return &examples[i];
	return NULL;
}

static void refusal_check(const char *run, const char *said)
{
	int rc = cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet %s", run));

	if (rc != 5)
		CHECK_FAIL("%s: exit %d, %s", run, rc, cli_err);
	CHECK_CONTAINS(cli_err, said);
	cli_check_sentence();
}

/* Whoever looks at the program hears that, too. */
static void seen_before_check(const char *run, const char *said)
{
	refusal_check(run, said);
	refusal_check(check_fmt("--explain --timeout-ms 60000 %s", run), said);
}

TEST(examples_compute_what_they_should)
{
	cli_begin();
	example_rows_read();
	for (size_t i = 0; i < EXAMPLES; i++) {
		const struct example_row *row = example_row_of(examples[i].name);

		REQUIRE(row);
		if (examples[i].refused || !check_seed_wanted(i))
			continue;
		example_run(row, check_fmt("$P/%s.pkg.zst", examples[i].name), "--plugin=aie", 1);
		example_run(row, check_fmt("$P/%s.pkg.zst", examples[i].name), "--plugin=aie --device=npu2", 1);
		if (!examples[i].alone)
			example_run(row, check_fmt("$P/%s.pkg.zst", examples[i].name), "--plugin=aie --opt cores=1", 1);
	}
}

/* The table above has every row of the README: those that do not run say in a sentence why. */
TEST(every_other_example_says_what_it_lacks)
{
	static const char *const ways[] = {"", "--device=npu2", "--opt cores=1"};

	cli_begin();
	example_rows_read();
	CHECK_UINT(example_count, EXAMPLES);
	for (size_t i = 0; i < example_count; i++) {
		const struct example *example = example_of(example_rows[i].name);

		if (!example)
			CHECK_FAIL("%s: suite aie does not say what becomes of it", example_rows[i].name);
		else if (example->refused && !strchr(example_rows[i].package, '/')) /* large ones are not built for every run */
			for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++)
				seen_before_check(check_fmt("%s $P/%s.pkg.zst", ways[w], example->name), example->refused);
		else if (example->alone)
			seen_before_check(check_fmt("--opt cores=1 $P/%s.pkg.zst", example->name), example->alone);
	}
}

static intmax_t counted(const char *name, const char *how, intmax_t *cycles_out)
{
	json_t *json;

	if (cli(check_fmt("$B/ptowsp-run --quiet --stats=json %s $P/%s.pkg.zst", how, name))) {
		CHECK_FAIL("%s %s: %s", name, how, cli_err);
		return -1;
	}
	CHECK(!strstr(cli_err, " is zeros"));
	json = cli_json();
	*cycles_out = cli_int(json, "total_cycles");
	return cli_int(json, "num_tasks");
}

/* The same tasks in the same cycles; where tensors say which tasks there are, those of zeros, as on cpu_sim. */
TEST(without_kernels_all_is_mapped_and_timed)
{
	static const char *const timed[] = {"vector_example", "softmax", "gemm_16", "fan_in", "llama", "two_stage", "attention_pipeline"};
	static const char *const zeros[] = {"paged_attention", "predicated", "moe"};
	intmax_t with, without;

	cli_begin();
	for (size_t i = 0; i < sizeof(timed) / sizeof(*timed); i++) {
		CHECK_INT(counted(timed[i], "--plugin=aie --no-kernels", &without), counted(timed[i], "--plugin=aie", &with));
		CHECK_INT(without, with);
	}
	for (size_t i = 0; i < sizeof(zeros) / sizeof(*zeros); i++)
		CHECK_INT(counted(zeros[i], "--plugin=aie --no-kernels", &without), counted(zeros[i], "--no-kernels", &with));
	refusal_check("--no-kernels $P/deepseek.pkg.zst", "task 0, kernel MLA_PROLOG (deepseek.pto:80) needs 1574144 bytes");
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --no-kernels --fill x=ones --out y=y.npy $P/vector_add.pkg.zst"), 2); /* there is no x */
}

/* Whatever the number of cores and the depth of fifos. */
TEST(results_do_not_depend_on_the_array)
{
	static const char *const ways[] = {"cores=1", "cores=2", "cores=5", "depth=1", "depth=4", "buffering=0", "seed=77"};

	cli_begin();
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		example_run(example_row_of("paged_attention"), "$P/paged_attention.pkg.zst", check_fmt("--plugin=aie --opt %s", ways[i]), 1);
		example_run(example_row_of("dynamic_softmax"), "$P/dynamic_softmax.pkg.zst", check_fmt("--plugin=aie --opt %s", ways[i]), 1);
	}
}

static char *design_of(const char *name, const char *how)
{
	if (cli(check_fmt("rm -rf $T/emitted && $B/ptowsp-run --plugin=aie --quiet %s --emit $T/emitted $P/%s.pkg.zst", how, name)))
		return NULL;
	return cli("cat $(find $T/emitted -name design.mlir | sort)") ? NULL : strdup(cli_out);
}

TEST(the_same_package_gives_the_same_text)
{
	char *first, *second;

	cli_begin();
	for (size_t i = 0; i < EXAMPLES; i++) {
		if (examples[i].refused || !check_seed_wanted(i))
			continue;
		first = design_of(examples[i].name, "");
		second = design_of(examples[i].name, "");
		if (!first || !second || strcmp(first, second))
			CHECK_FAIL("%s: two texts for one package, or none", examples[i].name);
		free(first);
		free(second);
	}
}

TEST(channels_are_streams_of_the_text)
{
	char *text;

	cli_begin();
	text = design_of("csp", "");
	REQUIRE(text);
	CHECK_CONTAINS(text, "sym_name = \"loaded_");
	CHECK_CONTAINS(text, "sym_name = \"computed_");
	CHECK_CONTAINS(text, "ptowsp.kernel = \"layer\", ptowsp.access = array<i64: 1, 1, 2>}");
	free(text);
	text = design_of("two_stage", ""); /* what the stages share goes from core to core, and the token beside it */
	REQUIRE(text);
	CHECK_CONTAINS(text, "sym_name = \"ready_");
	CHECK_CONTAINS(text, "sym_name = \"pass_");
	free(text);
}

/* Random programs that differed once from cpu_sim, as small as they could be made (tests/model/arrays.py), and others of their kind: same bytes, whatever the array. */
TEST(programs_that_differed_agree)
{
	static const struct {
		const char *name, *in, *out[3];
		bool two; /* processes that call kernels */
	} rows[] = {
		{"parts", "--fill x=random:1 --fill y=random:2 --fill z=random:3", {"y", "made", "z"}, false},
		{"halves", "--fill x=random:1 --fill small=random:2", {"y", "large"}, false},
		{"words", "--fill x=random:1 --fill y=random:2 --fill z=random:3 --fill w=random:4", {"y", "z"}, false},
		{"names", "--fill x=random:1", {"made", "y", "z"}, false},
		{"lap", "--fill x=random:1 --fill t=iota", {"t", "z", "w"}, false},
		{"turns", "--fill x=random:1 --fill y=random:2 --fill z=random:3", {"x", "y", "z"}, true},
		{"beside", "--fill a=random:1 --fill b=random:2 --fill c=random:3", {"o0", "o1", "o2"}, false},
		{"untaken", "--fill x=iota --fill tab=random:1", {"y"}, false},
	};
	static const char *const ways[] = {"", "--device=npu2 --opt depth=1", "--opt cores=1"};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack '%s/tests/aie/designs/%s.pto' -o %s.pkg.zst", check_root(), rows[i].name, rows[i].name)), 0);
		for (size_t o = 0; o < 3 && rows[i].out[o]; o++) {
			const char *tensor = rows[i].out[o];

			CHECK_INT(cli(check_fmt("$B/ptowsp-run --quiet %s --out %s=cpu.npy %s.pkg.zst", rows[i].in, tensor, rows[i].name)), 0);
			for (size_t w = 0; w < sizeof(ways) / sizeof(*ways) - rows[i].two; w++)
				if (cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet %s %s --out %s=aie.npy %s.pkg.zst && cmp cpu.npy aie.npy", ways[w],
						  rows[i].in, tensor, rows[i].name)))
					CHECK_FAIL("%s, %s, tensor %s: %s%s", rows[i].name, ways[w], tensor, cli_out, cli_err);
		}
	}
}

/* One product of tiles that are objects as they are: in a core lie its arguments and 1 KiB of stack. */
TEST(products_take_the_memory_of_their_arguments)
{
	static const struct {
		const char *in, *out;
		unsigned rows, inner, columns;
	} products[] = {{"bf16", "f32", 48, 64, 48}, {"bf16", "f32", 64, 64, 64}, {"bf16", "f32", 80, 80, 80},  {"i8", "i32", 29, 200, 45},
			{"i16", "i32", 48, 128, 48}, {"f32", "f32", 64, 64, 64},  {"bf16", "bf16", 128, 80, 72}};

	cli_begin();
	for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++) {
		const char *in = products[i].in, *out = products[i].out;
		const unsigned m = products[i].rows, k = products[i].inner, n = products[i].columns;
		char text[2000];
		const int length = snprintf(
			text, sizeof(text),
			"module @product\n"
			"tensor %%a : %s[%u, %u] in\ntensor %%b : %s[%u, %u] in\ntensor %%c : %s[%u, %u] out\n"
			"func @product(%%a: !pto.memref<gm,...,%s>, %%b: !pto.memref<gm,...,%s>, %%c: !pto.memref<gm,...,%s>) {\n"
			"  %%x = alloc_tile : !pto.tile<%ux%ux%s>\n  %%y = alloc_tile : !pto.tile<%ux%ux%s>\n  %%z = alloc_tile : !pto.tile<%ux%ux%s>\n"
			"  %%x = tload %%a[0, 0]\n  %%y = tload %%b[0, 0]\n  %%z = tmatmul %%x, %%y\n  tstore %%z, %%c[0, 0]\n  return\n}\n"
			"kernel @multiply(%%a: %s[%u, %u] in, %%b: %s[%u, %u] in, %%c: %s[%u, %u] out) { portable @product }\n"
			"workload @main { call @multiply(%%a -> %%a, %%b -> %%b, %%c -> %%c) }\n",
			in, m, k, in, k, n, out, m, n, in, in, out, m, k, in, k, n, in, m, n, out, in, m, k, in, k, n, out, m, n);

		REQUIRE(length > 0 && length < (int)sizeof(text) && check_write(check_fmt("%s/p.pto", check_dir()), text, (size_t)length));
		REQUIRE_INT(cli("$B/ptowsp-pack p.pto -o p.pkg.zst && $B/ptowsp-run --quiet --fill a=random:1 --fill b=random:2 --out c=cpu.npy p.pkg.zst"), 0);
		if (cli("for d in npu1 npu2; do $B/ptowsp-run --plugin=aie --device=$d --quiet --fill a=random:1 --fill b=random:2 --out c=aie.npy p.pkg.zst "
			"&& "
			"cmp cpu.npy aie.npy || exit 1; done"))
			CHECK_FAIL("%s %ux%ux%u: %s%s", in, m, k, n, cli_out, cli_err);
	}
}

/* A core's program is linked with a library of C and with what the tools begin it by. */
TEST(kernels_may_have_any_name)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/aie/designs/names.pto -o names.pkg.zst && $B/ptowsp-run --plugin=aie --quiet --opt cores=1 --fill x=iota "
			"--emit made names.pkg.zst"),
		    0);
	CLI_OUT(0, "cat made/design.mlir", "sym_name = \"kernel_memcpy\"", "sym_name = \"kernel_main\"",
		"sym_name = \"kernel_main_2\", sym_visibility = \"private\", link_with = \"kernel_0_main.o\", ptowsp.kernel = \"main\"",
		"sym_name = \"kernel_main_2_2\", sym_visibility = \"private\", link_with = \"kernel_2_main_2.o\", ptowsp.kernel = \"main_2\"");
}

/* A row further on than a descriptor can step, by the host or between two loads: the task, its kernel with its place in the source, and the tensor are named, and no line of the design. */
TEST(what_a_design_cannot_have_is_said_of_its_program)
{
	static const char *const tensors[] = {"f32[2, 2097152]", "i32[3, 1500000]", "f32[4, 1048608]"};

	cli_begin();
	for (size_t i = 0; i < sizeof(tensors) / sizeof(*tensors); i++) {
		const char *type = !strncmp(tensors[i], "i32", 3) ? "i32" : "f32", rows = tensors[i][4];
		const char *source = check_fmt("tensor %%far : %s in\ntensor %%y : %s[%c, 16] out\n"
					       "func @kept(%%a: !pto.memref<gm,...,%s>, %%b: !pto.memref<gm,...,%s>) {\n"
					       "  %%t = alloc_tile : !pto.tile<%cx16x%s>\n  %%t = tload %%a[0, 0]\n  tstore %%t, %%b[0, 0]\n  return\n}\n"
					       "kernel @same(%%a: %s[%c, 16] in, %%b: %s[%c, 16] out) {\n  portable @kept\n}\n"
					       "workload @main {\n  call @same(%%a -> %%far[0, 0], %%b -> %%y)\n}\n",
					       tensors[i], type, rows, type, type, rows, type, type, rows, type, rows);

		REQUIRE(check_write(check_fmt("%s/far.pto", check_dir()), source, strlen(source)));
		REQUIRE_INT(cli("$B/ptowsp-pack far.pto -o far.pkg.zst"), 0);
		seen_before_check("far.pkg.zst", "task 0, kernel same (far.pto:9), tensor far: shim (2,0) has a stride in words of ");
	}
}

/* As on every other backend: a copy of the one would undo what comes back from the other. */
TEST(parts_that_meet_are_refused)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/aie/designs/meeting.pto -o meeting.pkg.zst && $B/ptowsp-run --plugin=aie --quiet --set o=3 meeting.pkg.zst"),
		    0);
	CLI_ERR(1, "$B/ptowsp-run --plugin=aie --quiet meeting.pkg.zst",
		"task 0, kernel f (meeting.pto:9): tensor arguments 0 and 1 are parts of one tensor that meet, one is written, and of one not all is there");
}

TEST(what_cannot_be_is_said)
{
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt clock=reference $P/predicated.pkg.zst"), 0);
}

TEST(no_row_is_false)
{
	CLI_OUT(0, "$B/ptowsp-run --plugin=aie --capabilities --verify", " 0 false");
}
