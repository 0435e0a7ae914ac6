/* SPDX-License-Identifier: MIT */
#include "rt/instances/owner.h"

#include "rt/program/policy.h"

static bool decided_by_number(const struct rt_dispatch *dispatch)
{
	switch (dispatch->policy) {
	case 0:
	case PTOWSP_DISPATCH_ROUND_ROBIN:
	case PTOWSP_DISPATCH_WORK_STEAL:
	case PTOWSP_DISPATCH_AUTO:
	case PTOWSP_DISPATCH_STATIC_PARTITION: return true;
	}
	return false;
}

int64_t rt_owner_value(const struct rt_owner *owner, const struct rt_site *site)
{
	struct rt_env *env = owner->env;

	if (site->dispatch != PTOWSP_NONE)
		return rt_value(env, site->dispatch);
	return site->affinity >= 0 ? env->loops[site->affinity] : 0;
}

static int64_t grid_value(const struct rt_env *env, const struct rt_dispatch *dispatch, const struct rt_site *site)
{
	uint32_t rows = (uint32_t)dispatch->rows, columns = (uint32_t)dispatch->columns;
	int64_t row = site->grid[0] < 0 ? 0 : env->loops[site->grid[0]], column = site->grid[1] < 0 ? 0 : env->loops[site->grid[1]];

	return (int64_t)rt_modulo(row, rows) * columns + rt_modulo(column, columns);
}

static uint32_t owner_by(const struct rt_owner *owner, const struct rt_dispatch *dispatch, const struct rt_site *site, int64_t value, uint64_t task)
{
	uint32_t part = 0;

	switch (dispatch->policy) {
	case PTOWSP_DISPATCH_HASH: return rt_owner_rest(owner, rt_mix64((uint64_t)value));
	case PTOWSP_DISPATCH_AFFINITY:
	case PTOWSP_DISPATCH_CUSTOM: return rt_modulo(value, owner->instances);
	case RT_POLICY_GRID: return rt_modulo(grid_value(owner->env, dispatch, site), owner->instances);
	case PTOWSP_DISPATCH_STATIC_PARTITION:
		for (uint32_t k = 0; k < dispatch->bound_count; k++)
			part += (uint64_t)dispatch->bounds[k] <= task;
		return part % owner->instances;
	}
	return rt_owner_rest(owner, task);
}

/* By the part of dispatch threshold that serves a value. */
static uint32_t owner_of_part(const struct rt_owner *owner, const struct rt_site *site, int64_t value, uint64_t task)
{
	const struct rt_program *program = owner->program;
	uint32_t k = rt_threshold_part(&program->schedule, value);
	const struct rt_site_part *part = &program->parts[site->first_part + k];

	value = part->value != PTOWSP_NONE ? rt_value(owner->env, part->value) : part->affinity >= 0 ? owner->env->loops[part->affinity] : 0;
	return owner_by(owner, &program->schedule.parts[k], site, value, task);
}

uint32_t rt_owner_find(const struct rt_owner *owner, const struct rt_site *site, uint64_t task)
{
	int64_t value = rt_owner_value(owner, site);

	if (owner->dispatch->policy == PTOWSP_DISPATCH_THRESHOLD)
		return owner_of_part(owner, site, value, task);
	return owner_by(owner, owner->dispatch, site, value, task);
}

/* Bounds need not ascend, so all are looked at. */
void rt_owner_range(struct rt_owner *owner, uint64_t number)
{
	const struct rt_dispatch *dispatch = owner->dispatch;
	uint64_t at = number;

	for (;;) {
		uint64_t end = UINT64_MAX;

		for (uint32_t k = 0; k < dispatch->bound_count; k++)
			if ((uint64_t)dispatch->bounds[k] > at && (uint64_t)dispatch->bounds[k] < end)
				end = (uint64_t)dispatch->bounds[k];
		owner->next = at;
		owner->until = end;
		if (owner_by(owner, dispatch, NULL, 0, at) == owner->me)
			return;
		owner->next = owner->until = UINT64_MAX;
		if (end == UINT64_MAX)
			return;
		at = end;
	}
}

void rt_owner_init(struct rt_owner *owner, const struct rt_program *program, struct rt_env *env, uint32_t me, uint32_t instances)
{
	*owner = (struct rt_owner){.program = program, .env = env, .dispatch = &program->schedule.dispatch, .me = me, .instances = instances, .next = me};
	owner->numbered = decided_by_number(owner->dispatch);
	owner->reciprocal = instances > 1 ? (uint64_t)(UINT64_MAX / instances) : UINT64_MAX;
	if (owner->dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION)
		rt_owner_range(owner, 0);
}
