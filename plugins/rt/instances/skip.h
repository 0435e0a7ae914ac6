/* SPDX-License-Identifier: MIT */
/* skip.h - the expander of one scheduler instance among several: gives the tasks that are its own, with the numbers that they have for everybody, and passes
 * over the others. Tasks of other instances are added as a number where the outline knows it: whole statements, and ranges of iterations; the rest
 * is walked task by task. owner.h says whose a task is.
 *
 * DISPATCH_FILTER decides for the rest of its body: affinity, custom, hash and static_partition from the value of its expression where it stands
 * (mod n; hash: mixed), round_robin by number, threshold by the policy of the schedule that serves the value. One thread. */
#ifndef RT_SKIP_H
#define RT_SKIP_H

#include "rt/expand/expand.h"
#include "rt/instances/outline.h"
#include "rt/instances/owner.h"

enum { RT_SKIP_LIMIT = 64 }; /* instances */

/* How a body that is being walked passes over iterations. */
struct rt_skip_body {
	uint64_t count;  /* tasks of an iteration; 0 with sums */
	uint64_t stride; /* by value: own values are so many iterations apart once one was found; 0: each has to be asked */
	int64_t moves;   /* by value: its change per iteration */
	uint8_t way;     /* how iterations are chosen */
	bool fresh;      /* the first iteration was not looked at */
	bool sums;       /* iterations differ in how many tasks they have */
};
/* A filter's answer for the rest of its body. */
struct rt_skip_filter {
	uint32_t depth, end; /* of frames, and of instructions */
	uint32_t owner;      /* RT_SKIP_LIMIT: by number */
};
struct rt_skip {
	struct rt_expand *expand;
	struct rt_outline outline;
	struct rt_owner owner;
	uint64_t number;                 /* of the next task: all before it were passed over or given */
	uint64_t task;                   /* RT_EVENT_TASK: its number */
	uint64_t given, walked, skipped; /* tasks: own; looked at one by one and not own; added as a number */
	uint32_t mine;                   /* frames of that depth and deeper are own as a whole; 0: none */
	bool all;                        /* everybody's tasks are given, the next: */
	uint32_t all_owner;              /* of the task that was given */
	bool whole;                      /* mine: up to the end of the loop, not of its iteration */
	uint32_t filter_count;
	struct rt_skip_filter filters[PTOWSP_NESTING_LIMIT + 2];
	struct rt_skip_body bodies[PTOWSP_NESTING_LIMIT + 2]; /* by depth of frames */
};
/* Starts the expander. me < instances <= RT_SKIP_LIMIT. Errors: NO_MEMORY. */
ptowsp_status rt_skip_init(struct rt_skip *skip, struct rt_expand *expand, const struct rt_program *program, struct rt_env *env, uint32_t me,
			   uint32_t instances, struct ptowsp_error *error);
void rt_skip_finish(struct rt_skip *skip);
/* As rt_expand_next; env->task is the number of the task, or of the next one. */
enum rt_event rt_skip_next(struct rt_skip *skip);

/* The filter in force; NULL: none. */
static inline const struct rt_skip_filter *rt_skip_filter_of(const struct rt_skip *skip)
{
	return skip->filter_count ? &skip->filters[skip->filter_count - 1] : NULL;
}

#endif
