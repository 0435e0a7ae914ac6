/* SPDX-License-Identifier: MIT */
#include "ascend/machine/machine_process.h"
#include "ascend/machine/machine_room.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

/* ---- making and unmaking ------------------------------------------------------------------------------------------ */

bool ascend_processes_init(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes = calloc(1, sizeof(*run->processes));
	bool ok;

	if (!all)
		return false;
	all->count = run->limits->processes;
	all->work_mask = (uint32_t)rt_power_above((uint64_t)all->count + 1) - 1;
	all->rows = calloc((size_t)all->count + 1, sizeof(*all->rows));
	all->work = calloc((size_t)all->work_mask + 1, sizeof(*all->work));
	all->slots = calloc((size_t)run->limits->slots + 1, sizeof(*all->slots));
	all->events = calloc((size_t)run->limits->events + 1, sizeof(*all->events));
	all->asking = calloc(run->instances, sizeof(*all->asking));
	all->asking_count = calloc(run->instances, sizeof(*all->asking_count));
	ok = all->rows && all->work && all->slots && all->events && all->asking && all->asking_count && ascend_channels_init(run);
	for (uint32_t p = 0; ok && all->count && p < run->instances; p++) {
		all->asking[p] = calloc((size_t)all->count / run->instances + 1, sizeof(**all->asking));
		ok = all->asking[p] != NULL;
	}
	ok = ok && COMMON_GROW(all->values, all->value_room, 0) && COMMON_GROW(all->scopes, all->scope_room, 0);
	if (!ok)
		return false;
	all->values[0] = (struct ascend_value){.known = true, .uses = 1};
	all->value_count = all->scope_count = 1;
	return true;
}

void ascend_processes_finish(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	if (!all)
		return;
	ascend_channels_finish(run);
	for (uint32_t i = 0; all->rows && i < all->count; i++)
		ascend_items_finish(&all->rows[i].items);
	for (uint32_t p = 0; all->asking && p < run->instances; p++)
		free(all->asking[p]);
	free(all->rows);
	free(all->work);
	free(all->slots);
	free(all->events);
	free(all->returns);
	free(all->asking);
	free(all->asking_count);
	free(all->values);
	for (uint32_t k = 0; k < all->setting_count; k++)
		free(all->settings[k].list);
	free(all->settings);
	free(all->scopes);
	free(all);
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

void ascend_process_list(struct ascend_run *run, uint32_t process)
{
	struct ascend_processes *all = run->processes;

	if (all->rows[process].listed)
		return;
	all->rows[process].listed = true;
	all->work[all->work_tail++ & all->work_mask] = process;
}

void ascend_list_wake(struct ascend_run *run, uint32_t *list)
{
	while (*list) {
		struct ascend_process *process = &run->processes->rows[*list - 1];
		uint32_t at = *list - 1;

		*list = process->next;
		process->standing = ASCEND_GOING;
		process->waited = true;
		ascend_process_list(run, at);
	}
}

/* ---- items -------------------------------------------------------------------------------------------------------- */

/* A process waited for something of the machine, which happens now. */
static bool happened(const struct ascend_run *run, struct ascend_process *process, bool there)
{
	if (there && process->waited)
		process->clock = ascend_later(process->clock, run->now);
	return there;
}

static bool wait_take(struct ascend_processes *all, struct ascend_process *process, const struct rt_item *item)
{
	if (!all->values[item->row].known)
		return false;
	process->clock = ascend_later(process->clock, all->values[item->row].time);
	ascend_value_drop(all, item->row);
	return true;
}

static void scope_end(struct ascend_run *run, uint32_t scope)
{
	if (!scope)
		return;
	run->processes->scopes[scope].open = false;
	ascend_scope_free(run->processes, scope);
	ascend_tasks_leave(run);
}

static bool alloc_take(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];
	uint64_t since = process->clock;

	if (!happened(run, process, run->left >= item->at))
		return false;
	rt_feed_stall(run->feed, PTOWSP_RESOURCE_HEAP, 0, run->met, at, since, process->clock);
	ascend_heap_mark(run, item);
	return true;
}

static bool followed_over(const struct ascend_run *run, const struct rt_item *item)
{
	bool over = item->count || run->ended >= item->number;

	for (uint32_t i = 0; over && i < item->count; i++)
		over = ascend_has_ended(run, item->list[i]);
	return over;
}

/* False: not yet. */
static bool item_take(struct ascend_run *run, uint32_t at, struct rt_item *item)
{
	struct ascend_processes *all = run->processes;
	struct ascend_process *process = &all->rows[at];

	switch (item->kind) {
	case RT_ITEM_READ: return ascend_values_there(all, item->list, item->count, &process->clock);
	case RT_ITEM_SET: ascend_value_set(run, item, process->clock); return true;
	case RT_ITEM_LOAD:
		if (!happened(run, process, !item->number || ascend_has_ended(run, item->number - 1)))
			return false;
		ascend_value_give(run, item->row, process->clock);
		return true;
	case RT_ITEM_SIGNAL: ascend_value_give(run, item->row, process->clock); return true;
	case RT_ITEM_WAIT: return wait_take(all, process, item);
	case RT_ITEM_FOLLOW: return happened(run, process, followed_over(run, item));
	case RT_ITEM_NOTICE: process->clock = ascend_later(process->clock, item->number); return true;
	case RT_ITEM_ALLOC: return alloc_take(run, at, item);
	case RT_ITEM_SCOPE_END: scope_end(run, item->row); return true;
	default: return true;
	}
}

/* ---- going on ----------------------------------------------------------------------------------------------------- */

static void process_end(struct ascend_run *run, uint32_t at)
{
	run->processes->rows[at].standing = ASCEND_OVER;
	run->processes->live--;
	run->over = !run->processes->live;
	rt_feed_process(run->feed, at, run->processes->rows[at].clock);
}

static void block(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];

	process->standing = ASCEND_BLOCKED;
	if (item->kind == RT_ITEM_SEND || item->kind == RT_ITEM_TAKE || item->kind == RT_ITEM_CLOSED)
		return; /* in the list of the channel */
	process->next = run->processes->blocked;
	run->processes->blocked = at + 1;
}

static bool of_channel(const struct rt_item *item)
{
	return item->kind == RT_ITEM_SEND || item->kind == RT_ITEM_TAKE || item->kind == RT_ITEM_CLOSED || item->kind == RT_ITEM_FINISH;
}

/* Others see when tasks leave or bytes are taken, and its clock may be ahead of the machine's. A process that takes bytes sleeps in any case: others get on first. */
static bool sleeps(struct ascend_run *run, struct ascend_process *process, const struct rt_item *item)
{
	if (item->kind != RT_ITEM_ALLOC && (item->kind != RT_ITEM_SCOPE_END || process->clock <= run->now))
		return false;
	process->standing = ASCEND_SLEEPING;
	if (process->clock <= run->now)
		run->processes->taking++;
	else if (process->clock < run->sleep)
		run->sleep = process->clock;
	return true;
}

/* taking: it stands at an ALLOC, and now is the time for it. */
static void process_go(struct ascend_run *run, uint32_t at, bool taking)
{
	struct ascend_process *process = &run->processes->rows[at];

	while (process->standing == ASCEND_GOING) {
		struct rt_item *item = ascend_item_first(run, at);

		if (!item)
			return;
		if (item->kind == RT_ITEM_TASK) {
			process->clock = ascend_later(process->clock, process->last);
			process->stage = ASCEND_WINDOW;
			process->waited = false;
			ascend_asking_push(run, at);
			return;
		}
		if (!taking && sleeps(run, process, item))
			return;
		taking = false;
		if (of_channel(item) ? !ascend_channel_take(run, at, item) : !item_take(run, at, item)) {
			block(run, at, item);
			return;
		}
		process->waited = false;
		if (item->kind == RT_ITEM_PROCESS_END)
			process_end(run, at);
		ascend_item_drop(process);
	}
}

/* The lowest process that takes bytes now goes on. */
static uint32_t taking_first(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;
	uint32_t at = 0;

	while (all->rows[at].standing != ASCEND_SLEEPING || all->rows[at].clock > run->now)
		at++;
	all->taking--;
	all->rows[at].standing = ASCEND_GOING;
	return at;
}

static void work(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	if (all->running)
		return;
	all->running = true;
	while ((all->work_head != all->work_tail || all->taking) && !run->status && !run->no_memory) {
		bool taking = all->work_head == all->work_tail;
		uint32_t at = taking ? taking_first(run) : all->work[all->work_head++ & all->work_mask];

		if (!taking)
			all->rows[at].listed = false;
		process_go(run, at, taking);
	}
	all->running = false;
}

void ascend_processes_begin(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	rt_feed_began(run->feed, run->end);
	rt_arena_settle(&run->heap, run->left);
	all->heap_net = run->heap.used;
	all->live = all->count;
	run->over = !all->count;
	ascend_start(run);
	for (uint32_t i = 0; i < all->count; i++) {
		all->rows[i].clock = run->end;
		all->rows[i].owner = i % run->instances;
		ascend_process_list(run, i);
	}
	work(run);
}

void ascend_process_resume(struct ascend_run *run, uint32_t at, uint64_t time)
{
	struct ascend_process *process = &run->processes->rows[at];

	ascend_item_drop(process);
	process->clock = ascend_later(process->clock, time);
	process->standing = ASCEND_GOING;
	ascend_process_list(run, at);
}

/* A scope that ends lets tasks leave, and those may be waited for. */
void ascend_processes_look(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;
	uint64_t left;

	do {
		left = run->left;
		ascend_list_wake(run, &all->blocked);
		for (uint32_t i = 0; all->stalled && i < all->count; i++)
			if (all->rows[i].standing == ASCEND_STALLED)
				ascend_asking_look(run, i);
		work(run);
	} while (run->left != left && !run->status);
}

void ascend_processes_wake(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	run->now = run->sleep;
	run->sleep = ASCEND_NEVER;
	for (uint32_t i = 0; i < all->count; i++) {
		struct ascend_process *process = &all->rows[i];

		if (process->standing != ASCEND_SLEEPING)
			continue;
		process->standing = ASCEND_GOING;
		ascend_process_list(run, i);
	}
	work(run);
	ascend_processes_look(run);
}
