/* SPDX-License-Identifier: MIT
 * test_aie_design.c - the view of a design and what it takes from its tiles. */
#include "aie/design/aie_channels.h"
#include "aie/design/design.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

struct whole {
	struct aie_module module;
	struct aie_design design;
	struct aie_channels channels;
};

static void whole_finish(struct whole *whole)
{
	aie_channels_finish(&whole->channels);
	aie_design_finish(&whole->design);
	aie_module_finish(&whole->module);
}

static ptowsp_status whole_read(struct whole *whole, const char *text, struct ptowsp_error *error)
{
	ptowsp_status status = aie_module_read(&whole->module, text, strlen(text), error);

	if (!status)
		status = aie_design_read(&whole->design, &whole->module, error);
	if (!status)
		status = aie_channels_assign(&whole->channels, &whole->design, error);
	return status;
}

static char *source_of(const char *name)
{
	return check_read(check_fmt("%s/tests/aie/designs/%s.mlir", check_root(), name), NULL);
}

static void whole_open(struct whole *whole, const char *name)
{
	struct ptowsp_error error = {0};
	char *text = source_of(name);

	*whole = (struct whole){0};
	REQUIRE(text != NULL);
	if (whole_read(whole, text, &error))
		CHECK_FAIL("%s: %s", name, error.text);
	free(text);
	REQUIRE(whole->channels.arena != NULL);
}

static const struct aie_fifo *fifo_named(const struct whole *whole, const char *name)
{
	const uint32_t fifo = aie_design_fifo(&whole->design, name);

	REQUIRE(fifo != AIE_NONE);
	return &whole->design.fifos[fifo];
}

TEST(a_pipeline_has_its_view)
{
	struct whole whole;
	const struct aie_fifo *mid;

	whole_open(&whole, "pipe");
	CHECK_STR(whole.design.arch->name, "npu1_1col");
	CHECK_UINT(whole.design.tile_count, 3);
	CHECK_UINT(whole.design.fifo_count, 3);
	CHECK_UINT(whole.design.core_count, 2);
	CHECK_UINT(whole.design.argument_count, 2);
	CHECK_UINT(whole.design.step_count, 3);
	CHECK(whole.design.steps[0].token && !whole.design.steps[0].waits && whole.design.steps[2].waits);
	CHECK_INT(whole.design.steps[0].sizes[3], 256);
	mid = fifo_named(&whole, "mid");
	CHECK(!mid->moves);
	CHECK_UINT(mid->memory, mid->producer);
	CHECK(fifo_named(&whole, "in")->moves);
	CHECK_UINT(mid->depths[0], 2);
	CHECK_UINT(whole.design.cores[0].stack, 1024);
	CHECK_UINT(aie_design_fifo(&whole.design, "no"), AIE_NONE);
	CHECK_UINT(aie_design_function(&whole.design, "no"), AIE_NONE);
	whole_finish(&whole);
}

TEST(links_have_parts_of_one_memory)
{
	struct whole whole;
	const struct aie_link *cut;

	whole_open(&whole, "split");
	CHECK_UINT(whole.design.link_count, 3);
	cut = &whole.design.links[fifo_named(&whole, "in")->link_in];
	CHECK_UINT(cut->out_count, 2);
	CHECK_INT(cut->offsets[1], 32);
	CHECK(whole.design.links[fifo_named(&whole, "w")->link_in].offsets == NULL);
	CHECK_UINT(fifo_named(&whole, "out")->link_out, 2);
	CHECK_UINT(fifo_named(&whole, "out")->link_in, AIE_NONE);
	CHECK_UINT(fifo_named(&whole, "in_a")->to_stream.rank, 2);
	CHECK_INT(fifo_named(&whole, "in_a")->to_stream.strides[0], 4);
	CHECK_UINT(fifo_named(&whole, "w_all")->depths[2], 1);
	CHECK(whole.design.functions[0].outside);
	CHECK_STR(whole.design.cores[0].object, "weigh.o");
	CHECK_UINT(whole.design.buffers[0].tile, 2);
	CHECK_UINT(whole.design.buffers[0].initial->count, 1);
	whole_finish(&whole);
}

TEST(tiles_say_what_they_give)
{
	static const char report[] =
		"shim (0,0): 1 of 2 DMA channels in, 2 of 2 DMA channels out\n"
		"memory tile (0,1): 1088 of 524288 bytes of memory, 4 of 6 DMA channels in, 4 of 6 DMA channels out, 18 of 48 buffer descriptors, "
		"10 of 64 locks\n"
		"core tile (0,2): 2656 of 65536 bytes of memory, 2 of 2 DMA channels in, 1 of 2 DMA channels out, 5 of 16 buffer descriptors, 6 of 16 locks\n"
		"core tile (0,3): 2624 of 65536 bytes of memory, 2 of 2 DMA channels in, 1 of 2 DMA channels out, 5 of 16 buffer descriptors, 6 of 16 locks\n";
	struct whole whole;
	char *text;

	whole_open(&whole, "split");
	text = aie_channels_report(&whole.channels, &whole.design);
	CHECK_STR(text, report);
	CHECK_STR(whole.channels.memory[0].what, "fifo in");
	CHECK_UINT(whole.channels.memory[0].bytes, 512);
	free(text);
	whole_finish(&whole);
}

TEST(flows_go_from_channel_to_channels)
{
	const struct aie_flow *flows;
	const uint32_t *fifos;
	struct whole whole;
	uint32_t count, found = 0;

	whole_open(&whole, "split");
	aie_design_flows(&whole.channels, &flows, &fifos, &count);
	CHECK_UINT(count, 8);
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(whole.design.fifos[fifos[i]].name, "w_all"))
			continue;
		found++;
		CHECK_UINT(flows[i].to_count, 2);
		CHECK_INT(flows[i].from.row, 1);
		CHECK_UINT(flows[i].from.channel, 2);
		CHECK_INT(flows[i].from.bundle, AIE_BUNDLE_DMA);
		CHECK_INT(flows[i].to[1].row, 3);
		CHECK_UINT(flows[i].to[1].channel, 1);
		CHECK_UINT(aie_channels_of(&whole.channels, fifos[i], 1)->number, 1);
		CHECK_UINT(aie_channels_of(&whole.channels, fifos[i], AIE_NONE)->descriptors, 1);
	}
	CHECK_UINT(found, 1);
	whole_finish(&whole);
	whole_open(&whole, "pipe");
	CHECK_UINT(whole.channels.flow_count, 2);
	CHECK(!aie_channels_of(&whole.channels, aie_design_fifo(&whole.design, "mid"), AIE_NONE));
	whole_finish(&whole);
}

TEST(examples_of_the_corpus_are_designs)
{
	static const char *const files[] = {"pass_dict", "two_stage", "matmul"};

	CHECK_NEED_SHARED();
	for (size_t i = 0; i < 3; i++) {
		char *text = check_read(check_fmt("%s/reference/aie-files/%s.mlir", check_shared(), files[i]), NULL);
		struct ptowsp_error error = {0};
		struct whole whole = {0};

		REQUIRE(text != NULL);
		if (whole_read(&whole, text, &error))
			CHECK_FAIL("%s: %s", files[i], error.text);
		whole_finish(&whole);
		free(text);
	}
}
