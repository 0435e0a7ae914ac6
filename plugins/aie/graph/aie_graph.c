/* SPDX-License-Identifier: MIT */
#include "aie/graph/aie_graph.h"

#include "aie/graph/graph_own.h"
#include "ptowsp/ids.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

bool aie_stream_shared(const struct aie_graph *graph, const struct aie_stream *stream)
{
	return stream->to_count == 1 && stream->from < AIE_LINKED && graph->ends[stream->to] < AIE_LINKED;
}

bool aie_stream_hosted(const struct aie_graph *graph, const struct aie_stream *stream)
{
	return stream->from == AIE_HOST || graph->ends[stream->to] == AIE_HOST;
}

/* ---- DMA channels of a core --------------------------------------------------------------------------------------------- */

struct ends {
	uint32_t in, out;       /* streams */
	uint32_t loads, stores; /* of them, those that could be one */
	uint32_t credits;       /* of both, those that say that there is room in a channel */
};

static void ends_count(const struct aie_graph *graph, struct ends *ends)
{
	memset(ends, 0, graph->cell_count * sizeof(*ends));
	for (uint32_t s = 0; s < graph->stream_count; s++) {
		const struct aie_stream *stream = &graph->streams[s];

		if (aie_stream_shared(graph, stream))
			continue;
		if (stream->from != AIE_HOST) {
			ends[stream->from].out++;
			ends[stream->from].stores += stream->kind == AIE_STREAM_STORE;
			ends[stream->from].credits += stream->kind == AIE_STREAM_TOKEN && stream->room;
		}
		for (uint32_t e = 0; e < stream->to_count; e++)
			if (graph->ends[stream->to + e] != AIE_HOST) {
				ends[graph->ends[stream->to + e]].in++;
				ends[graph->ends[stream->to + e]].loads += stream->kind == AIE_STREAM_LOAD;
				ends[graph->ends[stream->to + e]].credits += stream->kind == AIE_STREAM_TOKEN && stream->room;
			}
	}
}

/* The cell by the first call that it does. */
static _Noreturn void too_many(struct aie_maker *maker, uint32_t cell, const char *way, uint32_t need, uint32_t limit, uint32_t credits)
{
	const struct aie_acts *acts = maker->args->acts;
	char place[AIE_CALLED_PLACE];
	uint32_t a = 0;

	while (a < acts->count && (acts->rows[a].kind != AIE_ACT_CALL || acts->rows[a].cell != cell))
		a++;
	if (a == acts->count)
		aie_maker_leave(maker,
				rt_fail(maker->error, PTOWSP_UNSUPPORTED, "a core needs %u streams %s, and has %u DMA channels that way", need, way, limit));
	aie_maker_leave(maker, rt_fail_at(maker->error, PTOWSP_UNSUPPORTED, acts->first + acts->rows[a].task, acts->rows[a].kernel,
					  "the core of task %llu, kernel %.28s%s needs %u streams %s, and has %u DMA channels that way; %s",
					  (unsigned long long)(acts->first + acts->rows[a].task), aie_kernel_name(&maker->args->names, acts->rows[a].kernel),
					  aie_kernel_place(&maker->args->names, acts->rows[a].kernel, place), need, way, limit,
					  credits ? "some are words that hold channels to their capacity: state a larger channel_capacity"
						  : "give its work to fewer kernels or processes"));
}

/* Says which cells have to pack. True: there is a new one. */
static bool channels_fit(struct aie_maker *maker)
{
	const uint64_t *limits = aie_arch_tile(maker->args->arch, AIE_FIRST_CORE)->limits;
	const uint32_t in = maker->args->tiles * (uint32_t)limits[AIE_DMA_IN], out = maker->args->tiles * (uint32_t)limits[AIE_DMA_OUT];
	struct ends *ends = common_take(&maker->arena, (size_t)maker->graph->cell_count + 1, sizeof(*ends));
	bool again = false;

	ends_count(maker->graph, ends);
	for (uint32_t c = 0; c < maker->graph->cell_count; c++) {
		uint8_t had = maker->pack[c];

		if (ends[c].in > in && ends[c].loads > 1)
			maker->pack[c] |= maker->args->pack || had & AIE_PACK_USES ? AIE_PACK_LOADS : AIE_PACK_USES;
		else if (ends[c].in > in)
			too_many(maker, c, "in", ends[c].in, in, ends[c].credits);
		if ((ends[c].out > out || maker->one_store) && ends[c].stores > 1)
			maker->pack[c] |= AIE_PACK_STORES;
		else if (ends[c].out > out)
			too_many(maker, c, "out", ends[c].out, out, ends[c].credits);
		again |= maker->pack[c] != had;
	}
	return again;
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

/* Nothing of the graph and of what was done to make it. */
static void restart(struct aie_maker *maker)
{
	uint32_t cells = maker->graph->cell_count;
	struct aie_lines *programs = maker->graph->cells;

	for (uint32_t c = 0; c < cells; c++)
		programs[c].count = 0;
	maker->graph->stream_count = maker->graph->end_count = maker->graph->spot_count = maker->graph->buffer_count = maker->graph->job_count = 0;
	maker->free_count = 0;
	aie_gate_restart(maker);
	memset(maker->homes, 0, maker->args->versions->count * sizeof(*maker->homes));
	memset(maker->kept, 0, maker->args->acts->use_count * sizeof(*maker->kept));
}

static void ends_make(struct aie_maker *maker)
{
	const struct aie_acts *acts = maker->args->acts;
	uint32_t *last = common_take(&maker->arena, (size_t)maker->graph->cell_count + 1, sizeof(*last));

	for (uint32_t a = 0; a < acts->count; a++)
		if (acts->rows[a].cell != AIE_HOST)
			last[acts->rows[a].cell] = a;
	for (uint32_t c = 0; c < maker->graph->cell_count; c++)
		aie_maker_end(maker, c, last[c]);
}

static void streams_make(struct aie_maker *maker)
{
	do {
		restart(maker);
		for (uint32_t a = 0; a < maker->args->acts->count; a++) {
			if (base_patience_over(maker->args->acts->patience, 1))
				aie_maker_leave(maker, PTOWSP_NO_MEMORY);
			aie_maker_act(maker, a);
		}
		ends_make(maker);
	} while (channels_fit(maker));
	if (maker->args->share)
		aie_graph_share(maker);
}

static void by_use_find(struct aie_maker *maker)
{
	for (uint32_t c = 0; c < maker->graph->cell_count; c++)
		maker->graph->by_use |= (maker->pack[c] & (AIE_PACK_USES | AIE_PACK_LOADS)) == AIE_PACK_USES;
}

/* As the cells ask for it; and where the host has too few channels, once more with cells that store by one stream each. */
static void all_streams_make(struct aie_maker *maker)
{
	streams_make(maker);
	by_use_find(maker);
	maker->graph->crowded = aie_graph_crowded(maker);
	if (!maker->graph->crowded || !maker->args->group)
		return;
	maker->one_store = true;
	streams_make(maker);
}

void aie_maker_leave(struct aie_maker *maker, ptowsp_status status)
{
	maker->status = status;
	longjmp(maker->out, 1);
}

void aie_maker_memory(struct aie_maker *maker, bool there)
{
	if (!there)
		longjmp(maker->out, 1);
}

static void all_make(void *context)
{
	struct aie_maker *maker = context;
	struct aie_graph *graph = maker->graph;

	graph->cells = calloc((size_t)maker->args->cells->count + 1, sizeof(*graph->cells));
	aie_maker_memory(maker, graph->cells);
	graph->cell_count = maker->args->cells->count;
	aie_maker_know(maker);
	all_streams_make(maker);
	aie_graph_jobs(maker);
	aie_graph_group(maker);
	aie_graph_tasks(maker);
}

ptowsp_status aie_graph_make(struct aie_graph *graph, const struct aie_graph_args *args, struct ptowsp_error *error)
{
	struct aie_maker maker = {.graph = graph, .args = args, .error = error};

	aie_graph_finish(graph);
	common_arena_init(&maker.arena, SIZE_MAX, &maker.out);
	if (!common_job(&maker.out, all_make, &maker) && !maker.status)
		maker.status = rt_no_memory(error, "the virtual graph");
	aie_maker_finish(&maker);
	return maker.status;
}

void aie_graph_finish(struct aie_graph *graph)
{
	for (uint32_t c = 0; c < graph->cell_count; c++)
		free(graph->cells[c].lines);
	free(graph->cells);
	free(graph->streams);
	free(graph->ends);
	free(graph->spots);
	free(graph->buffers);
	free(graph->jobs);
	free(graph->deps);
	free(graph->groups);
	free(graph->members);
	free(graph->own);
	free(graph->own_first);
	memset(graph, 0, sizeof(*graph));
}
