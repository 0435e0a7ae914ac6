/* SPDX-License-Identifier: MIT */
#include "rt/threads/pool.h"

#include "rt/program/rt_error.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct rt_pool {
	pthread_mutex_t lock; /* of everything below */
	pthread_cond_t wake, back;
	pthread_t *threads; /* threads - 1 of them */
	uint32_t started, count;
	uint32_t next;  /* number of the next worker to introduce itself */
	uint64_t round; /* of work: each worker goes once per round */
	uint32_t inside;
	bool stop;
	void (*work)(void *context, uint32_t worker);
	void *context;
};

static void *worker_main(void *argument)
{
	struct rt_pool *pool = argument;
	uint64_t seen = 0;
	uint32_t worker;

	pthread_mutex_lock(&pool->lock);
	worker = ++pool->next;
	for (;;) {
		while (!pool->stop && pool->round == seen)
			pthread_cond_wait(&pool->wake, &pool->lock);
		if (pool->stop)
			break;
		seen = pool->round;
		pthread_mutex_unlock(&pool->lock);
		pool->work(pool->context, worker);
		pthread_mutex_lock(&pool->lock);
		if (!--pool->inside)
			pthread_cond_signal(&pool->back);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

ptowsp_status rt_pool_create(struct rt_pool **pool_out, uint32_t threads, struct ptowsp_error *error)
{
	struct rt_pool *pool = calloc(1, sizeof(*pool));
	ptowsp_status status = PTOWSP_OK;
	int code = 0;

	*pool_out = NULL;
	if (!pool)
		return rt_no_memory(error, "worker threads");
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->wake, NULL);
	pthread_cond_init(&pool->back, NULL);
	pool->count = threads ? threads : 1;
	pool->threads = calloc(pool->count, sizeof(*pool->threads));
	if (!pool->threads)
		status = rt_no_memory(error, "worker threads");
	while (!status && !code && pool->started + 1 < pool->count) {
		code = pthread_create(&pool->threads[pool->started], NULL, worker_main, pool);
		pool->started += !code;
	}
	if (code)
		status = rt_fail(error, PTOWSP_NO_MEMORY, "worker thread %u of %u cannot be started (error %d); use fewer threads", pool->started + 1,
				 pool->count, code);
	if (status)
		rt_pool_destroy(pool);
	else
		*pool_out = pool;
	return status;
}

void rt_pool_destroy(struct rt_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->stop = true;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
	for (uint32_t i = 0; i < pool->started; i++)
		pthread_join(pool->threads[i], NULL);
	pthread_cond_destroy(&pool->wake);
	pthread_cond_destroy(&pool->back);
	pthread_mutex_destroy(&pool->lock);
	free(pool->threads);
	free(pool);
}

uint32_t rt_pool_threads(const struct rt_pool *pool)
{
	return pool ? pool->count : 1;
}

void rt_pool_enter(struct rt_pool *pool, void (*work)(void *context, uint32_t worker), void *context)
{
	pthread_mutex_lock(&pool->lock);
	pool->work = work;
	pool->context = context;
	pool->inside = pool->started;
	pool->round++;
	pthread_cond_broadcast(&pool->wake);
	pthread_mutex_unlock(&pool->lock);
}

void rt_pool_leave(struct rt_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->inside)
		pthread_cond_wait(&pool->back, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
}
