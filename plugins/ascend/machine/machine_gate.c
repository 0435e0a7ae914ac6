/* SPDX-License-Identifier: MIT */
/* machine_gate.c - what tasks wait for besides tasks: earlier iterations of ordered constructs, barriers, fences. A gate waits for the tasks of one iteration, and
 * for the gates of those inside it. */
#include "ascend/machine/machine_state.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

uint32_t ascend_gate_make(struct ascend_run *run, uint32_t parent)
{
	uint32_t at = run->gate_free;

	if (at) {
		run->gate_free = run->gates[at].parent;
	} else {
		if (!COMMON_GROW(run->gates, run->gate_room, run->gate_count)) {
			run->no_memory = true;
			return 0;
		}
		at = run->gate_count++;
	}
	run->gates[at] = (struct ascend_gate){.waits = 1, .parent = parent, .uses = 1};
	if (parent)
		run->gates[parent].waits++;
	return at;
}

static void gate_drop(struct ascend_run *run, uint32_t gate)
{
	if (run->gates[gate].uses || !run->gates[gate].open)
		return;
	run->gates[gate].parent = run->gate_free;
	run->gate_free = gate;
}

void ascend_gate_use(struct ascend_run *run, uint32_t gate, int change)
{
	if (!gate)
		return;
	run->gates[gate].uses += (uint32_t)change;
	gate_drop(run, gate);
}

uint32_t ascend_gate_release(struct ascend_run *run, uint32_t gate, uint32_t instance)
{
	uint32_t told = 0;

	while (gate && !--run->gates[gate].waits) {
		uint32_t parent = run->gates[gate].parent, followers = run->gates[gate].followers;

		run->gates[gate].open = true;
		run->gates[gate].followers = 0;
		told += ascend_links_release(run, &followers, instance);
		gate_drop(run, gate);
		gate = parent;
	}
	return told;
}

bool ascend_gates_init(struct ascend_run *run)
{
	run->gate_count = 1;
	return COMMON_GROW(run->gates, run->gate_room, 0);
}

void ascend_gates_finish(struct ascend_run *run)
{
	free(run->gates);
	free(run->delayed);
}

/* ---- ordered constructs ------------------------------------------------------------------------------------------- */

void ascend_order_begin(struct ascend_run *run)
{
	struct ascend_order *outer = &run->orders[run->order_depth++];

	outer[1].gate = outer->gate;
	ascend_gate_use(run, outer->gate, 1);
	outer[1].group = ascend_gate_make(run, outer->group);
}

/* The iteration is over as far as the walk goes. */
static void group_close(struct ascend_run *run, uint32_t group)
{
	if (group)
		ascend_gate_release(run, group, ASCEND_NOBODY);
}

void ascend_order_step(struct ascend_run *run)
{
	struct ascend_order *order = &run->orders[run->order_depth];
	uint32_t group = order->group;

	if (group && run->gates[group].members) {
		ascend_gate_use(run, order->gate, -1);
		order->gate = group;
		group_close(run, group);
	} else {
		group_close(run, group);
		ascend_gate_use(run, group, -1);
	}
	order->group = ascend_gate_make(run, order[-1].group);
}

void ascend_order_end(struct ascend_run *run)
{
	struct ascend_order *order = &run->orders[run->order_depth--];

	group_close(run, order->group);
	ascend_gate_use(run, order->group, -1);
	ascend_gate_use(run, order->gate, -1);
}

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

static void wait_for(struct ascend_run *run, struct ascend_task *task, uint32_t number, uint32_t gate)
{
	if (!gate || run->gates[gate].open)
		return;
	task->waits++;
	ascend_link_add(run, &run->gates[gate].followers, number);
}

void ascend_gates_enter(struct ascend_run *run, struct ascend_task *task, uint32_t number)
{
	struct ascend_order *order = &run->orders[run->order_depth];

	wait_for(run, task, number, order->gate);
	wait_for(run, task, number, run->floor);
	task->group = order->group;
	if (!order->group)
		return;
	run->gates[order->group].waits++;
	for (uint32_t gate = order->group; gate && !run->gates[gate].members; gate = run->gates[gate].parent)
		run->gates[gate].members = true;
}

/* ---- barriers ----------------------------------------------------------------------------------------------------- */

void ascend_floor_raise(struct ascend_run *run, uint64_t number)
{
	uint32_t gate;

	if (number <= run->ended || number <= run->floor_number)
		return;
	gate = ascend_gate_make(run, 0);
	if (run->delayed_head > run->delayed_count) {
		for (uint32_t k = 0; k < run->delayed_count; k++)
			run->delayed[k] = run->delayed[run->delayed_head + k];
		run->delayed_head = 0;
	}
	if (!gate || !COMMON_GROW(run->delayed, run->delayed_room, run->delayed_head + run->delayed_count)) {
		run->no_memory = true;
		return;
	}
	run->delayed[run->delayed_head + run->delayed_count++] = (struct ascend_delayed_gate){number, gate};
	ascend_gate_use(run, run->floor, -1);
	run->floor = gate;
	run->floor_number = number;
}

uint32_t ascend_delayed_gates_open(struct ascend_run *run, uint32_t instance)
{
	uint32_t told = 0;

	while (run->delayed_count && run->delayed[run->delayed_head].number <= run->ended) {
		uint32_t gate = (uint32_t)run->delayed[run->delayed_head++].gate;

		run->delayed_count--;
		told += ascend_gate_release(run, gate, instance);
	}
	return told;
}
