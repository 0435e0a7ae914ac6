/* SPDX-License-Identifier: MIT */
/* ready_queue.h - ready tasks in the order that a schedule states, under a lock. The policy says which task is next. Tasks may have a home, a thread that takes them before
 * others do; a thread without another task takes those as well. */
#ifndef RT_READY_QUEUE_H
#define RT_READY_QUEUE_H

#include "rt/threads/deque.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Rank of a task, by policies. */
struct rt_rank {
	uint32_t priority; /* of its launch; a larger one goes first, whatever the policy says of equals */
	uint32_t awaited;  /* tasks that wait for it, as far as they have been issued */
	uint32_t home;     /* 0: none; else, counted on through the threads, the thread + 1 */
	uint64_t number;
};
/* A place in a queue: the larger key first, of equals the smaller order. */
struct rt_ready_place {
	uint64_t key, order; /* key: priority in its upper half */
	uint32_t slot, home; /* home: thread + 1, 0: none */
};
/* A policy, as a row of a table. */
struct rt_ready_policy {
	uint32_t code; /* PTOWSP_READY_x */
	bool own;      /* a task without a home has that of the thread on which it became ready */
	void (*place)(const struct rt_rank *rank, uint64_t arrival, struct rt_ready_place *place_out);
};
/* How the ready tasks of a run are ordered. All zeros: nothing is stated. */
struct rt_ready_order {
	const struct rt_ready_policy *policy;                                 /* NULL: the deques of `ready`, which have no lock */
	void (*rank)(void *context, uint32_t slot, struct rt_rank *rank_out); /* of a task that has just become ready; any thread */
	void *context;
	bool homes; /* there may be some */
};
/* The row of what a schedule states, 0 for nothing; wishes: tasks have priorities or homes. NULL: nothing has to be ordered. */
const struct rt_ready_policy *rt_ready_policy_find(uint32_t code, bool wishes);

/* Begins at a cache line. */
struct rt_ready_queue {
	_Alignas(64) _Atomic uint32_t count; /* written under the lock */
	pthread_mutex_t lock;                /* innermost */
	uint64_t arrivals;
	struct rt_ready_place *places; /* a heap; with homes in no order */
	struct rt_ready_order order;
	uint32_t threads;
};
/* room: most tasks at a time. False when out of memory. */
bool rt_ready_queue_init(struct rt_ready_queue *queue, const struct rt_ready_order *order, uint64_t room, uint32_t threads);
void rt_ready_queue_finish(struct rt_ready_queue *queue);
/* All tasks of the caller's own deque, that of worker, become visible at once; the newest there, which of several that one task made ready is the first in the program, counts as having
 * become ready first. Sequentially consistent, as ready.c demands. */
void rt_ready_queue_enter(struct rt_ready_queue *queue, uint32_t worker, struct rt_deque *from);
/* The first one for that worker. With homes all are looked at. False: it is empty. */
bool rt_ready_queue_take(struct rt_ready_queue *queue, uint32_t worker, uint32_t *slot_out);

#endif
