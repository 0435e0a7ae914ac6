/* SPDX-License-Identifier: MIT */
/* fake_rings.h - room in the rings of fake_tasks.h. One thread. */
#ifndef FAKE_RINGS_H
#define FAKE_RINGS_H

#include "fake_tasks.h"

/* Of a task that is submitted. */
struct fake_need {
	uint64_t bytes, entries, spilled;
};
/* Until the ring has room for that: as long as it has none, tasks run and the oldest leave. What can never be latches a fault. */
void fake_ring_wait(struct fake_graph *graph, struct fake_ring *ring, const struct fake_need *need);
/* Where so many bytes begin, one more; 0: not now. They lie in one piece, so the end of the memory may stay unused. */
uint64_t fake_ring_heap_find(const struct fake_ring *ring, uint64_t bytes);
/* What is in use counts for the most that was. */
void fake_ring_mark(struct fake_ring *ring);

/* fake_tasks.c: one that is ready. The first fault stays. */
void fake_graph_run_one(struct fake_graph *graph);
void fake_graph_fatal(struct fake_graph *graph, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
