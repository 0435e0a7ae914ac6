/* SPDX-License-Identifier: MIT */
/* fake_rings.c - the rings of fake_tasks.h: what lies in them, what waits for room and what never gets any. */
#include "fake_rings.h"

static bool scope_open(const struct fake_graph *graph, uint32_t scope)
{
	for (uint32_t i = 0; i < graph->depth; i++)
		if (graph->scopes[i] == scope)
			return true;
	return false;
}

/* The pools look for what has come back only now and then. */
static void entries_give(struct fake_ring *ring, const struct fake_task *task)
{
	ring->late_entries += task->entries;
	ring->late_spilled += task->spilled;
	if (++ring->late < FAKE_LATE)
		return;
	ring->entries -= ring->late_entries;
	ring->spilled -= ring->late_spilled;
	ring->late_entries = ring->late_spilled = ring->late = 0;
}

static void retire(struct fake_graph *graph, struct fake_ring *ring)
{
	while (ring->alive < ring->count) {
		const struct fake_task *task = &graph->tasks[ring->tasks[ring->alive]];

		if (!task->done || task->consumers || scope_open(graph, task->scope))
			return;
		entries_give(ring, task);
		if (task->heap_end)
			ring->tail = task->heap_end;
		ring->alive++;
	}
	ring->top = ring->tail = 0; /* empty: begins anew */
}

uint64_t fake_ring_heap_find(const struct fake_ring *ring, uint64_t bytes)
{
	if (ring->top < ring->tail)
		return ring->top + bytes < ring->tail ? ring->top + 1 : 0;
	if (ring->top + bytes <= ring->heap)
		return ring->top + 1;
	return bytes < ring->tail ? 1 : 0;
}

/* The first resource that has no room, FAKE_RESOURCES: all have. */
static enum fake_resource full(const struct fake_ring *ring, const struct fake_need *need)
{
	if (ring->count - ring->alive + 1 >= ring->window)
		return FAKE_SLOTS;
	if (need->bytes && !fake_ring_heap_find(ring, need->bytes))
		return FAKE_BYTES;
	if (ring->spilled + need->spilled > ring->pool)
		return FAKE_SPILLED;
	return ring->entries + need->entries > ring->pool ? FAKE_ENTRIES : FAKE_RESOURCES;
}

/* Nothing runs any more, and the oldest stays. */
static void stuck(struct fake_graph *graph, const struct fake_ring *ring, enum fake_resource what, const struct fake_need *need)
{
	if (graph->host_graph && what == FAKE_SLOTS)
		fake_graph_fatal(graph, 3, "the task allocator could not admit another task because the configured task window of %llu had no available slot",
				 (unsigned long long)ring->window);
	else if (what == FAKE_SLOTS)
		fake_graph_fatal(graph, 3, "open scopes hold all of %llu slots of a ring between them", (unsigned long long)ring->window);
	else if (what == FAKE_BYTES)
		fake_graph_fatal(graph, 2, "outputs of %llu bytes never fit into a heap ring of %llu bytes", (unsigned long long)need->bytes,
				 (unsigned long long)ring->heap);
	else
		fake_graph_fatal(graph, 4, "a task's producer dependencies exceeded the dependency pool of %llu entries", (unsigned long long)ring->pool);
}

/* Can the oldest task leave? Not while its scope is open, and no scope ends before the task is there that waits. */
static bool moves(const struct fake_graph *graph, const struct fake_ring *ring)
{
	return !graph->host_graph && graph->ready_count && (ring->alive == ring->count || !scope_open(graph, graph->tasks[ring->tasks[ring->alive]].scope));
}

static bool possible(const struct fake_ring *ring, const struct fake_need *need)
{
	return need->bytes <= ring->heap && need->entries <= ring->pool && need->spilled <= ring->pool;
}

void fake_ring_wait(struct fake_graph *graph, struct fake_ring *ring, const struct fake_need *need)
{
	enum fake_resource what;
	bool waited[FAKE_RESOURCES] = {false};

	for (retire(graph, ring); (what = full(ring, need)) != FAKE_RESOURCES && !graph->fatal; retire(graph, ring)) {
		ring->stalls[what] += !waited[what];
		waited[what] = true;
		if (moves(graph, ring) && possible(ring, need))
			fake_graph_run_one(graph);
		else
			stuck(graph, ring, what, need);
	}
}

void fake_ring_mark(struct fake_ring *ring)
{
	const uint64_t used[FAKE_RESOURCES] = {ring->count - ring->alive,
					       ring->top >= ring->tail ? ring->top - ring->tail : ring->heap - ring->tail + ring->top, ring->entries,
					       ring->spilled};

	for (int r = 0; r < FAKE_RESOURCES; r++)
		ring->most[r] = used[r] > ring->most[r] ? used[r] : ring->most[r];
}
