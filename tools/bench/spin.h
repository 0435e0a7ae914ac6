/* SPDX-License-Identifier: MIT */
/* spin.h - work for kernels: a chain of multiply-adds. A fixed amount of it, not of time: a thread that was preempted gets no credit. */
#ifndef TOOLS_BENCH_SPIN_H
#define TOOLS_BENCH_SPIN_H

#include <stdint.h>

/* How many multiply-adds take so long here; found by trying for a while at the first call. 0 for 0. One thread. */
uint64_t bench_spin_count(unsigned ns);

static inline void bench_spin(uint64_t count)
{
	uint64_t x = count;

	for (; count; count--) {
		x = x * UINT64_C(6364136223846793005) + 1;
		__asm__ volatile("" : "+r"(x));
	}
}

#endif
