/* SPDX-License-Identifier: MIT
 * test_workload_size.c - how many bytes programs take in a package: templates of tasks, not tasks. */
#include "tests/check.h"
#include "tests/lang/source.h"

#include "ptowsp/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define M "!pto.memref<gm,...,f32>"

static uint64_t bytes_of(const struct pkg *package, uint32_t type)
{
	uint32_t count;
	const struct ptowsp_section *sections = pkg_sections(package, &count);

	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == type)
			return sections[i].stride * sections[i].count;
	return 0;
}

/* parallel_for(batch=4, heads=8) of one kernel. */
TEST(two_loops_around_one_kernel_take_at_most_160_bytes)
{
	struct source s = source_compile("func @k(%x: " M ", %y: " M ") {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n"
					 "  %a = tload %x[0, 0]\n  tstore %a, %y[0, 0]\n}\n"
					 "// Function Type: Orchestration\nfunc @main(%p: " M ", %q: " M ") {\n"
					 "  FOR %batch:idx, 0:idx, 4:idx, 1:idx\n    FOR %heads:idx, 0:idx, 8:idx, 1:idx\n"
					 "      CALL @k(%x -> (%p, batch, heads), %y -> (%q, batch, heads))\n    ENDFOR\n  ENDFOR\n}\n");
	uint64_t work, axes;

	CHECK_STR(s.messages, "");
	REQUIRE(s.package != NULL);
	work = bytes_of(s.package, PTOWSP_SECTION_WORK);
	axes = bytes_of(s.package, PTOWSP_SECTION_AXES);
	printf("# parallel_for(4, 8) of one kernel: WORK %u bytes, AXES %u bytes\n", (unsigned)work, (unsigned)axes);
	CHECK_UINT(s.t->axis_count, 2);
	CHECK(work + axes <= 160);
	source_free(&s);
}

TEST(the_llama_layer_takes_at_most_4096_bytes)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint64_t work, axes, schedule;
	struct pkg *package;

	REQUIRE_INT(pkg_open(&package, check_fmt("%s/packages/llama_layer.pkg.zst", check_build()), NULL, &error), 0);
	work = bytes_of(package, PTOWSP_SECTION_WORK);
	axes = bytes_of(package, PTOWSP_SECTION_AXES);
	schedule = bytes_of(package, PTOWSP_SECTION_SCHD);
	printf("# LLaMA layer: WORK %u bytes, AXES %u bytes, SCHD %u bytes\n", (unsigned)work, (unsigned)axes, (unsigned)schedule);
	CHECK(work > 100);
	CHECK(work + axes + schedule <= 4096);
	pkg_close(package);
}

/* Short records of AXES come back as if they were long, and a kernel is no instruction. */
TEST(what_is_left_out_comes_back_as_none)
{
	struct source s = source_compile("func @k(%x: " M ") {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %a = tload %x[0, 0]\n  tstore %a, %x[0, 0]\n}\n"
					 "// Function Type: Orchestration\nfunc @main(%p: " M ") {\n"
					 "  FOR %i:idx, 0:idx, 4:idx, 1:idx\n    CALL @k(%x -> (%p, i, 0))\n  ENDFOR\n}\n");

	REQUIRE(s.package != NULL);
	CHECK_UINT(bytes_of(s.package, PTOWSP_SECTION_AXES), 24);
	REQUIRE_UINT(s.t->axis_count, 1);
	CHECK_UINT(s.t->axis[0].row, PTOWSP_NONE);
	CHECK_UINT(s.t->axis[0].lengths, PTOWSP_NONE);
	CHECK_UINT(s.t->axis[0].indices, PTOWSP_NONE);
	CHECK_UINT(s.t->axis[0].count, 0);
	source_free(&s);
}

/* A checkpoint names the parts that it copies, and none of the other checkpoints. */
TEST(regions_of_a_checkpoint_are_those_that_it_copies)
{
	uint32_t regions[2];

	for (uint32_t i = 0; i < 2; i++) {
		char *text = NULL;
		size_t size;
		FILE *file = open_memstream(&text, &size);
		struct source s;

		REQUIRE(file != NULL);
		fputs("func @one(%x: " M ", %y: " M ") {\n  %a = alloc_tile : !pto.tile<8x8xf32>\n  %a = tload %x[0, 0]\n  tstore %a, %y[0, 0]\n}\n"
		      "graph @g {\nMC_ALLOC(Y, 256)\nTG_BEGIN(G)\nTG_KERNEL(A, one, 1, AIV, 0)\nMC_BIND(A, 0, X)\nMC_BIND(A, 1, Y)\nTG_END(G)\n",
		      file);
		for (uint32_t n = 0; n < 300 * (i + 1); n++)
			fprintf(file, "TG_LAUNCH(G, s)\nTG_SYNC(G)\nTG_CHECKPOINT(G, C%u)\nTG_RESTORE(G, C%u)\n", n, n);
		fputs("}\n", file);
		REQUIRE(!fclose(file));
		s = source_compile(text);
		REQUIRE(s.package != NULL);
		regions[i] = s.t->region_count;
		source_free(&s);
		free(text);
	}
	CHECK(regions[1] <= 2 * regions[0]);
	CHECK(regions[0] <= 300 * 8);
}
