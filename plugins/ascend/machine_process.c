/* SPDX-License-Identifier: MIT */
#include "ascend/machine_process.h"

#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"

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
	ok = ok && rt_grow((void **)&all->values, &all->value_room, 0, sizeof(*all->values)) &&
	     rt_grow((void **)&all->scopes, &all->scope_room, 0, sizeof(*all->scopes));
	if (!ok)
		return false;
	all->values[0] = (struct ascend_value){.known = true, .uses = 1};
	all->value_count = all->scope_count = 1;
	return true;
}

static void items_finish(struct ascend_items *items)
{
	for (; items->head != items->tail; items->head++)
		free((void *)items->rows[items->head & items->mask].list);
	free(items->rows);
}

void ascend_processes_finish(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	if (!all)
		return;
	ascend_channels_finish(run);
	for (uint32_t i = 0; all->rows && i < all->count; i++)
		items_finish(&all->rows[i].items);
	for (uint32_t p = 0; all->asking && p < run->instances; p++)
		free(all->asking[p]);
	free(all->rows);
	free(all->work);
	free(all->slots);
	free(all->events);
	free(all->asking);
	free(all->asking_count);
	free(all->values);
	for (uint32_t k = 0; k < all->setting_count; k++)
		free(all->settings[k].list);
	free(all->settings);
	free(all->scopes);
	free(all);
}

/* ---- values, scopes ----------------------------------------------------------------------------------------------- */

static uint32_t value_make(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;
	uint32_t at = all->value_free;

	if (at) {
		all->value_free = all->values[at].uses;
	} else {
		if (!rt_grow((void **)&all->values, &all->value_room, all->value_count, sizeof(*all->values))) {
			run->no_memory = true;
			return 0;
		}
		at = all->value_count++;
	}
	all->values[at] = (struct ascend_value){.uses = 2}; /* the item that gives it, and who has it now */
	return at;
}

static void value_drop(struct ascend_processes *all, uint32_t value)
{
	if (!value || --all->values[value].uses)
		return;
	all->values[value].uses = all->value_free;
	all->value_free = value;
}

/* The latest of a list of values, which nobody reads here any more; false: one is not there yet. */
static bool values_there(struct ascend_processes *all, const uint64_t *list, uint32_t count, uint64_t *time)
{
	for (uint32_t i = 0; i < count; i++)
		if (!all->values[list[i]].known)
			return false;
	for (uint32_t i = 0; i < count; i++) {
		*time = ascend_later(*time, all->values[list[i]].time);
		value_drop(all, (uint32_t)list[i]);
	}
	return true;
}

static void value_know(struct ascend_processes *all, uint32_t value, uint64_t time)
{
	all->values[value].time = time;
	all->values[value].known = true;
	value_drop(all, value);
}

/* One that is there may be what others were set from. */
static void settings_look(struct ascend_processes *all)
{
	for (uint32_t k = 0; k < all->setting_count;) {
		struct ascend_setting setting = all->settings[k];

		if (!values_there(all, setting.list, setting.count, &setting.time)) {
			k++;
			continue;
		}
		free(setting.list);
		all->settings[k] = all->settings[--all->setting_count];
		value_know(all, setting.value, setting.time);
		k = 0;
	}
}

static void value_give(struct ascend_run *run, uint32_t value, uint64_t time)
{
	value_know(run->processes, value, time);
	settings_look(run->processes);
	ascend_list_wake(run, &run->processes->blocked);
}

static void value_set(struct ascend_run *run, struct rt_item *item, uint64_t time)
{
	struct ascend_processes *all = run->processes;

	if (values_there(all, item->list, item->count, &time)) {
		value_give(run, item->row, time);
		return;
	}
	if (!rt_grow((void **)&all->settings, &all->setting_room, all->setting_count, sizeof(*all->settings))) {
		run->no_memory = true;
		return;
	}
	all->settings[all->setting_count++] = (struct ascend_setting){time, (uint64_t *)item->list, item->count, item->row};
	item->list = NULL;
}

static uint32_t scope_make(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;
	uint32_t at = all->scope_free;

	if (at) {
		all->scope_free = all->scopes[at].tasks;
	} else {
		if (!rt_grow((void **)&all->scopes, &all->scope_room, all->scope_count, sizeof(*all->scopes))) {
			run->no_memory = true;
			return 0;
		}
		at = all->scope_count++;
	}
	all->scopes[at] = (struct ascend_scope){.open = true};
	return at;
}

static void scope_free(struct ascend_processes *all, uint32_t scope)
{
	if (!scope || all->scopes[scope].open || all->scopes[scope].tasks)
		return;
	all->scopes[scope].tasks = all->scope_free;
	all->scope_free = scope;
}

bool ascend_scope_closed(const struct ascend_run *run, uint32_t scope)
{
	return !run->processes->scopes[scope].open;
}

void ascend_scope_drop(struct ascend_run *run, uint32_t scope)
{
	run->processes->scopes[scope].tasks--;
	scope_free(run->processes, scope);
}

/* ---- pulling ------------------------------------------------------------------------------------------------------ */

static struct rt_item *item_add(struct ascend_run *run, struct ascend_items *items, const struct rt_item *item)
{
	uint64_t *list = item->count ? malloc(item->count * sizeof(*list)) : NULL;
	struct rt_item *row;

	if (!items->rows || items->tail - items->head > items->mask) {
		uint32_t size = items->rows ? 2 * (items->mask + 1) : 8;
		struct rt_item *more = malloc(size * sizeof(*more));

		for (uint32_t k = items->head; more && k != items->tail; k++)
			more[k & (size - 1)] = items->rows[k & items->mask];
		if (more) {
			free(items->rows);
			items->rows = more;
			items->mask = size - 1;
		}
		run->no_memory |= !more;
	}
	run->no_memory |= item->count && !list;
	if (run->no_memory) {
		free(list);
		return NULL;
	}
	row = &items->rows[items->tail++ & items->mask];
	*row = *item;
	if (list)
		memcpy(list, item->list, item->count * sizeof(*list));
	row->list = list;
	return row;
}

/* Slots become the values that they have in the order of turns. */
static void reads_bind(struct ascend_processes *all, struct rt_item *item)
{
	uint64_t *list = (uint64_t *)item->list;

	for (uint32_t i = 0; i < item->count; i++) {
		list[i] = all->slots[list[i]];
		all->values[list[i]].uses++;
	}
}

static void value_bind(struct ascend_run *run, uint32_t *holder, struct rt_item *item)
{
	uint32_t value = value_make(run);

	value_drop(run->processes, *holder);
	*holder = item->row = value;
}

static void scope_bind(struct ascend_run *run, struct ascend_process *process, struct rt_item *item)
{
	if (item->kind == RT_ITEM_SCOPE_BEGIN)
		process->scope[process->scopes++] = scope_make(run);
	else
		item->row = process->scope[--process->scopes];
}

static void task_bind(struct ascend_run *run, const struct ascend_process *process, struct rt_item *item)
{
	struct ascend_task *task = ascend_task_add(run, item);

	if (!task)
		return;
	task->owner = (uint8_t)process->owner;
	task->scope = process->scopes ? process->scope[process->scopes - 1] : 0;
	if (task->scope)
		run->processes->scopes[task->scope].tasks++;
	item->at = item->bytes ? ascend_heap_ask(run, item->bytes) : 0;
	if (item->bytes)
		ascend_heap_take(run, item->bytes);
}

/* What has to be fixed in the order of turns. */
static void bind(struct ascend_run *run, struct ascend_process *process, struct rt_item *item)
{
	struct ascend_processes *all = run->processes;

	switch (item->kind) {
	case RT_ITEM_TASK: task_bind(run, process, item); break;
	case RT_ITEM_SCOPE_BEGIN:
	case RT_ITEM_SCOPE_END: scope_bind(run, process, item); break;
	case RT_ITEM_READ: reads_bind(all, item); break;
	case RT_ITEM_SET:
		reads_bind(all, item);
		value_bind(run, &all->slots[item->row], item);
		break;
	case RT_ITEM_LOAD: value_bind(run, &all->slots[item->row], item); break;
	case RT_ITEM_SIGNAL: value_bind(run, &all->events[item->row], item); break;
	case RT_ITEM_WAIT:
		item->row = all->events[item->row];
		all->values[item->row].uses++;
		break;
	case RT_ITEM_ALLOC:
		item->at = ascend_heap_ask(run, item->bytes);
		ascend_heap_take(run, item->bytes);
		break;
	case RT_ITEM_FREE: run->no_memory |= !rt_arena_return(&run->heap, item->number, item->bytes); break;
	case RT_ITEM_SEND:
	case RT_ITEM_TAKE:
	case RT_ITEM_CLOSED:
	case RT_ITEM_FINISH: ascend_channel_pulled(run, item); break;
	}
}

/* The next item of anybody. */
static void pull(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;
	const struct rt_item *item;
	struct rt_item *row;
	ptowsp_status st;

	st = rt_feed_next(run->feed, &item);
	if (st) {
		ascend_pull_failed(run, st);
		all->drained = true;
		return;
	}
	if (item->kind == RT_ITEM_END || item->process >= all->count) {
		all->drained |= item->kind == RT_ITEM_END;
		return;
	}
	row = item_add(run, &all->rows[item->process].items, item);
	if (row)
		bind(run, &all->rows[item->process], row);
}

/* The item at which it stands; NULL: none comes. */
static struct rt_item *item_first(struct ascend_run *run, uint32_t process)
{
	struct ascend_processes *all = run->processes;
	struct ascend_items *items = &all->rows[process].items;

	while (items->head == items->tail && !all->drained && !run->status && !run->no_memory)
		pull(run);
	return items->head != items->tail ? &items->rows[items->head & items->mask] : NULL;
}

static void item_drop(struct ascend_process *process)
{
	free((void *)process->items.rows[process->items.head & process->items.mask].list);
	process->items.head++;
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

/* It waited for something of the machine, which happens now. */
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
	value_drop(all, item->row);
	return true;
}

static void scope_end(struct ascend_run *run, uint32_t scope)
{
	if (!scope)
		return;
	run->processes->scopes[scope].open = false;
	scope_free(run->processes, scope);
	ascend_tasks_leave(run);
}

static bool alloc_take(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];
	uint64_t since = process->clock;

	if (!happened(run, process, run->left >= item->at))
		return false;
	rt_feed_stall(run->feed, PTOWSP_RESOURCE_HEAP, 0, run->met, at, since, process->clock);
	return true;
}

/* False: not yet. */
static bool item_take(struct ascend_run *run, uint32_t at, struct rt_item *item)
{
	struct ascend_processes *all = run->processes;
	struct ascend_process *process = &all->rows[at];

	switch (item->kind) {
	case RT_ITEM_READ: return values_there(all, item->list, item->count, &process->clock);
	case RT_ITEM_SET: value_set(run, item, process->clock); return true;
	case RT_ITEM_LOAD:
		if (!happened(run, process, !item->number || ascend_has_ended(run, item->number - 1)))
			return false;
		value_give(run, item->row, process->clock);
		return true;
	case RT_ITEM_SIGNAL: value_give(run, item->row, process->clock); return true;
	case RT_ITEM_WAIT: return wait_take(all, process, item);
	case RT_ITEM_FOLLOW: return happened(run, process, run->ended >= item->number);
	case RT_ITEM_NOTICE: process->clock = ascend_later(process->clock, item->number); return true;
	case RT_ITEM_ALLOC: return alloc_take(run, at, item);
	case RT_ITEM_SCOPE_END: scope_end(run, item->row); return true;
	default: return true;
	}
}

/* ---- asking for a task to be issued ------------------------------------------------------------------------------- */

static bool earlier(const struct ascend_processes *all, uint32_t a, uint32_t b)
{
	return all->rows[a].clock != all->rows[b].clock ? all->rows[a].clock < all->rows[b].clock : a < b;
}

static void asking_push(struct ascend_run *run, uint32_t process)
{
	struct ascend_processes *all = run->processes;
	uint32_t instance = all->rows[process].owner, *heap = all->asking[instance], at = all->asking_count[instance]++;

	for (; at && earlier(all, process, heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = process;
	all->rows[process].standing = ASCEND_ASKING;
	ascend_aicpu_wake(run, instance, all->rows[process].clock);
}

static uint32_t asking_pop(struct ascend_processes *all, uint32_t instance)
{
	uint32_t *heap = all->asking[instance], first = heap[0], count = --all->asking_count[instance], last = heap[count], at = 0, child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && earlier(all, heap[child + 1], heap[child]))
			child++;
		if (!earlier(all, heap[child], last))
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
	return first;
}

uint64_t ascend_process_next(const struct ascend_run *run, uint32_t instance)
{
	const struct ascend_processes *all = run->processes;

	return all->asking_count[instance] ? all->rows[all->asking[instance][0]].clock : ASCEND_NEVER;
}

/* Places in a ready queue that tasks of lower numbers have: others are not waited for, or all might wait for each other. */
static bool queue_there(const struct ascend_run *run, const struct rt_item *item)
{
	const struct ascend_processes *all = run->processes;
	uint64_t before = 0;

	if (!run->limits->ready || run->waiting[item->pool] < run->limits->ready)
		return true;
	for (uint32_t i = 0; i < all->count; i++) {
		const struct rt_item *other = all->rows[i].standing == ASCEND_FLYING ? &all->rows[i].items.rows[all->rows[i].items.head & all->rows[i].items.mask] : NULL;

		before += other && other->number < item->number && other->pool == item->pool && ascend_task_of(run, other->number)->state < ASCEND_SENT;
	}
	return before < run->limits->ready;
}

static bool room_there(struct ascend_run *run, const struct rt_item *item, uint8_t stage)
{
	return stage == ASCEND_QUEUE ? queue_there(run, item) : ascend_room_there(run, item, stage, item->at);
}

static void stall_end(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];

	if (process->standing != ASCEND_STALLED)
		return;
	rt_feed_stall(run->feed, ascend_resource_of(process->stage), item->pool, item->number, at, process->since, run->now);
	process->standing = ASCEND_ASKING;
	run->processes->stalled--;
}

/* All stages up to the first that lacks room; counts what was waited for. */
static bool room_find(struct ascend_run *run, uint32_t at, const struct rt_item *item)
{
	struct ascend_process *process = &run->processes->rows[at];

	for (; process->stage < ASCEND_ROOM; process->stage++) {
		if (room_there(run, item, process->stage)) {
			stall_end(run, at, item);
		} else if (process->standing == ASCEND_STALLED) {
			return false;
		} else if (process->stage != ASCEND_WINDOW || !ascend_window_full(run, item)) {
			process->standing = ASCEND_STALLED;
			process->since = run->now;
			run->processes->stalled++;
			return false;
		}
	}
	return true;
}

bool ascend_process_issue(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles_out)
{
	uint32_t instance = (uint32_t)(aicpu - run->aicpus);

	while (ascend_process_next(run, instance) <= run->now) {
		uint32_t at = asking_pop(run->processes, instance);
		struct ascend_process *process = &run->processes->rows[at];
		const struct rt_item *item = &process->items.rows[process->items.head & process->items.mask];

		if (!room_find(run, at, item))
			continue;
		process->standing = ASCEND_FLYING;
		process->last = run->now + run->limits->issue_cost;
		ascend_task_issue(run, item);
		aicpu->doing = ASCEND_ISSUING;
		aicpu->what = (uint32_t)item->number;
		*cycles_out = run->cost->lookup + item->count * run->cost->lookup_use + run->cost->submit;
		return true;
	}
	return false;
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

static void process_go(struct ascend_run *run, uint32_t at)
{
	struct ascend_process *process = &run->processes->rows[at];

	while (process->standing == ASCEND_GOING) {
		struct rt_item *item = item_first(run, at);

		if (!item)
			return;
		if (item->kind == RT_ITEM_TASK) {
			process->clock = ascend_later(process->clock, process->last);
			process->stage = ASCEND_WINDOW;
			process->waited = false;
			asking_push(run, at);
			return;
		}
		if (of_channel(item) ? !ascend_channel_take(run, at, item) : !item_take(run, at, item)) {
			block(run, at, item);
			return;
		}
		process->waited = false;
		if (item->kind == RT_ITEM_PROCESS_END)
			process_end(run, at);
		item_drop(process);
	}
}

static void work(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	if (all->running)
		return;
	all->running = true;
	while (all->work_head != all->work_tail && !run->status && !run->no_memory) {
		uint32_t at = all->work[all->work_head++ & all->work_mask];

		all->rows[at].listed = false;
		process_go(run, at);
	}
	all->running = false;
}

void ascend_processes_begin(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;

	rt_feed_began(run->feed, run->end);
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

	item_drop(process);
	process->clock = ascend_later(process->clock, time);
	process->standing = ASCEND_GOING;
	ascend_process_list(run, at);
}

/* Who waits for room and finds it asks again. */
static void stalled_look(struct ascend_run *run, uint32_t at)
{
	struct ascend_process *process = &run->processes->rows[at];
	const struct rt_item *item = &process->items.rows[process->items.head & process->items.mask];

	if (!room_find(run, at, item))
		return;
	process->clock = ascend_later(process->clock, run->now);
	asking_push(run, at);
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
				stalled_look(run, i);
		work(run);
	} while (run->left != left && !run->status);
}
