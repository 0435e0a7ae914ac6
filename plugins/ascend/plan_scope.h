/* SPDX-License-Identifier: MIT */
/* plan_scope.h - do the open scopes of a walk leave room in the task window? What a scope holds leaves when it ends: a task that comes a whole window behind the first one
 * that is held can never be submitted. The runtime finds that, too, for windows from 4 on, and without numbers. */
#ifndef ASCEND_PLAN_SCOPE_H
#define ASCEND_PLAN_SCOPE_H

#include "walk.h"

/* window: 0 is any. *most_out: places that open scopes and one task need at most. deadlock_out: may be NULL. Errors: DEADLOCK with a report and the window that would
 * do. */
ptowsp_status ascend_scope_check(const struct ascend_walk *walk, uint64_t window, uint64_t *most_out, struct ptowsp_deadlock *deadlock_out,
				 struct ptowsp_error *error);

#endif
