/* SPDX-License-Identifier: MIT
 * test_aie_place.c - nodes on tiles: pins, limits, needs; random graphs; small ones against every placement there is; what has no place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/place/aie_place.h"
#include "tests/aie/aie_fabric.h"
#include "tests/check.h"

#define CORE_NODE(text)                                                                                                                                        \
	{                                                                                                                                                      \
		.kind = AIE_CORE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .name = text                                                                    \
	}

/* What is wrong with places; written from the rules, with sums of its own. */
static const char *wrong(const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t count, const struct aie_place *places)
{
	for (uint32_t i = 0; i < count; i++) {
		const enum aie_kind kind = places[i].row == 0 ? AIE_SHIM : places[i].row == 1 ? AIE_MEMTILE : AIE_CORE;
		uint64_t in = 0, out = 0, locks = 0, bds = 0, bytes = 0;

		if (places[i].column < 0 || places[i].column >= (int32_t)arch->columns || places[i].row < 0 || places[i].row > 5 || kind != nodes[i].kind)
			return check_fmt("node %u is on no tile of its kind", i);
		if ((nodes[i].column >= 0 && nodes[i].column != places[i].column) || (nodes[i].row >= 0 && nodes[i].row != places[i].row))
			return check_fmt("node %u is not where it is pinned to", i);
		for (uint32_t k = 0; k < count; k++) {
			if (places[k].column != places[i].column || places[k].row != places[i].row)
				continue;
			if (k != i && kind == AIE_CORE)
				return check_fmt("nodes %u and %u share a core", i, k);
			in += nodes[k].in, out += nodes[k].out, locks += nodes[k].locks, bds += nodes[k].bds, bytes += nodes[k].bytes;
		}
		if (in > (kind == AIE_MEMTILE ? 6 : 2) || out > (kind == AIE_MEMTILE ? 6 : 2) || locks > (kind == AIE_MEMTILE ? 64 : 16) ||
		    bds > (kind == AIE_MEMTILE ? 48 : 16) ||
		    bytes > (kind == AIE_MEMTILE ? 524288
			     : kind == AIE_CORE  ? 65536
						 : 0))
			return check_fmt("tile (%d,%d) has too much", places[i].column, places[i].row);
	}
	return NULL;
}

enum { NODES = 64, NETS = 96, ENDS = 384 };
struct graph {
	struct aie_place_node nodes[NODES];
	struct aie_place_net nets[NETS];
	uint32_t ends[ENDS];
	uint32_t count, net_count, end_count;
};

static void draw_node(struct graph *graph, const struct aie_arch *arch, enum aie_kind kind, struct fabric_random *random)
{
	struct aie_place_node *node = &graph->nodes[graph->count++];

	*node = (struct aie_place_node){.kind = kind, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .name = "node"};
	node->in = (uint32_t)fabric_draw(random, 3), node->out = (uint32_t)fabric_draw(random, 3);
	node->locks = (uint32_t)fabric_draw(random, 12), node->bds = (uint32_t)fabric_draw(random, 10);
	node->bytes = kind == AIE_SHIM ? 0 : fabric_draw(random, 60000);
	if (!fabric_draw(random, 8))
		node->column = (int32_t)fabric_draw(random, arch->columns);
	if (!fabric_draw(random, 8) && kind == AIE_CORE)
		node->row = (int32_t)(2 + fabric_draw(random, 4));
}

static void draw_graph(struct graph *graph, const struct aie_arch *arch, uint32_t cores, struct fabric_random *random)
{
	memset(graph, 0, sizeof(*graph));
	for (uint32_t i = 0; i < cores; i++)
		draw_node(graph, arch, AIE_CORE, random);
	for (uint32_t i = 0; i < arch->columns; i++)
		draw_node(graph, arch, fabric_draw(random, 2) ? AIE_SHIM : AIE_MEMTILE, random);
	for (uint32_t wanted = 2 + (uint32_t)fabric_draw(random, 2 * graph->count); graph->net_count < wanted && graph->net_count < NETS;) {
		struct aie_place_net *net = &graph->nets[graph->net_count++];
		const uint64_t ends = fabric_draw(random, 3) ? 1 : 1 + fabric_draw(random, 4);

		*net = (struct aie_place_net){.from = (uint32_t)fabric_draw(random, graph->count),
					      .to = &graph->ends[graph->end_count],
					      .weight = 1 + (fabric_draw(random, 4) ? fabric_draw(random, 100) : fabric_draw(random, UINT64_C(1) << 40))};
		for (; net->to_count < ends; net->to_count++)
			graph->ends[graph->end_count++] = (uint32_t)fabric_draw(random, graph->count);
	}
}

static bool not_worse(struct aie_place_cost a, struct aie_place_cost b)
{
	return a.unmet < b.unmet || (a.unmet == b.unmet && a.way <= b.way);
}

/* Large weights are scaled while places are looked for: what is compared here are small enough ones. */
/* None: as constructed. Most: never worse than usual, of which it is a longer run, and somewhere better. */
TEST(more_effort_finds_shorter_ways)
{
	uint32_t archs;
	const struct aie_arch *arch = aie_arch_list(&archs);
	uint64_t ways[AIE_EFFORT_MOST + 1] = {0};
	static struct graph graph;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct fabric_random random = {seed * UINT64_C(0x9E3779B97F4A7C15)};
		struct aie_place places[NODES], first[NODES];

		draw_graph(&graph, arch, 12, &random);
		for (uint32_t i = 0; i < graph.net_count; i++)
			graph.nets[i].weight &= 0xffff, graph.nets[i].weight += 1;
		if (aie_place(arch, graph.nodes, graph.count, graph.nets, graph.net_count, 0, first, NULL))
			continue;
		for (int effort = AIE_EFFORT_NONE; effort <= AIE_EFFORT_MOST; effort++) {
			REQUIRE_INT(aie_place_with((enum aie_effort)effort, arch, graph.nodes, graph.count, graph.nets, graph.net_count, seed, places, NULL),
				    PTOWSP_OK);
			if (effort == AIE_EFFORT_NONE)
				CHECK(!memcmp(places, first, graph.count * sizeof(*places)));
			ways[effort] += aie_place_cost(arch, places, graph.nets, graph.net_count).way;
		}
	}
	printf("# ways by effort: %llu, %llu, %llu, %llu\n", (unsigned long long)ways[0], (unsigned long long)ways[1], (unsigned long long)ways[2],
	       (unsigned long long)ways[3]);
	CHECK(ways[0] > ways[1] && ways[1] >= ways[2] && ways[2] >= ways[3] && ways[1] > ways[3]);
}

TEST(random_graphs_are_placed_within_limits_and_never_worse_than_constructed)
{
	uint32_t archs, placed = 0, refused = 0;
	const struct aie_arch *list = aie_arch_list(&archs);
	uint64_t constructed = 0, improved = 0;
	static struct graph graph;

	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct fabric_random random = {seed * UINT64_C(0x9E3779B97F4A7C15)};
		const struct aie_arch *arch = &list[fabric_draw(&random, archs)];
		struct aie_place first[NODES], places[NODES], again[NODES];
		struct aie_place_cost before, after;
		struct ptowsp_error error = {.text = ""};
		const char *why;

		draw_graph(&graph, arch, (uint32_t)fabric_draw(&random, arch->columns * 4 + 1), &random);
		for (uint32_t i = 0; i < graph.net_count; i++)
			graph.nets[i].weight &= 0xffff, graph.nets[i].weight += 1;
		if (aie_place(arch, graph.nodes, graph.count, graph.nets, graph.net_count, 0, first, &error)) {
			refused++; /* pins may want more than a tile has */
			CHECK(strlen(error.text) > 30);
			continue;
		}
		placed++;
		REQUIRE_INT(aie_place(arch, graph.nodes, graph.count, graph.nets, graph.net_count, seed, places, &error), PTOWSP_OK);
		REQUIRE_INT(aie_place(arch, graph.nodes, graph.count, graph.nets, graph.net_count, seed, again, &error), PTOWSP_OK);
		CHECK(!memcmp(places, again, graph.count * sizeof(*places)));
		why = wrong(arch, graph.nodes, graph.count, first);
		why = why ? why : wrong(arch, graph.nodes, graph.count, places);
		if (why)
			CHECK_FAIL("seed %u on %s: %s", seed, arch->name, why);
		before = aie_place_cost(arch, first, graph.nets, graph.net_count);
		after = aie_place_cost(arch, places, graph.nets, graph.net_count);
		CHECK(not_worse(after, before));
		constructed += before.way;
		improved += after.way;
	}
	printf("# seeds 1 to 300: %u placed, %u refused for their pins; exchanges leave %.3f of the constructed way\n", placed, refused,
	       (double)improved / (double)constructed);
	CHECK(placed > 150);
}

TEST(huge_weights_do_not_overflow)
{
	const struct aie_arch *arch = aie_arch_named("npu2");
	static struct graph graph;

	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct fabric_random random = {seed * UINT64_C(0x9E3779B97F4A7C15)};
		struct aie_place places[NODES];

		draw_graph(&graph, arch, 32, &random);
		for (uint32_t i = 0; i < graph.count; i++)
			graph.nodes[i].column = graph.nodes[i].row = AIE_ANYWHERE;
		for (uint32_t i = 0; i < graph.net_count; i++)
			graph.nets[i].weight = UINT64_MAX - i;
		REQUIRE_INT(aie_place(arch, graph.nodes, graph.count, graph.nets, graph.net_count, seed, places, NULL), PTOWSP_OK);
		CHECK(!wrong(arch, graph.nodes, graph.count, places));
	}
}

/* ---- everything there is ----------------------------------------------------------------------------------------------------------------------------- */

static void try_all(const struct aie_arch *arch, const struct graph *graph, uint32_t at, struct aie_place *places, struct aie_place_cost *best)
{
	if (at == graph->count) {
		const struct aie_place_cost cost = aie_place_cost(arch, places, graph->nets, graph->net_count);

		if (!wrong(arch, graph->nodes, graph->count, places) && (best->way == UINT64_MAX || !not_worse(*best, cost)))
			*best = cost;
		return;
	}
	for (int32_t column = 0; column < (int32_t)arch->columns; column++)
		for (int32_t row = graph->nodes[at].kind == AIE_CORE      ? 2
				   : graph->nodes[at].kind == AIE_MEMTILE ? 1
									  : 0;
		     row < (graph->nodes[at].kind == AIE_CORE      ? 6
			    : graph->nodes[at].kind == AIE_MEMTILE ? 2
								   : 1);
		     row++) {
			places[at] = (struct aie_place){column, row};
			try_all(arch, graph, at + 1, places, best);
		}
}

TEST(small_graphs_are_placed_as_well_as_can_be)
{
	uint32_t refused = 0;
	static struct graph graph;

	for (uint32_t seed = 1; seed <= 120; seed++) {
		struct fabric_random random = {seed * UINT64_C(0x9E3779B97F4A7C15)};
		const struct aie_arch *arch = aie_arch_named(fabric_draw(&random, 2) ? "npu1_1col" : "npu2_2col");
		struct aie_place_cost best = {0, UINT64_MAX}, got;
		struct aie_place places[NODES], tried[NODES];
		ptowsp_status status;

		draw_graph(&graph, arch, 1 + (uint32_t)fabric_draw(&random, 4), &random);
		for (uint32_t i = 0; i < graph.net_count; i++) {
			graph.nets[i].weight = 1 + (graph.nets[i].weight & 0xff);
			if (!fabric_draw(&random, 4) && graph.nodes[graph.nets[i].from].kind == AIE_CORE && graph.nets[i].to_count == 1)
				graph.nets[i].need = fabric_draw(&random, 2) ? AIE_NEED_SHARED : AIE_NEED_CASCADE;
		}
		try_all(arch, &graph, 0, tried, &best);
		status = aie_place(arch, graph.nodes, graph.count, graph.nets, graph.net_count, seed, places, NULL);
		if (best.way == UINT64_MAX || best.unmet) {
			CHECK_INT(status, PTOWSP_UNSUPPORTED);
			refused++;
			continue;
		}
		REQUIRE_INT(status, PTOWSP_OK);
		got = aie_place_cost(arch, places, graph.nets, graph.net_count);
		if (got.unmet || got.way != best.way)
			CHECK_FAIL("seed %u on %s: way %llu, %u unmet; best %llu", seed, arch->name, (unsigned long long)got.way, got.unmet,
				   (unsigned long long)best.way);
	}
	printf("# seeds 1 to 120: all as good as the best there is, %u have none\n", refused);
	CHECK(refused < 80);
}

/* ---- needs ------------------------------------------------------------------------------------------------------------------------------------------- */

enum { CHAIN = 32 };
TEST(a_chain_of_shared_memories_fills_the_array)
{
	const struct aie_arch *arch = aie_arch_named("npu2");
	struct aie_place_node nodes[CHAIN];
	struct aie_place_net nets[CHAIN];
	uint32_t to[CHAIN];
	struct aie_place places[CHAIN];

	for (uint32_t i = 0; i < CHAIN; i++) {
		nodes[i] = (struct aie_place_node)CORE_NODE("stage");
		to[i] = i + 1;
		nets[i] = (struct aie_place_net){.from = i, .to = &to[i], .to_count = 1, .need = AIE_NEED_SHARED, .weight = 7};
	}
	for (uint64_t seed = 0; seed < 3; seed++) {
		REQUIRE_INT(aie_place(arch, nodes, CHAIN, nets, CHAIN - 1, seed, places, NULL), PTOWSP_OK);
		CHECK(!wrong(arch, nodes, CHAIN, places));
		CHECK_UINT(aie_place_cost(arch, places, nets, CHAIN - 1).way, 7 * (CHAIN - 1));
		CHECK_UINT(aie_place_cost(arch, places, nets, CHAIN - 1).unmet, 0);
	}
}

TEST(cascades_are_found)
{
	const struct aie_arch *arch = aie_arch_named("npu1");
	struct aie_place_node nodes[16];
	struct aie_place_net nets[12];
	uint32_t to[12];
	struct aie_place places[16];

	for (uint32_t i = 0; i < 16; i++)
		nodes[i] = (struct aie_place_node)CORE_NODE("part");
	for (uint32_t i = 0; i < 12; i++) { /* four chains of four */
		to[i] = i / 3 * 4 + i % 3 + 1;
		nets[i] = (struct aie_place_net){.from = i / 3 * 4 + i % 3, .to = &to[i], .to_count = 1, .need = AIE_NEED_CASCADE, .weight = 1};
	}
	REQUIRE_INT(aie_place(arch, nodes, 16, nets, 12, 1, places, NULL), PTOWSP_OK);
	CHECK(!wrong(arch, nodes, 16, places));
	CHECK_UINT(aie_place_cost(arch, places, nets, 12).unmet, 0);
}

TEST(memory_tiles_and_shims_lie_near_their_cores)
{
	const struct aie_arch *arch = aie_arch_named("npu2");
	const struct aie_place_node nodes[] = {
		{.kind = AIE_CORE, .column = 6, .row = 2, .name = "core"},
		{.kind = AIE_MEMTILE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 4, .name = "left"},
		{.kind = AIE_MEMTILE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 4, .name = "right"},
		{.kind = AIE_SHIM, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .out = 1, .name = "shim"},
	};
	const uint32_t ends[] = {0, 0, 1};
	const struct aie_place_net nets[] = {{.from = 1, .to = &ends[0], .to_count = 1, .weight = 10},
					     {.from = 2, .to = &ends[1], .to_count = 1, .weight = 9},
					     {.from = 3, .to = &ends[2], .to_count = 1, .weight = 1}};
	struct aie_place places[4];

	for (uint64_t seed = 0; seed < 2; seed++) {
		REQUIRE_INT(aie_place(arch, nodes, 4, nets, 3, seed, places, NULL), PTOWSP_OK);
		CHECK_INT(places[1].column, 6);
		CHECK(places[2].column == 5 || places[2].column == 7);
		CHECK_INT(places[3].column, 6);
	}
}

/* ---- what has no place ------------------------------------------------------------------------------------------------------------------------------- */

static void refused(const struct aie_arch *arch, const struct aie_place_node *nodes, uint32_t count, const char *text)
{
	struct aie_place places[NODES];
	struct ptowsp_error error = {.text = ""};

	CHECK_INT(aie_place(arch, nodes, count, NULL, 0, 1, places, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text, text);
}

TEST(what_fits_nowhere_is_named)
{
	const struct aie_arch *arch = aie_arch_named("npu1_1col");
	const struct aie_place_node outside[] = {{.kind = AIE_CORE, .column = 1, .row = 2, .name = "a"}};
	const struct aie_place_node kind[] = {{.kind = AIE_CORE, .column = 0, .row = 1, .name = "a"}};
	const struct aie_place_node both[] = {{.kind = AIE_CORE, .column = 0, .row = 2, .name = "a"}, {.kind = AIE_CORE, .column = 0, .row = 2, .name = "b"}};
	const struct aie_place_node channels[] = {{.kind = AIE_CORE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 3, .name = "a"}};
	const struct aie_place_node bytes[] = {{.kind = AIE_CORE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .bytes = 65537, .name = "a"}};
	const struct aie_place_node pinned[] = {{.kind = AIE_MEMTILE, .column = 0, .row = 1, .in = 4, .name = "a"},
						{.kind = AIE_MEMTILE, .column = 0, .row = 1, .in = 3, .name = "b"}};
	const struct aie_place_node shims[] = {{.kind = AIE_SHIM, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 2, .name = "a"},
					       {.kind = AIE_SHIM, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 1, .name = "b"}};
	struct aie_place_node five[5], row[2];

	refused(arch, outside, 1, "node 'a' is pinned to column 1, row 2 (-1: any), and npu1_1col has 1 columns and 6 rows; pin it inside");
	refused(arch, kind, 1, "node 'a' needs a core tile and is pinned to row 1; those lie in rows 2 to 5");
	refused(arch, both, 2, "node 'a' and node 'b' are both pinned to core tile (0,2), which holds one; pin one of them elsewhere");
	refused(arch, channels, 1, "node 'a' needs 3 DMA channels in, and a core tile has 2; split it, or pack what it takes");
	refused(arch, bytes, 1, "node 'a' needs 65537 bytes of memory, and a core tile has 65536; split it, or pack what it takes");
	refused(arch, pinned, 2, "memory tile (0,1) needs 7 DMA channels in for what is pinned to it up to node 'b', of 6; pin some of them elsewhere");
	refused(arch, shims, 2, "all together need 3 DMA channels in of the shims of npu1_1col, and they have 2 together; node 'b' has no place");
	for (uint32_t i = 0; i < 5; i++)
		five[i] = (struct aie_place_node)CORE_NODE("a");
	refused(arch, five, 5, "5 nodes need a core tile each, and npu1_1col has 4; take a larger array, or give each core more to do");
	for (uint32_t i = 0; i < 2; i++)
		row[i] = (struct aie_place_node){.kind = AIE_CORE, .column = AIE_ANYWHERE, .row = 3, .name = i ? "b" : "a"};
	refused(arch, row, 2, "node 'b' is pinned to column -1, row 3 (-1: any), where no core tile is left; pin fewer there");
}

TEST(shares_that_do_not_fit_are_named)
{
	const struct aie_arch *arch = aie_arch_named("npu1_2col");
	const struct aie_place_node nodes[] = {{.kind = AIE_MEMTILE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 4, .bytes = 8, .name = "a"},
					       {.kind = AIE_MEMTILE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 4, .bytes = 8, .name = "b"},
					       {.kind = AIE_MEMTILE, .column = AIE_ANYWHERE, .row = AIE_ANYWHERE, .in = 4, .bytes = 8, .name = "c"}};

	refused(arch, nodes, 3,
		"no memory tile of npu1_2col has room for node 'c' beside the others: 4 DMA channels in, 0 out, 0 locks, 0 buffer descriptors, 8 bytes; split "
		"it or pin fewer");
}

TEST(needs_that_are_not_met_are_named)
{
	const struct aie_arch *arch = aie_arch_named("npu1");
	const struct aie_place_node nodes[] = {{.kind = AIE_CORE, .column = 0, .row = 2, .name = "a"}, {.kind = AIE_CORE, .column = 2, .row = 2, .name = "b"}};
	const uint32_t to = 1, beyond = 2;
	const struct aie_place_net shared = {.from = 0, .to = &to, .to_count = 1, .need = AIE_NEED_SHARED, .weight = 1};
	const struct aie_place_net cascade = {.from = 0, .to = &to, .to_count = 1, .need = AIE_NEED_CASCADE, .weight = 1};
	const struct aie_place_net nowhere = {.from = 0, .to = &beyond, .to_count = 1, .weight = 1};
	struct aie_place places[2];
	struct ptowsp_error error = {.text = ""};

	CHECK_INT(aie_place(arch, nodes, 2, &shared, 1, 1, places, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text, "node 'a' and node 'b' need a memory that both see, and no places with that were found: nearest core tiles (0,2) and (2,2); give "
			      "them a stream instead");
	CHECK_INT(aie_place(arch, nodes, 2, &cascade, 1, 1, places, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text,
		  "node 'a' and node 'b' need a cascade, and no places with that were found: nearest core tiles (0,2) and (2,2); give them a stream instead");
	CHECK_INT(aie_place(arch, nodes, 2, &nowhere, 1, 1, places, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "net 0 of a placement names a node beyond the 2 that there are");
}

/* A column that is pinned to as often as it has cores, and a row that crosses it. */
TEST(partly_pinned_nodes_make_room_for_each_other)
{
	const struct aie_arch *arch = aie_arch_named("npu1_2col");
	struct aie_place_node nodes[8];
	struct aie_place places[8];

	for (uint32_t i = 0; i < 8; i++)
		nodes[i] = (struct aie_place_node){
			.kind = AIE_CORE, .column = i < 4 ? AIE_ANYWHERE : 0, .row = i < 4 ? (int32_t)(2 + i) : AIE_ANYWHERE, .name = "a"};
	for (uint64_t seed = 0; seed < 2; seed++) {
		REQUIRE_INT(aie_place(arch, nodes, 8, NULL, 0, seed, places, NULL), PTOWSP_OK);
		CHECK(!wrong(arch, nodes, 8, places));
	}
	REQUIRE_INT(aie_place(arch, NULL, 0, NULL, 0, 1, NULL, NULL), PTOWSP_OK);
}
