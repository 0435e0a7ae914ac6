/* SPDX-License-Identifier: MIT */
/* machine_value.c - values of slots and events in time, each as of one place in the order of turns: who reads one that is not there yet waits for it. */
#include "ascend/machine/machine_process.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

uint32_t ascend_value_make(struct ascend_run *run)
{
	struct ascend_processes *all = run->processes;
	uint32_t at = all->value_free;

	if (at) {
		all->value_free = all->values[at].uses;
	} else {
		if (!COMMON_GROW(all->values, all->value_room, all->value_count)) {
			run->no_memory = true;
			return 0;
		}
		at = all->value_count++;
	}
	all->values[at] = (struct ascend_value){.uses = 2}; /* the item that gives it, and who has it now */
	return at;
}

void ascend_value_drop(struct ascend_processes *all, uint32_t value)
{
	if (!value || --all->values[value].uses)
		return;
	all->values[value].uses = all->value_free;
	all->value_free = value;
}

/* The latest of a list of values, which nobody reads here any more; false: one is not there yet. */
bool ascend_values_there(struct ascend_processes *all, const uint64_t *list, uint32_t count, uint64_t *time)
{
	for (uint32_t i = 0; i < count; i++)
		if (!all->values[list[i]].known)
			return false;
	for (uint32_t i = 0; i < count; i++) {
		*time = ascend_later(*time, all->values[list[i]].time);
		ascend_value_drop(all, (uint32_t)list[i]);
	}
	return true;
}

static void value_know(struct ascend_processes *all, uint32_t value, uint64_t time)
{
	all->values[value].time = time;
	all->values[value].known = true;
	ascend_value_drop(all, value);
}

/* One that is there may be what others were set from. */
static void settings_look(struct ascend_processes *all)
{
	for (uint32_t k = 0; k < all->setting_count;) {
		struct ascend_setting setting = all->settings[k];

		if (!ascend_values_there(all, setting.list, setting.count, &setting.time)) {
			k++;
			continue;
		}
		free(setting.list);
		all->settings[k] = all->settings[--all->setting_count];
		value_know(all, setting.value, setting.time);
		k = 0;
	}
}

void ascend_value_give(struct ascend_run *run, uint32_t value, uint64_t time)
{
	value_know(run->processes, value, time);
	settings_look(run->processes);
	ascend_list_wake(run, &run->processes->blocked);
}

void ascend_value_set(struct ascend_run *run, struct rt_item *item, uint64_t time)
{
	struct ascend_processes *all = run->processes;

	if (ascend_values_there(all, item->list, item->count, &time)) {
		ascend_value_give(run, item->row, time);
		return;
	}
	if (!COMMON_GROW(all->settings, all->setting_room, all->setting_count)) {
		run->no_memory = true;
		return;
	}
	all->settings[all->setting_count++] = (struct ascend_setting){time, (uint64_t *)item->list, item->count, item->row};
	item->list = NULL;
}
