/* SPDX-License-Identifier: MIT */
#include "starpu/spu_orders.h"

#include "registry/common/common_grow.h"
#include <stdlib.h>

bool spu_orders_init(struct spu_orders *orders, const struct base_walk *walk)
{
	const bool clocks = base_walk_clocks_init(&orders->clocks, walk);

	base_lanes_init(&orders->lanes, walk, walk->task_count);
	orders->walk = walk;
	orders->begins = calloc(walk->task_count + 2, sizeof(*orders->begins));
	return clocks && orders->begins;
}

void spu_orders_finish(struct spu_orders *orders)
{
	base_lanes_finish(&orders->lanes);
	rt_vector_clocks_finish(&orders->clocks);
	free(orders->begins);
	free(orders->list);
	free(orders->gates);
	*orders = (struct spu_orders){.walk = NULL};
}

static bool order_add(struct spu_orders *orders, uint64_t number)
{
	if (!COMMON_GROW(orders->list, orders->room, orders->count))
		return false;
	orders->list[orders->count++] = (uint32_t)number;
	return true;
}

/* The task comes behind the latest steps of its process and behind those of its tokens. */
static bool clock_add(struct spu_orders *orders, uint32_t process)
{
	const struct rt_vector_clock *clock = &orders->clocks.instances[process];
	bool ok = true;

	for (uint32_t i = 0; ok && i < clock->count; i++)
		ok = order_add(orders, clock->rows[i].step);
	return ok;
}

bool spu_orders_task(struct spu_orders *orders, uint64_t number)
{
	const struct base_walk_task *task = &orders->walk->tasks[number];
	uint32_t lanes[BASE_LANES_MOST];
	const uint32_t lane_count = base_lanes_follow(&orders->lanes, task, lanes);
	bool ok = true;

	orders->begins[number] = orders->count;
	for (uint32_t p = 0; ok && p < task->pred_count; p++)
		ok = order_add(orders, orders->walk->preds[task->preds + p]);
	for (uint32_t l = 0; ok && l < lane_count; l++)
		ok = order_add(orders, lanes[l]);
	if (ok && task->process != PTOWSP_NONE)
		ok = clock_add(orders, task->process);
	orders->begins[number + 1] = orders->count;
	base_lanes_put(&orders->lanes, task, (uint32_t)number);
	if (task->process != PTOWSP_NONE)
		rt_vector_clock_task(&orders->clocks, task->process, number);
	return ok && !orders->lanes.failed && !orders->clocks.lost;
}

bool spu_orders_gate(struct spu_orders *orders, uint64_t at, uint64_t number)
{
	if (!number)
		return true;
	if (!COMMON_GROW(orders->gates, orders->gate_room, orders->gate_count))
		return false;
	orders->gates[orders->gate_count++] = (struct spu_gate){at, number};
	return true;
}
