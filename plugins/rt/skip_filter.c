/* SPDX-License-Identifier: MIT */
/* skip_filter.c - whose tasks and statements are where a dispatch filter may be in force. */
#include "rt/policy.h"
#include "rt/skip_body.h"

uint32_t rt_skip_statement_owner(const struct rt_skip *skip, const struct rt_outline_row *row, uint32_t depth)
{
	const struct rt_skip_filter *filter = rt_skip_filter_of(skip);

	if (row->filtered || row->site == PTOWSP_NONE)
		return skip->owner.instances;
	if (filter)
		return filter->owner < skip->owner.instances ? filter->owner : skip->owner.instances;
	if (skip->owner.numbered || row->mixed || row->loose || row->claims >> depth)
		return skip->owner.instances;
	return rt_owner_find(&skip->owner, &skip->owner.program->sites[row->site], skip->number);
}

uint32_t rt_skip_task_owner(const struct rt_skip *skip, const struct rt_site *site)
{
	const struct rt_skip_filter *filter = rt_skip_filter_of(skip);

	if (filter)
		return filter->owner < RT_SKIP_LIMIT ? filter->owner : rt_owner_rest(&skip->owner, skip->number);
	return rt_owner_find(&skip->owner, site, skip->number);
}

/* The policy of a filter: its own where it is by hash or by number, else the value decides. */
static unsigned policy_of(const struct rt_schedule *schedule, const struct rt_ins *in, int64_t value)
{
	if (in->count == PTOWSP_DISPATCH_THRESHOLD && schedule->part_count)
		return schedule->parts[rt_threshold_part(schedule, value)].policy;
	return in->count;
}

static uint32_t owner_by(const struct rt_owner *owner, unsigned policy, int64_t value)
{
	switch (policy) {
	case PTOWSP_DISPATCH_ROUND_ROBIN: return RT_SKIP_LIMIT;
	case PTOWSP_DISPATCH_HASH: return rt_owner_rest(owner, rt_mix64((uint64_t)value));
	}
	return rt_modulo(value, owner->instances);
}

void rt_skip_filter_take(struct rt_skip *skip, const struct rt_ins *in)
{
	uint32_t depth = skip->expand->depth, end = skip->outline.rows[skip->expand->at].end;
	const struct rt_skip_filter *now = rt_skip_filter_of(skip);
	int64_t value = rt_value(skip->owner.env, in->row);
	uint32_t owner = owner_by(&skip->owner, policy_of(&skip->owner.program->schedule, in, value), value);

	if (!now || now->depth != depth || now->end != end)
		skip->filter_count++;
	skip->filters[skip->filter_count - 1] = (struct rt_skip_filter){.depth = depth, .end = end, .owner = owner};
}

void rt_skip_filters_end(struct rt_skip *skip)
{
	const struct rt_skip_filter *filter;

	while ((filter = rt_skip_filter_of(skip)) != NULL &&
	       (filter->depth > skip->expand->depth || (filter->depth == skip->expand->depth && skip->expand->at >= filter->end)))
		skip->filter_count--;
}
