/* SPDX-License-Identifier: MIT */
#include "base/memory/base_fence.h"

#include "base/backend.h"
#include "base/error.h"
#include "base/queue.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/fences.h"

/* ---- a run's ---- */

static bool knows(const struct base_device *device, const struct ptowsp_run_args *args)
{
	return device->instance->backend->fences && device->instance->host->minor >= 1 && args && args->head.size >= PTOWSP_RUN_ARGS_FLOOR_10_1;
}

uint32_t base_fences_known(const struct base_device *device, const struct ptowsp_run_args *args)
{
	return knows(device, args) ? PTOWSP_RUN_ARGS_FLOOR_10_1 : PTOWSP_RUN_ARGS_FLOOR_10_0;
}

uint64_t base_fences_bytes(const struct base_device *device, const struct ptowsp_run_args *args)
{
	return knows(device, args) ? ((uint64_t)args->wait_count + args->signal_count) * sizeof(struct ptowsp_fence_point) : 0;
}

static struct base_fence *fence_of(const struct ptowsp_fence_point *point)
{
	return (struct base_fence *)point->fence;
}

static bool is_here(const struct base_device *device, const struct ptowsp_object *object)
{
	const struct base_fence *fence = device->fences;

	while (fence && (const struct ptowsp_object *)fence != object)
		fence = fence->next;
	return fence != NULL;
}

static ptowsp_status points_copy(const struct base_device *device, struct ptowsp_fence_point *to, const struct ptowsp_fence_point *from, uint32_t count,
				 uint32_t stride, struct ptowsp_error *error)
{
	if (count && (!from || stride < PTOWSP_FENCE_POINT_FLOOR_10_1))
		return base_fail(error, PTOWSP_INVALID, "submit: rows of fences have at least %u bytes, not %u", PTOWSP_FENCE_POINT_FLOOR_10_1, stride);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&to[i], (const char *)from + (size_t)i * stride, sizeof(to[i]));
		if (!is_here(device, to[i].fence))
			return base_fail(error, PTOWSP_INVALID, "submit: fence %u of %u is none of this device", i, count);
	}
	return PTOWSP_OK;
}

/* With the lock held: of all that the run names. */
static void uses_add(struct base_run *run, uint32_t number)
{
	for (uint32_t i = 0; i < run->args.wait_count; i++)
		fence_of(&run->args.waits[i])->uses += number;
	for (uint32_t i = 0; i < run->args.signal_count; i++)
		fence_of(&run->args.signals[i])->uses += number;
}

ptowsp_status base_fences_lend(struct base_device *device, struct base_run *run, const struct ptowsp_run_args *args, void *room, struct ptowsp_error *error)
{
	struct ptowsp_fence_point *waits = room, *signals;
	ptowsp_status status;

	if (!base_fences_bytes(device, args))
		return PTOWSP_OK;
	signals = waits + args->wait_count;
	status = points_copy(device, waits, args->waits, args->wait_count, args->wait_stride, error);
	if (!status)
		status = points_copy(device, signals, args->signals, args->signal_count, args->signal_stride, error);
	if (status)
		return status;
	run->args.waits = waits;
	run->args.signals = signals;
	run->args.wait_count = args->wait_count;
	run->args.signal_count = args->signal_count;
	run->args.wait_stride = run->args.signal_stride = sizeof(*waits);
	pthread_mutex_lock(&device->lock);
	uses_add(run, 1);
	pthread_mutex_unlock(&device->lock);
	return PTOWSP_OK;
}

void base_fences_return(struct base_run *run)
{
	uses_add(run, UINT32_MAX);
}

bool base_fences_wait(const struct base_run *run)
{
	bool waits = false;

	for (uint32_t i = 0; i < run->args.wait_count; i++) {
		if (fence_of(&run->args.waits[i])->failed)
			return false;
		waits = waits || fence_of(&run->args.waits[i])->value < run->args.waits[i].value;
	}
	return waits;
}

ptowsp_status base_fences_failed(struct base_device *device, const struct base_run *run, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	pthread_mutex_lock(&device->lock);
	for (uint32_t i = 0; i < run->args.wait_count && !status; i++)
		if (fence_of(&run->args.waits[i])->failed)
			status = base_fail(error, PTOWSP_RUN_FAILED, "the run does not begin, fence %u of those that it waits for has failed: %s", i,
					   fence_of(&run->args.waits[i])->why);
	pthread_mutex_unlock(&device->lock);
	return status;
}

/* With the lock held: whoever waits looks again. */
static void tell(struct base_device *device)
{
	pthread_cond_signal(&device->work);
	pthread_cond_broadcast(&device->idle);
}

/* ---- events ---- */

/* An event that comes when the fence has the value. */
struct base_promise {
	struct base_promise *next;
	uint64_t value;
	void *own; /* the driver's */
};

/* One that is to be kept now; over: the fence is. */
static struct base_promise *promise_take(struct base_fence *fence, bool over, ptowsp_status *status_out)
{
	struct base_promise **at = &fence->promises, *p;

	pthread_mutex_lock(&fence->device->lock);
	while (*at && !over && !fence->failed && fence->value < (*at)->value)
		at = &(*at)->next;
	p = *at;
	if (p) {
		*at = p->next;
		*status_out = fence->failed ? fence->failed : fence->value < p->value ? PTOWSP_CANCELLED : PTOWSP_OK;
	}
	pthread_mutex_unlock(&fence->device->lock);
	return p;
}

/* The driver may tell others at once, of which one may be a fence of this device: so without the lock. */
static void promises_keep(struct base_fence *fence, bool over)
{
	struct base_promise *p;
	ptowsp_status status;

	while ((p = promise_take(fence, over, &status))) {
		fence->device->instance->backend->events->come(fence->device, p->own, status);
		free(p);
	}
}

/* Between a fence and its event, of which either may end first. */
struct base_news {
	pthread_mutex_t lock;
	struct base_fence *fence; /* NULL: it has ended */
	uint32_t uses;
};

/* With the lock, which is given back. */
static void news_give(struct base_news *news)
{
	const bool last = !--news->uses;

	pthread_mutex_unlock(&news->lock);
	if (last) {
		pthread_mutex_destroy(&news->lock);
		free(news);
	}
}

static void news_come(void *context, ptowsp_status status)
{
	struct base_news *news = context;
	struct base_fence *fence;

	pthread_mutex_lock(&news->lock);
	fence = news->fence;
	if (fence) {
		pthread_mutex_lock(&fence->device->lock);
		fence->value = status || fence->value ? fence->value : 1;
		fence->failed = fence->failed ? fence->failed : status;
		if (status)
			snprintf(fence->why, sizeof(fence->why), "the event that it is of has failed");
		tell(fence->device);
		pthread_mutex_unlock(&fence->device->lock);
		promises_keep(fence, false);
	}
	news_give(news);
}

void base_fences_end(struct base_device *device, struct base_run *run, ptowsp_status status, const struct ptowsp_error *error)
{
	pthread_mutex_lock(&device->lock);
	for (uint32_t i = 0; i < run->args.signal_count; i++) {
		struct base_fence *fence = fence_of(&run->args.signals[i]);

		if (!status && fence->value < run->args.signals[i].value)
			fence->value = run->args.signals[i].value;
		if (status && !fence->failed)
			snprintf(fence->why, sizeof(fence->why), "a run that signals it ended so: %.160s", error->text);
		fence->failed = fence->failed ? fence->failed : status;
	}
	if (run->args.signal_count)
		tell(device);
	pthread_mutex_unlock(&device->lock);
	for (uint32_t i = 0; i < run->args.signal_count; i++)
		promises_keep(fence_of(&run->args.signals[i]), false);
}

/* ---- the extension ---- */

static ptowsp_status create(struct ptowsp_object *object, uint64_t value, struct ptowsp_object **fence_out, struct ptowsp_error *error)
{
	struct base_device *device = (struct base_device *)object;
	struct base_fence *fence = base_alloc(device->instance, sizeof(*fence));

	*fence_out = (struct ptowsp_object *)fence;
	if (!fence)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for a fence");
	fence->device = device;
	fence->value = value;
	fence->next = device->fences;
	device->fences = fence;
	return PTOWSP_OK;
}

static void end(struct base_fence *fence)
{
	struct base_fence **link = &fence->device->fences;

	while (*link != fence)
		link = &(*link)->next;
	*link = fence->next;
	if (fence->news) {
		pthread_mutex_lock(&fence->news->lock);
		fence->news->fence = NULL;
		news_give(fence->news);
	}
	promises_keep(fence, true);
	base_release(fence->device->instance, fence, sizeof(*fence));
}

static ptowsp_status destroy(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct base_fence *fence = (struct base_fence *)object;
	uint32_t uses;

	pthread_mutex_lock(&fence->device->lock);
	uses = fence->uses;
	pthread_mutex_unlock(&fence->device->lock);
	if (uses)
		return base_fail(error, PTOWSP_INVALID, "destroy: a run in flight waits for the fence or signals it");
	end(fence);
	return PTOWSP_OK;
}

/* With the lock held. */
static ptowsp_status failed(const struct base_fence *fence, struct ptowsp_error *error)
{
	return fence->failed ? base_fail(error, fence->failed, "the fence has failed: %s", fence->why) : PTOWSP_OK;
}

static ptowsp_status signal_to(struct ptowsp_object *object, uint64_t value, struct ptowsp_error *error)
{
	struct base_fence *fence = (struct base_fence *)object;
	ptowsp_status status;

	pthread_mutex_lock(&fence->device->lock);
	status = failed(fence, error);
	if (!status && value < fence->value)
		status = base_fail(error, PTOWSP_INVALID, "signal: a fence of value %llu does not go back to %llu", (unsigned long long)fence->value,
				   (unsigned long long)value);
	if (!status) {
		fence->value = value;
		tell(fence->device);
	}
	pthread_mutex_unlock(&fence->device->lock);
	promises_keep(fence, false);
	return status;
}

static ptowsp_status read(struct ptowsp_object *object, uint64_t *value_out, struct ptowsp_error *error)
{
	struct base_fence *fence = (struct base_fence *)object;
	ptowsp_status status;

	pthread_mutex_lock(&fence->device->lock);
	status = failed(fence, error);
	if (!status)
		*value_out = fence->value;
	pthread_mutex_unlock(&fence->device->lock);
	return status;
}

static ptowsp_status wait(struct ptowsp_object *object, uint64_t value, uint64_t until_ns, struct ptowsp_error *error)
{
	struct base_fence *fence = (struct base_fence *)object;
	struct base_device *device = fence->device;
	ptowsp_status status;
	int in_time = 1;

	pthread_mutex_lock(&device->lock);
	fence->uses++;
	while (in_time && !fence->failed && fence->value < value)
		in_time = base_queue_wait(device, &device->idle, until_ns ? until_ns : 1);
	fence->uses--;
	status = failed(fence, error);
	if (!status && fence->value < value)
		status = base_fail(error, PTOWSP_AGAIN, "wait: the fence is %llu, not %llu yet", (unsigned long long)fence->value, (unsigned long long)value);
	pthread_mutex_unlock(&device->lock);
	return status;
}

static ptowsp_status import(struct ptowsp_object *object, const struct ptowsp_external *external, struct ptowsp_object **fence_out, struct ptowsp_error *error)
{
	const struct base_events *events = ((struct base_device *)object)->instance->backend->events;
	struct base_news *news = events ? malloc(sizeof(*news)) : NULL; /* may outlive the device */
	ptowsp_status status;

	*fence_out = NULL;
	if (!external || external->head.size < PTOWSP_EXTERNAL_FLOOR_10_1 || !news) {
		free(news);
		return base_fail(error, events ? PTOWSP_INVALID : PTOWSP_UNSUPPORTED, "import: %s", events ? "there is no event" : "this device has no events");
	}
	status = create(object, 0, fence_out, error);
	if (status) {
		free(news);
		return status;
	}
	*news = (struct base_news){PTHREAD_MUTEX_INITIALIZER, (struct base_fence *)*fence_out, 2};
	news->fence->news = news;
	status = events->take(news->fence->device, external, news_come, news, error);
	if (status) { /* it is never told */
		news->uses = 1;
		end((struct base_fence *)*fence_out);
		*fence_out = NULL;
	}
	return status;
}

static ptowsp_status expose(struct ptowsp_object *object, uint64_t value, uint32_t type, struct ptowsp_external *out, struct ptowsp_error *error)
{
	struct base_fence *fence = (struct base_fence *)object;
	const struct base_events *events = fence->device->instance->backend->events;
	struct base_promise *p;
	ptowsp_status status;

	*out = (struct ptowsp_external){.head = out->head, .type = type, .fd = -1};
	if (!events || type != PTOWSP_EXTERNAL_NATIVE)
		return base_fail(error, PTOWSP_UNSUPPORTED, "expose: a fence of this device has no event of type %u", type);
	p = malloc(sizeof(*p));
	status = p ? events->make(fence->device, out, &p->own, error) : base_fail(error, PTOWSP_NO_MEMORY, "no memory for an event");
	if (status) {
		free(p);
		return status;
	}
	pthread_mutex_lock(&fence->device->lock);
	p->value = value;
	p->next = fence->promises;
	fence->promises = p;
	pthread_mutex_unlock(&fence->device->lock);
	promises_keep(fence, false);
	return PTOWSP_OK;
}

static const struct ptowsp_fences_extension fences_table = {.head = PTOWSP_HEAD(fences_table, EXTENSION),
							    .create = create,
							    .destroy = destroy,
							    .signal = signal_to,
							    .read = read,
							    .wait = wait,
							    .import = import,
							    .expose = expose};

const void *base_fences_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	return backend->fences && base_minor_of(instance) >= 1 ? &fences_table : NULL;
}

void base_fences_finish(struct base_device *device)
{
	while (device->fences)
		end(device->fences);
}
#else
const void *base_fences_table(const struct base_backend *backend, const struct ptowsp_object *instance)
{
	(void)backend, (void)instance;
	return NULL;
}

uint32_t base_fences_known(const struct base_device *device, const struct ptowsp_run_args *args)
{
	(void)device, (void)args;
	return PTOWSP_RUN_ARGS_FLOOR_10_0;
}

uint64_t base_fences_bytes(const struct base_device *device, const struct ptowsp_run_args *args)
{
	(void)device, (void)args;
	return 0;
}

ptowsp_status base_fences_lend(struct base_device *device, struct base_run *run, const struct ptowsp_run_args *args, void *room, struct ptowsp_error *error)
{
	(void)device, (void)run, (void)args, (void)room, (void)error;
	return PTOWSP_OK;
}

void base_fences_return(struct base_run *run)
{
	(void)run;
}

bool base_fences_wait(const struct base_run *run)
{
	(void)run;
	return false;
}

ptowsp_status base_fences_failed(struct base_device *device, const struct base_run *run, struct ptowsp_error *error)
{
	(void)device, (void)run, (void)error;
	return PTOWSP_OK;
}

void base_fences_end(struct base_device *device, struct base_run *run, ptowsp_status status, const struct ptowsp_error *error)
{
	(void)device, (void)run, (void)status, (void)error;
}

void base_fences_finish(struct base_device *device)
{
	(void)device;
}
#endif
