/* SPDX-License-Identifier: MIT */
#include "rt/ring.h"

#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"

enum { EDGES_PER_TASK = 4, WORD_BUDGET = 1 << 17 };

bool rt_ring_init(struct rt_ring *ring, uint64_t tasks, uint64_t most_words)
{
	uint64_t slots = rt_power_above(tasks < 2 ? 2 : tasks), words = slots * (most_words + 1);

	memset(ring, 0, sizeof(*ring));
	/* A task needs at most one edge per task in flight, and its words in one piece: twice that always suffices. */
	if (words > WORD_BUDGET)
		words = most_words * 4 > WORD_BUDGET ? most_words * 4 : WORD_BUDGET;
	words = rt_power_above(words < 16 ? 16 : words);
	ring->mask = slots - 1;
	ring->edge_mask = slots * EDGES_PER_TASK - 1;
	ring->word_mask = words - 1;
	ring->slots = calloc(slots, sizeof(*ring->slots));
	ring->edges = calloc(slots * EDGES_PER_TASK, sizeof(*ring->edges));
	ring->words = calloc(words, sizeof(*ring->words));
	return ring->slots && ring->edges && ring->words;
}

void rt_ring_finish(struct rt_ring *ring)
{
	free(ring->slots);
	free(ring->edges);
	free(ring->words);
	memset(ring, 0, sizeof(*ring));
}

/* Words are skipped where a task's would wrap. */
static uint64_t word_start(const struct rt_ring *ring, uint64_t words)
{
	uint64_t at = ring->word_head & ring->word_mask;

	return at + words > ring->word_mask + 1 ? ring->word_head + ring->word_mask + 1 - at : ring->word_head;
}

bool rt_ring_room(const struct rt_ring *ring, uint64_t words, uint64_t edges)
{
	return ring->issued - ring->frontier <= ring->mask && ring->edge_head + edges - ring->edge_tail <= ring->edge_mask + 1 &&
	       word_start(ring, words) + words - ring->word_tail <= ring->word_mask + 1;
}

static struct rt_slot *slot_of(const struct rt_ring *ring, uint64_t task)
{
	return &ring->slots[task & ring->mask];
}

struct rt_slot *rt_ring_add(struct rt_ring *ring, uint64_t words, uint64_t **words_out)
{
	struct rt_slot *slot = slot_of(ring, ring->issued);

	slot->word = word_start(ring, words);
	ring->word_head = slot->word + words;
	slot->word_end = ring->word_head;
	slot->number = ring->issued++;
	/* Relaxed: the slot is not shared before it is linked or made ready, and both publish it. */
	atomic_store_explicit(&slot->waits, 1, memory_order_relaxed);
	atomic_store_explicit(&slot->successors, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->done, 0, memory_order_relaxed);
	*words_out = &ring->words[slot->word & ring->word_mask];
	return slot;
}

void rt_ring_link(struct rt_ring *ring, uint64_t producer)
{
	struct rt_slot *consumer = slot_of(ring, ring->issued - 1), *slot = slot_of(ring, producer);
	uint32_t at = (uint32_t)(ring->edge_head & ring->edge_mask), first;
	struct rt_edge *edge = &ring->edges[at];

	if (producer < ring->frontier)
		return;
	/* Acquire: if it is closed, what the producer wrote is there for the consumer. */
	first = atomic_load_explicit(&slot->successors, memory_order_acquire);
	if (first == RT_CLOSED)
		return;
	atomic_fetch_add_explicit(&consumer->waits, 1, memory_order_relaxed);
	edge->slot = (uint32_t)(consumer - ring->slots);
	do {
		edge->next = first;
		/* Release: the edge and the consumer's slot are complete before the producer can see them. */
		if (atomic_compare_exchange_weak_explicit(&slot->successors, &first, at + 1, memory_order_acq_rel, memory_order_acquire)) {
			ring->edge_head++;
			return;
		}
	} while (first != RT_CLOSED);
	atomic_fetch_sub_explicit(&consumer->waits, 1, memory_order_relaxed);
}

bool rt_ring_linked(struct rt_ring *ring)
{
	struct rt_slot *slot = slot_of(ring, ring->issued - 1);

	slot->edge_end = ring->edge_head;
	/* Acquire: pairs with the release of predecessors that finished meanwhile. */
	return atomic_fetch_sub_explicit(&slot->waits, 1, memory_order_acq_rel) == 1;
}

void rt_ring_finished(struct rt_ring *ring, uint32_t slot, void (*ready)(void *context, uint32_t slot), void *context)
{
	uint32_t at = atomic_exchange_explicit(&ring->slots[slot].successors, RT_CLOSED, memory_order_acq_rel);

	while (at) {
		struct rt_edge edge = ring->edges[at - 1]; /* before the count drops: the consumer's edges may then be reused */

		if (atomic_fetch_sub_explicit(&ring->slots[edge.slot].waits, 1, memory_order_acq_rel) == 1)
			ready(context, edge.slot);
		at = edge.next;
	}
}

struct rt_slot *rt_ring_advance(struct rt_ring *ring)
{
	struct rt_slot *slot = slot_of(ring, ring->frontier);

	/* Acquire: cycles, and everything that the task wrote. */
	if (ring->frontier == ring->issued || !atomic_load_explicit(&slot->done, memory_order_acquire))
		return NULL;
	ring->frontier++;
	ring->word_tail = slot->word_end;
	ring->edge_tail = slot->edge_end;
	return slot;
}
