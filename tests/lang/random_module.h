/* SPDX-License-Identifier: MIT */
/* random_module.h - random source texts with everything around functions: values, tensors, axes, kernels, workloads, processes, a schedule, a graph. */
#ifndef TESTS_RANDOM_MODULE_H
#define TESTS_RANDOM_MODULE_H

#include <stdint.h>

/* A file that packs and runs; the same seed gives the same text. Its inputs are %t0 and %t1 (f32[64, 8]), its results %t1, %t2, %t3 and %ints (i32[16]), with
 * graphs also GIN and GOUT (f32, 256 elements). To be freed, NULL without memory. */
char *random_module(uint64_t seed);

#endif
