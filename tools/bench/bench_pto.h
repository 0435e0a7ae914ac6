/* SPDX-License-Identifier: MIT */
/* bench_pto.h - the graphs of bench/bench_sim.h on a real pto-runtime, through the client of plugins/ascend: its own rates, beside which ours stand. One thread. */
#ifndef TOOLS_BENCH_PTO_H
#define TOOLS_BENCH_PTO_H

#include <stdbool.h>
#include "ptowsp/base.h"
#include "tools/bench/bench_sim.h"

/* A program of tasks that do nothing, registered on a device of the runtime. */
struct bench_pto;
/* root: folder of a runtime that was built in place. variant: a name of ascend/files.h. tasks: as for bench_sim_stream; a task buffer gets them in scopes of 256. Errors:
 * of ascend_client_open and ascend_objects_make. */
ptowsp_status bench_pto_open(struct bench_pto **pto_out, const char *root, const char *variant, enum bench_stream stream, uint32_t tasks, struct ptowsp_error *error);
void bench_pto_close(struct bench_pto *pto); /* NULL is allowed */
/* How many there are. */
uint32_t bench_pto_tasks(const struct bench_pto *pto);
/* One run. *ms_out: from the launch until the wait is over; what is prepared before and copied afterwards is not in it. check: kernels are counted as they run, which
 * costs time. Errors: of ascend_client_run; RUN_FAILED when not every kernel ran once. */
ptowsp_status bench_pto_run(struct bench_pto *pto, bool check, double *ms_out, struct ptowsp_error *error);

#endif
