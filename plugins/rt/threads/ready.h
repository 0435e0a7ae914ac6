/* SPDX-License-Identifier: MIT */
/* ready.h - tasks that may run, and where threads wait for them. A task stays with the thread that found it ready, where its data is: a deque each, from
 * which others take when they have nothing, half of what is there, the oldest. A schedule that states an order has a queue in place of the deques (ready_queue.h). A thread without
 * any task looks around for some microseconds before it parks: with short kernels there is soon something, and waking a thread costs more than they do. */
#ifndef RT_READY_H
#define RT_READY_H

#include "rt/threads/deque.h"
#include "rt/threads/ready_queue.h"
#include "rt/threads/ring.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Nothing here is ever full: a deque has a place for every slot, and a slot is in one of them at most once. */
struct rt_ready {
	struct rt_deque *deques; /* one per thread; 0 is the expander's */
	uint32_t threads;
	struct rt_ready_queue *queue; /* of a stated order; the deques then hold what rt_ready_keep put there. NULL: none is stated */
	char apart[64];
	_Atomic uint32_t searching; /* threads that look around: they see what is added without being woken */
	_Atomic uint32_t parked;    /* workers that wait for wake */
	_Atomic uint32_t expecting; /* the expander waits for news: slot + 1 whose end it wants to hear of */
	_Atomic uint32_t stop;
	pthread_mutex_t lock; /* orders parking and waking, nothing else; innermost: nothing else is locked under it */
	pthread_cond_t wake;  /* workers: something is ready, or stop */
	pthread_cond_t news;  /* the expander: something is ready, or its slot is over */
};
/* slots: a power of two. False when out of memory. */
bool rt_ready_init(struct rt_ready *ready, uint64_t slots, uint32_t threads, const struct rt_ready_order *order);
void rt_ready_finish(struct rt_ready *ready);
/* A worker's (the expander is worker 0): these became ready, the oldest first. They become visible together, which costs as much as one. */
void rt_ready_push_all(struct rt_ready *ready, uint32_t worker, const uint32_t *slots, uint32_t count);
static inline void rt_ready_push(struct rt_ready *ready, uint32_t worker, uint32_t slot)
{
	rt_ready_push_all(ready, worker, &slot, 1);
}
/* With a queue: this one became ready and stays with the worker, until rt_ready_share shows all of them at once. */
static inline void rt_ready_keep(struct rt_ready *ready, uint32_t worker, uint32_t slot)
{
	rt_deque_push(&ready->deques[worker], slot);
}
void rt_ready_share(struct rt_ready *ready, uint32_t worker);
/* The newest of its own, or the oldest of all others; with a queue the first one. false: nothing is ready. */
bool rt_ready_take(struct rt_ready *ready, uint32_t worker, uint32_t *slot_out);
/* How many are in the expander's deque or queue, about. */
static inline uint64_t rt_ready_own(const struct rt_ready *ready)
{
	int64_t count =
		atomic_load_explicit(&ready->deques[0].bottom, memory_order_relaxed) - atomic_load_explicit(&ready->deques[0].top, memory_order_relaxed);

	if (ready->queue)
		return atomic_load_explicit(&ready->queue->count, memory_order_relaxed);
	return count > 0 ? (uint64_t)count : 0;
}
/* A worker waits; false: stop. */
bool rt_ready_wait(struct rt_ready *ready, uint32_t worker, uint32_t *slot_out);
/* The expander waits for a ready task or until the task in slot `at` of the ring has ended, at most wait_ns. True: *slot_out is a task to run. */
bool rt_ready_expect(struct rt_ready *ready, const struct rt_ring *ring, uint32_t at, uint64_t wait_ns, uint32_t *slot_out);
/* The task in a slot has ended: wakes the expander if it waits for that. */
void rt_ready_tell(struct rt_ready *ready, uint32_t at);
/* Sends the workers home; queued tasks stay. */
void rt_ready_stop(struct rt_ready *ready);

#endif
