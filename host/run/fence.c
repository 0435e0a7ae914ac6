/* SPDX-License-Identifier: MIT */
/* fence.c - values that only grow, by which runs wait for each other: the plugin's (ptowsp/fences.h), or of this host where a plugin has none. */
#include <stdatomic.h>
#include <stdlib.h>

#include "host/host_error.h"
#include "host/run/host_program.h"

#define SLICE_NS UINT64_C(20000000) /* longest that the plugin waits in one call: other calls wait for that one */
#define PAUSE_NS UINT64_C(1000000)  /* longest before the runs of the backend are looked at again */

/* ---- of the plugin ---- */

#if PTOWSP_ABI_MINOR >= 1
static ptowsp_status make(struct ptowsp_fence *fence, struct ptowsp_error *error)
{
	struct ptowsp_backend *b = fence->backend;
	ptowsp_status status = host_backend_device_open(b, error);

	if (status || !host_caller_offers(&b->caller, b->instance, HOST_OPERATION_fences_create))
		return status;
	status = host_call_fences_create(&b->caller, b->device, fence->value, &fence->object, error);
	if (status)
		fence->object = NULL;
	return status;
}

static void unmake(struct ptowsp_fence *fence)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const bool lives = host_backend_worker_lives(fence->backend);

	host_backend_end_tell(fence->backend, lives, host_call_fences_destroy(&fence->backend->caller, fence->object, &error), &error);
}

static ptowsp_status apart_signal(struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error)
{
	return host_call_fences_signal(&fence->backend->caller, fence->object, value, error);
}

static ptowsp_status apart_read(struct ptowsp_fence *fence, uint64_t *value_out, struct ptowsp_error *error)
{
	return host_call_fences_read(&fence->backend->caller, fence->object, value_out, error);
}

static ptowsp_status apart_wait(struct ptowsp_fence *fence, uint64_t value, uint64_t until_ns, struct ptowsp_error *error)
{
	return host_call_fences_wait(&fence->backend->caller, fence->object, value, until_ns, error);
}
#else
static ptowsp_status make(struct ptowsp_fence *fence, struct ptowsp_error *error)
{
	return host_backend_device_open(fence->backend, error);
}

static void unmake(struct ptowsp_fence *fence)
{
	(void)fence;
}

static ptowsp_status apart_signal(struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error)
{
	(void)fence, (void)value, (void)error;
	return PTOWSP_UNSUPPORTED;
}

static ptowsp_status apart_read(struct ptowsp_fence *fence, uint64_t *value_out, struct ptowsp_error *error)
{
	(void)fence, (void)value_out, (void)error;
	return PTOWSP_UNSUPPORTED;
}

static ptowsp_status apart_wait(struct ptowsp_fence *fence, uint64_t value, uint64_t until_ns, struct ptowsp_error *error)
{
	(void)fence, (void)value, (void)until_ns, (void)error;
	return PTOWSP_UNSUPPORTED;
}
#endif

/* ---- the caller's ---- */

/* external: NULL: one of its own. */
static ptowsp_status fence_make(struct ptowsp_fence **out, struct ptowsp_backend *backend, uint64_t value, const struct ptowsp_external *external,
				struct ptowsp_error *error)
{
	struct ptowsp_fence *fence = calloc(1, sizeof(*fence));
	ptowsp_status status;

	*out = NULL;
	error = host_error_enter(error);
	if (!fence)
		return host_error_leave(host_fail(error, PTOWSP_NO_MEMORY, "no memory for a fence"), error);
	*fence = (struct ptowsp_fence){.backend = backend, .value = value, .lock = PTHREAD_MUTEX_INITIALIZER};
	status = external ? host_fence_import(fence, external, error) : make(fence, error);
	if (status)
		free(fence);
	else
		*out = fence;
	return host_error_leave(status, error);
}

ptowsp_status ptowsp_fence_create(struct ptowsp_fence **out, struct ptowsp_backend *backend, uint64_t value, struct ptowsp_error *error)
{
	return fence_make(out, backend, value, NULL, error);
}

ptowsp_status ptowsp_fence_import(struct ptowsp_fence **out, struct ptowsp_backend *backend, const struct ptowsp_external *external, struct ptowsp_error *error)
{
	return fence_make(out, backend, 0, external, error);
}

ptowsp_status ptowsp_fence_destroy(struct ptowsp_fence *fence, struct ptowsp_error *error)
{
	if (!fence)
		return PTOWSP_OK;
	error = host_error_enter(error);
	if (atomic_load(&fence->uses))
		return host_error_leave(
			host_fail(error, PTOWSP_INVALID, "runs that wait for the fence or signal it: %u; they end first", atomic_load(&fence->uses)), error);
	if (fence->object)
		unmake(fence);
	pthread_mutex_destroy(&fence->lock);
	free(fence);
	return PTOWSP_OK;
}

int ptowsp_fence_is_apart(const struct ptowsp_fence *fence)
{
	return fence->object != NULL;
}

ptowsp_status ptowsp_fence_signal(struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	return host_error_leave(fence->object ? apart_signal(fence, value, error) : host_fence_signal(fence, value, error), error);
}

static ptowsp_status value_read(struct ptowsp_fence *fence, uint64_t *value_out, struct ptowsp_error *error)
{
	return fence->object ? apart_read(fence, value_out, error) : host_fence_read(fence, value_out, error);
}

ptowsp_status ptowsp_fence_read(struct ptowsp_fence *fence, uint64_t *value_out, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	return host_error_leave(value_read(fence, value_out, error), error);
}

/* One slice of waiting: runs of the backend that can begin do, and a plugin without threads works in poll. */
static ptowsp_status slice_wait(struct ptowsp_fence *fence, uint64_t value, uint64_t until_ns, struct ptowsp_error *error)
{
	struct ptowsp_backend *b = fence->backend;
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const uint64_t now = host_now_ns(), pause = until_ns - now < PAUSE_NS ? until_ns : now + PAUSE_NS;
	uint64_t is;
	ptowsp_status status;

	host_held_look(b);
	if (host_runs_any(&b->services.runs))
		host_call_poll(&b->caller, b->device, pause, &ignored);
	else if (fence->object)
		return apart_wait(fence, value, until_ns - now < SLICE_NS ? until_ns : now + SLICE_NS, error);
	status = value_read(fence, &is, error);
	if (status || is >= value)
		return status;
	host_runs_pause(&b->services.runs, pause);
	return PTOWSP_AGAIN;
}

ptowsp_status ptowsp_fence_wait(struct ptowsp_fence *fence, uint64_t value, uint64_t timeout_ns, struct ptowsp_error *error)
{
	const uint64_t begin = host_now_ns(), until = timeout_ns > UINT64_MAX - begin ? UINT64_MAX : begin + timeout_ns;
	uint64_t is = 0;
	ptowsp_status status;

	error = host_error_enter(error);
	status = value_read(fence, &is, error);
	if (!status && is < value)
		status = PTOWSP_AGAIN;
	while (status == PTOWSP_AGAIN && host_now_ns() < until)
		status = slice_wait(fence, value, until, error);
	if (status == PTOWSP_AGAIN)
		host_fail(error, status, "the fence has %llu, not %llu yet", (unsigned long long)is, (unsigned long long)value);
	return host_error_leave(status, error);
}

/* ---- of a run ---- */

static ptowsp_status point_add(struct ptowsp_program *p, struct host_fence_points *points, struct ptowsp_fence *fence, uint64_t value,
			       struct ptowsp_error *error)
{
	error = host_error_enter(error);
	if (fence->backend != p->backend)
		return host_error_leave(host_fail(error, PTOWSP_INVALID, "the fence is one of another backend"), error);
	if (points->count == HOST_FENCE_POINTS)
		return host_error_leave(host_fail(error, PTOWSP_INVALID, "a run waits for %d fences at the most, and signals as many", HOST_FENCE_POINTS),
					error);
	atomic_fetch_add(&fence->uses, 1);
	points->rows[points->count].fence = fence;
	points->rows[points->count++].value = value;
	return PTOWSP_OK;
}

ptowsp_status ptowsp_run_wait(struct ptowsp_program *p, struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error)
{
	return point_add(p, &p->waits, fence, value, error);
}

ptowsp_status ptowsp_run_signal(struct ptowsp_program *p, struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error)
{
	return point_add(p, &p->signals, fence, value, error);
}
