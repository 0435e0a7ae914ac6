/* SPDX-License-Identifier: MIT */
/* array_switch.c - designs that were routed already: aie.switchbox and aie.shim_mux are walked from each DMA that sends to those that are reached, by wires or by numbers of packets. What
 * is found is a flow as aie.flow and aie.packet_flow say it. */
#include "aie/array/array_own.h"

#include <string.h>

enum { NUMBERS = 32, STEPS = 1 << 18, WAY = 128 };

struct walk {
	struct aie_array *array;
	uint32_t from;  /* channel */
	uint32_t steps; /* of all walks */
};

static void switch_enter(struct walk *walk, uint32_t tile, int64_t bundle, int64_t channel, uint32_t number, uint32_t depth);

static bool port_is(const struct aie_op *op, bool source, int64_t bundle, int64_t channel)
{
	return array_number(op, source ? "source_bundle" : "dest_bundle", -1) == bundle &&
	       array_number(op, source ? "source_channel" : "dest_channel", -1) == channel;
}

static void dma_reach(struct walk *walk, uint32_t tile, int64_t number, uint32_t packet)
{
	const struct aie_op *box = walk->array->tiles[tile].box;

	array_flow_add(walk->array, box, walk->from, array_channel_take(walk->array, box, tile, false, number), packet);
}

/* A stream that leaves a shim's switch to the south passes the mux: to the DMA that the mux states, without a mux to the one that the port is wired to. */
static void mux_leave(struct walk *walk, uint32_t tile, int64_t channel, uint32_t packet)
{
	const struct aie_op *mux = walk->array->tiles[tile].mux;
	uint32_t south;

	for (const struct aie_op *op = mux && mux->region_count ? mux->regions[0].first : NULL; op; op = op->next)
		if (aie_op_is(op, "aie.connect") && port_is(op, true, AIE_BUNDLE_NORTH, channel) && array_number(op, "dest_bundle", -1) == AIE_BUNDLE_DMA) {
			dma_reach(walk, tile, array_number(op, "dest_channel", -1), packet);
			return;
		}
	for (uint32_t i = 0; !mux && i < 2; i++)
		if (aie_arch_mux(AIE_BUNDLE_DMA, i, false, &south) && south == channel) {
			dma_reach(walk, tile, i, packet);
			return;
		}
	walk->array->report->elsewhere++;
}

/* A master port leads into a DMA, out of the tile, or to something that carries nothing here. */
static void master_leave(struct walk *walk, uint32_t tile, int64_t bundle, int64_t channel, uint32_t packet, uint32_t depth)
{
	const struct aie_array *array = walk->array;
	int32_t column = array->tiles[tile].column, row = array->tiles[tile].row;
	enum aie_bundle into;

	if (bundle == AIE_BUNDLE_DMA) {
		dma_reach(walk, tile, channel, packet);
	} else if (bundle == AIE_BUNDLE_SOUTH && array->tiles[tile].kind == AIE_SHIM) {
		mux_leave(walk, tile, channel, packet);
	} else if (bundle == AIE_BUNDLE_SOUTH || bundle == AIE_BUNDLE_WEST || bundle == AIE_BUNDLE_NORTH || bundle == AIE_BUNDLE_EAST) {
		into = aie_arch_step((enum aie_bundle)bundle, &column, &row);
		for (uint32_t i = 0; i < array->tile_count; i++)
			if (array->tiles[i].column == column && array->tiles[i].row == row)
				switch_enter(walk, i, into, channel, packet, depth + 1);
	} else {
		walk->array->report->elsewhere++;
	}
}

/* Masters of a switch that listen to what a rule of packets selects. */
static void selected_leave(struct walk *walk, uint32_t tile, const struct aie_value *selected, uint32_t packet, uint32_t depth)
{
	for (const struct aie_op *op = walk->array->tiles[tile].box->regions[0].first; op; op = op->next)
		for (uint32_t i = 0; aie_op_is(op, "aie.masterset") && i < op->operand_count; i++)
			if (op->operands[i] == selected)
				master_leave(walk, tile, array_number(op, "dest_bundle", -1), array_number(op, "dest_channel", -1), packet, depth);
}

/* The first rule that takes the number decides. */
static void rules_take(struct walk *walk, uint32_t tile, const struct aie_op *rules, uint32_t packet, uint32_t depth)
{
	for (const struct aie_op *op = rules->region_count ? rules->regions[0].first : NULL; op; op = op->next) {
		const int64_t mask = array_number(op, "mask", 31), value = array_number(op, "value", -1);

		if (aie_op_is(op, "aie.rule") && op->operand_count == 1 && ((int64_t)packet & mask) == value) {
			selected_leave(walk, tile, op->operands[0], packet, depth);
			return;
		}
	}
}

static void switch_enter(struct walk *walk, uint32_t tile, int64_t bundle, int64_t channel, uint32_t packet, uint32_t depth)
{
	const struct aie_op *box = walk->array->tiles[tile].box;

	if (depth > WAY || ++walk->steps > STEPS)
		array_fail(walk->array, walk->array->device, PTOWSP_UNSUPPORTED, "ways through its switches go round, or are too many");
	for (const struct aie_op *op = box && box->region_count ? box->regions[0].first : NULL; op; op = op->next) {
		if (!port_is(op, true, bundle, channel))
			continue;
		if (aie_op_is(op, "aie.connect"))
			master_leave(walk, tile, array_number(op, "dest_bundle", -1), array_number(op, "dest_channel", -1), packet, depth);
		else if (aie_op_is(op, "aie.packet_rules"))
			for (uint32_t n = packet == AIE_NONE ? 0 : packet; n < (packet == AIE_NONE ? NUMBERS : packet + 1); n++)
				rules_take(walk, tile, op, n, depth);
	}
}

/* From a DMA: into its tile's switch, on a shim through the mux. */
static void channel_walk(struct walk *walk, uint32_t tile, uint32_t number)
{
	const struct array_tile *row = &walk->array->tiles[tile];
	uint32_t south;

	if (row->kind != AIE_SHIM) {
		switch_enter(walk, tile, AIE_BUNDLE_DMA, number, AIE_NONE, 0);
		return;
	}
	for (const struct aie_op *op = row->mux && row->mux->region_count ? row->mux->regions[0].first : NULL; op; op = op->next)
		if (aie_op_is(op, "aie.connect") && port_is(op, true, AIE_BUNDLE_DMA, number) && array_number(op, "dest_bundle", -1) == AIE_BUNDLE_NORTH)
			switch_enter(walk, tile, AIE_BUNDLE_SOUTH, array_number(op, "dest_channel", -1), AIE_NONE, 0);
	if (!row->mux && aie_arch_mux(AIE_BUNDLE_DMA, number, true, &south))
		switch_enter(walk, tile, AIE_BUNDLE_SOUTH, south, AIE_NONE, 0);
}

void array_switches(struct aie_array *array)
{
	struct walk walk = {.array = array};
	const uint32_t count = array->channel_count; /* those that are reached come behind, and receive */

	for (uint32_t i = 0; array->report->switches && i < count; i++) {
		walk.from = i;
		if (array->channels[i].sends)
			channel_walk(&walk, array->channels[i].tile, array->channels[i].number);
	}
}
