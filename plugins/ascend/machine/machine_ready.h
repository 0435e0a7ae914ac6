/* SPDX-License-Identifier: MIT */
/* machine_ready.h - ready tasks of an instance: a queue per kind of core. */
#ifndef ASCEND_MACHINE_READY_H
#define ASCEND_MACHINE_READY_H

#include "ascend/machine/machine_state.h"

bool ascend_queue_init(struct ascend_queue *queue, uint32_t room);
bool ascend_depths_init(struct ascend_run *run);
void ascend_depths_finish(struct ascend_run *run);
/* A task ended that counted. */
void ascend_depths_leave(struct ascend_run *run, const struct ascend_task *task);
/* machine_ready.c: as below, where tasks go by number, or depths count. */
uint32_t ascend_ready_first_slow(struct ascend_run *run, struct ascend_queue *queue);
void ascend_ready_take_slow(struct ascend_run *run, struct ascend_queue *queue);

/* Sets the order of ready tasks in this run: run->limits->order, else the machine's. */
void ascend_order_of_ready(struct ascend_run *run);
/* ascend_mark_make writes into the mark of a ready task how many tasks wait for that task, in runs that have marks. */
void ascend_mark_make(struct ascend_run *run, const struct ascend_task *task, uint32_t number);
/* work_steal: something is ready; an instance takes the next task of that kind of another one, which is its own from now on; ASCEND_NOBODY: there is none. */
void ascend_thieves_wake(struct ascend_run *run);
uint32_t ascend_steal(struct ascend_run *run, struct ascend_aicpu *thief, enum ascend_class class);
/* ascend_queue_enter is the way into a queue that is full, is a heap, or has tasks that became ready now and have higher numbers. */
void ascend_queue_enter(struct ascend_run *run, struct ascend_queue *queue, uint32_t task);
/* A kernel without a unit goes where a core is idle, to a vector core first. */
static inline enum ascend_class ascend_class_choose(const struct ascend_aicpu *aicpu)
{
	const uint64_t *vector = aicpu->idle[ASCEND_VECTOR], *cube = aicpu->idle[ASCEND_CUBE];

	return !(vector[0] | vector[1]) && (cube[0] | cube[1]) ? ASCEND_CUBE : ASCEND_VECTOR;
}

/* A task that waits for nothing any more goes to the queue of its kind, behind those that are ready as long. */
static inline void ascend_ready_add(struct ascend_run *run, struct ascend_task *task, uint32_t number)
{
	struct ascend_aicpu *aicpu = &run->aicpus[task->owner];
	struct ascend_queue *queue;

	task->state = ASCEND_READY;
	task->start = run->now;
	if (task->any)
		task->class = (uint8_t)ascend_class_choose(aicpu);
	if (run->marks)
		ascend_mark_make(run, task, number);
	queue = &aicpu->ready[task->class];
	if (queue->head == queue->tail && queue->tasks && !run->heaps)
		queue->tasks[queue->tail++ & queue->mask] = number;
	else
		ascend_queue_enter(run, queue, number);
	ascend_aicpu_wake(run, task->owner, run->now);
	if (run->steals)
		ascend_thieves_wake(run);
}

/* Waits for one thing less, at the instance that does this; ready with the last. */
static inline void ascend_task_release(struct ascend_run *run, uint32_t number)
{
	struct ascend_task *task = ascend_task_of(run, number);

	if (!--task->waits)
		ascend_ready_add(run, task, number);
}

/* The first task that may start; ASCEND_NOBODY: none. It stays in its queue. */
static inline uint32_t ascend_ready_first(struct ascend_run *run, struct ascend_queue *queue)
{
	if (queue->head == queue->tail)
		return ASCEND_NOBODY;
	return run->limits->depth_count ? ascend_ready_first_slow(run, queue) : queue->tasks[queue->head & queue->mask];
}

static inline void ascend_ready_take(struct ascend_run *run, struct ascend_queue *queue)
{
	if (run->heaps || run->limits->depth_count)
		ascend_ready_take_slow(run, queue);
	else
		queue->head++;
}

#endif
