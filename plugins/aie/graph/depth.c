/* SPDX-License-Identifier: MIT */
#include "aie/graph/order.h"

enum { WORDS = 4 }; /* of credit, which take next to no room */

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A memory tile needs a descriptor per part of each object, so it has two of them at most. */
static uint32_t depth_at(uint32_t end, uint32_t depth)
{
	return end == AIE_HOST ? 0 : end == AIE_LINKED && depth > 2 ? 2 : depth;
}

/* Between cores there are ends on both sides, so a channel has twice as many, and no fewer than one each. */
static uint32_t objects_of(const struct aie_graph *graph, const struct aie_stream *stream, uint32_t depth, bool whole)
{
	if (stream->kind == AIE_STREAM_TOKEN && stream->room)
		return whole ? stream->room : least(stream->room, WORDS);
	if (stream->kind != AIE_STREAM_CHANNEL)
		return depth;
	return whole ? stream->room : least(stream->room, aie_stream_shared(graph, stream) ? 2 * depth : depth);
}

bool aie_depths_choose(struct aie_depths *depths, const struct aie_graph *graph, uint32_t depth, bool whole)
{
	bool less = false;

	for (uint32_t s = 0; s < graph->stream_count; s++) {
		const struct aie_stream *stream = &graph->streams[s];
		uint32_t objects = objects_of(graph, stream, depth, whole);

		less |= stream->room > objects;
		depths[s] = (struct aie_depths){depth_at(stream->from, objects), depth_at(graph->ends[stream->to], objects), false};
	}
	return less;
}

static bool sees(const struct aie_arch *arch, const struct aie_place *core, const struct aie_place *memory)
{
	return aie_arch_shares(arch, core->column, core->row, memory->column, memory->row);
}

void aie_depths_settle(struct aie_depths *depths, const struct aie_graph *graph, const struct aie_arch *arch, const struct aie_place *places)
{
	for (uint32_t s = 0; s < graph->stream_count; s++) {
		const struct aie_stream *stream = &graph->streams[s];
		const struct aie_place *from, *to;
		uint32_t objects = depths[s].from;

		if (!aie_stream_shared(graph, stream))
			continue;
		from = &places[stream->from];
		to = &places[graph->ends[stream->to]];
		depths[s].joint = sees(arch, from, to) || sees(arch, to, from);
		if (depths[s].joint || stream->kind != AIE_STREAM_CHANNEL || !stream->room)
			continue;
		depths[s].from = (objects + 1) / 2;
		depths[s].to = objects > 1 ? objects - depths[s].from : 1;
	}
}
