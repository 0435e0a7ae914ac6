/* SPDX-License-Identifier: MIT */
#include "base/opencl/opencl_queue.h"

#include "base/error.h"
#include "base/opencl/opencl_driver.h"
#include <time.h>

/* ---- news ----------------------------------------------------------------------------------------------------------------- */

uint64_t opencl_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void opencl_news_init(struct opencl_news *news)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&news->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&news->told, &attributes);
	pthread_condattr_destroy(&attributes);
}

void opencl_news_finish(struct opencl_news *news)
{
	pthread_cond_destroy(&news->told);
	pthread_mutex_destroy(&news->lock);
}

void opencl_news_wait(struct opencl_news *news, uint64_t ns)
{
	const uint64_t at = opencl_now_ns() + ns;
	const struct timespec until = {(time_t)(at / 1000000000), (long)(at % 1000000000)};

	pthread_cond_timedwait(&news->told, &news->lock, &until);
}

static void ended(struct opencl_queue *q, uint64_t upto)
{
	pthread_mutex_lock(&q->news->lock);
	q->ended = upto > q->ended ? upto : q->ended;
	q->ended_ns = opencl_now_ns();
	pthread_cond_signal(&q->news->told);
	pthread_mutex_unlock(&q->news->lock);
}

static void told(cl_handle event, cl_int state, void *context)
{
	const struct opencl_reading *reading = context;

	(void)event;
	for (uint64_t i = reading->from; state < 0 && i < reading->upto; i++)
		reading->queue->results[i % OPENCL_DEPTH].status = PTOWSP_DEVICE_LOST;
	ended(reading->queue, reading->upto);
}

/* ---- entries -------------------------------------------------------------------------------------------------------------- */

cl_int opencl_queue_begin(struct opencl_queue *q, const struct opencl_entry *entry, cl_handle kernel, size_t width, const cl_handle *after,
			  uint32_t after_count, bool observed)
{
	struct opencl_entry *place = &q->entries[q->begun % OPENCL_DEPTH];
	cl_int code;

	*place = *entry;
	place->begin_ns = opencl_now_ns();
	code = q->cl->clEnqueueNDRangeKernel(q->queue, kernel, 1, NULL, &width, &width, after_count, after_count ? after : NULL,
					     observed ? &place->event : NULL);
	q->begun += !code;
	return code;
}

/* A read ends where places begin anew. */
static cl_int some_read(struct opencl_queue *q)
{
	const size_t at = q->read % OPENCL_DEPTH, room = OPENCL_DEPTH - at, count = q->begun - q->read < room ? q->begun - q->read : room;
	struct opencl_reading *reading = &q->readings[q->reading++ % OPENCL_DEPTH];
	cl_handle event;
	cl_int code;

	*reading = (struct opencl_reading){q, q->read, q->read + count};
	q->read += count;
	code = q->cl->clEnqueueReadBuffer(q->queue, q->result, 0, at * sizeof(*q->results), count * sizeof(*q->results), &q->results[at], 0, NULL, &event);
	if (code)
		return code;
	code = q->cl->clSetEventCallback(event, CL_COMPLETE, told, reading);
	q->cl->clReleaseEvent(event);
	return code;
}

void opencl_queue_read(struct opencl_queue *q)
{
	cl_int code = CL_SUCCESS;

	if (q->read == q->begun)
		return;
	while (!code && q->read < q->begun)
		code = some_read(q);
	if (!code) {
		q->cl->clFlush(q->queue);
		return;
	}
	q->cl->clFinish(q->queue);
	q->read = q->begun;
	for (uint64_t i = q->told; i < q->begun; i++)
		q->results[i % OPENCL_DEPTH].status = PTOWSP_DEVICE_LOST;
	ended(q, q->begun);
}

uint64_t opencl_queue_ended(struct opencl_queue *q, uint64_t *end_ns_out)
{
	uint64_t count;

	pthread_mutex_lock(&q->news->lock);
	count = q->ended - q->told;
	*end_ns_out = q->ended_ns;
	pthread_mutex_unlock(&q->news->lock);
	return count;
}

void opencl_queue_tell(struct opencl_queue *q)
{
	struct opencl_entry *entry = &q->entries[q->told++ % OPENCL_DEPTH];

	if (entry->event)
		q->cl->clReleaseEvent(entry->event);
	entry->event = NULL;
}

/* ---- making and unmaking -------------------------------------------------------------------------------------------------- */

/* A buffer that goes is the driver's until the kernels that use it have ended. */
ptowsp_status opencl_queue_workspace(const struct opencl_device *d, struct opencl_queue *q, uint64_t bytes, struct ptowsp_error *error)
{
	uint64_t room = 4096;

	if (q->workspace && q->workspace_bytes >= bytes)
		return PTOWSP_OK;
	while (room < bytes)
		room *= 2;
	if (q->workspace)
		q->cl->clReleaseMemObject(q->workspace);
	q->workspace_bytes = room;
	return opencl_memory_make(d, NULL, room, &q->workspace, error);
}

ptowsp_status opencl_queue_init(const struct base_instance *instance, const struct opencl_device *d, struct opencl_queue *q, struct opencl_news *news,
				struct ptowsp_error *error)
{
	cl_int code;

	q->cl = d->cl;
	q->news = news;
	q->shown = base_alloc(instance, sizeof(q->results));
	if (!q->shown)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for results of kernels");
	q->queue = d->cl->clCreateCommandQueue(d->context, d->id, instance->options->profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
	if (!q->queue)
		return opencl_fail(error, code, "clCreateCommandQueue");
	return opencl_memory_make(d, q->shown, sizeof(q->results), &q->result, error);
}

void opencl_queue_finish(const struct base_instance *instance, struct opencl_queue *q)
{
	if (q->queue)
		q->cl->clFinish(q->queue);
	if (q->result)
		q->cl->clReleaseMemObject(q->result);
	if (q->workspace)
		q->cl->clReleaseMemObject(q->workspace);
	if (q->queue)
		q->cl->clReleaseCommandQueue(q->queue);
	base_release(instance, q->shown, sizeof(q->results));
}
