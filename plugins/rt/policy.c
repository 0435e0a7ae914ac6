/* SPDX-License-Identifier: MIT */
#include "rt/policy.h"

uint32_t rt_free_least(const uint64_t *free, uint32_t count)
{
	uint32_t least = 0;

	for (uint32_t e = 1; e < count; e++)
		if (free[e] < free[least])
			least = e;
	return least;
}

static uint32_t only(const struct rt_pick *pick)
{
	(void)pick;
	return 0;
}

static uint32_t round_robin(const struct rt_pick *pick)
{
	return (uint32_t)(pick->count % pick->dispatch->executors);
}

static uint32_t by_value(const struct rt_pick *pick)
{
	return rt_modulo(pick->value, pick->dispatch->executors);
}

static uint32_t by_hash(const struct rt_pick *pick)
{
	return (uint32_t)(rt_mix64((uint64_t)pick->value) % pick->dispatch->executors);
}

static uint32_t static_partition(const struct rt_pick *pick)
{
	uint32_t executor = 0;

	for (uint32_t k = 0; k < pick->dispatch->bound_count; k++)
		executor += (uint64_t)pick->dispatch->bounds[k] <= pick->task;
	return executor;
}

static uint32_t work_steal(const struct rt_pick *pick)
{
	return rt_free_least(pick->free, pick->dispatch->executors);
}

static uint32_t grid(const struct rt_pick *pick)
{
	uint32_t rows = (uint32_t)pick->dispatch->rows, columns = (uint32_t)pick->dispatch->columns;

	return rt_modulo(pick->grid[0], rows) * columns + rt_modulo(pick->grid[1], columns);
}

static const struct rt_policy policies[] = {
	{0, false, only},
	{PTOWSP_DISPATCH_ROUND_ROBIN, false, round_robin},
	{PTOWSP_DISPATCH_AFFINITY, false, by_value},
	{PTOWSP_DISPATCH_HASH, false, by_hash},
	{PTOWSP_DISPATCH_CUSTOM, false, by_value},
	{PTOWSP_DISPATCH_STATIC_PARTITION, false, static_partition},
	{PTOWSP_DISPATCH_WORK_STEAL, true, work_steal},
	{RT_POLICY_GRID, false, grid},
	{PTOWSP_DISPATCH_THRESHOLD, false, only}, /* place.c asks the policy that serves the value */
	{PTOWSP_DISPATCH_AUTO, false, only},	  /* auto.c makes it an affinity before the first task */
};

const struct rt_policy *rt_policy_find(uint32_t id)
{
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		if (policies[i].id == id)
			return &policies[i];
	return NULL;
}
