/* SPDX-License-Identifier: MIT */
/* machine_ready.c - ready tasks of an instance: a queue per kind of core, the longest waiting first and of those the lowest number, or the lowest number of all; and the counters of
 * pipeline_depth, at which a task that may not start yet is parked. */
#include <stdlib.h>
#include "ascend/machine_ready.h"
#include "rt/grow.h"

bool ascend_queue_init(struct ascend_queue *queue, uint32_t room)
{
	*queue = (struct ascend_queue){.tasks = malloc(room * sizeof(*queue->tasks)), .mask = room - 1};
	return queue->tasks != NULL;
}

static bool queue_grow(struct ascend_queue *queue)
{
	uint32_t size = queue->tasks ? 2 * (queue->mask + 1) : 16;
	uint32_t *more = malloc(size * sizeof(*more));

	if (!more)
		return false;
	for (uint32_t k = queue->head; k != queue->tail; k++)
		more[k & (size - 1)] = queue->tasks[k & queue->mask];
	free(queue->tasks);
	queue->tasks = more;
	queue->mask = size - 1;
	return true;
}

static bool queue_room(struct ascend_run *run, struct ascend_queue *queue)
{
	if (queue->tasks && queue->tail - queue->head <= queue->mask)
		return true;
	run->no_memory |= !queue_grow(queue);
	return !run->no_memory;
}

/* Is a to stand before b, which was there before? */
static bool before(const struct ascend_run *run, uint32_t a, uint32_t b)
{
	uint64_t since = ascend_task_of(run, a)->start, other = ascend_task_of(run, b)->start;

	return since < other || (since == other && (int32_t)(a - b) < 0);
}

/* By number: a heap, whose first place is 0. */
static void heap_enter(struct ascend_queue *queue, uint32_t task)
{
	uint32_t *heap = queue->tasks, at = queue->tail++;

	for (; at && (int32_t)(task - heap[(at - 1) / 2]) < 0; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = task;
}

static void heap_drop(struct ascend_queue *queue)
{
	uint32_t *heap = queue->tasks, count = --queue->tail, last = heap[count], at = 0, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && (int32_t)(heap[child + 1] - heap[child]) < 0)
			child++;
		if ((int32_t)(heap[child] - last) >= 0)
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
}

static void queue_drop(const struct ascend_run *run, struct ascend_queue *queue)
{
	if (run->machine->config.by_number)
		heap_drop(queue);
	else
		queue->head++;
}

void ascend_queue_enter(struct ascend_run *run, struct ascend_queue *queue, uint32_t task)
{
	uint32_t at;

	if (!queue_room(run, queue))
		return;
	if (run->machine->config.by_number) {
		heap_enter(queue, task);
		return;
	}
	for (at = queue->tail++; at != queue->head && before(run, task, queue->tasks[(at - 1) & queue->mask]); at--)
		queue->tasks[at & queue->mask] = queue->tasks[(at - 1) & queue->mask];
	queue->tasks[at & queue->mask] = task;
}

/* ---- pipeline_depth ----------------------------------------------------------------------------------------------- */

static uint32_t domain_count(const struct ascend_run *run, const struct rt_depth *depth)
{
	return depth->domain == RT_DOMAIN_STREAM && run->limits->streams ? (uint32_t)run->limits->streams
	       : depth->domain == RT_DOMAIN_POOL			 ? RT_POOL_LIMIT
									 : 1;
}

bool ascend_depths_init(struct ascend_run *run)
{
	bool ok = true;

	for (uint32_t k = 0; ok && k < run->limits->depth_count; k++) {
		run->depth_domains[k] = domain_count(run, &run->limits->depths[k]);
		run->depths[k] = calloc(run->depth_domains[k], sizeof(*run->depths[k]));
		ok = run->depths[k] != NULL;
	}
	return ok;
}

void ascend_depths_finish(struct ascend_run *run)
{
	for (uint32_t k = 0; k < RT_DEPTH_LIMIT; k++) {
		for (uint32_t d = 0; run->depths[k] && d < run->depth_domains[k]; d++)
			free(run->depths[k][d].parked.tasks);
		free(run->depths[k]);
	}
}

static struct ascend_depth_domain *domain_of(const struct ascend_run *run, uint32_t k, const struct ascend_task *task)
{
	switch (run->limits->depths[k].domain) {
	case RT_DOMAIN_STREAM: return &run->depths[k][run->limits->streams ? task->stream : 0];
	case RT_DOMAIN_POOL: return &run->depths[k][task->pool];
	case RT_DOMAIN_LOOP: return task->depth_loops >> k & 1 ? &run->depths[k][0] : NULL;
	default: return &run->depths[k][0];
	}
}

/* The first of its domains that is full; NULL: it may start. */
static struct ascend_depth_domain *domain_full(const struct ascend_run *run, const struct ascend_task *task)
{
	for (uint32_t k = 0; k < run->limits->depth_count; k++) {
		struct ascend_depth_domain *domain = domain_of(run, k, task);

		if (domain && domain->in_flight >= run->limits->depths[k].depth)
			return domain;
	}
	return NULL;
}

static void depths_enter(struct ascend_run *run, const struct ascend_task *task)
{
	for (uint32_t k = 0; k < run->limits->depth_count; k++) {
		struct ascend_depth_domain *domain = domain_of(run, k, task);

		if (domain)
			domain->in_flight++;
	}
}

/* Whoever waits longest for a place that is free now is looked at again. */
void ascend_depths_leave(struct ascend_run *run, const struct ascend_task *task)
{
	for (uint32_t k = 0; k < run->limits->depth_count; k++) {
		struct ascend_depth_domain *domain = domain_of(run, k, task);
		struct ascend_task *next;
		uint32_t number;

		if (!domain)
			continue;
		domain->in_flight--;
		if (domain->parked.head == domain->parked.tail)
			continue;
		number = domain->parked.tasks[domain->parked.head & domain->parked.mask];
		queue_drop(run, &domain->parked);
		next = ascend_task_of(run, number);
		ascend_queue_enter(run, &run->aicpus[next->owner].ready[next->class], number);
		ascend_aicpu_wake(run, next->owner, run->now);
	}
}

/* ---- taking ------------------------------------------------------------------------------------------------------- */

uint32_t ascend_ready_first_slowly(struct ascend_run *run, struct ascend_queue *queue)
{
	while (queue->head != queue->tail) {
		uint32_t task = queue->tasks[queue->head & queue->mask];
		struct ascend_depth_domain *full = domain_full(run, ascend_task_of(run, task));

		if (!full)
			return task;
		queue_drop(run, queue);
		ascend_queue_enter(run, &full->parked, task);
	}
	return ASCEND_NOBODY;
}

void ascend_ready_take_slowly(struct ascend_run *run, struct ascend_queue *queue)
{
	uint32_t task = queue->tasks[queue->head & queue->mask];

	queue_drop(run, queue);
	if (run->limits->depth_count)
		depths_enter(run, ascend_task_of(run, task));
}
