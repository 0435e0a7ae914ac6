/* SPDX-License-Identifier: MIT
 * model.c - edges by comparing every pair of tasks and cell, resources by asking every earlier task, in the words of runtime.md. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { RAW = 1, WAR = 2, WAW = 4 };

static bool same_key(const struct model_access *a, const struct model_access *b)
{
	return a->tensor == b->tensor && a->row == b->row && a->column == b->column && a->level == b->level;
}

static bool task_has_key(const struct model_task *t, const struct model_access *key, int mode)
{
	for (int i = 0; i < t->access_count; i++)
		if ((t->accesses[i].mode & mode) && same_key(&t->accesses[i], key))
			return true;
	return false;
}

static bool task_touches(const struct model_task *t, int tensor, int64_t element, int mode)
{
	for (int i = 0; i < t->access_count; i++) {
		const struct model_access *a = &t->accesses[i];

		if ((a->mode & mode) && a->tensor == tensor && element >= a->first && element < a->first + a->count)
			return true;
	}
	return false;
}

/* Marks in pred[] what task i must wait for, looking at one cell from the latest task back to its last writer. */
static void wait_for_cell(const struct model_run *run, int i, int mode, const struct model_access *key, int tensor, int64_t element, uint8_t *pred)
{
	for (int p = i - 1; p >= 0; p--) {
		const struct model_task *t = &run->tasks[p];
		bool reads = key ? task_has_key(t, key, MODEL_READ) : task_touches(t, tensor, element, MODEL_READ);
		bool writes = key ? task_has_key(t, key, MODEL_WRITE) : task_touches(t, tensor, element, MODEL_WRITE);

		/* A task enters its reads before its writes: with both it has ended the readers before it, itself included. */
		if (writes) {
			if (mode & MODEL_READ)
				pred[p] |= RAW;
			if (mode & MODEL_WRITE)
				pred[p] |= WAW;
			return;
		}
		if (reads && (mode & MODEL_WRITE))
			pred[p] |= WAR;
	}
}

static void wait_for_access(const struct model_run *run, int i, const struct model_access *a, bool exact, uint8_t *pred)
{
	if (exact) {
		wait_for_cell(run, i, a->mode, a, 0, 0, pred);
		return;
	}
	for (int64_t x = a->first; x < a->first + a->count; x++)
		wait_for_cell(run, i, a->mode, NULL, a->tensor, x, pred);
}

static bool is_live(int p, int i, int64_t window)
{
	return !window || p > i - window;
}

static void find_edges(struct model_run *run, const struct model_schedule *s)
{
	uint8_t *pred = malloc((size_t)run->task_count + 1);
	int room = 0, keep = s->raw ? RAW : RAW | WAR | WAW;

	for (int i = 0; i < run->task_count; i++) {
		struct model_task *t = &run->tasks[i];

		memset(pred, 0, (size_t)run->task_count);
		for (int a = 0; a < t->access_count; a++)
			wait_for_access(run, i, &t->accesses[a], s->exact, pred);
		t->edge_count = 0;
		for (int p = 0; p < i; p++) {
			if (!(pred[p] & keep) || !is_live(p, i, s->window))
				continue;
			if (run->edge_count == room)
				run->edges = realloc(run->edges, sizeof(*run->edges) * (size_t)(room = room * 2 + 64));
			run->edges[run->edge_count++] = (struct model_edge){p, i};
			t->edge_count++;
		}
	}
	free(pred);
}

/* Distinct keys written, and with full hazards distinct keys read. */
static int map_places(const struct model_task *t, bool raw)
{
	int n = 0;

	for (int mode = MODEL_READ; mode <= MODEL_WRITE; mode++) {
		if (mode == MODEL_READ && raw)
			continue;
		for (int a = 0; a < t->access_count; a++) {
			bool seen = false;

			for (int b = 0; b < a; b++)
				seen |= (t->accesses[b].mode & mode) && same_key(&t->accesses[a], &t->accesses[b]);
			n += (t->accesses[a].mode & mode) && !seen;
		}
	}
	return n;
}

enum { RING, MAP, DEPS, READY };

static int64_t need_of(const struct model_task *t, int resource)
{
	return resource == MAP ? t->places : resource == DEPS ? t->edge_count : 1;
}

static int64_t release_of(const struct model_task *t, int resource)
{
	return resource == READY ? t->start : t->retire;
}

/* What tasks before i hold at a time. */
static int64_t held(const struct model_run *run, int i, int resource, int64_t when)
{
	int64_t n = 0;

	for (int j = 0; j < i; j++)
		if (release_of(&run->tasks[j], resource) > when)
			n += need_of(&run->tasks[j], resource);
	return n;
}

static int64_t reserve(struct model_run *run, int i, int resource, struct model_resource *r, int64_t a)
{
	int64_t need = need_of(&run->tasks[i], resource), g = a;

	if (!r->capacity)
		return a;
	if (need > r->capacity) {
		run->too_small = true;
		return a;
	}
	if (held(run, i, resource, a) + need > r->capacity) {
		g = INT64_MAX; /* the earliest release that leaves room */
		for (int j = 0; j < i; j++) {
			int64_t when = release_of(&run->tasks[j], resource);

			if (when > a && when < g && held(run, i, resource, when) + need <= r->capacity)
				g = when;
		}
		r->stall_count++;
		r->stall_cycles += g - a;
	}
	return g;
}

static uint64_t mix64(uint64_t z)
{
	z ^= z >> 30;
	z *= UINT64_C(0xBF58476D1CE4E5B9);
	z ^= z >> 27;
	z *= UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static int place(const struct model_run *run, int i, const struct model_schedule *s, const int64_t *free_at)
{
	int64_t value = s->loop < MODEL_LOOPS ? run->tasks[i].loops[s->loop] : -1;
	int best = 0;

	switch (s->dispatch) {
	case MODEL_ROUND_ROBIN:
		return i % s->executors;
	case MODEL_AFFINITY:
		return value < 0 ? 0 : (int)(value % s->executors);
	case MODEL_HASH:
		return (int)(mix64((uint64_t)(value < 0 ? 0 : value)) % (uint64_t)s->executors);
	case MODEL_WORK_STEAL:
		for (int e = 1; e < s->executors; e++)
			if (free_at[e] < free_at[best])
				best = e;
		return best;
	default:
		return 0;
	}
}

static int descending(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a < b) - (a > b);
}

/* The d-th largest end of earlier tasks. */
static int64_t depth_gate(const struct model_run *run, int i, int depth)
{
	int64_t *ends, gate;

	if (!depth || i < depth)
		return 0;
	ends = malloc(sizeof(*ends) * (size_t)i);
	for (int j = 0; j < i; j++)
		ends[j] = run->tasks[j].end;
	qsort(ends, (size_t)i, sizeof(*ends), descending);
	gate = ends[depth - 1];
	free(ends);
	return gate;
}

static int64_t max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void mark(struct model_run *run, int i, int resource, struct model_resource *r)
{
	r->high_water = max(r->high_water, held(run, i, resource, run->tasks[i].issue) + need_of(&run->tasks[i], resource));
}

void model_run(struct model_run *run, struct model_task *tasks, int count, const struct model_schedule *s)
{
	int64_t free_at[64] = {0}, a = 0;
	int edge = 0;

	memset(run, 0, sizeof(*run));
	run->tasks = tasks;
	run->task_count = count;
	find_edges(run, s);
	run->ring.capacity = s->window;
	run->map.capacity = s->tensor_map ? s->tensor_map : s->window ? 65536 : 0;
	run->deps.capacity = s->dep_list ? s->dep_list : s->window ? 65536 : 0;
	run->ready.capacity = s->ready_queue ? s->ready_queue : s->window;
	for (int i = 0; i < count && !run->too_small; i++) {
		struct model_task *t = &tasks[i];

		t->places = map_places(t, s->raw);
		if (i)
			a = max(a, tasks[i - 1].issue + s->issue_cost);
		a = reserve(run, i, RING, &run->ring, a);
		a = reserve(run, i, MAP, &run->map, a);
		a = reserve(run, i, DEPS, &run->deps, a);
		a = reserve(run, i, READY, &run->ready, a);
		t->issue = a;
		t->executor = place(run, i, s, free_at);
		t->start = max(a, max(free_at[t->executor], depth_gate(run, i, s->depth)));
		for (; edge < run->edge_count && run->edges[edge].consumer == i; edge++)
			t->start = max(t->start, tasks[run->edges[edge].producer].end);
		t->end = t->start + t->cycles;
		t->retire = max(i ? tasks[i - 1].retire : 0, t->end);
		free_at[t->executor] = t->end;
		run->total = max(run->total, t->end);
		mark(run, i, RING, &run->ring);
		mark(run, i, MAP, &run->map);
		mark(run, i, DEPS, &run->deps);
		mark(run, i, READY, &run->ready);
	}
}
