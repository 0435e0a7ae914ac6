/* SPDX-License-Identifier: MIT */
#include "rt/run/items.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST_ITEMS = 64, LEAST_WORDS = 256 };

void rt_items_finish(struct rt_items *items)
{
	free(items->rows);
	free(items->words);
	memset(items, 0, sizeof(*items));
}

static bool items_grow(struct rt_items *items)
{
	if (!items->rows) {
		items->rows = malloc(LEAST_ITEMS * sizeof(*items->rows));
		items->mask = LEAST_ITEMS - 1;
		return items->rows != NULL;
	}
	if (!COMMON_RING_DOUBLE(items->rows, items->mask, items->tail, items->head))
		return false;
	items->mask = items->mask * 2 + 1;
	return true;
}

/* Start of a list of `count` words that does not wrap; UINT64_MAX: no room. */
static uint64_t place_find(const struct rt_items *items, uint64_t count)
{
	uint64_t size = items->word_mask + 1, at = items->word_head, left = size - (at & items->word_mask);

	if (!items->words)
		return UINT64_MAX;
	if (left < count)
		at += left;
	return at + count - items->word_tail <= size ? at : UINT64_MAX;
}

static bool words_grow(struct rt_items *items, uint64_t count)
{
	uint64_t size = items->words ? 2 * (items->word_mask + 1) : LEAST_WORDS, at = 0;
	uint64_t *more;

	while (size < 2 * (items->word_head - items->word_tail + count))
		size *= 2;
	more = malloc(size * sizeof(*more));
	if (!more)
		return false;
	for (uint64_t k = items->tail; k != items->head; k++) {
		struct rt_item *item = &items->rows[k & items->mask];

		if (item->count)
			memcpy(more + at, items->words + (item->at & items->word_mask), item->count * sizeof(*more));
		item->at = at;
		at += item->count;
	}
	free(items->words);
	items->words = more;
	items->word_mask = size - 1;
	items->word_tail = 0;
	items->word_head = at;
	return true;
}

struct rt_item *rt_items_add_on(struct rt_items *items, enum rt_item_kind kind, uint32_t count)
{
	uint64_t at = place_find(items, count);

	if (((!items->rows || items->head - items->tail > items->mask) && !items_grow(items)) || (at == UINT64_MAX && !words_grow(items, count))) {
		items->broken = true;
		return NULL;
	}
	return rt_items_put(items, kind, at == UINT64_MAX ? place_find(items, count) : at, count);
}

struct rt_item *rt_items_add_task(struct rt_items *items, const struct rt_clock_task *task)
{
	struct rt_item *item = rt_items_add(items, RT_ITEM_TASK, task->pred_count);

	if (!item)
		return NULL;
	item->owner = task->owner;
	item->bytes = task->heap;
	item->cycles = task->cycles;
	item->need = task->need;
	item->pool = task->pool;
	item->stream = task->stream;
	item->kernel = task->kernel;
	item->depth_loops = task->depth_loops;
	item->executor = task->executor;
	for (uint32_t i = 0; i < task->pred_count; i++)
		rt_items_list(items, item)[i] = task->preds[i];
	return item;
}

void rt_items_cycles(struct rt_items *items, uint64_t cycles)
{
	if (items->later < items->tail)
		items->later = items->tail;
	while (items->later != items->head && !items->rows[items->later & items->mask].later)
		items->later++;
	if (items->later == items->head)
		return;
	items->rows[items->later & items->mask].cycles = cycles;
	items->rows[items->later & items->mask].later = false;
}
