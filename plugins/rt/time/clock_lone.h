/* SPDX-License-Identifier: MIT */
/* clock_lone.h - tasks of a clock that has one executor, as most have. They start and end in order, so the clock can be told of them later: nothing that runs
 * depends on it. They are kept here and told some at a time, with the clock's state in registers; rt_clock_task, one at a time, gives the same times. */
#ifndef RT_CLOCK_LONE_H
#define RT_CLOCK_LONE_H

#include "rt/access/preds.h"
#include "rt/time/clock.h"

/* The next task of a lone clock. */
RT_INLINE void rt_clock_keep(struct rt_clock *clock, uint64_t cycles, struct rt_need need)
{
	clock->kept[clock->kept_count++] = (struct rt_clock_kept){cycles, need};
	if (clock->kept_count == RT_CLOCK_KEPT)
		rt_clock_settle_kept(clock);
}

#endif
