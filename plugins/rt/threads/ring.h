/* SPDX-License-Identifier: MIT */
/* ring.h - tasks in flight on the worker threads: a record for each, with its arguments behind it, and the list of tasks that wait for it. Filled in task order
 * and emptied in task order. Nothing here ever grows: without room the oldest task is waited for.
 *
 * One thread (the expander) adds tasks and moves the frontier. Any worker finishes tasks. A slot's plain fields are written before the task
 * is made ready and read after it was taken from a ready queue; `cycles` is written by the worker before it closes the list of successors, and
 * read by the expander after it has found it closed. */
#ifndef RT_RING_H
#define RT_RING_H

#include "ptowsp/base.h"
#include <stdatomic.h>
#include <stdbool.h>

/* A list of successors: the newest one's slot + 1, and above it where the rest of the list stands, + 1; 0: nobody; or one of these. */
#define RT_CLOSED UINT64_MAX       /* the task is over: no successor can be added */
#define RT_FAILED (UINT64_MAX - 1) /* the same, and what comes behind it never runs */

enum { RT_LINE = 64 /* bytes that move between cores as one */ };

/* Together with its words it begins at a cache line and shares none with another slot. */
struct rt_slot {
	_Atomic uint64_t successors;
	_Atomic uint32_t waits;  /* predecessors that have not finished, and more until the task is linked */
	uint32_t site;           /* row of rt_program.sites */
	uint64_t number, cycles; /* cycles: preset, then what the kernel said */
	uint32_t kernel, executor, stream;
	bool placed;      /* its words are the address of each window and its columns, not start and length */
	uint64_t words[]; /* arguments, then start and length of each window */
};
/* The expander's note of a task: it need not look into the slot, which lies in a worker's cache. */
struct rt_note {
	uint32_t rest_end; /* free-running: where the rests stood after it */
	uint32_t slot;
	bool later;   /* its cycles are for the clock, which waits for them */
	bool started; /* on a device, by whose end it is finished */
};
struct rt_ring {
	/* read by all threads */
	unsigned char *slots; /* mask + 1 of them, stride bytes each; the one that was given back last is used first, so there are as many as were in flight */
	size_t stride;
	uint64_t *rests; /* of lists: what they were before their newest successor came */
	uint64_t mask;
	uint32_t rest_mask;
	char apart[RT_LINE]; /* the expander's writes for every task must not take the lines above away from the workers */
	struct rt_note *notes;
	uint32_t *given_back;          /* slots that were used before, the latest last */
	uint32_t spare, used;          /* how many those are; slots that have ever been used */
	uint32_t rest_head, rest_tail; /* free-running */
	uint64_t issued, frontier;     /* tasks added; tasks before it are done */
	char behind[RT_LINE];          /* nor those of what comes next to it */
};
/* Bytes of a slot with so many words. */
static inline size_t rt_slot_bytes(uint64_t words)
{
	return (sizeof(struct rt_slot) + words * sizeof(uint64_t) + RT_LINE - 1) / RT_LINE * RT_LINE;
}
/* tasks, most_words: at least 1; most_words: of one task. False when out of memory. */
bool rt_ring_init(struct rt_ring *ring, uint64_t tasks, uint64_t most_words);
void rt_ring_finish(struct rt_ring *ring);

static inline struct rt_slot *rt_ring_slot(const struct rt_ring *ring, uint32_t at)
{
	return (struct rt_slot *)(ring->slots + at * ring->stride);
}
/* The expander's, of a task in flight, or of one that has left since the latest add. */
static inline struct rt_note *rt_ring_note(const struct rt_ring *ring, uint64_t task)
{
	return &ring->notes[task & ring->mask];
}
static inline struct rt_slot *rt_ring_task(const struct rt_ring *ring, uint64_t task)
{
	return rt_ring_slot(ring, rt_ring_note(ring, task)->slot);
}
/* Room for another task with so many edges? If not, wait until the frontier moves. */
static inline bool rt_ring_room(const struct rt_ring *ring, uint64_t edges)
{
	return ring->issued - ring->frontier <= ring->mask && ring->rest_head - ring->rest_tail + edges <= (uint64_t)ring->rest_mask + 1;
}
/* Nothing is in flight, and the next task is number `task`: those before it ran elsewhere. */
void rt_ring_skip(struct rt_ring *ring, uint64_t task);
/* The next task will have these producers: their lines come while it is filled. */
void rt_ring_expect(const struct rt_ring *ring, const uint64_t *producers, uint32_t count);
/* The next task's slot, not yet linked. Needs room. */
struct rt_slot *rt_ring_add(struct rt_ring *ring);
/* Makes the newest task wait for its producers and for task `also` - 1 (0: none). True if there is nothing to wait for: the caller makes it ready. */
bool rt_ring_link(struct rt_ring *ring, const uint64_t *producers, uint32_t count, uint64_t also);
/* Has the task in a slot ended, in whatever way? Sequentially consistent, as rt_ready_expect demands. */
static inline bool rt_ring_ended(const struct rt_ring *ring, uint32_t at)
{
	return atomic_load(&rt_ring_slot(ring, at)->successors) >= RT_FAILED;
}
/* A worker has finished the task in a slot: calls ready for each task that waited only for it; for none if it failed. */
void rt_ring_finished(struct rt_ring *ring, uint32_t at, bool failed, void (*ready)(void *context, uint32_t slot), void *context);
/* How many tasks wait for one that has not ended, as far as they are linked. Any thread. */
uint32_t rt_ring_awaited(const struct rt_ring *ring, uint32_t at);
/* The oldest task if it has ended well: moves the frontier over it. Its slot stays readable until the next add. */
struct rt_slot *rt_ring_advance(struct rt_ring *ring);

#endif
