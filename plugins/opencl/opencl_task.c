/* SPDX-License-Identifier: MIT */
#include "opencl/opencl_program.h"

#include "base/error.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLICE_NS = 2000000 /* between two questions to the guard */ };

/* How a window lies in its buffer, in bytes and elements, as isa/kernel_opencl.h has it. */
struct shape {
	uint64_t offset, rows, columns, row_stride, column_stride;
};
/* A window on its way. A stray lies in no region: it goes there and back with the task, in a buffer that it shares with those strays whose bytes meet its own. */
struct place {
	const struct ptowsp_tensor_arg *window;
	struct opencl_region *region; /* NULL: a stray */
	struct shape shape;
	unsigned char *first; /* of the bytes of its buffer: a stray's own and those of all that it meets */
	uint64_t bytes;       /* gaps included */
	cl_handle buffer;     /* a stray's */
	uint32_t owner;       /* of the buffer: the first of the strays that share it */
};
/* A task on its way. */
struct task_call {
	struct opencl_program *own;
	struct opencl_worker *w;
	const struct opencl_kernel *k;
	const struct ptowsp_task *task;
	struct ptowsp_error *error;
	struct place *places;
};

uint64_t opencl_given_bytes(const struct opencl_kernel *k)
{
	return (k->windows ? k->windows : 1) * sizeof(struct shape) + (k->args ? k->args : 1) * sizeof(uint64_t) + 2 * sizeof(uint32_t);
}

/* ---- what the task has ---------------------------------------------------------------------------------------------------- */

static const struct ptowsp_tensor_arg *window_of(const struct ptowsp_task *task, uint32_t i)
{
	return (const void *)((const unsigned char *)task->tensors + (size_t)i * task->tensor_stride);
}

/* Whether the task has what the kernel takes; if not, the interpreter says what is missing. */
static bool fits(const struct opencl_kernel *k, const struct ptowsp_task *task)
{
	const struct ptowsp_tile_param *params = isa_program_params(k->isa);

	if (task->tensor_count < k->windows || task->arg_count < k->args)
		return false;
	for (uint32_t i = 0; i < k->windows; i++)
		if (window_of(task, i)->dtype != params[i].dtype || params[i].access & ~window_of(task, i)->access)
			return false;
	return true;
}

/* ---- where windows lie ---------------------------------------------------------------------------------------------------- */

static bool writes(const struct task_call *c, uint32_t i)
{
	return isa_program_params(c->k->isa)[i].access & PTOWSP_WRITE;
}

static void place_find(struct task_call *c, uint32_t i)
{
	const struct ptowsp_tensor_arg *w = window_of(c->task, i);
	const uint64_t size = isa_dtype_bytes(w->dtype),
		       last = w->rows && w->columns ? (w->rows - 1) * w->row_stride + (w->columns - 1) * w->column_stride + 1 : 0;
	struct place *p = &c->places[i];

	*p = (struct place){.window = w, .first = w->data, .bytes = last * size, .owner = i};
	p->shape = (struct shape){0, w->rows, w->columns, w->row_stride, w->column_stride};
	p->region = p->bytes ? opencl_region_find(c->own, p->first, p->bytes) : NULL;
	if (p->region)
		p->shape.offset = (uint64_t)(p->first - p->region->base);
	if (p->region && writes(c, i))
		atomic_store(&p->region->written, true);
}

/* ---- strays --------------------------------------------------------------------------------------------------------------- */

/* True: they met, and now both have the bytes of both. */
static bool strays_meet(struct place *a, struct place *b)
{
	unsigned char *const end = a->first + a->bytes > b->first + b->bytes ? a->first + a->bytes : b->first + b->bytes;

	if (a->region || b->region || a->owner == b->owner || a->first >= b->first + b->bytes || b->first >= a->first + a->bytes)
		return false;
	a->first = b->first = a->first < b->first ? a->first : b->first;
	a->bytes = b->bytes = (uint64_t)(end - a->first);
	a->owner = b->owner = a->owner < b->owner ? a->owner : b->owner;
	return true;
}

static void strays_join(struct task_call *c)
{
	for (bool met = true; met;) {
		met = false;
		for (uint32_t i = 0; i < c->k->windows; i++)
			for (uint32_t k = 0; k < i; k++)
				met |= strays_meet(&c->places[i], &c->places[k]);
	}
}

static void strays_count(const struct task_call *c, uint64_t bytes, bool there)
{
	pthread_mutex_lock(&c->own->lock);
	c->own->moved.bytes[there] += bytes;
	c->own->moved.times[there]++;
	pthread_mutex_unlock(&c->own->lock);
}

/* A buffer per group, filled. Gaps between rows go there, too, and do not come back. */
static ptowsp_status strays_send(struct task_call *c)
{
	const struct opencl_device *d = opencl_device_of(c->own->base->device);
	cl_int code = CL_SUCCESS;

	strays_join(c);
	for (uint32_t i = 0; !code && i < c->k->windows; i++) {
		struct place *p = &c->places[i], *owner = &c->places[p->owner];

		if (p->region || !p->bytes)
			continue;
		p->shape.offset = (uint64_t)((unsigned char *)p->window->data - owner->first);
		if (p == owner)
			p->buffer = d->cl->clCreateBuffer(d->context, CL_MEM_READ_WRITE | (d->shared ? CL_MEM_USE_HOST_PTR : 0), p->bytes,
							  d->shared ? p->first : NULL, &code);
		if (p == owner && p->buffer && !d->shared) {
			code = d->cl->clEnqueueWriteBuffer(c->w->queue, p->buffer, 1, 0, p->bytes, p->first, 0, NULL, NULL);
			strays_count(c, p->bytes, true);
		}
		p->buffer = owner->buffer;
	}
	return code ? opencl_fail(c->error, code, "sending windows of kernel %.60s", c->own->base->kernels.rows[c->task->kernel].name) : PTOWSP_OK;
}

/* Elements of a window, out of the bytes of its buffer. */
static void window_take(const struct place *p, const unsigned char *bytes)
{
	const struct ptowsp_tensor_arg *w = p->window;
	const uint64_t size = isa_dtype_bytes(w->dtype), pieces = w->column_stride == 1 ? 1 : w->columns,
		       piece = w->column_stride == 1 ? w->columns * size : size;

	for (uint64_t i = 0; i < w->rows; i++)
		for (uint64_t j = 0; j < pieces; j++) {
			const uint64_t at = (i * w->row_stride + j * w->column_stride) * size;

			memcpy((unsigned char *)w->data + at, bytes + p->shape.offset + at, piece);
		}
}

static ptowsp_status stray_take(const struct task_call *c, const struct place *p)
{
	const struct opencl_device *d = opencl_device_of(c->own->base->device);
	unsigned char *bytes = malloc(p->bytes);
	const cl_int code = bytes ? d->cl->clEnqueueReadBuffer(c->w->queue, p->buffer, 1, 0, p->bytes, bytes, 0, NULL, NULL) : CL_OUT_OF_HOST_MEMORY;

	if (!code)
		window_take(p, bytes);
	free(bytes);
	strays_count(c, p->bytes, false);
	return code ? opencl_fail(c->error, code, "fetching windows of kernel %.60s", c->own->base->kernels.rows[c->task->kernel].name) : PTOWSP_OK;
}

static ptowsp_status strays_take(const struct task_call *c)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < c->k->windows; i++)
		if (c->places[i].buffer && writes(c, i) && !opencl_device_of(c->own->base->device)->shared)
			status = stray_take(c, &c->places[i]);
	return status;
}

static void strays_finish(const struct task_call *c)
{
	for (uint32_t i = 0; i < c->k->windows; i++)
		if (c->places[i].buffer && c->places[i].owner == i)
			opencl_device_of(c->own->base->device)->cl->clReleaseMemObject(c->places[i].buffer);
}

/* ---- the call ------------------------------------------------------------------------------------------------------------- */

static cl_int arguments_set(const struct task_call *c, const struct opencl_api *cl, cl_handle kernel)
{
	const struct opencl_kernel *k = c->k;
	unsigned char given[opencl_given_bytes(k)], *at = given;
	const uint32_t blocks[2] = {c->task->block, c->task->block_count};
	cl_uint index = 0;
	cl_int code = CL_SUCCESS;

	memset(given, 0, sizeof(given));
	for (uint32_t i = 0; i < k->windows; i++) {
		const struct place *p = &c->places[i];

		code |= cl->clSetKernelArg(kernel, index++, sizeof(cl_handle), p->region ? &p->region->buffer : p->buffer ? &p->buffer : &c->w->result);
		memcpy(at + i * sizeof(p->shape), &p->shape, sizeof(p->shape));
	}
	at += (k->windows ? k->windows : 1) * sizeof(struct shape);
	memcpy(at, c->task->args, k->args * sizeof(uint64_t));
	memcpy(at + (k->args ? k->args : 1) * sizeof(uint64_t), blocks, sizeof(blocks));
	code |= cl->clSetKernelArg(kernel, index++, sizeof(given), given);
	code |= cl->clSetKernelArg(kernel, index++, sizeof(cl_handle), &c->w->result);
	code |= cl->clSetKernelArg(kernel, index++, sizeof(cl_handle), &c->w->workspace);
	return code;
}

static void told(cl_handle event, cl_int state, void *context)
{
	struct opencl_worker *w = context;

	(void)event, (void)state;
	pthread_mutex_lock(&w->lock);
	w->done = true;
	pthread_cond_signal(&w->told);
	pthread_mutex_unlock(&w->lock);
}

/* Until the device is done, which the guard may ask for: it asks the kernel, as its windows must be nobody's when this returns. */
static bool wait(struct opencl_worker *w, const struct isa_guard *guard)
{
	bool stopped = false;

	pthread_mutex_lock(&w->lock);
	while (!w->done) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += SLICE_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&w->told, &w->lock, &until);
		if (!w->done && !stopped && guard->stop(guard->context)) {
			stopped = true;
			__atomic_store_n(&w->shown->stop, 1, __ATOMIC_RELAXED);
		}
	}
	pthread_mutex_unlock(&w->lock);
	return stopped;
}

static void profile_add(const struct task_call *c, const struct opencl_api *cl, cl_handle event)
{
	uint64_t begin = 0, end = 0;

	if (!c->own->base->device->instance->options->profiling)
		return;
	cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL);
	cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
	atomic_fetch_add_explicit(&c->own->kernels[c->k - c->own->kernels].device_ns, end - begin, memory_order_relaxed);
}

/* The kernel and its result, in the order of the queue. stopped_out: the guard wanted an end. */
static ptowsp_status commands_run(const struct task_call *c, cl_handle kernel, const struct isa_guard *guard, struct opencl_result *result_out,
				  bool *stopped_out)
{
	const struct opencl_device *d = opencl_device_of(c->own->base->device);
	const size_t width = d->width;
	struct opencl_worker *w = c->w;
	cl_handle run = NULL, last = NULL;
	cl_int code = arguments_set(c, d->cl, kernel);

	w->done = false;
	if (!code)
		code = d->cl->clEnqueueNDRangeKernel(w->queue, kernel, 1, NULL, &width, &width, 0, NULL, &run);
	if (!code)
		code = d->cl->clEnqueueReadBuffer(w->queue, w->result, 0, 0, sizeof(*result_out), result_out, 0, NULL, &last);
	if (!code)
		code = d->cl->clSetEventCallback(last, CL_COMPLETE, told, w);
	if (code) /* what is queued uses memory that goes */
		d->cl->clFinish(w->queue);
	else {
		d->cl->clFlush(w->queue);
		*stopped_out = wait(w, guard);
		profile_add(c, d->cl, run);
	}
	if (run)
		d->cl->clReleaseEvent(run);
	if (last)
		d->cl->clReleaseEvent(last);
	return code ? opencl_fail(c->error, code, "calling kernel %.60s", c->own->base->kernels.rows[c->task->kernel].name) : PTOWSP_OK;
}

/* What is wrong, by the interpreter, on what the task has left; cycles stay those of the device. */
static ptowsp_status tell(const struct opencl_program *own, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			  const struct isa_guard *guard)
{
	const struct base_kernels *kernels = &own->base->kernels;
	const uint64_t cycles = out->cycles;
	ptowsp_status status;

	base_kernels_fetch(kernels, task);
	status = isa_run_guarded(kernels->rows[row].isa, task, out, kernels->scratch + worker * kernels->scratch_bytes, guard);

	out->cycles = own->kernels[row].isa ? cycles : out->cycles;
	return status ? status
		      : base_fail(out->error, PTOWSP_DEVICE_LOST, "kernel %.60s fails a check on %.60s and none on this processor", kernels->rows[row].name,
				  opencl_device_of(own->base->device)->name);
}

/* On the device from beginning to end; the kernel's own status. */
static ptowsp_status call_go(struct task_call *c, struct ptowsp_kernel_out *out, uint32_t worker, const struct isa_guard *guard)
{
	struct base_device *device = c->own->base->device;
	struct opencl_result result = {.status = PTOWSP_DEVICE_LOST};
	cl_handle kernel;
	bool stopped = false;
	ptowsp_status status = opencl_kernel_handle(c->own, c->task->kernel, worker, &kernel, c->error);

	if (!status)
		status = opencl_workspace_grow(device, c->w, c->k->workspace, c->error);
	for (uint32_t i = 0; i < c->k->windows; i++)
		place_find(c, i);
	if (!status)
		status = strays_send(c);
	c->w->shown->stop = 0;
	if (!status)
		status = commands_run(c, kernel, guard, &result, &stopped);
	if (!status && !stopped)
		status = strays_take(c);
	strays_finish(c);
	if (stopped)
		return PTOWSP_CANCELLED;
	out->cycles = result.cycles;
	return status ? status : result.status;
}

ptowsp_status opencl_block(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			   const struct isa_guard *guard)
{
	struct opencl_program *own = context;
	const struct opencl_kernel *k = &own->kernels[row];
	struct opencl_worker *w = &opencl_device_of(own->base->device)->workers[worker];
	ptowsp_status status;

	if (!k->isa || !fits(k, task)) {
		out->cycles = 0;
		return tell(own, row, task, out, worker, guard);
	}
	{
		struct place places[k->windows + 1];
		struct task_call call = {.own = own, .w = w, .k = k, .task = task, .error = out->error, .places = places};

		status = call_go(&call, out, worker, guard);
	}
	return status == PTOWSP_KERNEL_FAILED || status == PTOWSP_RUN_FAILED ? tell(own, row, task, out, worker, guard) : status;
}
