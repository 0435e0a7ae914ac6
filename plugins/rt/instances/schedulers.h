/* SPDX-License-Identifier: MIT */
/* schedulers.h - several scheduler instances on the same bytecode. Each walks it by itself and stops at its own tasks (skip.h); the run takes them in the order of
 * their numbers, whoever is ahead, so an instance whose task is the next one has been waited for by all others, and edges are those of one instance. Behind
 * that there is the one way of every task: one tensor map, which remembers W * N numbers, one ring, one set of worker threads.
 *
 * Each instance has an issue clock a, a ring of W places and resources of its own; orders, executors, streams, depths and slots are the run's. Task i of
 * instance p: a(i) as in one instance with the earlier tasks of p in place of all, and a(i) is not before the end of any task up to i - W * N, which the
 * map has forgotten. Slots read by an expression of the program move the clocks of all instances; a slot that is set takes its time from the latest of them. */
#ifndef RT_SCHEDULERS_H
#define RT_SCHEDULERS_H

#include "rt/instances/skip.h"
#include "rt/run/rt_run.h"

enum { RT_RING_OF_INSTANCE = 1024 }; /* places, where the schedule states no window */

struct rt_scheduler {
	struct rt_run *walk; /* its own values and expander */
	struct rt_skip skip;
	struct ptowsp_error error;
	bool holding, over; /* it stands at its task skip.task; it has come to the end */
	uint64_t tasks;
	struct rt_clock clock; /* issue clock and ring of this instance */
	struct rt_flow flow;
};
/* Record of a task, by its number. */
struct rt_scheduler_mark {
	uint64_t end, reach; /* semantic; reach: the largest end up to it */
	uint64_t told;       /* bit p: instance p has been told, or would have been, that it is over */
	uint32_t owner;
};
struct rt_schedulers {
	struct rt_run *run;
	struct rt_scheduler *rows;
	uint32_t count, turn;            /* turn: whose the task at hand is */
	uint64_t window;                 /* W * N, 0: unbounded */
	uint64_t timed;                  /* tasks of which the clock was told */
	struct rt_scheduler_mark *marks; /* at number & mask */
	uint64_t mask;
};

/* Features that several instances would have to agree about while they run are refused by name: that of rt_schedulers_capabilities, and --strict. Errors: UNSUPPORTED; INVALID: too many. */
ptowsp_status rt_schedulers_check(const struct rt_run *run);
/* run->schedulers of them, from a run whose clock is configured: run->instances. From here on run->window is that of all together. Errors: NO_MEMORY. */
ptowsp_status rt_schedulers_init(struct rt_run *run);
void rt_schedulers_finish(struct rt_run *run);
/* The ring of one instance, or the run's window. */
uint64_t rt_schedulers_window(const struct rt_run *run);
/* Sets instances->turn to the owner of the task at which the program stands. */
ptowsp_status rt_schedulers_turn(struct rt_schedulers *instances);
/* Its place in the instance's ring and pools; preds of the run are found. Errors: as rt_flow_reserve; NO_MEMORY. */
ptowsp_status rt_schedulers_reserve(struct rt_schedulers *instances, struct rt_need need, struct rt_block *block_out);
/* Scopes hold places of every ring. */
void rt_schedulers_scope(struct rt_schedulers *instances, bool begin);
/* Counters of all instances, as those of the run. whole: it came to its end, and so do they. */
void rt_schedulers_sum(struct rt_schedulers *instances, bool whole);

/* Told by lag, in order. The next task, of instance `owner`. Errors: as rt_clock_task. */
ptowsp_status rt_schedulers_task(struct rt_schedulers *instances, uint32_t owner, const struct rt_clock_task *task, struct rt_clock_times *times_out);
/* The run's clock stands where the latest instance does: for orders, barriers and slots. */
void rt_schedulers_meet(struct rt_schedulers *instances);
/* owner: PTOWSP_NONE: all. */
void rt_schedulers_read(struct rt_schedulers *instances, uint32_t owner, uint32_t slot);
void rt_schedulers_clock_scope(struct rt_schedulers *instances, bool begin);

#endif
