/* SPDX-License-Identifier: MIT */
/* engine_run.c - one run. In the simulation of tensormap_and_ringbuffer tasks go to the runtime as the walk meets them, and it runs meanwhile (stream.h): what the program loads is
 * waited for. Elsewhere the runtime gets all of them at once; where tasks decide which tasks there are, a run of the runtime takes those that are known, and the next one what
 * follows from them. */
#include "ascend/ascend_arch.h"
#include "ascend/engine/edges.h"
#include "ascend/engine/engine_own.h"
#include "ascend/engine/stream.h"
#include "ascend/plan/plan_check.h"
#include "ascend/plan/plan_clock.h"
#include "ascend/plan/plan_moves.h"
#include "ascend/plan/plan_window.h"
#include "base/scope.h"
#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	BATCH = 256,   /* tasks */
	ROOM = 1 << 30 /* bytes of payload channels: nobody knows before how many, and memory that is not used is none */
};

/* The client's thread, where the runtime runs while the walk goes on. */
struct launched {
	pthread_t thread;
	bool there;
	ptowsp_status status;
	struct ptowsp_error error;
};
struct run {
	struct ascend_loaded *loaded;
	const struct rt_run_args *args;
	struct ptowsp_error *error;
	struct ptowsp_deadlock *deadlock;
	bool streamed, kernels;
	struct ascend_maker *maker;
	struct ascend_batch *batch; /* that is made; of a whole run, its only one */
	struct ascend_stream *stream;
	struct launched launched;
	struct ascend_entry_args *entry;
	struct ascend_call_config config;
	struct ascend_calls calls;
	char *blocks; /* of payload channels; owned */
	uint64_t block_bytes;
	struct ascend_plan_clock clock;
	struct rt_feed *feed; /* NULL: no batch has come yet */
	uint64_t ended;       /* tasks */
	uint64_t *submitted;  /* mapped: per task of the runtime, its number in the package, UINT64_MAX: none */
	uint32_t submitted_count, submitted_room;
	uint64_t edges; /* that its map found */
	bool gave_up;   /* the runtime, in what it takes for a deadlock */
};

static bool host_graph(const struct run *run)
{
	return !strcmp(run->loaded->engine->variant, ASCEND_HOST_GRAPH);
}

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

/* In the simulation the device's memory is that of this process. Where the runtime gets tensors that are loaded from while it runs, they stay where they are. */
static uint8_t space_of(const struct run *run)
{
	return run->streamed ? ASCEND_DEVICE : ASCEND_HOST;
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
	const struct ascend_plan_head *plan = run->streamed ? NULL : run->batch->plan;

	entry_set(run, ASCEND_ENTRY_PLAN, plan, plan ? plan->bytes : 0, PTOWSP_U8, ASCEND_HOST);
	entry_set(run, ASCEND_ENTRY_CALLS, &run->calls, sizeof(run->calls), PTOWSP_U8, ASCEND_DEVICE);
	for (uint32_t t = 0; t < loaded->planned->tables.tensor.count; t++)
		if (loaded->entries[t])
			entry_set(run, loaded->entries[t], loaded->bindings[t].data, loaded->bindings[t].elements, loaded->bindings[t].dtype, space_of(run));
	if (loaded->blocks_entry)
		entry_set(run, loaded->blocks_entry, run->blocks, run->block_bytes, PTOWSP_U8, ASCEND_DEVICE);
	if (loaded->versions_entry)
		entry_set(run, loaded->versions_entry, ASCEND_VERSIONS_BASE, 1, PTOWSP_U8, ASCEND_DEVICE);
	run->entry->tensor_count = (int32_t)loaded->entry_count;
	run->entry->scalar_count = ASCEND_ENTRY_NUMBERS;
	run->entry->scalars[ASCEND_ENTRY_ADDRESS] = host_graph(run) ? (uintptr_t)plan : 0;
	run->entry->scalars[ASCEND_ENTRY_SOURCE] = (uintptr_t)run->stream;
}

static ptowsp_status entry_make(struct run *run)
{
	if (!run->streamed)
		run->block_bytes = ascend_maker_block_bytes(run->maker);
	else if (run->loaded->blocks_entry)
		run->block_bytes = ROOM;
	run->entry = aligned_alloc(_Alignof(struct ascend_entry_args), sizeof(*run->entry));
	run->blocks = aligned_alloc(ASCEND_BLOCK_ALIGN, run->block_bytes + ASCEND_BLOCK_ALIGN);
	if (!run->entry || !run->blocks)
		return rt_no_memory(run->error, "the arguments of the pto-runtime");
	memset(run->entry, 0, sizeof(*run->entry));
	entries_set(run);
	return PTOWSP_OK;
}

/* The window that tasks are held to. A host graph gives nothing back. */
static uint64_t window_of(const struct run *run)
{
	return run->streamed ? run->loaded->walk.limits.window : host_graph(run) ? 0 : run->loaded->walk.limits.stated;
}

static bool has_scopes(const struct rt_program *program)
{
	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if (program->code[i].op == PTOWSP_OP_SCOPE)
			return true;
	return false;
}

/* A ring holds what open scopes do, which is a window at most, and as much again that is on its way out; the runtime's own is large enough for any other. The heap stays its own: arguments
 * are entry tensors, never outputs that it places. */
static ptowsp_status rings_set(struct run *run)
{
	const bool scopes = has_scopes(run->loaded->planned);
	const uint64_t window = window_of(run), slots = scopes && window > ASCEND_WINDOW / 2 ? rt_power_above(2 * window) : 0;

	if (slots > ASCEND_WINDOW_LIMIT)
		return rt_fail(run->error, PTOWSP_TOO_SMALL,
			       "a task_window of %llu with scopes wants a ring of %llu slots; a ring takes %d: use a smaller one, or no scopes",
			       (unsigned long long)window, (unsigned long long)slots, ASCEND_WINDOW_LIMIT);
	for (int ring = 0; ring < ASCEND_RINGS; ring++) {
		run->config.task_window[ring] = slots;
		run->config.dep_pool[ring] = scopes || !run->streamed ? ASCEND_POOL : 0;
	}
	return PTOWSP_OK;
}

/* A host graph's window is known when there is a plan. */
static ptowsp_status graph_set(struct run *run)
{
	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		run->config.task_window[ring] = ascend_plan_window(run->batch->plan);
	return ascend_plan_check(run->batch->plan, run->config.task_window[0], run->error);
}

/* ---- the runtime ------------------------------------------------------------------------------------------------------- */

static void stop(void *context)
{
	ascend_calls_stop(&((struct run *)context)->calls);
}

static uint64_t now(void *context)
{
	const struct ptowsp_host *host = ((const struct run *)context)->loaded->program->device->instance->host;

	return host->now_ns(host->context);
}

static ptowsp_status client_run(struct run *run, struct ptowsp_error *error)
{
	const struct ascend_patience patience = {run->args->cancel, run->args->args->deadline_ns, now, run, stop};

	return ascend_client_run(run->loaded->engine->client, run->loaded->callable, run->entry, &run->config, &patience, error);
}

/* ---- what the runtime writes down --------------------------------------------------------------------------------------- */

enum { SWIMLANE_PHASES = 4, PMU_PIPES = 2 }; /* all of a core's tasks, of schedulers and of the orchestrator; how busy pipes are */

static void records_set(struct run *run)
{
	const char *folder = run->loaded->engine->records;

	if (!*folder)
		return;
	run->config.swimlane = SWIMLANE_PHASES;
	run->config.pmu = PMU_PIPES;
	run->config.dep_gen = run->config.scope_stats = 1;
	snprintf(run->config.output_prefix, sizeof(run->config.output_prefix), "%s", folder);
}

/* The runtime names its tasks in the order in which they are submitted. */
static ptowsp_status steps_note(struct run *run, const struct ascend_batch *batch)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(batch->plan);

	for (uint32_t s = 0; run->loaded->engine->mapped && s < batch->plan->step_count; s++) {
		if (steps[s].kind == ASCEND_STEP_SCOPE_BEGIN || steps[s].kind == ASCEND_STEP_SCOPE_END)
			continue;
		if (!COMMON_GROW(run->submitted, run->submitted_room, run->submitted_count))
			return rt_no_memory(run->error, "edges");
		run->submitted[run->submitted_count++] = steps[s].kind == ASCEND_STEP_TASK ? steps[s].number : UINT64_MAX;
	}
	return PTOWSP_OK;
}

/* Edges that its map found go where those of the walk go. */
static ptowsp_status edges_tell(struct run *run)
{
	const struct ascend_engine *engine = run->loaded->engine;
	const struct rt_sinks *sinks = run->args->sinks;
	struct ascend_edge *edges = NULL;
	uint64_t count = 0;
	ptowsp_status status = PTOWSP_OK;

	if (engine->mapped && *engine->records)
		status = ascend_edges_read(&edges, &count, engine->records, run->submitted, run->submitted_count, run->error);
	for (uint64_t i = 0; !status && i < count && sinks && sinks->edge; i++)
		sinks->edge(sinks->context, edges[i].producer, edges[i].consumer);
	run->edges += status ? 0 : count;
	run->submitted_count = 0;
	free(edges);
	return status;
}

/* A task that failed says why; what the runtime makes of that does not. */
static ptowsp_status result_of(struct run *run, ptowsp_status status)
{
	const struct ascend_client_times *times = &run->loaded->engine->client->times;
	ptowsp_status failed;

	base_log(run->loaded->program->device->instance, PTOWSP_LOG_INFO,
		 "pto-runtime: %.3f ms to prepare the run, %.3f ms until it was over, %.3f ms to finalize it", (double)times->prepare_ns / 1e6,
		 (double)times->run_ns / 1e6, (double)times->finalize_ns / 1e6);
	run->gave_up = status == PTOWSP_DEADLOCK;
	if (status == PTOWSP_CANCELLED || status == PTOWSP_DEADLINE)
		return status;
	failed = ascend_calls_result(&run->calls, run->error);
	if (!failed && !status)
		status = edges_tell(run);
	return failed ? failed : status;
}

static void *launched_run(void *context)
{
	struct run *run = context;

	run->launched.status = client_run(run, &run->launched.error);
	atomic_store(&run->stream->done, 1);
	return NULL;
}

static ptowsp_status launch(struct run *run)
{
	ptowsp_status status = entry_make(run);

	run->launched.error = (struct ptowsp_error){.head = PTOWSP_HEAD(run->launched.error, ERROR)};
	if (!status && pthread_create(&run->launched.thread, NULL, launched_run, run))
		return rt_no_memory(run->error, "the thread of the pto-runtime's client");
	run->launched.there = !status;
	return status;
}

/* Waits until the runtime is done. */
static ptowsp_status land(struct run *run)
{
	if (!run->launched.there)
		return PTOWSP_OK;
	run->launched.there = false;
	ascend_stream_complete(run->stream);
	pthread_join(run->launched.thread, NULL);
	if (run->launched.status)
		*run->error = run->launched.error;
	return result_of(run, run->launched.status);
}

/* ---- batches ----------------------------------------------------------------------------------------------------------- */

/* Blocks beyond the cores of their kind come in rounds. */
static void rounds_count(struct run *run, struct ascend_batch *batch)
{
	const struct ascend_arch *arch = ascend_model_arch(run->loaded->program->device->model);

	for (uint64_t t = 0; t < batch->walk->task_count; t++) {
		const uint32_t kernel = batch->walk->tasks[t].kernel, blocks = run->loaded->blocks[kernel];
		const uint32_t cores = run->loaded->shapes[kernel] == ASCEND_SHAPE_VECTOR ? ascend_arch_vectors(arch) : arch->clusters;

		batch->cycles[t] *= (blocks + cores - 1) / cores;
	}
}

static void batch_tell(struct run *run, struct ascend_batch *batch, struct rt_feed *feed)
{
	rounds_count(run, batch);
	ascend_plan_clock_tell(&run->clock, batch->plan, batch->walk, batch->cycles, window_of(run), feed);
}

static ptowsp_status maker_make(struct run *run)
{
	const struct ascend_loaded *loaded = run->loaded;
	const struct ascend_plan_rules rules = {.simulated = !loaded->engine->which.onboard,
						.scopes = !host_graph(run),
						.mapped = loaded->engine->mapped,
						.comes = run->streamed,
						.window = window_of(run),
						.moved_tensors = loaded->blocks_entry ? loaded->planned->tables.tensor.count : 0,
						.blocks_entry = loaded->blocks_entry,
						.versions_entry = loaded->versions_entry,
						.entries = loaded->entries,
						.bindings = loaded->bindings,
						.blocks = loaded->blocks,
						.shapes = loaded->shapes};

	return ascend_maker_create(&run->maker, &loaded->walk, &rules, run->error);
}

/* Once per run of the runtime. */
static ptowsp_status begin(struct run *run)
{
	const struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = bindings_find(run);

	if (!status)
		status = maker_make(run);
	if (!status && !ascend_plan_clock_begin(&run->clock, run->streamed ? ASCEND_STEPS_KEPT - 1 : 2 * walk->task_count + walk->event_count, walk->first))
		status = rt_no_memory(run->error, "the times of a plan");
	ascend_calls_init(&run->calls, run->loaded->program->rt, run->loaded->blocks, run->loaded->shapes, run->loaded->program->kernels.workers);
	if (!status && run->streamed && !(run->stream = ascend_stream_create(&run->calls)))
		status = rt_no_memory(run->error, "the batches of a run");
	return status || host_graph(run) ? status : rings_set(run);
}

/* All that has ended is told, and forgotten. */
static void batches_take_back(struct run *run, struct rt_feed *feed, bool all)
{
	struct ascend_batch *batch;

	while ((batch = ascend_stream_back(run->stream, all))) {
		batch_tell(run, batch, feed);
		ascend_batch_destroy(batch);
	}
}

static void nap(void)
{
	nanosleep(&(const struct timespec){0, 100000}, NULL);
}

/* The runtime gave up, or a task failed: nothing more is worth walking. */
static bool is_over(struct run *run)
{
	return atomic_load(&run->stream->done) || run->calls.stop;
}

static ptowsp_status over(struct run *run)
{
	ptowsp_status status = land(run);

	return status ? status : rt_fail(run->error, PTOWSP_RUN_FAILED, "the pto-runtime was done before all tasks were given to it");
}

static bool has_tasks(const struct ascend_plan_head *plan)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(plan);
	uint32_t s = 0;

	while (s < plan->step_count && (steps[s].kind == ASCEND_STEP_SCOPE_BEGIN || steps[s].kind == ASCEND_STEP_SCOPE_END))
		s++;
	return s < plan->step_count;
}

/* The runtime is not launched before there is a task: its schedulers wait for the first one for ever (simpler 6ebaf77, tensormap_and_ringbuffer). */
static ptowsp_status publish(struct run *run, struct rt_feed *feed)
{
	struct ascend_batch *batch = run->batch;
	const bool launches = run->kernels && !run->launched.there && has_tasks(batch->plan);
	ptowsp_status status = PTOWSP_OK;

	while (run->kernels && !ascend_stream_room(run->stream, batch->plan->step_count) && !is_over(run)) {
		batches_take_back(run, feed, false);
		nap();
	}
	run->batch = NULL;
	status = steps_note(run, batch);
	ascend_stream_publish(run->stream, batch);
	if (!status && launches && !is_over(run))
		status = launch(run);
	batches_take_back(run, feed, !run->kernels);
	return status;
}

/* The tasks of the walk so far. */
static ptowsp_status flush(struct run *run, struct rt_feed *feed, bool last)
{
	struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = run->maker ? PTOWSP_OK : begin(run);
	bool ok;

	if (status || (!walk->task_count && !walk->event_count && !last))
		return status;
	run->batch = ascend_batch_create(&run->calls);
	ok = run->batch && base_walk_take(walk, &run->batch->own);
	status = ok ? ascend_batch_records(run->batch, run->batch->own.event_count, run->error) : rt_no_memory(run->error, "a batch of tasks");
	if (!status)
		status = ascend_batch_plan(run->batch, run->maker, last, run->error);
	if (!status && ascend_maker_block_bytes(run->maker) > ROOM)
		status =
			rt_fail(run->error, PTOWSP_TOO_SMALL, "elements that travel with tokens take more than %d bytes at a time; send smaller regions", ROOM);
	return status ? status : publish(run, feed);
}

static ptowsp_status batch_come(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct run *run = context;

	run->error = error;
	run->feed = feed;
	return run->stream && is_over(run) ? over(run) : flush(run, feed, false);
}

/* rt_engine.wait: the tasks are given to the runtime, and it is done with them. */
static ptowsp_status wait(void *context, uint64_t tasks, struct ptowsp_error *error)
{
	struct run *run = context;
	struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = PTOWSP_OK;
	uint64_t steps;

	if (tasks > walk->first + walk->task_count)
		return rt_fail_at(error, PTOWSP_UNSUPPORTED, tasks - 1, UINT64_MAX,
				  "a process waits for what task %llu writes, which this engine is given later; take another backend, such as cpu_sim",
				  (unsigned long long)tasks - 1);
	run->error = error;
	if (run->feed)
		status = flush(run, run->feed, false);
	if (status || !run->launched.there || !tasks)
		return status;
	steps = ascend_maker_steps(run->maker, tasks - 1);
	while (ascend_stream_ended(run->stream) < steps && !is_over(run))
		nap();
	return is_over(run) ? over(run) : PTOWSP_OK;
}

/* rt_engine.ended. */
static uint64_t ended(void *context)
{
	struct run *run = context;
	const uint64_t steps = run->stream ? ascend_stream_ended(run->stream) : 0;

	while (run->stream && run->ended < ascend_maker_tasks(run->maker) && ascend_maker_steps(run->maker, run->ended) <= steps)
		run->ended++;
	return run->ended;
}

/* ---- whole runs -------------------------------------------------------------------------------------------------------- */

static ptowsp_status whole_plan(struct run *run)
{
	ptowsp_status status = begin(run);

	if (status)
		return status;
	run->batch = ascend_batch_create(&run->calls);
	if (!run->batch)
		return rt_no_memory(run->error, "a batch of tasks");
	run->batch->walk = &run->loaded->walk;
	status = ascend_batch_records(run->batch, run->loaded->walk.move_count, run->error);
	if (!status)
		status = ascend_batch_plan(run->batch, run->maker, true, run->error);
	return status || !host_graph(run) ? status : graph_set(run);
}

/* The tasks of the walk, which are there to the last one: rt has looked at bindings and values. */
static ptowsp_status whole_run(struct run *run, struct rt_feed *feed)
{
	const struct base_walk *walk = &run->loaded->walk;
	ptowsp_status status = base_scope_check(walk, window_of(run), run->deadlock, run->error);

	if (!status)
		status = whole_plan(run);
	if (!status && run->kernels && walk->task_count + walk->move_count) {
		status = entry_make(run);
		if (!status)
			status = steps_note(run, run->batch);
		if (!status)
			status = result_of(run, client_run(run, run->error));
	}
	if (!status && window_of(run))
		rt_feed_window(feed, window_of(run));
	if (!status)
		batch_tell(run, run->batch, feed);
	return status;
}

/* ---- the run ----------------------------------------------------------------------------------------------------------- */

/* --stats and the report have the sentence of a deadlock that the runtime found, no numbers. */
static void deadlock_tell(struct ptowsp_deadlock *deadlock, const struct ptowsp_error *error)
{
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE};

	if (!deadlock)
		return;
	memcpy(report.text, error->text, sizeof(error->text));
	base_result_copy(&deadlock->head, &report.head);
}

/* Frees the parts of one run of the runtime. */
static void runtime_finish(struct run *run)
{
	ascend_batch_destroy(run->batch);
	ascend_stream_destroy(run->stream);
	ascend_maker_destroy(run->maker);
	ascend_calls_finish(&run->calls);
	free(run->entry);
	free(run->blocks);
	run->batch = NULL;
	run->stream = NULL;
	run->maker = NULL;
	run->entry = NULL;
	run->blocks = NULL;
}

static ptowsp_status walked(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct run *run = context;
	ptowsp_status status;

	run->error = error;
	if (!run->streamed)
		return whole_run(run, feed);
	status = flush(run, feed, true);
	if (!status)
		status = land(run);
	if (!status)
		batches_take_back(run, feed, true);
	return status;
}

/* An error of the program: the tasks before it run. */
static ptowsp_status broken(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	return ((struct run *)context)->streamed ? walked(context, feed, error) : PTOWSP_OK;
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

/* A loaded value lies in memory when the runtime is done with the tasks so far. */
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
	if (!status) /* a failure tells a deadlock by what is there */
		runtime_finish(run);
	return status;
}

ptowsp_status ascend_engine_run(struct ascend_loaded *loaded, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
				struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	struct run run = {.loaded = loaded, .args = args, .error = error ? error : &own, .deadlock = deadlock_out, .streamed = loaded->streamed};
	struct rt_engine engine = {0};
	struct base_walk_then then = {.context = &run, .walked = walked, .broken = broken, .engine = &engine};
	ptowsp_status status;

	run.kernels = !(args->args->flags & PTOWSP_RUN_NO_KERNELS);
	records_set(&run);
	if (run.streamed) {
		engine = (struct rt_engine){.wait = wait, .ended = ended, .device = &run};
		then.batch = batch_come;
		then.batch_tasks = BATCH;
	} else {
		then.phase = phase;
	}
	status = base_walk_fill(&loaded->walk, loaded->planned, args, &then, stats_out, deadlock_out, run.error = error ? error : &own);
	run.error = error ? error : &own;
	if (run.launched.there) { /* the walk has ended otherwise than by its end */
		own = *run.error;
		ascend_calls_stop(&run.calls);
		land(&run);
		*run.error = own;
	}
	if (status == PTOWSP_DEADLOCK && run.gave_up) /* else it is the walk's, with a report */
		deadlock_tell(deadlock_out, run.error);
	runtime_finish(&run);
	free(run.submitted);
	if (stats_out)
		stats_out->edges += run.edges;
	ascend_plan_clock_finish(&run.clock);
	return status;
}
