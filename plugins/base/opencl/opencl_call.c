/* SPDX-License-Identifier: MIT */
#include "base/opencl/opencl_call.h"

#include "base/error.h"
#include "base/pad.h"
#include <string.h>

enum { SLICE_NS = 2000000 /* between two questions to the guard */ };

/* How a window lies in its buffer, in bytes and elements, as isa/kernel_opencl.h has it. */
struct shape {
	uint64_t offset, rows, columns, row_stride, column_stride;
};

static uint64_t given_bytes(const struct opencl_kernel *k)
{
	return (k->windows ? k->windows : 1) * sizeof(struct shape) + (k->args ? k->args : 1) * sizeof(uint64_t) + 4 * sizeof(uint32_t);
}

uint64_t opencl_parameter_bytes(const struct opencl_kernel *k)
{
	return (k->windows + 2) * sizeof(void *) + given_bytes(k);
}

static const struct ptowsp_tensor_arg *window_of(const struct ptowsp_task *task, uint32_t i)
{
	return (const void *)((const unsigned char *)task->tensors + (size_t)i * task->tensor_stride);
}

bool opencl_call_fits(const struct opencl_kernel *k, const struct ptowsp_task *task)
{
	const struct ptowsp_tile_param *params = isa_program_params(k->isa);

	if (task->tensor_count < k->windows || task->arg_count < k->args)
		return false;
	for (uint32_t i = 0; i < k->windows; i++)
		if (window_of(task, i)->dtype != params[i].dtype || params[i].access & ~window_of(task, i)->access)
			return false;
	return true;
}

static cl_int arguments_set(const struct opencl_call *c, cl_handle kernel)
{
	const struct opencl_api *cl = c->q->cl;
	const struct opencl_kernel *k = &c->kernels->rows[c->task->kernel];
	unsigned char given[given_bytes(k)], *at = given;
	const uint32_t last[4] = {c->task->block, c->task->block_count, (uint32_t)(c->q->begun % OPENCL_DEPTH)};
	cl_uint index = 0;
	cl_int code = CL_SUCCESS;

	memset(given, 0, sizeof(given));
	for (uint32_t i = 0; i < k->windows; i++) {
		const struct ptowsp_tensor_arg *w = c->places[i].window;
		void *const memory = c->places[i].own ? c->places[i].own : c->q->result;
		const struct shape shape = {c->places[i].offset, w->rows, w->columns, w->row_stride, w->column_stride};

		code |= cl->clSetKernelArg(kernel, index++, sizeof(memory), &memory);
		memcpy(at + i * sizeof(shape), &shape, sizeof(shape));
	}
	at += (k->windows ? k->windows : 1) * sizeof(struct shape);
	if (k->args)
		memcpy(at, c->task->args, k->args * sizeof(uint64_t));
	memcpy(at + (k->args ? k->args : 1) * sizeof(uint64_t), last, sizeof(last));
	code |= cl->clSetKernelArg(kernel, index++, sizeof(given), given);
	code |= cl->clSetKernelArg(kernel, index++, sizeof(cl_handle), &c->q->result);
	code |= cl->clSetKernelArg(kernel, index++, sizeof(cl_handle), &c->q->workspace);
	return code;
}

ptowsp_status opencl_call_begin(const struct opencl_call *c, const cl_handle *after, uint32_t after_count, bool observed)
{
	const struct opencl_device *d = c->kernels->d;
	const struct opencl_entry entry = {.task = c->task->number, .kernel = c->task->kernel};
	cl_handle kernel;
	cl_int code;
	ptowsp_status status = opencl_kernel_handle(c->kernels, c->task->kernel, (uint32_t)(c->q - d->queues), &kernel, c->error);

	if (!status)
		status = opencl_queue_workspace(d, c->q, c->kernels->rows[c->task->kernel].workspace, c->error);
	if (status)
		return status;
	code = arguments_set(c, kernel);
	c->q->shown[c->q->begun % OPENCL_DEPTH].stop = 0;
	if (!code)
		code = opencl_queue_begin(c->q, &entry, kernel, d->width, after, after_count, observed);
	return code ? opencl_fail(c->error, code, "calling kernel %.60s", c->kernels->base->rows[c->task->kernel].name) : PTOWSP_OK;
}

bool opencl_call_await(struct opencl_queue *q, const struct isa_guard *guard)
{
	bool stopped = false;

	opencl_queue_read(q);
	pthread_mutex_lock(&q->news->lock);
	while (q->ended < q->begun) {
		opencl_news_wait(q->news, SLICE_NS);
		if (q->ended < q->begun && !stopped && guard->stop(guard->context)) {
			stopped = true;
			__atomic_store_n(&q->shown[q->told % OPENCL_DEPTH].stop, 1, __ATOMIC_RELAXED);
		}
	}
	pthread_mutex_unlock(&q->news->lock);
	return stopped;
}

ptowsp_status opencl_call_tell(const struct opencl_kernels *kernels, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			       const struct isa_guard *guard)
{
	const struct base_kernels *base = kernels->base;
	const uint32_t row = task->kernel;
	const uint64_t cycles = out->cycles;
	struct ptowsp_task whole = *task;
	struct base_pad *pad = NULL;
	ptowsp_status status = base->rooms ? base_pad_open(&pad, base, &base->rows[row], &whole, worker, out->error) : PTOWSP_OK;

	if (status)
		return status;
	base_kernels_fetch(base, &whole);
	status = isa_run_guarded(base->rows[row].isa, &whole, out, base->scratch + worker * base->scratch_bytes, guard);
	base_pad_close(pad);
	out->cycles = kernels->rows[row].isa ? cycles : out->cycles;
	return status ? status
		      : base_fail(out->error, PTOWSP_DEVICE_LOST, "kernel %.60s fails a check on %.60s and none on this processor", base->rows[row].name,
				  kernels->d->name);
}
