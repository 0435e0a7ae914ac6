/* SPDX-License-Identifier: MIT */
#include "rt/threads/workers.h"

#include "rt/program/rt_error.h"
#include <string.h>

void rt_workers_init(struct rt_workers *workers, struct rt_pool *pool, void (*run)(void *, uint32_t, struct rt_chain *), void *context)
{
	memset(workers, 0, sizeof(*workers));
	workers->pool = pool;
	workers->threads = rt_pool_threads(pool);
	workers->run = run;
	workers->context = context;
	workers->error.head = (struct ptowsp_head)PTOWSP_HEAD(workers->error, ERROR);
	atomic_init(&workers->failed_task, UINT64_MAX);
	pthread_mutex_init(&workers->lock, NULL);
}

bool rt_workers_make(struct rt_workers *workers, uint64_t slots)
{
	workers->made = true;
	return rt_ready_init(&workers->ready, slots, workers->threads, &workers->order);
}

static void work(void *context, uint32_t worker)
{
	struct rt_workers *workers = context;
	uint32_t slot;

	while (rt_ready_wait(&workers->ready, worker, &slot))
		rt_workers_run(workers, slot, worker);
}

void rt_workers_enter(struct rt_workers *workers)
{
	if (workers->entered)
		return;
	workers->entered = true;
	if (workers->threads > 1)
		rt_pool_enter(workers->pool, work, workers);
}

void rt_workers_halt(struct rt_workers *workers)
{
	atomic_store(&workers->stop, 1);
	if (workers->entered)
		rt_ready_stop(&workers->ready);
}

void rt_workers_leave(struct rt_workers *workers)
{
	rt_workers_halt(workers);
	if (workers->entered && workers->threads > 1)
		rt_pool_leave(workers->pool);
	workers->entered = false;
}

void rt_workers_finish(struct rt_workers *workers)
{
	if (!workers->run)
		return;
	rt_workers_leave(workers);
	if (workers->made)
		rt_ready_finish(&workers->ready);
	pthread_mutex_destroy(&workers->lock);
	memset(workers, 0, sizeof(*workers));
}

/* ---- running ------------------------------------------------------------------------------------------------------- */

void rt_chain_ready(void *context, uint32_t slot)
{
	struct rt_chain *chain = context;

	if (chain->workers->ready.queue) {
		rt_ready_keep(&chain->workers->ready, chain->worker, slot);
		return;
	}
	if (chain->have)
		rt_ready_push(&chain->workers->ready, chain->worker, chain->next);
	chain->next = slot;
	chain->have = true;
}

void rt_workers_run(struct rt_workers *workers, uint32_t slot, uint32_t worker)
{
	struct rt_chain chain = {.workers = workers, .worker = worker, .next = slot, .have = true};

	while (chain.have && !atomic_load_explicit(&workers->stop, memory_order_relaxed)) {
		chain.have = false;
		workers->run(workers->context, chain.next, &chain);
		if (workers->ready.queue)
			rt_ready_share(&workers->ready, worker);
		if (!worker && workers->goes_on && !workers->goes_on(workers->host)) {
			if (chain.have)
				rt_ready_push(&workers->ready, 0, chain.next);
			return;
		}
	}
}

/* ---- failures ------------------------------------------------------------------------------------------------------ */

void rt_workers_failed(struct rt_workers *workers, uint64_t task, ptowsp_status status, const struct ptowsp_error *error)
{
	pthread_mutex_lock(&workers->lock);
	if (!workers->status || task < atomic_load_explicit(&workers->failed_task, memory_order_relaxed)) {
		workers->status = status;
		workers->error = *error;
		/* Release: with the acquire of who asks whether there is a failure at all. */
		atomic_store_explicit(&workers->failed_task, task, memory_order_release);
	}
	pthread_mutex_unlock(&workers->lock);
}

ptowsp_status rt_workers_status(struct rt_workers *workers, struct ptowsp_error *error)
{
	ptowsp_status status;

	/* Asked for every task, so without the lock. */
	if (atomic_load_explicit(&workers->failed_task, memory_order_acquire) == UINT64_MAX)
		return PTOWSP_OK;
	pthread_mutex_lock(&workers->lock);
	status = workers->status;
	if (error)
		rt_fail_at(error, status, workers->error.where[0], workers->error.where[1], "%s", workers->error.text);
	pthread_mutex_unlock(&workers->lock);
	return status;
}
