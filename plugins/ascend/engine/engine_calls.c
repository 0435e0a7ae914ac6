/* SPDX-License-Identifier: MIT */
#include "ascend/engine/engine_calls.h"

#include "ascend/engine/pod.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/threads/crew.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- on threads of the runtime --------------------------------------------------------------------------------------- */

/* Threads of a processor take the same one, whose cache has it. UINT32_MAX: all are busy. */
static uint32_t worker_try(struct ascend_calls *calls)
{
	const uint32_t first = (uint32_t)sched_getcpu() % calls->workers;

	for (uint32_t i = 0; i < calls->workers; i++) {
		const uint32_t worker = (first + i) % calls->workers;

		if (!atomic_load_explicit(&calls->rows[worker].busy, memory_order_relaxed) && !atomic_exchange(&calls->rows[worker].busy, 1))
			return worker;
	}
	return UINT32_MAX;
}

/* A waiting call says so before it looks once more, and a call that gives a worker back looks for waiting ones afterwards: one of the two sees the other. */
static uint32_t worker_take(struct ascend_calls *calls)
{
	uint32_t worker = worker_try(calls);

	if (worker != UINT32_MAX)
		return worker;
	pthread_mutex_lock(&calls->lock);
	atomic_fetch_add(&calls->waiting, 1);
	while ((worker = worker_try(calls)) == UINT32_MAX)
		pthread_cond_wait(&calls->idle, &calls->lock);
	atomic_fetch_sub(&calls->waiting, 1);
	pthread_mutex_unlock(&calls->lock);
	return worker;
}

static void worker_give(struct ascend_calls *calls, uint32_t worker)
{
	atomic_store(&calls->rows[worker].busy, 0);
	if (!atomic_load(&calls->waiting))
		return;
	pthread_mutex_lock(&calls->lock);
	pthread_cond_signal(&calls->idle);
	pthread_mutex_unlock(&calls->lock);
}

static void failure_keep(struct ascend_calls *calls, uint64_t number, ptowsp_status status, const struct ptowsp_error *error)
{
	pthread_mutex_lock(&calls->lock);
	if (number < calls->failed) {
		calls->failed = number;
		calls->status = status;
		calls->said = *error;
	}
	pthread_mutex_unlock(&calls->lock);
	atomic_store(&calls->stop, 1);
}

/* A version begins as zeros, for all blocks of the task that makes it. */
static void versions_clear(struct ascend_called *record, struct ptowsp_tensor_arg *tensors, uint32_t count)
{
	uint32_t none = 0;

	if (atomic_compare_exchange_strong(&record->cleared, &none, 1)) {
		for (uint32_t i = 0; i < count; i++)
			if (tensors[i].access & RT_FRESH)
				memset(tensors[i].data, 0, tensors[i].rows * tensors[i].columns * rt_dtype_bytes(tensors[i].dtype));
		atomic_store(&record->cleared, 2);
	}
	while (atomic_load(&record->cleared) != 2)
		sched_yield();
	for (uint32_t i = 0; i < count; i++)
		tensors[i].access &= (uint16_t)~RT_FRESH;
}

static bool has_fresh(const struct ptowsp_tensor_arg *tensors, uint32_t count)
{
	unsigned access = 0;

	for (uint32_t i = 0; i < count; i++)
		access |= tensors[i].access;
	return access & RT_FRESH;
}

/* Windows of the task: where nothing moves, the walk's. Else they lie where the runtime has put them: shapes are the package's. */
static const struct ptowsp_tensor_arg *tensors_place(struct ptowsp_tensor_arg *tensors, struct ascend_called *record, const int64_t *args)
{
	const bool bare = record->batch->calls->bare;

	if (bare && !record->fresh)
		return record->tensors;
	memcpy(tensors, record->tensors, record->tensor_count * sizeof(*tensors));
	for (uint32_t i = 0; !bare && i < record->tensor_count; i++) {
		const struct ascend_tensor *from = (const struct ascend_tensor *)(uintptr_t)args[1 + i];

		tensors[i].data = (void *)(uintptr_t)(from->addr + from->start * rt_dtype_bytes(tensors[i].dtype));
	}
	if (record->fresh)
		versions_clear(record, tensors, record->tensor_count);
	return tensors;
}

static void cycles_keep(struct ascend_called *record, uint64_t cycles)
{
	if (record->blocks == 1) {
		if (cycles != record->cycles) /* a line that nobody writes needs not come back */
			record->cycles = cycles;
		return;
	}
	pthread_mutex_lock(&record->batch->calls->lock);
	record->cycles = cycles > record->cycles ? cycles : record->cycles;
	pthread_mutex_unlock(&record->batch->calls->lock);
}

static void task_run(struct ascend_called *record, uint32_t block, const int64_t *args)
{
	struct ascend_calls *calls = record->batch->calls;
	struct ptowsp_tensor_arg tensors[ASCEND_TASK_TENSORS];
	struct ptowsp_error error;
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), record->known, &error};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK),
				   .args = record->args,
				   .tensors = tensors_place(tensors, record, args),
				   .arg_count = record->arg_count,
				   .tensor_count = record->tensor_count,
				   .tensor_stride = sizeof(*tensors),
				   .kernel = record->kernel,
				   .number = record->batch->walk->first + record->row,
				   .stream = record->stream,
				   .process = record->process,
				   .executor = record->executor,
				   .unit = record->unit,
				   .block = block,
				   .block_count = record->blocks};
	uint32_t worker = worker_take(calls);
	ptowsp_status status;

	memset(&error, 0, offsetof(struct ptowsp_error, text) + 1); /* all of it would take longer than a brief kernel */
	error.head = (struct ptowsp_head)PTOWSP_HEAD(error, ERROR);
	status = rt_crew_invoke(calls->program, &task, &out, worker);
	worker_give(calls, worker);
	cycles_keep(record, out.cycles);
	if (status)
		failure_keep(calls, task.number, rt_crew_failure(calls->program, record->kernel, task.number, status, &error), &error);
}

/* The step is over with the last of its calls, which is the last that looks at the record. */
static void call_over(struct ascend_called *record)
{
	const struct ascend_calls *calls = record->batch->calls;

	if ((record->only || atomic_fetch_sub(&record->left, 1) == 1) && calls->over)
		atomic_store_explicit(&calls->over[record->step & (calls->over_count - 1)], 1, memory_order_release);
}

static bool stopped(const struct ascend_called *record)
{
	return atomic_load_explicit(&record->batch->calls->stop, memory_order_relaxed);
}

/* The runtime's {block, blocks, ..} of a call: its common/intrinsic.h. */
static uint32_t block_of(const int64_t *args)
{
	const int32_t *context = (const int32_t *)(uintptr_t)args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS];

	return (uint32_t)context[0];
}

/* This call does the block's work: there is one on each core of its shape, and the first does it. */
static bool call_first(struct ascend_called *record, uint32_t block)
{
	if (record->only)
		return true;
	return record->blocks_taken ? !atomic_exchange(&record->blocks_taken[block], 1) : !atomic_exchange(&record->taken, 1);
}

static void record_run(const struct ascend_call *call, const int64_t *args)
{
	struct ascend_called *record = (struct ascend_called *)(uintptr_t)call;
	uint32_t block;

	__builtin_prefetch((const char *)record + ASCEND_LINE);
	block = record->blocks > 1 ? block_of(args) : 0;
	if (call_first(record, block) && !stopped(record))
		task_run(record, block, args);
	call_over(record);
}

static void rows_copy(char *to, uint64_t to_stride, const char *from, uint64_t from_stride, uint64_t rows, uint64_t bytes)
{
	for (uint64_t r = 0; r < rows; r++)
		memcpy(to + r * to_stride, from + r * from_stride, bytes);
}

/* Between a region, tensor argument 1, and a block, 2, where its rows lie one behind the other. */
static void record_copy(const struct ascend_call *call, const int64_t *args)
{
	struct ascend_called *record = (struct ascend_called *)(uintptr_t)call;
	const struct base_walk_move *move = &record->batch->part.copies[record->row];
	const struct ptowsp_tensor_arg *region = &move->window;
	const struct ascend_tensor *window = (const struct ascend_tensor *)(uintptr_t)args[1], *block = (const struct ascend_tensor *)(uintptr_t)args[2];
	const uint64_t size = rt_dtype_bytes(region->dtype), bytes = region->columns * size, stride = region->row_stride * size;
	char *at = (char *)(uintptr_t)(window->addr + window->start * size), *inside = (char *)(uintptr_t)(block->addr + block->start);

	if (!stopped(record) && move->sends)
		rows_copy(inside, bytes, at, stride, region->rows, bytes);
	else if (!stopped(record))
		rows_copy(at, stride, inside, bytes, region->rows, bytes);
	call_over(record);
}

/* ---- life of a run ----------------------------------------------------------------------------------------------------- */

void ascend_calls_init(struct ascend_calls *calls, const struct rt_program *program, uint32_t workers)
{
	calls->program = program;
	calls->workers = workers < ASCEND_WORKERS ? workers : ASCEND_WORKERS;
	calls->failed = UINT64_MAX;
	pthread_mutex_init(&calls->lock, NULL);
	pthread_cond_init(&calls->idle, NULL);
	calls->made = true;
}

void ascend_calls_finish(struct ascend_calls *calls)
{
	if (!calls->made)
		return;
	pthread_mutex_destroy(&calls->lock);
	pthread_cond_destroy(&calls->idle);
	*calls = (struct ascend_calls){0};
}

void ascend_calls_stop(struct ascend_calls *calls)
{
	atomic_store(&calls->stop, 1);
}

ptowsp_status ascend_calls_result(struct ascend_calls *calls, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	pthread_mutex_lock(&calls->lock);
	if (calls->failed != UINT64_MAX) {
		*error = calls->said;
		status = calls->status;
	}
	pthread_mutex_unlock(&calls->lock);
	return status;
}

/* ---- life of a batch --------------------------------------------------------------------------------------------------- */

struct ascend_batch *ascend_batch_create(struct ascend_calls *calls)
{
	struct ascend_batch *batch = calloc(1, sizeof(*batch));

	if (batch)
		*batch = (struct ascend_batch){.calls = calls, .walk = &batch->own, .plan = &batch->over};
	return batch;
}

void ascend_batch_destroy(struct ascend_batch *batch)
{
	for (struct ascend_batch *next; batch; batch = next) {
		next = batch->next;
		base_walk_finish(&batch->own);
		ascend_plan_part_finish(&batch->part);
		if (batch->plan != &batch->over)
			free(batch->plan);
		free(batch->records);
		free(batch->taken);
		free(batch);
	}
}

static uint32_t cores_of(const struct ascend_plan_step *step)
{
	return step->shape == ASCEND_SHAPE_MIX ? 3 : step->shape == ASCEND_SHAPE_MIX_ONE ? 2 : 1;
}

static bool is_called(const struct ascend_plan_step *step)
{
	return step->kind == ASCEND_STEP_TASK || step->kind == ASCEND_STEP_COPY;
}

static ptowsp_status records_room(struct ascend_batch *batch, struct ptowsp_error *error)
{
	const struct ascend_plan_step *steps = ascend_plan_steps(batch->plan);
	uint64_t blocks = 0;

	for (uint32_t s = 0; s < batch->plan->step_count; s++)
		blocks += steps[s].blocks > 1 ? steps[s].blocks : 0;
	if (batch->record_room < batch->plan->step_count) {
		free(batch->records);
		batch->record_room = batch->plan->step_count;
		batch->records = aligned_alloc(ASCEND_LINE, batch->record_room * sizeof(*batch->records));
	}
	free(batch->taken);
	batch->taken = blocks ? calloc(blocks, sizeof(*batch->taken)) : NULL;
	return (batch->record_room && !batch->records) || (blocks && !batch->taken) ? rt_no_memory(error, "the calls of the pto-runtime") : PTOWSP_OK;
}

static void copy_fill(struct ascend_called *record, struct ascend_batch *batch, uint32_t row)
{
	record->call.run = record_copy;
	record->batch = batch;
	record->row = row;
	record->blocks = 0;
	record->only = true;
}

static void task_fill(struct ascend_called *record, struct ascend_batch *batch, const struct ascend_plan_step *step, uint32_t row,
		      _Atomic uint8_t *blocks_taken)
{
	const struct base_walk *walk = batch->walk;
	const struct base_walk_task *task = &walk->tasks[row];
	const uint32_t calls = step->blocks * cores_of(step);

	record->call.run = record_run;
	record->batch = batch;
	record->args = walk->args + task->args;
	record->tensors = walk->tensors + task->tensors;
	if (task->tensor_count == 1) {
		record->tensor = *record->tensors;
		record->tensors = &record->tensor;
	}
	record->row = row;
	record->kernel = task->kernel;
	record->executor = task->executor;
	record->stream = task->stream;
	record->process = task->process == PTOWSP_NONE ? 0 : task->process;
	record->unit = task->unit;
	record->blocks = step->blocks;
	record->arg_count = (uint8_t)task->arg_count;
	record->tensor_count = (uint8_t)task->tensor_count;
	record->shape = step->shape;
	record->fresh = has_fresh(record->tensors, task->tensor_count);
	record->only = calls == 1;
	record->cycles = record->known = step->blocks == 1 ? task->cycles : task->cycles / step->blocks;
	if (record->only && !record->fresh)
		return;
	record->cleared = record->taken = 0;
	record->left = calls;
	record->blocks_taken = blocks_taken;
}

static void records_fill(struct ascend_batch *batch)
{
	const struct ascend_plan_step *step = ascend_plan_steps(batch->plan);
	uint32_t task = 0, copy = 0;
	uint64_t blocks = 0;

	batch->record_count = 0;
	for (uint32_t s = 0; s < batch->plan->step_count; s++, step++) {
		struct ascend_called *record = &batch->records[batch->record_count];

		if (!is_called(step))
			continue;
		batch->record_count++;
		record->step = (uint32_t)batch->plan->first + s;
		if (step->kind == ASCEND_STEP_TASK)
			task_fill(record, batch, step, task++, step->blocks > 1 ? batch->taken + blocks : NULL);
		else
			copy_fill(record, batch, copy++);
		blocks += step->blocks > 1 ? step->blocks : 0;
	}
}

ptowsp_status ascend_batch_plan(struct ascend_batch *batch, struct ascend_maker *maker, bool whole, bool last, struct ptowsp_error *error)
{
	ptowsp_status status;

	batch->part.walk = batch->walk;
	status = ascend_maker_take(maker, &batch->part, last, error);
	ascend_plan_over(&batch->part.build, &batch->over);
	batch->plan = &batch->over;
	if (!status && whole) {
		status = ascend_plan_block_make(&batch->part.build, &batch->plan, error);
		ascend_plan_build_finish(&batch->part.build);
	}
	if (!status)
		status = records_room(batch, error);
	if (status)
		return status;
	records_fill(batch);
	batch->plan->calls = (uintptr_t)batch->records - (uintptr_t)batch->calls;
	batch->plan->call_bytes = batch->part.called ? sizeof(*batch->records) : 0;
	return PTOWSP_OK;
}

void ascend_batch_cycles(struct ascend_batch *batch, uint32_t vectors, uint32_t cubes)
{
	for (uint32_t r = 0; r < batch->record_count; r++) {
		const struct ascend_called *record = &batch->records[r];
		const uint32_t cores = record->shape == ASCEND_SHAPE_VECTOR ? vectors : cubes;

		if (record->blocks)
			batch->walk->tasks[record->row].cycles = record->cycles * ((record->blocks + cores - 1) / cores);
	}
}
