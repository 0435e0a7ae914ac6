/* SPDX-License-Identifier: MIT */
/* planned.h - kernels of a program that is walked: costs and touches are asked as ever, tasks are written down. */
#ifndef BASE_PLANNED_H
#define BASE_PLANNED_H

#include "program.h"
#include "walk.h"

struct base_planned {
	struct rt_kernels served; /* asked, but for run and moved */
	struct base_walk *walk;   /* where tasks and moves go */
};
/* With planned as their context, which outlives the program. Any thread. */
struct rt_kernels base_planned_table(struct base_planned *planned);
/* As rt_program_args has them. */
struct base_planned_as {
	bool shadowed, windowed, renames;
};
/* The program that is walked, for rt_program_destroy: the one that `args` loads, by kernels of a table like that. Errors: those of rt_program_create. [device] */
ptowsp_status base_planned_create(struct rt_program **planned_out, const struct base_program *program, const struct ptowsp_load_args *args,
				  const struct rt_kernels *kernels, struct base_planned_as as, struct ptowsp_error *error);
/* Number b of the bindings that a run has: the run's. Any thread. */
static inline const struct ptowsp_binding *base_binding_at(const struct ptowsp_run_args *args, uint32_t b)
{
	return (const void *)((const char *)args->bindings + (size_t)b * args->binding_stride);
}

#endif
