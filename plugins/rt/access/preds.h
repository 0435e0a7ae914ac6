/* SPDX-License-Identifier: MIT */
/* preds.h - the predecessors of the task being issued, each once.
 *
 * A stamp is the low half of a task's number + base + 1. Of two stamps only the distance counts: how many tasks ago. Whoever keeps stamps has to
 * set those that are gone to rt_preds_stale every 2^30 tasks; a run under a window of 2^31 or more has at most 2^32 - 1 tasks. */
#ifndef RT_PREDS_H
#define RT_PREDS_H

#include "rt/rt_inline.h"
#include <stdbool.h>
#include <stdint.h>

struct rt_preds {
	uint64_t task;  /* being issued */
	uint32_t base;  /* stamps of the run begin behind it: where a tensor map is used again they go on, so that it need not be cleared */
	uint32_t stamp; /* its stamp */
	uint32_t span;  /* tasks before it that are live: older ones have left the window */
	bool bounded;   /* by a window below 2^31 */
	uint32_t count, room;
	uint64_t *list;  /* of count, in the order in which they were found */
	uint32_t *marks; /* at task & mask: stamp of the latest task that it came before; only used for long lists */
	uint32_t mask;
	bool out_of_memory; /* sticky */
};

/* From so many on, the list is no longer searched for what is to be added. */
#define RT_PREDS_FEW 12u

/* False when out of memory. */
bool rt_preds_init(struct rt_preds *preds);
void rt_preds_finish(struct rt_preds *preds);
/* Adds to a list that is long, or full. */
void rt_preds_add_slowly(struct rt_preds *preds, uint64_t producer);

/* The stamp of a task. */
static inline uint32_t rt_preds_stamp(const struct rt_preds *preds, uint64_t task)
{
	return (uint32_t)task + preds->base + 1;
}

/* The next task: clears the list. window: 0 for unbounded. */
static inline void rt_preds_next(struct rt_preds *preds, uint64_t task, uint64_t window)
{
	uint64_t span = window && task >= window ? window - 1 : task;

	preds->task = task;
	preds->stamp = rt_preds_stamp(preds, task);
	preds->span = span < UINT32_MAX ? (uint32_t)span : UINT32_MAX;
	preds->bounded = window && !(window >> 31);
	preds->count = 0;
}

/* A stamp that is not live now, nor for the next 2^30 tasks, nor ever under a window of 2^31 or more. */
static inline uint32_t rt_preds_stale(const struct rt_preds *preds)
{
	return preds->bounded ? preds->stamp - (UINT32_C(1) << 31) : 0;
}

/* The task behind the one before. most: what span grows to. */
static inline void rt_preds_step(struct rt_preds *preds, uint32_t most)
{
	preds->task++;
	preds->stamp++;
	if (preds->span < most)
		preds->span++;
	preds->count = 0;
}

/* Has the task of the stamp left the window? The task being issued has not. */
static inline bool rt_preds_gone(const struct rt_preds *preds, uint32_t stamp)
{
	return preds->stamp - stamp > preds->span;
}

/* Enters a producer unless it is the task itself, has left the window, or is there already. */
RT_INLINE void rt_preds_add(struct rt_preds *preds, uint32_t stamp)
{
	uint32_t age = preds->stamp - stamp, count = preds->count;
	uint64_t producer = preds->task - age;

	if (age - 1 >= preds->span)
		return;
	if (count >= RT_PREDS_FEW) {
		rt_preds_add_slowly(preds, producer);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		if (preds->list[i] == producer)
			return;
	preds->list[count] = producer;
	preds->count = count + 1;
}

#endif
