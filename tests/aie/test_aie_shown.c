/* SPDX-License-Identifier: MIT
 * test_aie_shown.c - what a user of the aie plugin sees: files of a design, figures of a run, what depends on buffering, deadlocks, kernels that nobody knows. */
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- files -------------------------------------------------------------------------------------------------------- */

TEST(a_design_comes_as_files_that_say_what_they_are)
{
	static const struct {
		const char *file, *begins, *has;
	} rows[] = {
		{"design.mlir", "\"builtin.module\"", "\"aie.runtime_sequence\""},
		{"design.custom.mlir", "module {", "aie.objectfifo.acquire"},
		{"array.svg", "<svg", "load_"},
		{"array.svg", "<svg", "class=\"title\">gemm_1: NPU of Phoenix"},
		{"build.sh", "#!/bin/sh", "-Ikernels -idirafter kernels/bare"},
		{"tiles.txt", "", "of 65536 bytes of memory"},
		{"README.md", "# A design for npu1", "`aie-opt`"},
		{"kernels/kernel_*_zero_i32.c", "/* A kernel, ", "void kernel_zero_i32(int32_t *restrict c)"},
	};

	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit $T/made $P/gemm_1.pkg.zst"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		REQUIRE_INT(cli(check_fmt("cat $T/made/%s", rows[i].file)), 0);
		CHECK(!strncmp(cli_out, rows[i].begins, strlen(rows[i].begins)));
		CHECK_CONTAINS(cli_out, rows[i].has);
		if (strcmp(rows[i].file, "README.md"))
			CHECK_INT(cli(check_fmt("grep -F '| `%.*s` |' $T/made/README.md", (int)strcspn(rows[i].file, "/"), rows[i].file)), 0);
	}
	CHECK_INT(cli("grep -F 'What was not run on it: `aie-opt`, `aiecc`, `mlir-opt`' $T/made/README.md"), 0);
	CLI_OUT(0, "cat $T/made/design.json", "\"hottest\"", "\"bytes_per_second\"");
	CHECK_INT(cli("test $(ls $T/made | wc -l) = 8"), 0);
}

/* Each function that cores call is declared with the object that it is linked with, whose source stands below kernels/; cores themselves name none. The sources need no library. */
TEST(each_kernel_is_a_file_that_compiles_for_a_core)
{
	static const char *const examples[] = {"softmax", "gemm_1", "llama", "tiles", "paged_attention", "attention_pipeline", "csp", "fan_in"};
	const bool compiles = !check_run("clang --print-targets | grep -q riscv32", NULL, NULL);

	cli_begin();
	for (size_t i = 0; i < (cli_slow() ? 1 : sizeof(examples) / sizeof(*examples)); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --opt buffering=8 --emit made $P/%s.pkg.zst", examples[i])), 0);
		CHECK_INT(cli("grep func.func made/design.mlir | grep -v 'sym_visibility = \"private\", link_with = \"kernel_[0-9]*_[a-z0-9_]*\\.o\", "
			      "ptowsp.kernel'"),
			  1);
		CHECK_INT(cli("grep aie.core made/design.mlir | grep link_with"), 1);
		CHECK_INT(cli("for o in $(sed -n 's/.*link_with = \"\\([a-z0-9_]*\\)\\.o\".*/\\1/p' made/design.mlir); do test -s made/kernels/$o.c || exit 1; "
			      "done"),
			  0);
		if (compiles && cli("for k in made/kernels/*.c; do clang --target=riscv32 -march=rv32im -mabi=ilp32 -Os -std=gnu11 -DNDEBUG -Wall -Wextra "
				    "-Werror -Imade/kernels "
				    "-idirafter made/kernels/bare -c $k -o k.o || exit 1; done"))
			CHECK_FAIL("%s: %.600s", examples[i], cli_err);
		cli("rm -rf made");
	}
	if (!compiles)
		CHECK_SKIP("clang has no target riscv32");
}

/* A core has 16 KiB of program memory: what the kernels that a core calls take by a compiler for a small machine without floats, each core of each design. */
TEST(programs_of_cores_are_small)
{
	static const char *const examples[] = {"vector_add",
					       "softmax",
					       "fused_softmax",
					       "dynamic_softmax",
					       "matmul",
					       "alternating_matmul_add",
					       "gemm_1",
					       "paged_attention",
					       "llama",
					       "bgemm",
					       "indexer",
					       "fan_in",
					       "passthrough",
					       "two_stage",
					       "tiles",
					       "csp",
					       "attention_pipeline"};

	int program = 0, frame = 0;

	if (check_run("clang --print-targets | grep -q riscv32 && llvm-size --version", NULL, NULL))
		CHECK_SKIP("no clang with target riscv32, or no llvm-size");
	cli_begin();
	for (size_t i = 0; i < (cli_slow() ? 2 : sizeof(examples) / sizeof(*examples)); i++) {
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --opt buffering=8 --emit made $P/%s.pkg.zst", examples[i])), 0);
		if (cli("sh $R/tests/aie/program_size made"))
			CHECK_FAIL("%s: %.600s", examples[i], cli_err);
		CHECK(sscanf(cli_out, "%d %d", &program, &frame) == 2 && program > 0 && program <= 16384);
		CHECK(frame >= 0 && frame <= 512); /* of 1,024 bytes of stack, which library functions share */
		cli("rm -rf made");
	}
}

/* ---- the picture ------------------------------------------------------------------------------------------------------ */

struct box {
	int x, y, width, height;
};

static int between(int value, int low, int high)
{
	return value > low && value < high;
}

/* Does the stretch from (x0, y0) to (x1, y1) go through the inside of the box? Looked at in steps of a pixel. */
static int goes_through(const struct box *box, int x0, int y0, int x1, int y1)
{
	const int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

	for (int i = 0; i <= steps; i++)
		if (between(steps ? x0 + (x1 - x0) * i / steps : x0, box->x, box->x + box->width) &&
		    between(steps ? y0 + (y1 - y0) * i / steps : y0, box->y, box->y + box->height))
			return 1;
	return 0;
}

/* Cards of tiles, as many as there are. */
static uint32_t cards_read(const char *svg, struct box *boxes, uint32_t most)
{
	uint32_t count = 0;

	for (const char *at = svg; count < most && (at = strstr(at, "<rect")); at++) {
		struct box *box = &boxes[count];
		int rx = 0;
		char class[16] = "";

		if (sscanf(at, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" class=\"%15[a-z]", &box->x, &box->y, &box->width, &box->height,
			   &rx, class) == 6 &&
		    !strcmp(class, "card"))
			count++;
	}
	return count;
}

/* How many stretches of lines there are; all lie beside the cards. */
static uint32_t lines_check(const char *svg, const struct box *boxes, uint32_t count)
{
	uint32_t stretches = 0;

	for (const char *at = svg; (at = strstr(at, "<polyline points=\"")); at++) {
		int x0, y0, x1, y1, length;

		at += strlen("<polyline points=\"");
		REQUIRE(sscanf(at, "%d,%d%n", &x0, &y0, &length) == 2);
		for (at += length; sscanf(at, " %d,%d%n", &x1, &y1, &length) == 2; at += length, x0 = x1, y0 = y1, stretches++)
			for (uint32_t b = 0; b < count; b++)
				if (goes_through(&boxes[b], x0, y0, x1, y1))
					CHECK_FAIL("from %d,%d to %d,%d through the card at %d,%d", x0, y0, x1, y1, boxes[b].x, boxes[b].y);
	}
	return stretches;
}

TEST(ways_of_streams_lie_beside_the_texts)
{
	static const char *const rows[] = {"npu1 $P/gemm_1", "npu1 $P/gemm_16", "npu2 --entry i8 $P/gemm_32", "npu2 $P/gemm_32", "npu1 $P/attention_pipeline",
					   "npu2 $P/csp",    "npu1 $P/softmax"};
	static struct box boxes[64];

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint32_t cards;

		REQUIRE_INT(cli(check_fmt("rm -rf made && $B/ptowsp-run --plugin=aie --quiet --emit made --device=%s.pkg.zst && cat made/array.svg", rows[i])),
			    0);
		cards = cards_read(cli_out, boxes, 64);
		CHECK(cards > 1);
		CHECK(lines_check(cli_out, boxes, cards) > 3 * cards / 2);
	}
}

/* Streams are called by their tensors, kernels as the package has them, and how busy cores are is what the run says. */
TEST(the_picture_says_what_people_look_for)
{
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --emit made --opt buffering=8 --entry i8 --stats=json $P/gemm_1.pkg.zst"), 0);
	CHECK_INT(cli("grep -q '>add_i8<title>' made/array.svg && grep -q '>load_a_i8_[0-9]*<title>' made/array.svg"), 0);
	CHECK_INT(cli("grep -q '>store_c_i8_[0-9]*<title>' made/array.svg"), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt buffering=8 --entry i8 --stats $P/gemm_1.pkg.zst | grep 'bottleneck among cores' | "
			"sed 's/.* \\([0-9]* of [0-9]*\\) cycles busy.*/\\1/' >busy && grep -q \"<title>$(cat busy) cycles, by the model\" made/array.svg"),
		    0);
	CHECK_INT(cli("grep -q '\"busy_cycles\": '$(cut -d' ' -f1 busy)',' made/design.json"), 0);
	CHECK_INT(cli("grep -q '\"model_cycles\": '$(cut -d' ' -f3 busy)',' made/design.json"), 0);
}

/* Only the form that people write has epochs. */
TEST(epochs_are_an_option)
{
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt epoch=A --emit $T/a $P/two_stage.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt epoch=B --emit $T/b $P/two_stage.pkg.zst"), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit $T/c $P/two_stage.pkg.zst"), 0);
	CHECK_INT(cli("cmp $T/a/design.mlir $T/b/design.mlir"), 0);
	CHECK_INT(cli("cmp $T/b/design.custom.mlir $T/c/design.custom.mlir"), 0);
	CHECK_INT(cli("grep -q 'aie.objectfifo.subview.access' $T/a/design.custom.mlir"), 0);
	CHECK_INT(cli("grep -q 'aie.objectfifo.subview.access' $T/b/design.custom.mlir"), 1);
	CLI_ERR(2, "$B/ptowsp-run --plugin=aie --quiet --opt epoch=C $P/two_stage.pkg.zst", "A|B");
}

/* It is the design of the run with these values and shapes, made before the run. */
TEST(files_are_those_of_the_run)
{
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --device npu2 --opt cores=2 --emit $T/two $P/gemm_1.pkg.zst"), 0);
	CHECK_INT(cli("grep -q 'device = 8 : i32' $T/two/design.mlir"), 0);
	CHECK_INT(cli("test $(grep -c '\"aie.core\"' $T/two/design.mlir) -le 2"), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --opt clock=reference --emit $T/none $P/gemm_1.pkg.zst", "makes no files");
	CLI_ERR(2, "$B/ptowsp-run --plugin=aie --quiet --emit /nowhere/x $P/gemm_1.pkg.zst", "/nowhere/x");
}

/* ---- figures ------------------------------------------------------------------------------------------------------ */

/* Of the figures whose group and name begin so, the largest: not every core uses what some core does. */
static json_t *figure(json_t *stats, const char *group, const char *name)
{
	json_t *rows = json_object_get(stats, "figures"), *row, *best = NULL;
	size_t i;

	json_array_foreach(rows, i, row) if (!strncmp(cli_text(row, "group"), group, strlen(group)) && !strncmp(cli_text(row, "name"), name, strlen(name)) &&
					     (!best || cli_int(row, "value") > cli_int(best, "value"))) best = row;
	if (!best)
		CHECK_FAIL("no figure %s, %s", group, name);
	return best;
}

/* What program_size says of the files of the same run. */
TEST(programs_are_measured_where_a_compiler_is_named)
{
	int program = 0;

	if (check_run("clang --print-targets | grep -q riscv32 && llvm-size --version", NULL, NULL))
		CHECK_SKIP("no clang with target riscv32, or no llvm-size");
	REQUIRE_INT(cli("PTOWSP_CLANG=clang $B/ptowsp-run --plugin=aie --quiet --stats=json --emit made $P/matmul.pkg.zst"), 0);
	program = (int)cli_int(figure(cli_json(), "program memory, by a stand-in", "core tile ("), "value");
	CHECK(program > 0);
	CLI_OUT(0, "sh $R/tests/aie/program_size made", check_fmt("%d ", program));
	CLI_OUT(0, "cat made/design.json", check_fmt("\"program_by_stand_in\": [%d, 16384], \"frame_by_stand_in\": ", program));
	REQUIRE_INT(cli("PTOWSP_CLANG=clang $B/ptowsp-run --plugin=aie --quiet --stats=json $P/matmul.pkg.zst"), 0); /* and without files */
	CHECK_INT(cli_int(figure(cli_json(), "program memory, by a stand-in", "core tile ("), "value"), program);
	CHECK_CONTAINS(cli_text(figure(cli_json(), "program memory, by a stand-in", "core tile ("), "name"), "largest frame ");
	for (int n = 0; n < 2; n++) {
		REQUIRE_INT(cli(check_fmt("PTOWSP_CLANG=%s $B/ptowsp-run --plugin=aie --quiet --stats=json $P/matmul.pkg.zst", n ? "/nope" : "$T/none")), 0);
		CHECK_INT(cli_int(figure(cli_json(), "program memory, by a stand-in", "not measured: "), "value"), 0);
		CHECK_CONTAINS(cli_text(figure(cli_json(), "program memory, by a stand-in", "not measured: "), "name"), "what PTOWSP_CLANG names is no clang");
	}
}

static int64_t cost_of(const char *option, const char *name)
{
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet %s --stats=json $P/softmax.pkg.zst", option)), 0);
	return cli_int(figure(cli_json(), "aie model 3, not measured", name), "value");
}

/* One line has the fullest, those that take the same together, each with what its core runs; it is not cut where cores differ. */
TEST(explanations_say_what_cores_take)
{
	CLI_OUT(0, "$B/ptowsp-run --plugin=aie --explain --timeout-ms 60000 $P/softmax.pkg.zst",
		"memory: 3 cores use 5216 of 65536 bytes of memory each, 1088 of stack, 3072 of fifos, 1056 of buffers: (",
		"; 1 core uses 4704 of 65536 bytes of memory, 2112 of stack, 1920 of fifos, 672 of buffers: (", "), kernel row");
}

/* exp of floats in software is longer than a vector of them by far, and an option has the run take the time of either. */
TEST(kernels_cost_as_emitted_or_as_published)
{
	const char *core = "bottleneck among cores: ";

	cli_begin();
	CHECK(cost_of("", core) > 20 * cost_of("--opt cost=published", core));
	CHECK_INT(cost_of("", core), cost_of("--opt cost=emitted", core));
	CLI_ERR(2, "$B/ptowsp-run --plugin=aie --quiet --opt cost=guessed $P/softmax.pkg.zst", "emitted|published");
}

/* A core that runs several kernels is called after the one that takes most of it; the cores of gemm begin with one that fills a tile. */
TEST(a_core_is_called_after_what_takes_most_of_it)
{
	CLI_OUT(0, "$B/ptowsp-run --plugin=aie --quiet --opt device=npu1 --opt buffering=both --stats $P/softmax.pkg.zst", "bottleneck among cores: core (");
	CHECK_CONTAINS(cli_out, "): exp_shifted, 90 % of it");
}

/* matmul has tasks on 4 of the 40 rows, softmax on more than the array has. */
TEST(a_grid_may_be_larger_than_the_array_where_no_task_is)
{
	CLI_OUT(0, "$B/ptowsp-run --strict --plugin=aie --opt device=npu2 --opt buffering=8 --stats --schedule spatial_map=40,2 $P/matmul.pkg.zst",
		"rows of the schedule's grid");
	CHECK(!strstr(cli_err, "recorded"));
	CLI_ERR(0, "$B/ptowsp-run --plugin=aie --opt device=npu2 --opt buffering=8 --schedule spatial_map=40,2 $P/softmax.pkg.zst",
		"schedule directive spatial_map is recorded, not enforced, in this run");
}

/* A slower host gives its tasks later, and results are the package's. */
TEST(hosts_of_other_speeds_come_to_the_same)
{
	cli_begin();
	CHECK(cost_of("--opt host_cycles=300", "until all was over") < cost_of("--opt host_cycles=30000", "until all was over"));
	CHECK_INT(cost_of("--opt host_cycles=3000", "until all was over"), cost_of("", "until all was over"));
	CLI_ERR(2, "$B/ptowsp-run --plugin=aie --quiet --opt host_cycles=1000001 $P/softmax.pkg.zst", "0..1000000");
}

TEST(figures_say_use_and_limits)
{
	static const struct {
		const char *group, *name, *unit;
		int64_t least, limit; /* limit 0: none */
	} rows[] = {
		{"design", "cores of npu1 in use", "cores", 1, 16},
		{"routes", "total path length", "wires", 1, 0},
		{"routes", "hottest link: (", "wires", 1, 4},
		{"routes", "narrowest route: ", "bytes/s", 1, 0},
		{"core tile (", "memory", "bytes", 1024, 65536},
		{"core tile (", "DMA channels in", "", 1, 2},
		{"core tile (", "buffer descriptors", "", 1, 16},
		{"core tile (", "locks", "", 1, 16},
		{"shim (", "DMA channels out", "", 1, 2},
		{"aie model 3, not measured", "bottleneck: ", "cycles busy", 1, -1},
		{"aie model 3, not measured", "core (", "cycles busy", 1, -1},
		{"aie model 3, not measured", "bottleneck among cores: core (", "cycles busy", 1, -1},
		{"kernels, not measured", "add_one: 4 calls of the emitted C", "cycles", 4 * 30, 0},
		{"kernels, not measured", "add_one: by kernels that were published", "cycles", 4 * 30, 0},
		{"aie model 3, its costs", "LOCK_CORE, read: ", "cycles", 1, 0},
	};
	json_t *stats;

	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --stats=json $P/two_stage.pkg.zst"), 0);
	stats = cli_json();
	REQUIRE(stats != NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		json_t *row = figure(stats, rows[i].group, rows[i].name);

		if (!row)
			continue;
		CHECK(cli_int(row, "value") >= rows[i].least);
		CHECK_STR(cli_text(row, "unit"), rows[i].unit);
		if (rows[i].limit > 0 && strcmp(rows[i].group, "routes"))
			CHECK_INT(cli_int(row, "limit"), rows[i].limit);
		if (rows[i].limit)
			CHECK(cli_int(row, "value") <= cli_int(row, "limit"));
	}
	CLI_OUT(0, "$B/ptowsp-run --plugin=aie --quiet --stats $P/two_stage.pkg.zst", "aie model 3, not measured\n", "hottest link: (", " cores (");
	CHECK_INT(cli("$B/ptowsp-run --plugin=cpu_sim --quiet --stats=json $P/two_stage.pkg.zst"), 0);
	stats = cli_json();
	REQUIRE(stats != NULL);
	CHECK_UINT(json_array_size(json_object_get(stats, "figures")), 0);
}

TEST(both_ways_of_buffering_are_run)
{
	json_t *stats, *row;

	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --stats=json $P/csp.pkg.zst"), 0);
	stats = cli_json();
	REQUIRE(stats != NULL);
	row = figure(stats, "stream buffering", "the design depends on it");
	CHECK_INT(cli_int(row, "value"), 0);
	CHECK_STR(cli_text(row, "unit"), "no");
	CHECK(cli_int(figure(stats, "stream buffering", "with 0 words"), "value") >= cli_int(figure(stats, "stream buffering", "with 8 words"), "value"));
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt buffering=0 --stats $P/csp.pkg.zst"), 0);
	CHECK(!strstr(cli_out, "stream buffering"));
}

/* ---- what does not end -------------------------------------------------------------------------------------------- */

TEST(a_kernel_that_nobody_knows_is_an_error)
{
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/aie/designs/unknown_kernel.pto -o $T/unknown.pkg.zst"), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --out y=$T/y.npy $T/unknown.pkg.zst", "mystery");
	cli_check_sentence();
	CHECK_INT(cli("test -e $T/y.npy"), 1);
}

/* So many blocks of so many rows, with channels of that capacity. */
static int ring_pack(int count, int rows, int capacity)
{
	return cli(check_fmt("sed 's/COUNT/%d/g; s/ROWS/%d/g; s/ALL/%d/g; s/CAPACITY/%d/g' $R/tests/aie/designs/ring.pto.in >$T/ring.pto && $B/ptowsp-pack "
			     "$T/ring.pto -o $T/ring.pkg.zst",
			     count, rows, count * rows, capacity));
}

TEST(a_ring_that_buffers_make_safe_runs)
{
	cli_begin();
	REQUIRE_INT(ring_pack(8, 8, 4), 0);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=cpu_sim --quiet --fill x=iota --out y=$T/a.npy $T/ring.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --fill x=iota --out y=$T/b.npy --emit $T/made $T/ring.pkg.zst"), 0);
	CHECK_INT(cli("cmp $T/a.npy $T/b.npy"), 0);
	CHECK_INT(cli("grep -q 'aie.objectfifo: streams form a ring: core (.*) -.*-> core (.*) -.*-> core' $T/made/README.md"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit $T/none $P/vector_add.pkg.zst && ! grep -q 'streams form a ring' $T/none/README.md"), 0);
}

/* Its blocks are so large that a core's memory does not hold as many as the channels may have. */
TEST(a_ring_that_they_do_not_is_refused_with_the_ring)
{
	cli_begin();
	REQUIRE_INT(ring_pack(16, 32, 8), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=cpu_sim --quiet --fill x=iota --out y=$T/a.npy $T/ring.pkg.zst"), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --fill x=iota --out y=$T/b.npy $T/ring.pkg.zst",
		"streams form a ring that their buffers do not make safe: core 0 (twice) finds channel go full (4); core 1 (twice) finds "
		"channel come full (4)");
	cli_check_sentence();
	CHECK_INT(cli("test -e $T/b.npy"), 1);
}

/* Whatever the array: the program says so itself. */
TEST(a_deadlock_of_the_program_is_one)
{
	cli_begin();
	ring_pack(8, 8, 2); /* which warns */
	CLI_ERR(7, "$B/ptowsp-run --plugin=aie --quiet --fill x=iota --stats $T/ring.pkg.zst", "deadlock: process one waits");
	CHECK_CONTAINS(cli_out, "which is full: 2 of 2");
	CLI_ERR(7,
		"$B/ptowsp-pack $R/packages/probes/stuck.pto -o $T/stuck.pkg.zst && $B/ptowsp-run --plugin=aie --quiet --schedule "
		"channel_capacity=many,1 $T/stuck.pkg.zst",
		"source waits", "channel_capacity=many,2");
}

/* ---- how much, how long --------------------------------------------------------------------------------------------- */

/* So many tasks that touch nothing of each other's. */
static int many_pack(long long count)
{
	return cli(check_fmt("sed 's/COUNT/%lld/' $R/tests/aie/designs/many.pto.in >$T/many.pto && $B/ptowsp-pack $T/many.pto -o $T/many.pkg.zst", count));
}

/* Also those of a program that would not end. */
TEST(more_tasks_than_a_design_has_are_refused_as_they_come)
{
	cli_begin();
	REQUIRE_INT(many_pack((1 << 17) + 1), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --no-kernels $T/many.pkg.zst", "more than 131072 tasks and other events", "cpu_sim");
	cli_check_sentence();
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --out b=$T/b.npy $T/many.pkg.zst"), 5);
	CHECK_INT(cli("test -e $T/b.npy"), 1);
	CHECK_INT(cli("$B/ptowsp-run --plugin=cpu_sim --quiet $T/many.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt clock=reference $T/many.pkg.zst"), 0);
	REQUIRE_INT(many_pack(4000000000000000000), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --no-kernels $T/many.pkg.zst", "more than 131072 tasks and other events");
}

/* Wherever it is then: walking, mapping, writing, reading, simulating. Deadlines grow until the run has time enough, or for two seconds in all. */
TEST(a_deadline_is_met_while_a_design_is_made)
{
	int ms = 5, status;

	cli_begin();
	REQUIRE_INT(many_pack(100000), 0);
	for (; (status = cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --timeout-ms %d $T/many.pkg.zst", ms))) == 10 && ms < 700; ms += ms / 2) {
		CHECK_CONTAINS(cli_err, "not done in"); /* wherever: also while tensors get their content */
		CHECK_INT(strstr(cli_err, "does not come back") != NULL, 0);
		cli_check_sentence();
	}
	CHECK(ms > 5 && (!status || status == 10));
}

TEST(a_plan_that_takes_more_memory_than_the_limit_is_refused)
{
	cli_begin();
	REQUIRE_INT(many_pack(60000), 0);
	CLI_ERR(3, "$B/ptowsp-run --plugin=aie --quiet --max-memory 30000000 --out b=$T/b.npy $T/many.pkg.zst", "--max-memory", "30000000");
	cli_check_sentence();
	CHECK_INT(cli("test -e $T/b.npy"), 1);
	CLI_ERR(3, "$B/ptowsp-run --plugin=aie --quiet --max-memory 30000000 --emit $T/many $T/many.pkg.zst", "30000000");
	CHECK_INT(cli("test -e $T/many"), 1);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --max-memory 600000000 $T/many.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --max-memory 100000 $P/vector_add.pkg.zst"), 3); /* before it has seen one */
	CHECK_CONTAINS(cli_err, "planning the program's tasks before they run takes more memory");
}

/* ---- kernels that refuse what they get ------------------------------------------------------------------------------ */

/* No element decides its way, which is walked to count its cycles; no kernel is run for it. */
TEST(kernels_without_an_end_are_refused)
{
	static const char text[] = "tensor %x : f32[8, 8] in\ntensor %y : f32[8, 8] out\n"
				   "func @spin(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n"
				   "  %go = alloc_scalar : u1\n  LI %go:u1, 1\n  %t = tload %a[0, 0]\n  WHILE\n    LI %go:u1, 1\n  DO %go:u1\n"
				   "    %t = tadd %t, %t\n  ENDWHILE\n  tstore %t, %b[0, 0]\n  return\n}\nworkload @main { call @spin(%a -> %x, %b -> %y) }\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/spin.pto", check_dir()), text, strlen(text)));
	REQUIRE_INT(cli("$B/ptowsp-pack spin.pto -o spin.zst"), 0);
	CLI_ERR(1, "$B/ptowsp-run --no-kernels spin.zst", "task 0: kernel spin line 9: all scalars are what they were here before; the loop has no end\n");
}

/* Task, kernel, line of the source and tensor, as the processor says it: what a core works on is a copy in the design, and no sentence is about that. */
TEST(a_kernel_that_refuses_is_named_as_on_the_processor)
{
	static const struct {
		const char *entry, *said;
	} rows[] = {
		{"gather", "task 0, kernel gather line 12: mgather reads element -1 of %m (tensor table), which has 64"},
		{"scatter", "task 0, kernel scatter line 20: mscatter writes element -1 of %d (tensor second), which has 64"},
		{"load", "task 0, kernel load line 26: tload reads 4x16 at row -4, column 0 of %m (tensor table), which is 4x16"},
		{"store", "task 0, kernel store line 34: tstore writes 4x16 at row -4, column 0 of %d (tensor second), which is 4x16"},
		{"element", "task 0, kernel element line 41: LOAD reads element -1 of %m (tensor table), which has 64"},
		{"tile", "task 0, kernel tile line 50: tgather index -1 at element 5 of %index; elements 0 to 63 are there"},
		{"divide", "task 0, kernel divide line 57: DIV of 0 by 0 (%n)"},
		{"flat", "task 0, kernel gather line 12: mgather reads element -1 of %m (tensor flat), which has 256"},
		{"later", "task 0, kernel scatter line 20: mscatter writes element -1 of %d (tensor first), which has 64"},
	};
	int32_t places[64] = {[5] = -1};
	char line[300];

	cli_begin();
	cli_npy("places.npy", "<i4", "4, 16", places, sizeof(places));
	REQUIRE_INT(cli("$B/ptowsp-pack $R/tests/aie/kernels_that_refuse.pto -o $T/refuse.pkg.zst"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(line, sizeof(line), "--quiet --entry run_%s --in places=places.npy --fill table=iota --fill flat=iota refuse.pkg.zst", rows[i].entry);
		CLI_ERR(1, check_fmt("$B/ptowsp-run --plugin=cpu_sim %s", line), rows[i].said);
		CLI_ERR(1, check_fmt("$B/ptowsp-run --plugin=aie %s", line), rows[i].said);
		CLI_ERR(1, check_fmt("$B/ptowsp-run --plugin=aie --isolate=process --opt buffering=0 %s", line), rows[i].said);
	}
}

/* A channel by its name; a stream that no core has a part in. */
TEST(channels_are_said_by_name)
{
	static const char pipe[] = "tensor %x : i8[4, 4] in\ntensor %y : i8[4, 4] out\nchannel %pipe : payload i8[1, 4] capacity 2\n"
				   "process @first produces(%pipe) { for_each %i in 0 to 4 { send %pipe, %i from %x[%i, 0] } }\n"
				   "process @second consumes(%pipe) { consume %pipe as %i into %y[%i, 0] { } }\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/pipe.pto", check_dir()), pipe, strlen(pipe)));
	REQUIRE_INT(cli("$B/ptowsp-pack pipe.pto -o pipe.pkg.zst"), 0);
	CLI_ERR(5, "$B/ptowsp-run --plugin=aie --quiet --fill x=iota pipe.pkg.zst", "channel pipe connects processes of which neither calls a kernel");
	cli_check_sentence();
}
