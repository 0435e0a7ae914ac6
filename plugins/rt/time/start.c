/* SPDX-License-Identifier: MIT */
/* start.c - start(threshold n): how far tasks can be issued before any of them starts, looked at without clock and kernels. */
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

/* When what never starts would start: later than anything that is issued. */
#define NEVER (UINT64_C(1) << 62)

/* Reservations while nothing is given back. The clock of its run has no bounds and nothing starts before NEVER: the order of tasks decides into
 * which of two pools one goes. */
struct ahead {
	struct rt_run run;
	const struct rt_clock *limits;
	uint8_t *pending; /* per SLOT row: its value comes from a task that would have to end */
	uint64_t map, deps, heap, ready[RT_POOL_LIMIT];
};

static bool fits(uint64_t capacity, uint64_t use)
{
	return !capacity || use <= capacity;
}

static bool waits(const struct ahead *ahead, uint32_t read, uint32_t count)
{
	const uint32_t *slots = ahead->run.program->exprs.reads + read;

	for (uint32_t i = 0; i < count; i++)
		if (ahead->pending[slots[i]])
			return true;
	return false;
}

uint32_t rt_pool_guess(struct rt_run *run, const struct rt_site *site)
{
	int64_t pool = 0;

	if (site->pool != PTOWSP_NONE)
		pool = rt_value(&run->env, site->pool);
	else if (run->program->schedule.pools == PTOWSP_POOLS_BY_EXEC_UNIT)
		pool = run->places.pool_of_unit[run->program->tables.kernel.rows[run->kernel].unit];
	return pool >= 0 && pool < RT_POOL_LIMIT ? (uint32_t)pool : 0;
}

/* Its place in a ready queue, which it does not leave; false: the queue is full. */
static bool queue_fits(struct ahead *ahead, const struct rt_site *site)
{
	struct rt_run *run = &ahead->run;
	struct rt_clock_task task = {.cycles = run->known[run->kernel].cycles,
				     .kernel = run->kernel,
				     .depth_loops = site->depth_loops,
				     .preds = run->preds.list,
				     .pred_count = run->preds.count};

	return !rt_issue_place(run, site, &task) && fits(ahead->limits->ready_capacity, ++ahead->ready[task.pool]) && !rt_lag_task(&run->lag, &task);
}

/* False: this task would have to wait for an earlier one. */
static bool task_fits(struct ahead *ahead)
{
	struct rt_run *run = &ahead->run;
	const struct rt_site *site = &run->program->sites[run->expand.site];
	struct rt_need need;

	if (waits(ahead, site->read, site->read_count) || rt_prepare(run, site, run->expand.level) || rt_infer(run, site, &need) ||
	    (site->allocated && rt_sync_touch(run, site)))
		return false;
	ahead->map += need.map;
	ahead->deps += need.deps;
	ahead->heap += site->renamed ? run->versions.need : 0;
	return fits(run->heap_capacity, ahead->heap) && fits(ahead->limits->window, run->tasks + 1) && fits(ahead->limits->map_capacity, ahead->map) &&
	       fits(ahead->limits->deps_capacity, ahead->deps) && queue_fits(ahead, site);
}

static bool slot_fits(struct ahead *ahead, enum rt_event event)
{
	struct rt_run *run = &ahead->run;
	const struct rt_expand *expand = &run->expand;
	const struct rt_io *io;

	if (event == RT_EVENT_SLOT_SET) {
		const struct rt_expr *expr = &run->program->exprs.rows[expand->expr];

		ahead->pending[expand->slot] = waits(ahead, expr->read, expr->read_count);
		return ahead->pending[expand->slot] || !rt_slot_set(run, expand->slot, expand->expr);
	}
	io = &run->program->ios[expand->io];
	if (rt_slot_load(run, expand->slot, io))
		return false;
	ahead->pending[expand->slot] = run->loaded_from != 0;
	return true;
}

/* A wait for the end of a task is one for its start; so is memory that a task gives back. */
static bool sync_fits(struct ahead *ahead)
{
	struct rt_run *run = &ahead->run;
	const struct rt_ins *in = &run->program->code[run->expand.sync];

	if (in->op == PTOWSP_OP_ALLOC) {
		ahead->heap += rt_tensor_bytes(&run->tensors.rows[in->slot]);
		run->sync.touched[in->slot] = 0;
	}
	if (in->op == PTOWSP_OP_FREE && run->sync.there[in->slot] && !run->sync.touched[in->slot]) /* comes back at once */
		ahead->heap -= rt_tensor_bytes(&run->tensors.rows[in->slot]);
	if (in->op == PTOWSP_OP_ALLOC && !fits(run->heap_capacity, ahead->heap))
		return false;
	if ((in->op == PTOWSP_OP_BARRIER || in->op == PTOWSP_OP_FENCE) && rt_lag_sync(&run->lag, in->op, in->slot, 0))
		return false;
	return rt_sync_pass(run, run->expand.sync) && !(in->op == PTOWSP_OP_WAIT && run->sync.events[in->slot].tasks);
}

/* How many tasks can be issued, at most n. */
static uint64_t count_ahead(struct ahead *ahead, uint64_t n)
{
	struct rt_run *run = &ahead->run;
	bool go_on = true;

	while (go_on && run->tasks < n) {
		enum rt_event event = rt_expand_next(&run->expand);

		switch (event) {
		case RT_EVENT_TASK:
			go_on = task_fits(ahead);
			run->tasks += go_on;
			run->env.task = run->tasks;
			break;
		case RT_EVENT_SLOT_SET:
		case RT_EVENT_SLOT_LOAD: go_on = slot_fits(ahead, event); break;
		case RT_EVENT_SYNC: go_on = sync_fits(ahead); break;
		case RT_EVENT_READ: go_on = !waits(ahead, run->expand.read, run->expand.read_count); break;
		case RT_EVENT_ORDER_BEGIN: go_on = !rt_lag_order_begin(&run->lag); break;
		case RT_EVENT_ORDER_STEP: go_on = !rt_lag_order_step(&run->lag); break;
		case RT_EVENT_ORDER_END: go_on = !rt_lag_order_end(&run->lag); break;
		default: go_on = rt_look_event(run, event);
		}
	}
	return run->tasks;
}

/* Executors, depths and streams as in the run; no capacities: those are looked at here. */
static ptowsp_status clock_init(struct ahead *ahead, struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &ahead->run.program->schedule;
	struct rt_clock *clock = &ahead->run.clock;
	ptowsp_status status;

	clock->floor = NEVER;
	clock->streams = schedule->streams;
	clock->depths = schedule->depths;
	clock->depth_count = schedule->depth_count;
	clock->executors = schedule->dispatch.executors;
	clock->event_count = ahead->run.program->tables.event.count;
	status = rt_clock_init(clock, ahead->run.arena, ahead->run.program->tables.slot.count, 0);
	if (!status && !rt_clock_pools(clock, ahead->run.places.pools))
		status = PTOWSP_NO_MEMORY;
	return status ? rt_no_memory(error, "the look ahead") : PTOWSP_OK;
}

ptowsp_status rt_start_find(const struct rt_run *run, uint64_t *start_out)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	const struct rt_run_args args = {.args = run->args, .cancel = run->cancel};
	struct ahead *ahead;
	uint64_t tasks = 0;
	ptowsp_status status;

	*start_out = 0;
	/* Until the first start nothing stalls and nothing is waited for, so a(s) = s * spacing. */
	if (schedule->start <= 1 || !schedule->issue_cost)
		return PTOWSP_OK;
	ahead = calloc(1, sizeof(*ahead));
	if (!ahead)
		return rt_no_memory(run->error, "the look ahead");
	ahead->limits = &run->clock;
	ahead->pending = calloc((size_t)run->program->tables.slot.count + 1, 1);
	status = ahead->pending ? rt_look_begin(&ahead->run, run->program, &args, run->window, run->error) : rt_no_memory(run->error, "the look ahead");
	ahead->run.heap_capacity = run->heap_capacity;
	if (!status)
		status = clock_init(ahead, run->error);
	if (!status) {
		tasks = count_ahead(ahead, schedule->start);
		*start_out = tasks ? (tasks - 1) * schedule->issue_cost : 0;
	}
	rt_run_finish(&ahead->run);
	free(ahead->pending);
	free(ahead);
	return status;
}
