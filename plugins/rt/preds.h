/* SPDX-License-Identifier: MIT */
/* preds.h - the predecessors of the task being issued, each once. */
#ifndef RT_PREDS_H
#define RT_PREDS_H

#include <stdbool.h>
#include <stdint.h>

/* marks[p & mask] is the low half of task + 1 when p is already in the list; p's mark is cleared when p itself is issued. */
struct rt_preds {
	uint64_t task;   /* being issued */
	uint64_t oldest; /* first live task: older ones have left the window */
	uint64_t *list;  /* of count, in the order in which they were found */
	uint32_t *marks;
	uint64_t mask;   /* mask + 1 marks: at least one per task of the window so far */
	uint32_t count, room;
	bool out_of_memory; /* sticky */
};
/* window: 0 for unbounded. False when out of memory. */
bool rt_preds_init(struct rt_preds *preds, uint64_t window);
void rt_preds_finish(struct rt_preds *preds);
/* More room for the list; more marks. */
void rt_preds_grow(struct rt_preds *preds);
void rt_preds_widen(struct rt_preds *preds);

/* The next task: clears the list. window as above. */
static inline void rt_preds_next(struct rt_preds *preds, uint64_t task, uint64_t window)
{
	preds->task = task;
	preds->oldest = window && task >= window ? task - window + 1 : 0;
	preds->count = 0;
	if (task - preds->oldest > preds->mask)
		rt_preds_widen(preds);
	preds->marks[task & preds->mask] = 0;
}

/* Enters p unless it is the task itself, has left the window, or is there already. */
static inline void rt_preds_add(struct rt_preds *preds, uint64_t p)
{
	uint32_t *mark = &preds->marks[p & preds->mask];

	if (p < preds->oldest || p == preds->task || *mark == (uint32_t)(preds->task + 1))
		return;
	*mark = (uint32_t)(preds->task + 1);
	if (preds->count == preds->room)
		rt_preds_grow(preds);
	if (preds->count < preds->room)
		preds->list[preds->count++] = p;
}

#endif
