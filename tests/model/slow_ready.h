/* SPDX-License-Identifier: MIT
 * slow_ready.h - tasks that wait for nothing more: which is next, and which pipeline_depth keeps. */
#ifndef TESTS_MODEL_SLOW_READY_H
#define TESTS_MODEL_SLOW_READY_H

#include "tests/model/slow_state.h"

/* One thing less that the task waits for. */
void slow_ready_count(struct slow *s, int task);
/* The first ready task of a kind that may start, or SLOW_NONE; those before it that may not are parked. */
int slow_ready_first(struct slow *s, int instance, enum slow_kind kind);
/* A task has ended: one that waits for the same row and domain goes back to its queue. */
void slow_ready_leave(struct slow *s, int task);

#endif
