/* SPDX-License-Identifier: MIT
 * slow_walk.h - the walk of the workload: up to its next task, whose that is, and what it waits for before it is issued. */
#ifndef TESTS_MODEL_SLOW_WALK_H
#define TESTS_MODEL_SLOW_WALK_H

#include "tests/model/slow_state.h"

/* On to the next task, as far as the values are there that lead to it. */
void slow_walk_on(struct slow *s);
/* Something is over: what the walk waits for may be there. */
void slow_walk_look(struct slow *s);
/* The instance whose task the walk stands at, or SLOW_NONE. */
int slow_walk_owner(const struct slow *s);
/* Time of the next issue, at the earliest; UINT64_MAX: no task is met. */
uint64_t slow_walk_time(const struct slow *s);
/* May this instance issue it now? */
bool slow_walk_ready(struct slow *s, int instance);
/* It does: *task_out; how long that takes. */
uint64_t slow_walk_issue(struct slow *s, int *task_out);
/* And it is over: the task is known, or held until its batch is. */
void slow_walk_issued(struct slow *s, int instance, int task);

#endif
