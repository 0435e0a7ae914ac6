/* SPDX-License-Identifier: MIT */
/* untold.h - tasks that the clock has not been told yet: it hears of many at once. */
#ifndef RT_UNTOLD_H
#define RT_UNTOLD_H

#include "rt/preds.h"
#include "rt/rt_run.h"

enum { RT_TOLD_AT_ONCE = RT_CLOCK_AT_ONCE };
struct rt_untold {
	struct rt_cells *cells; /* of the run's rule */
	uint32_t count, span;   /* span: most tasks that are live */
	bool equal;             /* all are like the first, and the others are not there */
	struct rt_clock_brief tasks[RT_TOLD_AT_ONCE];
};

static inline ptowsp_status rt_untold_tell(struct rt_run *run, struct rt_untold *untold)
{
	uint32_t count = untold->count;
	bool equal = untold->equal;

	untold->count = 0;
	untold->equal = false;
	if (!count)
		return PTOWSP_OK;
	return rt_clock_failed(run, equal ? rt_clock_equal(&run->clock, untold->tasks, count) : rt_clock_tasks(&run->clock, untold->tasks, count));
}

static inline void rt_untold_init(const struct rt_run *run, struct rt_untold *untold)
{
	uint64_t most = run->window - 1;

	untold->count = 0;
	untold->equal = false;
	untold->span = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
	untold->cells = run->overlap.lattices ? (struct rt_cells *)&run->overlap.cells : (struct rt_cells *)&run->exact;
}

#endif
