/* SPDX-License-Identifier: MIT */
#include "rt/threads/ring.h"

#include "rt/grow.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Edges per task in flight: a task needs at most one per task in flight. */
enum { EDGES_PER_TASK = 4 };

bool rt_ring_init(struct rt_ring *ring, uint64_t tasks, uint64_t most_words)
{
	uint64_t slots = rt_power_above(tasks < 2 ? 2 : tasks);
	size_t stride = rt_slot_bytes(most_words);

	memset(ring, 0, sizeof(*ring));
	ring->stride = stride;
	ring->mask = slots - 1;
	ring->edge_mask = (uint32_t)(slots * EDGES_PER_TASK - 1);
	ring->slots = aligned_alloc(RT_LINE, slots * stride);
	ring->edges = malloc(slots * EDGES_PER_TASK * sizeof(*ring->edges));
	ring->ends = aligned_alloc(RT_LINE, (slots + RT_LINE - 1) / RT_LINE * RT_LINE);
	ring->notes = malloc(slots * sizeof(*ring->notes));
	return ring->slots && ring->edges && ring->ends && ring->notes;
}

void rt_ring_finish(struct rt_ring *ring)
{
	free(ring->slots);
	free(ring->edges);
	free(ring->ends);
	free(ring->notes);
	memset(ring, 0, sizeof(*ring));
}

/* ---- the expander's side ----------------------------------------------------------------------------------------- */

void rt_ring_skip(struct rt_ring *ring, uint64_t task)
{
	assert(ring->issued == ring->frontier);
	ring->issued = ring->frontier = task;
}

#if defined(__x86_64__)
__attribute__((target("prfchw"))) /* does nothing where it is not known */
#endif
static void
slot_prefetch(const struct rt_ring *ring, uint64_t task)
{
	const char *line = (const char *)rt_ring_task(ring, task);

	__builtin_prefetch(line, 1);
	__builtin_prefetch(line + RT_LINE, 1);
}

struct rt_slot *rt_ring_add(struct rt_ring *ring)
{
	uint32_t at = (uint32_t)(ring->issued & ring->mask);
	struct rt_slot *slot = rt_ring_slot(ring, at);

	assert(ring->issued - ring->frontier <= ring->mask);
	slot_prefetch(ring, ring->issued + 8);
	slot->number = ring->issued++;
	ring->notes[at] = (struct rt_note){0};
	atomic_store_explicit(&ring->ends[at], 0, memory_order_relaxed);
	/* Relaxed: nobody sees the slot before an edge to it, or the slot itself, is published with release. */
	atomic_store_explicit(&slot->successors, 0, memory_order_relaxed);
	return slot;
}

/* Acquire: then what the task wrote is there. */
static bool ended_well(const struct rt_ring *ring, uint64_t task)
{
	return atomic_load_explicit(&ring->ends[task & ring->mask], memory_order_acquire);
}

/* True if the consumer has to wait for the producer: an edge was added, or there will never be an end to wait for. */
static bool edge_add(struct rt_ring *ring, uint64_t task, uint32_t consumer)
{
	uint32_t at = ring->edge_head & ring->edge_mask, first;
	struct rt_edge *edge = &ring->edges[at];
	struct rt_slot *producer = rt_ring_task(ring, task);

	if (task < ring->frontier || ended_well(ring, task))
		return false;
	/* Acquire: if it is closed, what the producer wrote is there for the consumer. */
	first = atomic_load_explicit(&producer->successors, memory_order_acquire);
	edge->slot = consumer;
	while (first < RT_FAILED) {
		edge->next = first;
		/* Release: the edge, and the consumer's count, are complete before the producer can see them. */
		if (atomic_compare_exchange_weak_explicit(&producer->successors, &first, at + 1, memory_order_release, memory_order_acquire)) {
			ring->edge_head++;
			return true;
		}
	}
	return first == RT_FAILED;
}

bool rt_ring_link(struct rt_ring *ring, const uint64_t *producers, uint32_t count, uint64_t also)
{
	uint32_t at = (uint32_t)((ring->issued - 1) & ring->mask), added = 0;
	struct rt_slot *slot = rt_ring_slot(ring, at);

#ifdef RT_BREAK_ORDER /* a build for tests only: the checks have to notice */
	count = 0;
#endif
	/* Two more than there can be producers, so that it does not reach 0 before what was not needed is taken off. Relaxed: published by the first edge. */
	atomic_store_explicit(&slot->waits, count + 2, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++)
		added += edge_add(ring, producers[i], at);
	added += also && edge_add(ring, also - 1, at);
	ring->notes[at].edge_end = ring->edge_head;
	/* Without an edge nobody else knows of the slot. Acquire: pairs with the release of producers that finished meanwhile. */
	return !added || atomic_fetch_sub_explicit(&slot->waits, count + 2 - added, memory_order_acq_rel) == count + 2 - added;
}

bool rt_ring_ended(const struct rt_ring *ring, uint32_t at)
{
	return atomic_load(&rt_ring_slot(ring, at)->successors) >= RT_FAILED;
}

/* ---- a worker's side ---------------------------------------------------------------------------------------------- */

void rt_ring_finished(struct rt_ring *ring, uint32_t at, bool failed, void (*ready)(void *context, uint32_t slot), void *context)
{
	/* Release: cycles and what the task wrote. Acquire: the edges. Sequentially consistent: see rt_ready_expect. The slot belongs to the
	 * expander when `ends` says so; an edge belongs to it once its consumer is over, which is not before the count below drops. */
	uint32_t edge_at = atomic_exchange(&rt_ring_slot(ring, at)->successors, failed ? RT_FAILED : RT_CLOSED);

	/* Release: with the acquire of the expander, who may then use the slot again. */
	if (!failed)
		atomic_store_explicit(&ring->ends[at], 1, memory_order_release);
	while (edge_at && !failed) {
		struct rt_edge edge = ring->edges[edge_at - 1];

		/* Release: this task's writes are there for the consumer. Acquire: the others' writes, for the thread that counts to 0. */
		if (atomic_fetch_sub_explicit(&rt_ring_slot(ring, edge.slot)->waits, 1, memory_order_acq_rel) == 1) {
			ready(context, edge.slot);
		}
		edge_at = edge.next;
	}
}

/* Acquire: the edges up to the newest one. None of them is used again while the task has not ended. */
uint32_t rt_ring_awaited(const struct rt_ring *ring, uint32_t at)
{
	uint32_t count = 0;

	for (uint32_t edge = atomic_load_explicit(&rt_ring_slot(ring, at)->successors, memory_order_acquire); edge; edge = ring->edges[edge - 1].next)
		count++;
	return count;
}

struct rt_slot *rt_ring_advance(struct rt_ring *ring)
{
	uint32_t at = (uint32_t)(ring->frontier & ring->mask);

	if (ring->frontier == ring->issued || !ended_well(ring, ring->frontier))
		return NULL;
	ring->frontier++;
	ring->edge_tail = ring->notes[at].edge_end;
	return rt_ring_slot(ring, at);
}
