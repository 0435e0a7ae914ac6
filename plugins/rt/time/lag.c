/* SPDX-License-Identifier: MIT */
#include "rt/time/lag.h"

#include "registry/common/common_grow.h"
#include "rt/instances/schedulers.h"
#include "rt/rt_inline.h"
#include "rt/run/feed.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_TASK, KIND_SCOPE_BEGIN, KIND_SCOPE_END, KIND_ORDER_BEGIN, KIND_ORDER_STEP, KIND_ORDER_END, KIND_READ, KIND_SET, KIND_LOAD, KIND_SYNC };
/* Anything but a task; inlined where it is told, so that its kind is known. */
struct event {
	enum kind kind;
	uint32_t slot, count, owner; /* owner: of READ, an instance or PTOWSP_NONE */
	const uint32_t *slots;       /* count of them: of rt_exprs.reads, which stay */
	unsigned op;                 /* of SYNC */
	uint64_t a, b;               /* LOAD: a is the writer */
};
struct rt_lag_record {
	struct event event;        /* its kind alone is set of a task: */
	struct rt_clock_task task; /* its predecessors are in the ring of them */
};

void rt_lag_init(struct rt_lag *lag, struct rt_clock *clock, void (*told)(void *, const struct ptowsp_trace_task *), void *context)
{
	*lag = (struct rt_lag){.clock = clock, .told = told, .context = context};
}

void rt_lag_finish(struct rt_lag *lag)
{
	free(lag->records);
	free(lag->preds);
	free(lag->list);
	memset(lag, 0, sizeof(*lag));
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

enum { LEAST_RECORDS = 64, LEAST_PREDS = 512 };

static bool rings_make(struct rt_lag *lag)
{
	if (lag->records)
		return true;
	lag->records = malloc(LEAST_RECORDS * sizeof(*lag->records));
	lag->preds = malloc(LEAST_PREDS * sizeof(*lag->preds));
	lag->mask = LEAST_RECORDS - 1;
	lag->preds_mask = LEAST_PREDS - 1;
	return lag->records && lag->preds;
}

static bool preds_room(struct rt_lag *lag, uint64_t count)
{
	for (; lag->preds_head - lag->preds_tail + count > lag->preds_mask + 1; lag->preds_mask = lag->preds_mask * 2 + 1)
		if (!COMMON_RING_DOUBLE(lag->preds, lag->preds_mask, lag->preds_tail, lag->preds_head))
			return false;
	return true;
}

/* A new record, behind whose task, if it is one, so many predecessors have room. NULL: the lag is broken. */
static struct rt_lag_record *record_add(struct rt_lag *lag, uint32_t preds)
{
	bool ok = !lag->broken && rings_make(lag) && preds_room(lag, preds);

	if (ok && lag->head - lag->tail > lag->mask) {
		ok = COMMON_RING_DOUBLE(lag->records, lag->mask, lag->tail, lag->head);
		lag->mask = ok ? lag->mask * 2 + 1 : lag->mask;
	}
	if (!ok)
		lag->broken = lag->broken ? lag->broken : PTOWSP_NO_MEMORY;
	return ok ? &lag->records[lag->head++ & lag->mask] : NULL;
}

static struct rt_lag_record *first(const struct rt_lag *lag)
{
	return &lag->records[lag->tail & lag->mask];
}

static bool empty(const struct rt_lag *lag)
{
	return lag->head == lag->tail;
}

/* ---- telling the clock ----------------------------------------------------------------------------------------- */

static ptowsp_status task_tell(struct rt_lag *lag, const struct rt_clock_task *task)
{
	uint64_t number = lag->many ? lag->many->timed : lag->clock->issued;
	struct rt_clock_times times;
	ptowsp_status status = lag->broken;

	if (!status)
		status = lag->many ? rt_schedulers_task(lag->many, task->owner, task, &times) : rt_clock_task(lag->clock, task, &times);
	if (!status)
		lag->told(lag->context, &(struct ptowsp_trace_task){.task = number,
								    .start = times.start,
								    .end = times.end,
								    .kernel = task->kernel,
								    .executor = task->executor,
								    .stream = task->stream});
	else
		lag->broken = status;
	return status;
}

/* The predecessors go through a plain array because the ring may wrap inside them. */
static ptowsp_status task_take(struct rt_lag *lag, struct rt_clock_task task)
{
	for (uint32_t i = 0; i < task.pred_count; i++) {
		if (!COMMON_GROW(lag->list, lag->list_room, i))
			return lag->broken = PTOWSP_NO_MEMORY;
		lag->list[i] = lag->preds[lag->preds_tail++ & lag->preds_mask];
	}
	task.preds = lag->list;
	lag->waiting--;
	return task_tell(lag, &task);
}

RT_INLINE void read_tell(struct rt_lag *lag, const struct event *event)
{
	if (!lag->many)
		rt_clock_read(lag->clock, event->slots, event->count);
	for (uint32_t i = 0; lag->many && i < event->count; i++)
		rt_schedulers_read(lag->many, event->owner, event->slots[i]);
}

RT_INLINE ptowsp_status event_tell(struct rt_lag *lag, const struct event *event)
{
	struct rt_clock *clock = lag->clock;

	if (lag->many && (event->kind == KIND_SCOPE_BEGIN || event->kind == KIND_SCOPE_END))
		rt_schedulers_clock_scope(lag->many, event->kind == KIND_SCOPE_BEGIN);
	else if (lag->many && event->kind != KIND_READ)
		rt_schedulers_meet(lag->many);
	switch (event->kind) {
	case KIND_TASK: break;
	case KIND_SCOPE_BEGIN: rt_clock_scope_begin(clock); break;
	case KIND_SCOPE_END: rt_clock_scope_end(clock); break;
	case KIND_ORDER_BEGIN: rt_clock_order_begin(clock); break;
	case KIND_ORDER_STEP: rt_clock_order_step(clock); break;
	case KIND_ORDER_END: rt_clock_order_end(clock); break;
	case KIND_READ: read_tell(lag, event); break;
	case KIND_SET: rt_clock_slot_set(clock, event->slot, event->slots, event->count); break;
	case KIND_LOAD: rt_clock_slot_load(clock, event->slot, event->a); break;
	case KIND_SYNC: return lag->broken = rt_clock_sync(clock, event->op, event->a, event->b);
	}
	return PTOWSP_OK;
}

/* Everything up to the next task whose cycles are not known. */
static ptowsp_status drain(struct rt_lag *lag)
{
	ptowsp_status status = PTOWSP_OK;

	while (!status && !empty(lag)) {
		const struct rt_lag_record *record = first(lag);
		bool task = record->event.kind == KIND_TASK;

		if (task && record->task.cycles == RT_CYCLES_LATER)
			break;
		lag->tail++;
		status = task ? task_take(lag, record->task) : event_tell(lag, &record->event);
	}
	return status;
}

ptowsp_status rt_lag_cycles(struct rt_lag *lag, uint64_t cycles)
{
	if (lag->broken || lag->over)
		return lag->broken;
	if (lag->feed) {
		rt_feed_put_cycles(lag->feed, cycles);
		return PTOWSP_OK;
	}
	assert(!empty(lag) && first(lag)->task.cycles == RT_CYCLES_LATER);
	first(lag)->task.cycles = rt_cycles_told(cycles);
	return drain(lag);
}

/* ---- what the expander met ------------------------------------------------------------------------------------- */

ptowsp_status rt_lag_task(struct rt_lag *lag, const struct rt_clock_task *task)
{
	struct rt_lag_record *record;

	if (lag->feed)
		return rt_feed_put_task(lag->feed, task);
	if (empty(lag) && task->cycles != RT_CYCLES_LATER)
		return task_tell(lag, task);
	record = record_add(lag, task->pred_count);
	if (!record)
		return lag->broken;
	record->event.kind = KIND_TASK;
	record->task = *task;
	for (uint32_t i = 0; i < task->pred_count; i++)
		lag->preds[lag->preds_head++ & lag->preds_mask] = task->preds[i];
	lag->waiting++;
	return PTOWSP_OK;
}

RT_INLINE ptowsp_status hear(struct rt_lag *lag, const struct event *event)
{
	struct rt_lag_record *record;

	if (empty(lag))
		return event_tell(lag, event);
	record = record_add(lag, 0);
	if (!record)
		return lag->broken;
	record->event = *event;
	return PTOWSP_OK;
}

#define SIMPLE(name, KIND)                                                                                                                                     \
	ptowsp_status rt_lag_##name(struct rt_lag *lag)                                                                                                        \
	{                                                                                                                                                      \
		return lag->feed ? rt_feed_put(lag->feed, RT_ITEM_##KIND, 0, 0, 0) : hear(lag, &(struct event){.kind = KIND_##KIND});                          \
	}
SIMPLE(scope_begin, SCOPE_BEGIN)
SIMPLE(scope_end, SCOPE_END)
SIMPLE(order_begin, ORDER_BEGIN)
SIMPLE(order_step, ORDER_STEP)
SIMPLE(order_end, ORDER_END)
#undef SIMPLE

ptowsp_status rt_lag_read(struct rt_lag *lag, uint32_t owner, const uint32_t *slots, uint32_t count)
{
	if (lag->feed)
		return rt_feed_put_slots(lag->feed, RT_ITEM_READ, 0, slots, count);
	return hear(lag, &(struct event){.kind = KIND_READ, .owner = owner, .slots = slots, .count = count});
}

ptowsp_status rt_lag_slot_set(struct rt_lag *lag, uint32_t slot, const uint32_t *reads, uint32_t count)
{
	if (lag->feed)
		return rt_feed_put_slots(lag->feed, RT_ITEM_SET, slot, reads, count);
	return hear(lag, &(struct event){.kind = KIND_SET, .slot = slot, .slots = reads, .count = count});
}

ptowsp_status rt_lag_slot_load(struct rt_lag *lag, uint32_t slot, uint64_t writer)
{
	if (lag->feed)
		return rt_feed_put(lag->feed, RT_ITEM_LOAD, slot, writer, 0);
	return hear(lag, &(struct event){.kind = KIND_LOAD, .slot = slot, .a = writer});
}

ptowsp_status rt_lag_sync(struct rt_lag *lag, unsigned op, uint64_t a, uint64_t b)
{
	return lag->feed ? rt_feed_put_sync(lag->feed, op, a, b) : hear(lag, &(struct event){.kind = KIND_SYNC, .op = op, .a = a, .b = b});
}
