/* SPDX-License-Identifier: MIT */
#include "rt/grid.h"

#include <stdlib.h>
#include "rt/error.h"
#include "rt/form.h"

/* Of the workload: processes place their own tasks. */
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

		if (part->policy == RT_POLICY_GRID &&
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
	int64_t *scratch = calloc((size_t)exprs->longest + 1, sizeof(*scratch)), loops[PTOWSP_NESTING_LIMIT] = {0};
	struct rt_env env = {.exprs = exprs, .loops = loops, .values = values, .scratch = scratch};
	ptowsp_status st = values && scratch ? PTOWSP_OK : rt_no_memory(error, "the value of a threshold");

	for (uint32_t i = 0; !st && i < slots; i++)
		values[i] = i < args->value_count ? args->values[i] : program->tables.slot.rows[i].value;
	if (!st)
		*part_out = &program->schedule.parts[rt_threshold_part(&program->schedule, rt_expr_run(&env, site->dispatch))];
	free(values);
	free(scratch);
	return st;
}

ptowsp_status rt_grid_find(const struct rt_program *program, const struct ptowsp_run_args *args, uint64_t grid_out[2], struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &program->schedule;
	const struct rt_dispatch *dispatch = &schedule->dispatch;
	const struct rt_site *site = site_find(program);
	ptowsp_status st = PTOWSP_OK;

	grid_out[0] = grid_out[1] = 0;
	if (dispatch->policy == PTOWSP_DISPATCH_THRESHOLD)
		dispatch = part_largest(schedule);
	if (dispatch && dispatch != &schedule->dispatch && site && is_one(program))
		st = part_serving(program, site, args, &dispatch, error);
	if (st || !dispatch || dispatch->policy != RT_POLICY_GRID)
		return st;
	grid_out[0] = (uint64_t)dispatch->rows;
	grid_out[1] = (uint64_t)dispatch->columns;
	return PTOWSP_OK;
}
