/* SPDX-License-Identifier: MIT */
/* array_flow.c - flows as a device says them, by wires and by packets: channels of tiles that lead into others. */
#include "aie/array/array_own.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_text.h"

#include <inttypes.h>
#include <stdlib.h>

ptowsp_status array_port(struct aie_array *array, const struct aie_op *op, uint32_t tile, int64_t bundle, int64_t number, bool sends, uint32_t *channel_out)
{
	*channel_out = AIE_NONE;
	if (tile == AIE_NONE)
		return array_shape_fail(array, op);
	return bundle == AIE_BUNDLE_DMA ? array_channel_take(array, op, tile, sends, number, channel_out) : PTOWSP_OK;
}

ptowsp_status array_flow_add(struct aie_array *array, const struct aie_op *op, uint32_t from, uint32_t to, uint32_t packet)
{
	uint32_t row;
	char text[32];

	if (from == AIE_NONE || to == AIE_NONE) {
		array->report->elsewhere++;
		return PTOWSP_OK;
	}
	for (uint32_t i = 0; i < array->flow_count; i++) {
		const struct array_flow *flow = &array->flows[i];

		if (flow->from == from && flow->to == to && flow->packet == packet)
			return PTOWSP_OK;
		if (flow->to == to && flow->from != from && (flow->packet == AIE_NONE || packet == AIE_NONE))
			return array_fail(array, op, PTOWSP_INVALID, "two flows lead into S2MM %u of tile %s; leave one, or make packets of both",
					  array->channels[to].number, array_tile_text(array, array->channels[to].tile, text));
	}
	row = ARRAY_ROW(array, op, flow);
	if (row == AIE_NONE)
		return array->rowless;
	array->flows[row] = (struct array_flow){from, to, packet};
	return PTOWSP_OK;
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
static ptowsp_status flow_once(struct aie_array *array, const struct aie_op *op, uint32_t packet, struct end *ends, uint32_t count)
{
	struct common_text said = {0};
	uint32_t before, *lines;
	bool kept;

	qsort(ends, count, sizeof(*ends), by_place);
	common_text_add(&said, "%u", packet);
	for (uint32_t i = 0; i < count; i++)
		common_text_add(&said, " %d.%u.%" PRId64 ".%" PRId64, ends[i].receives, ends[i].tile, ends[i].bundle, ends[i].number);
	before = common_names_find(&array->said, common_text_view(&said));
	lines = before ? array->said_lines : common_arena_grow(array->arena, array->said_lines, array->said.count, sizeof(*lines));
	kept = !said.failed && lines && (before || common_names_add(&array->said, common_text_view(&said)));
	common_text_finish(&said);
	if (!kept)
		return array_no_memory(array);
	if (before)
		return array_fail(array, op, PTOWSP_INVALID, "it stands in line %u already, with the same ends; leave one", lines[before - 1]);
	array->said_lines = lines;
	lines[array->said.count - 1] = op->line;
	return PTOWSP_OK;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static ptowsp_status end_read(struct aie_array *array, const struct aie_op *op, uint32_t operand, const char *bundle, const char *number, struct end *end,
			      uint32_t *channel_out)
{
	end->tile = array_tile_of(array, op, operand);
	end->bundle = array_number(op, bundle, -1);
	end->number = array_number(op, number, -1);
	return array_port(array, op, end->tile, end->bundle, end->number, !end->receives, channel_out);
}

ptowsp_status array_flow_read(struct aie_array *array, const struct aie_op *op)
{
	struct end ends[2] = {{.receives = false}, {.receives = true}};
	uint32_t from, to;
	ptowsp_status status = end_read(array, op, 0, "source_bundle", "source_channel", &ends[0], &from);

	if (!status)
		status = end_read(array, op, 1, "dest_bundle", "dest_channel", &ends[1], &to);
	if (!status)
		status = flow_once(array, op, AIE_NONE, ends, 2);
	array->report->flows++;
	return status ? status : array_flow_add(array, op, from, to, AIE_NONE);
}

/* An end of packets and its channel. */
struct leg {
	const struct aie_op *op;
	uint32_t channel;
};

/* Each source leads to each destination. */
static ptowsp_status legs_join(struct aie_array *array, const struct aie_op *op, uint32_t packet, const struct leg *legs, uint32_t count)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t s = 0; s < count; s++)
		for (uint32_t d = 0; !status && d < count; d++) {
			if (!aie_op_is(legs[s].op, "aie.packet_source") || !aie_op_is(legs[d].op, "aie.packet_dest"))
				continue;
			if (array_flag(op, "keep_pkt_header") && legs[s].channel != AIE_NONE && legs[d].channel != AIE_NONE)
				status = array_fail(array, op, PTOWSP_UNSUPPORTED, "attribute 'keep_pkt_header' has no model here between DMAs; leave it out");
			if (!status)
				status = array_flow_add(array, legs[d].op, legs[s].channel, legs[d].channel, packet);
		}
	return status;
}

ptowsp_status array_packets_read(struct aie_array *array, const struct aie_op *op)
{
	const int64_t number = array_number(op, "ID", 0);
	ptowsp_status status = array_packet(array, op, number);
	uint32_t count = 0, room = 0;
	struct leg *legs;
	struct end *ends;

	array->report->packet_flows++;
	if (status || !op->region_count)
		return status ? status : array_shape_fail(array, op);
	for (const struct aie_op *leg = op->regions[0].first; leg; leg = leg->next)
		room++;
	legs = common_take(array->arena, room + 1, sizeof(*legs));
	ends = common_take(array->arena, room + 1, sizeof(*ends));
	if (!legs || !ends)
		return array_no_memory(array);
	for (const struct aie_op *leg = op->regions[0].first; !status && leg; leg = leg->next) {
		ends[count].receives = aie_op_is(leg, "aie.packet_dest");
		if (!ends[count].receives && !aie_op_is(leg, "aie.packet_source"))
			continue;
		legs[count].op = leg;
		status = end_read(array, leg, 0, "bundle", "channel", &ends[count], &legs[count].channel);
		count++;
	}
	if (!status)
		status = flow_once(array, op, (uint32_t)number, ends, count);
	return status ? status : legs_join(array, op, (uint32_t)number, legs, count);
}
