/* SPDX-License-Identifier: MIT */
/* rt_run.c - one run from values and bindings to its last task. */
#include "rt/run/rt_run.h"

#include "rt/graph/graph_record.h"
#include "rt/grow.h"
#include "rt/instances/schedulers.h"
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/feed.h"
#include "rt/structure/memory_limit.h"
#include "rt/structure/unwritten.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TASKS_DEFAULT (UINT64_C(1) << 32)

/* ---- values ---------------------------------------------------------------------------------------------------- */

static ptowsp_status values_init(struct rt_run *run)
{
	const struct rt_program *program = run->program;
	const struct rt_exprs *exprs = &program->exprs;
	uint32_t slots = program->tables.slot.count;

	run->values = common_take(run->arena, (size_t)slots + 1, sizeof(*run->values));
	run->forms = common_take(run->arena, (size_t)exprs->count + 1, sizeof(*run->forms));
	run->env.loops = common_take(run->arena, rt_exprs_places(exprs), sizeof(*run->env.loops));
	if (run->arena->exhausted)
		return rt_no_memory(run->error, "values");
	for (uint32_t i = 0; i < slots; i++)
		run->values[i] = i < run->args->value_count ? run->args->values[i] : program->tables.slot.rows[i].value;
	run->env.exprs = exprs;
	run->env.forms = run->forms;
	run->env.codes = &run->codes;
	run->env.values = run->values;
	return rt_exprs_specialise(exprs, run->values, run->forms, &run->codes, run->error);
}

/* ---- resources ------------------------------------------------------------------------------------------------- */

/* An unbounded window makes the others unbounded unless they are stated. */
static uint64_t capacity(const struct rt_run *run, unsigned resource)
{
	const struct rt_schedule *schedule = &run->program->schedule;

	if (schedule->stated[resource])
		return schedule->capacity[resource];
	if (!run->window || run->program->planned)
		return 0; /* nobody counts them where a program is planned */
	return resource == PTOWSP_RESOURCE_READY ? run->window : schedule->capacity[resource];
}

uint64_t rt_window_planned(const struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;

	return schedule->window_stated ? schedule->window : 0;
}

static void window_choose(struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;

	run->window = schedule->window;
	if (schedule->built || (run->program->planned && !run->program->windowed) || (run->engine && run->engine->rings)) {
		run->window = 0; /* rt_program.c says so of the former */
		return;
	}
	if (run->schedulers > 1 && !schedule->window_stated)
		run->window = RT_RING_OF_INSTANCE;
	if (run->quiet && !schedule->window_stated)
		run->window = 0; /* a look ahead: nobody holds a place */
}

static void clock_finish(struct rt_run *run)
{
	if (run->clock.rows) {
		free(run->spare.rows);
		run->spare.rows = run->clock.rows;
		run->spare.rows_size = rt_clock_size(&run->clock);
	}
	run->clock.rows = NULL;
	rt_clock_finish(&run->clock);
}

ptowsp_status rt_run_clock(struct rt_run *run)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	struct rt_clock *clock = &run->clock;
	size_t rows_size = 0;
	ptowsp_status status;

	clock->window = run->window;
	clock->window_mode = run->engine ? RT_WINDOW_STALL : schedule->window_mode; /* an engine meets a full ring itself */
	clock->map_capacity = capacity(run, PTOWSP_RESOURCE_TENSOR_MAP);
	clock->deps_capacity = capacity(run, PTOWSP_RESOURCE_DEP_LIST);
	clock->ready_capacity = capacity(run, PTOWSP_RESOURCE_READY);
	clock->spacing = schedule->issue_cost;
	clock->streams = schedule->streams;
	clock->depths = schedule->depths;
	clock->depth_count = schedule->depth_count;
	clock->executors = schedule->dispatch.executors;
	clock->single = run->window && clock->executors == 1 && schedule->pools == PTOWSP_POOLS_SINGLE;
	run->tell = (struct rt_listener){run->sinks, PTOWSP_NONE};
	clock->tell = !run->quiet && !run->engine && run->sinks && run->sinks->event ? &run->tell : NULL;
	run->heap_capacity = capacity(run, PTOWSP_RESOURCE_HEAP);
	clock->event_count = run->program->tables.event.count;
	clock->heap.capacity = run->sync.arena.capacity = run->heap_capacity;
	rt_places_init(&run->places, run->program);
	if (run->spare.rows_size >= rt_clock_least(clock)) {
		clock->rows = run->spare.rows;
		rows_size = run->spare.rows_size;
		run->spare.rows = NULL;
	}
	status = rt_clock_init(clock, run->arena, run->program->tables.slot.count, rows_size);
	if (!status && !rt_clock_pools(clock, run->places.pools))
		status = PTOWSP_NO_MEMORY;
	if (!status && run->schedulers > 1)
		status = rt_schedulers_init(run);
	/* Pools are those of each instance. */
	if (!status)
		status = rt_flow_init(&run->flow, run->window, run->instances ? 0 : clock->map_capacity, run->instances ? 0 : clock->deps_capacity);
	run->flow.ring = run->engine && run->engine->rings ? schedule->window : 0;
	run->flow.counts |= schedule->built;
	run->flow.counting |= schedule->built;
	return status ? rt_no_memory(run->error, "the clock") : PTOWSP_OK;
}

ptowsp_status rt_clock_failed(struct rt_run *run, ptowsp_status status)
{
	if (status == PTOWSP_NO_MEMORY)
		return rt_no_memory(run->error, "the clock");
	if (status == PTOWSP_RUN_FAILED)
		return rt_fail_at(run->error, status, run->clock.issued, UINT64_MAX,
				  "the task window of %llu is full at task %llu, and its mode is abort; raise task_window or let it stall",
				  (unsigned long long)(run->window ? rt_schedulers_window(run) : run->program->schedule.window),
				  (unsigned long long)run->clock.issued);
	return status;
}

/* Dependencies found for n tasks at a time are merged early here. */
void rt_batch_flush(struct rt_run *run)
{
	if (!run->batch_fill)
		return;
	run->batches++;
	run->flushes++;
	run->batch_fill = 0;
}

/* ---- events of the expander ------------------------------------------------------------------------------------ */

static ptowsp_status pause_take(struct rt_run *run)
{
	if (!run->quiet)
		rt_stats_publish(run);
	return rt_look(run);
}

/* Scopes, orders and reads mean something to the clock and to flow only. */
static ptowsp_status structure(struct rt_run *run, enum rt_event event)
{
	ptowsp_status status;

	switch (event) {
	case RT_EVENT_SCOPE_BEGIN:
		rt_flow_scope_begin(&run->flow);
		if (run->instances)
			rt_schedulers_scope(run->instances, true);
		rt_versions_scope_begin(run, 0);
		return rt_lag_scope_begin(&run->lag);
	case RT_EVENT_SCOPE_END:
		rt_batch_flush(run);
		rt_flow_scope_end(&run->flow);
		if (run->instances)
			rt_schedulers_scope(run->instances, false);
		status = rt_versions_scope_end(run, 0, true);
		return status ? status : rt_lag_scope_end(&run->lag);
	case RT_EVENT_ORDER_BEGIN: rt_race_order_begin(&run->race, run->tasks); return rt_lag_order_begin(&run->lag);
	case RT_EVENT_ORDER_STEP:
		rt_batch_flush(run);
		run->barrier = run->tasks;
		rt_race_order_step(&run->race, run->tasks);
		return rt_lag_order_step(&run->lag);
	case RT_EVENT_ORDER_END: rt_race_order_end(&run->race); return rt_lag_order_end(&run->lag);
	default:
		return run->slots_prompt ? PTOWSP_OK
					 : rt_lag_read(&run->lag, PTOWSP_NONE, run->program->exprs.reads + run->expand.read, run->expand.read_count);
	}
}

ptowsp_status rt_event_take(struct rt_run *run, enum rt_event event)
{
	rt_clock_catch_up(&run->clock);
	switch (event) {
	case RT_EVENT_TASK: return rt_issue(run);
	case RT_EVENT_PAUSE: return pause_take(run);
	case RT_EVENT_SLOT_SET: return rt_slot_set(run, run->expand.slot, run->expand.expr);
	case RT_EVENT_SLOT_LOAD: rt_batch_flush(run); return rt_slot_load(run, run->expand.slot, &run->program->ios[run->expand.io]);
	case RT_EVENT_SYNC:
		if (run->program->code[run->expand.sync].op == PTOWSP_OP_BARRIER)
			rt_batch_flush(run);
		return rt_sync_take(run, run->expand.sync);
	case RT_EVENT_FAILED: return run->expand.failure;
	default: return rt_clock_failed(run, structure(run, event));
	}
}

static ptowsp_status workload_run(struct rt_run *run)
{
	ptowsp_status status = rt_look(run);
	enum rt_event event;

	rt_expand_start(&run->expand, run->program, &run->env, run->error);
	rt_issue_begin(run);
	run->expand.slots = run->slots_prompt ? run->values : NULL;
	event = rt_expand_next(&run->expand);
	while (!status && event != RT_EVENT_END) {
		if (event == RT_EVENT_TASK) {
			status = rt_issue_tasks(run, &event);
			continue;
		}
		status = rt_event_take(run, event);
		event = status ? event : rt_expand_next(&run->expand);
	}
	rt_clock_catch_up(&run->clock);
	return status;
}

/* ---- making and unmaking --------------------------------------------------------------------------------------- */

static ptowsp_status storage_init(struct rt_run *run)
{
	const struct rt_program *program = run->program;

	run->known = common_take(run->arena, (size_t)program->tables.kernel.count + 1, sizeof(*run->known));
	run->kernel_stats = common_take(run->arena, (size_t)program->tables.kernel.count + 1, sizeof(*run->kernel_stats));
	run->task_args = run->own_args = common_take(run->arena, (size_t)program->most_args + 1, sizeof(*run->own_args));
	run->accesses = common_take(run->arena, (size_t)program->most_ios + 1, sizeof(*run->accesses));
	run->window_words = common_take(run->arena, (size_t)program->most_ios * 2 + 1, sizeof(*run->window_words));
	run->keys = common_take(run->arena, (size_t)program->most_ios + 1, sizeof(*run->keys));
	if (run->share_count)
		run->shares = common_take(run->arena, run->share_count, sizeof(*run->shares));
	if (program->schedule.streams)
		run->stream_order = common_take(run->arena, program->schedule.streams, sizeof(*run->stream_order));
	rt_plans_init(&run->plans, program, run->arena);
	run->answers = run->spare.answers ? run->spare.answers : rt_answers_make(run->program);
	run->spare.answers = run->answers;
	if (run->arena->exhausted || !run->answers)
		return rt_no_memory(run->error, "the run");
	for (uint32_t k = 0; k < program->tables.kernel.count; k++) {
		run->kernel_stats[k].kernel = k;
		run->kernel_stats[k].flags = program->kernels.code && k != program->copy_kernel ? program->kernels.code(program->kernels.context, k) : 0;
	}
	return PTOWSP_OK;
}

ptowsp_status rt_run_init(struct rt_run *run, struct rt_program *program, const struct rt_run_args *args, struct ptowsp_error *error)
{
	ptowsp_status status;

	run->program = program;
	rt_spares_take(&program->spares, &run->spare);
	if (!run->spare.arena)
		run->spare.arena = common_arena_create();
	run->arena = run->spare.arena;
	run->args = args->args;
	run->sinks = args->sinks;
	run->cancel = args->cancel;
	run->fixed_map = args->fixed_map;
	run->memory = args->memory;
	run->held = args->held && args->held->limit ? args->held : NULL;
	run->held_next = RT_MEMORY_LIMIT_TASKS;
	run->notify = args->notify;
	run->schedulers = args->schedulers ? args->schedulers : 1;
	run->share_count = run->schedulers > 1 ? run->schedulers : 0;
	run->engine = args->engine;
	run->designed = args->designed;
	run->own = args->own;
	if (run->engine)
		run->schedulers = 1; /* one walk, whatever the engine has */
	run->error = error;
	run->bodies = !(args->args->flags & PTOWSP_RUN_NO_KERNELS) && !run->quiet;
	run->kernels = run->bodies || (program->shadowed && !run->quiet);
	run->max_tasks = args->args->max_tasks ? args->args->max_tasks : TASKS_DEFAULT;
	run->started_ns = run->shown_ns = rt_now_ns(program);
	window_choose(run);
	if (!run->held && !run->quiet && !run->window && program->schedule.window_stated) {
		rt_memory_limit_of_machine(&run->machine);
		run->held = &run->machine;
	}
	if ((!run->window || run->window >> 31) && run->max_tasks >= TASKS_DEFAULT)
		run->max_tasks = TASKS_DEFAULT - 1; /* such a window remembers every task by 32 bits */
	rt_lag_init(&run->lag, run);
	status = run->arena ? values_init(run) : rt_no_memory(error, "the run");
	if (!status)
		status = storage_init(run);
	if (!status)
		status = rt_sync_init(run);
	if (!status)
		status = rt_tensors_init(&run->tensors, run->arena, program, run->args, &run->env, error);
	if (!status)
		status = rt_unwritten_init(run);
	run->tensors.strict = run->bodies;
	run->tensors.unbound_told = run->quiet;
	run->env.tensors = &run->tensors;
	return status;
}

ptowsp_status rt_run_needs(const struct rt_run *run, uint32_t feature, ptowsp_status status)
{
	const struct ptowsp_host *host = run->program->host;

	if (!status || run->bodies)
		return status;
	if (run->error && host && host->diagnose)
		host->diagnose(host->context, feature, PTOWSP_STATE_UNSUPPORTED, run->error->text, strlen(run->error->text));
	if (run->error)
		*run->error = (struct ptowsp_error){.head = run->error->head};
	return PTOWSP_OK;
}

void rt_run_finish(struct rt_run *run)
{
	rt_crew_finish(&run->crew);
	rt_record_finish(run);
	rt_infer_finish(run);
	clock_finish(run);
	rt_lag_finish(&run->lag);
	rt_flow_finish(&run->flow);
	rt_expand_finish(&run->expand);
	rt_sync_finish(run);
	rt_notices_finish(&run->notices);
	rt_pipeline_destroy(run->pipeline);
	rt_schedulers_finish(run);
	rt_payloads_finish(&run->payloads);
	free(run->marks);
	rt_codes_finish(&run->codes);
	if (run->program)
		rt_spares_give(&run->program->spares, &run->spare);
	memset(&run->spare, 0, sizeof(run->spare));
	run->arena = NULL;
}

/* ---- rt_run ---------------------------------------------------------------------------------------------------- */

/* Issued tasks end, unless somebody wants the run to end now. A kernel or the clock that fails
 * meanwhile comes first: with one thread it would have. */
static ptowsp_status tasks_end(struct rt_run *run, ptowsp_status status)
{
	struct ptowsp_error error = *run->error;
	ptowsp_status end;

	if (status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE || status == PTOWSP_NO_MEMORY)
		return status;
	end = rt_wait_tasks(run, run->tasks);
	if (!end && run->lag.broken)
		end = rt_clock_failed(run, run->lag.broken);
	if (!status || end == PTOWSP_KERNEL_FAILED || (end && run->lag.broken))
		return end;
	*run->error = error;
	return status;
}

static ptowsp_status queues_begin(struct rt_run *run)
{
	if (!run->program->kernels.queues || !run->kernels || run->record || run->engine || run->schedulers > 1 || run->crew.workers.order.policy)
		return PTOWSP_OK;
	run->queues = run->program->kernels.queues;
	run->marks = malloc(2 * (rt_power_above(run->crew.flight) + 1) * sizeof(*run->marks));
	run->after = run->marks + rt_power_above(run->crew.flight) + 1;
	return run->marks ? PTOWSP_OK : rt_no_memory(run->error, "tasks in flight");
}

static ptowsp_status execute(struct rt_run *run, struct rt_pool *pool)
{
	ptowsp_status status = run->schedulers > 1 ? rt_schedulers_check(run) : PTOWSP_OK;

	if (!status)
		status = rt_auto_decide(run);
	if (!status)
		status = rt_run_clock(run);
	if (!status)
		status = rt_infer_init(run);
	if (!status)
		status = rt_record_init(run, run->memory);
	if (!status)
		status = rt_crew_init(&run->crew, run->program, &run->tensors, run->kernels && !run->record ? pool : NULL, run->window, run->arena, run->error);
	if (!status && !run->engine) /* an engine has an order of its own */
		rt_crew_order(&run->crew);
	if (!status)
		status = queues_begin(run);
	for (uint32_t k = 0; !status && k < run->program->tables.kernel.count; k++)
		run->known[k].here = run->crew.workers.threads == 1 && !run->queues;
	if (!status)
		status = rt_payloads_init(run);
	if (!status)
		status = rt_start_find(run, &run->clock.floor);
	if (!status && run->engine)
		status = rt_feed_run(run, run->engine, pool);
	else if (!status)
		status = workload_run(run);
	if (!status && run->record && !run->engine)
		status = rt_record_run(run, pool);
	if (!status && !run->engine && run->program->tables.entry.rows[run->program->entry].flags & PTOWSP_ENTRY_PIPELINE)
		status = rt_pipeline_run(run);
	if (run->crew.workers.threads > 1 || run->queues)
		status = tasks_end(run, status);
	rt_started_end(run);
	rt_batch_flush(run);
	if (run->instances)
		rt_schedulers_sum(run->instances, !status);
	return status;
}

static struct rt_run *run_make(void)
{
	struct rt_run *run = malloc(sizeof(*run));

	if (!run)
		return NULL;
	memset(run, 0, offsetof(struct rt_run, places));
	run->expand.depth = 0; /* of one that has not begun */
	return run;
}

ptowsp_status rt_run(struct rt_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
		     struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	struct rt_run *run = run_make();
	ptowsp_status status;

	rt_stats_reset(program);
	if (!run)
		return rt_no_memory(error, "the run");
	run->deadlock = deadlock_out;
	status = rt_run_init(run, program, args, error ? error : &own);
	if (!status)
		status = execute(run, args->pool);
	rt_crew_finish(&run->crew);
	run->ended_ns = rt_now_ns(program);
	if (run->kernel_stats && run->clock.rows)
		rt_stats_publish(run);
	rt_stats_give(program, program->result, stats_out);
	rt_run_finish(run);
	free(run);
	return status;
}
