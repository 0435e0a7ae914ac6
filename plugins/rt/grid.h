/* SPDX-License-Identifier: MIT */
/* grid.h - the grid over whose places a run's tasks go: that of spatial_map, or the one that dispatch threshold picks for the run. */
#ifndef RT_GRID_H
#define RT_GRID_H

#include "rt/program.h"

/* grid_out: rows, columns; 0, 0: tasks of this run go to no grid. Of a threshold: that of the policy that serves the run's value where it reads nothing but symbols; else
 * tasks of one run may take different policies, and all stand on its largest grid (most places, of equals the one behind the larger threshold).
 * args: checked as rt_run does. Any thread. Errors: NO_MEMORY. */
ptowsp_status rt_grid_find(const struct rt_program *program, const struct ptowsp_run_args *args, uint64_t grid_out[2], struct ptowsp_error *error);

#endif
