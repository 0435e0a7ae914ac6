/* SPDX-License-Identifier: MIT */
/* machine_task.h - the beginning and the end of a task's record: what happens for every task stands here, to be inlined. */
#ifndef ASCEND_MACHINE_TASK_H
#define ASCEND_MACHINE_TASK_H

#include "ascend/machine/machine_ready.h"
#include "ascend/machine/machine_room.h"

/* machine_task.c: room for the task that is met next. False: no_memory is set. */
bool ascend_tasks_grow(struct ascend_run *run, uint64_t number);
/* machine_task.c: somebody hears of each task: all before it have ended, too. */
void ascend_task_tell(struct ascend_run *run, uint64_t number, const struct ascend_task *task);

static inline enum ascend_class ascend_class_of(unsigned unit)
{
	switch (unit) {
	case PTOWSP_UNIT_AIC: return ASCEND_CUBE;
	case PTOWSP_UNIT_AIC_AIV: return ASCEND_MIX;
	case PTOWSP_UNIT_HOST:
	case PTOWSP_UNIT_AICPU: return ASCEND_AICPU;
	default: return ASCEND_VECTOR;
	}
}

/* The record of the task that is met next; NULL: no_memory is set. */
static inline struct ascend_task *ascend_task_add(struct ascend_run *run, const struct rt_item *item)
{
	const uint8_t *units = run->machine->config.units;
	unsigned unit = item->unit == PTOWSP_UNIT_ANY && units ? units[item->kernel] : item->unit;
	struct ascend_task *task;
	struct ascend_need *need;

	if ((run->met - run->left > run->mask || (!run->limits->window && run->instances > 1 && item->number > run->owner_mask)) &&
	    !ascend_tasks_grow(run, item->number))
		return NULL;
	task = ascend_task_of(run, item->number);
	*task = (struct ascend_task){.cycles = item->cycles,
				     .kernel = item->kernel,
				     .stream = item->stream,
				     .depth_loops = item->depth_loops,
				     .core = ASCEND_NO_CORE,
				     .pool = (uint8_t)item->pool,
				     .class = (uint8_t)ascend_class_of(unit),
				     .owner = (uint8_t)item->owner,
				     .process = item->process};
	task->any = unit == PTOWSP_UNIT_ANY;
	if (run->hinted)
		ascend_hint_enter(run, item);
	need = &run->needs[item->number & run->mask];
	*need = run->sums;
	run->sums.map += item->need.map;
	run->sums.deps += item->need.deps;
	run->met = item->number + 1;
	return task;
}

static inline bool ascend_holds(const struct ascend_run *run, const struct ascend_task *task)
{
	return task->scope && !ascend_scope_closed(run, task->scope);
}

static inline void ascend_leave(struct ascend_run *run)
{
	uint64_t before = run->left;

	if (run->limits->ring)
		ascend_rings_leave(run);
	while (run->left < run->ended && run->left < run->hold && !ascend_holds(run, ascend_task_of(run, run->left))) {
		struct ascend_task *task = ascend_task_of(run, run->left++);

		if (task->scope)
			ascend_scope_drop(run, task->scope);
	}
	if (run->left == before)
		return;
	run->gone = run->left < run->met ? run->needs[run->left & run->mask] : run->sums;
	if (run->virtual_count)
		ascend_virtuals_end(run);
}

/* The FIN of a task was handled now by its instance. Returns how many other instances are told. */
static inline uint32_t ascend_task_end(struct ascend_run *run, uint32_t number)
{
	struct ascend_task *task = ascend_task_of(run, number);
	uint32_t instance = task->owner, told = 0;

	task->state = ASCEND_ENDED;
	run->aicpus[instance].in_flight--;
	run->end = ascend_later(run->end, task->end);
	if (run->limits->depth_count)
		ascend_depths_leave(run, task);
	if (task->followers)
		told = ascend_links_release(run, &task->followers, instance);
	if (task->group)
		told += ascend_gate_release(run, task->group, instance);
	if (task->process != PTOWSP_NONE)
		ascend_process_resume(run, task->process, run->now);
	while (run->ended < run->met && ascend_task_of(run, run->ended)->state == ASCEND_ENDED) {
		if (run->heard)
			ascend_task_tell(run, run->ended, ascend_task_of(run, run->ended));
		else
			rt_feed_ended(run->feed, ascend_task_of(run, run->ended)->kernel, ascend_task_of(run, run->ended)->start,
				      ascend_task_of(run, run->ended)->end);
		run->ended++;
	}
	if (run->delayed_count)
		told += ascend_delayed_gates_open(run, instance);
	ascend_leave(run);
	ascend_issue_look(run);
	return told;
}

#endif
