/* SPDX-License-Identifier: MIT */
#include "starpu/spu_work.h"

#include "base/error.h"
#include "starpu/spu_device.h"
#include <starpu.h>
#include <stdlib.h>

uint64_t spu_work_now(const struct spu_work *work)
{
	const struct ptowsp_host *host = work->program->base->device->instance->host;

	return host->now_ns(host->context);
}

uint64_t spu_work_number(const struct spu_work *work, uint64_t task)
{
	return work->part ? work->part->numbers[task] : work->walk->first + task;
}

/* ---- on a worker --------------------------------------------------------------------------------------------------------- */

static void failure_keep(struct spu_work *work, uint64_t number, ptowsp_status status, const struct ptowsp_error *why, uint32_t worker)
{
	pthread_mutex_lock(&work->lock);
	if (number < work->failed) {
		work->status = status;
		work->why = *why;
		work->at = worker < work->device->cpus ? NULL : &work->device->opencl[worker - work->device->cpus];
		atomic_store(&work->failed, number);
	}
	pthread_mutex_unlock(&work->lock);
}

/* Nobody begins a task of a run that is over. */
static bool is_over(const struct spu_work *work)
{
	const struct rt_run_args *run = work->run;

	return (run->cancel && __atomic_load_n(run->cancel, __ATOMIC_RELAXED)) || (run->args->deadline_ns && spu_work_now(work) >= run->args->deadline_ns);
}

static ptowsp_status kernel_call(const struct spu_work *work, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker)
{
	const struct spu_program *program = work->program;

	if (task->kernel < program->base->kernels.count)
		return program->serve.run(program->serve.context, task, out, worker);
	rt_block_copy(&task->tensors[0], &task->tensors[1]);
	return PTOWSP_OK;
}

static ptowsp_status failure_name(const struct spu_work *work, uint64_t task, ptowsp_status status, struct ptowsp_error *why)
{
	const struct base_kernels *kernels = &work->program->base->kernels;
	const uint32_t kernel = work->walk->tasks[task].kernel;

	return rt_kernel_fail(why, spu_work_number(work, task), kernel, kernel < kernels->count ? kernels->rows[kernel].name : "copy", status);
}

static void task_call(struct spu_work *work, uint64_t number, uint32_t worker)
{
	const struct base_walk *walk = work->walk;
	const struct base_walk_task *row = &walk->tasks[number];
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), row->cycles, &why};
	const struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK),
					 .args = walk->args + row->args,
					 .tensors = walk->tensors + row->tensors,
					 .arg_count = row->arg_count,
					 .tensor_count = row->tensor_count,
					 .tensor_stride = sizeof(*walk->tensors),
					 .kernel = row->kernel,
					 .number = spu_work_number(work, number),
					 .stream = row->stream,
					 .process = row->process == PTOWSP_NONE ? 0 : row->process,
					 .executor = row->executor,
					 .unit = row->unit,
					 .block_count = 1};
	const ptowsp_status status = kernel_call(work, &task, &out, worker);

	work->cycles[number] = out.cycles;
	if (status)
		failure_keep(work, number, failure_name(work, number, status, &why), &why, worker);
}

/* Counts where the task ran, and how long. Calls on a device by way of base are counted there (base/kernels.h). */
static void task_count(struct spu_work *work, uint64_t task, bool opencl)
{
	const uint64_t ns = work->times[task].end - work->times[task].begin;
	struct base_kernels *kernels = &work->program->base->kernels;
	const uint32_t kernel = work->walk->tasks[task].kernel;

	atomic_fetch_add_explicit(&work->program->ran[opencl][0], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&work->program->ran[opencl][1], ns, memory_order_relaxed);
	if (opencl || kernel >= kernels->count)
		return;
	atomic_fetch_add_explicit(&kernels->rows[kernel].device_tasks, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&kernels->rows[kernel].device_ns, ns, memory_order_relaxed);
}

void spu_work_do(struct spu_work *work, uint64_t task, const struct spu_uses *uses, void **interfaces)
{
	const uint32_t worker = spu_worker(work->device);
	const bool opencl = worker >= work->device->cpus; /* workers of the processor see tensors where they lie */
	const bool begins = task < atomic_load_explicit(&work->failed, memory_order_relaxed) && !is_over(work);

	if (opencl)
		work->device->opencl[worker - work->device->cpus].given = (struct spu_given){work->blocks, uses, interfaces};
	work->times[task].begin = spu_work_now(work);
	if (begins)
		task_call(work, task, worker);
	else
		atomic_store_explicit(&work->left_out, true, memory_order_relaxed);
	work->times[task].end = spu_work_now(work);
	if (begins && work->failed == UINT64_MAX)
		task_count(work, task, opencl);
}

/* ---- before and after ---------------------------------------------------------------------------------------------------- */

ptowsp_status spu_work_init(struct spu_work *work, struct ptowsp_error *error)
{
	const uint64_t count = work->walk->task_count;

	atomic_init(&work->failed, UINT64_MAX);
	pthread_mutex_init(&work->lock, NULL);
	work->times = calloc(count + 1, sizeof(*work->times));
	work->cycles = calloc(count + 1, sizeof(*work->cycles));
	for (uint64_t t = 0; work->cycles && t < count; t++)
		work->cycles[t] = work->walk->tasks[t].cycles;
	return work->times && work->cycles ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for the tasks of a run");
}

void spu_work_finish(struct spu_work *work)
{
	free(work->times);
	free(work->cycles);
	pthread_mutex_destroy(&work->lock);
}

/* Blocks that are on a device come to the host, too. */
static ptowsp_status blocks_fetch(struct spu_work *work, struct spu_uses *uses)
{
	const ptowsp_status status = spu_uses_find(uses, work->blocks, work->walk, work->failed, &work->why);

	for (uint32_t u = 0; !status && u < uses->count; u++) {
		const starpu_data_handle_t handle = spu_block_handle(work->blocks, uses->rows[u].block);

		starpu_data_acquire(handle, STARPU_R);
		starpu_data_release(handle);
	}
	return status;
}

ptowsp_status spu_work_outcome(struct spu_work *work)
{
	struct spu_uses uses = {.rows = NULL};

	if (!work->status || !work->at || !work->at->failer)
		return work->status;
	work->status = blocks_fetch(work, &uses);
	if (!work->status)
		work->status = failure_name(work, work->failed, spu_opencl_tell(work->at, &work->why), &work->why);
	free(uses.rows);
	return work->status;
}
