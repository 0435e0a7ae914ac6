/* SPDX-License-Identifier: MIT */
/* run_counters.h - hardware counters of the processor around a run, where the kernel of the machine gives them (perf_event_open). */
#ifndef TOOLS_RUN_RUN_COUNTERS_H
#define TOOLS_RUN_RUN_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { RUN_COUNTERS = 4 };
extern const char *const run_counter_names[RUN_COUNTERS]; /* "instructions", "cycles", "cache_misses", "branch_misses" */

/* Counts user code of this process, its threads and the processes that it starts later, a worker's too. Main thread. Zeroed: nothing was opened. */
struct run_counters {
	bool open;
	int file[RUN_COUNTERS]; /* -1: this one is not to be had */
	uint64_t value[RUN_COUNTERS];
	int why; /* errno of the first that is not to be had, 0: all are */
};
void run_counters_open(struct run_counters *counters); /* before threads and workers are started; what fails is in why */
void run_counters_start(struct run_counters *counters);
void run_counters_stop(struct run_counters *counters); /* values are those since start */
void run_counters_close(struct run_counters *counters);

#endif
