/* SPDX-License-Identifier: MIT
 * slow_task.h - a task being issued: what it takes, what it is, what it waits for. */
#ifndef TESTS_MODEL_SLOW_TASK_H
#define TESTS_MODEL_SLOW_TASK_H

#include "tests/model/slow_state.h"

/* There is room and its row has an owner. Cycles of its look-up. It waits for one thing more: to be known (slow_ready_count). */
uint64_t slow_task_issue(struct slow *s, int item);

#endif
