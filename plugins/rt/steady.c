/* SPDX-License-Identifier: MIT */
#include "rt/steady.h"

#include "rt/run.h"

/* Will a use that moves come to that name? way: of the loop's value. */
static bool comes_to(const struct rt_use *use, uint64_t name, int64_t way)
{
	uint64_t away = name - use->name, most = use->step * (uint64_t)way;

	return (int64_t)use->step < 0 ? 0 - away <= 0 - most : away <= most;
}

static bool stays(const struct rt_use *use, struct rt_plan *const *plans, uint32_t count, int64_t way)
{
	if (use->step)
		return false;
	for (uint32_t k = 0; k < count; k++)
		for (const struct rt_use *other = plans[k]->uses, *end = other + plans[k]->use_count; other < end; other++)
			if (other->step && comes_to(other, use->name, way))
				return false;
	return true;
}

static void use_add(struct rt_steady *steady, const struct rt_use *use, uint32_t task)
{
	uint32_t at = steady->use_count++, first = 0;
	struct rt_steady_use *uses = steady->uses;

	uses[at] = (struct rt_steady_use){.name = use->name, .task = task, .access = use->access, .prev = (uint8_t)at, .next = (uint8_t)at};
	while (uses[first].name != use->name)
		first++;
	uses[at].first = first == at;
	uses[first].written |= (use->access & PTOWSP_WRITE) != 0;
	uses[at].prev = uses[first].prev;
	uses[at].next = (uint8_t)first;
	uses[uses[first].prev].next = (uint8_t)at;
	uses[first].prev = (uint8_t)at;
}

static bool uses_divide(struct rt_steady *steady, const struct rt_run *run, struct rt_plan *const *plans, uint32_t count, int64_t way)
{
	steady->use_count = steady->moving_count = 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct rt_plan *plan = plans[k];

		if (!plan->named || plan->divided != run->overlap.divided || steady->use_count + steady->moving_count + plan->use_count > RT_STEADY_USES)
			return false;
		steady->tasks[k].moving = steady->moving + steady->moving_count;
		for (struct rt_use *use = plan->uses, *end = use + plan->use_count; use < end; use++)
			if (stays(use, plans, count, way))
				use_add(steady, use, k);
			else
				steady->moving[steady->moving_count++] = use;
		steady->tasks[k].moving_end = steady->moving + steady->moving_count;
	}
	return steady->use_count > 0;
}

/* One of few numbers, once. False: there are too many. */
static bool number_add(uint32_t *numbers, uint32_t *count, uint32_t number)
{
	for (uint32_t i = 0; i < *count; i++)
		if (numbers[i] == number)
			return true;
	if (*count == RT_PREDS_FEW)
		return false;
	numbers[(*count)++] = number;
	return true;
}

/* Edges of a use whose key the lane writes, by the rules of track.h: who wrote it before, and under full hazards who has read it since. */
static bool ages_find(struct rt_steady *steady, uint32_t at, bool full)
{
	const struct rt_steady_use *uses = steady->uses, *use = &uses[at];
	struct rt_steady_task *task = &steady->tasks[use->task];
	bool writes = use->access & PTOWSP_WRITE, ok = true;
	uint32_t other = at;

	if (!full && !(use->access & PTOWSP_READ))
		return true;
	do {
		uint32_t age;

		other = uses[other].prev;
		age = use->task - uses[other].task + (other >= at ? steady->task_count : 0);
		if (age && (uses[other].access & PTOWSP_WRITE || (full && writes)))
			ok = ok && number_add(task->ages, &task->age_count, age);
	} while (!(uses[other].access & PTOWSP_WRITE));
	return ok;
}

static bool known_find(struct rt_steady *steady, const struct rt_steady_use *use, const struct rt_run *run, const struct rt_cells *cells)
{
	struct rt_steady_task *task = &steady->tasks[use->task];
	const struct rt_cell *cell = rt_cells_find(cells, use->name);

	return !cell || rt_preds_gone(&run->preds, cell->writer) || number_add(task->known, &task->known_count, cell->writer);
}

static bool edges_find(struct rt_steady *steady, const struct rt_run *run, const struct rt_cells *cells)
{
	bool ok = true;

	for (uint32_t k = 0; k < steady->task_count; k++)
		steady->tasks[k].age_count = steady->tasks[k].known_count = 0;
	for (uint32_t i = 0; i < steady->use_count; i++)
		if (!steady->uses[i].first)
			steady->uses[i].written = steady->uses[steady->uses[i].prev].written;
	for (uint32_t i = 0; ok && i < steady->use_count; i++)
		ok = steady->uses[i].written ? ages_find(steady, i, run->track.full) : known_find(steady, &steady->uses[i], run, cells);
	return ok;
}

void rt_steady_begin(struct rt_steady *steady, struct rt_run *run, struct rt_plan *const *plans, uint32_t count, const struct rt_cells *cells,
		     const struct rt_round *round)
{
	/* The loop's value is that of the latest task. */
	int64_t way = round->last - plans[0]->at;

	steady->task_count = 0;
	if (way / RT_STEADY_LEAST < (int64_t)round->stride || count > RT_STEADY_TASKS || run->preds.span < count || !uses_divide(steady, run, plans, count, way))
		return;
	steady->task_count = count;
	if (!edges_find(steady, run, cells)) {
		steady->task_count = 0;
		return;
	}
	steady->began = run->preds.task;
	steady->plans = plans;
	for (uint32_t k = 0; k < count; k++) {
		struct rt_steady_task *task = &steady->tasks[k];

		task->brief = (struct rt_clock_brief){plans[k]->cycles, {plans[k]->map_need, task->age_count}};
		task->looks = task->known_count || task->moving < task->moving_end;
		plans[k]->steady = task;
	}
}

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

RT_INLINE void block_enter(const struct rt_steady *steady, struct rt_preds *preds, struct rt_track *track, struct rt_cells *cells,
			   const struct rt_steady_way *way, uint32_t most, struct rt_clock_brief *brief, bool full)
{
	struct rt_sight sight = rt_sight_begin(preds);
	uint64_t steps = way->first;

	for (uint32_t i = 0; i < way->iterations; i++, steps = way->step)
		for (const struct rt_steady_task *task = steady->tasks, *end = task + steady->task_count; task < end; task++, brief++) {
			*brief = task->brief;
			if (task->looks) {
				rt_sight_place(&sight);
				rt_steady_look(&sight, track, task, cells, steps, full);
				brief->need.deps = sight.count;
			}
			rt_sight_step(&sight, most);
		}
	rt_sight_place(&sight);
	preds->count = 0;
}

void rt_steady_block(struct rt_steady *steady, struct rt_run *run, struct rt_cells *cells, const struct rt_steady_way *way, uint32_t most,
		     struct rt_clock_brief *briefs_out)
{
	for (uint32_t k = 0; k < steady->task_count; k++)
		steady->plans[k]->at += (int64_t)(way->first + (way->iterations - 1) * way->step);
	if (run->track.full)
		block_enter(steady, &run->preds, &run->track, cells, way, most, briefs_out, true);
	else
		block_enter(steady, &run->preds, &run->track, cells, way, most, briefs_out, false);
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

/* What the tasks of the iteration that begins with task `number` do to a name. */
static void iteration_touch(const struct rt_steady *steady, uint32_t first, uint64_t number, struct rt_track *track, struct rt_cell *cell)
{
	const struct rt_steady_use *uses = steady->uses;
	uint32_t at = first;

	do {
		uint32_t stamp = (uint32_t)(number + uses[at].task) + 1;

		if (uses[at].access & PTOWSP_WRITE)
			*cell = (struct rt_cell){stamp, stamp, 0};
		else if (track->full && cell->last != stamp)
			rt_cell_reader(track, cell, stamp);
		at = uses[at].next;
	} while (at != first);
}

/* What the lane writes looks as the last iteration left it; of what it only reads, readers that have left the window are left out. */
static void name_touch(const struct rt_steady *steady, uint32_t first, struct rt_run *run, struct rt_cells *cells)
{
	uint64_t name = steady->uses[first].name, done = run->preds.task, number = steady->began, span = run->preds.span;
	struct rt_cell *cell = rt_cells_find(cells, name);

	if (!cell)
		cell = rt_cells_enter_on(cells, &run->track, name);
	if (!cell)
		return;
	if (steady->uses[first].written)
		number = done - steady->task_count;
	else if (done - number > span)
		number = done - (span + steady->task_count - 1) / steady->task_count * steady->task_count;
	for (; number < done; number += steady->task_count)
		iteration_touch(steady, first, number, &run->track, cell);
}

void rt_steady_end(struct rt_steady *steady, struct rt_run *run, struct rt_cells *cells)
{
	for (uint32_t k = 0; k < steady->task_count; k++)
		steady->plans[k]->steady = NULL;
	for (uint32_t i = 0; steady->task_count && run->preds.task > steady->began && i < steady->use_count; i++)
		if (steady->uses[i].first && (steady->uses[i].written || run->track.full))
			name_touch(steady, i, run, cells);
	steady->task_count = 0;
}
