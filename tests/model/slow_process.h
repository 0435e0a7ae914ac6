/* SPDX-License-Identifier: MIT
 * slow_process.h - processes of a pipeline: what each does, one thing after the other in its own time, until it stands at a task, which its instance issues. */
#ifndef TESTS_MODEL_SLOW_PROCESS_H
#define TESTS_MODEL_SLOW_PROCESS_H

#include "tests/model/slow_state.h"

/* The workload is over. */
void slow_processes_begin(struct slow *s);
/* All go on as far as they get at this moment. */
void slow_processes_on(struct slow *s);
/* A task of a process has ended. */
void slow_process_ended(struct slow *s, int task);
/* The next moment at which one goes on, or asks, by itself. */
uint64_t slow_process_time(const struct slow *s);
/* Whose task this instance may issue now: the one that has asked longest, then the lowest, of those that have room; or SLOW_NONE. */
int slow_process_ready(struct slow *s, int instance);
/* It does: *task_out; how long that takes. */
uint64_t slow_process_issue(struct slow *s, int process, int *task_out);

#endif
