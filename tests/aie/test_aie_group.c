/* SPDX-License-Identifier: MIT
 * test_aie_group.c - memory tiles that distribute and join for many cores: products on all cores of both arrays; what tasks of the host move; groups that would stand still. */
#include "tests/contract/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/graph/order.h"

/* Of a run whose results are what they should be; 0: it failed. */
static uint64_t cycles_of(const char *what)
{
	const char *at;

	if (!CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie %s", what)), 0))
		return 0;
	CHECK_CONTAINS(cli_out, "compare: ok");
	at = strstr(cli_out, "tasks, ");
	return at ? strtoull(at + 7, NULL, 10) : 0;
}

static char *text_of(const char *what)
{
	if (!CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --emit $T/e %s", what)), 0) || !CHECK_INT(cli("cat $T/e/design.mlir"), 0))
		return NULL;
	return strdup(cli_out);
}

/* Each type alone, and all of them one after the other; A is the same for a row of blocks, B for a column. */
TEST(products_take_all_cores)
{
	static const struct {
		const char *how;
		unsigned cores, links;
	} rows[] = {
		{"$P/gemm_16.pkg.zst", 16, 4},
		{"--entry i8 $P/gemm_16.pkg.zst", 16, 6},
		{"--entry i16 $P/gemm_16.pkg.zst", 16, 6},
		{"--entry bf16 $P/gemm_16.pkg.zst", 16, 6},
		{"--entry f32 $P/gemm_16.pkg.zst", 16, 6},
		{"--device=npu2 $P/gemm_32.pkg.zst", 32, 8},
		{"--device=npu2 --entry i8 $P/gemm_32.pkg.zst", 32, 11},
		{"--device=npu2 --entry f32 $P/gemm_32.pkg.zst", 32, 11},
	};

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *text = text_of(rows[i].how);

		REQUIRE(text);
		CHECK(cycles_of(rows[i].how) > 0);
		if (check_occurrences(text, "\"aie.core\"(") != rows[i].cores || check_occurrences(text, "\"aie.objectfifo.link\"") != rows[i].links)
			CHECK_FAIL("%s: %u cores, %u links, not %u, %u", rows[i].how, check_occurrences(text, "\"aie.core\"("),
				   check_occurrences(text, "\"aie.objectfifo.link\""), rows[i].cores, rows[i].links);
		free(text);
	}
}

TEST(cycles_fall_with_cores)
{
	static const char *const entries[] = {"i8", "i16", "bf16", "f32"};
	static const unsigned cores[] = {1, 2, 4, 16};

	cli_begin();
	for (size_t e = 0; e < sizeof(entries) / sizeof(*entries); e++) {
		uint64_t before = UINT64_MAX;

		for (size_t c = 0; c < sizeof(cores) / sizeof(*cores); c++) {
			uint64_t now = cycles_of(check_fmt("--opt cores=%u --entry %s $P/gemm_16.pkg.zst", cores[c], entries[e]));

			if (!now || now >= before)
				CHECK_FAIL("%s: %" PRIu64 " cycles on %u cores, %" PRIu64 " on fewer", entries[e], now, cores[c], before);
			before = now;
		}
	}
}

/* All of A is one task, as all of B is; four blocks of C that a memory tile joins are one. */
TEST(a_task_of_the_host_moves_what_lies_evenly_apart)
{
	char *text;

	cli_begin();
	text = text_of("--entry f32 $P/gemm_16.pkg.zst");
	REQUIRE(text);
	CHECK_UINT(check_occurrences(text, "aiex.npu.dma_memcpy_nd"), 6);
	CHECK_CONTAINS(text, "static_sizes = array<i64: 4, 4, 16, 16>, static_strides = array<i64: 16, 1024, 64, 1>"); /* A: steps, rows of blocks */
	CHECK_CONTAINS(text, "static_sizes = array<i64: 4, 4, 16, 16>, static_strides = array<i64: 1024, 16, 64, 1>"); /* B: steps, columns of blocks */
	CHECK_CONTAINS(text, "static_sizes = array<i64: 1, 4, 16, 16>, static_strides = array<i64: 0, 16, 64, 1>");    /* C: a row of blocks */
	free(text);
}

/* Each task reads across two blocks that those before it wrote. What one core of a group loads waits for what another stores. */
static const char chain[] =
	"module @chain\nsymbol %n : u64 = 16\naxis %blocks = dense(%n)\ntensor %x : f32[64, 16] in\ntensor %t : f32[72, 16] inout\n"
	"func @step(%x: !pto.memref<gm,...,f32>, %a: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"
	"  %u = alloc_tile : !pto.tile<4x16xf32>\n  %v = alloc_tile : !pto.tile<4x16xf32>\n  %u = tload %x[0, 0]\n  %v = tload %a[0, 0]\n  %u = tadd %u, %v\n"
	"  tstore %u, %y[0, 0]\n  return\n}\n"
	"workload @main {\n  parallel_for %m in %blocks {\n    call @step(%x -> %x[%m * 4, 0], %a -> %t[%m * 4 + 2, 0], %y -> %t[%m * 4 + 8, 0])\n  }\n}\n";

TEST(what_waits_for_another_core_is_not_grouped_with_it)
{
	cli_begin();
	check_put("chain.pto", chain);
	CHECK_INT(cli("$B/ptowsp-pack $T/chain.pto -o $T/chain.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=cpu_sim --quiet --fill x=random:3 --fill t=iota --out t=$T/cpu.npy $T/chain.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --fill x=random:3 --fill t=iota --expect t=$T/cpu.npy --rtol 0 --atol 0 $T/chain.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --plugin=aie --quiet --opt depth=1 --fill x=random:3 --fill t=iota --expect t=$T/cpu.npy --rtol 0 --atol 0 "
		      "$T/chain.pkg.zst"),
		  0);
}

/* ---- order -------------------------------------------------------------------------------------------------------------- */

/* Two cells get a word each, out of one object that a memory tile distributes, and store a word. waits: the second load waits for the first store. */
static ptowsp_status order_of(bool waits, uint32_t queue, uint32_t *steps_out)
{
	const struct aie_shape word = {PTOWSP_I32, true, 1, 1}, both = {PTOWSP_I32, true, 1, 2};
	uint32_t ends[] = {0, 1, AIE_HOST, AIE_HOST, AIE_LINKED}, members[] = {0, 1}, deps[] = {1}, own[] = {1, 3, 0, 2}, own_first[] = {0, 0, 0, 1, 2, 4};
	struct aie_stream streams[] = {
		{.kind = AIE_STREAM_LOAD, .group = 0, .from = AIE_LINKED, .to = 0, .to_count = 1, .shape = word, .objects = 1},
		{.kind = AIE_STREAM_LOAD, .group = 0, .from = AIE_LINKED, .to = 1, .to_count = 1, .shape = word, .objects = 1},
		{.kind = AIE_STREAM_STORE, .group = AIE_NOTHING, .from = 0, .to = 2, .to_count = 1, .shape = word, .objects = 1},
		{.kind = AIE_STREAM_STORE, .group = AIE_NOTHING, .from = 1, .to = 3, .to_count = 1, .shape = word, .objects = 1},
		{.kind = AIE_STREAM_LOAD, .whole = true, .group = 0, .from = AIE_HOST, .to = 4, .to_count = 1, .shape = both, .objects = 1},
	};
	struct aie_line lines[2][4];
	struct aie_lines cells[2];
	struct aie_group group = {false, 4, 0, 2};
	struct aie_job jobs[4];
	const struct aie_depths depths[] = {{2, 2, false}, {2, 2, false}, {2, 0, false}, {2, 0, false}, {0, 2, false}};
	struct aie_graph graph = {.streams = streams,
				  .ends = ends,
				  .cells = cells,
				  .jobs = jobs,
				  .deps = deps,
				  .groups = &group,
				  .members = members,
				  .own = own,
				  .own_first = own_first,
				  .group_count = 1,
				  .member_count = 2,
				  .cell_count = 2,
				  .stream_count = 5,
				  .end_count = 5,
				  .job_count = 4,
				  .dep_count = 1};
	const struct aie_acts acts = {0};
	const struct aie_order_args args = {.graph = &graph, .depths = depths, .queue = queue, .acts = &acts};
	struct aie_order order = {0};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status;

	for (uint32_t c = 0; c < 2; c++) {
		lines[c][0] = (struct aie_line){.kind = AIE_LINE_ACQUIRE, .stream = c};
		lines[c][1] = (struct aie_line){.kind = AIE_LINE_ACQUIRE, .produces = true, .stream = 2 + c};
		lines[c][2] = (struct aie_line){.kind = AIE_LINE_RELEASE, .stream = c};
		lines[c][3] = (struct aie_line){.kind = AIE_LINE_RELEASE, .produces = true, .stream = 2 + c};
		cells[c] = (struct aie_lines){lines[c], 4, 4};
		jobs[2 * c] =
			(struct aie_job){.stream = 4, .at = 4 * c, .bytes = 4, .with = 2 * c, .next = AIE_NOTHING, .parts = 1, .turns = 1, .area = AIE_NOTHING};
		jobs[2 * c + 1] = (struct aie_job){
			.stream = 2 + c, .bytes = 4, .stores = true, .with = 2 * c + 1, .next = AIE_NOTHING, .parts = 1, .turns = 1, .area = AIE_NOTHING};
	}
	jobs[2].dep_count = waits;
	status = aie_order_make(&order, &args, &error);
	*steps_out = order.count;
	if (status)
		CHECK_CONTAINS(error.text, "cell 0 stands still at line 0, where it takes an object of stream 0");
	aie_order_finish(&order);
	return status;
}

TEST(order_finds_members_that_wait_for_each_other)
{
	uint32_t steps;

	CHECK_INT(order_of(false, 4, &steps), PTOWSP_OK);
	CHECK_UINT(steps, 6); /* four tasks, two waits */
	CHECK_INT(order_of(true, 4, &steps), PTOWSP_UNSUPPORTED);
}

/* The first task of an object is over before the second begins, where only one may be under way. */
TEST(an_object_may_have_more_tasks_than_the_queue)
{
	uint32_t steps;

	CHECK_INT(order_of(false, 1, &steps), PTOWSP_OK);
	CHECK_UINT(steps, 7); /* and a wait between the loads */
}

/* ---- where results are made ---------------------------------------------------------------------------------------------- */

/* A result that a chain changes in place is made in the object that leaves the core, unless the last call of the chain makes another result that goes the same way. */
static const char pair[] = "module @pair\ntensor %x : f32[4, 16] in\ntensor %y : f32[4, 16] out\ntensor %z : f32[4, 16] out\n"
			   "func @begin(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<4x16xf32>\n  %t = tload "
			   "%a[0, 0]\n  tstore %t, %b[0, 0]\n  return\n}\n"
			   "func @both(%b: !pto.memref<gm,...,f32>, %c: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<4x16xf32>\n  %t = tload "
			   "%b[0, 0]\n  %t = tmuls %t, 3.0\n"
			   "  tstore %t, %b[0, 0]\n  %t = tadds %t, 1.0\n  tstore %t, %c[0, 0]\n  return\n}\n"
			   "func @only(%b: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<4x16xf32>\n  %t = tload %b[0, 0]\n  %t = tmuls %t, 3.0\n  "
			   "tstore %t, %b[0, 0]\n  return\n}\n"
			   "workload @two {\n  call @begin(%a -> %x[0, 0], %b -> %y[0, 0])\n  call @both(%b -> %y[0, 0], %c -> %z[0, 0])\n}\n"
			   "workload @alone {\n  call @begin(%a -> %x[0, 0], %b -> %y[0, 0])\n}\n"
			   "workload @one {\n  call @begin(%a -> %x[0, 0], %b -> %y[0, 0])\n  call @only(%b -> %y[0, 0])\n}\n";

TEST(a_result_beside_another_of_its_stream_has_a_buffer)
{
	static const struct {
		const char *entry, *outputs;
		unsigned buffers;
	} rows[] = {{"two", "--out y=$T/y.npy --out z=$T/z.npy", 2}, {"one", "--out y=$T/y.npy", 0}, {"alone", "--out y=$T/y.npy", 0}};

	cli_begin();
	check_put("pair.pto", pair);
	CHECK_INT(cli("$B/ptowsp-pack $T/pair.pto -o $T/pair.pkg.zst"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *compared = i ? "--expect y=$T/y.npy" : "--expect y=$T/y.npy --expect z=$T/z.npy";

		CHECK_INT(cli(check_fmt("$B/ptowsp-run --quiet --entry %s --fill x=iota %s $T/pair.pkg.zst", rows[i].entry, rows[i].outputs)), 0);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --plugin=aie --quiet --entry %s --fill x=iota --rtol 0 --atol 0 %s --emit $T/e $T/pair.pkg.zst && cat "
					"$T/e/design.mlir",
					rows[i].entry, compared)),
			  0);
		CHECK_UINT(check_occurrences(cli_out, "\"aie.buffer\"("), rows[i].buffers);
	}
}
