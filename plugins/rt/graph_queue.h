/* SPDX-License-Identifier: MIT */
/* graph_queue.h - ready tasks by pool: first in, first out within a pool, and where threads wait for them. Links lie in an array with a place per task, so
 * no queue can be full and nothing is allocated while a graph runs. All functions: any thread. */
#ifndef RT_GRAPH_QUEUE_H
#define RT_GRAPH_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { RT_GRAPH_QUEUES = 256, RT_GRAPH_ANY_QUEUE = RT_GRAPH_QUEUES, RT_GRAPH_BATCH = 16 };

struct rt_graph_queue {
	uint32_t head, tail; /* task + 1; head 0: empty, tail then says nothing */
};
struct rt_graph_queues {
	pthread_mutex_t lock; /* of everything below; innermost */
	pthread_cond_t wake;
	uint32_t *next;       /* per place: the one behind it + 1 */
	uint32_t places;      /* a task's place is its number mod places, and no two ready tasks share one */
	struct rt_graph_queue queues[RT_GRAPH_QUEUES];
	uint32_t used;        /* queues that were ever pushed to: 0 .. used - 1 */
	uint32_t ready, high_water;
	uint32_t waiting;     /* threads */
	bool stop;
};
/* False when out of memory. */
bool rt_graph_queues_init(struct rt_graph_queues *queues, uint32_t places);
void rt_graph_queues_finish(struct rt_graph_queues *queues);
/* Empty, and not stopped. */
void rt_graph_queues_reset(struct rt_graph_queues *queues);
void rt_graph_queue_push(struct rt_graph_queues *queues, uint8_t queue, uint32_t task);
/* The same for many: begin, add each, end. Nothing else of this file in between. */
void rt_graph_queue_begin(struct rt_graph_queues *queues);
void rt_graph_queue_add(struct rt_graph_queues *queues, uint8_t queue, uint32_t task);
void rt_graph_queue_end(struct rt_graph_queues *queues);
/* Tasks that a thread takes at once: of few ready ones one, of many a share, so that the lock is not taken for each. */
struct rt_graph_batch {
	uint32_t tasks[RT_GRAPH_BATCH];
	uint32_t count;
};
/* The oldest tasks of one queue, or with RT_GRAPH_ANY_QUEUE of the first queues that have some, looked at from `first` on; of all that are ready at most one
 * in `shares`, and one at least. Waits for them at most wait_ns, 0 without end. False: stopped or nothing came. */
bool rt_graph_queue_wait(struct rt_graph_queues *queues, uint32_t queue, uint32_t first, uint32_t shares, uint64_t wait_ns,
			 struct rt_graph_batch *batch_out);
/* Whoever waits comes back, now and later. */
void rt_graph_queues_stop(struct rt_graph_queues *queues);

#endif
