/* SPDX-License-Identifier: MIT */
/* fences.c - "ptowsp.fences/0" of the checking plugin: values that are kept as they should be, and what the host names in a run. */
#include <string.h>
#include <time.h>

#include "watch.h"

#if PTOWSP_ABI_TARGET >= 1
#include "ptowsp/fences.h"

/* ---- of a run ---- */

static void points_take(struct watch_call *call, const struct watch *device, const struct ptowsp_fence_point *points, uint32_t count, uint32_t stride,
			struct watch_point to[WATCH_FENCES])
{
	if (count && (!points || stride < PTOWSP_FENCE_POINT_FLOOR_10_1 || count > WATCH_FENCES)) {
		watch_broke(call, "HO11: rows of fences are NULL, or their stride is below the size of one");
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_fence_point *point = (const void *)((const char *)points + (size_t)i * stride);

		to[i] = (struct watch_point){watch_find(point->fence, WATCH_FENCE), point->value};
		if (!to[i].fence || to[i].fence->parent != device)
			watch_broke(call, "HO11: a run's fence is destroyed, of another device, or was never given");
	}
}

void watch_fences(struct watch_call *call, struct watch *device, const struct ptowsp_run_args *args)
{
	const bool has = call->instance->host->minor >= 1 && args->head.size >= PTOWSP_RUN_ARGS_FLOOR_10_1;
	struct watch_point waits[WATCH_FENCES], signals[WATCH_FENCES];

	if (has)
		points_take(call, device, args->waits, args->wait_count, args->wait_stride, waits);
	if (has && !call->status)
		points_take(call, device, args->signals, args->signal_count, args->signal_stride, signals);
	if (call->status || device->running) /* of a run that is refused nothing is kept */
		return;
	device->wait_count = has ? args->wait_count : 0;
	device->signal_count = has ? args->signal_count : 0;
	memcpy(device->waits, waits, device->wait_count * sizeof(*waits));
	memcpy(device->signals, signals, device->signal_count * sizeof(*signals));
}

bool watch_fences_reached(const struct watch *device)
{
	for (uint32_t i = 0; i < device->wait_count; i++)
		if (device->waits[i].fence->value < device->waits[i].value)
			return false;
	return true;
}

void watch_fences_end(struct watch *device, ptowsp_status status)
{
	for (uint32_t i = 0; i < device->signal_count; i++) {
		struct watch *fence = device->signals[i].fence;

		if (status)
			fence->failed = status;
		else if (fence->value < device->signals[i].value)
			fence->value = device->signals[i].value;
	}
	device->wait_count = device->signal_count = 0;
}

/* ---- the extension ---- */

static ptowsp_status create(struct ptowsp_object *object, uint64_t value, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *device = watch_enter(&call, "create of ptowsp.fences/0", object, WATCH_DEVICE, WATCH_ON_DEVICE, error), *fence = NULL;

	if (device && !call.status)
		fence = watch_make(WATCH_FENCE, device, NULL, device->host);
	if (fence)
		fence->value = value;
	*out = (struct ptowsp_object *)fence;
	return watch_leave(&call, fence || call.status ? PTOWSP_OK : PTOWSP_NO_MEMORY);
}

static ptowsp_status destroy(struct ptowsp_object *object, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *fence = watch_enter(&call, "destroy of ptowsp.fences/0", object, WATCH_FENCE, WATCH_ON_DEVICE, error);
	const struct watch *device = fence ? fence->parent : NULL;

	for (uint32_t i = 0; device && device->running && i < WATCH_FENCES; i++)
		if ((i < device->wait_count && device->waits[i].fence == fence) || (i < device->signal_count && device->signals[i].fence == fence))
			watch_broke(&call, "HO11: a run in flight waits for the fence or signals it");
	if (fence && !call.status)
		watch_end(fence);
	return watch_leave(&call, PTOWSP_OK);
}

static ptowsp_status says(struct watch_call *call, const struct watch *fence, ptowsp_status status)
{
	status = fence && fence->failed ? fence->failed : status;
	if (status && call->error) {
		call->error->code = status;
		strcpy(call->error->text, status == PTOWSP_AGAIN ? "the fence has not come so far" : "the fence has failed, or would go back");
	}
	return watch_leave(call, status);
}

static ptowsp_status signal_to(struct ptowsp_object *object, uint64_t value, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *fence = watch_enter(&call, "signal of ptowsp.fences/0", object, WATCH_FENCE, WATCH_ANY, error);
	const bool back = fence && value < fence->value;

	if (fence && !fence->failed && !back)
		fence->value = value;
	return says(&call, fence, back ? PTOWSP_INVALID : PTOWSP_OK);
}

static ptowsp_status read_it(struct ptowsp_object *object, uint64_t *value_out, struct ptowsp_error *error)
{
	struct watch_call call;
	struct watch *fence = watch_enter(&call, "read of ptowsp.fences/0", object, WATCH_FENCE, WATCH_ANY, error);

	if (fence && !fence->failed)
		*value_out = fence->value;
	return says(&call, fence, PTOWSP_OK);
}

static ptowsp_status wait_for(struct ptowsp_object *object, uint64_t value, uint64_t until_ns, struct ptowsp_error *error)
{
	const struct timespec moment = {0, 200000};
	struct watch_call call;
	struct watch *fence = watch_enter(&call, "wait of ptowsp.fences/0", object, WATCH_FENCE, WATCH_ANY, error);

	while (fence && !fence->failed && fence->value < value && fence->host->now_ns(fence->host->context) < until_ns)
		nanosleep(&moment, NULL);
	return says(&call, fence, fence && fence->value < value ? PTOWSP_AGAIN : PTOWSP_OK);
}

const struct watch_fences_table watch_fences_table = {{PTOWSP_HEAD(watch_fences_table, EXTENSION), create, destroy, signal_to, read_it, wait_for, NULL, NULL},
						      {watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later, watch_later}};
#else
void watch_fences(struct watch_call *call, struct watch *device, const struct ptowsp_run_args *args)
{
	(void)call, (void)device, (void)args;
}

bool watch_fences_reached(const struct watch *device)
{
	(void)device;
	return true;
}

void watch_fences_end(struct watch *device, ptowsp_status status)
{
	(void)device, (void)status;
}
#endif
