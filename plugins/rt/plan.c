/* SPDX-License-Identifier: MIT */
#include "rt/plan.h"

#include <stdlib.h>
#include <string.h>
#include "rt/run.h"

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

/* Accesses of a task whose keys are compared with each other. */
#define COUNTED_MOST 64u

/* Flat windows of a plan begin here at the last. */
#define START_MOST ((INT64_C(1) << RT_PLACE_BITS) - 1)

static const struct rt_limit no_limit = {INT64_MIN, UINT64_MAX};

/* False if no value is allowed. */
static bool limit_set(struct rt_limit *limit, int64_t low, int64_t high)
{
	*limit = (struct rt_limit){low, (uint64_t)high - (uint64_t)low};
	return low <= high;
}

/* The rules of block_resolve in access.c. */
static bool block_limits(struct rt_plan_io *plan, const struct rt_io *io, const struct rt_tensor *tensor)
{
	plan->pitch = tensor->columns;
	plan->start_limit = no_limit;
	plan->checked = io->checked;
	if (io->view && io->checked)
		return false; /* where it begins is asked of every task */
	return !io->checked || (limit_set(&plan->row_limit, 0, tensor->rows - (int64_t)io->rows) &&
				limit_set(&plan->column_limit, 0, tensor->columns - (int64_t)io->columns));
}

/* The rules of flat_resolve in access.c. */
static bool flat_limits(struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensor *tensor)
{
	const struct rt_io *io = access->io;
	const struct rt_touched *touched = access->touched;
	int64_t far_row = RT_FAR / io->unit - 1, low = 0, high = RT_FAR - 1, most = touched && touched->most != RT_FAR ? touched->most : rt_io_reach(io);

	if (io->view)
		return false; /* where it begins is asked of every task */
	if (touched)
		low = -touched->least > -high ? -touched->least : -high;
	if (tensor->elements != UINT64_MAX && (int64_t)tensor->elements - (most == RT_FAR ? 0 : most) < high)
		high = (int64_t)tensor->elements - (most == RT_FAR ? 0 : most);
	if (high > START_MOST - (most == RT_FAR ? 0 : most)) /* so that all have a name */
		high = START_MOST - (most == RT_FAR ? 0 : most);
	plan->pitch = (int64_t)io->unit;
	plan->open = most == RT_FAR;
	plan->end = tensor->elements;
	plan->checked = true;
	return limit_set(&plan->row_limit, -far_row, far_row) && limit_set(&plan->column_limit, 1 - RT_FAR, RT_FAR - 1) &&
	       limit_set(&plan->start_limit, low, high);
}

/* Values of the form differ by multiples of it, also where they wrap: a power of two. 0: there is one value. */
static uint64_t step_of(const struct rt_env *env, const struct rt_form *form)
{
	const struct rt_form *sum = form->terms != RT_FORM_CODE ? form : form->base < 0 ? NULL : &env->codes->rows[form->base].sum;
	uint64_t bits = 0;

	for (unsigned k = 0; sum && k < sum->terms; k++)
		bits |= (uint64_t)sum->step[k];
	return sum ? bits & (0 - bits) : 1;
}

static bool io_plan(struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensors *tensors, const struct rt_env *env)
{
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &tensors->rows[io->tensor];

	plan->row = env->forms[io->row];
	plan->column = env->forms[io->column];
	if (!io->unit ? !block_limits(plan, io, tensor) : !flat_limits(plan, access, tensor))
		return false;
	plan->row_step = step_of(env, &plan->row);
	plan->column_step = step_of(env, &plan->column);
	/* A window that ends with its tensor changes its length; one that touches nothing may begin anywhere. */
	plan->window_anew = plan->open || !tensor->data ||
			    (io->unit && (plan->start_limit.low < 0 || plan->start_limit.span > tensor->elements - (uint64_t)plan->start_limit.low));
	return true;
}

/* ---- a plan ---------------------------------------------------------------------------------------------------- */

static bool args_fail(const struct rt_program *program, const struct rt_env *env, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		if (env->forms[program->args[site->first_arg + i]].terms == RT_FORM_CODE)
			return true;
	return false;
}

/* Everything lies in one block. */
static struct rt_plan *plan_alloc(uint32_t ios)
{
	size_t forms = (sizeof(struct rt_plan) + ios * sizeof(struct rt_plan_io) + 63) / 64 * 64, uses = 2 * ios * sizeof(struct rt_use);
	size_t accesses = ios * sizeof(struct rt_access), size = forms + uses + accesses + ios * sizeof(struct ptowsp_tensor_arg);
	char *block = aligned_alloc(64, (size + 63) / 64 * 64);
	struct rt_plan *plan = (struct rt_plan *)(void *)block;

	if (!plan)
		return NULL;
	memset(block, 0, size);
	plan->uses = (struct rt_use *)(void *)(block + forms);
	plan->accesses = (struct rt_access *)(void *)(block + forms + uses);
	plan->windows = (struct ptowsp_tensor_arg *)(void *)(block + forms + uses + accesses);
	return plan;
}

/* Which keys could be equal to an earlier one. */
static void alike_find(struct rt_plan *plan)
{
	for (uint32_t i = 1; i < plan->io_count; i++)
		for (uint32_t k = 0; k < i; k++)
			if (plan->accesses[k].key.class == plan->accesses[i].key.class)
				plan->ios[i].alike |= plan->accesses[k].io->access & plan->accesses[i].io->access;
}

static void task_fill(struct rt_plan *plan, const struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->io_count; i++)
		rt_access_window(plan->accesses[i].io, &run->tensors.rows[plan->accesses[i].io->tensor], plan->accesses[i].start, plan->accesses[i].length,
				 &plan->windows[i]);
	plan->task = (struct ptowsp_task){
		.head = PTOWSP_HEAD(plan->task, TASK),
		.tensors = plan->windows,
		.arg_count = site->arg_count,
		.tensor_count = site->io_count,
		.tensor_stride = sizeof(*plan->windows),
		.kernel = run->kernel,
		.unit = run->program->tables.kernel.rows[run->kernel].unit,
		.block_count = 1,
	};
	/* A version's windows lie elsewhere, and COPY has a kernel of its own. */
	plan->direct = !site->renamed && run->kernel != run->program->copy_kernel && !run->known[run->kernel].later;
}

void rt_plan_make(struct rt_run *run, const struct rt_site *site, uint32_t level)
{
	struct rt_plans *plans = &run->plans;
	struct rt_plan **row = rt_plan_at(plans, site, level), *plan;
	uint8_t *met = &plans->met[row - plans->rows];
	bool ok;

	/* Most instructions of a long program without loops are reached once: they shall not cost memory. */
	if (!*met || run->tensors.measuring) {
		*met = 1;
		return;
	}
	plan = plan_alloc(site->io_count);
	ok = plan != NULL;
	for (uint32_t i = 0; ok && i < site->io_count; i++)
		ok = io_plan(&plan->ios[i], &run->accesses[i], &run->tensors, &run->env);
	if (!ok) {
		free(plan);
		return;
	}
	plan->kernel = run->kernel;
	plan->io_count = site->io_count;
	plan->args = args_fail(run->program, &run->env, site);
	memcpy(plan->accesses, run->accesses, site->io_count * sizeof(*run->accesses));
	plan->counted = !site->distinct && run->program->schedule.deps != PTOWSP_DEPS_EXPLICIT;
	plan->sorted = plan->counted && site->io_count > COUNTED_MOST;
	plan->map_most = plan->counted ? site->writes + (run->program->schedule.full ? site->reads : 0u) : rt_infer_map(run, site);
	plan->map_need = plan->map_most;
	plan->rare = site->renamed || site->allocated || site->after_count || site->read_count || run->kernel == run->program->copy_kernel || run->watch ||
		     run->race.on || run->record || run->program->schedule.built;
	alike_find(plan);
	task_fill(plan, run, site);
	plan->use_count = rt_uses_make(run, site, plan->accesses, plan->uses);
	*row = plan;
}

/* ---- a task ---------------------------------------------------------------------------------------------------- */

/* Accesses of that kind whose key an earlier one of the kind has, too. */
static uint32_t repeated(const struct rt_plan *plan, unsigned bit)
{
	uint32_t count = 0;

	for (uint32_t i = 1; i < plan->io_count; i++) {
		const struct rt_key *key = &plan->accesses[i].key;
		bool met = false;

		for (uint32_t k = 0; plan->ios[i].alike & bit && !met && k < i; k++) {
			const struct rt_key *other = &plan->accesses[k].key;

			met = plan->accesses[k].io->access & bit && other->row == key->row && other->column == key->column && other->class == key->class;
		}
		count += met;
	}
	return count;
}

void rt_plan_windows_move(struct rt_plan *plan, const struct rt_tensors *tensors)
{
	const struct rt_access *access = plan->accesses;

	for (uint32_t i = 0; i < plan->io_count; i++, access++) {
		const struct rt_tensor *tensor = &tensors->rows[access->io->tensor];

		if (plan->ios[i].window_anew)
			rt_access_window(access->io, tensor, access->start, access->length, &plan->windows[i]);
		else
			plan->windows[i].data = tensor->place + access->start * (int64_t)tensor->size;
	}
}

void rt_plan_count(struct rt_plan *plan, bool full)
{
	if (!plan->sorted)
		plan->map_need = plan->map_most - repeated(plan, PTOWSP_WRITE) - (full ? repeated(plan, PTOWSP_READ) : 0);
}

void rt_plan_place(struct rt_run *run, struct rt_plan *plan)
{
	const struct rt_lattice *lattices = run->overlap.lattices;
	uint32_t divided = run->overlap.divided;
	bool named = lattices || run->exact.entries, sure = true;

	for (struct rt_use *use = plan->uses, *end = use + plan->use_count; use < end; use++) {
		if (use->sure && !(lattices && lattices[use->tensor].pieces))
			use->name = use->base + (uint64_t)plan->accesses[use->argument].start;
		else
			rt_use_place(run, use, &plan->accesses[use->argument], &plan->ios[use->argument]);
		named &= use->way == RT_USE_NAMED;
		sure &= use->sure;
	}
	plan->divided = run->overlap.divided;
	plan->named = named && divided == plan->divided;
	plan->sure = plan->named && sure;
}
