/* SPDX-License-Identifier: MIT */
/* items.h - what a run tells of time (rt_feed.h), kept until somebody takes it: a ring of items and a ring of their lists. An engine pulls from one; lag.h keeps in another what
 * waits for cycles that only running tells. One thread. */
#ifndef RT_ITEMS_H
#define RT_ITEMS_H

#include "rt/rt_feed.h"
#include "rt/rt_inline.h"
#include "rt/time/clock.h"

/* Zero is a good start. */
struct rt_items {
	struct rt_item *rows;             /* ring */
	uint64_t head, tail, mask, later; /* free-running; all before `later` have cycles */
	uint64_t *words;                  /* ring of lists, none of which wraps */
	uint64_t word_head, word_tail, word_mask;
	bool broken; /* an item had no room */
};
void rt_items_finish(struct rt_items *items);
static inline uint64_t *rt_items_list(const struct rt_items *items, const struct rt_item *item)
{
	return items->words + (item->at & items->word_mask);
}
/* The rest of rt_items_add: rings that are too small, or a list that would wrap. */
struct rt_item *rt_items_add_on(struct rt_items *items, enum rt_item_kind kind, uint32_t count);
/* At a place of the ring of lists, where it does not wrap. */
static inline struct rt_item *rt_items_put(struct rt_items *items, enum rt_item_kind kind, uint64_t at, uint32_t count)
{
	struct rt_item *item = &items->rows[items->head++ & items->mask];

	item->kind = (uint8_t)kind;
	item->later = false;
	item->count = count;
	item->at = at;
	items->word_head = at + count;
	return item;
}
/* A new item with room for a list, both of which the caller fills. NULL when out of memory. */
RT_INLINE struct rt_item *rt_items_add(struct rt_items *items, enum rt_item_kind kind, uint32_t count)
{
	uint64_t at = items->word_head;

	if (items->head - items->tail <= items->mask && items->words && (at & items->word_mask) + count <= items->word_mask &&
	    at + count - items->word_tail <= items->word_mask)
		return rt_items_put(items, kind, at, count);
	return rt_items_add_on(items, kind, count);
}
/* A task with its predecessors. NULL when out of memory. */
struct rt_item *rt_items_add_task(struct rt_items *items, const struct rt_clock_task *task);
/* The first task whose cycles were not known took so many. */
void rt_items_cycles(struct rt_items *items, uint64_t cycles);
static inline bool rt_items_none(const struct rt_items *items)
{
	return items->head == items->tail;
}
/* The oldest one, with its list; there is one. */
static inline struct rt_item *rt_items_first(const struct rt_items *items)
{
	struct rt_item *item = &items->rows[items->tail & items->mask];

	item->list = rt_items_list(items, item);
	return item;
}
/* It is no longer in use. */
static inline void rt_items_drop(struct rt_items *items)
{
	const struct rt_item *item = &items->rows[items->tail++ & items->mask];

	items->word_tail = item->at + item->count;
}

#endif
