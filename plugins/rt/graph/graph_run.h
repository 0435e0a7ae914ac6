/* SPDX-License-Identifier: MIT */
/* graph_run.h - running a built graph. The graph is only read; everything that changes is the state: fan-in counters, the worker threads, the gate. One
 * state may run again and again, one run at a time; several states may run one graph at the same time. */
#ifndef RT_GRAPH_RUN_H
#define RT_GRAPH_RUN_H

#include "rt/rt.h"
#include "rt/rt_graph.h"
#include "rt/threads/workers.h"
#include <stdatomic.h>

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
	/* Of a task, for policies; NULL: none has any. Any thread. */
	struct rt_wish (*wish)(void *context, uint32_t task);
	bool homes; /* some have one */
};
/* Tasks of one thread that have ended, on a line of its own. */
struct rt_graph_ended {
	_Alignas(RT_GRAPH_ALIGNMENT) _Atomic uint32_t count;
};
struct rt_graph_state {
	const struct rt_graph *graph; /* borrowed */
	const struct rt_graph_how *how;
	_Atomic uint32_t *waits;      /* per task: what it still waits for, + 1 until it is admitted */
	uint32_t *fanins;             /* per task, of the graph: beginning again reads these and not all the records */
	struct rt_workers workers;    /* a slot is a task */
	struct rt_graph_ended *ended; /* per thread */
	bool ordered; /* some task has an order: then there is a gate, and tasks are admitted in the order of their numbers, when all below their `order` have ended */
	pthread_mutex_t lock;        /* of what follows */
	uint8_t *done;               /* per task; kept if there is a gate */
	uint32_t admitted, frontier; /* tasks before `frontier` have ended */
};
/* graph: borrowed until finish. Errors: NO_MEMORY. */
ptowsp_status rt_graph_state_init(struct rt_graph_state *state, const struct rt_graph *graph, struct ptowsp_error *error);
void rt_graph_state_finish(struct rt_graph_state *state);
/* Returns when no task is running. With one thread tasks run in the order of their numbers. Errors: those of task and look; the earliest known
 * task's. NO_MEMORY. */
ptowsp_status rt_graph_run(struct rt_graph_state *state, const struct rt_graph_how *how, struct ptowsp_error *error);

#endif
