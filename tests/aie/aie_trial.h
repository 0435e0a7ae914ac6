/* SPDX-License-Identifier: MIT
 * aie_trial.h - designs from their text, run with two kernels ("weigh" of tests/aie/designs/split.mlir, "mm_i16_i32"), and pieces of designs that tests write. */
#ifndef PTOWSP_TESTS_AIE_TRIAL_H
#define PTOWSP_TESTS_AIE_TRIAL_H

#include "tests/aie/aie_written.h"

/* y [32] = x [32] times w [16], again and again, times a factor; c [m, n] i32 = a [m, k] i16 times b [k, n] i16; no other. context: the array. */
ptowsp_status aie_trial_kernel(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error);
/* Reads, routes and runs. A failure's text in error. */
ptowsp_status aie_trial_run(const char *text, void *const *arguments, uint32_t buffering, struct aie_sim_stats *stats, struct ptowsp_error *error);
/* The agent of that name; without one the check fails and it is the first one. */
const struct aie_sim_agent *aie_trial_agent(const struct aie_sim_stats *stats, const char *name);

/* The beginning of a module with a device; its end, behind what its sequence does. */
void aie_trial_device(struct written *t);
void aie_trial_device_end(struct written *t, int device);
/* A core that does so many times what is written before its end. */
void aie_trial_core(struct written *t, int column, int row, long turns);
void aie_trial_core_end(struct written *t);
/* y = x * a + b over words. */
void aie_trial_words(struct written *t, int words, const char *x, const char *y, const char *memref, int a, int b);
/* A core that makes y = 3 x + 1 of 4 objects of so many words; not sound: its host waits for what comes out before it gives what goes in. To be freed. */
char *aie_trial_host(bool sound, const char *words);

#endif
