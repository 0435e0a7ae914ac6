/* SPDX-License-Identifier: MIT
 * test_aie_picture.c - an array with its routes as SVG and JSON: files of tests/aie, names that need quoting, streams that share the memory. PTOWSP_UPDATE=1 writes the
 * files. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "aie/picture/picture.h"
#include "aie/picture/picture_design.h"
#include "aie/picture/sheet.h"
#include "registry/common/common_text.h"
#include "tests/aie/aie_written.h"
#include "tests/check.h"

enum { FLOWS = 4 };
static const struct aie_port ends[] = {
	{0, 1, AIE_BUNDLE_DMA, 0}, {0, 2, AIE_BUNDLE_DMA, 0}, {1, 3, AIE_BUNDLE_DMA, 1}, {0, 1, AIE_BUNDLE_DMA, 1}, {0, 0, AIE_BUNDLE_DMA, 0},
};
static const struct aie_flow flows[FLOWS] = {
	{.from = {0, 0, AIE_BUNDLE_DMA, 0}, .to = &ends[0], .to_count = 1},
	{.from = {0, 1, AIE_BUNDLE_DMA, 0}, .to = &ends[1], .to_count = 2},
	{.from = {1, 3, AIE_BUNDLE_DMA, 0}, .to = &ends[3], .to_count = 1},
	{.from = {0, 1, AIE_BUNDLE_DMA, 1}, .to = &ends[4], .to_count = 1},
};
static const struct aie_picture_stream streams[FLOWS] = {{.name = "in", .text = "memref<64xi32>, 2 objects", .words = 640},
							 {.name = "part <1> & \"2\"", .words = 320},
							 {.name = "sum"},
							 {.name = "out", .words = 700}};
static const char *const on_memtile[] = {"in ▸ part", "sum ▸ out", "third", "fourth", "fifth"};
static const char *const on_core[] = {"add & multiply a very long name of a kernel"};
static const struct aie_picture_part memory[] = {{"stack", 1024}, {"part in", 32768}, {"acc", 40000}};
static const struct aie_picture_tile tiles[] = {
	{.column = 0, .row = 0, .used = {[AIE_DMA_IN] = 1, [AIE_DMA_OUT] = 1}},
	{.column = 0,
	 .row = 1,
	 .nodes = on_memtile,
	 .node_count = 5,
	 .used = {[AIE_MEMORY] = 4096, [AIE_BDS] = 8, [AIE_LOCKS] = 8, [AIE_DMA_IN] = 2, [AIE_DMA_OUT] = 2}},
	{.column = 0,
	 .row = 2,
	 .nodes = on_core,
	 .node_count = 1,
	 .parts = memory,
	 .part_count = 3,
	 .used = {[AIE_MEMORY] = 73792, [AIE_BDS] = 2, [AIE_LOCKS] = 2, [AIE_DMA_IN] = 1}},
};

static struct aie_picture picture(struct aie_routes *routes)
{
	const struct aie_arch *arch = aie_arch_named("npu1_2col");

	memset(routes, 0, sizeof(*routes));
	REQUIRE_INT(aie_route(arch, flows, FLOWS, routes, NULL), PTOWSP_OK);
	return (struct aie_picture){
		.arch = arch, .title = "four <streams>", .tiles = tiles, .tile_count = 3, .flows = flows, .streams = streams, .routes = routes};
}

static void check_file(const char *name, const char *text)
{
	const char *path = check_fmt("%s/tests/aie/designs/%s", check_root(), name);
	char *file;

	REQUIRE(text != NULL);
	if (getenv("PTOWSP_UPDATE"))
		CHECK(check_write(path, text, strlen(text)));
	file = check_read(path, NULL);
	REQUIRE(file != NULL);
	CHECK(!strcmp(file, text));
	free(file);
}

TEST(the_drawing_is_the_one_of_the_tree)
{
	struct aie_routes routes;
	const struct aie_picture p = picture(&routes);
	char *text = aie_picture_svg(&p), *again = aie_picture_svg(&p);

	check_file("picture.svg", text);
	CHECK(again && !strcmp(text, again));
	CHECK_CONTAINS(text, "four &lt;streams&gt; on npu1_2col");
	CHECK_CONTAINS(text, "<title>part &lt;1&gt; &amp; &quot;2&quot;: (0,1) DMA 0 to (0,2) DMA 0, (1,3) DMA 1; ");
	CHECK_CONTAINS(text, "class=\"over\""); /* more memory than there is */
	CHECK_CONTAINS(text, "and 2 more<title>fourth, fifth</title>");
	free(text);
	free(again);
	aie_routes_finish(&routes);
}

/* Elements are closed in the order in which they were opened, and attributes are quoted. */
TEST(the_drawing_is_well_formed)
{
	struct aie_routes routes;
	const struct aie_picture p = picture(&routes);
	char *text = aie_picture_svg(&p);
	char open[32][16];
	uint32_t depth = 0, elements = 0;

	REQUIRE(text != NULL);
	for (const char *at = strchr(text, '<'); at; at = strchr(at, '<')) {
		const char *end = strchr(at, '>');
		const size_t name = strcspn(at + 1, " >/");
		uint32_t quotes = 0;

		REQUIRE(end != NULL);
		for (const char *c = at; c < end; c++)
			quotes += *c == '"';
		CHECK_UINT(quotes % 2, 0);
		elements++;
		if (at[1] == '/') {
			REQUIRE(depth > 0);
			depth--;
			CHECK(!strncmp(at + 2, open[depth], strlen(open[depth])));
		} else if (end[-1] != '/') {
			REQUIRE(depth < 32 && name < 16);
			memcpy(open[depth], at + 1, name);
			open[depth++][name] = '\0';
		}
		at = end;
	}
	CHECK_UINT(depth, 0);
	CHECK(elements > 100);
	free(text);
	aie_routes_finish(&routes);
}

TEST(the_json_says_what_the_routes_say)
{
	struct aie_routes routes;
	const struct aie_picture p = picture(&routes);
	char *text = aie_picture_json(&p);
	json_t *root, *list, *stream, *hops;

	check_file("picture.json", text);
	root = json_loads(text, 0, NULL);
	REQUIRE(root != NULL);
	CHECK_STR(json_string_value(json_object_get(root, "device")), "npu1_2col");
	CHECK_UINT((uint64_t)json_integer_value(json_object_get(root, "length")), routes.length);
	CHECK_STR(json_string_value(json_object_get(root, "narrowest")), "out");
	list = json_object_get(root, "streams");
	CHECK_UINT(json_array_size(list), FLOWS);
	for (uint32_t i = 0; i < FLOWS; i++) {
		stream = json_array_get(list, i);
		hops = json_object_get(stream, "hops");
		CHECK_STR(json_string_value(json_object_get(stream, "name")), streams[i].name);
		CHECK_UINT((uint64_t)json_integer_value(json_object_get(stream, "length")), routes.routes[i].length);
		CHECK_UINT(json_array_size(hops), routes.routes[i].count);
		CHECK_INT(json_integer_value(json_array_get(json_array_get(hops, 0), 0)), flows[i].from.column);
	}
	CHECK_UINT(json_array_size(json_object_get(root, "tiles")), 3);
	json_decref(root);
	free(text);
	aie_routes_finish(&routes);
}

/* 4 bytes a cycle; npu1 gives 16 a cycle to all shims together. */
TEST(streams_of_shims_share_the_memory)
{
	const struct aie_arch *arch = aie_arch_named("npu1");
	struct aie_port to[6];
	struct aie_flow many[7];
	struct aie_picture_stream names[7];
	struct aie_routes routes = {0};
	struct aie_picture p = {.arch = arch, .title = "", .flows = many, .streams = names, .routes = &routes};
	const struct aie_port cores = {3, 5, AIE_BUNDLE_DMA, 0};

	for (uint32_t i = 0; i < 6; i++) {
		to[i] = (struct aie_port){(int32_t)(i / 2), 1, AIE_BUNDLE_DMA, i % 2};
		many[i] = (struct aie_flow){.from = {(int32_t)(i / 2), 0, AIE_BUNDLE_DMA, i % 2}, .to = &to[i], .to_count = 1};
		names[i] = (struct aie_picture_stream){.name = "in", .words = i};
	}
	many[6] = (struct aie_flow){.from = {3, 4, AIE_BUNDLE_DMA, 0}, .to = &cores, .to_count = 1};
	names[6] = (struct aie_picture_stream){.name = "inner"};
	REQUIRE_INT(aie_route(arch, many, 7, &routes, NULL), PTOWSP_OK);
	CHECK_UINT(aie_picture_bandwidth(&p, 0), UINT64_C(16000000000) / 6);
	CHECK_UINT(aie_picture_bandwidth(&p, 6), UINT64_C(4000000000));
	CHECK_UINT(aie_picture_narrowest(&p), 5);
	aie_routes_finish(&routes);
	CHECK_UINT(aie_picture_narrowest(&p), PTOWSP_NONE);
}

TEST(an_empty_array_is_drawn_too)
{
	const struct aie_routes routes = {0};
	const struct aie_picture p = {.arch = aie_arch_named("npu2"), .title = "", .routes = &routes};
	char *svg = aie_picture_svg(&p), *text = aie_picture_json(&p);
	json_t *root = text ? json_loads(text, 0, NULL) : NULL;

	REQUIRE(svg && root);
	CHECK_CONTAINS(svg, "memory (7,1)");
	CHECK(json_is_null(json_object_get(root, "narrowest")));
	json_decref(root);
	free(svg);
	free(text);
}

TEST(names_are_quoted)
{
	static const struct {
		const char *name, *xml;
	} rows[] = {
		{"a\"b\\c", "a&quot;b\\c"},
		{"<&>", "&lt;&amp;&gt;"},
		{"\x01\n", "??"},
		{"\xff\xc3", "??"},
		{"\xc3\xa4\xe2\x96\xb8\xf0\x9f\x98\x80", "\xc3\xa4\xe2\x96\xb8\xf0\x9f\x98\x80"},
		{"\xed\xa0\x80", "???"},
		{"\xc0\x80", "??"},
		{"\xef\xbf\xbf", "?"},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct common_text xml = {0};

		aie_xml_add(&xml, rows[i].name);
		CHECK_STR(xml.bytes ? xml.bytes : "", rows[i].xml);
		common_text_finish(&xml);
	}
}

TEST(long_names_are_cut_between_characters)
{
	struct common_text text = {0};

	aie_xml_add_short(&text, "12345678", 8);
	common_text_put(&text, "|");
	aie_xml_add_short(&text, "123456789", 8);
	common_text_put(&text, "|");
	aie_xml_add_short(&text,
			  "1234\xe2\x96\xb8"
			  "89",
			  8);
	CHECK_STR(text.bytes, "12345678|12345...|1234...");
	common_text_finish(&text);
}

TEST(a_design_is_drawn_as_its_module_says_it)
{
	char *text = check_read(check_fmt("%s/tests/aie/designs/split.mlir", check_root()), NULL), *svg, *json;
	struct aie_picture_design drawn;
	struct aie_whole whole;
	json_t *root;

	REQUIRE(text != NULL);
	REQUIRE_INT(aie_whole_read(&whole, text, NULL), PTOWSP_OK);
	REQUIRE_INT(aie_picture_of_design(&drawn, &whole.design, &whole.channels, &whole.routes, "split", NULL), PTOWSP_OK);
	svg = aie_picture_svg(&drawn.picture);
	json = aie_picture_json(&drawn.picture);
	REQUIRE(svg && json);
	CHECK_CONTAINS(svg, "class=\"node\">weigh<title>");
	CHECK_CONTAINS(svg, "class=\"node\">in \xe2\x96\xb8 in_a, in_b<title>");
	CHECK_CONTAINS(svg, "<title>w_all: (0,1) DMA ");
	CHECK_CONTAINS(svg, "<title>stack: ");
	CHECK_CONTAINS(json, "\"name\": \"out_b\", \"from\": {\"column\": 0, \"row\": 3,");
	root = json_loads(json, 0, NULL);
	CHECK_UINT(json_array_size(json_object_get(root, "streams")), whole.channels.flow_count);
	CHECK_UINT(json_array_size(json_object_get(root, "tiles")), whole.design.tile_count);
	CHECK(json_integer_value(json_object_get(json_array_get(json_object_get(root, "streams"), 0), "words")) > 0);
	json_decref(root);
	free(svg);
	free(json);
	free(text);
	aie_picture_design_finish(&drawn);
	aie_picture_design_finish(&drawn);
	aie_whole_finish(&whole);
}
