/* SPDX-License-Identifier: MIT */
#include "rt/express.h"

#include "rt/error.h"
#include "rt/graph_record.h"

/* ---- may it? ------------------------------------------------------------------------------------------------------ */

void rt_express_init(struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	const struct rt_clock *clock = &run->clock;
	bool told = run->sinks && (run->sinks->task || run->sinks->edge);

	/* With room for an edge to every task of the window no task can need more than there is. */
	run->express = clock->plain && clock->pools == 1 && clock->executors == 1 && (!clock->deps_capacity || clock->deps_capacity >= clock->window) &&
		       schedule->pools == PTOWSP_POOLS_SINGLE && !schedule->built && !schedule->interleaved && !schedule->batch && !run->quiet && !run->watch && !run->race.on &&
		       !told;
}

bool rt_express_site(const struct rt_run *run, const struct rt_site *site, uint32_t kernel, uint32_t map_need)
{
	const struct rt_known *known = &run->known[kernel];

	return run->express && !site->read_count && !site->allocated && !site->renamed && !site->after_count && kernel != run->program->copy_kernel &&
	       site->dispatch == PTOWSP_NONE && map_need != UINT32_MAX &&
	       (!run->clock.map_capacity || map_need <= run->clock.map_capacity) && !(run->kernels && known->later);
}

/* ---- a task ------------------------------------------------------------------------------------------------------- */

static inline ptowsp_status uses_enter(struct rt_run *run, struct rt_plan *plan)
{
	struct rt_cells *cells = run->overlap.lattices ? &run->overlap.cells : &run->exact;
	const struct rt_lattice *lattices = run->overlap.lattices;
	ptowsp_status st = PTOWSP_OK;

	if (!cells->entries)
		return PTOWSP_OK;
	for (const struct rt_use *use = plan->uses, *end = use + plan->use_count; use < end; use++) {
		if (rt_use_named(use, lattices)) {
			rt_cells_access(cells, &run->track, use->name, use->access);
			continue;
		}
		run->plan = plan; /* whose accesses are asked for */
		st = rt_infer_use(run, use);
		if (st)
			return st;
	}
	return run->preds.out_of_memory ? rt_no_memory(run->error, "the tensor map") : PTOWSP_OK;
}

static ptowsp_status args_find(struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		run->task_args[i] = (uint64_t)rt_value(&run->env, run->program->args[site->first_arg + i]);
	return PTOWSP_OK;
}

static ptowsp_status kernel_call(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), run->known[plan->kernel].cycles, run->error};
	ptowsp_status st;

	rt_plan_windows_move(plan, &run->tensors);
	if (site->arg_count)
		args_find(run, site);
	plan->task.number = run->tasks;
	plan->task.args = run->task_args;
	run->error->text[0] = 0;
	st = rt_crew_invoke(run->program, &plan->task, &out, 0);
	if (st)
		return rt_crew_failure(run->program, plan->kernel, run->tasks, st, run->error);
	return run->cancel || run->args->deadline_ns || run->sample_left ? rt_look_after_kernel(run) : PTOWSP_OK;
}

/* The clock's slow way: something else than the ring may be short. */
static ptowsp_status clock_slowly(struct rt_run *run, const struct rt_plan *plan, struct rt_need need)
{
	const struct rt_clock_task task = {.cycles = run->known[plan->kernel].cycles, .need = need, .kernel = plan->kernel,
					   .pred_count = run->preds.count, .preds = run->preds.list};
	struct ptowsp_trace_task trace;

	return rt_clock_failed(run, rt_clock_task(&run->clock, &task, &trace));
}

/* The task whose uses are in place. */
static inline ptowsp_status task_issue(struct rt_run *run, struct rt_plan *plan, const struct rt_site *site)
{
	struct ptowsp_kernel_stats *stats = &run->kernel_stats[plan->kernel];
	uint64_t cycles = run->known[plan->kernel].cycles;
	struct rt_need need = {plan->map_need, 0};
	ptowsp_status st;

	rt_preds_next(&run->preds, run->tasks, run->window);
	st = uses_enter(run, plan);
	if (st)
		return st;
	need.deps = run->preds.count;
	if (!rt_clock_step(&run->clock, cycles, need))
		st = clock_slowly(run, plan, need);
	if (st)
		return st;
	stats->tasks++;
	stats->cycles += cycles;
	if (run->kernels && (st = kernel_call(run, plan, site)))
		return st;
	run->edges += need.deps;
	run->env.task = ++run->tasks;
	return PTOWSP_OK;
}

/* ---- task after task ---------------------------------------------------------------------------------------------- */

/* The plan of a task that can go this way, in place; NULL: it cannot, or not yet. */
static inline struct rt_plan *plan_ready(struct rt_run *run, const struct rt_site *site)
{
	struct rt_plan *plan = *rt_plan_at(&run->plans, run->program, site, run->expand.level);

	if (!plan || !plan->express || run->tasks >= run->max_tasks || (run->kernels && !run->known[plan->kernel].here))
		return NULL;
	if (rt_plan_move(plan, &run->expand) || rt_plan_find(run, plan))
		return plan;
	return NULL;
}

/* The next task of the same body or iteration; NULL: something else comes. */
static inline const struct rt_site *site_next(struct rt_expand *expand)
{
	const struct rt_frame *top = &expand->frames[expand->depth - 1];
	const struct rt_ins *in;

	if (expand->budget < 2 || (expand->at == top->end && !rt_expand_again(expand)))
		return NULL;
	in = &expand->program->code[expand->at];
	if (in->op != PTOWSP_OP_TASK)
		return NULL;
	expand->budget--;
	expand->site = in->row;
	expand->at = in->end;
	return &expand->program->sites[in->row];
}

ptowsp_status rt_express(struct rt_run *run)
{
	struct rt_expand *expand = &run->expand;
	const struct rt_site *site = &run->program->sites[expand->site];
	uint64_t began = run->tasks;
	ptowsp_status st = PTOWSP_OK;
	struct rt_plan *plan = NULL;

	if (!run->express || run->clock.scopes || !rt_lag_empty(&run->lag))
		return rt_issue(run, site, expand->level);
	if (run->tasks >= run->fresh_until)
		rt_infer_freshen(run);
	while (!st && site && (plan = plan_ready(run, site))) {
		st = task_issue(run, plan, site);
		if (!st)
			site = site_next(expand);
	}
	rt_flow_skip(&run->flow, run->tasks - began);
	run->places.counts[0] += run->tasks - began;
	run->plan = plan;
	return st || !site ? st : rt_issue(run, site, expand->level);
}
