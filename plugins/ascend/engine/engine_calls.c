/* SPDX-License-Identifier: MIT */
#include "ascend/engine/engine_calls.h"

#include "ascend/engine/pod.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/threads/crew.h"
#include <stdlib.h>
#include <string.h>

/* ---- on threads of the runtime --------------------------------------------------------------------------------------- */

static uint32_t worker_take(struct ascend_calls *calls)
{
	uint32_t worker = 0;

	pthread_mutex_lock(&calls->lock);
	while (calls->busy == (calls->workers < 64 ? (UINT64_C(1) << calls->workers) - 1 : UINT64_MAX))
		pthread_cond_wait(&calls->idle, &calls->lock);
	while (calls->busy >> worker & 1)
		worker++;
	calls->busy |= UINT64_C(1) << worker;
	pthread_mutex_unlock(&calls->lock);
	return worker;
}

static void worker_give(struct ascend_calls *calls, uint32_t worker)
{
	pthread_mutex_lock(&calls->lock);
	calls->busy &= ~(UINT64_C(1) << worker);
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

/* Where the runtime has put them: shapes are the package's. */
static void tensors_place(struct ptowsp_tensor_arg *tensors, const struct base_walk *walk, const struct base_walk_task *task, const int64_t *args)
{
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ascend_tensor *from = (const struct ascend_tensor *)(uintptr_t)args[1 + i];

		tensors[i] = walk->tensors[task->tensors + i];
		tensors[i].data = (void *)(uintptr_t)(from->addr + from->start * rt_dtype_bytes(tensors[i].dtype));
	}
}

static void cycles_keep(struct ascend_calls *calls, uint64_t number, uint32_t blocks, uint64_t cycles)
{
	pthread_mutex_lock(&calls->lock);
	if (blocks == 1 || cycles > calls->cycles[number])
		calls->cycles[number] = cycles;
	pthread_mutex_unlock(&calls->lock);
}

static void task_run(struct ascend_calls *calls, const struct base_walk_task *from, uint64_t number, uint32_t block, const int64_t *args)
{
	const uint32_t blocks = calls->blocks[from->kernel];
	const struct rt_program *program = calls->program;
	struct ptowsp_tensor_arg tensors[ASCEND_TASK_TENSORS];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), from->cycles / blocks, &error};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK),
				   .args = (const uint64_t *)args + 1 + from->tensor_count,
				   .tensors = tensors,
				   .arg_count = from->arg_count,
				   .tensor_count = from->tensor_count,
				   .tensor_stride = sizeof(*tensors),
				   .kernel = from->kernel,
				   .number = calls->walk->first + number,
				   .stream = from->stream,
				   .process = from->process == PTOWSP_NONE ? 0 : from->process,
				   .executor = from->executor,
				   .unit = from->unit,
				   .block = block,
				   .block_count = blocks};
	uint32_t worker = worker_take(calls);
	ptowsp_status status;

	tensors_place(tensors, calls->walk, from, args);
	status = rt_crew_invoke(program, &task, &out, worker);
	worker_give(calls, worker);
	cycles_keep(calls, number, blocks, out.cycles);
	if (status)
		failure_keep(calls, number, rt_crew_failure(program, from->kernel, calls->walk->first + number, status, &error), &error);
}

/* The runtime's {block, blocks, ..} of a call: its common/intrinsic.h. */
static uint32_t block_of(const int64_t *args)
{
	const int32_t *context = (const int32_t *)(uintptr_t)args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS];

	return (uint32_t)context[0];
}

static void record_run(const struct ascend_call *call, const int64_t *args)
{
	struct ascend_called *record = (struct ascend_called *)(uintptr_t)call;
	struct ascend_calls *calls = record->calls;
	const uint32_t block = record->blocks_taken ? block_of(args) : 0;

	if (atomic_load_explicit(&calls->stop, memory_order_relaxed))
		return;
	if (record->blocks_taken ? !atomic_exchange(&record->blocks_taken[block], 1) : !atomic_exchange(&record->taken, 1))
		task_run(calls, &calls->walk->tasks[record->number], record->number, block, args);
}

static void rows_copy(char *to, uint64_t to_stride, const char *from, uint64_t from_stride, uint64_t rows, uint64_t bytes)
{
	for (uint64_t r = 0; r < rows; r++)
		memcpy(to + r * to_stride, from + r * from_stride, bytes);
}

/* Between a region, tensor argument 1, and a block, 2, where its rows lie one behind the other. */
static void record_copy(const struct ascend_call *call, const int64_t *args)
{
	const struct ascend_called *record = (const struct ascend_called *)(uintptr_t)call;
	const struct base_walk *walk = record->calls->walk;
	const struct base_walk_move *move = &walk->moves[record->number];
	const struct ptowsp_tensor_arg *region = &walk->tensors[move->tensor];
	const struct ascend_tensor *window = (const struct ascend_tensor *)(uintptr_t)args[1], *block = (const struct ascend_tensor *)(uintptr_t)args[2];
	const uint64_t size = rt_dtype_bytes(region->dtype), bytes = region->columns * size, stride = region->row_stride * size;
	char *at = (char *)(uintptr_t)(window->addr + window->start * size), *inside = (char *)(uintptr_t)(block->addr + block->start);

	if (atomic_load_explicit(&record->calls->stop, memory_order_relaxed))
		return;
	if (move->sends)
		rows_copy(inside, bytes, at, stride, region->rows, bytes);
	else
		rows_copy(at, stride, inside, bytes, region->rows, bytes);
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

ptowsp_status ascend_calls_init(struct ascend_calls *calls, const struct rt_program *program, const struct base_walk *walk, const uint16_t *blocks,
				uint32_t workers, struct ptowsp_error *error)
{
	calls->program = program;
	calls->walk = walk;
	calls->workers = workers;
	calls->blocks = blocks;
	calls->failed = UINT64_MAX;
	pthread_mutex_init(&calls->lock, NULL);
	pthread_cond_init(&calls->idle, NULL);
	calls->made = true;
	calls->cycles = calloc(walk->task_count + 1, sizeof(*calls->cycles));
	for (uint64_t t = 0; calls->cycles && t < walk->task_count; t++)
		calls->cycles[t] = walk->tasks[t].cycles / blocks[walk->tasks[t].kernel];
	return calls->cycles ? PTOWSP_OK : rt_no_memory(error, "the times of a plan");
}

void ascend_calls_finish(struct ascend_calls *calls)
{
	if (!calls->made)
		return;
	free(calls->records);
	free(calls->taken);
	free(calls->cycles);
	pthread_mutex_destroy(&calls->lock);
	pthread_cond_destroy(&calls->idle);
	*calls = (struct ascend_calls){0};
}

ptowsp_status ascend_calls_record(struct ascend_calls *calls, struct ptowsp_error *error)
{
	const uint64_t tasks = calls->walk->task_count, count = tasks + calls->walk->move_count;
	uint64_t blocks = 0;

	if (count > UINT32_MAX / sizeof(*calls->records))
		return rt_fail(error, PTOWSP_TOO_SMALL, "a run has %llu tasks%s; the pto-runtime takes %llu per run: divide it", (unsigned long long)count,
			       tasks < count ? " and copies" : "", (unsigned long long)(UINT32_MAX / sizeof(*calls->records)));
	calls->records = calloc(count + 1, sizeof(*calls->records));
	if (!calls->records)
		return rt_no_memory(error, "the calls of the pto-runtime");
	for (uint64_t t = 0; t < tasks; t++)
		blocks += calls->blocks[calls->walk->tasks[t].kernel] > 1 ? calls->blocks[calls->walk->tasks[t].kernel] : 0;
	calls->taken = calloc(blocks + 1, sizeof(*calls->taken));
	if (!calls->taken)
		return rt_no_memory(error, "the calls of the pto-runtime");
	blocks = 0;
	for (uint64_t t = 0; t < count; t++) {
		const uint16_t many = t < tasks ? calls->blocks[calls->walk->tasks[t].kernel] : 1;

		if (many > 1) {
			calls->records[t].blocks_taken = calls->taken + blocks;
			blocks += many;
		}
		calls->records[t].call.run = t < tasks ? record_run : record_copy;
		calls->records[t].calls = calls;
		calls->records[t].number = t < tasks ? t : t - tasks;
	}
	return PTOWSP_OK;
}

void ascend_calls_stop(struct ascend_calls *calls)
{
	atomic_store(&calls->stop, 1);
}

ptowsp_status ascend_calls_result(const struct ascend_calls *calls, struct ptowsp_error *error)
{
	if (calls->failed == UINT64_MAX)
		return PTOWSP_OK;
	*error = calls->said;
	return calls->status;
}
