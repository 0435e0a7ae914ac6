/* SPDX-License-Identifier: MIT */
#include "rt/time/lag.h"

#include "rt/instances/schedulers.h"
#include "rt/rt_inline.h"
#include "rt/run/feed.h"
#include "rt/run/rt_run.h"
#include <assert.h>
#include <string.h>

void rt_lag_init(struct rt_lag *lag, struct rt_run *run)
{
	*lag = (struct rt_lag){.run = run};
}

void rt_lag_finish(struct rt_lag *lag)
{
	rt_items_finish(&lag->items);
	memset(lag, 0, sizeof(*lag));
}

/* ---- telling the clock ----------------------------------------------------------------------------------------- */

static ptowsp_status task_tell(struct rt_lag *lag, const struct rt_clock_task *task)
{
	struct rt_clock *clock = &lag->run->clock;
	uint64_t number = lag->many ? lag->many->timed : clock->issued;
	struct rt_clock_times times;
	ptowsp_status status = lag->broken;

	if (!status)
		status = lag->many ? rt_schedulers_task(lag->many, task->owner, task, &times) : rt_clock_task(clock, task, &times);
	if (!status)
		rt_run_told(lag->run, &(struct ptowsp_trace_task){.task = number,
								  .start = times.start,
								  .end = times.end,
								  .kernel = task->kernel,
								  .executor = task->executor,
								  .stream = task->stream});
	else
		lag->broken = status;
	return status;
}

static ptowsp_status task_take(struct rt_lag *lag, const struct rt_item *item)
{
	lag->waiting--;
	return task_tell(lag, &(struct rt_clock_task){.cycles = item->cycles,
						      .need = item->need,
						      .pool = item->pool,
						      .executor = item->executor,
						      .stream = item->stream,
						      .kernel = item->kernel,
						      .depth_loops = item->depth_loops,
						      .owner = item->owner,
						      .heap = item->bytes,
						      .pred_count = item->count,
						      .preds = item->list});
}

/* Of READ and SET: `bytes` slots from `number` on of those that expressions read, which stay. */
static const uint32_t *slots_of(const struct rt_lag *lag, const struct rt_item *item)
{
	return lag->run->program->exprs.reads + item->number;
}

RT_INLINE void read_tell(struct rt_lag *lag, const struct rt_item *item)
{
	if (!lag->many)
		rt_clock_read(&lag->run->clock, slots_of(lag, item), (uint32_t)item->bytes);
	for (uint32_t i = 0; lag->many && i < item->bytes; i++)
		rt_schedulers_read(lag->many, item->owner, slots_of(lag, item)[i]);
}

/* Anything but a task; inlined where it is told, so that its kind is known. BARRIER stands for all that rt_clock_sync does, with the operation as its unit. */
RT_INLINE ptowsp_status item_tell(struct rt_lag *lag, const struct rt_item *item)
{
	struct rt_clock *clock = &lag->run->clock;

	if (lag->many && (item->kind == RT_ITEM_SCOPE_BEGIN || item->kind == RT_ITEM_SCOPE_END))
		rt_schedulers_clock_scope(lag->many, item->kind == RT_ITEM_SCOPE_BEGIN);
	else if (lag->many && item->kind != RT_ITEM_READ)
		rt_schedulers_meet(lag->many);
	switch (item->kind) {
	case RT_ITEM_SCOPE_BEGIN: rt_clock_scope_begin(clock); break;
	case RT_ITEM_SCOPE_END: rt_clock_scope_end(clock); break;
	case RT_ITEM_ORDER_BEGIN: rt_clock_order_begin(clock); break;
	case RT_ITEM_ORDER_STEP: rt_clock_order_step(clock); break;
	case RT_ITEM_ORDER_END: rt_clock_order_end(clock); break;
	case RT_ITEM_READ: read_tell(lag, item); break;
	case RT_ITEM_SET: rt_clock_slot_set(clock, item->row, slots_of(lag, item), (uint32_t)item->bytes); break;
	case RT_ITEM_LOAD: rt_clock_slot_load(clock, item->row, item->number); break;
	case RT_ITEM_BARRIER: return lag->broken = rt_clock_sync(clock, item->unit, item->number, item->bytes);
	}
	return PTOWSP_OK;
}

/* Everything up to the next task whose cycles are not known. */
static ptowsp_status drain(struct rt_lag *lag)
{
	ptowsp_status status = PTOWSP_OK;

	while (!status && !rt_items_none(&lag->items)) {
		const struct rt_item *item = rt_items_first(&lag->items);

		if (item->later)
			break;
		status = item->kind == RT_ITEM_TASK ? task_take(lag, item) : item_tell(lag, item);
		rt_items_drop(&lag->items);
	}
	return status;
}

ptowsp_status rt_lag_cycles(struct rt_lag *lag, uint64_t cycles)
{
	if (lag->broken || lag->over)
		return lag->broken;
	if (lag->feed) {
		rt_items_cycles(lag->feed->fill, cycles);
		return PTOWSP_OK;
	}
	assert(!rt_items_none(&lag->items) && rt_items_first(&lag->items)->later);
	rt_items_cycles(&lag->items, rt_cycles_told(cycles));
	return drain(lag);
}

/* ---- what the expander met ------------------------------------------------------------------------------------- */

ptowsp_status rt_lag_task(struct rt_lag *lag, const struct rt_clock_task *task)
{
	struct rt_item *item;

	if (lag->feed)
		return rt_feed_put_task(lag->feed, task);
	if (rt_items_none(&lag->items) && task->cycles != RT_CYCLES_LATER)
		return task_tell(lag, task);
	item = lag->broken ? NULL : rt_items_add_task(&lag->items, task);
	if (!item)
		return lag->broken = lag->broken ? lag->broken : PTOWSP_NO_MEMORY;
	item->later = task->cycles == RT_CYCLES_LATER;
	lag->waiting++;
	return PTOWSP_OK;
}

RT_INLINE ptowsp_status hear(struct rt_lag *lag, const struct rt_item *item)
{
	struct rt_item *kept;

	if (rt_items_none(&lag->items))
		return item_tell(lag, item);
	kept = lag->broken ? NULL : rt_items_add(&lag->items, item->kind, 0);
	if (!kept)
		return lag->broken = lag->broken ? lag->broken : PTOWSP_NO_MEMORY;
	kept->unit = item->unit;
	kept->owner = item->owner;
	kept->row = item->row;
	kept->number = item->number;
	kept->bytes = item->bytes;
	return PTOWSP_OK;
}

#define SIMPLE(name, KIND)                                                                                                                                     \
	ptowsp_status rt_lag_##name(struct rt_lag *lag)                                                                                                        \
	{                                                                                                                                                      \
		return lag->feed ? rt_feed_put(lag->feed, RT_ITEM_##KIND, 0, 0, 0) : hear(lag, &(struct rt_item){.kind = RT_ITEM_##KIND});                     \
	}
SIMPLE(scope_begin, SCOPE_BEGIN)
SIMPLE(scope_end, SCOPE_END)
SIMPLE(order_begin, ORDER_BEGIN)
SIMPLE(order_step, ORDER_STEP)
SIMPLE(order_end, ORDER_END)
#undef SIMPLE

/* Number of the first of the slots among those that expressions read. */
static uint64_t place_of(const struct rt_lag *lag, const uint32_t *slots, uint32_t count)
{
	return count ? (uint64_t)(slots - lag->run->program->exprs.reads) : 0;
}

ptowsp_status rt_lag_read(struct rt_lag *lag, uint32_t owner, const uint32_t *slots, uint32_t count)
{
	if (lag->feed)
		return rt_feed_put_slots(lag->feed, RT_ITEM_READ, 0, slots, count);
	return hear(lag, &(struct rt_item){.kind = RT_ITEM_READ, .owner = owner, .number = place_of(lag, slots, count), .bytes = count});
}

ptowsp_status rt_lag_slot_set(struct rt_lag *lag, uint32_t slot, const uint32_t *reads, uint32_t count)
{
	if (lag->feed)
		return rt_feed_put_slots(lag->feed, RT_ITEM_SET, slot, reads, count);
	return hear(lag, &(struct rt_item){.kind = RT_ITEM_SET, .row = slot, .number = place_of(lag, reads, count), .bytes = count});
}

ptowsp_status rt_lag_slot_load(struct rt_lag *lag, uint32_t slot, uint64_t writer)
{
	if (lag->feed)
		return rt_feed_put(lag->feed, RT_ITEM_LOAD, slot, writer, 0);
	return hear(lag, &(struct rt_item){.kind = RT_ITEM_LOAD, .row = slot, .number = writer});
}

ptowsp_status rt_lag_sync(struct rt_lag *lag, unsigned op, uint64_t a, uint64_t b)
{
	return lag->feed ? rt_feed_put_sync(lag->feed, op, a, b)
			 : hear(lag, &(struct rt_item){.kind = RT_ITEM_BARRIER, .unit = (uint8_t)op, .number = a, .bytes = b});
}
