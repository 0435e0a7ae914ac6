/* SPDX-License-Identifier: MIT */
#include "base/trace/timeline.h"

#include "base/error.h"
#include "ptowsp/ids.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

#ifdef PTOWSP_TRACE_TASK_REAL /* headers of 10.0 have none */
enum { REAL = PTOWSP_TRACE_TASK_REAL };
#else
enum { REAL = 0 };
#endif
#define MOST_TASKS (UINT32_C(1) << 22) /* of a thread: 160 MiB */

/* The rows of one worker, on lines of its own. */
struct base_lane {
	_Alignas(64) struct ptowsp_trace_task *rows;
	uint32_t count, room;
	uint64_t lost;
};

ptowsp_status base_timeline_init(struct base_timeline *timeline, const struct base_instance *instance, uint32_t workers, struct ptowsp_error *error)
{
	*timeline = (struct base_timeline){.instance = instance, .workers = workers, .lanes = aligned_alloc(64, workers * sizeof(*timeline->lanes))};
	for (uint32_t w = 0; timeline->lanes && w < workers; w++)
		timeline->lanes[w] = (struct base_lane){.rows = NULL};
	return timeline->lanes ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for the real times of %u threads", workers);
}

void base_timeline_finish(struct base_timeline *timeline)
{
	for (uint32_t w = 0; timeline->lanes && w < timeline->workers; w++)
		free(timeline->lanes[w].rows);
	free(timeline->lanes);
	*timeline = (struct base_timeline){.lanes = NULL};
}

static uint64_t now(const struct base_timeline *timeline)
{
	const struct ptowsp_host *host = timeline->instance->host;

	return host->now_ns(host->context);
}

void base_timeline_begin(struct base_timeline *timeline, const struct base_trace *to)
{
	timeline->to = timeline->lanes && to->task_sink ? to : NULL;
	timeline->began_ns = timeline->to ? now(timeline) : 0;
	for (uint32_t w = 0; w < timeline->workers; w++)
		timeline->lanes[w].count = 0, timeline->lanes[w].lost = 0;
}

/* NULL: there is no more room. */
static struct ptowsp_trace_task *row_add(struct base_lane *lane)
{
	if (lane->count == MOST_TASKS || !COMMON_GROW(lane->rows, lane->room, lane->count)) {
		lane->lost++;
		return NULL;
	}
	return &lane->rows[lane->count++];
}

struct ptowsp_trace_task *base_timeline_enter(struct base_timeline *timeline, const struct ptowsp_task *task, uint32_t worker)
{
	struct ptowsp_trace_task *row = timeline->to ? row_add(&timeline->lanes[worker]) : NULL;

	if (row)
		*row = (struct ptowsp_trace_task){.task = task->number,
						  .start = now(timeline) - timeline->began_ns,
						  .kernel = task->kernel,
						  .executor = worker,
						  .stream = task->stream,
						  .flags = REAL};
	return row;
}

void base_timeline_leave(const struct base_timeline *timeline, struct ptowsp_trace_task *row)
{
	if (row)
		row->end = now(timeline) - timeline->began_ns;
}

static int by_number(const void *a, const void *b)
{
	const struct ptowsp_trace_task *x = a, *y = b;

	return (x->task > y->task) - (x->task < y->task);
}

static void threads_tell(const struct base_timeline *timeline)
{
	const struct base_trace *to = timeline->to;

	for (uint32_t w = 0; to->event_sink && w < timeline->workers; w++) {
		const struct ptowsp_trace_event thread = {.kind = PTOWSP_TRACE_EXECUTOR, .instance = w, .row = PTOWSP_UNIT_HOST, .value = w};

		to->event_sink(to->event_context, &thread, 1, sizeof(thread));
	}
}

/* The lane whose next task has the lowest number. at: how many of each have been told. */
static struct base_lane *lane_next(const struct base_timeline *timeline, const uint32_t *at, uint32_t *worker_out)
{
	struct base_lane *next = NULL;

	for (uint32_t w = 0; w < timeline->workers; w++) {
		struct base_lane *lane = &timeline->lanes[w];

		if (at[w] < lane->count && (!next || lane->rows[at[w]].task < next->rows[at[*worker_out]].task)) {
			next = lane;
			*worker_out = w;
		}
	}
	return next;
}

static void tasks_tell(const struct base_timeline *timeline, uint32_t *at)
{
	const struct base_trace *to = timeline->to;
	const struct base_lane *lane;
	uint32_t worker = 0;

	for (uint32_t w = 0; w < timeline->workers; w++)
		if (timeline->lanes[w].count) /* a thread that ran nothing has no rows */
			qsort(timeline->lanes[w].rows, timeline->lanes[w].count, sizeof(*timeline->lanes[w].rows), by_number);
	while ((lane = lane_next(timeline, at, &worker)))
		to->task_sink(to->task_context, &lane->rows[at[worker]++], 1, sizeof(*lane->rows));
}

void base_timeline_tell(struct base_timeline *timeline, enum base_times times)
{
	uint32_t *at = timeline->to ? calloc(timeline->workers, sizeof(*at)) : NULL;
	uint64_t kept = 0, lost = 0;

	if (!timeline->to)
		return;
	if (times == BASE_TIMES_REAL)
		threads_tell(timeline);
	if (at)
		tasks_tell(timeline, at);
	for (uint32_t w = 0; w < timeline->workers; w++)
		kept += timeline->lanes[w].count, lost += timeline->lanes[w].lost;
	if (lost || (kept && !at))
		base_log(timeline->instance, PTOWSP_LOG_WARNING, "the real times of %llu tasks are not in the trace: no memory, or more than %u on a thread",
			 (unsigned long long)(at ? lost : lost + kept), MOST_TASKS);
	free(at);
	timeline->to = NULL;
}
