/* SPDX-License-Identifier: MIT */
/* graph_group.c - several loads, or stores, of different cells become one stream of the host, which a memory tile distributes, or joins: where shims have too few channels
 * for one stream each. Members carry objects of one type and equally many of them, so that each object of the whole is complete. */
#include "aie/graph/graph_own.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>

/* ---- channels ----------------------------------------------------------------------------------------------------------- */

static bool comes(const struct aie_stream *stream, bool joins)
{
	return joins ? stream->kind == AIE_STREAM_STORE : stream->kind == AIE_STREAM_LOAD;
}

/* Streams that the host moves, into memory (joins) or out of it. */
static uint64_t host_count(const struct aie_graph *graph, bool joins)
{
	uint64_t count = 0;

	for (uint32_t s = 0; s < graph->stream_count; s++)
		count += (joins ? graph->ends[graph->streams[s].to] : graph->streams[s].from) == AIE_HOST;
	return count;
}

/* Channels that all shims together have for them. */
static uint64_t host_limit(const struct aie_maker *maker, bool joins)
{
	const struct aie_arch *arch = maker->args->arch;

	return arch->columns * aie_arch_tile(arch, 0)->limits[joins ? AIE_DMA_IN : AIE_DMA_OUT];
}

static bool is_short(const struct aie_maker *maker, bool joins)
{
	return host_count(maker->graph, joins) > host_limit(maker, joins);
}

bool aie_graph_crowded(const struct aie_maker *maker)
{
	return is_short(maker, false) || is_short(maker, true);
}

static void shims_fit(struct aie_maker *maker)
{
	for (int joins = 0; joins < 2; joins++)
		if (is_short(maker, joins))
			aie_maker_leave(
				maker,
				rt_fail(maker->error, PTOWSP_UNSUPPORTED,
					"%llu streams of the host need %s of the shims of %s, and they have %llu together; allow more columns (--opt grid, "
					"device) or %s",
					(unsigned long long)host_count(maker->graph, joins), aie_arch_limit_text(joins ? AIE_DMA_IN : AIE_DMA_OUT),
					maker->args->arch->name, (unsigned long long)host_limit(maker, joins),
					maker->args->acts->processes ? "replicate less" : "use fewer cores (--opt cores)"));
}

/* ---- groups ------------------------------------------------------------------------------------------------------------- */

struct grouping {
	struct aie_maker *maker;
	uint64_t *offsets; /* per stream: bytes at which a member's part of an object begins */
	uint32_t *tensors; /* per stream: of its first job, AIE_NOTHING */
	bool any;          /* members may be of different tensors; of one they are more often one task */
	uint32_t *alike;   /* streams that could be one */
	uint32_t count;
};

static bool can_join(const struct grouping *grouping, uint32_t s, uint32_t t)
{
	const struct aie_stream *a = &grouping->maker->graph->streams[s], *b = &grouping->maker->graph->streams[t];

	return a->shape.dtype == b->shape.dtype && a->objects == b->objects && (grouping->any || grouping->tensors[s] == grouping->tensors[t]);
}

static void tensors_find(struct grouping *grouping)
{
	const struct aie_graph *graph = grouping->maker->graph;

	for (uint32_t s = 0; s < graph->stream_count; s++)
		grouping->tensors[s] = AIE_NOTHING;
	for (uint32_t j = graph->job_count; j--;)
		if (graph->jobs[j].area != AIE_NOTHING)
			grouping->tensors[graph->jobs[j].stream] = grouping->maker->args->acts->areas.rows[graph->jobs[j].area].tensor;
}

static bool is_free(const struct aie_graph *graph, uint32_t s, bool joins)
{
	const struct aie_stream *stream = &graph->streams[s];

	return comes(stream, joins) && stream->group == AIE_NOTHING && stream->objects && aie_shape_bytes(&stream->shape) % 4 == 0;
}

/* A cell at an end of the stream: the first. */
static uint32_t cell_of(const struct aie_graph *graph, uint32_t s, bool joins)
{
	return joins ? graph->streams[s].from : graph->ends[graph->streams[s].to];
}

/* The stream and those that could be in a group with it, by their cells. */
static void alike_find(struct grouping *grouping, uint32_t first, bool joins)
{
	const struct aie_graph *graph = grouping->maker->graph;

	grouping->count = 0;
	for (uint32_t s = first; s < graph->stream_count; s++) {
		uint32_t at = grouping->count;

		if (!is_free(graph, s, joins) || !can_join(grouping, first, s))
			continue;
		for (; at && cell_of(graph, grouping->alike[at - 1], joins) > cell_of(graph, s, joins); at--)
			grouping->alike[at] = grouping->alike[at - 1];
		grouping->alike[at] = s;
		grouping->count++;
	}
}

static void member_add(struct grouping *grouping, struct aie_group *group, uint32_t number, uint32_t s)
{
	struct aie_graph *graph = grouping->maker->graph;
	struct aie_stream *stream = &graph->streams[s], *whole = &graph->streams[group->whole];

	AIE_MAKER_GROW(grouping->maker, graph->members, graph->member_room, graph->member_count);
	graph->members[graph->member_count++] = s;
	group->count++;
	grouping->offsets[s] = aie_shape_bytes(&whole->shape);
	whole->shape.columns += stream->shape.rows * stream->shape.columns;
	stream->group = number;
	if (group->joins)
		graph->ends[stream->to] = AIE_LINKED;
	else
		stream->from = AIE_LINKED;
}

static void group_make(struct grouping *grouping, const uint32_t *streams, uint32_t count, bool joins)
{
	struct aie_graph *graph = grouping->maker->graph;
	const struct aie_stream *like = &graph->streams[streams[0]];
	const struct aie_stream whole = {.kind = like->kind,
					 .whole = true,
					 .group = graph->group_count,
					 .from = joins ? AIE_LINKED : AIE_HOST,
					 .to = graph->end_count,
					 .to_count = 1,
					 .channel = AIE_NOTHING,
					 .shape = {like->shape.dtype, true, 1, 0},
					 .objects = like->objects};
	struct aie_group group = {joins, graph->stream_count, graph->member_count, 0};

	AIE_MAKER_GROW(grouping->maker, graph->streams, graph->stream_room, graph->stream_count);
	AIE_MAKER_GROW(grouping->maker, graph->groups, graph->group_room, graph->group_count);
	aie_maker_stream_end(grouping->maker, joins ? AIE_HOST : AIE_LINKED);
	graph->streams[graph->stream_count++] = whole;
	for (uint32_t i = 0; i < count; i++)
		member_add(grouping, &group, graph->group_count, streams[i]);
	graph->groups[graph->group_count++] = group;
}

/* As few groups as there can be, of nearly the same size each. */
static void groups_make(struct grouping *grouping, uint32_t streams, bool joins)
{
	const uint32_t most = grouping->maker->args->group;

	for (uint32_t s = 0; s < streams; s++) {
		uint32_t groups, at = 0;

		if (!is_free(grouping->maker->graph, s, joins))
			continue;
		alike_find(grouping, s, joins);
		groups = (grouping->count + most - 1) / most;
		for (uint32_t g = 0; g < groups && grouping->count > 1; g++) {
			uint32_t size = grouping->count / groups + (g < grouping->count % groups);

			if (size > 1)
				group_make(grouping, grouping->alike + at, size, joins);
			at += size;
		}
	}
}

/* Jobs of members become jobs of the whole. */
static void jobs_move(struct grouping *grouping)
{
	struct aie_graph *graph = grouping->maker->graph;

	for (uint32_t j = 0; j < graph->job_count; j++) {
		struct aie_job *job = &graph->jobs[j];
		uint32_t group = graph->streams[job->stream].group;

		if (group == AIE_NOTHING)
			continue;
		job->at += grouping->offsets[job->stream];
		job->stream = graph->groups[group].whole;
	}
}

void aie_graph_group(struct aie_maker *maker)
{
	const uint32_t streams = maker->graph->stream_count;
	const size_t count = (size_t)streams + 1;
	struct grouping grouping = {.maker = maker,
				    .offsets = common_take(&maker->arena, count, sizeof(uint64_t)),
				    .tensors = common_take(&maker->arena, count, sizeof(uint32_t)),
				    .alike = common_take(&maker->arena, count, sizeof(uint32_t))};

	tensors_find(&grouping);
	for (int pass = 0; maker->args->group && pass < 4; pass++) {
		grouping.any = pass > 1;
		if (is_short(maker, pass % 2) || (maker->args->always && !grouping.any))
			groups_make(&grouping, streams, pass % 2);
	}
	jobs_move(&grouping);
	shims_fit(maker);
}
