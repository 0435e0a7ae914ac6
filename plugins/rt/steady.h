/* SPDX-License-Identifier: MIT */
/* steady.h - the keys that a lane comes back to. Where a use does not move with the loop, and no use that moves comes to its key as long as the round
 * lasts, iteration follows iteration with the same edges, so many tasks back: they are worked out once, and their cells are written
 * when the lane ends. A key that the lane only reads has an edge to whoever wrote it before, as long as that one is in the window.
 * Nobody else looks at the map in between. One thread. */
#ifndef RT_STEADY_H
#define RT_STEADY_H

#include "rt/cells.h"
#include "rt/clock.h"
#include "rt/use.h"

enum { RT_STEADY_TASKS = 24, RT_STEADY_USES = 64, RT_STEADY_LEAST = 8 }; /* so many iterations pay for it */

/* What a task of the lane has to do. */
struct rt_steady_task {
	uint32_t age_count, known_count;
	uint32_t ages[RT_PREDS_FEW];  /* predecessors, as tasks back: all different */
	uint32_t known[RT_PREDS_FEW]; /* stamps of others, which may have left the window meanwhile */
	struct rt_use **moving, **moving_end; /* uses that are looked up: reads, then both, then writes */
	struct rt_clock_brief brief; /* with the edges of ages alone */
	bool looks;                  /* there may be others */
};
/* A use that is not looked up. */
struct rt_steady_use {
	uint64_t name;
	uint32_t task;       /* of the lane */
	uint8_t access;      /* PTOWSP_READ | PTOWSP_WRITE */
	uint8_t prev, next;  /* of the same name, round and round */
	bool first, written; /* the first of its name; the lane writes what has that name */
};
struct rt_steady {
	uint32_t task_count; /* of an iteration; 0: off */
	uint32_t use_count, moving_count;
	uint64_t began; /* number of the first task */
	struct rt_plan *const *plans;
	struct rt_steady_task tasks[RT_STEADY_TASKS];
	struct rt_steady_use uses[RT_STEADY_USES];
	struct rt_use *moving[RT_STEADY_USES];
};
struct rt_run;
struct rt_plan;
struct rt_round;
/* After an iteration of these tasks and nothing else. round: of their loop. Leaves it off where it would not pay or not be exact; else the plans point to what their tasks have to do. */
void rt_steady_begin(struct rt_steady *steady, struct rt_run *run, struct rt_plan *const *plans, uint32_t count, const struct rt_cells *cells,
		     const struct rt_round *round);
/* Before anybody else looks at the map: cells are as if each task had entered all its uses. Out of memory: as for rt_cells_enter_on. */
void rt_steady_end(struct rt_steady *steady, struct rt_run *run, struct rt_cells *cells);

/* Iterations one after the other: `first` is by how much the value of the loop moved to the first of them, `step` to each other one. */
struct rt_steady_way {
	uint64_t first, step;
	uint32_t iterations;
};
/* Enters all their tasks and fills in a brief for each. most: what the span grows to. The list of predecessors is not there afterwards. */
void rt_steady_block(struct rt_steady *steady, struct rt_run *run, struct rt_cells *cells, const struct rt_steady_way *way, uint32_t most,
		     struct rt_clock_brief *briefs_out);

/* The predecessors of the sight's task; what moves goes on by `steps` of the loop's value. */
RT_INLINE void rt_steady_look(struct rt_sight *sight, struct rt_track *track, const struct rt_steady_task *task, struct rt_cells *cells, uint64_t steps,
			      bool full)
{
	for (uint32_t i = 0; i < task->age_count; i++)
		sight->list[i] = sight->task - task->ages[i];
	sight->count = task->age_count;
	for (uint32_t i = 0; i < task->known_count; i++)
		rt_sight_add(sight, task->known[i]);
	for (struct rt_use **at = task->moving; at < task->moving_end; at++) {
		struct rt_use *use = *at;
		uint64_t name = use->name + use->step * steps;

		use->name = name;
		rt_sight_access(sight, cells, track, name, use->access, full);
	}
}

/* One task, whose predecessors are wanted. */
RT_INLINE void rt_steady_enter(struct rt_preds *preds, struct rt_track *track, const struct rt_steady_task *task, struct rt_cells *cells, uint64_t steps,
			       bool full)
{
	struct rt_sight sight = rt_sight_begin(preds);

	rt_steady_look(&sight, track, task, cells, steps, full);
	rt_sight_end(&sight);
}

#endif
