/* SPDX-License-Identifier: MIT */
/* issue.c - a task from its instruction to the clock: arguments, accesses, predecessors, reservations, place, kernel. An ordinary one, `ordinary_issue`, has
 * a plain plan and nobody but the clock hears of it; `rt_issue` takes any. */
#include "rt/access/cells.h"
#include "rt/graph/graph_record.h"
#include "rt/instances/schedulers.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include "rt/structure/unwritten.h"

/* ---- arguments and accesses ------------------------------------------------------------------------------------ */

static ptowsp_status divided(struct rt_run *run, const struct rt_site *site)
{
	char text[160];

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, run->kernel, "task %llu: division by zero in its expressions, %s",
			  (unsigned long long)run->tasks, rt_division_place(&run->env, &run->program->tables, site->instruction, text, sizeof(text)));
}

static ptowsp_status args_eval(struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->arg_count; i++)
		run->task_args[i] = (uint64_t)rt_value(&run->env, run->program->args[site->first_arg + i]);
	return run->env.failed ? divided(run, site) : PTOWSP_OK;
}

static ptowsp_status bound_check(struct rt_run *run, const struct rt_site *site)
{
	for (uint32_t i = 0; i < site->io_count; i++) {
		uint32_t tensor = run->accesses[i].io->tensor;

		if (!run->tensors.rows[tensor].bound)
			return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, run->kernel, "task %llu, kernel %.40s: tensor %.40s is bound to no memory",
					  (unsigned long long)run->tasks, rt_kernel_name(run->program, run->kernel), rt_tensor_name(run->program, tensor));
	}
	return PTOWSP_OK;
}

static ptowsp_status accesses_resolve(struct rt_run *run, const struct rt_site *site, uint32_t level)
{
	const struct rt_footprint *footprint = &run->answers->rows[run->kernel].footprint;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < site->io_count; i++)
		status = rt_access_resolve(&run->accesses[i], run->program, &run->tensors, &run->env, &run->program->ios[site->first_io + i], level, footprint,
					   i, run->kernel, run->error);
	status = rt_error_place(&run->program->tables, site->instruction, status, run->error);
	if (!status && run->env.failed)
		status = divided(run, site);
	return status || !run->bodies ? status : bound_check(run, site);
}

/* ---- running --------------------------------------------------------------------------------------------------- */

ptowsp_status rt_run_here(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	struct rt_call call = {.site = site,
			       .number = run->tasks,
			       .cycles = task->cycles,
			       .kernel = run->kernel,
			       .executor = task->executor,
			       .stream = task->stream,
			       .args = run->task_args,
			       .windows = run->window_words};
	uint64_t cycles;
	ptowsp_status status;

	if (run->known[run->kernel].later)
		call.cycles = 0;
	rt_windows_store(run, site, run->window_words);
	status = rt_crew_call(&run->crew, &call, 0, !run->known[run->kernel].here, &cycles, run->error);
	if (run->known[run->kernel].later)
		task->cycles = rt_cycles_told(cycles);
	return status ? status : rt_look_after_kernel(run);
}

/* ---- counters -------------------------------------------------------------------------------------------------- */

static void edges_tell(struct rt_run *run)
{
	for (uint32_t i = 0; i < run->preds.count; i++)
		run->sinks->edge(run->sinks->context, run->preds.list[i], run->tasks);
}

static void batch_count(struct rt_run *run)
{
	if (++run->batch_fill < run->program->schedule.batch)
		return;
	run->batches++;
	run->batch_fill = 0;
}

RT_INLINE void tasks_count(struct rt_run *run)
{
	uint64_t tasks = run->tasks + 1;

	run->edges += run->preds.count;
	run->tasks = run->env.task = tasks;
	rt_preds_step(&run->preds, run->span_most);
}

void rt_issue_count(struct rt_run *run, const struct rt_clock_task *task)
{
	if (run->sinks && run->sinks->edge)
		edges_tell(run);
	if (run->program->schedule.batch)
		batch_count(run);
	tasks_count(run);
	if (run->stream_order)
		run->stream_order[task->stream] = run->tasks;
}

static ptowsp_status limit(struct rt_run *run)
{
	return rt_fail_at(run->error, PTOWSP_LIMIT, run->tasks, UINT64_MAX, "the program makes more than %llu task%s; raise --max-tasks",
			  (unsigned long long)run->max_tasks, run->max_tasks == 1 ? "" : "s");
}

/* A kernel whose work depends on its arguments has no plan. */
static ptowsp_status prepare_slowly(struct rt_run *run, const struct rt_site *site, uint32_t level)
{
	ptowsp_status status = args_eval(run, site);

	if (!status)
		status = rt_kernel_choose(run, site, level);
	if (!status)
		status = accesses_resolve(run, site, level);
	if (!status)
		rt_unwritten_look(run, site);
	if (!status && !run->known[run->kernel].varies)
		rt_plan_make(run, site, level);
	return status;
}

ptowsp_status rt_prepare(struct rt_run *run, const struct rt_site *site, uint32_t level)
{
	struct rt_plan *plan = *rt_plan_at(&run->plans, run->program, site, level);
	ptowsp_status status = PTOWSP_OK;

	run->plan = NULL;
	run->task_args = run->own_args;
	if (run->tasks >= run->max_tasks)
		return limit(run);
	if (!plan)
		return prepare_slowly(run, site, level);
	run->kernel = plan->kernel;
	if (((run->kernels || run->record) && site->arg_count) || plan->failing)
		status = args_eval(run, site);
	if (status)
		return status;
	if (!rt_plan_reach(run, plan, &run->expand))
		return accesses_resolve(run, site, level);
	rt_plan_uses_name(plan);
	run->plan = plan;
	return PTOWSP_OK;
}

/* Resources are asked in order: a ring that is full in mode abort comes before a deadlock of a later one. */
static ptowsp_status blocked(struct rt_run *run, ptowsp_status status, struct rt_block *block)
{
	ptowsp_status end = PTOWSP_OK;

	rt_clock_catch_up(&run->clock);
	if (status == PTOWSP_DEADLOCK && block->resource != PTOWSP_RESOURCE_TASK_RING && run->clock.window_mode == RT_WINDOW_ABORT) {
		end = rt_wait_tasks(run, run->tasks);
		if (!end && rt_clock_aborts(&run->clock))
			end = rt_clock_failed(run, PTOWSP_RUN_FAILED);
	}
	return end ? end : rt_block_report(run, status, block, run->deadlock);
}

RT_INLINE ptowsp_status place(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	ptowsp_status status;

	if (run->places.one && site->dispatch == PTOWSP_NONE)
		return PTOWSP_OK;
	status = rt_place(&run->places, &run->clock, &run->env, site, task, run->error);
	return !status && run->env.failed ? divided(run, site) : status;
}

ptowsp_status rt_issue_place(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	return place(run, site, task);
}

/* The heap comes behind ring, map and pool, but what is more than all of it is found first. */
static ptowsp_status versions_reserve(struct rt_run *run, struct rt_clock_task *task)
{
	struct rt_block block, heap;
	ptowsp_status room = rt_versions_room(run, rt_flow_held_from(&run->flow), &heap), status;

	if (room == PTOWSP_TOO_SMALL)
		return blocked(run, room, &heap);
	status = rt_flow_reserve(&run->flow, task->need, &run->reason, &block);
	if (status)
		return blocked(run, status, &block);
	if (room && run->program->schedule.built)
		return rt_record_heap(run);
	if (room)
		return blocked(run, PTOWSP_DEADLOCK, &heap);
	task->heap = run->versions.need;
	return rt_versions_take(run, 0, true);
}

/* ---- predecessors ------------------------------------------------------------------------------------------------- */

bool rt_issue_plain(const struct rt_run *run, const struct rt_site *site, uint32_t kernel)
{
	return !run->watch && !site->allocated && !(site->renamed && !rt_versions_planned(run, site)) && !site->after_count &&
	       kernel != run->program->copy_kernel && !(run->kernels && run->known[kernel].later);
}

/* Every use has a name. */
RT_INLINE void named_enter(struct rt_run *run, const struct rt_plan *plan)
{
	const struct rt_use *use = plan->uses, *full = run->track.full ? plan->uses_anew : use, *end = plan->uses_end;
	uint64_t at = (uint64_t)plan->at;

	for (; use < full; use++)
		rt_cells_enter(&run->cells, &run->track, &run->preds, use->origin + use->step * at, use->access, true);
	for (; use < end; use++)
		rt_cells_enter(&run->cells, &run->track, &run->preds, use->origin + use->step * at, use->access, false);
}

static ptowsp_status uses_enter_slowly(struct rt_run *run, struct rt_plan *plan)
{
	rt_plan_uses_name(plan);
	run->plan = plan; /* its accesses are asked for */
	return rt_infer_uses(run, plan->uses, plan->use_count);
}

static ptowsp_status slots_read(struct rt_run *run, const struct rt_site *site)
{
	rt_clock_catch_up(&run->clock);
	return rt_clock_failed(
		run, rt_lag_read(&run->lag, run->instances ? run->instances->turn : PTOWSP_NONE, run->program->exprs.reads + site->read, site->read_count));
}

/* Arguments, which keys are equal, what the clock waits for. */
static __attribute__((noinline)) ptowsp_status plan_ask(struct rt_run *run, struct rt_plan *plan)
{
	ptowsp_status status;

	run->kernel = plan->kernel;
	run->task_args = plan->args;
	status = plan->asks & RT_ASK_ARGS ? args_eval(run, plan->site) : PTOWSP_OK;
	if (plan->asks & RT_ASK_KEYS)
		rt_plan_recount(plan, run->env.loops, run->track.full);
	return status || !(plan->asks & RT_ASK_SLOTS) ? status : slots_read(run, plan->site);
}

/* Questions, then predecessors. */
RT_INLINE ptowsp_status plan_prepare(struct rt_run *run, struct rt_plan *plan)
{
	ptowsp_status status;

	if (plan->asks && (status = plan_ask(run, plan)))
		return status;
	if (plan->asks & RT_ASK_USES && (status = uses_enter_slowly(run, plan)))
		return status;
	if (!(plan->asks & RT_ASK_USES))
		named_enter(run, plan);
	return run->preds.out_of_memory ? rt_no_memory(run->error, "the tensor map") : PTOWSP_OK;
}

/* No task that comes before the next pause is one before which something has to be looked at. */
static bool is_unchecked(const struct rt_run *run)
{
	return run->tasks + RT_PAUSE_EVERY < run->checked_until;
}

/* The plan of the task at which the expander stands, and it is of this task; NULL: there is none, or more has to be asked. */
RT_INLINE struct rt_plan *plan_of(struct rt_run *run)
{
	struct rt_plan *plan = run->plans.plain[(size_t)run->expand.site * run->plans.levels + run->expand.level];

	return plan && rt_plan_reach(run, plan, &run->expand) ? plan : NULL;
}

static ptowsp_status prepare(struct rt_run *run, const struct rt_site *site, uint32_t level, struct rt_need *need_out)
{
	struct rt_plan *plan = is_unchecked(run) ? plan_of(run) : NULL;
	ptowsp_status status = PTOWSP_OK;

	if (plan) {
		run->plan = plan;
		run->kernel = plan->kernel;
		run->task_args = plan->args;
		if (site->renamed)
			rt_versions_name(run, plan);
		status = plan_prepare(run, plan);
		*need_out = (struct rt_need){plan->timed.need.map, run->preds.count};
		return status;
	}
	status = rt_prepare(run, site, level);
	if (!status && (site->allocated || run->kernel == run->program->copy_kernel))
		status = rt_sync_touch(run, site);
	if (!status && site->read_count && !run->slots_prompt)
		status = slots_read(run, site);
	return status ? status : rt_infer(run, site, need_out);
}

/* ---- any task ------------------------------------------------------------------------------------------------------ */

/* Room in the ring and pools of its scheduler instance. */
static ptowsp_status instance_reserve(struct rt_run *run, struct rt_clock_task *task)
{
	struct rt_block block;
	ptowsp_status status = rt_schedulers_reserve(run->instances, task->need, &block);

	task->owner = run->instances->turn;
	return status ? blocked(run, status, &block) : PTOWSP_OK;
}

/* Room in ring, map, pool and heap; then its predecessors and the place where it runs. */
static ptowsp_status reserve(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	struct rt_block block;
	ptowsp_status status = PTOWSP_OK;

	if (run->instances)
		status = instance_reserve(run, task);
	if (!status && site->renamed)
		status = versions_reserve(run, task);
	else if (!status && (status = rt_flow_reserve(&run->flow, task->need, &run->reason, &block)))
		status = blocked(run, status, &block);
	if (status)
		return status;
	task->kernel = run->kernel;
	task->cycles = run->known[run->kernel].cycles;
	task->preds = run->preds.list;
	task->pred_count = run->preds.count;
	if (run->program->schedule.built)
		status = rt_record_gates(run);
	else if (run->kernels && !run->known[run->kernel].here)
		status = rt_dispatch_begin(run);
	if (!status && site->renamed && run->kernels)
		status = rt_versions_place(run, site);
	if (!status)
		status = place(run, site, task);
	return status || !run->race.on ? status : rt_infer_race(run, site, task);
}

/* Or whoever tells it later. */
static ptowsp_status clock_tell(struct rt_run *run, const struct rt_clock_task *task)
{
	struct rt_clock_times times;
	ptowsp_status status;

	if (!rt_lag_none(&run->lag, task))
		return rt_lag_task(&run->lag, task);
	status = rt_clock_task(&run->clock, task, &times);
	if (status)
		return run->lag.broken = status;
	rt_run_told(run, &(struct ptowsp_trace_task){.task = run->tasks,
						     .start = times.start,
						     .end = times.end,
						     .kernel = task->kernel,
						     .executor = task->executor,
						     .stream = task->stream});
	return PTOWSP_OK;
}

/* Known cycles go to the clock before the kernel runs; the others when it has told them. */
static ptowsp_status execute(struct rt_run *run, const struct rt_site *site, uint32_t level, struct rt_clock_task *task)
{
	bool later = run->kernels && run->known[run->kernel].later;
	ptowsp_status status = later ? PTOWSP_OK : clock_tell(run, task);

	if (status)
		return rt_clock_failed(run, status);
	if (run->record)
		status = rt_record_task(run, site, level, task);
	else if (run->kernels)
		status = run->known[run->kernel].here ? rt_run_here(run, site, task) : rt_dispatch(run, site, task);
	return status || !later ? status : rt_clock_failed(run, clock_tell(run, task));
}

static __attribute__((noinline)) ptowsp_status any_issue(struct rt_run *run)
{
	const struct rt_site *site = &run->program->sites[run->expand.site];
	const uint32_t level = run->expand.level;
	struct rt_clock_task task = {.depth_loops = site->depth_loops};
	ptowsp_status status = run->instances ? rt_schedulers_turn(run->instances) : PTOWSP_OK;

	rt_clock_catch_up(&run->clock);
	if (!status)
		status = prepare(run, site, level, &task.need);
	if (!status)
		status = reserve(run, site, &task);
	if (!status)
		status = execute(run, site, level, &task);
	if (!status)
		rt_issue_count(run, &task);
	return status;
}

/* ---- an ordinary task ---------------------------------------------------------------------------------------------- */

void rt_issue_begin(struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	bool heard = run->sinks && (run->sinks->task || run->sinks->edge);

	run->ordinary = !heard && !run->race.on && !schedule->built && !run->record && !schedule->batch && !run->stream_order && !run->instances;
	run->slots_prompt = !run->program->loads && !run->program->tables.process.count && !run->lag.feed && !run->instances;
}

static ptowsp_status plan_call(struct rt_run *run, struct rt_plan *plan)
{
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), plan->timed.cycles, run->error};
	ptowsp_status status;

	rt_plan_windows_move(plan, &run->env);
	if (plan->versions)
		rt_versions_clear(run, plan);
	plan->task.number = run->tasks;
	run->error->text[0] = 0;
	status = rt_crew_invoke(run->program, &plan->task, &out, 0);
	return status ? rt_crew_failure(run->program, plan->kernel, run->tasks, status, run->error) : PTOWSP_OK;
}

static __attribute__((noinline)) ptowsp_status called_here(struct rt_run *run, struct rt_plan *plan)
{
	ptowsp_status status;

	run->kernel = plan->kernel;
	status = plan_call(run, plan);

	return !status && !run->together && (run->cancel || run->args->deadline_ns || run->sample_left) ? rt_look_after_kernel(run) : status;
}

/* The clock, which is a lone one, hears of it later. */
RT_INLINE void keep(struct rt_run *run, struct rt_plan *plan)
{
	rt_clock_keep(&run->clock, plan->timed.cycles, (struct rt_need){plan->timed.need.map, run->preds.count});
	plan->told++;
}

/* The clock may hear of tasks later. */
static bool is_lone(const struct rt_run *run)
{
	return run->clock.lone && rt_items_none(&run->lag.items) && !run->lag.feed;
}

/* Its place, and when it runs. */
RT_INLINE ptowsp_status placed_tell(struct rt_run *run, struct rt_plan *plan)
{
	struct rt_clock_times times;
	ptowsp_status status;

	rt_clock_catch_up(&run->clock);
	plan->timed.need.deps = plan->timed.pred_count = run->preds.count;
	plan->timed.preds = run->preds.list;
	if ((status = place(run, plan->site, &plan->timed)))
		return status;
	plan->task.executor = plan->timed.executor;
	if (!rt_lag_none(&run->lag, &plan->timed))
		return rt_clock_failed(run, rt_lag_task(&run->lag, &plan->timed));
	status = rt_clock_task(&run->clock, &plan->timed, &times);
	if (status)
		return rt_clock_failed(run, run->lag.broken = status);
	plan->told++;
	return PTOWSP_OK;
}

RT_INLINE ptowsp_status tell(struct rt_run *run, struct rt_plan *plan)
{
	if (!plan->lone || !is_lone(run))
		return placed_tell(run, plan);
	keep(run, plan);
	return PTOWSP_OK;
}

/* Between the tasks of this thread others use the same cache, and what links a task waits for all that was begun before: a look-up would wait alone. */
static void names_prefetch(const struct rt_run *run, const struct rt_plan *plan)
{
	enum { AHEAD = 4 };

	for (const struct rt_use *use = plan->uses; use < plan->uses_end && use->step; use++)
		__builtin_prefetch(&run->cells.entries[rt_cells_place(&run->cells, use->origin + use->step * ((uint64_t)plan->at + AHEAD))], 1);
}

/* The kernel runs on whichever thread comes to it. Places are given back by task number, so the tasks before the window have to have ended. */
static ptowsp_status shared_issue(struct rt_run *run, struct rt_plan *plan)
{
	ptowsp_status status = rt_dispatch_begin(run);

	names_prefetch(run, plan);
	if (!status && plan->versions)
		status = rt_versions_place(run, plan->site);
	if (!status)
		status = tell(run, plan);
	if (!status)
		status = rt_dispatch(run, plan->site, &plan->timed);
	return status;
}

/* Issues a task whose kernel runs elsewhere, or that has versions, or whose reserved memory is counted. */
static __attribute__((noinline)) ptowsp_status careful_issue(struct rt_run *run, struct rt_plan *plan)
{
	struct rt_block block;
	ptowsp_status status;

	run->plan = plan;
	run->kernel = plan->kernel;
	run->task_args = plan->args;
	if (plan->versions) {
		plan->timed.need.deps = run->preds.count;
		rt_versions_name(run, plan);
		status = versions_reserve(run, &plan->timed);
	} else if ((status = rt_flow_reserve(&run->flow, (struct rt_need){plan->timed.need.map, run->preds.count}, &run->reason, &block))) {
		status = blocked(run, status, &block);
	}
	if (!status && run->kernels && !run->known[plan->kernel].here)
		return shared_issue(run, plan);
	if (!status && run->kernels && plan->versions)
		status = rt_versions_place(run, plan->site);
	if (!status)
		status = tell(run, plan);
	return status || !run->kernels ? status : called_here(run, plan);
}

/* Nothing has to be done for a task of one place but that the clock hears of it, later, and that its kernel, if any, runs here. */
enum calm { NOT_CALM, CALM, CALM_WITH_KERNELS };
static enum calm calm_of(const struct rt_run *run)
{
	if (!is_lone(run) || run->flow.counting)
		return NOT_CALM;
	return run->kernels ? CALM_WITH_KERNELS : CALM;
}

RT_INLINE ptowsp_status ordinary_issue(struct rt_run *run, struct rt_plan *plan, enum calm calm)
{
	ptowsp_status status = plan_prepare(run, plan);

	if (status)
		return status;
	if (!calm || !plan->lone || (calm == CALM_WITH_KERNELS && !run->known[plan->kernel].here)) {
		status = careful_issue(run, plan);
	} else {
		run->flow.issued++;
		keep(run, plan);
		if (calm == CALM_WITH_KERNELS)
			status = called_here(run, plan);
	}
	if (!status)
		tasks_count(run);
	return status;
}

static bool is_ordinary(const struct rt_run *run)
{
	return run->ordinary && is_unchecked(run);
}

ptowsp_status rt_issue(struct rt_run *run)
{
	struct rt_plan *plan = is_ordinary(run) ? plan_of(run) : NULL;

	return plan ? ordinary_issue(run, plan, calm_of(run)) : any_issue(run);
}

ptowsp_status rt_issue_tasks(struct rt_run *run, enum rt_event *next_out)
{
	const bool ordinary = is_ordinary(run); /* until the next pause */
	enum calm calm = calm_of(run);
	enum rt_event next = RT_EVENT_NONE;
	ptowsp_status status;

	do {
		struct rt_plan *plan = ordinary ? plan_of(run) : NULL;

		if (plan) {
			status = ordinary_issue(run, plan, calm);
		} else {
			status = any_issue(run);
			calm = calm_of(run);
		}
	} while (!status && (next = rt_expand_next(&run->expand)) == RT_EVENT_TASK);
	*next_out = next;
	return status;
}
