/* SPDX-License-Identifier: MIT */
#include "rt/ready.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool rt_ready_init(struct rt_ready *ready, uint64_t slots)
{
	pthread_condattr_t attr;

	memset(ready, 0, sizeof(*ready));
	pthread_mutex_init(&ready->lock, NULL);
	pthread_cond_init(&ready->wake, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&ready->news, &attr);
	pthread_condattr_destroy(&attr);
	ready->mask = (uint32_t)(slots - 1);
	ready->queue = calloc(slots, sizeof(*ready->queue));
	return ready->queue != NULL;
}

void rt_ready_finish(struct rt_ready *ready)
{
	pthread_cond_destroy(&ready->news);
	pthread_cond_destroy(&ready->wake);
	pthread_mutex_destroy(&ready->lock);
	free(ready->queue);
	memset(ready, 0, sizeof(*ready));
}

void rt_ready_push(struct rt_ready *ready, uint32_t slot)
{
	pthread_mutex_lock(&ready->lock);
	ready->queue[ready->tail++ & ready->mask] = slot;
	if (ready->parked)
		pthread_cond_signal(&ready->wake);
	else if (atomic_load_explicit(&ready->expecting, memory_order_relaxed)) /* set and cleared under this lock */
		pthread_cond_signal(&ready->news);
	pthread_mutex_unlock(&ready->lock);
}

static bool take(struct rt_ready *ready, uint32_t *slot_out)
{
	if (ready->head == ready->tail)
		return false;
	*slot_out = ready->queue[ready->head++ & ready->mask];
	return true;
}

bool rt_ready_take(struct rt_ready *ready, uint32_t *slot_out)
{
	bool found;

	pthread_mutex_lock(&ready->lock);
	found = take(ready, slot_out);
	pthread_mutex_unlock(&ready->lock);
	return found;
}

bool rt_ready_wait(struct rt_ready *ready, uint32_t *slot_out)
{
	bool found = false;

	pthread_mutex_lock(&ready->lock);
	while (!ready->stop && !(found = take(ready, slot_out))) {
		ready->parked++;
		pthread_cond_wait(&ready->wake, &ready->lock);
		ready->parked--;
	}
	pthread_mutex_unlock(&ready->lock);
	return found;
}

bool rt_ready_expect(struct rt_ready *ready, const _Atomic uint32_t *done, uint64_t wait_ns, uint32_t *slot_out)
{
	struct timespec until;
	bool found;
	int late = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)wait_ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&ready->lock);
	/* Sequentially consistent, with rt_ready_tell: either it sees the flag, or this thread sees that the task is done. */
	atomic_store(&ready->expecting, 1);
	while (!(found = take(ready, slot_out)) && !atomic_load(done) && !late)
		late = pthread_cond_timedwait(&ready->news, &ready->lock, &until);
	atomic_store(&ready->expecting, 0);
	pthread_mutex_unlock(&ready->lock);
	return found;
}

void rt_ready_tell(struct rt_ready *ready)
{
	if (!atomic_load(&ready->expecting))
		return;
	pthread_mutex_lock(&ready->lock);
	pthread_cond_signal(&ready->news);
	pthread_mutex_unlock(&ready->lock);
}

void rt_ready_stop(struct rt_ready *ready)
{
	pthread_mutex_lock(&ready->lock);
	ready->stop = true;
	pthread_cond_broadcast(&ready->wake);
	pthread_mutex_unlock(&ready->lock);
}
