/* SPDX-License-Identifier: MIT
 * test_aie_arch.c - npu1 and npu2: every number has a source, sums of ports, which memories, cascades and ports meet. */
#include <string.h>

#include "aie/aie_arch.h"
#include "ptowsp/ids.h"
#include "tests/check.h"

static const struct row {
	const char *name, *source;
} rows[] = {
#define LIMIT(kind, limit, value, source)                                      {#kind " " #limit, source},
#define PORTS(kind, bundle, masters, slaves, source)                           {#kind " ports " #bundle, source},
#define MUX(bundle, channel, slave, master, source)                            {"mux " #bundle " " #channel, source},
#define MACS(generation, dtype, value, source)                                 {#generation " " #dtype, source},
#define GENERATION(id, name, burst, source)                                    {#id, source},
#define DEVICE(name, text, number, columns, clock_hz, ddr, generation, source) {name, source},
#include "aie/aie_arch.def"
};

TEST(every_number_is_there_once_and_has_a_source)
{
	const size_t count = sizeof(rows) / sizeof(*rows);

	for (size_t i = 0; i < count; i++) {
		CHECK(strlen(rows[i].source) >= 5);
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(rows[i].name, rows[k].name));
	}
}

TEST(arrays_are_found_by_name_and_number)
{
	uint32_t count;
	const struct aie_arch *list = aie_arch_list(&count);

	CHECK_UINT(count, 12);
	for (uint32_t i = 0; i < count; i++) {
		CHECK(aie_arch_named(list[i].name) == &list[i]);
		CHECK(aie_arch_device(list[i].device) == &list[i]);
		CHECK(list[i].columns >= 1 && list[i].columns <= AIE_COLUMNS_MAX);
		CHECK_UINT(list[i].rows, AIE_ROWS);
	}
	CHECK(!aie_arch_named("npu3"));
	CHECK(!aie_arch_device(0));
	REQUIRE(aie_arch_named("npu2") != NULL);
	CHECK_INT(aie_arch_named("npu1")->device, 4);
	CHECK_INT(aie_arch_named("npu1_3col")->device, 7);
	CHECK_INT(aie_arch_named("npu2")->device, 8);
	CHECK_INT(aie_arch_named("npu2_7col")->device, 15);
	CHECK_UINT(aie_arch_named("npu2")->columns, 8);
}

/* The manual's sums: 23 masters and 25 slaves of a core tile, 17 and 18, 22 and 23. */
TEST(ports_sum_up)
{
	static const uint32_t sums[AIE_KINDS][2] = {[AIE_CORE] = {23, 25}, [AIE_MEMTILE] = {17, 18}, [AIE_SHIM] = {22, 23}};
	const struct aie_arch *a = aie_arch_named("npu1");

	for (int kind = 0; kind < AIE_KINDS; kind++) {
		const struct aie_tile_arch *tile = &a->generation->tiles[kind];
		uint32_t masters = 0, slaves = 0;

		for (int b = 0; b < AIE_BUNDLES; b++) {
			masters += tile->masters[b];
			slaves += tile->slaves[b];
		}
		CHECK_UINT(masters, sums[kind][0]);
		CHECK_UINT(slaves, sums[kind][1]);
	}
}

TEST(wires_end_at_the_edges_and_beside_memory_tiles)
{
	const struct aie_arch *a = aie_arch_named("npu1_2col");

	CHECK_UINT(aie_arch_wires(a, 0, 0, AIE_BUNDLE_NORTH), 6);
	CHECK_UINT(aie_arch_wires(a, 0, 1, AIE_BUNDLE_NORTH), 6);
	CHECK_UINT(aie_arch_wires(a, 0, 1, AIE_BUNDLE_SOUTH), 4);
	CHECK_UINT(aie_arch_wires(a, 0, 2, AIE_BUNDLE_SOUTH), 4);
	CHECK_UINT(aie_arch_wires(a, 0, 1, AIE_BUNDLE_EAST), 0);
	CHECK_UINT(aie_arch_wires(a, 0, 0, AIE_BUNDLE_EAST), 4);
	CHECK_UINT(aie_arch_wires(a, 0, 3, AIE_BUNDLE_EAST), 4);
	CHECK_UINT(aie_arch_wires(a, 1, 3, AIE_BUNDLE_EAST), 0);
	CHECK_UINT(aie_arch_wires(a, 0, 3, AIE_BUNDLE_WEST), 0);
	CHECK_UINT(aie_arch_wires(a, 0, 5, AIE_BUNDLE_NORTH), 0);
	CHECK_UINT(aie_arch_wires(a, 0, 0, AIE_BUNDLE_SOUTH), 0);
}

TEST(cores_share_memory_with_west_north_and_south)
{
	const struct aie_arch *a = aie_arch_named("npu1");

	CHECK(aie_arch_shares(a, 1, 3, 1, 3));
	CHECK(aie_arch_shares(a, 1, 3, 0, 3));
	CHECK(aie_arch_shares(a, 1, 3, 1, 4));
	CHECK(aie_arch_shares(a, 1, 3, 1, 2));
	CHECK(!aie_arch_shares(a, 1, 3, 2, 3)); /* the east one sees ours */
	CHECK(!aie_arch_shares(a, 1, 2, 1, 1)); /* a memory tile */
	CHECK(!aie_arch_shares(a, 1, 3, 0, 4));
	CHECK(!aie_arch_shares(a, 0, 3, -1, 3));
	CHECK(!aie_arch_shares(a, 1, 5, 1, 6));
	CHECK(!aie_arch_shares(a, 1, 1, 1, 1));
}

TEST(cascades_go_south_and_east)
{
	const struct aie_arch *a = aie_arch_named("npu1");

	CHECK(aie_arch_cascades(a, 1, 3, 1, 2));
	CHECK(aie_arch_cascades(a, 1, 3, 2, 3));
	CHECK(!aie_arch_cascades(a, 1, 3, 1, 4));
	CHECK(!aie_arch_cascades(a, 1, 3, 0, 3));
	CHECK(!aie_arch_cascades(a, 1, 2, 1, 1));
	CHECK(!aie_arch_cascades(a, 3, 3, 4, 3));
	CHECK(!aie_arch_cascades(a, 1, 3, 1, 3));
}

#define MAY(kind, in, in_channel, out, out_channel) aie_arch_connects(a, AIE_##kind, AIE_BUNDLE_##in, in_channel, AIE_BUNDLE_##out, out_channel)
TEST(switches_connect_as_the_rules_say)
{
	const struct aie_arch *a = aie_arch_named("npu2");

	CHECK(MAY(MEMTILE, SOUTH, 3, NORTH, 3));
	CHECK(!MAY(MEMTILE, SOUTH, 3, NORTH, 4));
	CHECK(MAY(MEMTILE, NORTH, 2, SOUTH, 2));
	CHECK(!MAY(MEMTILE, NORTH, 2, SOUTH, 1));
	CHECK(!MAY(MEMTILE, SOUTH, 5, SOUTH, 5)); /* there are four wires down */
	CHECK(MAY(MEMTILE, DMA, 2, DMA, 2));
	CHECK(!MAY(MEMTILE, DMA, 2, DMA, 3));
	CHECK(MAY(MEMTILE, DMA, 0, NORTH, 5));
	CHECK(MAY(MEMTILE, NORTH, 3, DMA, 5));
	CHECK(!MAY(MEMTILE, TRACE, 0, DMA, 0));
	CHECK(MAY(MEMTILE, TRACE, 0, DMA, 5));
	CHECK(MAY(CORE, DMA, 1, DMA, 1));
	CHECK(!MAY(CORE, DMA, 1, DMA, 0));
	CHECK(MAY(CORE, WEST, 1, EAST, 3));
	CHECK(MAY(CORE, WEST, 1, WEST, 1));
	CHECK(!MAY(CORE, WEST, 1, WEST, 2));
	CHECK(MAY(CORE, CORE, 0, DMA, 1));
	CHECK(!MAY(CORE, CORE, 0, CORE, 0));
	CHECK(MAY(CORE, TRACE, 1, DMA, 0));
	CHECK(!MAY(CORE, TRACE, 1, DMA, 1));
	CHECK(MAY(SHIM, SOUTH, 7, NORTH, 0));
	CHECK(MAY(SHIM, SOUTH, 3, SOUTH, 2));
	CHECK(MAY(SHIM, NORTH, 3, SOUTH, 2));
	CHECK(!MAY(SHIM, NORTH, 3, NORTH, 2));
	CHECK(MAY(SHIM, EAST, 3, WEST, 0));
	CHECK(!MAY(SHIM, TRACE, 0, EAST, 1));
	CHECK(!MAY(SHIM, SOUTH, 8, NORTH, 0));
	CHECK(!MAY(SHIM, DMA, 0, NORTH, 0)); /* behind the mux */
}

TEST(the_mux_of_a_shim_knows_its_ports)
{
	uint32_t south;

	CHECK(aie_arch_mux(AIE_BUNDLE_DMA, 1, true, &south) && south == 7);
	CHECK(aie_arch_mux(AIE_BUNDLE_DMA, 1, false, &south) && south == 3);
	CHECK(aie_arch_mux(AIE_BUNDLE_NOC, 2, true, &south) && south == 6);
	CHECK(aie_arch_mux(AIE_BUNDLE_NOC, 0, false, &south) && south == 2);
	CHECK(!aie_arch_mux(AIE_BUNDLE_DMA, 2, true, &south));
	CHECK(!aie_arch_mux(AIE_BUNDLE_CORE, 0, true, &south));
}

TEST(numbers_fit_together)
{
	const struct aie_arch *one = aie_arch_named("npu1"), *two = aie_arch_named("npu2");

	CHECK_UINT(aie_arch_tile(one, 2)->limits[AIE_MEMORY], 64 << 10);
	CHECK_UINT(aie_arch_tile(one, 1)->limits[AIE_MEMORY], 512 << 10);
	CHECK_UINT(aie_arch_tile(one, 0)->limits[AIE_MEMORY], 0);
	CHECK_UINT(aie_arch_tile(two, 1)->limits[AIE_BDS], 48);
	CHECK_UINT(aie_arch_macs(one, PTOWSP_I8), 256);
	CHECK_UINT(aie_arch_macs(two, PTOWSP_I8), 512);
	CHECK_UINT(aie_arch_macs(one, PTOWSP_F32), 0);
	CHECK_UINT(aie_arch_macs(one, 1000), 0);
	/* 8.2 and 59 TOPS of 8 bits. */
	CHECK_UINT(16 * 2 * aie_arch_macs(one, PTOWSP_I8) * (one->clock_hz / 1000000000), 8192);
	CHECK_UINT(32 * 2 * aie_arch_macs(two, PTOWSP_I8) * (two->clock_hz / 100000000) / 10000, 58);
	for (int limit = 0; limit < AIE_LIMITS; limit++)
		CHECK(aie_arch_limit_text((enum aie_limit)limit) != NULL);
	CHECK_STR(aie_arch_bundle_text(AIE_BUNDLE_CONTROL), "control");
	CHECK_STR(aie_arch_kind_text(AIE_MEMTILE), "memory tile");
}
