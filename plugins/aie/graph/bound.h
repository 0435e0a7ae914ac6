/* SPDX-License-Identifier: MIT */
/* bound.h - how much a schedule lets be under way. Tasks stand in lines: all of them, those of a stream, of a pool, of a loop. The host hands a task over when so many of
 * each of its lines have ended, the first ones, as the bounds of the task say. One thread. */
#ifndef AIE_BOUND_H
#define AIE_BOUND_H

#include "base/walk.h"

struct aie_bound {
	uint32_t line, count; /* so many of the line have ended */
	bool window;          /* it is the task window that asks for it */
};
struct aie_bounds {
	struct aie_bound *rows;
	uint32_t *first; /* per task: its rows are those from first[t] to first[t + 1]; NULL: no task has any */
	uint32_t *tasks; /* those of line l from begins[l] to begins[l + 1], in their order */
	uint32_t *begins;
	uint8_t *seen; /* per task: others wait for its end */
	uint32_t row_count, row_room, line_count;
	uint64_t task_count;
	bool ordered; /* tasks are handed over in the order of their numbers */
};
/* Bounds that a schedule states. */
struct aie_bounds_args {
	const struct base_walk *walk;
	uint64_t window; /* 0: any number of tasks */
	const struct rt_depth *depths;
	uint32_t depth_count;
	uint64_t streams; /* 0: none */
	uint64_t batch;   /* 0: none */
};
/* Fills zeroed or finished bounds. Errors: NO_MEMORY. */
ptowsp_status aie_bounds_make(struct aie_bounds *bounds, const struct aie_bounds_args *args, struct ptowsp_error *error);
void aie_bounds_finish(struct aie_bounds *bounds);
/* Does the host have to see that it begins, does it have to see that it has ended? bounds NULL: no. */
static inline bool aie_bounds_held(const struct aie_bounds *bounds, uint64_t task)
{
	return bounds && bounds->first && bounds->first[task + 1] > bounds->first[task];
}
static inline bool aie_bounds_seen(const struct aie_bounds *bounds, uint64_t task)
{
	return bounds && bounds->first && bounds->seen[task];
}

#endif
