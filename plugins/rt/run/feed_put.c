/* SPDX-License-Identifier: MIT */
/* feed_put.c - the side of a feed that the walk fills: the ring of items and the ring of their lists. */
#include "registry/common/common_grow.h"
#include "rt/process/process.h"
#include "rt/run/feed.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST_ITEMS = 64, LEAST_WORDS = 256 };

/* ---- rings -------------------------------------------------------------------------------------------------------- */

static bool items_grow(struct rt_items *fill)
{
	if (!fill->rows) {
		fill->rows = malloc(LEAST_ITEMS * sizeof(*fill->rows));
		fill->mask = LEAST_ITEMS - 1;
		return fill->rows != NULL;
	}
	if (!COMMON_RING_DOUBLE(fill->rows, fill->mask, fill->tail, fill->head))
		return false;
	fill->mask = fill->mask * 2 + 1;
	return true;
}

/* Start of a list of `count` words that does not wrap; UINT64_MAX: no room. */
static uint64_t place_find(const struct rt_items *fill, uint64_t count)
{
	uint64_t size = fill->word_mask + 1, at = fill->word_head, left = size - (at & fill->word_mask);

	if (!fill->words)
		return UINT64_MAX;
	if (left < count)
		at += left;
	return at + count - fill->word_tail <= size ? at : UINT64_MAX;
}

static bool words_grow(struct rt_items *fill, uint64_t count)
{
	uint64_t size = fill->words ? 2 * (fill->word_mask + 1) : LEAST_WORDS, at = 0;
	uint64_t *more;

	while (size < 2 * (fill->word_head - fill->word_tail + count))
		size *= 2;
	more = malloc(size * sizeof(*more));
	if (!more)
		return false;
	for (uint64_t k = fill->tail; k != fill->head; k++) {
		struct rt_item *item = &fill->rows[k & fill->mask];

		if (item->count)
			memcpy(more + at, fill->words + (item->at & fill->word_mask), item->count * sizeof(*more));
		item->at = at;
		at += item->count;
	}
	free(fill->words);
	fill->words = more;
	fill->word_mask = size - 1;
	fill->word_tail = 0;
	fill->word_head = at;
	return true;
}

RT_INLINE struct rt_item *item_add(struct rt_feed *feed, enum rt_item_kind kind, uint64_t at, uint32_t count)
{
	struct rt_items *fill = feed->fill;
	struct rt_item *item = &fill->rows[fill->head++ & fill->mask];

	item->kind = (uint8_t)kind;
	item->later = false;
	item->process = feed->stage == RT_FEED_PIPELINE && feed->run->pipeline ? feed->run->pipeline->turn : PTOWSP_NONE;
	item->count = count;
	item->at = at;
	fill->word_head = at + count;
	return item;
}

/* Rings that are too small, or lists that would wrap. */
static struct rt_item *item_make_slowly(struct rt_feed *feed, enum rt_item_kind kind, uint32_t count)
{
	struct rt_items *fill = feed->fill;
	uint64_t at = place_find(fill, count);

	if ((!fill->rows || fill->head - fill->tail > fill->mask) && !items_grow(fill)) {
		fill->broken = true;
		return NULL;
	}
	if (at == UINT64_MAX) {
		if (!words_grow(fill, count)) {
			fill->broken = true;
			return NULL;
		}
		at = place_find(fill, count);
	}
	return item_add(feed, kind, at, count);
}

/* A new item with room for a list, which the caller fills. NULL when out of memory. */
RT_INLINE struct rt_item *item_make(struct rt_feed *feed, enum rt_item_kind kind, uint32_t count)
{
	const struct rt_items *fill = feed->fill;
	uint64_t at = fill->word_head, end = at + count;

	if (fill->head - fill->tail <= fill->mask && fill->words && (at & fill->word_mask) + count <= fill->word_mask &&
	    end - fill->word_tail <= fill->word_mask)
		return item_add(feed, kind, at, count);
	return item_make_slowly(feed, kind, count);
}

static uint64_t *words_of(const struct rt_feed *feed, const struct rt_item *item)
{
	return feed->fill->words + (item->at & feed->fill->word_mask);
}

/* ---- items -------------------------------------------------------------------------------------------------------- */

ptowsp_status rt_feed_put(struct rt_feed *feed, enum rt_item_kind kind, uint32_t row, uint64_t number, uint64_t bytes)
{
	struct rt_item *item = item_make(feed, kind, 0);

	if (!item)
		return PTOWSP_NO_MEMORY;
	item->row = row;
	item->number = number;
	item->bytes = bytes;
	return PTOWSP_OK;
}

/* Instance of the task that the walk has just met: the filter's, or under a policy that of the executor which it names, as far as there are so many. Only
 * the engine knows which has least to do. */
static uint32_t owner_find(struct rt_feed *feed, const struct rt_site *site, uint32_t executor)
{
	struct rt_run *run = feed->run;

	if (feed->limits.schedulers == 1)
		return 0;
	if (feed->stage == RT_FEED_PIPELINE)
		return run->pipeline->turn % feed->limits.schedulers;
	if (feed->numbered)
		return rt_owner_rest(&feed->owner, run->tasks);
	if (feed->filtered && rt_skip_filter_of(&feed->skip))
		return feed->skip.all_owner;
	if (feed->limits.policy && feed->limits.policy != PTOWSP_DISPATCH_WORK_STEAL)
		return executor % feed->limits.schedulers;
	return rt_owner_find(&feed->owner, site, run->tasks);
}

ptowsp_status rt_feed_put_task(struct rt_feed *feed, const struct rt_clock_task *task)
{
	struct rt_item *item = item_make(feed, RT_ITEM_TASK, task->pred_count);

	if (!item)
		return PTOWSP_NO_MEMORY;
	item->row = feed->run->program->sites[feed->run->expand.site].instruction;
	item->number = feed->run->tasks;
	item->unit = (uint8_t)feed->run->program->tables.kernel.rows[task->kernel].unit;
	item->later = task->cycles == RT_CYCLES_LATER;
	item->owner = owner_find(feed, &feed->run->program->sites[feed->run->expand.site], task->executor);
	item->bytes = task->heap;
	item->cycles = task->cycles;
	item->need = task->need;
	item->pool = task->pool;
	item->stream = task->stream;
	item->kernel = task->kernel;
	item->depth_loops = task->depth_loops;
	item->executor = task->executor;
	for (uint32_t i = 0; i < task->pred_count; i++)
		words_of(feed, item)[i] = task->preds[i];
	return PTOWSP_OK;
}

ptowsp_status rt_feed_put_slots(struct rt_feed *feed, enum rt_item_kind kind, uint32_t row, const uint32_t *slots, uint32_t count)
{
	struct rt_item *item = !count && kind == RT_ITEM_READ ? NULL : item_make(feed, kind, count);

	if (!item)
		return !count && kind == RT_ITEM_READ ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	item->row = row;
	for (uint32_t i = 0; i < count; i++)
		words_of(feed, item)[i] = slots[i];
	return PTOWSP_OK;
}

ptowsp_status rt_feed_put_follow(struct rt_feed *feed, uint64_t number, const uint64_t *tasks, uint32_t count)
{
	struct rt_item *item = item_make(feed, RT_ITEM_FOLLOW, count);

	if (!item)
		return PTOWSP_NO_MEMORY;
	item->number = number;
	for (uint32_t i = 0; i < count; i++)
		words_of(feed, item)[i] = tasks[i];
	return PTOWSP_OK;
}

ptowsp_status rt_feed_put_token(struct rt_feed *feed, enum rt_item_kind kind, uint32_t row, const struct rt_channel *channel, uint64_t value, uint32_t process)
{
	const struct rt_side *side = kind == RT_ITEM_SEND ? &channel->producers : &channel->consumers;
	struct rt_item *item = item_make(feed, kind, side->skip_count);

	if (!item)
		return PTOWSP_NO_MEMORY;
	item->row = row;
	item->number = kind == RT_ITEM_SEND ? channel->sends : channel->consumes;
	item->bytes = value;
	item->process = process;
	for (uint32_t i = 0; i < side->skip_count; i++)
		words_of(feed, item)[i] = side->skips[i];
	return PTOWSP_OK;
}

ptowsp_status rt_feed_put_sync(struct rt_feed *feed, unsigned op, uint64_t a, uint64_t b)
{
	const struct rt_run *run = feed->run;

	switch (op) {
	case PTOWSP_OP_SIGNAL: return rt_feed_put(feed, RT_ITEM_SIGNAL, (uint32_t)a, run->tasks, 0);
	case PTOWSP_OP_WAIT: return rt_feed_put(feed, RT_ITEM_WAIT, (uint32_t)a, run->sync.events[a].tasks, 0);
	case PTOWSP_OP_WAIT_NOTIFY: return rt_feed_put(feed, RT_ITEM_NOTICE, 0, a, 0);
	case PTOWSP_OP_BARRIER: return rt_feed_put(feed, RT_ITEM_BARRIER, 0, run->tasks, 0);
	case PTOWSP_OP_FENCE: return rt_feed_put(feed, RT_ITEM_FENCE, 0, run->sync.copies, 0);
	case PTOWSP_OP_ALLOC: return rt_feed_put(feed, RT_ITEM_ALLOC, 0, 0, a);
	default: return rt_feed_put(feed, RT_ITEM_FREE, 0, a, b);
	}
}

void rt_feed_put_cycles(struct rt_feed *feed, uint64_t cycles)
{
	struct rt_items *fill = feed->fill;

	if (fill->later < fill->tail)
		fill->later = fill->tail;
	while (fill->later != fill->head && !fill->rows[fill->later & fill->mask].later)
		fill->later++;
	if (fill->later == fill->head)
		return;
	fill->rows[fill->later & fill->mask].cycles = cycles;
	fill->rows[fill->later & fill->mask].later = false;
}
