/* SPDX-License-Identifier: MIT */
/* engine_run.c - one run: its plan, the calls of its kernels, and the runtime. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "engine_own.h"
#include "plan_check.h"
#include "plan_clock.h"
#include "plan_direction.h"
#include "plan_scope.h"
#include "rt/crew.h"
#include "rt/dtype.h"
#include "rt/error.h"
#include "rt/grow.h"

struct run;
/* What the simulation's kernel adapter leads to. */
struct record {
	struct ascend_call call;
	struct run *run;
	uint64_t number;
	_Atomic uint32_t taken; /* a task of a cluster is called on each of its cores: the first one does it */
};
struct run {
	struct ascend_loaded *loaded;
	const struct rt_run_args *args;
	struct ptowsp_error *error;
	struct ptowsp_deadlock *deadlock;
	struct ascend_plan_head *plan;
	struct record *records;
	uint64_t *cycles;       /* per task: known before, then what its kernel said */
	struct ascend_entry_args *entry;
	struct ascend_call_config config;
	uint64_t ring;          /* places of the rings, 0: the runtime's own */
	bool window_edges;

	pthread_mutex_t lock;   /* guards what follows; a leaf */
	pthread_cond_t idle;
	uint64_t busy;          /* bit per worker of base's scratch memory */
	uint32_t workers;
	_Atomic uint32_t stop;  /* no further kernels */
	uint64_t failed;        /* number of the first task that failed, UINT64_MAX: none */
	ptowsp_status status;
	struct ptowsp_error said;
};

/* ---- kernels, on threads of the runtime ------------------------------------------------------------------------------ */

static uint32_t worker_take(struct run *run)
{
	uint32_t worker = 0;

	pthread_mutex_lock(&run->lock);
	while (run->busy == (run->workers < 64 ? (UINT64_C(1) << run->workers) - 1 : UINT64_MAX))
		pthread_cond_wait(&run->idle, &run->lock);
	while (run->busy >> worker & 1)
		worker++;
	run->busy |= UINT64_C(1) << worker;
	pthread_mutex_unlock(&run->lock);
	return worker;
}

static void worker_give(struct run *run, uint32_t worker)
{
	pthread_mutex_lock(&run->lock);
	run->busy &= ~(UINT64_C(1) << worker);
	pthread_cond_signal(&run->idle);
	pthread_mutex_unlock(&run->lock);
}

static void failure_keep(struct run *run, uint64_t number, ptowsp_status st, const struct ptowsp_error *error)
{
	pthread_mutex_lock(&run->lock);
	if (number < run->failed) {
		run->failed = number;
		run->status = st;
		run->said = *error;
	}
	pthread_mutex_unlock(&run->lock);
	atomic_store(&run->stop, 1);
}

/* Where the runtime has put them: shapes are the package's. */
static void tensors_place(struct ptowsp_tensor_arg *tensors, const struct ascend_walk *walk, const struct ascend_walk_task *task, const int64_t *args)
{
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ascend_tensor *from = (const struct ascend_tensor *)(uintptr_t)args[1 + i];

		tensors[i] = walk->tensors[task->tensors + i];
		tensors[i].data = (void *)(uintptr_t)(from->addr + from->start * rt_dtype_bytes(tensors[i].dtype));
	}
}

static void task_run(struct run *run, const struct ascend_walk_task *from, uint64_t number, const int64_t *args)
{
	const struct rt_program *program = run->loaded->program->rt;
	struct ptowsp_tensor_arg tensors[ASCEND_TASK_TENSORS];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), from->cycles, &error};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .args = (const uint64_t *)args + 1 + from->tensor_count, .tensors = tensors,
				   .arg_count = from->arg_count, .tensor_count = from->tensor_count, .tensor_stride = sizeof(*tensors), .kernel = from->kernel,
				   .number = number, .stream = from->stream, .process = from->process == PTOWSP_NONE ? 0 : from->process,
				   .executor = from->executor, .unit = from->unit, .block_count = 1};
	uint32_t worker = worker_take(run);
	ptowsp_status st;

	tensors_place(tensors, &run->loaded->walk, from, args);
	st = rt_crew_invoke(program, &task, &out, worker);
	worker_give(run, worker);
	run->cycles[number] = out.cycles;
	if (st)
		failure_keep(run, number, rt_crew_failure(program, from->kernel, number, st, &error), &error);
}

static void record_run(const struct ascend_call *call, const int64_t *args)
{
	struct record *record = (struct record *)(uintptr_t)call;

	if (!atomic_load_explicit(&record->run->stop, memory_order_relaxed) && !atomic_exchange(&record->taken, 1))
		task_run(record->run, &record->run->loaded->walk.tasks[record->number], record->number, args);
}

/* ---- what the runtime gets ------------------------------------------------------------------------------------------- */

static ptowsp_status bindings_find(struct run *run)
{
	struct ascend_loaded *loaded = run->loaded;
	const struct ptowsp_run_args *args = run->args->args;

	memset(loaded->bindings, 0, loaded->planned->tables.tensor.count * sizeof(*loaded->bindings));
	for (uint32_t b = 0; b < args->binding_count; b++) { /* rt_run has looked at them */
		const struct ptowsp_binding *binding = (const void *)((const char *)args->bindings + (size_t)b * args->binding_stride);

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

	run->entry->tensors[entry] = (struct ascend_tensor){.addr = (uintptr_t)(there ? data : nothing), .bytes = there ? elements * rt_dtype_bytes(dtype) : 1,
							    .owner = ASCEND_NO_TASK, .ndims = 1, .dtype = there ? ascend_dtype_of(dtype) : ASCEND_U8,
							    .is_contiguous = 1, .address_space = there ? space : ASCEND_DEVICE,
							    .shapes = {there ? (uint32_t)elements : 1}, .strides = {1}, .extent = there ? elements : 1};
}

static void entries_set(struct run *run)
{
	struct ascend_loaded *loaded = run->loaded;
	bool host_graph = !strcmp(loaded->engine->variant, ASCEND_HOST_GRAPH);

	entry_set(run, ASCEND_ENTRY_PLAN, run->plan, run->plan->bytes, PTOWSP_U8, ASCEND_HOST);
	entry_set(run, ASCEND_ENTRY_CALLS, run->records, run->records ? loaded->walk.task_count * sizeof(*run->records) : 0, PTOWSP_U8, ASCEND_DEVICE);
	for (uint32_t t = 0; t < loaded->planned->tables.tensor.count; t++)
		if (loaded->entries[t])
			entry_set(run, loaded->entries[t], loaded->bindings[t].data, loaded->bindings[t].elements, loaded->bindings[t].dtype, ASCEND_HOST);
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
	const struct ascend_direction_args args = {loaded->planned->tables.tensor.count, loaded->outs, loaded->bindings, loaded->planned->copy_kernel, tensor_name,
						    loaded->planned};

	return ascend_direction_check(&loaded->walk, &args, run->error);
}

/* A power of two that the window covers: in flight are never more tasks than it says. Where that would be less than 4, or less than scopes need, which the window is
 * enough for, edges say it in a larger ring. scopes: places that they need. */
static void ring_choose(struct run *run, uint64_t window, uint64_t scopes)
{
	run->ring = 0;
	if (!window)
		return;
	for (run->ring = 4; run->ring * 2 <= window;)
		run->ring *= 2;
	run->window_edges = window < 4 || scopes + 2 > run->ring;
	if (scopes + 2 > run->ring)
		run->ring = rt_power_above(2 * (scopes + 2));
}

/* The one that the package states, where the variant has one. */
static uint64_t window_of(const struct run *run, bool host_graph)
{
	const struct rt_schedule *schedule = &run->loaded->planned->schedule;

	return schedule->window_stated && !host_graph ? schedule->window : 0;
}

/* Heap and dependency pool stay the runtime's own: arguments are entry tensors, never outputs that it places, and no step has more predecessors than it keeps inline. */
static void config_set(struct run *run, bool host_graph)
{
	uint64_t window = host_graph && run->plan ? ascend_plan_window(run->plan) : run->ring;

	for (int ring = 0; ring < ASCEND_RINGS; ring++)
		run->config.task_window[ring] = window;
}

static ptowsp_status records_make(struct run *run)
{
	uint64_t count = run->loaded->walk.task_count;

	if (run->loaded->engine->which.onboard)
		return PTOWSP_OK;
	run->records = calloc(count + 1, sizeof(*run->records));
	if (!run->records)
		return rt_no_memory(run->error, "the calls of the pto-runtime");
	for (uint64_t t = 0; t < count; t++) {
		run->records[t].call.run = record_run;
		run->records[t].run = run;
		run->records[t].number = t;
	}
	return PTOWSP_OK;
}

static ptowsp_status plan_make(struct run *run, bool host_graph)
{
	const struct ascend_loaded *loaded = run->loaded;
	struct ascend_plan_rules rules = {.simulated = !loaded->engine->which.onboard, .scopes = !host_graph, .call_bytes = sizeof(struct record),
					  .window = window_of(run, host_graph), .window_edges = run->window_edges, .entries = loaded->entries,
					  .bindings = loaded->bindings};
	struct ascend_plan_build build = {0};
	ptowsp_status st = ascend_plan_make(&build, &loaded->walk, &rules, run->error);

	if (!st)
		st = ascend_plan_block_make(&build, &run->plan, run->error);
	if (!st)
		st = ascend_plan_check(run->plan, host_graph, host_graph ? ascend_plan_window(run->plan) : 0, run->error);
	ascend_plan_build_finish(&build);
	return st;
}

static ptowsp_status entry_make(struct run *run)
{
	run->entry = aligned_alloc(_Alignof(struct ascend_entry_args), sizeof(*run->entry));
	if (!run->entry)
		return rt_no_memory(run->error, "the arguments of the pto-runtime");
	memset(run->entry, 0, sizeof(*run->entry));
	entries_set(run);
	return PTOWSP_OK;
}

/* ---- the run --------------------------------------------------------------------------------------------------------- */

static void stop(void *context)
{
	atomic_store(&((struct run *)context)->stop, 1);
}

static uint64_t now(void *context)
{
	const struct ptowsp_host *host = ((const struct run *)context)->loaded->program->device->instance->host;

	return host->now_ns(host->context);
}

static ptowsp_status go(struct run *run)
{
	struct ascend_patience patience = {run->args->cancel, run->args->args->deadline_ns, now, run, stop};
	ptowsp_status st = ascend_client_run(run->loaded->engine->client, run->loaded->callable, run->entry, &run->config, &patience, run->error);

	if (run->failed == UINT64_MAX || st == PTOWSP_CANCELLED || st == PTOWSP_DEADLINE)
		return st;
	*run->error = run->said;
	return run->status;
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
	free(run->records);
	free(run->cycles);
	free(run->entry);
	pthread_mutex_destroy(&run->lock);
	pthread_cond_destroy(&run->idle);
}

static ptowsp_status cycles_make(struct run *run)
{
	const struct ascend_walk *walk = &run->loaded->walk;

	run->cycles = calloc(walk->task_count + 1, sizeof(*run->cycles));
	for (uint64_t t = 0; run->cycles && t < walk->task_count; t++)
		run->cycles[t] = walk->tasks[t].cycles;
	return run->cycles ? PTOWSP_OK : rt_no_memory(run->error, "the times of a plan");
}

/* The walk is over: rt has looked at bindings and values, and said which tasks there are. */
static ptowsp_status walked(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct run *run = context;
	bool host_graph = !strcmp(run->loaded->engine->variant, ASCEND_HOST_GRAPH), kernels = !(run->args->args->flags & PTOWSP_RUN_NO_KERNELS);
	uint64_t window = window_of(run, host_graph), scopes = 0;
	ptowsp_status st = bindings_find(run);

	if (!st)
		st = directions_check(run);
	if (!st)
		st = ascend_scope_check(&run->loaded->walk, window, &scopes, run->deadlock, error);
	ring_choose(run, window, scopes);
	if (!st)
		st = plan_make(run, host_graph);
	if (!st)
		st = cycles_make(run);
	config_set(run, host_graph);
	if (!st && kernels && run->loaded->walk.task_count) {
		st = records_make(run);
		if (!st)
			st = entry_make(run);
		if (!st)
			st = go(run);
	}
	return st ? st : ascend_plan_clock(run->plan, &run->loaded->walk, run->cycles, window, feed, error);
}

ptowsp_status ascend_engine_run(struct ascend_loaded *loaded, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out,
				struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ptowsp_error own = {.head = PTOWSP_HEAD(own, ERROR)};
	struct run run = {.loaded = loaded, .args = args, .error = error ? error : &own, .deadlock = deadlock_out, .failed = UINT64_MAX, .workers = loaded->program->kernels.workers};
	const struct ascend_walk_then then = {&run, walked};
	ptowsp_status st;

	pthread_mutex_init(&run.lock, NULL);
	pthread_cond_init(&run.idle, NULL);
	st = ascend_walk_fill(&loaded->walk, loaded->planned, args, &then, stats_out, deadlock_out, run.error);
	if (st == PTOWSP_DEADLOCK && run.plan) /* else it is the walk's, with a report */
		deadlock_tell(deadlock_out, run.error);
	run_finish(&run);
	return st;
}
