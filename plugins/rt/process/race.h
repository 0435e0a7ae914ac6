/* SPDX-License-Identifier: MIT */
/* race.h - the check behind --strict for schedules whose dependencies are a promise: two tasks of the window that touch a common element, one of
 * them writing, must be ordered by the edges, barriers and streams that the schedule makes. Costs a second tensor map and a walk over the
 * window for each pair that has no edge of its own. */
#ifndef RT_RACE_H
#define RT_RACE_H

#include "ptowsp/workload.h"
#include "rt/access/pieces.h"
#include "rt/process/vector_clock.h"

/* Record of a task of the window. */
struct rt_race_row {
	uint64_t at;       /* its words in the ring: [from, end) of tasks that come before it, */
	uint32_t ranges;   /*   so many */
	uint32_t kernel;   /* KREG row */
	uint32_t instance; /* of a process, PTOWSP_NONE: of the workload */
	uint64_t copies;   /* copies before that task come before it */
};
struct rt_race {
	struct rt_preds preds; /* by extent, all hazards */
	struct rt_track track;
	struct rt_pieces *map;
	struct rt_race_row *rows; /* of tasks in the window, at task & mask */
	uint64_t *words;          /* ring of words */
	uint64_t *seen;           /* at task & mask: walk that met it, + 1 */
	uint64_t *stack;          /* tasks to go on from */
	uint64_t mask, word_mask, head, tail, window, oldest;
	uint64_t first[PTOWSP_NESTING_LIMIT + 1], step[PTOWSP_NESTING_LIMIT + 1]; /* per ordered construct: its first task, its step's first task */
	uint32_t depth;
	uint64_t fence;  /* tasks before it come before everything from now on */
	uint64_t copies; /* copies before that task do */
	uint32_t copy;   /* KREG row of copies */
	bool on, found;
	uint64_t earlier, later; /* the first pair */
	uint32_t earlier_kernel, later_kernel;
};
/* window: 0 unbounded; copy: KREG row of copies. False when out of memory. */
bool rt_race_init(struct rt_race *race, uint32_t tensors, uint64_t window, uint32_t copy);
void rt_race_finish(struct rt_race *race);
void rt_race_order_begin(struct rt_race *race, uint64_t tasks);
void rt_race_order_step(struct rt_race *race, uint64_t tasks);
void rt_race_order_end(struct rt_race *race);
void rt_race_barrier(struct rt_race *race, uint64_t tasks);
void rt_race_fence(struct rt_race *race, uint64_t tasks); /* as a barrier, of copies alone */
/* The next task: its accesses have gone into race->map through race->track; chosen: its edges; stream: the previous task of its stream + 1, 0 none;
 * front: the vector clock of what comes before it as a task of an instance, NULL for one of the workload. False when out of memory. Sets found and the pair once. */
struct rt_race_task {
	uint64_t number;
	uint32_t kernel, instance;
	const uint64_t *chosen;
	uint32_t chosen_count;
	uint64_t stream;
	const struct rt_vector_clock *front;
};
bool rt_race_task(struct rt_race *race, const struct rt_race_task *task);
/* The instance of a task, PTOWSP_NONE of one of the workload, and of one so old that nobody asks what comes before it. */
uint32_t rt_race_instance(const struct rt_race *race, uint64_t task);

#endif
