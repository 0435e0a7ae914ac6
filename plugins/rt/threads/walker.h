/* SPDX-License-Identifier: MIT */
/* walker.h - a thread that walks a program for its feed while the engine is busy with earlier items. A workload's items do not depend on time, so
 * the engine gets the items that it would have got anyway, in the order in which it would have.
 *
 * The walker fills one ring of items after the other and passes on those that have plenty; the engine takes them, and gives the empty ones back. A waiting side
 * is woken when there is half of what there can be, so seldom. The walker's way ends where the two would have to talk to each other: at the end of the workload,
 * at a notification, where kernels go to worker threads, and at a failure. Then the thread of rt_run walks on.
 *
 * Lock: rt_walker.lock, of what stands below it; no other is taken meanwhile. Rings that are passed on belong to the engine, the one being filled to the
 * walker. With the lock goes what the walk has written, to whoever takes over. */
#ifndef RT_WALKER_H
#define RT_WALKER_H

#include "rt/run/feed.h"

/* Tasks that the thread of rt_run walks itself before a walker begins: making a thread costs as much as some hundred. Tests set others, while nothing runs. */
struct rt_walker_rules {
	uint64_t after;
	uint64_t plenty; /* items that are passed on together, or more */
};
extern struct rt_walker_rules rt_walker_rules;

/* At a place where the engine has taken all items: is a walker worth its while? Then there is one. */
void rt_walker_look(struct rt_feed *feed);
/* Items into feed->give; or the walker has ended, feed->walker is NULL, and what it left is there. Errors: CANCELLED, DEADLINE, NO_MEMORY, said in the run's error. */
ptowsp_status rt_walker_take(struct rt_feed *feed);
/* The walker's thread: the engine's times when it last took the first row of a round. */
const struct rt_told *rt_walker_told(struct rt_feed *feed);
/* Waits until it has ended, if there is one; nothing that it met is given any more. */
void rt_walker_stop(struct rt_feed *feed);

#endif
