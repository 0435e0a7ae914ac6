/* SPDX-License-Identifier: MIT */
/* generate.h - several scheduler instances on the same bytecode. Each generates the tasks that are its own (skip.h) and runs them, while the others do the
 * same; they share the map of who touched what.
 *
 * An instance looks the accesses of task i up when all instances that may touch the same tensors have passed i: readers wait for those that may
 * write, writers for those that may read or write. So the map meets the accesses of each tensor in the order of their numbers, whoever is ahead, and edges
 * are those of one instance. It also waits until the tasks before the latest barrier, and those W * N numbers and more ago, have ended. The
 * instance with the smallest number waits for nothing but running tasks, so this cannot hang.
 *
 * Semantic time is kept by the thread of rt_run, which walks the whole program behind the instances and meets tasks in the order of their numbers; it is the
 * same for any number of threads. Each instance has an issue clock a and a ring of W places, and its resources are its own; orders, executors,
 * streams and depths are common. Task i of instance p: a(i) as in one instance with the earlier tasks of p in place of all, and a(i) is not before the
 * end of any task up to i - W * N, which the map has forgotten. What an expression reads moves the clocks of all instances; a slot that is set takes
 * its time from the latest of them. */
#ifndef RT_GENERATE_H
#define RT_GENERATE_H

#include "rt/scheduler.h"

/* What is remembered of a task by its number. */
struct rt_mark {
	uint64_t number;       /* + 1; 0: nobody */
	uint64_t end, reach;   /* semantic; reach: the largest end up to it */
	uint64_t told;         /* bit p: instance p has been told, or would have been, that it is over */
	struct rt_own_task *task; /* until it has ended and was accounted for */
	uint32_t owner;
};
struct rt_generate {
	struct rt_run *run;
	struct rt_run *map;    /* whose tensor map all share; its tasks are counted as they come */
	struct rt_scheduler *schedulers;
	uint32_t count, threads;
	uint64_t window;       /* of all rings together, 0: unbounded */
	bool safe;             /* everything is generated before anything starts */
	bool started;          /* under the lock: tasks may run */
	uint64_t *readers, *writers; /* per TENS row: instances that may */
	pthread_mutex_t lock;  /* of what follows, and of what scheduler.h says */
	pthread_cond_t moved;
	uint64_t changes;
	struct rt_mark *marks; /* by number */
	uint64_t *numbers;     /* by place in the map: its number */
	uint64_t mask;
	uint64_t failed;       /* the lowest task known to have failed; UINT64_MAX: none */
	ptowsp_status status;
	struct ptowsp_error error;
	bool over, pending;    /* accounting: at its end; a task waits for its record */
	uint64_t cross_edges, notifications;
};
/* The entry's own instructions, by run->schedulers instances. Errors: those of a run; UNSUPPORTED naming what only one instance can do. */
ptowsp_status rt_generate_run(struct rt_run *run, struct rt_pool *pool);

/* generate_init.c: what several instances would have to agree about while they run is refused. */
ptowsp_status rt_generate_check(const struct rt_run *run);
/* run->schedulers instances on one program. *generate is zero but for its lock. Errors: NO_MEMORY; finish it all the same. */
ptowsp_status rt_generate_init(struct rt_generate *generate, struct rt_run *run, struct rt_pool *pool);
void rt_generate_finish(struct rt_generate *generate);

/* generate_issue.c: which instances may touch which tensors. Once, before any of them goes. */
void rt_generate_sets(struct rt_generate *generate);
/* What follows is called with the lock held. The smallest number whose task has not ended, or was not issued. */
uint64_t rt_generate_frontier(const struct rt_generate *generate);
/* May the task that the instance holds be issued now? */
bool rt_generate_may_issue(const struct rt_generate *generate, const struct rt_scheduler *scheduler);
/* Errors: NO_MEMORY, and what stated edges can be wrong about; the instance's error says it. */
ptowsp_status rt_generate_issue(struct rt_generate *generate, struct rt_scheduler *scheduler);

/* account.c: one step of the semantic clock. False: it waits for a record, or is at its end. Called with the lock held. */
bool rt_account(struct rt_generate *generate);
/* Counters of all instances, as those of the run. */
void rt_account_sum(struct rt_generate *generate);
/* The failure of a task, if none before it has failed. With the lock held. */
void rt_generate_fail(struct rt_generate *generate, uint64_t task, ptowsp_status st, const struct ptowsp_error *error);

static inline struct rt_mark *rt_mark_of(const struct rt_generate *generate, uint64_t number)
{
	return &generate->marks[number & generate->mask];
}

#endif
