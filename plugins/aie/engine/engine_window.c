/* SPDX-License-Identifier: MIT */
#include "aie/engine/aie_engine_own.h"

#include "ptowsp/ids.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

ptowsp_status aie_ring_begin(struct aie_ring *ring, const struct aie_map *map, const struct base_walk *walk, struct rt_feed *feed, uint64_t window,
			     uint32_t mode, struct ptowsp_error *error)
{
	size_t tasks = walk->task_count + 1;

	*ring = (struct aie_ring){.map = map, .walk = walk, .feed = feed, .window = window, .mode = mode, .before = ring->before};
	if (!window)
		return PTOWSP_OK;
	ring->issued = malloc(tasks * sizeof(*ring->issued));
	ring->stalls = malloc(tasks * sizeof(*ring->stalls));
	ring->stalled = calloc(tasks, sizeof(*ring->stalled));
	if (!ring->issued || !ring->stalls || !ring->stalled)
		return rt_no_memory(error, "the task window of a run");
	memset(ring->issued, 0xff, tasks * sizeof(*ring->issued));
	memset(ring->stalls, 0xff, tasks * sizeof(*ring->stalls));
	rt_feed_window(feed, window);
	return PTOWSP_OK;
}

static void issue(struct aie_ring *ring, const struct aie_job *job, uint64_t time)
{
	const struct aie_act *act = &ring->map->acts.rows[job->act];

	if (!job->stores && act->kind == AIE_ACT_CALL && ring->issued[act->task] == UINT64_MAX)
		ring->issued[act->task] = time;
}

ptowsp_status aie_ring_stepped(void *context, uint32_t step, uint64_t begin, uint64_t end)
{
	struct aie_ring *ring = context;
	const struct aie_order_step *row = &ring->map->order.steps[ring->map->lowered.steps[step]];

	for (uint32_t j = row->waits ? AIE_NOTHING : row->number; j != AIE_NOTHING; j = ring->map->graph.jobs[j].next)
		issue(ring, &ring->map->graph.jobs[j], end);
	if (!row->waits || row->task == AIE_NOTHING || end == begin)
		return PTOWSP_OK;
	if (ring->stalls[row->task] == UINT64_MAX)
		ring->stalls[row->task] = begin;
	ring->stalled[row->task] += end - begin;
	return ring->mode == RT_WINDOW_ABORT ? rt_feed_full(ring->feed, ring->walk->first + row->task) : PTOWSP_OK;
}

/* Places of which it is told who holds them. */
struct telling {
	uint64_t issue;   /* clock of the host */
	uint64_t *leaves; /* per task: when it and all before it have ended */
	uint64_t gone;    /* so many have left */
	uint64_t *until;  /* per task: tasks before the end of the innermost scope around it, which holds its place */
};

/* open, ends: room for one per event. */
static void scopes_walk(const struct base_walk *walk, uint64_t *until, uint32_t *open, uint64_t *ends)
{
	uint32_t depth = 0;
	uint64_t t = 0;

	for (uint32_t e = 0; e < walk->event_count; e++) {
		const struct base_walk_event *event = &walk->events[e];
		bool begin = event->kind == RT_ITEM_SCOPE_BEGIN;

		if ((!begin && event->kind != RT_ITEM_SCOPE_END) || event->process != PTOWSP_NONE)
			continue;
		for (; t < event->at; t++)
			until[t] = depth ? open[depth - 1] + UINT64_C(1) : 0;
		if (begin)
			open[depth++] = e;
		else if (depth)
			ends[open[--depth]] = event->at;
	}
	for (t = 0; t < walk->task_count; t++)
		until[t] = until[t] ? ends[until[t] - 1] : 0;
}

static void scopes_find(const struct base_walk *walk, uint64_t *until)
{
	uint32_t *open = calloc((size_t)walk->event_count + 1, sizeof(*open));
	uint64_t *ends = calloc((size_t)walk->event_count + 1, sizeof(*ends));

	if (open && ends)
		scopes_walk(walk, until, open, ends);
	free(open);
	free(ends);
}

static void stall_tell(struct aie_ring *ring, uint64_t t, uint64_t begin, uint64_t end)
{
	rt_feed_stall(ring->feed, PTOWSP_RESOURCE_TASK_RING, 0, ring->walk->first + t, PTOWSP_NONE, ring->before + begin, ring->before + end);
}

static void task_tell(struct aie_ring *ring, struct telling *telling, uint64_t t)
{
	uint64_t full = t >= ring->window ? telling->leaves[t - ring->window] : 0;

	if (ring->issued[t] != UINT64_MAX && ring->issued[t] > telling->issue)
		telling->issue = ring->issued[t];
	if (ring->stalls[t] != UINT64_MAX)
		stall_tell(ring, t, ring->stalls[t], ring->stalls[t] + ring->stalled[t]);
	else if (ring->mode == RT_WINDOW_BENCHMARK && full > telling->issue)
		stall_tell(ring, t, telling->issue, full);
	while (telling->gone < t && telling->leaves[telling->gone] <= telling->issue && telling->until[telling->gone] <= t)
		telling->gone++;
	rt_feed_use(ring->feed, PTOWSP_RESOURCE_TASK_RING, 0, t + 1 - telling->gone);
}

void aie_ring_tell(struct aie_ring *ring, const uint64_t *ends)
{
	size_t tasks = ring->window ? ring->walk->task_count + 1 : 0;
	struct telling telling = {.leaves = tasks ? calloc(tasks, sizeof(uint64_t)) : NULL, .until = tasks ? calloc(tasks, sizeof(uint64_t)) : NULL};

	if (!telling.leaves || !telling.until) {
		free(telling.leaves);
		free(telling.until);
		return;
	}
	scopes_find(ring->walk, telling.until);
	for (uint64_t t = 0; t < ring->walk->task_count; t++)
		telling.leaves[t] = t && telling.leaves[t - 1] > ends[t] ? telling.leaves[t - 1] : ends[t];
	for (uint64_t t = 0; t < ring->walk->task_count; t++)
		task_tell(ring, &telling, t);
	free(telling.leaves);
	free(telling.until);
}

void aie_ring_finish(struct aie_ring *ring)
{
	free(ring->issued);
	free(ring->stalls);
	free(ring->stalled);
	memset(ring, 0, sizeof(*ring));
}
