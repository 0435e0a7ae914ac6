/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_process.h"

#include "tests/model/slow_channel.h"
#include "tests/model/slow_room.h"
#include "tests/model/slow_task.h"
#include <stdlib.h>

static const struct slow_item *item_now(const struct slow *s, const struct slow_process *process)
{
	return &s->p->items[process->at];
}

/* The next item of a process from `at` on. */
static int item_next(const struct slow *s, uint32_t process, int at)
{
	while (at < s->p->count && s->p->items[at].rt.process != process)
		at++;
	return at;
}

void slow_processes_begin(struct slow *s)
{
	s->process_count = (int)s->p->limits.processes;
	s->processes = calloc((size_t)s->process_count + 1, sizeof(*s->processes));
	s->no_memory |= !s->processes;
	for (int p = 0; p < s->process_count && s->processes; p++)
		s->processes[p] = (struct slow_process){.clock = s->m->total, .at = item_next(s, (uint32_t)p, 0)};
	for (int i = 0; i < s->p->task_count; i++)
		if (slow_task(s->p, i)->rt.process != PTOWSP_NONE)
			s->rows[i].owner = (int)slow_task(s->p, i)->rt.process % s->m->instances;
}

/* ---- items -------------------------------------------------------------------------------------------------------- */

/* When the value that an item gave is there. */
static bool value_join(const struct slow *s, int item, uint64_t *time_out)
{
	bool known = s->walked[item];

	*time_out = slow_later(*time_out, s->times[item]);
	for (int k = 0; s->p->items[item].rt.kind == RT_ITEM_SET && k < s->p->items[item].source_count; k++)
		known = value_join(s, s->p->items[item].sources[k], time_out) && known;
	return known;
}

static bool values_join(const struct slow *s, const struct slow_item *item, uint64_t *time_out)
{
	bool known = true;

	for (int k = 0; k < item->source_count; k++)
		known = value_join(s, item->sources[k], time_out) && known;
	return known;
}

static bool tasks_over(const struct slow *s, const struct rt_item *item)
{
	for (uint32_t k = 0; k < item->count; k++)
		if (s->rows[item->list[k]].stage != SLOW_ENDED)
			return false;
	return item->count || (uint64_t)s->ended >= item->number;
}

static bool condition_holds(const struct slow *s, const struct slow_process *process)
{
	const struct rt_item *item = &item_now(s, process)->rt;

	switch (item->kind) {
	case RT_ITEM_LOAD: return !item->number || s->rows[item->number - 1].stage == SLOW_ENDED;
	case RT_ITEM_FOLLOW: return tasks_over(s, item);
	case RT_ITEM_ALLOC: return slow_room(s, SLOW_HEAP, process->at);
	default: return true;
	}
}

/* When the item happens at which it stands. False: not known yet. */
static bool item_time(const struct slow *s, struct slow_process *process, uint64_t *time_out)
{
	const struct slow_item *item = item_now(s, process);
	bool holds;

	*time_out = process->clock;
	switch (item->rt.kind) {
	case RT_ITEM_READ:
	case RT_ITEM_WAIT: return values_join(s, item, time_out);
	case RT_ITEM_SEND:
	case RT_ITEM_TAKE:
	case RT_ITEM_CLOSED: return slow_channel_time(s, process, time_out);
	default:
		holds = condition_holds(s, process);
		*time_out = process->waited ? s->now : process->clock;
		process->waited |= !holds;
		return holds;
	}
}

static void item_pass(struct slow *s, struct slow_process *process, uint64_t time)
{
	const struct rt_item *item = &item_now(s, process)->rt;

	if (item->kind == RT_ITEM_SEND || item->kind == RT_ITEM_TAKE)
		slow_channel_pass(s, process, time);
	if (item->kind == RT_ITEM_ALLOC) {
		slow_room_stalled(s, SLOW_HEAP, process->at, time - process->clock);
		slow_room_mark(s, process->at, SLOW_HEAP);
	}
	s->walked[process->at] = true;
	s->times[process->at] = time;
	process->clock = time;
	process->waited = false;
	if (item->kind == RT_ITEM_PROCESS_END) {
		process->standing = SLOW_OVER;
		s->m->total = slow_later(s->m->total, time);
	}
	process->at = item_next(s, item->process, process->at + 1);
	slow_room_leave(s);
}

static void task_ask(struct slow *s, struct slow_process *process)
{
	process->standing = SLOW_ASKING;
	process->asks = slow_later(process->clock, process->least);
	process->stage = SLOW_WINDOW;
	s->rows[item_now(s, process)->rt.number].stage = SLOW_MET;
}

/* allocs: those alone, or all but those. False: it stands where it stood. */
static bool process_on(struct slow *s, struct slow_process *process, bool allocs)
{
	uint64_t time;

	if (process->standing != SLOW_GOING || process->clock > s->now || (item_now(s, process)->rt.kind == RT_ITEM_ALLOC) != allocs)
		return false;
	if (item_now(s, process)->rt.kind == RT_ITEM_TASK) {
		task_ask(s, process);
		return true;
	}
	process->wake = 0;
	if (!item_time(s, process, &time))
		return false;
	process->wake = time;
	if (time > s->now)
		return false;
	item_pass(s, process, time);
	return true;
}

/* A full window that does not hold the process, or ends the run. */
static bool window_counted(struct slow *s, const struct slow_process *process)
{
	int task = (int)item_now(s, process)->rt.number;

	if (process->stage != SLOW_WINDOW)
		return false;
	if (s->p->limits.window_mode == RT_WINDOW_ABORT && s->m->full_at == SLOW_NONE)
		s->m->full_at = task;
	s->rows[task].counted = s->p->limits.window_mode == RT_WINDOW_BENCHMARK;
	s->rows[task].counted_since = s->now;
	return s->rows[task].counted;
}

/* Else it is stalled from now on. */
static bool room_there(struct slow *s, struct slow_process *process)
{
	for (; process->stage < SLOW_RESOURCES; process->stage++)
		if (!slow_room(s, process->stage, process->at) && !window_counted(s, process)) {
			process->standing = SLOW_STALLED;
			process->since = s->now;
			return false;
		}
	return true;
}

/* One that had no room asks again when there is room for everything. */
static bool process_look(struct slow *s, struct slow_process *process)
{
	if (process->standing != SLOW_STALLED || !slow_room(s, process->stage, process->at))
		return false;
	slow_room_stalled(s, process->stage, process->at, s->now - process->since);
	process->standing = SLOW_ASKING;
	process->asks = s->now;
	room_there(s, process);
	return true;
}

static bool some_on(struct slow *s)
{
	bool some = false;

	for (int p = 0; p < s->process_count; p++)
		some |= (int)process_on(s, &s->processes[p], false) | (int)process_look(s, &s->processes[p]);
	return some;
}

static bool alloc_on(struct slow *s)
{
	for (int p = 0; p < s->process_count; p++)
		if (process_on(s, &s->processes[p], true))
			return true;
	return false;
}

/* Who takes bytes does so when all others have got as far as they get without that, the lowest process first. */
void slow_processes_on(struct slow *s)
{
	while (some_on(s) || alloc_on(s))
		;
}

void slow_process_ended(struct slow *s, int task)
{
	struct slow_process *process = &s->processes[slow_task(s->p, task)->rt.process];

	process->standing = SLOW_GOING;
	process->clock = s->now;
}

uint64_t slow_process_time(const struct slow *s)
{
	uint64_t time = UINT64_MAX;

	for (int p = 0; p < s->process_count; p++) {
		const struct slow_process *process = &s->processes[p];
		uint64_t next = process->standing == SLOW_ASKING ? process->asks : process->standing == SLOW_GOING ? process->wake : 0;

		if (next > s->now && next < time)
			time = next;
	}
	return time;
}

/* ---- issuing ------------------------------------------------------------------------------------------------------ */

static bool asks_here(const struct slow *s, int p, int instance)
{
	return s->processes[p].standing == SLOW_ASKING && s->processes[p].asks <= s->now && p % s->m->instances == instance;
}

int slow_process_ready(struct slow *s, int instance)
{
	for (;;) {
		int first = SLOW_NONE;

		for (int p = 0; p < s->process_count; p++)
			if (asks_here(s, p, instance) && (first == SLOW_NONE || s->processes[p].asks < s->processes[first].asks))
				first = p;
		if (first == SLOW_NONE || room_there(s, &s->processes[first]))
			return first;
	}
}

uint64_t slow_process_issue(struct slow *s, int p, int *task_out)
{
	struct slow_process *process = &s->processes[p];
	uint64_t lookup = slow_task_issue(s, process->at);

	*task_out = (int)item_now(s, process)->rt.number;
	process->standing = SLOW_FLYING;
	process->least = s->now + s->p->limits.issue_cost;
	s->walked[process->at] = true;
	process->at = item_next(s, (uint32_t)p, process->at + 1);
	return lookup + s->cost->submit;
}
