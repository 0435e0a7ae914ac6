/* SPDX-License-Identifier: MIT */
#include "rt/time/lag.h"

#include "registry/common/common_grow.h"
#include "rt/instances/schedulers.h"
#include "rt/rt_inline.h"
#include "rt/run/feed.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A record: kind | length << 8, then length words. */
enum kind { KIND_TASK, KIND_SCOPE_BEGIN, KIND_SCOPE_END, KIND_ORDER_BEGIN, KIND_ORDER_STEP, KIND_ORDER_END, KIND_READ, KIND_SET, KIND_LOAD, KIND_SYNC };
enum { TASK_WORDS = 6 }; /* before the predecessors */

void rt_lag_init(struct rt_lag *lag, struct rt_clock *clock, void (*told)(void *, const struct ptowsp_trace_task *), void *context)
{
	*lag = (struct rt_lag){.clock = clock, .told = told, .context = context};
}

void rt_lag_finish(struct rt_lag *lag)
{
	free(lag->words);
	free(lag->preds);
	memset(lag, 0, sizeof(*lag));
}

/* ---- the ring of words ----------------------------------------------------------------------------------------- */

static bool room_make(struct rt_lag *lag, uint64_t words)
{
	uint64_t size = lag->words ? lag->mask + 1 : 512, used = lag->head - lag->tail;
	uint64_t *more;

	if (lag->words && used + words <= size)
		return true;
	while (size < used + words)
		size *= 2;
	more = malloc(size * sizeof(*more));
	if (!more)
		return false;
	for (uint64_t k = lag->tail; k != lag->head; k++)
		more[k & (size - 1)] = lag->words[k & lag->mask];
	free(lag->words);
	lag->words = more;
	lag->mask = size - 1;
	return true;
}

static void put(struct rt_lag *lag, uint64_t word)
{
	lag->words[lag->head++ & lag->mask] = word;
}

static uint64_t get(struct rt_lag *lag)
{
	return lag->words[lag->tail++ & lag->mask];
}

/* Opens a record; the caller puts `length` words behind it. */
static ptowsp_status record(struct rt_lag *lag, enum kind kind, uint64_t length)
{
	if (lag->broken || !room_make(lag, length + 1))
		return lag->broken = lag->broken ? lag->broken : PTOWSP_NO_MEMORY;
	put(lag, (uint64_t)kind | length << 8);
	return PTOWSP_OK;
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
static bool preds_take(struct rt_lag *lag, uint32_t count)
{
	void *preds = lag->preds;

	while (lag->preds_room < count) {
		if (!common_grow(&preds, &lag->preds_room, lag->preds_room, sizeof(*lag->preds)))
			return false;
		lag->preds = preds;
	}
	for (uint32_t i = 0; i < count; i++)
		lag->preds[i] = get(lag);
	return true;
}

static ptowsp_status task_take(struct rt_lag *lag, uint64_t length)
{
	struct rt_clock_task task = {.pred_count = (uint32_t)(length - TASK_WORDS)};
	uint64_t pair;

	task.cycles = get(lag);
	pair = get(lag);
	task.need = (struct rt_need){(uint32_t)pair, (uint32_t)(pair >> 32)};
	pair = get(lag);
	task.pool = (uint32_t)pair, task.executor = (uint32_t)(pair >> 32);
	pair = get(lag);
	task.stream = (uint32_t)pair, task.kernel = (uint32_t)(pair >> 32);
	pair = get(lag);
	task.depth_loops = (uint32_t)pair, task.owner = (uint32_t)(pair >> 32);
	task.heap = get(lag);
	if (!preds_take(lag, task.pred_count))
		return lag->broken = PTOWSP_NO_MEMORY;
	task.preds = lag->preds;
	lag->waiting--;
	return task_tell(lag, &task);
}

/* Anything but a task; inlined where it is told, so that its kind is known. */
struct event {
	enum kind kind;
	uint32_t slot, count, owner; /* owner: of READ, an instance or PTOWSP_NONE */
	const uint32_t *slots;       /* count of them: of rt_exprs.reads, which stay */
	unsigned op;                 /* of SYNC */
	uint64_t a, b;               /* LOAD: a is the writer */
};

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

enum { EVENT_WORDS = 5 };

static ptowsp_status event_put(struct rt_lag *lag, const struct event *event)
{
	ptowsp_status status = record(lag, event->kind, EVENT_WORDS);

	if (status)
		return status;
	put(lag, event->slot | (uint64_t)event->count << 32);
	put(lag, event->owner | (uint64_t)event->op << 32);
	put(lag, (uint64_t)(uintptr_t)event->slots);
	put(lag, event->a);
	put(lag, event->b);
	return PTOWSP_OK;
}

static ptowsp_status event_take(struct rt_lag *lag, enum kind kind)
{
	uint64_t first = get(lag), second = get(lag);
	struct event event = {
		.kind = kind, .slot = (uint32_t)first, .count = (uint32_t)(first >> 32), .owner = (uint32_t)second, .op = (unsigned)(second >> 32)};

	event.slots = (const uint32_t *)(uintptr_t)get(lag);
	event.a = get(lag);
	event.b = get(lag);
	return event_tell(lag, &event);
}

static ptowsp_status record_take(struct rt_lag *lag)
{
	uint64_t head = get(lag), length = head >> 8;
	enum kind kind = (enum kind)(head & 0xFF);

	return kind == KIND_TASK ? task_take(lag, length) : event_take(lag, kind);
}

/* Everything up to the next task whose cycles are not known. */
static ptowsp_status drain(struct rt_lag *lag)
{
	ptowsp_status status = PTOWSP_OK;

	while (!status && !empty(lag)) {
		bool task = (lag->words[lag->tail & lag->mask] & 0xFF) == KIND_TASK;

		if (task && lag->words[(lag->tail + 1) & lag->mask] == RT_CYCLES_LATER)
			break;
		status = record_take(lag);
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
	assert(!empty(lag) && lag->words[(lag->tail + 1) & lag->mask] == RT_CYCLES_LATER);
	lag->words[(lag->tail + 1) & lag->mask] = rt_cycles_told(cycles);
	return drain(lag);
}

/* ---- what the expander met ------------------------------------------------------------------------------------- */

ptowsp_status rt_lag_task(struct rt_lag *lag, const struct rt_clock_task *task)
{
	ptowsp_status status;

	if (lag->feed)
		return rt_feed_put_task(lag->feed, task);
	if (empty(lag) && task->cycles != RT_CYCLES_LATER)
		return task_tell(lag, task);
	status = record(lag, KIND_TASK, TASK_WORDS + (uint64_t)task->pred_count);
	if (status)
		return status;
	put(lag, task->cycles);
	put(lag, task->need.map | (uint64_t)task->need.deps << 32);
	put(lag, task->pool | (uint64_t)task->executor << 32);
	put(lag, task->stream | (uint64_t)task->kernel << 32);
	put(lag, task->depth_loops | (uint64_t)task->owner << 32);
	put(lag, task->heap);

	for (uint32_t i = 0; i < task->pred_count; i++)
		put(lag, task->preds[i]);
	lag->waiting++;
	return PTOWSP_OK;
}

RT_INLINE ptowsp_status hear(struct rt_lag *lag, const struct event *event)
{
	return empty(lag) ? event_tell(lag, event) : event_put(lag, event);
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
