/* SPDX-License-Identifier: MIT */
/* preds.h - the predecessors of the task being issued, each once: a mark says that one is in the list, so that adding it costs the same however long that is.
 *
 * A stamp is the low half of a task's number + base + 1. Of two stamps only the distance counts: how many tasks ago. A keeper of stamps has to
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
	uint32_t count;
	uint64_t *list;     /* of count, in the order in which they were found */
	uint32_t *marks;    /* at stamp & mask: stamp of the latest task that it came before, or that another one of this place did */
	uint32_t mask;      /* span at least, so that no two live ones have one place */
	bool out_of_memory; /* sticky */
};

/* False when out of memory. */
bool rt_preds_init(struct rt_preds *preds);
void rt_preds_finish(struct rt_preds *preds);
/* Marks for a longer span, for a list that is empty. Without memory the span stays as short as they are. */
void rt_preds_widen(struct rt_preds *preds);
/* Takes the marks of the list away, for a task that begins anew; all marks, when stamps begin at 0 again. */
void rt_preds_unmark(struct rt_preds *preds);
void rt_preds_unmark_all(struct rt_preds *preds);
/* The stamp of a task. */
static inline uint32_t rt_preds_stamp(const struct rt_preds *preds, uint64_t task)
{
	return (uint32_t)task + preds->base + 1;
}

/* The next task: clears the list. window: 0 for unbounded. */
static inline void rt_preds_next(struct rt_preds *preds, uint64_t task, uint64_t window)
{
	uint64_t span = window && task >= window ? window - 1 : task;

	if (preds->count)
		rt_preds_unmark(preds);
	preds->task = task;
	preds->stamp = rt_preds_stamp(preds, task);
	if (!preds->stamp)
		rt_preds_unmark_all(preds);
	preds->span = span < UINT32_MAX ? (uint32_t)span : UINT32_MAX;
	preds->bounded = window && !(window >> 31);
	preds->count = 0;
	if (preds->span > preds->mask)
		rt_preds_widen(preds);
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
	preds->count = 0;
	if (!++preds->stamp)
		rt_preds_unmark_all(preds);
	if (preds->span < most && ++preds->span > preds->mask)
		rt_preds_widen(preds);
}

/* Has the task of the stamp left the window? The task being issued has not. */
static inline bool rt_preds_gone(const struct rt_preds *preds, uint32_t stamp)
{
	return preds->stamp - stamp > preds->span;
}

/* Enters a producer of the window unless it is there already. */
RT_INLINE void rt_preds_put(struct rt_preds *preds, uint32_t stamp)
{
	uint32_t *mark = &preds->marks[stamp & preds->mask], count = preds->count;

	if (*mark == preds->stamp)
		return;
	*mark = preds->stamp;
	preds->list[count] = preds->task - (preds->stamp - stamp);
	preds->count = count + 1;
}

/* The same unless it is the task itself, or has left the window. */
RT_INLINE void rt_preds_add(struct rt_preds *preds, uint32_t stamp)
{
	if (preds->stamp - stamp - 1 < preds->span)
		rt_preds_put(preds, stamp);
}

#endif
