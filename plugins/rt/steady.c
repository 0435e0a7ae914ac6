/* SPDX-License-Identifier: MIT */
#include "rt/steady.h"

#include <assert.h>

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

/* What is not part of a chain. all: everything of it is looked up. */
static void uses_divide(struct rt_steady *steady, struct rt_plan *const *plans, uint32_t count, int64_t way, bool all)
{
	uint32_t place = 0;

	steady->use_count = steady->moving_count = 0;
	for (uint32_t k = 0; k < count; k++) {
		const struct rt_plan *plan = plans[k];

		steady->tasks[k].moving = steady->moving + steady->moving_count;
		for (struct rt_use *use = plan->uses, *end = use + plan->use_count; use < end; use++, place++)
			if (steady->chains.used >> place & 1)
				continue;
			else if (!all && stays(use, plans, count, way))
				use_add(steady, use, k);
			else
				steady->moving[steady->moving_count++] = use;
		steady->tasks[k].moving_end = steady->moving + steady->moving_count;
	}
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

/* ---- the parts of a lane ------------------------------------------------------------------------------------------- */

static void until_lower(struct rt_steady *steady, uint32_t low, uint32_t high, bool *here_out)
{
	*here_out = low <= steady->turn && steady->turn < high;
	if (low > steady->turn && low < steady->until)
		steady->until = low;
	if (*here_out && high < steady->until)
		steady->until = high;
}

/* Edges that lie the same number of tasks back become ages. */
static bool edge_takes_age(const struct rt_steady *steady, struct rt_steady_task *task, uint32_t k, const struct rt_chain_edge *edge)
{
	return edge->slope == steady->task_count && number_add(task->ages, &task->age_count, (uint32_t)(steady->chains.began + k - edge->producer));
}

static bool far_listed(const struct rt_steady_task *task, const struct rt_chain_edge *edge)
{
	for (uint32_t i = 0; i < task->far_count; i++)
		if (task->fars[i]->producer == edge->producer && task->fars[i]->slope == edge->slope)
			return true;
	return false;
}

/* Returns how many were added to the list. */
static uint32_t task_edges(struct rt_steady *steady, uint32_t k, const struct rt_chain_edge **fars)
{
	struct rt_steady_task *task = &steady->tasks[k];
	bool here;

	task->fars = fars;
	for (uint32_t i = steady->chains.edge_first[k]; i != RT_CHAIN_NONE; i = steady->chains.edges[i].next) {
		const struct rt_chain_edge *edge = &steady->chains.edges[i];

		until_lower(steady, edge->low, edge->high, &here);
		if (!here || edge_takes_age(steady, task, k, edge) || far_listed(task, edge))
			continue;
		fars[task->far_count++] = edge;
		task->looks |= edge->slope == steady->task_count; /* it may be an age as well */
	}
	return task->far_count;
}

static uint32_t task_finds(struct rt_steady *steady, uint32_t k, const struct rt_chain_find **finds)
{
	struct rt_steady_task *task = &steady->tasks[k];
	bool here;

	task->finds = finds;
	for (uint32_t i = steady->chains.find_first[k]; i != RT_CHAIN_NONE; i = steady->chains.finds[i].next) {
		until_lower(steady, steady->chains.finds[i].low, steady->chains.finds[i].high, &here);
		if (here)
			finds[task->find_count++] = &steady->chains.finds[i];
	}
	return task->find_count;
}

static void part_begin(struct rt_steady *steady)
{
	uint32_t fars = 0, finds = 0;

	steady->until = UINT64_MAX;
	steady->replayed = 0;
	steady->looks = false;
	for (uint32_t k = 0; k < steady->task_count; k++) {
		struct rt_steady_task *task = &steady->tasks[k];
		bool looks_up = task->moving < task->moving_end;

		task->age_count = task->own_ages;
		task->far_count = task->find_count = 0;
		task->looks = task->known_count || looks_up;
		task->turn = &steady->turn;
		if (steady->chains.count) {
			fars += task_edges(steady, k, steady->fars + fars);
			finds += task_finds(steady, k, steady->finds + finds);
		}
		task->looks |= task->find_count > 0;
		steady->looks |= task->looks;
		task->brief = (struct rt_clock_brief){steady->plans[k]->cycles, {steady->plans[k]->map_need, task->age_count + task->far_count}};
		steady->replayed += steady->plans[k]->use_count && !looks_up && !task->find_count;
	}
}

/* After an iteration of these tasks: what they come back to. */
static void own_begin(struct rt_steady *steady, struct rt_run *run, const struct rt_cells *cells, const struct rt_round *round)
{
	/* The loop's value is that of the latest task. */
	int64_t way = round->last - steady->plans[0]->at;
	bool pays = way / RT_STEADY_LEAST >= (int64_t)round->stride && run->preds.span >= steady->task_count;

	steady->began = run->preds.task;
	for (uint32_t k = 0; k < steady->task_count; k++)
		steady->tasks[k].age_count = steady->tasks[k].known_count = 0;
	uses_divide(steady, steady->plans, steady->task_count, way, !pays);
	if (pays && !edges_find(steady, run, cells)) {
		uses_divide(steady, steady->plans, steady->task_count, way, true);
		edges_find(steady, run, cells);
	}
	for (uint32_t k = 0; k < steady->task_count; k++)
		steady->tasks[k].own_ages = steady->tasks[k].age_count;
}

uint64_t rt_steady_ready(struct rt_steady *steady, struct rt_run *run, const struct rt_cells *cells, const struct rt_round *round)
{
	if (steady->first && steady->turn) {
		steady->first = false;
		own_begin(steady, run, cells, round);
		part_begin(steady);
	} else if (steady->turn >= steady->until) {
		part_begin(steady);
	}
	return steady->first ? 1 : steady->until - steady->turn;
}

/* ---- the beginning ------------------------------------------------------------------------------------------------- */

static bool possible(const struct rt_run *run, struct rt_plan *const *plans, uint32_t count)
{
	uint32_t uses = 0;

	for (uint32_t k = 0; k < count; k++) {
		uses += plans[k]->use_count;
		if (!plans[k]->named || plans[k]->divided != run->overlap.divided)
			return false;
	}
	assert(count <= RT_STEADY_TASKS && count <= RT_CHAIN_TASKS);
	return uses <= RT_STEADY_USES && uses <= RT_CHAIN_USES && !run->replay.off;
}

void rt_steady_begin(struct rt_steady *steady, struct rt_run *run, struct rt_plan *const *plans, uint32_t count, const struct rt_cells *cells,
		     const struct rt_round *round, uint64_t step, bool standing)
{
	steady->task_count = 0;
	steady->chains.count = 0;
	steady->chains.used = 0;
	if (!possible(run, plans, count))
		return;
	rt_chains_find(&steady->chains, run, plans, count, standing ? 0 : step, step, round->last);
	if (!steady->chains.count)
		steady->chains.used = 0;
	rt_replay_cover(run, plans, count, round);
	steady->task_count = count;
	steady->plans = plans;
	steady->turn = 0;
	steady->began = run->preds.task;
	steady->first = standing;
	if (standing) {
		for (uint32_t k = 0; k < count; k++)
			steady->tasks[k].known_count = steady->tasks[k].own_ages = 0;
		uses_divide(steady, plans, count, 0, true);
	} else {
		own_begin(steady, run, cells, round);
	}
	if (!standing && !steady->chains.count && !steady->use_count) {
		steady->task_count = 0;
		return;
	}
	part_begin(steady);
	for (uint32_t k = 0; k < count; k++)
		plans[k]->steady = &steady->tasks[k];
}

/* ---- tasks -------------------------------------------------------------------------------------------------------- */

RT_INLINE void block_enter(struct rt_steady *steady, struct rt_preds *preds, struct rt_track *track, struct rt_cells *cells,
			   const struct rt_steady_way *way, uint32_t most, struct rt_clock_brief *brief, bool full)
{
	struct rt_sight sight = rt_sight_begin(preds);
	uint64_t steps = way->first;

	for (uint32_t i = 0; i < way->iterations; i++, steps = way->step, steady->turn++)
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

/* All of them have the edges that they had before. */
static void block_replay(struct rt_steady *steady, struct rt_preds *preds, uint32_t iterations, uint32_t most, struct rt_clock_brief *brief)
{
	uint32_t tasks = iterations * steady->task_count;

	for (uint32_t k = 0; k < steady->task_count; k++) {
		const struct rt_clock_brief same = steady->tasks[k].brief;

		for (uint32_t i = k; i < tasks; i += steady->task_count)
			brief[i] = same;
	}
	steady->turn += iterations;
	preds->task += tasks;
	preds->stamp += tasks;
	preds->span = most - preds->span < tasks ? most : preds->span + tasks;
	preds->count = 0;
}

void rt_steady_block(struct rt_steady *steady, struct rt_run *run, struct rt_cells *cells, const struct rt_steady_way *way, uint32_t most,
		     struct rt_clock_brief *briefs_out)
{
	for (uint32_t k = 0; k < steady->task_count; k++)
		steady->plans[k]->at += (int64_t)(way->first + (way->iterations - 1) * way->step);
	run->replay.tasks += (uint64_t)steady->replayed * way->iterations;
	if (!steady->looks)
		block_replay(steady, &run->preds, way->iterations, most, briefs_out);
	else if (run->track.full)
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
		else if (track->full)
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
	if (steady->chains.count)
		rt_chains_end(&steady->chains, run, steady->plans, steady->task_count);
	for (uint32_t i = 0; steady->task_count && run->preds.task > steady->began && i < steady->use_count; i++)
		if (steady->uses[i].first && (steady->uses[i].written || run->track.full))
			name_touch(steady, i, run, cells);
	steady->task_count = 0;
}
