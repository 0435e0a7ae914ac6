/* SPDX-License-Identifier: MIT */
/* plan_make.c - a plan made: forms, limits and pairs of an instruction's accesses, in one block of the run's arena. */
#include "rt/access/plan.h"

#include "rt/run/rt_run.h"
#include <string.h>

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

/* Bounds of one access. */
struct limits {
	struct rt_limit row, column, start;
};

/* The least that a part has: all of it, if that is always the same. */
static int64_t least_of(const struct rt_form *part)
{
	return part->terms ? 1 : part->base;
}

/* The rules of block_resolve in access.c. */
static bool block_limits(struct rt_plan_io *plan, const struct rt_io *io, const struct rt_tensor *tensor, struct limits *limits)
{
	const int64_t rows = io->parts ? least_of(&plan->rows) : io->rows, columns = io->parts ? least_of(&plan->columns) : io->columns;

	plan->pitch = tensor->columns;
	limits->row = limits->column = limits->start = no_limit;
	if (io->view && io->checked)
		return false; /* where it begins is asked of every task */
	return !io->checked || (limit_set(&limits->row, 0, tensor->rows - rows) && limit_set(&limits->column, 0, tensor->columns - columns));
}

/* The rules of flat_resolve in access.c. */
static bool flat_limits(struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensor *tensor, struct limits *limits)
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
	return limit_set(&limits->row, -far_row, far_row) && limit_set(&limits->column, 1 - RT_FAR, RT_FAR - 1) && limit_set(&limits->start, low, high);
}

/* False: no value is allowed any more. A constant is inside, as it was when the task was resolved. */
static bool check_add(struct rt_plan *plan, const struct rt_form *sum, const struct rt_limit *limit)
{
	struct rt_plan_check *check = plan->checks;
	int64_t high = (int64_t)((uint64_t)limit->low + limit->span), its;

	if (!sum->terms || limit->span == UINT64_MAX)
		return true;
	while (check < plan->checks_end && !rt_form_same(&check->sum, sum))
		check++;
	if (check == plan->checks_end) {
		*plan->checks_end++ = (struct rt_plan_check){*sum, *limit};
		return true;
	}
	its = (int64_t)((uint64_t)check->limit.low + check->limit.span);
	return limit_set(&check->limit, check->limit.low > limit->low ? check->limit.low : limit->low, its < high ? its : high);
}

/* A window that ends with its tensor changes its length; one that touches nothing may begin anywhere. */
static bool window_loose(const struct rt_plan_io *plan, const struct rt_access *access, const struct rt_tensor *tensor, const struct rt_limit *start)
{
	return plan->open || !tensor->data || (access->io->unit && (start->low < 0 || start->span > tensor->elements - (uint64_t)start->low));
}

/* A part has 1 to all of the block's rows, or columns, and ends inside its tensor. */
static bool side_check(struct rt_plan *plan, struct rt_coding *coding, const struct rt_form *at, const struct rt_form *part, int64_t most, int64_t extent)
{
	const struct rt_form end = rt_coding_line(coding, at, 1, part);
	const struct rt_limit sizes = {1, (uint64_t)most - 1}, ends = {0, (uint64_t)extent};

	return check_add(plan, part, &sizes) && check_add(plan, &end, &ends);
}

static bool part_check(struct rt_plan *plan, const struct rt_plan_io *to, const struct rt_io *io, const struct rt_tensor *tensor, struct rt_coding *coding)
{
	return side_check(plan, coding, &to->row, &to->rows, io->rows, tensor->rows) &&
	       side_check(plan, coding, &to->column, &to->columns, io->columns, tensor->columns);
}

static bool io_plan(struct rt_plan *plan, uint32_t number, const struct rt_run *run, struct rt_coding *coding)
{
	const struct rt_access *access = &run->accesses[number];
	struct rt_plan_io *to = &plan->ios[number];
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];
	const bool follows = to->varies && !to->fits;
	struct limits limits;

	to->row = rt_coding_add(coding, io->row);
	to->column = rt_coding_add(coding, io->column);
	if (follows && !rt_plan_part_follow(to, run, io, coding))
		return false;
	if (!io->unit ? !block_limits(to, io, tensor, &limits) : !flat_limits(to, access, tensor, &limits))
		return false;
	to->start = rt_coding_line(coding, &to->row, to->pitch, &to->column);
	to->row_unit = rt_form_unit(&to->row);
	to->column_unit = rt_form_unit(&to->column);
	to->row_step = rt_form_step(&to->row, plan->inner);
	to->column_step = rt_form_step(&to->column, plan->inner);
	to->start_step = to->row_step * (uint64_t)to->pitch + to->column_step;
	plan->windows_loose |= to->varies || window_loose(to, access, tensor, &limits.start);
	return (!follows || part_check(plan, to, io, tensor, coding)) && check_add(plan, &to->row, &limits.row) &&
	       check_add(plan, &to->column, &limits.column) && check_add(plan, &to->start, &limits.start);
}

/* ---- a plan ---------------------------------------------------------------------------------------------------- */

/* Moves of windows that change during a round, or of the others. */
static void window_moves_add(struct rt_plan *plan, const struct rt_tensors *tensors, bool moving)
{
	for (uint32_t i = 0; i < plan->io_count; i++) {
		const struct rt_tensor *tensor = &tensors->rows[plan->accesses[i].io->tensor];
		const struct rt_plan_io *io = &plan->ios[i];

		if (io->start.terms && (io->start_step != 0) == moving)
			*plan->moves_end++ = (struct rt_plan_move){io->start_step * tensor->size, &plan->windows[i], &io->start, tensor->place, tensor->size};
	}
}

static bool is_failing(const struct rt_env *env, const struct rt_form *form)
{
	return form->terms == RT_FORM_CODE && (form->base < 0 || !env->codes->rows[form->base].quick);
}

static bool args_fail(const struct rt_program *program, const struct rt_env *env, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		if (is_failing(env, &env->forms[program->args[site->first_arg + i]]))
			return true;
	return false;
}

static bool args_vary(const struct rt_program *program, const struct rt_env *env, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		if (env->forms[program->args[site->first_arg + i]].terms)
			return true;
	return false;
}

/* Is each part as large, or on one lattice, as long as a round lasts? */
static bool parts_stay(const struct rt_plan *plan, const struct rt_run *run)
{
	for (uint32_t i = 0; i < plan->io_count; i++)
		if (run->accesses[i].io->parts && !plan->ios[i].fits && (plan->ios[i].varies || run->overlap.lattices))
			return false;
	return true;
}

/* Do all accesses move by constants while the innermost loop goes on? Steps of code then fill the same registers all the time. */
static bool is_affine(const struct rt_plan *plan, const struct rt_run *run)
{
	const struct rt_code *code = plan->code ? &run->codes.rows[plan->code - 1] : NULL;

	return plan->site->depth && !(code && (code->moves || code->loops >> plan->inner & 1)) && parts_stay(plan, run);
}

/* Forms and limits of all accesses. False: the instruction cannot have a plan. */
static bool ios_plan(struct rt_plan *plan, struct rt_run *run)
{
	struct rt_coding coding;
	bool ok;

	if (!rt_plan_parts(plan, run))
		return false;
	ok = rt_coding_begin(&coding, &run->program->exprs, run->values, &run->codes);
	for (uint32_t i = 0; ok && i < plan->io_count; i++)
		ok = io_plan(plan, i, run, &coding);
	return rt_coding_end(&coding, &plan->code) && ok;
}

/* Pairs of accesses of one class that do the same; counted only where pairs_out is NULL. */
static uint32_t pairs_find(const struct rt_access *accesses, uint32_t count, struct rt_plan_pair *pairs_out)
{
	uint32_t pairs = 0;

	for (uint32_t i = 1; count <= COUNTED_MOST && i < count; i++)
		for (uint32_t k = 0; k < i; k++) {
			uint8_t bits = (uint8_t)(accesses[i].io->access & accesses[k].io->access);

			if (!bits || accesses[i].io->key != accesses[k].io->key)
				continue;
			if (pairs_out)
				pairs_out[pairs] = (struct rt_plan_pair){.later = (uint8_t)i, .earlier = (uint8_t)k, .bits = bits};
			pairs++;
		}
	return pairs;
}

/* The use of a block that has one of its own; use_count: there is none. */
static uint32_t block_use(const struct rt_plan *plan, uint32_t access)
{
	uint32_t use = 0;

	while (use < plan->use_count && (plan->uses[use].argument != access || plan->accesses[access].io->unit))
		use++;
	return use;
}

/* Two blocks of one class have the same name where they have the same key. */
static void pairs_name(struct rt_plan *plan)
{
	plan->pairs_named = true;
	for (struct rt_plan_pair *pair = plan->pairs, *end = pair + plan->pair_count; pair < end; pair++) {
		uint32_t later = block_use(plan, pair->later), earlier = block_use(plan, pair->earlier);

		plan->pairs_named &= later < plan->use_count && earlier < plan->use_count;
		pair->uses[0] = (uint8_t)later;
		pair->uses[1] = (uint8_t)earlier;
	}
}

/* Of an access: row, column and start; of a part its rows, its columns and both ends. */
#define CHECKS_MOST 7u

/* Everything lies in one block; the uses, a cache line each, come first behind the forms. */
static struct rt_plan *plan_alloc(struct common_arena *arena, uint32_t ios, uint32_t args, uint32_t pairs)
{
	size_t forms = (sizeof(struct rt_plan) + ios * sizeof(struct rt_plan_io) + 63) / 64 * 64, uses = 2 * ios * sizeof(struct rt_use);
	size_t accesses = ios * sizeof(struct rt_access), windows = ios * sizeof(struct ptowsp_tensor_arg), moves = ios * sizeof(struct rt_plan_move);
	size_t checks = CHECKS_MOST * ios * sizeof(struct rt_plan_check), words = args * sizeof(uint64_t);
	size_t size = forms + uses + checks + accesses + windows + moves + words + pairs * sizeof(struct rt_plan_pair);
	char *block = common_take_lines(arena, 1, size);
	struct rt_plan *plan = (struct rt_plan *)(void *)block;

	if (!plan)
		return NULL;
	plan->uses = (struct rt_use *)(void *)(block + forms);
	plan->checks = plan->checks_end = (struct rt_plan_check *)(void *)(block + forms + uses);
	plan->accesses = (struct rt_access *)(void *)((char *)plan->checks + checks);
	plan->windows = (struct ptowsp_tensor_arg *)(void *)((char *)plan->accesses + accesses);
	plan->moves = plan->moves_end = (struct rt_plan_move *)(void *)((char *)plan->windows + windows);
	plan->args = (uint64_t *)(void *)((char *)plan->moves + moves);
	plan->pairs = (struct rt_plan_pair *)(void *)((char *)plan->args + words);
	return plan;
}

/* Room, forms and limits. NULL: the instruction cannot have a plan, or there is no memory for one. */
static struct rt_plan *plan_begin(struct rt_run *run, const struct rt_site *site)
{
	struct rt_plan *plan = plan_alloc(run->arena, site->io_count, site->arg_count, pairs_find(run->accesses, site->io_count, NULL));

	if (!plan)
		return NULL;
	plan->site = site;
	plan->round = RT_NO_ROUND;
	plan->kernel = run->kernel;
	plan->io_count = site->io_count;
	plan->inner = site->depth ? site->depth - 1u : 0;
	if (!ios_plan(plan, run))
		return NULL;
	plan->failing = args_fail(run->program, &run->env, site);
	plan->affine = is_affine(plan, run);
	return plan;
}

/* Accesses as the task has them that was resolved, and how they move. */
static void accesses_take(struct rt_plan *plan, const struct rt_run *run)
{
	memcpy(plan->accesses, run->accesses, plan->io_count * sizeof(*run->accesses));
	memcpy(plan->args, run->task_args, plan->site->arg_count * sizeof(*plan->args));
	window_moves_add(plan, &run->tensors, true);
	plan->rests = plan->moves_end;
	window_moves_add(plan, &run->tensors, false);
	plan->pair_count = pairs_find(run->accesses, plan->io_count, plan->pairs);
	for (uint32_t i = 0; plan->site->renamed && i < plan->io_count; i++) {
		plan->ios[i].begins = rt_versions_begins(run, plan->site, plan->accesses[i].io);
		plan->versions |= plan->ios[i].begins || run->kernels;
	}
	plan->windows_loose |= plan->versions;
}

/* All that does not differ between its tasks. */
static void tasks_plan(struct rt_plan *plan, struct rt_run *run)
{
	const struct rt_site *site = plan->site;

	plan->counted = !site->distinct && run->program->schedule.deps != PTOWSP_DEPS_EXPLICIT;
	plan->map_most = plan->counted ? site->writes + (run->program->schedule.full ? site->reads : 0u) : rt_infer_map(run, site);
	plan->timed.need.map = plan->map_most;
	plan->plain = !plan->failing && site->io_count <= COUNTED_MOST && rt_issue_plain(run, site, run->kernel);
	plan->asks = ((run->kernels || run->record) && args_vary(run->program, &run->env, site) ? RT_ASK_ARGS : 0u) |
		     (site->read_count && !run->slots_prompt ? RT_ASK_SLOTS : 0u);
	plan->lone = !plan->versions && run->places.one && site->dispatch == PTOWSP_NONE && plan->map_most <= run->flow.map_most;
	plan->timed.cycles = run->known[run->kernel].cycles;
	plan->timed.kernel = run->kernel;
	plan->timed.depth_loops = site->depth_loops;
	plan->stats = run->kernel_stats ? &run->kernel_stats[run->kernel] : NULL;
	plan->task = rt_site_task(run->program, site, run->kernel, plan->windows);
	plan->task.args = plan->args;
}

static void uses_plan(struct rt_plan *plan, struct rt_run *run)
{
	plan->use_count = rt_uses_make(run, plan->site, plan->accesses, plan->uses);
	plan->uses_end = plan->uses_anew = plan->uses + plan->use_count;
	while (plan->uses_anew > plan->uses && plan->uses_anew[-1].anew)
		plan->uses_anew--;
	for (struct rt_use *use = plan->uses; use < plan->uses_end; use++) {
		use->step = rt_use_step(run, plan->accesses[use->argument].io, &plan->ios[use->argument]);
		use->start = &plan->ios[use->argument].start;
	}
	pairs_name(plan);
}

enum { MET_ONCE = 1, MET_AGAIN = 3 };
void rt_plan_make(struct rt_run *run, const struct rt_site *site, uint32_t level)
{
	struct rt_plans *plans = &run->plans;
	struct rt_plan **row = rt_plan_at(plans, run->program, site, level);
	uint8_t *met = &plans->met[row - plans->rows];

	/* Most instructions of a long program without loops are reached once: they shall not cost memory. One that cannot have a plan is asked once. */
	if (*met != MET_ONCE || run->tensors.measuring) {
		*met |= MET_ONCE;
		return;
	}
	*met = MET_AGAIN;
	*row = plan_begin(run, site);
	if (!*row)
		return;
	accesses_take(*row, run);
	tasks_plan(*row, run);
	uses_plan(*row, run);
	if ((*row)->plain)
		plans->plain[row - plans->rows] = *row;
}
