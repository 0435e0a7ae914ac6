/* SPDX-License-Identifier: MIT */
/* fence_value.c - fences that this host keeps: values under a lock, which runs of its plugins look at and tell. */
#include <stdatomic.h>

#include "host/host_error.h"
#include "host/run/host_fence.h"

/* With the lock held. */
static ptowsp_status own_status(const struct ptowsp_fence *fence, struct ptowsp_error *error)
{
	return fence->failed ? host_fail(error, fence->failed, "the fence has failed: %s", fence->why) : PTOWSP_OK;
}

ptowsp_status host_fence_signal(struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error)
{
	ptowsp_status status;

	pthread_mutex_lock(&fence->lock);
	status = own_status(fence, error);
	if (!status && value < fence->value)
		status = host_fail(error, PTOWSP_INVALID, "a fence of value %llu does not go back to %llu", (unsigned long long)fence->value,
				   (unsigned long long)value);
	else if (!status)
		fence->value = value;
	pthread_mutex_unlock(&fence->lock);
	return status;
}

ptowsp_status host_fence_read(struct ptowsp_fence *fence, uint64_t *value_out, struct ptowsp_error *error)
{
	ptowsp_status status;

	pthread_mutex_lock(&fence->lock);
	status = own_status(fence, error);
	if (!status)
		*value_out = fence->value;
	pthread_mutex_unlock(&fence->lock);
	return status;
}

static void own_end(struct ptowsp_fence *fence, uint64_t value, ptowsp_status status, const char *text)
{
	pthread_mutex_lock(&fence->lock);
	if (!status && fence->value < value)
		fence->value = value;
	if (status && !fence->failed) {
		struct reg_text why;

		fence->failed = status;
		reg_text_init(&why, fence->why, sizeof(fence->why));
		reg_text_add(&why, "a run that signals it ended so: %s", text);
	}
	pthread_mutex_unlock(&fence->lock);
}

void host_fence_points_free(struct host_fence_points *points)
{
	for (uint32_t i = 0; i < points->count; i++)
		atomic_fetch_sub(&points->rows[i].fence->uses, 1);
	points->count = 0;
}

void host_fences_end(const struct host_fence_points *points, ptowsp_status status, const char *text)
{
	for (uint32_t i = 0; i < points->count; i++)
		if (!points->rows[i].fence->object)
			own_end(points->rows[i].fence, points->rows[i].value, status, text);
}

ptowsp_status host_fences_look(const struct host_fence_points *points, struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	ptowsp_status status = PTOWSP_OK;
	uint64_t value = 0;

	for (uint32_t i = 0; i < points->count; i++) {
		if (host_fence_read(points->rows[i].fence, &value, &why))
			return host_fail(error, PTOWSP_RUN_FAILED, "the run does not begin, of the fences that it waits for number %u: %s", i, why.text);
		if (value < points->rows[i].value)
			status = PTOWSP_AGAIN;
	}
	return status;
}

bool host_fences_apart(const struct host_fence_points *points)
{
	return points->count && points->rows[0].fence->object;
}
