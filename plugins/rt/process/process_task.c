/* SPDX-License-Identifier: MIT */
/* process_task.c - a task of a process instance: is there room, its edges, its times, its kernel. */
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/feed.h"
#include "rt/run/rt_run.h"

/* ---- the edges that a task would have ---------------------------------------------------------------------------- */

struct peeking {
	struct rt_run *run;
	unsigned access;
};

static bool piece_peek(void *context, uint32_t tensor, int64_t start, int64_t end)
{
	const struct peeking *peeking = context;
	struct rt_run *run = peeking->run;

	rt_pieces_peek(run->overlap.pieces, &run->track, tensor, start, end, peeking->access);
	return !run->preds.out_of_memory;
}

static void pieces_peek(struct rt_run *run, const struct rt_use *use)
{
	const struct rt_access *access = &rt_run_accesses(run)[use->argument];

	for (unsigned bit = PTOWSP_READ; run->overlap.pieces && bit <= PTOWSP_WRITE; bit <<= 1) {
		struct peeking peeking = {run, bit};

		if (use->access & bit)
			rt_access_visit(access, &run->tensors, access->io->access & bit ? bit : access->io->access, piece_peek, &peeking);
	}
}

/* A version that the task makes comes behind nobody. */
static void cell_peek(struct rt_run *run, const struct rt_cells *cells, const struct rt_use *use)
{
	uint64_t name = use->way == RT_USE_INTERNED ? rt_use_name(run, &rt_run_accesses(run)[use->argument]) : use->name;
	const struct rt_cell *cell = name == RT_NO_NAME ? NULL : rt_cells_find(cells, name);

	run->preds.out_of_memory |= name == RT_NO_NAME;
	if (cell && !rt_use_begins(run, use))
		rt_cell_peek(&run->track, cell, use->access);
}

static ptowsp_status peek_edges(struct rt_run *run, const struct rt_site *site)
{
	const struct rt_lattice *lattices = run->overlap.lattices;
	const struct rt_cells *cells = &run->cells;
	const struct rt_use *uses = run->plan ? run->plan->uses : run->own_uses;
	uint32_t count;

	rt_preds_next(&run->preds, run->tasks, run->window);
	count = run->plan ? run->plan->use_count : rt_uses_make(run, site, run->accesses, run->own_uses);
	for (const struct rt_use *use = uses; cells->entries && use < uses + count; use++) {
		if (lattices && use->way != RT_USE_VERSION && !rt_use_named(use, lattices))
			pieces_peek(run, use);
		else
			cell_peek(run, cells, use);
	}
	if (run->preds.out_of_memory)
		return rt_no_memory(run->error, "the tensor map");
	return run->overlap.stopped || !site->after_count ? run->overlap.stopped : rt_after_enter(run, site);
}

/* ---- a task of an instance --------------------------------------------------------------------------------------- */

ptowsp_status rt_process_read(struct rt_pipeline *pipeline, uint32_t first, uint32_t count)
{
	struct rt_run *run = pipeline->run;
	const uint32_t *reads = run->program->exprs.reads + first;

	rt_vector_clock_read(&pipeline->fronts, pipeline->turn, reads, count);
	return rt_clock_failed(run, rt_lag_read(&run->lag, PTOWSP_NONE, reads, count));
}

/* Could the edges of any task find no room in what open scopes leave of the dependency pool? A task has at most one per task of the window. */
static bool deps_short(const struct rt_pipeline *pipeline)
{
	const struct rt_run *run = pipeline->run;
	uint64_t most = run->window && run->window < run->tasks ? run->window : run->tasks;

	return run->program->process_scopes && run->clock.deps_capacity && rt_clocks_deps_held(&pipeline->clocks) + most > run->clock.deps_capacity;
}

/* A version that nothing follows may be replaced by another instance, or be another instance's. */
static ptowsp_status versions_try(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	ptowsp_status status = rt_versions_look(pipeline->run, site);

	return status ? status : rt_versions_room(pipeline->run, pipeline->clocks.settled, &instance->block);
}

/* Stated edges are values of the task like its extents: whether they make sense is asked whenever it is tried, room or not. */
static ptowsp_status after_look(struct rt_run *run, const struct rt_site *site)
{
	rt_preds_next(&run->preds, run->tasks, run->window);
	return rt_after_enter(run, site);
}

/* Room is looked for before the tensor map takes the task in under its number: without it others go first. */
static ptowsp_status task_infer(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	struct rt_run *run = pipeline->run;
	ptowsp_status status = rt_prepare(run, site, run->expand.level);

	if (!status && site->allocated)
		status = rt_sync_there(run, site);
	if (!status && site->after_count)
		status = after_look(run, site);
	if (!status && site->renamed)
		status = versions_try(pipeline, instance, site);
	if (status)
		return status;
	if (deps_short(pipeline)) {
		status = peek_edges(run, site);
		instance->need = (struct rt_need){rt_infer_map(run, site), run->preds.count};
	} else {
		instance->need = (struct rt_need){.map = rt_infer_map(run, site)};
	}
	if (!status)
		status = rt_clocks_room(&pipeline->clocks, instance->need, &instance->block);
	if (!status)
		status = rt_infer(run, site, &instance->need);
	if (!status)
		status = rt_clocks_room(&pipeline->clocks, instance->need, &instance->block); /* more than the whole pool */
	if (!status && site->renamed)
		status = rt_versions_take(run, pipeline->turn + 1, true);
	return status;
}

/* Real threads: places that must have been given back; and with dependencies that are a promise, everything, as channels may order what edges
 * do not. */
static ptowsp_status task_wait(struct rt_pipeline *pipeline, struct rt_need need)
{
	struct rt_run *run = pipeline->run;
	uint64_t tail = rt_clocks_tail(&pipeline->clocks, need);
	ptowsp_status status = PTOWSP_OK;

	run->flow.tail = tail > run->flow.tail ? tail : run->flow.tail;
	run->reason = PTOWSP_RESOURCE_TASK_RING;
	if (run->kernels && !run->known[run->kernel].here)
		status = rt_dispatch_begin(run);
	return status || rt_schedule_safe(&run->program->schedule) ? status : rt_wait_tasks(run, run->tasks);
}

static ptowsp_status kernel_run(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	return run->known[run->kernel].here ? rt_run_here(run, site, task) : rt_dispatch(run, site, task);
}

/* Cycles that only running tells: the instance waits for the task, because its clock is the first thing that others ask about. */
static ptowsp_status kernel_await(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task)
{
	struct rt_known *known = &run->known[run->kernel];
	ptowsp_status status;

	if (known->here || !run->crew.sharing)
		return kernel_run(run, site, task);
	task->cycles = 0;
	known->later = false; /* lag.c has no record of it */
	status = rt_dispatch(run, site, task);
	known->later = true;
	if (!status)
		status = rt_wait_tasks(run, run->tasks + 1);
	if (!status)
		task->cycles = rt_cycles_told(rt_ring_task(&run->crew.ring, run->tasks)->cycles);
	return status;
}

static ptowsp_status task_time(struct rt_pipeline *pipeline, const struct rt_clock_task *task)
{
	struct rt_run *run = pipeline->run;
	struct ptowsp_trace_task trace;
	ptowsp_status status = run->lag.feed ? rt_clocks_count(&pipeline->clocks, task) : rt_clocks_task(&pipeline->clocks, task, &trace);

	if (!status && run->lag.feed)
		status = rt_feed_put_task(run->lag.feed, task);
	status = rt_clock_failed(run, status);
	if (run->lag.feed)
		return status;
	if (!status)
		rt_run_told(run, &trace);
	return status;
}

static ptowsp_status task_issue(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	struct rt_run *run = pipeline->run;
	struct rt_clock_task task = {.depth_loops = site->depth_loops,
				     .need = instance->need,
				     .kernel = run->kernel,
				     .cycles = run->known[run->kernel].cycles,
				     .preds = run->preds.list,
				     .pred_count = run->preds.count};
	bool later = run->kernels && run->known[run->kernel].later;
	ptowsp_status status = task_wait(pipeline, instance->need);

	if (site->renamed)
		task.heap = run->versions.need;
	if (!status && site->renamed && run->kernels)
		status = rt_versions_place(run, site);
	if (!status)
		status = rt_issue_place(run, site, &task);
	if (!status)
		status = rt_process_read(pipeline, site->read, site->read_count);
	if (!status && run->race.on)
		status = rt_infer_race(run, site, &task);
	task.executor = pipeline->turn;
	if (!status && later)
		status = kernel_await(run, site, &task);
	if (!status)
		status = task_time(pipeline, &task);
	if (!status && run->kernels && !later)
		status = kernel_run(run, site, &task);
	if (!status && run->program->move_count)
		status = rt_move_task(pipeline, site);
	if (status)
		return status;
	run->flow.issued++;
	instance->tasks++;
	rt_sync_mark(run, site);
	rt_issue_count(run, &task);
	if (run->versions.on)
		run->versions.scopes[pipeline->turn + 1].tasks = run->tasks;
	return PTOWSP_OK;
}

/* Counts it; resolving it tells the extents. */
static ptowsp_status task_look(struct rt_pipeline *pipeline, struct rt_instance *instance, const struct rt_site *site)
{
	struct rt_run *run = pipeline->run;
	ptowsp_status status = pipeline->look == RT_LOOK_EXTENTS ? rt_prepare(run, site, run->expand.level) : PTOWSP_OK;

	run->env.task = ++run->tasks;
	instance->standing = RT_GOING;
	return status;
}

ptowsp_status rt_process_task(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out)
{
	struct rt_run *run = pipeline->run;
	const struct rt_site *site = &run->program->sites[run->expand.site];
	ptowsp_status status;

	*done_out = true;
	if (pipeline->look != RT_LOOK_RUN)
		return task_look(pipeline, instance, site);
	status = task_infer(pipeline, instance, site);
	*done_out = !status;
	if (status == PTOWSP_AGAIN)
		return instance->block.resource != PTOWSP_RESOURCE_TASK_RING &&
				       rt_clocks_aborts(&pipeline->clocks, run->program->exprs.reads + site->read, site->read_count)
			       ? rt_clock_failed(run, PTOWSP_RUN_FAILED)
			       : PTOWSP_OK;
	if (status == PTOWSP_TOO_SMALL)
		return rt_block_report(run, status, &instance->block, run->deadlock);
	if (!status)
		status = task_issue(pipeline, instance, site);
	instance->standing = RT_GOING;
	return status;
}
