/* SPDX-License-Identifier: MIT */
/* machine_ready.c - ready tasks of an instance: a queue per kind of core, the longest waiting first and of those the lowest number, or the lowest number of all; and the counters of
 * pipeline_depth, at which a task that may not start yet is parked. */
#include "ascend/machine/machine_ready.h"
#include "base/hints.h"
#include "ptowsp/ids.h"
#include "registry/common/common_heap.h"
#include <stdlib.h>

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

/* Is a to be taken before b? */
static bool sooner(const struct ascend_run *run, uint32_t a, uint32_t b)
{
	const struct ascend_mark *m = run->marks ? &run->marks[a & run->mask] : NULL, *n = run->marks ? &run->marks[b & run->mask] : NULL;

	if (m && m->priority != n->priority)
		return m->priority > n->priority;
	if (m && m->awaited != n->awaited)
		return m->awaited > n->awaited;
	return run->by_number ? (int32_t)(a - b) < 0 : before(run, a, b);
}

COMMON_HEAP(ready, uint32_t, const struct ascend_run *, sooner)

static void queue_drop(const struct ascend_run *run, struct ascend_queue *queue)
{
	if (run->heaps)
		ready_pop(queue->tasks, &queue->tail, run);
	else
		queue->head++;
}

void ascend_queue_enter(struct ascend_run *run, struct ascend_queue *queue, uint32_t task)
{
	uint32_t at;

	if (!queue_room(run, queue))
		return;
	if (run->heaps) {
		ready_push(queue->tasks, &queue->tail, task, run);
		return;
	}
	for (at = queue->tail++; at != queue->head && before(run, task, queue->tasks[(at - 1) & queue->mask]); at--)
		queue->tasks[at & queue->mask] = queue->tasks[(at - 1) & queue->mask];
	queue->tasks[at & queue->mask] = task;
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

void ascend_order_of_ready(struct ascend_run *run)
{
	run->by_number = run->machine->config.by_number && !run->limits->order;
	run->steals = run->limits->order == PTOWSP_READY_WORK_STEAL && run->instances > 1;
	run->hinted = run->machine->config.hints || run->machine->config.blocks;
	run->heaps = run->by_number || run->limits->order == PTOWSP_READY_PRIORITY || (run->machine->config.hints && run->machine->config.hints->priorities);
}

/* Count of tasks that wait for it, as far as they have been issued. */
static uint32_t awaited(const struct ascend_run *run, uint32_t circle)
{
	uint32_t count = 0;

	for (uint32_t at = circle; at; at = run->links[at].next) {
		count++;
		if (run->links[at].next == circle)
			break;
	}
	return count;
}

void ascend_mark_make(struct ascend_run *run, const struct ascend_task *task, uint32_t number)
{
	if (run->limits->order == PTOWSP_READY_PRIORITY)
		run->marks[number & run->mask].awaited = awaited(run, task->followers);
}

void ascend_thieves_wake(struct ascend_run *run)
{
	for (uint32_t p = 0; p < run->instances; p++)
		ascend_aicpu_wake(run, p, run->now);
}

/* The loot is the task that has been ready longest among the next tasks of the other AICPUs; ASCEND_NOBODY: there is none. */
static uint32_t loot_find(struct ascend_run *run, const struct ascend_aicpu *thief, enum ascend_class class)
{
	uint32_t best = ASCEND_NOBODY;

	for (uint32_t p = 0; p < run->instances; p++) {
		uint32_t task = p == thief->number ? ASCEND_NOBODY : ascend_ready_first(run, &run->aicpus[p].ready[class]);

		if (task != ASCEND_NOBODY && (best == ASCEND_NOBODY || sooner(run, task, best)))
			best = task;
	}
	return best;
}

uint32_t ascend_steal(struct ascend_run *run, struct ascend_aicpu *thief, enum ascend_class class)
{
	uint32_t number = loot_find(run, thief, class);
	struct ascend_task *task;
	struct ascend_aicpu *from;

	if (number == ASCEND_NOBODY)
		return number;
	task = ascend_task_of(run, number);
	from = &run->aicpus[task->owner];
	ascend_ready_take(run, &from->ready[class]);
	from->in_flight--, from->tasks--;
	thief->in_flight++, thief->tasks++;
	task->owner = (uint8_t)thief->number;
	run->owners[number & run->owner_mask] = task->owner;
	return number;
}

/* ---- pipeline_depth ----------------------------------------------------------------------------------------------- */

static uint32_t domain_count(const struct ascend_run *run, const struct rt_depth *depth)
{
	return depth->domain == RT_DOMAIN_STREAM && run->limits->streams ? (uint32_t)run->limits->streams : depth->domain == RT_DOMAIN_POOL ? RT_POOL_LIMIT : 1;
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

/* The task that waits longest for a place that is free now is looked at again. */
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

uint32_t ascend_ready_first_slow(struct ascend_run *run, struct ascend_queue *queue)
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

void ascend_ready_take_slow(struct ascend_run *run, struct ascend_queue *queue)
{
	uint32_t task = queue->tasks[queue->head & queue->mask];

	queue_drop(run, queue);
	if (run->limits->depth_count)
		depths_enter(run, ascend_task_of(run, task));
}
