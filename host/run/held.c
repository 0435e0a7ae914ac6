/* SPDX-License-Identifier: MIT */
/* held.c - runs with fences on their way to the plugin: one that has fences gets theirs, for any other a run is held here until all that it waits for is reached. */
#include "host/host_error.h"
#include "host/run/host_program.h"

#if PTOWSP_ABI_MINOR >= 1
static uint32_t points_put(const struct host_fence_points *points, struct ptowsp_fence_point *rows)
{
	for (uint32_t i = 0; i < points->count; i++)
		rows[i] = (struct ptowsp_fence_point){points->rows[i].fence->object, points->rows[i].value};
	return points->count;
}

/* The plugin waits, and signals. */
static ptowsp_status submit(struct ptowsp_program *p, struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct ptowsp_fence_point waits[HOST_FENCE_POINTS], signals[HOST_FENCE_POINTS];

	if (host_fences_apart(&p->run.waits)) {
		args->waits = waits;
		args->wait_count = points_put(&p->run.waits, waits);
		args->wait_stride = sizeof(*waits);
	}
	if (host_fences_apart(&p->run.signals)) {
		args->signals = signals;
		args->signal_count = points_put(&p->run.signals, signals);
		args->signal_stride = sizeof(*signals);
	}
	return host_run_submit(p, args, error);
}
#else
static ptowsp_status submit(struct ptowsp_program *p, struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	return host_run_submit(p, args, error);
}
#endif

/* Behind those that are held already. */
static void hold(struct ptowsp_program *p, const struct ptowsp_run_args *args)
{
	struct ptowsp_program **at = &p->backend->held;

	while (*at)
		at = &(*at)->held_next;
	p->held = *args;
	p->held_next = NULL;
	atomic_store(&p->run.held, true);
	*at = p;
}

/* The fences are the run's from here on, or the next one's again. */
ptowsp_status host_held_begin(struct ptowsp_program *p, struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct host_fence_points none = {.count = 0};
	ptowsp_status status = PTOWSP_OK;

	p->run.waits = p->waits;
	p->run.signals = p->signals;
	p->waits = p->signals = none;
	if (host_fences_apart(&p->run.waits) || !host_fences_look(&p->run.waits, NULL))
		status = submit(p, args, error);
	else
		hold(p, args);
	if (status) {
		p->waits = p->run.waits;
		p->signals = p->run.signals;
		p->run.waits = p->run.signals = none;
		host_runs_abandon(&p->backend->services.runs, &p->run);
	}
	return status;
}

/* A run that was accepted here, and never began or was refused. */
static void end(struct ptowsp_program *p, struct ptowsp_error *error)
{
	const struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(struct ptowsp_run_stats, RUN_STATS)};
	const struct ptowsp_done done = {
		.head = PTOWSP_HEAD(struct ptowsp_done, DONE), .token = p->run.token, .status = error->code, .stats = &stats, .error = error};

	host_runs_complete(&p->backend->services.runs, &done);
}

/* AGAIN: it goes on waiting. */
static ptowsp_status ready(const struct ptowsp_program *p, struct ptowsp_error *error)
{
	if (atomic_load(&p->run.cancelled))
		return host_fail(error, PTOWSP_CANCELLED, "the run was cancelled while it waited for fences");
	if (p->run.deadline_ns && host_now_ns() >= p->run.deadline_ns)
		return host_fail(error, PTOWSP_DEADLINE, "the deadline came while the run waited for fences");
	return host_fences_look(&p->run.waits, error);
}

static void release(struct ptowsp_program *p, struct ptowsp_error *error)
{
	ptowsp_status status;

	atomic_store(&p->run.held, false);
	status = ready(p, error); /* a cancel that came since found it held */
	if (!status)
		status = submit(p, &p->held, error);
	if (status)
		end(p, error);
	else if (atomic_load(&p->run.cancelled) && !host_runs_is_complete(&p->backend->services.runs, &p->run))
		host_call_cancel(&p->backend->caller, p->backend->device, p->run.token, error);
}

void host_held_look(struct ptowsp_backend *backend)
{
	for (struct ptowsp_program **at = &backend->held; *at;) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR), .where = {UINT64_MAX, UINT64_MAX}};
		struct ptowsp_program *p = *at;

		if (ready(p, &error) == PTOWSP_AGAIN) {
			at = &p->held_next;
			continue;
		}
		*at = p->held_next;
		release(p, &error);
	}
}
