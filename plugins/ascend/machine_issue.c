/* SPDX-License-Identifier: MIT */
/* machine_issue.c - generating: one task after the other, in the order of their numbers, each by its instance. What is no task takes effect where the
 * walk meets it; values, events and places that are not there yet hold everything behind them. */
#include <stdlib.h>
#include "ascend/machine_state.h"
#include "rt/grow.h"

bool ascend_issue_init(struct ascend_run *run)
{
	run->slots = calloc((size_t)run->limits->slots + 1, sizeof(*run->slots));
	run->stream_count = run->limits->streams;
	if (run->machine->config.streams && run->machine->config.streams < run->stream_count)
		run->stream_count = run->machine->config.streams;
	run->streams = calloc((size_t)run->stream_count + 1, sizeof(*run->streams));
	run->heap.capacity = run->limits->heap;
	run->hold = UINT64_MAX;
	return run->slots && run->streams;
}

void ascend_issue_finish(struct ascend_run *run)
{
	for (uint32_t s = 0; run->slots && s < run->limits->slots; s++)
		free(run->slots[s].writers);
	free(run->slots);
	free(run->streams);
	free(run->virtuals);
	rt_arena_finish(&run->heap);
}

/* ---- slots -------------------------------------------------------------------------------------------------------- */

/* Those that have ended are forgotten. */
static void slot_settle(const struct ascend_run *run, struct ascend_slot *slot)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < slot->count; i++)
		if (!ascend_has_ended(run, slot->writers[i]))
			slot->writers[left++] = slot->writers[i];
	slot->count = left;
}

static void writer_add(struct ascend_run *run, struct ascend_slot *slot, uint64_t number)
{
	if (ascend_has_ended(run, number))
		return;
	if (!rt_grow((void **)&slot->writers, &slot->room, slot->count, sizeof(*slot->writers))) {
		run->no_memory = true;
		return;
	}
	slot->writers[slot->count++] = number;
}

static void slot_load(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_slot *slot = &run->slots[item->row];

	slot->time = run->chain;
	slot->count = 0;
	if (item->number)
		writer_add(run, slot, item->number - 1);
}

/* As late as the latest of what the expression reads. */
static void slot_set(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_slot joined = {.time = run->chain}, *slot = &run->slots[item->row];

	for (uint32_t i = 0; i < item->count; i++) {
		const struct ascend_slot *read = &run->slots[item->list[i]];

		joined.time = ascend_later(joined.time, read->time);
		for (uint32_t k = 0; k < read->count; k++)
			writer_add(run, &joined, read->writers[k]);
	}
	free(slot->writers);
	*slot = joined;
}

static bool slots_there(struct ascend_run *run, const struct rt_item *item)
{
	bool there = true;

	for (uint32_t i = 0; i < item->count; i++) {
		struct ascend_slot *slot = &run->slots[item->list[i]];

		if (slot->count)
			slot_settle(run, slot);
		there &= !slot->count;
		run->chain = ascend_later(run->chain, slot->time);
	}
	return there;
}

/* ---- room --------------------------------------------------------------------------------------------------------- */

uint64_t ascend_heap_ask(struct ascend_run *run, uint64_t bytes)
{
	uint64_t tail = 0, tasks;

	rt_arena_settle(&run->heap, run->left);
	while (!rt_arena_fits(&run->heap, bytes) && rt_arena_next(&run->heap, &tasks))
		tail = ascend_later(tail, tasks);
	return tail;
}

void ascend_heap_take(struct ascend_run *run, uint64_t bytes)
{
	rt_arena_settle(&run->heap, run->left);
	run->heap.used += bytes;
	rt_feed_use(run->feed, PTOWSP_RESOURCE_HEAP, 0, run->heap.used);
}

static uint64_t map_used(const struct ascend_run *run, uint64_t number)
{
	return run->needs[number & run->mask].map - run->gone.map;
}

static uint64_t deps_used(const struct ascend_run *run, uint64_t number)
{
	return run->needs[number & run->mask].deps - run->gone.deps;
}

bool ascend_room_there(struct ascend_run *run, const struct rt_item *item, uint8_t stage, uint64_t heap_tail)
{
	const struct rt_limits *limits = run->limits;

	switch (stage) {
	case ASCEND_WINDOW: return !limits->window || item->number - run->left < limits->window;
	case ASCEND_MAP: return !limits->map || !item->need.map || map_used(run, item->number) + item->need.map <= limits->map;
	case ASCEND_DEPS: return !limits->deps || !item->need.deps || deps_used(run, item->number) + item->need.deps <= limits->deps;
	case ASCEND_HEAP: return run->left >= heap_tail;
	case ASCEND_QUEUE: return !limits->ready || run->waiting[item->pool] < limits->ready;
	default: return true;
	}
}

enum ptowsp_resource ascend_resource_of(uint8_t stage)
{
	static const uint8_t resources[] = {[ASCEND_WINDOW] = PTOWSP_RESOURCE_TASK_RING, [ASCEND_MAP] = PTOWSP_RESOURCE_TENSOR_MAP,
					    [ASCEND_DEPS] = PTOWSP_RESOURCE_DEP_LIST, [ASCEND_HEAP] = PTOWSP_RESOURCE_HEAP,
					    [ASCEND_QUEUE] = PTOWSP_RESOURCE_READY};

	return (enum ptowsp_resource)resources[stage];
}

static inline void use_mark(struct ascend_run *run, enum ptowsp_resource resource, uint32_t pool, uint64_t use, uint64_t *high)
{
	if (use <= *high)
		return;
	*high = use;
	rt_feed_use(run->feed, resource, pool, use);
}

static void room_use(struct ascend_run *run, const struct rt_item *item)
{
	use_mark(run, PTOWSP_RESOURCE_TASK_RING, 0, item->number - run->left + 1, &run->high[PTOWSP_RESOURCE_TASK_RING]);
	if (item->need.map)
		use_mark(run, PTOWSP_RESOURCE_TENSOR_MAP, 0, map_used(run, item->number) + item->need.map, &run->high[PTOWSP_RESOURCE_TENSOR_MAP]);
	if (item->need.deps)
		use_mark(run, PTOWSP_RESOURCE_DEP_LIST, 0, deps_used(run, item->number) + item->need.deps, &run->high[PTOWSP_RESOURCE_DEP_LIST]);
	use_mark(run, PTOWSP_RESOURCE_READY, item->pool, run->waiting[item->pool] + 1, &run->ready_high[item->pool]);
}

/* ---- a window that only counts ------------------------------------------------------------------------------------ */

static void virtual_begin(struct ascend_run *run, uint64_t number)
{
	if (run->virtual_head > run->virtual_count) {
		for (uint32_t k = 0; k < run->virtual_count; k++)
			run->virtuals[k] = run->virtuals[run->virtual_head + k];
		run->virtual_head = 0;
	}
	if (!rt_grow((void **)&run->virtuals, &run->virtual_room, run->virtual_head + run->virtual_count, sizeof(*run->virtuals))) {
		run->no_memory = true;
		return;
	}
	run->virtuals[run->virtual_head + run->virtual_count++] = (struct ascend_virtual){number, run->now};
}

void ascend_virtuals_end(struct ascend_run *run)
{
	while (run->virtual_count && run->virtuals[run->virtual_head].number < run->left + run->limits->window) {
		const struct ascend_virtual *stall = &run->virtuals[run->virtual_head++];

		run->virtual_count--;
		rt_feed_stall(run->feed, PTOWSP_RESOURCE_TASK_RING, 0, stall->number, PTOWSP_NONE, stall->since, run->now);
	}
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

void ascend_start(struct ascend_run *run)
{
	if (run->started)
		return;
	run->started = true;
	for (uint32_t p = 0; p < run->instances; p++)
		ascend_aicpu_wake(run, p, run->now);
}

static void stall_end(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_head *head = &run->head;

	if (head->stalled)
		rt_feed_stall(run->feed, ascend_resource_of(head->stage), item->pool, item->number, PTOWSP_NONE, head->since, run->now);
	head->stalled = false;
}

bool ascend_window_full(struct ascend_run *run, const struct rt_item *item)
{
	switch (run->limits->window_mode) {
	case RT_WINDOW_ABORT: run->status = rt_feed_full(run->feed, item->number); return false;
	case RT_WINDOW_BENCHMARK: virtual_begin(run, item->number); return true;
	default: return false;
	}
}

/* What holds for most tasks: there is room everywhere. The head is the last that was met. */
static bool room_everywhere(const struct ascend_run *run, const struct rt_item *item)
{
	const struct rt_limits *limits = run->limits;

	return !item->bytes && (!limits->window || item->number - run->left < limits->window) &&
	       (!limits->map || run->sums.map - run->gone.map <= limits->map) && (!limits->deps || run->sums.deps - run->gone.deps <= limits->deps) &&
	       (!limits->ready || run->waiting[item->pool] < limits->ready);
}

static bool issue_ready(struct ascend_run *run)
{
	struct ascend_head *head = &run->head;
	const struct rt_item *item = head->item;

	if (!head->stalled && head->stage == ASCEND_WINDOW && room_everywhere(run, item)) {
		head->stage = ASCEND_ROOM;
		return true;
	}
	for (; head->stage < ASCEND_ROOM; head->stage++) {
		if (head->stage == ASCEND_HEAP && item->bytes && !head->stalled)
			run->head.heap_tail = ascend_heap_ask(run, item->bytes);
		if (ascend_room_there(run, item, head->stage, head->heap_tail)) {
			stall_end(run, item);
		} else if (head->stalled) {
			return false;
		} else if (head->stage != ASCEND_WINDOW || !ascend_window_full(run, item)) {
			head->stalled = true;
			head->since = run->now;
			ascend_start(run);
			return false;
		}
	}
	return true;
}

/* ---- items -------------------------------------------------------------------------------------------------------- */

/* Tasks of the workload whose innermost scope is open stay in the window, and with them all behind. */
static void scope_begin(struct ascend_run *run)
{
	run->held[++run->scope_depth] = UINT64_MAX;
}

static void scope_end(struct ascend_run *run)
{
	run->scope_depth--;
	run->hold = UINT64_MAX;
	for (uint32_t k = 1; k <= run->scope_depth; k++)
		if (run->held[k] < run->hold)
			run->hold = run->held[k];
	ascend_tasks_leave(run);
}

static void scope_enter(struct ascend_run *run, uint64_t number)
{
	if (run->held[run->scope_depth] != UINT64_MAX)
		return;
	run->held[run->scope_depth] = number;
	if (number < run->hold)
		run->hold = number;
}

/* What is no task takes effect. False: not yet. */
static bool item_take(struct ascend_run *run, const struct rt_item *item)
{
	switch (item->kind) {
	case RT_ITEM_SCOPE_BEGIN: scope_begin(run); return true;
	case RT_ITEM_SCOPE_END: scope_end(run); return true;
	case RT_ITEM_ORDER_BEGIN: ascend_order_begin(run); return true;
	case RT_ITEM_ORDER_STEP: ascend_order_step(run); return true;
	case RT_ITEM_ORDER_END: ascend_order_end(run); return true;
	case RT_ITEM_READ: return slots_there(run, item);
	case RT_ITEM_SET: slot_set(run, item); return true;
	case RT_ITEM_LOAD: slot_load(run, item); return true;
	case RT_ITEM_WAIT: return run->ended >= item->number;
	case RT_ITEM_BARRIER:
	case RT_ITEM_FENCE: ascend_floor_raise(run, item->number); return true;
	case RT_ITEM_ALLOC:
		if (!run->head.stalled)
			run->head.heap_tail = ascend_heap_ask(run, item->bytes);
		if (run->left < run->head.heap_tail)
			return false;
		ascend_heap_take(run, item->bytes);
		return true;
	case RT_ITEM_FREE: run->no_memory |= !rt_arena_return(&run->heap, item->number, item->bytes); return true;
	case RT_ITEM_NOTICE: run->chain = ascend_later(run->chain, item->number); return true;
	case RT_ITEM_NOTIFY:
		if (run->ended < item->number)
			return false;
		rt_feed_settled(run->feed, ascend_later(run->chain, run->now));
		return true;
	case RT_ITEM_PIPELINE:
		if (run->ended < item->number)
			return false;
		run->pipeline = true;
		ascend_processes_begin(run);
		return true;
	default: return true;
	}
}

static void task_meet(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_task *task = ascend_task_add(run, item);

	if (!task)
		return;
	run->head.stage = ASCEND_WINDOW;
	run->head.heap_tail = 0;
	task->owner = (uint8_t)ascend_owner_choose(run, item);
	run->head.aicpu = &run->aicpus[task->owner];
	if (run->scope_depth)
		scope_enter(run, item->number);
	ascend_aicpu_wake(run, task->owner, run->chain);
}

static void over(struct ascend_run *run)
{
	run->over = true;
	ascend_start(run);
}

/* Pulls until something has to be waited for. */
static inline void pull(struct ascend_run *run)
{
	while (!run->head.item && !run->over && !run->status && !run->pipeline) {
		const struct rt_item *item;

		ptowsp_status st = rt_feed_pull(run->feed, &item);

		if (st) {
			ascend_pull_failed(run, st);
			return;
		}
		run->head.stalled = false;
		if (item->kind == RT_ITEM_TASK) {
			run->head.item = item;
			task_meet(run, item);
		} else if (item->kind == RT_ITEM_END) {
			over(run);
		} else if (!item_take(run, item)) {
			run->head.item = item;
			run->head.stalled = true;
			run->head.since = run->chain;
			ascend_start(run);
		}
	}
}

void ascend_issue_pull(struct ascend_run *run)
{
	pull(run);
}

/* What the head waits for may be there. */
void ascend_issue_look_slowly(struct ascend_run *run)
{
	const struct rt_item *item = run->head.item;

	if (run->pipeline)
		ascend_processes_look(run);
	if (!item || !run->head.stalled)
		return;
	if (item->kind == RT_ITEM_TASK) {
		if (!ascend_room_there(run, item, run->head.stage, run->head.heap_tail))
			return;
		stall_end(run, item);
		run->head.stage++;
		if (issue_ready(run))
			ascend_aicpu_wake(run, (uint32_t)(run->head.aicpu - run->aicpus), run->now);
		return;
	}
	if (!item_take(run, item))
		return;
	if (item->kind == RT_ITEM_ALLOC)
		rt_feed_stall(run->feed, PTOWSP_RESOURCE_HEAP, 0, run->met, PTOWSP_NONE, run->head.since, run->now);
	run->chain = ascend_later(run->chain, run->now);
	run->head.item = NULL;
	run->head.aicpu = NULL;
	ascend_issue_pull(run);
}

/* ---- a task ------------------------------------------------------------------------------------------------------- */

/* dispatch=work_steal(n): of n instances, as far as there are so many, the one with the least to do. */
uint32_t ascend_owner_choose(const struct ascend_run *run, const struct rt_item *item)
{
	uint32_t least = 0;

	if (run->limits->policy != PTOWSP_DISPATCH_WORK_STEAL || run->instances == 1)
		return item->owner < run->instances ? item->owner : item->owner % run->instances;
	for (uint32_t p = 1; p < run->instances && p < run->limits->executors; p++)
		if (run->aicpus[p].in_flight < run->aicpus[least].in_flight)
			least = p;
	return least;
}

/* Who has the least to do may be another one by now. */
static bool owner_keep(struct ascend_run *run)
{
	uint32_t owner = ascend_owner_choose(run, run->head.item);

	if (run->head.aicpu == &run->aicpus[owner])
		return true;
	run->head.aicpu = &run->aicpus[owner];
	ascend_task_of(run, run->head.item->number)->owner = (uint8_t)owner;
	ascend_aicpu_wake(run, owner, run->now);
	return false;
}

uint64_t ascend_stream_enter(struct ascend_run *run, const struct rt_item *item)
{
	uint64_t *stream = &run->streams[item->stream % run->stream_count], latest = *stream;

	*stream = item->number + 1;
	return latest;
}

static void follow(struct ascend_run *run, struct ascend_task *task, uint64_t number, uint64_t pred)
{
	if (ascend_has_ended(run, pred))
		return;
	task->waits++;
	ascend_link_add(run, &ascend_task_of(run, pred)->followers, (uint32_t)number);
}

static void preds_enter(struct ascend_run *run, struct ascend_task *task, const struct rt_item *item)
{
	for (uint32_t i = 0; i < item->count; i++) {
		run->cross_edges += run->owners[item->list[i] & run->owner_mask] != task->owner;
		follow(run, task, item->number, item->list[i]);
	}
	if (run->limits->streams) {
		uint64_t latest = run->pipeline ? item->bytes : ascend_stream_enter(run, item);

		if (latest)
			follow(run, task, item->number, latest - 1);
	}
}

static inline void task_issue(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_task *task = ascend_task_of(run, item->number);
	struct ascend_aicpu *aicpu = &run->aicpus[task->owner];
	uint32_t last = run->machine->config.rings - 1;

	room_use(run, item);
	if (item->bytes && !run->pipeline)
		ascend_heap_take(run, item->bytes);
	task->state = ASCEND_ISSUED;
	task->waits = 1;
	task->ring = (uint8_t)(run->scope_depth < last ? run->scope_depth : last);
	run->owners[item->number & run->owner_mask] = task->owner;
	preds_enter(run, task, item);
	run->waiting[task->pool]++;
	if (++aicpu->in_ring[task->ring] > run->machine->stats.ring_high[task->owner][task->ring])
		run->machine->stats.ring_high[task->owner][task->ring] = aicpu->in_ring[task->ring];
	aicpu->in_flight++;
	aicpu->tasks++;
	run->issued++;
}

void ascend_task_issue(struct ascend_run *run, const struct rt_item *item)
{
	task_issue(run, item);
}

static uint64_t go(struct ascend_run *run)
{
	const struct rt_item *item = run->head.item;
	const struct ascend_protocol *cost = run->cost;
	uint64_t lookup = cost->lookup + item->count * cost->lookup_use;

	task_issue(run, item);
	if (run->order_depth || run->floor)
		ascend_gates_enter(run, ascend_task_of(run, item->number), (uint32_t)item->number);
	run->chain = run->now + ascend_later(lookup, run->limits->issue_cost);
	run->head.item = NULL;
	run->head.aicpu = NULL;
	if (run->issued >= run->limits->start)
		ascend_start(run);
	pull(run);
	return lookup + cost->submit;
}

bool ascend_issue_try(struct ascend_run *run, uint64_t *cycles_out)
{
	if (!issue_ready(run) || (run->limits->policy == PTOWSP_DISPATCH_WORK_STEAL && !owner_keep(run)))
		return false;
	*cycles_out = go(run);
	return true;
}
