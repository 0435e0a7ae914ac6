/* SPDX-License-Identifier: MIT */
/* graph_task.c - what one task of the host moves. Each costs the host as much, whatever it moves, so parts of an object whose areas lie equally far apart in a tensor are one;
 * and what an object lacks is, if it is a multiple of its only part, that part once more, which nobody reads. */
#include <stdlib.h>
#include "graph_own.h"
#include "rt/error.h"

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

static struct key *keys_make(const struct aie_graph *graph)
{
	struct key *keys = calloc((size_t)graph->job_count + 1, sizeof(*keys));

	for (uint32_t j = 0; keys && j < graph->job_count; j++)
		keys[j] = (struct key){graph->jobs[j].stream, graph->jobs[j].object, graph->jobs[j].at, j};
	if (keys)
		qsort(keys, graph->job_count, sizeof(*keys), by_place);
	return keys;
}

/* ---- tasks -------------------------------------------------------------------------------------------------------------- */

struct tasks {
	struct aie_graph *graph;
	const struct aie_areas *areas;
	const uint64_t *limits; /* of a shim's DMA */
};

/* Bytes behind the job until the next one of its object begins, or the object ends. */
static uint64_t fill_of(const struct aie_graph *graph, const struct aie_job *job, const struct aie_job *next)
{
	uint64_t end = (job->at + job->bytes + 3) / 4 * 4;
	uint64_t until = next && next->stream == job->stream && next->object == job->object ? next->at : aie_shape_bytes(&graph->streams[job->stream].shape);

	return until > end ? until - end : 0;
}

/* May the job be the next part of a task whose last part is `last`? */
static bool can_follow(const struct tasks *tasks, const struct aie_job *first, const struct aie_job *last, const struct aie_job *job)
{
	const struct aie_area *a, *b;
	uint64_t step;

	if (job->stream != first->stream || job->object != first->object || job->area == AIE_NOTHING || first->area == AIE_NOTHING || last->fill)
		return false;
	a = &tasks->areas->rows[first->area];
	b = &tasks->areas->rows[job->area];
	if (a->tensor != b->tensor || a->rows != b->rows || a->stride != b->stride || aie_area_row_bytes(a) != aie_area_row_bytes(b) || b->at <= a->at)
		return false;
	step = first->parts > 1 ? first->step : b->at - a->at;
	return b->at - a->at == step * first->parts && step % 4 == 0 && step / 4 <= tasks->limits[AIE_STRIDE_MAX] && a->rows <= tasks->limits[AIE_WRAP_MAX] &&
	       aie_area_row_bytes(a) / 4 <= tasks->limits[AIE_WRAP_MAX];
}

static void follow(struct tasks *tasks, uint32_t first, uint32_t last, uint32_t job)
{
	struct aie_job *head = &tasks->graph->jobs[first], *tail = &tasks->graph->jobs[last];

	if (head->parts == 1)
		head->step = tasks->areas->rows[tasks->graph->jobs[job].area].at - tasks->areas->rows[head->area].at;
	head->parts++;
	tail->next = job;
	tasks->graph->jobs[job].with = first;
	head->fill = tasks->graph->jobs[job].fill;
}

/* What a load of one part lacks is the part again. */
static void repeat(const struct tasks *tasks, struct aie_job *job)
{
	uint64_t times = job->bytes ? job->fill / job->bytes + 1 : 0;
	const struct aie_area *area = job->area == AIE_NOTHING ? NULL : &tasks->areas->rows[job->area];

	if (job->stores || job->parts > 1 || !job->fill || job->fill % job->bytes || times > tasks->limits[AIE_ITERATIONS] || !area ||
	    aie_area_row_bytes(area) / 4 > tasks->limits[AIE_WRAP_MAX])
		return;
	job->repeat = (uint32_t)times;
	job->fill = 0;
}

static void tasks_find(struct tasks *tasks, const struct key *keys)
{
	struct aie_graph *graph = tasks->graph;
	uint32_t count = 0, stream = 0, first = 0;

	for (uint32_t k = 0; k < graph->job_count; k++) {
		struct aie_job *job = &graph->jobs[keys[k].job];

		job->with = keys[k].job;
		job->next = AIE_NOTHING;
		job->parts = job->repeat = 1;
		job->fill = fill_of(graph, job, k + 1 < graph->job_count ? &graph->jobs[keys[k + 1].job] : NULL);
		if (k && can_follow(tasks, &graph->jobs[first], &graph->jobs[keys[k - 1].job], job)) {
			follow(tasks, first, keys[k - 1].job, keys[k].job);
			continue;
		}
		for (; stream <= job->stream; stream++)
			graph->own_first[stream] = count;
		graph->own[count++] = first = keys[k].job;
	}
	for (; stream <= graph->stream_count; stream++)
		graph->own_first[stream] = count;
	for (uint32_t k = 0; k < count; k++)
		repeat(tasks, &graph->jobs[graph->own[k]]);
}

ptowsp_status aie_graph_tasks(struct aie_maker *maker)
{
	struct aie_graph *graph = maker->graph;
	struct tasks tasks = {graph, &maker->args->acts->areas, aie_arch_tile(maker->args->arch, 0)->limits};
	struct key *keys = keys_make(graph);

	graph->own = calloc((size_t)graph->job_count + 1, sizeof(*graph->own));
	graph->own_first = calloc((size_t)graph->stream_count + 2, sizeof(*graph->own_first));
	if (keys && graph->own && graph->own_first)
		tasks_find(&tasks, keys);
	free(keys);
	return keys && graph->own && graph->own_first ? PTOWSP_OK : rt_no_memory(maker->error, "the tasks of the host");
}
