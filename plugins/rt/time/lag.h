/* SPDX-License-Identifier: MIT */
/* lag.h - what the clock has not been told yet. Cycles that only a run can tell come later than the task is issued; until then its record and
 * everything behind it wait here in order. With known cycles nothing is ever stored. One thread. */
#ifndef RT_LAG_H
#define RT_LAG_H

#include "rt/run/items.h"
#include "rt/time/clock.h"

#define RT_CYCLES_LATER UINT64_MAX
/* Cycles that a kernel tells: more than can be counted become the most that does not mean LATER. */
static inline uint64_t rt_cycles_told(uint64_t cycles)
{
	return cycles == RT_CYCLES_LATER ? cycles - 1 : cycles;
}

struct rt_feed;
struct rt_run;
struct rt_schedulers;
struct rt_lag {
	struct rt_feed *feed;       /* not NULL: everything goes there, and the clock is not told */
	bool over;                  /* there was one, and nobody asks any more */
	struct rt_run *run;         /* its clock is told, and it is told of each task, in order */
	struct rt_schedulers *many; /* several scheduler instances, each with a clock of its own; NULL: one */
	struct rt_items items;      /* what has not been told */
	uint64_t waiting;           /* tasks among them */
	ptowsp_status broken;       /* the clock's first error: nothing more is told */
};
void rt_lag_init(struct rt_lag *lag, struct rt_run *run);
void rt_lag_finish(struct rt_lag *lag);
static inline bool rt_lag_empty(const struct rt_lag *lag)
{
	return rt_items_none(&lag->items) && !lag->broken;
}
/* The clock can be told of the task at once. */
static inline bool rt_lag_none(const struct rt_lag *lag, const struct rt_clock_task *task)
{
	return !lag->feed && !lag->many && rt_lag_empty(lag) && task->cycles != RT_CYCLES_LATER;
}
/* task->cycles may be RT_CYCLES_LATER. All: the clock's errors, or NO_MEMORY. */
ptowsp_status rt_lag_task(struct rt_lag *lag, const struct rt_clock_task *task);
ptowsp_status rt_lag_scope_begin(struct rt_lag *lag);
ptowsp_status rt_lag_scope_end(struct rt_lag *lag);
ptowsp_status rt_lag_order_begin(struct rt_lag *lag);
ptowsp_status rt_lag_order_step(struct rt_lag *lag);
ptowsp_status rt_lag_order_end(struct rt_lag *lag);
/* slots: of rt_exprs.reads; owner: the scheduler instance that reads, PTOWSP_NONE: all. */
ptowsp_status rt_lag_read(struct rt_lag *lag, uint32_t owner, const uint32_t *slots, uint32_t count);
ptowsp_status rt_lag_slot_set(struct rt_lag *lag, uint32_t slot, const uint32_t *reads, uint32_t count);
ptowsp_status rt_lag_slot_load(struct rt_lag *lag, uint32_t slot, uint64_t writer);
/* As rt_clock_sync. */
ptowsp_status rt_lag_sync(struct rt_lag *lag, unsigned op, uint64_t a, uint64_t b);
/* The next task, in order of number, has run and took so many cycles. Not for tasks whose cycles were known. */
ptowsp_status rt_lag_cycles(struct rt_lag *lag, uint64_t cycles);

#endif
