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
	if (owner->dispatch->policy == PTOWSP_DISPATCH_STATIC_PARTITION)
		rt_owner_range(owner, 0);
}
