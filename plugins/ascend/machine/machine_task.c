/* SPDX-License-Identifier: MIT */
/* machine_task.c - tasks in flight: their records, who waits for whom, and what the end of one changes. */
#include "ascend/machine/machine_task.h"
#include "ascend/machine/machine_core.h"
#include "ptowsp/ids.h"
#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

bool ascend_tasks_init(struct ascend_run *run)
{
	bool marked;

	run->mask = rt_window_room(run->limits->window) - 1;
	run->tasks = calloc(run->mask + 1, sizeof(*run->tasks));
	run->needs = calloc(run->mask + 1, sizeof(*run->needs));
	marked = run->hinted || run->limits->order == PTOWSP_READY_PRIORITY;
	run->marks = marked ? calloc(run->mask + 1, sizeof(*run->marks)) : NULL;
	if (marked && !run->marks)
		return false;
	run->owner_mask = run->mask;
	run->owners = calloc(run->owner_mask + 1, 1);
	run->link_count = 1; /* 0 is none */
	return run->tasks && run->needs && run->owners;
}

void ascend_tasks_finish(struct ascend_run *run)
{
	free(run->tasks);
	free(run->needs);
	free(run->marks);
	free(run->owners);
	free(run->links);
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

static bool tasks_grow(struct ascend_run *run)
{
	if (!COMMON_RING_DOUBLE(run->tasks, run->mask, run->left, run->met) || !COMMON_RING_DOUBLE(run->needs, run->mask, run->left, run->met) ||
	    (run->marks && !COMMON_RING_DOUBLE(run->marks, run->mask, run->left, run->met)))
		return false;
	run->mask = 2 * run->mask + 1;
	return true;
}

/* Edges reach back over the window, and without one to the first task. */
static bool owners_grow(struct ascend_run *run)
{
	const uint64_t size = 2 * (run->owner_mask + 1);

	if (!COMMON_RESIZE(run->owners, size))
		return false;
	memset(run->owners + size / 2, 0, size / 2);
	run->owner_mask = size - 1;
	return true;
}

bool ascend_tasks_grow(struct ascend_run *run, uint64_t number)
{
	if (run->met - run->left > run->mask && !tasks_grow(run))
		run->no_memory = true;
	if (!run->limits->window && run->instances > 1 && number > run->owner_mask && !owners_grow(run))
		run->no_memory = true;
	return !run->no_memory;
}

/* ---- links -------------------------------------------------------------------------------------------------------- */

static void link_drop(struct ascend_run *run, uint32_t at)
{
	run->links[at].next = run->link_free;
	run->link_free = at;
}

/* A link that is in no circle becomes the last one of this. */
static void link_enter(struct ascend_run *run, uint32_t *circle, uint32_t at)
{
	run->links[at].next = *circle ? run->links[*circle].next : at;
	if (*circle)
		run->links[*circle].next = at;
	*circle = at;
}

void ascend_link_add(struct ascend_run *run, uint32_t *circle, uint32_t task)
{
	uint32_t at = run->link_free;

	if (at) {
		run->link_free = run->links[at].next;
	} else {
		if (!COMMON_GROW(run->links, run->link_room, run->link_count)) {
			run->no_memory = true;
			return;
		}
		at = run->link_count++;
	}
	run->links[at].task = task;
	link_enter(run, circle, at);
}

/* Tasks of other instances: sorted by owner, each circle goes out as one notice. */
static uint32_t others_tell(struct ascend_run *run, uint32_t *circles, uint64_t whose)
{
	uint32_t told = 0;

	for (; whose; whose &= whose - 1) {
		uint32_t instance = (uint32_t)__builtin_ctzll(whose);

		ascend_notice_send(run, instance, circles[instance], run->now + run->cost->notice);
		told++;
	}
	run->notifications += told;
	return told;
}

uint32_t ascend_links_release(struct ascend_run *run, uint32_t *circle, uint32_t instance)
{
	uint32_t circles[ASCEND_INSTANCES], last = *circle, next = last ? run->links[last].next : 0, at = 0;
	uint64_t whose = 0;

	*circle = 0;
	while (at != last) {
		uint32_t task, owner;

		at = next;
		next = run->links[at].next;
		task = run->links[at].task;
		owner = ascend_task_of(run, task)->owner;
		if (owner == instance || instance == run->instances) { /* a task that the orchestrator puts into a queue is in that instance's */
			link_drop(run, at);
			ascend_task_release(run, task);
			continue;
		}
		if (!(whose >> owner & 1))
			circles[owner] = 0;
		whose |= UINT64_C(1) << owner;
		link_enter(run, &circles[owner], at);
	}
	return whose ? others_tell(run, circles, whose) : 0;
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

void ascend_task_tell(struct ascend_run *run, uint64_t number, const struct ascend_task *task)
{
	const struct ptowsp_trace_task trace = {.task = number,
						.start = task->start,
						.end = task->end,
						.kernel = task->kernel,
						.executor = ascend_core_number(run, task->core),
						.stream = task->stream};

	rt_feed_told(run->feed, &trace);
}

void ascend_tasks_leave(struct ascend_run *run)
{
	ascend_leave(run);
}
