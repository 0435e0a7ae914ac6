/* SPDX-License-Identifier: MIT */
/* feed_put.c - the side of a feed that the walk fills: items from what it meets. */
#include "rt/process/process.h"
#include "rt/run/feed.h"

/* Whose clock moves. */
static uint32_t process_of(const struct rt_feed *feed)
{
	return feed->stage == RT_FEED_PIPELINE && feed->run->pipeline ? feed->run->pipeline->turn : PTOWSP_NONE;
}

/* A new item with room for a list, which the caller fills. NULL when out of memory. */
RT_INLINE struct rt_item *item_make(struct rt_feed *feed, enum rt_item_kind kind, uint32_t count)
{
	struct rt_item *item = rt_items_add(feed->fill, kind, count);

	if (item)
		item->process = process_of(feed);
	return item;
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

static ptowsp_status task_pass(struct rt_feed *feed, const struct rt_clock_task *task)
{
	const struct rt_item item = {.kind = RT_ITEM_TASK,
				     .unit = (uint8_t)feed->run->program->tables.kernel.rows[task->kernel].unit,
				     .process = PTOWSP_NONE,
				     .number = feed->run->tasks,
				     .bytes = task->heap,
				     .cycles = task->cycles,
				     .need = task->need,
				     .pool = task->pool,
				     .stream = task->stream,
				     .kernel = task->kernel,
				     .depth_loops = task->depth_loops,
				     .executor = task->executor,
				     .count = task->pred_count,
				     .list = task->preds};

	return feed->run->engine->task(feed->run->engine->context, &item);
}

ptowsp_status rt_feed_put_task(struct rt_feed *feed, const struct rt_clock_task *task)
{
	struct rt_item *item;

	if (feed->run->together && feed->give.head == feed->give.tail && task->cycles != RT_CYCLES_LATER)
		return task_pass(feed, task);
	item = rt_items_add_task(feed->fill, task);
	if (!item)
		return PTOWSP_NO_MEMORY;
	item->process = process_of(feed);
	item->row = feed->run->program->sites[feed->run->expand.site].instruction;
	item->number = feed->run->tasks;
	item->unit = (uint8_t)feed->run->program->tables.kernel.rows[task->kernel].unit;
	item->later = task->cycles == RT_CYCLES_LATER;
	item->owner = owner_find(feed, &feed->run->program->sites[feed->run->expand.site], task->executor);
	return PTOWSP_OK;
}

ptowsp_status rt_feed_put_slots(struct rt_feed *feed, enum rt_item_kind kind, uint32_t row, const uint32_t *slots, uint32_t count)
{
	struct rt_item *item = !count && kind == RT_ITEM_READ ? NULL : item_make(feed, kind, count);

	if (!item)
		return !count && kind == RT_ITEM_READ ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	item->row = row;
	for (uint32_t i = 0; i < count; i++)
		rt_items_list(feed->fill, item)[i] = slots[i];
	return PTOWSP_OK;
}

ptowsp_status rt_feed_put_follow(struct rt_feed *feed, uint64_t number, const uint64_t *tasks, uint32_t count)
{
	struct rt_item *item = item_make(feed, RT_ITEM_FOLLOW, count);

	if (!item)
		return PTOWSP_NO_MEMORY;
	item->number = number;
	for (uint32_t i = 0; i < count; i++)
		rt_items_list(feed->fill, item)[i] = tasks[i];
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
		rt_items_list(feed->fill, item)[i] = side->skips[i];
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
