/* SPDX-License-Identifier: MIT */
/* flight.h - tasks that run while others are still being added, for owners without a clock: a built graph, a program in C. The calling thread adds tasks to the ring in
 * the order of their numbers, and runs ready ones where it has to wait. Memory is bounded by the window. crew.h is the same for a workload, whose tasks have cycles. */
#ifndef RT_FLIGHT_H
#define RT_FLIGHT_H

#include "rt/threads/ring.h"
#include "rt/threads/workers.h"

struct rt_flight {
	/* the owner's, before init */
	void *context;
	/* Runs a task on some thread; worker 0 is the calling one. An error ends the run. */
	ptowsp_status (*task)(void *context, const struct rt_slot *slot, uint32_t worker, struct ptowsp_error *error);
	/* Asked by the calling thread for each task that it adds or has run, and every 10 ms while it waits; an error ends the run. NULL: nothing is asked. */
	ptowsp_status (*look)(void *context, struct ptowsp_error *error);
	struct rt_ready_order order; /* all zeros: none is stated */
	uint64_t threshold;          /* the threads start when so many tasks were added, or no more fit */

	struct rt_ring ring;
	struct rt_workers workers;       /* entered: the tasks have started */
	uint64_t started_at, most_aloft; /* tasks added when the first could start; most tasks in flight */
};
/* window: tasks in flight at most; words: of a slot at most; pool: NULL for one thread. Errors: NO_MEMORY. */
ptowsp_status rt_flight_init(struct rt_flight *flight, struct rt_pool *pool, uint64_t window, uint64_t words, struct ptowsp_error *error);
/* A zeroed struct is nothing. */
void rt_flight_finish(struct rt_flight *flight);
/* Until the first `tasks` tasks have ended. Errors: of tasks and look. */
ptowsp_status rt_flight_wait(struct rt_flight *flight, uint64_t tasks, struct ptowsp_error *error);
/* The slot of the next task, whose plain fields the caller fills, once there is room for it with so many edges. Errors: of tasks and look. */
ptowsp_status rt_flight_add(struct rt_flight *flight, uint64_t edges, struct rt_slot **slot_out, struct ptowsp_error *error);
/* The task of that slot runs when all its producers, and task `also` - 1 (0: none), have ended. With one thread it may have run then. Errors: of tasks and look. */
ptowsp_status rt_flight_submit(struct rt_flight *flight, const uint64_t *producers, uint32_t count, uint64_t also, struct ptowsp_error *error);
/* Waits until all tasks have ended, unless status says that the run ends now; no task runs when it returns. Returns the failure of the earliest task
 * known, else status, else what look said. */
ptowsp_status rt_flight_end(struct rt_flight *flight, ptowsp_status status, struct ptowsp_error *error);

#endif
