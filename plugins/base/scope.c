/* SPDX-License-Identifier: MIT */
#include "scope.h"

#include "error.h"
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>

/* Tasks that open scopes hold, in a walk along events: each its own tasks, not those of scopes inside of it that have ended. Places come back in the order of tasks,
 * so the oldest held one keeps all behind it. */
struct held {
	uint64_t *firsts; /* per open scope: its first own task, UINT64_MAX: none yet */
	uint32_t depth, room;
	bool failed;
	uint64_t most; /* places that some task needs, its own included */
	uint64_t task; /* the first one that does not get one, UINT64_MAX: none */
	uint32_t task_depth;
};

static void tasks_pass(struct held *held, uint64_t from, uint64_t to, uint64_t window)
{
	uint64_t oldest = UINT64_MAX;

	if (!held->depth || from == to)
		return;
	if (held->firsts[held->depth - 1] == UINT64_MAX)
		held->firsts[held->depth - 1] = from;
	for (uint32_t d = 0; d < held->depth; d++)
		oldest = held->firsts[d] < oldest ? held->firsts[d] : oldest;
	if (held->task == UINT64_MAX && to - oldest > window) {
		held->task = oldest + window > from ? oldest + window : from;
		held->task_depth = held->depth;
	}
	held->most = to - oldest > held->most ? to - oldest : held->most;
}

static void scope_pass(struct held *held, bool begin)
{
	held->depth -= !begin;
	if (!begin)
		return;
	held->failed |= !COMMON_GROW(held->firsts, held->room, held->depth);
	if (!held->failed)
		held->firsts[held->depth++] = UINT64_MAX;
}

static struct held find(const struct base_walk *walk, uint64_t window)
{
	struct held held = {.task = UINT64_MAX};
	uint64_t at = 0;

	for (uint32_t i = 0; i < walk->event_count && !held.failed; i++) {
		const struct base_walk_event *event = &walk->events[i];
		bool begin = event->kind == RT_ITEM_SCOPE_BEGIN;

		if ((!begin && event->kind != RT_ITEM_SCOPE_END) || event->process != PTOWSP_NONE)
			continue;
		tasks_pass(&held, at, event->at, window);
		at = event->at;
		scope_pass(&held, begin);
	}
	if (!held.failed)
		tasks_pass(&held, at, walk->task_count, window);
	free(held.firsts);
	return held;
}

ptowsp_status base_scope_check(const struct base_walk *walk, uint64_t window, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct held held = window ? find(walk, window) : (struct held){.task = UINT64_MAX};
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK),
					 .resource = PTOWSP_RESOURCE_TASK_RING,
					 .scope_depth = held.task_depth,
					 .scope_held = 1,
					 .task = held.task,
					 .capacity = window,
					 .used = window,
					 .high_water = window,
					 .proposed = held.most,
					 .channel = PTOWSP_NONE};

	if (held.failed)
		return rt_no_memory(error, "the scopes of a planned program");
	if (held.task == UINT64_MAX)
		return PTOWSP_OK;
	snprintf(report.option, sizeof(report.option), "--schedule task_window=%llu", (unsigned long long)held.most);
	snprintf(report.text, sizeof(report.text),
		 "task %llu cannot be submitted: all %llu places of the task window are held by tasks of an open scope (depth %u), which stay until the scope "
		 "ends, behind "
		 "this task; use %s, or make the scope smaller",
		 (unsigned long long)held.task, (unsigned long long)window, held.task_depth, report.option);
	if (deadlock_out)
		base_result_copy(&deadlock_out->head, &report.head);
	return rt_fail_at(error, PTOWSP_DEADLOCK, held.task, PTOWSP_RESOURCE_TASK_RING,
			  "deadlock: task %llu waits for a place in the task window, held by an open scope (depth %u); use %s", (unsigned long long)held.task,
			  held.task_depth, report.option);
}
