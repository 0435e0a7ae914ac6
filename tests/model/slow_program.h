/* SPDX-License-Identifier: MIT
 * slow_program.h - what the slow machine runs: the items of a feed (rt/run/feed.h), kept one behind the other, and what follows from their order alone: who is in which
 * scope and iteration, behind which barrier, which item a value is from. Structure is rt's and has models of its own (rt_model.h, model.py); time is not in here. */
#ifndef TESTS_MODEL_SLOW_PROGRAM_H
#define TESTS_MODEL_SLOW_PROGRAM_H

#include "rt/run/feed.h"

enum { SLOW_NONE = -1, SLOW_CHANNELS = 16 };

/* An iteration of an ordered construct. */
struct slow_iteration {
	int outer;  /* the one around, or SLOW_NONE */
	int before; /* the latest earlier one of its construct, or SLOW_NONE */
	int end;    /* item: behind it no task is within */
	bool tasks; /* some are within */
};
struct slow_scope {
	int outer;
	int end; /* item */
};
struct slow_item {
	struct rt_item rt;          /* its list is owned */
	int scope, iteration;       /* innermost around, or SLOW_NONE */
	uint64_t barrier;           /* TASK of the workload: starts when all tasks before this one have ended */
	int *sources, source_count; /* items that gave the values which READ and SET read; WAIT: the signal */
};
struct slow_program {
	struct rt_limits limits;
	struct rt_depth depths[RT_DEPTH_LIMIT];
	uint64_t capacities[SLOW_CHANNELS], latencies[SLOW_CHANNELS]; /* of channels */
	struct slow_item *items;
	int count, room;
	int *tasks, task_count; /* per task its item; numbers are places */
	struct slow_iteration *iterations;
	int iteration_count;
	struct slow_scope *scopes;
	int scope_count;
};
/* Engine that pulls everything and keeps it; the run's status and trace mean nothing but what ends a walk early. *p is zero before. */
struct rt_engine slow_program_recorder(struct slow_program *p);
/* Behind a run: the order of items worked out. False: no memory. kernels: rows of the package; the one behind them copies. */
bool slow_program_order(struct slow_program *p, uint32_t kernels);
void slow_program_finish(struct slow_program *p);
/* A task's item. */
static inline const struct slow_item *slow_task(const struct slow_program *p, int task)
{
	return &p->items[p->tasks[task]];
}

#endif
