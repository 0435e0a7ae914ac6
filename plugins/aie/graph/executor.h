/* SPDX-License-Identifier: MIT */
/* executor.h - executors of a schedule that have tasks of the workload, each to be a core of its own: in the order of their numbers, with the tile that each is pinned to.
 * One thread. */
#ifndef AIE_EXECUTOR_H
#define AIE_EXECUTOR_H

#include "base/walk.h"

struct aie_executor {
	uint32_t number;     /* the schedule's */
	int32_t column, row; /* of the tile, AIE_ANYWHERE each */
};
struct aie_executors {
	struct aie_executor *rows;
	uint32_t count;
	uint32_t *of_task; /* per task: place in rows, PTOWSP_NONE: a process's */
};
struct aie_executors_args {
	const struct base_walk *walk;
	const uint32_t *numbers; /* per task, whose it is; NULL: the walk says so */
	const uint32_t *more;    /* executors that are cores even without tasks */
	uint32_t more_count;
	uint32_t pool; /* executors of a pool, not 0 with a grid */
	uint32_t grid_rows,
		grid_columns; /* of the run: executor e of pool p, as far as the grid has places, is pinned to row p * grid_rows + e / grid_columns of the cores, column e mod that; 0: none is */
};
/* Fills zeroed or finished executors. Errors: NO_MEMORY. */
ptowsp_status aie_executors_make(struct aie_executors *executors, const struct aie_executors_args *args, struct ptowsp_error *error);
void aie_executors_finish(struct aie_executors *executors);

#endif
