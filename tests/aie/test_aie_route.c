/* SPDX-License-Identifier: MIT
 * test_aie_route.c - streams through npu1 and npu2: designs that have routes, small ones against all there are, those that have none, ports that are not there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/place/route.h"
#include "tests/aie/aie_fabric.h"
#include "tests/check.h"

static struct aie_port port(int32_t column, int32_t row, enum aie_bundle bundle, uint32_t channel)
{
	return (struct aie_port){column, row, bundle, channel};
}
#define DMA(column, row, channel) port(column, row, AIE_BUNDLE_DMA, channel)
#define NOC(column, row, channel) port(column, row, AIE_BUNDLE_NOC, channel)

TEST(one_stream_takes_the_shortest_way)
{
	const struct aie_arch *arch = aie_arch_named("npu1");
	const struct aie_port ends[] = {DMA(3, 5, 1)};
	const struct aie_flow flow = {.from = DMA(0, 0, 0), .to = ends, .to_count = 1};
	struct aie_routes routes = {0};

	REQUIRE_INT(aie_route(arch, &flow, 1, &routes, NULL), PTOWSP_OK);
	CHECK(!fabric_wrong(arch, &flow, 1, &routes));
	CHECK_UINT(routes.length, 8);
	CHECK_UINT(routes.least, 8);
	CHECK_UINT(routes.routes[0].longest, 9);
	CHECK_UINT(routes.hops[0].in, AIE_BUNDLE_SOUTH); /* MM2S 0 of a shim, behind its mux */
	CHECK_UINT(routes.hops[0].in_channel, 3);
	aie_routes_finish(&routes);
}

TEST(ends_share_wires)
{
	const struct aie_arch *arch = aie_arch_named("npu1");
	const struct aie_port ends[] = {DMA(0, 2, 0), DMA(0, 3, 0), DMA(0, 4, 0), DMA(0, 5, 0), DMA(1, 5, 0), DMA(1, 2, 1)};
	const struct aie_flow flow = {.from = DMA(0, 1, 0), .to = ends, .to_count = 6};
	struct aie_routes routes = {0};

	REQUIRE_INT(aie_route(arch, &flow, 1, &routes, NULL), PTOWSP_OK);
	CHECK(!fabric_wrong(arch, &flow, 1, &routes));
	CHECK_UINT(routes.length, 6); /* a wire per tile */
	aie_routes_finish(&routes);
}

/* DMA to DMA is legal within a switch only on one channel: else out and back. */
TEST(a_stream_to_its_own_tile_leaves_it_where_it_must)
{
	static const struct {
		struct aie_port from, to;
		uint32_t length;
	} rows[] = {
		{{1, 3, AIE_BUNDLE_DMA, 0}, {1, 3, AIE_BUNDLE_DMA, 0}, 0},   {{1, 3, AIE_BUNDLE_DMA, 0}, {1, 3, AIE_BUNDLE_DMA, 1}, 2},
		{{1, 3, AIE_BUNDLE_CORE, 0}, {1, 3, AIE_BUNDLE_CORE, 0}, 2}, {{1, 3, AIE_BUNDLE_CORE, 0}, {1, 3, AIE_BUNDLE_DMA, 1}, 0},
		{{1, 1, AIE_BUNDLE_DMA, 5}, {1, 1, AIE_BUNDLE_DMA, 0}, 2},   {{1, 0, AIE_BUNDLE_DMA, 1}, {1, 0, AIE_BUNDLE_DMA, 0}, 0},
	};
	const struct aie_arch *arch = aie_arch_named("npu1");

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct aie_flow flow = {.from = rows[i].from, .to = &rows[i].to, .to_count = 1};
		struct aie_routes routes = {0};

		REQUIRE_INT(aie_route(arch, &flow, 1, &routes, NULL), PTOWSP_OK);
		CHECK(!fabric_wrong(arch, &flow, 1, &routes));
		CHECK_UINT(routes.length, rows[i].length);
		aie_routes_finish(&routes);
	}
}

static bool equal(const struct aie_routes *a, const struct aie_routes *b)
{
	return a->count == b->count && a->hop_count == b->hop_count && a->length == b->length && a->iterations == b->iterations &&
	       !memcmp(a->hops, b->hops, a->hop_count * sizeof(*a->hops)) && !memcmp(a->routes, b->routes, a->count * sizeof(*a->routes)) &&
	       !memcmp(&a->hottest, &b->hottest, sizeof(a->hottest));
}

static void check_hottest(const struct aie_arch *arch, const struct aie_routes *routes)
{
	const struct aie_link_use *hottest = &routes->hottest;

	CHECK_UINT(hottest->used, aie_routes_used(routes, hottest->column, hottest->row, hottest->side));
	CHECK_UINT(hottest->limit, aie_arch_wires(arch, hottest->column, hottest->row, hottest->side));
	for (int32_t column = 0; column < (int32_t)arch->columns; column++)
		for (int32_t row = 0; row < (int32_t)arch->rows; row++)
			for (int side = AIE_BUNDLE_SOUTH; side <= AIE_BUNDLE_EAST; side++) {
				const uint32_t wires = aie_arch_wires(arch, column, row, (enum aie_bundle)side);

				if (wires)
					CHECK(aie_routes_used(routes, column, row, (enum aie_bundle)side) * hottest->limit <= hottest->used * wires);
			}
}

/* Designs 1 to 1000 of all arrays: half of them drawn short, half with detours, up to 80 % of the wires taken. */
enum { DESIGNS = 1000 };
TEST(thousand_designs_that_have_routes_are_routed)
{
	uint32_t archs, wanted = 0, routed = 0, worst_design = 0;
	const struct aie_arch *list = aie_arch_list(&archs);
	static struct fabric_design design;
	double worst = 0, most = 0;
	uint64_t planted = 0, length = 0;

	for (uint32_t seed = 1; seed <= DESIGNS; seed++) {
		struct fabric_random random = {seed * UINT64_C(0x9E3779B97F4A7C15)};
		const struct aie_arch *arch = &list[fabric_draw(&random, archs)];
		const uint32_t percent = 10 + (uint32_t)fabric_draw(&random, 71);
		const uint32_t windy = fabric_draw(&random, 2) ? 0 : (uint32_t)fabric_draw(&random, 100);
		struct aie_routes routes = {0}, again = {0};
		struct ptowsp_error error = {.text = ""};
		const char *wrong;

		if (!check_seed_wanted(seed))
			continue;
		wanted++;
		fabric_plant(&design, arch, percent, windy, &random);
		if (aie_route(arch, design.flows, design.count, &routes, &error)) {
			CHECK_FAIL("design %u on %s, %u flows, is not routed: %s", seed, arch->name, design.count, error.text);
			continue;
		}
		routed++;
		wrong = fabric_wrong(arch, design.flows, design.count, &routes);
		if (wrong)
			CHECK_FAIL("design %u on %s: %s", seed, arch->name, wrong);
		if ((double)routes.length > worst * design.length)
			worst = (double)routes.length / design.length, worst_design = seed;
		if ((double)design.length > most * design.wires)
			most = (double)design.length / design.wires;
		planted += design.length;
		length += routes.length;
		CHECK(routes.length * 100 <= design.length * 115);
		CHECK(routes.least <= routes.length);
		if (seed % 50 == 0) {
			check_hottest(arch, &routes);
			REQUIRE_INT(aie_route(arch, design.flows, design.count, &again, NULL), PTOWSP_OK);
			CHECK(equal(&routes, &again));
			aie_routes_finish(&again);
		}
		aie_routes_finish(&routes);
	}
	CHECK_UINT(routed, wanted);
	printf("# seeds 1 to %d: %u of %u routed, length %.3f of what was drawn (worst %.3f, seed %u), up to %.0f %% of the wires\n", DESIGNS, routed, wanted,
	       (double)length / (double)planted, worst, worst_design, 100 * most);
}

/* ---- small grids against everything that there is ---------------------------------------------------------------------------------------------------- */

/* Core rows 2 and 3 of columns 0 and 1 with so many wires a side, and nothing else: eight links, by tile (column * 2 + row - 2) and side. */
struct grid {
	struct aie_tile_arch tiles[AIE_KINDS];
	struct aie_generation generation;
	struct aie_arch arch;
	uint32_t wires;
};
static void make_grid(struct grid *grid, uint32_t columns, uint32_t rows, uint32_t wires)
{
	const struct aie_arch *npu = aie_arch_named("npu1");

	memset(grid, 0, sizeof(*grid));
	grid->tiles[AIE_CORE] = npu->generation->tiles[AIE_CORE];
	for (int side = AIE_BUNDLE_SOUTH; side <= AIE_BUNDLE_EAST; side++)
		grid->tiles[AIE_CORE].masters[side] = grid->tiles[AIE_CORE].slaves[side] = wires;
	grid->generation = *npu->generation;
	grid->generation.tiles = grid->tiles;
	grid->arch = *npu;
	grid->arch.columns = columns;
	grid->arch.rows = 2 + rows;
	grid->arch.generation = &grid->generation;
	grid->wires = wires;
}

struct arc {
	int from, to;
};
/* Directed links of the grid; tiles by column * 2 + row - 2. */
static uint32_t arcs_of(const struct grid *grid, struct arc *arcs)
{
	uint32_t count = 0;

	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++) {
			const int ac = a / 2, ar = a % 2, bc = b / 2, br = b % 2;

			if (abs(ac - bc) + abs(ar - br) == 1 && ac < (int)grid->arch.columns && bc < (int)grid->arch.columns && ar + 2 < (int)grid->arch.rows &&
			    br + 2 < (int)grid->arch.rows)
				arcs[count++] = (struct arc){a, b};
		}
	return count;
}

/* Is every link of the set reached from the source, and every end? An end in the source's own tile counts only by a link where the switch has no way. */
static bool serves(const struct arc *arcs, uint32_t count, uint32_t set, const struct aie_flow *flow)
{
	const int source = flow->from.column * 2 + flow->from.row - 2;
	uint32_t reached = 0;
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < count; i++) {
			bool from = arcs[i].from == source;

			for (uint32_t k = 0; k < count; k++)
				from |= (reached >> k & 1) && arcs[k].to == arcs[i].from;
			if ((set >> i & 1) && !(reached >> i & 1) && from) {
				reached |= 1u << i;
				more = true;
			}
		}
	}
	if (reached != set)
		return false;
	for (uint32_t e = 0; e < flow->to_count; e++) {
		const int tile = flow->to[e].column * 2 + flow->to[e].row - 2;
		const bool direct = tile == source && (flow->from.bundle != flow->to[e].bundle ||
						       (flow->from.bundle == AIE_BUNDLE_DMA && flow->from.channel == flow->to[e].channel));
		bool there = direct;

		for (uint32_t i = 0; i < count; i++)
			there |= (set >> i & 1) && arcs[i].to == tile;
		if (!there)
			return false;
	}
	return true;
}

struct choice {
	uint32_t sets[256], count;
};
/* Fewest links of one set per flow such that none is in more than `wires` of them; UINT32_MAX: there are none. */
static uint32_t fewest(const struct choice *choices, uint32_t flows, uint32_t wires)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t a = 0; a < choices[0].count; a++)
		for (uint32_t b = 0; b < (flows > 1 ? choices[1].count : 1); b++)
			for (uint32_t c = 0; c < (flows > 2 ? choices[2].count : 1); c++) {
				const uint32_t x = choices[0].sets[a], y = flows > 1 ? choices[1].sets[b] : 0, z = flows > 2 ? choices[2].sets[c] : 0;
				const uint32_t length = (uint32_t)(__builtin_popcount(x) + __builtin_popcount(y) + __builtin_popcount(z));
				const bool fits = wires > 2 ? true : wires == 2 ? !(x & y & z) : !(x & y) && !(x & z) && !(y & z);

				if (fits && length < best)
					best = length;
			}
	return best;
}

static uint32_t exhaustive(const struct grid *grid, const struct aie_flow *flows, uint32_t count)
{
	static struct choice choices[3];
	struct arc arcs[8];
	const uint32_t links = arcs_of(grid, arcs);

	for (uint32_t f = 0; f < count; f++) {
		choices[f].count = 0;
		for (uint32_t set = 0; set < 1u << links; set++)
			if (serves(arcs, links, set, &flows[f]))
				choices[f].sets[choices[f].count++] = set;
	}
	return fewest(choices, count, grid->wires);
}

/* Ports by number: DMA 0 and 1, Core of each tile. */
static struct aie_port core_port(const struct grid *grid, uint32_t number)
{
	const uint32_t tile = number / 3, rows = grid->arch.rows - 2;

	return port((int32_t)(tile / rows), (int32_t)(2 + tile % rows), number % 3 == 2 ? AIE_BUNDLE_CORE : AIE_BUNDLE_DMA, number % 3 == 2 ? 0 : number % 3);
}

static void draw_small(const struct grid *grid, struct fabric_random *random, struct aie_flow *flows, struct aie_port *ends, uint32_t count)
{
	const uint32_t ports = (grid->arch.rows - 2) * grid->arch.columns * 3;
	uint32_t sources = 0, taken = 0, used = 0;

	for (uint32_t f = 0; f < count; f++) {
		const uint32_t wanted = 1 + (uint32_t)fabric_draw(random, 3);
		uint32_t number;

		do
			number = (uint32_t)fabric_draw(random, ports);
		while (sources >> number & 1);
		sources |= 1u << number;
		flows[f] = (struct aie_flow){.from = core_port(grid, number), .to = &ends[used]};
		while (flows[f].to_count < wanted && (uint32_t)__builtin_popcount(taken) < ports) {
			number = (uint32_t)fabric_draw(random, ports);
			if (taken >> number & 1)
				continue;
			taken |= 1u << number;
			ends[used++] = core_port(grid, number);
			flows[f].to_count++;
		}
	}
}

TEST(small_grids_are_routed_as_well_as_can_be)
{
	static const uint32_t shapes[][2] = {{1, 2}, {2, 1}, {2, 2}, {2, 2}, {2, 2}};
	uint32_t unroutable = 0, routed = 0;

	for (uint32_t seed = 1; seed <= 1500; seed++) {
		struct fabric_random random = {seed * UINT64_C(0x9E3779B97F4A7C15)};
		const uint32_t *shape = shapes[fabric_draw(&random, 5)];
		const uint32_t count = 1 + (uint32_t)fabric_draw(&random, 3), wires = 1 + (uint32_t)fabric_draw(&random, 3);
		struct aie_flow flows[3];
		struct aie_port ends[16];
		struct aie_routes routes = {0};
		struct grid grid;
		ptowsp_status status;
		uint32_t best;

		make_grid(&grid, shape[0], shape[1], wires == 3 ? 4 : wires);
		draw_small(&grid, &random, flows, ends, count);
		best = exhaustive(&grid, flows, count);
		status = aie_route(&grid.arch, flows, count, &routes, NULL);
		if (status != (best == UINT32_MAX ? PTOWSP_UNSUPPORTED : PTOWSP_OK) || (!status && routes.length != best))
			CHECK_FAIL("seed %u: %u flows on %ux%u with %u wires a side: status %d, length %u, best %u", seed, count, shape[0], shape[1],
				   grid.wires, status, routes.length, best);
		unroutable += best == UINT32_MAX;
		routed += !status;
		aie_routes_finish(&routes);
	}
	printf("# seeds 1 to 1500: %u routed with the fewest wires there are, %u have no routes\n", routed, unroutable);
	CHECK(routed > 700 && unroutable > 20);
}

/* ---- designs that have none -------------------------------------------------------------------------------------------------------------------------- */

TEST(seven_streams_up_through_one_memory_tile_are_refused)
{
	const struct aie_arch *arch = aie_arch_named("npu1_1col");
	const struct aie_port ends[] = {DMA(0, 2, 0), DMA(0, 3, 0), DMA(0, 4, 0), DMA(0, 5, 0), DMA(0, 2, 1), DMA(0, 3, 1), DMA(0, 4, 1)};
	struct aie_flow flows[7];
	struct aie_routes routes = {0};
	struct ptowsp_error error = {.text = ""};

	for (uint32_t i = 0; i < 7; i++)
		flows[i] = (struct aie_flow){.from = i < 4 ? NOC(0, 0, i) : DMA(0, 1, i - 4), .to = &ends[i], .to_count = 1};
	REQUIRE_INT(aie_route(arch, flows, 7, &routes, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text,
		  "the north side of memory tile (0,1) needs wires for 7 streams up, of 6; pack streams into fewer, or place their ends on one side of it");
	CHECK(!routes.routes && !routes.hops);
	REQUIRE_INT(aie_route(arch, flows, 6, &routes, &error), PTOWSP_OK);
	CHECK(!fabric_wrong(arch, flows, 6, &routes));
	aie_routes_finish(&routes);
}

TEST(streams_that_no_column_has_wires_for_are_refused)
{
	const struct aie_arch *arch = aie_arch_named("npu1_2col");
	struct aie_port ends[13];
	struct aie_flow flows[13];
	struct aie_routes routes = {0};
	struct ptowsp_error error = {.text = ""};

	for (uint32_t i = 0; i < 13; i++) {
		ends[i] = DMA((int32_t)(i / 2 % 2), (int32_t)(2 + i / 4), i % 2);
		flows[i] = (struct aie_flow){
			.from = i < 8 ? NOC((int32_t)(i / 4), 0, i % 4) : DMA((int32_t)(i % 2), 1, (i - 8) / 2), .to = &ends[i], .to_count = 1};
	}
	REQUIRE_INT(aie_route(arch, flows, 13, &routes, &error), PTOWSP_UNSUPPORTED);
	CHECK_STR(error.text, "tiles (0,0) to (1,1) need wires for 13 streams out of them, of 12; pack streams into fewer, or place their ends together");
}

/* Wires that lead out of a rectangle, or into it; streams that must go there. */
static bool proves(const struct aie_arch *arch, const struct fabric_design *design, const int *box, bool out, uint32_t need, uint32_t limit)
{
	uint32_t wires = 0, streams = 0;

	for (int32_t c = 0; c < (int32_t)arch->columns; c++)
		for (int32_t r = 0; r < 6; r++) {
			const bool inside = c >= box[0] && c <= box[2] && r >= box[1] && r <= box[3];
			const bool edges[] = {r == box[1] && r > 0, c == box[0] && c > 0, r == box[3] && r < 5, c == box[2] && c < (int32_t)arch->columns - 1};
			const uint32_t each[] = {out ? 4 : 6, r == 1 ? 0 : 4, out ? 6 : 4, r == 1 ? 0 : 4};

			for (int side = 0; inside && side < 4; side++)
				wires += edges[side] ? each[side] : 0;
		}
	for (uint32_t i = 0; i < design->count; i++) {
		const struct aie_flow *flow = &design->flows[i];
		const bool from = flow->from.column >= box[0] && flow->from.column <= box[2] && flow->from.row >= box[1] && flow->from.row <= box[3];
		bool crosses = false;

		for (uint32_t e = 0; e < flow->to_count; e++) {
			const struct aie_port *to = &flow->to[e];

			crosses |= (to->column >= box[0] && to->column <= box[2] && to->row >= box[1] && to->row <= box[3]) != from;
		}
		streams += from == out && crosses;
	}
	return wires == limit && streams == need && streams > wires;
}

TEST(crowded_designs_are_routed_or_the_reason_is_true)
{
	uint32_t archs, routed = 0, proved = 0, other = 0;
	const struct aie_arch *list = aie_arch_list(&archs);
	static struct fabric_design design;

	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct fabric_random random = {seed * UINT64_C(0x9E3779B97F4A7C15)};
		const struct aie_arch *arch = &list[fabric_draw(&random, archs)];
		struct aie_routes routes = {0};
		struct ptowsp_error error = {.text = ""};
		int box[4];
		unsigned need, limit = 0;

		fabric_any(&design, arch, arch->columns * (2 + (uint32_t)fabric_draw(&random, 10)), &random);
		if (!aie_route(arch, design.flows, design.count, &routes, &error)) {
			CHECK(!fabric_wrong(arch, design.flows, design.count, &routes));
			routed++;
		} else if (sscanf(error.text, "tiles (%d,%d) to (%d,%d) need wires for %u streams", &box[0], &box[1], &box[2], &box[3], &need) == 5) {
			const bool out = strstr(error.text, "out of them, of ") != NULL;
			const char *of = strstr(error.text, " them, of ");

			REQUIRE(of && sscanf(of, " them, of %u;", &limit) == 1);
			CHECK(proves(arch, &design, box, out, need, limit));
			proved++;
		} else {
			CHECK(strstr(error.text, " needs wires for ") != NULL);
			other++;
		}
		aie_routes_finish(&routes);
	}
	printf("# seeds 1 to 300: %u routed, %u proved to have no routes, %u of one side\n", routed, proved, other);
	CHECK(routed > 100 && proved > 10);
}

TEST(ports_that_are_not_there_are_named)
{
	static const struct {
		struct aie_port from, to;
		const char *text;
	} rows[] = {
		{{0, 2, AIE_BUNDLE_DMA, 2},
		 {0, 3, AIE_BUNDLE_DMA, 0},
		 "a stream from tile (0,2), DMA 2, has no such port; name a tile of the array, DMA or core (of a shim DMA or NOC), and a channel that it has"},
		{{0, 2, AIE_BUNDLE_DMA, 0},
		 {4, 3, AIE_BUNDLE_DMA, 0},
		 "a stream to tile (4,3), DMA 0, has no such port; name a tile of the array, DMA or core (of a shim DMA or NOC), and a channel that it has"},
		{{0, 1, AIE_BUNDLE_CORE, 0},
		 {0, 3, AIE_BUNDLE_DMA, 0},
		 "a stream from tile (0,1), core 0, has no such port; name a tile of the array, DMA or core (of a shim DMA or NOC), and a channel that it has"},
		{{0, 2, AIE_BUNDLE_EAST, 0},
		 {0, 3, AIE_BUNDLE_DMA, 0},
		 "a stream from tile (0,2), east 0, has no such port; name a tile of the array, DMA or core (of a shim DMA or NOC), and a channel that it has"},
		{{0, 2, AIE_BUNDLE_TRACE, 0},
		 {0, 3, AIE_BUNDLE_DMA, 0},
		 "a stream from tile (0,2), trace 0, has no such port; name a tile of the array, DMA or core (of a shim DMA or NOC), and a channel that it "
		 "has"},
		{{0, 0, AIE_BUNDLE_NOC, 4},
		 {0, 3, AIE_BUNDLE_DMA, 0},
		 "a stream from tile (0,0), NOC 4, has no such port; name a tile of the array, DMA or core (of a shim DMA or NOC), and a channel that it has"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct aie_flow flow = {.from = rows[i].from, .to = &rows[i].to, .to_count = 1};
		struct aie_routes routes = {0};
		struct ptowsp_error error = {.text = ""};

		CHECK_INT(aie_route(aie_arch_named("npu1"), &flow, 1, &routes, &error), PTOWSP_INVALID);
		CHECK_STR(error.text, rows[i].text);
	}
}

TEST(a_port_is_in_one_stream)
{
	const struct aie_arch *arch = aie_arch_named("npu1");
	const struct aie_port first = DMA(0, 3, 0), second = DMA(0, 4, 0);
	struct aie_flow flows[2] = {{.from = DMA(0, 0, 0), .to = &first, .to_count = 1}, {.from = NOC(0, 0, 1), .to = &second, .to_count = 1}};
	struct aie_routes routes = {0};
	struct ptowsp_error error = {.text = ""};

	CHECK_INT(aie_route(arch, flows, 2, &routes, &error), PTOWSP_INVALID); /* both are South 3 behind the mux */
	CHECK_STR(error.text, "two streams come from tile (0,0), NOC 1; a port has one: make them one stream with several ends, or name another channel");
	flows[1].from = NOC(0, 0, 0);
	flows[1].to = &first;
	CHECK_INT(aie_route(arch, flows, 2, &routes, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "two streams go to tile (0,3), DMA 0; a port has one: make them one stream with several ends, or name another channel");
}

TEST(no_flows_have_no_routes)
{
	struct aie_routes routes = {0};

	REQUIRE_INT(aie_route(aie_arch_named("npu2"), NULL, 0, &routes, NULL), PTOWSP_OK);
	CHECK_UINT(routes.length + routes.count + routes.hop_count + routes.hottest.used, 0);
	aie_routes_finish(&routes);
}
