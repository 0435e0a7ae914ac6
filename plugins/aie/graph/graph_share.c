/* SPDX-License-Identifier: MIT */
/* graph_share.c - loads that bring several cells the same in the same order become one stream with several ends. */
#include "aie/graph/graph_own.h"

struct sharing {
	struct aie_maker *maker;
	uint32_t *first; /* per stream: its first job + 1 */
	uint32_t *next;  /* per job: the next job + 1 of its stream */
	uint32_t *into;  /* per stream: the one that it is part of, itself */
	uint32_t *new_number;
	uint32_t *new_job; /* per job + 1: what it is then; those that others follow are there still */
};

static void chains_make(struct sharing *sharing)
{
	const struct aie_graph *graph = sharing->maker->graph;

	for (uint32_t j = graph->job_count; j--;) {
		sharing->next[j] = sharing->first[graph->jobs[j].stream];
		sharing->first[graph->jobs[j].stream] = j + 1;
	}
}

/* Do both bring the same elements of the same time, or words behind the same? Who leaves a channel waits for an end of its own. */
static bool jobs_same(const struct sharing *sharing, const struct aie_job *x, const struct aie_job *y)
{
	const struct aie_act *acts = sharing->maker->args->acts->rows, *a = &acts[x->act], *b = &acts[y->act];

	if (x->object != y->object || x->area != y->area || x->at != y->at || x->after != y->after)
		return false;
	if ((a->kind == AIE_ACT_LEAVE || b->kind == AIE_ACT_LEAVE) && (a->kind != b->kind || a->token != b->token))
		return false;
	if (x->use == AIE_NOTHING || y->use == AIE_NOTHING)
		return x->use == y->use;
	return aie_maker_reads_same(sharing->maker, x->use, y->use);
}

static bool same(const struct sharing *sharing, uint32_t a, uint32_t b)
{
	const struct aie_graph *graph = sharing->maker->graph;
	const struct aie_stream *x = &graph->streams[a], *y = &graph->streams[b];
	uint32_t i = sharing->first[a], j = sharing->first[b];

	if (x->kind != AIE_STREAM_LOAD || y->kind != AIE_STREAM_LOAD || x->objects != y->objects || x->packed != y->packed ||
	    !aie_shape_same(&x->shape, &y->shape))
		return false;
	while (i && j && jobs_same(sharing, &graph->jobs[i - 1], &graph->jobs[j - 1])) {
		i = sharing->next[i - 1];
		j = sharing->next[j - 1];
	}
	return !i && !j;
}

/* Ends of all that are part of the stream, together. */
static void ends_join(struct sharing *sharing, uint32_t into)
{
	struct aie_graph *graph = sharing->maker->graph;
	uint32_t first = graph->end_count;

	for (uint32_t s = into; s < graph->stream_count; s++) {
		if (sharing->into[s] != into)
			continue;
		for (uint32_t e = 0; e < graph->streams[s].to_count; e++)
			aie_maker_stream_end(sharing->maker, graph->ends[graph->streams[s].to + e]);
	}
	graph->streams[into].to = first;
	graph->streams[into].to_count = graph->end_count - first;
}

static void groups_find(struct sharing *sharing)
{
	struct aie_graph *graph = sharing->maker->graph;

	for (uint32_t s = 0; s < graph->stream_count; s++) {
		sharing->into[s] = s;
		for (uint32_t t = 0; t < s && sharing->into[s] == s; t++)
			if (sharing->into[t] == t && same(sharing, t, s))
				sharing->into[s] = t;
	}
	for (uint32_t s = 0; s < graph->stream_count; s++)
		if (sharing->into[s] == s)
			ends_join(sharing, s);
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

void aie_graph_share(struct aie_maker *maker)
{
	const size_t count = (size_t)maker->graph->stream_count + 1, jobs = (size_t)maker->graph->job_count + 1;
	struct sharing sharing = {maker,
				  common_take(&maker->arena, count, sizeof(uint32_t)),
				  common_take(&maker->arena, jobs, sizeof(uint32_t)),
				  common_take(&maker->arena, count, sizeof(uint32_t)),
				  common_take(&maker->arena, count, sizeof(uint32_t)),
				  common_take(&maker->arena, jobs, sizeof(uint32_t))};

	chains_make(&sharing);
	groups_find(&sharing);
	renumber(&sharing);
}
