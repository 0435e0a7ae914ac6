/* SPDX-License-Identifier: MIT */
/* machine_issue.h - generating: what happens for every task stands here, to be inlined. */
#ifndef ASCEND_MACHINE_ISSUE_H
#define ASCEND_MACHINE_ISSUE_H

#include "ascend/machine/machine_task.h"
#include "rt/access/preds.h"

/* machine_issue.c: all stages up to the first that lacks room; counts what was waited for. */
bool ascend_issue_ready_slow(struct ascend_run *run);
/* machine_issue.c: an item that is no task, or the end. */
void ascend_item_meet(struct ascend_run *run, const struct rt_item *item);
/* machine_issue.c: work_steal: who has the least to do may be another one by now. */
bool ascend_owner_keep(struct ascend_run *run);

/* The common case: there is room everywhere. The head is the last that was met. */
static inline bool ascend_room_everywhere(struct ascend_run *run, const struct rt_item *item)
{
	const struct rt_limits *limits = run->limits;

	return !item->bytes && (!limits->ring || ascend_ring_free(run)) && (!limits->window || item->number - run->left < limits->window) &&
	       (!limits->map || run->sums.map - run->gone.map <= limits->map) && (!limits->deps || run->sums.deps - run->gone.deps <= limits->deps) &&
	       (!limits->ready || run->waiting[item->pool] < limits->ready);
}

static inline bool ascend_issue_ready(struct ascend_run *run)
{
	struct ascend_head *head = &run->head;

	if (head->stalled || head->stage != ASCEND_WINDOW || !ascend_room_everywhere(run, head->item))
		return head->stage == ASCEND_ROOM || ascend_issue_ready_slow(run);
	head->stage = ASCEND_ROOM;
	return true;
}

/* The owner of the item. */
static inline uint32_t ascend_owner_of(const struct ascend_run *run, const struct rt_item *item)
{
	if (run->limits->policy == PTOWSP_DISPATCH_WORK_STEAL)
		return ascend_owner_choose(run, item);
	return item->owner < run->instances ? item->owner : item->owner % run->instances;
}

/* The party that issues the owner's tasks. */
static inline uint32_t ascend_issuer(const struct ascend_run *run, uint32_t owner)
{
	return run->parties > run->instances ? run->instances : owner;
}

static inline void ascend_scope_enter(struct ascend_run *run, uint64_t number)
{
	if (run->held[run->scope_depth] != UINT64_MAX)
		return;
	run->held[run->scope_depth] = number;
	if (number < run->hold)
		run->hold = number;
}

static inline void ascend_task_meet(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_task *task = ascend_task_add(run, item);

	if (!task)
		return;
	run->head.stage = ASCEND_WINDOW;
	run->head.heap_tail = 0;
	task->owner = (uint8_t)ascend_owner_of(run, item);
	run->head.aicpu = &run->aicpus[ascend_issuer(run, task->owner)];
	if (run->scope_depth)
		ascend_scope_enter(run, item->number);
	ascend_aicpu_wake(run, ascend_issuer(run, task->owner), run->chain);
}

/* Pulls until something has to be waited for. */
RT_INLINE void ascend_pull(struct ascend_run *run)
{
	while (!run->head.item && !run->over && !run->status && !run->pipeline) {
		const struct rt_item *item;

		ptowsp_status status = rt_feed_pull(run->feed, &item);

		if (status) {
			ascend_pull_failed(run, status);
			return;
		}
		run->head.stalled = false;
		if (item->kind == RT_ITEM_TASK) {
			run->head.item = item;
			ascend_task_meet(run, item);
		} else {
			ascend_item_meet(run, item);
		}
	}
}

static inline void ascend_follow(struct ascend_run *run, struct ascend_task *task, uint64_t number, uint64_t pred)
{
	if (ascend_has_ended(run, pred))
		return;
	task->waits++;
	ascend_link_add(run, &ascend_task_of(run, pred)->followers, (uint32_t)number);
}

static inline void ascend_preds_enter(struct ascend_run *run, struct ascend_task *task, const struct rt_item *item)
{
	for (uint32_t i = 0; i < item->count; i++) {
		if (!run->pipeline) /* else they were counted when it was pulled */
			run->cross_edges += run->owners[item->list[i] & run->owner_mask] != task->owner;
		ascend_follow(run, task, item->number, item->list[i]);
	}
	if (run->limits->streams) {
		uint64_t latest = run->pipeline ? item->bytes : ascend_stream_enter(run, item);

		if (latest)
			ascend_follow(run, task, item->number, latest - 1);
	}
}

RT_INLINE void ascend_issue(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_task *task = ascend_task_of(run, item->number);
	struct ascend_aicpu *aicpu = &run->aicpus[task->owner];

	ascend_room_use(run, item);
	if (item->bytes && !run->pipeline)
		ascend_heap_take(run, item->bytes);
	task->state = ASCEND_ISSUED;
	task->waits = 1;
	if (!run->pipeline)
		run->owners[item->number & run->owner_mask] = task->owner;
	ascend_preds_enter(run, task, item);
	run->waiting[task->pool]++;
	aicpu->in_flight++;
	aicpu->tasks++;
	run->issued++;
}

/* The head's task is issued. Returns for how many cycles its instance is busy. */
RT_INLINE uint64_t ascend_issue_go(struct ascend_run *run)
{
	const struct rt_item *item = run->head.item;
	const struct ascend_protocol *cost = run->cost;
	uint64_t lookup = cost->lookup + item->count * cost->lookup_use;

	ascend_issue(run, item);
	if (run->order_depth || run->floor)
		ascend_gates_enter(run, ascend_task_of(run, item->number), (uint32_t)item->number);
	run->chain = run->now + ascend_later(lookup, run->limits->issue_cost);
	run->head.item = NULL;
	run->head.aicpu = NULL;
	if (run->issued >= run->limits->start)
		ascend_start(run);
	ascend_pull(run);
	return lookup + cost->submit;
}

/* The head's task is issued by its instance, if it can be; else counts stalls. *cycles_out: for which the instance is busy. */
RT_INLINE bool ascend_issue_try(struct ascend_run *run, uint64_t *cycles_out)
{
	if (!ascend_issue_ready(run) || (run->limits->policy == PTOWSP_DISPATCH_WORK_STEAL && !ascend_owner_keep(run)))
		return false;
	*cycles_out = ascend_issue_go(run);
	return true;
}

#endif
