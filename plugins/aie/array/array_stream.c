/* SPDX-License-Identifier: MIT */
/* array_stream.c - flows as streams of the net: channels that flows put together are one, with packets where numbers say who listens. */
#include "aie/array/array_own.h"
#include "aie/sim/aie_cost.h"
#include "registry/common/common_arena.h"

#include <stdlib.h>

static uint32_t group_of(struct aie_array *array, uint32_t channel)
{
	while (array->channels[channel].group != channel)
		channel = array->channels[channel].group;
	return channel;
}

/* Channels that flows put together are one stream; it has packets where a flow has, or where it has several senders. */
static void groups_find(struct aie_array *array)
{
	for (uint32_t i = 0; i < array->flow_count; i++) {
		const uint32_t a = group_of(array, array->flows[i].from), b = group_of(array, array->flows[i].to);

		array->channels[a < b ? b : a].group = a < b ? a : b;
	}
	for (uint32_t i = 0; i < array->channel_count; i++)
		array->channels[i].group = group_of(array, i);
	for (uint32_t i = 0; i < array->flow_count; i++)
		if (array->flows[i].packet != AIE_NONE)
			array->channels[array->channels[array->flows[i].from].group].packets = true;
}

static uint32_t distance(int32_t a, int32_t b)
{
	return (uint32_t)(a < b ? b - a : a - b);
}

/* Switches on the shortest way from the first sender of a stream. */
static uint64_t delay_of(const struct aie_array *array, uint32_t sender, uint32_t receiver)
{
	const struct array_tile *from, *to = &array->tiles[array->channels[receiver].tile];

	if (sender == AIE_NONE)
		return 0;
	from = &array->tiles[array->channels[sender].tile];
	return AIE_COST_SWITCH * ((uint64_t)distance(from->column, to->column) + distance(from->row, to->row) + 1);
}

static void end_add(struct aie_array *array, uint32_t number, uint32_t sender)
{
	struct array_channel *channel = &array->channels[number];
	const uint32_t agent =
		aie_net_agent(array->net, "dma %s %s %u", array_tile_text(array, channel->tile), channel->sends ? "MM2S" : "S2MM", channel->number);

	channel->end = aie_net_end(array->net, channel->name, agent, channel->sends, array->tiles[channel->tile].kind == AIE_SHIM,
				   channel->sends ? 0 : delay_of(array, sender, number), 1);
}

/* The senders of a stream, then its receivers; a channel alone is a stream whose words go nowhere, or never come. */
static void stream_add(struct aie_array *array, uint32_t group, const uint32_t *members, uint32_t count)
{
	uint32_t senders = 0, first = array->net->end_count, stream, sender = AIE_NONE;

	for (int side = 0; side < 2; side++)
		for (uint32_t i = 0; i < count; i++) {
			if (array->channels[members[i]].sends != (side == 0))
				continue;
			if (!side && !senders++)
				sender = members[i];
			end_add(array, members[i], sender);
		}
	stream = aie_net_stream(array->net, first, array->net->end_count - first);
	array->channels[group].packets = array->channels[group].packets || senders != 1;
	if (array->channels[group].packets)
		aie_net_senders(array->net, stream, senders);
}

static void packets_add(struct aie_array *array)
{
	for (uint32_t i = 0; i < array->flow_count; i++) {
		const struct array_flow *flow = &array->flows[i];

		if (array->channels[array->channels[flow->from].group].packets)
			aie_net_packet(array->net, array->channels[flow->from].end, flow->packet, array->channels[flow->to].end);
	}
}

/* Members of each group one after the other: by group, in the order of their numbers. */
static int by_group(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void array_streams(struct aie_array *array)
{
	uint64_t *order = common_take(array->arena, array->channel_count + 1, sizeof(*order));
	uint32_t *members = common_take(array->arena, array->channel_count + 1, sizeof(*members));

	groups_find(array);
	for (uint32_t i = 0; i < array->channel_count; i++)
		order[i] = (uint64_t)array->channels[i].group << 32 | i;
	qsort(order, array->channel_count, sizeof(*order), by_group);
	for (uint32_t i = 0; i < array->channel_count; i++)
		members[i] = (uint32_t)order[i];
	for (uint32_t from = 0, to; from < array->channel_count; from = to) {
		const uint32_t group = array->channels[members[from]].group;

		for (to = from; to < array->channel_count && array->channels[members[to]].group == group; to++)
			;
		stream_add(array, group, members + from, to - from);
	}
	packets_add(array);
}
