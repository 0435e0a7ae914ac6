/* SPDX-License-Identifier: MIT */
/* steady.h - replay of a lane: iterations whose edges follow from those before. Uses that move with the loop and are proved to have edges by offset are
 * those of chains (chain.h). As for the keys that a lane comes back to: where a use does not move with the loop, and no use that moves comes to its key as long as the round
 * lasts, iteration follows iteration with the same edges, so many tasks back: they are worked out once, and their cells are written
 * when the lane ends. A key that the lane only reads has an edge to whoever wrote it before, as long as that one is in the window.
 * Nobody else looks at the map in between. One thread. */
#ifndef RT_STEADY_H
#define RT_STEADY_H

#include "rt/cells.h"
#include "rt/chain.h"
#include "rt/clock.h"
#include "rt/run.h"
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
	uint32_t own_ages;           /* the first ages: of keys that the lane comes back to */
	uint32_t far_count, find_count; /* edges and keys of chains, in this part of the lane */
	const struct rt_chain_edge *const *fars;
	const struct rt_chain_find *const *finds;
	const uint64_t *turn;        /* number of the iteration */
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
	struct rt_chains chains;
	uint64_t turn, until; /* iterations of the chains so far; at `until` they change */
	bool first;           /* in the first one all other uses are looked up */
	uint32_t replayed;    /* tasks of an iteration that look nothing up */
	bool looks;           /* one of them at least has to be entered by itself */
	const struct rt_chain_edge *fars[RT_CHAIN_EDGES];
	const struct rt_chain_find *finds[RT_CHAIN_FINDS];
};
/* Of a lane of these tasks: standing: before an iteration of which its plans are; else after an iteration of these tasks and nothing else. round: of their
 * loop, step: from iteration to iteration. Leaves it off where it would not pay or not be exact; else the plans point to what their tasks have to do. */
void rt_steady_begin(struct rt_steady *steady, struct rt_run *run, struct rt_plan *const *plans, uint32_t count, const struct rt_cells *cells,
		     const struct rt_round *round, uint64_t step, bool standing);
/* Before each iteration, or several: how many may follow without asking again. */
uint64_t rt_steady_ready(struct rt_steady *steady, struct rt_run *run, const struct rt_cells *cells, const struct rt_round *round);
/* An iteration has been entered task by task. */
static inline void rt_steady_turn(struct rt_steady *steady, struct rt_run *run)
{
	steady->turn++;
	run->replay.tasks += steady->replayed;
}
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

/* Whom a task follows that has that name's cell in no other way. */
RT_INLINE void rt_steady_find(struct rt_sight *sight, struct rt_track *track, const struct rt_chain_find *find, const struct rt_cells *cells, uint64_t turn,
			      bool full)
{
	const struct rt_cell *cell = rt_cells_find(cells, find->name + find->step * turn);

	if (!cell)
		return;
	rt_sight_add(sight, cell->writer);
	if (full && find->access & PTOWSP_WRITE && cell->readers) {
		rt_sight_end(sight);
		rt_cell_readers(track, cell);
		rt_sight_renew(sight);
	}
}

/* The predecessors of the sight's task; what moves goes on by `steps` of the loop's value. */
RT_INLINE void rt_steady_look(struct rt_sight *sight, struct rt_track *track, const struct rt_steady_task *task, struct rt_cells *cells, uint64_t steps,
			      bool full)
{
	for (uint32_t i = 0; i < task->age_count; i++)
		sight->list[i] = sight->task - task->ages[i];
	sight->count = task->age_count;
	for (uint32_t i = 0; i < task->known_count; i++)
		rt_sight_add(sight, task->known[i]);
	for (uint32_t i = 0; i < task->far_count; i++)
		rt_sight_add(sight, (uint32_t)(task->fars[i]->producer + task->fars[i]->slope * *task->turn) + 1);
	for (uint32_t i = 0; i < task->find_count; i++)
		rt_steady_find(sight, track, task->finds[i], cells, *task->turn, full);
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
