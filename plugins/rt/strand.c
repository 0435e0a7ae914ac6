/* SPDX-License-Identifier: MIT */
#include "rt/strand.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "rt/run.h"

static struct rt_cells *cells_of(struct rt_run *run)
{
	return run->overlap.lattices ? &run->overlap.cells : &run->exact;
}

/* Of tasks that are in the window of the one being issued, the one of the lowest number. */
static uint64_t oldest_of(const struct rt_run *run)
{
	return run->preds.task >= run->window ? run->preds.task - run->window + 1 : 0;
}

bool rt_replay_arm(struct rt_run *run)
{
	struct rt_replay *replay = &run->replay;

	if (replay->strands)
		return true;
	replay->strands = calloc(RT_STRANDS, sizeof(*replay->strands));
	if (!replay->strands)
		return false;
	for (uint32_t i = 0; i < RT_MARKS; i++)
		replay->marks[i] = (struct rt_names){0, UINT64_MAX, run->preds.task};
	return true;
}

void rt_replay_finish(struct rt_replay *replay)
{
	free(replay->strands);
	memset(replay, 0, sizeof(*replay));
}

/* ---- marks -------------------------------------------------------------------------------------------------------- */

static struct rt_names *mark_of(struct rt_replay *replay, uint64_t name)
{
	return &replay->marks[(name >> RT_PLACE_BITS) % RT_MARKS];
}

static void mark_one(struct rt_names *mark, uint64_t low, uint64_t high, uint64_t last, uint64_t oldest)
{
	if (mark->last < oldest)
		*mark = (struct rt_names){low, high, last};
	if (low < mark->low)
		mark->low = low;
	if (high > mark->high)
		mark->high = high;
	if (last > mark->last)
		mark->last = last;
}

/* Names of one use are of one class. */
static void mark(struct rt_run *run, uint64_t low, uint64_t high, uint64_t last)
{
	assert(low >> RT_PLACE_BITS == high >> RT_PLACE_BITS);
	mark_one(mark_of(&run->replay, low), low, high, last, oldest_of(run));
}

bool rt_replay_marked(const struct rt_run *run, uint64_t name, uint64_t *low_out, uint64_t *high_out)
{
	const struct rt_names *mark = &run->replay.marks[(name >> RT_PLACE_BITS) % RT_MARKS];

	*low_out = mark->low;
	*high_out = mark->high;
	return mark->last >= oldest_of(run);
}

/* ---- into the map ------------------------------------------------------------------------------------------------- */

/* What the tasks of the window did to key j. */
static void key_settle(struct rt_run *run, const struct rt_strand *strand, int64_t j, uint64_t oldest)
{
	struct rt_track *track = &run->track;
	struct rt_cells *cells = cells_of(run);
	uint64_t name = strand->name + strand->step * (uint64_t)j;
	struct rt_cell *cell = NULL;

	for (uint32_t t = 0; t < strand->touch_count; t++) {
		const struct rt_touch *touch = &strand->touches[t];
		int64_t iteration = j + touch->shift;
		uint64_t number = strand->began + (uint64_t)j * strand->count + touch->place;
		uint32_t stamp = (uint32_t)number + 1;

		if (iteration < 0 || iteration >= strand->iterations || number < oldest || (!track->full && touch->access == PTOWSP_READ))
			continue;
		if (!cell && !(cell = rt_cells_find(cells, name)))
			cell = rt_cells_enter_on(cells, track, name);
		if (!cell)
			return;
		if (touch->access & PTOWSP_WRITE)
			*cell = (struct rt_cell){stamp, stamp, 0};
		else
			rt_cell_reader(track, cell, stamp);
	}
}

static uint64_t strand_last(const struct rt_strand *strand)
{
	return strand->began + (uint64_t)strand->iterations * strand->count - 1;
}

static void strand_settle(struct rt_run *run, const struct rt_strand *strand)
{
	uint64_t oldest = oldest_of(run), last = strand_last(strand);
	uint32_t shift = rt_strand_shift(strand);
	int64_t j = -(int64_t)shift;

	if (last < oldest)
		return;
	if (oldest > strand->began && (int64_t)((oldest - strand->began) / strand->count) - shift > j)
		j = (int64_t)((oldest - strand->began) / strand->count) - shift;
	mark(run, strand->low, strand->high, last);
	for (; j < strand->iterations; j++)
		key_settle(run, strand, j, oldest);
}

static bool cross(const struct rt_strand *a, const struct rt_strand *b)
{
	return a->low <= b->high && b->low <= a->high;
}

/* Older ones of the same keys go before. */
static void wanted_settle(struct rt_run *run, bool *wanted)
{
	struct rt_replay *replay = &run->replay;
	uint32_t count = 0;

	for (uint32_t i = replay->count; i-- > 0;)
		for (uint32_t k = i + 1; !wanted[i] && k < replay->count; k++)
			wanted[i] = wanted[k] && cross(&replay->strands[i], &replay->strands[k]);
	for (uint32_t i = 0; i < replay->count; i++)
		if (wanted[i])
			strand_settle(run, &replay->strands[i]);
		else if (count++ != i)
			replay->strands[count - 1] = replay->strands[i];
	replay->count = count;
}

void rt_replay_settle(struct rt_run *run)
{
	for (uint32_t i = 0; i < run->replay.count; i++)
		strand_settle(run, &run->replay.strands[i]);
	run->replay.count = 0;
}

void rt_replay_settle_one(struct rt_run *run, uint32_t at)
{
	bool wanted[RT_STRANDS] = {false};

	wanted[at] = true;
	rt_plan_blame(run->replay.strands[at].plan);
	wanted_settle(run, wanted);
}

void rt_replay_meet(struct rt_run *run, uint64_t low, uint64_t high, uint64_t last, unsigned access)
{
	struct rt_replay *replay = &run->replay;
	bool wanted[RT_STRANDS], any = false;

	for (uint32_t i = 0; i < replay->count; i++) {
		const struct rt_strand *strand = &replay->strands[i];

		wanted[i] = strand->low <= high && low <= strand->high && (low != high || !((int64_t)(low - strand->name) % (int64_t)strand->step));
		if (wanted[i])
			rt_plan_blame(strand->plan);
		any |= wanted[i];
	}
	if (any)
		wanted_settle(run, wanted);
	if (run->track.full || access != PTOWSP_READ)
		mark(run, low, high, last);
}

void rt_replay_meet_use(struct rt_run *run, const struct rt_use *use, uint64_t name)
{
	if (use->way == RT_USE_NAMED || use->way == RT_USE_VERSION)
		rt_replay_meet(run, name, name, run->preds.task, use->access);
	else
		rt_replay_settle(run);
}

void rt_replay_meet_plan(struct rt_run *run, const struct rt_plan *plan, uint64_t steps)
{
	for (const struct rt_use *use = plan->uses, *end = use + plan->use_count; use < end; use++)
		rt_replay_meet_use(run, use, use->name + use->step * steps);
}

void rt_replay_cover(struct rt_run *run, struct rt_plan *const *plans, uint32_t count, const struct rt_round *round)
{
	uint64_t left = (uint64_t)round->last - (uint64_t)plans[0]->at, last = run->preds.task + (left / round->stride + 1) * count;
	struct rt_replay *replay = &run->replay;

	if (!replay->strands || replay->covered)
		return;
	for (uint32_t k = 0; k < count; k++)
		if (!plans[k]->named || plans[k]->divided != run->overlap.divided)
			return;
	for (uint32_t k = 0; k < count; k++)
		for (const struct rt_use *use = plans[k]->uses, *end = use + plans[k]->use_count; use < end; use++) {
			uint64_t to = use->name + use->step * left;

			rt_replay_meet(run, use->name < to ? use->name : to, use->name < to ? to : use->name, last, use->access);
		}
	replay->covered = true;
}

/* ---- strands ------------------------------------------------------------------------------------------------------ */

void rt_replay_prune(struct rt_run *run)
{
	struct rt_replay *replay = &run->replay;
	uint64_t oldest = oldest_of(run);
	uint32_t count = 0;

	for (uint32_t i = 0; i < replay->count; i++) {
		if (strand_last(&replay->strands[i]) < oldest) {
			rt_plan_praise(replay->strands[i].plan);
			continue;
		}
		if (count++ != i)
			replay->strands[count - 1] = replay->strands[i];
	}
	replay->count = count;
}

static bool touches_same(const struct rt_strand *a, const struct rt_strand *b)
{
	bool same = a->touch_count == b->touch_count;

	for (uint32_t t = 0; same && t < a->touch_count; t++)
		same = a->touches[t].place == b->touches[t].place && a->touches[t].shift == b->touches[t].shift && a->touches[t].access == b->touches[t].access;
	return same;
}

/* Does b go on where a ends? */
static bool goes_on(const struct rt_strand *a, const struct rt_strand *b)
{
	return a->step == b->step && a->count == b->count && a->began + (uint64_t)a->iterations * a->count == b->began &&
	       a->name + a->step * a->iterations == b->name && touches_same(a, b) &&
	       a->iterations < UINT32_MAX / 2 - b->iterations;
}

void rt_replay_add(struct rt_run *run, const struct rt_strand *strand)
{
	struct rt_replay *replay = &run->replay;

	for (uint32_t i = replay->count; i-- > 0 && replay->strands[i].began + (uint64_t)replay->strands[i].iterations * replay->strands[i].count >= strand->began;)
		if (goes_on(&replay->strands[i], strand)) {
			replay->strands[i].iterations += strand->iterations;
			if (strand->low < replay->strands[i].low)
				replay->strands[i].low = strand->low;
			if (strand->high > replay->strands[i].high)
				replay->strands[i].high = strand->high;
			return;
		}
	if (replay->count == RT_STRANDS)
		rt_replay_prune(run);
	if (replay->count == RT_STRANDS)
		rt_replay_settle_one(run, 0);
	replay->strands[replay->count++] = *strand;
}
