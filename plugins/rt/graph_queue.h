/* SPDX-License-Identifier: MIT */
/* graph_queue.h - ready tasks by pool: first in, first out within a pool, and where threads wait for them. Links lie in an array with a place per task, so
 * no queue can be full and nothing is allocated while a graph runs. All functions: any thread. */
#ifndef RT_GRAPH_QUEUE_H
#define RT_GRAPH_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { RT_GRAPH_QUEUES = 256, RT_GRAPH_ANY_QUEUE = RT_GRAPH_QUEUES };

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
/* The oldest task of one queue, or with RT_GRAPH_ANY_QUEUE of the first queue that has one, looked at from `first` on. False: there is none. */
bool rt_graph_queue_take(struct rt_graph_queues *queues, uint32_t queue, uint32_t first, uint32_t *task_out);
/* The same, but waits for one: at most wait_ns, 0 without end. False: stopped or nothing came. */
bool rt_graph_queue_wait(struct rt_graph_queues *queues, uint32_t queue, uint32_t first, uint64_t wait_ns, uint32_t *task_out);
/* Whoever waits comes back, now and later. */
void rt_graph_queues_stop(struct rt_graph_queues *queues);

#endif
