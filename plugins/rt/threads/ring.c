/* SPDX-License-Identifier: MIT */
#include "rt/threads/ring.h"

#include "rt/grow.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Edges per task in flight: a task needs at most one per task in flight, a gate too. */
enum { EDGES_PER_TASK = 4 };

bool rt_ring_init(struct rt_ring *ring, uint64_t tasks, uint64_t most_words)
{
	uint64_t slots = rt_power_above(tasks < 2 ? 2 : tasks);
	size_t stride = rt_slot_bytes(most_words);

	memset(ring, 0, sizeof(*ring));
	ring->stride = stride;
	ring->mask = slots - 1;
	ring->edge_mask = (uint32_t)(slots * EDGES_PER_TASK - 1);
	ring->slots = aligned_alloc(RT_LINE, (slots + RT_GATES) * stride);
	ring->edges = malloc(slots * EDGES_PER_TASK * sizeof(*ring->edges));
	ring->ends = aligned_alloc(RT_LINE, (slots + RT_LINE - 1) / RT_LINE * RT_LINE);
	ring->notes = malloc(slots * sizeof(*ring->notes));
	for (uint32_t g = 0; ring->slots && g < RT_GATES; g++)
		atomic_init(&rt_ring_slot(ring, (uint32_t)slots + g)->successors, RT_CLOSED);
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

void rt_ring_skip(struct rt_ring *ring, uint64_t task, uint64_t barrier)
{
	assert(ring->issued == ring->frontier);
	ring->issued = ring->frontier = task;
	ring->barrier = barrier;
	ring->gate = 0;
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
	ring->notes[at] = (struct rt_note){.fate = RT_HANDED};
	atomic_store_explicit(&ring->ends[at], 0, memory_order_relaxed);
	/* Relaxed: nobody sees the slot before an edge to it, or the slot itself, is published with release. */
	atomic_store_explicit(&slot->successors, 0, memory_order_relaxed);
	return slot;
}

/* True if the consumer has to wait for the producer: an edge was added, or there will never be an end to wait for. */
static bool edge_add(struct rt_ring *ring, struct rt_slot *producer, uint32_t consumer)
{
	uint32_t at = ring->edge_head & ring->edge_mask;
	struct rt_edge *edge = &ring->edges[at];
	/* Acquire: if it is closed, what the producer wrote is there for the consumer. */
	uint32_t first = atomic_load_explicit(&producer->successors, memory_order_acquire);

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

/* The same of a task. */
static bool task_edge_add(struct rt_ring *ring, uint64_t producer, uint32_t consumer)
{
	enum rt_fate fate = ring->notes[producer & ring->mask].fate;

	return fate == RT_HANDED ? edge_add(ring, rt_ring_task(ring, producer), consumer) : fate == RT_RAN_FAILED;
}

/* The count stood at `expected` while edges were added, and at least at 1 until the last one was, so that it could not reach 0 before; those that
 * were not needed are taken off. Acquire: pairs with the release of predecessors that finished meanwhile. */
static bool linked(struct rt_slot *slot, uint32_t expected, uint32_t added)
{
	uint32_t unneeded = expected - added;

	/* Without an edge nobody else knows of the slot. */
	return !added || (unneeded && atomic_fetch_sub_explicit(&slot->waits, unneeded, memory_order_acq_rel) == unneeded);
}

/* Acquire: then what the task wrote is there. */
static bool ended_well(const struct rt_ring *ring, uint64_t task)
{
	uint64_t at = task & ring->mask;

	return ring->notes[at].fate == RT_RAN || (ring->notes[at].fate == RT_HANDED && atomic_load_explicit(&ring->ends[at], memory_order_acquire));
}

/* Is there something to wait for? */
static uint32_t pending(const struct rt_ring *ring, uint64_t task)
{
	return task >= ring->frontier && !ended_well(ring, task);
}

bool rt_ring_link(struct rt_ring *ring, const uint64_t *producers, uint32_t count, uint64_t also)
{
	uint32_t at = (uint32_t)((ring->issued - 1) & ring->mask), expected, added = 0;
	struct rt_slot *slot = rt_ring_slot(ring, at);

#ifdef RT_BREAK_ORDER /* a build for tests only: the checks have to notice */
	count = 0;
#endif
	expected = (also ? pending(ring, also - 1) : 0) + (ring->gate != 0);
	for (uint32_t i = 0; i < count; i++)
		expected += pending(ring, producers[i]);
	/* Relaxed: published by the first edge. */
	atomic_store_explicit(&slot->waits, expected, memory_order_relaxed);
	/* Ended tasks stay so: no more edges are added than were expected. */
	for (uint32_t i = 0; expected && i < count; i++)
		if (producers[i] >= ring->frontier)
			added += task_edge_add(ring, producers[i], at);
	if (also > ring->frontier)
		added += task_edge_add(ring, also - 1, at);
	if (ring->gate && edge_add(ring, rt_ring_slot(ring, ring->gate - 1), at))
		added++;
	else
		ring->gate = 0;
	ring->notes[at].edge_end = ring->edge_head;
	return linked(slot, expected, added);
}

bool rt_ring_free(const struct rt_ring *ring, const uint64_t *producers, uint32_t count)
{
	bool over = !ring->gate;

#ifdef RT_BREAK_ORDER /* a build for tests only */
	count = 0;
#endif
	for (uint32_t i = 0; over && i < count; i++)
		over = !pending(ring, producers[i]);
	return over;
}

void rt_ring_ran(struct rt_ring *ring, bool failed)
{
	assert(ring->issued - ring->frontier <= ring->mask);
	ring->notes[ring->issued++ & ring->mask] = (struct rt_note){.edge_end = ring->edge_head, .fate = failed ? RT_RAN_FAILED : RT_RAN};
}

bool rt_ring_ended(const struct rt_ring *ring, uint32_t at)
{
	return ring->notes[at].fate != RT_HANDED || atomic_load(&rt_ring_slot(ring, at)->successors) >= RT_FAILED;
}

/* ---- gates -------------------------------------------------------------------------------------------------------- */

static uint32_t gate_slot(const struct rt_ring *ring, uint32_t gate)
{
	return (uint32_t)ring->mask + 1 + gate % RT_GATES;
}

bool rt_ring_gate_room(const struct rt_ring *ring, uint64_t *barrier_out)
{
	*barrier_out = ring->gate_barriers[ring->gates % RT_GATES];
	return rt_slot_over(rt_ring_slot(ring, gate_slot(ring, ring->gates)));
}

/* Tasks before the previous barrier need no edge: a task behind that one has waited for them. Where there is none, the two barriers are the same. */
void rt_ring_gate(struct rt_ring *ring, uint64_t barrier)
{
	uint64_t from = ring->barrier > ring->frontier ? ring->barrier : ring->frontier;
	uint32_t at = gate_slot(ring, ring->gates), expected = from < barrier ? (uint32_t)(barrier - from) : 0, added = 0;
	struct rt_slot *gate = rt_ring_slot(ring, at);

	ring->barrier = barrier;
	ring->gate = 0;
	if (!expected)
		return;
	ring->gate_barriers[ring->gates++ % RT_GATES] = barrier;
	atomic_store_explicit(&gate->successors, 0, memory_order_relaxed);
	/* One more than there are edges: how many of the tasks are over is seen on the way. */
	atomic_store_explicit(&gate->waits, ++expected, memory_order_relaxed);
	for (uint64_t task = from; task < barrier; task++)
		added += task_edge_add(ring, task, at);
	ring->gate = at + 1;
	if (!linked(gate, expected, added))
		return;
	/* Relaxed: the acquire that found all of them over was this thread's. */
	atomic_store_explicit(&gate->successors, RT_CLOSED, memory_order_relaxed);
	ring->gate = 0;
}

/* ---- a worker's side ---------------------------------------------------------------------------------------------- */

void rt_ring_finished(struct rt_ring *ring, uint32_t at, bool failed, void (*ready)(void *context, uint32_t slot), void *context)
{
	/* Release: cycles and what the task wrote. Acquire: the edges. Sequentially consistent: see rt_ready_expect. The slot belongs to the
	 * expander when `ends` says so; an edge belongs to it once its consumer is over, which is not before the count below drops. */
	uint32_t edge_at = atomic_exchange(&rt_ring_slot(ring, at)->successors, failed ? RT_FAILED : RT_CLOSED);

	/* Release: with the acquire of the expander, who may then use the slot again. */
	if (at <= ring->mask && !failed)
		atomic_store_explicit(&ring->ends[at], 1, memory_order_release);
	while (edge_at && !failed) {
		struct rt_edge edge = ring->edges[edge_at - 1];

		/* Release: this task's writes are there for the consumer. Acquire: the others' writes, for the thread that counts to 0. */
		if (atomic_fetch_sub_explicit(&rt_ring_slot(ring, edge.slot)->waits, 1, memory_order_acq_rel) == 1) {
			if (edge.slot > ring->mask) /* a gate opens; behind it are tasks only */
				rt_ring_finished(ring, edge.slot, false, ready, context);
			else
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
