/* SPDX-License-Identifier: MIT */
/* ready.h - tasks that may run: a bounded FIFO of slots for all threads, and where threads wait. Who finds nothing looks around for a few microseconds
 * before it parks: with short kernels there is soon something, and waking a thread costs more than they do. */
#ifndef RT_READY_H
#define RT_READY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Never full: it has a place for every slot of the ring, and a slot is in it at most once. */
struct rt_ready {
	pthread_mutex_t lock; /* of queue, head, tail, stop; innermost: nothing else is locked under it */
	pthread_cond_t wake;  /* workers: something is ready, or stop */
	pthread_cond_t news;  /* the expander: something is ready or done */
	uint32_t *queue;
	uint32_t mask, head, tail; /* free-running */
	uint32_t parked;           /* workers in wake */
	uint32_t searching;        /* workers that look around: they see what is pushed without being woken */
	_Atomic uint32_t backlog;  /* tail - head, for a look without the lock */
	bool stop;
	_Atomic uint32_t expecting; /* the expander waits: whoever finishes a task tells it */
};
bool rt_ready_init(struct rt_ready *ready, uint64_t slots); /* slots: a power of two */
void rt_ready_finish(struct rt_ready *ready);
void rt_ready_push(struct rt_ready *ready, uint32_t slot);
/* false: nothing is ready. */
bool rt_ready_take(struct rt_ready *ready, uint32_t *slot_out);
/* How many there are, about. */
static inline uint32_t rt_ready_backlog(const struct rt_ready *ready)
{
	return atomic_load_explicit(&ready->backlog, memory_order_relaxed);
}
/* Waits; false: stop. */
bool rt_ready_wait(struct rt_ready *ready, uint32_t *slot_out);
/* The expander waits for a ready task or for done to become non-zero, at most wait_ns. True: *slot_out is a task to run. */
bool rt_ready_expect(struct rt_ready *ready, const _Atomic uint32_t *done, uint64_t wait_ns, uint32_t *slot_out);
/* A task is done: wakes the expander if it waits. */
void rt_ready_tell(struct rt_ready *ready);
/* Sends the workers home; what is queued stays. */
void rt_ready_stop(struct rt_ready *ready);

#endif
