/* SPDX-License-Identifier: MIT */
/* graph_run.h - running a built graph, whose tasks go through a flight in the order of their numbers. The graph is only read. One state may run again and again, also
 * several times at once. */
#ifndef RT_GRAPH_RUN_H
#define RT_GRAPH_RUN_H

#include "rt/rt.h"
#include "rt/rt_graph.h"
#include "rt/threads/ready_queue.h"

/* How a run goes. */
struct rt_graph_how {
	struct rt_pool *pool; /* worker threads; NULL: the calling thread alone */
	void *context;
	/* Runs a task; worker 0 is the calling thread. An error ends the run. */
	ptowsp_status (*task)(void *context, uint32_t task, uint32_t worker, struct ptowsp_error *error);
	/* Asked by the calling thread between tasks and every 10 ms while it waits; an error ends the run. May be NULL. */
	ptowsp_status (*look)(void *context, struct ptowsp_error *error);
	/* The order of ready tasks; NULL: none is stated. */
	const struct rt_ready_policy *policy;
	/* Wish of a task, for policies; NULL: none. Any thread. */
	struct rt_wish (*wish)(void *context, uint32_t task);
	bool homes; /* some have one */
};
/* Producers of each task, which runs of a graph need beside it: a graph lists successors, a flight asks for producers. */
struct rt_graph_state {
	const struct rt_graph *graph; /* borrowed */
	uint64_t *producers;          /* of all tasks, one behind the other, as many as their fan-in says */
};
/* graph: borrowed until finish. Errors: NO_MEMORY. */
ptowsp_status rt_graph_state_init(struct rt_graph_state *state, const struct rt_graph *graph, struct ptowsp_error *error);
void rt_graph_state_finish(struct rt_graph_state *state);
/* Returns when no task is running. With one thread tasks run in the order of their numbers. Errors: those of task and look; the earliest known
 * task's. NO_MEMORY. */
ptowsp_status rt_graph_run(const struct rt_graph_state *state, const struct rt_graph_how *how, struct ptowsp_error *error);

#endif
