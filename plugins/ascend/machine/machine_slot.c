/* SPDX-License-Identifier: MIT */
/* machine_slot.c - values of slots in the workload: when each is there, and which tasks have to end for it. */
#include "ascend/machine/machine_state.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

/* Writers that have ended are forgotten. */
static void slot_settle(const struct ascend_run *run, struct ascend_slot *slot)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < slot->count; i++)
		if (!ascend_has_ended(run, slot->writers[i]))
			slot->writers[left++] = slot->writers[i];
	slot->count = left;
}

static void writer_add(struct ascend_run *run, struct ascend_slot *slot, uint64_t number)
{
	if (ascend_has_ended(run, number))
		return;
	if (!COMMON_GROW(slot->writers, slot->room, slot->count)) {
		run->no_memory = true;
		return;
	}
	slot->writers[slot->count++] = number;
}

void ascend_slot_load(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_slot *slot = &run->slots[item->row];

	slot->time = run->chain;
	slot->count = 0;
	if (item->number)
		writer_add(run, slot, item->number - 1);
}

/* As late as the latest of what the expression reads. */
void ascend_slot_set(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_slot joined = {.time = run->chain}, *slot = &run->slots[item->row];

	for (uint32_t i = 0; i < item->count; i++) {
		const struct ascend_slot *read = &run->slots[item->list[i]];

		joined.time = ascend_later(joined.time, read->time);
		for (uint32_t k = 0; k < read->count; k++)
			writer_add(run, &joined, read->writers[k]);
	}
	free(slot->writers);
	*slot = joined;
}

bool ascend_slots_there(struct ascend_run *run, const struct rt_item *item)
{
	bool there = true;

	for (uint32_t i = 0; i < item->count; i++) {
		struct ascend_slot *slot = &run->slots[item->list[i]];

		if (slot->count)
			slot_settle(run, slot);
		there &= !slot->count;
		run->chain = ascend_later(run->chain, slot->time);
	}
	return there;
}
