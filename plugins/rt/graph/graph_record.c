/* SPDX-License-Identifier: MIT */
#include "rt/graph/graph_record.h"

#include "registry/common/common_grow.h"
#include "rt/graph/graph_run.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

static uint32_t rules(const struct rt_schedule *schedule)
{
	uint32_t deps = schedule->deps == PTOWSP_DEPS_EXPLICIT           ? RT_GRAPH_RULE_EXPLICIT
			: schedule->deps == PTOWSP_DEPS_TENSOR_MAP_EXACT ? RT_GRAPH_RULE_EXACT
									 : RT_GRAPH_RULE_OVERLAP;

	return deps | (schedule->hybrid ? RT_GRAPH_RULE_EXPLICIT : 0u) | (schedule->full ? RT_GRAPH_RULE_FULL : 0u);
}

/* Kernels and tensors keep their rows. */
static void tables_add(struct rt_run *run, struct rt_graph_build *build)
{
	const struct rt_tables *tables = &run->program->tables;

	for (uint32_t k = 0; k < tables->kernel.count; k++) {
		enum ptowsp_unit unit = PTOWSP_UNIT_ANY;

		ptowsp_unit_read(tables->kernel.rows[k].unit, &unit);
		rt_graph_kernel_add(build, rt_kernel_name(run->program, k), unit);
	}
	for (uint32_t t = 0; t < tables->tensor.count; t++)
		rt_graph_tensor_add(build, rt_tensor_name(run->program, t), run->tensors.rows[t].dtype, run->tensors.rows[t].elements,
				    (uint64_t)run->tensors.rows[t].columns);
}

ptowsp_status rt_record_init(struct rt_run *run, uint64_t memory)
{
	struct rt_record *record;
	bool wanted = run->kernels || (run->sinks && run->sinks->graph);

	if (!run->program->schedule.built || !wanted || run->quiet)
		return PTOWSP_OK;
	record = calloc(1, sizeof(*record));
	if (!record)
		return rt_no_memory(run->error, "the graph");
	run->record = record;
	record->run = run;
	record->build.max_tasks = run->max_tasks;
	record->build.max_bytes = memory;
	record->build.rules = rules(&run->program->schedule);
	tables_add(run, &record->build);
	return PTOWSP_OK;
}

void rt_record_finish(struct rt_run *run)
{
	if (!run->record)
		return;
	rt_graph_build_finish(&run->record->build);
	free(run->record->cycles);
	free(run->record->words);
	free(run->record->places);
	free(run->record);
	run->record = NULL;
}

/* ---- what cannot be built first -------------------------------------------------------------------------------------- */

ptowsp_status rt_record_gates(struct rt_run *run)
{
	if (run->flow.tail)
		return rt_fail_at(run->error, PTOWSP_TOO_SMALL, run->tasks, run->kernel,
				  "task %llu: the graph is built before anything runs, so nothing is given back, and %s with its capacity of %llu is "
				  "full; raise it or do not start after_orchestration",
				  (unsigned long long)run->tasks, rt_resource_name(run->reason),
				  (unsigned long long)run->program->schedule.capacity[run->reason]);
	if (run->kernels && run->places.timed && run->lag.waiting)
		return rt_fail_at(run->error, PTOWSP_UNSUPPORTED, run->tasks, run->kernel,
				  "task %llu: its executor depends on cycles that only running tells, and the graph is built before anything runs; "
				  "choose another dispatch or pools, or do not start after_orchestration",
				  (unsigned long long)run->tasks);
	return PTOWSP_OK;
}

ptowsp_status rt_record_heap(struct rt_run *run)
{
	return rt_fail_at(
		run->error, PTOWSP_TOO_SMALL, run->tasks, run->kernel,
		"task %llu: the graph is built before anything runs, so no version of a temp tensor is given back, and heap with its capacity of %llu "
		"is full; raise it or do not start after_orchestration",
		(unsigned long long)run->tasks, (unsigned long long)run->heap_capacity);
}

ptowsp_status rt_record_load(struct rt_run *run, uint32_t slot, uint32_t tensor, uint64_t writer)
{
	if (run->program->planned)
		return rt_fail_at(run->error, PTOWSP_UNSUPPORTED, writer - 1, UINT64_MAX,
				  "slot %.40s is read from tensor %.40s, which task %llu fills, but this engine is given all tasks before the first one runs; "
				  "take another backend, such as cpu_sim",
				  rt_slot_name(run->program, slot), rt_tensor_name(run->program, tensor), (unsigned long long)(writer - 1));
	return rt_fail_at(run->error, PTOWSP_UNSUPPORTED, writer - 1, UINT64_MAX,
			  "slot %.40s is read from tensor %.40s, which task %llu fills, but the graph is built before anything runs; do not start "
			  "after_orchestration, or make the package a task buffer",
			  rt_slot_name(run->program, slot), rt_tensor_name(run->program, tensor), (unsigned long long)(writer - 1));
}

/* ---- recording ------------------------------------------------------------------------------------------------------- */

/* A window that is not touched may begin anywhere; in a graph it begins at its tensor and has no elements. */
static bool untouched(const struct rt_run *run, const struct rt_access *access)
{
	return access->io->unit && (access->start < 0 || (uint64_t)access->start > run->tensors.rows[access->io->tensor].elements);
}

static void ios_fill(struct rt_run *run, const struct rt_site *site, struct rt_graph_io *ios)
{
	const struct rt_access *accesses = rt_run_accesses(run);

	for (uint32_t i = 0; i < site->io_count; i++) {
		const struct rt_access *access = &accesses[i];
		const struct rt_io *io = access->io;
		bool block = !io->unit && io->rows && io->columns;

		ios[i] = (struct rt_graph_io){.start = (uint64_t)access->start, .tensor = io->tensor, .access = io->access};
		ios[i].rows = block ? rt_access_rows(access) : 0;
		ios[i].columns = block ? rt_access_columns(access) : 0;
		ios[i].length = io->unit ? access->length : 0;
		if (untouched(run, access))
			ios[i].start = ios[i].length = 0;
	}
}

/* Places of the versions of the task's arguments, no part of a graph. Nothing is given back while it is built, so they hold. */
static bool places_add(struct rt_run *run, const struct rt_site *site)
{
	struct rt_record *record = run->record;
	const struct rt_access *accesses = rt_run_accesses(run);

	for (uint32_t i = 0; run->versions.on && run->kernels && i < site->io_count; i++) {
		if (!COMMON_GROW(record->places, record->place_room, record->place_count))
			return false;
		record->places[record->place_count++] = accesses[i].io->unit ? 0 : accesses[i].length;
	}
	return true;
}

ptowsp_status rt_record_task(struct rt_run *run, const struct rt_site *site, uint32_t level, struct rt_clock_task *task)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	struct rt_graph_io own[16], *ios = site->io_count <= 16 ? own : malloc(site->io_count * sizeof(*ios));
	struct rt_graph_task row = {.kernel = run->kernel,
				    .executor = task->executor,
				    .stream = task->stream,
				    .instruction = site->instruction,
				    .order = (uint32_t)run->barrier,
				    .cycles = task->cycles,
				    .queue = (uint8_t)task->pool,
				    .level = (uint8_t)level,
				    .arg_count = site->arg_count,
				    .io_count = site->io_count};
	ptowsp_status status;

	if (!ios || !places_add(run, site))
		return rt_no_memory(run->error, "the graph");
	ios_fill(run, site, ios);
	if (run->known[run->kernel].later) {
		row.tags |= RT_GRAPH_LATER;
		row.cycles = 0;
		task->cycles = run->kernels ? RT_CYCLES_LATER : task->cycles;
	}
	if (schedule->batch && run->tasks && !run->batch_fill)
		row.tags |= RT_GRAPH_FLUSH_BATCH;
	status = rt_graph_task_add(&run->record->build, &row, run->task_args, ios, run->preds.list, run->preds.count, schedule->streams != 0, run->error);
	if (ios != own)
		free(ios);
	return status;
}

/* ---- running --------------------------------------------------------------------------------------------------------- */

struct going {
	struct rt_record *record;
	struct rt_graph graph;
};

/* The call that the crew makes for a task of its ring. */
static ptowsp_status task_call(void *context, uint32_t number, uint32_t worker, struct ptowsp_error *error)
{
	struct going *going = context;
	struct rt_run *run = going->record->run;
	const struct rt_graph_task *task = &going->graph.tasks[number];
	const struct rt_graph_io *ios = going->graph.ios + task->io_begin;
	uint64_t *words = going->record->words + (size_t)worker * going->record->stride;
	struct rt_call call = {.site = &run->program->sites[run->program->code[task->instruction].row],
			       .number = number,
			       .cycles = task->cycles,
			       .kernel = task->kernel,
			       .executor = task->executor,
			       .stream = task->stream,
			       .args = going->graph.args + task->args_begin,
			       .windows = words};

	for (uint32_t i = 0; i < task->io_count; i++) {
		const struct rt_io *io = &run->program->ios[call.site->first_io + i];

		words[2 * i] = ios[i].start;
		words[2 * i + 1] = going->record->places && ios[i].rows ? going->record->places[task->io_begin + i] : ios[i].length;
		if (io->parts)
			words[2 * i + 1] = rt_part_length(io, ios[i].rows, ios[i].columns);
	}
	return rt_crew_call(&run->crew, &call, worker, false, &going->record->cycles[number], error);
}

static ptowsp_status look(void *context, struct ptowsp_error *error)
{
	struct going *going = context;
	ptowsp_status status = rt_look_after_kernel(going->record->run);

	if (status)
		*error = *going->record->run->error;
	return status;
}

/* Cycles that only the run has told go to the clock in task order. */
static ptowsp_status cycles_tell(struct rt_run *run, const struct rt_graph *graph)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t t = 0; !status && t < graph->task_count; t++)
		if (graph->tasks[t].tags & RT_GRAPH_LATER)
			status = rt_clock_failed(run, rt_lag_cycles(&run->lag, run->record->cycles[t]));
	return status;
}

static struct rt_wish wish(void *context, uint32_t number)
{
	const struct going *going = context;

	return rt_program_wish(going->record->run->program, going->graph.tasks[number].instruction);
}

static ptowsp_status graph_go(struct rt_run *run, struct going *going, struct rt_pool *pool)
{
	struct rt_graph_how how = {.pool = pool,
				   .context = going,
				   .task = task_call,
				   .look = look,
				   .policy = rt_program_order(run->program),
				   .wish = wish,
				   .homes = run->program->homes};
	struct rt_graph_state state = {0};
	ptowsp_status status = rt_graph_state_init(&state, &going->graph, run->error);

	if (!status)
		status = rt_graph_run(&state, &how, run->error);
	rt_graph_state_finish(&state);
	return status ? status : cycles_tell(run, &going->graph);
}

ptowsp_status rt_record_run(struct rt_run *run, struct rt_pool *pool)
{
	struct rt_record *record = run->record;
	struct going going = {.record = record};
	uint32_t threads = rt_pool_threads(pool);
	uint64_t size;
	void *block = NULL;
	ptowsp_status status;

	record->stride = 2 * run->program->most_ios + 2;
	record->words = calloc((size_t)record->stride * threads, sizeof(*record->words));
	record->cycles = calloc((size_t)record->build.task_count + 1, sizeof(*record->cycles));
	if (!record->words || !record->cycles || !rt_crew_widen(&run->crew, threads))
		return rt_no_memory(run->error, "the graph");
	status = rt_graph_block_make(&record->build, &block, &size, run->error);
	if (!status) {
		rt_graph_open(&going.graph, block);
		if (run->sinks && run->sinks->graph)
			run->sinks->graph(run->sinks->context, block, size);
		status = run->kernels ? graph_go(run, &going, pool) : PTOWSP_OK;
	}
	free(block);
	return status;
}
