/* SPDX-License-Identifier: MIT */
/* kernels.h - what the runtime core asks of kernels, answered by benchmarks whose kernels have no body of their own. */
#ifndef TOOLS_BENCH_KERNELS_H
#define TOOLS_BENCH_KERNELS_H

#include "rt/rt.h"

/* One cycle each, no footprint beyond the regions, all usable; `run` is called for a task, without a context. */
struct rt_kernels bench_kernels(ptowsp_status (*run)(void *context, const struct ptowsp_task *task,
						     struct ptowsp_kernel_out *out, uint32_t worker));

#endif
