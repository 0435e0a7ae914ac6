/* SPDX-License-Identifier: MIT */
/* scope.h - do the open scopes of a walk leave room in the task window? What a scope holds leaves when it ends: a task that comes a whole window behind the first one
 * that is held can never be submitted. */
#ifndef BASE_SCOPE_H
#define BASE_SCOPE_H

#include "walk.h"

/* window: 0 is any. deadlock_out: may be NULL. Errors: DEADLOCK with a report and the window that would do; NO_MEMORY. */
ptowsp_status base_scope_check(const struct base_walk *walk, uint64_t window, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);

#endif
