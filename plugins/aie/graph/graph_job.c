/* SPDX-License-Identifier: MIT */
/* graph_job.c - what has to be over before a job begins: who stores what it loads, who is not yet done with the memory that it changes, and who has to have closed a channel. */
#include "aie/graph/graph_own.h"
#include "ptowsp/ids.h"

struct jobs {
	struct aie_maker *maker;
	uint32_t *stored;  /* per area: the latest job + 1 that stores it */
	uint32_t *loaded;  /* per area: the latest job + 1 since then that loads it */
	uint32_t *earlier; /* per job: the load of the same area before it, + 1 */
	uint32_t *took;    /* per instance that is the host's: its latest job + 1 that takes a token */
	struct closing *closings;
};
/* Closing of a channel's end. */
struct closing {
	uint32_t close, leave; /* acts */
	uint32_t word;         /* job + 1 by which the host hears of it; 0: it is the host's */
};

static void dep_add(struct jobs *jobs, uint32_t j, uint32_t dep)
{
	struct aie_graph *graph = jobs->maker->graph;

	for (uint32_t d = graph->jobs[j].deps; d < graph->dep_count; d++)
		if (graph->deps[d] == dep)
			return;
	AIE_MAKER_GROW(jobs->maker, graph->deps, graph->dep_room, graph->dep_count);
	graph->deps[graph->dep_count++] = dep;
}

/* before: a job + 1; 0: none. */
static void behind(struct jobs *jobs, uint32_t j, uint32_t before)
{
	if (before)
		dep_add(jobs, j, before - 1);
}

static void area_take(struct jobs *jobs, uint32_t j, uint32_t area)
{
	behind(jobs, j, jobs->stored[area]);
	if (jobs->maker->graph->jobs[j].stores)
		for (uint32_t l = jobs->loaded[area]; l; l = jobs->earlier[l - 1])
			dep_add(jobs, j, l - 1);
}

/* A process of the host sends behind all that it took. */
static void process_follow(struct jobs *jobs, uint32_t j)
{
	const struct aie_job *job = &jobs->maker->graph->jobs[j];
	const struct aie_act *act = &jobs->maker->args->acts->rows[job->act];

	if (act->cell != AIE_HOST || act->process == PTOWSP_NONE)
		return;
	if (act->kind == AIE_ACT_TAKE && job->stores)
		jobs->took[act->process] = j + 1;
	if (act->kind == AIE_ACT_SEND)
		behind(jobs, j, jobs->took[act->process]);
}

/* ---- closings ----------------------------------------------------------------------------------------------------------- */

static void closings_find(struct jobs *jobs)
{
	const struct aie_acts *acts = jobs->maker->args->acts;

	for (uint32_t a = 0; a < acts->count; a++)
		if (acts->rows[a].kind == AIE_ACT_CLOSE)
			jobs->closings[acts->rows[a].token].close = a;
		else if (acts->rows[a].kind == AIE_ACT_LEAVE)
			jobs->closings[acts->rows[a].token].leave = a;
}

/* The latest job + 1 by which a process of the host sends or takes something before an act; 0: none. */
static uint32_t job_before(const struct jobs *jobs, uint32_t process, uint32_t act)
{
	const struct aie_job *rows = jobs->maker->graph->jobs;
	const struct aie_act *acts = jobs->maker->args->acts->rows;
	uint32_t j = jobs->maker->graph->job_count;

	while (j && !(rows[j - 1].act < act && acts[rows[j - 1].act].process == process && rows[j - 1].stores == (acts[rows[j - 1].act].kind == AIE_ACT_TAKE)))
		j--; /* a word that there is room comes from nobody's time */
	return j;
}

static void process_wait(struct jobs *jobs, uint32_t j, uint32_t process, uint32_t act, bool all);

/* Behind the word that says so, or behind the process of the host that closes it. */
static void closing_wait(struct jobs *jobs, uint32_t j, const struct closing *closing)
{
	if (closing->word)
		dep_add(jobs, j, closing->word - 1);
	else
		process_wait(jobs, j, jobs->maker->args->acts->rows[closing->close].process, closing->close, true);
}

/* Behind the ends that a process of the host has seen closed before an act of its own; all: and behind what it did. Each step is about an earlier act. */
static void process_wait(struct jobs *jobs, uint32_t j, uint32_t process, uint32_t act, bool all)
{
	const struct aie_act *acts = jobs->maker->args->acts->rows;

	behind(jobs, j, all ? job_before(jobs, process, act) : 0);
	for (uint32_t c = 0; c < jobs->maker->args->acts->closings; c++) {
		const struct closing *closing = &jobs->closings[c];

		if (closing->leave >= act || acts[closing->leave].process != process)
			continue;
		closing_wait(jobs, j, closing);
	}
}

/* The host tells a core that an end is closed; what a process of the host sends comes behind the ends that it has seen closed. */
static void closings_follow(struct jobs *jobs, uint32_t j)
{
	const struct aie_job *job = &jobs->maker->graph->jobs[j];
	const struct aie_act *act = &jobs->maker->args->acts->rows[job->act];

	if (act->kind == AIE_ACT_CLOSE)
		jobs->closings[act->token].word = j + 1;
	if (act->kind == AIE_ACT_LEAVE)
		closing_wait(jobs, j, &jobs->closings[act->token]);
	else if (act->kind == AIE_ACT_SEND && act->cell == AIE_HOST)
		process_wait(jobs, j, act->process, job->act, false);
}

/* ---- all ---------------------------------------------------------------------------------------------------------------- */

static void job_take(struct jobs *jobs, uint32_t j)
{
	struct aie_graph *graph = jobs->maker->graph;
	const struct aie_areas *areas = &jobs->maker->args->acts->areas;
	struct aie_job *job = &graph->jobs[j];

	job->deps = graph->dep_count;
	behind(jobs, j, job->after);
	process_follow(jobs, j);
	closings_follow(jobs, j);
	if (job->area != AIE_NOTHING) {
		area_take(jobs, j, job->area);
		for (uint32_t m = areas->first[job->area]; m < areas->first[job->area + 1]; m++)
			area_take(jobs, j, areas->meets[m]);
		if (job->stores) {
			jobs->stored[job->area] = j + 1;
			jobs->loaded[job->area] = 0;
		} else {
			jobs->earlier[j] = jobs->loaded[job->area];
			jobs->loaded[job->area] = j + 1;
		}
	}
	job->dep_count = graph->dep_count - job->deps;
}

void aie_graph_jobs(struct aie_maker *maker)
{
	const struct aie_acts *acts = maker->args->acts;
	const size_t areas = (size_t)acts->areas.count + 1;
	struct jobs jobs = {maker,
			    common_take(&maker->arena, areas, sizeof(uint32_t)),
			    common_take(&maker->arena, areas, sizeof(uint32_t)),
			    common_take(&maker->arena, (size_t)maker->graph->job_count + 1, sizeof(uint32_t)),
			    common_take(&maker->arena, (size_t)acts->processes + 1, sizeof(uint32_t)),
			    common_take(&maker->arena, (size_t)acts->closings + 1, sizeof(*jobs.closings))};

	maker->graph->dep_count = 0;
	closings_find(&jobs);
	for (uint32_t j = 0; j < maker->graph->job_count; j++)
		job_take(&jobs, j);
}
