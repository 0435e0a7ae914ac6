/* SPDX-License-Identifier: MIT */
/* engine_run.c - one run: its plan, what the runtime gets of it, and the runtime. Where tasks decide which tasks there are, a run of the runtime takes those that are known, and
 * the next one what follows from them. */
#include "ascend/ascend_arch.h"
#include "ascend/engine/engine_calls.h"
#include "ascend/engine/engine_own.h"
#include "ascend/plan/plan_check.h"
#include "ascend/plan/plan_clock.h"
#include "ascend/plan/plan_direction.h"
#include "ascend/plan/plan_moves.h"
#include "ascend/plan/plan_need.h"
#include "ascend/plan/plan_window.h"
#include "base/scope.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

struct run {
	struct ascend_loaded *loaded;
	const struct rt_run_args *args;
	struct ptowsp_error *error;
	struct ptowsp_deadlock *deadlock;
	struct ascend_plan_head *plan;
	struct ascend_entry_args *entry;
	struct ascend_call_config config;
	struct ascend_calls calls;
	void *blocks; /* of payload channels; owned */
	uint64_t block_bytes;
	struct ascend_plan_times times;
	uint8_t *outs; /* per TENS row: 1, declared as out, and no run of the runtime before has written it */
};

/* ---- what the runtime gets ------------------------------------------------------------------------------------------- */

static ptowsp_status bindings_find(struct run *run)
{
	struct ascend_loaded *loaded = run->loaded;
	const struct ptowsp_run_args *args = run->args->args;

	memset(loaded->bindings, 0, loaded->planned->tables.tensor.count * sizeof(*loaded->bindings));
	for (uint32_t b = 0; b < args->binding_count; b++) { /* rt_run has looked at them */
		const struct ptowsp_binding *binding = base_binding_at(args, b);

		loaded->bindings[binding->tensor] = *binding;
	}
	for (uint32_t t = 0; t < loaded->planned->tables.tensor.count; t++)
		if (loaded->entries[t] && loaded->bindings[t].elements > UINT32_MAX)
			return rt_fail(run->error, PTOWSP_TOO_SMALL, "tensor %.60s has %llu elements; the pto-runtime takes 2^32 - 1 per tensor: divide it",
				       rt_tensor_name(loaded->planned, t), (unsigned long long)loaded->bindings[t].elements);
	return PTOWSP_OK;
}

/* A tensor without elements, or that nobody bound, is a byte that nobody looks at. */
static void entry_set(struct run *run, uint32_t entry, const void *data, uint64_t elements, uint16_t dtype, uint8_t space)
{
	static const char nothing[64];
	bool there = data && elements;

	run->entry->tensors[entry] = (struct ascend_tensor){.addr = (uintptr_t)(there ? data : nothing),
							    .bytes = there ? elements * rt_dtype_bytes(dtype) : 1,
							    .owner = ASCEND_NO_TASK,
							    .ndims = 1,
							    .dtype = there ? ascend_dtype_of(dtype) : ASCEND_U8,
							    .is_contiguous = 1,
							    .address_space = there ? space : ASCEND_DEVICE,
							    .shapes = {there ? (uint32_t)elements : 1},
							    .strides = {1},
							    .extent = there ? elements : 1};
}

static void entries_set(struct run *run)
{
	struct ascend_loaded *loaded = run->loaded;
	bool host_graph = !strcmp(loaded->engine->variant, ASCEND_HOST_GRAPH);

	entry_set(run, ASCEND_ENTRY_PLAN, run->plan, run->plan->bytes, PTOWSP_U8, ASCEND_HOST);
	entry_set(run, ASCEND_ENTRY_CALLS, run->calls.records,
		  run->calls.records ? (loaded->walk.task_count + loaded->walk.move_count) * sizeof(*run->calls.records) : 0, PTOWSP_U8, ASCEND_DEVICE);
	for (uint32_t t = 0; t < loaded->planned->tables.tensor.count; t++)
		if (loaded->entries[t])
			entry_set(run, loaded->entries[t], loaded->bindings[t].data, loaded->bindings[t].elements, loaded->bindings[t].dtype, ASCEND_HOST);
	if (loaded->blocks_entry)
		entry_set(run, loaded->blocks_entry, run->blocks, run->block_bytes, PTOWSP_U8, ASCEND_DEVICE);
	run->entry->tensor_count = (int32_t)loaded->entry_count;
	run->entry->scalar_count = 1;
	run->entry->scalars[ASCEND_ENTRY_ADDRESS] = host_graph ? (uintptr_t)run->plan : 0;
}

static const char *tensor_name(const void *program, uint32_t tensor)
{
	return rt_tensor_name(program, tensor);
}

static ptowsp_status directions_check(struct run *run)
{
	const struct ascend_loaded *loaded = run->loaded;
	const struct ascend_direction_args args = {loaded->planned->tables.tensor.count, run->outs,   loaded->bindings,
						   loaded->planned->copy_kernel,         tensor_name, loaded->planned};

	return ascend_direction_check(&loaded->walk, &args, run->error);
}

/* The one that the package states, where the variant has one. */
static uint64_t window_of(const struct run *run, bool host_graph)
{
	const struct rt_schedule *schedule = &run->loaded->planned->schedule;

	return schedule->window_stated && !host_graph ? schedule->window : 0;
}

/* window_edges: no ring keeps the window. */
static ptowsp_status plan_build(struct run *run, bool host_graph, bool window_edges)
{
	const struct ascend_loaded *loaded = run->loaded;
	struct ascend_plan_rules rules = {.simulated = !loaded->engine->which.onboard,
					  .scopes = !host_graph,
					  .call_bytes = sizeof(struct ascend_called),
					  .blocks_entry = loaded->blocks_entry,
					  .window = window_of(run, host_graph),
					  .window_edges = window_edges,
					  .entries = loaded->entries,
					  .bindings = loaded->bindings,
					  .blocks = loaded->blocks};
	struct ascend_plan_build build = {0};
	ptowsp_status status = ascend_plan_make(&build, &loaded->walk, &rules, &run->block_bytes, run->error);

	free(run->plan);
	run->plan = NULL;
	if (!status)
		status = ascend_plan_block_make(&build, &run->plan, run->error);
	ascend_plan_build_finish(&build);
	return status;
}

/* A ring that is full for half a second is a deadlock to the runtime, however slow the kernels are: it takes no more than that many to fill one. */
enum { NARROW_WINDOW = 32 };

/* Whether rings keep the window is known when there is a plan; else edges do, and rings are the runtime's own. The heap stays that, too: arguments are entry tensors, never outputs that it places. */
static ptowsp_status rings_set(struct run *run)
{
	const uint64_t window = window_of(run, false);
	bool edges = window && window < NARROW_WINDOW;
	struct ascend_plan_need need;
	ptowsp_status status = PTOWSP_OK;

	ascend_plan_need_find(&need, run->plan);
	if (window && !edges && ascend_plan_need_crowds(&need, window)) {
		edges = true;
		status = plan_build(run, false, true);
		if (!status)
			ascend_plan_need_find(&need, run->plan);
	}
	return status ? status : ascend_plan_need_rings(&need, run->plan, edges ? 0 : window, &run->config, run->error);
}

static void window_set(struct run *run)
{
	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		run->config.task_window[ring] = ascend_plan_window(run->plan);
}

static ptowsp_status plan_make(struct run *run, bool host_graph)
{
	const uint64_t window = window_of(run, host_graph);
	ptowsp_status status = plan_build(run, host_graph, window && window < NARROW_WINDOW);

	if (!status && host_graph)
		window_set(run);
	else if (!status)
		status = rings_set(run);
	return status ? status : ascend_plan_check(run->plan, host_graph, run->config.task_window[0], run->error);
}

static ptowsp_status entry_make(struct run *run)
{
	run->entry = aligned_alloc(_Alignof(struct ascend_entry_args), sizeof(*run->entry));
	run->blocks = aligned_alloc(ASCEND_BLOCK_ALIGN, run->block_bytes + ASCEND_BLOCK_ALIGN);
	if (!run->entry || !run->blocks)
		return rt_no_memory(run->error, "the arguments of the pto-runtime");
	memset(run->entry, 0, sizeof(*run->entry));
	entries_set(run);
	return PTOWSP_OK;
}

/* ---- the run --------------------------------------------------------------------------------------------------------- */

static void stop(void *context)
{
	ascend_calls_stop(&((struct run *)context)->calls);
}

static uint64_t now(void *context)
{
	const struct ptowsp_host *host = ((const struct run *)context)->loaded->program->device->instance->host;

	return host->now_ns(host->context);
}

static ptowsp_status go(struct run *run)
{
	struct ascend_patience patience = {run->args->cancel, run->args->args->deadline_ns, now, run, stop};
	const struct ascend_client *client = run->loaded->engine->client;
	ptowsp_status status = ascend_client_run(run->loaded->engine->client, run->loaded->callable, run->entry, &run->config, &patience, run->error);

	base_log(run->loaded->program->device->instance, PTOWSP_LOG_INFO,
		 "pto-runtime: %.3f ms to prepare the run, %.3f ms until it was over, %.3f ms to finalize it", (double)client->times.prepare_ns / 1e6,
		 (double)client->times.run_ns / 1e6, (double)client->times.finalize_ns / 1e6);
	if (status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE || run->calls.failed == UINT64_MAX)
		return status;
	return ascend_calls_result(&run->calls, run->error);
}

/* What --stats and the report have of a deadlock that the runtime found: its sentence, no numbers. */
static void deadlock_tell(struct ptowsp_deadlock *deadlock, const struct ptowsp_error *error)
{
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE};

	if (!deadlock)
		return;
	memcpy(report.text, error->text, sizeof(error->text));
	base_result_copy(&deadlock->head, &report.head);
}

static void run_finish(struct run *run)
{
	free(run->plan);
	free(run->entry);
	free(run->blocks);
	run->plan = NULL;
	run->entry = NULL;
	run->blocks = NULL;
	ascend_calls_finish(&run->calls);
}

/* Blocks beyond the cores of their kind come in rounds. */
static void rounds_count(struct run *run)
{
	const struct ascend_arch *arch = ascend_model_arch(run->loaded->program->device->model);
	const struct base_walk *walk = &run->loaded->walk;

	for (uint64_t t = 0; t < walk->task_count; t++) {
		const uint32_t blocks = run->loaded->blocks[walk->tasks[t].kernel];
		const uint32_t cores =
			walk->tasks[t].unit == PTOWSP_UNIT_AIV || walk->tasks[t].unit == PTOWSP_UNIT_ANY ? ascend_arch_vectors(arch) : arch->clusters;

		run->calls.cycles[t] *= (blocks + cores - 1) / cores;
	}
}

/* The tasks of the walk, which are there to the last one: rt has looked at bindings and values. */
static ptowsp_status walked(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct run *run = context;
	bool host_graph = !strcmp(run->loaded->engine->variant, ASCEND_HOST_GRAPH), kernels = !(run->args->args->flags & PTOWSP_RUN_NO_KERNELS);
	uint64_t window = window_of(run, host_graph);
	ptowsp_status status = bindings_find(run);

	if (!status)
		status = directions_check(run);
	if (!status)
		status = base_scope_check(&run->loaded->walk, window, run->deadlock, error);
	if (!status)
		status = plan_make(run, host_graph);
	if (!status)
		status = ascend_calls_init(&run->calls, run->loaded->program->rt, &run->loaded->walk, run->loaded->blocks,
					   run->loaded->program->kernels.workers, error);
	if (!status && kernels && run->loaded->walk.task_count + run->loaded->walk.move_count) {
		status = run->loaded->engine->which.onboard ? PTOWSP_OK : ascend_calls_record(&run->calls, error);
		if (!status)
			status = entry_make(run);
		if (!status)
			status = go(run);
	}
	if (!status)
		rounds_count(run);
	return status ? status : ascend_plan_clock(run->plan, &run->loaded->walk, run->calls.cycles, window, &run->times, feed, error);
}

static bool scope_open(const struct base_walk *walk)
{
	uint32_t open = 0;

	for (uint32_t e = 0; e < walk->event_count; e++) {
		open += walk->events[e].kind == RT_ITEM_SCOPE_BEGIN;
		open -= walk->events[e].kind == RT_ITEM_SCOPE_END;
	}
	return open > 0;
}

/* What a run of the runtime has written may be read by the next. */
static void written_note(struct run *run)
{
	const struct base_walk *walk = &run->loaded->walk;

	for (uint32_t i = 0; i < walk->tensor_count; i++)
		if (walk->tensors[i].access & PTOWSP_WRITE)
			run->outs[walk->tensors[i].tensor] = 0;
}

/* What is loaded lies in memory when the runtime is done with the tasks so far. */
static ptowsp_status phase(void *context, struct rt_feed *feed, const struct base_walk_phase *at, struct ptowsp_error *error)
{
	struct run *run = context;
	const struct ascend_loaded *loaded = run->loaded;
	ptowsp_status status;

	if (loaded->planned->schedule.window_stated && scope_open(&loaded->walk))
		return rt_fail_at(error, PTOWSP_UNSUPPORTED, at->writer, UINT64_MAX,
				  "slot %.40s is read from what task %llu writes, in an open scope and with a stated task_window, which several runs of the "
				  "pto-runtime cannot hold; leave one "
				  "of them out, or take another backend, such as cpu_sim",
				  rt_slot_name(loaded->planned, at->slot), (unsigned long long)at->writer);
	base_log(loaded->program->device->instance, PTOWSP_LOG_INFO, "pto-runtime: %llu tasks, behind which slot %.60s is read from what task %llu writes",
		 (unsigned long long)loaded->walk.task_count, rt_slot_name(loaded->planned, at->slot), (unsigned long long)at->writer);
	status = walked(run, feed, error);
	written_note(run);
	if (!status) /* a failure tells a deadlock by the plan that is there */
		run_finish(run);
	return status;
}

ptowsp_status ascend_engine_run(struct ascend_loaded *loaded, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
				struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	struct run run = {.loaded = loaded, .args = args, .error = error ? error : &own, .deadlock = deadlock_out};
	const struct base_walk_then then = {.context = &run, .walked = walked, .phase = phase};
	ptowsp_status status;

	run.outs = calloc((size_t)loaded->planned->tables.tensor.count + 1, 1);
	if (!run.outs)
		return rt_no_memory(run.error, "a run of the pto-runtime");
	memcpy(run.outs, loaded->outs, loaded->planned->tables.tensor.count);
	status = base_walk_fill(&loaded->walk, loaded->planned, args, &then, stats_out, deadlock_out, run.error);
	if (status == PTOWSP_DEADLOCK && run.plan) /* else it is the walk's, with a report */
		deadlock_tell(deadlock_out, run.error);
	run_finish(&run);
	free(run.outs);
	return status;
}
