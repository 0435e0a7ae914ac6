/* SPDX-License-Identifier: MIT
 * slow_wait.h - what tasks wait for when they are issued, and who hears that it is over: tasks of the same instance at once, each other instance that has such
 * tasks by one notice. */
#ifndef TESTS_MODEL_SLOW_WAIT_H
#define TESTS_MODEL_SLOW_WAIT_H

#include "tests/model/slow_state.h"

/* All that a task waits for which is being issued; crossing edges are counted. */
void slow_wait_begin(struct slow *s, int task);
/* It was over at `instance`; how many others are told. */
int slow_wait_tell(struct slow *s, enum slow_cause cause, int what, int instance);
/* An instance has heard. */
void slow_wait_hear(struct slow *s, int notice);
/* Iterations around a task that are over with it; how many instances are told. */
int slow_wait_iterations(struct slow *s, int task, int instance);

#endif
