/* SPDX-License-Identifier: MIT */
/* graph_run.h - running a built graph. The graph is only read; everything that changes is the state: fan-in counters, ready queues, window, gates. One
 * state may run again and again, one run at a time; several states may run one graph at the same time. */
#ifndef RT_GRAPH_RUN_H
#define RT_GRAPH_RUN_H

#include <stdatomic.h>
#include "rt/graph.h"
#include "rt/graph_queue.h"
#include "rt/rt.h"

/* How a run goes. Tasks are admitted in the order of their numbers: when a place of the window and of the depth gate is free and all tasks below their
 * `order` have ended. */
struct rt_graph_how {
	struct rt_pool *pool; /* worker threads; NULL: the calling thread alone */
	uint32_t window;      /* admitted tasks behind the oldest that has not ended, that one included; 0: all */
	uint32_t depth;       /* admitted tasks that have not ended; 0: all */
	bool bound;           /* a thread runs tasks of its own ready queue only: worker number mod queues; needs as many threads as queues */
	void *context;
	/* Runs a task; worker 0 is the calling thread. An error ends the run. */
	ptowsp_status (*task)(void *context, uint32_t task, uint32_t worker, struct ptowsp_error *error);
	/* Asked by the calling thread between tasks and every 10 ms while it waits; an error ends the run. May be NULL. */
	ptowsp_status (*look)(void *context, struct ptowsp_error *error);
};
struct rt_graph_state {
	const struct rt_graph *graph; /* borrowed */
	const struct rt_graph_how *how;
	_Atomic uint32_t *waits;      /* per task: what it still waits for, + 1 until it is admitted */
	uint32_t *fanins;             /* per task, of the graph: beginning again reads these and not all the records */
	uint8_t *places;              /* per task: its ready queue */
	struct rt_graph_queues queues;
	_Atomic uint32_t left;        /* tasks that have not ended */
	_Atomic uint32_t stop;        /* no more tasks are begun */
	uint32_t queue_count;         /* of the graph */
	uint32_t shares;              /* a thread takes one of so many parts of what is ready */
	bool ordered;                 /* some task has an order */
	bool gated;                   /* there is a window, a depth or an order */
	pthread_mutex_t lock;         /* of what follows; the queues' lock is taken under it */
	uint8_t *done;                /* per task; kept if there is a gate */
	uint32_t admitted, frontier, ended; /* tasks before `frontier` have ended */
	uint32_t in_flight_high_water;      /* most tasks admitted and not ended */
	ptowsp_status status;         /* the failure of the lowest task among those known */
	uint32_t failed_task;
	struct ptowsp_error error;
};
/* graph: borrowed until finish. Errors: NO_MEMORY. */
ptowsp_status rt_graph_state_init(struct rt_graph_state *state, const struct rt_graph *graph, struct ptowsp_error *error);
void rt_graph_state_finish(struct rt_graph_state *state);
/* Returns when no task is running. With one thread tasks run in the order of their numbers. Errors: those of task and look; the earliest known task's. INVALID: bound
 * with fewer threads than queues. */
ptowsp_status rt_graph_run(struct rt_graph_state *state, const struct rt_graph_how *how, struct ptowsp_error *error);

#endif
