/* SPDX-License-Identifier: MIT */
#include "tools/bench/spin.h"

#include "tools/bench/bench.h"

#define TRYING_NS 150000000u
#define TRY_COUNT 50000u

/* The best of many tries is taken. */
uint64_t bench_spin_count(unsigned ns)
{
	static double best; /* ns each; 0: not known yet */
	uint64_t until = best > 0 ? 0 : bench_now_ns() + TRYING_NS;

	while (ns && bench_now_ns() < until) {
		uint64_t began = bench_now_ns();
		double each;

		bench_spin(TRY_COUNT);
		each = (double)(bench_now_ns() - began) / TRY_COUNT;
		best = best <= 0 || each < best ? each : best;
	}
	return ns ? (uint64_t)(ns / best + 0.5) : 0;
}
