/* SPDX-License-Identifier: MIT */
/* graph_job.c - what has to be over before a job begins: who stores what it loads, and who is not yet done with the memory that it changes. */
#include <stdlib.h>
#include <string.h>
#include "graph_own.h"
#include "ptowsp/ids.h"
#include "rt/error.h"
#include "rt/grow.h"

struct jobs {
	struct aie_maker *maker;
	uint32_t *stored;  /* per area: the latest job + 1 that stores it */
	uint32_t *loaded;  /* per area: the latest job + 1 since then that loads it */
	uint32_t *earlier; /* per job: the load of the same area before it, + 1 */
	uint32_t *took;    /* per instance that is the host's: its latest job + 1 that takes a token */
};

static bool dep_add(struct jobs *jobs, uint32_t j, uint32_t dep)
{
	struct aie_graph *graph = jobs->maker->graph;

	for (uint32_t d = graph->jobs[j].deps; d < graph->dep_count; d++)
		if (graph->deps[d] == dep)
			return true;
	if (!rt_grow((void **)&graph->deps, &graph->dep_room, graph->dep_count, sizeof(*graph->deps)))
		return false;
	graph->deps[graph->dep_count++] = dep;
	return true;
}

static bool area_take(struct jobs *jobs, uint32_t j, uint32_t area)
{
	bool ok = !jobs->stored[area] || dep_add(jobs, j, jobs->stored[area] - 1);

	if (jobs->maker->graph->jobs[j].stores)
		for (uint32_t l = jobs->loaded[area]; ok && l; l = jobs->earlier[l - 1])
			ok = dep_add(jobs, j, l - 1);
	return ok;
}

/* What a process of the host sends comes behind what it took. */
static bool process_follow(struct jobs *jobs, uint32_t j)
{
	const struct aie_job *job = &jobs->maker->graph->jobs[j];
	const struct aie_act *act = &jobs->maker->args->acts->rows[job->act];

	if (act->cell != AIE_HOST || act->process == PTOWSP_NONE)
		return true;
	if (act->kind == AIE_ACT_TAKE && job->stores)
		jobs->took[act->process] = j + 1;
	return act->kind != AIE_ACT_SEND || !jobs->took[act->process] || dep_add(jobs, j, jobs->took[act->process] - 1);
}

static bool job_take(struct jobs *jobs, uint32_t j)
{
	struct aie_graph *graph = jobs->maker->graph;
	const struct aie_areas *areas = &jobs->maker->args->acts->areas;
	struct aie_job *job = &graph->jobs[j];
	bool ok = true;

	job->deps = graph->dep_count;
	if (job->after)
		ok = dep_add(jobs, j, job->after - 1);
	ok = ok && process_follow(jobs, j);
	if (ok && job->area != AIE_NOTHING) {
		ok = area_take(jobs, j, job->area);
		for (uint32_t m = areas->first[job->area]; ok && m < areas->first[job->area + 1]; m++)
			ok = area_take(jobs, j, areas->meets[m]);
		if (job->stores) {
			jobs->stored[job->area] = j + 1;
			jobs->loaded[job->area] = 0;
		} else {
			jobs->earlier[j] = jobs->loaded[job->area];
			jobs->loaded[job->area] = j + 1;
		}
	}
	job->dep_count = graph->dep_count - job->deps;
	return ok;
}

ptowsp_status aie_graph_jobs(struct aie_maker *maker)
{
	size_t areas = (size_t)maker->args->acts->areas.count + 1;
	struct jobs jobs = {maker, calloc(areas, sizeof(uint32_t)), calloc(areas, sizeof(uint32_t)),
			    calloc((size_t)maker->graph->job_count + 1, sizeof(uint32_t)), calloc((size_t)maker->args->acts->processes + 1, sizeof(uint32_t))};
	bool ok = jobs.stored && jobs.loaded && jobs.earlier && jobs.took;

	maker->graph->dep_count = 0;
	for (uint32_t j = 0; ok && j < maker->graph->job_count; j++)
		ok = job_take(&jobs, j);
	free(jobs.stored);
	free(jobs.loaded);
	free(jobs.earlier);
	free(jobs.took);
	return ok ? PTOWSP_OK : rt_no_memory(maker->error, "the virtual graph");
}
