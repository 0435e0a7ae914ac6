/* SPDX-License-Identifier: MIT */
/* task_flight.h - tasks of the C interface that run while others are still being submitted: the core's ring and ready queues, with the records of rt_graph.h
 * in the slots. Memory is bounded by the window. */
#ifndef RT_TASK_FLIGHT_H
#define RT_TASK_FLIGHT_H

#include "rt/graph/tasks.h"
#include "rt/threads/ring.h"
#include "rt/threads/workers.h"

struct rt_flight {
	struct rt_tasks *tasks;
	uint32_t threshold;
	struct rt_ring ring;
	struct rt_workers workers; /* entered: the tasks have started */
	struct rt_flow flow;
	uint64_t *stream_last; /* per stream: its latest task + 1 */
	uint32_t stream_count, stream_room;
	uint64_t started_at, in_flight;
};
/* window: at least 1. threshold: at least 1. Errors: NO_MEMORY. */
ptowsp_status rt_flight_init(struct rt_flight *flight, struct rt_tasks *tasks, uint64_t window, uint32_t threshold, struct ptowsp_error *error);
/* Sends the workers home; what has not begun never does. */
void rt_flight_finish(struct rt_flight *flight);
/* The task under construction, with the predecessors in tasks->deps. Errors: DEADLOCK, KERNEL_FAILED, CANCELLED, NO_MEMORY. */
ptowsp_status rt_flight_submit(struct rt_flight *flight, struct ptowsp_error *error);
/* Until all tasks have ended. */
ptowsp_status rt_flight_end(struct rt_flight *flight, struct ptowsp_error *error);
/* Of ring, edges and queues. */
uint64_t rt_flight_bytes(const struct rt_flight *flight);

#endif
