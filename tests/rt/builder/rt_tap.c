/* SPDX-License-Identifier: MIT */
#include "tests/rt/builder/rt_tap.h"

#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

static struct rt_tap *tapped;

static void *need(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

void rt_tap_begin(struct rt_tap *tap, const struct outcome *told)
{
	uint32_t at = 0;

	*tap = (struct rt_tap){.told = told, .wrong = UINT64_MAX};
	tap->first = need(calloc((size_t)told->stats.tasks + 2, sizeof(*tap->first)));
	for (uint32_t i = 0; i <= told->stats.tasks; i++) {
		while (at < told->edge_count && told->edges[at].consumer < i)
			at++;
		tap->first[i] = at;
	}
	tapped = tap;
}

void rt_tap_end(struct rt_tap *tap)
{
	tapped = NULL;
	free(tap->first);
	free(tap->sorted);
	tap->first = NULL;
	tap->sorted = NULL;
}

static void judge(struct rt_tap *tap, uint64_t task, bool right)
{
	if (!right && task < tap->wrong)
		tap->wrong = task;
}

static uint32_t count_of(const struct rt_tap *tap, uint64_t task)
{
	return tap->first[task + 1] - tap->first[task];
}

static int number_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool list_same(struct rt_tap *tap, uint64_t task, const uint64_t *list, uint32_t count)
{
	const struct outcome_edge *edges = tap->told->edges + tap->first[task];

	if (count != count_of(tap, task))
		return false;
	if (!count)
		return true;
	if (count > tap->room) {
		tap->room = count;
		tap->sorted = need(realloc(tap->sorted, count * sizeof(*tap->sorted)));
	}
	memcpy(tap->sorted, list, count * sizeof(*list));
	qsort(tap->sorted, count, sizeof(*tap->sorted), number_compare);
	for (uint32_t i = 0; i < count; i++)
		if (tap->sorted[i] != edges[i].producer)
			return false;
	return true;
}

/* ---- wrapped ------------------------------------------------------------------------------------------------------- */

ptowsp_status __real_rt_dispatch_begin(struct rt_run *run);
ptowsp_status __wrap_rt_dispatch_begin(struct rt_run *run);
ptowsp_status __real_rt_clock_task(struct rt_clock *clock, const struct rt_clock_task *task, struct rt_clock_times *times);
ptowsp_status __wrap_rt_clock_task(struct rt_clock *clock, const struct rt_clock_task *task, struct rt_clock_times *times);

/* Before a task is handed over. */
ptowsp_status __wrap_rt_dispatch_begin(struct rt_run *run)
{
	if (tapped && run->tasks < tapped->told->stats.tasks) {
		tapped->lists++;
		judge(tapped, run->tasks, list_same(tapped, run->tasks, run->preds.list, run->preds.count));
	}
	return __real_rt_dispatch_begin(run);
}

/* When the clock is told of one. */
ptowsp_status __wrap_rt_clock_task(struct rt_clock *clock, const struct rt_clock_task *task, struct rt_clock_times *times)
{
	if (tapped && clock->issued < tapped->told->stats.tasks) {
		tapped->counts++;
		judge(tapped, clock->issued, task->need.deps == task->pred_count && list_same(tapped, clock->issued, task->preds, task->pred_count));
	}
	return __real_rt_clock_task(clock, task, times);
}
