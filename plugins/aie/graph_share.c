/* SPDX-License-Identifier: MIT */
/* graph_share.c - loads that bring several cells the same in the same order become one stream with several ends. */
#include <stdlib.h>
#include <string.h>
#include "graph_own.h"
#include "rt/rt_error.h"
#include "rt/grow.h"
#include "rt/policy.h"

struct sharing {
	struct aie_maker *maker;
	uint64_t *digests;   /* per stream: of its jobs, whatever cell they are for */
	uint32_t *into;      /* per stream: the one that it is part of, itself */
	uint32_t *new_number;
	uint32_t *new_job;   /* per job + 1: what it is then; those that others follow are there still */
};

static void digests_find(struct sharing *sharing)
{
	const struct aie_graph *graph = sharing->maker->graph;
	const struct aie_versions *versions = sharing->maker->args->versions;

	for (uint32_t j = 0; j < graph->job_count; j++) {
		const struct aie_job *job = &graph->jobs[j];
		const struct aie_act *act = &sharing->maker->args->acts->rows[job->act];
		uint64_t h = sharing->digests[job->stream];

		if (act->kind == AIE_ACT_LEAVE) /* each waits for another end */
			h += rt_mix64(act->token + 1);
		h = rt_mix64(h ^ job->area ^ (uint64_t)job->after << 32) + rt_mix64((uint64_t)job->object << 32 ^ job->at);
		for (uint32_t n = job->use == AIE_NOTHING ? 0 : versions->first[job->use]; job->use != AIE_NOTHING && n < versions->first[job->use + 1]; n++)
			h = rt_mix64(h + versions->needs[n] + 1); /* mix64 of 0 is 0: version 0 has to count, too */
		sharing->digests[job->stream] = h;
	}
}

static bool same(const struct sharing *sharing, uint32_t a, uint32_t b)
{
	const struct aie_stream *x = &sharing->maker->graph->streams[a], *y = &sharing->maker->graph->streams[b];

	return y->kind == AIE_STREAM_LOAD && x->kind == AIE_STREAM_LOAD && x->objects == y->objects && sharing->digests[a] == sharing->digests[b] &&
	       aie_shape_same(&x->shape, &y->shape) && x->packed == y->packed;
}

/* Ends of all that are part of the stream, together. */
static bool ends_join(struct sharing *sharing, uint32_t into)
{
	struct aie_graph *graph = sharing->maker->graph;
	uint32_t first = graph->end_count;

	for (uint32_t s = into; s < graph->stream_count; s++) {
		if (sharing->into[s] != into)
			continue;
		for (uint32_t e = 0; e < graph->streams[s].to_count; e++) {
			if (!rt_grow((void **)&graph->ends, &graph->end_room, graph->end_count, sizeof(*graph->ends)))
				return false;
			graph->ends[graph->end_count++] = graph->ends[graph->streams[s].to + e];
		}
	}
	graph->streams[into].to = first;
	graph->streams[into].to_count = graph->end_count - first;
	return true;
}

static bool groups_find(struct sharing *sharing)
{
	struct aie_graph *graph = sharing->maker->graph;
	bool ok = true;

	for (uint32_t s = 0; s < graph->stream_count; s++) {
		sharing->into[s] = s;
		for (uint32_t t = 0; t < s && sharing->into[s] == s; t++)
			if (sharing->into[t] == t && same(sharing, t, s))
				sharing->into[s] = t;
	}
	for (uint32_t s = 0; ok && s < graph->stream_count; s++)
		if (sharing->into[s] == s)
			ok = ends_join(sharing, s);
	return ok;
}

/* Numbers of those that are left; jobs of the others are done by them. */
static void renumber(struct sharing *sharing)
{
	struct aie_graph *graph = sharing->maker->graph;
	uint32_t count = 0, jobs = 0;

	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (sharing->into[s] == s) {
			sharing->new_number[s] = count;
			graph->streams[count++] = graph->streams[s];
		}
	for (uint32_t j = 0; j < graph->job_count; j++)
		if (sharing->into[graph->jobs[j].stream] == graph->jobs[j].stream) {
			graph->jobs[jobs] = graph->jobs[j];
			graph->jobs[jobs].stream = sharing->new_number[graph->jobs[j].stream];
			sharing->new_job[j + 1] = ++jobs;
		}
	for (uint32_t j = 0; j < jobs; j++)
		graph->jobs[j].after = sharing->new_job[graph->jobs[j].after];
	for (uint32_t c = 0; c < graph->cell_count; c++)
		for (uint32_t l = 0; l < graph->cells[c].count; l++)
			if (graph->cells[c].lines[l].kind == AIE_LINE_ACQUIRE || graph->cells[c].lines[l].kind == AIE_LINE_RELEASE)
				graph->cells[c].lines[l].stream = sharing->new_number[sharing->into[graph->cells[c].lines[l].stream]];
	for (uint32_t s = 0; s < graph->spot_count; s++)
		if (graph->spots[s].kind == AIE_SPOT_OBJECT)
			graph->spots[s].number = sharing->new_number[sharing->into[graph->spots[s].number]];
	graph->stream_count = count;
	graph->job_count = jobs;
}

ptowsp_status aie_graph_share(struct aie_maker *maker)
{
	uint32_t count = maker->graph->stream_count;
	struct sharing sharing = {maker, calloc((size_t)count + 1, sizeof(uint64_t)), calloc((size_t)count + 1, sizeof(uint32_t)),
				  calloc((size_t)count + 1, sizeof(uint32_t)), calloc((size_t)maker->graph->job_count + 1, sizeof(uint32_t))};
	bool ok = sharing.digests && sharing.into && sharing.new_number && sharing.new_job;

	if (ok) {
		digests_find(&sharing);
		ok = groups_find(&sharing);
	}
	if (ok)
		renumber(&sharing);
	free(sharing.digests);
	free(sharing.into);
	free(sharing.new_number);
	free(sharing.new_job);
	return ok ? PTOWSP_OK : rt_no_memory(maker->error, "the virtual graph");
}
