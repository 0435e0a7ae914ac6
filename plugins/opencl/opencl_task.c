/* SPDX-License-Identifier: MIT */
#include "opencl/opencl_program.h"

#include "base/error.h"

/* ---- calls that are waited for -------------------------------------------------------------------------------------------- */

static void profile_take(struct opencl_queue *q)
{
	const cl_handle event = q->entries[q->told % OPENCL_DEPTH].event;
	uint64_t begin = 0, end = 0;

	if (!event)
		return;
	q->cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof(begin), &begin, NULL);
	q->cl->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL);
	q->device_ns = end - begin;
}

/* On the device from beginning to end; the kernel's own status. */
static ptowsp_status call_go(struct opencl_program *own, const struct opencl_call *c, struct ptowsp_kernel_out *out, const struct isa_guard *guard)
{
	const struct opencl_result *result = &c->q->results[c->q->begun % OPENCL_DEPTH];
	struct base_resident *resident = &own->resident;
	const struct opencl_kernel *k = &c->kernels->rows[c->task->kernel];
	bool stopped = false;
	ptowsp_status status;

	c->q->device_ns = 0;
	base_places_find(resident, c->places, c->task, isa_program_params(k->isa), k->windows);
	status = base_strays_send(resident, c->places, k->windows, c->error);
	if (!status)
		status = opencl_call_begin(c, NULL, 0, own->base->device->instance->options->profiling);
	if (!status) {
		stopped = opencl_call_await(c->q, guard);
		profile_take(c->q);
		opencl_queue_tell(c->q);
		status = stopped ? PTOWSP_CANCELLED : base_strays_take(resident, c->places, k->windows, c->error);
		out->cycles = result->cycles;
	}
	base_strays_finish(resident, c->places, k->windows);
	return status ? status : result->status;
}

ptowsp_status opencl_block(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			   const struct isa_guard *guard)
{
	struct opencl_program *own = context;
	const struct opencl_kernel *k = &own->kernels.rows[row];
	ptowsp_status status;

	if (!k->isa || !opencl_call_fits(k, task)) {
		out->cycles = 0;
		return opencl_call_tell(&own->kernels, task, out, worker, guard);
	}
	{
		struct base_place places[k->windows + 1];
		const struct opencl_call call = {&own->kernels, &own->kernels.d->queues[worker], task, places, out->error};

		status = call_go(own, &call, out, guard);
	}
	return status == PTOWSP_KERNEL_FAILED || status == PTOWSP_RUN_FAILED ? opencl_call_tell(&own->kernels, task, out, worker, guard) : status;
}

uint64_t opencl_block_ns(void *context, uint32_t worker)
{
	return ((const struct opencl_program *)context)->kernels.d->queues[worker].device_ns;
}

/* ---- tasks that end later ------------------------------------------------------------------------------------------------- */

/* A mark: the queue, and the entry there. */
enum { MARK_BITS = 48 };

static struct opencl_queue *queue_of(const struct opencl_device *d, uint64_t mark)
{
	return &d->queues[mark >> MARK_BITS];
}

static uint64_t entry_of(uint64_t mark)
{
	return mark & ((UINT64_C(1) << MARK_BITS) - 1);
}

/* Queue of the latest task in `after`, if that is its newest; else the one with least to do. NULL: all are full. */
static struct opencl_queue *queue_choose(const struct opencl_device *d, uint32_t depth, const uint64_t *after, uint32_t after_count)
{
	struct opencl_queue *least = &d->queues[d->threads];

	for (uint32_t i = after_count; i--;)
		if (entry_of(after[i]) + 1 == queue_of(d, after[i])->begun && !opencl_queue_full(queue_of(d, after[i]), depth))
			return queue_of(d, after[i]);
	for (struct opencl_queue *q = least + 1; q < d->queues + d->queue_count; q++)
		least = q->begun - q->told < least->begun - least->told ? q : least;
	return opencl_queue_full(least, depth) ? NULL : least;
}

static bool takes(void *context, uint32_t row)
{
	return ((const struct opencl_program *)context)->kernels.rows[row].isa != NULL;
}

static ptowsp_status start(void *context, const struct ptowsp_task *task, const uint64_t *after, uint32_t after_count, uint64_t *mark_out,
			   struct ptowsp_error *error)
{
	struct opencl_program *own = context;
	const struct opencl_device *d = opencl_device_of(own->base->device);
	const struct opencl_kernel *k = &own->kernels.rows[task->kernel];
	const uint32_t depth = opencl_options_of(own->base->device)->depth;
	struct base_place places[k->windows + 1];
	const struct opencl_call c = {&own->kernels, queue_choose(d, depth, after, after_count), task, places, error};
	cl_handle events[after_count + 1];
	uint32_t event_count = 0;
	ptowsp_status status;

	if (!c.q)
		return PTOWSP_AGAIN;
	if (!opencl_call_fits(k, task) || !base_places_find(&own->resident, places, task, isa_program_params(k->isa), k->windows))
		return PTOWSP_UNSUPPORTED;
	for (uint32_t i = 0; i < after_count; i++)
		if (queue_of(d, after[i]) != c.q)
			events[event_count++] = queue_of(d, after[i])->entries[entry_of(after[i]) % OPENCL_DEPTH].event;
	status = opencl_call_begin(&c, events, event_count, d->queue_count > d->threads + 1);
	if (status)
		return status;
	*mark_out = (uint64_t)(c.q - d->queues) << MARK_BITS | (c.q->begun - 1);
	if (c.q->begun - c.q->read >= (depth + 3) / 4)
		opencl_queue_read(c.q);
	return PTOWSP_OK;
}

/* Tasks that one read brought back share the time since the read before. */
static uint32_t ends_take(struct opencl_queue *q, struct rt_task_end *ends_out, uint32_t room)
{
	uint64_t end_ns, count = opencl_queue_ended(q, &end_ns), begin_ns = q->entries[q->told % OPENCL_DEPTH].begin_ns;

	count = count < room ? count : room;
	begin_ns = begin_ns > q->told_ns ? begin_ns : q->told_ns;
	for (uint64_t i = 0; i < count; i++) {
		const struct opencl_entry *entry = &q->entries[q->told % OPENCL_DEPTH];
		const struct opencl_result *result = &q->results[q->told % OPENCL_DEPTH];

		*ends_out++ = (struct rt_task_end){.task = entry->task,
						   .status = result->status == PTOWSP_RUN_FAILED ? PTOWSP_KERNEL_FAILED : result->status,
						   .kernel = entry->kernel,
						   .cycles = result->cycles,
						   .ns = (end_ns - begin_ns) / count};
		opencl_queue_tell(q);
	}
	q->told_ns = count ? end_ns : q->told_ns;
	return (uint32_t)count;
}

static uint32_t all_take(const struct opencl_device *d, struct rt_task_end *ends_out, uint32_t room)
{
	uint32_t count = 0;

	for (uint32_t i = d->threads; i < d->queue_count; i++)
		count += ends_take(&d->queues[i], ends_out + count, room - count);
	return count;
}

static bool has_ended(const struct opencl_device *d)
{
	for (uint32_t i = d->threads; i < d->queue_count; i++)
		if (d->queues[i].ended > d->queues[i].told)
			return true;
	return false;
}

static uint32_t reap(void *context, uint64_t until_ns, struct rt_task_end *ends_out, uint32_t room)
{
	const struct opencl_program *own = context;
	const struct opencl_device *d = opencl_device_of(own->base->device);
	const struct ptowsp_host *host = own->base->device->instance->host;
	const uint32_t count = all_take(d, ends_out, room);
	const uint64_t now = count || !until_ns ? until_ns : host->now_ns(host->context);
	struct opencl_news *news = &d->news[d->threads];

	if (count || now >= until_ns)
		return count;
	for (uint32_t i = d->threads; i < d->queue_count; i++)
		opencl_queue_read(&d->queues[i]);
	pthread_mutex_lock(&news->lock);
	if (!has_ended(d))
		opencl_news_wait(news, until_ns - now);
	pthread_mutex_unlock(&news->lock);
	return all_take(d, ends_out, room);
}

static void abandon(void *context)
{
	const struct opencl_device *d = opencl_device_of(((const struct opencl_program *)context)->base->device);

	for (uint32_t i = d->threads; i < d->queue_count; i++)
		for (uint64_t entry = d->queues[i].told; entry < d->queues[i].begun; entry++)
			__atomic_store_n(&d->queues[i].shown[entry % OPENCL_DEPTH].stop, 1, __ATOMIC_RELAXED);
}

struct rt_queues opencl_queues(struct opencl_program *own)
{
	return (struct rt_queues){own, takes, start, reap, abandon};
}
