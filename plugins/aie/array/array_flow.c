/* SPDX-License-Identifier: MIT */
/* array_flow.c - flows as a device says them, by wires and by packets: channels of tiles that lead into others. */
#include "aie/array/array_own.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_text.h"

#include <inttypes.h>
#include <stdlib.h>

uint32_t array_port(struct aie_array *array, const struct aie_op *op, uint32_t tile, int64_t bundle, int64_t number, bool sends)
{
	if (tile == AIE_NONE)
		array_shape_fail(array, op);
	return bundle == AIE_BUNDLE_DMA ? array_channel_take(array, op, tile, sends, number) : AIE_NONE;
}

void array_flow_add(struct aie_array *array, const struct aie_op *op, uint32_t from, uint32_t to, uint32_t packet)
{

	if (from == AIE_NONE || to == AIE_NONE) {
		array->report->elsewhere++;
		return;
	}
	for (uint32_t i = 0; i < array->flow_count; i++) {
		const struct array_flow *flow = &array->flows[i];

		if (flow->from == from && flow->to == to && flow->packet == packet)
			return;
		if (flow->to == to && flow->from != from && (flow->packet == AIE_NONE || packet == AIE_NONE))
			array_fail(array, op, PTOWSP_INVALID, "two flows lead into S2MM %u of tile %s; leave one, or make packets of both",
				   array->channels[to].number, array_tile_text(array, array->channels[to].tile));
	}
	*ARRAY_ROW(array, op, flow) = (struct array_flow){from, to, packet};
}

/* ---- what the text says twice --------------------------------------------------------------------------------------- */

struct end {
	bool receives;
	uint32_t tile;
	int64_t bundle, number;
};

static int by_place(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->receives != y->receives)
		return x->receives ? 1 : -1;
	if (x->tile != y->tile)
		return x->tile < y->tile ? -1 : 1;
	if (x->bundle != y->bundle)
		return x->bundle < y->bundle ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* A flow stands once: the tools' router would lead it to its end twice (pull request 3710 of mlir-aie, DeviceOp::verify). It is one by its ends, in any order, and by the number of its
 * packets. Switches may say the same once more, where a router left both. */
static void flow_once(struct aie_array *array, const struct aie_op *op, uint32_t packet, struct end *ends, uint32_t count)
{
	struct common_text said = {0};
	uint32_t before, *lines = array->said_lines;
	bool kept;

	qsort(ends, count, sizeof(*ends), by_place);
	common_text_add(&said, "%u", packet);
	for (uint32_t i = 0; i < count; i++)
		common_text_add(&said, " %d.%u.%" PRId64 ".%" PRId64, ends[i].receives, ends[i].tile, ends[i].bundle, ends[i].number);
	before = common_names_find(&array->said, common_text_view(&said));
	kept = !said.failed && (before || common_names_add(&array->said, common_text_view(&said)));
	common_text_finish(&said);
	array_memory(array, kept);
	if (before)
		array_fail(array, op, PTOWSP_INVALID, "it stands in line %u already, with the same ends; leave one", lines[before - 1]);
	array->said_lines = common_arena_grow(array->arena, lines, array->said.count - 1, sizeof(*lines));
	array->said_lines[array->said.count - 1] = op->line;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

/* The port's channel; AIE_NONE: of a port that is no DMA's. */
static uint32_t end_read(struct aie_array *array, const struct aie_op *op, uint32_t operand, const char *bundle, const char *number, struct end *end)
{
	end->tile = array_tile_of(array, op, operand);
	end->bundle = array_number(op, bundle, -1);
	end->number = array_number(op, number, -1);
	return array_port(array, op, end->tile, end->bundle, end->number, !end->receives);
}

void array_flow_read(struct aie_array *array, const struct aie_op *op)
{
	struct end ends[2] = {{.receives = false}, {.receives = true}};
	uint32_t from, to;

	array->report->flows++;
	from = end_read(array, op, 0, "source_bundle", "source_channel", &ends[0]);
	to = end_read(array, op, 1, "dest_bundle", "dest_channel", &ends[1]);
	flow_once(array, op, AIE_NONE, ends, 2);
	array_flow_add(array, op, from, to, AIE_NONE);
}

/* An end of packets and its channel. */
struct leg {
	const struct aie_op *op;
	uint32_t channel;
};

/* Each source leads to each destination. */
static void legs_join(struct aie_array *array, const struct aie_op *op, uint32_t packet, const struct leg *legs, uint32_t count)
{
	for (uint32_t s = 0; s < count; s++)
		for (uint32_t d = 0; d < count; d++) {
			if (!aie_op_is(legs[s].op, "aie.packet_source") || !aie_op_is(legs[d].op, "aie.packet_dest"))
				continue;
			if (array_flag(op, "keep_pkt_header") && legs[s].channel != AIE_NONE && legs[d].channel != AIE_NONE)
				array_fail(array, op, PTOWSP_UNSUPPORTED, "attribute 'keep_pkt_header' has no model here between DMAs; leave it out");
			array_flow_add(array, legs[d].op, legs[s].channel, legs[d].channel, packet);
		}
}

void array_packets_read(struct aie_array *array, const struct aie_op *op)
{
	const int64_t number = array_number(op, "ID", 0);
	uint32_t count = 0, room = 0;
	struct leg *legs;
	struct end *ends;

	array->report->packet_flows++;
	array_packet(array, op, number);
	if (!op->region_count)
		array_shape_fail(array, op);
	for (const struct aie_op *leg = op->regions[0].first; leg; leg = leg->next)
		room++;
	legs = common_take(array->arena, room + 1, sizeof(*legs));
	ends = common_take(array->arena, room + 1, sizeof(*ends));
	for (const struct aie_op *leg = op->regions[0].first; leg; leg = leg->next) {
		ends[count].receives = aie_op_is(leg, "aie.packet_dest");
		if (!ends[count].receives && !aie_op_is(leg, "aie.packet_source"))
			continue;
		legs[count].op = leg;
		legs[count].channel = end_read(array, leg, 0, "bundle", "channel", &ends[count]);
		count++;
	}
	flow_once(array, op, (uint32_t)number, ends, count);
	legs_join(array, op, (uint32_t)number, legs, count);
}
