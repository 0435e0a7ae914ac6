/* SPDX-License-Identifier: MIT */
/* graph_task.c - what one task of the host moves. Each costs the host as much, whatever it moves, so what follows each other in a stream and lies equally far apart in a tensor
 * is one task, in two dimensions: parts, and turns of them. Over the end of an object only where nobody waits for it. The rest of an object, if it is a multiple of its
 * only part, is that part once more, which nobody reads. */
#include "aie/graph/graph_own.h"
#include "aie/sim/aie_cost.h"
#include <stdlib.h>

/* ---- order -------------------------------------------------------------------------------------------------------------- */

struct key {
	uint32_t stream, object;
	uint64_t at;
	uint32_t job;
};

static int by_place(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static struct key *keys_make(struct aie_maker *maker)
{
	const struct aie_graph *graph = maker->graph;
	struct key *keys = common_take(&maker->arena, (size_t)graph->job_count + 1, sizeof(*keys));

	for (uint32_t j = 0; j < graph->job_count; j++)
		keys[j] = (struct key){graph->jobs[j].stream, graph->jobs[j].object, graph->jobs[j].at, j};
	qsort(keys, graph->job_count, sizeof(*keys), by_place);
	return keys;
}

/* ---- tasks -------------------------------------------------------------------------------------------------------------- */

enum { TIMED = 2 };
struct tasks {
	struct aie_graph *graph;
	const struct aie_areas *areas;
	const uint64_t *limits; /* of a shim's DMA */
	uint8_t *bound; /* per job: it waits for others, or others for it: it is over as soon as can be; TIMED: it begins a call or says that it has ended */
	uint32_t *last; /* per job that a task begins with: the one that it ends with */
};

/* Does the host hand the job's call over at a time of its own, or see by the job that it has ended? */
static bool is_call_bound(const struct aie_maker *maker, const struct aie_job *job)
{
	const struct aie_act *act = &maker->args->acts->rows[job->act];
	const struct aie_bounds *bounds = maker->args->bounds;

	if (!bounds || act->kind != AIE_ACT_CALL)
		return false;
	return job->stores ? aie_bounds_seen(bounds, act->task) : bounds->ordered || aie_bounds_held(bounds, act->task);
}

static void mark(struct tasks *tasks, uint32_t job, uint32_t dep)
{
	tasks->bound[job] |= 1;
	tasks->bound[dep] |= 1;
}

static void bound_find(struct tasks *tasks, const struct aie_maker *maker)
{
	const struct aie_graph *graph = tasks->graph;

	for (uint32_t j = 0; j < graph->job_count; j++)
		tasks->bound[j] = is_call_bound(maker, &graph->jobs[j]) ? TIMED : 0;

	for (uint32_t j = 0; j < graph->job_count; j++)
		for (uint32_t d = graph->jobs[j].deps; d < graph->jobs[j].deps + graph->jobs[j].dep_count; d++)
			mark(tasks, j, graph->deps[d]);
}

/* Bytes behind the job until the next one of its object begins, or the object ends. */
static uint64_t fill_of(const struct aie_graph *graph, const struct aie_job *job, const struct aie_job *next)
{
	uint64_t end = (job->at + job->bytes + 3) / 4 * 4;
	uint64_t until = next && next->stream == job->stream && next->object == job->object ? next->at : aie_shape_bytes(&graph->streams[job->stream].shape);

	return until > end ? until - end : 0;
}

/* Does job b come right behind job a in their stream, and may one task move both? Where an object ends, they are not over as soon as they could be. */
static bool is_behind(const struct tasks *tasks, uint32_t a, uint32_t b)
{
	const struct aie_job *x = &tasks->graph->jobs[a], *y = &tasks->graph->jobs[b];

	if (x->act != y->act && (tasks->bound[a] | tasks->bound[b]) & TIMED)
		return false;
	return x->stream == y->stream && !x->fill && (x->object == y->object || (x->object + 1 == y->object && !y->at && !tasks->bound[a] && !tasks->bound[b]));
}

static bool alike(const struct aie_area *a, const struct aie_area *b)
{
	return a->tensor == b->tensor && a->rows == b->rows && a->stride == b->stride && aie_area_row_bytes(a) == aie_area_row_bytes(b);
}

static bool can_stride(const struct tasks *tasks, const struct aie_area *area, uint64_t step)
{
	return step % 4 == 0 && step / 4 <= tasks->limits[AIE_STRIDE_MAX] && area->rows <= tasks->limits[AIE_WRAP_MAX] &&
	       aie_area_run_bytes(area) / 4 <= tasks->limits[AIE_WRAP_MAX];
}

/* Does a task's job wait for one of another task, as a store into what the store before it fills does? Nothing begins that waits for itself. */
static bool waits_for(const struct tasks *tasks, uint32_t task, uint32_t first)
{
	const struct aie_graph *graph = tasks->graph;

	for (uint32_t j = task; j != AIE_NOTHING; j = graph->jobs[j].next)
		for (uint32_t d = graph->jobs[j].deps; d < graph->jobs[j].deps + graph->jobs[j].dep_count; d++)
			if (graph->jobs[graph->deps[d]].with == first)
				return true;
	return false;
}

/* May the job be the next part of a task? */
static bool can_follow(const struct tasks *tasks, uint32_t first, uint32_t job)
{
	const struct aie_job *head = &tasks->graph->jobs[first];
	const struct aie_area *a, *b;
	uint64_t step;

	if (!is_behind(tasks, tasks->last[first], job) || head->area == AIE_NOTHING || tasks->graph->jobs[job].area == AIE_NOTHING)
		return false;
	if (tasks->graph->jobs[job].object != head->object && tasks->bound[first])
		return false;
	a = &tasks->areas->rows[head->area];
	b = &tasks->areas->rows[tasks->graph->jobs[job].area];
	if (!alike(a, b) || b->at <= a->at || waits_for(tasks, job, first))
		return false;
	step = head->parts > 1 ? head->step : b->at - a->at;
	return b->at - a->at == step * head->parts && can_stride(tasks, a, step);
}

static void follow(struct tasks *tasks, uint32_t first, uint32_t job)
{
	struct aie_job *head = &tasks->graph->jobs[first];

	if (head->parts == 1)
		head->step = tasks->areas->rows[tasks->graph->jobs[job].area].at - tasks->areas->rows[head->area].at;
	head->parts++;
	tasks->graph->jobs[tasks->last[first]].next = job;
	tasks->graph->jobs[job].with = first;
	tasks->last[first] = job;
}

/* Tasks of one run of parts each; how many. */
static uint32_t tasks_find(struct tasks *tasks, const struct key *keys)
{
	struct aie_graph *graph = tasks->graph;
	uint32_t count = 0;

	for (uint32_t j = 0; j < graph->job_count; j++)
		graph->jobs[j].with = tasks->last[j] = j;
	for (uint32_t k = 0; k < graph->job_count; k++) {
		uint32_t j = keys[k].job;
		struct aie_job *job = &graph->jobs[j];

		job->next = AIE_NOTHING;
		job->parts = job->turns = 1;
		job->fill = fill_of(graph, job, k + 1 < graph->job_count ? &graph->jobs[keys[k + 1].job] : NULL);
		if (count && can_follow(tasks, graph->own[count - 1], j))
			follow(tasks, graph->own[count - 1], j);
		else
			graph->own[count++] = j;
	}
	return count;
}

/* ---- turns -------------------------------------------------------------------------------------------------------------- */

/* Are the areas of one task those of another, all as far apart as the turns of the first are? */
static bool can_turn(const struct tasks *tasks, uint32_t first, uint32_t task)
{
	const struct aie_job *head = &tasks->graph->jobs[first], *job = &tasks->graph->jobs[task];
	const struct aie_area *a, *b;
	uint64_t step;

	if (!is_behind(tasks, tasks->last[first], task) || head->area == AIE_NOTHING || job->area == AIE_NOTHING || head->parts != job->parts ||
	    head->step != job->step || head->turns == tasks->limits[AIE_ITERATIONS])
		return false;
	if (tasks->graph->jobs[tasks->last[task]].object != head->object && (tasks->bound[first] || tasks->bound[task]))
		return false;
	a = &tasks->areas->rows[head->area];
	b = &tasks->areas->rows[job->area];
	if (!alike(a, b) || b->at < a->at || (b->at == a->at && head->stores) || waits_for(tasks, task, first))
		return false;
	step = head->turns > 1 ? head->turn : b->at - a->at;
	return b->at - a->at == step * head->turns && can_stride(tasks, a, step);
}

static void turn(struct tasks *tasks, uint32_t first, uint32_t task)
{
	struct aie_job *jobs = tasks->graph->jobs;

	if (jobs[first].turns == 1)
		jobs[first].turn = tasks->areas->rows[jobs[task].area].at - tasks->areas->rows[jobs[first].area].at;
	jobs[first].turns++;
	jobs[tasks->last[first]].next = task;
	for (uint32_t j = task; j != AIE_NOTHING; j = jobs[j].next)
		jobs[j].with = first;
	tasks->last[first] = tasks->last[task];
}

/* A load of one part fills its object with the part again. */
static void repeat(const struct tasks *tasks, struct aie_job *job)
{
	uint64_t times = job->bytes ? job->fill / job->bytes + 1 : 0; /* a job that moves nothing has nothing to repeat */

	if (job->stores || job->parts * job->turns > 1 || !job->fill || !job->bytes || job->fill % job->bytes || times > tasks->limits[AIE_ITERATIONS] ||
	    job->area == AIE_NOTHING || !can_stride(tasks, &tasks->areas->rows[job->area], 0))
		return;
	job->turns = (uint32_t)times;
	job->turn = 0;
	job->fill = 0;
}

static void turns_find(struct tasks *tasks, uint32_t count)
{
	struct aie_graph *graph = tasks->graph;
	uint32_t kept = 0, stream = 0;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t task = graph->own[k];

		if (kept && can_turn(tasks, graph->own[kept - 1], task)) {
			turn(tasks, graph->own[kept - 1], task);
			continue;
		}
		for (; stream <= graph->jobs[task].stream; stream++)
			graph->own_first[stream] = kept;
		graph->own[kept++] = task;
	}
	for (; stream <= graph->stream_count; stream++)
		graph->own_first[stream] = kept;
	for (uint32_t k = 0; k < kept; k++) {
		struct aie_job *job = &graph->jobs[graph->own[k]];

		job->last_object = graph->jobs[tasks->last[graph->own[k]]].object;
		job->fill = graph->jobs[tasks->last[graph->own[k]]].fill;
		repeat(tasks, job);
	}
}

static uint64_t host_cycles(const struct aie_graph *graph)
{
	uint64_t most = (uint64_t)graph->own_first[graph->stream_count] * AIE_COST_HOST_TASK;

	for (uint32_t s = 0; s < graph->stream_count; s++) {
		uint64_t words = aie_stream_hosted(graph, &graph->streams[s]) ? graph->streams[s].objects * aie_shape_bytes(&graph->streams[s].shape) / 4 : 0;

		most = words > most ? words : most;
	}
	return most;
}

void aie_graph_tasks(struct aie_maker *maker)
{
	struct aie_graph *graph = maker->graph;
	const size_t jobs = (size_t)graph->job_count + 1;
	struct tasks tasks = {graph, &maker->args->acts->areas, aie_arch_tile(maker->args->arch, 0)->limits, common_take(&maker->arena, jobs, 1),
			      common_take(&maker->arena, jobs, sizeof(uint32_t))};

	graph->own = calloc(jobs, sizeof(*graph->own));
	graph->own_first = calloc((size_t)graph->stream_count + 2, sizeof(*graph->own_first));
	aie_maker_memory(maker, graph->own && graph->own_first);
	bound_find(&tasks, maker);
	turns_find(&tasks, tasks_find(&tasks, keys_make(maker)));
	graph->host_cycles = host_cycles(graph);
}
