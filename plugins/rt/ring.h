/* SPDX-License-Identifier: MIT */
/* ring.h - tasks in flight on the worker threads: their records, successor lists and arguments, in three rings that are filled in task order and emptied
 * in task order. Nothing here ever grows: who finds no room waits for the oldest task.
 *
 * One thread (the expander) adds tasks and moves the frontier. Any worker finishes tasks. A slot's plain fields are written before the task
 * is made ready and read after it was taken from the ready queue; `cycles` and `failed` are written by the worker before `done`. */
#ifndef RT_RING_H
#define RT_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include "ptowsp/base.h"

#define RT_CLOSED UINT32_MAX

struct rt_slot {
	_Atomic uint32_t waits;      /* predecessors that have not finished, + 1 until the task is linked */
	_Atomic uint32_t successors; /* newest edge + 1; RT_CLOSED once finished: no edge can be added */
	_Atomic uint32_t done;       /* everything about the task is over */
	uint32_t site, kernel, executor, stream;
	bool later;                  /* its cycles are for the clock, which waits for them */
	bool failed;                 /* written before done */
	uint64_t number, cycles;     /* cycles: preset, then what the kernel said */
	uint64_t word, word_end, edge_end; /* free-running: its arguments; where the rings stood after it */
};
struct rt_edge {
	uint32_t next; /* edge + 1 in the producer's list */
	uint32_t slot; /* consumer */
};
struct rt_ring {
	struct rt_slot *slots;
	struct rt_edge *edges;
	uint64_t *words;
	uint64_t mask, edge_mask, word_mask;
	uint64_t issued, frontier; /* tasks added; tasks before it are done */
	uint64_t edge_head, edge_tail, word_head, word_tail; /* free-running */
};
/* tasks, most_words: at least 1; most_words: of one task. False when out of memory. */
bool rt_ring_init(struct rt_ring *ring, uint64_t tasks, uint64_t most_words);
void rt_ring_finish(struct rt_ring *ring);
/* Room for another task with so many words and edges? If not, wait until the frontier moves. */
bool rt_ring_room(const struct rt_ring *ring, uint64_t words, uint64_t edges);
/* The next task's slot, not yet linked; its words lie in one piece at the returned place. Needs room. */
struct rt_slot *rt_ring_add(struct rt_ring *ring, uint64_t words, uint64_t **words_out);
/* Makes the newest task wait for `producer`, an earlier one; nothing if that has finished. */
void rt_ring_link(struct rt_ring *ring, uint64_t producer);
/* All links are made. True if the newest task waits for nobody: the caller makes it ready. */
bool rt_ring_linked(struct rt_ring *ring);
/* A worker has finished the task in a slot: calls ready for each task that waited only for it. */
void rt_ring_finished(struct rt_ring *ring, uint32_t slot, void (*ready)(void *context, uint32_t slot), void *context);
/* The oldest task if it is done: moves the frontier over it. Its slot stays readable until the next add. */
struct rt_slot *rt_ring_advance(struct rt_ring *ring);

static inline uint64_t *rt_ring_words(const struct rt_ring *ring, const struct rt_slot *slot)
{
	return &ring->words[slot->word & ring->word_mask];
}

#endif
