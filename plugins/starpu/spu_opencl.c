/* SPDX-License-Identifier: MIT */
#include "starpu/spu_opencl.h"

#include "base/error.h"
#include "starpu/spu_device.h"
#include "starpu/spu_program.h"
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- workers ------------------------------------------------------------------------------------------------------------- */

/* Finds devices in the order of StarPU 1.3, so that its device n is the plugin's device n. */
ptowsp_status spu_opencl_find(void *ids_out[SPU_OPENCL_MOST], uint32_t count, bool *processors_out, struct ptowsp_error *error)
{
	const struct opencl_api *cl = opencl_api_find(error);
	const char *stated = secure_getenv("STARPU_OPENCL_ON_CPUS");
	struct opencl_found found = {.count = 0};
	cl_bits kinds = CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR;

	if (!cl)
		return PTOWSP_NO_DEVICE;
	opencl_devices_find(cl, kinds, &found);
	*processors_out = stated ? atoi(stated) > 0 : !found.count;
	if (*processors_out)
		opencl_devices_find(cl, kinds | CL_DEVICE_TYPE_CPU, &found);
	if (found.count < count)
		return base_fail(
			error, PTOWSP_NO_DEVICE,
			"starpu: option nopencl asks for %u OpenCL devices, and there are %u here; install a driver (Debian: pocl-opencl-icd runs on the "
			"processor), and let the first device of a process ask",
			count, found.count);
	memcpy(ids_out, found.devices, count * sizeof(*ids_out));
	return PTOWSP_OK;
}

static ptowsp_status worker_open(const struct base_device *device, struct spu_opencl *worker, uint32_t number, struct ptowsp_error *error)
{
	struct opencl_device *d = &worker->d;
	ptowsp_status status;

	d->cl = opencl_api_find(error);
	starpu_opencl_get_device((int)number, (void *)&d->id);
	starpu_opencl_get_context((int)number, (void *)&d->context);
	status = opencl_device_ask(d, &(struct opencl_wishes){.fast = device->instance->options->fast}, error);
	if (!status)
		status = opencl_queues_init(device->instance, d, 1, false, error);
	if (!status)
		base_log(device->instance, PTOWSP_LOG_INFO, "starpu: OpenCL worker %u: %s, driver %s, groups of %u", number, d->name, d->driver, d->width);
	return status;
}

ptowsp_status spu_opencl_open(const struct base_device *device, struct spu_device *own, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	if (!own->opencl_count)
		return PTOWSP_OK;
	own->opencl = calloc(own->opencl_count, sizeof(*own->opencl));
	if (!own->opencl)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u OpenCL workers", own->opencl_count);
	for (uint32_t w = 0; !status && w < own->opencl_count; w++)
		status = worker_open(device, &own->opencl[w], w, error);
	return status;
}

void spu_opencl_close(const struct base_device *device, struct spu_device *own)
{
	for (uint32_t w = 0; own->opencl && w < own->opencl_count; w++)
		opencl_queues_finish(device->instance, &own->opencl[w].d);
	free(own->opencl);
	own->opencl = NULL;
}

/* ---- the windows of a task ------------------------------------------------------------------------------------------------ */

/* The elements of a tensor that a task touches, as one piece of the device's memory: a block as it is there, or a copy of several, as they lie beside each other. */
struct box {
	const struct spu_tensor *tensor;
	uint32_t number; /* TENS row */
	uint64_t r0, r1, c0, c1;
	uint32_t count; /* blocks */
	cl_handle memory;
};
struct spread {
	struct spu_opencl *worker;
	struct box *boxes; /* room for one per window */
	uint32_t box_count;
	struct ptowsp_error *error;
};

/* The place of a block in its tensor: rows and columns, from .. to. */
static struct box block_box(const struct spu_blocks *blocks, const struct spu_block *block)
{
	const struct spu_tensor *tensor = &blocks->tensors[block->tensor];
	const uint64_t at = (uint64_t)(block - tensor->blocks), row = at / tensor->column_count, column = at % tensor->column_count;

	return (struct box){tensor, block->tensor, tensor->rows[row], tensor->rows[row + 1], tensor->columns[column], tensor->columns[column + 1], 1, NULL};
}

static struct box *box_of(const struct spread *spread, uint32_t tensor)
{
	for (uint32_t b = 0; b < spread->box_count; b++)
		if (spread->boxes[b].number == tensor)
			return &spread->boxes[b];
	return NULL;
}

static void boxes_find(struct spread *spread)
{
	const struct spu_given *given = &spread->worker->given;

	for (uint32_t u = 0; u < given->uses->count; u++) {
		const struct box own = block_box(given->blocks, given->uses->rows[u].block);
		struct box *box = box_of(spread, own.number);

		if (!box) {
			spread->boxes[spread->box_count] = own;
			spread->boxes[spread->box_count++].memory = (cl_handle)STARPU_MATRIX_GET_DEV_HANDLE(given->interfaces[u]);
			continue;
		}
		box->count++;
		box->r0 = own.r0 < box->r0 ? own.r0 : box->r0;
		box->r1 = own.r1 > box->r1 ? own.r1 : box->r1;
		box->c0 = own.c0 < box->c0 ? own.c0 : box->c0;
		box->c1 = own.c1 > box->c1 ? own.c1 : box->c1;
	}
}

/* Between a block and the copy of several; there: into the copy. */
static cl_int block_copy(const struct spread *spread, uint32_t use, const struct box *box, bool there)
{
	const struct opencl_device *d = &spread->worker->d;
	const struct box own = block_box(spread->worker->given.blocks, spread->worker->given.uses->rows[use].block);
	void *const interface = spread->worker->given.interfaces[use];
	const size_t size = box->tensor->size, row = (box->c1 - box->c0) * size, own_row = STARPU_MATRIX_GET_LD(interface) * size;
	const size_t at[3] = {(own.c0 - box->c0) * size, own.r0 - box->r0, 0}, from[3] = {0, 0, 0}, region[3] = {(own.c1 - own.c0) * size, own.r1 - own.r0, 1};
	const cl_handle block = (cl_handle)STARPU_MATRIX_GET_DEV_HANDLE(interface);

	return there ? d->cl->clEnqueueCopyBufferRect(d->queues->queue, block, box->memory, from, at, region, own_row, 0, row, 0, 0, NULL, NULL)
		     : d->cl->clEnqueueCopyBufferRect(d->queues->queue, box->memory, block, at, from, region, row, 0, own_row, 0, 0, NULL, NULL);
}

static ptowsp_status blocks_copy(const struct spread *spread, bool there)
{
	const struct spu_uses *uses = spread->worker->given.uses;
	cl_int code = CL_SUCCESS;

	for (uint32_t u = 0; !code && u < uses->count; u++) {
		const struct box *box = box_of(spread, uses->rows[u].block->tensor);

		if (box->count > 1 && (there || uses->rows[u].access & PTOWSP_WRITE))
			code = block_copy(spread, u, box, there);
	}
	return code ? opencl_fail(spread->error, code, "copying blocks of a task") : PTOWSP_OK;
}

static ptowsp_status boxes_make(struct spread *spread)
{
	ptowsp_status status = PTOWSP_OK;

	boxes_find(spread);
	for (uint32_t b = 0; b < spread->box_count; b++)
		spread->boxes[b].memory = spread->boxes[b].count > 1 ? NULL : spread->boxes[b].memory;
	for (uint32_t b = 0; !status && b < spread->box_count; b++) {
		struct box *box = &spread->boxes[b];
		void *memory = NULL;

		if (box->count < 2)
			continue;
		status = opencl_memory_make(&spread->worker->d, NULL, (box->r1 - box->r0) * (box->c1 - box->c0) * box->tensor->size, &memory, spread->error);
		box->memory = memory;
	}
	return status ? status : blocks_copy(spread, true);
}

/* Commands in the queue retain the memory that they use. */
static void boxes_finish(const struct spread *spread)
{
	for (uint32_t b = 0; b < spread->box_count; b++)
		if (spread->boxes[b].count > 1 && spread->boxes[b].memory)
			spread->worker->d.cl->clReleaseMemObject(spread->boxes[b].memory);
}

/* The window as it lies in its box. Windows of several rows have the distance of rows that the tensor has, where it is cut into rows at all (spu_blocks.c). */
static struct base_place window_place(const struct spread *spread, struct ptowsp_tensor_arg *window)
{
	const struct box *box = box_of(spread, window->tensor);
	const struct spu_tensor *tensor = box ? box->tensor : NULL;
	uint64_t first;

	if (!box)
		return (struct base_place){.window = window};
	first = (uint64_t)((const char *)window->data - tensor->data) / tensor->size;
	if (window->rows > 1 && tensor->cut < SPU_CUT_STRETCHES)
		window->row_stride = box->c1 - box->c0;
	return (struct base_place){.window = window,
				   .own = box->memory,
				   .offset = ((first / tensor->width - box->r0) * (box->c1 - box->c0) + first % tensor->width - box->c0) * tensor->size};
}

/* ---- a task on a worker --------------------------------------------------------------------------------------------------- */

static ptowsp_status call_go(struct spread *spread, const struct opencl_call *call, struct ptowsp_kernel_out *out, const struct isa_guard *guard)
{
	struct opencl_queue *q = call->q;
	const struct opencl_result *result = &q->results[q->begun % OPENCL_DEPTH];
	ptowsp_status status = opencl_call_begin(call, NULL, 0, false), copied;
	bool stopped;

	if (status)
		return status;
	copied = blocks_copy(spread, false);
	stopped = opencl_call_await(q, guard);
	opencl_queue_tell(q);
	out->cycles = result->cycles;
	return stopped ? PTOWSP_CANCELLED : copied ? copied : result->status;
}

static ptowsp_status block_run(struct spu_opencl *worker, struct opencl_kernels *kernels, const struct ptowsp_task *task, struct ptowsp_kernel_out *out,
			       const struct isa_guard *guard)
{
	const uint32_t count = kernels->rows[task->kernel].windows;
	struct ptowsp_tensor_arg windows[count + 1];
	struct base_place places[count + 1];
	struct box boxes[task->tensor_count + 1];
	struct spread spread = {worker, boxes, 0, out->error};
	const struct opencl_call call = {kernels, worker->d.queues, task, places, out->error};
	ptowsp_status status = boxes_make(&spread);

	for (uint32_t w = 0; w < count; w++) {
		windows[w] = *(const struct ptowsp_tensor_arg *)(const void *)((const char *)task->tensors + (size_t)w * task->tensor_stride);
		places[w] = window_place(&spread, &windows[w]);
	}
	if (!status)
		status = call_go(&spread, &call, out, guard);
	boxes_finish(&spread);
	return status;
}

/* base_compute.block. The sentence of a failed check is told when the run is over: the blocks of the task are not on the host before. */
static ptowsp_status block(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			   const struct isa_guard *guard)
{
	struct spu_program *own = context;
	const struct spu_device *device = own->base->device->own;
	struct spu_opencl *at = &device->opencl[worker - device->cpus];
	struct opencl_kernels *kernels = &own->opencl[worker - device->cpus];
	const ptowsp_status status =
		opencl_call_fits(&kernels->rows[row], task) ? block_run(at, kernels, task, out, guard) : base_fail(out->error, PTOWSP_KERNEL_FAILED, "%s", "");

	if (status == PTOWSP_KERNEL_FAILED || status == PTOWSP_RUN_FAILED) {
		at->failed = *task;
		at->failer = own;
	}
	return status;
}

static int never(void *context)
{
	(void)context;
	return 0;
}

ptowsp_status spu_opencl_tell(struct spu_opencl *worker, struct ptowsp_error *error)
{
	const struct isa_guard guard = {never, NULL};
	struct spu_program *own = worker->failer;
	const struct spu_device *device = own->base->device->own;
	struct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, error};
	const struct opencl_kernels *kernels = &own->opencl[worker - device->opencl];

	worker->failer = NULL;
	return opencl_call_tell(kernels, &worker->failed, &out, 0, &guard);
}

/* ---- a package ------------------------------------------------------------------------------------------------------------ */

bool spu_opencl_takes(const struct spu_program *own, uint32_t kernel)
{
	const struct base_kernels *kernels = &own->base->kernels;

	if (!own->opencl || kernel >= kernels->count || kernels->rows[kernel].processor || kernels->rows[kernel].parts)
		return false;
	for (uint32_t w = 0; w < ((const struct spu_device *)own->base->device->own)->opencl_count; w++)
		if (!own->opencl[w].rows[kernel].isa)
			return false;
	return true;
}

void spu_opencl_others(const struct spu_program *own, char *text_out, size_t size)
{
	const struct base_kernels *kernels = &own->base->kernels;
	char names[120] = "";

	for (uint32_t k = 0; own->opencl && k < kernels->count; k++)
		if (!spu_opencl_takes(own, k) && strlen(names) + 44 < sizeof(names))
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.40s", *names ? ", " : "", kernels->rows[k].name);
	if (*names)
		base_text(text_out, size, "CPU workers alone run kernels that are C functions, have parts of tiles or too many arguments for OpenCL: %s",
			  names);
}

ptowsp_status spu_opencl_load(struct spu_program *own, struct ptowsp_error *error)
{
	const struct spu_device *device = own->base->device->own;
	ptowsp_status status = PTOWSP_OK;

	if (!device->opencl_count)
		return PTOWSP_OK;
	own->opencl = calloc(device->opencl_count, sizeof(*own->opencl));
	if (!own->opencl)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the kernels of a program");
	for (uint32_t w = 0; !status && w < device->opencl_count; w++)
		status = opencl_kernels_init(&own->opencl[w], &own->base->kernels, &device->opencl[w].d, error);
	own->compute = (struct base_compute){.context = own, .block = block, .first = device->cpus};
	own->base->kernels.compute = &own->compute;
	return status;
}

void spu_opencl_unload(struct spu_program *own)
{
	const struct spu_device *device = own->base->device->own;

	for (uint32_t w = 0; own->opencl && w < device->opencl_count; w++)
		opencl_kernels_finish(&own->opencl[w]);
	free(own->opencl);
	own->base->kernels.compute = NULL;
}
