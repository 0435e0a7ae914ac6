/* SPDX-License-Identifier: MIT */
#include "rt/threads/ring.h"

#include "rt/grow.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Rests per task in flight: a task needs at most one per task in flight. */
enum { RESTS_PER_TASK = 4 };

bool rt_ring_init(struct rt_ring *ring, uint64_t tasks, uint64_t most_words)
{
	uint64_t slots = rt_power_above(tasks < 2 ? 2 : tasks);

	memset(ring, 0, sizeof(*ring));
	ring->stride = rt_slot_bytes(most_words);
	ring->mask = slots - 1;
	ring->rest_mask = (uint32_t)(slots * RESTS_PER_TASK - 1);
	ring->slots = aligned_alloc((size_t)2 * RT_LINE, slots * ring->stride);
	ring->rests = malloc(slots * RESTS_PER_TASK * sizeof(*ring->rests));
	ring->notes = malloc(slots * sizeof(*ring->notes));
	ring->given_back = malloc(slots * sizeof(*ring->given_back));
	return ring->slots && ring->rests && ring->notes && ring->given_back;
}

void rt_ring_finish(struct rt_ring *ring)
{
	free(ring->slots);
	free(ring->rests);
	free(ring->notes);
	free(ring->given_back);
	memset(ring, 0, sizeof(*ring));
}

/* ---- the expander's side ----------------------------------------------------------------------------------------- */

void rt_ring_skip(struct rt_ring *ring, uint64_t task)
{
	assert(ring->issued == ring->frontier);
	ring->issued = ring->frontier = task;
}

#if defined(__x86_64__)
#define FOR_WRITING __attribute__((target("prfchw"))) /* does nothing where it is not known */
#else
#define FOR_WRITING
#endif
FOR_WRITING static void slot_prefetch(const struct rt_ring *ring, uint32_t at)
{
	const char *line = (const char *)rt_ring_slot(ring, at);

	__builtin_prefetch(line, 1);
	__builtin_prefetch(line + RT_LINE, 1);
}

FOR_WRITING void rt_ring_expect(const struct rt_ring *ring, const uint64_t *producers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (producers[i] >= ring->frontier)
			__builtin_prefetch(rt_ring_task(ring, producers[i]), 1);
}

enum { AHEAD = 12 };

static uint32_t slot_take(struct rt_ring *ring)
{
	if (ring->spare > AHEAD)
		slot_prefetch(ring, ring->given_back[ring->spare - 1 - AHEAD]);
	return ring->spare ? ring->given_back[--ring->spare] : ring->used++;
}

struct rt_slot *rt_ring_add(struct rt_ring *ring)
{
	uint32_t at = slot_take(ring);
	struct rt_slot *slot = rt_ring_slot(ring, at);

	assert(ring->issued - ring->frontier <= ring->mask);
	__builtin_prefetch(&ring->rests[(ring->rest_head + 32) & ring->rest_mask], 1);
	*rt_ring_note(ring, ring->issued) = (struct rt_note){.slot = at};
	slot->number = ring->issued++;
	/* Relaxed: nobody sees the slot before an edge to it, or the slot itself, is published with release. */
	atomic_store_explicit(&slot->successors, 0, memory_order_relaxed);
	return slot;
}

/* True if the consumer has to wait for the producer: an edge was added, or there will never be an end to wait for. */
static bool edge_add(struct rt_ring *ring, uint64_t task, uint32_t consumer)
{
	const uint32_t at = ring->rest_head & ring->rest_mask;
	struct rt_slot *producer;
	uint64_t list;

	if (task < ring->frontier)
		return false;
	producer = rt_ring_task(ring, task);
	/* Acquire: if it is closed, what the producer wrote is there for the consumer. */
	list = atomic_load_explicit(&producer->successors, memory_order_acquire);
	while (list < RT_FAILED) {
		const uint64_t longer = (list ? (uint64_t)(at + 1) << 32 : 0) | (consumer + 1);

		ring->rests[at] = list;
		/* Release: the rest, and the consumer's count, are complete before the producer can see them. */
		if (atomic_compare_exchange_weak_explicit(&producer->successors, &list, longer, memory_order_release, memory_order_acquire)) {
			ring->rest_head += longer >> 32 != 0;
			return true;
		}
	}
	return list == RT_FAILED;
}

bool rt_ring_link(struct rt_ring *ring, const uint64_t *producers, uint32_t count, uint64_t also)
{
	struct rt_note *note = rt_ring_note(ring, ring->issued - 1);
	struct rt_slot *slot = rt_ring_slot(ring, note->slot);
	uint32_t added = 0;

#ifdef RT_BREAK_ORDER /* a build for tests only: the checks have to notice */
	count = 0;
#endif
	/* Two more than there can be producers, so that it does not reach 0 before what was not needed is taken off. Relaxed: published by the first edge. */
	atomic_store_explicit(&slot->waits, count + 2, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++)
		added += edge_add(ring, producers[i], note->slot);
	added += also && edge_add(ring, also - 1, note->slot);
	note->rest_end = ring->rest_head;
	/* Without an edge nobody else knows of the slot. Acquire: pairs with the release of producers that finished meanwhile. */
	return !added || atomic_fetch_sub_explicit(&slot->waits, count + 2 - added, memory_order_acq_rel) == count + 2 - added;
}

struct rt_slot *rt_ring_advance(struct rt_ring *ring)
{
	const struct rt_note *note = rt_ring_note(ring, ring->frontier);

	/* Acquire: then what the task wrote is there, and its worker does not touch the slot again. */
	if (ring->frontier == ring->issued || atomic_load_explicit(&rt_ring_slot(ring, note->slot)->successors, memory_order_acquire) != RT_CLOSED)
		return NULL;
	__builtin_prefetch(rt_ring_task(ring, ring->frontier + AHEAD));
	ring->frontier++;
	ring->rest_tail = note->rest_end;
	ring->given_back[ring->spare++] = note->slot;
	return rt_ring_slot(ring, note->slot);
}

/* ---- a worker's side ---------------------------------------------------------------------------------------------- */

void rt_ring_finished(struct rt_ring *ring, uint32_t at, bool failed, void (*ready)(void *context, uint32_t slot), void *context)
{
	/* Release: cycles and what the task wrote. Acquire: the list. Sequentially consistent: see rt_ready_expect. The slot is the expander's from here on;
	 * a rest is once the successor in front of it is over, which is not before the count below drops. */
	uint64_t list = atomic_exchange(&rt_ring_slot(ring, at)->successors, failed ? RT_FAILED : RT_CLOSED);

	while (list && !failed) {
		const uint32_t consumer = (uint32_t)list - 1;

		list = list >> 32 ? ring->rests[(list >> 32) - 1] : 0;
		/* Release: this task's writes are there for the consumer. Acquire: the others' writes, for the thread that counts to 0. */
		if (atomic_fetch_sub_explicit(&rt_ring_slot(ring, consumer)->waits, 1, memory_order_acq_rel) == 1)
			ready(context, consumer);
	}
}

/* Acquire: the rests of the list. None of them is used again while the task has not ended. */
uint32_t rt_ring_awaited(const struct rt_ring *ring, uint32_t at)
{
	uint64_t list = atomic_load_explicit(&rt_ring_slot(ring, at)->successors, memory_order_acquire);
	uint32_t count = 0;

	for (; list && list < RT_FAILED; list = list >> 32 ? ring->rests[(list >> 32) - 1] : 0)
		count++;
	return count;
}
