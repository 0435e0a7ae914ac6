/* SPDX-License-Identifier: MIT */
/* machine_issue.c - generating: one task after the other, in the order of their numbers, each by its instance. An item that is no task takes effect where the
 * walk meets it; values, events and places that are not there yet hold everything behind them. */
#include "ascend/machine/machine_issue.h"
#include <stdlib.h>

bool ascend_issue_init(struct ascend_run *run)
{
	run->slots = calloc((size_t)run->limits->slots + 1, sizeof(*run->slots));
	run->stream_count = run->limits->streams;
	if (run->machine->config.streams && run->machine->config.streams < run->stream_count)
		run->stream_count = run->machine->config.streams;
	run->streams = calloc((size_t)run->stream_count + 1, sizeof(*run->streams));
	run->heap.capacity = run->limits->heap;
	run->hold = UINT64_MAX;
	run->sleep = ASCEND_NEVER;
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
	ascend_rings_finish(run);
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

static void batch_flush(struct ascend_run *run, struct ascend_aicpu *aicpu)
{
	if (aicpu->batch)
		ascend_links_release(run, &aicpu->batch, (uint32_t)(aicpu - run->aicpus)); /* all its own: nobody is told */
	aicpu->batch_count = 0;
}

static void batches_flush(struct ascend_run *run)
{
	for (uint32_t p = 0; run->limits->batch && p < run->parties; p++)
		batch_flush(run, &run->aicpus[p]);
}

void ascend_issue_stalled(struct ascend_run *run)
{
	batches_flush(run);
	ascend_start(run);
}

/* At a barrier, the end of a scope, a step of what is ordered, a slot that is loaded: batches end there, with the task that is being issued. */
static void batches_end(struct ascend_run *run)
{
	batches_flush(run);
	run->flushed = run->met;
}

void ascend_batch_add(struct ascend_run *run, struct ascend_aicpu *aicpu, uint32_t task)
{
	bool flushed = run->met - (uint32_t)((uint32_t)run->met - task) < run->flushed; /* it was being issued */

	ascend_link_add(run, &aicpu->batch, task);
	if (++aicpu->batch_count >= run->limits->batch || run->over || run->head.stalled || flushed)
		batch_flush(run, aicpu);
}

bool ascend_issue_ready_slow(struct ascend_run *run)
{
	struct ascend_head *head = &run->head;
	const struct rt_item *item = head->item;

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
			ascend_issue_stalled(run);
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

/* An item that is no task takes effect. False: not yet. */
static bool item_take(struct ascend_run *run, const struct rt_item *item)
{
	switch (item->kind) {
	case RT_ITEM_SCOPE_BEGIN: scope_begin(run); return true;
	case RT_ITEM_SCOPE_END:
		batches_end(run);
		scope_end(run);
		return true;
	case RT_ITEM_ORDER_BEGIN: ascend_order_begin(run); return true;
	case RT_ITEM_ORDER_STEP:
		batches_end(run);
		ascend_order_step(run);
		return true;
	case RT_ITEM_ORDER_END: ascend_order_end(run); return true;
	case RT_ITEM_READ: return ascend_slots_there(run, item);
	case RT_ITEM_SET: ascend_slot_set(run, item); return true;
	case RT_ITEM_LOAD:
		batches_end(run);
		ascend_slot_load(run, item);
		return true;
	case RT_ITEM_WAIT: return run->ended >= item->number;
	case RT_ITEM_BARRIER: batches_end(run); /* fall through */
	case RT_ITEM_FENCE: ascend_floor_raise(run, item->number); return true;
	case RT_ITEM_ALLOC:
		if (!run->head.stalled)
			run->head.heap_tail = ascend_heap_ask(run, item->bytes);
		if (run->left < run->head.heap_tail)
			return false;
		ascend_heap_take(run, item->bytes);
		return true;
	case RT_ITEM_FREE: ascend_heap_return(run, item->number, item->bytes); return true;
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

static void over(struct ascend_run *run)
{
	run->over = true;
	ascend_issue_stalled(run);
}

void ascend_item_meet(struct ascend_run *run, const struct rt_item *item)
{
	if (item->kind == RT_ITEM_END) {
		over(run);
	} else if (!item_take(run, item)) {
		run->head.item = item;
		run->head.stalled = true;
		run->head.since = run->chain;
		ascend_issue_stalled(run);
	}
}

void ascend_issue_pull(struct ascend_run *run)
{
	ascend_pull(run);
}

/* The head may go on. */
void ascend_issue_look_slow(struct ascend_run *run)
{
	const struct rt_item *item = run->head.item;
	bool alloc;

	if (run->pipeline)
		ascend_processes_look(run);
	if (!item || !run->head.stalled)
		return;
	if (item->kind == RT_ITEM_TASK) {
		if (!ascend_room_there(run, item, run->head.stage, run->head.heap_tail))
			return;
		stall_end(run, item);
		run->head.stage++;
		if (ascend_issue_ready_slow(run))
			ascend_aicpu_wake(run, (uint32_t)(run->head.aicpu - run->aicpus), run->now);
		return;
	}
	alloc = item->kind == RT_ITEM_ALLOC; /* where processes begin, others are pulled over the item */
	if (!item_take(run, item))
		return;
	if (alloc)
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

/* The instance with the least to do may be another one by now. */
bool ascend_owner_keep(struct ascend_run *run)
{
	uint32_t owner = ascend_owner_choose(run, run->head.item), issuer = ascend_issuer(run, owner);

	ascend_task_of(run, run->head.item->number)->owner = (uint8_t)owner;
	if (run->head.aicpu == &run->aicpus[issuer])
		return true;
	run->head.aicpu = &run->aicpus[issuer];
	ascend_aicpu_wake(run, issuer, run->now);
	return false;
}

uint64_t ascend_stream_enter(struct ascend_run *run, const struct rt_item *item)
{
	uint64_t *stream = &run->streams[item->stream % run->stream_count], latest = *stream;

	*stream = item->number + 1;
	return latest;
}

void ascend_task_issue(struct ascend_run *run, const struct rt_item *item)
{
	ascend_issue(run, item);
}
