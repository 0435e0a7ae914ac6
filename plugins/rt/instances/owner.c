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

static uint32_t owner_by(const struct rt_owner *owner, const struct rt_pick *pick)
{
	if (decided_by_number(pick->dispatch) && pick->dispatch->policy != PTOWSP_DISPATCH_STATIC_PARTITION)
		return rt_owner_rest(owner, pick->task);
	return rt_policies[pick->dispatch->policy].pick(pick);
}

uint32_t rt_owner_find(const struct rt_owner *owner, const struct rt_site *site, uint64_t task)
{
	struct rt_pick pick = {.n = owner->instances, .task = task};

	rt_pick_site(&pick, owner->program, owner->env, site);
	return owner_by(owner, &pick);
}

static void own_range(struct rt_owner *owner, uint64_t number)
{
	const struct rt_own *own = owner->own;
	const struct rt_range *range;

	while (owner->range_at < own->count && own->ranges[owner->range_at].end <= number)
		owner->range_at++;
	range = owner->range_at < own->count ? &own->ranges[owner->range_at] : &(struct rt_range){UINT64_MAX, UINT64_MAX};
	owner->next = range->begin > number ? range->begin : number;
	owner->until = range->end;
}

/* Bounds need not ascend, so all are looked at. */
void rt_owner_range(struct rt_owner *owner, uint64_t number)
{
	const struct rt_dispatch *dispatch = owner->dispatch;
	uint64_t at = number;

	if (owner->own) {
		own_range(owner, number);
		return;
	}
	for (;;) {
		uint64_t end = UINT64_MAX;

		for (uint32_t k = 0; k < dispatch->bound_count; k++)
			if ((uint64_t)dispatch->bounds[k] > at && (uint64_t)dispatch->bounds[k] < end)
				end = (uint64_t)dispatch->bounds[k];
		owner->next = at;
		owner->until = end;
		if (owner_by(owner, &(struct rt_pick){.dispatch = dispatch, .n = owner->instances, .task = at}) == owner->me)
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
	owner->ranged = owner->dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION;
	if (owner->ranged)
		rt_owner_range(owner, 0);
}

void rt_owner_own(struct rt_owner *owner, const struct rt_own *own)
{
	owner->own = own;
	owner->numbered = owner->ranged = true;
	rt_owner_range(owner, 0);
}
