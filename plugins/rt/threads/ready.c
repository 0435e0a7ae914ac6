/* SPDX-License-Identifier: MIT */
#include "rt/threads/ready.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool queue_init(struct rt_ready *ready, uint64_t slots, const struct rt_ready_order *order)
{
	ready->queue = aligned_alloc(64, sizeof(*ready->queue));
	return ready->queue && rt_ready_queue_init(ready->queue, order, slots, ready->threads);
}

bool rt_ready_init(struct rt_ready *ready, uint64_t slots, uint32_t threads, const struct rt_ready_order *order)
{
	pthread_condattr_t attr;
	bool made = true;

	memset(ready, 0, sizeof(*ready));
	pthread_mutex_init(&ready->lock, NULL);
	pthread_cond_init(&ready->wake, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&ready->news, &attr);
	pthread_condattr_destroy(&attr);
	ready->threads = threads;
	ready->deques = aligned_alloc(64, threads * sizeof(*ready->deques)); /* writes of two threads share no line */
	for (uint32_t t = 0; ready->deques && t < threads; t++)
		made &= rt_deque_init(&ready->deques[t], slots);
	return ready->deques && made && (!order->policy || queue_init(ready, slots, order));
}

void rt_ready_finish(struct rt_ready *ready)
{
	for (uint32_t t = 0; ready->deques && t < ready->threads; t++)
		rt_deque_finish(&ready->deques[t]);
	free(ready->deques);
	if (ready->queue)
		rt_ready_queue_finish(ready->queue);
	free(ready->queue);
	pthread_cond_destroy(&ready->news);
	pthread_cond_destroy(&ready->wake);
	pthread_mutex_destroy(&ready->lock);
	memset(ready, 0, sizeof(*ready));
}

/* ---- waking -------------------------------------------------------------------------------------------------------
 *
 * A thread that adds a task stores `bottom`, or `count` of the queue, then loads `parked`, `searching`, `expecting`. One about to wait stores `parked` or `expecting` and then
 * loads every one of these. All of these are sequentially consistent, so one of the two sees the other: no task is added beside a thread that
 * goes on sleeping. `lock` closes the gap between that look and the wait itself. */

/* How many are there. */
static uint64_t count(const struct rt_ready *ready)
{
	uint64_t all = 0;

	if (ready->queue)
		return atomic_load(&ready->queue->count);
	for (uint32_t t = 0; t < ready->threads; t++) {
		int64_t own = rt_deque_count(&ready->deques[t]);

		all += own > 0 ? (uint64_t)own : 0;
	}
	return all;
}

static void signal_to(struct rt_ready *ready, pthread_cond_t *whom)
{
	pthread_mutex_lock(&ready->lock);
	pthread_cond_signal(whom);
	pthread_mutex_unlock(&ready->lock);
}

/* Something was added: wakes one thread, unless those that look around are enough. A searching worker looks once more after it has parked. */
static void wake_one(struct rt_ready *ready)
{
	if (atomic_load(&ready->parked)) {
		uint32_t searching = atomic_load(&ready->searching);

		if (!searching || count(ready) > searching)
			signal_to(ready, &ready->wake);
	} else if (atomic_load(&ready->expecting)) {
		signal_to(ready, &ready->news);
	}
}

/* ---- adding and taking -------------------------------------------------------------------------------------------- */

void rt_ready_push_all(struct rt_ready *ready, uint32_t worker, const uint32_t *slots, uint32_t count)
{
	rt_deque_push_all(&ready->deques[worker], slots, count);
	if (ready->queue)
		rt_ready_share(ready, worker);
	else
		wake_one(ready);
}

/* One thread is woken, and wakes the next where there is more. */
void rt_ready_share(struct rt_ready *ready, uint32_t worker)
{
	struct rt_deque *kept = &ready->deques[worker];
	uint32_t slot;

	if (!rt_deque_peek(kept, &slot))
		return;
	rt_ready_queue_enter(ready->queue, worker, kept);
	wake_one(ready);
}

enum { STEAL_MOST = 16 };

/* One of another thread's, and more into the own deque, where they can be taken from it again. */
static bool steal_from(struct rt_ready *ready, struct rt_deque *deque, uint32_t worker, uint32_t *slot_out)
{
	uint32_t slots[STEAL_MOST];
	const uint32_t count = rt_deque_steal(deque, slots, STEAL_MOST);

	if (!count)
		return false;
	*slot_out = slots[count - 1];
	if (count > 1)
		rt_deque_push_all(&ready->deques[worker], slots, count - 1);
	return true;
}

static bool steal(struct rt_ready *ready, uint32_t worker, uint32_t *slot_out)
{
	for (uint32_t t = 1; t < ready->threads; t++)
		if (steal_from(ready, &ready->deques[(worker + t) % ready->threads], worker, slot_out))
			return true;
	return false;
}

bool rt_ready_take(struct rt_ready *ready, uint32_t worker, uint32_t *slot_out)
{
	if (ready->queue)
		return rt_ready_queue_take(ready->queue, worker, slot_out);
	return rt_deque_pop(&ready->deques[worker], slot_out) || steal(ready, worker, slot_out);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

enum { SEARCH_STEPS = 1000 }; /* a step is 10 to 40 ns */

/* Tells the core that this is a wait. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#endif
}

/* Looks around for some microseconds. */
static bool search(struct rt_ready *ready, uint32_t worker, uint32_t *slot_out)
{
	for (unsigned k = 0; k < SEARCH_STEPS; k++) {
		if (rt_ready_take(ready, worker, slot_out))
			return true;
		if (atomic_load_explicit(&ready->stop, memory_order_relaxed))
			return false;
		relax();
	}
	return false;
}

static void park(struct rt_ready *ready)
{
	pthread_mutex_lock(&ready->lock);
	atomic_fetch_add(&ready->parked, 1);
	atomic_fetch_sub(&ready->searching, 1);
	if (!count(ready) && !atomic_load(&ready->stop))
		pthread_cond_wait(&ready->wake, &ready->lock);
	atomic_fetch_add(&ready->searching, 1);
	atomic_fetch_sub(&ready->parked, 1);
	pthread_mutex_unlock(&ready->lock);
}

bool rt_ready_wait(struct rt_ready *ready, uint32_t worker, uint32_t *slot_out)
{
	bool found = rt_ready_take(ready, worker, slot_out);

	if (found)
		return true;
	atomic_fetch_add(&ready->searching, 1);
	while (!(found = search(ready, worker, slot_out)) && !atomic_load(&ready->stop))
		park(ready);
	atomic_fetch_sub(&ready->searching, 1);
	/* This thread may have been woken for all of them. */
	if (found && atomic_load_explicit(&ready->parked, memory_order_relaxed) && count(ready))
		wake_one(ready);
	return found;
}

/* Until the lock's condition, or late. */
static void nap(struct rt_ready *ready, uint64_t wait_ns)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)wait_ns;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&ready->news, &ready->lock, &until);
}

bool rt_ready_expect(struct rt_ready *ready, const struct rt_ring *ring, uint32_t at, uint64_t wait_ns, uint32_t *slot_out)
{
	for (unsigned k = 0; k < SEARCH_STEPS; k++) {
		if (rt_ready_take(ready, 0, slot_out))
			return true;
		if (rt_ring_ended(ring, at))
			return false;
		relax();
	}
	pthread_mutex_lock(&ready->lock);
	/* Sequentially consistent, with rt_ready_tell and wake_one: either they see the flag, or this thread sees what they did before. */
	atomic_store(&ready->expecting, at + 1);
	if (!count(ready) && !rt_ring_ended(ring, at))
		nap(ready, wait_ns);
	atomic_store(&ready->expecting, 0);
	pthread_mutex_unlock(&ready->lock);
	return rt_ready_take(ready, 0, slot_out);
}

void rt_ready_tell(struct rt_ready *ready, uint32_t at)
{
	if (atomic_load(&ready->expecting) == at + 1)
		signal_to(ready, &ready->news);
}

void rt_ready_stop(struct rt_ready *ready)
{
	pthread_mutex_lock(&ready->lock);
	atomic_store(&ready->stop, 1);
	pthread_cond_broadcast(&ready->wake);
	pthread_cond_broadcast(&ready->news);
	pthread_mutex_unlock(&ready->lock);
}
