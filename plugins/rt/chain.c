/* SPDX-License-Identifier: MIT */
#include "rt/chain_lane.h"

#include "rt/run.h"

/* ---- which uses ---------------------------------------------------------------------------------------------------- */

static void uses_take(struct rt_chain_lane *lane, struct rt_plan *const *plans, uint64_t first, uint64_t step)
{
	for (uint32_t k = 0; k < lane->tasks; k++)
		for (const struct rt_use *use = plans[k]->uses, *end = use + plans[k]->use_count; use < end; use++) {
			struct rt_moving *m = &lane->uses[lane->use_count++];
			uint64_t to;

			*m = (struct rt_moving){.name = use->name + use->step * first, .step = use->step * step, .task = k, .access = use->access};
			to = m->name + m->step * (lane->iterations - 1);
			m->low = m->name < to ? m->name : to;
			m->high = m->name < to ? to : m->name;
			m->loose = !m->step;
		}
}

static bool together(const struct rt_moving *a, const struct rt_moving *b)
{
	return a->step && a->step == b->step && a->name >> RT_PLACE_BITS == b->name >> RT_PLACE_BITS && !((int64_t)(a->name - b->name) % (int64_t)a->step);
}

static bool may_meet(const struct rt_moving *a, const struct rt_moving *b)
{
	return a->low <= b->high && b->low <= a->high && !rt_names_disjoint(a->name, a->step, b->name, b->step);
}

/* A use that others come across is none of a chain, nor are those of its chain. */
static void loose_find(struct rt_chain_lane *lane)
{
	bool changed = true;

	for (uint32_t i = 0; i < lane->use_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (!together(&lane->uses[i], &lane->uses[k]) && may_meet(&lane->uses[i], &lane->uses[k]))
				lane->uses[i].loose = lane->uses[k].loose = true;
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < lane->use_count; i++)
			for (uint32_t k = 0; k < lane->use_count; k++)
				if (lane->uses[i].loose && !lane->uses[k].loose && together(&lane->uses[i], &lane->uses[k]))
					lane->uses[k].loose = changed = true;
	}
}

/* ---- chains --------------------------------------------------------------------------------------------------------- */

static void touch_add(struct rt_strand *strand, const struct rt_moving *use, uint32_t shift)
{
	uint32_t place = shift * strand->count + use->task, at = strand->touch_count++;

	for (; at && strand->touches[at - 1].place > place; at--)
		strand->touches[at] = strand->touches[at - 1];
	strand->touches[at] = (struct rt_touch){place, shift, use->access};
}

/* The chain that a use begins in the list. False: it is too long, or reaches too far. */
static bool strand_make(const struct rt_chain_lane *lane, uint32_t first, struct rt_strand *strand)
{
	const struct rt_moving *lead = &lane->uses[first];
	int64_t step = (int64_t)lead->step;
	uint64_t from, to;

	for (uint32_t i = first + 1; i < lane->use_count; i++)
		if (together(lead, &lane->uses[i]) && (int64_t)(lane->uses[i].name - lead->name) / step > 0)
			lead = &lane->uses[i];
	*strand = (struct rt_strand){.name = lead->name, .step = lead->step, .began = lane->chains->began, .count = lane->tasks};
	for (uint32_t i = first; i < lane->use_count; i++) {
		int64_t shift = (int64_t)(lead->name - lane->uses[i].name) / step;

		if (!together(lead, &lane->uses[i]))
			continue;
		if (strand->touch_count == RT_STRAND_TOUCHES || shift > 1 << 20)
			return false;
		touch_add(strand, &lane->uses[i], (uint32_t)shift);
	}
	from = strand->name - strand->step * rt_strand_shift(strand);
	to = strand->name + strand->step * (lane->iterations - 1);
	strand->low = from < to ? from : to;
	strand->high = from < to ? to : from;
	return true;
}

static bool chained_before(const struct rt_chain_lane *lane, uint32_t use)
{
	for (uint32_t i = 0; i < use; i++)
		if (together(&lane->uses[i], &lane->uses[use]))
			return true;
	return false;
}

static void chain_use(struct rt_chain_lane *lane, uint32_t first)
{
	for (uint32_t i = first; i < lane->use_count; i++)
		if (together(&lane->uses[first], &lane->uses[i]))
			lane->chains->used |= UINT64_C(1) << i;
}

/* Uses that are looked up come first: strands that they may touch are written into the map, and they mark where nobody can do without it. */
static void loose_meet(struct rt_chain_lane *lane)
{
	uint64_t last = lane->run->preds.task + (uint64_t)lane->iterations * lane->tasks;

	for (uint32_t i = 0; i < lane->use_count; i++)
		if (lane->uses[i].loose)
			rt_replay_meet(lane->run, lane->uses[i].low, lane->uses[i].high, last, lane->uses[i].access);
}

static void chains_find(struct rt_chain_lane *lane)
{
	struct rt_chains *chains = lane->chains;
	struct rt_strand *strand = chains->strands;

	for (uint32_t i = 0; i < lane->use_count; i++) {
		if (lane->uses[i].loose || chained_before(lane, i))
			continue;
		if (chains->count < RT_CHAINS && strand_make(lane, i, strand) && rt_chain_follow(lane, strand)) {
			chain_use(lane, i);
			strand++;
			chains->count++;
			continue;
		}
		for (uint32_t k = i; k < lane->use_count; k++)
			lane->uses[k].loose |= together(&lane->uses[i], &lane->uses[k]);
	}
}

struct rt_replay_rules rt_replay_rules = {12, 96, 8, 1024};

enum { MOST_ITERATIONS = 1 << 30 };

/* Does it pay? As many strands as the window has rounds of the loop have to be looked through for each. */
static bool pays(const struct rt_run *run, struct rt_plan *first, uint64_t iterations, uint32_t count)
{
	if (run->replay.always)
		return iterations < MOST_ITERATIONS;
	if (first->blame > rt_replay_rules.blame) {
		first->blame--;
		return false;
	}
	return iterations >= rt_replay_rules.least_iterations && iterations < MOST_ITERATIONS && iterations * count >= rt_replay_rules.least_tasks &&
	       run->window / (iterations * count) < RT_STRANDS / 2;
}

static bool any_moves(struct rt_plan *const *plans, uint32_t count)
{
	for (uint32_t k = 0; k < count; k++)
		for (const struct rt_use *use = plans[k]->uses, *end = use + plans[k]->use_count; use < end; use++)
			if (use->step)
				return true;
	return false;
}

bool rt_chains_find(struct rt_chains *chains, struct rt_run *run, struct rt_plan *const *plans, uint32_t count, uint64_t first, uint64_t step, int64_t last)
{
	struct rt_chain_lane lane = {.run = run, .chains = chains, .tasks = count, .full = run->track.full, .most = run->window - 1};
	int64_t left = last - (int64_t)((uint64_t)plans[0]->at + first);

	chains->count = 0;
	chains->used = 0;
	if (left < 0 || !any_moves(plans, count) || !pays(run, plans[0], (uint64_t)left / step + 1, count) || !rt_replay_arm(run))
		return false;
	lane.iterations = (uint32_t)((uint64_t)left / step + 1);
	uses_take(&lane, plans, first, step);
	chains->iterations = lane.iterations;
	chains->step = step;
	chains->began = run->preds.task;
	chains->at = plans[0]->at;
	chains->edge_count = chains->find_count = 0;
	for (uint32_t k = 0; k < count; k++)
		chains->edge_first[k] = chains->find_first[k] = RT_CHAIN_NONE;
	loose_find(&lane);
	rt_replay_prune(run);
	chains_find(&lane);
	loose_meet(&lane);
	run->replay.covered = true;
	plans[0]->replays = chains->count > 0;
	if (!chains->count)
		rt_plan_blame(plans[0]);
	return chains->count > 0;
}

void rt_chains_end(struct rt_chains *chains, struct rt_run *run, struct rt_plan *const *plans, uint32_t count)
{
	uint64_t steps = (uint64_t)plans[0]->at - (uint64_t)chains->at;
	uint32_t place = 0;

	for (uint32_t k = 0; k < count; k++)
		for (struct rt_use *use = plans[k]->uses, *end = use + plans[k]->use_count; use < end; use++, place++)
			if (chains->used >> place & 1)
				use->name += use->step * steps;
	for (uint32_t i = 0; i < chains->count; i++) {
		struct rt_strand *strand = &chains->strands[i];
		bool kept = run->track.full;

		for (uint32_t t = 0; !kept && t < strand->touch_count; t++)
			kept = strand->touches[t].access & PTOWSP_WRITE;
		strand->iterations = (uint32_t)((run->preds.task - chains->began) / count);
		strand->plan = plans[0];
		if (kept && strand->iterations)
			rt_replay_add(run, strand);
	}
	chains->count = 0;
}
