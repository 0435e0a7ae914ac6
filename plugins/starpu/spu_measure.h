/* SPDX-License-Identifier: MIT */
/* spu_measure.h - what StarPU measures of kernels, for policies that choose a worker by it: one history per kernel's code, kept in its folder from run to run. */
#ifndef SPU_MEASURE_H
#define SPU_MEASURE_H

#include <stdbool.h>

struct base_kernel;
struct starpu_perfmodel;

/* Whether a policy asks how long tasks take. */
bool spu_measure_needed(const char *sched);
/* The history of a kernel; the same one for equal code, as long as StarPU runs, which keeps a pointer. Of kernels without a payload by name. NULL: no memory; then nothing is measured. Any thread. */
struct starpu_perfmodel *spu_measure_of(const struct base_kernel *kernel);
/* Frees all histories, behind starpu_shutdown, which writes them. */
void spu_measure_forget(void);

#endif
