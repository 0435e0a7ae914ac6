/* SPDX-License-Identifier: MIT */
/* base_profile.h - with profiling=on: wall time of each kernel, and of each pass of those that the interpreter runs. */
#ifndef BASE_PROFILE_H
#define BASE_PROFILE_H

#include "base/instance.h"

struct base_kernels;
struct ptowsp_profile_row;

struct base_profile_time {
	uint64_t calls, ns;
	uint32_t more; /* instructions of the pass behind its first one */
};
/* Times of one run at a time. Each worker adds to its own; all else is the runner thread's, between runs. Zeroed: nothing is measured. */
struct base_profile {
	const struct base_instance *instance;
	struct base_profile_time *times; /* owned; workers times first[kernels] */
	uint32_t *first;                 /* owned; kernels + 1: where a kernel's own time stands, those of its instructions behind it */
	struct ptowsp_profile_row *rows; /* owned; room for first[kernels] */
	uint32_t kernels, workers;
};
/* For kernels whose code is chosen. Errors: NO_MEMORY, TOO_BIG. */
ptowsp_status base_profile_init(struct base_profile *profile, const struct base_kernels *kernels, struct ptowsp_error *error);
void base_profile_finish(struct base_profile *profile); /* a zeroed one, too */
void base_profile_begin(struct base_profile *profile);  /* before a run */
/* Around a task's call of a kernel, on a worker's thread. began: the answer of enter. */
uint64_t base_profile_enter(const struct base_profile *profile);
void base_profile_leave(struct base_profile *profile, uint32_t kernel, uint32_t worker, uint64_t began);

/* One execution by the interpreter, from now on. */
struct base_profile_lap {
	const struct base_profile *profile;
	struct base_profile_time *times; /* of the kernel's instructions */
	uint64_t last_ns;
};
struct base_profile_lap base_profile_lap(const struct base_profile *profile, uint32_t kernel, uint32_t worker);
/* A visitor's pass (isa.h) with a lap as its context. Not measured: the clock itself, some 20 to 50 ns a pass, is in each time. */
void base_profile_pass(void *lap, uint32_t first, uint32_t last);

/* After a run: the rows of "ptowsp.profile/0", valid until the next call. Returns how many. */
uint32_t base_profile_rows(struct base_profile *profile, const struct base_kernels *kernels, const struct ptowsp_profile_row **rows_out);
/* After a run: a line per kernel into the host's log. */
void base_profile_tell(const struct base_profile *profile, const struct base_kernels *kernels);

#endif
