/* SPDX-License-Identifier: MIT */
#include "rt/graph_queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool rt_graph_queues_init(struct rt_graph_queues *queues, uint32_t places)
{
	memset(queues, 0, sizeof(*queues));
	queues->places = places ? places : 1;
	queues->next = calloc(queues->places, sizeof(*queues->next));
	if (!queues->next)
		return false;
	pthread_mutex_init(&queues->lock, NULL);
	pthread_cond_init(&queues->wake, NULL);
	return true;
}

void rt_graph_queues_finish(struct rt_graph_queues *queues)
{
	if (!queues->next)
		return;
	pthread_cond_destroy(&queues->wake);
	pthread_mutex_destroy(&queues->lock);
	free(queues->next);
	memset(queues, 0, sizeof(*queues));
}

void rt_graph_queues_reset(struct rt_graph_queues *queues)
{
	pthread_mutex_lock(&queues->lock);
	memset(queues->queues, 0, sizeof(queues->queues));
	queues->used = queues->ready = queues->high_water = 0;
	queues->stop = false;
	pthread_mutex_unlock(&queues->lock);
}

void rt_graph_queue_begin(struct rt_graph_queues *queues)
{
	pthread_mutex_lock(&queues->lock);
}

void rt_graph_queue_add(struct rt_graph_queues *queues, uint8_t number, uint32_t task)
{
	struct rt_graph_queue *queue = &queues->queues[number];

	queues->next[task % queues->places] = 0;
	if (queue->head)
		queues->next[(queue->tail - 1) % queues->places] = task + 1;
	else
		queue->head = task + 1;
	queue->tail = task + 1;
	if (queues->used <= number)
		queues->used = number + 1u;
	if (++queues->ready > queues->high_water)
		queues->high_water = queues->ready;
}

void rt_graph_queue_end(struct rt_graph_queues *queues)
{
	/* A thread that serves one queue may be the one that wakes up, and there may be nothing for it: then all must look. */
	if (queues->waiting && queues->ready && (queues->used > 1 || queues->ready > 1))
		pthread_cond_broadcast(&queues->wake);
	else if (queues->waiting && queues->ready)
		pthread_cond_signal(&queues->wake);
	pthread_mutex_unlock(&queues->lock);
}

void rt_graph_queue_push(struct rt_graph_queues *queues, uint8_t number, uint32_t task)
{
	rt_graph_queue_begin(queues);
	rt_graph_queue_add(queues, number, task);
	rt_graph_queue_end(queues);
}

static bool pop(struct rt_graph_queues *queues, uint32_t number, uint32_t *task_out)
{
	struct rt_graph_queue *queue = &queues->queues[number];

	if (!queue->head)
		return false;
	*task_out = queue->head - 1;
	queue->head = queues->next[*task_out % queues->places];
	queues->ready--;
	return true;
}

static bool pop_any(struct rt_graph_queues *queues, uint32_t queue, uint32_t first, uint32_t *task_out)
{
	if (queue != RT_GRAPH_ANY_QUEUE)
		return pop(queues, queue, task_out);
	for (uint32_t i = 0; i < queues->used; i++)
		if (pop(queues, (first + i) % queues->used, task_out))
			return true;
	return false;
}

static bool take(struct rt_graph_queues *queues, uint32_t queue, uint32_t first, uint32_t shares, struct rt_graph_batch *batch)
{
	uint32_t share = queues->ready / shares + 1;

	batch->count = 0;
	while (batch->count < share && batch->count < RT_GRAPH_BATCH && pop_any(queues, queue, first, &batch->tasks[batch->count]))
		batch->count++;
	return batch->count != 0;
}

static struct timespec later(uint64_t ns)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	ns += (uint64_t)time.tv_nsec;
	time.tv_sec += (time_t)(ns / 1000000000u);
	time.tv_nsec = (long)(ns % 1000000000u);
	return time;
}

bool rt_graph_queue_wait(struct rt_graph_queues *queues, uint32_t queue, uint32_t first, uint32_t shares, uint64_t wait_ns,
			 struct rt_graph_batch *batch_out)
{
	struct timespec until = {0};
	bool found = false, over = false;

	if (wait_ns)
		until = later(wait_ns);
	pthread_mutex_lock(&queues->lock);
	while (!queues->stop && !(found = take(queues, queue, first, shares, batch_out)) && !over) {
		queues->waiting++;
		if (!wait_ns)
			pthread_cond_wait(&queues->wake, &queues->lock);
		else
			over = pthread_cond_timedwait(&queues->wake, &queues->lock, &until) != 0;
		queues->waiting--;
	}
	pthread_mutex_unlock(&queues->lock);
	return found;
}

void rt_graph_queues_stop(struct rt_graph_queues *queues)
{
	pthread_mutex_lock(&queues->lock);
	queues->stop = true;
	pthread_cond_broadcast(&queues->wake);
	pthread_mutex_unlock(&queues->lock);
}
