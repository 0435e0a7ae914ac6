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

/* ---- looking around --------------------------------------------------------------------------------------------- */

enum { LOCK_TRIES = 100, SEARCH_STEPS = 400 }; /* a step is 10 to 40 ns */

/* Tells the core that this is a wait. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#endif
}

/* What is done under the lock takes less time than going to sleep. */
static void lock(struct rt_ready *ready)
{
	for (unsigned k = 0; k < LOCK_TRIES; k++) {
		if (!pthread_mutex_trylock(&ready->lock))
			return;
		relax();
	}
	pthread_mutex_lock(&ready->lock);
}

/* Until something is ready or done (may be NULL) is set, or for a few microseconds. */
static void search(const struct rt_ready *ready, const _Atomic uint32_t *done)
{
	for (unsigned k = 0; k < SEARCH_STEPS && !rt_ready_backlog(ready); k++) {
		if (done && atomic_load_explicit(done, memory_order_relaxed))
			return;
		relax();
	}
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

/* Under the lock. */
static void backlog_set(struct rt_ready *ready)
{
	atomic_store_explicit(&ready->backlog, ready->tail - ready->head, memory_order_relaxed);
}

void rt_ready_push(struct rt_ready *ready, uint32_t slot)
{
	lock(ready);
	ready->queue[ready->tail++ & ready->mask] = slot;
	backlog_set(ready);
	/* A searching worker takes the lock once more before it parks, and then finds the task. */
	if (ready->parked && ready->tail - ready->head > ready->searching)
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
	backlog_set(ready);
	return true;
}

bool rt_ready_take(struct rt_ready *ready, uint32_t *slot_out)
{
	bool found;

	if (!rt_ready_backlog(ready))
		return false;
	lock(ready);
	found = take(ready, slot_out);
	pthread_mutex_unlock(&ready->lock);
	return found;
}

bool rt_ready_wait(struct rt_ready *ready, uint32_t *slot_out)
{
	bool found = false;

	lock(ready);
	while (!ready->stop && !(found = take(ready, slot_out))) {
		ready->searching++;
		pthread_mutex_unlock(&ready->lock);
		search(ready, NULL);
		lock(ready);
		ready->searching--;
		if (ready->stop || (found = take(ready, slot_out)))
			break;
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

	search(ready, done);
	if (atomic_load_explicit(done, memory_order_acquire))
		return rt_ready_take(ready, slot_out);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)wait_ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	lock(ready);
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
	lock(ready);
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
