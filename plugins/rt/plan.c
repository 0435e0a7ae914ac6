/* SPDX-License-Identifier: MIT */
#include "rt/plan.h"

#include <stdlib.h>
#include <string.h>

bool rt_plans_init(struct rt_plans *plans, const struct rt_program *program)
{
	plans->levels = program->level_count;
	plans->count = program->site_count * program->level_count;
	plans->rows = calloc((size_t)plans->count + 1, sizeof(*plans->rows));
	plans->met = calloc((size_t)plans->count + 1, sizeof(*plans->met));
	return plans->rows && plans->met;
}

void rt_plans_finish(struct rt_plans *plans)
{
	for (uint32_t i = 0; plans->rows && i < plans->count; i++)
		free(plans->rows[i]);
	free(plans->rows);
	free(plans->met);
	memset(plans, 0, sizeof(*plans));
}

/* ---- limits ---------------------------------------------------------------------------------------------------- */

static const struct rt_limit no_limit = {INT64_MIN, UINT64_MAX};

/* False if no value is allowed. */
static bool limit_set(struct rt_limit *limit, int64_t low, int64_t high)
{
	*limit = (struct rt_limit){low, (uint64_t)high - (uint64_t)low};
	return low <= high;
}

static bool allowed(const struct rt_limit *limit, int64_t value)
{
	return (uint64_t)value - (uint64_t)limit->low <= limit->span;
}

/* The rules of block_resolve in access.c. */
static bool block_limits(struct rt_plan_io *plan, const struct rt_io *io, const struct rt_tensor *tensor)
{
	plan->pitch = tensor->columns;
	plan->row_limit = plan->column_limit = plan->start_limit = no_limit;
	return !io->checked || (limit_set(&plan->row_limit, 0, tensor->rows - (int64_t)io->rows) &&
				limit_set(&plan->column_limit, 0, tensor->columns - (int64_t)io->columns));
}

/* The rules of flat_resolve in access.c. */
static bool flat_limits(struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensor *tensor)
{
	const struct rt_io *io = access->io;
	const struct rt_touched *touched = access->touched;
	int64_t far_row = RT_FAR / io->unit - 1, low = 0, high = RT_FAR - 1, most = touched ? touched->most : RT_FAR;

	if (touched)
		low = -touched->least > -high ? -touched->least : -high;
	if (tensor->elements != UINT64_MAX && (int64_t)tensor->elements - (most == RT_FAR ? 0 : most) < high)
		high = (int64_t)tensor->elements - (most == RT_FAR ? 0 : most);
	plan->pitch = (int64_t)io->unit;
	plan->open = most == RT_FAR;
	plan->end = tensor->elements;
	return limit_set(&plan->row_limit, -far_row, far_row) && limit_set(&plan->column_limit, 1 - RT_FAR, RT_FAR - 1) &&
	       limit_set(&plan->start_limit, low, high);
}

static bool io_plan(struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensors *tensors, const struct rt_env *env)
{
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &tensors->rows[io->tensor];

	plan->row = env->forms[io->row];
	plan->column = env->forms[io->column];
	return io->unit ? flat_limits(plan, access, tensor) : block_limits(plan, io, tensor);
}

/* ---- a plan ---------------------------------------------------------------------------------------------------- */

static bool args_fail(const struct rt_program *program, const struct rt_env *env, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		if (env->forms[program->args[site->first_arg + i]].terms == RT_FORM_CODE)
			return true;
	return false;
}

/* The accesses lie behind the forms in the same block. */
static struct rt_plan *plan_alloc(uint32_t io_count)
{
	size_t forms = sizeof(struct rt_plan) + io_count * sizeof(struct rt_plan_io);
	struct rt_plan *plan = calloc(1, forms + io_count * sizeof(struct rt_access));

	if (plan)
		plan->accesses = (struct rt_access *)(void *)((char *)plan + forms);
	return plan;
}

void rt_plan_make(struct rt_plans *plans, const struct rt_program *program, const struct rt_tensors *tensors, const struct rt_env *env,
		  const struct rt_site *site, uint32_t level, uint32_t kernel, const struct rt_access *accesses)
{
	struct rt_plan **row = rt_plan_at(plans, program, site, level), *plan;
	uint8_t *met = &plans->met[row - plans->rows];
	bool ok;

	/* Most instructions of a long program without loops are reached once: they shall not cost memory. */
	if (!*met || tensors->measuring) {
		*met = 1;
		return;
	}
	plan = plan_alloc(site->io_count);
	ok = plan != NULL;
	for (uint32_t i = 0; ok && i < site->io_count; i++)
		ok = io_plan(&plan->ios[i], &accesses[i], tensors, env);
	if (!ok) {
		free(plan);
		return;
	}
	plan->kernel = kernel;
	plan->io_count = site->io_count;
	plan->args = args_fail(program, env, site);
	memcpy(plan->accesses, accesses, site->io_count * sizeof(*accesses));
	*row = plan;
}

bool rt_plan_resolve(struct rt_plan *plan, struct rt_env *env)
{
	struct rt_access *access = plan->accesses;
	bool inside = true;

	for (const struct rt_plan_io *io = plan->ios, *end = io + plan->io_count; io < end; io++, access++) {
		int64_t row = rt_form_value(env, &io->row, access->io->row), column = rt_form_value(env, &io->column, access->io->column);
		/* Unsigned: a row beyond its limit may overflow, and is refused. */
		int64_t start = (int64_t)((uint64_t)row * (uint64_t)io->pitch + (uint64_t)column);

		access->key.row = row;
		access->key.column = column;
		access->start = start;
		if (io->open)
			access->length = io->end - (uint64_t)start;
		inside &= allowed(&io->row_limit, row) & allowed(&io->column_limit, column) & allowed(&io->start_limit, start);
	}
	return inside && !env->failed;
}
