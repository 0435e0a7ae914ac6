/* SPDX-License-Identifier: MIT */
/* order_bound.h - what order.c knows of tasks: which job begins a task and by which the host sees that it has ended. One thread. */
#ifndef AIE_ORDER_BOUND_H
#define AIE_ORDER_BOUND_H

#include "aie/graph/order.h"

struct aie_order_bound {
	const struct aie_bounds *bounds; /* NULL: none, and nothing else is there */
	const struct aie_graph *graph;
	const struct aie_acts *acts;
	uint32_t *ends;  /* per task: the job that says that it has ended, AIE_NOTHING */
	uint8_t *begins; /* per task: 0: by no job; 1: by one that has not begun; 2: it has */
	uint32_t *ended; /* per line: of its first tasks, those that have ended */
	uint32_t *seen;  /* per line: for whose ends the host has waited */
	uint64_t handed; /* tasks before it have been handed over */
};
/* bound: zeroed. False: no memory. */
bool aie_order_bound_make(struct aie_order_bound *bound, const struct aie_order_args *args);
void aie_order_bound_finish(struct aie_order_bound *bound);
/* The task that begins with the job, AIE_NOTHING: none that there are bounds for. */
uint32_t aie_order_bound_task(const struct aie_order_bound *bound, uint32_t job);
/* The job that says that the task at this place of the line has ended. */
uint32_t aie_order_bound_end(const struct aie_order_bound *bound, uint32_t line, uint32_t place);
/* Have those before it been handed over? */
bool aie_order_bound_next(struct aie_order_bound *bound, uint32_t task);
/* The job has begun. */
void aie_order_bound_begun(struct aie_order_bound *bound, uint32_t job);

#endif
