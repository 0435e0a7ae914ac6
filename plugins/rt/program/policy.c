/* SPDX-License-Identifier: MIT */
#include "rt/program/policy.h"

#include "rt/program/rt_error.h"
#include "rt/program/rt_schedule.h"
#include <stdlib.h>

/* ---- one row per policy ------------------------------------------------------------------------------------------ */

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
	return (uint32_t)(pick->count % pick->n);
}

static uint32_t by_value(const struct rt_pick *pick)
{
	return rt_modulo(pick->value, pick->n);
}

static uint32_t by_hash(const struct rt_pick *pick)
{
	return (uint32_t)(rt_mix64((uint64_t)pick->value) % pick->n);
}

static uint32_t static_partition(const struct rt_pick *pick)
{
	uint32_t executor = 0;

	for (uint32_t k = 0; k < pick->dispatch->bound_count; k++)
		executor += (uint64_t)pick->dispatch->bounds[k] <= pick->task;
	return executor % pick->n;
}

static uint32_t work_steal(const struct rt_pick *pick)
{
	return rt_free_least(pick->free, pick->n);
}

static int64_t grid_value(const struct rt_pick *pick, unsigned dimension)
{
	return pick->grid[dimension] < 0 ? 0 : pick->loops[pick->grid[dimension]];
}

static uint32_t grid(const struct rt_pick *pick)
{
	uint32_t rows = (uint32_t)pick->dispatch->rows, columns = (uint32_t)pick->dispatch->columns;

	return (rt_modulo(grid_value(pick, 0), rows) * columns + rt_modulo(grid_value(pick, 1), columns)) % pick->n;
}

const struct rt_policy rt_policies[] = {
	[0] = {false, only},
	[PTOWSP_DISPATCH_ROUND_ROBIN] = {false, round_robin},
	[PTOWSP_DISPATCH_AFFINITY] = {false, by_value},
	[PTOWSP_DISPATCH_HASH] = {false, by_hash},
	[PTOWSP_DISPATCH_CUSTOM] = {false, by_value},
	[PTOWSP_DISPATCH_STATIC_PARTITION] = {false, static_partition},
	[PTOWSP_DISPATCH_WORK_STEAL] = {true, work_steal},
	[PTOWSP_DISPATCH_GRID] = {false, grid},
	[PTOWSP_DISPATCH_THRESHOLD] = {false, only}, /* the policy that serves the value is asked */
	[PTOWSP_DISPATCH_AUTO] = {false, only},      /* auto.c makes it an affinity before the first task */
};

/* ---- dispatch threshold ------------------------------------------------------------------------------------------ */

uint32_t rt_threshold_part(const struct rt_schedule *schedule, int64_t value)
{
	uint32_t best = 0;

	for (uint32_t k = 1; k < schedule->part_count; k++)
		if (schedule->parts[k].threshold <= value &&
		    (schedule->parts[best].threshold > value || schedule->parts[k].threshold > schedule->parts[best].threshold))
			best = k;
	return best;
}

void rt_pick_part(struct rt_pick *pick, const struct rt_program *program, struct rt_env *env, const struct rt_site *site)
{
	uint32_t k = rt_threshold_part(&program->schedule, pick->value);
	const struct rt_site_part *part = &program->parts[site->first_part + k];

	pick->dispatch = &program->schedule.parts[k];
	pick->value = rt_value_deciding(env, part->value, part->affinity);
}

/* ---- the grid that a run's tasks go to --------------------------------------------------------------------------- */

/* A workload's site: processes place their own tasks. */
static const struct rt_site *site_find(const struct rt_program *program)
{
	for (uint32_t s = 0; s < program->site_count; s++)
		if (program->sites[s].dispatch != PTOWSP_NONE)
			return &program->sites[s];
	return NULL;
}

/* Do all tasks of a run have one value? */
static bool is_one(const struct rt_program *program)
{
	bool loose = false;
	uint64_t loops = 0;

	for (uint32_t s = 0; s < program->site_count; s++)
		loops |= rt_expr_loops(&program->exprs, program->sites[s].dispatch, &loose);
	return !loops && !loose;
}

static const struct rt_dispatch *part_largest(const struct rt_schedule *schedule)
{
	const struct rt_dispatch *best = NULL;

	for (uint32_t k = 0; k < schedule->part_count; k++) {
		const struct rt_dispatch *part = &schedule->parts[k];

		if (part->policy == PTOWSP_DISPATCH_GRID &&
		    (!best || part->executors > best->executors || (part->executors == best->executors && part->threshold > best->threshold)))
			best = part;
	}
	return best;
}

static ptowsp_status part_serving(const struct rt_program *program, const struct rt_site *site, const struct ptowsp_run_args *args,
				  const struct rt_dispatch **part_out, struct ptowsp_error *error)
{
	const struct rt_exprs *exprs = &program->exprs;
	const uint32_t slots = program->tables.slot.count;
	uint64_t *values = calloc((size_t)slots + 1, sizeof(*values));
	int64_t *loops = calloc(rt_exprs_places(exprs), sizeof(*loops));
	struct rt_env env = {.exprs = exprs, .loops = loops, .values = values};
	ptowsp_status status = values && loops ? PTOWSP_OK : rt_no_memory(error, "the value of a threshold");

	for (uint32_t i = 0; !status && i < slots; i++)
		values[i] = i < args->value_count ? args->values[i] : program->tables.slot.rows[i].value;
	if (!status)
		*part_out = &program->schedule.parts[rt_threshold_part(&program->schedule, rt_expr_run(&env, site->dispatch))];
	free(values);
	free(loops);
	return status;
}

ptowsp_status rt_grid_find(const struct rt_program *program, const struct ptowsp_run_args *args, uint64_t grid_out[2], struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &program->schedule;
	const struct rt_dispatch *dispatch = &schedule->dispatch;
	const struct rt_site *site = site_find(program);
	ptowsp_status status = PTOWSP_OK;

	grid_out[0] = grid_out[1] = 0;
	if (dispatch->policy == PTOWSP_DISPATCH_THRESHOLD)
		dispatch = part_largest(schedule);
	if (dispatch && dispatch != &schedule->dispatch && site && is_one(program))
		status = part_serving(program, site, args, &dispatch, error);
	if (status || !dispatch || dispatch->policy != PTOWSP_DISPATCH_GRID)
		return status;
	grid_out[0] = (uint64_t)dispatch->rows;
	grid_out[1] = (uint64_t)dispatch->columns;
	return PTOWSP_OK;
}
