/* SPDX-License-Identifier: MIT */
/* machine_aicpu.c - what an instance does: one thing after the other, first what is over, then what it was told, then what can start, and where
 * nothing of that is there it generates. A thing takes effect when its cycles are over. */
#include "ascend/machine/machine_core.h"
#include "ascend/machine/machine_issue.h"
#include <stdlib.h>

enum { LEAST_NOTICES = 16 };

bool ascend_aicpus_init(struct ascend_run *run)
{
	bool ok;

	run->aicpus = calloc(run->parties, sizeof(*run->aicpus));
	ok = run->aicpus != NULL;
	for (uint32_t p = 0; ok && p < run->parties; p++) {
		struct ascend_aicpu *aicpu = &run->aicpus[p];

		aicpu->fin_mask = 2 * ASCEND_CORES - 1;
		aicpu->fins = malloc((aicpu->fin_mask + 1) * sizeof(*aicpu->fins));
		ok = aicpu->fins != NULL;
		for (uint32_t k = 0; ok && k < ASCEND_CLASSES; k++)
			ok = ascend_queue_init(&aicpu->ready[k], 64);
	}
	return ok;
}

void ascend_aicpus_finish(struct ascend_run *run)
{
	for (uint32_t p = 0; run->aicpus && p < run->parties; p++) {
		for (uint32_t k = 0; k < ASCEND_CLASSES; k++)
			free(run->aicpus[p].ready[k].tasks);
		free(run->aicpus[p].fins);
		free(run->aicpus[p].notices);
	}
	free(run->aicpus);
}

/* ---- notices ------------------------------------------------------------------------------------------------------ */

void ascend_notice_send(struct ascend_run *run, uint32_t instance, uint32_t circle, uint64_t time)
{
	struct ascend_aicpu *aicpu = &run->aicpus[instance];

	if (!aicpu->notices || aicpu->notice_tail - aicpu->notice_head > aicpu->notice_mask) {
		uint32_t size = aicpu->notices ? 2 * (aicpu->notice_mask + 1) : LEAST_NOTICES;
		struct ascend_notice *more = malloc(size * sizeof(*more));

		if (!more) {
			run->no_memory = true;
			return;
		}
		for (uint32_t k = aicpu->notice_head; k != aicpu->notice_tail; k++)
			more[k & (size - 1)] = aicpu->notices[k & aicpu->notice_mask];
		free(aicpu->notices);
		aicpu->notices = more;
		aicpu->notice_mask = size - 1;
	}
	aicpu->notices[aicpu->notice_tail++ & aicpu->notice_mask] = (struct ascend_notice){time, circle};
	ascend_aicpu_wake(run, instance, time);
}

static const struct ascend_notice *notice_first(const struct ascend_aicpu *aicpu)
{
	return aicpu->notice_head != aicpu->notice_tail ? &aicpu->notices[aicpu->notice_head & aicpu->notice_mask] : NULL;
}

/* ---- beginning ---------------------------------------------------------------------------------------------------- */

/* The task goes to the core when the cycles are over; nobody else takes either until then. */
RT_INLINE void sending_of(struct ascend_run *run, struct ascend_aicpu *aicpu, enum ascend_class class, uint16_t core, uint32_t task)
{
	ascend_core_reserve(run, aicpu, core, class == ASCEND_MIX);
	if (run->hinted)
		ascend_hint_spread(run, aicpu, core, task);
	aicpu->doing = ASCEND_SENDING;
	aicpu->what = task;
	aicpu->core = core;
}

RT_INLINE bool sending_begin(struct ascend_run *run, struct ascend_aicpu *aicpu, enum ascend_class class, uint64_t *cycles)
{
	struct ascend_queue *queue = &aicpu->ready[class];
	uint16_t core = queue->head != queue->tail ? ascend_core_find(run, aicpu, class) : ASCEND_NO_CORE;
	uint32_t task = core != ASCEND_NO_CORE ? ascend_ready_first(run, queue) : ASCEND_NOBODY;

	if (task == ASCEND_NOBODY)
		return false;
	ascend_ready_take(run, queue);
	sending_of(run, aicpu, class, core, task);
	*cycles = run->cost->dispatch;
	return true;
}

/* An AICPU that has no ready task of its own left takes one of another AICPU, for a core that is idle, and pays for looking there first. */
static bool stealing_begin(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles)
{
	static const enum ascend_class classes[] = {ASCEND_MIX, ASCEND_CUBE, ASCEND_VECTOR};

	for (size_t k = 0; k < sizeof(classes) / sizeof(*classes); k++) {
		const uint64_t *idle = aicpu->idle[classes[k] & 1];
		uint16_t core = classes[k] == ASCEND_MIX || idle[0] | idle[1] ? ascend_core_find(run, aicpu, classes[k]) : ASCEND_NO_CORE;
		uint32_t task = core != ASCEND_NO_CORE ? ascend_steal(run, aicpu, classes[k]) : ASCEND_NOBODY;

		if (task == ASCEND_NOBODY)
			continue;
		sending_of(run, aicpu, classes[k], core, task);
		*cycles = run->cost->hear + run->cost->dispatch;
		return true;
	}
	return false;
}

/* A task that runs on an instance itself. */
static bool computing_begin(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles)
{
	uint32_t number = ascend_ready_first(run, &aicpu->ready[ASCEND_AICPU]);
	struct ascend_task *task;

	if (number == ASCEND_NOBODY)
		return false;
	ascend_ready_take(run, &aicpu->ready[ASCEND_AICPU]);
	task = ascend_task_of(run, number);
	task->start = run->now;
	task->end = run->now + task->cycles;
	task->core = (uint16_t)(run->core_count + aicpu->number);
	aicpu->doing = ASCEND_COMPUTING;
	aicpu->what = number;
	*cycles = task->cycles;
	task->state = ASCEND_SENT;
	run->waiting[task->pool]--;
	ascend_issue_look(run);
	return true;
}

RT_INLINE bool starting_begin(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles)
{
	return sending_begin(run, aicpu, ASCEND_MIX, cycles) || sending_begin(run, aicpu, ASCEND_CUBE, cycles) ||
	       sending_begin(run, aicpu, ASCEND_VECTOR, cycles) ||
	       (aicpu->ready[ASCEND_AICPU].head != aicpu->ready[ASCEND_AICPU].tail && computing_begin(run, aicpu, cycles));
}

RT_INLINE bool issuing_begin(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles)
{
	uint32_t number;

	if (run->head.aicpu != aicpu || run->chain > run->now)
		return false;
	number = (uint32_t)run->head.item->number;
	if (!ascend_issue_try(run, cycles))
		return false;
	aicpu->doing = ASCEND_ISSUING;
	aicpu->what = number;
	return true;
}

static bool is_orchestrator(const struct ascend_run *run, const struct ascend_aicpu *aicpu)
{
	return aicpu->number == run->instances;
}

RT_INLINE bool begin(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles)
{
	const struct ascend_notice *notice = notice_first(aicpu);
	bool started = run->started;

	if (is_orchestrator(run, aicpu)) /* processes are their instances' */
		return !run->pipeline && issuing_begin(run, aicpu, cycles);
	if (aicpu->fin_head != aicpu->fin_seen) {
		aicpu->doing = ASCEND_COMPLETING;
		aicpu->what = aicpu->fins[aicpu->fin_head++ & aicpu->fin_mask].task;
		*cycles = run->cost->complete;
		return true;
	}
	if (notice && notice->time <= run->now) {
		aicpu->doing = ASCEND_HEARING;
		aicpu->what = notice->links;
		aicpu->notice_head++;
		*cycles = run->cost->hear;
		return true;
	}
	if (started && starting_begin(run, aicpu, cycles))
		return true;
	if (run->pipeline ? ascend_process_issue(run, aicpu, cycles) : issuing_begin(run, aicpu, cycles))
		return true;
	if ((!started || run->limits->batch) && run->started && starting_begin(run, aicpu, cycles)) /* a task that it cannot issue lets others start */
		return true;
	return run->steals && run->started && !run->pipeline && stealing_begin(run, aicpu, cycles);
}

/* ---- ending ------------------------------------------------------------------------------------------------------- */

/* Returns cycles that it takes to tell others. */
RT_INLINE uint64_t finish(struct ascend_run *run, struct ascend_aicpu *aicpu)
{
	uint32_t instance = aicpu->number, what = aicpu->what;
	uint8_t doing = aicpu->doing;

	aicpu->doing = ASCEND_IDLE;
	switch (doing) {
	case ASCEND_COMPLETING: ascend_core_clear(run, aicpu, ascend_task_of(run, what)); /* fall through */
	case ASCEND_COMPUTING: return ascend_task_end(run, what) * run->cost->notify;
	case ASCEND_HEARING: ascend_links_release(run, &what, instance); return 0;
	case ASCEND_ISSUING:
		if (run->limits->batch && !run->pipeline)
			ascend_batch_add(run, aicpu, what);
		else
			ascend_task_release(run, what);
		return 0;
	case ASCEND_SENDING:
		ascend_core_send(run, aicpu, aicpu->core, what);
		ascend_issue_look(run); /* its place in the queue is free */
		return 0;
	}
	return 0;
}

static uint64_t next_time(const struct ascend_run *run, const struct ascend_aicpu *aicpu)
{
	const struct ascend_notice *notice = notice_first(aicpu);
	uint64_t time = notice ? notice->time : ASCEND_NEVER;

	if (aicpu->fin_next < time)
		time = aicpu->fin_next;
	if (run->head.aicpu == aicpu && !run->head.stalled && run->chain < time && run->chain > run->now)
		time = run->chain;
	if (run->pipeline && !is_orchestrator(run, aicpu))
		time = ascend_process_next(run, aicpu->number) < time ? ascend_process_next(run, aicpu->number) : time;
	return time;
}

static void work_tell(const struct ascend_run *run, const struct ascend_aicpu *aicpu, uint64_t cycles)
{
	static const uint8_t works[] = {[ASCEND_IDLE] = PTOWSP_WORK_NOTIFY,
					[ASCEND_COMPLETING] = PTOWSP_WORK_COMPLETE,
					[ASCEND_HEARING] = PTOWSP_WORK_HEAR,
					[ASCEND_ISSUING] = PTOWSP_WORK_ISSUE,
					[ASCEND_SENDING] = PTOWSP_WORK_DISPATCH};
	uint64_t task = aicpu->doing == ASCEND_HEARING ? 0 : run->met - (uint32_t)((uint32_t)run->met - aicpu->what);

	if (aicpu->doing != ASCEND_COMPUTING) /* that is a task */
		rt_feed_work(run->feed, ascend_core_number(run, (uint16_t)(run->core_count + aicpu->number)), works[aicpu->doing], task, run->now,
			     run->now + cycles);
}

/* The instance works until there is nothing left or time goes by. */
RT_INLINE void step(struct ascend_run *run, uint32_t instance)
{
	struct ascend_aicpu *aicpu = &run->aicpus[instance];
	uint64_t cycles = 0;

	ascend_fins_see(run, aicpu);
	aicpu->stepping = true;
	for (;;) {
		if (aicpu->doing)
			cycles = finish(run, aicpu);
		if (!cycles && !begin(run, aicpu, &cycles))
			break;
		if (!cycles)
			continue;
		aicpu->stepping = false;
		aicpu->free = run->now + cycles;
		if (run->traced)
			work_tell(run, aicpu, cycles);
		ascend_tree_set(&run->tree, instance, aicpu->free);
		return;
	}
	aicpu->stepping = false;
	ascend_tree_set(&run->tree, instance, ascend_later(next_time(run, aicpu), run->now));
}

void ascend_aicpus_go(struct ascend_run *run)
{
	while (!run->status && !run->no_memory) {
		uint64_t time;
		uint32_t instance = ascend_tree_first(&run->tree, &time);

		if (run->sleep <= time) {
			if (run->sleep == ASCEND_NEVER)
				return;
			ascend_processes_wake(run);
			continue;
		}
		run->now = time;
		step(run, instance);
	}
}
