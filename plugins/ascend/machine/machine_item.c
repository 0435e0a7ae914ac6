/* SPDX-License-Identifier: MIT */
/* machine_item.c - items of processes, pulled and not taken: a ring for each. Rows that an item names are fixed in the order of turns: values, scopes, bytes of the heap, numbers
 * of tasks. */
#include "ascend/machine/machine_process.h"
#include "ascend/machine/machine_task.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

/* ---- scopes ------------------------------------------------------------------------------------------------------- */

static uint32_t scope_make(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;
	uint32_t at = all->scope_free;

	if (at) {
		all->scope_free = all->scopes[at].tasks;
	} else {
		if (!COMMON_GROW(all->scopes, all->scope_room, all->scope_count)) {
			run->no_memory = true;
			return 0;
		}
		at = all->scope_count++;
	}
	all->scopes[at] = (struct ascend_scope){.open = true};
	return at;
}

void ascend_scope_free(struct ascend_processes *all, uint32_t scope)
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
	ascend_scope_free(run->processes, scope);
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
	uint32_t value = ascend_value_make(run);

	ascend_value_drop(run->processes, *holder);
	*holder = item->row = value;
}

static void scope_bind(struct ascend_run *run, struct ascend_process *process, struct rt_item *item)
{
	if (item->kind == RT_ITEM_SCOPE_BEGIN)
		process->scope[process->scopes++] = scope_make(run);
	else
		item->row = process->scope[--process->scopes];
}

/* Edges count here: at its issue tasks of lower numbers may not be issued. */
static void edges_count(struct ascend_run *run, const struct rt_item *item, uint8_t owner)
{
	run->owners[item->number & run->owner_mask] = owner;
	for (uint32_t i = 0; i < item->count; i++)
		run->cross_edges += run->owners[item->list[i] & run->owner_mask] != owner;
}

static void task_bind(struct ascend_run *run, const struct ascend_process *process, struct rt_item *item)
{
	struct ascend_task *task = ascend_task_add(run, item);

	if (!task)
		return;
	task->owner = (uint8_t)process->owner;
	edges_count(run, item, task->owner);
	task->scope = process->scopes ? process->scope[process->scopes - 1] : 0;
	if (task->scope)
		run->processes->scopes[task->scope].tasks++;
	ascend_heap_bind(run, item);
	item->bytes = run->limits->streams ? ascend_stream_enter(run, item) : 0; /* from now on: whom it follows there, as numbers say, + 1 */
}

/* Rows of an item, fixed in the order of turns. */
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
	case RT_ITEM_ALLOC: ascend_heap_bind(run, item); break;
	case RT_ITEM_FREE: ascend_heap_return(run, item->number, item->bytes); break;
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
	ptowsp_status status;

	status = rt_feed_next(run->feed, &item);
	if (status) {
		ascend_pull_failed(run, status);
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
struct rt_item *ascend_item_first(struct ascend_run *run, uint32_t process)
{
	struct ascend_processes *all = run->processes;
	struct ascend_items *items = &all->rows[process].items;

	while (items->head == items->tail && !all->drained && !run->status && !run->no_memory)
		pull(run);
	return !run->no_memory && items->head != items->tail ? &items->rows[items->head & items->mask] : NULL;
}

void ascend_item_drop(struct ascend_process *process)
{
	free((void *)process->items.rows[process->items.head & process->items.mask].list);
	process->items.head++;
}

void ascend_items_finish(struct ascend_items *items)
{
	for (; items->head != items->tail; items->head++)
		free((void *)items->rows[items->head & items->mask].list);
	free(items->rows);
}
