/* SPDX-License-Identifier: MIT */
/* run_profile.h - --profile: where the real time of the latest run went, by kernel and operation, and what follows from it. */
#ifndef TOOLS_RUN_RUN_PROFILE_H
#define TOOLS_RUN_RUN_PROFILE_H

#include "host/ptowsp_host.h"

struct json_t;
struct run;

/* The table on stdout, advice below it. After a run, while its program is loaded. Errors: UNSUPPORTED where the backend measures nothing, NO_MEMORY. */
ptowsp_status run_profile_print(const struct run *run, struct ptowsp_error *error);
/* The same as an object for --stats=json: {"kernels_ns", "run_ns", "threads", "rows", "counters", "advice"}; null where the backend measures nothing or without memory. */
struct json_t *run_profile_json(const struct run *run);

#endif
