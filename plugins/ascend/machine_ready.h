/* SPDX-License-Identifier: MIT */
/* machine_ready.h - ready tasks of an instance: a queue per kind of core. */
#ifndef ASCEND_MACHINE_READY_H
#define ASCEND_MACHINE_READY_H

#include "ascend/machine_state.h"

bool ascend_queue_init(struct ascend_queue *queue, uint32_t room);
/* A task that waits for nothing any more goes to the queue of its kind, behind those that are ready as long. */
void ascend_ready_add(struct ascend_run *run, uint32_t task);
bool ascend_depths_init(struct ascend_run *run);
void ascend_depths_finish(struct ascend_run *run);
/* A task ended that counted. */
void ascend_depths_leave(struct ascend_run *run, const struct ascend_task *task);
/* machine_ready.c: as below, where tasks go by number, or depths count. */
uint32_t ascend_ready_first_slowly(struct ascend_run *run, struct ascend_queue *queue);
void ascend_ready_take_slowly(struct ascend_run *run, struct ascend_queue *queue);

/* The first task that may start; ASCEND_NOBODY: none. It stays in its queue. */
static inline uint32_t ascend_ready_first(struct ascend_run *run, struct ascend_queue *queue)
{
	if (queue->head == queue->tail)
		return ASCEND_NOBODY;
	return run->limits->depth_count ? ascend_ready_first_slowly(run, queue) : queue->tasks[queue->head & queue->mask];
}

static inline void ascend_ready_take(struct ascend_run *run, struct ascend_queue *queue)
{
	if (run->machine->config.by_number || run->limits->depth_count)
		ascend_ready_take_slowly(run, queue);
	else
		queue->head++;
}

#endif
