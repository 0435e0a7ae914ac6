/* SPDX-License-Identifier: MIT */
/* bench_loop.h - loops compiled for the processor that the build runs on. */
#ifndef TOOLS_BENCH_LOOP_H
#define TOOLS_BENCH_LOOP_H

#include <stddef.h>

enum { BENCH_LOOP_AVX2 = 1, BENCH_LOOP_AVX512 = 2 };
/* What a processor must have for the functions below: it may be another one than that of the build. */
extern const unsigned bench_loop_needs;
/* d = a x b, n x n elements each, n a multiple of 64; blocks of 4 x 64 sums, and of 16 x 16. */
void bench_loop_wide(float *restrict d, const float *restrict a, const float *restrict b, size_t n);
void bench_loop_high(float *restrict d, const float *restrict a, const float *restrict b, size_t n);

#endif
