/* SPDX-License-Identifier: MIT */
/* ring.h - tasks in flight on the worker threads: a record for each, with its arguments behind it, and its place in the successor lists of its
 * predecessors. Filled in task order and emptied in task order. Nothing here ever grows: without room the oldest task is waited for.
 *
 * One thread (the expander) adds tasks and moves the frontier. Any worker finishes tasks. A slot's plain fields are written before the task
 * is made ready and read after it was taken from a ready queue; `cycles` is written by the worker before it closes the list of successors, and
 * read by the expander after it has found it closed. */
#ifndef RT_RING_H
#define RT_RING_H

#include "ptowsp/base.h"
#include "rt/rt_graph.h"
#include <stdatomic.h>
#include <stdbool.h>

/* successors: the newest edge + 1, or one of these. */
#define RT_CLOSED UINT32_MAX       /* the task is over: no edge can be added */
#define RT_FAILED (UINT32_MAX - 1) /* the same, and what comes behind it never runs */

/* `reserved` of a slot: its words are the address of each window and its columns, not start and length. */
enum { RT_SLOT_PLACED = 1 };
enum { RT_LINE = 64 /* bytes that move between cores as one */ };

/* Together with its words it begins at a cache line and shares none with another slot. */
struct rt_slot {
	_Atomic uint32_t waits; /* predecessors that have not finished, and more until the task is linked */
	_Atomic uint32_t successors;
	uint32_t site;            /* row of rt_program.sites */
	uint64_t number, cycles;  /* cycles: preset, then what the kernel said */
	RT_TASK_FIELDS            /* as in a built graph, order by its low half; LATER of tags: its cycles are for the clock, which waits for them */
		uint64_t words[]; /* arguments, then start and length of each window */
};
struct rt_edge {
	uint32_t next; /* edge + 1 in the producer's list */
	uint32_t slot; /* consumer */
};
/* The expander's note of a task: it need not look into the slot, which lies in a worker's cache. */
struct rt_note {
	uint32_t edge_end; /* free-running: where the edges stood after it */
	bool later;        /* its cycles are for the clock, which waits for them */
	bool started;      /* on a device, by whose end it is finished */
};
struct rt_ring {
	/* read by all threads */
	unsigned char *slots; /* mask + 1 of them, stride bytes each */
	size_t stride;
	struct rt_edge *edges;
	_Atomic uint8_t *ends; /* 1 when a task has ended well. Close together: the expander asks for every predecessor */
	uint64_t mask;
	uint32_t edge_mask;
	char apart[RT_LINE]; /* the expander's writes for every task must not take the lines above away from the workers */
	struct rt_note *notes;
	uint32_t edge_head, edge_tail; /* free-running */
	uint64_t issued, frontier;     /* tasks added; tasks before it are done */
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
static inline struct rt_slot *rt_ring_task(const struct rt_ring *ring, uint64_t task)
{
	return rt_ring_slot(ring, (uint32_t)(task & ring->mask));
}
/* Room for another task with so many edges? If not, wait until the frontier moves. */
static inline bool rt_ring_room(const struct rt_ring *ring, uint64_t edges)
{
	return ring->issued - ring->frontier <= ring->mask && ring->edge_head - ring->edge_tail + edges <= (uint64_t)ring->edge_mask + 1;
}
/* Nothing is in flight, and the next task is number `task`: those before it ran elsewhere. */
void rt_ring_skip(struct rt_ring *ring, uint64_t task);
/* The next task's slot, not yet linked. Needs room. */
struct rt_slot *rt_ring_add(struct rt_ring *ring);
/* Makes the newest task wait for its producers and for task `also` - 1 (0: none). True if there is nothing to wait for: the caller makes it ready. */
bool rt_ring_link(struct rt_ring *ring, const uint64_t *producers, uint32_t count, uint64_t also);
/* The expander asks: has a task in flight ended, in whatever way? Sequentially consistent, as rt_ready_expect demands. */
bool rt_ring_ended(const struct rt_ring *ring, uint32_t at);
/* A worker has finished the task in a slot: calls ready for each task that waited only for it; for none if it failed. */
void rt_ring_finished(struct rt_ring *ring, uint32_t at, bool failed, void (*ready)(void *context, uint32_t slot), void *context);
/* How many tasks wait for one that has not ended, as far as they are linked. Any thread. */
uint32_t rt_ring_awaited(const struct rt_ring *ring, uint32_t at);
/* The oldest task if it has ended well: moves the frontier over it. Its slot stays readable until the next add. */
struct rt_slot *rt_ring_advance(struct rt_ring *ring);

#endif
